# SPDX-License-Identifier: Apache-2.0
"""The answer of watch: records, each a head of 24 bytes and what it gives the length of (proto/README.md, "Watching")."""
from __future__ import annotations

import struct
from typing import Any, Callable, Optional

from .errors import BadAnswer, Refused
from .frame import MEDIA_TYPE, Frame
from .transport import MAX_PROBLEM, Answer, problem

WATCH_TYPE = "application/vnd.subdd.watch"
_HEAD = struct.Struct("<QQII")
_BEAT, _WHOLE, _GONE, _PROBLEM = 0, 1, 3, 4
_MAX_SKIPPED = 1 << 30  # Of a record of a kind that is not known.


class _Record:
    """One record as the answer of a request of its own."""
    def __init__(self, answer: Answer, n: int, media_type: str, status: int) -> None:
        self.answer, self.left, self.media_type, self.status = answer, n, media_type, status
        self.request_id, self.etag, self.timing, self.retry_after = answer.request_id, "", "", 0.0

    def read_into(self, view: memoryview) -> int:
        if len(view) > self.left:
            raise BadAnswer("a record of the answer is shorter than its own tables say")
        n = self.answer.stream_into(view)
        self.left -= n
        return n

    def read(self, most: int) -> bytes:
        if self.left > most:
            raise BadAnswer("a record of the answer has %d bytes, above this client's limit of %d" % (self.left, most))
        body = bytearray(self.left)
        view = memoryview(body)
        while self.left:
            self.read_into(view[len(body) - self.left:])
        return bytes(body)

    def skip(self) -> None:
        scratch = memoryview(bytearray(min(self.left, 65536)))
        if self.left > _MAX_SKIPPED:
            raise BadAnswer("a record of the answer has %d bytes that nobody needs" % self.left)
        while self.left:
            self.read_into(scratch[:self.left])


def _next(answer: Answer) -> Optional[Any]:
    """(version, kind, record), or None at the end between two records."""
    head = bytearray(_HEAD.size)
    n = answer.stream_into(memoryview(head), may_end=True)
    if not n:
        return None
    while n < len(head):
        n += answer.stream_into(memoryview(head)[n:])
    length, version, kind, _ = _HEAD.unpack(head)
    if version >> 63 or (kind in (_BEAT, _GONE) and length):
        raise BadAnswer("a record of the answer has a head that cannot be")
    return version, kind, _Record(answer, length, MEDIA_TYPE if kind == _WHOLE else "application/problem+json",
                                  200 if kind == _WHOLE else 422)


def read_records(answer: Answer, receiver: Callable[[], Any], told: Callable[[Frame], Any]) -> None:
    """Calls told with each frame until it returns False or the answer ends; receiver makes what reads a frame."""
    if answer.status != 200 or answer.media_type != WATCH_TYPE:
        raise BadAnswer("records were asked for, the answer is %s (status %d)" %
                        (answer.media_type or "of no type", answer.status))
    while True:
        found = _next(answer)
        if found is None:
            return
        version, kind, record = found
        if kind == _GONE:
            raise Refused("the mesh has been deleted", "not_found", status=404, request_id=answer.request_id)
        if kind == _PROBLEM:
            raise problem(record)
        if kind != _WHOLE:
            record.skip()
            continue
        frame = receiver()(record)
        if frame.version != version:
            raise BadAnswer("a record of the answer tells version %d, its frame %d" % (version, frame.version))
        if told(frame) is False:
            return
