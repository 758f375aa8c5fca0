# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's meshes and arrays: an object's mesh is read as a cage, a surface becomes a mesh, and a cage that
somebody else has changed becomes the object's mesh again."""
import re

import bmesh
import bpy
import numpy

from . import compat
from .cage import FIRST_UVS, FLAT, MATERIALS, Attribute, Cage, keys_of

HOLE = "subdd_hole"  # A face attribute, boolean or integer: the face shapes its neighbours and has no surface.


def _get(things, name, kind, width=1):
    out = numpy.empty(len(things) * width, kind)
    things.foreach_get(name, out)
    return out if width == 1 else out.reshape(-1, width)


def _wire_name(name, taken):
    """A name as primvars can have it, which no other has."""
    plain = re.sub(r"[^A-Za-z0-9_:]", "_", name) or "_"
    plain = "_" + plain if plain[0].isdigit() else plain
    found, n = plain, 2
    while found in taken:
        found, n = "%s_%d" % (plain, n), n + 1
    return found


# ---- reading ---------------------------------------------------------------------------------------------------------
def _attributes(mesh, materials):
    out = {}
    for k, layer in enumerate(mesh.uv_layers):
        name = FIRST_UVS if k == 0 else _wire_name(layer.name, set(out) | {FIRST_UVS, MATERIALS, FLAT})
        out[name] = Attribute("faceVarying", _get(layer.data, "uv", numpy.float32, 2))
    for layer in mesh.color_attributes:
        values = _get(layer.data, "color", numpy.float32, 4)
        name = _wire_name(layer.name, set(out) | {FIRST_UVS, MATERIALS, FLAT})
        out[name] = Attribute("varying" if layer.domain == "POINT" else "faceVarying", values)
    rows = _get(mesh.polygons, "material_index", numpy.int32)
    if rows.any():
        names = _set_names(materials, int(rows.max()) + 1)
        out[MATERIALS] = Attribute("uniform", numpy.clip(rows + 1, 1, len(names))[:, None].astype(numpy.int32), names)
    flat = ~_get(mesh.polygons, "use_smooth", bool)
    if flat.any():
        out[FLAT] = Attribute("uniform", flat[:, None].astype(numpy.int32))
    return out


def _set_names(materials, n):
    """A name for each slot; every one is another, and none is empty."""
    names = []
    for k in range(max(n, len(materials))):
        material = materials[k] if k < len(materials) else None
        name = material.name if material else "slot %d" % (k + 1)
        names.append(name if name not in names else "%s, slot %d" % (name, k + 1))
    return names


def read(mesh, materials, with_creases, before):
    """The cage that a mesh is. before is the one that it was, of which what only faces decide is taken."""
    counts, starts = (_get(mesh.polygons, name, numpy.int32) for name in ("loop_total", "loop_start"))
    indices = _get(mesh.loops, "vertex_index", numpy.int32)
    if len(starts) and not (starts[0] == 0 and numpy.array_equal(starts[1:], numpy.cumsum(counts)[:-1])):
        indices = numpy.concatenate([indices[s:s + n] for s, n in zip(starts, counts)])  # Made by a script, with gaps.
    cage = Cage(_get(mesh.vertices, "co", numpy.float32, 3), counts, indices, *_no_tags(), *_no_tags(numpy.int32),
                _holes(mesh), _attributes(mesh, materials))
    edge, vertex = (_sharpness(c) * with_creases for c in (compat.edge_creases(mesh), compat.vertex_creases(mesh)))
    if not cage.same_faces(before) or edge.any():
        used = numpy.zeros(len(mesh.edges), bool)
        used[_get(mesh.loops, "edge_index", numpy.int32)] = True
        cage.loose = int(len(used) - used.sum())
    else:
        cage.loose = before.loose
    if edge.any():
        ends, edge = _get(mesh.edges, "vertices", numpy.int32, 2)[used], edge[used]
        vertex = numpy.minimum(vertex + _at_ends(ends, edge, len(vertex)), 10)
        keys = keys_of(ends[:, 0], ends[:, 1])[edge > 0]
        order = numpy.argsort(keys)
        cage.crease_keys, cage.crease_sharpnesses = keys[order], edge[edge > 0][order]
    cage.corner_ids = numpy.flatnonzero(vertex).astype(numpy.int32)
    cage.corner_sharpnesses = vertex[cage.corner_ids]
    return cage


