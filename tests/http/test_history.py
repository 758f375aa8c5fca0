#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Earlier versions over HTTP: reading them by every route that reads, listing, revert, undo and redo, and who may."""
import functools, hashlib, json, os, urllib.error, urllib.request
from files import SHAPES, Daemon, check, run_tests
from people import Mesh, with_tokens

READS = ["", "/cage", "/refined?level=2", "/refined?level=1&surface=limit&include=positions,normals", "/patches",
         "/matrix?level=1", "/plan?level=2", "/neighbors?relation=VV", "/neighbors?relation=FF&level=1", "/fields?what=gaussian,mean"]


def answers(mesh, version=None):
    """What every route that reads says of a version, without what is about now: times and what is in memory."""
    out = []
    for path in READS:
        mark = "&" if "?" in path else "?"
        data = mesh.get(path + (f"{mark}version={version}" if version else ""))
        if not path:
            info = json.loads(data)
            data = json.dumps([info[k] for k in ("version", "name", "topologyId", "vertices", "faces", "options")]).encode()
        if path.startswith("/plan"):
            data = json.dumps([json.loads(data)[k] for k in ("vertices", "faces")]).encode()
        out.append(hashlib.sha256(data).hexdigest())
    return out


def reads(daemon):
    """Each route gives of an earlier version what it gave when that was the present one."""
    mesh, was = Mesh(daemon), {}
    was[1] = answers(mesh)
    mesh.move(3)
    was[2] = answers(mesh)
    mesh.edit({"addVertices": {"points": [0.5, 0.5, 3]}}, {"addFaces": {"faceVertexCounts": [3], "faceVertexIndices": [4, 5, -1]}})
    was[3] = answers(mesh)
    mesh.edit({"removeFaces": {"ids": [0]}})
    mesh.ask("PATCH", f"/v1/meshes/{mesh.id}", {"name": "other"})
    for version in (3, 1, 2, 1):
        for path, a, b in zip(READS, answers(mesh, version), was[version]):
            check(a == b, f"version {version} of {path or 'the mesh'} differs")
    check(mesh.post("/refined?version=2&level=1", b"\0" * 96, kind="application/octet-stream", Accept="application/vnd.subdd.frame"), "no pose")
    check(mesh.versions() == [(5, "rename", None), (4, "edits", None), (3, "edits", None), (2, "positions", None), (1, "create", None)],
          f"{mesh.versions()}")
    page = json.loads(mesh.get("/versions?before=4&limit=2"))
    check([v["version"] for v in page["versions"]] == [3, 2] and page["next"] == 2, f"{page}")
    check(json.loads(mesh.get("/versions"))["versions"][2]["edits"] == 2, "how many edits a batch had is not told")


def refusals(daemon):
    mesh = Mesh(daemon)
    for v in range(2, 9):
        mesh.move(v)
    kept = json.loads(mesh.get("/versions"))["versions"]
    check([v["version"] for v in kept] == [8, 7, 6, 5, 4], f"{kept}")
    mesh.get("/cage?version=4")
    gone = mesh.get("/cage?version=3", expect=[410, "gone", "version"])
    check("the oldest that is kept is 4" in gone["detail"] and gone["oldestVersion"] == 4, f"{gone}")
    mesh.move(9)
    mesh.get("/cage?version=4", expect=[410, "gone", "version"])  # It was in memory.
    mesh.get("/refined?version=99", expect=[404, "not_found", "version"])
    for bad in ("0", "-1", "x", "1.5", "99999999999999999999"):
        mesh.get(f"/cage?version={bad}", expect=[400, "invalid_argument", "version"])
    mesh.get("/versions?limit=0", expect=[400, "invalid_argument", "limit"])
    mesh.get("/versions?before=0", expect=[400, "invalid_argument", "before"])
    mesh.post("/revert", {"version": 8}, expect=[428, "precondition_required", "if-match"])
    mesh.post("/revert", {"version": 8}, If_Match='"7"', expect=[412, "version_mismatch", "if-match"])
    mesh.post("/revert", {"version": 2}, If_Match="*", expect=[410, "gone", "version"])
    mesh.post("/revert", {"version": 12}, If_Match="*", expect=[404, "not_found", "version"])
    for bad in ({}, {"version": "1"}, {"version": 0}, {"version": 1.5}, {"version": None}, {"versions": 1}, []):
        request = urllib.request.Request(f"{daemon.url}/v1/meshes/{mesh.id}/revert", json.dumps(bad).encode(),
                                         {"Content-Type": "application/json", "If-Match": "*"}, method="POST")
        try:
            urllib.request.urlopen(request)
            check(False, f"{bad} was taken")
        except urllib.error.HTTPError as answer:
            wrong = json.loads(answer.read())
            check(answer.code in (400, 422) and wrong["detail"], f"{bad}: {answer.code} {wrong}")
    mesh.post("/undo", If_Match='"3"', expect=[412, "version_mismatch", "if-match"])
    nobody = Mesh(daemon, id="m_0123456789abcdef")
    nobody.get("/versions", expect=[404, "not_found", "id"])
    nobody.get("/cage?version=1", expect=[404, "not_found", "id"])
    nobody.post("/undo", expect=[404, "not_found", "id"])
    check(mesh.versions()[0] == (9, "positions", None), "a refusal made a version")
    mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
    mesh.get("/cage?version=8", expect=[404, "not_found", "id"])


