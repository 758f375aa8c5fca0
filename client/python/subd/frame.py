# SPDX-License-Identifier: Apache-2.0
"""Frames: the binary answer of refined, pose, patches, neighbors, fields and smooth (proto/README.md).

Nothing in a frame is trusted. Its header must list the blocks that were asked for, aligned, inside the body and without
overlaps, before memory is taken for any of them; then bytes go from the socket to where they stay, and digests,
indices, offsets and parameters are verified."""
from __future__ import annotations

import functools
import math
import struct
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, BinaryIO, Callable, Dict, FrozenSet, List, Mapping, Optional, Tuple, Union

from . import arrays, wire
from .arrays import numpy
from .digest import Digest
from .errors import BadAnswer, UsageError
from .transport import Answer

MEDIA_TYPE = "application/vnd.subdd.frame"
_MAX_HEADER = (1 << 21) - 1
_ALIGNMENT = 64
_PIECE = 4 << 20  # Bytes of one read at most, after which digests and cancel are looked at.
_MAX_ROWS = (1 << 32) - 1  # Ids have 32 bits, so no true count is larger; the ids in all rows may be more.
_MAX_IDS = 1 << 48

# Type and numbers a row of each block; None where several are right.
_KINDS: Dict[str, Tuple[Optional[str], int]] = {
    "positions": ("f32", 3), "normals": ("f32", 3), "indices": ("u32", 4), "uvs": ("f32", 2), "uv_indices": ("u32", 4),
    "patches": ("u32", 16), "patch_params": ("u32", 4), "face_params": ("u32", 4), "primvar": (None, 0),
    "primvar_indices": ("u32", 4), "tangents": ("f32", 6), "normal_indices": ("u32", 4), "offsets": (None, 1),
    "ids": ("u32", 1), "signs": ("u8", 1), "gaussian": ("f32", 1), "mean": ("f32", 1), "geodesic": ("f32", 1)
}
_COMPACT = {"positions": ("unorm16", 4), "normals": ("oct16", 2), "uvs": ("f16", 2)}
_OF_VERTICES = {"positions", "normals", "gaussian", "mean", "geodesic", "tangents"}
_OF_FACES = {"indices", "face_params", "primvar_indices", "normal_indices", "uv_indices"}
_PRIMVARS = {"primvar", "primvar_indices"}
PATCH_BLOCKS = frozenset({"positions", "patches", "patch_params", "indices", "face_params"})
REFINED_BLOCKS = frozenset({"positions", "normals", "tangents", "indices", "uvs", "uv_indices", "face_params"})


@dataclass(frozen=True)
class Request:
    """What a frame has to be."""

    level: int
    include: FrozenSet[str]
    compact: FrozenSet[str] = frozenset()
    primvars: Tuple[str, ...] = ()  # Names, or "*" alone.
    relation: str = ""

    @property
    def is_patches(self) -> bool:
        return "patches" in self.include


@dataclass
class Block:
    """One array of a frame, in `array`: a row for each of `count` elements with numpy, and flat without it."""

    semantic: str
    type: str
    components: int
    count: int
    offset: int
    bytes: int
    digest: int = 0
    has_digest: bool = False
    name: str = ""  # Of a primvar, as the next two.
    interpolation: str = ""
    set_names: List[str] = field(default_factory=list)
    low: Tuple[float, ...] = ()  # The box of compact positions.
    high: Tuple[float, ...] = ()
    array: Any = field(default=None, repr=False)

    @property
    def key(self) -> str:
        return "%s:%s" % (self.semantic, self.name) if self.semantic in _PRIMVARS else self.semantic

    def floats(self) -> Any:
        """The values as float32, decoded where the block is compact: three numbers a row, or two of UVs."""
        if self.type == "f32":
            return self.array
        decoder = {"unorm16": _positions, "oct16": _normals, "f16": _halves}.get(self.type)
        if not decoder:
            raise UsageError("block %s has whole numbers of type %s" % (self.key, self.type))
        return decoder(self)


