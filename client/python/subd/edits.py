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