def undoing(daemon):
    """Undo and redo as in an editor, with ids as they were; new elements get new ids."""
    mesh = Mesh(daemon)
    mesh.post("/undo", expect=[409, "nothing_to_undo", None])
    mesh.post("/redo", expect=[409, "nothing_to_undo", None])
    before = mesh.get("/cage", Accept="application/protobuf")
    made = mesh.edit({"addVertices": {"points": [0.5, 0.5, 3]}})["newVertexIds"]
    mesh.move(5)
    mesh.post("/undo")
    check(mesh.x() == 0, "the move was not undone")
    mesh.post("/undo")
    shape = json.loads(mesh.get("/cage", Accept="application/json"))
    check(len(shape["points"]) == 24, "the edits were not undone")
    mesh.post("/undo", expect=[409, "nothing_to_undo", None])
    mesh.post("/redo")
    mesh.post("/redo")
    check(mesh.x() == 5 and len(json.loads(mesh.get("/cage", Accept="application/json"))["points"]) == 27, "not redone")
    mesh.post("/redo", expect=[409, "nothing_to_undo", None])
    mesh.post("/undo")
    mesh.move(6)
    mesh.post("/redo", expect=[409, "nothing_to_undo", None])  # A change of one's own ends that.
    mesh.post("/undo")
    check(mesh.x() == 0, "the second move was not undone")


def reverting(daemon):
    mesh = Mesh(daemon)
    ids = mesh.edit({"addVertices": {"points": [0.5, 0.5, 3]}})["newVertexIds"]
    info = json.loads(mesh.post("/revert", {"version": 1}, If_Match='"2"'))
    check(info["version"] == 3 and info["vertices"] == 8, f"{info}")
    check(mesh.edit({"addVertices": {"points": [1, 2, 3]}})["newVertexIds"][0] > ids[0], "an id was given twice")
    check(mesh.get("/refined?level=1&version=1") and mesh.versions()[1] == (3, "revert", 1), f"{mesh.versions()}")
    key = {"Idempotency_Key": "revert-1", "If_Match": "*"}
    one = mesh.post("/revert", {"version": 2}, **key)
    check(one == mesh.post("/revert", {"version": 2}, **key), "the key made two versions")
    mesh.post("/undo")
    check(json.loads(mesh.get(""))["vertices"] == 9 and mesh.versions()[0] == (6, "undo", 5), f"{mesh.versions()}")


def repeated(daemon):
    """Positions and deleting with a key are done once, also after others have changed the mesh, or it is gone."""
    mesh = Mesh(daemon)
    path, key = f"/v1/meshes/{mesh.id}", {"Idempotency_Key": "positions-1"}
    moved = {"ranges": [{"first": 0, "points": [4, 0, 0]}]}
    first = mesh.ask("PUT", path + "/positions", moved, **key)
    mesh.move(5)
    check(mesh.ask("PUT", path + "/positions", moved, If_Match='"1"', **key) == first, "another answer")
    check(mesh.x() == 5 and json.loads(first)["version"] == 2 and mesh.versions()[0][0] == 3, "the key moved the mesh twice")
    mesh.ask("PUT", path + "/positions", {"ranges": []}, expect=[422, "idempotency_key_reused", "idempotency-key"], **key)
    smooth = [mesh.post("/smooth?store=true", {"method": "uniform"}, If_Match="*", Idempotency_Key="smooth-1") for _ in range(2)]
    check(smooth[0] == smooth[1] and json.loads(smooth[0])["version"] == 4 == mesh.versions()[0][0], f"smoothed twice: {smooth}")
    mesh.post("/undo")
    mesh.ask("DELETE", path, If_Match='"1"', Idempotency_Key="rm-1", expect=[412, "version_mismatch", "if-match"])
    for _ in range(2):
        check(mesh.request("DELETE", path, Idempotency_Key="rm-1", If_Match='"5"') == (204, b""), "not deleted with the key")
    mesh.ask("DELETE", path, expect=[404, "not_found", "id"])
    mesh.ask("DELETE", path, Idempotency_Key="rm-2", expect=[404, "not_found", "id"])