def _at_ends(ends, sharpnesses, n):
    """What Blender's modifier adds to the sharpness of a vertex of two edges: the lesser one of theirs."""
    out, valence = numpy.full(n, numpy.inf, numpy.float32), numpy.bincount(ends.reshape(-1), minlength=n)
    numpy.minimum.at(out, ends.reshape(-1), numpy.repeat(sharpnesses, 2))
    return numpy.where(valence == 2, out, 0).astype(numpy.float32)


def _no_tags(kind=numpy.int64):
    return numpy.zeros(0, kind), numpy.zeros(0, numpy.float32)


def _sharpness(creases):
    """As Blender's own modifier has it, to the last bit: a crease of 3.0000002 lasts a step longer than one of 3, and of a
    vertex with several creases that can be seen."""
    return creases * creases * numpy.float32(10)


def _holes(mesh):
    found = mesh.attributes.get(HOLE)
    if not found or found.domain != "FACE" or found.data_type not in ("BOOLEAN", "INT"):
        return numpy.zeros(0, numpy.int32)
    return numpy.flatnonzero(_get(found.data, "value", bool if found.data_type == "BOOLEAN" else numpy.int32)).astype(
        numpy.int32)


def read_object(obj, before):
    """The cage of an object, which was another before: in Edit Mode what is edited; otherwise what its shape keys and other modifiers make of it."""
    materials, own = [slot.material for slot in obj.material_slots], modifier_of(obj)
    if obj.mode == "EDIT":
        copy = bpy.data.meshes.new("subdd")
        try:
            bmesh.from_edit_mesh(obj.data).to_mesh(copy)
            return read(copy, materials, own.use_creases, before)
        finally:
            bpy.data.meshes.remove(copy)
    if not is_shaped(obj):
        return read(obj.data, materials, own.use_creases, before)
    if own.show_viewport:
        own.show_viewport = False  # Its surface is no control mesh.
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return read(evaluated.data, materials, own.use_creases, before)


def mark_holes(mesh, is_hole):
    """The selected faces become holes, or none any more. Not in Edit Mode, where bmesh has no attributes that are true or
    false."""
    found = mesh.attributes.get(HOLE) or mesh.attributes.new(HOLE, "BOOLEAN", "FACE")
    holes = _get(found.data, "value", bool if found.data_type == "BOOLEAN" else numpy.int32)
    holes[_get(mesh.polygons, "select", bool)] = is_hole
    found.data.foreach_set("value", holes)
    mesh.update()


def modifier_of(obj):
    """The last Subdivision modifier, whose settings are those of the link."""
    found = [m for m in obj.modifiers if m.type == "SUBSURF"]
    return found[-1] if found else None


def is_shaped(obj):
    """Is what the daemon gets not the object's own mesh, but what something else makes of it?"""
    own = modifier_of(obj)
    return bool(obj.data.shape_keys) or any(m.show_viewport and m != own for m in obj.modifiers)


