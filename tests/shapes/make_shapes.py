#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_shapes.py: writes the nasty shapes, one a file, next to itself (or into the folder given).

Deterministic: the same bytes on every machine and Python 3. Tags are OpenSubdiv's: `t crease 2/1/0 v0 v1 s` with ids
from 0, `t interpolateboundary 1/0/0 n` with 0 none, 1 edge and corner, 2 edge only. `t facevaryinginterpolateboundary 1/0/0 n` with
0 none, 1 corners, 2 plus1, 3 plus2, 4 boundaries, 5 all. nonmanifold/ holds meshes that are not manifold; refused/ what must be
refused; its first line says how: `# expect: <error code> <substring of the message>`.
"""
import math
import os
import sys

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
INF = 10
SHARP = {"0.3": 0.3, "1": 1, "1.5": 1.5, "2.7": 2.7, "4": 4, "9.5": 9.5, "10": INF}


class Mesh:
    def __init__(self, v=(), f=()):
        self.v, self.f, self.tags, self.vt, self.ft = [tuple(p) for p in v], [list(c) for c in f], [], [], []

    def crease(self, s, *pairs):
        for a, b in pairs:
            self.tags.append("crease 2/1/0 %d %d %s" % (a, b, num(s)))
        return self

    def chain(self, s, *ids):
        return self.crease(s, *zip(ids, ids[1:]))

    def corner(self, s, *ids):
        for a in ids:
            self.tags.append("corner 1/1/0 %d %s" % (a, num(s)))
        return self

    def hole(self, *ids):
        for a in ids:
            self.tags.append("hole 1/0/0 %d" % a)
        return self

    def boundary(self, n):
        self.tags.append("interpolateboundary 1/0/0 %d" % n)
        return self

    def tag(self, text):
        self.tags.append(text)
        return self

    def smooth_triangles(self):
        return self.tag("smoothtriangles 0/0/1 smooth")

    def add(self, other):
        n = len(self.v)
        self.v += other.v
        self.f += [[c + n for c in f] for f in other.f]
        return self

    def jitter(self, seed=1, size=0.2):
        """Moves every vertex by its own amount, so that no symmetry can hide a wrong index."""
        r = Lcg(seed)
        self.v = [tuple(c + size * (r.next() - 0.5) for c in p) for p in self.v]
        return self

    def move(self, x, y, z):
        self.v = [(p[0] + x, p[1] + y, p[2] + z) for p in self.v]
        return self

    def edges(self):
        count = {}
        for f in self.f:
            for a, b in zip(f, f[1:] + f[:1]):
                key = (min(a, b), max(a, b))
                count[key] = count.get(key, 0) + 1
        return count

    def uv_islands(self):
        """Every face its own island: no value is shared."""
        for i, f in enumerate(self.f):
            n, x, y = len(f), i % 8, i // 8
            ids = []
            for k in range(n):
                a = 2 * math.pi * k / n + 0.1 * i
                ids.append(len(self.vt))
                self.vt.append(((x + 0.5 + 0.4 * math.cos(a)) / 8, (y + 0.5 + 0.4 * math.sin(a)) / 8))
            self.ft.append(ids)
        return self.tag("facevaryinginterpolateboundary 1/0/0 5")

    def uv_cut(self, *cuts, seed=1, mode=2):
        """UV values that differ across the edges `cuts`, as far as the faces around a vertex are not joined by others."""
        parent, across, r, blocked = {}, {}, Lcg(seed), {tuple(sorted(c)) for c in cuts}

        def root(k):
            while parent.setdefault(k, k) != k:
                k = parent[k]
            return k

        for i, f in enumerate(self.f):
            for k in range(len(f)):
                a, b = (i, k), (i, (k + 1) % len(f))
                key = tuple(sorted((f[k], f[b[1]])))
                for x in (a, b) if key in across and key not in blocked else ():
                    for y in across[key]:
                        if self.f[y[0]][y[1]] == f[x[1]]:
                            parent[root(x)] = root(y)
                across.setdefault(key, (a, b))
        ids = {}
        for i, f in enumerate(self.f):
            row = []
            for k, v in enumerate(f):
                key = root((i, k))
                if key not in ids:
                    ids[key] = len(self.vt)
                    self.vt.append((self.v[v][0] / 7 + 0.1 * r.next(), self.v[v][1] / 7 + self.v[v][2] / 11 + 0.1 * r.next()))
                row.append(ids[key])
            self.ft.append(row)
        return self.tag("facevaryinginterpolateboundary 1/0/0 %d" % mode)

    def uv_regions(self, region, seed=1, mode=2):
        """UV values that differ between faces of different region(i)."""
        sides = {}
        for i, f in enumerate(self.f):
            for a, b in zip(f, f[1:] + f[:1]):
                sides.setdefault(tuple(sorted((a, b))), set()).add(region(i))
        return self.uv_cut(*[e for e in sorted(sides) if len(sides[e]) > 1], seed=seed, mode=mode)


class Lcg:
    def __init__(self, seed):
        self.s = (seed * 2654435761 + 12345) % (1 << 32)
        self.next()

    def next(self):
        self.s = (self.s * 1664525 + 1013904223) % (1 << 32)
        return (self.s >> 8) / float(1 << 24)

    def below(self, n):
        return int(self.next() * n)


def num(x):
    s = "%.6f" % x
    s = s.rstrip("0").rstrip(".")
    return "0" if s == "-0" else s


seen = set()


def write(name, mesh, about, folder=""):
    assert name not in seen, name
    seen.add(name)
    lines = ["# " + about]
    lines += ["v " + " ".join(c if isinstance(c, str) else num(c) for c in p) for p in mesh.v]
    lines += ["vt %s %s" % (num(u), num(v)) for u, v in mesh.vt]
    for i, f in enumerate(mesh.f):
        if mesh.ft:
            lines.append("f " + " ".join("%d/%d" % (a + 1, b + 1) for a, b in zip(f, mesh.ft[i])))
        else:
            lines.append("f " + " ".join(str(a + 1) for a in f))
    lines += ["t " + t for t in mesh.tags]
    with open(os.path.join(OUT, folder, name + ".obj"), "w", newline="\n") as out:
        out.write("\n".join(lines) + "\n")


# ---- makers -------------------------------------------------------------------------------------------------
def cube():
    v = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    return Mesh(v, [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]])


def box():
    return cube().jitter(7, 0.6)


def voxels(cells, seed=3):
    """The outer quads of a set of unit cells; cells must not touch at edges or corners only."""
    cells, ids, m = set(cells), {}, Mesh()
    sides = [((1, 0, 0), [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)]), ((-1, 0, 0), [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)]),
             ((0, 1, 0), [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)]), ((0, -1, 0), [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]),
             ((0, 0, 1), [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]), ((0, 0, -1), [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)])]
    for c in sorted(cells):
        for d, quad in sides:
            if tuple(a + b for a, b in zip(c, d)) in cells:
                continue
            f = []
            for q in quad:
                p = tuple(a + b for a, b in zip(c, q))
                if p not in ids:
                    ids[p] = len(m.v)
                    m.v.append(p)
                f.append(ids[p])
            m.f.append(f)
    return m.jitter(seed, 0.25), ids


def slab(holes):
    """A slab with that many square tunnels: genus `holes`."""
    w = 2 * holes + 1
    return voxels([(x, y, 0) for x in range(w) for y in range(3) if not (y == 1 and x % 2 == 1)])[0]


def mixed(m):
    """Every third quad becomes two triangles; every seventh gets its next neighbour and becomes a hexagon."""
    out, gone = [], set()
    of_edge = {}
    for i, f in enumerate(m.f):
        for k in range(len(f)):
            of_edge[(f[k], f[(k + 1) % len(f)])] = (i, k)
    for i, f in enumerate(m.f):
        if i in gone:
            continue
        if i % 3 == 1:
            out += [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]
            continue
        j, k = of_edge.get((f[1], f[0]), (-1, 0))
        if i % 7 == 0 and j > i and j not in gone and len(set(f) & set(m.f[j])) == 2:
            g = m.f[j]  # g[k] = f[1], g[k+1] = f[0]
            gone.add(j)
            out.append([f[1], f[2], f[3], f[0], g[(k + 2) % 4], g[(k + 3) % 4]])
            continue
        out.append(f)
    m.f = out
    return m


def grid(nx, ny, seed=5, skip=()):
    v = [(x, y, 0.3 * math.sin(x * 1.7 + y)) for y in range(ny + 1) for x in range(nx + 1)]
    at = lambda x, y: y * (nx + 1) + x
    f = [[at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]
         for y in range(ny) for x in range(nx) if (x, y) not in skip]
    return compact(Mesh(v, f)).jitter(seed)


def compact(m):
    used = sorted(set(c for f in m.f for c in f))
    ids = {a: i for i, a in enumerate(used)}
    m.v, m.f = [m.v[a] for a in used], [[ids[c] for c in f] for f in m.f]
    return m


def ngon(n):
    return Mesh([(math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n), 0.1 * (k % 3)) for k in range(n)],
                [range(n)])


def ring(n, rows=1):
    """An annulus, n quads round and `rows` out."""
    v = [((1 + r) * math.cos(2 * math.pi * k / n), (1 + r) * math.sin(2 * math.pi * k / n), 0.2 * (k % 2))
         for r in range(rows + 1) for k in range(n)]
    return Mesh(v, [[r * n + k, (r + 1) * n + k, (r + 1) * n + (k + 1) % n, r * n + (k + 1) % n]
                    for r in range(rows) for k in range(n)]).jitter(11, 0.1)


def prism(n):
    v = [(math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n), z) for z in (-1, 1) for k in range(n)]
    return Mesh(v, [list(range(n))[::-1], [n + k for k in range(n)]] +
                [[k, (k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)]).jitter(13, 0.1)


def bipyramid(n, size=0.05):
    v = [(math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n), 0) for k in range(n)] + [(0, 0, 1), (0, 0, -1)]
    return Mesh(v, [[k, (k + 1) % n, n] for k in range(n)] + [[(k + 1) % n, k, n + 1] for k in range(n)]).jitter(17, size)


def fan(n, corners, closed):
    """n faces round vertex 0, triangles or quads; an open fan leaves a wedge out."""
    span, m = 2 * math.pi * (1.0 if closed else 0.8), Mesh([(0, 0, 0.5)], [])
    spokes = n if closed else n + 1
    for k in range(spokes):
        a = span * k / n
        m.v.append((math.cos(a), math.sin(a), 0.1 * (k % 2)))
    if corners == 4:
        for k in range(n):
            a = span * (k + 0.5) / n
            m.v.append((1.5 * math.cos(a), 1.5 * math.sin(a), -0.2))
    for k in range(n):
        a, b = 1 + k, 1 + (k + 1) % spokes
        m.f.append([0, a, b] if corners == 3 else [0, a, 1 + spokes + k, b])
    return m


def torus(nx, ny, seed=19):
    v = []
    for j in range(ny):
        for i in range(nx):
            a, b = 2 * math.pi * i / nx, 2 * math.pi * j / ny
            v.append(((3 + math.cos(b)) * math.cos(a), (3 + math.cos(b)) * math.sin(a), math.sin(b)))
    return Mesh(v, [[j * nx + i, j * nx + (i + 1) % nx, (j + 1) % ny * nx + (i + 1) % nx, (j + 1) % ny * nx + i]
                    for j in range(ny) for i in range(nx)]).jitter(seed)


def icosahedron():
    g = (1 + math.sqrt(5)) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
         (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    f = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
         [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]]
    return Mesh(v, f)


def dual(m):
    """The dual of a closed mesh: a face round every vertex (icosahedron -> twelve pentagons)."""
    nxt = {}
    for i, f in enumerate(m.f):
        for k in range(len(f)):
            nxt[(f[k], i)] = (f[k], f[(k + 1) % len(f)])
    of_edge = {(f[k], f[(k + 1) % len(f)]): i for i, f in enumerate(m.f) for k in range(len(f))}
    v = [tuple(sum(m.v[c][d] for c in f) / len(f) for d in range(3)) for f in m.f]
    faces = []
    for a in range(len(m.v)):
        first = next(i for i, f in enumerate(m.f) if a in f)
        walk, i = [], first
        while True:
            walk.append(i)
            i = of_edge[(lambda e: (e[1], e[0]))(nxt[(a, i)])]
            if i == first:
                break
        faces.append(walk[::-1])
    return Mesh(v, faces)


def tetrahedron():
    return Mesh([(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def cube3():
    """A cube of 3 x 3 quads a side (54 quads, 56 vertices) and its lattice: (x, y, z) -> id."""
    return voxels([(x, y, z) for x in range(3) for y in range(3) for z in range(3)], 23)


def random_creases(m, seed, share=0.5, values=(0.2, 0.3, 0.5, 1, 1.2, 1.5, 2, 2.7, 3, 4.4, 9.5, 10, 12)):
    r = Lcg(seed)
    for a, b in sorted(m.edges()):
        if r.next() < share:
            m.crease(values[r.below(len(values))], (a, b))
    return m


def random_corners(m, seed, share=0.2):
    r = Lcg(seed)
    for a in range(len(m.v)):
        if r.next() < share:
            m.corner((0.4, 1, 1.7, 3, 10)[r.below(5)], a)
    return m


# ---- the shapes ---------------------------------------------------------------------------------------------
def closed_shapes():
    write("cube", cube(), "the cube")
    write("box", box(), "a skewed cube: no symmetry hides a wrong index")
    write("cube54", cube3()[0], "a cube of 3 x 3 quads a side")
    write("tetrahedron", tetrahedron(), "four triangles")
    write("octahedron", bipyramid(4, 0.3), "eight triangles")
    write("icosahedron", icosahedron().jitter(29), "twenty triangles, all valences 5")
    write("dodecahedron", dual(icosahedron()).jitter(31, 0.1), "twelve pentagons, all valences 3")
    write("prism5", prism(5), "two pentagons, five quads")
    write("prism7", prism(7), "two 7-gons, seven quads")
    write("prism40", prism(40), "two 40-gons, forty quads")
    write("valence5", bipyramid(5), "closed fans of five triangles")
    write("valence60", bipyramid(60), "two vertices of valence 60")
    write("valence1000", bipyramid(1000, 0.001), "two vertices of valence 1,000")
    write("valence2", Mesh([(0, 0, 0), (1, 0, 0.2), (1.2, 1, 0), (0, 1.1, 0.3)], [[0, 1, 2, 3], [3, 2, 1, 0]]),
          "a pillow: two quads back to back, every valence is 2")
    write("pillow_triangle", Mesh([(0, 0, 0), (1, 0, 0.2), (0.2, 1, 0)], [[0, 1, 2], [2, 1, 0]]),
          "two triangles back to back")
    write("pillow_pentagon", Mesh(ngon(5).v, [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]), "two pentagons back to back")
    m = grid(2, 1)
    m.f = [[0, 1, 4, 3], [1, 2, 5, 4]]
    inner = len(m.v)
    m.v.append((1.5, 0.5, 0.7))
    m.f = [[0, 1, 4, 3], [1, 2, 5, inner], [5, 4, 1, inner]]
    write("valence2_inside", m, "an interior vertex of valence 2 in an open mesh")
    write("genus1", torus(4, 3), "a torus of 4 x 3 quads")
    write("genus1_min", torus(3, 3), "a torus of 3 x 3 quads: the one-rings wrap")
    write("genus1_mixed", mixed(torus(7, 5)), "a torus of triangles, quads and hexagons")
    write("genus2", slab(2), "a slab with two tunnels")
    write("genus2_mixed", mixed(slab(2)), "a slab with two tunnels, of triangles, quads and hexagons")
    write("genus3", slab(3), "a slab with three tunnels")
    write("genus3_mixed", mixed(slab(3)), "a slab with three tunnels, of triangles, quads and hexagons")
    tri = torus(5, 4)
    tri.f = [t for f in tri.f for t in ([f[0], f[1], f[2]], [f[0], f[2], f[3]])]
    write("genus1_triangles", tri, "a torus of triangles, all valences 6")
    m = cube3()[0]
    r = Lcg(37)
    m.f = [f[k:] + f[:k] for f in m.f for k in [r.below(4)]]
    write("rotated_starts", m, "every face starts at another corner")
    m = mixed(cube3()[0])
    order = sorted(range(len(m.v)), key=lambda i: (i * 7919) % 56)
    to = {a: i for i, a in enumerate(order)}
    m.v, m.f = [m.v[a] for a in order], [[to[c] for c in f] for f in m.f][::-1]
    write("shuffled_ids", m, "vertex and face ids without any locality")
    m = cube3()[0]
    m.v = [(-x, y, z) for x, y, z in m.v]
    write("left_handed", m, "a mirrored copy: every face is wound the other way")
    write("far_away", cube3()[0].move(20, -40, 10), "away from the origin: float cancellation must stay small")
    m = box()
    m.v = [tuple(1e-4 * c for c in p) for p in m.v]
    write("tiny", m, "very small numbers")


def component_shapes():
    m = Mesh()
    for i in range(24):
        part = [tetrahedron, box, lambda: ngon(3), lambda: grid(2, 1), lambda: fan(5, 3, True), lambda: prism(5)][i % 6]()
        m.add(part.move(4 * (i % 6), 4 * (i // 6), i % 3))
    write("components", m, "twenty-four components, open and closed")
    m = Mesh([(9, 9, 9)]).add(box())
    m.v += [(8, 8, 8)]
    m.add(ngon(4).move(4, 0, 0))
    m.v += [(7, 7, 7), (6, 5, 4)]
    write("isolated", m, "isolated vertices first, between and last")
    write("isolated_corner", Mesh(m.v, m.f).corner(1.5, 0).corner(10, len(m.v) - 1), "isolated vertices that are sharp")
    two = box().add(box().move(0.9, 0, 0))
    write("coincident", two.chain(2.7, 0, 1, 3, 2, 0), "two components that cross each other in space")
    one = Mesh([(0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 1, 1)], [[0, 1, 3, 2]])
    write("collapsed", one, "three corners at one place: positions may collapse, topology may not")


def open_shapes():
    for name, n in (("triangle", 3), ("quad", 4), ("pentagon", 5), ("ngon7", 7), ("ngon40", 40)):
        for b in (1, 2):
            write("single_%s%s" % (name, "" if b == 1 else "_edge"), ngon(n).boundary(b), "one face, boundary rule %d" % b)
    for nx, ny in ((1, 2), (1, 7), (2, 2), (4, 3)):
        for b in (1, 2):
            write("grid%dx%d%s" % (nx, ny, "" if b == 1 else "_edge"), grid(nx, ny).boundary(b), "an open grid, boundary rule %d" % b)
    write("grid_default", grid(3, 2), "an open grid whose file does not say the boundary rule: USD's edgeAndCorner holds")
    holes = {(1, 1), (4, 1), (4, 2), (2, 3)}
    for b in (1, 2):
        e = "" if b == 1 else "_edge"
        write("grid_holed%s" % e, grid(7, 5, skip=holes).boundary(b), "an open grid with three gaps: four boundaries")
        write("ring%s" % e, ring(8).boundary(b), "an annulus one quad wide: two boundaries")
        write("ring_wide%s" % e, ring(5, 3).boundary(b), "an annulus three quads wide")
        write("ring3%s" % e, ring(3).boundary(b), "the smallest annulus")
        write("fan_open3%s" % e, fan(6, 3, False).boundary(b), "an open fan of triangles")
        write("fan_open4%s" % e, fan(5, 4, False).boundary(b), "an open fan of quads")
        write("fan_closed3%s" % e, fan(7, 3, True).boundary(b), "a closed fan of triangles")
        write("fan_closed4%s" % e, fan(3, 4, True).boundary(b), "a closed fan of quads: valence 3")
        write("mixed_open%s" % e, mixed(grid(6, 5)).boundary(b), "an open mesh of triangles, quads and hexagons")
    write("fan_open60", fan(60, 3, False), "an open fan: a boundary vertex of 60 faces")
    write("fan_closed60", fan(60, 4, True), "a closed fan: an inner vertex of 60 quads")
    m = cube3()[0]
    m.f = m.f[:20] + m.f[21:40] + m.f[41:]
    write("cube54_open", m, "a closed mesh with two faces taken out")
    write("two_in_corner", Mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0.2), (0, 1, 0), (2, 0.4, 0)],
                                [[0, 1, 2, 3], [1, 4, 2]]), "a quad and a triangle along one edge")
    m = Mesh([(0, 0, 0), (2, 0, 0.1), (2, 2, 0), (0, 2, 0.3), (1, 1, 0.5)], [[0, 1, 4], [1, 2, 3, 4], [3, 0, 4]])
    write("inner_valence3", m.jitter(41, 0.05), "an inner vertex of valence 3 with a boundary all round")


def boundary_none_shapes():
    write("none_closed", box().boundary(0), "boundary rule none on a closed mesh changes nothing")
    write("none_grid", grid(5, 4).boundary(0), "boundary rule none: the outer faces vanish")
    write("none_sharp", grid(5, 4).boundary(0).chain(10, 0, 1, 2, 3, 4, 5), "rule none with a side that was made sharp")
    write("none_soft", grid(5, 4).boundary(0).chain(4, 0, 1, 2, 3, 4, 5), "rule none with a side that is not sharp enough")
    write("none_all_sharp", none_all_sharp(), "rule none with every boundary edge sharp: nothing vanishes")
    write("none_mixed", mixed(grid(6, 6)).boundary(0), "rule none on triangles, quads and hexagons")


def none_all_sharp():
    m = grid(3, 3).boundary(0)
    return m.crease(10, *[e for e, n in sorted(m.edges().items()) if n == 1])


def crease_shapes():
    for name, s in SHARP.items():
        write("crease_edge_" + name, box().chain(s, 1, 3), "one edge of sharpness " + name)
        write("crease_loop_" + name, box().chain(s, 4, 5, 7, 6, 4), "a closed loop of sharpness " + name)
        write("crease_all_" + name, all_sharp(box(), s), "all edges of sharpness " + name)
        write("corner_" + name, box().corner(s, 3), "one corner of sharpness " + name)
    m, at = cube3()
    top = lambda x, y: at[(x, y, 3)]
    write("crease_dart", cube3()[0].chain(10, top(0, 1), top(1, 1)), "an infinite crease that starts at one edge and ends in a dart")
    write("crease_dart_soft", cube3()[0].chain(1.5, top(1, 1), top(2, 1)), "a semi-sharp edge with darts at both ends")
    write("crease_ends_varying", cube3()[0].chain(10, top(0, 1), top(1, 1)).chain(4, top(1, 1), top(2, 1)).chain(0.3, top(2, 1), top(3, 1)),
          "a chain whose sharpness falls from edge to edge")
    write("crease_chains_cross", cube3()[0].chain(2.7, *[top(x, 1) for x in range(4)]).chain(10, *[top(1, y) for y in range(4)]),
          "two chains that cross: four sharp edges at a vertex")
    write("crease_chains_meet3", cube3()[0].chain(2.7, top(0, 1), top(1, 1)).chain(10, top(1, 0), top(1, 1)).chain(1.5, top(2, 1), top(1, 1)),
          "three chains that meet at a regular vertex")
    write("crease_chains_meet_corner", box().chain(1.5, 0, 1).chain(2.7, 0, 2).chain(4, 0, 4), "three chains that meet at a cube's corner")
    for name, values in (("10_10_0.5", (10, 10, 0.5)), ("2_0.5", (2, 0.5)), ("3_0.2_0.2", (3, 0.2, 0.2)), ("10_0.5", (10, 0.5)),
                         ("1_1_0.25", (1, 1, 0.25)), ("10_2_1.5", (10, 2, 1.5))):
        for where, a, ends in (("regular", top(1, 1), (top(0, 1), top(2, 1), top(1, 2))), ("corner", top(0, 0), (top(1, 0), top(0, 1), at[(0, 0, 2)]))):
            m = cube3()[0]
            for b, s in zip(ends, values):
                m.crease(s, (a, b))
            write("mixed_%s_%s" % (name, where), m, "{%s} at a %s vertex" % (", ".join(map(num, values)), where))
    write("mixed_four", cube3()[0].crease(2, (top(1, 1), top(0, 1)), (top(1, 1), top(2, 1))).crease(0.5, (top(1, 1), top(1, 0)), (top(1, 1), top(1, 2))),
          "{2, 2, 0.5, 0.5}: two of four sharp edges vanish")
    write("corner_on_crease", cube3()[0].chain(10, *[top(x, 1) for x in range(4)]).corner(1.5, top(1, 1)), "a fractional corner on an infinite crease")
    write("corner_on_soft_crease", cube3()[0].chain(2.7, *[top(x, 1) for x in range(4)]).corner(0.5, top(1, 1)).corner(10, top(2, 1)),
          "corners on a semi-sharp crease")
    write("corner_at_dart", cube3()[0].chain(1.5, top(0, 1), top(1, 1)).corner(2.7, top(1, 1)), "a corner at a dart")
    write("corner_all", box().corner(10, *range(8)), "all corners infinitely sharp, no edge")
    write("crease_twice", box().crease(10, (0, 1)).crease(1.5, (1, 0)), "an edge that is tagged twice: the later tag wins")
    write("crease_zero", box().crease(4, (0, 1)).crease(0, (0, 1)).crease(0, (2, 3)), "sharpness 0 takes a crease away")
    write("crease_beyond_infinite", box().crease(12, (0, 1)).crease(1000, (1, 3)).corner(99, 4), "sharpness beyond 10 reads as infinite")
    write("crease_triangles", icosahedron().jitter(29).chain(1.5, 0, 11, 10, 7).chain(10, 3, 9, 4), "creases on triangles")
    m = prism(40)
    write("crease_ngons", m.chain(10, *[40 + k for k in range(40)], 40).chain(2.7, *range(0, 20)), "creases round a 40-gon")
    write("crease_valence60", bipyramid(60).crease(10, (0, 60), (13, 60), (31, 60)).crease(0.5, (45, 60)), "four creases at a vertex of valence 60")
    for seed in range(3):
        write("random_creases%d" % seed, random_corners(random_creases(cube3()[0], seed), seed + 50), "random creases and corners on a closed quad mesh")
        write("random_mixed%d" % seed, random_corners(random_creases(mixed(torus(7, 5)), seed + 10), seed + 60), "the same on triangles, quads and hexagons, genus 1")
        write("random_open%d" % seed, random_corners(random_creases(mixed(grid(6, 5, skip={(2, 2)})), seed + 20), seed + 70).boundary(1 + seed % 2),
              "the same on an open mesh with a gap")
    write("random_valence", random_creases(bipyramid(12, 0.2), 77, 0.6), "random creases round two vertices of valence 12")


def semi_sharp_shapes():
    """Semi-sharp edges of different sharpness side by side: chaikin mixes them, uniform does not."""
    m, ids = cube3()
    top = lambda x, y: ids[(x, y, 3)]
    at = lambda x, y: y * 5 + x  # grid(4, 3)
    rim = [top(x, 0) for x in range(3)] + [top(3, y) for y in range(3)] + [top(x, 3) for x in range(3, 0, -1)] + [top(0, y) for y in range(3, -1, -1)]
    for k, s in enumerate((0.4, 1.3, 2.9, 4.6, 3.7, 2.2, 1.1, 0.6, 1.9, 0.8, 9.7, 0.3)):
        m.crease(s, (rim[k], rim[k + 1]))
    write("semi_loop", m, "a closed chain whose sharpness goes up and down")
    m = cube3()[0].chain(3.4, top(0, 1), top(1, 1)).chain(1.6, top(1, 1), top(2, 1)).chain(0.9, top(2, 1), top(3, 1))
    write("semi_meet3", m.chain(2.3, top(1, 0), top(1, 1)), "three semi-sharp edges of different sharpness at a vertex")
    m = cube3()[0].chain(3.4, top(0, 1), top(1, 1)).chain(0.6, top(1, 1), top(2, 1)).chain(4.2, top(1, 0), top(1, 1))
    write("semi_meet4", m.chain(1.4, top(1, 1), top(1, 2)), "four of them")
    m = cube3()[0].chain(10, top(0, 1), top(1, 1)).chain(2.6, top(1, 1), top(2, 1)).chain(1.2, top(2, 1), top(3, 1))
    write("semi_beside_infinite", m.chain(10, top(2, 0), top(2, 1), top(2, 2)), "a chain that goes on as infinite and crosses another")
    m = cube3()[0].chain(0.2, top(0, 1), top(1, 1)).chain(1.25, top(1, 1), top(2, 1)).chain(0.1, top(2, 1), top(3, 1))
    write("semi_overshoot", m, "sharpness above 1 that fades: chaikin's edge point goes past the middle")
    for b in (1, 2):
        m = grid(4, 3).boundary(b).chain(2.8, at(2, 0), at(2, 1)).chain(0.7, at(2, 1), at(2, 2)).chain(1.8, at(2, 2), at(2, 3))
        write("semi_to_boundary" + ("" if b == 1 else "_edge"), m.chain(3.3, at(1, 1), at(2, 1)), "a varying chain from boundary to boundary, and a branch")
    m = icosahedron().jitter(31).chain(2.4, 0, 11, 10).chain(0.7, 10, 7).chain(3.6, 7, 8)
    write("semi_triangles", m.chain(1.7, 0, 5).chain(0.35, 0, 1).chain(5.2, 0, 7), "chains on triangles that meet four by four")
    m = bipyramid(9, 0.2)
    for k, s in enumerate((0.25, 1.15, 2.45, 3.05, 0.85, 4.35, 9.9)):
        m.crease(s, (k, 9))
    write("semi_valence9", m, "seven at a vertex of valence 9")


def all_sharp(m, s):
    return m.crease(s, *sorted(m.edges()))


def boundary_crease_shapes():
    at = lambda x, y: y * 5 + x  # grid(4, 3)
    for name, s in (("0.5", 0.5), ("1.5", 1.5), ("10", 10)):
        for b in (1, 2):
            e = "" if b == 1 else "_edge"
            write("crease_to_boundary_%s%s" % (name, e), grid(4, 3).boundary(b).chain(s, at(2, 0), at(2, 1)),
                  "a crease of %s from a boundary, ending inside" % name)
            write("crease_across_%s%s" % (name, e), grid(4, 3).boundary(b).chain(s, *[at(x, 1) for x in range(5)]),
                  "a crease of %s from boundary to boundary" % name)
    write("crease_on_boundary", grid(4, 3).chain(1.5, *[at(x, 0) for x in range(5)]), "a semi-sharp tag on boundary edges: they stay infinite")
    write("crease_at_grid_corner", grid(4, 3).boundary(2).chain(0.5, at(0, 0), at(1, 0)).corner(0.5, at(0, 0)).corner(2.7, at(4, 0)),
          "soft corners at the corners of a grid with the edge-only rule")
    write("corner_on_boundary", grid(4, 3).boundary(2).corner(10, at(2, 0)).corner(0.5, at(0, 1)).corner(1.7, at(4, 2)), "sharp vertices on a boundary")
    write("strip_creases", grid(1, 7).boundary(2).chain(1.5, 2, 3).chain(10, 6, 7).chain(0.3, 10, 11), "creases across a strip one quad wide")
    write("ring_creases", ring(8).chain(2.7, 0, 8).chain(10, 3, 11).chain(0.5, 4, 12), "creases across an annulus")
    write("fan_creases", fan(6, 3, False).chain(0.5, 0, 2).chain(10, 0, 4).chain(2.7, 0, 5), "creases at the centre of an open fan")


def hole_shapes():
    write("hole_closed", cube3()[0].hole(0, 9, 10), "holes in a closed mesh: they act on their neighbours and are not output")
    write("hole_open", grid(4, 3).hole(5, 0).boundary(1), "an inner and a corner hole in an open grid")
    write("hole_ngon", prism(7).hole(0), "a 7-gon that is a hole")
    write("hole_last", mixed(torus(7, 5)).hole(1, 2, 40), "holes among triangles, quads and hexagons")
    write("hole_crease", box().hole(1).chain(2.7, 4, 5, 7, 6, 4), "a hole inside a crease loop")
    write("hole_all_but_one", box().hole(0, 1, 2, 3, 4), "all faces but one are holes")


def triangle_shapes():
    write("smoothtri_tetrahedron", tetrahedron().smooth_triangles(), "smooth triangles on a tetrahedron")
    write("smoothtri_icosahedron", icosahedron().jitter(29).smooth_triangles(), "smooth triangles, all valences 5")
    write("smoothtri_mixed", mixed(torus(7, 5)).smooth_triangles(), "smooth triangles beside quads and hexagons")
    write("smoothtri_open", mixed(grid(6, 5)).smooth_triangles(), "smooth triangles in an open mesh")
    write("smoothtri_creases", random_creases(icosahedron().jitter(29), 5).smooth_triangles(), "smooth triangles with creases: they blend")
    write("smoothtri_quads", box().smooth_triangles(), "the smooth-triangle rule without a triangle changes nothing")


def uv_shapes():
    write("uv_islands", box().uv_islands(), "every face its own UV island")
    write("uv_islands_mixed", mixed(torus(7, 5)).uv_islands(), "UV islands on triangles, quads and hexagons")
    m = grid(4, 3)
    m.vt = [(p[0] / 4, p[1] / 3) for p in m.v]
    m.ft = [list(f) for f in m.f]
    write("uv_shared", m.tag("facevaryinginterpolateboundary 1/0/0 5"), "one UV value a vertex: no seam")
    m = prism(40)
    m.vt = [(k / 40, z) for z in (0.1, 0.9) for k in range(41)] + [(0.5 + 0.3 * math.cos(k), 0.5 + 0.3 * math.sin(k)) for k in range(40)]
    m.ft = [[82 + k for k in range(40)][::-1], [82 + k for k in range(40)]] + [[k, k + 1, 41 + k + 1, 41 + k] for k in range(40)]
    write("uv_seam", m.tag("facevaryinginterpolateboundary 1/0/0 5"), "a cylinder with one seam and two caps that share their values")
    m = cube3()[0]
    m.vt, m.ft = [(0.25, 0.75)], [[0] * len(f) for f in m.f]
    write("uv_single", m.tag("facevaryinginterpolateboundary 1/0/0 5"), "one UV value for all corners")
    m = cube3()[0].hole(3, 4).uv_islands()
    write("uv_hole", m, "UV islands and holes")
    m = grid(3, 3).uv_islands()
    m.vt += [(0.5, 0.5), (0.1, 0.2)]
    write("uv_unused", m, "UV values that no corner uses")
    write("uv_darts", grid(6, 5).jitter(3).uv_cut((16, 17), (17, 24), (8, 9), (8, 15), (32, 33), mode=3), "UV seams that end inside")
    write("uv_darts_creased", random_creases(grid(6, 5).jitter(3), 7).corner(1.4, 24).uv_cut((16, 17), (17, 24), (8, 9), (8, 15), (32, 33)),
          "UV seams that end inside, and creases there")
    write("uv_three", mixed(torus(7, 5)).uv_regions(lambda i: i * 3 // 20, mode=1), "UV islands that meet in threes")
    write("uv_one_face", grid(5, 5).jitter(5).uv_regions(lambda i: i if i in (6, 12, 13, 24) else -1, mode=0), "UV islands of one face")
    write("uv_boundary", grid(4, 4).jitter(6).uv_cut((1, 6), (5, 6), (2, 7), (3, 8), (8, 9), (18, 23), mode=4), "UV seams at boundaries and corners")
    write("uv_boundary_edge", grid(4, 4).jitter(6).uv_cut((1, 6), (5, 6), (2, 7), (3, 8), (8, 9), (18, 23), mode=1).boundary(2), "the same, edge only")
    m = grid(6, 6).jitter(8).hole(8, 14, 20, 27).uv_regions(lambda i: i in (14, 15, 16, 20, 21, 22), seed=2)
    write("uv_seam_at_hole", m, "UV seams along holes and across them")
    m = torus(6, 8).jitter(9).uv_cut(*[(6 * k + 2, 6 * ((k + 1) % 8) + 2) for k in range(8)], *[(6 * k + 4, 6 * k + 5) for k in range(8)], mode=3)
    for k, sharp in enumerate((0.3, 1, 1.5, 2, 4.7, 9.5, 10)):
        m.chain(sharp, 6 * k + 1, 6 * k + 2, 6 * k + 3)
    write("uv_crossed", m.chain(1.5, 2, 8, 14).corner(0.8, 20).corner(2.4, 32).chain(0.6, 31, 32), "creases across UV seams and along them")
    m = torus(6, 8).jitter(9).uv_cut(*[(6 * k + 2, 6 * ((k + 1) % 8) + 2) for k in range(8)])
    for k in range(8):
        m.crease((0.3, 1, 1.5, 2, 3.7, 4.7, 9.5, 2)[k], (6 * k + 1, 6 * k + 2)).crease((0, 1, 0.6, 0, 2, 6.1, 0, 2)[k], (6 * k + 2, 6 * k + 3))
    write("uv_waiting", m, "creases on one side of a UV seam, or of other sharpness on the other")
    m = torus(6, 5).jitter(4).uv_regions(lambda i: i % 5 // 2)
    m.ft = [[a % 11 for a in f] for f in m.ft]
    write("uv_folded", m, "UV values that far vertices share")
    write("uv_triangles_cut", icosahedron().jitter(29).uv_regions(lambda i: i // 7, mode=4), "UV islands on triangles")
    for seed in range(6):
        m = random_creases(mixed(torus(6, 4)) if seed % 2 else mixed(grid(5, 4)), seed + 3)
        rnd = Lcg(seed + 50)
        m.uv_cut(*[e for e in sorted(m.edges()) if rnd.below(4) == 0], seed=seed, mode=seed % 5).boundary(1 + seed % 2)
        write("uv_random%d" % seed, m, "random UV seams and creases")


# ---- not manifold, or degenerate --------------------------------------------------------------------------------
def soup(seed, n_vertices, n_faces):
    rnd = Lcg(seed)
    m = Mesh([tuple(2 * rnd.next() - 1 for _ in range(3)) for _ in range(n_vertices)])
    m.f = [[rnd.below(n_vertices) for _ in range((3, 3, 4, 4, 5, 6)[rnd.below(6)])] for _ in range(n_faces)]
    for e in sorted({tuple(sorted((f[i - 1], f[i]))) for f in m.f for i in range(len(f)) if f[i - 1] != f[i]}):
        if rnd.below(4) == 0:
            m.crease((0.4, 1, 1.7, 3.2, 10)[rnd.below(5)], e)
    for _ in range(2):
        m.corner((0.6, 2.5, 10)[rnd.below(3)], rnd.below(n_vertices))
    return m


def odd_shapes():
    def odd(name, mesh, about):
        write(name, mesh, about, "nonmanifold")

    v5 = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)]
    v6 = v5 + [(1, 1, 1)]
    odd("edge_of_three_faces", Mesh(v5, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]), "three triangles at an edge")
    odd("edge_of_three_faces_edge", Mesh(v5, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]).boundary(2), "the same, edge only")
    odd("edge_of_three_faces_none", Mesh(v5, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]).boundary(0), "the same, none")
    odd("edge_same_direction", Mesh(v5[:4], [[0, 1, 2], [0, 1, 3]]), "two triangles along an edge the same way")
    m = Mesh([(math.cos(k * math.pi / 3), math.sin(k * math.pi / 3), z) for k in range(5) for z in (0, 1)])
    m.f = [[2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1] for k in range(4)] + [[8, 1, 0, 9]]
    odd("moebius", m, "a strip with one side")
    odd("bow_tie", Mesh(v6, [[0, 1, 2], [0, 3, 4]]), "two triangles at a vertex")
    odd("bow_tie_edge", Mesh(v6, [[0, 1, 2], [0, 3, 4]]).boundary(2), "two triangles at a vertex, edge only")
    m = tetrahedron()
    m.v += [(2, 2, 3), (3, 2, 2), (2, 3, 2)]
    m.f += [[0, 5, 4], [0, 4, 6], [0, 6, 5], [4, 5, 6]]
    odd("bow_tie_closed", m, "two closed surfaces at a vertex")
    m = ngon(4).add(ngon(3).move(3, 0, 0))
    m.f[1][0] = m.f[0][2]
    odd("bow_tie_corner", m, "a quad and a triangle at a vertex")
    odd("repeated_vertex", Mesh(v5, [[0, 1, 2], [0, 2, 3, 2]]), "a face that goes to a vertex and back")
    odd("repeated_vertex_adjacent", Mesh(v5, [[0, 0, 1, 2]]), "an edge with equal ends")
    odd("collapsed_face", Mesh(v5, [[0, 0, 0], [0, 1, 2], [1, 0, 3]]), "a face of one point")
    odd("collapsed_pair", Mesh(v5, [[0, 1, 2], [1, 1, 0, 0], [1, 0, 3]]), "a quad of two points between triangles")
    odd("pinched_face", Mesh(v6, [[0, 1, 2, 0, 3, 4], [1, 0, 5]]), "a face that touches itself in a vertex")
    odd("edge_used_twice", Mesh(v6, [[0, 1, 2, 1], [2, 1, 3], [1, 0, 4], [0, 1, 5]]), "one face twice along two edges")
    odd("edge_used_thrice", Mesh(v6, [[0, 1, 0, 1, 2], [1, 0, 3], [0, 1, 4, 5]]), "one face three times along an edge")
    m = Mesh(v5 + [(0, 2, 2), (2, 0, 2)], [[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 1, 5], [0, 2, 6]])
    odd("three_faces_creased", m.crease(1.5, (0, 2)).crease(0.7, (1, 2)).crease(3, (0, 1)), "creases at such an edge")
    m = grid(4, 4)
    wall = [10, 11, 12, 13, 14]  # the middle row of vertices
    first = len(m.v)
    m.v += [(m.v[w][0], m.v[w][1], m.v[w][2] + 1) for w in wall]
    m.f += [[wall[k], wall[k + 1], first + k + 1, first + k] for k in range(4)]
    odd("wall", m, "a wall on a plane: interior non-manifold creases")
    m = grid(4, 4)
    m.v += [(m.v[w][0], m.v[w][1], m.v[w][2] + 1) for w in wall]
    m.f += [[wall[k], wall[k + 1], first + k + 1, first + k] for k in range(4)]
    odd("wall_creased", m.crease(0.5, (7, 12)).crease(2, (11, 16)).boundary(2), "the same with soft creases across it")
    m = grid(4, 4)
    m.v += [(m.v[w][0], m.v[w][1], m.v[w][2] + 1) for w in wall]
    m.f += [[wall[k], wall[k + 1], first + k + 1, first + k] for k in range(4)]
    m.crease(1.3, (7, 12), (12, 17)).crease(3.1, (12, first + 2)).crease(0.6, (17, 18)).crease(2.2, (16, 17)).crease(4.7, (17, 22))
    odd("wall_semi", m, "semi-sharp creases of different sharpness up a wall, across it and beyond")
    m = cube()
    m.v += [(x, y + 2, z + 2) for x, y, z in cube().v]
    m.f += [[8 + a for a in f] for f in cube().f]
    for f in m.f[6:]:
        for i in range(4):
            f[i] = {8: 6, 9: 7}.get(f[i], f[i])
    odd("cubes_at_edge", m, "two cubes that share an edge, and unused vertices")
    for seed in range(8):
        odd("soup%d" % seed, soup(seed, 9, 7).boundary(seed % 3), "random faces, vertices repeated")
    for seed in range(8, 12):
        odd("soup%d" % seed, soup(seed, 5, 12).boundary(seed % 3), "random faces over few vertices")
    m = Mesh([(0, 0, 0)] + [(math.cos(k), math.sin(k), z) for z in (1, -1) for k in range(0, 6, 2)])
    m.v += [(-1, -1, 2), (-1, 1, -2)]
    m.f = [[0, 1, 2], [0, 2, 3], [0, 3, 7], [0, 7, 1], [0, 5, 4], [0, 6, 5], [0, 8, 6], [0, 4, 8], [0, 1, 2]]
    m.vt = [(p[0] + 0.1 * k, p[1] - 0.1 * k) for k, p in enumerate(m.v)] + [(-0.3, 0.4)]
    m.ft = [[9 if k == 0 and 4 <= i < 8 else k for k in f] for i, f in enumerate(m.f)]
    odd("fans_twice_uv", m.tag("facevaryinginterpolateboundary 1/0/0 5"),
        "two fans at a vertex, each with its UV, and a face of one of them twice: a non-manifold crease there")
    odd("soup_uv", soup(99, 8, 9).uv_islands(), "random faces with UVs")
    for seed in range(4):
        m = soup(70 + seed, 8, 7)
        rnd = Lcg(seed)
        odd("soup_uv%d" % seed, m.uv_cut(*[e for e in sorted(m.edges()) if rnd.below(3) == 0]), "random faces, UV seams")
    m = grid(4, 4)
    m.v += [(m.v[w][0], m.v[w][1], m.v[w][2] + 1) for w in wall]
    m.f += [[wall[k], wall[k + 1], first + k + 1, first + k] for k in range(4)]
    odd("wall_uv", m.crease(0.5, (7, 12)).uv_cut((12, 17), (6, 7), (7, 8)), "a wall on a plane, UV seams that cross it")


# ---- the refused set ----------------------------------------------------------------------------------------
def refused_shapes():
    def bad(name, expect, mesh):
        write(name, mesh, "expect: " + expect, "refused")

    v5 = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)]
    bad("index_too_large", "invalid_mesh line 8: vertex 8 does not exist", Mesh(v5, [[0, 1, 2], [0, 2, 7]]))
    bad("index_zero", "invalid_mesh line 8: vertex 0 does not exist", Mesh(v5, [[0, 1, 2], [-1, 2, 3]]))
    bad("face_of_two", "invalid_mesh line 8: a face has 3 corners", Mesh(v5, [[0, 1, 2], [2, 3]]))
    bad("face_of_one", "invalid_mesh line 7: a face has 3 corners", Mesh(v5, [[3], [0, 1, 2]]))
    bad("nan", "invalid_mesh line 4: a coordinate is not finite", Mesh(v5[:2] + [("0", "nan", "0")] + v5[3:], [[0, 1, 2]]))
    bad("infinite", "invalid_mesh line 3: a coordinate is not finite", Mesh(v5[:1] + [("1", "0", "-inf")] + v5[2:], [[0, 1, 2]]))
    bad("huge", "invalid_mesh vertex 4", Mesh(v5[:4] + [("0", "1e31", "0")], [[0, 1, 2], [0, 2, 3], [0, 3, 4]]))
    bad("huge_negative", "invalid_mesh vertex 0", Mesh([("-1e38", "0", "0")] + v5[1:], [[0, 1, 2]]))
    bad("no_faces", "invalid_mesh face", Mesh(v5))
    bad("empty", "invalid_mesh", Mesh())
    bad("crease_missing_edge", "invalid_mesh (0, 3)", box().crease(2, (0, 3)))
    bad("crease_bad_vertex", "invalid_mesh (0, 99)", box().crease(2, (0, 99)))
    bad("crease_same_vertex", "invalid_mesh (3, 3)", box().crease(2, (3, 3)))
    bad("crease_negative", "invalid_mesh sharpness", box().tag("crease 2/1/0 0 1 -2"))
    bad("crease_nan", "invalid_mesh creaseSharpnesses[0] is nan", box().tag("crease 2/1/0 0 1 nan"))
    bad("corner_bad_vertex", "invalid_mesh 8", box().corner(2, 8))
    bad("corner_negative", "invalid_mesh sharpness", box().tag("corner 1/1/0 0 -1"))
    bad("hole_bad_face", "invalid_mesh 6", box().hole(6))
    bad("tag_counts", "malformed line 16", box().tag("crease 2/1/0 0 1"))
    bad("tag_boundary", "invalid_argument line 16: interpolateboundary", box().boundary(7))
    bad("coordinate_text", "malformed line", Mesh(v5[:2] + [("0", "one", "0")], [[0, 1, 2]]))
    bad("coordinate_missing", "malformed line", Mesh(v5[:2] + [("0", "1")], [[0, 1, 2]]))


def main():
    for folder in ("nonmanifold", "refused"):
        os.makedirs(os.path.join(OUT, folder), exist_ok=True)
    for make in (closed_shapes, component_shapes, open_shapes, boundary_none_shapes, crease_shapes, semi_sharp_shapes,
                 boundary_crease_shapes, hole_shapes, triangle_shapes, uv_shapes, odd_shapes, refused_shapes):
        make()
    print("%d shapes in %s" % (len(seen), OUT))


if __name__ == "__main__":
    main()