@dataclass
class Frame:
    """A surface, or rows of neighbours or values. Arrays are taken by frame["positions"]; frame.blocks has the rest."""

    mesh_id: str
    version: int
    topology_id: str
    level: int
    surface: str
    method: str
    backend: str
    vertices: int
    faces: int
    edges: int
    unreached: int
    up_axis: str
    meters_per_unit: float
    transform: Optional[Tuple[float, ...]]
    warnings: List[str]
    blocks: Dict[str, Block]
    head: bytes = field(repr=False)  # The bytes before the first block, but for padding.
    frame_bytes: int
    etag: str = ""
    timings: Dict[str, float] = field(default_factory=dict)  # Seconds of each phase, as the daemon tells them.

    def __getitem__(self, key: str) -> Any:
        """The array of a block: "positions", "indices", ..., "primvar:NAME", "primvar_indices:NAME"."""
        return self.blocks[key].array

    def __contains__(self, key: str) -> bool:
        return key in self.blocks

    def write(self, to: BinaryIO) -> None:
        """The frame as the daemon sent it."""
        at = to.write(self.head)
        for block in sorted(self.blocks.values(), key=lambda b: b.offset):
            at += to.write(bytes(block.offset - at))
            data = memoryview(block.array)
            at += to.write(data.cast("B") if data.nbytes else b"")
        to.write(bytes(self.frame_bytes - at))


Places = Union[None, Frame, Mapping[str, Any]]


# ---- compact blocks --------------------------------------------------------------------------------------------------
def _positions(b: Block) -> Any:
    steps = [(low, high - low) for low, high in zip(b.low, b.high)]
    if numpy is None:
        return arrays.as_floats(low + b.array[i + k] * span / 65535 for i in range(0, 4 * b.count, 4)
                                for k, (low, span) in enumerate(steps))
    out = numpy.empty((b.count, 3), numpy.float32)
    for k, (low, span) in enumerate(steps):
        out[:, k] = low + b.array[:, k].astype(numpy.float64) * span / 65535
    return out


def _normal(a: int, b: int) -> Tuple[float, float, float]:
    if a == b == -32768:
        return 0.0, 0.0, 0.0
    u, v = a / 32767, b / 32767
    w = 1 - abs(u) - abs(v)
    if w < 0:
        u, v = math.copysign(1 - abs(v), u), math.copysign(1 - abs(u), v)
    length = math.sqrt(u * u + v * v + w * w)
    return u / length, v / length, w / length


def _normals(b: Block) -> Any:
    if numpy is None:
        return arrays.as_floats(x for i in range(0, 2 * b.count, 2) for x in _normal(b.array[i], b.array[i + 1]))
    u, v = (b.array[:, k].astype(numpy.float64) / 32767 for k in (0, 1))
    w = 1 - abs(u) - abs(v)
    folded = w < 0
    turned = numpy.copysign(1 - abs(v), u), numpy.copysign(1 - abs(u), v)
    u, v = numpy.where(folded, turned[0], u), numpy.where(folded, turned[1], v)
    out = (numpy.stack([u, v, w], 1) / numpy.sqrt(u * u + v * v + w * w)[:, None]).astype(numpy.float32)
    out[(b.array == -32768).all(1)] = 0
    return out


def _halves(b: Block) -> Any:
    if numpy is None:
        return arrays.as_floats(struct.unpack("<%de" % len(b.array), b.array.cast("B")) if len(b.array) else ())
    return b.array.astype(numpy.float32)


# ---- the header ------------------------------------------------------------------------------------------------------
def _check_shape(b: SimpleNamespace, request: Request) -> None:
    kind, width = _COMPACT[b.semantic] if b.semantic in request.compact else _KINDS[b.semantic]
    triangles = b.components == 3 and b.semantic in _OF_FACES - {"face_params"} and not request.is_patches
    fits = b.semantic == "primvar" or b.components == width or triangles
    if not fits or b.type not in ((kind,) if kind else ("u32", "u64") if b.semantic == "offsets" else ("f32", "i32")):
        raise BadAnswer("block %s is not of the type and width that it has" % b.semantic)
    if b.codec not in ("", "raw") or b.digest_kind not in ("", "xxh64-tree-1k") or (not b.digest_kind and b.digest):
        raise BadAnswer("block %s has a codec or digest that is not known here" % b.semantic)
    most = _MAX_IDS if b.semantic in ("ids", "signs") else _MAX_ROWS
    if b.count > most or b.stride != b.components * arrays.size_of(b.type) or b.bytes != b.count * b.stride:
        raise BadAnswer("block %s has a size that is not its count times its stride" % b.semantic)


def _box(b: SimpleNamespace) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
    if len(b.box) != (24 if b.type == "unorm16" else 0):
        raise BadAnswer("block %s lacks its box, or has one" % b.semantic)
    box = struct.unpack("<6f", b.box) if len(b.box) else ()
    if not all(map(math.isfinite, box)) or any(low > high for low, high in zip(box[:3], box[3:])):
        raise BadAnswer("the box of block %s is none" % b.semantic)
    return box[:3], box[3:]


