# SPDX-License-Identifier: Apache-2.0
"""A mesh on a daemon and the people who change it, for the tests of history and of several people."""
import hashlib, json, os, urllib.error, urllib.request
from files import Daemon, check

CUBE = """o cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""


class Mesh:
    """A mesh on a daemon, a new cube if nothing else is said, as the caller whose token it is."""

    def __init__(self, daemon, token=None, id=None, body=CUBE, kind="model/obj"):
        self.daemon, self.token = daemon, token
        self.id = id or json.loads(self.ask("POST", "/v1/meshes?name=cube", body.encode(), kind))["id"]

    def request(self, method, path, body=None, kind="application/json", **headers):
        """The status and the body of the answer."""
        fields = {k.replace("_", "-"): v for k, v in headers.items()}
        if body is not None:
            fields["Content-Type"] = kind
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if self.token:
            fields["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.daemon.url + path, body, fields, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read()

    def ask(self, method, path, body=None, kind="application/json", expect=None, **headers):
        status, data = self.request(method, path, body, kind, **headers)
        wrong = json.loads(data) if status >= 400 else {}
        if expect:
            check([status, wrong.get("code"), wrong.get("field")] == expect, f"{method} {path}: {status} {wrong}, not {expect}")
            return wrong
        check(status < 400, f"{method} {path}: {status} {wrong}")
        return data

    def raw(self, method, rest, body=None, **headers):
        return self.request(method, f"/v1/meshes/{self.id}{rest}", body, **headers)

    def get(self, rest, **more):
        return self.ask("GET", f"/v1/meshes/{self.id}{rest}", **more)

    def post(self, rest, body=None, **more):
        return self.ask("POST", f"/v1/meshes/{self.id}{rest}", body, **more)

    def move(self, x, **more):
        self.ask("PUT", f"/v1/meshes/{self.id}/positions", {"ranges": [{"first": 0, "points": [x, 0, 0]}]}, **more)

    def edit(self, *edits):
        return json.loads(self.post("/edits", {"edits": edits}, If_Match="*"))

    def x(self, version=""):
        return json.loads(self.get(f"/cage{version}", Accept="application/json"))["points"][0]

    def versions(self):
        return [(v["version"], v["change"], v.get("of")) for v in json.loads(self.get("/versions"))["versions"]]


TOKENS = {"ann": "a" * 40, "bob": "b" * 40, "eve": "e" * 40}


def with_tokens(folder, name, *options, tokens=TOKENS):
    """A daemon at which all may edit, but eve may read; and their tokens."""
    file = os.path.join(folder, "tokens")
    with open(file, "w") as f:
        for who, token in tokens.items():
            f.write(f"{who} {'read' if who == 'eve' else 'read,edit'} {hashlib.sha256(token.encode()).hexdigest()}\n")
    os.chmod(file, 0o600)
    os.mkdir(os.path.join(folder, name))
    return Daemon(os.path.join(folder, name), "--tokens-file", file, *options), tokens


def grid(n):
    """An OBJ of n x n quads; ids are rows."""
    rows = [f"v {i % (n + 1)} {i // (n + 1)} 0" for i in range((n + 1) ** 2)]
    for i in range(n * n):
        a = i // n * (n + 1) + i % n + 1
        rows.append(f"f {a} {a + 1} {a + n + 2} {a + n + 1}")
    return "\n".join(rows) + "\n"
