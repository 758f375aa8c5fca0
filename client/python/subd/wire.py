# SPDX-License-Identifier: Apache-2.0
"""The messages of subdd.proto that this package needs, read and written without a protobuf library. Arrays are bytes in
them, so bulk data is neither copied nor decoded here."""
from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Tuple, Union

from .errors import BadAnswer, clean

Pieces = List[Union[bytes, memoryview]]


# ---- writing
# ----------------------------------------------------------------------------------------------------------
def varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def size_of(pieces: Pieces) -> int:
    return sum(memoryview(p).nbytes for p in pieces)


def put(number: int, value: Any) -> Pieces:
    """A field: text, bytes, a whole number, a float (double), or the pieces of a message. Nothing for None and for what
    protobuf leaves out. Pieces are sent one after another, so that arrays are not copied together."""
    if isinstance(value, list):
        return [varint(number << 3 | 2) + varint(size_of(value)), *value]
    if not value:
        return []
    if isinstance(value, float):
        return [varint(number << 3 | 1) + struct.pack("<d", value)]
    if isinstance(value, int):
        return [varint(number << 3) + varint(value)]
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    data = memoryview(data)
    return [varint(number << 3 | 2) + varint(data.nbytes), data] if data.nbytes else []


# ---- reading
# ----------------------------------------------------------------------------------------------------------
def _read_varint(data: memoryview, at: int) -> Tuple[int, int]:
    n = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BadAnswer("a message of the server ends in the middle of a number")
        byte = data[at]
        n |= (byte & 0x7F) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return n & (1 << 64) - 1, at


