# SPDX-License-Identifier: Apache-2.0
"""A script for Maya that makes the limit surface of the selected mesh, with its creases, as a new mesh beside it. Not
run here: there is no Maya on the machines that test this repository; it uses names of maya.api.OpenMaya that Autodesk
documents.

Put client/python on PYTHONPATH, select a polygon mesh, and run this in the Script Editor, or call
limit_surface(level)."""
import array

import maya.api.OpenMaya as om
from maya import cmds

import subd


def read(shape):
    """The mesh in its own space. Maya's crease values are sharpnesses of OpenSubdiv."""
    counts, corners = shape.getVertices()
    points = array.array("f", (x for p in shape.getPoints(om.MSpace.kObject) for x in (p.x, p.y, p.z)))
    try:
        edges, sharpnesses = shape.getCreaseEdges()
    except RuntimeError:
        edges, sharpnesses = (), ()  # Maya raises this where a mesh has none.
    creased = [(edge, value) for edge, value in zip(edges, sharpnesses) if value > 0]
    return subd.Mesh(points, array.array("i", counts), array.array("i", corners), name=shape.name(),
                     up_axis=cmds.upAxis(q=True, axis=True).upper(),
                     crease_indices=array.array("i", (v for edge, _ in creased for v in shape.getEdgeVertices(edge))),
                     crease_lengths=array.array("i", [2] * len(creased)),
                     crease_sharpnesses=array.array("f", (value for _, value in creased)))


def rows(block, width):
    """A block as lists of numbers, with numpy or without."""
    numbers = memoryview(block).cast("B").cast("f" if width == 3 else "I")
    return zip(*(numbers[k::width] for k in range(width)))


def limit_surface(level=2, server=None):
    path = om.MGlobal.getActiveSelectionList().getDagPath(0)
    path.extendToShape()
    shape = om.MFnMesh(path)
    with subd.Client(server, request_timeout=60) as daemon:
        mesh = daemon.push(read(shape))
        try:
            frame = daemon.refined(mesh, level, surface="limit")
        finally:
            daemon.delete(mesh)
    points = om.MPointArray([om.MPoint(*p) for p in rows(frame["positions"], 3)])
    corners = om.MIntArray([c for face in rows(frame["indices"], 4) for c in face])
    made = om.MFnMesh().create(points, om.MIntArray([4] * frame.faces), corners)
    name = cmds.rename(om.MFnDagNode(made).fullPathName(), path.partialPathName().split("|")[-1] + "_limit")
    cmds.xform(name, worldSpace=True, matrix=list(path.inclusiveMatrix()))
    cmds.sets(name, edit=True, forceElement="initialShadingGroup")
    return name


if __name__ == "__main__":
    try:
        print(limit_surface())
    except subd.Error as error:
        om.MGlobal.displayError("subd: %s" % error)
