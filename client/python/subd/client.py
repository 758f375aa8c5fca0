# SPDX-License-Identifier: Apache-2.0
"""The client: one method for each thing that a daemon does."""
from __future__ import annotations

import json
import os
import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from . import wire
from .arrays import numpy, pack
from .errors import BadAnswer, NetworkError, Refused, TimedOut, UsageError, clean
from .frame import MEDIA_TYPE, PATCH_BLOCKS, REFINED_BLOCKS, Frame, Places, Receiver, Request
from .mesh import MAX_MESSAGE, EditResult, Mesh, MeshInfo, cage_of, id_of, info_of, result_of
from .people import People
from .transport import Address, Answer, Exchange, parse_json
from .watch import EVENTS_TYPE, Events, Mistrust, Watch
from .watch import MEDIA_TYPE as WATCH_TYPE

DEFAULT_SERVER = "http://127.0.0.1:7373"
MEDIA_TYPES = {
    ".obj": "model/obj", ".usda": "model/vnd.usda", ".json": "application/json", ".pb": "application/protobuf"
}
SURFACE_TYPES = {
    ".obj": "model/obj", ".usda": "model/vnd.usda", ".ply": "model/ply", ".glb": "model/gltf-binary",
    ".stl": "model/stl"
}
_PROTOBUF, _JSON, _OCTETS = "application/protobuf", "application/json", "application/octet-stream"
_MAX_ANSWER = 16 << 20  # Of answers without arrays.
_MAX_LEVEL, _MAX_PATCH_LEVEL, _MAX_RING, _MAX_ROW = 15, 10, 64, (1 << 32) - 1
_FIELDS = ("normals", "gaussian", "mean", "geodesic")
_RELATIONS = ("VV", "VE", "VF", "EV", "EF", "FV", "FE", "FF")

MeshLike = Union[str, MeshInfo, EditResult]
Names = Union[str, Iterable[str]]


@dataclass
class Plan:
    """What a refine would give and cost. Bytes; needed and limit are of what there is too little of, where fits is
    False."""

    method: str
    level: int
    surface: str
    version: int
    vertices: int
    faces: int
    edges: int
    frame_bytes: int
    device_bytes: int
    host_bytes: int
    available_device_bytes: int
    streamed: bool
    fits: bool
    needed: int
    limit: int
    estimated_ms: float  # 0 while the daemon has measured nothing like it.
    blocks: List[Dict[str, Any]]  # As the daemon's JSON has them.


def _names(names: Names) -> List[str]:
    return [n for n in names.split(",") if n] if isinstance(names, str) else list(names)


