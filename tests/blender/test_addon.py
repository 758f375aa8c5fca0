#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client/blender: the add-on, installed from its zip into a Blender without a screen, against the daemon. What happens
there is in inside.py. SUBDD_TEST_FILTER is a glob of cases."""
import dataclasses, functools, importlib.util, os, re, shutil, subprocess, sys, tempfile, types, zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from files import BIN, check, run_tests, with_numpy

ADDON = "client/blender"
INSIDE = "tests/blender/inside.py"
SHAPES = ("crease_loop_10", "crease_ngons", "mixed_2_0.5_corner", "corner_on_soft_crease", "strip_creases", "crease_across_1.5",
          "crease_dart", "mixed_four", "random_valence", "corner_at_dart", "uv_islands", "uv_seam", "uv_three", "uv_waiting", "uv_triangles_cut", "uv_folded", "single_pentagon", "grid4x3_edge")


def blender(folder, zipped, daemon, case, *more):
    """Runs a case in a Blender of its own."""
    env = {**os.environ, "BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder), "SUBD_SERVER": "http://127.0.0.1:1"}
    env["PATH"] = "/usr/bin:/bin"  # Debian's Blender takes the library of the first python3 there, which may be without numpy.
    ran = subprocess.run([shutil.which("blender"), "-b", "--factory-startup", "--python-exit-code", "7", "-P", INSIDE, "--", zipped, daemon.url, case, *more],
                         env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
    if ran.returncode:
        print(ran.stdout)
    check(ran.returncode == 0, next((line for line in reversed(ran.stdout.split("\n")) if "Wrong" in line), f"exit code {ran.returncode}"))
    check(not daemon.made("ls").strip(), f"{case} left meshes on the daemon")
    return ran.stdout


def test_zips(folder):
    """Both forms have all files; the manifest is what Blender 4.2 takes, which cannot be run here."""
    named = lambda end: set(zipfile.ZipFile(os.path.join(folder, "subdd-blender-0.0.1" + end)).namelist())
    files = {name for name in os.listdir(ADDON) if name.endswith(".py")} - {"make_zips.py"}
    files |= {"LICENSE"} | {"subd/" + name for name in os.listdir("client/python/subd") if name.endswith((".py", ".typed"))}
    check(named("-legacy.zip") == {"subdd/" + name for name in files}, f"the legacy zip has {named('-legacy.zip')}")
    check(named(".zip") == files | {"blender_manifest.toml"}, f"the zip has {named('.zip')}")
    with zipfile.ZipFile(os.path.join(folder, "subdd-blender-0.0.1.zip")) as z:
        text, init = z.read("blender_manifest.toml").decode(), z.read("__init__.py").decode()
    rows = dict(re.findall(r'^(\w+) = (".*"|\[.*\])$', text, re.M))
    want = {"schema_version", "id", "version", "name", "tagline", "maintainer", "type", "blender_version_min", "license", "network"}
    check(want <= rows.keys() and "[permissions]" in text and "SPDX:GPL-3.0-or-later" in rows["license"], f"the manifest has {rows}")
    check(rows["version"] == '"0.0.1"' and '"version": (0, 0, 1)' in init, "the version is another")
    for name in ("tagline", "network"):  # Blender refuses longer ones, and those that end in a full stop.
        check(len(rows[name]) <= 66 and rows[name][-2].isalnum(), f"{name} is too long, or a sentence")


def load(folder):
    """The modules of the add-on that know nothing of Blender."""
    package = types.ModuleType("addon")
    package.__path__ = [os.path.join(folder, "unpacked", "subdd")]
    with zipfile.ZipFile(os.path.join(folder, "subdd-blender-0.0.1-legacy.zip")) as z:
        z.extractall(os.path.join(folder, "unpacked"))
    sys.modules["addon"] = package
    return importlib.import_module("addon.cage"), importlib.import_module("addon.session")


def random_cage(cages, rng):
    """Some of the faces of a grid, with tags and values."""
    import numpy
    n = int(rng.integers(2, 6))
    f4, rows = numpy.float32, numpy.arange(n * (n + 1)).reshape(n, n + 1)[:, :n].reshape(-1)
    quads = [q[:3] if rng.random() < 0.2 else q for q in numpy.stack([rows, rows + 1, rows + n + 2, rows + n + 1], 1).tolist()]
    quads = [q for q in quads if rng.random() < 0.8] or quads[:1]
    counts, indices = numpy.array([len(q) for q in quads], numpy.int32), numpy.array(sum(quads, []), numpy.int32)
    v, c, f = (n + 1)**2, len(indices), len(counts)
    some = lambda of: numpy.sort(rng.permutation(of)[:int(rng.integers(0, len(of) // 2 + 1))])
    cage = cages.Cage(rng.random((v, 3)).astype(f4), counts, indices, None, None, some(numpy.arange(v, dtype=numpy.int32)), None,
                      some(numpy.arange(f, dtype=numpy.int32))[:f - 1])
    cage.crease_keys = some(numpy.unique(cage.edge_keys()))
    cage.crease_sharpnesses = rng.choice([0.5, 2.25, 10], len(cage.crease_keys)).astype(f4)
    cage.corner_sharpnesses = rng.choice([1, 3.5], len(cage.corner_ids)).astype(f4)
    corner_values = lambda width: (numpy.round(rng.random((v, width))[indices] * 4) / 4 + (rng.random((c, 1)) < 0.3)).astype(f4)
    every = {"st": cages.Attribute("faceVarying", corner_values(2)), "later": cages.Attribute("faceVarying", corner_values(2)),
             "tint": cages.Attribute("varying", rng.random((v, 4)).astype(f4)), "corner_tint": cages.Attribute("faceVarying", corner_values(4)),
             cages.MATERIALS: cages.Attribute("uniform", rng.integers(1, 3, (f, 1)).astype(numpy.int32), ["a", "b"]),
             cages.FLAT: cages.Attribute("uniform", rng.integers(0, 2, (f, 1)).astype(numpy.int32))}
    cage.attributes = {name: a for name, a in every.items() if rng.random() < 0.6}
    return cage


def test_changes(daemon, folder):
    """From any cage to any other by one batch of edits, and the daemon has what it would have if that had been pushed."""
    import numpy
    cages, session = load(folder)
    rng, bad = numpy.random.default_rng(int(os.environ.get("SUBDD_SEED") or 1)), []
    with session.subd.Client(daemon.url) as client:
        for k in range(60):
            old = random_cage(cages, rng)
            info = client.push(cages.to_mesh(old, "changing", {"scheme": "catmullClark"}))
            for step in range(4):
                new, there = random_cage(cages, rng), client.cage(info)
                if step == 2:  # The last face again, from another corner on, with the same values.
                    n = int(old.counts[-1])
                    new = dataclasses.replace(old, indices=numpy.concatenate([old.indices[:-n], numpy.roll(old.indices[-n:], 1)]))
                had = info.uvs > 0
                batch, kept, same = cages.changes(old, new, there.vertex_ids, there.face_ids, had)
                info = client.edits(info, info.version, batch).mesh
                found = cages.from_mesh(client.cage(info))
                if had and "st" not in new.attributes:
                    new.attributes["st"] = cages.Attribute("faceVarying", numpy.zeros((len(new.indices), 2), numpy.float32))
                for what, good in (("points", numpy.array_equal(found.points, new.points)), ("faces", found.same_faces(new)), ("tags", found.same_tags(new)),
                                   ("values", found.same_attributes(new)), ("ids", list(client.cage(info).vertex_ids[:kept]) == list(there.vertex_ids[:kept])),
                                   ("face ids", list(client.cage(info).face_ids[:same]) == list(there.face_ids[:same]))):
                    check(good, f"round {k}: other {what}")
                old = new
            client.delete(info)
        topology = lambda edges, face_edges: session._checked(session.Topology(None, numpy.array([[0, 1, 2, 3]], "u4"), numpy.array(edges, "u4"),
                                                                               numpy.array(face_edges, "u4")))
        square = [[0, 1], [1, 2], [2, 3], [0, 3]]
        topology(square, [0, 1, 2, 3])
        for edges, face_edges in ((square, [0, 1, 2, 2]), (square[:3], [0, 1, 2, 3]), ([[1, 0], *square[1:]], [0, 1, 2, 3])):
            try:
                topology(edges, face_edges)
                bad.append(edges)
            except session.subd.BadAnswer:
                pass
        check(not bad, f"edges that are not those of the faces were taken: {bad}")


def addon(daemon, folder):
    if not os.path.isdir(ADDON):
        yield "addon", f"there is no {ADDON}"
        return
    subprocess.run([sys.executable, os.path.join(ADDON, "make_zips.py"), folder, "0.0.1"], check=True, stdout=subprocess.DEVNULL)
    zipped = os.path.join(folder, "subdd-blender-0.0.1-legacy.zip")
    yield "zips", functools.partial(test_zips, folder)
    if importlib.util.find_spec("numpy"):
        yield "changes", functools.partial(test_changes, daemon, folder)
    else:
        yield "changes", "numpy is not installed for this Python (python3-numpy)"
    if not shutil.which("blender"):
        yield "addon", "blender is not installed (deploy/install-deps blender)"
        return
    run = lambda *args: blender(folder, zipped, daemon, *args)
    yield "surfaces", lambda: print(run("surfaces", ",".join(SHAPES)))
    own = os.path.abspath(BIN), folder
    for case in ("poses", "edits", "edits_with_uvs", "undo", "restart", "load", "objects", "refused", "token", "options", "render", "two"):
        yield case, functools.partial(run, case, *own)


if __name__ == "__main__":
    with_numpy()
    run_tests(addon)
