#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The topology id by the rule of server/mesh/topology_id.h, computed here from the cage that the daemon gives: of shapes
of all kinds as they are pushed, and of large cages after edits, when the daemon has hashed only what they touched."""
import functools, glob, hashlib, json, os, random, struct
from files import SHAPES, check, run_tests
from people import Mesh

OPTIONS = [
    ("subdivisionScheme", ["catmullClark", "loop", "bilinear", "sqrt3"]),
    ("interpolateBoundary", ["edgeAndCorner", "edgeOnly", "none"]),
    ("faceVaryingLinearInterpolation", ["cornersPlus1", "none", "cornersOnly", "cornersPlus2", "boundaries", "all"]),
    ("triangleSubdivisionRule", ["catmullClark", "smooth"]),
    ("creaseMethod", ["uniform", "chaikin"]),
    ("orientation", ["rightHanded", "leftHanded"]),
]


def ints(values):
    return struct.pack(f"<{len(values)}i", *values)


def is_cut(words):
    h = len(words)
    for word in words[:2]:
        h = (h ^ word) * 0x9e3779b97f4a7c15 % 2**64
        h ^= h >> 32
    return h % 1024 == 0


def chunks(rows):
    """Slices [first, end) of rows, each of which is a list of words."""
    first = words = 0
    for i, row in enumerate(rows):
        n = i - first
        if n and (n >= 8192 or words >= 65536 or n >= 64 and is_cut(row)):
            yield first, i
            first, words = i, 0
        words += len(row)
    if rows:
        yield first, len(rows)


def tags(cage):
    """The creases and corners as {row: sharpness}, each row once; the last authored one holds."""
    creases, at, one = {}, 0, 0
    lengths, sharp = cage.get("creaseLengths", []), cage.get("creaseSharpnesses", [])
    for i, n in enumerate(lengths):
        for a, b in zip(cage["creaseIndices"][at:at + n - 1], cage["creaseIndices"][at + 1:at + n]):
            creases[min(a, b), max(a, b)] = sharp[i] if len(sharp) == len(lengths) else sharp[one]
            one += 1
        at += n
    corners = {(v,): s for v, s in zip(cage.get("cornerIndices", []), cage.get("cornerSharpnesses", []))}
    return [sorted((row, min(s, 10)) for row, s in part.items() if s > 0) for part in (creases, corners)]


def channels_of(cage):
    """The indices of the UVs and of each channel, and how many values each of these has."""
    out = [(cage["stIndices"], len(cage["st"]) // 2)] if cage.get("st") else []
    for p in sorted(cage.get("primvars", []), key=lambda p: p["name"]):
        if p["interpolation"] == "faceVarying" and p["values"]:
            out.append((p["indices"], len(p["values"]) // p.get("width", 1)))
    return out


def topology_id(cage):
    """The id and the number of chunks of each part."""
    faces, corner, channels, holes = [], 0, channels_of(cage), sorted(set(cage.get("holeIndices", [])))
    firsts = [0]
    for n in cage["faceVertexCounts"]:
        faces.append(cage["faceVertexIndices"][corner:corner + n])
        corner += n
        firsts.append(corner)
    creases, corners = tags(cage)
    uvs = len(cage.get("st") or []) // 2
    named = channels[1:] if uvs else channels
    header = b"SDDT" + struct.pack("<I", 2 if named else 1)
    header += ints([tokens.index(cage["options"].get(name, tokens[0])) for name, tokens in OPTIONS])
    header += struct.pack("<7q", len(cage["points"]) // 3, len(faces), corner, len(creases), len(corners), len(holes), uvs)
    if named:
        header += struct.pack(f"<{1 + len(named)}q", len(named), *[n for _, n in named])
    counts, parts = [], []
    for part, rows in enumerate([faces, [r for r, _ in creases], [r for r, _ in corners]]):
        listed = []
        for first, end in chunks(rows):
            words = [w for row in rows[first:end] for w in row]
            text, lowest = b"", []
            if part:
                text = ints(words) + b"".join(struct.pack("<f", s) for _, s in (creases, corners)[part - 1][first:end])
            else:
                text = ints(cage["faceVertexCounts"][first:end]) + ints(words)
                for indices, _ in channels:
                    mine = indices[firsts[first]:firsts[end]]
                    lowest.append(min(mine))
                    text += ints([i - lowest[-1] for i in mine])
                text += ints([h - first for h in holes if first <= h < end])
            listed.append(ints([end - first, len(words)]) + hashlib.sha256(text).digest() + ints(lowest))
        counts.append(len(listed))
        parts.append(struct.pack("<q", len(listed)) + b"".join(listed))
    return hashlib.sha256(header + b"".join(parts)).hexdigest()[:32], counts


def compare(mesh, what):
    cage = json.loads(mesh.get("/cage", Accept="application/json"))
    want, counts = topology_id(cage)
    got = json.loads(mesh.get(""))["topologyId"]
    check(got == want, f"{what}: the id is {got}, not {want}")
    return cage, counts


def test_shapes(daemon):
    done = 0
    for path in sorted(glob.glob(os.path.join(SHAPES, "*.obj")) + glob.glob(os.path.join(SHAPES, "nonmanifold", "*.obj"))):
        compare(Mesh(daemon, body=open(path).read()), path)
        done += 1
    check(done > 50, f"only {done} shapes")


def grid(columns, rows, seams, r):
    """Quads with tags and values all over; with seams each corner has values of its own."""
    faces, n = [], (columns + 1) * (rows + 1)
    for y in range(rows):
        for x in range(columns):
            v = y * (columns + 1) + x
            faces.append([v, v + 1, v + columns + 2, v + columns + 1])
    corners = [v for face in faces for v in face]
    indices = list(range(len(corners))) if seams else corners
    values = max(indices) + 1
    edges = sorted({(min(a, b), max(a, b)) for f in faces for a, b in zip(f, f[1:] + f[:1])})
    creased, sharp = [e for e in edges if r.random() < 0.8], [v for v in range(n) if r.random() < 0.9]
    return {
        "points": [c for i in range(n) for c in (i % (columns + 1), i // (columns + 1), 0)], "faceVertexCounts": [4] * len(faces),
        "faceVertexIndices": corners, "st": [i % 90 for i in range(2 * values)], "stIndices": indices,
        "primvars": [{"name": name, "interpolation": "faceVarying", "values": [i % 90 for i in range(values)], "indices": indices}
                     for name in ("map", "b")],
        "creaseIndices": [v for e in creased for v in e], "creaseLengths": [2] * len(creased),
        "creaseSharpnesses": [r.choice([0.5, 3, 10]) for _ in creased], "cornerIndices": sharp,
        "cornerSharpnesses": [r.choice([1, 4.5]) for _ in sharp], "holeIndices": [f for f in range(len(faces)) if r.random() < 0.2]}


def edit(cage, r):
    """An edit of a face that is there."""
    row = r.randrange(len(cage["faceVertexCounts"]))
    first, n = sum(cage["faceVertexCounts"][:row]), cage["faceVertexCounts"][row]
    face, vertices = cage["faceIds"][row], [cage["vertexIds"][v] for v in cage["faceVertexIndices"][first:first + n]]
    return r.choice([
        {"pokeFaces": {"ids": [face]}}, {"removeFaces": {"ids": [face]}}, {"insetFaces": {"ids": [face]}},
        {"extrudeFaces": {"ids": [face]}}, {"splitEdges": {"edges": vertices[:2]}}, {"dissolveVertices": {"ids": vertices[:1]}},
        {"collapseEdges": {"edges": vertices[:2]}}, {"setHoles": {"ids": [face], "hole": r.random() < 0.5}},
        {"setCorners": {"ids": vertices[:1], "sharpnesses": [r.choice([0, 2])]}},
        {"setCreases": {"edges": vertices[:2], "sharpnesses": [r.choice([0, 7])]}},
        {"setUvs": {"ids": [face], "st": [r.randrange(3) for _ in range(2 * n)]}},
        {"setPrimvar": {"name": "map", "ids": [face], "values": [r.randrange(3) for _ in range(n)]}}])


def test_edits(daemon, seams):
    r = random.Random(7 + seams)
    mesh = Mesh(daemon, body=json.dumps(grid(70, 60, seams, r)), kind="application/json")
    cage, counts = compare(mesh, "a grid")
    check(min(counts) > 2, f"only {counts} chunks")
    done = 0
    for k in range(24):
        change = {"edits": [edit(cage, r) for _ in range(r.choice([1, 1, 3]))]}
        status, _ = mesh.raw("POST", "/edits", change, If_Match="*")
        if status != 200:
            continue
        cage, _ = compare(mesh, f"edit {k}, {change}")
        done += 1
    check(done > 12, f"only {done} edits")
    mesh.post("/undo", If_Match="*")
    compare(mesh, "undo")
    mesh.post("/revert", {"version": 1}, If_Match="*")
    compare(mesh, "revert")
    mesh.post("/undo", If_Match="*")
    cage, _ = compare(mesh, "undo of the revert")
    afresh = {name: value for name, value in cage.items() if not name.endswith("Ids") and not name.startswith("next")}
    other = Mesh(daemon, body=json.dumps(afresh), kind="application/json")
    check(json.loads(other.get(""))["topologyId"] == json.loads(mesh.get(""))["topologyId"], "pushed afresh it has another id")


def tests(daemon, folder):
    yield "shapes", functools.partial(test_shapes, daemon)
    yield "edits", functools.partial(test_edits, daemon, False)
    yield "edits_seams", functools.partial(test_edits, daemon, True)


if __name__ == "__main__":
    run_tests(tests)
