#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_blender.py: a pose of 62,500 quads at level 3 in Blender, by the add-on and a daemon on the same cores, against Blender's own
Subdivision modifier.

  bench_blender.py [--bin DIR] [--backend auto|cpu|cuda] [--rounds 7] [--faces 62500] [--level 3]

The surface is checked first, at level 1. Then rounds in which both take turns, and medians: from the new positions to the finished mesh; "shown"
also has Blender's own evaluation of that mesh, which copies it. Ends with a line of JSON. Needs Blender; only loopback, a temporary folder, about
a minute and a half."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

from bench_serve import Daemon, report

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


def measure(args, folder):
    daemon = Daemon(args, folder)
    try:
        subprocess.run([sys.executable, os.path.join(TOP, "client", "blender", "make_zips.py"), folder, "0.0.1"], check=True, stdout=subprocess.DEVNULL)
        # Debian's Blender takes the library of the first python3 on PATH, which may be without numpy.
        env = {**os.environ, "BLENDER_USER_RESOURCES": os.path.join(folder, "blender"), "PATH": "/usr/bin:/bin"}
        command = [shutil.which("blender"), "-b", "--factory-startup", "--python-exit-code", "7", "-P", os.path.join(TOP, "tests", "blender", "inside.py"),
                   "--", os.path.join(folder, "subdd-blender-0.0.1-legacy.zip"), daemon.url, "bench", str(args.faces), str(args.level), str(args.rounds)]
        ran = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        line = next((line for line in ran.stdout.split("\n") if line.startswith("RESULT ")), None)
        if ran.returncode or not line:
            sys.exit(ran.stdout)
        r = json.loads(line[7:])
        print("blender: %d quads at level %d, %d vertices, %d rounds, %d cores: modifier %.0f ms, link %.0f ms (%.1f %%; goal 10 %%), shown %.0f ms (%.1f %%)" %
              (r["faces"], r["level"], r["vertices"], r["rounds"], os.cpu_count(), r["modifier_ms"], r["link_ms"], 100 * r["ratio"], r["shown_ms"],
               100 * r["ratio_shown"]))
        report("blender", backend=daemon.backend, **r)
    finally:
        daemon.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("SUBDD_BIN") or os.path.join(TOP, "build", "bin"))
    parser.add_argument("--backend", default=os.environ.get("SUBDD_TEST_BACKEND") or "auto")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--faces", type=int, default=62500)
    parser.add_argument("--level", type=int, default=3)
    args = parser.parse_args()
    if not shutil.which("blender"):
        print("skip: blender: it is not installed (deploy/install-deps blender)")
        return
    folder = tempfile.mkdtemp(prefix="subdd-bench-")
    try:
        measure(args, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
