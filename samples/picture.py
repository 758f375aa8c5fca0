#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws samples/surfaces.png, the picture of the README: python3 samples/picture.py [BUILD] [OUT.png].

Starts the daemon of BUILD (build) on a free port, lets `subd` refine five sample meshes to their limit surfaces, and
draws each control mesh above its surface. Creases are orange, the wider the sharper; the lines on a surface are the
edges of the control mesh, refined; squares show texture coordinates. Takes half a minute and needs Python alone: the
rasteriser and the PNG writer are below."""
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
CELL, SAMPLES = 320, 3  # pixels of a drawing's side; samples of a pixel's side
CHECKS = (12.5, 12)  # squares along u and v where a mesh has texture coordinates
BACKGROUND = (0.985, 0.987, 0.992)
INK, CREASE = (0.02, 0.03, 0.05), (0.88, 0.21, 0.01)
# Mesh, level, how far it is turned about z and tipped towards the viewer (degrees), its colour.
SCENES = (("creased_cube", 6, 28, 24, (0.42, 0.63, 0.86)), ("gear", 5, 14, 38, (0.55, 0.60, 0.68)),
          ("lattice", 3, 30, 28, (0.45, 0.70, 0.62)), ("knot", 3, 8, 52, (0.80, 0.52, 0.47)),
          ("sail", 5, 25, 66, (0.93, 0.88, 0.76)))


def unit(v):
    n = math.sqrt(sum(x * x for x in v)) or 1.0
    return tuple(x / n for x in v)


KEY, FILL = unit((-0.45, 0.75, 0.65)), unit((0.9, 0.15, 0.45))  # lights, towards them; x right, y up, z to the viewer
HALF = unit(tuple(a + b for a, b in zip(KEY, (0, 0, 1))))


def read_obj(path):
    """Points, normals, texture coordinates, faces of (v, vt, vn) rows, and creases of (v, v, sharpness)."""
    data = {"v": [], "vn": [], "vt": []}
    faces, creases = [], []
    with open(path, encoding="ascii") as f:
        for words in map(str.split, f):
            if words and words[0] in data:
                data[words[0]].append(tuple(map(float, words[1:])))
            elif words and words[0] == "f":
                faces.append([tuple(int(k) - 1 if k else -1 for k in (w.split("/") + ["", ""])[:3]) for w in words[1:]])
            elif words[:2] == ["t", "crease"]:
                creases.append((int(words[3]), int(words[4]), float(words[5])))
    return data["v"], data["vn"], data["vt"], faces, creases


def control_edges(faces):
    """The edges in the order of the daemon's rows: by their lower vertex, then their higher one (proto/README.md)."""
    return sorted({tuple(sorted((f[k][0], f[k - 1][0]))) for f in faces for k in range(len(f))})


def edge_rows(n_points, faces, level):
    """For each control edge the rows of the refined points along it, from its lower end to its higher one."""
    edges, m = control_edges(faces), 2 ** (level - 1)
    first = n_points + len(faces) + len(edges)
    for e, (a, b) in enumerate(edges):
        half = [list(range(first + (2 * e + h) * (m - 1), first + (2 * e + h + 1) * (m - 1))) for h in (0, 1)]
        yield [a] + half[0] + [n_points + len(faces) + e] + half[1][::-1] + [b]