def _fields(data: memoryview) -> Iterator[Tuple[int, int, Any]]:
    """(number, wire type, value) of each field: a whole number, or a view of its bytes."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _read_varint(data, at)
            yield key >> 3, wire, value
            continue
        if wire == 2:
            n, at = _read_varint(data, at)
        elif wire in (1, 5):
            n = 8 if wire == 1 else 4
        else:
            raise BadAnswer("a message of the server has a field of a kind that is not used")
        if n > len(data) - at:
            raise BadAnswer("a message of the server ends before its last field")
        yield key >> 3, wire, data[at:at + n]
        at += n


def packed(data: memoryview) -> List[int]:
    """The whole numbers of a packed field."""
    at, found = 0, []
    while at < len(data):
        value, at = _read_varint(data, at)
        found.append(value)
    return found


class Schema:
    """What is read of a message. Fields are given as name=(number, kind), or with the most there may be of a repeated
    one: name=(number, kind, most). Kinds are uint, int, bool, fixed64, double, text, bytes, and other schemas."""

    WIRES = {"uint": 0, "int": 0, "bool": 0, "fixed64": 1, "double": 1}
    EMPTY: Dict[Any, Any] = {
        "uint": 0, "int": 0, "bool": False, "fixed64": 0, "double": 0.0, "text": "", "bytes": memoryview(b"")
    }

    def __init__(self, **fields: Any) -> None:
        self.fields = {row[0]: (name, row[1], row[2] if len(row) > 2 else 0) for name, row in fields.items()}

    def read(self, data: Any) -> SimpleNamespace:
        message: Dict[str, Any] = {}
        for name, kind, most in self.fields.values():
            message[name] = [] if most else self.EMPTY.get(kind)
        for number, wire, raw in _fields(memoryview(data)):
            if number not in self.fields:
                continue
            name, kind, most = self.fields[number]
            if wire != self.WIRES.get(kind, 2):
                raise BadAnswer("field %s of a message of the server has another type" % name)
            value = self._value(kind, raw)
            if not most:
                message[name] = value
                continue
            if len(message[name]) >= most:
                raise BadAnswer("a message of the server has more than %d %s" % (most, name))
            message[name].append(value)
        return SimpleNamespace(**message)

    @staticmethod
    def _value(kind: Any, raw: Any) -> Any:
        if isinstance(kind, Schema):
            return kind.read(raw)
        if kind == "text":
            return clean(bytes(raw).decode("utf-8", "replace"), 65536)
        if kind == "int":
            return raw - (1 << 64) if raw >> 63 else raw
        if kind == "bool":
            return raw != 0
        if kind in ("fixed64", "double"):
            return struct.unpack("<Q" if kind == "fixed64" else "<d", raw)[0]
        return raw


MAX_PRIMVARS = 32
MAX_BLOCKS = 16 + 2 * MAX_PRIMVARS
MAX_SET_NAMES = 65536

OPTION_NAMES = ("scheme", "interpolate_boundary", "face_varying_linear_interpolation", "triangle_subdivision_rule",
                "crease_method", "orientation")
OPTIONS = Schema(**{name: (i, "text") for i, name in enumerate(OPTION_NAMES, 1)})
PRIMVAR = Schema(name=(1, "text"), interpolation=(2, "text"), type=(3, "text"), width=(4, "uint"), values=(5, "bytes"),
                 indices=(6, "bytes"), set_names=(7, "text", MAX_SET_NAMES))
# The arrays of a Mesh in the order of their fields, and what they hold.
MESH_ARRAYS = {
    "points": (3, "f32"), "face_vertex_counts": (4, "i32"), "face_vertex_indices": (5, "i32"),
    "crease_indices": (6, "i32"), "crease_lengths": (7, "i32"), "crease_sharpnesses": (8, "f32"),
    "corner_indices": (9, "i32"), "corner_sharpnesses": (10, "f32"), "hole_indices": (11, "i32"), "st": (12, "f32"),
    "st_indices": (13, "i32"), "vertex_ids": (14, "i32"), "face_ids": (15, "i32"), "transform": (19, "f64")
}
MESH = Schema(name=(1, "text"), options=(2, OPTIONS), primvars=(16, PRIMVAR, MAX_PRIMVARS), up_axis=(17, "text"),
              meters_per_unit=(18, "double"), **{name: (number, "bytes")
                                                 for name, (number, _) in MESH_ARRAYS.items()})
PRIMVAR_INFO = Schema(name=(1, "text"), interpolation=(2, "text"), type=(3, "text"), width=(4, "uint"),
                      values=(5, "uint"), sets=(6, "uint"))
MESH_INFO = Schema(id=(1, "text"), name=(2, "text"), version=(3, "uint"), topology_id=(4, "text"), options=(5, OPTIONS),
                   vertices=(6, "uint"), faces=(7, "uint"), corners=(8, "uint"), edges=(9, "uint"), uvs=(10, "uint"),
                   residency=(11, "text"), device_bytes=(12, "uint"), host_bytes=(13, "uint"), created=(14, "text"),
                   updated=(15, "text"), manifold=(16, "bool"), bandwidth_before=(17, "uint"),
                   bandwidth_after=(18, "uint"), primvars=(19, PRIMVAR_INFO, MAX_PRIMVARS), up_axis=(20, "text"),
                   meters_per_unit=(21, "double"), warnings=(22, "text", 1024), quarantined=(23, "bool"),
                   pinned=(24, "bool"))
MESH_LIST = Schema(meshes=(1, MESH_INFO, 1000), next=(2, "text"))
EDIT_RESULT = Schema(mesh=(1, MESH_INFO), new_vertex_ids=(2, "bytes"), new_face_ids=(3, "bytes"))
BLOCK = Schema(semantic=(1, "text"), type=(2, "text"), components=(3, "uint"), count=(4, "uint"), stride=(5, "uint"),
               offset=(6, "uint"), bytes=(7, "uint"), codec=(8, "text"), digest_kind=(9, "text"),
               digest=(10, "fixed64"), name=(11, "text"), interpolation=(12, "text"), box=(13, "bytes"),
               set_names=(14, "text", MAX_SET_NAMES))
FRAME_HEADER = Schema(
    mesh_id=(1, "text"), version=(2, "uint"), topology_id=(3, "text"), level=(4, "uint"), surface=(5, "text"),
    method=(6, "text"), backend=(7, "text"), vertices=(8, "uint"), faces=(9, "uint"), edges=(10, "uint"),
    blocks=(11, BLOCK, MAX_BLOCKS), warnings=(12, "text", 1024), up_axis=(13, "text"), meters_per_unit=(14, "double"),
    transform=(15, "bytes"), relation=(16, "text"), ring=(17, "uint"), oriented=(18, "bool"), unreached=(19, "uint"))
PRIM = Schema(path=(1, "text"), vertices=(2, "int"), faces=(3, "int"))
CONFLICT = Schema(versions=(1, "bytes"), vertices=(2, "int"), vertex_ids=(3, "bytes"), faces=(4, "int"),
                  face_ids=(5, "bytes"), what=(6, "text"))
PROBLEM = Schema(title=(2, "text"), detail=(4, "text"), instance=(5, "text"), code=(6, "text"), field=(7, "text"),
                 limit=(8, "int"), needed=(9, "int"), available=(10, "int"), current_version=(11, "uint"),
                 prims=(12, PRIM, 65536), conflict=(13, CONFLICT))
