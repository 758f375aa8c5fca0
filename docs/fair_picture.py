#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/fair.png, the picture of conformal flow: python3 docs/fair_picture.py [BUILD] [OUT.png].

Starts the daemon of BUILD (build) on a free port and pushes a lumpy torus. It is drawn with checks, one for 5 x 5
faces, as it is and after `subd fair`. The rasteriser is that of samples/picture.py."""
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "samples"))
import picture  # noqa: E402

AROUND, ACROSS, CHECK = 100, 40, 5
STEPS, TAU = 4, 0.2
COLOUR, TURN, TIP = (0.93, 0.88, 0.76), 25, 48


def torus():
    points, faces = [], []
    for i in range(AROUND):
        for j in range(ACROSS):
            a, b = 2 * math.pi * i / AROUND, 2 * math.pi * j / ACROSS
            r = 1 + 0.22 * math.sin(5 * a + 2 * b) * math.cos(3 * b - a) + 0.12 * math.cos(8 * a) * math.sin(2 * b)
            points.append(((3 + r * math.cos(b)) * math.cos(a), (3 + r * math.cos(b)) * math.sin(a), r * math.sin(b)))
            right, up = (i + 1) % AROUND * ACROSS, (j + 1) % ACROSS
            faces.append((i * ACROSS + j, right + j, right + up, i * ACROSS + up))
    return points, faces


def draw(points, faces, camera):
    normals = [(0.0, 0.0, 0.0)] * len(points)
    for f in faces:
        p, q = ([points[f[k + 2]][x] - points[f[k]][x] for x in range(3)] for k in (0, 1))
        n = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        for v in f:
            normals[v] = tuple(a + b for a, b in zip(normals[v], n))
    canvas, at = picture.Canvas(), [camera.place(p) for p in points]
    shades = [picture.lit(camera.turned(picture.unit(n)), COLOUR) for n in normals]
    for i, f in enumerate(faces):
        corners = [shades[v] for v in f]
        if (i // ACROSS // CHECK + i % ACROSS // CHECK) % 2:
            corners = [tuple(x * y for x, y in zip(s, (0.12, 0.22, 0.45))) for s in corners]
        a, b, c, d = (at[v] for v in f)
        canvas.triangle(a, b, c, corners[:3])
        canvas.triangle(a, c, d, [corners[0], corners[2], corners[3]])
    return list(canvas.pixels())


def surfaces(build, folder, points, faces):
    """The points of the torus, and those after the flow, by a daemon of our own."""
    with open(f"{folder}/torus.obj", "w", encoding="ascii") as f:
        f.writelines("v %.7g %.7g %.7g\n" % p for p in points)
        f.writelines("f " + " ".join(str(v + 1) for v in face) + "\n" for face in faces)
    command = [f"{build}/bin/subdd", "--listen", "127.0.0.1:0", "--data-dir", f"{folder}/data",
               "--log-file", f"{folder}/log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        try:
            server = next(w for w in daemon.stdout.readline().split() if w.startswith("http://"))

            def subd(*words):
                return subprocess.run([f"{build}/bin/subd", *words, "--server", server], check=True,
                                      stdout=subprocess.PIPE, text=True).stdout.strip()

            mesh = subd("push", f"{folder}/torus.obj")
            subd("fair", mesh, "--steps", str(STEPS), "--tau", str(TAU))
            subd("pull", mesh, "-o", f"{folder}/fair.obj")
        finally:
            daemon.terminate()
    return points, picture.read_obj(f"{folder}/fair.obj")[0]


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    out = sys.argv[2] if len(sys.argv) > 2 else f"{HERE}/fair.png"
    points, faces = torus()
    with tempfile.TemporaryDirectory() as folder:
        cells = [draw(p, faces, picture.Camera(p, TURN, TIP)) for p in surfaces(build, folder, points, faces)]
    picture.write_png(out, picture.CELL * len(cells), (b"".join(row) for row in zip(*cells)))


if __name__ == "__main__":
    main()
