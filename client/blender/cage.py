# SPDX-License-Identifier: Apache-2.0
"""A control mesh as arrays, for what happens between Blender and the daemon: made into a message, read from one, and
compared with an earlier one. Nothing here knows Blender."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

import numpy

from .subd import Mesh, Primvar, edits

_ROUNDING = 1e-5  # Of a sharpness that was a crease meanwhile.
MATERIALS, FLAT = "materialBind", "shadeFlat"  # Uniform, of whole numbers: the material's slot from 1 on; shading.
_HELD = {("varying", 4), ("faceVarying", 4), ("faceVarying", 2)}  # Of the primvars of others: colours and UVs.
_UV_LIMIT = 1e-4  # Blender's STD_UV_CONNECT_LIMIT.
FIRST_UVS = "st"  # The first UV map, in USD's name.


@dataclass
class Attribute:
    """Values that ride along: a row for each face (uniform), vertex (varying) or corner (faceVarying). Corners of a
    vertex whose values are equal are one value, so that there is no seam."""

    interpolation: str
    values: Any  # float32 or int32 [rows][width]
    set_names: List[str] = field(default_factory=list)

    def like_but_points(self, other: Optional["Cage"]) -> bool:
        """The same, as far as Blender can hold it."""
        return (self.same_faces(other) and self.same_attributes(other) and numpy.array_equal(self.holes, other.holes) and
                numpy.array_equal(self.crease_keys, other.crease_keys) and
                numpy.array_equal(self.corner_ids, other.corner_ids) and
                numpy.allclose(self.crease_sharpnesses, other.crease_sharpnesses, 0, _ROUNDING) and
                numpy.allclose(self.corner_sharpnesses, other.corner_sharpnesses, 0, _ROUNDING))

    def same(self, other: Optional["Attribute"]) -> bool:
        return (other is not None and self.interpolation == other.interpolation and
                self.set_names == other.set_names and numpy.array_equal(self.values, other.values))


@dataclass
class Cage:
    """Creases are kept by key, lower vertex << 32 | higher vertex, ascending."""

    points: Any  # float32[V][3]
    counts: Any  # int32[F]
    indices: Any  # int32[C]
    crease_keys: Any  # int64[n]
    crease_sharpnesses: Any  # float32[n]
    corner_ids: Any  # int32[n], ascending
    corner_sharpnesses: Any  # float32[n]
    holes: Any  # int32[n], ascending
    attributes: Dict[str, Attribute] = field(default_factory=dict)
    loose: int = 0  # Edges without a face, which are left out.

    def same_faces(self, other: Optional["Cage"]) -> bool:
        """Do they have the same faces of the same vertices?"""
        return (other is not None and len(self.points) == len(other.points) and
                numpy.array_equal(self.counts, other.counts) and numpy.array_equal(self.indices, other.indices))

    def same_tags(self, other: "Cage") -> bool:
        pairs = ((self.crease_keys, other.crease_keys), (self.crease_sharpnesses, other.crease_sharpnesses),
                 (self.corner_ids, other.corner_ids), (self.corner_sharpnesses, other.corner_sharpnesses),
                 (self.holes, other.holes))
        return all(numpy.array_equal(a, b) for a, b in pairs)

    def same_attributes(self, other: "Cage") -> bool:
        return (self.attributes.keys() == other.attributes.keys() and
                all(a.same(other.attributes[name]) for name, a in self.attributes.items()))

    def same_but_points(self, other: Optional["Cage"]) -> bool:
        return self.same_faces(other) and self.same_tags(other) and self.same_attributes(other)

    def like_but_points(self, other: Optional["Cage"]) -> bool:
        """The same, as far as Blender can hold it."""
        return (self.same_faces(other) and self.same_attributes(other) and numpy.array_equal(self.holes, other.holes) and
                numpy.array_equal(self.crease_keys, other.crease_keys) and
                numpy.array_equal(self.corner_ids, other.corner_ids) and
                numpy.allclose(self.crease_sharpnesses, other.crease_sharpnesses, 0, _ROUNDING) and
                numpy.allclose(self.corner_sharpnesses, other.corner_sharpnesses, 0, _ROUNDING))

    def same(self, other: Optional["Cage"]) -> bool:
        return self.same_but_points(other) and numpy.array_equal(self.points, other.points)

    def edge_keys(self) -> Any:
        """The key of the edge after each corner."""
        ends = numpy.cumsum(self.counts, dtype=numpy.int64)
        following = numpy.arange(1, len(self.indices) + 1)
        following[ends - 1] = ends - self.counts
        return keys_of(self.indices, self.indices[following])


def keys_of(a: Any, b: Any) -> Any:
    return numpy.minimum(a, b).astype(numpy.int64) << 32 | numpy.maximum(a, b)


def _pairs(keys: Any) -> Any:
    return numpy.stack([keys >> 32, keys & 0xFFFFFFFF], 1).astype(numpy.int32)


def _windings(cage: Cage, uvs: Any) -> Any:
    """For each corner, whether its face runs against the clock in the UV map, as Blender has it."""
    ends = numpy.cumsum(cage.counts, dtype=numpy.int64)
    before = numpy.arange(-1, len(uvs) - 1)
    before[ends - cage.counts] = ends - 1
    trapezia, area = (uvs[before, 0] - uvs[:, 0]) * (uvs[before, 1] + uvs[:, 1]), numpy.zeros(len(ends), numpy.float32)
    for k in range(int(cage.counts.max(initial=0))):  # In Blender's order: of a face without area rounding decides.
        has = numpy.flatnonzero(cage.counts > k)
        area[has] += trapezia[ends[has] - cage.counts[has] + k]
    return numpy.repeat(area >= 0, cage.counts)


def weld(cage: Cage, values: Any, limit: float = 0.0, splits: Any = None) -> Any:
    """(rows, index of each corner): corners of one vertex share a row with the last of them whose values are within the
    limit; those with other splits do not. It is how Blender finds where its UV maps have seams."""
    indices, n, seeds = numpy.empty(len(values), numpy.int32), 0, []
    left = numpy.argsort(cage.indices[::-1], kind="stable")
    left = len(values) - 1 - left
    while len(left):
        vertices = cage.indices[left]
        first = numpy.ones(len(left), bool)
        first[1:] = vertices[1:] != vertices[:-1]
        group = numpy.cumsum(first) - 1
        seed = left[first][group]
        near = (abs(values[left] - values[seed]) <= limit).all(1)
        near &= splits[left] == splits[seed] if splits is not None else True
        near |= left == seed
        indices[left[near]] = n + group[near]
        n, seeds, left = n + int(first.sum()), seeds + [left[first]], left[~near]
    return values[numpy.concatenate(seeds)] if seeds else values, indices


def weld_uvs(cage: Cage, uvs: Any) -> Any:
    """The same of a UV map, as Blender's modifier does it: values that are close are one, and where faces run the other
    way, as where a map is mirrored, there is a seam."""
    return weld(cage, uvs, _UV_LIMIT, _windings(cage, uvs))


def is_mirrored(cage: Cage) -> bool:
    """Are there seams in the first UV map where its values are equal? Edits cannot make those."""
    found = cage.attributes.get(FIRST_UVS)
    if not found:
        return False
    rows, indices = weld_uvs(cage, found.values)
    return len(weld(cage, rows[indices])[0]) != len(rows)


def _primvar(cage: Cage, name: str, a: Attribute) -> Primvar:
    kind = "i32" if a.values.dtype.kind == "i" else "f32"
    values, indices = a.values, None
    if a.interpolation == "faceVarying":
        values, indices = weld_uvs(cage, values) if values.shape[1] == 2 else weld(cage, values)
    return Primvar(name, a.interpolation, values, a.values.shape[1], kind, indices, a.set_names)


def to_mesh(cage: Cage, name: str, options: Dict[str, str]) -> Mesh:
    """The message for a new mesh."""
    first = cage.attributes.get(FIRST_UVS)
    st, st_indices = weld_uvs(cage, first.values) if first else (None, None)
    return Mesh(
        cage.points, cage.counts, cage.indices, name=name, options=options, up_axis="Z",
        crease_indices=_pairs(cage.crease_keys), crease_lengths=numpy.full(len(cage.crease_keys), 2, numpy.int32),
        crease_sharpnesses=cage.crease_sharpnesses, corner_indices=cage.corner_ids,
        corner_sharpnesses=cage.corner_sharpnesses, hole_indices=cage.holes, st=st, st_indices=st_indices,
        primvars=[_primvar(cage, n, a) for n, a in cage.attributes.items() if n != FIRST_UVS])


def _creases_of(mesh: Mesh) -> Any:
    """Keys, ascending, and sharpnesses of the chains of a mesh; of an edge that is there twice the later counts."""
    chain, lengths, sharp = mesh.crease_indices, mesh.crease_lengths, mesh.crease_sharpnesses
    if not len(chain):
        return numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.float32)
    ends = numpy.cumsum(lengths)
    inside = numpy.ones(len(chain), bool)
    inside[ends - 1] = False
    at = numpy.flatnonzero(inside)
    keys = keys_of(chain[at], chain[at + 1])
    if len(sharp) == len(lengths) and len(sharp) != len(at):
        sharp = numpy.repeat(sharp, lengths - 1)
    unique, last = numpy.unique(keys[::-1], return_index=True)
    return unique, sharp[::-1][last]


def from_mesh(mesh: Mesh) -> Cage:
    """The control mesh that the daemon has. Of its primvars those that Blender can hold."""
    keys, sharp = _creases_of(mesh)
    corners = numpy.argsort(mesh.corner_indices, kind="stable")
    attributes = {}
    if len(mesh.st):
        attributes[FIRST_UVS] = Attribute("faceVarying", mesh.st[mesh.st_indices])
    for p in mesh.primvars:
        values = p.values.reshape(-1, p.width)
        if (p.interpolation, p.width) in _HELD or (p.name in (MATERIALS, FLAT) and p.type == "i32" and p.width == 1):
            attributes[p.name] = Attribute(p.interpolation, values if p.indices is None else values[p.indices],
                                           list(p.set_names))
    return Cage(mesh.points, mesh.face_vertex_counts, mesh.face_vertex_indices, keys, sharp,
                mesh.corner_indices[corners], mesh.corner_sharpnesses[corners], numpy.sort(mesh.hole_indices),
                attributes)


# ---- from one cage to another ----------------------------------------------------------------------------------------
def _same_start(old: Cage, new: Cage) -> int:
    """How many faces at the start are the same in both."""
    n = min(len(old.counts), len(new.counts))
    differ = numpy.flatnonzero(old.counts[:n] != new.counts[:n])
    n = int(differ[0]) if len(differ) else n
    corners = int(new.counts[:n].sum())
    differ = numpy.flatnonzero(old.indices[:corners] != new.indices[:corners])
    if len(differ):
        n = int(numpy.searchsorted(numpy.cumsum(new.counts[:n]), differ[0], "right"))
    return n


def _tag_changes(old_keys: Any, old_values: Any, new_keys: Any, new_values: Any, there: Any) -> Any:
    """The keys and values to set: of what is new or another; 0 where a tag is gone of what is still there."""
    gone = old_keys[~numpy.isin(old_keys, new_keys) & there(old_keys)]
    old = dict(zip(old_keys.tolist(), old_values.tolist()))
    kept = [old.get(k) == v for k, v in zip(new_keys.tolist(), new_values.tolist())]
    to_set = ~numpy.array(kept, bool)
    return (numpy.concatenate([gone, new_keys[to_set]]),
            numpy.concatenate([numpy.zeros(len(gone), numpy.float32), new_values[to_set]]))


def changes(old: Cage, new: Cage, vertex_ids: Any, face_ids: Any, has_uvs: bool) -> Any:
    """The edits that make the new cage of the old one, whose rows have these ids; and how many vertices and faces stay.
    Vertices keep their ids by their rows, faces from the first one to the first that differs, so that rows come in the
    order of the new cage. UVs of a mesh that has them cannot be removed; they become zero."""
    kept, same = min(len(old.points), len(new.points)), _same_start(old, new)
    ids = numpy.concatenate([vertex_ids[:kept], -1 - numpy.arange(len(new.points) - kept, dtype=numpy.int32)])
    faces = numpy.concatenate([face_ids[:same], -1 - numpy.arange(len(new.counts) - same, dtype=numpy.int32)])
    ids, faces = ids.astype(numpy.int32), faces.astype(numpy.int32)
    first = int(new.counts[:same].sum())
    batch = []
    if len(new.points) > kept:
        batch.append(edits.add_vertices(new.points[kept:]))
    if len(old.counts) > same:
        batch.append(edits.remove_faces(face_ids[same:]))
    uvs = _uvs(new, has_uvs)
    if len(new.counts) > same:
        batch.append(edits.add_faces(new.counts[same:], ids[new.indices[first:]], uvs[first:] if has_uvs else None))
    if len(old.points) > kept:
        batch.append(edits.remove_vertices(vertex_ids[kept:]))
    moved = numpy.flatnonzero((old.points[:kept] != new.points[:kept]).any(1))
    if len(moved):
        batch.append(edits.set_positions(ids[moved], new.points[moved]))
    if uvs is not None and not has_uvs:
        batch.append(edits.set_uvs(faces, uvs))
    elif uvs is not None and same and not numpy.array_equal(_uvs(old, True)[:first], uvs[:first]):
        batch.append(edits.set_uvs(faces[:same], uvs[:first]))
    batch += _tags(old, new, ids, faces, kept, same)
    batch += [edits.remove_primvar(name) for name in old.attributes if name not in new.attributes and name != FIRST_UVS]
    moved_rows = not new.same_faces(old)
    batch += [edits.put_primvar(_primvar(new, name, a)) for name, a in new.attributes.items()
              if name != FIRST_UVS and (moved_rows or not a.same(old.attributes.get(name)))]
    return batch, kept, same


def _uvs(cage: Cage, has_uvs: bool) -> Any:
    """The first UVs of each corner; zeros where the mesh must have some and the cage has none."""
    found = cage.attributes.get(FIRST_UVS)
    if not found:
        return numpy.zeros((len(cage.indices), 2), numpy.float32) if has_uvs else None
    rows, indices = weld_uvs(cage, found.values)
    return rows[indices]


def _tags(old: Cage, new: Cage, ids: Any, faces: Any, kept: int, same: int) -> List[Any]:
    batch, edges = [], numpy.unique(new.edge_keys())
    keys, sharp = _tag_changes(old.crease_keys, old.crease_sharpnesses, new.crease_keys, new.crease_sharpnesses,
                               lambda k: numpy.isin(k, edges))
    if len(keys):
        batch.append(edits.set_creases(ids[_pairs(keys)], sharp))
    rows, sharp = _tag_changes(old.corner_ids, old.corner_sharpnesses, new.corner_ids, new.corner_sharpnesses,
                               lambda r: r < kept)
    if len(rows):
        batch.append(edits.set_corners(ids[rows], sharp))
    for holes, others, is_hole in ((old.holes[old.holes < same], new.holes, False),
                                   (new.holes, old.holes[old.holes < same], True)):
        differ = holes[~numpy.isin(holes, others)]
        if len(differ):
            batch.append(edits.set_holes(faces[differ], is_hole))
    return batch
