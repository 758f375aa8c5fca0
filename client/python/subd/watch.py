# SPDX-License-Identifier: Apache-2.0
"""Watching a mesh: the records of GET watch, and deltas, which make a frame that of the next version (proto/README.md).

All of a delta is checked before the first byte of the frame changes, and what changed is verified afterwards."""
from __future__ import annotations

import struct
from concurrent.futures import Executor
from typing import Any, Callable, List, Optional, Tuple

from . import arrays, frame as frames
from .arrays import numpy
from .digest import Digest
from .errors import BadAnswer, Refused
from .frame import Block, Frame, Receiver, Request
from .transport import MAX_PROBLEM, Answer, parse_json

MEDIA_TYPE = "application/vnd.subdd.watch"
EVENTS_TYPE = "text/event-stream"
_BEAT, _WHOLE, _DELTA, _GONE, _PROBLEM = range(5)
_SAME, _ROWS, _GRID = range(3)
_MAX_LINE = 512 << 10


class Mistrust(BadAnswer):
    """A delta does not fit the frame that is here, which then is asked for as a whole."""


class Part:
    """A part of a body, read as an answer of its own."""

    status, media_type, etag, timing = 200, frames.MEDIA_TYPE, "", ""

    def __init__(self, read_into: Callable[[memoryview], int], n: int) -> None:
        self.left, self._read_into = n, read_into

    def read_into(self, view: memoryview) -> int:
        if len(view) > self.left:
            raise BadAnswer("a record is shorter than its own tables say")
        n = self._read_into(view)
        self.left -= n
        return n

    def read(self, most: int) -> bytearray:
        """All of it. Memory grows as bytes come, whatever was announced."""
        out = bytearray()
        if self.left > most:
            raise BadAnswer("a record has %d bytes, above this client's limit of %d" % (self.left, most))
        while self.left:
            piece = bytearray(min(self.left, 1 << 20))
            out += piece[:self.read_into(memoryview(piece))]
        return out


class _Reader:
    """The bytes of a delta, from its start on."""
    def __init__(self, body: bytearray) -> None:
        self.body, self.at = memoryview(body), 0

    def take(self, n: int) -> memoryview:
        if n > len(self.body) - self.at:
            raise BadAnswer("a delta ends early")
        self.at += n
        return self.body[self.at - n:self.at]

    def read_into(self, view: memoryview) -> int:
        view[:] = self.take(len(view))
        return len(view)


# ---- one block -------------------------------------------------------------------------------------------------------
def _check_copies(copies: List[Tuple[int, int, int]], n_rows: int, n_from: int, n_to: int) -> None:
    end_from = end_to = copied = 0
    for start, to, n in copies:
        if start < end_from or to < end_to or not n or start + n > n_from or to + n > n_to:
            raise BadAnswer("a delta has copies that overlap, or of rows that there are not")
        end_from, end_to, copied = start + n, to + n, copied + n
    if copied + n_rows != n_to:
        raise BadAnswer("a delta has more or fewer rows than its block")


