#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Meshes are made, watched, changed in all ways and deleted again, round after round: memory of host and device, files,
threads and the store's files are back to where they were after the first rounds. SUBDD_ROUNDS says how many; `make soak`
has the long form."""
import functools, http.client, json, os, random, struct, time
from files import BIN, Daemon, check, how_many, run_tests
from oracle import Mesh, Oracle, batch, begin, body_of, shapes, some_primitives
from people import grid

ROUNDS, WARM, SLACK = how_many("ROUNDS", 300, 10000), 100, 4 << 20
HELD = tuple("subdd_" + name for name in ("device_memory_bytes", "host_budget_used", "host_memory", "meshes", "watchers", "cache_bytes", "store_bytes", "inflight"))
IDLE = 6  # Seconds, after which the daemon gives kept memory back to the system.


class Watcher:
    def __init__(self, port, id, level):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.request("GET", f"/v1/meshes/{id}/watch?level={level}&deltas=true&include=positions,normals,indices",
                                headers={"Accept": "application/vnd.subdd.watch"})
        self.answer, self.deltas = self.connection.getresponse(), 0
        check(self.answer.status == 200, f"watch: {self.answer.status}")

    def wait(self, version):
        told = 0
        while told < version:
            n, told, kind, _ = struct.unpack("<QQII", self.answer.read(24))
            check(len(self.answer.read(n)) == n and kind in (0, 1, 2), f"a record of kind {kind}")
            self.deltas += kind == 2


def one_round(daemon, r, bodies, port):
    """Returns how many deltas came."""
    mesh = Mesh(daemon, *r.choice(bodies))
    watcher = Watcher(port, mesh.id, r.choice((1, 2, 3)))
    watcher.wait(1)
    oracle = Oracle(mesh.cage())
    for _ in range(r.randrange(1, 4)):
        edits, after = batch(r, oracle) if r.random() < 0.6 else (some_primitives(r, oracle), None)
        status, answer = mesh.edit(*edits)
        check(status in (200, 422), f"{edits}: {status} {answer}")
        if status == 200:
            oracle = after or Oracle(mesh.cage())
            watcher.wait(mesh.version)
    path = f"/v1/meshes/{mesh.id}"
    if r.random() < 0.3:
        mesh.ask("POST", path + "/undo")
        mesh.ask("POST", path + "/leases", b'{"seconds": 100}')
        mesh.ask("PUT", path + "/presence?client=rounds", b'{"at": 1}')
        mesh.ask("GET", f"{path}/refined?level=2&method=tabulated&version=1")
    if r.random() < 0.5:
        watcher.connection.close()  # Else the mesh goes first.
    status, answer = mesh.ask("DELETE", path)
    check(status == 204 or (status, answer["code"]) == (423, "leased"), f"delete: {status} {answer}")
    if status == 423:
        for lease in mesh.ask("GET", path + "/leases")[1]["leases"]:
            mesh.ask("DELETE", f"{path}/leases/{lease['lease']}")
        check(mesh.ask("DELETE", path)[0] == 204, "not deleted without its lease")
    watcher.connection.close()
    return watcher.deltas


def measure(daemon, other):
    """What the daemon holds when nobody asks for anything."""
    time.sleep(IDLE)
    pid = daemon.process.pid
    out = {"files": len(os.listdir(f"/proc/{pid}/fd")), "threads": len(os.listdir(f"/proc/{pid}/task"))}
    _, text = other.ask("GET", "/metrics")
    for line in text.decode().splitlines():
        name, value = line.rsplit(" ", 1)
        if name.startswith(HELD):
            out[name] = int(value)
    with open(f"/proc/{pid}/status") as f:
        out["memory"] = next(int(line.split()[1]) * 1024 for line in f if line.startswith("RssAnon"))
    return out


def is_sanitized():
    """Sanitizers keep what was freed."""
    with open(os.path.join(BIN, "subdd"), "rb") as f:
        return b"__asan_init" in (data := f.read()) or b"__tsan_init" in data


def rounds(plain, folder):
    r = random.Random(5)
    bodies = [(json.dumps(body_of(begin(plain, path, r))).encode(), "application/json") for path in r.sample(shapes(), 20)]
    bodies += [(grid(n).encode(), "model/obj") for n in (20, 40)]
    home = os.path.join(folder, "rounds")
    os.mkdir(home)
    daemon, deltas = Daemon(home, "--log-level", "warn"), 0
    try:
        port = int(daemon.url.rsplit(":", 1)[1])
        other = Mesh(daemon, grid(2).encode())
        for _ in range(WARM):
            one_round(daemon, r, bodies, port)
        before = measure(daemon, other)
        for _ in range(ROUNDS):
            deltas += one_round(daemon, r, bodies, port)
        after = measure(daemon, other)
        grown = {name: after[name] - before[name] for name in before}
        print(f"result: {ROUNDS} rounds of create, watch, edit, delete, {deltas} deltas: memory {before['memory'] / 2**20:.1f} MiB, then "
              f"{after['memory'] / 2**20:.1f}; the rest that differs: {({k: (before[k], after[k]) for k in grown if grown[k] and k != 'memory'})}")
        check(deltas > ROUNDS / 4, "hardly a frame came as a delta")
        check(grown.pop("memory") <= SLACK or is_sanitized(), "memory has grown")
        check(grown.pop('subdd_store_bytes{file="log"}') <= SLACK, "the store's log has grown")
        check(grown.pop('subdd_store_bytes{file="database"}') <= 256 << 10, "the store has grown")
        check(not any(grown.values()), "something is not back to where it was")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def tests(daemon, folder):
    yield "rounds", functools.partial(rounds, daemon, folder)


run_tests(tests)
