#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workspaces: every route answers for a mesh of another workspace exactly as for one that is not there."""
import functools, hashlib, json, os, re, subprocess, urllib.error, urllib.request
from files import BIN, Daemon, check, run_tests
from people import CUBE, Mesh

ABSENT = "m_0123456789abcdef"


def start(folder):
    """A daemon and the tokens of ann and al in films, bob in games, and cat, whose workspace has no name."""
    file, tokens = os.path.join(folder, "tokens"), {}
    for spec in ("ann@films:edit", "al@films:read", "bob@games:admin:30", "cat:admin"):
        tokens[re.split("[@:]", spec)[0]] = subprocess.run([os.path.join(BIN, "subdd"), "--tokens-file", file, "--new-token", spec],
                                                           capture_output=True, text=True, check=True).stdout.strip()
    return tokens, file


def routes(daemon, mesh):
    """Each method and path that names a mesh, with a body that fits, from the daemon's own document."""
    document = json.loads(mesh.ask("GET", "/v1/openapi.json"))
    bodies = {"edits": {"edits": [{"setHoles": {"ids": [0], "hole": True}}]}, "positions": {"ranges": [{"first": 0, "points": [0, 0, 0]}]},
              "revert": {"version": 1}, "smooth": {"method": "uniform"}, "fair": {"steps": 1}, "neighbors": {"ids": [0]},
              "refined": {"ranges": [{"first": 0, "points": [0] * 24}]}, "leases": {}, "presence": {}, "": {"name": "other"}}
    queries = {"fields": "?what=gaussian"}
    for path, methods in document["paths"].items():
        if not path.startswith("/v1/meshes/{id}"):
            continue
        leaf = path.split("/")[4] if path.count("/") > 3 else ""
        for method in methods:
            if method not in ("get", "put", "post", "patch", "delete"):
                continue
            for version in ("", 1, 3, 4, 99):  # The present one, one that is not kept any more, two that are, and one to come.
                query = queries.get(leaf, "")
                yield method.upper(), path.replace("{lease}", "l_0123456789abcdef") + query + \
                    (f"{'&' if query else '?'}version={version}" if version else ""), \
                    bodies.get(leaf) if method in ("put", "post", "patch") and leaf not in ("undo", "redo") else None


def timed(mesh, id):
    """Whether the answer about a mesh says how long its parts took."""
    try:
        request = urllib.request.Request(f"{mesh.daemon.url}/v1/meshes/{id}", headers={"Authorization": "Bearer " + mesh.token})
        return "Server-Timing" in urllib.request.urlopen(request).headers
    except urllib.error.HTTPError as refusal:
        return "Server-Timing" in refusal.headers


def answer(mesh, method, path, body, id):
    status, data = mesh.request(method, path.replace("{id}", id), body, If_Match="*") if method != "GET" else mesh.request(method, path.replace("{id}", id))
    if status < 400:
        return status, ""
    return status, re.sub(r'"instance":"[^"]*"', "", data.decode()).replace(id, "ID")


def hidden(tokens, file, folder):
    daemon = Daemon(folder, "--tokens-file", file, "--history-versions", "2")
    try:
        ann = Mesh(daemon, tokens["ann"])
        for x in range(3):
            ann.move(x)
        ann.get("/cage?version=1", expect=[410, "gone", "version"])
        ann.get("/cage?version=99", expect=[404, "not_found", "version"])
        al = Mesh(daemon, tokens["al"], ann.id)
        before = ann.get("/cage", Accept="application/json")
        check(al.get("/cage", Accept="application/json") == before, "al is in ann's workspace and does not see her mesh")
        own = json.loads(ann.post("/leases", {}))["lease"]
        for known in (True, False):  # In memory, and after a restart.
            for who in ("bob", "cat"):
                other = Mesh(daemon, tokens[who], ann.id)
                n = 0
                for method, path, body in routes(daemon, other):
                    theirs, none = answer(other, method, path, body, ann.id), answer(other, method, path, body, ABSENT)
                    check(theirs == none and (theirs[0] == 404 or "no query parameter" in theirs[1]), f"{who} {method} {path}: {theirs}, absent {none}")
                    n += theirs[0] == 404
                check(n > 60, f"{n} routes and versions")
                check([timed(other, id) for id in (ann.id, ABSENT)] == [False, False], "the time tells of it")
                check(other.request("DELETE", f"/v1/meshes/{ann.id}/leases/{own}")[0] == 404, "a lease is seen")
                check(ann.id not in other.ask("GET", "/v1/meshes").decode(), "the list names it")
                check(ann.id not in other.ask("GET", "/v1/meshes?name=cube").decode(), "the list of a name names it")
                check(daemon.subd("show", "cube", "--token-file", write(folder, tokens[who])).returncode != 0, "subd finds it by name")
            check(ann.get("/cage", Accept="application/json") == before and [v[0] for v in ann.versions()] == [4, 3], "the mesh was changed")
            if known:
                daemon.process.terminate()
                daemon.process.wait()
                daemon = ann.daemon = al.daemon = Daemon(folder, "--tokens-file", file, "--history-versions", "2")
                own = json.loads(ann.post("/leases", {}))["lease"]
        bob = Mesh(daemon, tokens["bob"])
        listed = lambda m: [x["id"] for x in json.loads(m.ask("GET", "/v1/meshes"))["meshes"]]
        check(listed(bob) == [bob.id] and listed(ann) == [ann.id] == listed(al), "lists are not of one workspace")
        ann.ask("DELETE", f"/v1/meshes/{ann.id}")
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def namesakes(tokens, file, folder):
    """Two of one name in two workspaces are two: a key of one is not that of the other, nor is a job."""
    with open(file, "a") as f:
        for workspace in ("films", "games"):
            f.write(f"sam edit {hashlib.sha256(workspace.encode()).hexdigest()} workspace={workspace}\n")
    home = os.path.join(folder, "namesakes")
    os.mkdir(home)
    daemon = Daemon(home, "--tokens-file", file)
    try:
        key = {"Idempotency_Key": "same"}
        one, two = Mesh(daemon, "films"), Mesh(daemon, "games")
        made = [m.ask("POST", "/v1/meshes", CUBE.encode(), "model/obj", **key) for m in (one, two, one, two)]
        check(made[0] == made[2] and made[1] == made[3] and made[0] != made[1], "a key is that of a namesake")
        job = json.loads(one.post("/fair", {"steps": 1000}, If_Match="*", Prefer="respond-async"))["job"]
        check(two.request("GET", "/v1/jobs/" + job)[0] == 404 and one.request("GET", "/v1/jobs/" + job)[0] == 200, "a job is seen by a namesake")
        one.request("DELETE", "/v1/jobs/" + job)
    finally:
        daemon.process.terminate()
        daemon.process.wait()


def write(folder, token):
    path = os.path.join(folder, "token")
    with open(path, "w") as f:
        f.write(token)
    os.chmod(path, 0o600)
    return path


def workspaces(_, folder):
    home = os.path.join(folder, "workspaces")
    os.mkdir(home)
    tokens, file = start(home)
    for test in (hidden, namesakes):
        yield test.__name__, functools.partial(test, tokens, file, home)


run_tests(workspaces)
