# SPDX-License-Identifier: Apache-2.0
"""One mesh of the daemon and its link to an object: what is sent, what comes back, and what is told of it. Nothing here
knows Blender. A thread does the network, or the caller's own (step) where there is none.

The caller submits jobs; of those that wait only the latest counts, and one is under way at a time. The next begins when
the caller has applied the result of the one before, so that its arrays can be used again."""
from __future__ import annotations

import dataclasses
import functools
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import numpy

from . import subd
from .cage import Cage, changes, from_mesh, is_mirrored, to_mesh

PRESENCE_SECONDS = 5.0  # Between two looks at who else is here.
_WAITS = (0.25, 0.5, 1.0, 2.0, 5.0)  # Seconds until a daemon that was away is tried again.


@dataclass
class Want:
    """What of the surface is wanted."""

    level: int
    surface: str  # limit or refined
    options: Dict[str, str]


@dataclass
class Job:
    cage: Cage
    want: Want
    is_pose: bool = False  # The positions are only shown and not kept.
    is_whole: bool = False  # Blender has nothing of the surface: values are needed too.


@dataclass
class Topology:
    """The faces and edges of a level, which positions alone do not change."""

    key: Any  # (topology id, level)
    indices: Any  # uint32[F][4]
    edges: Any  # uint32[E][2]
    face_edges: Any  # uint32[4F]: the edge after each corner


@dataclass
class Result:
    job: Job
    frame: subd.Frame
    topology: Topology
    attributes: bool  # Whether the frame has values beside positions.
    version: int
    plan: subd.Plan
    timings: Dict[str, float]  # Seconds of each phase.


@dataclass
class Theirs:
    """The control mesh of somebody else's version, and the one that both started from."""

    cage: Cage
    base: Optional[Cage]
    version: int


@dataclass
class State:
    """What people are told."""

    away: str = ""  # Why the daemon cannot be reached.
    problem: str = ""  # The daemon's sentence on what it refuses.
    note: str = ""  # What is not as it was asked for.
    version: int = 0
    plan: Optional[subd.Plan] = None
    timings: Dict[str, float] = field(default_factory=dict)
    people: List[str] = field(default_factory=list)
    leases: List[str] = field(default_factory=list)
    method: str = ""
    backend: str = ""


def _is_absence(why: subd.Error) -> bool:
    """No daemon answers, or one that will take work again soon."""
    return isinstance(why, (subd.NetworkError, subd.TimedOut, subd.BadAnswer)) or why.status in (429, 502, 503, 504)


