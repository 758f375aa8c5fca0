#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An edited mesh is the one that its cage makes when it is pushed anew: random changes of all kinds on cages of all kinds,
and after each of them the topologyId and the bytes of the frame against those of a second daemon, which gets the cage;
the file that `subd watch` keeps by deltas against the frame; and after each kill and restart all versions since the last
one. SUBDD_MESHES and SUBDD_EDITS (of all meshes together) say how many, SUBDD_SEED which, SUBDD_MESH picks some of them by
their numbers (7,8), with the same edits and restarts as beside the others. `make soak` has the long form."""
import collections, functools, hashlib, json, os, random, select, subprocess
from files import BIN, Daemon, check, how_many, run_tests
from oracle import Mesh, Oracle, batch, begin, blocks_of, body_of, shapes, some_primitives, with_primvars

MESHES, EDITS, SEED = how_many("MESHES", 10, 100), how_many("EDITS", 400, 10000), how_many("SEED", 1, 1)
OPTIONS = {"interpolateBoundary": ["edgeAndCorner", "edgeOnly", "none"], "creaseMethod": ["uniform", "chaikin"],
           "faceVaryingLinearInterpolation": ["cornersPlus1", "none", "cornersOnly", "cornersPlus2", "boundaries", "all"],
           "triangleSubdivisionRule": ["catmullClark", "smooth"]}
SERVED = ("--max-json-bytes", "64MiB", "--log-level", "warn")
# What the edited daemon has besides, from one restart to the next: all as usual; no frames kept, so that each is made anew; too
# little room on the device for all meshes; one thread.
ON_GPU = os.environ.get("SUBDD_TEST_BACKEND") == "cuda"
ROOM = ("96MiB" if ON_GPU else "64MiB") if MESHES > 10 else "32MiB" if ON_GPU else "12MiB"  # A GPU works in more scratch.
TURNS = ((), ("--cache-bytes", "0"), ("--gpu-memory", ROOM), ("--threads", "1"))


def sheet(r, n):
    """A grid with holes, triangles, walls (edges of three faces), creases, corners and islands of UVs."""
    points = [x for i in range((n + 1)**2) for x in (i % (n + 1), i // (n + 1), r.randrange(9) / 8)]
    faces, creases = [], []
    for i in range(n * n):
        a = i // n * (n + 1) + i % n
        quad, way = [a, a + 1, a + n + 2, a + n + 1], r.random()
        if way < 0.03:
            continue
        if way < 0.06:
            faces += [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]
            continue
        faces.append(quad)
        if way < 0.07:
            v = len(points) // 3
            points += [a % (n + 1), a // (n + 1), 2, a % (n + 1) + 1, a // (n + 1), 2]
            faces.append([a, a + 1, v + 1, v])
        if way > 0.9:
            creases.append((a, a + 1, r.randrange(1, 12)))
    corners = [v for face in faces for v in face]
    island = [v + (len(points) // 3 if k < len(corners) // 2 else 0) for k, v in enumerate(corners)]
    st = [x for k in range(2) for v in range(len(points) // 3) for x in (points[3 * v] / n / 2 + k / 2, points[3 * v + 1] / n)]
    return {"options": {"subdivisionScheme": "catmullClark"}, "points": points, "faceVertexCounts": [len(face) for face in faces],
            "faceVertexIndices": corners, "st": st, "stIndices": island, "creaseIndices": [v for a, b, _ in creases for v in (a, b)],
            "creaseLengths": [2] * len(creases), "creaseSharpnesses": [s for _, _, s in creases], "cornerIndices": [n + 2], "cornerSharpnesses": [3]}


class Subject:
    """A mesh that is changed, how its surface is asked for, and what came of each version since the last restart."""

    def __init__(self, number, daemon, folder):
        self.number, self.random, self.daemon, self.file = number, random.Random(f"{SEED}/{number}"), daemon, f"{folder}/{number}.frame"
        r, paths = random.Random(f"{SEED}/{number - (number % 10 == 8)}/cage"), shapes()  # One in ten begins with the topology of another.
        self.name = f"sheet of {(48, 100, 24, 64)[number // 10 % 4]}" if number % 10 == 9 else r.choice(paths)
        if number % 10 == 9:
            cage = with_primvars(sheet(r, int(self.name.split()[-1])))
        else:
            cage = body_of(begin(daemon, self.name, r))
            cage["options"]["subdivisionScheme"] = r.choice(["catmullClark", "catmullClark", cage["options"]["subdivisionScheme"]])
        cage["options"].update({name: r.choice(values) for name, values in OPTIONS.items()})
        self.mesh = Mesh(daemon, json.dumps(cage).encode(), "application/json", r.choice(("", "", "", "?reorder=rcm")))
        self.oracle = Oracle(self.mesh.cage())
        self.was, self.last, self.watcher, self.log = {}, None, None, []
        self.choose_query()

    def choose_query(self):
        """A query that this mesh has a surface for."""
        r = self.random
        uvs = ["uvs", "uv_indices"] if self.oracle.n_uv else []
        for _ in range(20):
            method, surface = r.choice(["auto", "tabulated", "tabulated", "tabulated", "mesh-matrix", "edge-friend"]), r.choice(["refined", "limit"])
            primvars = r.choice(["", "weight,material,map"])
            self.query = f"level=2&surface={surface}&method={method}&include=positions,indices,normals,{','.join(uvs)}".rstrip(",")
            self.query += f"&primvars={primvars}" if primvars else ""
            self.asked = ["--level", "2", "--surface", surface, "--method", method, "--normals", *(["--primvars", primvars] if primvars else [])]
            if self.mesh.frame(self.query)[0] == 200:
                return
        check(False, f"{self.name}: no query has a frame")

    # ---- the watcher ----
    def watch(self):
        self.watcher = subprocess.Popen([os.path.join(BIN, "subd"), "watch", self.mesh.id, *self.asked, "--json", "-o", self.file, "--server",
                                         self.daemon.url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)

    def heard(self, frame, counts):
        """The watcher has got to this version, and its file is the frame."""
        version = 0
        while version < self.mesh.version:
            check(select.select([self.watcher.stdout], [], [], 60)[0], f"the watcher hears nothing of version {self.mesh.version}")
            line = self.watcher.stdout.readline()
            if b"is not manifold" in line:  # A version on the way has no surface by this engine, which ends a watcher.
                self.stop_watching()
                self.watch()
                counts["watchers ended"] += 1
                continue
            told = json.loads(line or b"{}")
            check("version" in told, f"the watcher ended: {line}")
            version = told["version"]
            counts["deltas" if "base" in told else "whole frames"] += 1
        with open(self.file, "rb") as file:
            differ(file.read(), frame, "the watcher's file and the frame")

    def stop_watching(self):
        if self.watcher:
            self.watcher.kill()
            self.watcher.wait()
            self.watcher.stdout.close()
            self.watcher = None

    # ---- changing ----
    def change(self, counts):
        """One change of any kind that the daemon takes."""
        r, o = self.random, self.oracle
        while True:
            way = r.random()
            if way < 0.75:
                edits = [{"triangulateFaces": {"ids": [r.choice(list(o.faces))]}}] if way < 0.03 else [self.primvar()] if way < 0.06 else \
                    batch(r, o)[0] if way < 0.55 and len(o.faces) < 150 + 2 * len(self.log) or way < 0.2 else some_primitives(r, o)
                status, answer = self.mesh.edit(*edits)
                name, asked = list(edits[0])[0], edits
            elif way < 0.85:
                row = r.randrange(len(o.points))
                points = [r.randrange(-8, 9) / 4 for _ in range(3 * min(3, len(o.points) - row))]
                name, asked = "positions", {"ranges": [{"first": row, "points": points}]}
                status, answer = self.ask("PUT", "/positions", asked)
            else:
                name = r.choice(["undo", "undo", "redo", "revert"])
                asked = {"version": max(1, self.mesh.version - r.randrange(5))} if name == "revert" else None
                status, answer = self.ask("POST", "/" + name, asked, **({"If_Match": "*"} if asked else {}))
            if status == 200:
                break
            check(status in (409, 422), f"{asked}: {status} {answer}")
            counts["refused"] += 1
        info = answer.get("mesh", answer)
        self.mesh.version, self.mesh.topology = info["version"], info["topologyId"]
        self.oracle = Oracle(self.mesh.cage())
        self.log.append((name, asked))
        counts[name] += 1

    def primvar(self):
        n = len(self.oracle.points)
        return {"putPrimvar": {"name": "weight", "interpolation": "vertex", "values": [self.random.randrange(9) for _ in range(n)]}}

    def ask(self, method, rest, body, **headers):
        return self.mesh.ask(method, f"/v1/meshes/{self.mesh.id}{rest}", None if body is None else json.dumps(body).encode(), **headers)

    # ---- comparing ----
    def compare(self, other, counts):
        """The present version against a rebuild on another daemon, and against what the watcher has."""
        status, frame = self.mesh.frame(self.query)
        _, cage = self.ask("GET", "/cage", None, Accept="application/protobuf")
        rebuilt = Mesh(other, cage, "application/protobuf")
        check(rebuilt.topology == self.mesh.topology, f"topologyId {self.mesh.topology} is {rebuilt.topology} when the cage is pushed anew")
        if status != 200:  # The engine cannot do the mesh any more: another query.
            self.ask_otherwise(frame, rebuilt.frame(self.query)[1])
            status, frame = self.mesh.frame(self.query)
        again, anew = rebuilt.frame(self.query)
        check(status == again, f"{self.query} answers {status}, but {again} when the cage is pushed anew")
        differ(blocks_of(frame), blocks_of(anew), f"{self.query} and the rebuild")
        if self.watcher:
            self.heard(frame, counts)
        if self.random.random() < 0.2:
            more = f"level={self.random.choice((1, 3))}&surface={self.random.choice(('refined', 'limit'))}&include=positions,normals,indices"
            differ(*(body_or_code(mesh.frame(more)) for mesh in (self.mesh, rebuilt)), f"{more} and the rebuild")
        rebuilt.ask("DELETE", f"/v1/meshes/{rebuilt.id}")
        self.was[self.mesh.version] = self.last = self.mesh.topology, hashlib.sha256(cage).digest(), hashlib.sha256(frame).digest()

    def is_as_it_was(self):
        status, frame = self.mesh.frame(self.query)
        check(status == 200, f"mesh {self.number}: {frame}")
        check(hashlib.sha256(frame).digest() == self.last[2], f"mesh {self.number} ({self.name}) has another frame than when it was changed last")

    def ask_otherwise(self, problem, other):
        check((problem["code"], problem["detail"]) == (other["code"], other["detail"]), f"{problem}, but {other}")
        watched = self.watcher
        self.stop_watching()
        self.was = {}  # Earlier versions were asked for with the other query.
        self.choose_query()
        if watched:
            self.watch()

    def compare_replayed(self, counts):
        """Each version since the last restart, as the store has it."""
        for version, was in self.was.items():
            at = f"version={version}"
            status, frame = self.mesh.frame(f"{self.query}&{at}")
            _, cage = self.ask("GET", f"/cage?{at}", None, Accept="application/protobuf")
            _, info = self.ask("GET", f"?{at}", None)
            check(status == 200, f"version {version} has no frame after a restart: {frame}")
            now = info["topologyId"], hashlib.sha256(cage).digest(), hashlib.sha256(frame).digest()
            for what, a, b in zip(("topologyId", "cage", "frame"), was, now):
                check(a == b, f"the {what} of version {version} is another after a restart")
            counts["replayed"] += 1
        self.was = {self.mesh.version: self.last} if self.last else {}


def body_or_code(answer):
    status, data = answer
    return blocks_of(data) if status == 200 else data["code"].encode()


def differ(a, b, what):
    if a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        check(False, f"{what} differ from byte {at} of {len(a)} and {len(b)} on")


def one_round(subjects, other, counts, r):
    for s in subjects:
        try:
            for _ in range(s.random.choice((1, 1, 1, 2)) if s.number % 3 == 2 else 1):
                s.change(counts)  # Sometimes nobody looks at a version.
                counts["changes"] += 1
            s.compare(other, counts)
            other_one = r.choice(subjects)
            other_one.last and other_one.is_as_it_was()  # What was done to one has not changed another.
        except Exception as wrong:
            raise AssertionError(f"mesh {s.number} ({s.name}), seed {SEED}, change {len(s.log)} {json.dumps(s.log[-2:])}: {wrong}") from wrong


def restart(home, subjects, counts):
    daemon = subjects[0].daemon
    counts["evictions"] += evictions(subjects[0])
    daemon.process.kill()
    daemon.process.wait()
    counts["restarts"] += 1
    daemon = Daemon(home, *SERVED, *TURNS[counts["restarts"] % len(TURNS)])
    for s in subjects:
        watched = s.watcher
        s.stop_watching()
        s.daemon = s.mesh.daemon = daemon
        try:
            s.compare_replayed(counts)
        except Exception as wrong:
            raise AssertionError(f"mesh {s.number} ({s.name}), seed {SEED}, change {len(s.log)} {json.dumps(s.log[-9:])}: {wrong}") from wrong
        if watched:
            s.watch()
    return daemon


def evictions(subject):
    _, text = subject.mesh.ask("GET", "/metrics")
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.decode().splitlines() if line.startswith("subdd_evictions_total"))


def rebuild(folder):
    homes = [os.path.join(folder, name) for name in ("edited", "rebuilt")]
    for home in homes:
        os.mkdir(home)
    daemon, other, counts, r = Daemon(homes[0], *SERVED), Daemon(homes[1], *SERVED), collections.Counter(), random.Random(SEED)
    others = random.Random(f"{SEED}/others")
    picked = os.environ.get("SUBDD_MESH")
    subjects = []
    try:
        subjects = [Subject(i, daemon, folder) for i in (map(int, picked.split(",")) if picked else range(MESHES))]
        for s in subjects:
            s.number % 4 and s.watch()
        for _ in range(EDITS // MESHES):
            one_round(subjects, other, counts, others)
            if r.random() < 0.15:
                daemon = restart(homes[0], subjects, counts)
        daemon = restart(homes[0], subjects, counts)
        print(f"result: {counts['changes']} changes on {len(subjects)} meshes (seed {SEED}): after each the edited mesh, its rebuild, the store's replay and "
              f"the client's buffer have the same bytes; {json.dumps(counts)}")
        check(picked or counts["deltas"] > counts["changes"] / 20, "hardly a frame came as a delta")
    finally:
        for s in subjects:
            s.stop_watching()
        for process in (daemon.process, other.process):
            process.kill()
            process.wait()


def tests(_, folder):
    yield "rebuild", functools.partial(rebuild, folder)


run_tests(tests)
