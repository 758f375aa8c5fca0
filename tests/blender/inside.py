# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender, for test_addon.py and bench_blender.py:

  blender -b --factory-startup --python-exit-code 7 -P inside.py -- ZIP URL CASE [ARGUMENT]...

Installs the add-on from its zip and runs the function of the case, which raises where something is wrong."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
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
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
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
    of our vertices, and of theirs, the row of theirs that is there: one of those that fall together."""
    a, b = array(ours.vertices, "co", 3), array(theirs.vertices, "co", 3)
    box = float(numpy.linalg.norm(b.max(0) - b.min(0)))
    worst = 0.0
    for of, to in ((b, a), (a, b)):
        tree = KDTree(len(to))
        for k, p in enumerate(to):
            tree.insert(p, k)
        tree.balance()
        found = [tree.find(p) for p in of]
        worst = max(worst, max(f[2] for f in found))
    rows = [numpy.array([min(f[1] for f in tree.find_range(p, 2 * NEAR * box) or [tree.find(p)]) for p in of]) for of in (a, b)]
    return worst / box, rows


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
    faces = [rows[1][corners_of(theirs)], rows[0][corners_of(ours)]]
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


# ---- with threads: as in a window, but for the timer, whose work the test does ---------------------------------------
def pump(links, good, what, seconds=30):
    """Does the timer's work until something is so."""
    end = time.monotonic() + seconds
    while True:
        bpy.context.view_layer.update()
        links.tick()
        if good():
            return
        check(time.monotonic() < end, "%s: not within %d s; %s" % (what, seconds, [
            (e.session.state.problem, e.session.state.away, e.sentence) for e in links.LINKS.values()]))
        time.sleep(0.002)


def is_settled(links):
    return all(not e.is_dirty and not e.theirs and e.session.is_idle() and e.has_shown for e in links.LINKS.values())


def settle(links):
    bpy.context.view_layer.update()
    pump(links, lambda: is_settled(links), "the links do not settle")


def threads():
    return [t for t in threading.enumerate() if t.name.startswith("subdd")]


def grid(n, level=3, has_uvs=False):
    b = bmesh.new()
    if has_uvs:
        b.loops.layers.uv.new("map")
    bmesh.ops.create_grid(b, x_segments=n, y_segments=n, size=1, calc_uvs=True)
    mesh = bpy.data.meshes.new("grid")
    b.to_mesh(mesh)
    b.free()
    obj = bpy.data.objects.new("grid", mesh)
    bpy.context.scene.collection.objects.link(obj)
    m = obj.modifiers.new("Subdivision", "SUBSURF")
    m.levels, m.render_levels, m.quality = level, level, 10
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj


def pose(obj, rng, amount=0.05):
    co = array(obj.data.vertices, "co", 3)
    obj.data.vertices.foreach_set("co", (co + rng.normal(0, amount, co.shape)).astype(numpy.float32).reshape(-1))
    obj.data.update()


def linked(links, obj):
    links.uses_threads = True
    bpy.context.view_layer.objects.active = obj
    bpy.ops.subdd.link()
    settle(links)
    return links.LINKS[obj.subdd.key]


def case_poses(links):
    """100 pose changes; then 50 of which only the last has to arrive."""
    rng, obj = numpy.random.default_rng(1), grid(7)
    each = linked(links, obj)
    meshes, mesh = len(bpy.data.meshes), obj.subdd.surface.data
    for k in range(100):
        pose(obj, rng)
        settle(links)
        check(each.session.state.version == k + 2, "version %d after pose %d" % (each.session.state.version, k + 1))
        if k % 10 == 0:
            compare(obj)
    for k in range(50):
        pose(obj, rng)
        bpy.context.view_layer.update()
        links.tick()
    settle(links)
    compare(obj)
    check(each.session.state.version < 152, "poses that nobody waited for were all sent")
    check(obj.subdd.surface.data == mesh and len(bpy.data.meshes) == meshes, "poses made new meshes")
    check(len(threads()) == 2, "%d threads" % len(threads()))