class Canvas:
    """A square of samples with depths; colours are linear."""

    def __init__(self):
        self.side = CELL * SAMPLES
        self.colour = [BACKGROUND] * (self.side * self.side)
        self.depth = [-1e30] * (self.side * self.side)

    def triangle(self, a, b, c, colours):
        """Corners are (x, y, z) in samples, larger z nearer; colours, one a corner, are blended over it."""
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-12:
            return
        (r0, g0, b0), (r1, g1, b1), (r2, g2, b2) = colours
        side, depth, colour = self.side, self.depth, self.colour
        ys = sorted((a, b, c), key=lambda p: p[1])
        for y in range(max(0, math.ceil(ys[0][1] - 0.5)), min(side, math.ceil(ys[2][1] - 0.5))):
            at, xs = y + 0.5, []
            for p, q in ((ys[0], ys[1]), (ys[1], ys[2]), (ys[0], ys[2])):
                if p[1] <= at < q[1]:
                    xs.append(p[0] + (q[0] - p[0]) * (at - p[1]) / (q[1] - p[1]))
            if len(xs) < 2:
                continue
            for x in range(max(0, math.ceil(min(xs) - 0.5)), min(side, math.ceil(max(xs) - 0.5))):
                w1 = ((x + 0.5 - a[0]) * (c[1] - a[1]) - (at - a[1]) * (c[0] - a[0])) / area
                w2 = ((b[0] - a[0]) * (at - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0])) / area
                w0 = 1 - w1 - w2
                z, row = w0 * a[2] + w1 * b[2] + w2 * c[2], y * side + x
                if z > depth[row]:
                    depth[row] = z
                    colour[row] = (w0 * r0 + w1 * r1 + w2 * r2, w0 * g0 + w1 * g1 + w2 * g2,
                                   w0 * b0 + w1 * b1 + w2 * b2)

    def line(self, p, q, width, ink, strength):
        """A line of `width` samples, where nothing lies more than a little before it; strength 1 is opaque."""
        steps, reach = max(1, math.ceil(1.5 * math.dist(p[:2], q[:2]))), width / 2
        done = set()
        for i in range(steps + 1):
            x, y, z = (s + (e - s) * i / steps for s, e in zip(p, q))
            for yy in range(max(0, round(y - reach)), min(self.side, round(y + reach) + 1)):
                for xx in range(max(0, round(x - reach)), min(self.side, round(x + reach) + 1)):
                    row = yy * self.side + xx
                    near = (xx - x) ** 2 + (yy - y) ** 2 <= reach * reach + 0.3
                    seen = z + 0.012 * self.side >= self.depth[row]
                    if near and seen and row not in done:
                        done.add(row)
                        self.colour[row] = tuple(c + strength * (k - c) for c, k in zip(self.colour[row], ink))

    def pixels(self):
        """Rows of CELL * 3 bytes, sRGB."""
        n = SAMPLES * SAMPLES
        for y in range(CELL):
            row = bytearray()
            for x in range(CELL):
                firsts = [(y * SAMPLES + j) * self.side + x * SAMPLES for j in range(SAMPLES)]
                block = [c for first in firsts for c in self.colour[first:first + SAMPLES]]
                for k in range(3):
                    mean = min(1.0, max(0.0, sum(c[k] for c in block) / n))
                    row.append(round(255 * (12.92 * mean if mean <= 0.0031308 else 1.055 * mean ** (1 / 2.4) - 0.055)))
            yield bytes(row)


def lit(normal, base):
    """Two lights, a brighter sky than ground, and a highlight; both sides of a surface are lit."""
    if normal[2] < 0:
        normal = tuple(-x for x in normal)
    key, fill = (max(0.0, sum(a * b for a, b in zip(normal, light))) for light in (KEY, FILL))
    shine = 0.28 * max(0.0, sum(a * b for a, b in zip(normal, HALF))) ** 40
    light = 0.20 + 0.10 * (normal[1] + 1) + 0.72 * key + 0.16 * fill
    return tuple(min(1.0, light * c ** 1.8 + shine) for c in base)


class Camera:
    """Turns a mesh about z, tips it towards the viewer, and fits the points it was made from into a cell."""

    def __init__(self, points, turn, tip):
        t, p = math.radians(turn), math.radians(tip)
        self.rows = ((math.cos(t), math.sin(t), 0),
                     (-math.sin(t) * math.sin(p), math.cos(t) * math.sin(p), math.cos(p)),
                     (math.sin(t) * math.cos(p), -math.cos(t) * math.cos(p), math.sin(p)))
        seen = [self.turned(q) for q in points]
        low, high = ([f(s[k] for s in seen) for k in range(3)] for f in (min, max))
        self.middle = [(a + b) / 2 for a, b in zip(low, high)]
        self.scale = 0.88 * CELL * SAMPLES / max(high[0] - low[0], high[1] - low[1])

    def turned(self, q):
        return tuple(sum(a * b for a, b in zip(row, q)) for row in self.rows)

    def place(self, q):
        s, middle = self.turned(q), CELL * SAMPLES / 2
        return (middle + self.scale * (s[0] - self.middle[0]), middle - self.scale * (s[1] - self.middle[1]),
                self.scale * (s[2] - self.middle[2]))