class Session:
    """keep: the mesh stays on the daemon when the session ends, and may be somebody else's. connect makes a client, on
    any thread."""
    def __init__(self, connect: Callable[[], subd.Client], name: str, mesh_id: str = "", keep: bool = False) -> None:
        self._connect, self.name, self.id, self.keep = connect, name, mesh_id, keep
        self.state = State()
        self.sent: Optional[Cage] = None  # What the daemon has, as Blender holds it.
        self.is_held = False  # Nothing is sent before a person has decided between two versions.
        self._info: Optional[subd.MeshInfo] = None
        self._ids: Any = None  # Vertex ids and face ids of `sent`, where they are known.
        self._options: Dict[str, str] = {}
        self._topology: Optional[Topology] = None
        self._shown: Optional[Cage] = None  # The cage of the last result.
        self._planned: Any = None
        self._client: Optional[subd.Client] = None
        self._watcher: Optional[subd.Client] = None
        self._memory: Dict[str, Any] = {}  # Of the arrays of the last frame.
        self._job: Optional[Job] = None
        self._result: Optional[Result] = None
        self._theirs: Optional[Theirs] = None
        self._busy = self._closing = False
        self._news = 0  # The newest version that the watch has told of.
        self._ready = threading.Condition()
        self._stepping = threading.Lock()  # Held by whom the client belongs to.
        self._threads: List[threading.Thread] = []

    # ---- the caller's side
    def start(self) -> None:
        """From here on a thread does the work."""
        for work in (self._work, self._watch):
            thread = threading.Thread(target=work, name="subdd " + self.name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def submit(self, job: Job) -> bool:
        """False where another's version has to be looked at first."""
        with self._ready:
            if self._theirs:
                return False
            self._job = job
            self._ready.notify_all()
            return True

    def take(self) -> Optional[Result]:
        """The result to apply; applied() has to follow."""
        with self._ready:
            return self._result

    def applied(self) -> None:
        with self._ready:
            self._result = None
            self._ready.notify_all()

    def take_theirs(self) -> Optional[Theirs]:
        with self._ready:
            theirs, self._theirs = self._theirs, None
            return theirs

    def mirror(self, cage: Cage, version: int) -> None:
        """What the daemon has as this version looks so in Blender, which rounds creases."""
        with self._ready:
            if self.state.version == version:
                self.sent = cage

    def release(self) -> None:
        """A person has decided."""
        with self._ready:
            self.is_held = False
            self._ready.notify_all()

    def is_idle(self) -> bool:
        with self._ready:
            return not (self._job or self._result or self._theirs or self._busy)

    def work_now(self, job: Job) -> None:
        """Does a job on this thread, before it returns. Without threads nobody else looks for news."""
        with self._ready:
            self._job = None
        self._try(job, looks=not self._threads)

    def close(self, wait: float) -> None:
        """Ends the threads, for which it waits so many seconds. A mesh that is not kept is removed from the daemon."""
        with self._ready:
            self._closing = True
            self._ready.notify_all()
        for client in (self._client, self._watcher):
            if client:
                client.cancel()
        if not self._threads:
            self._leave()
            self.id = ""
        for thread in self._threads:
            thread.join(wait)

    # ---- the threads
    def _work(self) -> None:
        tries = 0
        while not self._closing:
            with self._ready:
                self._ready.wait_for(self._has_work, PRESENCE_SECONDS)
                job, self._job = (self._job, None) if self._has_work() else (None, self._job)
                self._busy = True
            again = not self._closing and self._try(job)
            with self._ready:
                self._busy = False
                tries = tries + 1 if again else 0
                if again:
                    self._job = self._job or job
                    self._ready.wait_for(lambda: self._closing, _WAITS[min(tries, len(_WAITS)) - 1])
        self._leave()

    def _leave(self) -> None:
        if self._client:
            self._client.close()
        if self.id and not self.keep:
            try:
                with self._connect() as client:
                    client.delete(self.id)
            except subd.Error:
                pass  # A daemon that is away keeps it; nobody is left to try again.

    def _has_work(self) -> bool:
        free = not (self._result or self._theirs or self.is_held)
        return self._closing or (free and (self._job is not None or self._news > self.state.version))

    def _try(self, job: Optional[Job], looks: bool = False) -> bool:
        """Does a job, or looks after news and people without one. Whether to come again."""
        try:
            with self._stepping:
                if looks and self.id and self.state.version:
                    self._news = self.client.show(self.id).version
                if self._news > self.state.version > 0 and not self.is_held:
                    self.pull()
                elif job:
                    self.step(job)
                elif self.id:
                    self._look_around()
            self.state.away = ""
        except subd.Cancelled:
            return False
        except subd.Error as why:
            if _is_absence(why):
                self.state.away = str(why)
                return True
            self.state.away, self.state.problem = "", str(why)
        except Exception as why:  # pylint: disable=broad-except  Told, rather than a thread that is silently gone.
            traceback.print_exc()
            self.state.problem = "the add-on failed: %s: %s" % (type(why).__name__, why)
        return False

    def _watch(self) -> None:
        """Tells the other thread of each new version, and of who comes and goes."""
        tries = 0
        while not self._closing:
            try:
                if self.id and self.state.version:
                    with self._connect() as self._watcher:
                        self._watcher.events(self.id, functools.partial(self._rung, self.id), self.state.version)
                    tries = 0
            except subd.Error:
                pass  # The other thread finds out why, and tells.
            tries = min(tries + 1, len(_WAITS))
            with self._ready:
                self._ready.wait_for(lambda: self._closing, _WAITS[tries - 1] if self.id else 0.05)

    def _rung(self, mesh: str, kind: str, version: int, _: Any) -> bool:
        """Whether that is enough."""
        with self._ready:
            if self._closing or mesh != self.id:
                return True
            if kind == "version":
                self._news = version
            self._ready.notify_all()
            return False

    # ---- the network
    @property
    def client(self) -> subd.Client:
        if self._closing:
            raise subd.Cancelled("the link has ended")
        if not self._client:
            self._client = self._connect()
        return self._client

    def _look_around(self) -> None:
        here = self.client.presence(self.id)  # Absence shows by it, too, while nobody works.
        self.state.people = sorted({p.principal or p.client for p in here} - {""})
        self.state.leases = ["%s: %s for %d s" % (x.principal or x.client or "somebody",
                                                 "all of it" if x.faces is None else "%d faces" % x.faces, x.seconds)
                             for x in self.client.leases(self.id)]

    def _adopt(self, info: subd.MeshInfo, cage: Cage) -> None:
        with self._ready:
            self._info, self.id, self.sent, self.state.version = info, info.id, cage, info.version

    def _push(self, job: Job) -> None:
        scratch = self.id if self.id and not self.keep else ""
        self._adopt(self.client.push(to_mesh(job.cage, self.name, job.want.options)), job.cage)
        self._ids, self._options, self._news = None, dict(job.want.options), 0
        if scratch:
            try:
                self.client.delete(scratch)
            except subd.Refused:
                pass

    def _edit(self, cage: Cage) -> None:
        if self._ids is None:
            found = self.client.cage(self.id)
            self._ids = found.vertex_ids, found.face_ids
        vertices, faces = self._ids
        batch, kept, same = changes(self.sent, cage, vertices, faces, self._info.uvs > 0)
        done = self.client.edits(self.id, self.state.version, batch)
        self._adopt(done.mesh, cage)
        self._ids = (_joined(vertices[:kept], done.new_vertex_ids), _joined(faces[:same], done.new_face_ids))

    def _send(self, job: Job) -> None:
        """Makes the daemon's mesh that of the job."""
        if self.sent is None or (self._options != job.want.options and not self.keep):
            self._push(job)
        elif job.cage.same_but_points(self.sent):
            if not job.is_pose and not job.cage.same(self.sent):
                self._adopt(self.client.positions(self.id, job.cage.points, version=self.state.version), job.cage)
        elif is_mirrored(job.cage) and not self.keep:
            self._push(job)
        else:
            self._edit(job.cage)

    def pull(self) -> None:
        """Another's version: its control mesh, for the caller to take over. What waits to be sent was made without it."""
        found = self.client.cage(self.id)
        theirs, info = Theirs(from_mesh(found), self.sent, found.version), self.client.show(self.id)
        self._ids, self._options = (found.vertex_ids, found.face_ids), dict(info.options)
        self._adopt(dataclasses.replace(info, version=found.version), theirs.cage)
        with self._ready:
            self._theirs, self._job = theirs, None

    def _send_and_fetch(self, job: Job) -> Result:
        begun = time.monotonic()
        self._send(job)
        sent = time.monotonic()
        result = self._fetch(job)
        result.timings.update(send=sent - begun, fetch=time.monotonic() - sent)
        return result

    def step(self, job: Job) -> None:
        """Sends what has changed and fetches the surface; or another's version, where that came first."""
        try:
            if self.id and self.sent is None:
                self.pull()
                return
            result = self._send_and_fetch(job)
        except subd.Refused as why:
            if why.status == 412:
                self.pull()
                return
            if why.status != 404 or self.sent is None or self.keep:
                raise
            self.sent = None  # The daemon came back without its meshes.
            result = self._send_and_fetch(job)
        self.state.problem, self.state.away, self.state.note = "", "", self._differs(job.want.options)
        self.state.plan, self.state.timings = result.plan, result.timings
        self.state.method, self.state.backend = result.frame.method, result.frame.backend
        with self._ready:
            self._result = result

    def _differs(self, options: Dict[str, str]) -> str:
        """A mesh that stays for others keeps its options."""
        other = ["%s %s" % (name, self._options.get(name)) for name, token in options.items()
                 if self._options.get(name) != token]
        return "the mesh is kept on the daemon, and keeps its options: " + ", ".join(other) if other else ""

    def _plan(self, want: Want) -> subd.Plan:
        key = (self._info.topology_id, want.level, want.surface)
        if self._planned != key or not self.state.plan:
            self.state.plan = self.client.plan(self.id, want.level, surface=want.surface)
            if not self.state.plan.fits:
                p = self.state.plan
                raise subd.Refused("level %d needs %s, and the daemon's limit is %s: take a lower level" %
                                   (want.level, told_bytes(p.needed), told_bytes(p.limit)))
            self._planned = key
        return self.state.plan

    def _fetch(self, job: Job) -> Result:
        want, cage = job.want, job.cage
        plan, key = self._plan(want), (self._info.topology_id, want.level)
        is_new = not self._topology or self._topology.key != key
        attributes = is_new or job.is_whole or not self._shown or not cage.same_attributes(self._shown)
        attributes |= self._result is not None and self._result.attributes  # It was not applied, and is passed over.
        include = ["positions"] + (["indices"] if is_new else [])
        include += ["uvs", "uv_indices"] if attributes and self._info.uvs else []
        # Of a pose only coordinates come, which cannot be wrong in a way that matters; hashing takes as long as receiving.
        asked = dict(include=include, surface=want.surface, out=dict(self._memory), verify=attributes,
                     primvars="*" if attributes and self._info.primvars else ())
        frame = self._frame(job, want.level, asked)
        if (frame.version, frame.topology_id) != (self.state.version, key[0]):
            raise _newer()
        self._memory = {"positions": frame["positions"]}
        if is_new:
            self._topology = self._faces(key, frame, want.level)
        self._shown = cage
        return Result(job, frame, self._topology, attributes, self.state.version, plan, dict(frame.timings))

    def _frame(self, job: Job, level: int, asked: Dict[str, Any]) -> subd.Frame:
        room = asked["out"].get("positions")
        if room is not None and room.nbytes != 12 * self.state.plan.vertices:
            asked["out"] = {}
        if job.is_pose and not job.cage.same(self.sent):
            return self.client.pose(self.id, job.cage.points, level, version=self.state.version, **asked)
        return self.client.refined(self.id, level, **asked)

    def _faces(self, key: Any, frame: subd.Frame, level: int) -> Topology:
        """The daemon numbers the edges, so that Blender need not look for them."""
        faces = self.client.neighbors(self.id, "FE", level)
        ends = self.client.neighbors(self.id, "EV", level)
        if faces.topology_id != key[0] or ends.topology_id != key[0] or faces["ids"].size != 4 * frame.faces:
            raise _newer()
        n = ends["ids"].size // 2  # Those of holes have no row.
        return _checked(Topology(key, frame["indices"], ends["ids"][:2 * n].reshape(-1, 2), faces["ids"]))


def _newer() -> subd.Refused:
    return subd.Refused("the mesh has another version meanwhile", "version_mismatch", status=412)


def _checked(t: Topology) -> Topology:
    """Blender does not check that the edge after a corner leads from it to the next one, and would fall over it."""
    corners, after = t.indices, numpy.roll(t.indices, -1, 1)
    if t.face_edges.size and t.face_edges.max() >= len(t.edges):
        raise subd.BadAnswer("the daemon's faces have edges that are not there")
    ends = t.edges[t.face_edges].reshape(-1, 4, 2)
    if not ((ends[:, :, 0] == numpy.minimum(corners, after)) & (ends[:, :, 1] == numpy.maximum(corners, after))).all():
        raise subd.BadAnswer("the daemon's edges are not those of its faces")
    return t


def _joined(kept: Any, new: Any) -> Any:
    return numpy.concatenate([kept, numpy.asarray(new, numpy.int32)])


def told_bytes(n: int) -> str:
    """Bytes in the unit that reads best."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n >= size:
            return "%.1f %s" % (n / size, unit)
    return "%d bytes" % n
