#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files as users have them: each goes through subd into a daemon, and what comes out is what its case asks for.

Cases are lists in JSON: the project's own in tests/shapes/cases/cases.json, and those of ../shared/cases where that is
there. The input is `file`, or `lines` under that name. It is one of the tests of run-tests and tells its results as they do; SUBDD_TEST_FILTER is a glob of cases. What
`want` may say:

  V, F, uvs, faces, points, scheme   of the cage      stage  {upAxis, metersPerUnit, transform}, as far as given
  sets            {primvar: [names]} of face sets      primvar [class, width, rows], no_primvar NAME
  say, mute       a regular expression that the warnings match, or do not (one of mute alone: no warning at all)
  refuse          a regular expression that the refusal matches; with or_accept a mesh will do as well
  osd             [{level, oracle}]: refined, it has the points of the oracle's file
  export          checks of refined files: finite, materials (with halves), flat_normals, uv_obj, uv_glb, up_axis (with
                  top), ply_rgb
"""
import collections, functools, json, os, re
from files import SHAPES, accessor, check, close, read_glb, read_obj, run_tests

PLACES = [os.path.join(there, "cases") for there in (SHAPES, os.environ.get("SUBDD_SHARED") or "../shared")]


def check_uvs(xy, uv, turned, what):
    check(xy, f"{what} has no UVs")
    for p, t in zip(xy, uv):
        check(close(t, [p[0], 1 - p[1] if turned else p[1]]), f"{what}: the UV at {p} is {t}")


class Exports:
    """One check a method, on a mesh of the daemon."""

    def __init__(self, daemon, mesh, want, folder):
        self.daemon, self.mesh, self.want, self.folder = daemon, mesh, want, folder

    def refined(self, ending, *args):
        path = os.path.join(self.folder, "out" + ending)
        self.daemon.made("refine", self.mesh, "--level", "1", *args, "-o", path)
        return path

    def finite(self):
        for ending in (".obj", ".usda"):
            check(not re.search(r"[ (,](nan|inf|-nan|-inf)\b", open(self.refined(ending)).read()), f"nan or inf in {ending}")

    def materials(self):
        halves = sorted(self.want["halves"])
        text = open(self.refined(".usda")).read()
        subsets = re.findall(r'def GeomSubset.*?familyName = "materialBind".*?indices = \[(.*?)\]', text, re.S) or re.findall(
            r'def GeomSubset.*?indices = \[(.*?)\].*?familyName = "materialBind"', text, re.S)
        check(sorted(len(s.split(",")) for s in subsets) == halves, f"the subsets of USDA are {subsets}")
        sizes, now = collections.Counter(), None
        for line in open(self.refined(".obj")):
            if line.startswith("usemtl"):
                now = line.split(None, 1)[1].strip()
            sizes[now] += line.startswith("f ")
        check(sorted(n for n in sizes.values() if n) == halves, f"the materials of OBJ are {dict(sizes)}")
        tree, _ = glb = read_glb(self.refined(".glb"))
        parts = [(len(accessor(glb, p["indices"])) // 6, tree["materials"][p["material"]]["name"]) for p in tree["meshes"][0]["primitives"]]
        check(sorted(n for n, _ in parts) == halves, f"the primitives of GLB are {parts}")
        ply = open(self.refined(".ply"), "rb").read().split(b"end_header")[0]
        check(re.search(rb"property u?int\d* materialBind|property int material", ply), "PLY has no integer property of materials")

    def flat_normals(self):
        axes = {tuple(s if i == k else 0 for i in range(3)) for k in range(3) for s in (1, -1)}
        rows, faces = read_obj(self.refined(".obj", "--normals", "--surface", "limit"))
        seen = {tuple(round(x, 5) + 0 for x in rows["vn"][c[2]]) for f in faces for c in f}
        check(seen == axes, f"the normals of OBJ are {sorted(seen)}")
        glb = read_glb(self.refined(".glb", "--normals", "--surface", "limit"))
        seen = {tuple(round(x, 5) + 0 for x in n) for p in glb[0]["meshes"][0]["primitives"] for n in accessor(glb, p["attributes"]["NORMAL"])}
        check(seen == axes, f"the normals of GLB are {sorted(seen)}")
        text = open(self.refined(".usda", "--normals", "--surface", "limit")).read()
        values = re.search(r"normal3f\[\] (?:primvars:)?normals = \[(.*?)\]\s*[(\n]", text, re.S).group(1)
        seen = {tuple(round(float(x), 5) + 0 for x in row.split(",")) for row in re.findall(r"\(([^)]*)\)", values)}
        check(seen == axes, f"the normals of USDA are {sorted(seen)}")

    def uv_obj(self):
        rows, faces = read_obj(self.refined(".obj"))
        check(all(len(c) > 1 and c[1] >= 0 for f in faces for c in f), "OBJ has corners without vt")
        check_uvs([rows["v"][c[0]] for f in faces for c in f], [rows["vt"][c[1]] for f in faces for c in f], False, "OBJ")

    def uv_glb(self):
        glb = read_glb(self.refined(".glb"))
        part = glb[0]["meshes"][0]["primitives"][0]["attributes"]
        check("TEXCOORD_0" in part, "GLB has no TEXCOORD_0")
        check_uvs(accessor(glb, part["POSITION"]), accessor(glb, part["TEXCOORD_0"]), True, "GLB")

    def up_axis(self):
        text = open(self.refined(".usda")).read()
        check('upAxis = "Z"' in text and re.search(r"metersPerUnit = 1\b", text), "USDA does not say upAxis and metersPerUnit")
        glb = read_glb(self.refined(".glb"))
        top = max(p[1] for p in accessor(glb, glb[0]["meshes"][0]["primitives"][0]["attributes"]["POSITION"]))
        check(abs(top - self.want["top"]) < 1e-5, f"the top of GLB is at y = {top}")

    def ply_rgb(self):
        head = open(self.refined(".ply", "--primvars", "*"), "rb").read().split(b"end_header")[0].decode()
        check(all(re.search(rf"^property \w+ {c}\s*$", head, re.M) for c in ("red", "green", "blue")), f"PLY has {head}")


# ---- one case -----------------------------------------------------------------------------------------------------
def check_cage(cage, info, want):
    counts = cage["faceVertexCounts"]
    check("V" not in want or len(cage["points"]) == want["V"] * 3, f"{len(cage['points']) // 3} vertices")
    check("F" not in want or len(counts) == want["F"], f"{len(counts)} faces")
    check("uvs" not in want or info.get("uvs", 0) == want["uvs"], f"{info.get('uvs')} UVs")
    check("scheme" not in want or cage["options"]["subdivisionScheme"] == want["scheme"], f"options {cage['options']}")
    if "points" in want:
        rows = [cage["points"][i:i + 3] for i in range(0, len(cage["points"]), 3)]
        check(len(rows) == len(want["points"]) and all(close(a, b) for a, b in zip(rows, want["points"])), f"points {rows}")
    if "faces" in want:
        corners = iter(cage["faceVertexIndices"])
        faces = [[next(corners) for _ in range(n)] for n in counts]
        check(faces == want["faces"], f"faces {faces}")
    for name, value in want.get("stage", {}).items():
        there = cage.get(name)
        check(there == value or isinstance(value, list) and there and close(there, value), f"{name} is {there}")
    primvars = {p["name"]: p for p in cage.get("primvars", [])}
    if "primvar" in want:
        there = [[p["interpolation"], p.get("width", 1), len(p["values"]) // p.get("width", 1)] for p in primvars.values()]
        check(want["primvar"] in there, f"primvars {there}")
    check(want.get("no_primvar") not in primvars, f"primvars {list(primvars)}")
    for name, sets in want.get("sets", {}).items():
        check(name in primvars and primvars[name].get("setNames") == sets, f"face sets {primvars.get(name)}")


def run_case(daemon, case, base, folder):
    want = case["want"]
    path = os.path.join(folder if "lines" in case else base, case["file"])
    if "lines" in case:
        with open(path, "wb") as f:
            f.write("\n".join(case["lines"]).encode(case.get("encoding", "utf-8")))
    ran = daemon.subd("push", path, *case["args"])
    if "refuse" in want and (ran.returncode or not want.get("or_accept")):
        check(ran.returncode, "it is accepted")
        check(re.search(want["refuse"], ran.stderr, re.I), f"it says: {ran.stderr.strip()}")
        return
    check(ran.returncode == 0, f"refused: {ran.stderr.strip()}")
    check("say" not in want or re.search(want["say"], ran.stderr, re.I), f"the warnings are: {ran.stderr.strip()!r}")
    check("mute" not in want or not re.search(want["mute"], ran.stderr, re.I), f"the warnings are: {ran.stderr.strip()!r}")
    mesh = ran.stdout.split()[0]
    try:
        path = os.path.join(folder, "cage.json")
        daemon.made("pull", mesh, "-o", path)
        check_cage(json.load(open(path)), json.loads(daemon.made("show", mesh, "--json")), want)
        for oracle in want.get("osd", []):
            rows = []
            for source in (mesh, os.path.join(folder, "oracle.obj")):
                if source != mesh:
                    with open(source, "w") as f:
                        f.write(open(os.path.join(base, oracle["oracle"])).read())
                out = os.path.join(folder, "refined.obj")
                daemon.made("refine", source, "--level", str(oracle["level"]), "-o", out)
                rows.append(read_obj(out)[0]["v"])
            check(len(rows[0]) == len(rows[1]) and all(close(a, b) for a, b in zip(*rows)), f"level {oracle['level']} is not the oracle's")
        for name in want.get("export", []):
            getattr(Exports(daemon, mesh, want, folder), name)()
    finally:
        daemon.subd("rm", mesh)


def cases(daemon, folder):
    for base in PLACES:
        listed = os.path.join(base, "cases.json")
        if not os.path.exists(listed):
            yield listed, f"there is no {listed}"
            continue
        for case in json.load(open(listed)):
            if not case.get("by_hand"):
                yield case["name"], functools.partial(run_case, daemon, case, base, folder)


run_tests(cases)