def edit(obj, rng, k):
    """One topology edit, in Edit Mode."""
    bm = bmesh.from_edit_mesh(obj.data)
    bm.faces.ensure_lookup_table()
    bm.edges.ensure_lookup_table()
    face, kind = bm.faces[int(rng.integers(len(bm.faces)))], k % 7
    if kind == 0:
        made = bmesh.ops.extrude_discrete_faces(bm, faces=[face])["faces"]
        bmesh.ops.translate(bm, verts=made[0].verts, vec=(0, 0, 0.2))
    elif kind == 1:
        bmesh.ops.delete(bm, geom=[face], context="FACES")
    elif kind == 2:
        bmesh.ops.poke(bm, faces=[face])
    elif kind == 3:
        bmesh.ops.subdivide_edges(bm, edges=face.edges[:2], cuts=1, use_grid_fill=True)
    elif kind == 4:
        layer = bm.edges.layers.crease.verify()
        for e in list(bm.edges)[::5]:
            e[layer] = float(rng.random())
    elif kind == 5:
        bmesh.ops.delete(bm, geom=[face.verts[0]], context="VERTS")
    else:
        bmesh.ops.inset_individual(bm, faces=[face], thickness=0.02)
    # What the modifier makes of edges without faces the daemon does not.
    bmesh.ops.delete(bm, geom=[e for e in bm.edges if not e.link_faces], context="EDGES")
    bmesh.ops.delete(bm, geom=[v for v in bm.verts if not v.link_faces], context="VERTS")
    bmesh.update_edit_mesh(obj.data)


def case_edits(links, has_uvs=False):
    """50 topology edits in Edit Mode, each of which makes a version of the same mesh of the daemon; but where UVs are
    mirrored, a mesh in its place."""
    rng, obj = numpy.random.default_rng(2), grid(6, 2, has_uvs)
    each = linked(links, obj)
    mesh_id, meshes = each.session.id, len(bpy.data.meshes)
    bpy.ops.object.mode_set(mode="EDIT")
    for k in range(50):
        before = each.session.state.version
        edit(obj, rng, k)
        settle(links)
        check(not each.session.state.problem, "edit %d: %s" % (k, each.session.state.problem))
        check(has_uvs or each.session.state.version == before + 1, "edit %d made no version" % k)
        if k % 5 == 4:
            bpy.ops.object.mode_set(mode="OBJECT")
            settle(links)
            compare(obj)
            bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
    settle(links)
    check((has_uvs or each.session.id == mesh_id) and len(bpy.data.meshes) == meshes, "edits made other meshes")
    with links.connector()() as daemon:
        check([m.id for m in daemon.meshes()] == [each.session.id], "edits left meshes on the daemon")


def case_edits_with_uvs(links):
    case_edits(links, True)


def case_undo(links):
    obj = grid(5, 2)
    bpy.ops.ed.undo_push(message="before")
    each = linked(links, obj)
    bpy.ops.ed.undo_push(message="linked")
    points = array(obj.data.vertices, "co", 3)
    pose(obj, numpy.random.default_rng(3))
    bpy.ops.ed.undo_push(message="moved")
    settle(links)
    bpy.ops.ed.undo()
    obj = bpy.data.objects["grid"]
    check(numpy.array_equal(array(obj.data.vertices, "co", 3), points), "Blender undid nothing")
    settle(links)
    compare(obj)
    bpy.ops.ed.undo()
    pump(links, lambda: not links.LINKS and not threads(), "undo of the link")
    check(not [o for o in bpy.data.objects if o.subdd.is_surface], "undo left the surface")
    bpy.ops.ed.redo()
    settle(links)
    compare(bpy.data.objects["grid"])
    check(len(links.LINKS) == 1 and len(threads()) == 2, "redo made %d links" % len(links.LINKS))


