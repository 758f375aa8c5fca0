#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modelling edits over HTTP against the oracle. Random batches of shapes of all kinds must give the oracle's mesh, or be
refused where it refuses."""
import functools, json, os, random, re, time, urllib.request
from files import SHAPES, Daemon, check, run_tests
from oracle import OPS, Mesh, Oracle, batch, begin, fresh, same, shapes, undo


def random_batches(folder, n):
    r, paths, kinds = random.Random(42), shapes(), {}
    home = os.path.join(folder, "random")
    os.mkdir(home)
    daemon, meshes, done, refused = Daemon(home), [], 0, 0
    try:
        while done + refused < n:
            path = r.choice(paths)
            mesh = begin(daemon, path, r)
            before = mesh.cage()
            oracle = Oracle(before)
            for _ in range(12):
                edits, after = batch(r, oracle)
                what, was = f"{os.path.basename(path)}: {json.dumps(edits)}", None
                if not after:
                    was = mesh.state()
                status, answer = mesh.edit(*edits)
                check(status == (200 if after else 422), f"{what}: {status} {answer if status != 200 else 'taken'}")
                if not after:
                    check(mesh.state() == was, f"{what}: refused, but the mesh has changed")
                    refused += 1
                    continue
                cage = mesh.cage()
                now = Oracle(cage)
                same(after, now, what)
                if r.random() < 0.1:
                    undo(mesh, before, cage, what)
                before = cage
                check(answer["newVertexIds"] == after.new_v and answer["newFaceIds"] == after.new_f, f"{what}: new {answer}")
                for edit in edits:
                    kinds[list(edit)[0]] = kinds.get(list(edit)[0], 0) + 1
                now.next_v, now.next_f = after.next_v, after.next_f
                oracle, done = now, done + 1
                if len(oracle.faces) > 150:
                    break
            fresh(mesh, os.path.basename(path))
            meshes.append((mesh, mesh.state(), mesh.refined()))
        check(set(kinds) == set(OPS) and min(kinds.values()) > n / 100, f"{kinds}")
        check(refused > n / 10, f"{refused} refused")
        daemon.process.kill()
        daemon.process.wait()
        daemon = Daemon(home)
        for mesh, was, surface in meshes:
            mesh.daemon = daemon
            check(mesh.state() == was and mesh.refined() == surface, f"{mesh.id} differs after a restart")
        print(f"{done} batches taken, {refused} refused, {len(meshes)} meshes: {kinds}")
    finally:
        daemon.process.kill()
        daemon.process.wait()


def triangulated(daemon):
    """All faces of every shape at once: n - 2 triangles of each, with corners that it had, and no edge more often than before."""
    r, cut = random.Random(1), 0
    for path in shapes():
        mesh = begin(daemon, path, r)
        was = Oracle(mesh.cage())
        status, answer = mesh.edit({"triangulateFaces": {"ids": list(was.faces)}})
        what = os.path.basename(path)
        check(status == 200 or "the new edges are edges already" in answer["detail"], f"{what}: {answer}")
        if status != 200:
            continue
        now, old = Oracle(mesh.cage()), {f for f, face in was.faces.items() if len(face.corners) == 3}
        check(set(now.points) == set(was.points) and now.creases == was.creases and now.corners == was.corners, f"{what}: points or tags")
        check(all(len(face.corners) == 3 for face in now.faces.values()), f"{what}: not all are triangles")
        check(old <= set(now.faces), f"{what}: a triangle has another id")
        new = iter(answer["newFaceIds"])
        for f, face in was.faces.items():
            for _ in range(len(face.corners) - 2 if f not in old else 0):
                part = now.faces[next(new)]
                check(set(part.corners) <= set(face.corners) and (part.hole, part.material) == (face.hole, face.material), f"{what}: of face {f}")
                cut += 1
        for face in was.faces.values():
            for e in face.edges():
                check(len(now.edge(*e)) == len(was.edge(*e)), f"{what}: edge {e} has other faces")
        fresh(mesh, what)
        mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
    check(cut > 1000, f"{cut} triangles")


def examples(daemon):
    """The example of each edit in the OpenAPI document is one that a cube takes."""
    paths = json.load(urllib.request.urlopen(daemon.url + "/v1/openapi.json"))
    forms = paths["components"]["schemas"]["EditBatch"]["properties"]["edits"]["items"]["properties"]
    check(set(OPS) < set(forms), f"{sorted(forms)}")
    for op in OPS + ["triangulateFaces"]:
        mesh = Mesh(daemon, open(f"{SHAPES}/cube.obj", "rb").read())
        oracle = Oracle(mesh.cage())
        status, answer = mesh.edit({op: forms[op]["example"]})
        check(status == 200 and answer["newFaceIds"], f"{op}: {answer}")
        if op != "triangulateFaces":
            getattr(oracle, op)(forms[op]["example"])
            same(oracle, Oracle(mesh.cage()), op)


def chained(daemon):
    """Edits of a batch name what earlier ones have made, and a refused one says which edit and which element."""
    mesh = Mesh(daemon, open(f"{SHAPES}/cube.obj", "rb").read())
    was = mesh.state()
    for edits, detail in (
            ([{"insetFaces": {"ids": [0]}}, {"pokeFaces": {"ids": [0]}}], "edits[1]: this batch has already removed face 0"),
            ([{"pokeFaces": {"ids": [0]}}, {"dissolveVertices": {"ids": [-1, -1]}}], "edits[1]: this batch has already removed vertex -1"),
            ([{"addVertices": {"points": [0, 0, 0]}}, {"mergeVertices": {"ids": [-1, -2]}}], "edits[1]: there is no vertex -2"),
            ([{"removeFaces": {"ids": [2]}}, {"flipEdges": {"edges": [0, 1]}}], "edits[1].flipEdges: edge (0, 1) has 1 face; it takes an edge of two"),
            ([{"loopCut": {"edges": [0, 1]}}, {"removeVertices": {"ids": [0]}}], "vertex 0 is removed but face")):
        status, answer = mesh.edit(*edits)
        check((status, answer["code"]) == (422, "invalid_mesh") and detail in answer["detail"], f"{edits}: {answer}")
        check(mesh.state() == was, f"{edits}: refused, but the mesh has changed")
    status, answer = mesh.edit({"insetFaces": {"ids": [0], "t": [0.25]}}, {"extrudeFaces": {"ids": [-1], "by": [0, 0, -1]}},
                               {"setCreases": {"edges": [-5, -6], "sharpnesses": [3]}}, {"splitEdges": {"edges": [-6, -5]}})
    check(status == 200 and len(answer["newVertexIds"]) == 9 and answer["mesh"]["manifold"], f"{answer}")
    cage = Oracle(mesh.cage())
    check(sorted(cage.creases.values()) == [3, 3] and len(cage.points) == 17, f"{cage.creases}")


def creases_that_meet(daemon):
    """The sharper of two edges that fall together wins, also where the only face of one goes."""
    for first, second in ((2, 1.5), (1.5, 2), (2, 0)):
        for ids in ([0, 1], [1, 0]):
            mesh = Mesh(daemon, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 1 0\nv -1 -1 0\nv 1 -2 0\nf 1 2 3\nf 2 4 3\nf 2 1 5 6\n")
            check(mesh.edit({"setCreases": {"edges": [0, 2, 1, 2], "sharpnesses": [first, second]}})[0] == 200, "creases")
            edit = {"mergeVertices": {"ids": ids}}
            want = Oracle(mesh.cage()).after([edit])
            check(mesh.edit(edit)[0] == 200 and want.creases == {(ids[0], 2): 2}, f"{ids}: {want.creases}")
            same(want, Oracle(mesh.cage()), f"{ids}")
def phases(daemon):
    """Server-Timing names what an edit waits for, and the phases add up to the time that it takes."""
    n, shares = 150, []
    rows = [f"v {x} {y} 0" for y in range(n + 1) for x in range(n + 1)]
    rows += [f"f {v} {v + 1} {v + n + 2} {v + n + 1}" for y in range(n) for v in range(y * (n + 1) + 1, y * (n + 1) + n + 1)]
    mesh = Mesh(daemon, "\n".join(rows).encode())
    for k in range(5):
        body = json.dumps({"edits": [{"pokeFaces": {"ids": [100 * k + 50]}}]}).encode()
        request = urllib.request.Request(f"{daemon.url}/v1/meshes/{mesh.id}/edits", body,
                                         {"If-Match": "*", "Content-Type": "application/json"})
        began = time.monotonic()
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
            took = {name: float(ms) for name, ms in re.findall(r"(\w+);dur=([0-9.]+)", answer.headers["Server-Timing"])}
        ms = (time.monotonic() - began) * 1e3
        check({"parse", "apply", "topology", "commit"} <= set(took), f"{took}")
        check(sum(took.values()) <= ms, f"{took} in {ms} ms")
        shares.append(sum(took.values()) / ms)
    check(max(shares) > 0.7, f"{shares}")


def by_subd(daemon, folder):
    """`subd edit` takes the same bodies, and says why one is refused."""
    mesh = json.loads(daemon.made("push", f"{SHAPES}/cube.obj", "--name", "by subd", "--json"))
    path = os.path.join(folder, "edits.json")
    for edits, faces in (([{"loopCut": {"edges": [0, 1], "t": [0.25]}}, {"extrudeFaces": {"ids": [-1], "by": [1]}}], 14), ([{"pokeFaces": {"ids": [99]}}], None)):
        with open(path, "w") as file:
            json.dump({"edits": edits}, file)
        ran = daemon.subd("edit", mesh["id"], path, "--json")
        if faces:
            check(ran.returncode == 0 and json.loads(ran.stdout)["mesh"]["faces"] == faces, f"{ran}")
        else:
            check(ran.returncode and "edits[0]: there is no face 99" in ran.stdout + ran.stderr, f"{ran}")


def modelling(daemon, folder):
    yield "by_subd", functools.partial(by_subd, daemon, folder)
    for test in (examples, chained, creases_that_meet, triangulated, phases):
        yield test.__name__, functools.partial(test, daemon)
    yield "random_batches", functools.partial(random_batches, folder, int(os.environ.get("SUBDD_TEST_BATCHES") or 2000))


run_tests(modelling)
