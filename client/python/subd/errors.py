# SPDX-License-Identifier: Apache-2.0
"""Why a call failed. Every exception that this package raises of itself is an Error."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

_LONGEST = 400  # Characters of a text that a server sent.


def clean(text: Any, longest: int = _LONGEST) -> str:
    """Text from a server as a terminal may show it: without control characters, and not endless."""
    text = text if isinstance(text, str) else ""
    return "".join("?" if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in text[:longest])


class Error(Exception):
    """The base of all. The message is a sentence; what the server did not say is 0 or empty.

    code             "usage", "network", "timeout", "cancelled", "protocol", "digest", or the daemon's own, such as
                     "invalid_mesh" (the page /docs/errors of a daemon lists them)
    field            what is to blame, such as "faceVertexIndices"
    limit, needed, available   of a refusal for size: the limit that was passed, what is needed, and what there is
    status           the HTTP status, such as 422
    current_version  the mesh's version, with status 412 and 428
    request_id       names the request in the daemon's log
    retry_after      seconds after which a repeat may succeed
    oldest_version   the oldest version that is kept, with status 410
    conflict         of a refused undo, late edit or change of what is leased, what is in the way: "versions",
                     "vertexIds" and "faceIds" (of many the first 64), and how many, "vertices" and "faces"
    prims            of a USDA file with several Meshes: (path, vertices, faces) of each; ask for one with prim=
    """

    code = "error"

    def __init__(self, text: str, code: str = "", **details: Any) -> None:
        super().__init__(text)
        self.code = code or type(self).code
        self.field: str = details.pop("field", "")
        self.limit: int = details.pop("limit", 0)
        self.needed: int = details.pop("needed", 0)
        self.available: int = details.pop("available", 0)
        self.status: int = details.pop("status", 0)
        self.current_version: int = details.pop("current_version", 0)
        self.oldest_version: int = details.pop("oldest_version", 0)
        self.conflict: Dict[str, Any] = details.pop("conflict", {})
        self.request_id: str = details.pop("request_id", "")
        self.retry_after: float = details.pop("retry_after", 0.0)
        self.prims: List[Tuple[str, int, int]] = details.pop("prims", [])
        if details:
            raise TypeError("no details of an error: %s" % ", ".join(details))


class UsageError(Error, ValueError):
    """An argument is wrong; nothing was sent."""

    code = "usage"


class NetworkError(Error):
    """There is no connection, or it broke before an answer began."""

    code = "network"


class TimedOut(Error):
    """One of the client's timeouts has passed; the message says which."""

    code = "timeout"


class Refused(Error):
    """The daemon answered with an error: see code, field, limit and needed."""

    code = "http"


class Cancelled(Error):
    """Client.cancel has ended the call."""

    code = "cancelled"


class BadAnswer(Error):
    """What answered is no sound subdd: the answer ends early, contradicts itself or what was asked for, passes a limit
    of this client, or does not match its digest (code "digest"). Nothing of it is to be used."""

    code = "protocol"


class SlowAnswer(BadAnswer, TimedOut):
    """An answer began, and did not go on or end in time."""

    code = "timeout"
