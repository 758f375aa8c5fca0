#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several people in one mesh: edits that come late, and undo among the changes of others."""
import functools, hashlib, http.client, json, os, random, signal, subprocess, threading, time
from files import BIN, check, run_tests
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
    mesh.post("/edits", {"edits": [move(50, 2)]}, If_Match='"0"', Subdd_Rebase="disjoint", expect=[412, "version_mismatch", "if-match"])
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
        now_at = ann.versions()[0][0]
        check(wrong["conflict"]["versions"] == [now_at] and f"version {now_at} (edits by bob)" in wrong["detail"], f"{wrong}")
        bob.edit(move(80, 8))
        bob.post("/undo")
        wrong = ann.post("/undo", expect=[409, "changed_since", "version"])
        check(wrong["conflict"]["versions"] == [now_at], f"what is undone is not in the way: {wrong}")
        bob.edit(move(80, 9))
        check(ann.post("/undo", expect=[409, "changed_since", "version"])["conflict"]["versions"] == [now_at, now_at + 3], "one is missing")
        new = bob.edit({"addVertices": {"points": [2, 2, 2]}})["newVertexIds"][0]
        check(new not in [k[1] for k in now if k[0] == "v"], "an id was given twice")
        ann.get("/refined?level=2")
        bob.edit(move(50, 3))  # What was before the change is in its way, too, where it has been undone since.
        ann.edit(move(50, 4))
        ann.post("/undo")
        bob.post("/undo")
        wrong, now_at = ann.post("/redo", expect=[409, "changed_since", "version"]), ann.versions()[0][0]
        check(wrong["conflict"]["versions"] == [now_at] and f"version {now_at} (undo by bob)" in wrong["detail"], f"{wrong}")
        for way in ("/redo", "/undo"):
            bob.post(way)
        check(ann.post("/redo", expect=[409, "changed_since", "version"])["conflict"]["versions"][-1] == now_at + 2, "undone again")
        bob.post("/redo")
        ann.post("/redo")
        check(cage(ann)["v", 50] == [4, 0, 5], "bob's change, which is there again, is in the way")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def random_edit(rng):
    """An edit of a grid, of any kind. The element it names may be none that it can be done to."""
    n, face, edge = (SIDE + 1) ** 2, rng.randrange(SIDE * SIDE), rng.randrange(SIDE)
    edge = [edge * (SIDE + 1) + 3, edge * (SIDE + 1) + 4]
    return rng.choice((move(rng.randrange(n), rng.random()), {"setHoles": {"ids": [face], "hole": True}},
                       {"setCorners": {"ids": [rng.randrange(n)], "sharpnesses": [2]}}, {"setCreases": {"edges": edge, "sharpnesses": [3]}},
                       {"removeFaces": {"ids": [face]}}, {"pokeFaces": {"ids": [face]}}, {"insetFaces": {"ids": [face]}},
                       {"extrudeFaces": {"ids": [face], "by": [1]}}, {"loopCut": {"edges": edge}}, {"splitEdges": {"edges": edge}},
                       {"dissolveVertices": {"ids": [rng.randrange(n)]}}, {"collapseEdges": {"edges": edge}}))


def surface(mesh):
    """The points and how many faces there are: new elements have other rows when they come in another order."""
    lines = mesh.get("/refined?level=2", Accept="model/obj").decode().splitlines()
    points = sorted([round(float(x), 4) + 0.0 for x in line.split()[1:]] for line in lines if line.startswith("v "))
    return points, sum(line.startswith("f ") for line in lines)


def either_order(daemon, _):
    """Two edits of elements that are apart give the same surface in either order; others are never both taken unseen."""
    rng, apart, refused = random.Random(4), 0, 0
    alone = Mesh(daemon, body=grid(SIDE))
    for _ in range(80):
        a, b = ([random_edit(rng) for _ in range(rng.choice((1, 1, 2)))] for _ in "ab")
        if any(alone.raw("POST", "/edits", {"edits": one}, If_Match="*")[0] != 200 or alone.post("/undo") is None for one in (a, b)):
            continue  # It cannot be done to the mesh alone.
        surfaces = []
        for first, second in ((a, b), (b, a)):
            mesh = Mesh(daemon, body=grid(SIDE))
            mesh.edit(*first)
            status, answer = mesh.raw("POST", "/edits", {"edits": second}, If_Match='"1"', Subdd_Rebase="disjoint")
            check(status == 200 or (status == 412 and json.loads(answer)["conflict"]["versions"] == [2]), f"{status} {answer}")
            if status == 200:
                surfaces.append(surface(mesh))
            mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
        check(len(surfaces) != 1, f"{a} and {b} are apart in one order only")
        check(len(surfaces) != 2 or surfaces[0] == surfaces[1], f"{a} and {b} give two surfaces")
        apart += len(surfaces) == 2
        refused += not surfaces
    check(apart > 10 and refused > 10, f"{apart} apart, {refused} refused")


