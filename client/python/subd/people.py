# SPDX-License-Identifier: Apache-2.0
"""Several people in one mesh: earlier versions, undo, leases and presence. Part of Client (client.py)."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union
from urllib.parse import quote

from .errors import BadAnswer, UsageError, clean
from .mesh import EditResult, MeshInfo
from .transport import Answer

_JSON = "application/json"
_MAX_IDS = 1 << 20
MeshLike = Union[str, MeshInfo, EditResult]


@dataclass(frozen=True)
class Version:
    """A version of a mesh, and who made it how: edits tells how many a batch had and kinds which, of which version was
    undone, redone or came back."""

    version: int
    change: str
    principal: str
    updated: str
    vertices: int
    faces: int
    edits: int = 0
    of: int = 0
    kinds: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Lease:
    """Faces (None: all of the mesh) that somebody has to himself for so many seconds. Of many faces the first have their
    ids here. They follow what the holder makes of them."""

    lease: str
    principal: str
    client: str
    seconds: int
    faces: Optional[int]
    face_ids: List[int]


@dataclass(frozen=True)
class Present:
    """A client at a mesh: the name of its token, its own, and any JSON that it tells."""

    principal: str
    client: str
    state: Any


def _lease_id(lease: Union[Lease, str]) -> str:
    return lease.lease if isinstance(lease, Lease) else lease


def _count(row: Dict[str, Any], name: str) -> int:
    n = row.get(name, 0)
    return n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 63 else 0


def _kinds(row: Dict[str, Any]) -> Tuple[str, ...]:
    names = row.get("kinds", [])
    return tuple(clean(name, 63) for name in names[:64]) if isinstance(names, list) else ()


def _rows(found: Dict[str, Any], name: str) -> List[Dict[str, Any]]:
    rows = found.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadAnswer("the server's list of %s cannot be read" % name)
    return rows


def _lease(row: Dict[str, Any]) -> Lease:
    ids = row.get("faceIds", [])
    if not isinstance(ids, list) or len(ids) > _MAX_IDS or not all(isinstance(i, int) for i in ids):
        raise BadAnswer("the server's lease cannot be read")
    return Lease(clean(row.get("lease"), 32), clean(row.get("principal"), 64), clean(row.get("client"), 64),
                 _count(row, "seconds"), _count(row, "faces") if "faces" in row else None, ids)


class People:
    """What Client has besides. Those without a body are Client's own."""

    _run: Callable[..., Any]
    _path: Callable[..., str]
    _object: Callable[[Answer], Dict[str, Any]]
    _info: Callable[[Answer], MeshInfo]
    _new_key: Callable[[Optional[str]], Optional[str]]
    _no_body: Callable[[Answer], None]
    _leases: List[str]  # Those of this client, where no token tells whose they are.

    # ---- versions
    def versions(self, mesh: MeshLike) -> Iterator[Version]:
        """The versions that can be read, the latest first; page by page."""
        before: Optional[int] = None
        while True:
            found = self._run("GET", self._path(mesh, "/versions"), {"before": before}, self._object, accept=_JSON,
                              repeatable=True)
            for row in _rows(found, "versions"):
                yield Version(_count(row, "version"), clean(row.get("change"), 16), clean(row.get("principal"), 64),
                              clean(row.get("updated"), 40), _count(row, "vertices"), _count(row, "faces"),
                              _count(row, "edits"), _count(row, "of"), _kinds(row))
            last, before = before, _count(found, "next") or None
            if not before:
                return
            if last and before >= last:
                raise BadAnswer("the pages of the server's list run in a circle")

    def _back(self, mesh: MeshLike, leaf: str, version: int, key: Optional[str], body: Optional[bytes] = None) -> MeshInfo:
        made = self._new_key(key)
        return self._run("POST", self._path(mesh, leaf), {}, self._info, body=None if body is None else [body],
                         media_type=None if body is None else _JSON, version=version, key=made, repeatable=bool(made))

    def undo(self, mesh: MeshLike, version: int = 0, *, idempotency_key: Optional[str] = None) -> MeshInfo:
        """Undoes the last change of this client's token, as a new version; what others have changed since stays. Refused
        with code "nothing_to_undo", or "changed_since" where others have changed the same. With a version only where the
        mesh has that one."""
        return self._back(mesh, "/undo", version, idempotency_key)

    def redo(self, mesh: MeshLike, version: int = 0, *, idempotency_key: Optional[str] = None) -> MeshInfo:
        """Redoes what was undone last. The rest is as in undo."""
        return self._back(mesh, "/redo", version, idempotency_key)

    def revert(self, mesh: MeshLike, to: int, version: int, *, idempotency_key: Optional[str] = None) -> MeshInfo:
        """Makes the earlier version `to` the next one, where the mesh has this version."""
        return self._back(mesh, "/revert", version, idempotency_key, json.dumps({"version": to}).encode())

    # ---- leases
    def lease(self, mesh: MeshLike, faces: Optional[Sequence[int]] = None, seconds: int = 60, client: str = "") -> Lease:
        """Keeps faces, by ids, or with None the whole mesh to oneself for this time, 1 to 3600 seconds. Refused with
        code "leased" where others have any of them. Without tokens this client names the lease with all its changes."""
        asked: Dict[str, Any] = {"seconds": seconds}
        if faces is not None:
            if not len(faces):
                raise UsageError("no faces are given: leave them out for the whole mesh")
            asked["faces"] = [int(f) for f in faces]
        if client:
            asked["client"] = client
        made = self._run("POST", self._path(mesh, "/leases"), {}, lambda a: _lease(self._object(a)), accept=_JSON,
                         body=[json.dumps(asked).encode()], media_type=_JSON)
        if not made.principal:
            self._leases.append(made.lease)
        return made

    def leases(self, mesh: MeshLike) -> List[Lease]:
        """Who has which faces to himself."""
        found = self._run("GET", self._path(mesh, "/leases"), {}, self._object, accept=_JSON, repeatable=True)
        return [_lease(row) for row in _rows(found, "leases")]

    def renew_lease(self, mesh: MeshLike, lease: Union[Lease, str], seconds: int = 60) -> Lease:
        """Makes a lease, or that of an id, last from now on."""
        return self._run("PUT", self._path(mesh, "/leases/" + quote(_lease_id(lease), safe="")), {},
                         lambda a: _lease(self._object(a)), accept=_JSON, repeatable=True,
                         body=[json.dumps({"seconds": seconds}).encode()], media_type=_JSON)

    def end_lease(self, mesh: MeshLike, lease: Union[Lease, str]) -> None:
        """Ends a lease, or that of an id."""
        self._run("DELETE", self._path(mesh, "/leases/" + quote(_lease_id(lease), safe="")), {}, self._no_body)
        self._leases[:] = [name for name in self._leases if name != _lease_id(lease)]

    # ---- presence
    def presence(self, mesh: MeshLike) -> List[Present]:
        """Who says that he is at the mesh."""
        found = self._run("GET", self._path(mesh, "/presence"), {}, self._object, accept=_JSON, repeatable=True)
        return [Present(clean(row.get("principal"), 64), clean(row.get("client"), 64), row.get("state"))
                for row in _rows(found, "present")]

    def be_present(self, mesh: MeshLike, client: str, state: Any = None, seconds: int = 30) -> None:
        """Says that a client of this name is at the mesh for so many seconds, 1 to 300, with any JSON of up to 4 KiB."""
        if not isinstance(client, str):
            raise UsageError("client is a name, and the state comes behind it")
        body = json.dumps(state).encode()
        if len(body) > 4096:
            raise UsageError("presence has at most 4096 bytes of JSON")
        self._run("PUT", self._path(mesh, "/presence"), {"client": client, "seconds": seconds}, self._no_body,
                  accept=_JSON, body=[body], media_type=_JSON, repeatable=True)

    def leave(self, mesh: MeshLike, client: str) -> None:
        """Says that it is not there any more."""
        self._run("DELETE", self._path(mesh, "/presence"), {"client": client}, self._no_body)
