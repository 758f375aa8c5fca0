#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the sample meshes in this folder: python3 samples/generate.py. Nothing random; a second run changes nothing."""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def save(name, about, points, faces, tags=(), uvs=(), uv_faces=()):
    """faces hold 0-based vertices; uv_faces, when there, match them corner by corner."""
    with open(os.path.join(HERE, name), "w", encoding="ascii") as f:
        f.write(f"# SPDX-License-Identifier: Apache-2.0\n# {about}\n")
        f.writelines("v " + " ".join(f"{round(x, 6) + 0.0:.6g}" for x in p) + "\n" for p in points)
        f.writelines("vt " + " ".join(f"{round(x, 6):.6g}" for x in t) + "\n" for t in uvs)
        for i, face in enumerate(faces):
            corners = (f"{v + 1}/{uv_faces[i][k] + 1}" if uv_faces else f"{v + 1}" for k, v in enumerate(face))
            f.write("f " + " ".join(corners) + "\n")
        f.writelines(t + "\n" for t in tags)


def crease(vertices, sharpness):
    return [f"t crease 2/1/0 {a} {b} {sharpness}" for a, b in zip(vertices, vertices[1:])]


def cube(name, about, stretch):
    points = [(x * stretch[0], y * stretch[1], z * stretch[2]) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    save(name, about, points, faces)
    return points, faces


def creased_cube():
    points = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    tags = crease([0, 1, 3, 2, 0], 10) + crease([4, 5, 7, 6, 4], 2.5) + ["t corner 1/1/0 6 4"]
    save("creased_cube.obj", "A cube: infinitely sharp below, semi-sharp above, one sharp corner.", points, faces, tags)


def voxels(name, about, solid, scale=1.0):
    """The surface of a set of unit cells, in quads. Cells must not meet in a lone edge or vertex."""
    ids, points, faces = {}, [], []
    sides = (((-1, 0, 0), ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0))), ((1, 0, 0), ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1))),
             ((0, -1, 0), ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1))), ((0, 1, 0), ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0))),
             ((0, 0, -1), ((0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0))), ((0, 0, 1), ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))))
    for x, y, z in sorted(solid):
        for (dx, dy, dz), corners in sides:
            if (x + dx, y + dy, z + dz) in solid:
                continue
            face = []
            for cx, cy, cz in corners:
                key = (x + cx, y + cy, z + cz)
                if key not in ids:
                    ids[key] = len(points)
                    points.append(tuple(scale * k for k in key))
                face.append(ids[key])
            faces.append(tuple(face))
    save(name, about, points, faces)


def lattice():
    """The twelve bars of a cube, twice over: 2 x 2 x 1 cells of them."""
    span = (6, 6, 3)
    solid = {(x, y, z) for x in range(span[0] + 1) for y in range(span[1] + 1) for z in range(span[2] + 1)
             if (x % 3 == 0) + (y % 3 == 0) + (z % 3 == 0) >= 2}
    voxels("lattice.obj", "Pipes along the edges of four boxes: closed, all quads, genus 16.", solid, 0.25)


def knot(around=6, along=72):
    """A tube along a trefoil, its frame carried along by projection and closed by spreading the twist that is left."""
    def centre(t):
        return (math.sin(t) + 2 * math.sin(2 * t), math.cos(t) - 2 * math.cos(2 * t), -math.sin(3 * t))

    def unit(v):
        n = math.sqrt(sum(x * x for x in v))
        return tuple(x / n for x in v)

    def cross(a, b):
        return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    def tangent(t):
        return unit(tuple(b - a for a, b in zip(centre(t - 1e-4), centre(t + 1e-4))))

    ts = [2 * math.pi * i / along for i in range(along)]
    normals = [unit(cross(tangent(0), (0, 0, 1)))]
    for t in ts[1:] + [0]:
        d = tangent(t)
        normals.append(unit(tuple(n - dot(normals[-1], d) * x for n, x in zip(normals[-1], d))))
    last, first = normals.pop(), normals[0]
    twist = math.atan2(dot(cross(last, first), tangent(0)), dot(last, first))
    points, faces = [], []
    for i, t in enumerate(ts):
        side = cross(tangent(t), normals[i])
        for k in range(around):
            a = 2 * math.pi * k / around + twist * i / along
            points.append(tuple(c + 0.45 * (math.cos(a) * n + math.sin(a) * s) for c, n, s in zip(centre(t), normals[i], side)))
    for i in range(along):
        for k in range(around):
            j, m = (i + 1) % along, (k + 1) % around
            faces.append((i * around + k, i * around + m, j * around + m, j * around + k))
    save("knot.obj", "A tube along a trefoil knot: closed, all quads, genus 1.", points, faces)


def gear(teeth=12):
    """Caps are two polygons of 4 * teeth corners each; their rims are semi-sharp."""
    ring = []
    for i in range(teeth):
        for step, radius in ((0.0, 1.0), (0.3, 1.0), (0.42, 1.3), (0.88, 1.3)):
            a = 2 * math.pi * (i + step) / teeth
            ring.append((radius * math.cos(a), radius * math.sin(a)))
    n = len(ring)
    points = [(x, y, z) for z in (-0.2, 0.2) for x, y in ring]
    faces = [tuple(reversed(range(n))), tuple(range(n, 2 * n))]
    faces += [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    tags = crease(list(range(n)) + [0], 3) + crease(list(range(n, 2 * n)) + [n], 3)
    save("gear.obj", "A gear wheel: two caps of 48 corners, semi-sharp rims.", points, faces, tags)


def sail(columns=12, rows=8):
    """An open sheet with a crease along its spine and UVs in two islands, cut at the spine."""
    def at(i, j):
        return j * (columns + 1) + i

    points = []
    for j in range(rows + 1):
        for i in range(columns + 1):
            u, v = i / columns, j / rows
            taper = 1 - 0.6 * v
            points.append(((2 * u - 1) * taper, 2 * v, 0.5 * abs(2 * u - 1) ** 1.5 * taper + 0.15 * math.sin(math.pi * v)))
    half = columns // 2
    uvs, index = [], {}
    for side in (0, 1):
        for j in range(rows + 1):
            for i in range(half + 1):
                index[side, i + side * half, j] = len(uvs)
                uvs.append((0.48 * i / half + 0.52 * side, j / rows))
    faces, uv_faces = [], []
    for j in range(rows):
        for i in range(columns):
            corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            faces.append(tuple(at(*c) for c in corners))
            uv_faces.append(tuple(index[(int(i >= half),) + c] for c in corners))
    tags = ["t interpolateboundary 1/0/0 1", "t facevaryinginterpolateboundary 1/0/0 5"]
    tags += crease([at(half, j) for j in range(rows + 1)], 4)
    save("sail.obj", "An open sheet: a crease along the spine, UVs in two islands.", points, faces, tags, uvs, uv_faces)


cube("cube.obj", "A cube.", (1, 1, 1))
cube("cube_moved.obj", "The same cube, stretched: its v lines are new positions for cube.obj.", (1, 1.5, 0.75))
creased_cube()
lattice()
knot()
gear()
sail()
