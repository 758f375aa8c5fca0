# SPDX-License-Identifier: Apache-2.0
"""What edits do, by an oracle: the rules of docs/meshes.md on lists of corners. And meshes and random batches to hold a
daemon to it."""
import copy, glob, json, math, os, random, urllib.error, urllib.request
from files import SHAPES, check


# ---- the oracle ---------------------------------------------------------------------------------------------------
class Refused(Exception):
    pass


class Face:
    """Corners are tuples (vertex, values), where values are the UV and the faceVarying number, if there are any."""

    def __init__(self, corners, like=None):
        self.corners, self.material, self.hole = corners, like and like.material, bool(like and like.hole)

    def ids(self):
        return [v for v, _ in self.corners]

    def edges(self):
        return [(v, self.corners[(i + 1) % len(self.corners)][0]) for i, (v, _) in enumerate(self.corners)]


class Faces(dict):
    """Faces by id in the order of ids, and which of them each vertex has. Neither a face nor a set of ids changes, so that
    copies share them."""

    def __init__(self, faces):
        super().__init__()
        self.at = {}
        for f, face in faces:
            self[f] = face

    def __setitem__(self, f, face):
        if f in self:
            self._leave(f)
        super().__setitem__(f, face)
        for v in face.ids():
            self.at[v] = self.at.get(v, frozenset()) | {f}

    def _leave(self, f):
        for v in self[f].ids():
            self.at[v] -= {f}

    def pop(self, f):
        self._leave(f)
        return super().pop(f)

    def copy(self):
        other = Faces(())
        dict.update(other, self)
        other.at = dict(self.at)
        return other


def mix(rows, weights):
    return tuple(sum(w * r[k] for r, w in zip(rows, weights)) for k in range(len(rows[0])))


def key(a, b):
    return (min(a, b), max(a, b))


