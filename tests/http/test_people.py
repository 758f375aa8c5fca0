#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several people in one mesh: edits that come late, and undo among the changes of others."""
import functools, hashlib, json, os, random
from files import Daemon, check, run_tests
from people import Mesh, grid, with_tokens

SIDE = 8


def cage(mesh, version=None):
    """The cage by ids: what it is, whatever the order of its rows."""
    c = json.loads(mesh.get("/cage" + (f"?version={version}" if version else ""), Accept="application/json"))
    ids, at, out = c["vertexIds"], 0, {}
    for i, v in enumerate(ids):
        out["v", v] = c["points"][3 * i:3 * i + 3]
    for f, n in zip(c["faceIds"], c["faceVertexCounts"]):
        out["f", f] = [ids[v] for v in c["faceVertexIndices"][at:at + n]]
        at += n
    edges = c.get("creaseIndices", [])
    for i, sharpness in enumerate(c.get("creaseSharpnesses", [])):
        out["crease", *sorted(ids[v] for v in edges[2 * i:2 * i + 2])] = sharpness
    for v, sharpness in zip(c.get("cornerIndices", []), c.get("cornerSharpnesses", [])):
        out["corner", ids[v]] = sharpness
    return out


def late(mesh, version, *edits, **more):
    return mesh.post("/edits", {"edits": edits}, If_Match=f'"{version}"', Subdd_Rebase="disjoint", **more)


def move(id, x):
    return {"setPositions": {"ids": [id], "points": [x, 0, 5]}}


def rebase(daemon, _):
    mesh = Mesh(daemon, body=grid(SIDE))
    mesh.edit(move(0, 1))
    mesh.edit(move(1, 1))
    result = json.loads(late(mesh, 1, move(70, 3), {"addVertices": {"points": [9, 9, 9]}}))
    check(result["mesh"]["version"] == 4 and result["passedOver"] == [2, 3], f"{result}")
    check("passedOver" not in mesh.edit(move(80, 3)), "an edit in time passes nothing over")
    check("passedOver" not in json.loads(late(mesh, 5, move(80, 4))), "an edit in time passes nothing over")
    now = cage(mesh)
    check([now["v", i][0] for i in (0, 1, 70, 80)] == [1, 1, 3, 4], "a change was lost")


def rebase_refused(daemon, _):
    mesh = Mesh(daemon, body=grid(SIDE))
    before = mesh.edit(move(0, 1))["mesh"]["version"] - 1
    mesh.edit({"removeFaces": {"ids": [20]}}, {"setCreases": {"edges": [40, 41], "sharpnesses": [2]}})
    at20 = cage(mesh, 1)["f", 20]
    was = cage(mesh)
    for edit, vertices, faces in (
            (move(0, 2), [0], []),
            (move(0, 0), [0], []),  # It names the vertex, whatever it sets.
            ({"setHoles": {"ids": [0], "hole": True}}, [0], []),
            (move(at20[0], 2), [], [20]),  # The face around it is gone.
            ({"removeFaces": {"ids": [20]}}, [], [20]),
            ({"setCreases": {"edges": [41, 42], "sharpnesses": [1]}}, [41], []),
            ({"addFaces": {"faceVertexCounts": [3], "faceVertexIndices": [0, 30, 60]}}, [0], [])):
        wrong = late(mesh, before, edit, expect=[412, "version_mismatch", "if-match"])
        got = wrong["conflict"]
        check(got["versions"] == [2, 3] and set(vertices) <= set(got["vertexIds"]) and set(faces) <= set(got["faceIds"]),
              f"{edit}: {wrong}")
        check(wrong["currentVersion"] == 3, f"{wrong}")
        check(str((vertices + faces)[0]) in wrong["detail"], wrong["detail"])
    check(cage(mesh) == was and mesh.versions()[0][0] == 3, "a refusal changed the mesh")
    mesh.post("/edits", {"edits": [move(50, 2)]}, If_Match='"1"', Subdd_Rebase="all", expect=[400, "invalid_argument", "subdd-rebase"])
    mesh.post("/edits", {"edits": [move(50, 2)]}, If_Match="*", Subdd_Rebase="disjoint", expect=[400, "invalid_argument", "if-match"])
    mesh.post("/edits", {"edits": [move(50, 2)]}, Subdd_Rebase="disjoint", expect=[428, "precondition_required", "if-match"])
    late(mesh, 9, move(50, 2), expect=[412, "version_mismatch", "if-match"])
    late(mesh, 1, move(999, 2), expect=[422, "invalid_mesh", "edits"])
    for v in range(40):
        mesh.edit(move(60, v))
    late(mesh, 1, move(50, 2), expect=[410, "gone", "version"])
    key = {"Idempotency_Key": "late-1"}
    version = mesh.versions()[0][0] - 1
    check(late(mesh, version, move(50, 2), **key) == late(mesh, version, move(50, 2), **key), "the key made two versions")
    check(len(cage(mesh)) == len(was), "the mesh has other elements")


