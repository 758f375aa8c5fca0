# SPDX-License-Identifier: GPL-3.0-or-later
# What differs between versions of Blender, all in one place; the other files know no version.
"""What differs between versions of Blender, in one file.

| what                         | before                                     | from                                    |
|------------------------------|--------------------------------------------|-----------------------------------------|
| creases of edges, vertices   | edges.crease, vertex_creases               | 4.0: attributes crease_edge, crease_vert |
| polygons.loop_total          | is set along with loop_start               | read-only where the version says so      |
| auto smooth                  | a switch of the mesh                       | 4.1: gone; we never touch it             |
| bpy.app.online_access        | not there: the network is allowed          | 4.2: asked before each connection        |
| how the add-on is told       | bl_info                                    | 4.2: blender_manifest.toml               |

| version | run                                                                    |
|---------|------------------------------------------------------------------------|
| 3.4.1   | yes: tests/blender, Debian 12's package, without a screen and with one |
| 3.5-4.1 | no                                                                     |
| 4.2 on  | no                                                                     |
"""
import bmesh
import bpy
import numpy


def online() -> bool:
    """Whether the user lets Blender use the network."""
    return bool(getattr(bpy.app, "online_access", True))


def _attribute(mesh, name, n):
    found = mesh.attributes.get(name)
    out = numpy.zeros(n, numpy.float32)
    if found and len(found.data) == n:
        found.data.foreach_get("value", out)
    return out


def edge_creases(mesh):
    """The crease of each edge, 0 to 1."""
    if bpy.app.version >= (4, 0, 0):
        return _attribute(mesh, "crease_edge", len(mesh.edges))
    out = numpy.zeros(len(mesh.edges), numpy.float32)
    mesh.edges.foreach_get("crease", out)
    return out


def vertex_creases(mesh):
    """The crease of each vertex, 0 to 1."""
    if bpy.app.version >= (4, 0, 0):
        return _attribute(mesh, "crease_vert", len(mesh.vertices))
    out = numpy.zeros(len(mesh.vertices), numpy.float32)
    if mesh.vertex_creases:
        mesh.vertex_creases[0].data.foreach_get("value", out)
    return out


def set_creases(mesh, edges, vertices):
    """Gives a mesh its creases, 0 to 1, one for each edge and for each vertex; None leaves them out."""
    if bpy.app.version >= (4, 0, 0):
        for name, domain, values in (("crease_edge", "EDGE", edges), ("crease_vert", "POINT", vertices)):
            if values is not None:
                layer = mesh.attributes.get(name) or mesh.attributes.new(name, "FLOAT", domain)
                layer.data.foreach_set("value", values)
        return
    if edges is not None:
        mesh.edges.foreach_set("crease", edges)
    if vertices is not None:
        if not mesh.vertex_creases:
            _new_vertex_creases(mesh)
        mesh.vertex_creases[0].data.foreach_set("value", vertices)


def _new_vertex_creases(mesh):
    """Blender 3 makes the layer of vertex creases only through bmesh."""
    bm = bmesh.new()
    bm.from_mesh(mesh)
    bm.verts.layers.crease.verify()
    bm.to_mesh(mesh)
    bm.free()


def set_polygons(mesh, starts, totals):
    """The faces of a mesh by their first corner and their number of corners."""
    mesh.polygons.foreach_set("loop_start", starts)
    if not bpy.types.MeshPolygon.bl_rna.properties["loop_total"].is_readonly:
        mesh.polygons.foreach_set("loop_total", totals)
