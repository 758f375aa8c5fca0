#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_hot.py: one mesh that many watch: the bytes a second that 32 watchers get, each version a frame of 0.56 MB, while one
client pushes new positions; against nginx, which sends a file of that size again and again to 32 kept-alive connections, read
by the same loop in the same way, interleaved. Prints medians and ratios, and ends with a line of JSON.

  bench_hot.py [--bin DIR] [--backend auto|cpu|cuda] [--rounds 5] [--seconds 3] [--watchers 32]

nginx runs twice, as the best that there is (sendfile, two workers) and with what the other benchmarks have (no sendfile, one).
Its program may also be named by the variable SUBDD_NGINX. Without one the daemon is measured alone."""
import argparse
import json
import os
import random
import selectors
import shutil
import socket
import statistics
import struct
import tempfile
import threading
import time

from bench_serve import Connection, Daemon, start_nginx, torus

SIDE, LEVEL = 54, 2  # 46,656 vertices: 560 KB of positions.
MEDIA = "application/vnd.subdd.watch"


class Reader:
    """A connection that is read as fast as it can. `again` is the request that follows an answer of so many bytes."""

    def __init__(self, port, request, again=0):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.request, self.again, self.left = request, again, again
        self.socket.sendall(request)

    def read(self, buffer):
        n = self.socket.recv_into(buffer, min(len(buffer), self.left) if self.again else 0)
        if not n:
            raise EOFError("a connection was closed")
        self.left -= n
        if self.again and not self.left:
            self.left = self.again
            self.socket.sendall(self.request)
        return n


def rate(readers, seconds):
    """GB/s of all readers, after half a second."""
    buffer, selector, total = memoryview(bytearray(1 << 20)), selectors.DefaultSelector(), 0
    for reader in readers:
        selector.register(reader.socket, selectors.EVENT_READ, reader)
    warm = time.perf_counter() + 0.5
    start, end = None, warm + seconds
    while (now := time.perf_counter()) < end:
        if not start and now >= warm:
            start, total = now, 0
        for key, _ in selector.select(0.2):
            total += key.data.read(buffer)
    for reader in readers:
        reader.socket.close()
    return total / (now - start) / 1e9


def request(path, accept="*/*"):
    return ("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: %s\r\n\r\n" % (path, accept)).encode()


class Pusher(threading.Thread):
    """Pushes positions one after the other, each with the answer to the one before."""

    def __init__(self, port, mesh):
        super().__init__(daemon=True)
        self.c, self.path, self.versions, self.on = Connection(port), "/v1/meshes/%s/positions" % mesh, 0, True
        self.bodies = [struct.pack("<%df" % (3 * SIDE * SIDE), *(random.random() for _ in range(3 * SIDE * SIDE))) for _ in range(2)]

    def run(self):
        while self.on:
            self.c.must(200, "PUT", self.path, self.bodies[self.versions % 2], "Content-Type: application/octet-stream\r\n")
            self.versions += 1


def watched(daemon, mesh, args):
    """The daemon's rate, and how many versions a second there were."""
    path = "/v1/meshes/%s/watch?level=%d&include=positions" % (mesh, LEVEL)
    pusher = Pusher(daemon.port, mesh)
    readers = [Reader(daemon.port, request(path, MEDIA)) for _ in range(args.watchers)]
    start = time.perf_counter()
    pusher.start()
    out = rate(readers, args.seconds)
    pusher.on = False
    pusher.join()
    return out, pusher.versions / (time.perf_counter() - start)


def served(port, size, args):
    message = request("/frame")
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(message)
        got = b""
        while b"\r\n\r\n" not in got:
            got += s.recv(65536)
    head = got.index(b"\r\n\r\n") + 4
    return rate([Reader(port, message, head + size) for _ in range(args.watchers)], args.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--watchers", type=int, default=32)
    args = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # So that waiting threads leave the cores to others, as in the tests.
    folder = tempfile.mkdtemp(prefix="subdd-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    servers, daemon = [], Daemon(args, folder, "--log-level", "warn")
    program = os.environ.get("SUBDD_NGINX") or shutil.which("nginx")
    try:
        c = Connection(daemon.port)
        mesh = c.push(torus(SIDE, SIDE))
        frame = c.must(200, "GET", "/v1/meshes/%s/refined?level=%d&include=positions" % (mesh, LEVEL))[2]
        with open(os.path.join(folder, "frame"), "wb") as f:
            f.write(frame)
        ways = {"nginx, sendfile, 2 workers": ("on", 2), "nginx, no sendfile, 1 worker": ("off", 1)} if program else {}
        ports = {}
        for name, (sendfile, workers) in ways.items():
            process, url = start_nginx(folder, folder, program, sendfile, workers)
            servers.append(process)
            ports[name] = int(url.rsplit(":", 1)[1])
        rates, versions = {name: [] for name in ["subdd", *ways]}, []
        for _ in range(args.rounds):
            for name in random.sample(sorted(rates), len(rates)):
                if name == "subdd":
                    got, per_second = watched(daemon, mesh, args)
                    versions.append(per_second)
                else:
                    got = served(ports[name], len(frame), args)
                rates[name].append(got)
        medians = {name: statistics.median(values) for name, values in rates.items()}
        print("%d watchers of frames of %.2f MB (%s), %d rounds of %g s: subdd %.2f GB/s, %.0f frames and %.0f versions a second%s" %
              (args.watchers, len(frame) / 1e6, daemon.backend, args.rounds, args.seconds, medians["subdd"], medians["subdd"] * 1e9 / len(frame),
               statistics.median(versions), "" if program else "; no nginx here, so no ratio"))
        for name in ways:
            print("  %s: %.2f GB/s; subdd has %.0f %%" % (name, medians[name], 100 * medians["subdd"] / medians[name]))
        print(json.dumps({"bench": "hot", "backend": daemon.backend, "bytes": len(frame), "versions_per_s": round(statistics.median(versions), 1),
                          "gb_s": {name: round(value, 3) for name, value in medians.items()}}))
    finally:
        daemon.stop()
        for process in servers:
            process.terminate()
            process.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