class Daemon:
    """One of this test's own, which can be killed and comes back at the same port."""
    def __init__(self, bin_folder, folder, *options):
        self.data = tempfile.mkdtemp(dir=folder)
        self.command = [os.path.join(bin_folder, "subdd"), "--backend", "cpu", "--data-dir", self.data, *options]
        self.port, self.log = "0", open(os.path.join(folder, "own.log"), "w")
        self.start()

    def start(self):
        self.process = subprocess.Popen([*self.command, "--listen", "127.0.0.1:" + self.port], stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0)
        self.port = self.url.rsplit(":", 1)[1].strip("/")

    def kill(self):
        self.process.kill()
        self.process.wait()


def case_restart(links):
    """The daemon is killed and comes back, with its meshes and without; meanwhile the modifier shows the surface."""
    sys.modules["subdd.session"].PRESENCE_SECONDS = 0.3
    daemon = Daemon(*MORE)
    try:
        bpy.context.preferences.addons["subdd"].preferences.server = daemon.url
        rng, obj = numpy.random.default_rng(4), grid(6)
        each, surface = linked(links, obj), obj.subdd.surface
        check(surface.visible_get() and not obj.modifiers[0].show_viewport, "the surface is not shown")
        for forgets in (False, True):
            daemon.kill()
            pose(obj, rng)
            pump(links, lambda: bool(each.session.state.away), "the absence is not noticed")
            links.tick()
            check(obj.modifiers[0].show_viewport and surface.hide_viewport, "the modifier does not take over")
            pose(obj, rng)
            bpy.context.view_layer.update()
            links.tick()
            if forgets:
                shutil.rmtree(daemon.data)
            daemon.start()
            pump(links, lambda: not each.session.state.away and is_settled(links), "the link does not return")
            check(surface.visible_get() and not obj.modifiers[0].show_viewport, "the surface does not come back")
            compare(obj)
        daemon.kill()
        pump(links, lambda: bool(each.session.state.away), "absence is not noticed while nobody works", 20)
        daemon.start()
        pump(links, lambda: not each.session.state.away, "return is not noticed while nobody works", 20)
    finally:
        links.end_all()
        daemon.kill()


def case_load(links):
    """Another file over it; the saved one again; a mesh that is kept."""
    path = os.path.join(MORE[1], "linked.blend")
    each = linked(links, grid(4))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    links.uses_threads = True
    check(not links.LINKS and not threads(), "loading left %d threads" % len(threads()))
    bpy.ops.wm.open_mainfile(filepath=path)
    settle(links)
    compare(bpy.data.objects["grid"])
    obj = bpy.data.objects["grid"]
    bpy.ops.subdd.unlink()
    check(obj.modifiers[0].show_viewport and not obj.hide_render and obj.display_type == "TEXTURED", "it is not as before")
    bpy.ops.subdd.link(keep=True)
    settle(links)
    kept = only(links).session.id
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with links.connector()() as daemon:
        check(daemon.show(kept).version == 1, "the mesh was not kept")
        bpy.ops.wm.open_mainfile(filepath=path)
        settle(links)
        check(only(links).session.id == kept, "another mesh was made")
        compare(bpy.data.objects["grid"])
        links.end_all()
        daemon.delete(kept)


def case_objects(links):
    """Objects that are renamed, duplicated and deleted; surfaces that are deleted; the add-on that is switched off."""
    obj = grid(4)
    each = linked(links, obj)
    obj.name = "another name"
    pose(obj, numpy.random.default_rng(5))
    settle(links)
    compare(obj)
    check(only(links) is each, "a new name made a new link")
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    settle(links)
    check(copy is not obj and not copy.subdd.key and copy.modifiers[0].show_viewport, "the copy is linked")
    check(only(links) is each and bpy.data.objects["another name"].subdd.key, "the copy took the link")
    bpy.data.objects.remove(copy)
    bpy.data.objects.remove(obj.subdd.surface)
    pose(obj, numpy.random.default_rng(6))
    settle(links)
    compare(obj)
    name, meshes = obj.subdd.surface.data.name, len(bpy.data.meshes)
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.ops.object.delete()
    pump(links, lambda: not links.LINKS and not threads(), "deleting leaves the link")
    check(name not in bpy.data.meshes and not bpy.data.objects, "deleting leaves %s" % [o.name for o in bpy.data.objects])
    each = linked(links, grid(3))
    bpy.ops.preferences.addon_disable(module="subdd")
    check(not threads(), "switched off, it leaves threads")