def far_back(folder):
    """Redo of a change whose version before is not kept any more might take what others did since: it is refused."""
    daemon, tokens = with_tokens(folder, "far", "--history-versions", "3")
    try:
        ann = Mesh(daemon, tokens["ann"])
        bob = Mesh(daemon, tokens["bob"], ann.id)
        ann.move(2)
        ann.post("/undo")
        bob.move(4)
        ann.post("/redo", expect=[410, "gone", "version"])
        check(ann.x() == 4, "bob's change was lost")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def by_subd(daemon, folder):
    """The same by the command line."""
    out = os.path.join(folder, "at.obj")
    id = daemon.made("push", os.path.join(SHAPES, "uv_three.obj"), "--name", "history").strip()
    daemon.made("rename", id, "other")
    daemon.made("undo", id)
    daemon.made("redo", id, "--version", "3")
    daemon.made("revert", id, "1", "--idempotency-key", "once")
    log = [line.split()[:2] for line in daemon.made("log", id).splitlines()[1:]]
    check(log == [["5", "revert"], ["4", "redo"], ["3", "undo"], ["2", "rename"], ["1", "create"]], f"{log}")
    check(json.loads(daemon.made("log", id, "--json"))["versions"][0]["of"] == 1, "log --json says of what")
    with open(os.path.join(folder, "edits.json"), "w") as f:
        json.dump({"edits": [{"setHoles": {"ids": [0], "hole": True}}, {"pokeFaces": {"ids": [0]}},
                             {"setHoles": {"ids": [1], "hole": True}}]}, f)
    daemon.made("edit", id, os.path.join(folder, "edits.json"), "--version", "5")
    told = json.loads(daemon.made("log", id, "--json"))["versions"]
    check(told[0]["edits"] == 3 and told[0]["kinds"] == ["setHoles", "pokeFaces"], f"{told[0]}")
    check("kinds" not in told[1], f"a revert has no kinds of edits: {told[1]}")
    check("setHoles pokeFaces" in daemon.made("log", id).splitlines()[1], "subd log names the kinds of edits")
    daemon.made("refine", id, "--at", "2", "-o", out)
    check("version 2" in open(out).readline(), "--at is not of that version")
    daemon.made("pull", id, "--at", "2", "-o", out)
    check(open(out, "rb").read() == Mesh(daemon, id=id).get("/cage?version=2", Accept="model/obj"), "pull --at is not of that version")
    check("no version 9" in daemon.subd("pull", id, "--at", "9").stderr, "pull of a version to come")
    for args, says in ((["revert", id, "x"], "is no version"), (["redo", id], "nothing to redo"),
                       (["refine", id, "--at", "9", "-o", out], "no version 9")):
        ran = daemon.subd(*args)
        check(ran.returncode and says in ran.stderr, f"subd {args}: {ran.returncode} {ran.stderr}")


def people(folder):
    """Each undoes what is his own, and not under the feet of others."""
    daemon, tokens = with_tokens(folder, "people")
    try:
        ann = Mesh(daemon, tokens["ann"])
        bob, eve = Mesh(daemon, tokens["bob"], ann.id), Mesh(daemon, tokens["eve"], ann.id)
        ann.move(2)
        bob.post("/undo", expect=[409, "nothing_to_undo", None])
        bob.move(3)
        wrong = ann.post("/undo", expect=[409, "changed_since", "version"])
        check("3 (positions by bob)" in wrong["detail"], wrong["detail"])
        bob.post("/undo")
        ann.post("/undo")
        check(ann.x() == 0, "ann's change was not undone")
        bob.post("/redo", expect=[409, "changed_since", "version"])
        ann.post("/redo")
        bob.post("/redo")
        check(ann.x() == 3, "bob's change was not redone")
        two = Mesh(daemon, tokens["ann"])
        other = Mesh(daemon, tokens["bob"], two.id)
        two.move(2)
        two.post("/undo", If_Match='"1"', expect=[412, "version_mismatch", "if-match"])  # Before what is in the way.
        two.post("/undo")
        other.move(4)
        two.post("/redo", expect=[409, "changed_since", "version"])
        eve.get("/cage?version=1")
        eve.post("/undo", expect=[403, "forbidden", "authorization"])
        names = [v["principal"] for v in json.loads(eve.get("/versions"))["versions"]]
        check(names == ["bob", "ann", "ann", "bob", "bob", "ann", "ann"], f"{names}")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def restart(folder):
    """History survives a kill; it takes --history-versions of the new start from the next change on."""
    home = os.path.join(folder, "restart")
    os.mkdir(home)
    daemon = Daemon(home)
    mesh = Mesh(daemon)
    for v in range(2, 7):
        mesh.move(v)
    daemon.process.kill()
    daemon.process.wait()
    daemon = mesh.daemon = Daemon(home, "--history-versions", "2")
    try:
        check([mesh.x(f"?version={v}") for v in range(1, 7)] == [0, 2, 3, 4, 5, 6], "versions were lost")
        mesh.move(7)
        mesh.get("/cage?version=5", expect=[410, "gone", "version"])
        check(mesh.x("?version=6") == 6, "version 6 was lost")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def history(_, folder):
    home = os.path.join(folder, "few")
    os.mkdir(home)
    few = Daemon(home, "--history-versions", "5")
    try:
        yield "refusals", functools.partial(refusals, few)
    finally:
        few.process.terminate()
        few.process.wait()
    for test in (reads, undoing, reverting, repeated):
        yield test.__name__, functools.partial(test, _)
    yield "by_subd", functools.partial(by_subd, _, folder)
    for test in (people, far_back, restart):
        yield test.__name__, functools.partial(test, folder)


run_tests(history)