def draw_cage(points, faces, creases, camera, colour):
    canvas, at = Canvas(), [camera.place(p) for p in points]
    for face in faces:
        ring = [points[c[0]] for c in face]
        normal = [0.0, 0.0, 0.0]
        for p, q in zip(ring, ring[1:] + ring[:1]):
            normal = [normal[k - 2] + p[k - 1] * q[k] - p[k] * q[k - 1] for k in (2, 0, 1)]
        shade = [lit(camera.turned(unit(normal)), colour)] * 3
        middle = camera.place(tuple(sum(x) / len(ring) for x in zip(*ring)))
        for a, b in zip(face, face[1:] + face[:1]):
            canvas.triangle(middle, at[a[0]], at[b[0]], shade)
    sharp = {tuple(sorted(c[:2])): c[2] for c in creases}
    for edge in sorted(control_edges(faces), key=lambda e: e in sharp):
        s = sharp.get(edge, 0)
        width, ink, strength = (3 + 0.9 * min(s, 10), CREASE, 1.0) if s else (2.5, INK, 0.8)
        canvas.line(at[edge[0]], at[edge[1]], width, ink, strength)
    return canvas


def draw_surface(surface, cage, level, camera, colour):
    points, normals, uvs, faces, _ = surface
    canvas, at = Canvas(), [camera.place(p) for p in points]
    shades = [lit(camera.turned(n), colour) for n in normals]
    for face in faces:
        corners = [shades[c[2]] for c in face]
        if uvs and sum(math.floor(n * sum(uvs[c[1]][k] for c in face) / 4) for k, n in enumerate(CHECKS)) % 2:
            corners = [tuple(x * y for x, y in zip(s, (0.12, 0.22, 0.45))) for s in corners]
        a, b, c, d = (at[k[0]] for k in face)
        canvas.triangle(a, b, c, corners[:3])
        canvas.triangle(a, c, d, [corners[0], corners[2], corners[3]])
    for rows in [] if uvs else edge_rows(len(cage[0]), cage[3], level):
        for p, q in zip(rows, rows[1:]):
            canvas.line(at[p], at[q], 1.5, INK, 0.3)
    return canvas


def write_png(path, width, rows):
    """Each row filtered by whichever of PNG's filters leaves the smallest numbers."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    above, packed = bytes(3 * width), bytearray()
    for row in rows:
        left, corner = bytes(3) + row[:-3], bytes(3) + above[:-3]
        paeth = [min((a, b, c), key=lambda x, p=a + b - c: abs(p - x)) for a, b, c in zip(left, above, corner)]
        guesses = (bytes(3 * width), left, above, [(a + b) // 2 for a, b in zip(left, above)], paeth)
        tries = [bytes((x - p) & 255 for x, p in zip(row, guess)) for guess in guesses]
        best = min(range(5), key=lambda k: sum(min(x, 256 - x) for x in tries[k]))
        packed += bytes([best]) + tries[best]
        above = row
    with open(path, "wb") as f:
        head = struct.pack(">IIBBBBB", width, len(packed) // (3 * width + 1), 8, 2, 0, 0, 0)
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(packed), 9)) +
                chunk(b"IEND", b""))


def refined(build, folder):
    """The limit surfaces of all scenes, by a daemon of our own."""
    command = [f"{build}/bin/subdd", "--listen", "127.0.0.1:0", "--data-dir", f"{folder}/data",
               "--log-file", f"{folder}/log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        try:
            server = next(w for w in daemon.stdout.readline().split() if w.startswith("http://"))
            for name, level, *_ in SCENES:
                out = f"{folder}/{name}.obj"
                subprocess.run([f"{build}/bin/subd", "refine", f"{HERE}/{name}.obj", "--server", server, "--normals",
                                "--surface", "limit", "--level", str(level), "-o", out], check=True)
                yield read_obj(out)
        finally:
            daemon.terminate()


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    out = sys.argv[2] if len(sys.argv) > 2 else f"{HERE}/surfaces.png"
    above, below = [], []
    with tempfile.TemporaryDirectory() as folder:
        for (name, level, turn, tip, colour), surface in zip(SCENES, refined(build, folder)):
            cage = read_obj(f"{HERE}/{name}.obj")
            camera = Camera(cage[0], turn, tip)
            above.append(list(draw_cage(cage[0], cage[3], cage[4], camera, colour).pixels()))
            below.append(list(draw_surface(surface, cage, level, camera, colour).pixels()))
    write_png(out, CELL * len(SCENES), (b"".join(cells) for line in (above, below) for cells in zip(*line)))


if __name__ == "__main__":
    main()
