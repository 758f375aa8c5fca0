# SPDX-License-Identifier: Apache-2.0
"""The code of a Houdini Python SOP whose output is the limit surface of its input. Not run here: there is no Houdini on
the machines that test this repository; it uses names of hou that SideFX documents, and numpy, which Houdini has.

Put client/python on PYTHONPATH, make a Python SOP, and paste this as its code. Parameters that it reads where the node
has them: level (integer), server (string). Only the topology goes to the daemon once; while points alone move, each
cook is a pose."""
import hashlib

import hou
import numpy

import subd


def parm(node, name, default):
    found = node.parm(name)
    return found.eval() if found else default


def read(geometry):
    """Points, corners of each face, and their points. Houdini's faces run clockwise, which USD calls leftHanded."""
    points = numpy.frombuffer(geometry.pointFloatAttribValuesAsString("P"), numpy.float32)
    faces = [[vertex.point().number() for vertex in prim.vertices()] for prim in geometry.prims()]
    counts = numpy.array([len(face) for face in faces], numpy.int32)
    return points, counts, numpy.array([point for face in faces for point in face], numpy.int32)


def pushed(node, daemon, points, counts, corners):
    """The id of the mesh of this topology, which stays at the daemon between cooks."""
    topology = hashlib.sha256(counts.tobytes() + corners.tobytes() + b"%d" % len(points)).hexdigest()
    known = node.cachedUserData("subd")
    if known and known[0] == topology:
        return known[1]
    if known:
        try:
            daemon.delete(known[1])
        except subd.Refused:
            pass  # Somebody else has deleted it.
    mesh = subd.Mesh(points, counts, corners, name=node.path(), options={"orientation": "leftHanded"})
    node.setCachedUserData("subd", (topology, daemon.push(mesh).id))
    return node.cachedUserData("subd")[1]


def write(geometry, frame):
    geometry.clear()
    geometry.createPoints(numpy.zeros((frame.vertices, 3)).tolist())
    geometry.setPointFloatAttribValuesFromString("P", frame["positions"].tobytes(), float_type=hou.numericData.Float32)
    geometry.addAttrib(hou.attribType.Point, "N", (0.0, 0.0, 0.0))
    geometry.setPointFloatAttribValuesFromString("N", frame["normals"].tobytes(), float_type=hou.numericData.Float32)
    geometry.createPolygons(frame["indices"][:, ::-1].tolist())


def surface(node, daemon):
    points, counts, corners = read(node.inputs()[0].geometry())
    for attempt in range(2):
        mesh = pushed(node, daemon, points, counts, corners)
        try:
            return daemon.pose(mesh, points, parm(node, "level", 2), surface="limit",
                               include="positions,normals,indices")
        except subd.Refused as refusal:
            if refusal.status != 404 or attempt:
                raise
            node.destroyCachedUserData("subd")  # The daemon has lost the mesh: it gets it again.


def cook():
    node = hou.pwd()
    try:
        with subd.Client(parm(node, "server", "") or None, request_timeout=60) as daemon:
            frame = surface(node, daemon)
    except subd.Error as error:
        raise hou.NodeError("subd: %s" % error)
    write(node.geometry(), frame)


cook()