def case_refused(links):
    """What the daemon refuses is told in its words, and the last good surface stays."""
    daemon = Daemon(*MORE, "--max-level", "5", "--max-output-bytes", "65536", "--stream-bytes", "1GiB")
    bpy.context.preferences.addons["subdd"].preferences.server = daemon.url
    try:
        refused(links)
    finally:
        links.end_all()
        daemon.kill()


def refused(links):
    obj = grid(3)
    each, good = linked(links, obj), array(obj.data.vertices, "co", 3)
    shown = array(obj.subdd.surface.data.vertices, "co", 3)
    obj.data.vertices[3].co.x = float("nan")
    obj.data.update()
    settle(links)
    check("finite" in each.session.state.problem, "the panel would say %r" % each.session.state.problem)
    check(numpy.array_equal(array(obj.subdd.surface.data.vertices, "co", 3), shown), "the surface changed")
    obj.data.vertices.foreach_set("co", good.reshape(-1))
    obj.data.update()
    for level, word in ((6, "level"), (5, "needs")):
        obj.modifiers[0].levels = level
        settle(links)
        check(word in each.session.state.problem, "of level %d the panel would say %r" % (level, each.session.state.problem))
    obj.modifiers[0].levels = 2
    settle(links)
    check(not each.session.state.problem, each.session.state.problem)
    compare(obj)
    bad = bpy.data.meshes.new("bad")
    bad.vertices.add(2)
    bad.edges.add(1)
    bad.edges[0].vertices = (0, 1)
    bad.loops.add(2)
    bad.loops.foreach_set("vertex_index", [0, 1])
    bad.polygons.add(1)
    bad.polygons.foreach_set("loop_start", [0])
    bad.polygons.foreach_set("loop_total", [2])
    two, obj.data = obj.data, bad
    settle(links)
    check("3" in each.session.state.problem or "three" in each.session.state.problem, each.session.state.problem)
    obj.data = two
    settle(links)
    compare(obj)


def select(obj, k):
    bpy.ops.mesh.select_all(action="DESELECT")
    bm = bmesh.from_edit_mesh(obj.data)
    bm.faces.ensure_lookup_table()
    bm.faces[k].select_set(True)
    bmesh.update_edit_mesh(obj.data)


