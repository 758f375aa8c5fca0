#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fair_case.py SHARED CASE OUT: a mesh, and how the reference in SHARED/oracles flows it, for test_fair_reference.c.

OUT: i32 V, F, C, steps, boundary; f64 tau; i32 counts[F], vertices[C]; f32 points[V][3]; f64 energy; of each step f64 energy and
points[V][3]. Exits with 77 where numpy or scipy is absent."""
import os
import sys

shared, case, out = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(shared, "oracles"))
try:
    import numpy as np
    import conformal_flow as cf
except ImportError:
    sys.exit(77)


def obj(name):
    v, polygons = cf.read_obj(os.path.join(shared, "data", name + ".obj"))
    return np.array(v), polygons


def whole(name):
    v, polygons = obj(name)
    return cf.largest_component(v, cf.fan(polygons))


def cut(name):
    return cf.midpoint(*whole(name))


CASES = {  # name: mesh, tau, steps, boundary
    "sphere": (lambda: cf.icosphere(4), 1., 1, "free"),
    "bumpy-whole": (lambda: cf.bumpy(4), 1., 3, "free"),
    "bumpy": (lambda: cf.bumpy(4), .25, 4, "free"),
    "cap-free": (lambda: cf.cap(4), .25, 4, "free"),
    "cap-direction": (lambda: cf.cap(4), .25, 4, "direction"),
    "cap-fixed": (lambda: cf.cap(4), .25, 4, "fixed"),
    "spot": (lambda: obj("spot_quadrangulated"), .25, 8, "free"),
    "spot-cut": (lambda: cut("spot_quadrangulated"), .25, 2, "free"),
    "bunny": (lambda: cf.close_holes(*whole("stanford-bunny")), .25, 1, "free"),
    "suzanne": (lambda: obj("suzanne"), .25, 2, "free"),
    "torus": (lambda: cf.torus(1, .5, 64, 36, True), .25, 4, "free"),
}
mesh, tau, steps, boundary = CASES[case]
v, polygons = mesh()
polygons = [list(map(int, p)) for p in polygons]
F = cf.fan(polygons)
points = np.asarray(v).astype("<f4")
g = points.astype(float)
energies, frames = [], []
for _ in range(steps):
    g, parts = cf.by_component(g, F, tau, 1, boundary=boundary)
    if not energies:
        energies.append(sum(r["energies"][0] for r in parts))
    energies.append(sum(r["energies"][1] for r in parts))
    frames.append(g)
with open(out, "wb") as f:
    put = lambda x, t: f.write(np.ascontiguousarray(x, t).tobytes())
    put([len(v), len(polygons), sum(map(len, polygons)), steps, ("free", "direction", "fixed").index(boundary)], "<i4")
    put(tau, "<f8")
    put([len(p) for p in polygons], "<i4")
    put([i for p in polygons for i in p], "<i4")
    put(points, "<f4")
    put(energies[0], "<f8")
    for e, p in zip(energies[1:], frames):
        put(e, "<f8")
        put(p, "<f8")
