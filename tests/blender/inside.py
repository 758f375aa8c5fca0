# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender, for test_addon.py and bench_blender.py:

  blender -b --factory-startup --python-exit-code 7 -P inside.py -- ZIP URL CASE [ARGUMENT]...

Installs the add-on from its zip and runs the function of the case, which raises where something is wrong."""
import os
import re
import sys
import time

import bmesh
import bpy
import numpy
from mathutils.kdtree import KDTree

ZIP, URL, CASE, *MORE = sys.argv[sys.argv.index("--") + 1:]
SHAPES = os.environ.get("SUBDD_SHAPES") or "tests/shapes"
LEVEL, NEAR = 3, 1e-6
BOUNDARIES = {"1": "PRESERVE_CORNERS", "2": "ALL"}
UV_MODES = ("SMOOTH_ALL", "PRESERVE_CORNERS", "PRESERVE_CORNERS_AND_JUNCTIONS", "PRESERVE_CORNERS_JUNCTIONS_AND_CONCAVE",
            "PRESERVE_BOUNDARIES", "NONE")


class Wrong(Exception):
    pass


def check(good, sentence):
    if not good:
        raise Wrong(sentence)


def enable():
    bpy.ops.preferences.addon_install(filepath=ZIP)
    bpy.ops.preferences.addon_enable(module="subdd")
    bpy.context.preferences.addons["subdd"].preferences.server = URL
    import subdd
    return subdd.links


def only(links):
    check(len(links.LINKS) == 1, "there are %d links" % len(links.LINKS))
    return next(iter(links.LINKS.values()))


# ---- meshes ----------------------------------------------------------------------------------------------------------
def parse(path):
    """The statements of an OBJ of tests/shapes."""
    rows = {"v": [], "vt": [], "f": [], "crease": [], "corner": [], "boundary": "1", "uv_mode": 2}
    for words in (line.split() for line in open(path)):
        if not words or words[0].startswith("#"):
            continue
        if words[0] in ("v", "vt"):
            rows[words[0]].append([float(x) for x in words[1:]])
        elif words[0] == "f":
            rows["f"].append([[int(x) - 1 for x in w.split("/") if x] for w in words[1:]])
        elif words[:2] == ["t", "crease"]:
            n = int(words[2].split("/")[0])
            chain, sharp = [int(x) for x in words[3:3 + n]], [float(x) for x in words[3 + n:]]
            rows["crease"] += [(a, b, sharp[min(k, len(sharp) - 1)]) for k, (a, b) in enumerate(zip(chain, chain[1:]))]
        elif words[:2] == ["t", "corner"]:
            rows["corner"].append((int(words[3]), float(words[4])))
        elif words[:2] == ["t", "interpolateboundary"]:
            rows["boundary"] = words[3]
        elif words[:2] == ["t", "facevaryinginterpolateboundary"]:
            rows["uv_mode"] = int(words[3])
    return rows


def crease_of(sharpness):
    return (min(sharpness, 10) / 10)**0.5


def shape(name):
    """An object of a shape, with a Subdivision modifier of its options."""
    rows, b = parse(os.path.join(SHAPES, name + ".obj")), bmesh.new()
    edge_layer, vertex_layer = b.edges.layers.crease.verify(), b.verts.layers.crease.verify()
    uvs = b.loops.layers.uv.verify() if rows["vt"] else None
    verts = [b.verts.new(p) for p in rows["v"]]
    for k, corners in enumerate(rows["f"]):
        face = b.faces.new([verts[c[0]] for c in corners])
        face.smooth, face.material_index = k % 2 == 0, k % 3
        for loop, corner in zip(face.loops, corners):
            if uvs:
                loop[uvs].uv = rows["vt"][corner[1]]
    for a, c, sharpness in rows["crease"]:
        b.edges.get([verts[a], verts[c]])[edge_layer] = crease_of(sharpness)
    for v, sharpness in rows["corner"]:
        verts[v][vertex_layer] = crease_of(sharpness)
    mesh = bpy.data.meshes.new(name)
    b.to_mesh(mesh)
    b.free()
    for k in range(3):
        mesh.materials.append(bpy.data.materials.new("%s %d" % (name, k)))
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    m = obj.modifiers.new("Subdivision", "SUBSURF")
    m.levels = m.render_levels = LEVEL
    m.quality, m.boundary_smooth, m.uv_smooth = 10, BOUNDARIES[rows["boundary"]], UV_MODES[rows["uv_mode"]]
    bpy.context.view_layer.objects.active = obj
    return obj


def by_modifier(obj):
    """A copy of what the Subdivision modifier makes of an object."""
    m = obj.modifiers[-1]
    shown, m.show_viewport = m.show_viewport, True
    try:
        out = bpy.data.meshes.new_from_object(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    finally:
        m.show_viewport = shown
    return out


def array(things, name, width=1, kind=numpy.float32):
    out = numpy.empty(len(things) * width, kind)
    things.foreach_get(name, out)
    return out.reshape(-1, width)


def apart(ours, theirs):
    """The largest distance of a vertex to the nearest one of the other mesh, both ways, as a part of the box; and for each
    of our vertices the row of theirs."""
    a, b = array(ours.vertices, "co", 3), array(theirs.vertices, "co", 3)
    box = float(numpy.linalg.norm(b.max(0) - b.min(0)))
    worst, rows = 0.0, []
    for of, to in ((a, b), (b, a)):
        tree = KDTree(len(to))
        for k, p in enumerate(to):
            tree.insert(p, k)
        tree.balance()
        found = [tree.find(p) for p in of]
        worst = max(worst, max(f[2] for f in found))
        rows = rows or [f[1] for f in found]
    return worst / box, numpy.array(rows)


def corners_of(mesh):
    return array(mesh.loops, "vertex_index", 1, numpy.int32)[:, 0].reshape(-1, 4)


def compare(obj):
    """The surface of a linked object against the modifier's: points, edges, faces, UVs, materials, shading."""
    ours, theirs = obj.subdd.surface.data, by_modifier(obj)
    check(not ours.validate(), "%s: Blender had to mend the surface's mesh" % obj.name)
    counts = [(len(m.vertices), len(m.edges), len(m.polygons)) for m in (ours, theirs)]
    check(counts[0] == counts[1], "%s: counts %s, the modifier's %s" % (obj.name, *counts))
    far, rows = apart(ours, theirs)
    check(far <= NEAR, "%s: apart by %.2g of the box" % (obj.name, far))
    faces = [corners_of(theirs), rows[corners_of(ours)]]
    order = [numpy.lexsort(numpy.sort(f, 1).T) for f in faces]
    check(numpy.array_equal(*[numpy.sort(f, 1)[o] for f, o in zip(faces, order)]), "%s: other faces" % obj.name)
    for name, kind in (("material_index", numpy.int32), ("use_smooth", bool)):
        same = [array(m.polygons, name, 1, kind)[o] for m, o in zip((theirs, ours), order)]
        check(numpy.array_equal(*same), "%s: other %s" % (obj.name, name))
    if ours.uv_layers or theirs.uv_layers:
        uvs = [array(m.uv_layers[0].data, "uv", 2).reshape(-1, 4, 2)[o] for m, o in zip((theirs, ours), order)]
        turned = [numpy.argsort(f[o], 1)[:, :, None] for f, o in zip(faces, order)]
        uvs = [numpy.take_along_axis(uv, t, 1) for uv, t in zip(uvs, turned)]
        worst = float(abs(uvs[0] - uvs[1]).max())
        check(worst <= 1e-5, "%s: UVs apart by %.2g" % (obj.name, worst))
    bpy.data.meshes.remove(theirs)
    return far


# ---- cases -----------------------------------------------------------------------------------------------------------
def case_surfaces(links):
    """Linked results are the modifier's limit surfaces."""
    names = MORE[0].split(",")
    objects = [shape(name) for name in names]
    for obj in objects:
        bpy.context.view_layer.objects.active = obj
        bpy.ops.subdd.link()
    bpy.ops.subdd.update()
    for obj in objects:
        each = links.LINKS[obj.subdd.key]
        check(not each.session.state.problem, "%s: %s" % (obj.name, each.session.state.problem))
        print("%-24s %6d vertices, apart by %.2g of the box" % (obj.name, len(obj.subdd.surface.data.vertices), compare(obj)))


globals()["case_" + CASE](enable())
