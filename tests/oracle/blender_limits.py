# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender: blender -b --factory-startup --python-exit-code 7 -P blender_limits.py -- MESHES.json

For each mesh of the list: builds the cage with its edge and vertex creases, puts the Subdivision Surface modifier on it
and writes the limit surface's vertices to the mesh's "out", as float32 triples. See test_blender.c."""
import array
import json
import sys

import bmesh
import bpy


def cage(mesh):
    b = bmesh.new()
    edge_layer, vertex_layer = b.edges.layers.crease.verify(), b.verts.layers.crease.verify()  # moves what is there
    verts = [b.verts.new(p) for p in mesh["points"]]
    for face in mesh["faces"]:
        b.faces.new([verts[v] for v in face])
    for a, c, crease in mesh["creases"]:
        b.edges.get([verts[a], verts[c]])[edge_layer] = crease
    for v, crease in mesh["corners"]:
        verts[v][vertex_layer] = crease
    out = bpy.data.meshes.new(mesh["name"])
    b.to_mesh(out)
    b.free()
    return out


def limit_points(mesh):
    o = bpy.data.objects.new(mesh["name"], cage(mesh))
    bpy.context.scene.collection.objects.link(o)
    m = o.modifiers.new("limit", "SUBSURF")
    m.levels = m.render_levels = mesh["level"]
    m.boundary_smooth = mesh["boundary"]
    m.use_limit_surface = m.use_creases = True
    m.quality = 10
    refined = o.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    return array.array("f", [x for v in refined.vertices for x in v.co])


for each in json.load(open(sys.argv[-1])):
    with open(each["out"], "wb") as f:
        limit_points(each).tofile(f)
