# SPDX-License-Identifier: Apache-2.0
"""Control meshes: what is pushed, what a cage is, and what is known of a mesh without its arrays."""
from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Dict, List, Optional

from . import arrays, wire
from .arrays import numpy, pack
from .errors import BadAnswer, UsageError

_WIDTHS = {"points": 3, "st": 2}
_CLASSES = ("constant", "uniform", "varying", "vertex", "faceVarying")
MAX_MESSAGE = (1 << 31) - 1


@dataclass
class Primvar:
    """Values that ride along, in USD's interpolation classes: constant has 1 row, uniform one a face, varying and
    vertex one a vertex, faceVarying any number with an index for each face corner."""

    name: str
    interpolation: str  # constant, uniform, varying, vertex or faceVarying
    values: Any  # [rows][width] of type
    width: int = 1
    type: str = "f32"  # or i32, of constant and uniform
    indices: Any = None  # Rows of values; without them row i is value i.
    set_names: List[str] = field(default_factory=list)  # The names of face sets: value k is the k-th, 0 is none.

    def pieces(self) -> wire.Pieces:
        if self.type not in ("f32", "i32"):
            raise UsageError("primvar %s has type %s; there are f32 and i32" % (self.name, self.type))
        return [
            *wire.put(1, self.name), *wire.put(2, self.interpolation), *wire.put(3, self.type),
            *wire.put(4, int(self.width)),
            *wire.put(5, pack(self.values, self.type, "the values of primvar " + self.name)),
            *wire.put(6, pack(self.indices, "i32", "the indices of primvar " + self.name)),
            *(p for name in self.set_names for p in wire.put(7, name))
        ]