def lease(mesh, **body):
    return json.loads(mesh.post("/leases", body))


def leases(_, folder):
    daemon, tokens = with_tokens(folder, "leases")
    try:
        ann = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        bob, eve = Mesh(daemon, tokens["bob"], ann.id), Mesh(daemon, tokens["eve"], ann.id)
        got = lease(ann, faces=[12, 10, 10], seconds=100, client="blender")
        check(got["principal"] == "ann" and got["faces"] == 2 and got["faceIds"] == [10, 12] and 99 <= got["seconds"] <= 100, f"{got}")
        at10 = cage(ann)["f", 10]
        was = cage(ann)
        refused = [423, "leased", "lease"]
        for edit in (move(at10[0], 3), {"removeFaces": {"ids": [12]}}, {"setHoles": {"ids": [10], "hole": True}},
                     {"setCreases": {"edges": at10[:2], "sharpnesses": [1]}}):
            wrong = bob.post("/edits", {"edits": [edit]}, If_Match="*", expect=refused)
            check(wrong["conflict"]["versions"] == [], f"a lease is no version: {wrong}")
            check("leased by ann (blender)" in wrong["detail"] and set(wrong["conflict"]["faceIds"]) <= {10, 12, 11, 9, 1, 2, 18, 19}, f"{wrong}")
        points = [x for i in range((SIDE + 1) ** 2) for x in was["v", i]]
        bob.ask("PUT", f"/v1/meshes/{bob.id}/positions", {"ranges": [{"first": 0, "points": [1, 1, 1, *points[3:]]}]})
        points[3 * at10[0]] += 1
        bob.ask("PUT", f"/v1/meshes/{bob.id}/positions", {"ranges": [{"first": 0, "points": points}]}, expect=refused)
        there = {"first": at10[0], "points": points[3 * at10[0]:3 * at10[0] + 3]}
        again = [{"first": 0, "points": [2 + i, 0, 0]} for i in range(len(points) // 3 + 1)]  # More rows than the mesh has.
        bob.ask("PUT", f"/v1/meshes/{bob.id}/positions", {"ranges": [*again, there]}, expect=refused)
        bob.ask("PUT", f"/v1/meshes/{bob.id}/positions", {"ranges": [there, {"first": 0, "points": [1, 1, 1]},
                {"first": at10[0], "points": was["v", at10[0]]}]})  # The last range of a vertex counts.
        bob.post("/smooth?store=true", {"method": "uniform", "iterations": 1}, If_Match="*", expect=refused)
        bob.post("/fair", {}, If_Match="*", expect=refused)
        bob.post("/revert", {"version": 1}, If_Match="*", expect=refused)
        bob.ask("DELETE", f"/v1/meshes/{bob.id}", expect=refused)
        bob.post("/leases", {}, expect=refused)
        bob.post("/leases", {"faces": [3, 12]}, expect=refused)
        check(cage(ann) == {**was, ("v", 0): [1, 1, 1]}, "a refusal changed the mesh")
        bob.ask("PATCH", f"/v1/meshes/{bob.id}", {"name": "free"})
        bob.edit({"removeFaces": {"ids": [60]}})
        bob.post("/undo")
        values = {"interpolation": "uniform", "width": 1, "values": list(range(SIDE * SIDE))}
        bob.edit({"putPrimvar": {"name": "mat", **values}}, {"putPrimvar": {"name": "all", "interpolation": "constant", "width": 1, "values": [1]}})
        for edit in ({"removePrimvar": {"name": "mat"}}, {"putPrimvar": {"name": "mat", **values, "type": "i32"}}):
            wrong = bob.post("/edits", {"edits": [edit]}, If_Match="*", expect=refused)
            check("primvar mat is leased by ann" in wrong["detail"] and wrong["conflict"]["what"] == "primvar mat", f"{wrong}")
        bob.edit({"removePrimvar": {"name": "all"}})
        own = lease(bob, faces=[40])
        ann.edit(move(at10[0], 3))
        ann.post("/undo")
        ann.post("/edits", {"edits": [{"removeFaces": {"ids": [40]}}]}, If_Match="*", expect=refused)
        listed = json.loads(eve.get("/leases"))["leases"]
        check({x["lease"]: x["principal"] for x in listed} == {got["lease"]: "ann", own["lease"]: "bob"}, f"{listed}")
        one = f"/v1/meshes/{ann.id}/leases/{got['lease']}"
        bob.ask("DELETE", one, expect=[403, "forbidden", "lease"])
        bob.ask("PUT", one, {"seconds": 5}, expect=[403, "forbidden", "lease"])
        eve.post("/leases", {}, expect=[403, "forbidden", "authorization"])
        check(json.loads(ann.ask("PUT", one, {"seconds": 3600}))["seconds"] == 3600, "a renewal says another time")
        ann.ask("DELETE", one)
        ann.ask("DELETE", one, expect=[404, "not_found", "lease"])
        bob.edit({"removeFaces": {"ids": [12]}})
        whole = lease(bob, seconds=1)
        check("faces" not in whole, f"{whole}")
        ann.ask("PATCH", f"/v1/meshes/{ann.id}", {"name": "mine"}, expect=refused)
        ann.post("/edits", {"edits": [move(70, 1)]}, If_Match="*", expect=refused)
        deadline = time.monotonic() + 20
        while ann.raw("POST", "/edits", {"edits": [move(70, 1)]}, If_Match="*")[0] == 423:
            check(time.monotonic() < deadline, "a lease of a second does not end")
            time.sleep(0.05)
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def inside(point, polygon):
    """Whether a point is in a polygon of the plane z = 0."""
    within, (x, y) = False, point[:2]
    for (ax, ay, _), (bx, by, _) in zip(polygon, polygon[1:] + polygon[:1]):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            within = not within
    return within


def middle(polygon):
    return [sum(p[i] for p in polygon) / len(polygon) for i in range(3)]


def polygons(mesh):
    c = cage(mesh)
    return {k[1]: [c["v", v] for v in corners] for k, corners in c.items() if k[0] == "f"}


def covers(polygons, leased):
    """The faces that lie where some polygons of the first grid are, of which nobody may have moved a vertex."""
    return sorted(f for f, p in polygons.items() if any(inside(middle(p), l) or inside(middle(l), p) for l in leased))


def leased_faces(mesh, name):
    found = {x["lease"]: x for x in json.loads(mesh.get("/leases"))["leases"]}[name]
    check(found["faces"] == len(found["faceIds"]), f"{found}")
    return found["faceIds"]


def leases_follow(_, folder):
    """A lease stays on what its holder makes of the faces, where they are in the plane, and nobody else can change it."""
    daemon, tokens = with_tokens(folder, "follow")
    refused = [423, "leased", "lease"]
    try:
        for edit in ({"pokeFaces": {"ids": [10, 11]}}, {"splitFaces": {"ids": [10], "edges": [11, 21]}}, {"triangulateFaces": {"ids": [10, 12]}},
                     {"insetFaces": {"ids": [10, 11], "t": [0.2]}}, {"splitEdges": {"edges": [11, 12]}}, {"loopCut": {"edges": [11, 12]}},
                     {"reverseFaces": {"ids": [10, 11]}}, {"dissolveFaces": {"ids": [10, 11]}}, {"dissolveFaces": {"ids": [2, 10]}},
                     {"dissolveEdges": {"edges": [11, 20]}}, {"removeFaces": {"ids": [10, 12]}}):
            ann = Mesh(daemon, tokens["ann"], body=grid(SIDE))
            bob = Mesh(daemon, tokens["bob"], ann.id)
            first = polygons(ann)
            name = lease(ann, faces=[10, 2 + SIDE + 1])["lease"]
            was, leased = leased_faces(ann, name), [first[f] for f in (10, 11)]
            check(was == [10, 11], f"{was}")
            ann.edit(edit)
            now = polygons(ann)
            got, want = leased_faces(ann, name), covers(now, leased)
            check(got == want, f"{edit}: the lease is on {got}, not {want}")
            for f in got:
                bob.post("/edits", {"edits": [{"removeFaces": {"ids": [f]}}]}, If_Match="*", expect=refused)
            ann.post("/undo")
            check(leased_faces(ann, name) == was, f"{edit}: undone, the lease is on {leased_faces(ann, name)}")
            ann.post("/redo")
            check(leased_faces(ann, name) == got, f"{edit}: done again, the lease is on {leased_faces(ann, name)}")
            ann.post("/revert", {"version": 1}, If_Match="*")
            check(leased_faces(ann, name) == was, f"{edit}: reverted, the lease is on {leased_faces(ann, name)}")
            bob.edit({"removeFaces": {"ids": [40]}})
            ann.ask("DELETE", f"/v1/meshes/{ann.id}")
        mesh = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        bob = Mesh(daemon, tokens["bob"], mesh.id)
        name, heard = lease(mesh, faces=[10])["lease"], events(mesh)
        check(next(heard)[0] == "version", "no version first")
        a, b, c, d = cage(mesh)["f", 10]
        new = mesh.edit({"removeFaces": {"ids": [10]}}, {"addVertices": {"points": [1, 1, 1]}},
                        {"addFaces": {"faceVertexCounts": [3, 3, 3, 3, 3],
                                      "faceVertexIndices": [a, b, -1, b, c, -1, c, d, -1, d, a, -1, a, 70, -1]}})["newFaceIds"]
        check(leased_faces(mesh, name) == new[:4], f"of faces added by hand {leased_faces(mesh, name)} of {new}")
        check([next(heard)[0], next(heard)[1]["faceIds"]] == ["version", new[:4]], "who listens is not told of the new faces")
        top = mesh.edit({"pokeFaces": {"ids": new[:1]}}, {"extrudeFaces": {"ids": [-1, -2], "by": [1]}})["newFaceIds"]
        check(set(top[3:]) < set(leased_faces(mesh, name)), f"of faces made of new ones {leased_faces(mesh, name)}")
        gone = leased_faces(mesh, name)
        mesh.edit({"removeFaces": {"ids": gone}})
        check(leased_faces(mesh, name) == [], "faces that are gone are listed")
        bob.edit({"removeFaces": {"ids": [40]}})
        bob.post("/revert", {"version": 1}, If_Match="*", expect=refused)
        mesh.post("/undo")
        check(leased_faces(mesh, name) == gone, "what comes back is not leased")
        mesh = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        name = lease(mesh, faces=mesh.edit({"pokeFaces": {"ids": [10]}})["newFaceIds"])["lease"]
        mesh.post("/undo")
        check(leased_faces(mesh, name) == [10], "a face is not leased that comes back where the leased ones were")
        mesh = Mesh(daemon, tokens["ann"], body=grid(4))
        new = mesh.edit({"removeFaces": {"ids": [4]}},
                        {"addFaces": {"faceVertexCounts": [3, 3], "faceVertexIndices": [5, 6, 11, 5, 11, 10]}})["newFaceIds"]
        name = lease(mesh, faces=[12, new[1]])["lease"]
        other = [f for f in mesh.edit({"collapseEdges": {"edges": [5, 11]}})["newFaceIds"] if f not in leased_faces(mesh, name)]
        was = leased_faces(mesh, name)
        for way in ("/undo", "/redo"):
            mesh.post(way)
        check(other and leased_faces(mesh, name) == was, f"done again, the lease is on {leased_faces(mesh, name)}, not {was}")
        mesh = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        inner = [f for f in range(SIDE, SIDE * (SIDE - 1)) if 0 < f % SIDE < SIDE - 1]
        name = lease(mesh, faces=mesh.edit({"dissolveFaces": {"ids": inner}})["newFaceIds"])["lease"]
        mesh.post("/undo")
        check(leased_faces(mesh, name) == inner, f"of faces that hang together {leased_faces(mesh, name)} are leased")
        mesh = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        far = range(4 * SIDE, SIDE * SIDE)
        mesh.edit({"removeFaces": {"ids": [*far]}}, {"removeVertices": {"ids": [*range(5 * (SIDE + 1), (SIDE + 1) ** 2)]}})
        name = lease(mesh, faces=mesh.edit({"pokeFaces": {"ids": [10]}})["newFaceIds"])["lease"]
        mesh.post("/revert", {"version": 1}, If_Match="*")
        check(leased_faces(mesh, name) == [10], f"the lease is on faces far from it, {leased_faces(mesh, name)}")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def leases_follow_long(daemon, _):
    """The same of many edits one after another; without tokens, by those that name the lease."""
    rng, mesh, done = random.Random(9), Mesh(daemon, body=grid(SIDE)), 0
    first = polygons(mesh)
    leased = [first[f] for f in (10, 11, 18, 40)]
    name = lease(mesh, faces=[10, 11, 18, 40], seconds=3600)["lease"]
    for _ in range(120):
        faces = cage(mesh)
        ids = rng.sample([k[1] for k in faces if k[0] == "f"], 2)
        mine = leased_faces(mesh, name)
        ids = ids if rng.random() < 0.3 else rng.sample(mine, min(2, len(mine)))
        edge = faces["f", ids[0]][:2]
        edits = [rng.choice(({"pokeFaces": {"ids": ids}}, {"insetFaces": {"ids": ids, "t": [0.1]}}, {"triangulateFaces": {"ids": ids}},
                             {"splitEdges": {"edges": edge}}, {"loopCut": {"edges": edge}}, {"reverseFaces": {"ids": ids}},
                             {"removeFaces": {"ids": ids[1:]}})) for _ in range(rng.choice((1, 1, 2)))]
        if rng.random() < 0.3:
            mesh.raw("POST", rng.choice(("/undo", "/undo", "/redo")), None, Subdd_Lease=name)
        else:
            done += mesh.raw("POST", "/edits", {"edits": edits}, If_Match="*", Subdd_Lease=name)[0] == 200
        got, want = leased_faces(mesh, name), covers(polygons(mesh), leased)
        check(got == want, f"{edits}: the lease is on {got}, not {want}")
        free = [k[1] for k in cage(mesh) if k[0] == "f" and k[1] not in got]
        for f, status in ((rng.choice(got), 423), (rng.choice(free), 200)) if got and free else ():
            edit = {"edits": [{"setHoles": {"ids": [f], "hole": True}}]}
            check(mesh.raw("POST", "/edits", edit, If_Match="*")[0] == status, f"face {f} of others is not {status}")
    check(done > 40, f"{done} edits were done")


def leases_among_others(daemon, _):
    """Without tokens anybody may undo what the holder of a lease did, and the lease is on what that brings back."""
    mesh = Mesh(daemon, body=grid(SIDE))
    name = lease(mesh, faces=[10, 40])["lease"]
    mesh.post("/edits", {"edits": [{"removeFaces": {"ids": [10]}}]}, If_Match="*", Subdd_Lease=name)
    check(leased_faces(mesh, name) == [40], f"{leased_faces(mesh, name)}")
    mesh.post("/undo")
    check(leased_faces(mesh, name) == [10, 40], f"undone by another, the lease is on {leased_faces(mesh, name)}")
    mesh.post("/leases", {"faces": [10]}, expect=[423, "leased", "lease"])


def leases_renewed(daemon, _):
    """What a lease refuses says how long it lasts, while it is renewed."""
    mesh, done = Mesh(daemon, body=grid(SIDE)), threading.Event()
    name = lease(mesh, faces=[10])["lease"]

    def renew():
        while not done.is_set():
            mesh.ask("PUT", f"/v1/meshes/{mesh.id}/leases/{name}", {"seconds": 60})

    thread = threading.Thread(target=renew)
    thread.start()
    try:
        for _ in range(50):
            wrong = mesh.post("/edits", {"edits": [{"removeFaces": {"ids": [10]}}]}, If_Match="*", expect=[423, "leased", "lease"])
            check(1 <= int(wrong["detail"].split(" for ")[1].split()[0]) <= 60, wrong["detail"])
    finally:
        done.set()
        thread.join()


def leases_refused(daemon, _):
    mesh = Mesh(daemon, body=grid(SIDE))
    bad = [400, "invalid_argument"]
    check(mesh.post("/leases", {"seconds": 3601}, expect=[*bad, "seconds"])["detail"].find("3600") > 0, "the limit is not told")
    mesh.post("/leases", {"seconds": 0}, expect=[*bad, "seconds"])
    mesh.post("/leases", {"faces": []}, expect=[*bad, "faces"])
    mesh.post("/leases", {"faces": [-1]}, expect=[*bad, "faces"])
    mesh.post("/leases", {"faces": "all"}, expect=[*bad, "faces"])
    mesh.post("/leases", {"client": "x" * 65}, expect=[*bad, "client"])
    mesh.post("/leases", {"edges": [1]}, expect=[*bad, "edges"])
    wrong = mesh.post("/leases", {"faces": [3, 99, 98]}, expect=[422, "invalid_query", "faces"])
    check("98" in wrong["detail"] and "2 of the 3" in wrong["detail"], wrong["detail"])
    Mesh(daemon, id="m_0123456789abcdef").post("/leases", {}, expect=[404, "not_found", "id"])
    Mesh(daemon, id="m_0123456789abcdef").get("/leases", expect=[404, "not_found", "id"])
    mine = lease(mesh, faces=[5])["lease"]  # Without tokens the holder names its lease.
    wrong = mesh.post("/edits", {"edits": [{"removeFaces": {"ids": [5]}}]}, If_Match="*", expect=[423, "leased", "lease"])
    check("leased by somebody for 60 s more; if it is yours, name it in Subdd-Lease" in wrong["detail"], wrong["detail"])
    for named in ("x", "l_0", ",", mine + "0", mine + ",", mine.upper(), mine + ";" + mine):
        mesh.post("/edits", {"edits": [{"removeFaces": {"ids": [5]}}]}, If_Match="*", Subdd_Lease=named, expect=[*bad, "subdd-lease"])
    mesh.ask("PUT", f"/v1/meshes/{mesh.id}/leases/{mine}", {"faces": [1]}, expect=[*bad, "faces"])
    mesh.ask("PUT", f"/v1/meshes/{mesh.id}/leases/{mine}", {"seconds": 1e9}, expect=[*bad, "seconds"])
    mesh.ask("PUT", f"/v1/meshes/{mesh.id}/leases/{mine}", b" " * 2000, expect=[413, "too_large", "body"])
    mesh.ask("PUT", f"/v1/meshes/{mesh.id}/leases/l_0", {}, expect=[404, "not_found", "lease"])
    check(mesh.versions()[0][0] == 1, "a refusal made a version")
    mesh.post("/edits", {"edits": [{"removeFaces": {"ids": [5]}}]}, If_Match="*", Subdd_Lease=f"l_0123456789abcdef , {mine}")
    mesh.ask("DELETE", f"/v1/meshes/{mesh.id}", expect=[423, "leased", "lease"])


def presence(daemon, _):
    mesh = Mesh(daemon)
    path = f"/v1/meshes/{mesh.id}/presence"
    here = lambda: {x["client"]: x["state"] for x in json.loads(mesh.get("/presence"))["present"]}
    check(here() == {}, "somebody is there")
    mesh.ask("PUT", path + "?client=one", {"cursor": [1, 2, 3], "name": "two\nlines \u00e9"})
    mesh.ask("PUT", path + "?client=two&seconds=1", b' [ 1 ,\n "a b" ]\n')
    check(here() == {"one": {"cursor": [1, 2, 3], "name": "two\nlines \u00e9"}, "two": [1, "a b"]}, f"{here()}")
    mesh.ask("PUT", path + "?client=one", 7)
    check(here()["one"] == 7, f"{here()}")
    deadline = time.monotonic() + 20
    while "two" in here():
        check(time.monotonic() < deadline, "presence of a second does not end")
        time.sleep(0.05)
    mesh.ask("DELETE", path + "?client=one")
    mesh.ask("DELETE", path + "?client=one", expect=[404, "not_found", "client"])
    host = daemon.url.split("//")[1]
    tied = http.client.HTTPConnection(host, timeout=30)
    tied.request("PUT", path + "?client=tied&connection=true", "{}", {"Content-Type": "application/json"})
    check(tied.getresponse().read() == b"" and "tied" in here(), "tied is not there")
    tied.close()
    while "tied" in here():
        check(time.monotonic() < deadline, "presence outlives its connection")
        time.sleep(0.05)
    for query, body, expect in (("", b" " * 4097, [413, "too_large", "body"]), ("", b"{", [400, "malformed", None]),
                                ("", b"", [400, "malformed", None]), ("?seconds=301", b"1", [400, "invalid_argument", "seconds"]),
                                ("?seconds=x", b"1", [400, "invalid_argument", "seconds"]),
                                ("?connection=yes", b"1", [400, "invalid_argument", "connection"]),
                                ("?client=" + "x" * 65, b"1", [400, "invalid_argument", "client"])):
        wrong = mesh.request("PUT", path + query, body)
        problem = json.loads(wrong[1])
        check([wrong[0], problem["code"]] == expect[:2] and (expect[2] is None or problem.get("field") == expect[2]), f"{query} {body[:9]}: {wrong}")
    mesh.ask("PUT", path, b'"' + b"x" * 4094 + b'"')
    check(len(here()[""]) == 4094, "4096 bytes are not taken")
    Mesh(daemon, id="m_0123456789abcdef").ask("PUT", "/v1/meshes/m_0123456789abcdef/presence", {}, expect=[404, "not_found", "id"])
    mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
    mesh.get("/presence", expect=[404, "not_found", "id"])


def events(mesh):
    """The events of a mesh as they come: pairs of a kind and its data."""
    host = mesh.daemon.url.split("//")[1]
    stream = http.client.HTTPConnection(host, timeout=30)
    stream.request("GET", f"/v1/meshes/{mesh.id}/events", headers={"Authorization": "Bearer " + mesh.token} if mesh.token else {})
    answer, kind = stream.getresponse(), None
    check(answer.status == 200, f"events: {answer.status}")
    for line in answer:
        name, _, value = line.decode().strip().partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


def news(_, folder):
    """Who listens is told of leases and of who is there; and a token that expires ends what it listens to."""
    daemon, tokens = with_tokens(folder, "news")
    try:
        ann = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        heard = events(Mesh(daemon, tokens["bob"], ann.id))
        check(next(heard)[0] == "version", "no version first")
        name = lease(ann, faces=[3, 4], seconds=50, client="one")["lease"]
        kind, data = next(heard)
        check((kind, data["lease"], data["principal"], data["faceIds"]) == ("lease", name, "ann", [3, 4]) and data["seconds"] == 50, f"{kind} {data}")
        for _ in range(2):  # The same again is no news.
            ann.ask("PUT", f"/v1/meshes/{ann.id}/presence?client=one", {"at": 1})
        check(next(heard) == ("presence", {"principal": "ann", "client": "one", "state": {"at": 1}}), "no presence")
        ann.ask("DELETE", f"/v1/meshes/{ann.id}/presence?client=one")
        check(next(heard) == ("presence", {"principal": "ann", "client": "one", "gone": True}), "not gone")
        ann.ask("DELETE", f"/v1/meshes/{ann.id}/leases/{name}")
        kind, data = next(heard)
        check(kind == "lease" and data["seconds"] == 0, f"{kind} {data}")
        with open(os.path.join(folder, "tokens"), "a") as f:
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
            f.write(f"late read {hashlib.sha256(b'late').hexdigest()} expires={when}\n")
        daemon.process.send_signal(signal.SIGHUP)
        late = Mesh(daemon, "late", ann.id)
        while late.raw("GET", "")[0] == 401:
            time.sleep(0.05)
        begun = time.monotonic()
        kinds = [kind for kind, _ in events(late)]
        check(time.monotonic() - begun < 20 and kinds[0] == "version", f"{kinds}")
        check(late.raw("GET", "")[0] == 401, "the token has not expired")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def crowd(daemon, _):
    """As many as may be there, and one more."""
    mesh = Mesh(daemon, body=grid(20))
    for i in range(256):
        mesh.ask("PUT", f"/v1/meshes/{mesh.id}/presence?client=c{i}", i)
    wrong = mesh.ask("PUT", f"/v1/meshes/{mesh.id}/presence?client=more", 1, expect=[413, "too_large", "presence"])
    check(wrong["limit"] == 256, f"{wrong}")
    mesh.ask("PUT", f"/v1/meshes/{mesh.id}/presence?client=c0", 1)
    for i in range(256):
        lease(mesh, faces=[i])
    check(mesh.post("/leases", {"faces": [300]}, expect=[413, "too_large", "leases"])["limit"] == 256, "no limit")
    check(len(json.loads(mesh.get("/leases"))["leases"]) == 256 and len(json.loads(mesh.get("/presence"))["present"]) == 256, "some are missing")


def lease_memory(_, folder):
    """The faces of all leases of a holder have a limit, which is no other's, and those of one that ends leave room."""
    daemon, tokens = with_tokens(folder, "lease_memory")
    try:
        mesh = Mesh(daemon, tokens["ann"], body=grid(150))
        faces = list(range(150 * 150))
        fit = (1 << 20) // len(faces)
        first = lease(mesh, faces=faces)["lease"]
        for _ in range(fit - 1):
            lease(mesh, faces=faces)
        wrong = mesh.post("/leases", {"faces": faces}, expect=[413, "too_large", "faces"])
        check(wrong["limit"] == 1 << 20, f"{wrong}")
        found = json.loads(mesh.get("/leases"))["leases"]
        listed = sum(len(x["faceIds"]) for x in found)
        check(len(found) == fit and {x["faces"] for x in found} == {len(faces)} and 16384 - fit < listed <= 16384, f"{listed} ids of {len(found)} leases")
        mesh.post("/edits", {"edits": [{"pokeFaces": {"ids": faces[:100]}}]}, If_Match="*", expect=[413, "too_large", "lease"])
        check(mesh.versions()[0][0] == 1, "a refusal made a version")
        bob = Mesh(daemon, tokens["bob"], body=grid(150))
        lease(bob, faces=faces)
        bob.edit({"pokeFaces": {"ids": faces[:100]}})
        lease(mesh)  # Of no faces.
        mesh.ask("DELETE", f"/v1/meshes/{mesh.id}/leases/{first}")
        lease(mesh, faces=faces)
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def lease_work(daemon, _):
    """Another lease is compared with each of the others once, and away from the loop."""
    mesh, waits, done = Mesh(daemon, body=grid(150)), [], threading.Event()

    def watch():
        while not done.is_set():
            start = time.monotonic()
            mesh.ask("GET", "/v1/health/live")
            waits.append(time.monotonic() - start)

    for i in range(199):
        lease(mesh, faces=[i])
    watcher = threading.Thread(target=watch)
    watcher.start()
    lease(mesh, faces=[199])
    done.set()
    watcher.join()
    check(waits and max(waits) < 0.5, f"the loop stands still: {max(waits, default=-1):.2f} s")


def by_subd(_, folder):
    """The same by the command line, and the example of two artists."""
    daemon, tokens = with_tokens(folder, "by_subd")
    token = {}
    for who in ("ann", "bob"):
        token[who] = os.path.join(folder, who)
        with open(token[who], "w") as f:
            f.write(tokens[who])
        os.chmod(token[who], 0o600)
    try:
        mesh = Mesh(daemon, tokens["ann"], body=grid(SIDE))
        edits = os.path.join(folder, "edits.json")

        def ran(who, verb, *args, code=0, says=""):
            r = daemon.subd(verb, mesh.id, *args, "--token-file", token[who])
            check(r.returncode == code and says in r.stderr, f"subd {verb} {args}: {r.returncode} {r.stdout}{r.stderr}")
            return r.stdout

        name = ran("ann", "lease", "--ids", "3,4", "--for", "300").strip()
        check(name.startswith("l_"), name)
        with open(edits, "w") as f:
            json.dump({"edits": [{"removeFaces": {"ids": [3]}}]}, f)
        ran("bob", "edit", edits, code=4, says="leased by ann")
        ran("bob", "rm", code=4, says="leased by ann")
        rows = [line.split() for line in ran("bob", "lease", "--list").splitlines()]
        check(rows[0] == ["LEASE", "BY", "CLIENT", "FACES", "SECONDS"] and rows[1][:4] == [name, "ann", "-", "2"], f"{rows}")
        check(json.loads(ran("bob", "lease", "--list", "--json"))["leases"][0]["lease"] == name, "no JSON")
        check(json.loads(ran("ann", "lease", "--lease", name, "--for", "3600", "--json"))["seconds"] == 3600, "not renewed")
        ran("ann", "lease", "--lease", name, "--ids", "1", code=2, says="renews")
        ran("ann", "lease", "--end", code=2, says="--lease")
        ran("ann", "lease", "--lease", "x", code=2, says="l_")
        ran("ann", "lease", "--for", "0", code=2, says="3,600")
        ran("ann", "lease", "--lease", name, "--end")
        ran("bob", "edit", edits)
        with open(edits, "w") as f:
            json.dump({"edits": [move(80, 2)]}, f)
        ran("ann", "edit", edits, "--version", "1", code=4, says="version 2")
        check("past 1 version\n" in ran("ann", "edit", edits, "--version", "1", "--rebase"), "not rebased")
        program = os.path.join(BIN, "../examples/two_artists")
        r = subprocess.run([program, daemon.url, tokens["ann"], tokens["bob"]], capture_output=True, text=True)
        lines = r.stdout.splitlines()
        check(r.returncode == 0 and lines[2] == "bob made version 3, past 1 of others" and "vertex 6" in lines[3], f"{r.stdout}{r.stderr}")
        check(lines[4] == "vertex 6 is at height 1, vertex 18 at 2" and lines[6] == "vertex 6 is at height 0, vertex 18 at 2", f"{lines}")
        check(len(json.loads(mesh.ask("GET", "/v1/meshes"))["meshes"]) == 1, "the example leaves its mesh")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def people(daemon, folder):
    for test in (rebase, rebase_refused, undo_among_others, either_order, leases, leases_follow, leases_follow_long, leases_among_others, leases_renewed, leases_refused, presence, news, crowd, lease_memory,
                 lease_work, by_subd):
        yield test.__name__, functools.partial(test, daemon, folder)


run_tests(people)