def _check_primvar(b: SimpleNamespace, header: SimpleNamespace) -> None:
    if not b.name or not b.name.isascii() or not b.name.replace("_", "a").replace(":", "a").isalnum():
        raise BadAnswer("the frame has a primvar whose name is none")
    if b.semantic == "primvar_indices":
        return
    rows = {
        "constant": 1, "uniform": header.faces, "varying": header.vertices, "vertex": header.vertices,
        "faceVarying": b.count
    }
    copied = b.interpolation in ("constant", "uniform")
    if rows.get(b.interpolation) != b.count or not 1 <= b.components <= 256 or (b.type == "i32" and not copied):
        raise BadAnswer("primvar %s has class %s, type %s and %d rows of %d, which cannot be" %
                        (b.name, b.interpolation, b.type, b.count, b.components))


def _rows_due(b: SimpleNamespace, header: SimpleNamespace, request: Request) -> int:
    """How many rows a block must have. The header does not count UV values and split normals, and of patches and the
    faces beside them only the sum."""
    if request.is_patches:
        return header.vertices if b.semantic == "positions" else b.count
    if b.semantic == "normals" and "normal_indices" in request.include:
        return b.count
    return header.vertices if b.semantic in _OF_VERTICES else header.faces if b.semantic in _OF_FACES else b.count


def _read_table(header: SimpleNamespace, request: Request) -> Dict[str, Block]:
    blocks: Dict[str, Block] = {}
    for b in header.blocks:
        wanted = b.semantic in request.include or (request.primvars and b.semantic in _PRIMVARS)
        if not wanted:
            raise BadAnswer("the frame has a block that was not asked for")
        _check_shape(b, request)
        if b.semantic in _PRIMVARS:
            _check_primvar(b, header)
        if b.count != _rows_due(b, header, request):
            raise BadAnswer("block %s has %d rows, the frame %d" % (b.semantic, b.count, _rows_due(b, header, request)))
        if b.set_names and (b.interpolation != "uniform" or b.type != "i32" or b.components != 1):
            raise BadAnswer("block %s has names of face sets, which it cannot have" % b.semantic)
        low, high = _box(b)
        block = Block(b.semantic, b.type, b.components, b.count, b.offset, b.bytes, b.digest, bool(b.digest_kind),
                      b.name, b.interpolation, b.set_names, low, high)
        if block.key in blocks:
            raise BadAnswer("the frame has block %s twice" % block.key)
        blocks[block.key] = block
    return blocks


def _check_primvars(blocks: Dict[str, Block], asked: Tuple[str, ...]) -> None:
    there = {b.name: b for b in blocks.values() if b.semantic == "primvar"}
    indexed = {b.name for b in blocks.values() if b.semantic == "primvar_indices"}
    face_varying = {name for name, b in there.items() if b.interpolation == "faceVarying"}
    if asked != ("*",) and set(there) != set(asked):
        raise BadAnswer("the frame has other primvars than those that were asked for")
    if indexed != face_varying or len(there) > wire.MAX_PRIMVARS:
        raise BadAnswer("the frame's primvars and their indices do not belong together")


def _check_set(blocks: Dict[str, Block], header: SimpleNamespace, request: Request) -> None:
    """Whether the blocks are all there, and have the counts of each other."""
    if not request.include <= {b.semantic for b in blocks.values()}:
        raise BadAnswer("the frame lacks a block that was asked for")
    _check_primvars(blocks, request.primvars)
    count = {key: block.count for key, block in blocks.items()}
    if "ids" in count and (count["offsets"] < 1 or count.get("signs", count["ids"]) != count["ids"]):
        raise BadAnswer("the frame has no offsets, or not a sign for each of its ids")
    if request.is_patches:
        patches, faces = count["patches"], count["indices"]
        if (count["patch_params"], count["face_params"], header.faces) != (patches, faces, patches + faces):
            raise BadAnswer("the frame's patches and faces are not as many as its counts say")


def _check_places(blocks: Dict[str, Block], first: int, total: int) -> None:
    """The offsets of the blocks may be any 64-bit value until here."""
    order, end = sorted(blocks.values(), key=lambda b: b.offset), first
    for b in order:
        if b.offset % _ALIGNMENT or b.offset + b.bytes > total:
            raise BadAnswer("a block of the frame is not aligned or not inside its %d bytes" % total)
        if b.offset < end:
            raise BadAnswer("blocks of the frame overlap")
        end = b.offset + b.bytes