# ---- surfaces --------------------------------------------------------------------------------------------------------
def _build(mesh, points, edges, corners, corner_edges, counts):
    """A mesh from buffers. Blender is told the edges, so that it need not look for them."""
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.reshape(-1))
    mesh.edges.add(len(edges) // 2)
    mesh.edges.foreach_set("vertices", edges)
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.loops.foreach_set("edge_index", corner_edges)
    mesh.polygons.add(len(counts))
    starts = numpy.zeros(len(counts), numpy.int32)
    numpy.cumsum(counts[:-1], out=starts[1:])
    compat.set_polygons(mesh, starts, counts)


def _signed(values):
    return values.reshape(-1).view(numpy.int32)


def show(mesh, result, is_built):
    """Makes a mesh the surface of a result; is_built says that it has the faces of it already."""
    points, topology = result.frame["positions"], result.topology
    if is_built:
        mesh.vertices.foreach_set("co", points.reshape(-1))
    else:
        n = len(topology.indices)
        _build(mesh, points, _signed(topology.edges), _signed(topology.indices), _signed(topology.face_edges),
               numpy.full(n, 4, numpy.int32))
    if result.attributes:
        _show_attributes(mesh, result.frame, result.job.cage)
    mesh.update()


def _set_uvs(mesh, name, values):
    layer = mesh.uv_layers.get(name) or mesh.uv_layers.new(name=name, do_init=False)
    if layer:  # Blender has eight at most.
        layer.data.foreach_set("uv", values.reshape(-1))


def _show_attributes(mesh, frame, cage):
    smooth = numpy.ones(len(mesh.polygons), bool)
    rows = numpy.zeros(len(mesh.polygons), numpy.int32)
    for block in list(frame.blocks.values()):
        if block.semantic == "uvs":
            _set_uvs(mesh, "UVMap", block.array[frame["uv_indices"].reshape(-1)])
        elif block.semantic == "primvar" and block.name == FLAT:
            smooth = block.array.reshape(-1) == 0
        elif block.semantic == "primvar" and block.name == MATERIALS:
            rows = numpy.maximum(block.array.reshape(-1).astype(numpy.int32) - 1, 0)
        elif block.semantic == "primvar":
            _show_values(mesh, frame, block)
    mesh.polygons.foreach_set("use_smooth", smooth)
    mesh.polygons.foreach_set("material_index", rows)


def _show_values(mesh, frame, block):
    values = block.array.reshape(-1, block.components)
    is_corner = block.interpolation == "faceVarying"
    if is_corner:
        values = values[frame["primvar_indices:" + block.name].reshape(-1)]
    if is_corner and block.components == 2:
        _set_uvs(mesh, block.name, values)
    elif block.components == 4 and (is_corner or block.interpolation == "varying"):
        layer = mesh.color_attributes.get(block.name) or mesh.color_attributes.new(
            block.name, "FLOAT_COLOR", "CORNER" if is_corner else "POINT")
        layer.data.foreach_set("color", values.reshape(-1))


# ---- another's version -----------------------------------------------------------------------------------------------
def move(obj, points):
    """New positions for an object's own mesh."""
    if obj.mode == "EDIT":
        bm = bmesh.from_edit_mesh(obj.data)
        bm.verts.ensure_lookup_table()
        old = numpy.array([v.co for v in bm.verts], numpy.float32)
        for k in numpy.flatnonzero((old != points).any(1)):
            bm.verts[k].co = points[k]
        bmesh.update_edit_mesh(obj.data, loop_triangles=True, destructive=False)
        return
    obj.data.vertices.foreach_set("co", numpy.ascontiguousarray(points, numpy.float32).reshape(-1))
    obj.data.update()


def replace(mesh, cage):
    """Makes an object's own mesh that of a cage. Not in Edit Mode."""
    keys = cage.edge_keys()
    unique, corner_edges = numpy.unique(keys, return_inverse=True)
    ends = numpy.stack([unique >> 32, unique & 0xFFFFFFFF], 1).astype(numpy.int32)
    _build(mesh, numpy.ascontiguousarray(cage.points), ends.reshape(-1), cage.indices.astype(numpy.int32),
           corner_edges.astype(numpy.int32), cage.counts.astype(numpy.int32))
    edges, corners = numpy.zeros(len(unique), numpy.float32), numpy.zeros(len(cage.points), numpy.float32)
    edges[numpy.searchsorted(unique, cage.crease_keys)] = cage.crease_sharpnesses
    corners[cage.corner_ids] = cage.corner_sharpnesses
    corners = numpy.maximum(corners - _at_ends(ends, edges, len(corners)), 0)  # Which is added again.
    compat.set_creases(mesh, *(numpy.sqrt(numpy.minimum(s, 10) / 10) if s.any() else None for s in (edges, corners)))
    _replace_attributes(mesh, cage)
    mesh.update()


def _replace_attributes(mesh, cage):
    if len(cage.holes):
        holes = numpy.zeros(len(cage.counts), bool)
        holes[cage.holes] = True
        mesh.attributes.new(HOLE, "BOOLEAN", "FACE").data.foreach_set("value", holes)
    smooth = numpy.ones(len(cage.counts), bool)
    for name, a in cage.attributes.items():
        width = a.values.shape[1]
        if name == FLAT:
            smooth = a.values[:, 0] == 0
        elif name == MATERIALS:
            while len(mesh.materials) < len(a.set_names):
                name = a.set_names[len(mesh.materials)]
                mesh.materials.append(bpy.data.materials.get(name) or bpy.data.materials.new(name))
            mesh.polygons.foreach_set("material_index", numpy.maximum(a.values[:, 0] - 1, 0).astype(numpy.int32))
        elif a.interpolation == "faceVarying" and width == 2:
            _set_uvs(mesh, "UVMap" if name == FIRST_UVS else name, a.values)
        elif width == 4 and a.interpolation != "uniform":
            domain = "POINT" if a.interpolation == "varying" else "CORNER"
            mesh.color_attributes.new(name, "FLOAT_COLOR", domain).data.foreach_set("color", a.values.reshape(-1))
    mesh.polygons.foreach_set("use_smooth", smooth)