class Oracle:
    def __init__(self, cage):
        ids, fids, at = cage["vertexIds"], cage["faceIds"], 0
        primvars = {p["name"]: p for p in cage.get("primvars", [])}
        weight, uvs, map_ = primvars.get("weight"), cage.get("st"), primvars.get("map")
        holes = set(cage.get("holeIndices", []))
        self.points = {v: tuple(cage["points"][3 * i:3 * i + 3]) + ((weight["values"][i],) if weight else ()) for i, v in enumerate(ids)}
        self.faces, self.creases, self.corners = Faces(()), {}, {}
        self.none = Face([])  # What an added face is like.
        self.none.material = 0 if "material" in primvars else None
        self.n_vertex_values, self.n_uv, self.n_corner_values = int(bool(weight)), 2 * bool(uvs), int(bool(map_))
        for i, n in enumerate(cage["faceVertexCounts"]):
            corners = []
            for c in range(at, at + n):
                values = ()
                if uvs:
                    values += tuple(uvs[2 * cage["stIndices"][c]:2 * cage["stIndices"][c] + 2])
                if map_:
                    values += (map_["values"][map_["indices"][c]],)
                corners.append((ids[cage["faceVertexIndices"][c]], values))
            face = Face(corners)
            face.hole, face.material, at = i in holes, primvars["material"]["values"][i] if "material" in primvars else None, at + n
            self.faces[fids[i]] = face
        indices, first = cage.get("creaseIndices", []), 0
        lengths, sharp = cage.get("creaseLengths", []), iter(cage.get("creaseSharpnesses", []))
        check(len(cage.get("creaseSharpnesses", [])) == sum(n - 1 for n in lengths) or all(n == 2 for n in lengths), "a cage's creases")
        for n in lengths:
            for i in range(first, first + n - 1):
                self.creases[key(ids[indices[i]], ids[indices[i + 1]])] = float(next(sharp))
            first += n
        for row, s in zip(cage.get("cornerIndices", []), cage.get("cornerSharpnesses", [])):
            self.corners[ids[row]] = float(s)
        self.triangles = cage["options"]["subdivisionScheme"] in ("loop", "sqrt3")
        self.next_v, self.next_f = len(ids), len(fids)
        self.new_v, self.new_f, self.gone = [], [], set()

    def copy(self):
        other = copy.copy(self)
        for name in ("points", "faces", "creases", "corners", "new_v", "new_f", "gone"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def after(self, edits):
        """What a batch makes of it."""
        other = self.copy()
        other.new_v, other.new_f, other.gone = [], [], set()
        for edit in edits:
            for op, e in edit.items():
                getattr(other, op)(e)
        return other

    def onto(self, base, to):
        """What lies between two others, put onto this one."""
        other = self.copy()
        for name, alike in (("points", close), ("faces", same_face), ("creases", float.__eq__), ("corners", float.__eq__)):
            a, b, rows = getattr(base, name), getattr(to, name), getattr(other, name)
            for k in a.keys() | b.keys():
                if k not in b:
                    k in rows and rows.pop(k)
                elif k not in a or not (a[k] is b[k] or alike(a[k], b[k])):
                    rows[k] = b[k]
        other.points, other.faces = dict(sorted(other.points.items())), Faces(sorted(other.faces.items()))
        return other

    # ---- looking ----
    def vertex(self, v):
        v = self.new_v[-1 - v] if -len(self.new_v) <= v < 0 else v
        if v not in self.points:
            raise Refused("removed vertex" if v in self.gone else "no vertex")
        return v

    def face(self, f):
        f = self.new_f[-1 - f] if -len(self.new_f) <= f < 0 else f
        if f not in self.faces:
            raise Refused("no face")
        return f

    def edge(self, a, b):
        """The faces at an edge, as (face, place of the corner), the oldest first."""
        if a == b:
            return []
        fs = self.faces.at.get(a, frozenset()) & self.faces.at.get(b, frozenset())
        return [(f, i) for f in sorted(fs) for i, e in enumerate(self.faces[f].edges()) if set(e) == {a, b}]

    def around(self, v):
        return sorted(self.faces.at.get(v, ()))

    def near(self, v):
        return {b if a == v else a for f in self.around(v) for a, b in self.faces[f].edges() if v in (a, b)}

    def named_edge(self, pair):
        a, b = self.vertex(pair[0]), self.vertex(pair[1])
        if not self.edge(a, b):
            raise Refused("no edge")
        return a, b

    def sharp(self, a, b):
        return self.creases.get(key(a, b), 0)

    # ---- changing ----
    def add_vertex(self, row):
        v, self.next_v = self.next_v, self.next_v + 1
        self.points[v] = row
        self.new_v.append(v)
        return v

    def replace(self, removed, added, twins=True, new_creases=(), drop=()):
        """Takes faces away and adds (corners, like); then everything must be sound."""
        old = {f: self.faces.pop(f) for f in removed}
        for v in drop:
            self.gone.add(v)
            del self.points[v]
            self.corners.pop(v, None)
        made = []
        for corners, like in added:
            ids = [v for v, _ in corners]
            if len(ids) < 3 or len(set(ids)) != len(ids) or (self.triangles and len(ids) > 3):
                raise Refused("a face")
            self.faces[self.next_f] = Face(corners, like)
            self.new_f.append(self.next_f)
            made.append(self.next_f)
            self.next_f += 1
        if twins:
            for f in made:
                edges = sorted(key(*e) for e in self.faces[f].edges())
                if any(g != f and sorted(key(*e) for e in self.faces[g].edges()) == edges for g in self.around(self.faces[f].ids()[0])):
                    raise Refused("a twin")
        for face in old.values():
            for a, b in face.edges():
                if a in self.points and not self.around(a):
                    raise Refused("a vertex without a face")
        for a, b, s in new_creases:
            if s > 0:
                self.creases[key(a, b)] = max(s, self.sharp(a, b))
        for face in old.values():
            for e in face.edges():
                if not self.edge(*e):
                    self.creases.pop(key(*e), None)

    # ---- primitives ----
    def addVertices(self, e):
        for i in range(0, len(e["points"]), 3):
            self.add_vertex(tuple(e["points"][i:i + 3]) + (0, ) * self.n_vertex_values)

    def removeVertices(self, e):
        for v in map(self.vertex, e["ids"]):
            if self.around(v):
                raise Refused("a vertex with a face")
            self.gone.add(v)
            del self.points[v]
            self.corners.pop(v, None)

    def addFaces(self, e):
        at, n_uv = 0, self.n_uv
        for n in e["faceVertexCounts"]:
            corners = [(self.vertex(e["faceVertexIndices"][c]), tuple(e.get("st", [])[n_uv * c:n_uv * (c + 1)]) + (0, ) * self.n_corner_values)
                       for c in range(at, at + n)]
            self.faces[self.next_f] = Face(corners, self.none)
            self.new_f.append(self.next_f)
            self.next_f, at = self.next_f + 1, at + n

    def removeFaces(self, e):
        for face in [self.faces.pop(self.face(f)) for f in e["ids"]]:
            for a, b in face.edges():
                if not self.edge(a, b):
                    self.creases.pop(key(a, b), None)

    def setPositions(self, e):
        for k, v in enumerate(map(self.vertex, e["ids"])):
            self.points[v] = tuple(e["points"][3 * k:3 * k + 3]) + self.points[v][3:]

    @staticmethod
    def sharpen(rows, k, sharpness):
        rows.pop(k, None)
        if sharpness:
            rows[k] = float(sharpness)

    def setCreases(self, e):
        for k, sharpness in enumerate(e["sharpnesses"]):
            self.sharpen(self.creases, key(*self.named_edge(e["edges"][2 * k:2 * k + 2])), sharpness)

    def setCorners(self, e):
        for v, sharpness in zip(map(self.vertex, e["ids"]), e["sharpnesses"]):
            self.sharpen(self.corners, v, sharpness)

    def alter(self, f, **values):
        face = copy.copy(self.faces[f])
        face.__dict__.update(values)
        self.faces[f] = face

    def setHoles(self, e):
        for f in map(self.face, e["ids"]):
            self.alter(f, hole=e["hole"])

    def setUvs(self, e):
        at = 0
        for f in map(self.face, e["ids"]):
            corners = self.faces[f].corners
            self.alter(f, corners=[(v, tuple(e["st"][2 * (at + i):2 * (at + i) + 2]) + row[self.n_uv:]) for i, (v, row) in enumerate(corners)])
            at += len(corners)

    def setPrimvar(self, e):
        for k, value in zip(e["ids"], e["values"]):
            if e["name"] == "weight":
                v = self.vertex(k)
                self.points[v] = self.points[v][:3] + (value, )
            else:
                self.alter(self.face(k), material=value)

    # ---- edges ----
    def pair(self, named):
        a, b = self.named_edge(named)
        at = self.edge(a, b)
        if len(at) != 2 or at[0][0] == at[1][0] or self.faces[at[0][0]].edges()[at[0][1]] == self.faces[at[1][0]].edges()[at[1][1]]:
            raise Refused("not two faces")
        return at if self.faces[at[0][0]].edges()[at[0][1]] == (a, b) else at[::-1]

    def flipEdges(self, e):
        for k in range(0, len(e["edges"]), 2):
            (f, i), (g, j) = self.pair(e["edges"][k:k + 2])
            one, two = self.faces[f].corners, self.faces[g].corners
            one, two = one[i + 1:] + one[:i + 1], two[j + 1:] + two[:j + 1]
            x, y = one[1], two[1]
            if x[0] == y[0] or self.edge(x[0], y[0]):
                raise Refused("an edge already")
            self.replace([f, g], [(one[1:] + [y], self.faces[f]), (two[1:] + [x], self.faces[g])])

    def splitEdges(self, e):
        for k in range(0, len(e["edges"]), 2):
            a, b = self.named_edge(e["edges"][k:k + 2])
            t = param(e, "t", k // 2, 0.5)
            at, s = self.edge(a, b), self.sharp(a, b)
            v = self.add_vertex(mix([self.points[a], self.points[b]], [1 - t, t]))
            added, faces = [], sorted({f for f, _ in at})
            for f in faces:
                corners = self.insert(self.faces[f], {key(a, b): (v, a, t)})
                if self.triangles:
                    i = next(i for i, c in enumerate(corners) if c[0] == v)
                    c = corners[i:] + corners[:i]
                    added += [([c[3], c[0], c[2]], self.faces[f]), ([c[0], c[1], c[2]], self.faces[f])]
                else:
                    added.append((corners, self.faces[f]))
            self.replace(faces, added, False, [(a, v, s), (v, b, s)])

    @staticmethod
    def insert(face, cuts):
        out = []
        for i, (p, row) in enumerate(face.corners):
            q, other = face.corners[(i + 1) % len(face.corners)]
            out.append((p, row))
            if key(p, q) in cuts:
                v, a, t = cuts[key(p, q)]
                out.append((v, mix([row, other] if p == a else [other, row], [1 - t, t])))
        return out

    def collapseEdges(self, e):
        for k in range(0, len(e["edges"]), 2):
            a, b = self.named_edge(e["edges"][k:k + 2])
            t = param(e, "t", k // 2, 0.5)
            at = self.edge(a, b)
            apexes = {w for f, _ in at for w in self.faces[f].ids() if len(self.faces[f].corners) == 3} - {a, b}
            if (self.near(a) & self.near(b)) - apexes - {a, b}:
                raise Refused("link")
            for x in [self.faces[f].ids()[i - 1] for f, i in at if len(self.faces[f].corners) == 3]:
                if len(self.edge(a, x)) + len(self.edge(b, x)) == 2:
                    raise Refused("an edge without a face")
            if len(at) > 1 and all(any(len(self.edge(v, x)) == 1 for x in self.near(v)) for v in (a, b)):
                raise Refused("boundaries")
            pairs = [{v: row for v, row in self.faces[f].corners} for f, _ in at]
            self.merge([a, b], [1 - t, t], pairs, t)

    def mergeVertices(self, e):
        ids = [self.vertex(v) for v in e["ids"]]
        if len(set(ids)) != len(ids):
            raise Refused("twice")
        t, n = param(e, "t", 0, 1), len(ids)
        self.merge(ids, [1 - t + t / n] + [t / n] * (n - 1), None, t)

    def merge(self, ids, weights, pairs, t):
        into, weight, added, removed, creases, lost = ids[0], dict(zip(ids, weights)), [], [], [], set()
        faces = sorted({f for v in ids for f in self.around(v)})
        for f in faces:
            face, n, out, run = self.faces[f], len(self.faces[f].corners), [], []
            touched = any(v in weight and v != into for v, _ in face.corners) or any(a in weight and b in weight for a, b in face.edges())
            start = next((i for i in range(n) if face.corners[i - 1][0] not in weight), 0) if touched else 0
            for i in range(n + 1):
                v, row = face.corners[(start + i) % n]
                if run and (i == n or v not in weight or not touched):
                    out.append((into, self.merged(run, weight, pairs, t, ids)))
                    run = []
                if i < n and v in weight:
                    run.append((v, row))
                elif i < n:
                    out.append((v, row))
            if touched:
                removed.append(f)
            if touched and len(out) < 3:
                lost.add(f)
                continue
            creases += [(into, b if a in weight else a, self.sharp(a, b)) for a, b in face.edges() if (a in weight) != (b in weight)]
            if touched:
                added.append((out, face))
            elif pairs:
                self.faces[f] = Face(out, face)
        left = {x for _, x, _ in creases}  # To these an edge is left, which has the creases of faces that go, too.
        for f in lost:
            creases += [(into, b if a in weight else a, self.sharp(a, b)) for a, b in self.faces[f].edges() if (a in weight) != (b in weight) and
                        (b if a in weight else a) in left]
        row = mix([self.points[v] for v in ids], weights)
        sharp = max(self.corners.get(v, 0) for v in ids)
        self.replace(removed, added, True, creases, ids[1:])
        self.points[into] = row
        if sharp:
            self.corners[into] = sharp

    def merged(self, run, weight, pairs, t, ids):
        if len(run) == 1:
            v, row = run[0]
            for p in pairs or []:
                if p.get(v) == row:
                    return mix([p[ids[0]], p[ids[1]]], [1 - t, t])
            return row
        total = sum(weight[v] for v, _ in run)
        return mix([row for _, row in run], [weight[v] / total for v, _ in run]) if total else run[0][1]

    # ---- faces ----
    def splitFaces(self, e):
        for k, f in enumerate(e["ids"]):
            f = self.face(f)
            corners, ids = self.faces[f].corners, self.faces[f].ids()
            at = []
            for v in e["edges"][2 * k:2 * k + 2]:
                v = self.vertex(v)
                if v not in ids:
                    raise Refused("no corner")
                at.append(ids.index(v))
            i, j = at
            if abs(i - j) in (0, 1, len(ids) - 1) or self.edge(ids[i], ids[j]):
                raise Refused("an edge already")
            turned = corners[i:] + corners[:i]
            d = (j - i) % len(ids)
            self.replace([f], [(turned[:d + 1], self.faces[f]), (turned[d:] + turned[:1], self.faces[f])])

    def pokeFaces(self, e):
        for f in e["ids"]:
            f = self.face(f)
            c = self.faces[f].corners
            share = [1 / len(c)] * len(c)
            v = self.add_vertex(mix([self.points[w] for w, _ in c], share))
            middle = (v, mix([row for _, row in c], share))
            self.replace([f], [([c[i], c[(i + 1) % len(c)], middle], self.faces[f]) for i in range(len(c))], False)

    def reverseFaces(self, e):
        for f in e["ids"]:
            f = self.face(f)
            self.replace([f], [(self.faces[f].corners[:1] + self.faces[f].corners[:0:-1], self.faces[f])], False)

    def insetFaces(self, e):
        for k, f in enumerate(e["ids"]):
            f = self.face(f)
            t, c = param(e, "t", k, 0.5), self.faces[f].corners
            share = [1 / len(c)] * len(c)
            middle, row = mix([self.points[w] for w, _ in c], share), mix([r for _, r in c], share)
            inner = [(self.add_vertex(mix([self.points[v], middle], [1 - t, t])), mix([r, row], [1 - t, t])) for v, r in c]
            ring = [[c[i - 1], c[i], inner[i], inner[i - 1]] for i in list(range(1, len(c))) + [0]]
            self.replace([f], [(corners, self.faces[f]) for corners in [inner] + ring], False)

    def extrudeFaces(self, e):
        fs = [self.face(f) for f in e["ids"]]
        if len(set(fs)) != len(fs):
            raise Refused("twice")
        region, by = set(fs), e.get("by", [])
        count, normals = {}, {}
        for f in fs:
            p = [self.points[v][:3] for v in self.faces[f].ids()]
            n, size = newell(p), sum(math.dist(p[0], q) ** 2 for q in p)
            for a, b in self.faces[f].edges():
                count[key(a, b)] = count.get(key(a, b), 0) + 1
                normals[a] = mix([normals.get(a, (0, 0, 0, 0)), n + (size,)], [1, 1])
        rim = {v for edge, n in count.items() if n == 1 for v in edge} | {v for f, face in self.faces.items() if f not in region for v in face.ids()}
        to, moved = {}, {}
        for v in normals:
            n = math.hypot(*normals[v][:3])
            if len(by) == 1 and by[0] and not n > 1e-6 * normals[v][3]:
                raise Refused("no normal")
            step = by if len(by) == 3 else [by[0] * x / n for x in normals[v][:3]] if len(by) == 1 and by[0] else [0, 0, 0]
            row = tuple(x + d for x, d in zip(self.points[v], step)) + self.points[v][3:]
            to[v] = self.add_vertex(row) if v in rim else v
            moved[to[v]] = row
            if v in rim and v in self.corners:
                self.corners[to[v]] = self.corners[v]
        added, removed, creases = [], [], []
        for f in fs:
            if any(to[v] != v for v in self.faces[f].ids()):
                removed.append(f)
                added.append(([(to[v], row) for v, row in self.faces[f].corners], self.faces[f]))
                creases += [(to[a], to[b], self.sharp(a, b)) for a, b in self.faces[f].edges()]
        for f in fs:
            c = self.faces[f].corners
            for i in range(len(c)):
                p, q = c[i], c[(i + 1) % len(c)]
                if count[key(p[0], q[0])] == 1:
                    added.append(([p, q, (to[q[0]], q[1]), (to[p[0]], p[1])], self.faces[f]))
        self.replace(removed, added, False, creases)
        self.points.update(moved)

    # ---- dissolving ----
    def join(self, fs, skip=None):
        inside, rim = [e for f in fs for e in self.faces[f].edges()], {}
        for f in fs:
            for i, (a, b) in enumerate(self.faces[f].edges()):
                if inside.count((a, b)) > 1 or inside.count((b, a)) > 1:
                    raise Refused("no surface")
                if (b, a) in inside:
                    continue
                if a in rim:
                    raise Refused("a vertex twice")
                rim[a] = (b, self.faces[f].corners[i])
        if not rim:
            raise Refused("closed")
        start = v = next(iter(rim))
        loop = []
        while not loop or v != start:
            loop.append(rim[v][1])
            v = rim[v][0]
        if len(loop) != len(rim):
            raise Refused("a hole")
        loop = [c for c in loop if c[0] != skip]
        drop = {v for f in fs for v in self.faces[f].ids() if v not in rim and set(self.around(v)) <= set(fs)}
        return (loop, self.faces[fs[0]]), drop, rim

    def dissolveEdges(self, e):
        for k in range(0, len(e["edges"]), 2):
            fs = sorted({f for f, _ in self.pair(e["edges"][k:k + 2])})
            face, drop, _ = self.join(fs)
            self.replace(fs, [face], True, (), drop)

    def dissolveFaces(self, e):
        named, added, removed, drops = [self.face(f) for f in e["ids"]], [], [], set()
        if len(set(named)) != len(named):
            raise Refused("twice")
        left = list(named)
        while left:
            part = [left.pop(0)]
            for f in part:
                for edge in self.faces[f].edges():
                    for g in [g for g, _ in self.edge(*edge) if g in left]:
                        left.remove(g)
                        part.append(g)
            if len(part) > 1:
                face, drop, _ = self.join(part)
                added.append(face)
                removed += part
                drops |= drop
        self.replace(removed, added, True, (), drops)

    def dissolveVertices(self, e):
        for v in e["ids"]:
            v = self.vertex(v)
            near, fs = self.near(v), self.around(v)
            if len(near) <= 2:
                creases = []
                if near:
                    x, y = near if len(near) == 2 else list(near) * 2
                    if self.edge(x, y) or x == y:
                        raise Refused("an edge already")
                    creases = [(x, y, min(self.sharp(x, v), self.sharp(v, y)))]
                self.replace(fs, [([c for c in self.faces[f].corners if c[0] != v], self.faces[f]) for f in fs], True, creases, [v])
                continue
            face, drop, rim = self.join(fs, v)
            creases = []
            if v in rim:
                x, y = next(a for a in rim if rim[a][0] == v), rim[v][0]
                if self.edge(x, y):
                    raise Refused("an edge already")
                creases = [(x, y, min(self.sharp(x, v), self.sharp(v, y)))]
            self.replace(fs, [face], True, creases, drop | {v})

    # ---- loops ----
    def loopCut(self, e):
        for k in range(0, len(e["edges"]), 2):
            a, b = self.named_edge(e["edges"][k:k + 2])
            t, start = param(e, "t", k // 2, 0.5), self.edge(a, b)
            if len(start) > 2:
                raise Refused("three faces")
            cuts, halves, creases = {}, {}, []

            def cut(a, b):
                if key(a, b) not in cuts:
                    v = self.add_vertex(mix([self.points[a], self.points[b]], [1 - t, t]))
                    cuts[key(a, b)] = (v, a, t)
                    creases.extend([(a, v, self.sharp(a, b)), (v, b, self.sharp(a, b))])

            cut(a, b)
            for f, i in start:
                p, q = a, b
                while len(self.faces[f].corners) == 4 and f not in halves:
                    ids = self.faces[f].ids()
                    ids = ids[i:] + ids[:i]
                    r, s = (ids[3], ids[2]) if ids[0] == p else (ids[2], ids[3])
                    if r == s or key(r, s) == key(p, q):
                        break
                    known = key(r, s) in cuts
                    cut(r, s)
                    halves[f] = (cuts[key(p, q)][0], cuts[key(r, s)][0])
                    on = [x for x in self.edge(r, s)]
                    if known or len(on) != 2:
                        break
                    f, i = on[1] if on[0][0] == f else on[0]
                    p, q = r, s
            if not halves:
                raise Refused("no quad")
            added, removed = [], [f for f, face in self.faces.items() if any(key(*x) in cuts for x in face.edges())]
            for f in removed:
                corners = self.insert(self.faces[f], cuts)
                if f in halves:
                    i, j = ([c[0] for c in corners].index(v) for v in halves[f])
                    for i, j in ((i, j), (j, i)):
                        turned = corners[i:] + corners[:i]
                        added.append((turned[:(j - i) % len(corners) + 1], self.faces[f]))
                else:
                    added.append((corners, self.faces[f]))
            self.replace(removed, added, False, creases)


def param(e, name, k, none):
    values = e.get(name, [])
    return none if not values else values[0] if len(values) == 1 else values[k]


def newell(p):
    n = [0, 0, 0]
    for i in range(len(p)):
        a, b = p[i], p[(i + 1) % len(p)]
        for k in range(3):
            u, v = (k + 1) % 3, (k + 2) % 3
            n[k] += (a[u] - p[0][u]) * (b[v] - p[0][v]) - (a[v] - p[0][v]) * (b[u] - p[0][u])
    return tuple(n)


# ---- the daemon ---------------------------------------------------------------------------------------------------
class Mesh:
    def __init__(self, daemon, text, kind="model/obj", query=""):
        self.daemon = daemon
        status, info = self.ask("POST", "/v1/meshes" + query, text, kind)
        check(status == 201, f"{info}")
        self.id, self.version, self.topology = info["id"], 1, info["topologyId"]

    def ask(self, method, path, body=None, kind="application/json", **headers):
        fields = {k.replace("_", "-"): v for k, v in headers.items()}
        if body is not None:
            fields["Content-Type"] = kind
        request = urllib.request.Request(self.daemon.url + path, body, fields, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, data = answer.status, answer.read()
                plain = not (answer.headers["Content-Type"] or "").startswith("application/json")
        except urllib.error.HTTPError as answer:
            status, data, plain = answer.code, answer.read(), False
        return status, data if plain else json.loads(data)

    def edit(self, *edits):
        status, answer = self.ask("POST", f"/v1/meshes/{self.id}/edits", json.dumps({"edits": edits}).encode(),
                                  If_Match=f'"{self.version}"')
        if status == 200:
            self.version, self.topology = answer["mesh"]["version"], answer["mesh"]["topologyId"]
        return status, answer

    def cage(self):
        status, cage = self.ask("GET", f"/v1/meshes/{self.id}/cage", Accept="application/json")
        check(status == 200, f"{cage}")
        return cage

    def state(self):
        """All that a refused batch must leave as it is."""
        status, info = self.ask("GET", f"/v1/meshes/{self.id}")
        check(status == 200, f"{info}")
        return info["version"], info["topologyId"], self.cage()

    def frame(self, query):
        """A status with a frame, or a problem."""
        return self.ask("GET", f"/v1/meshes/{self.id}/refined?{query}", Accept="application/vnd.subdd.frame")

    def refined(self):
        status, data = self.frame("level=2&include=positions,normals,indices,uvs")
        return status, blocks_of(data) if status == 200 else data["code"]


def blocks_of(frame):
    """A frame without its head, which has the mesh's id and version."""
    length, shift, at = 0, 0, 0
    while True:
        length |= (frame[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if frame[at - 1] < 128:
            return frame[(at + length + 63) // 64 * 64:]


def close(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-4 * max(1, abs(x), abs(y)) for x, y in zip(a, b))


def turned(face):
    """The corners from the one with the lowest id on."""
    i = min(range(len(face.corners)), key=lambda i: (face.corners[i][0], face.corners[i][1]))
    return face.corners[i:] + face.corners[:i]


def same_face(a, b):
    a_corners, b_corners = turned(a), turned(b)
    return ([v for v, _ in a_corners] == [v for v, _ in b_corners] and all(close(x, y) for (_, x), (_, y) in zip(a_corners, b_corners)) and
            (a.hole, a.material) == (b.hole, b.material))


def same(was, now, what):
    check(set(was.points) == set(now.points), f"{what}: vertices {sorted(set(was.points) ^ set(now.points))}")
    for v in was.points:
        check(close(was.points[v], now.points[v]), f"{what}: vertex {v} has {now.points[v]}, not {was.points[v]}")
    check(set(was.faces) == set(now.faces), f"{what}: faces {sorted(was.faces)} but {sorted(now.faces)}")
    for f in was.faces:
        a, b = was.faces[f], now.faces[f]
        check(same_face(a, b), f"{what}: face {f} is {turned(b)} {b.hole} {b.material}, not {turned(a)} {a.hole} {a.material}")
    check(was.creases == now.creases, f"{what}: creases {now.creases}, not {was.creases}")
    check(was.corners == now.corners, f"{what}: corners {now.corners}, not {was.corners}")


# ---- random batches -----------------------------------------------------------------------------------------------
OPS = ["flipEdges", "splitEdges", "collapseEdges", "splitFaces", "pokeFaces", "extrudeFaces", "insetFaces", "reverseFaces", "loopCut",
       "dissolveVertices", "dissolveEdges", "dissolveFaces", "mergeVertices"]


def some_edit(r, o):
    """An edit of elements that are there, or now and then of some that are not."""
    def vertex():
        if o.new_v and r.random() < 0.3:
            return -1 - r.randrange(len(o.new_v))
        return r.choice(list(o.points)) if o.points and r.random() < 0.99 else o.next_v + 5

    def face():
        if o.new_f and r.random() < 0.3:
            return -1 - r.randrange(len(o.new_f))
        return r.choice(list(o.faces)) if o.faces and r.random() < 0.99 else o.next_f + 5

    def edge():
        if not o.faces or r.random() < 0.02:
            return [vertex(), vertex()]
        pair = list(r.choice(r.choice(list(o.faces.values())).edges()))
        return pair if r.random() < 0.5 else pair[::-1]

    def connected(n):
        part = [face()]
        for _ in range(n):
            f = part[0] if part[0] in o.faces else None
            near = [g for e in o.faces[f].edges() for g, _ in o.edge(*e) if g not in part] if f is not None else []
            part += [r.choice(near)] if near else []
        return part

    op, n = r.choice(OPS), r.choice([1, 1, 1, 2])
    if op == "mergeVertices":
        e = {"ids": edge() if r.random() < 0.7 else [vertex(), vertex(), vertex()][:r.choice([2, 3])]}
    elif op.endswith("Edges") or op == "loopCut":
        e = {"edges": [v for _ in range(n) for v in edge()]}
    elif op == "dissolveVertices":
        e = {"ids": [vertex() for _ in range(n)]}
    elif op in ("extrudeFaces", "dissolveFaces"):
        e = {"ids": connected(r.randrange(4))}
    else:
        e = {"ids": [face() for _ in range(n)]}
    if op == "splitFaces":
        large = [f for f, x in o.faces.items() if len(x.corners) > 3]
        e["ids"] = [r.choice(large)] if large and r.random() < 0.8 else e["ids"]
        ids = [o.faces[f].ids() if f in o.faces else list(o.points)[:5] for f in e["ids"]]
        e["edges"] = [v for i in ids for v in (r.choices(i, k=2) if r.random() < 0.3 else [i[0], i[len(i) // 2]])] if all(ids) else [0, 1] * len(e["ids"])
    if op in ("splitEdges", "collapseEdges", "insetFaces", "loopCut", "mergeVertices") and r.random() < 0.5:
        e["t"] = [r.choice([0.25, 0.5, 0.75])]
    if op == "extrudeFaces" and r.random() < 0.8:
        e["by"] = r.choice([[0.25], [-0.5], [0.0, 0.25, 0.5]])
    return op, e


def batch(r, oracle):
    """A batch, and the oracle after it; None when it is to be refused."""
    edits = []
    oracle = oracle.copy()
    for _ in range(r.choice([1, 1, 2, 3])):
        op, e = some_edit(r, oracle)
        edits.append({op: e})
        try:
            getattr(oracle, op)(e)
        except Refused:
            return edits, None
    return edits, oracle


PRIMITIVES = ["addFaces", "addVertices", "removeFaces", "removeVertices", "setPositions", "setCreases", "setCorners", "setHoles", "setUvs", "setPrimvar"]


def some_primitives(r, o):
    """One or two edits that are no modelling edits."""
    f = r.choice(list(o.faces))
    face = o.faces[f]
    a, b = r.choice(face.edges())
    lonely = [v for v in o.points if not o.around(v)] if len(o.points) < 1000 else []
    far, quarter = [r.randrange(-8, 9) / 4 for _ in range(3)], r.randrange(17) / 4
    op = r.choice(PRIMITIVES)
    if op == "addFaces":
        e = {"faceVertexCounts": [3], "faceVertexIndices": [b, a, -1], **({"st": [0, 0, 1, 0, quarter, 1]} if o.n_uv else {})}
        return [{"addVertices": {"points": far}}, {op: e}]
    if op == "removeVertices" and lonely:
        return [{op: {"ids": [r.choice(lonely)]}}]
    if op == "removeFaces" and len(o.faces) > 4:
        return [{op: {"ids": [f]}}]
    if op == "setCreases":
        return [{op: {"edges": [a, b], "sharpnesses": [quarter]}}]
    if op == "setCorners":
        return [{op: {"ids": [a], "sharpnesses": [quarter]}}]
    if op == "setHoles":
        return [{op: {"ids": [f], "hole": r.random() < 0.5}}]
    if op == "setUvs" and o.n_uv:
        return [{op: {"ids": [f], "st": [r.randrange(5) / 4 for _ in range(2 * len(face.corners))]}}]
    if op == "setPrimvar" and o.n_vertex_values:
        return [r.choice(({op: {"name": "weight", "ids": [a, b], "values": [quarter, 1]}}, {op: {"name": "material", "ids": [f], "values": [3]}}))]
    if op == "addVertices":
        return [{op: {"points": far}}]
    return [{"setPositions": {"ids": [a], "points": far}}]


def body_of(mesh):
    """The cage to be pushed anew."""
    cage = mesh.cage()
    for name in ("vertexIds", "faceIds", "name"):
        cage.pop(name)
    return cage


def fresh(mesh, what):
    """The same cage pushed anew is the same mesh."""
    cage = body_of(mesh)
    other = Mesh(mesh.daemon, json.dumps(cage).encode(), "application/json")
    check(other.topology == mesh.topology, f"{what}: topology {mesh.topology} is {other.topology} when it is pushed anew")
    check(other.refined() == mesh.refined(), f"{what}: the surface differs when the cage is pushed anew")
    other.ask("DELETE", f"/v1/meshes/{other.id}")


def with_primvars(cage):
    n, c = len(cage["points"]) // 3, len(cage["faceVertexIndices"])
    cage["primvars"] = [
        {"name": "weight", "interpolation": "vertex", "values": [i % 7 for i in range(n)]},
        {"name": "material", "interpolation": "uniform", "type": "i32", "values": [i % 5 for i in range(len(cage["faceVertexCounts"]))]},
        {"name": "map", "interpolation": "faceVarying", "values": [float(i % 3) for i in range(n)], "indices": cage["faceVertexIndices"]}]
    cage["holeIndices"] = cage.get("holeIndices") or [0]
    check(c == sum(cage["faceVertexCounts"]), "a cage")
    return cage


def begin(daemon, path, r):
    """A mesh of a shape, with primvars; a mesh of triangles alone is sometimes of scheme loop."""
    mesh = Mesh(daemon, open(path, "rb").read())
    cage = body_of(mesh)
    mesh.ask("DELETE", f"/v1/meshes/{mesh.id}")
    if set(cage["faceVertexCounts"]) == {3} and r.random() < 0.5:
        cage["options"]["subdivisionScheme"] = "loop"
    return Mesh(daemon, json.dumps(with_primvars(cage)).encode(), "application/json")


def shapes():
    out = []
    for path in sorted(glob.glob(f"{SHAPES}/*.obj") + glob.glob(f"{SHAPES}/nonmanifold/*.obj")):
        n = sum(line.startswith("f ") for line in open(path))
        twice = any(len({w.split("/")[0] for w in line.split()[1:]}) < len(line.split()) - 1 for line in open(path) if line.startswith("f "))
        if 0 < n <= 60 and not twice:
            out.append(path)
    return out


def undo(mesh, before, after, what):
    """Undo and redo of a batch give the cage that was and the one that is, with their ids."""
    for verb, cage in (("undo", before), ("redo", after)):
        status, answer = mesh.ask("POST", f"/v1/meshes/{mesh.id}/{verb}")
        check(status == 200, f"{what}: {verb}: {answer}")
        check(mesh.cage() == cage, f"{what}: {verb} gives another cage")
        mesh.version += 1