def _read_header(answer: Answer, request: Request) -> Tuple[bytes, SimpleNamespace]:
    """The bytes of the head, and the message in it, whose counts are possible and of what was asked for."""
    total, n, size = answer.left or 0, 0, bytearray()
    byte = bytearray(1)
    while not size or size[-1] & 0x80:
        if len(size) == 3:
            raise BadAnswer("the frame's header is longer than %d bytes" % _MAX_HEADER)
        answer.read_into(memoryview(byte))
        n |= (byte[0] & 0x7F) << 7 * len(size)
        size += byte
    if not 0 < n <= total - len(size):
        raise BadAnswer("the frame's header has %d bytes, the frame %d" % (n, total))
    raw = bytearray(n)
    _fill(answer, memoryview(raw), lambda _: None)
    header = wire.FRAME_HEADER.read(raw)
    if header.vertices > _MAX_ROWS or header.faces > _MAX_ROWS or header.edges > 2 * _MAX_ROWS or header.version >> 63:
        raise BadAnswer("the frame's counts are absurd")
    if (header.level, header.relation) != (request.level, request.relation):
        raise BadAnswer("level %d %s was asked for, the frame has %d %s" %
                        (request.level, request.relation, header.level, header.relation))
    if len(header.transform) not in (0, 128):
        raise BadAnswer("the frame's transform is no matrix of 16 numbers")
    return bytes(size + raw), header


# ---- the blocks ------------------------------------------------------------------------------------------------------
def _fill(answer: Answer, view: memoryview, told: Callable[[int], None]) -> None:
    at = 0
    while at < len(view):
        at += answer.read_into(view[at:at + _PIECE])
        told(at)


def _skip(answer: Answer, n: int) -> None:
    scratch = memoryview(bytearray(min(n, 65536)))
    while n:
        n -= answer.read_into(scratch[:n])


def _memory(block: Block, places: Mapping[str, Any]) -> memoryview:
    """Where the bytes of a block go."""
    given = places.get(block.key)
    if given is None:
        return memoryview(arrays.new_memory(block.bytes))
    try:
        room = memoryview(given)
    except TypeError:
        raise UsageError("out[%r] is no buffer" % block.key) from None
    if room.readonly or not room.c_contiguous or room.nbytes < block.bytes:
        raise UsageError("out[%r] must be writable and contiguous, with room for %d bytes (%d x %d %s)" %
                         (block.key, block.bytes, block.count, block.components, block.type))
    return room.cast("B") if room.nbytes else memoryview(bytearray())


def _check_indices(block: Block, limit: int) -> None:
    top = (int(block.array.max()) if numpy is not None else max(block.array)) if block.bytes else -1
    if top >= limit:
        raise BadAnswer("the frame's %s hold %d, of %d" % (block.key, top, limit))


def _check_offsets(block: Block, n_ids: int) -> None:
    a = block.array
    if numpy is not None:
        ascend = bool((a[1:] >= a[:-1]).all())
    else:
        ascend = all(x <= y for x, y in zip(a, a[1:]))
    if not ascend or a[0] != 0 or a[-1] != n_ids:
        raise BadAnswer("the frame's offsets do not ascend from 0 to its %d ids" % n_ids)


def _cannot_be(corner: int, uv: int, flags: int, request: Request, is_face: bool) -> bool:
    level, polygon = flags & 15, flags >> 12 & 1
    if (level != request.level if is_face else level > request.level) or level < polygon:
        return True
    corners = 1 if request.is_patches else 4
    return (not polygon and corner >= corners) or ((uv & 0xFFFF) | uv >> 16) >> (level - polygon) > 0


def _check_params(block: Block, request: Request) -> None:
    """Rows of parent, corner, u | v << 16, flags. The control mesh is not known here, so parents are not checked."""
    a, is_face = block.array, block.semantic == "face_params"
    if numpy is None:
        bad = any(_cannot_be(*row, request, is_face) for row in zip(a[1::4], a[2::4], a[3::4]))
    else:
        corner, u, v, level, polygon = a[:, 1], a[:, 2] & 0xFFFF, a[:, 2] >> 16, a[:, 3] & 15, a[:, 3] >> 12 & 1
        wrong = level != request.level if is_face else level > request.level
        wrong |= (level < polygon) | ((polygon == 0) & (corner >= (1 if request.is_patches else 4)))
        wrong |= (u | v) >> numpy.where(level < polygon, 0, level - polygon) > 0
        bad = bool(wrong.any())
    if bad:
        raise BadAnswer("the frame's %s hold a row that cannot be" % block.key)


