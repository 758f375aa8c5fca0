#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_serve.py: the daemon over loopback. Ends each part with a line of JSON.

  bench_serve.py [--bin DIR] [--backend auto|cpu|cuda] [--only stream,small,cube,edit,pose,poses] [--rounds 9]

  stream  a 500 MB frame against nginx (no sendfile, 1 MiB buffers) with the same bytes from tmpfs, the same curl, interleaved
  small   latency of small requests while 1 GB transfers run, and without
  cube    refine of an 8-vertex cube to level 2 over one kept-alive connection, cached and computed anew
  edit    a crease edit, or new positions, to the first byte of the new level-5 frame of a mesh of 3,000 quads
  pose    frames of positions that change: PUT them and GET, or POST them, to the last byte, against the loopback's own rate
  poses   frames a second of 102,400 vertices that 1, 4 and 16 clients, a process each, get for poses of one mesh, and of a mesh each
          that share a topology; how many of them the daemon made together with others

Needs curl; stream is skipped without nginx. Only loopback, a temporary folder, about a minute."""
import argparse
import hashlib
import json
import math
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

GIB = 1 << 30

FRAME = "application/vnd.subdd.frame"


class Daemon:
    def __init__(self, args, folder, *options):
        self.data = tempfile.mkdtemp(dir=folder)
        self.log = open(os.path.join(self.data, "log"), "w")
        self.process = subprocess.Popen(
            [os.path.join(args.bin, "subdd"), "--listen", "127.0.0.1:0", "--data-dir", os.path.join(self.data, "store"),
             "--backend", args.backend, *options], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if "http://" not in line:
            sys.exit("subdd did not start: " + open(self.log.name).read()[-2000:])
        self.backend = line.rsplit("backend=", 1)[-1].strip()
        self.port = int(line.split("http://", 1)[1].split()[0].rsplit(":", 1)[1].strip("/"))
        self.url = "http://127.0.0.1:%d" % self.port

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.log.close()


class Connection:
    """One kept-alive connection; plain sockets, because an HTTP library in Python costs more than the request."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(1 << 20)

    def ask(self, method, path, body=b"", headers=""):
        """Returns (status, head, body or its length when large, ms to the first byte of the body, ms in all)."""
        if "/refined" in path:
            headers += "Accept: %s\r\n" % FRAME
        head = "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s" % (method, path, headers)
        if body or method in ("POST", "PUT"):
            head += "Content-Length: %d\r\n" % len(body)
        message = head.encode() + b"\r\n" + body
        start = time.perf_counter()
        self.socket.sendall(message)
        got = bytearray()
        end = -1
        while end < 0:
            part = self.socket.recv(65536)
            if not part:
                raise EOFError("the daemon closed the connection: %r" % bytes(got))
            got += part
            end = got.find(b"\r\n\r\n")
        status = int(got[9:12])
        text = got[:end].decode("latin1")
        length = next((int(l.split(":")[1]) for l in text.split("\r\n") if l.lower().startswith("content-length:")), 0)
        rest = got[end + 4:]
        left = length - len(rest)
        first = time.perf_counter() if rest or not length else None
        keep = length < 1 << 20
        while left > 0:
            n = self.socket.recv_into(self.buffer, min(left, len(self.buffer)))
            if not n:
                raise EOFError("the body ended %d bytes early" % left)
            first = first or time.perf_counter()
            if keep:
                rest += self.buffer[:n]
            left -= n
        done = time.perf_counter()
        return status, text, bytes(rest) if keep else length, (first - start) * 1e3, (done - start) * 1e3

    def must(self, want, *what):
        answer = self.ask(*what)
        if answer[0] != want:
            sys.exit("%s %s: %d, not %d: %r" % (what[0], what[1], answer[0], want, answer[2]))
        return answer

    def push(self, obj):
        return json.loads(self.must(201, "POST", "/v1/meshes", obj.encode(), "Content-Type: model/obj\r\n")[2])["id"]


def torus(nx, ny):
    lines = []
    for j in range(ny):
        for i in range(nx):
            a, b = 2 * math.pi * i / nx, 2 * math.pi * j / ny
            lines.append("v %.6f %.6f %.6f" % ((3 + math.cos(b)) * math.cos(a), (3 + math.cos(b)) * math.sin(a), math.sin(b)))
    for j in range(ny):
        for i in range(nx):
            q = [j * nx + i, j * nx + (i + 1) % nx, (j + 1) % ny * nx + (i + 1) % nx, (j + 1) % ny * nx + i]
            lines.append("f " + " ".join(str(c + 1) for c in q))
    return "\n".join(lines) + "\n"


