# SPDX-License-Identifier: Apache-2.0
"""Edits, of which Client.edits takes a list. Vertices and faces are named by ids (vertex_ids and face_ids of the cage);
-1-k is the k-th vertex, or face, that the batch adds."""
from __future__ import annotations

from typing import Any

from . import wire
from .arrays import pack
from .mesh import Primvar


def _edit(number: int, *fields: wire.Pieces) -> wire.Pieces:
    return wire.put(number, [piece for field in fields for piece in field])


def _ids(ids: Any, number: int = 1) -> wire.Pieces:
    return wire.put(number, pack(ids, "i32", "ids"))


def _floats(number: int, values: Any, what: str) -> wire.Pieces:
    return wire.put(number, pack(values, "f32", what))


def add_vertices(points: Any) -> wire.Pieces:
    """New vertices at points[n][3]; the answer tells their ids."""
    return _edit(1, _floats(1, points, "points"))


def remove_vertices(ids: Any) -> wire.Pieces:
    """No face may use them when the batch is done."""
    return _edit(2, _ids(ids))


def add_faces(face_vertex_counts: Any, face_vertex_indices: Any, st: Any = None) -> wire.Pieces:
    """New faces by vertex ids; st has a UV for each corner, and is needed when the mesh has UVs."""
    return _edit(3, wire.put(1, pack(face_vertex_counts, "i32", "face_vertex_counts")),
                 wire.put(2, pack(face_vertex_indices, "i32", "face_vertex_indices")), _floats(3, st, "st"))


def remove_faces(ids: Any) -> wire.Pieces:
    """Vertices stay; a crease goes when no face has its edge any more."""
    return _edit(4, _ids(ids))


def set_positions(ids: Any, points: Any) -> wire.Pieces:
    """Vertices move to points[n][3]."""
    return _edit(5, _ids(ids), _floats(2, points, "points"))


def set_creases(edges: Any, sharpnesses: Any) -> wire.Pieces:
    """Edges as pairs of vertex ids, and a sharpness for each: 0 removes the crease, 10 and more is infinite."""
    return _edit(6, wire.put(1, pack(edges, "i32", "edges")), _floats(2, sharpnesses, "sharpnesses"))


def set_corners(ids: Any, sharpnesses: Any) -> wire.Pieces:
    """A sharpness for each vertex; 0 removes it."""
    return _edit(7, _ids(ids), _floats(2, sharpnesses, "sharpnesses"))


def set_holes(ids: Any, hole: bool = True) -> wire.Pieces:
    """Faces become holes, or whole again."""
    return _edit(8, _ids(ids), wire.put(2, bool(hole)))


def set_uvs(ids: Any, st: Any) -> wire.Pieces:
    """New UVs for all corners of these faces, in order."""
    return _edit(9, _ids(ids), _floats(2, st, "st"))


def set_primvar(name: str, values: Any, ids: Any = None, type: str = "f32") -> wire.Pieces:
    """Values of some elements: vertices or faces by the primvar's class, none of a constant one. type is the
    primvar's."""
    return _edit(10, wire.put(1, name), _ids(ids, 2), wire.put(3, pack(values, type, "values")))


def put_primvar(primvar: Primvar) -> wire.Pieces:
    """A new primvar, or one in the place of the one of that name; with the rows that the mesh has at the end of the
    batch."""
    return _edit(11, primvar.pieces())


def remove_primvar(name: str) -> wire.Pieces:
    """With all its values."""
    return _edit(12, wire.put(1, name))


# ---- modelling edits, which the daemon turns into those above ----
def _t(t: Any) -> wire.Pieces:
    return _floats(2, [t] if isinstance(t, (int, float)) else t, "t")


def _edges(number: int, edges: Any, t: Any = None) -> wire.Pieces:
    return _edit(number, wire.put(1, pack(edges, "i32", "edges")), _t(t))


def _at(number: int, ids: Any, t: Any) -> wire.Pieces:
    return _edit(number, _ids(ids), _t(t))


def flip_edges(edges: Any) -> wire.Pieces:
    """Each edge of two faces goes on to the next corners of both. An edge is a pair of vertices, here and below."""
    return _edges(13, edges)


def split_edges(edges: Any, t: Any = None) -> wire.Pieces:
    """A new vertex on each edge, t of the way: one number in a list for all, or one for each; 0.5 without it."""
    return _edges(14, edges, t)


def collapse_edges(edges: Any, t: Any = None) -> wire.Pieces:
    """The second vertex of each goes, and the first moves t of the way to it; 0.5 without t."""
    return _edges(15, edges, t)


def split_faces(ids: Any, edges: Any) -> wire.Pieces:
    """A new edge in each face, between the two of its vertices that edges[n][2] names."""
    return _edit(16, _ids(ids), wire.put(2, pack(edges, "i32", "edges")))


def poke_faces(ids: Any) -> wire.Pieces:
    """A new vertex in the middle of each face, and triangles around it."""
    return _edit(17, _ids(ids))


def triangulate_faces(ids: Any) -> wire.Pieces:
    """Each face becomes triangles."""
    return _edit(18, _ids(ids))


def extrude_faces(ids: Any, by: Any = None) -> wire.Pieces:
    """Faces that touch move together, with walls around them. by has a distance along the normals, [d], or a vector."""
    return _edit(19, _ids(ids), _floats(2, by, "by"))


def inset_faces(ids: Any, t: Any = None) -> wire.Pieces:
    """A smaller face in each, whose corners are t of the way to its middle; 0.5 without t."""
    return _at(20, ids, t)


def reverse_faces(ids: Any) -> wire.Pieces:
    """Corners in the opposite order."""
    return _edit(21, _ids(ids))


def loop_cut(edges: Any, t: Any = None) -> wire.Pieces:
    """From each edge, a cut through the quads on both sides and on; t as of split_edges."""
    return _edges(22, edges, t)


def dissolve_vertices(ids: Any) -> wire.Pieces:
    """Vertices go, and the faces around each become one."""
    return _edit(23, _ids(ids))


def dissolve_edges(edges: Any) -> wire.Pieces:
    """The two faces of each edge become one."""
    return _edges(24, edges)


def dissolve_faces(ids: Any) -> wire.Pieces:
    """Those of the faces that have common edges become one."""
    return _edit(25, _ids(ids))


def merge_vertices(ids: Any, t: Any = None) -> wire.Pieces:
    """The first stays for all of them, and moves t ([1] without it) of the way to their middle."""
    return _at(26, ids, t)
