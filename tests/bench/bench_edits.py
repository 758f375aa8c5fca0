#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_edits.py: where the time of an edit of one face goes, from the request to the device state, on tori of 3,000, 100,000
and 1 M quads: a poke of a face, a crease on an edge, and one vertex moved by an edit, by the phases of Server-Timing and in
bytes that the daemon writes; against the rebuild of the same cage, which a second daemon that does not know it gets as a new
mesh. Prints rows of a table, medians, and ends with a line of JSON.

  bench_edits.py [--bin DIR] [--backend auto|cpu|cuda] [--rounds 7] [--quads 3000,100000,1000000]"""
import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request

from bench_serve import Connection, Daemon, torus

JSON = "Content-Type: application/json\r\nIf-Match: *\r\n"
PROTOBUF = "application/protobuf"
PHASES = ("parse", "apply", "topology", "upload", "commit")
REBUILD = ("topology", "upload")  # Phases from the cage in host memory to the device state.


def phases_of(head):
    line = re.search(r"Server-Timing: (.*)", head)
    return {name: float(ms) for name, ms in re.findall(r"(\w+);dur=([\d.]+)", line.group(1))} if line else {}


def written(daemon):
    with open("/proc/%d/io" % daemon.process.pid) as f:
        return int(re.search(r"\nwrite_bytes: (\d+)", f.read()).group(1))


def ask(connection, status, method, path, body=b"", headers=""):
    """An answer's body, milliseconds at the client and the daemon's phases."""
    start = time.perf_counter()
    got, head, data = connection.ask(method, path, body, headers)[:3]
    if got != status:
        sys.exit("%s %s: %d %s" % (method, path, got, data[:300]))
    return data, (time.perf_counter() - start) * 1e3, phases_of(head)


def edit_of(kind, k, faces):
    """The k-th edit: far from the others, of elements that are there."""
    v = 7 + k * (faces // 64)
    edit = {"poke": {"pokeFaces": {"ids": [v]}}, "crease": {"setCreases": {"edges": [v, v + 1], "sharpnesses": [2 + k % 3]}},
            "move": {"setPositions": {"ids": [v], "points": [k, 1, 2]}}}[kind]
    return json.dumps({"edits": [edit]}).encode()


def row(name, rounds):
    """Prints medians, and the least time at the client, of what was measured: each round as (ms, phases, bytes)."""
    mid = lambda values: statistics.median(list(values))
    ms, wrote = mid(r[0] for r in rounds), mid(r[2] for r in rounds)
    phases = {p: round(mid(r[1].get(p, 0) for r in rounds), 3) for p in PHASES}
    rest = mid(r[0] - sum(r[1].get(p, 0) for p in PHASES) for r in rounds)
    print("| %s | %.2f (%.2f) | %s | %.2f | %.0f KiB |" % (name, ms, min(r[0] for r in rounds), " | ".join("%.2f" % phases[p] for p in PHASES), rest, wrote / 1024),
          flush=True)
    return {"ms": round(ms, 3), "phases_ms": phases, "rest_ms": round(rest, 3), "written": wrote}


def measure(args, folder, quads, out):
    nx = max(8, int((quads * 1.25)**0.5))
    daemon, other = Daemon(args, folder, "--log-level", "warn"), Daemon(args, folder, "--log-level", "warn")
    try:
        obj = torus(nx, quads // nx).encode()
        c = Connection(daemon.port)
        data = ask(c, 201, "POST", "/v1/meshes", obj, "Content-Type: model/obj\r\n")[0]
        info, k, all_rows = json.loads(data), 0, {}
        path, faces = "/v1/meshes/" + info["id"], info["faces"]
        for kind in ("poke", "crease", "move"):
            rounds = []
            for i in range(args.rounds + 2):
                before = written(daemon)
                _, ms, phases = ask(c, 200, "POST", path + "/edits", edit_of(kind, k, faces), JSON)
                k += 1
                if i >= 2:
                    rounds.append((ms, phases, written(daemon) - before))
            all_rows[kind] = row("%d quads: %s" % (faces, kind), rounds)
        rounds = []
        for i in range(args.rounds):
            ask(c, 200, "POST", path + "/edits", edit_of("poke", k, faces), JSON)
            k += 1
            with urllib.request.urlopen(urllib.request.Request(daemon.url + path + "/cage", headers={"Accept": PROTOBUF})) as answer:
                cage = answer.read()
            rebuilder, before = Connection(other.port), written(other)
            data, ms, phases = ask(rebuilder, 201, "POST", "/v1/meshes", cage, "Content-Type: %s\r\n" % PROTOBUF)
            rounds.append((ms, phases, written(other) - before))
            ask(rebuilder, 204, "DELETE", "/v1/meshes/" + json.loads(data)["id"])
        all_rows["rebuild"] = row("%d quads: pushed anew" % faces, rounds)
        rebuilt = sum(all_rows["rebuild"]["phases_ms"].get(p, 0) for p in REBUILD)
        anew = all_rows["rebuild"]["ms"]
        for kind in ("poke", "crease", "move"):
            edited = all_rows[kind]["ms"]
            state = sum(all_rows[kind]["phases_ms"].get(p, 0) for p in REBUILD)
            print("%d quads (%s), %s: %.2f ms from request to answer, %.2f of them for the device state. The cage pushed anew takes %.2f ms, "
                  "%.1fx; %.2f of them for the device state (%s), %.1fx of the whole edit and %.1fx of its part" %
                  (faces, daemon.backend, kind, edited, state, anew, anew / edited, rebuilt, " and ".join(REBUILD), rebuilt / edited,
                   rebuilt / max(state, 1e-3)), flush=True)
        out[faces] = all_rows
    finally:
        daemon.stop()
        other.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quads", default="3000,100000,1000000")
    args = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # So that waiting threads leave the cores to others, as in the tests.
    out, folder = {}, tempfile.mkdtemp(prefix="subdd-bench-")
    try:
        print("| what | ms at the client, median (least) | %s | rest | written |\n%s" % (" | ".join(PHASES), "|---" * (len(PHASES) + 4) + "|"))
        for quads in args.quads.split(","):
            measure(args, folder, int(quads), out)
        print(json.dumps({"bench": "edits", "backend": args.backend, "rows": out}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
