#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make blender: zips the add-on, with the package `subd` in it, in both forms that Blender installs from disk.

  make_zips.py BUILD VERSION     makes BUILD/subdd-blender-VERSION.zip (4.2 and later) and -legacy.zip (3.4 to 4.1)"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "python", "subd")


def contents(version):
    """(name in the zip, bytes) of all files; the version stands in one place, the file VERSION."""
    numbers = "(%s)" % ", ".join(version.split("."))
    mine = sorted(name for name in os.listdir(HERE) if name.endswith(".py") and name != os.path.basename(__file__))
    for name in (*mine, "LICENSE", "blender_manifest.toml"):
        with open(os.path.join(HERE, name), "rb") as f:
            data = f.read()
        yield name, data.replace(b"(0, 1, 0)", numbers.encode()).replace(b"@VERSION@", version.encode())
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".typed")):
            with open(os.path.join(PACKAGE, name), "rb") as f:
                yield "subd/" + name, f.read()


def write(path, folder, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files:
            out.writestr(zipfile.ZipInfo(folder + name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    print(path)


def main():
    build, version = sys.argv[1:]
    files = list(contents(version))
    os.makedirs(build, exist_ok=True)
    stem = os.path.join(build, "subdd-blender-%s" % version)
    write(stem + ".zip", "", files)
    write(stem + "-legacy.zip", "subdd/", [f for f in files if f[0] != "blender_manifest.toml"])


main()
