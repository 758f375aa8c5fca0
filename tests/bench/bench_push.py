#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_push.py: `subd push` of a file of about 100 MB, end to end (read, send, parse, build, store), beside the time that
tinyobjloader takes to parse the OBJ, interleaved. Ends with a line of JSON.

  bench_push.py [--bin DIR] [--backend auto|cpu|cuda] [--mb 100] [--rounds 5] [--peer DIR]

  full   a grid of quads with v, vt, vn and f a/b/c     plain  one with v and f a alone
  usda   the grid of `full` as USDA

Each is pushed twice by each round, to a new daemon: its topology is new to the daemon, and then known. --peer is the folder
of tiny_obj_loader.h, which is compiled by c++; without it the compiler looks where it always does (Debian:
libtinyobjloader-dev), and where it is not found there is no ratio."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

from bench_serve import Daemon

PEER = """
#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>
#include <chrono>
#include <cstdio>
int main(int, char **argv) {
    tinyobj::attrib_t a; std::vector<tinyobj::shape_t> s; std::vector<tinyobj::material_t> m; std::string w, e;
    auto from = std::chrono::steady_clock::now();
    if (!tinyobj::LoadObj(&a, &s, &m, &w, &e, argv[1], nullptr, false)) return 1;
    std::printf("%.6f\\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count());
}
"""


def grid(n):
    """The rows of v, vt and vn of (n + 1)^2 vertices, and the corners of n^2 quads."""
    steps = range(n + 1)
    v = ["%.6f %.6f %.6f" % (i * 0.01, j * 0.01, math.sin(i * 0.013) * math.cos(j * 0.017)) for j in steps for i in steps]
    vt = ["%.6f %.6f" % (i / n, j / n) for j in steps for i in steps]
    vn = ["%.4f %.4f %.4f" % (0.3 * math.sin(i), 0.3 * math.cos(j), 0.9) for j in steps for i in steps]
    rows = [j * (n + 1) + i for j in range(n) for i in range(n)]
    return v, vt, vn, [(a, a + 1, a + n + 2, a + n + 1) for a in rows]


def write_obj(path, n, full):
    v, vt, vn, quads = grid(n)
    with open(path, "w") as f:
        f.writelines("v %s\n" % row for row in v)
        if full:
            f.writelines("vt %s\n" % row for row in vt)
            f.writelines("vn %s\n" % row for row in vn)
        corner = "%d/%d/%d" if full else "%d"
        line = "f " + " ".join([corner] * 4) + "\n"
        for quad in quads:
            f.write(line % tuple(c + 1 for c in quad for _ in range(3 if full else 1)))


def write_usda(path, n):
    v, vt, vn, quads = grid(n)
    tuples = lambda rows: ", ".join("(%s)" % row.replace(" ", ", ") for row in rows)
    corners = ", ".join("%d, %d, %d, %d" % quad for quad in quads)
    with open(path, "w") as f:
        f.write('#usda 1.0\n\ndef Mesh "grid"\n{\n    int[] faceVertexCounts = [%s]\n' % ", ".join(["4"] * len(quads)))
        f.write("    int[] faceVertexIndices = [%s]\n    point3f[] points = [%s]\n" % (corners, tuples(v)))
        f.write("    normal3f[] normals = [%s]\n    texCoord2f[] primvars:st = [%s] (\n" % (tuples(vn), tuples(vt)))
        f.write('        interpolation = "faceVarying"\n    )\n    int[] primvars:st:indices = [%s]\n}\n' % corners)


def build_peer(folder, include):
    source, program = os.path.join(folder, "peer.cc"), os.path.join(folder, "peer")
    with open(source, "w") as f:
        f.write(PEER)
    done = subprocess.run(["c++", "-O2", "-std=c++11", *(["-I", include] if include else []), source, "-o", program],
                          stderr=subprocess.DEVNULL)
    return program if done.returncode == 0 else None


def push(args, daemon, path):
    """Seconds of one push, and what the daemon's log says of its steps."""
    start = time.perf_counter()
    subprocess.run([os.path.join(args.bin, "subd"), "push", "--server", daemon.url, path], check=True,
                   stdout=subprocess.DEVNULL)
    took = time.perf_counter() - start
    lines = [line for line in open(daemon.log.name) if '"op":"create"' in line]
    return took, json.loads(lines[-1]) if lines else {}


def measure(args, folder, peer, name, path, obj, out):
    new, known, peers, steps = [], [], [], {}
    for _ in range(args.rounds):
        if peer:
            peers.append(float(subprocess.run([peer, obj], check=True, stdout=subprocess.PIPE).stdout))
        daemon = Daemon(args, folder)
        push(args, daemon, os.path.join(folder, "small.obj"))
        took, steps = push(args, daemon, path)
        new.append(took)
        known.append(push(args, daemon, path)[0])
        daemon.stop()
    row = {"mb": os.path.getsize(path) / 1e6, "new_s": statistics.median(new), "known_s": statistics.median(known),
           "backend": daemon.backend, "steps_ms": {k: steps.get(k) for k in ("parse", "topology", "upload", "commit")}}
    if peers:
        row["peer_s"] = statistics.median(peers)
        row["times_peer"] = row["peer_s"] / row["new_s"]
    out[name] = row
    print("%-5s %4.0f MB  new topology %.3f s, known %.3f s%s; steps of the last: %s" %
          (name, row["mb"], row["new_s"], row["known_s"],
           ", tinyobjloader %.3f s: %.2fx its speed" % (row["peer_s"], row["times_peer"]) if peers else "", row["steps_ms"]),
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        write_obj(path("small.obj"), 10, True)
        write_obj(path("full.obj"), int(math.sqrt(args.mb * 1e6 / 159)), True)
        write_obj(path("plain.obj"), int(math.sqrt(args.mb * 1e6 / 61)), False)
        write_usda(path("full.usda"), int(math.sqrt(args.mb * 1e6 / 159)))
        peer = build_peer(folder, args.peer)
        if not peer:
            print("tiny_obj_loader.h is not here: no ratios")
        out = {}
        measure(args, folder, peer, "full", path("full.obj"), path("full.obj"), out)
        measure(args, folder, peer, "plain", path("plain.obj"), path("plain.obj"), out)
        measure(args, folder, peer, "usda", path("full.usda"), path("full.obj"), out)
        print(json.dumps({"push": out}))


if __name__ == "__main__":
    sys.exit(main())
