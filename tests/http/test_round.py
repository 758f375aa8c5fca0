#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What subd writes can be pushed again and gives the same, as far as each format can carry it: cages, and refined files.

The meshes are tests/shapes/round/everything.json, which has all that a mesh can have, on several stages, and a few of the
other shapes. Refined files are compared corner by corner: by the place in the world, in metres and Y up, where a format
has one, else by the points as they are."""
import functools, json, os, re
from files import SHAPES, accessor, check, read_glb, read_obj, run_tests

STAGES = {
    "everything": {},
    "mirrored": {"upAxis": "Y", "metersPerUnit": 1, "transform": [-1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.5, 0, 1, 2, 3, 1]},
    "sheared": {"metersPerUnit": 0.5, "transform": [1, 0.5, 0, 0, 0, 2, 0, 0, 0.25, 0, 1, 0, 0, 0, 7, 1]},
    "turned_over": {"upAxis": "Z", "metersPerUnit": 1, "orientation": "leftHanded", "transform": None},
    "nowhere": {"upAxis": None, "metersPerUnit": None, "transform": None},
}
SHAPES_TOO = ["uv_three.obj", "mixed_open.obj", "hole_ngon.obj", "crease_ngons.obj", "uv_islands_mixed.obj", "isolated_corner.obj"]
NAMES = ["upAxis", "metersPerUnit", "transform"]
FLAGS = ["--level", "1", "--surface", "limit", "--normals", "--primvars", "*"]


def same(a, b, what, within=2e-5):
    check(len(a) == len(b), f"{what}: {len(b)} where {len(a)} are wanted")
    for i, (x, y) in enumerate(zip(a, b)):
        if isinstance(x, (list, tuple)):
            same(x, y, f"{what} {i}", within)
        else:
            check(x == y or not isinstance(x, str) and abs(x - y) <= within * max(1, abs(x)), f"{what} {i} is {y}, not {x}")


def plain(name):
    """A name without what OBJ cannot have in one."""
    return re.sub(r"[#\\ ]", "_", name)


# ---- meshes as tables of corners ------------------------------------------------------------------------------------
def rows(values, width):
    return [values[i:i + width] for i in range(0, len(values), width)]


class Table:
    """The faces of a mesh in JSON; of each corner its point, UV, second UV and colour, of each face its sets."""

    def __init__(self, cage):
        self.cage, self.points = cage, rows(cage["points"], 3)
        self.faces, self.at, n = [], [], 0
        for size in cage["faceVertexCounts"]:
            self.at.append(list(range(n, n + size)))
            self.faces.append(cage["faceVertexIndices"][n:n + size])
            n += size
        self.primvars = {p["name"]: p for p in cage.get("primvars", [])}
        self.used = len({v for f in self.faces for v in f})

    def uvs(self, name="st"):
        if name == "st":
            values, indices = rows(self.cage.get("st", []), 2), self.cage.get("stIndices", [])
        else:
            values, indices = rows(self.primvars[name]["values"], 2), self.primvars[name]["indices"]
        return [[values[indices[c]] for c in face] for face in self.at] if values else []

    def colours(self):
        if "displayColor" not in self.primvars:
            return []
        p = self.primvars["displayColor"]
        values = rows(p["values"], 3)
        if p["interpolation"] == "faceVarying":
            return [[values[p["indices"][c]] for c in face] for face in self.at]
        return [[values[v] for v in face] for face in self.faces]

    def sets(self, name):
        p = self.primvars.get(name, {"values": [0] * len(self.faces)})
        return ["" if k == 0 else p["setNames"][k - 1] for k in p["values"]]

    def places(self):
        return [[self.points[v] for v in face] for face in self.faces]


def fan(table):
    """Each row of a face in this table as the rows of its triangles."""
    return [[face[0], face[k], face[k + 1]] for face in table for k in range(1, len(face) - 1)]


def by_material(table, face_rows):
    """The rows of faces in the order of a glTF file: those of no material, then those of the first, and so on."""
    p = table.primvars.get("materialBind", {"values": [0] * len(table.faces)})
    return [face_rows[i] for i in sorted(range(len(face_rows)), key=lambda i: p["values"][i])]


def world(cage, points):
    m, unit = cage.get("transform") or [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], cage.get("metersPerUnit") or 1
    out = []
    for p in points:
        x, y, z = (unit * (sum(p[i] * m[4 * i + k] for i in range(3)) + m[12 + k]) for k in range(3))
        out.append([x, z, -y] if cage.get("upAxis") == "Z" else [x, y, z])
    return out


def turn(cage, normal):
    """A normal in the world: by the cofactors of the transform."""
    m = cage.get("transform") or [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    a = [m[0:3], m[4:7], m[8:11]]
    x, y, z = (sum(normal[i] * (a[(i + 1) % 3][(k + 1) % 3] * a[(i + 2) % 3][(k + 2) % 3] -
                                a[(i + 1) % 3][(k + 2) % 3] * a[(i + 2) % 3][(k + 1) % 3]) for i in range(3)) for k in range(3))
    length = (x * x + y * y + z * z) ** 0.5
    return [x / length, z / length, -y / length] if cage.get("upAxis") == "Z" else [x / length, y / length, z / length]


# ---- trips ----------------------------------------------------------------------------------------------------------
class Trips:
    def __init__(self, daemon, folder, name, source):
        self.daemon, self.folder, self.name = daemon, folder, name
        self.mesh = daemon.made("push", source).split()[0]

    def path(self, ending):
        return os.path.join(self.folder, f"{self.name}{ending}")

    def cage(self, mesh):
        self.daemon.made("pull", mesh, "-o", self.path(".cage.json"))
        return json.load(open(self.path(".cage.json")))

    def topology(self, mesh):
        return json.loads(self.daemon.made("show", mesh, "--json"))["topologyId"]

    def cages(self, ending):
        self.daemon.made("pull", self.mesh, "-o", self.path(ending))
        options = ["--orientation", "leftHanded"] if ending == ".obj" and self.name == "turned_over" else []
        back = self.daemon.made("push", self.path(ending), *options).split()[0]
        a, b = self.cage(self.mesh), self.cage(back)
        kept = lambda p: ending != ".obj" or p["name"] in ("displayColor", "materialBind", "group")
        for name in a:
            if name == "primvars":
                mine, other = ({p["name"]: p for p in m["primvars"] if kept(p)} for m in (a, b))
                same(sorted(mine), sorted(other), "primvars")
                for p in mine:
                    if ending == ".obj" and "setNames" in mine[p]: # Sets have other numbers, and some other names.
                        same(*([v and plain(m[p]["setNames"][v - 1]) for v in m[p]["values"]] for m in (mine, other)), p)
                    else:
                        check(mine[p] == other[p], f"{p} is {other[p]}, not {mine[p]}")
            elif name in NAMES and ending == ".obj":
                check(name not in b, f"{name} is {b.get(name)}")
            elif name != "name":
                check(a[name] == b.get(name), f"{name} is {b.get(name)}, not {a[name]}")
        if ending != ".obj" or all(p["interpolation"] != "faceVarying" for p in a["primvars"]):
            check(self.topology(self.mesh) == self.topology(back), "another topologyId")

    def refined(self, ending):
        """The file, and what comes of it when it is pushed."""
        self.daemon.made("refine", self.mesh, *FLAGS, "-o", self.path(ending))
        scheme = ["--scheme", "catmullClark"] if ending == ".usda" else []
        return Table(self.cage(self.daemon.made("push", self.path(ending), *scheme).split()[0]))

    @functools.cached_property
    def usda(self):
        """What all others are held against: USDA carries everything."""
        return self.refined(".usda")

    def check_usda(self):
        """Against the same surface as OBJ, which is read here, and the cage's stage and names."""
        mine, t = self.cage(self.mesh), self.usda
        obj, faces = read_obj(self.obj_file())
        same([p[:3] for p in obj["v"]], t.points, "points")
        same([[c[0] for c in f] for f in faces], t.faces, "faces")
        if mine.get("st"):
            same([[obj["vt"][c[1]] for c in f] for f in faces], t.uvs(), "UVs")
        for name in NAMES:
            check(mine.get(name) == t.cage.get(name), f"{name} is {t.cage.get(name)}")
        names = {p["name"]: p.get("setNames") for p in mine.get("primvars", [])}
        check(names == {k: p.get("setNames") for k, p in t.primvars.items()}, f"primvars {list(t.primvars)}")

    def obj_file(self):
        self.daemon.made("refine", self.mesh, *FLAGS, "-o", self.path(".obj"))
        return self.path(".obj")

    def check_obj(self):
        t, want = self.refined(".obj"), self.usda
        same(want.points, t.points, "points")
        same(want.faces, t.faces, "faces")
        same(want.uvs(), t.uvs(), "UVs")
        same(want.colours(), t.colours(), "colours")
        for name in ("materialBind", "group"):
            same(*([plain(s) for s in x.sets(name)] for x in (want, t)), name)

    def check_ply(self):
        t, want = self.refined(".ply"), self.usda
        same(want.points, t.points, "points")
        same(want.faces, t.faces, "faces")
        same(want.uvs(), t.uvs(), "UVs")
        same(want.colours(), t.colours(), "colours", 0.5 / 255 + 1e-6)
        for name in ("materialBind", "group"):
            same(want.sets(name), t.sets(name), name)

    def check_stl(self):
        t, want = self.refined(".stl"), self.usda
        same(fan(want.places()), t.places(), "triangles")
        check(t.used == len(t.points) <= want.used, f"{len(t.points)} vertices of {want.used}")

    def check_glb(self):
        t, want = self.refined(".glb"), self.usda
        ordered = functools.partial(by_material, want)
        same(fan(ordered([world(want.cage, p) for p in want.places()])), [world(t.cage, p) for p in t.places()], "triangles")
        check(t.used == len(t.points) == want.used, f"{len(t.points)} vertices, {t.used} of them used, where {want.used} are wanted")
        same(fan(ordered(want.uvs())), t.uvs(), "UVs")
        if "map2" in want.primvars:
            same(fan(ordered(want.uvs("map2"))), t.uvs("st1"), "UVs of map2")
        same(fan(ordered(want.colours())), t.colours(), "colours")
        same([s for f, s in zip(ordered(want.faces), ordered(want.sets("materialBind"))) for _ in f[2:]], t.sets("materialBind"), "materials")
        check("displayOpacity" not in t.primvars, "an opacity that the mesh does not have")

    def check_normals(self):
        """Split normals of the three formats that have them, corner by corner."""
        want = self.usda
        obj, faces = read_obj(self.obj_file())
        text = open(self.path(".usda")).read()
        values, indices = re.search(r"normal3f\[\] (?:primvars:)?normals = \[(.*?)\]\s*\(\s*interpolation = \"(?:faceVarying|vertex)\"\s*\)"
                                    r"(?:\s*int\[\] primvars:normals:indices = \[(.*?)\])?", text, re.S).groups()
        values = [[float(x) for x in row.split(",")] for row in re.findall(r"\(([^)]*)\)", values)]
        indices = [int(i) for i in indices.split(",")] if indices else want.cage["faceVertexIndices"]
        normals = [[values[indices[c]] for c in face] for face in want.at]
        same(normals, [[obj["vn"][c[2]] for c in f] for f in faces], "normals of OBJ")
        self.daemon.made("refine", self.mesh, *FLAGS, "-o", self.path(".glb"))
        glb = read_glb(self.path(".glb"))
        node = {"transform": glb[0]["nodes"][0].get("matrix")}
        seen = []
        for part in glb[0]["meshes"][0]["primitives"]:
            n, corners = accessor(glb, part["attributes"]["NORMAL"]), [i for i, in accessor(glb, part["indices"])]
            seen += [[turn(node, n[i]) for i in corner] for corner in rows(corners, 3)]
        same(fan(by_material(want, [[turn(want.cage, n) for n in face] for face in normals])), seen, "normals of GLB", 1e-4)


def trips(daemon, folder):
    everything = json.load(open(os.path.join(SHAPES, "round", "everything.json")))
    sources = {name: os.path.join(SHAPES, name) for name in SHAPES_TOO}
    for name, stage in STAGES.items():
        sources[name] = os.path.join(folder, name + ".json")
        json.dump({k: v for k, v in {**everything, **stage}.items() if v is not None}, open(sources[name], "w"))
    open(os.path.join(folder, "is.glb"), "wb").write(b"glTF")
    missing = re.search(r"needs libassimp.*", daemon.subd("push", os.path.join(folder, "is.glb")).stderr)
    for name, source in sources.items():
        t = Trips(daemon, folder, name.split(".")[0], source)
        for ending in ("json", "pb", "usda", "obj"):
            yield f"{name}_cage_{ending}", functools.partial(t.cages, "." + ending)
        for what in ("usda", "obj", "ply", "stl", "glb", "normals"):
            if what in ("stl", "glb") and missing:
                yield f"{name}_{what}", f"{what} {missing.group(0)}"
            else:
                yield f"{name}_{what}", getattr(t, "check_" + what)


run_tests(trips)
