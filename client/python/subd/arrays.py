# SPDX-License-Identifier: Apache-2.0
"""Arrays in and out: numpy's where it is installed, else array.array and memoryview. The other modules of the package
take numpy from here."""
from __future__ import annotations

import array
import itertools
import mmap
import sys
from typing import Any, Iterable

from .errors import UsageError

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

if sys.byteorder != "little":
    raise ImportError("subd needs a little-endian machine, as arrays travel as they lie in memory")

# What a type of the wire is to numpy, and to memoryview.cast. A half float has no letter there before Python 3.12.
TYPES = {
    "f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "u32": ("<u4", "I"), "u64": ("<u8", "Q"),
    "u8": ("u1", "B"), "unorm16": ("<u2", "H"), "oct16": ("<i2", "h"), "f16": ("<f2", "H")
}
_LAZY = 1 << 20  # From so many bytes on, memory is not written before bytes arrive.


def size_of(kind: str) -> int:
    """Bytes of a number."""
    return array.array(TYPES[kind][1]).itemsize


def new_memory(n: int) -> Any:
    """n bytes that can be written to. Large memory is only taken from the system where something is written to it."""
    if numpy is not None:
        return numpy.empty(n, numpy.uint8)
    try:
        return mmap.mmap(-1, n) if n >= _LAZY else bytearray(n)
    except OSError as why:
        raise MemoryError("no memory for %d bytes (%s)" % (n, why)) from None


def view(memory: Any, kind: str, width: int = 1) -> Any:
    """Bytes as numbers, without a copy: a numpy array with a row for each element, or a flat memoryview."""
    if numpy is None:
        return memoryview(memory).cast("B").cast(TYPES[kind][1])
    numbers = numpy.frombuffer(memory, TYPES[kind][0])
    return numbers if width == 1 else numbers.reshape(-1, width)


def copy(data: Any, kind: str, width: int = 1) -> Any:
    """The same in memory of its own, which is aligned and can be written to."""
    return view(bytearray(data), kind, width)


def as_floats(numbers: Iterable[float]) -> Any:
    """Floats that were computed one by one, as view() has them."""
    return array.array("f", numbers)


def _flat(values: Any) -> Iterable[Any]:
    rows = iter(values)
    first = next(rows, None)
    if first is None:
        return ()
    rows = itertools.chain((first,), rows)
    return itertools.chain.from_iterable(rows) if hasattr(first, "__iter__") else rows


def _pack_numpy(values: Any, kind: str, what: str) -> memoryview:
    wanted = numpy.dtype(TYPES[kind][0])
    if values.dtype != wanted:
        if values.dtype.kind not in ("iuf" if wanted.kind == "f" else "iu"):
            raise UsageError("%s has numbers of type %s, where %s is needed" % (what, values.dtype, kind))
        if wanted.kind != "f" and values.size:
            limits = numpy.iinfo(wanted)
            if values.min() < limits.min or values.max() > limits.max:
                raise UsageError("%s has a number that is no %s" % (what, kind))
    flat: Any = numpy.ascontiguousarray(values, wanted).reshape(-1)
    return memoryview(flat).cast("B") if flat.size else memoryview(b"")


def pack(values: Any, kind: str, what: str) -> memoryview:
    """The bytes of an array for the wire, without a copy where it has the right type already. Takes numpy arrays of any
    shape, buffers (array.array, memoryview), bytes that are packed already, and iterables of numbers or of rows."""
    if values is None:
        return memoryview(b"")
    if numpy is not None and isinstance(values, numpy.ndarray):
        return _pack_numpy(values, kind, what)
    size, same = size_of(kind), TYPES[kind][1] if kind not in ("i32", "u32") else "iI"
    try:
        found = memoryview(values)
    except TypeError:
        found = memoryview(b"")
        same = ""
    if same and found.c_contiguous and (found.format == "B" or (found.format in same and found.itemsize == size)):
        data = found.cast("B") if found.nbytes else memoryview(b"")
        if data.nbytes % size:
            raise UsageError("%s has %d bytes, which are no whole numbers of %d" % (what, data.nbytes, size))
        return data
    try:
        return memoryview(array.array(TYPES[kind][1], _flat(values))).cast("B")
    except (TypeError, OverflowError, NotImplementedError) as why:
        raise UsageError("%s is no array of %s (%s)" % (what, kind, why)) from None
