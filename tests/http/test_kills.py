#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight people change meshes in all ways, while the daemon is killed at random moments and started again. After each kill
what they were told is held to the versions that are there, to an independent model that replays them, and to the clock.
SUBDD_KILLS says how often, SUBDD_CHANGES how many changes must have been acknowledged, SUBDD_SEED which random numbers are
used. Threads race, so a seed gives the same mixture, not the same run. `make soak` has the long form."""
import collections, functools, hashlib, http.client, json, os, random, sqlite3, statistics, threading, time
from files import Daemon, Wrong, check, how_many, run_tests
from oracle import Mesh as Shape
from oracle import Oracle, Refused, batch, begin, body_of, same, shapes, some_primitives
from people import Mesh, grid, with_tokens

KILLS, CHANGES, SEED = how_many("KILLS", 100, 1000), how_many("CHANGES", 2000, 100000), how_many("SEED", 1, 1)
WRITERS, SLOTS, KEPT, LARGE = 8, 6, 128, 100
DEAD = (OSError, http.client.HTTPException)
REFUSALS = {404, 409, 410, 412, 422}


class Change:
    """A request that changes something, and what came of it. Nobody knows the version while the answer is missing."""

    def __init__(self, who, kind, story, asked, headers, repeats=None):
        self.who, self.kind, self.story, self.asked, self.headers, self.repeats = who, kind, story, asked, headers, repeats
        self.start, self.end, self.status, self.version, self.info, self.digest = time.monotonic(), None, None, None, {}, None


class Story:
    """A mesh: what was asked of it since it was last looked at, what was read, and what each of its versions must be."""

    def __init__(self, id, oracle, large=False):
        self.id, self.large, self.states, self.version = id, large, {1: oracle}, 1
        self.changes, self.reads, self.doomed, self.gone, self.rows = [], [], [], False, len(oracle.points)


class World:
    """What the writers share. They run while the daemon is up, and then each waits until it is up again."""

    def __init__(self, home, options, tokens, bodies):
        self.home, self.options, self.tokens, self.bodies = home, options, tokens, bodies
        self.daemon = Daemon(home, *options)
        self.turn, self.parked, self.over, self.lock = 0, 0, False, threading.Condition()
        self.slots, self.stories, self.creates, self.wrong = [None] * SLOTS, [], [], []
        self.counts, self.ready = collections.Counter(), []

    def park(self, turn):
        """Returns the number of the next turn, None at the end."""
        with self.lock:
            self.parked += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: self.turn > turn or self.over)
            return None if self.over else self.turn

    def run_and_kill(self, r):
        """Lets the writers go, kills the daemon in the middle, and starts it again when all have noticed."""
        with self.lock:
            self.parked, self.turn = 0, self.turn + 1
            self.lock.notify_all()
        least, until = self.counts["acknowledged"] + (CHANGES / KILLS) * r.uniform(0.5, 1.5), time.monotonic() + 20
        time.sleep(r.uniform(0.01, 0.15))
        while self.counts["acknowledged"] < least and not self.wrong and time.monotonic() < until:
            time.sleep(r.uniform(0.001, 0.02))
        self.daemon.process.kill()
        self.daemon.process.wait()
        with self.lock:
            check(self.lock.wait_for(lambda: self.parked == WRITERS, 90), "a writer does not come back")
        check(not self.wrong, "; ".join(self.wrong))
        self.start()

    def start(self):
        began = time.monotonic()
        self.daemon = Daemon(self.home, *self.options)
        asker = self.asker(0)
        while asker.request("GET", "/v1/health/ready")[0] != 200:
            check(time.monotonic() < began + 60, "not ready after a minute")
            time.sleep(0.001)
        self.ready.append(time.monotonic() - began)

    def asker(self, who, story=None):
        return Mesh(self.daemon, self.tokens[f"w{who}"], story.id if story else "none")


# ---- writing ------------------------------------------------------------------------------------------------------
class Writer(threading.Thread):
    def __init__(self, world, who):
        super().__init__(daemon=True)
        self.world, self.who, self.random = world, who, random.Random(f"{SEED} {who}")
        self.views, self.open, self.n = {}, None, 0

    def run(self):
        turn = 0
        while (turn := self.world.park(turn)) is not None:
            try:
                if self.open and "Idempotency_Key" in self.open.headers:
                    self.repeat(self.open)
                self.open = None
                while True:
                    self.step()
            except DEAD:
                pass
            except Exception as wrong:  # The main thread reports it.
                self.world.wrong.append(f"writer {self.who}: {type(wrong).__name__} {wrong}")

    def send(self, c):
        """Asks for a change, and notes it before and after."""
        self.n += 1
        if c.kind == "create":
            self.world.creates.append(c)
        else:
            c.story.changes.append(c)
        self.open = c
        method, path, body = c.asked
        kind = "application/json" if isinstance(body, dict) or c.kind == "create" else "application/octet-stream"
        status, data = self.world.asker(self.who).request(method, path, body, kind, **c.headers)
        c.info = json.loads(data) if data else {}
        c.end, c.status, self.open = time.monotonic(), status, None
        check(status < 300 or status in REFUSALS, f"{c.kind}: {status} {c.info}")
        if status < 300:
            if c.kind == "delete":
                c.story.doomed.append(c)
            info = c.info.get("mesh", c.info)
            c.version, c.topology = info.get("version"), info.get("topologyId")
            self.world.counts["acknowledged"] += not c.repeats
        return status < 300

    def change(self, kind, story, method, rest, body=None, **headers):
        if self.random.random() < 0.5 and kind != "rename":
            headers["Idempotency_Key"] = f"{self.who}-{self.n}-{SEED}"
        path = rest if kind == "create" else f"/v1/meshes/{story.id}{rest}"
        c = Change(self.who, kind, story, (method, path, body), headers)
        if not self.send(c):
            return None
        if story and c.version and self.random.random() < 0.3:
            status, data = self.world.asker(self.who, story).raw("GET", f"/cage?version={c.version}", Accept="application/protobuf")
            c.digest = hashlib.sha256(data).digest() if status == 200 else None
        return c

    def repeat(self, old):
        """Asks again, with its key, for what was not answered."""
        old = old.repeats or old
        c, version = Change(self.who, old.kind, old.story, old.asked, old.headers, old), old.version
        self.world.counts["repeated"] += 1
        done = self.send(c)
        if version and not old.story.doomed:
            check(done and c.version == version, f"{old.kind} was done as version {version}; repeated: {c.status} {c.info}")
        if done and old.kind == "create":
            self.made(c)

    def made(self, c):
        """A new mesh has a story, and takes the slot if that is still free."""
        body = next(body for body in self.world.bodies if body[0] is c.asked[2])
        c.story = Story(c.info["id"], body[1])
        with self.world.lock:
            self.world.stories.append(c.story)
            k = self.random.randrange(1, SLOTS)
            if self.world.slots[k]:
                k = next((k for k in range(1, SLOTS) if not self.world.slots[k]), k)
            self.world.slots[k] = c.story

    def look(self, story):
        """A view of the present version."""
        mesh, start = self.world.asker(self.who, story), time.monotonic()
        status, data = mesh.raw("GET", "")
        if status == 200:
            version = json.loads(data)["version"]
            story.reads.append((start, time.monotonic(), version))
            if self.views.get(story.id, (0, ))[0] == version:
                return
            status, data = mesh.raw("GET", f"/cage?version={version}", Accept="application/json")
        if status == 200:
            self.views[story.id] = version, Oracle(json.loads(data))
        check(status in (200, 404, 410), f"a read: {status} {data}")

    def step(self):
        r, world = self.random, self.world
        k = r.randrange(SLOTS)
        story = world.slots[k]
        if k and (not story or r.random() < 0.02):
            return self.replace(k, story)
        if sum(bool(c.version) for c in story.changes) > KEPT * 2 // 3:  # All versions since the last kill must still be kept when they are looked at.
            return time.sleep(0.002)
        if story.large:
            return self.change_large(story)
        if story.id not in self.views or r.random() < 0.7:
            self.look(story)
        version, view = self.views.get(story.id, (1, None))
        way = r.random()
        if not view or way < 0.15:
            self.back(story)
        elif way < 0.2:
            self.change("revert", story, "POST", "/revert", {"version": max(1, version - r.randrange(6))}, If_Match="*")
        elif way < 0.3:
            rows = r.randrange(story.rows)
            self.change("positions", story, "PUT", "/positions", {"ranges": [{"first": rows, "points": [r.randrange(-8, 9) / 4 for _ in range(3)]}]})
        elif way < 0.32:
            self.change("rename", story, "PATCH", "", {"name": f"r{self.who}-{self.n}"})
        else:
            self.edit(story, version, some_primitives(r, view) if r.random() < 0.4 or len(view.faces) > 120 else batch(r, view)[0])

    def edit(self, story, version, edits):
        way = self.random.random()
        headers = {"If_Match": "*"} if way < 0.2 else {"If_Match": f'"{version}"'}
        if way > 0.4:
            headers["Subdd_Rebase"] = "disjoint"
        c = self.change("edits", story, "POST", "/edits", {"edits": edits}, **headers)
        self.world.counts["rebased"] += bool(c and "passedOver" in c.info)

    def back(self, story):
        way = self.random.choice(("undo", "undo", "redo"))
        self.change(way, story, "POST", "/" + way)

    def change_large(self, story):
        r, rows = self.random, LARGE + 1
        v = r.randrange(rows) * rows + r.randrange(rows - 1)
        way = r.random()
        if way < 0.2:
            return self.back(story)
        if way < 0.4:
            moved = [r.randrange(-8, 9) / 4 for _ in range(300)]
            return self.change("positions", story, "PUT", "/positions", {"ranges": [{"first": r.randrange(rows * rows - 100), "points": moved}]})
        points = [x / 4 for _ in range(2) for x in (r.randrange(400), r.randrange(400), r.randrange(4))]
        edits = r.choice(([{"setPositions": {"ids": [v, v + 1], "points": points}}], [{"setCreases": {"edges": [v, v + 1], "sharpnesses": [2]}}],
                          [{"pokeFaces": {"ids": [r.randrange(LARGE * LARGE)]}}], [{"insetFaces": {"ids": [r.randrange(LARGE * LARGE)]}}],
                          [{"removeFaces": {"ids": [r.randrange(LARGE * LARGE)]}}]))
        return self.edit(story, max(1, story.version), edits)

    def replace(self, k, story):
        """Deletes the mesh of a slot, or makes one where there is none."""
        if story:
            if self.change("delete", story, "DELETE", "") and self.world.slots[k] is story:
                self.world.slots[k] = None
            return
        c = self.change("create", None, "POST", f"/v1/meshes?name=w{self.who}n{self.n}", self.random.choice(self.world.bodies[1:])[0])
        if c:
            self.made(c)


# ---- checking -----------------------------------------------------------------------------------------------------
def replay(story, c, told):
    """What the model makes of the version before, by what was asked for."""
    states, v = story.states, told["version"]
    now, body = states[v - 1], c.asked[2]
    if c.kind == "edits":
        after = now.after(body["edits"])
        for name, new in (("newVertexIds", after.new_v), ("newFaceIds", after.new_f)):
            check(c.info.get(name, new) == new, f"{name} {c.info.get(name)}, not {new}")
        return after
    after, of = now.copy(), told.get("of")
    if c.kind == "positions":
        ids = list(after.points)
        for part in body["ranges"]:
            for i in range(len(part["points"]) // 3):
                k = ids[part["first"] + i]
                after.points[k] = tuple(part["points"][3 * i:3 * i + 3]) + after.points[k][3:]
    elif c.kind == "revert":
        check(of == body["version"], f"it came back from {of}, not {body['version']}")
        after = states[of].copy()
    elif c.kind in ("undo", "redo"):
        after = now.onto(states[of], states[of - 1]) if c.kind == "undo" else now.onto(states[of - 1], states[of])
    after.next_v, after.next_f = now.next_v, now.next_f
    return after


def check_order(story, took):
    """Versions ascend as their changes began after others were answered, and a read is not older than the last change that
    was answered before."""
    least = float("inf")
    for v in sorted(took, reverse=True):
        check(least >= took[v].start, f"version {v} was asked for after a later one had been answered")
        least = min(least, took[v].end or least)
    for start, end, version in story.reads:
        answered = max((v for v, c in took.items() if c.end and c.end < start), default=0)
        check(version >= answered, f"version {version} was read after {answered} had been answered")
        check(version <= story.version, f"version {version} was read, and is lost")
        check(version not in took or took[version].start < end, f"version {version} was read before it was asked for")


def check_cage(asker, story, version):
    status, data = asker.raw("GET", f"/cage?version={version}", Accept="application/json")
    check(status == 200, f"version {version}: {status}")
    cage = json.loads(data)
    for name in ("vertexIds", "faceIds"):
        check(cage[name] == sorted(cage[name]), f"{name} are not in order")
    same(story.states[version], Oracle(cage), f"version {version}")


def check_last(asker, story, took, of):
    """The present version is what the model makes of all changes. Where it is not, the first that differs is told."""
    try:
        check_cage(asker, story, story.version)
    except Wrong as wrong:
        for v in sorted(took):
            try:
                check_cage(asker, story, v)
            except Wrong as first:
                before = json.loads(asker.get(f"/cage?version={v - 1}", Accept="application/json"))
                raise Wrong(f"{first}, by {took[v].kind} {json.dumps(took[v].asked[2])} (of {of[v]}) on {json.dumps(before)}") from wrong
        raise


def check_gone(world, story, changes, status):
    """Whether a mesh is deleted, and may be."""
    maybe = [c for c in changes if c.kind == "delete" and c.status is None]
    check(status == 404 or not story.doomed, "it is there although its deletion was answered")
    check(status == 200 or story.doomed or maybe, "the mesh is lost")
    if status == 404:
        story.gone = True
        story.doomed = story.doomed or maybe
        world.slots = [None if slot is story else slot for slot in world.slots]
    return status == 404


def find_change(told, acked, open_, used):
    """The change that made a version: that which was told so, or that of its author which was not answered."""
    v = told["version"]
    c = acked.get(v) or next((c for c in open_ if f"w{c.who}" == told["principal"] and c not in used), None)
    check(c and (f"w{c.who}", c.kind) == (told["principal"], told["change"]), f"nobody asked for version {v}: {told}")
    return c


def check_story(world, story, r, thorough):
    asker = world.asker(0, story)
    status, data = asker.raw("GET", "/versions?limit=1000")
    changes, story.changes = story.changes, []
    if check_gone(world, story, changes, status):
        return
    versions = sorted(json.loads(data)["versions"], key=lambda told: told["version"])
    last, first = versions[-1]["version"], versions[0]["version"]
    check([told["version"] for told in versions] == list(range(first, last + 1)) and first <= story.version + 1, f"versions {versions}")
    answered = [c for c in changes if c.version and not (c.repeats and c.repeats.version)]
    acked, took = {c.version: c for c in answered}, {}
    check(len(acked) == len(answered), f"two changes were told the same version: {[(c.kind, c.who, c.version, c.repeats and c.repeats.version) for c in changes]}")
    check(max(acked, default=0) <= last, f"version {max(acked, default=0)} was answered, and is lost: {last} is the last")
    check(min(acked, default=last) > story.version or not acked, f"version {min(acked, default=0)} was answered twice")
    open_ = [c for c in changes if c.status is None]
    for told in versions:
        v = told["version"]
        if v <= story.version:
            continue
        took[v] = c = find_change(told, acked, open_, took.values())
        try:
            story.states[v] = replay(story, c, told)
        except Refused as wrong:
            check(False, f"version {v} should have been refused: {wrong}: {c.asked}")
        if not c.version:
            c.version = (c.repeats or c).version = v
            world.counts["unanswered, and done"] += 1
        world.counts[c.kind] += 1
        world.counts["versions"] += 1
    story.version = last
    check(set(acked) <= set(took), "a version that was answered is missing")
    world.counts["unanswered"] += len(open_)
    check_order(story, took)
    world.counts["reads"] += len(story.reads)
    story.reads.clear()
    for v, c in took.items():
        if c.digest:
            data = asker.get(f"/cage?version={v}", Accept="application/protobuf")
            check(hashlib.sha256(data).digest() == c.digest, f"version {v} has other bytes than before the kill")
            check(json.loads(asker.get(f"?version={v}"))["topologyId"] == c.topology, f"version {v} has another topologyId")
    if took and (thorough or not story.large):
        check_last(asker, story, took, {told["version"]: told.get("of") for told in versions})
    if thorough or r.random() < 0.2:
        check_cage(asker, story, r.randint(max(first, last - KEPT + 1), last))
    story.states = {v: state for v, state in story.states.items() if v >= first - 1}


def check_all(world, r, thorough):
    for story in list(world.stories):
        if story.gone:
            world.stories.remove(story)
            continue
        try:
            check_story(world, story, r, thorough)
        except Exception as wrong:
            raise AssertionError(f"seed {SEED}, kill {len(world.ready)}, mesh {story.id}: {wrong}") from wrong


def check_meshes(world):
    """The meshes that are there are those whose making was answered, or may have been done."""
    asker, there, after = world.asker(0), {}, ""
    while True:
        page = json.loads(asker.ask("GET", f"/v1/meshes?limit=1000&after={after}"))
        there.update((info["id"], info["name"]) for info in page["meshes"])
        after = page["next"]
        if not after:
            break
    known = {story.id for story in world.stories if not story.gone}
    names = {c.asked[1].split("=")[1] for c in world.creates if c.status is None}
    check(known <= set(there), f"meshes are lost: {known - set(there)}")
    check(all(name in names for id, name in there.items() if id not in known), "there are meshes that nobody made")


def kills(plain, folder):
    r = random.Random(SEED)
    bodies = [(grid(LARGE).encode(), None)]
    for path in [*r.sample(shapes(), 12), None]:
        mesh = begin(plain, path, r) if path else Shape(plain, grid(8).encode())
        bodies.append((json.dumps(body_of(mesh)).encode(), Oracle(mesh.cage())))
    home = os.path.join(folder, "kills")
    daemon, tokens = with_tokens(folder, "kills", tokens={f"w{i}": f"{i:040}" for i in range(WRITERS)})
    daemon.process.kill()
    daemon.process.wait()
    world = World(home, ("--tokens-file", os.path.join(folder, "tokens"), "--history-versions", str(KEPT), "--log-level", "warn"), tokens, bodies)
    try:
        large = Mesh(world.daemon, tokens["w0"], body=grid(LARGE))
        cage = json.loads(large.get("/cage", Accept="application/json"))
        world.slots[0] = Story(large.id, Oracle(cage), True)
        world.stories.append(world.slots[0])
        for who in range(WRITERS):
            Writer(world, who).start()
        n = 0
        while n < KILLS or (world.counts["acknowledged"] < CHANGES and n < 10 * KILLS):
            world.run_and_kill(r)
            n += 1
            check_all(world, r, n % 20 == 0 or n == KILLS)
        check_meshes(world)
    finally:
        with world.lock:
            world.over = True
            world.lock.notify_all()
        world.daemon.process.kill()
        world.daemon.process.wait()
    db = sqlite3.connect(os.path.join(home, "data", "subdd.db"))
    check(db.execute("pragma integrity_check").fetchone()[0] == "ok", "the database is damaged")
    counts = ", ".join(f"{n} {name}" for name, n in sorted(world.counts.items()))
    print(f"result: {n} kills with {WRITERS} writers: 0 lost, 0 torn, one order a mesh; ready again after {1e3 * statistics.median(world.ready):.0f} ms "
          f"(median), {1e3 * max(world.ready):.0f} at most; {counts}")


def tests(daemon, folder):
    yield "kills", functools.partial(kills, daemon, folder)


run_tests(tests)
