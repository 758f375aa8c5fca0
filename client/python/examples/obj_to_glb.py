#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns each OBJ of a folder into a GLB of its limit surface, for viewers on the web, in a game engine or in a mail.

    obj_to_glb.py FOLDER OUT_FOLDER [--level 3] [--scheme loop] [--server http://HOST:PORT]

Files that are not newer than their GLB are passed over, so that it can run again and again. A file that is refused is
told, and the others go on; the exit code is then 1. The daemon is found as by subd: --server, $SUBD_SERVER, or this
machine's."""
import argparse
import os
import sys

import subd


def convert(daemon, source, target, args):
    options = {"scheme": args.scheme} if args.scheme else {}
    mesh = daemon.push(source, options=options)
    try:
        plan = daemon.plan(mesh, args.level, surface="limit")
        if not plan.fits:
            return "level %d needs %d bytes of %d: take a lower --level" % (args.level, plan.needed, plan.limit)
        split = mesh.options["scheme"] in ("catmullClark", "loop")
        daemon.refined_file(mesh, target, args.level, surface="limit", split_normals=split)
        print("%s: %d faces, %d vertices, %.1f MB" % (target, plan.faces, plan.vertices, os.path.getsize(target) / 1e6))
        return None
    finally:
        daemon.delete(mesh)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("out_folder")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--scheme")
    parser.add_argument("--server")
    args = parser.parse_args()
    names = sorted(name for name in os.listdir(args.folder) if name.lower().endswith(".obj"))
    os.makedirs(args.out_folder, exist_ok=True)
    bad = 0
    with subd.Client(args.server) as daemon:
        for name in names:
            source = os.path.join(args.folder, name)
            target = os.path.join(args.out_folder, os.path.splitext(name)[0] + ".glb")
            if os.path.exists(target) and os.path.getmtime(target) >= os.path.getmtime(source):
                continue
            try:
                problem = convert(daemon, source, target, args)
            except subd.Refused as refusal:
                problem = "%s (%s)" % (refusal, refusal.code)
            if problem:
                print("%s: %s" % (source, problem), file=sys.stderr)
                bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