def content_check(block: Block, frame: Frame, request: Request) -> Optional[Callable[[], None]]:
    """What to look for in the numbers of a block, once they are there."""
    blocks, semantic = frame.blocks, block.semantic
    limit = None
    if semantic in ("indices", "patches"):
        limit = frame.vertices
    elif semantic == "ids":
        limit = {"V": frame.vertices, "E": frame.edges, "F": frame.faces}[request.relation[1]]
    elif semantic == "primvar_indices":
        limit = blocks["primvar:" + block.name].count
    elif semantic == "normal_indices":
        limit = blocks["normals"].count
    elif semantic == "uv_indices" and "uvs" in blocks:
        limit = blocks["uvs"].count
    if limit is not None:
        return functools.partial(_check_indices, block, limit)
    if semantic == "offsets":
        return lambda: _check_offsets(block, blocks["ids"].count)
    return (lambda: _check_params(block, request)) if semantic in ("patch_params", "face_params") else None


def read_head(answer: Answer, request: Request, total: int) -> Frame:
    """The frame of `total` bytes that a head is of, all of which is checked. Its blocks have no arrays yet."""
    head, header = _read_header(answer, request)
    blocks = _read_table(header, request)
    _check_set(blocks, header, request)
    _check_places(blocks, len(head), total)
    return _frame_of(header, blocks, head, total)


class Receiver:
    """Reads a frame; see receive."""
    def __init__(self, request: Request, out: Places, verify: bool, max_bytes: int, pool: Optional[Executor]) -> None:
        self.request, self.verify, self.max_bytes, self.pool = request, verify, max_bytes, pool
        self.reuse = isinstance(out, Frame)
        self.places = {k: b.array for k, b in out.blocks.items()} if isinstance(out, Frame) else dict(out or {})
        self.later: List[Future] = []

    def __call__(self, answer: Answer) -> Optional[Frame]:
        """The frame of an answer, or None where it says that the frame is unchanged."""
        if answer.status == 304:
            return None
        if answer.status != 200 or answer.media_type != MEDIA_TYPE:
            raise BadAnswer("a frame was asked for, the answer is %s (status %d)" %
                            (answer.media_type or "of no type", answer.status))
        if answer.left is None or not 2 <= answer.left <= self.max_bytes:
            raise BadAnswer("the frame has no known length, is too short to be one, or is above this client's limit of "
                            "%d bytes (max_frame_bytes)" % self.max_bytes)
        total = answer.left
        frame = read_head(answer, self.request, total)
        order = sorted(frame.blocks.values(), key=lambda b: b.offset)
        frame.etag, frame.timings = answer.etag, _timings(answer.timing)
        at = len(frame.head)
        memory = [self._place(b) for b in order]
        for block, view in zip(order, memory):
            _skip(answer, block.offset - at)
            self._take(answer, block, view, frame)
            at = block.offset + block.bytes
        _skip(answer, total - at)
        for work in self.later:
            work.result()
        return frame

    def _place(self, block: Block) -> memoryview:
        if self.reuse and memoryview(self.places.get(block.key, b"")).nbytes < block.bytes:
            self.places = {k: v for k, v in self.places.items() if k != block.key}  # The earlier frame was smaller.
        return _memory(block, self.places)[:block.bytes]

    def _take(self, answer: Answer, block: Block, view: memoryview, frame: Frame) -> None:
        block.array = arrays.view(view, block.type, block.components)
        digest = Digest(view, self.pool) if self.verify and block.has_digest else None
        _fill(answer, view, digest.feed if digest else lambda _: None)
        check = content_check(block, frame, self.request)

        def verify() -> None:
            if digest and digest.end() != block.digest:
                raise BadAnswer("block %s of the frame does not match its digest" % block.key, "digest")
            if check:
                check()

        if self.pool and len(view) > _PIECE:
            self.later.append(self.pool.submit(verify))
        else:
            verify()


def _frame_of(h: SimpleNamespace, blocks: Dict[str, Block], head: bytes, total: int) -> Frame:
    transform = struct.unpack("<16d", h.transform) if len(h.transform) else None
    return Frame(h.mesh_id, h.version, h.topology_id, h.level, h.surface, h.method, h.backend, h.vertices, h.faces,
                 h.edges, h.unreached, h.up_axis, h.meters_per_unit, transform, h.warnings, blocks, head, total)


def _timings(line: str) -> Dict[str, float]:
    """Of Server-Timing: "refine;dur=0.5, digest;dur=0.1", in milliseconds. What has another form is passed over."""
    out: Dict[str, float] = {}
    for entry in line[:4096].split(","):
        name, _, value = entry.strip().partition(";dur=")
        try:
            out[name] = float(value.split(";")[0]) / 1e3
        except ValueError:
            pass
    return out