def _put_rows(old: memoryview, new: memoryview, stride: int, copies: List[Tuple[int, int, int]], rows: memoryview) -> None:
    """Where the block keeps its memory, `old` is `new`, and no copy moves."""
    at = taken = 0
    for start, to, n in copies + [(0, len(new) // stride if stride else 0, 0)]:
        gap = (to - at) * stride
        new[at * stride:to * stride] = rows[taken:taken + gap]
        if n and (old is not new):
            new[to * stride:(to + n) * stride] = old[start * stride:(start + n) * stride]
        taken, at = taken + gap, to + n


def _lines(quad: Any, after: Any, prior: Any, counts: Tuple[int, ...], m: int) -> Any:
    """The first rows of the sides and of the inside of quads, whose columns may be numbers or arrays."""
    n_vertices, n_faces, n_edges, n_corners = counts
    along, points = m - 1, n_vertices + n_faces
    lines = points + n_edges
    spokes = lines + 2 * n_edges * along
    bottom = lines + (2 * (quad[1] - points) + (quad[0] > after[0])) * along
    left = lines + (2 * (quad[3] - points) + (quad[0] >= prior[0])) * along
    return (bottom, left, spokes + quad[4] * along, spokes + prior[4] * along,
            spokes + n_corners * along + quad[4] * along * along)


def _faces_by_numpy(quads: Any, counts: Tuple[int, ...], m: int, out: Any) -> None:
    quads = quads.astype(numpy.int64)
    n, faces = len(quads), quads[:, 2]
    begins = numpy.flatnonzero(numpy.r_[True, faces[1:] != faces[:-1]])
    ends = numpy.r_[begins[1:], n]
    after, prior = numpy.arange(1, n + 1), numpy.arange(-1, n - 1)
    after[ends - 1], prior[begins] = begins, ends - 1
    columns = list(quads.T)
    bottom, left, right, top, inside = _lines(columns, list(quads[after].T), list(quads[prior].T), counts, m)
    grid, k = numpy.empty((n, m + 1, m + 1), numpy.uint32), numpy.arange(m - 1)
    grid[:, 0, 0], grid[:, 0, m], grid[:, m, m], grid[:, m, 0] = columns[:4]
    grid[:, 0, 1:m], grid[:, 1:m, 0] = bottom[:, None] + k, left[:, None] + k
    grid[:, 1:m, m], grid[:, m, 1:m] = right[:, None] + k[::-1], top[:, None] + k[::-1]
    grid[:, 1:m, 1:m] = (inside[:, None] + numpy.arange((m - 1)**2)).reshape(n, m - 1, m - 1)
    cells = out.reshape(n, m, m, 4)
    for i, (y, x) in enumerate(((0, 0), (0, 1), (1, 1), (1, 0))):
        cells[..., i] = grid[:, y:m + y, x:m + x]


def _faces_by_ints(quads: Any, counts: Tuple[int, ...], m: int, out: Any) -> None:
    rows, at, first = [tuple(quads[i:i + 5]) for i in range(0, len(quads), 5)], 0, 0
    while first < len(rows):
        end = first + 1
        while end < len(rows) and rows[end][2] == rows[first][2]:
            end += 1
        for k in range(first, end):
            q, after, prior = rows[k], rows[k + 1 if k + 1 < end else first], rows[k - 1 if k > first else end - 1]
            bottom, left, right, top, inside = _lines(q, after, prior, counts, m)
            grid = [[q[0], *range(bottom, bottom + m - 1), q[1]]]
            for y in range(m - 1):
                start = inside + y * (m - 1)
                grid.append([left + y, *range(start, start + m - 1), right + m - 2 - y])
            grid.append([q[3], *range(top + m - 2, top - 1, -1), q[2]])
            for low, high in zip(grid, grid[1:]):
                for x in range(m):
                    out[at], out[at + 1], out[at + 2], out[at + 3] = low[x], low[x + 1], high[x + 1], high[x]
                    at += 4
        first = end


def _read_grid(reader: _Reader, n: int, block: Block, level: int) -> Tuple[Tuple[int, ...], Any]:
    counts, m = struct.unpack("<4I", reader.take(16)), 1 << (level - 1)
    quads = arrays.view(bytearray(reader.take(20 * n)), "u32", 5)
    n_vertices, n_faces, n_edges, n_corners = counts
    total = sum(counts[:3]) + (2 * n_edges + n_corners) * (m - 1) + n_corners * (m - 1)**2
    fits = block.components == 4 and block.type == "u32" and n * m * m == block.count and 0 < n <= n_corners
    if not fits or total >= 1 << 32:
        raise BadAnswer("a delta has faces that are not those of its block")
    edges = n_vertices + n_faces
    limits = ((0, n_vertices), (edges, edges + n_edges), (n_vertices, edges), (edges, edges + n_edges), (0, n_corners))
    for k, (low, end) in enumerate(limits):
        column = quads[:, k] if numpy is not None else quads[k::5]
        least, most = (column.min(), column.max()) if numpy is not None else (min(column), max(column))
        if least < low or most >= end:
            raise BadAnswer("a delta has faces of points that there are not")
    return counts, quads


# ---- the delta -------------------------------------------------------------------------------------------------------
def _same_blocks(a: Frame, b: Frame) -> bool:
    def kinds(frame: Frame) -> List[Tuple[Any, ...]]:
        return [(x.key, x.type, x.components, x.interpolation) for x in frame.blocks.values()]

    return kinds(a) == kinds(b) and a.mesh_id == b.mesh_id and all(x.has_digest for x in b.blocks.values())


def _bytes(block: Block) -> memoryview:
    view = memoryview(block.array)
    return view.cast("B") if view.nbytes else memoryview(bytearray())


def _read_part(reader: _Reader, old: Block, new: Block, level: int) -> Callable[[], None]:
    """Reads and checks what the delta has of a block. What it returns makes the block."""
    mode, n_copies, n_rows = struct.unpack("<IIQ", reader.take(16))
    if mode > _GRID or n_rows > new.count or (mode != _ROWS and n_copies):
        raise BadAnswer("a delta has a block of a mode that is not known here, or with too many rows")
    if mode == _SAME:
        if n_rows or (old.bytes, old.digest) != (new.bytes, new.digest):
            raise Mistrust("a delta keeps a block that this frame has not", "digest")

        def keep() -> None:
            new.array = old.array

        return keep
    if mode == _GRID:
        counts, quads = _read_grid(reader, n_rows, new, level)

        def make() -> None:
            new.array = arrays.view(old.array if old.bytes == new.bytes else arrays.new_memory(new.bytes), new.type,
                                    new.components)
            (_faces_by_ints if numpy is None else _faces_by_numpy)(quads, counts, 1 << (level - 1), new.array)

        return make
    stride = new.components * arrays.size_of(new.type)
    copies = list(struct.iter_unpack("<3I", reader.take(12 * n_copies)))
    rows = reader.take(n_rows * stride)
    _check_copies(copies, n_rows, old.count, new.count)

    def put() -> None:
        stays = old.bytes == new.bytes and all(start == to for start, to, _ in copies)
        before = _bytes(old)
        memory = before if stays else memoryview(arrays.new_memory(new.bytes))
        _put_rows(before, memory, stride, copies, rows)
        new.array = old.array if stays else arrays.view(memory, new.type, new.components)

    return put


def apply(frame: Frame, request: Request, version: int, body: bytearray, verify: bool, max_bytes: int,
          pool: Optional[Executor]) -> Frame:
    """The frame of the version that the delta makes. Where it has as many rows it keeps the memory of `frame`, which
    must not be used any more."""
    reader = _Reader(body)
    base, total, n, zero = struct.unpack("<QQII", reader.take(24))
    if not 2 <= total <= max_bytes or zero:
        raise BadAnswer("a delta has a head that cannot be, or is of a frame above max_frame_bytes")
    if base != frame.version:
        raise Mistrust("a delta is of another version than this frame", "digest")
    new = frames.read_head(Part(_Reader(bytearray(reader.take(n))).read_into, n), request, total)
    if not _same_blocks(frame, new):
        raise Mistrust("a delta is of another frame than this one", "digest")
    if new.version != version:
        raise BadAnswer("a delta makes another version than its record says")
    todo = [_read_part(reader, old, block, new.level) for old, block in zip(frame.blocks.values(), new.blocks.values())]
    if reader.at != len(body):
        raise BadAnswer("a delta is longer than its blocks")
    for make in todo:
        make()
    for old, block in zip(frame.blocks.values(), new.blocks.values()):
        same = (old.bytes, old.digest) == (block.bytes, block.digest)
        digest = Digest(_bytes(block), pool) if verify and not same else None
        if digest and digest.end() != block.digest:
            raise Mistrust("%s made by a delta do not match their digest" % block.key, "digest")
        check = frames.content_check(block, new, request)
        if check:
            check()
    return new


# ---- the records -----------------------------------------------------------------------------------------------------
class Watch:
    """Reads the records of an answer and keeps a frame that of the newest version."""
    def __init__(self, request: Request, frame: Optional[Frame], changed: Callable[[Frame, int], Any], verify: bool,
                 max_bytes: int, pool: Optional[Executor]) -> None:
        self.request, self.frame, self.changed = request, frame, changed
        self.verify, self.max_bytes, self.pool = verify, max_bytes, pool
        self.ended = False

    def __call__(self, answer: Answer) -> None:
        if answer.status != 200 or answer.media_type != MEDIA_TYPE:
            raise BadAnswer("a watch was asked for, the answer is %s (status %d)" %
                            (answer.media_type or "of no type", answer.status))
        head = bytearray(24)
        while not self.ended and answer.read_some(memoryview(head)):
            n, version, kind, zero = struct.unpack("<QQII", head)
            if n >> 63 or version >> 63 or zero:
                raise BadAnswer("the head of a record cannot be read")
            self._record(kind, version, Part(answer.read_some, n))

    def _record(self, kind: int, version: int, part: Part) -> None:
        base = 0
        if kind == _WHOLE:
            self.frame = Receiver(self.request, self.frame, self.verify, self.max_bytes, self.pool)(part)  # type: ignore
        elif kind == _DELTA:
            before, self.frame = self.frame, None
            body = part.read(self.max_bytes)
            if not before:
                raise Mistrust("a delta came without a frame before", "digest")
            self.frame, base = apply(before, self.request, version, body, self.verify, self.max_bytes,
                                     self.pool), before.version
        elif kind == _GONE:
            raise Refused("the mesh was deleted", status=404, code="not_found", field="id")
        elif kind == _PROBLEM:
            o = parse_json(bytes(part.read(MAX_PROBLEM)))
            o = o if isinstance(o, dict) else {}
            raise Refused(str(o.get("detail", ""))[:400], status=int(o.get("status") or 500), code=str(o.get("code", ""))[:64],
                          field=str(o.get("field", ""))[:64])
        else:  # A heartbeat, or what later daemons send.
            scratch = memoryview(bytearray(65536))
            while part.left:
                part.read_into(scratch[:min(part.left, len(scratch))])
            return
        if not self.frame or self.frame.version != version:
            raise BadAnswer("version %d was told, the frame has another" % version)
        self.ended = bool(self.changed(self.frame, base))


class Events:
    """Reads server-sent events."""
    def __init__(self, heard: Callable[[str, int, Any], Any]) -> None:
        self.heard, self.ended = heard, False

    def __call__(self, answer: Answer) -> None:
        if answer.status != 200 or answer.media_type != EVENTS_TYPE:
            raise BadAnswer("events were asked for, the answer is %s" % (answer.media_type or "of no type"))
        kind, version, data = "", 0, None
        while not self.ended:
            line = answer.read_line(_MAX_LINE)
            if line is None:
                return
            name, _, value = line.partition(": ")
            if name == "id" and value.isdigit() and len(value) < 20:
                version = int(value)
            elif name == "event":
                kind = value[:32]
            elif name == "data":
                data = parse_json(value.encode())
            elif not line and kind:
                self.ended = bool(self.heard(kind, version, data))
                kind, version, data = "", 0, None