@dataclass
class Mesh:
    """A control mesh in arrays, with the names and the layout of USD's Mesh. Arrays may be numpy's, array.array,
    memoryviews, packed bytes, or lists. A cage that comes from the daemon also has ids, which edits use, and a
    version."""

    points: Any  # f32[vertices][3]
    face_vertex_counts: Any  # i32[faces], or one number that holds for all faces
    face_vertex_indices: Any  # i32[corners]: rows of points
    name: str = ""
    options: Dict[str, str] = field(default_factory=dict)  # scheme, interpolate_boundary, ...: see subd.OPTION_NAMES
    crease_indices: Any = None  # i32: chains of vertices, one after another
    crease_lengths: Any = None  # i32[chains]: vertices in each
    crease_sharpnesses: Any = None  # f32: one for each chain, or one for each edge; 10 is infinite
    corner_indices: Any = None  # i32
    corner_sharpnesses: Any = None  # f32
    hole_indices: Any = None  # i32: faces
    st: Any = None  # f32[values][2]: UVs
    st_indices: Any = None  # i32[corners]: rows of st
    primvars: List[Primvar] = field(default_factory=list)
    up_axis: str = ""  # Y, Z, or empty where it is not known
    meters_per_unit: float = 0.0  # 0 where it is not known
    transform: Any = None  # 16 numbers, USD's matrix4d for row vectors
    vertex_ids: Any = None  # i32[vertices], of a cage alone
    face_ids: Any = None  # i32[faces], of a cage alone
    version: int = 0  # of a cage alone

    def _counts(self) -> memoryview:
        counts = self.face_vertex_counts
        if not isinstance(counts, int):
            return pack(counts, "i32", "face_vertex_counts")
        corners = pack(self.face_vertex_indices, "i32", "face_vertex_indices").nbytes // 4
        if counts < 1 or corners % counts:
            raise UsageError("face_vertex_indices has %d corners, which are no whole faces of %d" % (corners, counts))
        return memoryview(counts.to_bytes(4, "little") * (corners // counts))

    def pieces(self) -> wire.Pieces:
        """The message Mesh. Ids are left out: the daemon gives a mesh its own."""
        unknown = set(self.options) - set(wire.OPTION_NAMES)
        if unknown or len(self.primvars) > wire.MAX_PRIMVARS:
            raise UsageError("options of meshes are %s, and there are at most %d primvars" %
                             (", ".join(wire.OPTION_NAMES), wire.MAX_PRIMVARS))
        options = [p for i, name in enumerate(wire.OPTION_NAMES, 1) for p in wire.put(i, self.options.get(name, ""))]
        out = [*wire.put(1, self.name), *wire.put(2, options)]
        for name, (number, kind) in wire.MESH_ARRAYS.items():
            if not name.endswith("_ids"):
                array = self._counts() if name == "face_vertex_counts" else pack(getattr(self, name), kind, name)
                out += wire.put(number, array)
        out += [p for primvar in self.primvars for p in wire.put(16, primvar.pieces())]
        out += [*wire.put(17, self.up_axis), *wire.put(18, float(self.meters_per_unit))]
        if wire.size_of(out) > MAX_MESSAGE:
            raise UsageError("the mesh has %d bytes, above the 2 GiB that a message holds" % wire.size_of(out))
        return out


@dataclass
class PrimvarInfo:
    """A primvar without its values: rows of them, and how many names of face sets."""

    name: str
    interpolation: str
    type: str
    width: int
    values: int
    sets: int


@dataclass
class MeshInfo:
    """What the daemon knows of a mesh, without its arrays."""

    id: str
    name: str
    version: int
    topology_id: str
    options: Dict[str, str]
    vertices: int
    faces: int
    corners: int
    edges: int
    uvs: int
    residency: str  # device, host or disk
    device_bytes: int
    host_bytes: int
    created: str
    updated: str
    manifold: bool
    bandwidth_before: int  # Of the mesh matrix; only in the answer to a push with reorder="rcm", as the next.
    bandwidth_after: int
    primvars: List[PrimvarInfo]
    up_axis: str
    meters_per_unit: float
    warnings: List[str]  # Only in the answer to a push: what was left out.
    pinned: bool  # It stays on the device.
    quarantined: bool  # Evaluating the mesh has ended the daemon twice, so this version is refused.


@dataclass
class EditResult:
    """The new version, and the ids of what the batch added, in its order (numpy arrays, or memoryviews)."""

    mesh: MeshInfo
    new_vertex_ids: Any
    new_face_ids: Any
    passed_over: int = 0  # How many versions came since that for which the batch was made.


# ---- answers ---------------------------------------------------------------------------------------------------------
def info_of(m: Optional[SimpleNamespace]) -> MeshInfo:
    if m is None or not m.id or len(m.id) > 63 or m.version < 1:
        raise BadAnswer("the server's answer describes no mesh")
    fields = dict(vars(m), options=_options(m.options), primvars=[PrimvarInfo(**vars(p)) for p in m.primvars])
    return MeshInfo(**fields)


def _options(o: Optional[SimpleNamespace]) -> Dict[str, str]:
    return {name: token for name, token in vars(o).items() if token} if o else {}


def result_of(m: SimpleNamespace, made_for: int) -> EditResult:
    info = info_of(m.mesh)
    return EditResult(info, _ints(m.new_vertex_ids), _ints(m.new_face_ids), max(0, info.version - made_for - 1))


def _ints(data: memoryview) -> Any:
    if len(data) % 4:
        raise _unfit()
    return arrays.copy(data, "i32")


def _unfit() -> BadAnswer:
    return BadAnswer("the arrays of the server's control mesh do not fit together")


def _length(a: Any) -> int:
    return 0 if a is None else len(a) if numpy is None else a.size


def _check(a: Any, n: int, least: int, limit: int) -> None:
    """Whether there are n numbers, each from least to below limit."""
    if _length(a) != n:
        raise _unfit()
    if n and ((min(a) if numpy is None else a.min()) < least or (max(a) if numpy is None else a.max()) >= limit):
        raise _unfit()


def _total(a: Any) -> int:
    return sum(a) if numpy is None else int(a.sum(dtype=numpy.int64))


def _check_cage(m: Mesh, n_vertices: int, n_faces: int) -> None:
    n_corners, chain = _length(m.face_vertex_indices), _length(m.crease_indices)
    _check(m.face_vertex_counts, n_faces, 1, n_corners + 1)
    _check(m.face_vertex_indices, n_corners, 0, n_vertices)
    _check(m.crease_indices, chain, 0, n_vertices)
    _check(m.crease_lengths, _length(m.crease_lengths), 2, chain + 1)
    _check(m.corner_indices, _length(m.corner_indices), 0, n_vertices)
    _check(m.hole_indices, _length(m.hole_indices), 0, n_faces)
    _check(m.st_indices, n_corners if _length(m.st) else 0, 0, _length(m.st) // 2)
    _check(m.vertex_ids, n_vertices, 0, 1 << 31)
    _check(m.face_ids, n_faces, 0, 1 << 31)
    if _total(m.face_vertex_counts) != n_corners or _total(m.crease_lengths) != chain:
        raise _unfit()
    if _length(m.corner_sharpnesses) != _length(m.corner_indices):
        raise _unfit()
    if _length(m.crease_sharpnesses) not in (_length(m.crease_lengths), chain - _length(m.crease_lengths)):
        raise _unfit()


def _primvar_of(p: SimpleNamespace, elements: Dict[str, int]) -> Primvar:
    width, kind = p.width or 1, p.type or "f32"
    if p.interpolation not in elements or width > 256 or kind not in ("f32", "i32"):
        raise _unfit()
    if len(p.values) % (4 * width) or len(p.indices) % 4:
        raise _unfit()
    rows, n = len(p.values) // (4 * width), elements[p.interpolation]
    indices = arrays.copy(p.indices, "i32") if len(p.indices) else None
    if indices is not None:
        _check(indices, n, 0, rows)
    elif rows != n:
        raise _unfit()
    return Primvar(p.name, p.interpolation, arrays.copy(p.values, kind, width), width, kind, indices, p.set_names)


def cage_of(body: Any, etag: str) -> Mesh:
    """The control mesh in an answer, once its arrays fit each other."""
    m = wire.MESH.read(body)
    found: Dict[str, Any] = {}
    for name, (_, kind) in wire.MESH_ARRAYS.items():
        data, width = getattr(m, name), _WIDTHS.get(name, 1)
        if len(data) % (arrays.size_of(kind) * width):
            raise _unfit()
        found[name] = arrays.copy(data, kind, width)
    cage = Mesh(name=m.name, options=_options(m.options), up_axis=m.up_axis, meters_per_unit=m.meters_per_unit,
                version=version_of(etag), **found)
    n_vertices, n_faces = len(m.points) // 12, len(m.face_vertex_counts) // 4
    _check_cage(cage, n_vertices, n_faces)
    if len(m.transform) not in (0, 128):
        raise _unfit()
    cage.transform = cage.transform if len(m.transform) else None
    elements = dict(zip(_CLASSES, (1, n_faces, n_vertices, n_vertices, _length(cage.face_vertex_indices))))
    cage.primvars = [_primvar_of(p, elements) for p in m.primvars]
    return cage


def version_of(etag: str) -> int:
    """The version in an entity tag such as "7-pb"."""
    digits = etag.strip('"').split("-")[0]
    if not digits.isascii() or not digits.isdigit() or not 0 < len(digits) < 20:
        raise BadAnswer("the answer does not tell the version of the mesh")
    return int(digits)


def id_of(mesh: Any) -> str:
    """The id of what a caller calls a mesh: an id, or what the daemon answered."""
    name = mesh.id if isinstance(mesh, MeshInfo) else mesh.mesh.id if isinstance(mesh, EditResult) else mesh
    if not isinstance(name, str) or not name:
        raise UsageError("a mesh is named by its id or its MeshInfo, not by %r" % (mesh,))
    return name