def case_token(links):
    """A daemon that asks for a token; a Blender that may not use the network."""
    tokens, preferences = os.path.join(MORE[1], "tokens"), bpy.context.preferences.addons["subdd"].preferences
    made = subprocess.run([os.path.join(MORE[0], "subdd"), "--tokens-file", tokens, "--new-token", "blender:read,edit"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    daemon = Daemon(*MORE, "--tokens-file", tokens)
    try:
        preferences.server, links.uses_threads = daemon.url, True
        obj = grid(3)
        bpy.ops.subdd.link()
        pump(links, lambda: only(links).session.state.problem, "the refusal is not told")
        check("token" in only(links).session.state.problem, only(links).session.state.problem)
        check(obj.modifiers[0].show_viewport, "nothing is shown")
        preferences.token = made.split()[-1]
        pump(links, lambda: links.LINKS and is_settled(links), "the token is not used")
        compare(obj)
        compat, links.compat.online = links.compat.online, lambda: False
        links.end_all()
        obj.data.vertices[0].co.z = 1
        obj.data.update()
        pump(links, lambda: "Online Access" in obj.subdd.sentence, "it is not told that the network is not allowed")
        check(not links.LINKS and not threads(), "the network was used")
        check(obj.modifiers[0].show_viewport, "the modifier does not take over")
        links.compat.online = compat
        links.note_all()
        settle(links)
        compare(obj)
    finally:
        links.end_all()
        daemon.kill()


def case_options(links):
    """Levels, refined surfaces, linear subdivision, boundaries, creases switched off, holes, colours."""
    obj = shape("crease_to_boundary_1.5")
    bpy.ops.subdd.link()
    m = obj.modifiers[0]
    for name, value in (("levels", 1), ("use_limit_surface", False), ("levels", 4), ("boundary_smooth", "PRESERVE_CORNERS"),
                        ("use_creases", False), ("subdivision_type", "SIMPLE"), ("subdivision_type", "CATMULL_CLARK"),
                        ("use_creases", True), ("use_limit_surface", True)):
        setattr(m, name, value)
        bpy.ops.subdd.update()
        check(not only(links).session.state.problem, only(links).session.state.problem)
        compare(obj)
    colours = obj.data.color_attributes.new("tint", "FLOAT_COLOR", "POINT")
    colours.data.foreach_set("color", numpy.repeat(array(obj.data.vertices, "co", 3)[:, :1], 4, 1).reshape(-1))
    holes = obj.data.attributes.new("subdd_hole", "BOOLEAN", "FACE")
    holes.data[0].value = True
    bpy.ops.subdd.update()
    check(not only(links).session.state.problem and not only(links).session.state.away, "%s" % only(links).session.state)
    surface, n = obj.subdd.surface.data, len(obj.data.polygons)
    check(len(surface.polygons) == (n - 1) * 4**m.levels, "the hole has faces")
    tints = array(surface.color_attributes["tint"].data, "color", 4)
    check(numpy.allclose(tints[:len(obj.data.vertices), 0], array(obj.data.vertices, "co", 3)[:, 0]), "other colours")
    obj.data.color_attributes.remove(obj.data.color_attributes["tint"])
    corners = obj.data.color_attributes.new("corner tint", "BYTE_COLOR", "CORNER")
    corners.data.foreach_set("color", numpy.linspace(0, 1, 4 * len(corners.data)).astype(numpy.float32))
    bpy.ops.object.mode_set(mode="EDIT")
    select(obj, 1)
    bpy.ops.subdd.hole(is_hole=True)
    bm = bmesh.from_edit_mesh(obj.data)
    bm.edges.new((bm.verts.new((0, 0, 5)), bm.verts.new((0, 0, 6))))
    bmesh.update_edit_mesh(obj.data)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.subdd.update()
    check(not only(links).session.state.problem, only(links).session.state.problem)
    check(len(surface.polygons) == (n - 2) * 4**m.levels, "the second hole has faces")
    check(only(links).loose == 1, "%d loose edges" % only(links).loose)
    check("tint" not in surface.color_attributes and len(surface.color_attributes["corner_tint"].data) == len(surface.loops),
          "colours are %s" % surface.color_attributes.keys())
    for is_hole in (False, True):
        bpy.ops.object.mode_set(mode="EDIT")
        select(obj, 0)
        bpy.ops.subdd.hole(is_hole=is_hole)
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.subdd.update()
        check(len(surface.polygons) == (n - 1 - is_hole) * 4**m.levels, "the first hole is %s" % is_hole)
    m.levels = 0
    bpy.ops.subdd.update()
    check(m.show_viewport and obj.subdd.surface.hide_viewport, "at level 0 the surface is shown")
    m.levels = 1
    bpy.ops.subdd.update()
    check(not m.show_viewport and len(obj.subdd.surface.data.polygons) == (n - 2) * 4, "level 0 was not left again")


def case_render(links):
    """Renders in the background: the level for renders, and each frame's own pose, which makes no version."""
    obj = grid(4, 1)
    obj.modifiers[0].render_levels = 3
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="up")
    for point in key.data:
        point.co.z += 1
    for frame, value in ((1, 0.0), (3, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    for curve in obj.data.shape_keys.animation_data.action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.ops.subdd.link()
    bpy.ops.subdd.update()
    seen = []
    bpy.app.handlers.render_pre.append(lambda *_: seen.append(
        (len(obj.subdd.surface.data.vertices), round(float(obj.subdd.surface.data.vertices[0].co.z), 3))))
    scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(scene.camera)
    scene.camera.location.z = 5
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.frame_start, scene.frame_end, scene.render.filepath = 1, 3, os.path.join(MORE[1], "frame")
    bpy.ops.render.render(animation=True)
    check(seen == [(33 * 33, 0.0), (33 * 33, 0.5), (33 * 33, 1.0)], "rendered were %s" % seen)
    check(only(links).session.state.version == 1, "rendering made versions")
    scene.frame_set(1)
    bpy.ops.subdd.update()
    check(len(obj.subdd.surface.data.vertices) == 81, "the level for renders stays")


def case_two(links):
    """Two Blenders on one mesh: this one, and one that it starts."""
    rng, obj = numpy.random.default_rng(7), grid(5, 2)
    obj.modifiers[0].boundary_smooth = "PRESERVE_CORNERS"
    for e in list(obj.data.edges)[::3]:
        e.crease = rng.random()
    links.uses_threads = True
    bpy.ops.subdd.link(keep=True)
    settle(links)
    each = only(links)
    other = subprocess.Popen([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "7", "-P", __file__,
                              "--", ZIP, URL, "other", each.session.id], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    try:
        pump(links, lambda: each.session.state.version == 2 and is_settled(links), "their positions do not come", 60)
        check(abs(obj.data.vertices[0].co.z - 3) < 1e-6, "their positions are not in this mesh")
        compare(obj)
        obj.data.vertices[1].co.z = 4
        obj.data.update()
        pump(links, lambda: len(obj.data.polygons) == 17 and is_settled(links), "their faces do not come", 60)
        check(abs(obj.data.vertices[1].co.z - 4) < 1e-6, "the position that this one changed is lost")
        compare(obj)
        out = other.communicate(timeout=60)[0]
        check(other.returncode == 0, "the other one: " + out)
    finally:
        other.kill()
    # A change of faces on both sides: a person decides.
    with links.connector()() as daemon:
        daemon.be_present(each.session.id, "ann", {"at": 1})
        held = daemon.lease(each.session.id, daemon.cage(each.session.id).face_ids[:2], client="ann")
        pump(links, lambda: any(x.startswith("ann: 2 faces for ") for x in each.session.state.leases), "a lease is not told", 60)
        check(each.session.state.people == ["ann"], "who is here is not told: %s" % each.session.state.people)
        daemon.end_lease(each.session.id, held)
        daemon.leave(each.session.id, "ann")
        pump(links, lambda: not each.session.state.leases, "the lease does not end", 60)
        for decision in ("put", "take"):
            cage, version = daemon.cage(each.session.id), each.session.state.version
            bpy.ops.object.mode_set(mode="EDIT")
            edit(obj, rng, 2)
            faces = len(bmesh.from_edit_mesh(obj.data).faces)
            daemon.edits(each.session.id, version, [subdd().edits.remove_faces(cage.face_ids[-1:])])
            pump(links, lambda: bool(each.sentence), "the conflict is not told")
            bpy.ops.object.mode_set(mode="OBJECT")
            check(daemon.cage(each.session.id).version == version + 1, "something was sent before a person decided")
            getattr(bpy.ops.subdd, decision)()
            settle(links)
            n = faces if decision == "put" else len(cage.face_ids) - 1
            check(len(obj.data.polygons) == n == len(daemon.cage(each.session.id).face_ids), "%d faces" % len(obj.data.polygons))
            compare(obj)
        options_stay(links, obj, each)
        both_moved(links, obj, each, daemon)
        at_once(links, obj, each, daemon)
        while_editing(links, obj, each, daemon)
        links.end_all()
        daemon.delete(each.session.id)


def options_stay(links, obj, each):
    """A mesh that is kept cannot take other options, which is told."""
    for boundary, is_told in (("ALL", True), ("PRESERVE_CORNERS", False)):
        obj.modifiers[0].boundary_smooth = boundary
        settle(links)
        check(("edgeAndCorner" in each.session.state.note) == is_told, "the panel would say %r" % each.session.state.note)
    compare(obj)


def both_moved(links, obj, each, daemon):
    """Positions that change on both sides at once: those that moved here stay, the others come from there."""
    for is_told in (False, True):
        theirs, version = daemon.cage(each.session.id).points, each.session.state.version
        theirs[3:5] += 1
        obj.data.vertices[4].co = obj.data.vertices[5].co = (3, 2, version)
        obj.data.update()
        daemon.positions(each.session.id, theirs)
        if is_told:  # By the watch, before anything is sent.
            end = time.monotonic() + 20
            while each.session.state.version == version and time.monotonic() < end:
                time.sleep(0.01)
        settle(links)
        pump(links, lambda: each.session.state.version == version + 2 and is_settled(links), "both versions are not there")
        theirs[4:6] = (3, 2, version)
        check(numpy.array_equal(array(obj.data.vertices, "co", 3), theirs), "the positions of both are not in this mesh")
        check(numpy.array_equal(daemon.cage(each.session.id).points, theirs), "the positions of both are not there")
        compare(obj)


def at_once(links, obj, each, daemon):
    """Many changes on both sides, of other vertices each, without waiting: none is lost."""
    for k in range(25):
        theirs = daemon.cage(each.session.id)
        theirs.points[0] = (0, k, 1)
        try:
            daemon.positions(each.session.id, theirs.points, version=theirs.version)
        except subdd().Refused as why:
            check(why.status == 412, "%s" % why)
        obj.data.vertices[1].co = (1, k, 2)
        obj.data.update()
        bpy.context.view_layer.update()
        links.tick()
        time.sleep(0.004 * (k % 4))
    theirs = daemon.positions(each.session.id, [9, 9, 9], first=0)
    pump(links, lambda: each.session.state.version >= theirs.version and is_settled(links), "the last version does not come")
    points = daemon.cage(each.session.id).points
    check(numpy.array_equal(array(obj.data.vertices, "co", 3), points), "this mesh is not the daemon's")
    check(points[:2].tolist() == [[9, 9, 9], [1, 24, 2]], "the last changes are %s" % points[:2])
    compare(obj)


def while_editing(links, obj, each, daemon):
    """Their positions are taken in Edit Mode, their faces behind it."""
    bpy.ops.object.mode_set(mode="EDIT")
    settle(links)
    cage, version = daemon.cage(each.session.id), each.session.state.version
    cage.points[2] = (7, 8, 9)
    daemon.positions(each.session.id, cage.points)
    pump(links, lambda: each.session.state.version == version + 1 and is_settled(links), "positions do not come in Edit Mode")
    bm = bmesh.from_edit_mesh(obj.data)
    bm.verts.ensure_lookup_table()
    check(tuple(bm.verts[2].co) == (7, 8, 9), "positions were not taken in Edit Mode")
    daemon.edits(each.session.id, version + 1, [subdd().edits.remove_faces(cage.face_ids[:1])])
    pump(links, lambda: "Edit Mode" in each.sentence, "it is not told that faces wait")
    bpy.ops.object.mode_set(mode="OBJECT")
    settle(links)
    check(len(obj.data.polygons) == len(cage.face_ids) - 1 and not each.sentence, "faces were not taken behind Edit Mode")
    check(daemon.show(each.session.id).version == version + 2, "taking them made a version")
    compare(obj)
    bpy.ops.object.shape_key_add()
    bpy.ops.object.shape_key_add()
    settle(links)
    daemon.positions(each.session.id, daemon.cage(each.session.id).points * 2)
    pump(links, lambda: "shape keys" in each.sentence, "it is not told that shape keys are in the way")
    check(not bpy.ops.subdd.take.poll(), "their version could be taken over shape keys")
    bpy.ops.subdd.put()
    settle(links)
    compare(obj)


def subdd():
    """The package that the add-on brings along."""
    return sys.modules["subdd.subd"]


def case_other(links):
    """The second Blender of case_two."""
    links.uses_threads = True
    bpy.ops.subdd.join(mesh=MORE[0])
    settle(links)
    obj, each = bpy.context.object, only(links)
    check(each.session.state.version == 1, "joining made a version")
    check(obj.modifiers[0].boundary_smooth == "PRESERVE_CORNERS", "the settings are not the mesh's")
    obj.modifiers[0].quality = 10
    obj.modifiers[0].levels = 2
    settle(links)
    compare(obj)
    obj.data.vertices[0].co.z = 3
    obj.data.update()
    pump(links, lambda: each.session.state.version == 3 and is_settled(links), "their position does not come", 60)
    check([round(v.co.z, 5) for v in obj.data.vertices[:2]] == [3, 4], "the positions of both are not there")
    compare(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bm = bmesh.from_edit_mesh(obj.data)
    bm.faces.ensure_lookup_table()
    bmesh.ops.delete(bm, geom=bm.faces[:-17], context="FACES_ONLY")
    bmesh.update_edit_mesh(obj.data)
    settle(links)
    bpy.ops.object.mode_set(mode="OBJECT")
    settle(links)


# ---- the figure ------------------------------------------------------------------------------------------------------
def wave(obj, k):
    co = array(obj.data.vertices, "co", 3)
    co[:, 2] = 0.1 * numpy.sin(5 * co[:, 0] + k) * numpy.cos(4 * co[:, 1])
    obj.data.vertices.foreach_set("co", co.reshape(-1))
    obj.data.update()


def case_bench(links):
    """A new pose to the finished mesh: by the link, and by the modifier of a copy, in turns. Without threads, as Blender
    in the background works."""
    faces, level, rounds = (int(x) for x in MORE)
    obj = grid(int(faces**0.5), 1)
    other = obj.copy()
    other.data = obj.data.copy()
    bpy.ops.subdd.link()
    wave(obj, 0)
    bpy.ops.subdd.update()
    print("checked: level 1 is apart by %.2g of the box" % compare(obj))
    bpy.context.scene.collection.objects.link(other)
    for o in (obj, other):
        o.modifiers[0].levels = level
        o.modifiers[0].quality = 3  # Blender's default.
    view, times = bpy.context.view_layer, {"link": [], "shown": [], "modifier": []}
    phases = []
    for k in range(rounds + 3):  # The first ones build topology, and tables where they pay.
        wave(obj, k)
        start = time.perf_counter()
        links.update()
        done = time.perf_counter()
        view.update()
        times["link"].append(done - start)
        times["shown"].append(time.perf_counter() - start)
        each = only(links)
        check(not each.session.state.problem and not each.session.state.away, "%s" % each.session.state)
        phases.append({**each.session.state.timings, "apply": each.apply_seconds})
        wave(other, k)
        start = time.perf_counter()
        view.update()
        n = len(other.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices)
        times["modifier"].append(time.perf_counter() - start)
        check(n == len(obj.subdd.surface.data.vertices), "the modifier has %d vertices" % n)
    median = {name: statistics.median(row[3:]) for name, row in times.items()}
    out = {
        "faces": faces, "level": level, "vertices": n, "rounds": rounds, "method": each.session.state.method,
        **{name + "_ms": round(1000 * t, 1) for name, t in median.items()},
        "ratio": round(median["link"] / median["modifier"], 4), "ratio_shown": round(median["shown"] / median["modifier"], 4),
        "phases_ms": {p: round(1000 * statistics.median(row[p] for row in phases[3:]), 2) for p in phases[-1]}
    }
    print("RESULT " + json.dumps(out))


globals()["case_" + CASE](enable())
