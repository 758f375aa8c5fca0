#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the viewer takes in headless Chromium: tests/web/bench.mjs, where Node.js, Chromium and the page are."""
import argparse, os, shutil, subprocess, sys

ask = argparse.ArgumentParser()
ask.add_argument("--bin", default="build/bin")
ask.add_argument("--backend", default="cpu")
args = ask.parse_args()
build = os.environ.get("SUBDD_BUILD") or os.path.dirname(os.path.abspath(args.bin))
needed = [shutil.which("node"), shutil.which("chromium"), os.path.isdir(f"{build}/web-tests/node_modules"),
          os.path.exists(f"{args.bin}/../share/subdd/viewer/viewer.html.gz")]
if not all(needed):
    print("skipped: needs Node.js, Chromium and their packages (deploy/install-deps viewer) and the page (make viewer)")
    sys.exit(0)
sys.exit(subprocess.run(["node", "tests/web/bench.mjs", args.bin, build], env={**os.environ, "SUBDD_TEST_BACKEND": args.backend}).returncode)
