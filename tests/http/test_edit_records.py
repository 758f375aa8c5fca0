#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edits that the store keeps as what was done: a daemon that is killed between and within edits of all kinds has, after each
start, every version as it was acknowledged."""
import hashlib, json, os, random, sqlite3, threading, urllib.error
from files import Daemon, check, run_tests
from people import Mesh, grid

KEPT, CYCLES = 24, 8
KINDS = ["pokeFaces", "triangulateFaces", "extrudeFaces", "insetFaces", "reverseFaces", "dissolveFaces"]
EDGES = ["flipEdges", "splitEdges", "collapseEdges", "dissolveEdges", "loopCut"]


def digest(mesh, version):
    cage = json.loads(mesh.get(f"/cage?version={version}", Accept="application/json"))
    return cage, hashlib.sha256(json.dumps(cage, sort_keys=True).encode()).hexdigest()


def change(mesh, cage, dice):
    """A random change; some are refused."""
    f = dice.randrange(len(cage["faceVertexCounts"]))
    first = sum(cage["faceVertexCounts"][:f])
    corners = [cage["vertexIds"][v] for v in cage["faceVertexIndices"][first:first + cage["faceVertexCounts"][f]]]
    face = {"ids": [cage["faceIds"][f]]}
    roll = dice.random()
    if roll < 0.1:
        return mesh.raw("POST", "/undo")
    if roll < 0.15:
        return mesh.raw("POST", "/redo")
    if roll < 0.25:
        return mesh.raw("PUT", "/positions", {"ranges": [{"first": dice.randrange(40), "points": [dice.random(), 0, 1]}]})
    if roll < 0.28:
        return mesh.raw("PATCH", "", {"name": f"mesh {dice.randrange(99)}"})
    edits = [{"setPositions": {"ids": corners[:1], "points": [dice.random(), 0, 2]}}]
    if roll < 0.4:
        edits += [{"setCreases": {"edges": corners[:2], "sharpnesses": [dice.randrange(4)]}},
                  {"putPrimvar": {"name": "tint", "interpolation": "constant", "values": [dice.random()]}}]
    elif roll < 0.6:
        edits.append({dice.choice(EDGES): {"edges": corners[:2]}})
    else:
        edits.append({dice.choice(KINDS): face})
    return mesh.raw("POST", "/edits", {"edits": edits}, If_Match="*")


def write(mesh, was, dice):
    """Changes the mesh until nobody answers. was: the digest of each version that was acknowledged."""
    try:
        version = max(was)
        cage, _ = digest(mesh, version)
        while True:
            status, data = change(mesh, cage, dice)
            if status < 400:
                version = json.loads(data).get("mesh", json.loads(data))["version"]
                was.setdefault(version, None)
                cage, was[version] = digest(mesh, version)
    except (urllib.error.URLError, OSError, ValueError):
        return


def pending(folder):
    """How many edits follow the snapshots of the present versions."""
    base = sqlite3.connect(os.path.join(folder, "data", "subdd.db"))
    n = base.execute("SELECT count(*) FROM edits e JOIN meshes m ON e.owner = m.key AND e.version > m.base").fetchone()[0]
    base.close()
    return n


def killed(folder):
    os.mkdir(folder)
    options = ["--history-versions", str(KEPT)]
    daemon, dice, seen, replayed = Daemon(folder, *options), random.Random(7), 0, 0
    mesh = Mesh(daemon, body=grid(24))
    was = {1: digest(mesh, 1)[1]}
    for cycle in range(CYCLES):
        writer = threading.Thread(target=write, args=(mesh, was, dice))
        writer.start()
        writer.join(0.3 + 0.1 * cycle)
        daemon.process.kill()
        daemon.process.wait()
        writer.join()
        replayed = max(replayed, pending(folder))
        daemon = Daemon(folder, *options)
        mesh.daemon = daemon
        listed = [v["version"] for v in json.loads(mesh.get("/versions"))["versions"]]
        check(max(was) <= listed[0] <= max(was) + 1, f"version {max(was)} was acknowledged, {listed[0]} is there")
        check(listed == list(range(listed[0], listed[-1] - 1, -1)), f"{listed}")
        for version in listed:
            now = digest(mesh, version)[1]
            check(was.get(version) in (None, now), f"cycle {cycle}: version {version} is not what it was")
            seen += was.get(version) is not None
            was[version] = now
    daemon.process.terminate()
    check(daemon.process.wait() == 0, "the daemon does not stop")
    check(len(was) > 60 and seen > 60 and replayed > 3, f"{len(was)} versions, {seen} compared, {replayed} edits behind a snapshot")


def tests(daemon, folder):
    yield "killed", lambda: killed(os.path.join(folder, "killed"))


run_tests(tests)
