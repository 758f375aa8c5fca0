#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_python.py: the Python package's rate of a 500 MB frame over loopback, against that of `subd refine -o /dev/null`.

  bench_python.py [--bin DIR] [--backend auto|cpu|cuda] [--rounds 9]

The frame is checked first: it is the one that subd writes. Then rounds in which all take turns, and medians: subd, which verifies digests and keeps
nothing; the package into memory of an earlier frame, without and with digests verified. Ends with a line of JSON. Needs numpy; only loopback, a
temporary folder, about half a minute."""
import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bench_serve import Daemon, report, torus

HERE = os.path.dirname(os.path.abspath(__file__))
LEVEL = 6


def by_subd(args, daemon, mesh, out):
    """Seconds of its request."""
    ran = subprocess.run([os.path.join(args.bin, "subd"), "refine", mesh, "--level", str(LEVEL), "--only-positions", "--json", "-o", out, "--server",
                          daemon.url], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout)["seconds"]["refine"]


def compare(args, folder):
    import subd
    daemon = Daemon(args, folder, "--cache-bytes", "2GiB")
    try:
        client = subd.Client(daemon.url)
        mesh = client.push(torus(148, 69).encode(), media_type="model/obj").id
        ask = lambda **more: client.refined(mesh, LEVEL, include="positions", **more)
        frame, kept = ask(), [os.path.join(folder, name) for name in ("theirs.frame", "ours.frame")]
        by_subd(args, daemon, mesh, kept[0])
        with open(kept[1], "wb") as out:
            frame.write(out)
        if subprocess.run(["cmp", *kept]).returncode:
            sys.exit("the package has another frame than subd")
        for path in kept:
            os.unlink(path)
        times = {"subd": [], "plain": [], "verified": []}
        for _ in range(args.rounds):
            times["subd"].append(by_subd(args, daemon, mesh, os.devnull))
            for name, verify in (("plain", False), ("verified", True)):
                start = time.perf_counter()
                frame = ask(verify=verify, out=frame)
                times[name].append(time.perf_counter() - start)
        rates = {name: frame.frame_bytes / statistics.median(row) / 1e9 for name, row in times.items()}
        print("python: %.0f MB, %d rounds, %d cores: subd %.2f GB/s; package %.2f GB/s without digests (%.0f %%), %.2f GB/s with them (%.0f %%)" %
              (frame.frame_bytes / 1e6, args.rounds, os.cpu_count(), rates["subd"], rates["plain"], 100 * rates["plain"] / rates["subd"],
               rates["verified"], 100 * rates["verified"] / rates["subd"]))
        report("python", bytes=frame.frame_bytes, rounds=args.rounds, backend=daemon.backend, **{k + "_gb_s": v for k, v in rates.items()})
    finally:
        daemon.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("SUBDD_BIN") or os.path.join(HERE, "..", "..", "build", "bin"))
    parser.add_argument("--backend", default=os.environ.get("SUBDD_TEST_BACKEND") or "auto")
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    if not importlib.util.find_spec("numpy"):
        print("skip: python: numpy is not installed for this Python (python3-numpy)")
        return
    sys.path.insert(0, os.path.join(HERE, "..", "..", "client", "python"))
    folder = tempfile.mkdtemp(prefix="subdd-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        compare(args, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
