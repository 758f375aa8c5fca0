#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client/blender: the add-on, installed from its zip into a Blender without a screen, against the daemon. What happens
there is in inside.py. SUBDD_TEST_FILTER is a glob of cases."""
import functools, os, re, shutil, subprocess, sys, tempfile, zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from files import BIN, check, run_tests

ADDON = "client/blender"
INSIDE = "tests/blender/inside.py"
SHAPES = ("crease_loop_10", "crease_ngons", "mixed_2_0.5_corner", "corner_on_soft_crease", "strip_creases", "crease_across_1.5",
          "crease_dart", "mixed_four", "random_valence", "corner_at_dart", "uv_islands", "uv_seam", "uv_three", "uv_waiting", "uv_triangles_cut", "uv_folded", "single_pentagon", "grid4x3_edge")


def blender(folder, zipped, daemon, case, *more):
    """Runs a case in a Blender of its own."""
    env = {**os.environ, "BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder), "SUBD_SERVER": "http://127.0.0.1:1"}
    env["PATH"] = "/usr/bin:/bin"  # Debian's Blender takes the library of the first python3 there, which may be without numpy.
    ran = subprocess.run([shutil.which("blender"), "-b", "--factory-startup", "--python-exit-code", "7", "-P", INSIDE, "--", zipped, daemon.url, case, *more],
                         env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
    if ran.returncode:
        print(ran.stdout)
    check(ran.returncode == 0, next((line for line in reversed(ran.stdout.split("\n")) if "Wrong" in line), f"exit code {ran.returncode}"))
    check(not daemon.made("ls").strip(), f"{case} left meshes on the daemon")
    return ran.stdout


def test_zips(folder):
    """Both forms have all files; the manifest is what Blender 4.2 takes, which cannot be run here."""
    named = lambda end: set(zipfile.ZipFile(os.path.join(folder, "subdd-blender-0.0.1" + end)).namelist())
    files = {name for name in os.listdir(ADDON) if name.endswith(".py")} - {"make_zips.py"}
    files |= {"LICENSE"} | {"subd/" + name for name in os.listdir("client/python/subd") if name.endswith((".py", ".typed"))}
    check(named("-legacy.zip") == {"subdd/" + name for name in files}, f"the legacy zip has {named('-legacy.zip')}")
    check(named(".zip") == files | {"blender_manifest.toml"}, f"the zip has {named('.zip')}")
    with zipfile.ZipFile(os.path.join(folder, "subdd-blender-0.0.1.zip")) as z:
        text, init = z.read("blender_manifest.toml").decode(), z.read("__init__.py").decode()
    rows = dict(re.findall(r'^(\w+) = (".*"|\[.*\])$', text, re.M))
    want = {"schema_version", "id", "version", "name", "tagline", "maintainer", "type", "blender_version_min", "license", "network"}
    check(want <= rows.keys() and "[permissions]" in text and "SPDX:GPL-3.0-or-later" in rows["license"], f"the manifest has {rows}")
    check(rows["version"] == '"0.0.1"' and '"version": (0, 0, 1)' in init, "the version is another")
    for name in ("tagline", "network"):  # Blender refuses longer ones, and those that end in a full stop.
        check(len(rows[name]) <= 66 and rows[name][-2].isalnum(), f"{name} is too long, or a sentence")


def addon(daemon, folder):
    if not os.path.isdir(ADDON):
        yield "addon", f"there is no {ADDON}"
        return
    subprocess.run([sys.executable, os.path.join(ADDON, "make_zips.py"), folder, "0.0.1"], check=True, stdout=subprocess.DEVNULL)
    zipped = os.path.join(folder, "subdd-blender-0.0.1-legacy.zip")
    yield "zips", functools.partial(test_zips, folder)
    if not shutil.which("blender"):
        yield "addon", "blender is not installed (deploy/install-deps blender)"
        return
    run = lambda *args: blender(folder, zipped, daemon, *args)
    yield "surfaces", lambda: print(run("surfaces", ",".join(SHAPES)))
    own = os.path.abspath(BIN), folder
    for case in ("poses", "edits", "edits_with_uvs", "undo", "restart", "load", "objects", "refused", "options", "render", "two"):
        yield case, functools.partial(run, case, *own)


if __name__ == "__main__":
    run_tests(addon)