CUBE = "".join("v %d %d %d\n" % (x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)) + \
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n"


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * p / 100))]


def report(bench, **values):
    print(json.dumps({"bench": bench, **{k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}}), flush=True)


def curl(url, out="/dev/null"):
    """Seconds and bytes of one download."""
    text = subprocess.run(["curl", "-sS", "--noproxy", "*", "-H", "Accept: " + FRAME, "-o", out, "-w", "%{http_code} %{size_download} %{time_total}", url], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    code, size, seconds = text.split()
    if code != "200":
        sys.exit("%s answered %s" % (url, code))
    return float(seconds), int(size)


def start_nginx(folder, root, program="nginx", sendfile="off", workers=1):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as out:
        out.write("""daemon off; worker_processes %(w)d; pid %(d)s/nginx.pid; error_log %(d)s/nginx.log;
events { worker_connections 64; }
http { access_log off; keepalive_requests 1000000; sendfile %(s)s; output_buffers 4 1m; client_body_temp_path %(d)s; proxy_temp_path %(d)s;
  fastcgi_temp_path %(d)s; uwsgi_temp_path %(d)s; scgi_temp_path %(d)s;
  server { listen 127.0.0.1:%(p)d; root %(r)s; } }
""" % {"d": folder, "p": port, "r": root, "w": workers, "s": sendfile})
    process = subprocess.Popen([program, "-e", os.path.join(folder, "nginx.log"), "-c", config] + (["-g", "user root;"] if os.geteuid() == 0 else []))
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, "http://127.0.0.1:%d" % port
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx did not start: " + open(os.path.join(folder, "nginx.log")).read())


def sha(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 22):
            h.update(block)
    return h.hexdigest()


def bench_stream(args, folder):
    if not shutil.which("nginx"):
        print("skip: stream: no nginx here")
        return
    daemon = Daemon(args, folder, "--cache-bytes", "2GiB")
    nginx = None
    try:
        mesh = Connection(daemon.port).push(torus(148, 69))
        path = "%s/v1/meshes/%s/refined?level=6&include=positions" % (daemon.url, mesh)
        kept, again = os.path.join(folder, "frame"), os.path.join(folder, "again")
        _, size = curl(path, kept)
        nginx, base = start_nginx(folder, folder)
        curl(path, again)
        if sha(again) != sha(kept):
            sys.exit("stream: two downloads of a version differ")
        os.unlink(again)
        urls = {"subdd": path, "nginx": base + "/frame"}
        times = {k: [] for k in urls}
        order = random.Random(1)
        for _ in range(args.rounds):
            for name in order.sample(sorted(urls), len(urls)):
                times[name].append(curl(urls[name])[0])
        ours, theirs = statistics.median(times["subdd"]), statistics.median(times["nginx"])
        print("stream: %.0f MB, %d rounds: subdd %.2f GB/s, nginx %.2f GB/s: %.1f %%" %
              (size / 1e6, args.rounds, size / ours / 1e9, size / theirs / 1e9, 100 * theirs / ours))
        report("stream", bytes=size, rounds=args.rounds, subdd_gb_s=size / ours / 1e9, nginx_gb_s=size / theirs / 1e9, ratio=theirs / ours)
    finally:
        daemon.stop()
        if nginx:
            nginx.terminate()
            nginx.wait(10)
        for name in ("frame", "again"):
            if os.path.exists(os.path.join(folder, name)):
                os.unlink(os.path.join(folder, name))


def latencies(connection, paths, seconds, running=lambda: True):
    out, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end and running():
        out.append(connection.must(200, "GET", paths[len(out) % len(paths)])[4])
        time.sleep(0.0005)
    return out


def bench_small(args, folder):
    daemon = Daemon(args, folder, "--cache-bytes", "2GiB")
    try:
        c = Connection(daemon.port)
        big, cube = c.push(torus(204, 100)), c.push(CUBE)
        url = "%s/v1/meshes/%s/refined?level=6&include=positions" % (daemon.url, big)
        size = curl(url)[1]
        paths = ["/v1/meshes/" + cube, "/v1/health/live", "/v1/meshes/%s/refined?level=1" % cube]
        idle = latencies(c, paths, 2)
        stop, rates = threading.Event(), []

        def transfer():
            while not stop.is_set():
                rates.append(size / curl(url)[0] / 1e9)

        thread = threading.Thread(target=transfer)
        thread.start()
        busy = latencies(c, paths, 8)
        stop.set()
        thread.join()
        print("small requests: idle p50 %.3f p99 %.3f ms; during %d transfers of %.2f GB (%.2f GB/s) p50 %.3f p99 %.3f max %.3f ms, %d asked" %
              (percentile(idle, 50), percentile(idle, 99), len(rates), size / 1e9, statistics.median(rates), percentile(busy, 50),
               percentile(busy, 99), max(busy), len(busy)))
        report("small", bytes=size, idle_p50_ms=percentile(idle, 50), idle_p99_ms=percentile(idle, 99), p50_ms=percentile(busy, 50),
               p99_ms=percentile(busy, 99), max_ms=max(busy), requests=len(busy), transfer_gb_s=statistics.median(rates))
    finally:
        daemon.stop()


def bench_cube(args, folder):
    medians = {}
    for name, cache in (("cached", "1GiB"), ("computed", "0")):
        daemon = Daemon(args, folder, "--cache-bytes", cache)
        try:
            c = Connection(daemon.port)
            path = "/v1/meshes/%s/refined?level=2" % c.push(CUBE)
            for _ in range(200):
                c.must(200, "GET", path)
            values = [c.must(200, "GET", path)[4] for _ in range(2000)]
            live = [c.must(200, "GET", "/v1/health/live")[4] for _ in range(2000)]
            medians[name] = statistics.median(values)
            medians[name + "_p99"] = percentile(values, 99)
            medians["live"] = statistics.median(live)
        finally:
            daemon.stop()
    print("cube to level 2, one connection: computed %.3f ms (p99 %.3f), cached %.3f ms (p99 %.3f); health %.3f ms" %
          (medians["computed"], medians["computed_p99"], medians["cached"], medians["cached_p99"], medians["live"]))
    report("cube", backend=daemon.backend, **{k + "_ms": v for k, v in medians.items()})


def bench_edit(args, folder):
    daemon = Daemon(args, folder)
    try:
        c = Connection(daemon.port)
        mesh = c.push(torus(60, 50))
        frame = "/v1/meshes/%s/refined?level=5&include=positions" % mesh
        points = b"".join(b"\0\0\x80\x3f" for _ in range(9000))
        c.must(200, "GET", frame)
        version, times = 1, {"edit": [], "edit_all": [], "positions": [], "post": []}
        for i in range(31):
            sharp = 1.5 + 0.1 * (i % 7)
            body = json.dumps({"edits": [{"setCreases": {"edges": [10, 11], "sharpnesses": [sharp]}}]}).encode()
            start = time.perf_counter()
            answer = c.must(200, "POST", "/v1/meshes/%s/edits" % mesh, body, "Content-Type: application/json\r\nIf-Match: \"%d\"\r\n" % version)
            posted = (time.perf_counter() - start) * 1e3
            version = int(json.loads(answer[2])["mesh"]["version"])
            got = c.must(200, "GET", frame)
            times["post"].append(posted)
            times["edit"].append(posted + got[3])
            times["edit_all"].append(posted + got[4])
            body = points[:12] + os.urandom(2) + b"\0\x3f" + points[16:]
            start = time.perf_counter()
            answer = c.must(200, "PUT", "/v1/meshes/%s/positions" % mesh, body, "Content-Type: application/octet-stream\r\n")
            put = (time.perf_counter() - start) * 1e3
            version = int(json.loads(answer[2])["version"])
            times["positions"].append(put + c.must(200, "GET", frame)[3])
        m = {k: statistics.median(v) for k, v in times.items()}
        print("3,000 quads, level 5 (%s): edit to first byte %.2f ms (the edit itself %.2f), to the last %.2f; positions to first byte %.2f ms" %
              (daemon.backend, m["edit"], m["post"], m["edit_all"], m["positions"]))
        report("edit", backend=daemon.backend, edit_first_byte_ms=m["edit"], edit_answer_ms=m["post"], edit_last_byte_ms=m["edit_all"],
               positions_first_byte_ms=m["positions"])
    finally:
        daemon.stop()


def loopback(n):
    """Seconds that n bytes take from a process to this one over loopback, the median of 9, in sends as the daemon's."""
    server = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        peer, piece = server.accept()[0], bytes(256 << 10)
        while peer.recv(1):
            for at in range(0, n, len(piece)):
                peer.sendall(piece[:n - at])
        os._exit(0)
    c, buffer, times = socket.create_connection(server.getsockname()), bytearray(1 << 20), []
    server.close()
    for _ in range(9):
        start, left = time.perf_counter(), n
        c.sendall(b"x")
        while left:
            left -= c.recv_into(buffer, min(left, len(buffer)))
        times.append(time.perf_counter() - start)
    c.close()
    os.wait()
    return statistics.median(times)


def bench_pose(args, folder):
    daemon = Daemon(args, folder)
    try:
        c = Connection(daemon.port)
        for quads, level, rounds in (((40, 40), 3, 500), ((60, 50), 5, 41)):
            mesh = c.push(torus(*quads))
            path, n = "/v1/meshes/%s/" % mesh, quads[0] * quads[1]
            frame, octets = path + "refined?level=%d&include=positions&method=tabulated" % level, "Content-Type: application/octet-stream\r\n"
            bodies = [b"".join(b"%c\0\x80\x3f" % (1 + (i * k) % 250) for i in range(3 * n)) for k in (1, 3, 7)]
            size, times = c.must(200, "GET", frame)[2], {"put": [], "put_get": [], "post": []}
            size = size if isinstance(size, int) else len(size)
            for i in range(rounds):
                put = c.must(200, "PUT", path + "positions", bodies[i % 3], octets)[4]
                times["put"].append(put)
                times["put_get"].append(put + c.must(200, "GET", frame)[4])
                times["post"].append(c.must(200, "POST", frame, bodies[i % 3], octets)[4])
            m, wire = {k: statistics.median(v) for k, v in times.items()}, loopback(size) * 1e3
            print("%d vertices (%s), %.1f MB: PUT and GET %.3f ms (PUT %.3f), POST %.3f ms, %.0f frames a second, p99 %.3f; loopback alone %.3f ms" %
                  (n * 4 ** level, daemon.backend, size / 1e6, m["put_get"], m["put"], m["post"], 1e3 / m["post"], percentile(times["post"], 99), wire))
            report("pose", backend=daemon.backend, vertices=n * 4 ** level, bytes=size, loopback_ms=wire, post_over_loopback=m["post"] / wire,
                   **{k + "_ms": v for k, v in m.items()})
    finally:
        daemon.stop()


def metric(c, name):
    text = c.must(200, "GET", "/metrics")[2].decode()
    return next((int(line.split()[1]) for line in text.split("\n") if line.startswith(name + " ")), 0)


def client(port, path, bodies, seconds):
    """The times of its frames, in ms, as JSON from a process of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, os.fdopen(reader)
    c, times, end = Connection(port), [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        times.append(c.must(200, "POST", path, bodies[len(times) % len(bodies)], "Content-Type: application/octet-stream\r\n")[4])
    with os.fdopen(writer, "w") as out:
        json.dump(times, out)
    os._exit(0)


def bench_poses(args, folder):
    daemon, seconds, n, most = Daemon(args, folder), 3, 1600, 16
    try:
        c = Connection(daemon.port)
        meshes = [c.push(torus(40, 40)) for _ in range(most)]
        paths = ["/v1/meshes/%s/refined?level=3&include=positions&method=tabulated" % mesh for mesh in meshes]
        bodies = [b"".join(b"%c\0\x80\x3f" % (1 + (i * k) % 250) for i in range(3 * n)) for k in (1, 3, 7)]
        for path in paths:
            c.must(200, "POST", path, bodies[0], "Content-Type: application/octet-stream\r\n")
        for batch in (False, True):
            for k in (1, 4, most):
                before = metric(c, "subdd_batched_frames_total")
                clients = [client(daemon.port, paths[i if batch else 0], bodies, seconds) for i in range(k)]
                times = [t for _, reader in clients for t in json.load(reader)]
                for pid, _ in clients:
                    os.waitpid(pid, 0)
                together = metric(c, "subdd_batched_frames_total") - before
                print("%d vertices (%s), %2d clients, %s: %.0f frames a second, p50 %.2f p99 %.2f ms, %.0f %% made together" %
                      (n * 64, daemon.backend, k, "a mesh each" if batch else "one mesh", len(times) / seconds, percentile(times, 50),
                       percentile(times, 99), 100 * together / len(times)))
                report("poses", backend=daemon.backend, vertices=n * 64, clients=k, meshes=k if batch else 1, frames_per_s=len(times) / seconds,
                       p50_ms=percentile(times, 50), p99_ms=percentile(times, 99), together=together / len(times))
    finally:
        daemon.stop()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("SUBDD_BIN") or os.path.join(here, "..", "..", "build", "bin"))
    parser.add_argument("--backend", default=os.environ.get("SUBDD_TEST_BACKEND") or "auto")
    parser.add_argument("--only", default="stream,small,cube,edit,pose,poses")
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    parts = {"stream": bench_stream, "small": bench_small, "cube": bench_cube, "edit": bench_edit, "pose": bench_pose, "poses": bench_poses}
    for name in args.only.split(","):
        folder = tempfile.mkdtemp(prefix="subdd-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        try:
            parts[name](args, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