def _in_range(what: str, n: int, least: int, most: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or not least <= n <= most:
        raise UsageError("%s %r is out of range: it is %d to %d" % (what, n, least, most))
    return n


def _no_body(answer: Answer) -> None:
    if answer.status != 204:
        raise _stranger(answer)


def _stranger(answer: Answer) -> BadAnswer:
    return BadAnswer("the server answered (status %d, %s) as no subdd does" %
                     (answer.status, clean(answer.media_type, 60) or "no media type"))


class Client(People):
    """A connection to a daemon.

    server           http://HOST:PORT, https://HOST:PORT or unix:/PATH; without it $SUBD_SERVER, else
                     http://127.0.0.1:7373. Proxies in the environment are not used
    token            bearer token; without it $SUBD_TOKEN
    ca_file          certificates (PEM) that alone are trusted as the server's authorities, with https
    connect_timeout  seconds for a connection
    stall_timeout    seconds without a byte
    request_timeout  seconds for a whole call, repeats included; None is no limit. The daemon is told, and gives up by
                     then as well
    retries          how often a request that may be repeated is sent again: after a connection that broke before an
                     answer, and after a refusal with status 429 or 503 that says when to come back. Pushes and edits
                     carry an idempotency key, so that they may be repeated; positions, renames and deletes are sent
                     once
    max_frame_bytes, max_answer_bytes   larger frames, and larger cages and results of edits, are refused unread
    priority         "bulk": what this client asks for waits for all that others ask for as "interactive"
    verify           False leaves the digests of frames unchecked

    A client has one call at a time; threads that work at once have one each. cancel and uncancel may come from any
    thread. Every call may raise NetworkError, TimedOut, Refused, BadAnswer or Cancelled, all of them subd.Error."""

    def __init__(self, server: Optional[str] = None, *, token: Optional[str] = None, ca_file: Optional[str] = None,
                 connect_timeout: float = 5.0, stall_timeout: float = 150.0, request_timeout: Optional[float] = None,
                 retries: int = 2, max_frame_bytes: int = 16 << 30, max_answer_bytes: int = 1 << 30,
                 verify: bool = True, priority: str = "interactive") -> None:
        server = (server or os.environ.get("SUBD_SERVER") or DEFAULT_SERVER).rstrip("/")
        for what, seconds in (("connect_timeout", connect_timeout), ("stall_timeout", stall_timeout),
                              ("request_timeout", request_timeout)):
            if not (seconds is None and what == "request_timeout") and not (seconds and 0 < seconds < 1e6):
                raise UsageError("%s is %r; it is seconds above 0" % (what, seconds))
        if priority not in ("interactive", "bulk"):
            raise UsageError("priority is %r; it is interactive or bulk" % (priority,))
        self._exchange = Exchange(Address(server, ca_file), token or os.environ.get("SUBD_TOKEN"), connect_timeout,
                                  stall_timeout, request_timeout, _in_range("retries", retries, 0, 100), priority == "bulk")
        self.max_frame_bytes, self.max_answer_bytes, self.verify = max_frame_bytes, max_answer_bytes, verify
        self.warnings: List[str] = []  # Of the last answer: what a mesh or an answer lost on the way.
        self._pool: Optional[ThreadPoolExecutor] = None
        self._leases: List[str] = []
        self._no_body = _no_body

    def close(self) -> None:
        """Closes the connection. A later call opens one again."""
        self._exchange.drop()
        if self._pool:
            self._pool.shutdown(wait=False)
            self._pool = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def cancel(self) -> None:
        """Ends the call under way with Cancelled, and every later one until uncancel. From any thread."""
        self._exchange.cancel()

    def uncancel(self) -> None:
        """Lets calls run again."""
        self._exchange.uncancel()

    # ---- requests
    def _run(self, method: str, path: str, query: Dict[str, Any], take: Callable[[Answer], Any], *,
             accept: str = _PROTOBUF, body: Optional[wire.Pieces] = None, media_type: Optional[str] = None,
             version: int = 0, if_none_match: Optional[str] = None, key: Optional[str] = None,
             repeatable: bool = False, endless: bool = False, rebase: bool = False) -> Any:
        asked = {k: "true" if v is True else v for k, v in query.items() if not (v is None or v is False or v == "")}
        if asked:
            path += "?" + urlencode(asked, quote_via=quote, safe=",")
        headers = {
            "Accept": accept, "Content-Type": media_type, "If-None-Match": if_none_match, "Idempotency-Key": key,
            "If-Match": '"%d"' % _in_range("version", version, 1, (1 << 63) - 1) if version else None,
            "Subdd-Rebase": "disjoint" if rebase else None, "Subdd-Lease": ",".join(self._leases) or None
        }

        def taken(answer: Answer) -> Any:
            self.warnings = answer.warnings
            return take(answer)

        return self._exchange.run(method, path, headers, body, taken, repeatable, endless)

    @staticmethod
    def _path(mesh: MeshLike, leaf: str = "") -> str:
        return "/v1/meshes/%s%s" % (quote(id_of(mesh), safe=""), leaf)

    def _message(self, schema: wire.Schema, most: int = _MAX_ANSWER) -> Callable[[Answer], Any]:
        def take(answer: Answer) -> Any:
            if answer.media_type not in (_PROTOBUF, "application/x-protobuf"):
                raise _stranger(answer)
            return schema.read(answer.read(most))

        return take

    def _info(self, answer: Answer) -> MeshInfo:
        return info_of(self._message(wire.MESH_INFO)(answer))

    @staticmethod
    def _object(answer: Answer) -> Dict[str, Any]:
        found = parse_json(answer.read(_MAX_ANSWER)) if answer.media_type == _JSON else None
        if not isinstance(found, dict):
            raise _stranger(answer)
        return found

    def _new_key(self, key: Optional[str]) -> Optional[str]:
        return key or (uuid.uuid4().hex if self._exchange.retries else None)

    # ---- meshes
    def push(self, source: Union[Mesh, str, "os.PathLike[str]", bytes, bytearray, memoryview], *,
             media_type: Optional[str] = None, name: Optional[str] = None, options: Optional[Dict[str, str]] = None,
             reorder: Optional[str] = None, strict: bool = False, prim: Optional[str] = None,
             time_code: Optional[float] = None, idempotency_key: Optional[str] = None) -> MeshInfo:
        """Stores a control mesh: a Mesh of arrays, the path of a file (.obj, .usda, .json or .pb), or a file's bytes
        with their media_type. It is durable when the call returns.

        options   scheme="loop" and others of subd.OPTION_NAMES; they win over those of the mesh
        reorder   "rcm" stores neighbours close together; ids stay
        strict    refuses a file of which something would be left out with a warning (MeshInfo.warnings)
        prim, time_code   of a USDA file the Mesh at this path, and the time at which it is read"""
        if isinstance(source, Mesh):
            body, media_type = source.pieces(), _PROTOBUF
        elif isinstance(source, (bytes, bytearray, memoryview)):
            body = [memoryview(source)]
        else:
            stem, ending = os.path.splitext(os.path.basename(os.fspath(source)))
            body, media_type, name = [_read(source)], media_type or MEDIA_TYPES.get(ending.lower()), name or stem
        if not media_type:
            raise UsageError("the media type is not known: give media_type, or a file named .obj, .usda, .json or .pb; "
                             "`subd push` reads other formats")
        unknown = set(options or {}) - set(wire.OPTION_NAMES)
        if unknown:
            raise UsageError("options of meshes are %s, not %s" %
                             (", ".join(wire.OPTION_NAMES), ", ".join(sorted(unknown))))
        key = self._new_key(idempotency_key)
        query = {"name": name, **(options or {}), "reorder": reorder, "strict": strict, "prim": prim, "time": time_code}
        return self._run("POST", "/v1/meshes", query, self._info, body=body, media_type=media_type, key=key,
                         repeatable=bool(key))

    def meshes(self, name: Optional[str] = None) -> Iterator[MeshInfo]:
        """All meshes in the order of their ids, or those of one name; page by page."""
        after = ""
        while True:
            page = self._run("GET", "/v1/meshes", {"name": name, "after": after}, self._message(wire.MESH_LIST),
                             repeatable=True)
            yield from map(info_of, page.meshes)
            if not page.next:
                return
            if page.next <= after:
                raise BadAnswer("the pages of the server's list run in a circle")
            after = page.next

    def show(self, mesh: MeshLike, *, at: int = 0) -> MeshInfo:
        """A mesh without its arrays. `at`, here and below, is an earlier version that is kept still."""
        return self._run("GET", self._path(mesh), {"version": at or None}, self._info, repeatable=True)

    def find(self, text: str) -> MeshInfo:
        """The mesh that a person means: by its id, a name that one mesh alone has, or the beginning of one id."""
        if not text or len(text.encode("utf-8", "replace")) > 255:
            raise UsageError("a mesh is found by its id, a name of at most 255 bytes, or the beginning of an id")
        like_id = re.fullmatch(r"m_[0-9a-z]{1,21}", text)
        if like_id:
            try:
                return self.show(text)
            except Refused as why:
                if why.status != 404:
                    raise
        found = self._few({"name": text})
        if not found and like_id:
            found = [m for m in self._few({"after": text}) if m.id.startswith(text)]
        if len(found) > 1:
            some = ", ".join(m.id for m in found[:2]) + (" and others" if len(found) > 2 else "")
            raise UsageError("more than one mesh is meant by %r: %s; give the id of one" % (text, some), "ambiguous")
        if not found:
            raise Refused("no mesh has the id or the name %r, and no id begins with it; `subd ls` lists the meshes" %
                          text, "not_found", status=404)
        return found[0]

    def _few(self, query: Dict[str, Any]) -> List[MeshInfo]:
        page = self._run("GET", "/v1/meshes", {**query, "limit": 3}, self._message(wire.MESH_LIST), repeatable=True)
        return [info_of(m) for m in page.meshes]

    def rename(self, mesh: MeshLike, name: Optional[str], version: int = 0) -> MeshInfo:
        """Another name; None asks for the default, the id. With a version only where the mesh has that one."""
        body = json.dumps({"name": name}).encode()
        return self._run("PATCH", self._path(mesh), {}, self._info, body=[body],
                         media_type="application/merge-patch+json", version=version)

    def delete(self, mesh: MeshLike, version: int = 0) -> None:
        """Forgets a mesh and all its versions. With a version only where the mesh has that one."""
        self._run("DELETE", self._path(mesh), {}, _no_body, version=version)

    def pin(self, mesh: MeshLike) -> MeshInfo:
        """Keeps a mesh on the device, over restarts too; an administrator may."""
        return self._run("PUT", self._path(mesh, "/pin"), {}, self._info, repeatable=True)

    def unpin(self, mesh: MeshLike) -> None:
        """Lets it leave the device again."""
        self._run("DELETE", self._path(mesh, "/pin"), {}, _no_body)

    def end_quarantine(self, mesh: MeshLike) -> None:
        """Has a mesh evaluated again that has ended the daemon twice; an administrator may."""
        self._run("DELETE", self._path(mesh, "/quarantine"), {}, _no_body)

    def wait_for_version(self, mesh: MeshLike, version: int, timeout: Optional[float] = None,
                         interval: float = 0.25) -> MeshInfo:
        """Waits until the mesh has this version or a later one, and tells of it. The daemon is asked every interval
        seconds, and answers in a few bytes while nothing has changed. TimedOut after timeout seconds."""
        end, tag = None if timeout is None else time.monotonic() + timeout, None

        def take(answer: Answer) -> Any:
            return (answer.etag, None if answer.status == 304 else self._info(answer))

        while True:
            tag, info = self._run("GET", self._path(mesh), {}, take, if_none_match=tag, repeatable=True)
            if info and info.version >= version:
                return info
            if end is not None and time.monotonic() + interval > end:
                raise TimedOut("the mesh had no version %d within %g s" % (version, timeout or 0))
            self._exchange.pause(interval)

    # ---- the control mesh
    def cage(self, mesh: MeshLike, *, at: int = 0) -> Mesh:
        """The control mesh as arrays, with the ids that edits use and its version."""
        def take(answer: Answer) -> Mesh:
            if answer.media_type not in (_PROTOBUF, "application/x-protobuf"):
                raise _stranger(answer)
            return cage_of(answer.read(self.max_answer_bytes), answer.etag)

        return self._run("GET", self._path(mesh, "/cage"), {"version": at or None}, take, repeatable=True)

    def cage_file(self, mesh: MeshLike, media_type: str = "model/obj", *, at: int = 0) -> bytes:
        """The control mesh as a file: model/obj, model/vnd.usda, model/ply, model/gltf-binary, model/stl,
        application/json or application/protobuf. Client.warnings tells what the format does not carry."""
        def take(answer: Answer) -> bytes:
            if answer.media_type != media_type:
                raise _stranger(answer)
            return answer.read(self.max_answer_bytes)

        return self._run("GET", self._path(mesh, "/cage"), {"version": at or None}, take, accept=media_type,
                         repeatable=True)

    def positions(self, mesh: MeshLike, points: Any, *, version: int = 0, first: Optional[int] = None,
                  media_type: str = _OCTETS) -> MeshInfo:
        """New positions, f32[n][3] by the rows of the cage: of all vertices, or with first of some from that row on.
        Makes a new version, which is durable when the call returns. With a version only where the mesh still has that
        one. With a media_type points are the bytes of a file (model/obj, model/vnd.usda), of which only the points are
        read."""
        query = {"first": None if first is None else _in_range("first", first, 0, MAX_MESSAGE)}
        return self._run("PUT", self._path(mesh, "/positions"), query, self._info,
                         body=[pack(points, "f32", "points")], media_type=media_type, version=version)

    def edits(self, mesh: MeshLike, version: int, edits: Sequence[wire.Pieces], *, rebase: bool = False,
              idempotency_key: Optional[str] = None) -> EditResult:
        """A batch of edits (subd.edits) for this version of the mesh: all are applied in order, or none. Makes the next
        version, which is durable when the call returns. Refused with status 412 and current_version where the mesh has
        another; with rebase only where others have touched since what the edits name, change or need."""
        _in_range("version", version, 1, (1 << 63) - 1)
        _in_range("the number of edits", len(edits), 1, 65536)
        body: wire.Pieces = [piece for edit in edits for piece in wire.put(1, edit)]
        key, take = self._new_key(idempotency_key), self._message(wire.EDIT_RESULT, self.max_answer_bytes)
        return self._run("POST", self._path(mesh, "/edits"), {}, lambda a: result_of(take(a), version), body=body,
                         media_type=_PROTOBUF, version=version, key=key, repeatable=bool(key), rebase=rebase)

    # ---- surfaces
    def _make_pool(self) -> None:
        cores = os.cpu_count() or 1
        # With fewer cores, threads would only take turns with the one that receives.
        if numpy is not None and self._pool is None and cores >= 4:
            self._pool = ThreadPoolExecutor(min(4, cores - 2), "subd")

    def _frame(self, method: str, path: str, query: Dict[str, Any], request: Request, out: Places, **more: Any) -> Any:
        self._make_pool()
        verify = more.pop("verify", None)
        receiver = Receiver(request, out, self.verify if verify is None else verify, self.max_frame_bytes, self._pool)
        return self._run(method, path, query, receiver, accept=MEDIA_TYPE, repeatable=True, **more)

    @staticmethod
    def _refine_query(level: int, include: Names, surface: Optional[str], method: Optional[str], compact: Names,
                      primvars: Names, split_normals: bool) -> Any:
        """The query of a refine, and what its frame has to be."""
        wanted, small, extra = set(_names(include)), frozenset(_names(compact)), tuple(_names(primvars))
        if split_normals:
            wanted.add("normals")
        if not wanted or not wanted <= REFINED_BLOCKS:
            raise UsageError("include names %s; there are %s" %
                             (", ".join(sorted(wanted)) or "nothing", ", ".join(sorted(REFINED_BLOCKS))))
        if not small <= wanted & {"positions", "normals", "uvs"}:
            raise UsageError(
                "positions, normals and uvs that are in include can be compact, not %s" % ", ".join(sorted(small)))
        query = {
            "level": _in_range("level", level, 1, _MAX_LEVEL), "include": ",".join(sorted(wanted)), "surface": surface,
            "method": method, "compact": ",".join(sorted(small)), "primvars": ",".join(extra),
            "normals": "split" if split_normals else None
        }
        return query, Request(level, frozenset(wanted | ({"normal_indices"} if split_normals else set())), small, extra)

    def refined(self, mesh: MeshLike, level: int = 1, *, include: Names = ("positions", "indices"),
                surface: Optional[str] = None, method: Optional[str] = None, compact: Names = (), primvars: Names = (),
                split_normals: bool = False, out: Places = None, if_none_match: Optional[str] = None,
                verify: Optional[bool] = None, at: int = 0) -> Optional[Frame]:
        """The refined surface as arrays.

        include    of positions, normals, tangents, indices, uvs, uv_indices and face_params
        surface    "refined", "limit" or "limitAtLevel";  method  an engine, or "auto"
        compact    those of positions, normals and uvs that come in 16 bits (Block.floats decodes them)
        primvars   names, or "*";  split_normals  a normal for each side of an infinitely sharp edge, with
                   normal_indices
        out        where arrays go: {"positions": array, ...} of numpy arrays, bytearrays or memoryviews that are large
                   enough, or an earlier Frame whose memory is used again
        if_none_match   the etag of an earlier frame: the answer is None where it is still current
        verify     False leaves digests unchecked in this call
        at         an earlier version"""
        query, request = self._refine_query(level, include, surface, method, compact, primvars, split_normals)
        query["version"] = at or None
        return self._frame("GET", self._path(mesh, "/refined"), query, request, out, if_none_match=if_none_match,
                           verify=verify)

    def watch(self, mesh: MeshLike, changed: Callable[[Frame, int], Any], level: int = 1, *,
              include: Names = ("positions", "indices"), surface: Optional[str] = None, method: Optional[str] = None,
              compact: Names = (), primvars: Names = (), split_normals: bool = False, frame: Optional[Frame] = None,
              deltas: bool = True, verify: Optional[bool] = None) -> Frame:
        """Calls changed(frame, base) with the frame of the present version and of each one that comes, until it returns
        what is true; then the last frame is the result. `base` is the version of which a delta made it, 0 where it came
        as a whole. An earlier frame's memory is used again: take what you keep out of it before you return.

        frame      that of an earlier call with the same request, from which it goes on
        deltas     False has every frame sent as a whole
        The other arguments are those of refined. Refused, of status 404, is raised once the mesh is deleted, and
        NetworkError when the daemon ends the stream: watch again then, with the frame of the last call of changed."""
        query, request = self._refine_query(level, include, surface, method, compact, primvars, split_normals)
        self._make_pool()
        watch = Watch(request, frame, changed, self.verify if verify is None else verify, self.max_frame_bytes, self._pool)
        mistrusted = 0
        while not watch.ended:
            since = watch.frame.version if watch.frame else None
            try:
                self._run("GET", self._path(mesh, "/watch"), {**query, "deltas": deltas, "since": since}, watch,
                          accept=WATCH_TYPE, endless=True)
                if not watch.ended:
                    raise NetworkError("the daemon ended the stream; watch again")
            except Mistrust:
                mistrusted, watch.frame = mistrusted + 1, None
                if mistrusted > 2:
                    raise
        assert watch.frame
        return watch.frame

    def events(self, mesh: MeshLike, heard: Callable[[str, int, Any], Any], since: int = 0) -> None:
        """Calls heard(kind, version, data) with each event of the mesh until it returns what is true. Kinds are
        "version" (the others have version 0), "deleted", "missed", "problem", "lease", "presence". It begins with the
        present version, or with those after `since`. Errors as watch."""
        events = Events(heard)
        self._run("GET", self._path(mesh, "/events"), {"since": since or None}, events, accept=EVENTS_TYPE, endless=True)
        if not events.ended:
            raise NetworkError("the daemon ended the stream; ask again")

    def refined_file(self, mesh: MeshLike, path: Union[str, "os.PathLike[str]"], level: int = 1, *,
                     media_type: Optional[str] = None, include: Names = (), surface: Optional[str] = None,
                     method: Optional[str] = None, primvars: Names = (), split_normals: bool = False,
                     at: int = 0) -> None:
        """The refined surface as a file that the daemon writes, by the ending of its path .obj, .usda, .ply, .glb or
        .stl. It appears when it is complete. Without include it has the UVs of the mesh; Client.warnings tells what the
        format does not carry."""
        wanted = media_type or SURFACE_TYPES.get(os.path.splitext(os.fspath(path))[1].lower())
        if not wanted:
            raise UsageError("surfaces are written to files that end in %s" % ", ".join(SURFACE_TYPES))
        query, _ = self._refine_query(level, include or ("positions",), surface, method, (), primvars, split_normals)
        query["version"] = at or None
        if not include:
            del query["include"]
        unfinished = "%s.%s.part" % (os.fspath(path), uuid.uuid4().hex[:8])

        def take(answer: Answer) -> None:
            if answer.media_type != wanted:
                raise _stranger(answer)
            with open(unfinished, "wb") as out:
                out.writelines(answer.pieces())
            os.replace(unfinished, path)

        try:
            self._run("GET", self._path(mesh, "/refined"), query, take, accept=wanted, repeatable=True)
        finally:
            if os.path.exists(unfinished):
                os.unlink(unfinished)

    def pose(self, mesh: MeshLike, points: Any, level: int = 1, *, version: int = 0, media_type: str = _OCTETS,
             include: Names = ("positions", "indices"), surface: Optional[str] = None, method: Optional[str] = None,
             compact: Names = (), primvars: Names = (), split_normals: bool = False, out: Places = None,
             verify: Optional[bool] = None, at: int = 0) -> Frame:
        """The surface of the mesh with other positions, f32[vertices][3], which are not kept. The rest is as in
        refined; with a version only where the mesh has that one."""
        query, request = self._refine_query(level, include, surface, method, compact, primvars, split_normals)
        query["version"] = at or None
        return self._frame("POST", self._path(mesh, "/refined"), query, request, out,
                           body=[pack(points, "f32", "points")], media_type=media_type, version=version, verify=verify)

    def patches(self, mesh: MeshLike, level: int = 1, *, surface: Optional[str] = None, out: Places = None,
                if_none_match: Optional[str] = None, verify: Optional[bool] = None, at: int = 0) -> Optional[Frame]:
        """The surface as bicubic B-spline patches, and quads of the level where it is none (proto/README.md,
        "Patches")."""
        query = {"level": _in_range("level", level, 1, _MAX_PATCH_LEVEL), "surface": surface, "version": at or None}
        return self._frame("GET", self._path(mesh, "/patches"), query, Request(level, PATCH_BLOCKS), out,
                           if_none_match=if_none_match, verify=verify)

    def plan(self, mesh: MeshLike, level: int = 1, *, include: Names = ("positions", "indices"),
             surface: Optional[str] = None, method: Optional[str] = None, compact: Names = (), primvars: Names = (),
             split_normals: bool = False, at: int = 0) -> Plan:
        """What refined with the same arguments would give and cost, before asking."""
        query, _ = self._refine_query(level, include, surface, method, compact, primvars, split_normals)
        query["version"] = at or None
        return self._run("GET", self._path(mesh, "/plan"), query, lambda a: _plan_of(self._object(a)), accept=_JSON,
                         repeatable=True)

    # ---- queries
    def neighbors(self, mesh: MeshLike, relation: str = "VV", level: int = 0, *, ring: int = 1, oriented: bool = False,
                  first: int = 0, count: Optional[int] = None, ids: Any = None, out: Places = None,
                  if_none_match: Optional[str] = None, at: int = 0) -> Optional[Frame]:
        """Rows of neighbours: row i is frame["ids"][frame["offsets"][i]:frame["offsets"][i + 1]]. With ids (u32) the
        rows of these elements, in their order; else those of all, or of a range."""
        if relation not in _RELATIONS:
            raise UsageError("%r is not one of %s" % (relation, ", ".join(_RELATIONS)))
        if ids is not None and (first or count is not None or if_none_match or at):
            raise UsageError("ids go without first, count, if_none_match and at")
        query = {
            "relation": relation, "level": _in_range("level", level, 0, _MAX_LEVEL),
            "ring": _in_range("ring", ring, 1, _MAX_RING), "oriented": oriented,
            "first": _in_range("first", first, 0, _MAX_ROW) if ids is None else None,
            "count": None if count is None else _in_range("count", count, 0, _MAX_ROW), "version": at or None
        }
        request = Request(level, frozenset({"offsets", "ids"} | ({"signs"} if relation == "FE" else set())),
                          relation=relation)
        more: Dict[str, Any] = {} if ids is None else {"body": [pack(ids, "u32", "ids")], "media_type": _OCTETS}
        return self._frame("GET" if ids is None else "POST", self._path(mesh, "/neighbors"), query, request, out,
                           if_none_match=if_none_match, **more)

    def fields(self, mesh: MeshLike, what: Names, level: int = 0, *, sources: Iterable[int] = (), out: Places = None,
               if_none_match: Optional[str] = None, verify: Optional[bool] = None, at: int = 0) -> Optional[Frame]:
        """Values at the vertices of the cage or of a level, a block for each of normals, gaussian, mean and geodesic,
        the last of which needs sources: rows of vertices."""
        wanted = [name for name in _FIELDS if name in _names(what)]
        if not wanted or len(wanted) != len(_names(what)):
            raise UsageError("what names %s; there are %s, each once" %
                             (", ".join(_names(what)) or "nothing", ", ".join(_FIELDS)))
        rows = ",".join(str(_in_range("a source", int(row), 0, _MAX_ROW)) for row in sources)
        query = {
            "what": ",".join(wanted), "sources": rows, "level": _in_range("level", level, 0, _MAX_LEVEL),
            "version": at or None
        }
        return self._frame("GET", self._path(mesh, "/fields"), query, Request(level, frozenset(wanted)), out,
                           if_none_match=if_none_match, verify=verify)

    def smooth(self, mesh: MeshLike, method: str = "uniform", *, iterations: int = 1, strength: float = 0.5,
               boundary: str = "kept", version: int = 0, out: Places = None, verify: Optional[bool] = None) -> Frame:
        """Smoothed positions of the control mesh, which are not kept. Methods are uniform, cotangent, bilateral and
        curvatureFlow; boundary is "kept", or "along"."""
        body = _smooth_body(method, iterations, strength, boundary)
        return self._frame("POST", self._path(mesh, "/smooth"), {}, Request(0, frozenset({"positions"})), out,
                           body=body, media_type=_JSON, version=version, verify=verify)

    def smooth_store(self, mesh: MeshLike, version: int, method: str = "uniform", *, iterations: int = 1,
                     strength: float = 0.5, boundary: str = "kept") -> MeshInfo:
        """The same, as a new version made of this one."""
        _in_range("version", version, 1, (1 << 63) - 1)
        return self._run("POST", self._path(mesh, "/smooth"), {"store": True}, self._info,
                         body=_smooth_body(method, iterations, strength, boundary), media_type=_JSON, version=version)

    # ---- the daemon
    def service(self) -> Dict[str, Any]:
        """What the daemon is and can do: version, backend, engines, options, limits (the JSON of GET /v1)."""
        return self._run("GET", "/v1", {}, self._object, accept=_JSON, repeatable=True)

    def ready(self) -> bool:
        """Whether it takes work; False while it drains or has failed."""
        try:
            return isinstance(self._run("GET", "/v1/health/ready", {}, self._object, accept=_JSON).get("status"), str)
        except Refused as why:
            if why.status != 503:
                raise
            return False


def _read(path: Any) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def _smooth_body(method: str, iterations: int, strength: float, boundary: str) -> wire.Pieces:
    return [
        json.dumps({"method": method, "iterations": iterations, "strength": strength, "boundary": boundary}).encode()
    ]


def _plan_of(o: Dict[str, Any]) -> Plan:
    def number(key: str) -> Any:
        value = o.get(key)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 9e15 else 0

    whole = {
        name: int(number(key))
        for name, key in (("level", "level"), ("version", "version"), ("vertices", "vertices"), ("faces", "faces"),
                          ("edges", "edges"), ("frame_bytes", "frameBytes"), ("device_bytes", "deviceBytes"),
                          ("host_bytes", "hostBytes"), ("available_device_bytes", "availableDeviceBytes"),
                          ("needed", "needed"), ("limit", "limit"))
    }
    blocks: Any = o.get("blocks") if isinstance(o.get("blocks"), list) else []
    if "frameBytes" not in o or len(blocks) > wire.MAX_BLOCKS:
        raise BadAnswer("the server's plan cannot be read")
    return Plan(method=clean(o.get("method"), 64), surface=clean(o.get("surface"), 64),
                streamed=o.get("streamed") is True, fits=o.get("fits") is not False, estimated_ms=float(
                    number("estimatedMs")), blocks=[b for b in blocks if isinstance(b, dict)], **whole)
