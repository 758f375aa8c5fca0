# SPDX-License-Identifier: Apache-2.0
"""The digest xxh64-tree-1k (proto/README.md): each piece of 1,024 bytes is hashed by XXH64 with seed 0, the values are
hashed in the same way, and so on until one is left.

Python hashes one piece in a tenth of a millisecond, so many pieces are hashed at once: by numpy as columns of an array,
without it as slots of one large int, whose product with a number is a product for each slot."""
from __future__ import annotations

import array
from concurrent.futures import Executor, Future
from typing import Any, List, Optional

from .arrays import numpy

PIECE = 1024
# What a job hashes. The calls of numpy then take so long that threads do not wait for each other between them: with
# 8 MiB four threads hash 3.5 times as fast as one, with 2 MiB 1.3 times.
BATCH = 8192 * PIECE
_WORDS = PIECE // 8
_P1, _P2, _P3, _P4, _P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                           0x27D4EB2F165667C5)
_MASK = (1 << 64) - 1
_START = ((_P1 + _P2) & _MASK, _P2, 0, -_P1 & _MASK)


class _Slots:
    """n numbers of 64 bits in one int. They lie 128 bits apart, so that products do not meet."""

    number = int

    def __init__(self, n: int) -> None:
        self.ones = int.from_bytes((b"\1" + bytes(15)) * n, "little")
        self.mask = self.ones * _MASK

    def constant(self, c: int) -> int:
        return c * self.ones

    def wrap(self, x: int) -> int:
        return x & self.mask

    def rotate(self, x: int, bits: int) -> int:
        x <<= bits
        return (x | x >> 64) & self.mask


class _Columns:
    """The same for arrays of numpy.uint64, which wrap by themselves."""

    number = constant = staticmethod(lambda c: numpy.uint64(c))

    @staticmethod
    def wrap(x: Any) -> Any:
        return x

    @staticmethod
    def rotate(x: Any, bits: int) -> Any:
        return x << numpy.uint64(bits) | x >> numpy.uint64(64 - bits)


def _round(lane: Any, word: Any, way: Any) -> Any:
    return way.wrap(way.rotate(way.wrap(lane + way.wrap(word * way.number(_P2))), 31) * way.number(_P1))


def _merge(lanes: List[Any], way: Any) -> Any:
    h = way.rotate(lanes[0], 1)
    for lane, bits in zip(lanes[1:], (7, 12, 18)):
        h = way.wrap(h + way.rotate(lane, bits))
    for lane in lanes:
        h = way.wrap((h ^ _round(way.constant(0), lane, way)) * way.number(_P1) + way.constant(_P4))
    return h


def _finish(h: Any, way: Any) -> Any:
    for shift, factor in ((33, _P2), (29, _P3)):
        h = way.wrap((h ^ way.wrap(h >> way.number(shift))) * way.number(factor))
    return h ^ way.wrap(h >> way.number(32))


def xxh64(data: Any) -> int:
    """XXH64 of a few bytes, with seed 0."""
    one, data = _Slots(1), bytes(data)
    end = len(data) // 32 * 32
    if end:
        lanes = list(_START)
        for at in range(0, end, 8):
            k = at // 8 % 4
            lanes[k] = _round(lanes[k], int.from_bytes(data[at:at + 8], "little"), one)
        h = _merge(lanes, one)
    else:
        h = _P5
    h = h + len(data) & _MASK
    for at in range(end, len(data) - 7, 8):
        h ^= _round(0, int.from_bytes(data[at:at + 8], "little"), one)
        h = one.rotate(h, 27) * _P1 + _P4 & _MASK
    at = len(data) // 8 * 8
    if len(data) - at >= 4:
        h ^= int.from_bytes(data[at:at + 4], "little") * _P1 & _MASK
        h = one.rotate(h, 23) * _P2 + _P3 & _MASK
        at += 4
    for byte in data[at:]:
        h = one.rotate(h ^ byte * _P5 & _MASK, 11) * _P1 & _MASK
    return _finish(h, one)


def _pieces_by_numpy(data: memoryview) -> bytes:
    stripes = numpy.frombuffer(data, "V32").reshape(-1, PIECE // 32)  # A stripe is a word for each of the four lanes.
    n = len(stripes)
    rows = numpy.empty((PIECE // 32, n), "V32")
    numpy.copyto(rows, stripes.T)
    rows = rows.view("<u8")
    numpy.multiply(rows, numpy.uint64(_P2), out=rows)
    lanes, high = numpy.empty((n, 4), "<u8"), numpy.empty(4 * n, "<u8")
    lanes[:] = numpy.array(_START, "<u8")
    flat = lanes.reshape(-1)
    # A rotation by 31 and a product with P1 at once: the low bits times 2^31 P1, the 31 high ones times P1. The
    # quotient is a shift that numpy has a faster loop for.
    low, shift, p1 = numpy.uint64((_P1 << 31) & _MASK), numpy.uint64(1 << 33), numpy.uint64(_P1)
    for row in rows:
        numpy.add(flat, row, out=flat)
        numpy.floor_divide(flat, shift, out=high)
        numpy.multiply(flat, low, out=flat)
        numpy.multiply(high, p1, out=high)
        numpy.add(flat, high, out=flat)
    h = _merge(list(lanes.T), _Columns) + numpy.uint64(PIECE)
    return _finish(h, _Columns).tobytes()


def _pieces_by_ints(data: memoryview) -> bytes:
    words, n = data.cast("B").cast("Q"), len(data) // PIECE
    way, column = _Slots(n), array.array("Q", bytes(16 * n))
    lanes = [way.constant(start) for start in _START]
    for k in range(_WORDS):
        column[::2] = array.array("Q", words[k::_WORDS])
        lanes[k % 4] = _round(lanes[k % 4], int.from_bytes(column, "little"), way)
    h = _finish(way.wrap(_merge(lanes, way) + way.constant(PIECE)), way)
    return array.array("Q", array.array("Q", h.to_bytes(16 * n, "little"))[::2]).tobytes()


def _pieces(data: memoryview) -> bytes:
    """The values of whole pieces, one after another."""
    return _pieces_by_ints(data) if numpy is None else _pieces_by_numpy(data)


def _level(data: memoryview) -> bytes:
    """The values of all pieces, of which the last may be short."""
    whole = len(data) // PIECE * PIECE
    values = _pieces(data[:whole]) if whole else b""
    return values if whole and whole == len(data) else values + xxh64(data[whole:]).to_bytes(8, "little")


class Digest:
    """The digest of a block whose memory is filled from its start; other threads may do the work meanwhile."""
    def __init__(self, block: memoryview, pool: Optional[Executor]) -> None:
        self.block, self.pool, self.at = block, pool, 0
        self.values: List[Any] = []

    def feed(self, filled: int) -> None:
        """So many bytes of the block are there now."""
        while filled - self.at >= BATCH:
            part = self.block[self.at:self.at + BATCH]
            self.values.append(self.pool.submit(_pieces, part) if self.pool else _pieces(part))
            self.at += BATCH

    def end(self) -> int:
        """The digest, once the whole block is there."""
        values = b"".join(v.result() if isinstance(v, Future) else v for v in self.values)
        if self.at < len(self.block) or not self.block:
            values += _level(self.block[self.at:])
        while len(values) > 8:
            values = _level(memoryview(values))
        return int.from_bytes(values, "little")