def undo_among_others(_, folder):
    daemon, tokens = with_tokens(folder, "among")
    try:
        ann = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        bob = Mesh(daemon, tokens["bob"], ann.id)
        first = cage(ann)
        face = first["f", 10]
        ann.edit({"removeFaces": {"ids": [10]}}, {"addVertices": {"points": [1, 1, 1]}},
                 {"addFaces": {"faceVertexCounts": [3, 3], "faceVertexIndices": [face[0], face[1], -1, face[1], face[2], -1]}})
        bob.edit(move(80, 7), {"setCreases": {"edges": [79, 80], "sharpnesses": [3]}})
        bob.edit({"removeFaces": {"ids": [60]}})
        ann.post("/undo")
        want = {**first, ("v", 80): [7, 0, 5], ("crease", 79, 80): 3}
        del want["f", 60]
        check(cage(ann) == want, "ann's change is not undone alone")
        ann.post("/redo")
        now = cage(ann)
        check(("f", 10) not in now and ("f", 60) not in now and now["v", 80] == [7, 0, 5], "ann's change is not redone alone")
        check(len([k for k in now if k[0] == "f"]) == SIDE * SIDE - 2 + 2, "faces are missing")
        bob.post("/undo")
        check(("f", 60) in cage(bob), "bob's last change is not undone")
        bob.edit(move(face[1], 2))
        wrong = ann.post("/undo", expect=[409, "changed_since", "version"])
        check(face[1] in wrong["conflict"]["vertexIds"] and "by bob" in wrong["detail"], f"{wrong}")
        new = bob.edit({"addVertices": {"points": [2, 2, 2]}})["newVertexIds"][0]
        check(new not in [k[1] for k in now if k[0] == "v"], "an id was given twice")
        ann.get("/refined?level=2")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def either_order(daemon, _):
    """Two edits of elements that are apart give the same surface in either order; others are never both taken unseen."""
    rng, apart, refused = random.Random(4), 0, 0
    n = (SIDE + 1) ** 2
    for _ in range(60):
        a, b = ([rng.choice((move(rng.randrange(n), rng.random()), {"setHoles": {"ids": [rng.randrange(SIDE * SIDE)], "hole": True}},
                             {"setCorners": {"ids": [rng.randrange(n)], "sharpnesses": [2]}},
                             {"removeFaces": {"ids": [rng.randrange(SIDE * SIDE)]}})) for _ in range(2)] for _ in "ab")
        surfaces = []
        for first, second in ((a, b), (b, a)):
            mesh = Mesh(daemon, body=grid(SIDE))
            mesh.edit(*first)
            late_one = mesh.raw("POST", "/edits", {"edits": second}, If_Match='"1"', Subdd_Rebase="disjoint")
            if late_one[0] == 200:
                surface = b"\n".join(line for line in mesh.get("/refined?level=2").split(b"\n") if not line.startswith((b"#", b"o ")))
                surfaces.append(hashlib.sha256(surface).hexdigest() + str(cage(mesh)))
            else:
                check(late_one[0] in (412, 422), f"{late_one}")
            mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
        check(len(surfaces) != 1, f"{a} and {b} are apart in one order only")
        check(len(surfaces) != 2 or surfaces[0] == surfaces[1], f"{a} and {b} give two surfaces")
        apart += len(surfaces) == 2
        refused += not surfaces
    check(apart > 10 and refused > 5, f"{apart} apart, {refused} refused")


def people(daemon, folder):
    for test in (rebase, rebase_refused, undo_among_others, either_order):
        yield test.__name__, functools.partial(test, daemon, folder)


run_tests(people)
