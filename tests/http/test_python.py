#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client/python: the package `subd` against the daemon, against libsubd byte for byte (through `subd -o OUT.frame`), and
against servers that lie. Each test runs with numpy and without it.

It is one of the tests of run-tests and tells its results as they do; SUBDD_TEST_FILTER is a glob of them."""
import array, contextlib, functools, importlib.util, io, json, os, random, re, socket, ssl, struct, subprocess, sys, textwrap, threading, time, tracemalloc, unittest.mock
from files import BIN, SHAPES, accessor, check, read_glb, run_tests, with_numpy

PACKAGE = os.path.abspath("client/python")
EVERY = 15  # A shape of so many is taken.


def load(with_numpy):
    """The package, imported anew with numpy or as where there is none."""
    for name in [name for name in sys.modules if name.split(".")[0] == "subd"]:
        del sys.modules[name]
    if not with_numpy:
        sys.modules["numpy"] = None
    return importlib.import_module("subd")


def raises(kind, call, *args, **named):
    try:
        found = call(*args, **named)
    except kind as error:
        return error
    check(False, f"{kind.__name__} was not raised, but {found!r} returned")


def raw(a):
    data = memoryview(a)
    return bytes(data.cast("B")) if data.nbytes else b""


def torus(n):
    """Points and faces of n x n quads, flat."""
    points, faces = array.array("f"), array.array("i")
    for j in range(n):
        for i in range(n):
            points.extend((i / n * (2 + j % 3), j / n, (i * j % 7) / 7))
            k = (i + 1) % n
            faces.extend((j * n + i, j * n + k, (j + 1) % n * n + k, (j + 1) % n * n + i))
    return points, faces


# ---- the same as libsubd -----------------------------------------------------------------------------------------------
def written(frame):
    out = io.BytesIO()
    frame.write(out)
    return out.getvalue()


def by_subd(daemon, folder, *args):
    path = os.path.join(folder, "out.frame")
    daemon.made(*args, "-o", path)
    with open(path, "rb") as f:
        return f.read()


def test_frames(subd, daemon, folder, shape):
    client = subd.Client(daemon.url)
    mesh = client.push(os.path.join(SHAPES, shape))
    uvs = ["uvs", "uv_indices"] if mesh.uvs else []
    for flags, more in (((), {}), (("--normals", "--surface", "limit"), {"include": ["normals"], "surface": "limit"}),
                        (("--compact", "--normals"), {"include": ["normals"], "compact": ["positions", "normals", *uvs[:1]]}),
                        (("--split-normals", "--tangents", "--surface", "limitAtLevel"),
                         {"include": ["tangents"], "split_normals": True, "surface": "limitAtLevel"})):
        include = ["positions", "indices", *uvs, *more.pop("include", [])]
        frame = client.refined(mesh, 2, include=include, **more)
        check(written(frame) == by_subd(daemon, folder, "refine", mesh.id, "--level", "2", *flags), f"refined {flags} is not libsubd's")
    for relation in ("VV", "EF", "FE"):
        frame = client.neighbors(mesh, relation, 1)
        check(written(frame) == by_subd(daemon, folder, "neighbors", mesh.id, relation, "--level", "1"), f"neighbors {relation} are not libsubd's")
    check(written(client.patches(mesh, 2)) == by_subd(daemon, folder, "patches", mesh.id, "--level", "2"), "patches are not libsubd's")
    frame = client.fields(mesh, "normals,geodesic", 1, sources=[0])
    check(written(frame) == by_subd(daemon, folder, "fields", mesh.id, "--what", "normals,geodesic", "--sources", "0", "--level", "1"), "fields are not")
    frame = client.pose(mesh, client.cage(mesh).points, 2)
    check(raw(frame["positions"]) == raw(client.refined(mesh, 2)["positions"]), "the pose of a mesh's own points is another surface")
    client.delete(mesh)


def ply_rows(path):
    with open(path, "rb") as f:
        head, _, body = f.read().partition(b"end_header\n")
    names = re.findall(rb"property float (\w+)", head)
    n = int(re.search(rb"element vertex (\d+)", head).group(1))
    return [struct.unpack_from("<%df" % len(names), body, 4 * len(names) * i) for i in range(n)]


def test_compact_floats(subd, daemon, folder):
    """Decoded, 16 bits are the floats that libsubd makes of them."""
    client = subd.Client(daemon.url)
    mesh = client.push(os.path.join(SHAPES, "uv_islands.obj"))
    frame = client.refined(mesh, 3, include="positions,normals,uvs,uv_indices", compact="positions,normals,uvs")
    path = os.path.join(folder, "out.ply")
    daemon.made("refine", mesh.id, "--level", "3", "--compact", "--normals", "-o", path)
    rows = ply_rows(path)
    for key, columns in (("positions", slice(0, 3)), ("normals", slice(3, 6))):
        want = struct.pack("<%df" % (3 * len(rows)), *(x for row in rows for x in row[columns]))
        check(raw(frame.blocks[key].floats()) == want, f"decoded {key} are not libsubd's")
    uvs, exact = struct.unpack("<%de" % (2 * frame.blocks["uvs"].count), raw(frame["uvs"])), raw(frame.blocks["uvs"].floats())
    check(exact == struct.pack("<%df" % len(uvs), *uvs), "decoded UVs are not what the halves say")


def test_everything(subd, daemon, folder):
    """A mesh with all that a mesh can have goes round: pushed as a file, read as arrays, pushed as arrays."""
    client = subd.Client(daemon.url)
    first = client.push(os.path.join(SHAPES, "round", "everything.json"))
    cage = client.cage(first)
    check(cage.primvars and cage.transform is not None and cage.up_axis and any(p.set_names for p in cage.primvars), "the cage lacks things")
    again = client.push(cage)
    check((again.topology_id, again.uvs, again.up_axis, again.primvars) == (first.topology_id, first.uvs, first.up_axis, first.primvars),
          "it is another mesh")
    files = [client.cage_file(m, "application/protobuf") for m in (first, again)]
    check(files[0] == files[1], "its cage has other bytes")
    frame = client.refined(again, 1, include="positions,indices,uvs,uv_indices", primvars="*")
    check({p.name for p in cage.primvars} <= {b.name for b in frame.blocks.values()}, "primvars are missing")
    want = by_subd(daemon, folder, "refine", again.id, "--level", "1", "--primvars", "*")
    check(written(frame) == want, "with primvars it is not libsubd's")
    check(raises(KeyError, frame.__getitem__, "normals") and "primvar:" + cage.primvars[0].name in frame, "blocks have other names")
    check(client.cage_file(first).startswith(b"#") or b"\nv " in client.cage_file(first), "no OBJ")


# ---- calls ---------------------------------------------------------------------------------------------------------------
def test_calls(subd, daemon, folder):
    e = subd.edits
    with subd.Client(daemon.url) as client:
        mesh = client.push(subd.Mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], 4, [0, 1, 2, 3]), name="four corners", options={"interpolate_boundary": "edgeOnly"})
        check((mesh.version, mesh.vertices, mesh.name, mesh.options["interpolate_boundary"]) == (1, 4, "four corners", "edgeOnly"), f"{mesh}")
        check(client.show(mesh) == client.show(mesh.id) == client.find("four corners") == client.find(mesh.id[:9]), "show and find differ")
        moved = client.positions(mesh, array.array("f", range(12)), version=1)
        check(moved.version == 2 and list(raw(client.cage(mesh).points)) == list(raw(array.array("f", range(12)))), "positions are not those sent")
        check(client.positions(mesh, [9, 9, 9], first=1).version == 3, "no third version")
        check(raw(client.cage(mesh).points)[12:24] == struct.pack("<3f", 9, 9, 9), "a range went elsewhere")
        done = client.edits(mesh, 3, [e.add_vertices([[5, 5, 5], [6, 6, 6]]), e.add_faces([4], [0, 1, -1, -2]), e.set_creases([(0, 1)], [2.5]),
                                      e.set_corners([2], [10]), e.set_positions([3], [1, 2, 3]), e.set_holes([0]), e.set_holes([0], False),
                                      e.put_primvar(subd.Primvar("heat", "vertex", [0.5] * 6))])
        check((list(done.new_vertex_ids), list(done.new_face_ids), done.mesh.version) == ([4, 5], [1], 4), f"{done}")
        cage = client.cage(done)
        check(list(cage.crease_sharpnesses) == [2.5] and list(cage.corner_indices) == [2] and list(cage.primvars[0].values) == [0.5] * 6, f"{cage}")
        check(cage.version == 4 and list(cage.vertex_ids) == list(range(6)), "ids or version are wrong")
        client.edits(mesh, 4, [e.remove_faces([1]), e.remove_vertices([4, 5]), e.set_primvar("heat", [1], [0]), e.set_uvs([0], [0, 0, 1, 0, 1, 1, 0, 1])])
        check(list(client.cage(mesh).primvars[0].values) == [1] + [0.5] * 3, "a value of a primvar was not set")
        client.edits(mesh, 5, [e.remove_primvar("heat")])
        check(client.show(mesh).uvs == 4 and not client.show(mesh).primvars, "the second batch did something else")
        modelled = client.push(subd.Mesh([(x, y, 0) for y in range(3) for x in range(3)], 4, [0, 1, 4, 3, 1, 2, 5, 4, 3, 4, 7, 6, 4, 5, 8, 7]))
        done = client.edits(modelled, 1, [e.split_faces([0], [(0, 4)]), e.inset_faces([1], [0.25]), e.extrude_faces([3], [0.5]), e.split_edges([(6, 7)], [0.25]),
                                          e.poke_faces([-1]), e.triangulate_faces([-3]), e.reverse_faces([-4]), e.loop_cut([(4, 7)])])
        check(done.mesh.version == 2 and done.mesh.vertices == len(done.new_vertex_ids) + 9, f"{done}")
        modelled = client.push(subd.Mesh([(x, y, 0) for y in range(4) for x in range(4)], 4,
                                         [v for y in range(3) for x in range(3) for v in (4 * y + x, 4 * y + x + 1, 4 * y + x + 5, 4 * y + x + 4)]))
        done = client.edits(modelled, 1, [e.flip_edges([(1, 5)]), e.collapse_edges([(14, 15)], [0]), e.merge_vertices([12, 13], [1]), e.dissolve_edges([(9, 10)]),
                                          e.dissolve_faces([2, 5]), e.dissolve_vertices([3])])
        check((done.mesh.vertices, len(done.new_vertex_ids)) == (13, 0), f"{done}")
        plan, frame = client.plan(mesh, 3), client.refined(mesh, 3)
        check((plan.vertices, plan.faces, plan.fits) == (frame.vertices, frame.faces, True) and plan.frame_bytes == frame.frame_bytes, f"{plan}")
        check(client.refined(mesh, 3, if_none_match=frame.etag) is None, "the frame has changed")
        smoothed = client.smooth(mesh, "uniform", iterations=2, boundary="along")
        check(client.smooth_store(mesh, 6, "uniform", iterations=2, boundary="along").version == 7, "nothing was stored")
        check(raw(smoothed["positions"]) == raw(client.cage(mesh).points), "other points were stored")
        some = client.neighbors(mesh, "VE", ids=[3, 1])
        check(list(some["offsets"]) == [0, 2, 4], f"{list(some['offsets'])}")
        check(list(client.neighbors(mesh, "VE", first=1, count=1)["ids"]) == list(some["ids"])[2:], "a range has other rows")
        check(client.rename(mesh, "other").name == "other" and client.rename(mesh, None).name == mesh.id, "it is called something else")
        check(mesh.id in [m.id for m in client.meshes()] and not list(client.meshes(name="nobody")), "the list is another")
        check(client.service()["name"] == "subdd" and client.ready(), "the daemon says something else")
        check(client.pin(mesh).pinned and client.show(mesh).pinned, "it is not pinned")
        client.unpin(mesh)
        check(not client.show(mesh).pinned and raises(subd.Refused, client.unpin, mesh).status == 404, "it is still pinned")
        check(not client.show(mesh).quarantined and raises(subd.Refused, client.end_quarantine, mesh).status == 404, "it is in quarantine")
        client.delete(mesh)
        check(raises(subd.Refused, client.show, mesh).status == 404, "it is still there")


def test_pages(subd, daemon, folder):
    client = subd.Client(daemon.url)
    with open(os.path.join(SHAPES, "box.obj"), "rb") as f:
        body = f.read()
    ids = {client.push(body, media_type="model/obj", name="page").id for _ in range(130)}
    check({m.id for m in client.meshes(name="page")} == ids, "the pages have other meshes")
    check(raises(subd.UsageError, client.find, "page").code == "ambiguous", "one of many was found")
    for name in ids:
        client.delete(name)


def test_wait(subd, daemon, folder):
    client, other = subd.Client(daemon.url), subd.Client(daemon.url)
    mesh = client.push(os.path.join(SHAPES, "box.obj"))
    late = threading.Timer(0.3, other.positions, (mesh, client.cage(mesh).points))
    late.start()
    check(client.wait_for_version(mesh, 2, timeout=20, interval=0.05).version == 2, "another version came")
    late.join()
    raises(subd.TimedOut, client.wait_for_version, mesh, 3, timeout=0.2, interval=0.05)


def test_watch(subd, daemon, folder):
    """Frames made by deltas are those that come as a whole, after each kind of edit; and who changed what is told."""
    client, other = subd.Client(daemon.url), subd.Client(daemon.url)
    grid = subd.Mesh([c for y in range(9) for x in range(9) for c in (x, y, x * y % 3)], [4] * 64,
                     [c for y in range(8) for x in range(8) for c in (9 * y + x, 9 * y + x + 1, 9 * y + x + 10, 9 * y + x + 9)])
    mesh = other.push(grid)
    edits = [[subd.edits.set_positions([3], [(1, 2, 3)])], [subd.edits.set_creases([(0, 1)], [3.0])],
             [subd.edits.remove_faces([20, 21])], [subd.edits.add_faces([3], [0, 1, 10])], [subd.edits.remove_faces([0])]]
    seen = []

    def changed(frame, base):
        whole = other.refined(mesh, 3, include="positions,normals,indices")
        check(frame.version == whole.version and frame.head == whole.head, f"version {frame.version}, {whole.version}")
        for key, block in whole.blocks.items():
            check(raw(block.array) == raw(frame[key]), f"{key} of version {frame.version} differs")
        seen.append((frame.version, base))
        if len(seen) > len(edits):
            return True
        other.edits(mesh, frame.version, edits[len(seen) - 1])

    last = client.watch(mesh, changed, 3, include="positions,normals,indices")
    check(seen == [(1, 0)] + [(v, v - 1) for v in range(2, 7)], f"{seen}")
    other.positions(mesh, [(5, 5, 5)], first=0)
    again = client.watch(mesh, lambda frame, base: seen.append((frame.version, base)) or True, 3,
                         include="positions,normals,indices", frame=last)
    check(seen[-1] == (7, 6) and again.version == 7, f"it goes on from {seen[-1]}")
    memoryview(again["positions"]).cast("B")[:] = bytes(again.blocks["positions"].bytes)
    other.positions(mesh, [(6, 6, 6)], first=0)
    client.watch(mesh, lambda frame, base: seen.append((frame.version, base)) or True, 3,
                 include="positions,normals,indices", frame=again)
    check(seen[-1] == (8, 0), f"a frame that was changed came by a delta: {seen[-1]}")
    news = []
    client.events(mesh, lambda kind, version, data: news.append((kind, version, data["change"])) or version == 8, since=6)
    check(news == [("version", 7, "positions"), ("version", 8, "positions")], f"{news}")
    other.delete(mesh)
    gone = raises(subd.Refused, client.watch, mesh, changed, 3)
    check(gone.status == 404, f"{gone}")


def test_people(subd, daemon, folder):
    """Versions, undo, edits that come late, leases and presence."""
    one, two, e = subd.Client(daemon.url), subd.Client(daemon.url), subd.edits
    mesh = one.push(subd.Mesh([(x, y, 0) for y in range(6) for x in range(6)], 4,
                              [v for y in range(5) for x in range(5) for v in (6 * y + x, 6 * y + x + 1, 6 * y + x + 7, 6 * y + x + 6)]))
    one.edits(mesh, 1, [e.set_positions([0], [(9, 9, 9)])])
    check(raises(subd.Refused, two.edits, mesh, 1, [e.remove_faces([24])]).status == 412, "a late edit was taken")
    done = two.edits(mesh, 1, [e.remove_faces([24])], rebase=True)
    check((done.mesh.version, done.passed_over) == (3, 1), f"{done}")
    late = raises(subd.Refused, two.edits, mesh, 1, [e.set_positions([0], [(1, 1, 1)])], rebase=True)
    check("vertex 0" in str(late) and late.conflict == {"versions": [2, 3], "vertices": 1, "vertexIds": [0], "faces": 0, "faceIds": [], "what": ""},
          f"{late} {late.conflict}")
    check(raises(subd.Refused, two.events, "m_0", print).conflict == {}, "a conflict of nothing")
    check([(v.version, v.change, v.kinds) for v in one.versions(mesh)] ==
          [(3, "edits", ("removeFaces",)), (2, "edits", ("setPositions",)), (1, "create", ())], f"{list(one.versions(mesh))}")
    check(one.undo(mesh).version == 4 and one.redo(mesh, 4).version == 5 and one.revert(mesh, 1, 5).version == 6, "not back")
    check(one.undo(mesh, idempotency_key=mesh.id).version == one.undo(mesh, idempotency_key=mesh.id).version == 7, "a key undid two changes")
    check(raw(one.cage(mesh, at=1).points)[:4] == struct.pack("<f", 0), "not the earlier cage")
    check((one.show(mesh, at=3).version, one.refined(mesh, at=2).version, one.plan(mesh, at=2).version) == (3, 2, 2), "not the earlier version")
    check(one.neighbors(mesh, at=2).version == one.fields(mesh, "normals", at=2).version == one.patches(mesh, at=2).version == 2, "not of it")
    check(one.pose(mesh, one.cage(mesh, at=1).points, at=1).version == 1 and b"v 9" in one.cage_file(mesh, at=2), "not of the earlier one")
    future = raises(subd.Refused, one.cage, mesh, at=99)
    check((future.status, future.field) == (404, "version"), f"{future}")
    raises(subd.UsageError, one.lease, mesh, [])
    held = one.lease(mesh, [3, 4], seconds=100, client="one")
    check(held.face_ids == [3, 4] and held.client == "one" and [x.lease for x in two.leases(mesh)] == [held.lease], f"{held}")
    check(raises(subd.Refused, two.edits, mesh, 7, [e.remove_faces([3])]).status == 423, "a leased face was removed")
    check(one.edits(mesh, 7, [e.remove_faces([3])]).mesh.version == 8, "the holder is refused")
    check(one.renew_lease(mesh, held, 3600).seconds == 3600, "not renewed")
    one.end_lease(mesh, held.lease)
    check(one.leases(mesh) == [] and two.edits(mesh, 8, [e.remove_faces([4])]).mesh.version == 9, "it has not ended")
    one.be_present(mesh, "one", {"at": [1, 2]})
    check(two.presence(mesh) == [subd.Present("", "one", {"at": [1, 2]})], f"{two.presence(mesh)}")
    one.leave(mesh, "one")
    check(two.presence(mesh) == [], "it has not left")
    raises(subd.UsageError, one.be_present, mesh, "one", "x" * 5000)
    raises(subd.UsageError, one.be_present, mesh, {"at": 1})
    check(len(one.edits(mesh, 9, [e.inset_faces([5], 0.25)]).new_face_ids) == 5, "one number is no t")
    for body in (b"{}", b'{"leases": [7]}', b'{"leases": [{"faceIds": ["x"]}]}', b'{"present": 7, "versions": 7}'):
        with Canned(http(body, media_type="application/json")) as server:
            liar = subd.Client(server.url, retries=0)
            raises(subd.BadAnswer, liar.leases, "m_1")
    page = http(b'{"versions": [{"version": 3}], "next": 3}', "200 OK", "application/json", None, "Connection: close")
    with Canned(page, page) as server:
        raises(subd.BadAnswer, lambda: list(subd.Client(server.url, retries=0).versions("m_1")))


def test_refusals(subd, daemon, folder):
    client = subd.Client(daemon.url)
    bad = raises(subd.Refused, client.push, subd.Mesh([0] * 9, 3, [0, 1, 7]))
    check((bad.status, bad.field) == (422, "faceVertexIndices") and bad.code and bad.request_id and str(bad), f"{vars(bad)}")
    mesh = client.push(os.path.join(SHAPES, "box.obj"))
    stale = raises(subd.Refused, client.positions, mesh, client.cage(mesh).points, version=7)
    check((stale.status, stale.current_version, stale.code) == (412, 1, "version_mismatch"), f"{vars(stale)}")
    large = raises(subd.Refused, client.refined, mesh, 15)
    check(large.status in (413, 507) and 0 < large.limit < large.needed, f"{vars(large)}")
    usda = b'#usda 1.0\ndef Mesh "a" { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0,0,0), (1,0,0), (0,1,0)] }\n'
    several = raises(subd.Refused, client.push, usda + usda.replace(b'"a"', b'"b"').replace(b"#usda 1.0", b""), media_type="model/vnd.usda")
    check([row[0] for row in several.prims] == ["/a", "/b"], f"{several.prims}")
    check(client.push(usda, media_type="model/vnd.usda", prim="/a").vertices == 3, "one of several was not taken")
    moving = usda.replace(b"point3f[] points", b"point3f[] points.timeSamples = {0: [(7,0,0), (1,0,0), (0,1,0)]}\n point3f[] points")
    firsts = [client.cage(client.push(moving, media_type="model/vnd.usda", time_code=t)).points for t in (None, 0)]
    check([raw(points)[:4] for points in firsts] == [struct.pack("<f", 0), struct.pack("<f", 7)], "time 0 is not read")


def test_arguments(subd, daemon, folder):
    """What is wrong is told before anything is sent: nobody listens at this port."""
    client = subd.Client("http://127.0.0.1:1")
    usage = functools.partial(raises, subd.UsageError)
    for server in ("127.0.0.1:7373", "ftp://127.0.0.1", "file:///etc/passwd", "http://a b", "http://a\r\nX: y", "http://:99999999", "http://u:p@h"):
        usage(subd.Client, server)
    usage(subd.Client, token="a\r\nX-Evil: 1")
    usage(subd.Client, "http://127.0.0.1:1", ca_file="/dev/null")
    usage(subd.Client, "https://127.0.0.1:1", ca_file="/nowhere")
    usage(subd.Client, request_timeout=0)
    usage(subd.Client, stall_timeout=None)
    usage(subd.Client, retries=-1)
    for args in ((0,), (16,), (True,), ("3",)):
        usage(client.refined, "m_1", *args)
    usage(client.refined, "m_1", include="smell")
    usage(client.refined, "m_1", include="positions", compact="normals")
    usage(client.patches, "m_1", 11)
    usage(client.neighbors, "m_1", "XY")
    usage(client.neighbors, "m_1", ring=65)
    usage(client.neighbors, "m_1", ids=[1], first=1)
    usage(client.fields, "m_1", "normals,normals")
    usage(client.edits, "m_1", 0, [subd.edits.remove_faces([1])])
    usage(client.edits, "m_1", 1, [])
    usage(client.smooth_store, "m_1", 0)
    usage(client.positions, "m_1", [1.0], version=-1)
    usage(client.positions, "m_1", ["x"])
    usage(client.positions, "m_1", b"abc")
    usage(client.show, "")
    usage(client.show, 7)
    usage(client.find, "")
    usage(client.push, b"v 0 0 0")
    usage(client.push, os.path.join(SHAPES, "make_shapes.py"))
    usage(client.push, b"v 0 0 0", media_type="model/obj", options={"smell": "bad"})
    usage(client.push, b"v 0 0 0", media_type="model/obj", idempotency_key="a\r\nb")
    usage(client.push, subd.Mesh([0] * 9, 4, [0, 1, 2]))
    usage(client.push, subd.Mesh([0] * 9, [3], [0, 1, 1 << 40]))
    usage(client.push, subd.Mesh([0] * 9, 3, [0, 1, 2], options={"smell": "bad"}))
    usage(client.push, subd.Mesh([0] * 9, 3, [0, 1, 2], primvars=[subd.Primvar("a", "vertex", [0] * 3, type="f64")]))
    raises(FileNotFoundError, client.push, "/nowhere.obj")
    check("127.0.0.1:1" in str(raises(subd.NetworkError, subd.Client("http://127.0.0.1:1", retries=0).show, "m_1")), "it does not say where")


def test_memory_of_the_caller(subd, daemon, folder):
    client = subd.Client(daemon.url)
    mesh = client.push(os.path.join(SHAPES, "box.obj"))
    plain = client.refined(mesh, 3)
    places = {"positions": bytearray(plain.blocks["positions"].bytes + 5), "indices": memoryview(bytearray(plain.blocks["indices"].bytes)).cast("I")}
    frame = client.refined(mesh, 3, out=places)  # By the same engine: others differ in the last bits.
    check(places["positions"][:-5] == raw(plain["positions"]) == raw(frame["positions"]), "positions went elsewhere")
    check(raw(places["indices"]) == raw(plain["indices"]), "indices went elsewhere")
    for small in (bytearray(7), bytes(1 << 16), "text", memoryview(bytearray(1 << 16))[::2]):
        raises(subd.UsageError, client.refined, mesh, 3, out={"positions": small})
    again = client.pose(mesh, bytes(12 * mesh.vertices), 3, out=frame)
    check(again["positions"].tobytes() == bytes(len(places["positions"]) - 5) == bytes(places["positions"][:-5]), "the frame's memory was not used again")
    check(client.refined(mesh, 4, out=again).vertices > plain.vertices, "a larger frame does not fit")
    if subd.arrays.numpy is not None:
        rows = subd.arrays.numpy.zeros((plain.vertices, 3), "f4")
        shaped = client.refined(mesh, 3, method=plain.method, out={"positions": rows})["positions"]
        check(shaped.shape == rows.shape and shaped.dtype == rows.dtype and (rows == plain["positions"]).all(), "an array of rows was not filled")
        check(client.positions(mesh, rows[:mesh.vertices].astype("f8")).version == 2, "doubles were not taken")
        raises(subd.UsageError, client.neighbors, mesh, ids=rows)


def test_large(subd, daemon, folder):
    """A million vertices there and back: digests over many batches, and in less time than lists of numbers would take."""
    client = subd.Client(daemon.url)
    points, faces = torus(256)
    mesh = client.push(subd.Mesh(points, 4, faces))
    path = os.path.join(folder, "large.frame")
    daemon.made("refine", mesh.id, "--level", "2", "-o", path)
    for cores in (1, 8):
        with unittest.mock.patch("os.cpu_count", return_value=cores):
            start = time.monotonic()
            frame = client.refined(mesh, 2)
            check(frame.vertices == 16 * 65536 and time.monotonic() - start < 30, f"{frame.vertices} vertices in {time.monotonic() - start} s")
            check(written(frame) == open(path, "rb").read(), f"it is not libsubd's with {cores} cores")
    check(raw(client.cage(mesh).points) == raw(points), "the cage has other points")
    client.delete(mesh)
    os.unlink(path)


# ---- what users are told ------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def environment(**variables):
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


def test_readme(subd, daemon, folder):
    """The code of README.md runs, from top to bottom."""
    with open(os.path.join(PACKAGE, "README.md")) as f:
        blocks = re.findall(r"(?:^    .*\n)+", f.read(), re.M)
    code = "\n".join(textwrap.dedent(b) for b in blocks if "PYTHONPATH" not in b).replace("/tmp/", folder + "/")
    with environment(SUBD_SERVER=daemon.url), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "README.md", "exec"), {})
    check(os.path.getsize(os.path.join(folder, "cube.glb")) > 1000 and code.count("daemon.") > 10, "it did little")


def test_obj_to_glb(subd, daemon, folder):
    example = [sys.executable, os.path.join(PACKAGE, "examples", "obj_to_glb.py"), os.path.join(SHAPES, "refused"), os.path.join(folder, "glb")]
    with environment(PYTHONPATH=PACKAGE, SUBD_SERVER=daemon.url):
        ran = subprocess.run(example, capture_output=True, text=True)
        check(ran.returncode == 1 and ran.stderr.count("\n") > 5 and "Traceback" not in ran.stderr, f"refused files: {ran.stderr}")
        example[2:3] = ["samples"]
        ran = subprocess.run(example, capture_output=True, text=True)
        check(ran.returncode == 0, ran.stderr)
        glb = read_glb(os.path.join(folder, "glb", "cube.glb"))
        check(len(accessor(glb, glb[0]["meshes"][0]["primitives"][0]["indices"])) == 6 * 4 ** 3 * 6, "the cube has other triangles")
        check(subprocess.run(example, capture_output=True, text=True).stdout == "", "what is done is done again")


def test_files(subd, daemon, folder):
    client = subd.Client(daemon.url)
    mesh = client.push(os.path.join(SHAPES, "uv_islands.obj"))
    for ending, flags, more in ((".obj", [], {}), (".glb", ["--normals"], {"split_normals": True, "include": "uvs,uv_indices"}), (".usda", [], {})):
        ours, theirs = (os.path.join(folder, name + ending) for name in ("ours", "theirs"))
        client.refined_file(mesh, ours, 2, **more)
        daemon.made("refine", mesh.id, "--level", "2", *flags, "-o", theirs)
        check(open(ours, "rb").read() == open(theirs, "rb").read(), f"{ending} is not the file of subd")
    raises(subd.UsageError, client.refined_file, mesh, os.path.join(folder, "a.fbx"))
    with Canned(http(b"half", media_type="model/obj", length=100)) as server:
        raises(subd.BadAnswer, subd.Client(server.url).refined_file, "m_1", os.path.join(folder, "half.obj"))
    check(not [name for name in os.listdir(folder) if "half" in name], "half a file is left")


def test_version(subd, daemon, folder):
    check(subd.__version__ == subd.Client(daemon.url).service()["version"].split("-")[0].split("+")[0], f"the package is {subd.__version__}")


# ---- ways to a daemon ------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def relay(daemon, listener, context=None):
    """Passes on what comes to a listener to the daemon, past TLS if there is a context."""
    port, stop = int(daemon.url.rsplit(":", 1)[1]), threading.Event()

    def pump(a, b):
        with contextlib.suppress(OSError):
            while data := a.recv(65536):
                b.sendall(data)
        for s in (a, b):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def serve():
        while not stop.is_set():
            try:
                near = listener.accept()[0]
                if context:
                    near = context.wrap_socket(near, server_side=True)
            except OSError:
                continue
            far = socket.create_connection(("127.0.0.1", port))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pump, args=pair, daemon=True).start()
    listener.settimeout(0.1)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        listener.close()


def test_unix_socket(subd, daemon, folder):
    path = os.path.join(folder, "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(8)
        with relay(daemon, listener):
            check(subd.Client("unix:" + path).service()["name"] == "subdd", "nobody answers there")
    os.unlink(path)
    raises(subd.NetworkError, subd.Client("unix:" + path, retries=0).service)


def test_tls(subd, daemon, folder):
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    url = "https://127.0.0.1:%d" % listener.getsockname()[1]
    with relay(daemon, listener, context):
        client = subd.Client(url, ca_file=certificate)
        mesh = client.push(subd.Mesh(*torus(64)[:1], 4, torus(64)[1]))
        check(written(client.refined(mesh, 3)) == written(subd.Client(daemon.url).refined(mesh, 3)), "past TLS it is another frame")
        error = raises(subd.NetworkError, subd.Client(url).service)
        check("not trusted" in str(error) and "ca_file" in str(error), str(error))
        raises(subd.NetworkError, subd.Client(daemon.url.replace("http:", "https:"), retries=0).service)
        client.delete(mesh)


def test_tokens(subd, daemon, folder):
    tokens = os.path.join(folder, "tokens")
    made = subprocess.run([os.path.join(BIN, "subdd"), "--tokens-file", tokens, "--new-token", "alice:read"], capture_output=True, text=True, check=True)
    token = made.stdout.split()[-1]
    guarded = subprocess.Popen([os.path.join(BIN, "subdd"), "--listen", "127.0.0.1:0", "--data-dir", os.path.join(folder, "guarded"), "--backend", "cpu",
                                "--tokens-file", tokens], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = re.search(r"http://\S+", guarded.stdout.readline()).group(0)
        check(raises(subd.Refused, subd.Client(url).service).status == 401, "it answers without a token")
        check(raises(subd.Refused, subd.Client(url, token="wrong").service).status == 401, "it takes any token")
        client = subd.Client(url, token=token)
        check(client.service()["name"] == "subdd", "it does not take its token")
        check(raises(subd.Refused, client.push, b"v 0 0 0\n", media_type="model/obj").status == 403, "a token may do what it may not")
        with environment(SUBD_SERVER=url, SUBD_TOKEN=token):
            check(subd.Client().service()["name"] == "subdd", "the environment is not read")
    finally:
        guarded.terminate()
        guarded.wait()


# ---- servers that lie ---------------------------------------------------------------------------------------------------
class Canned:
    """Answers one connection after another: with bytes, or by a function of the socket and the request's bytes."""

    def __init__(self, *answers):
        self.listener, self.answers, self.requests = socket.create_server(("127.0.0.1", 0)), answers, []
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        for answer in self.answers:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            with peer, contextlib.suppress(OSError):
                request = b""
                while b"\r\n\r\n" not in request and (part := peer.recv(65536)):
                    request += part
                self.requests.append(request.decode("latin-1"))
                if callable(answer):
                    answer(peer)
                else:
                    peer.sendall(answer)
                    peer.shutdown(socket.SHUT_WR)
                    peer.settimeout(5)
                    peer.recv(1)  # until the client has gone

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def http(body, status="200 OK", media_type="application/vnd.subdd.frame", length=None, *fields):
    head = [f"HTTP/1.1 {status}", f"Content-Type: {media_type}", f"Content-Length: {len(body) if length is None else length}", *fields]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def message(**fields):
    """Fields f1=..., f11=[..]: numbers, texts, messages, and lists of them."""
    out = b""
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, int):
                out += varint(int(name[1:]) << 3) + varint(value)
            else:
                value = value.encode() if isinstance(value, str) else value
                out += varint(int(name[1:]) << 3 | 2) + varint(len(value)) + value
    return out


def block(semantic, kind, components, count, offset, **more):
    stride = components * (8 if kind == "u64" else 1 if kind == "u8" else 2 if "16" in kind else 4)
    return message(**{**dict(f1=semantic, f2=kind, f3=components, f4=count, f5=stride, f6=offset, f7=count * stride), **more})


def frame_body(blocks, size=448, more=b"", **header):
    head = message(**{**dict(f1="m_1", f2=1, f4=1, f5="refined", f8=4, f9=1, f10=4, f11=blocks), **header}) + more
    body = varint(len(head)) + head
    return body + bytes(max(0, size - len(body)))


def lies():
    """(what is wrong, an answer to `refined` of positions and indices at level 1, the code of the error)."""
    p, i = ("positions", "f32", 3, 4, 320), ("indices", "u32", 4, 1, 384)
    sound = [block(*p), block(*i)]
    body = frame_body(sound)
    yield "nothing", http(body), ""
    yield "short body", http(body[:400], length=448), "protocol"
    yield "long body", http(body + bytes(64), length=448), ""  # What comes after an answer is not of it.
    yield "no length", b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\n\r\n" + body, "protocol"
    yield "chunked", b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "protocol"
    yield "negative length", http(body, length=-5), "protocol"
    yield "empty", http(b""), "protocol"
    yield "another type", http(b"{}", media_type="application/json"), "protocol"
    yield "a part", http(body, "206 Partial Content"), "protocol"
    yield "redirect", http(b"", "302 Found", "text/html", None, "Location: http://127.0.0.1:1/"), "protocol"
    yield "unasked 304", http(b"", "304 Not Modified"), "protocol"
    yield "SSH", b"SSH-2.0-OpenSSH_9.2\r\n", "protocol"
    yield "endless header", b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 500 + b"\r\n", "protocol"
    yield "4 GiB header", http(varint(1 << 32) + body, length=5 << 30), "protocol"
    yield "header of 2 MiB", http(varint((1 << 21) - 1) + body), "protocol"
    yield "header of 0 bytes", http(b"\0" + body), "protocol"
    yield "above the limit", http(body, length=17 << 30), "protocol"
    yield "no message", http(b"\x05\xff\xff\xff\xff\xff" + bytes(100)), "protocol"
    yield "a million blocks", http(frame_body(sound + [b""] * 1000000, 1 << 22)), "protocol"
    yield "another level", http(frame_body(sound, f4=2)), "protocol"
    yield "a relation", http(frame_body(sound, f16="VV")), "protocol"
    yield "absurd counts", http(frame_body(sound, f8=1 << 33)), "protocol"
    yield "a transform of 7 bytes", http(frame_body(sound, f15=b"1234567")), "protocol"
    for what, blocks in (
            ("other rows", [block("positions", "f32", 3, 5, 320), block(*i)]), ("a block less", [block(*p)]), ("a block twice", [block(*p), block(*p), block(*i)]),
            ("a block more", sound + [block("normals", "f32", 3, 4, 384)]), ("an unknown block", sound + [block("smell", "f32", 3, 4, 384)]),
            ("another type", [block("positions", "u32", 3, 4, 320), block(*i)]), ("other components", [block("positions", "f32", 2, 4, 320), block(*i)]),
            ("offset past the end", [block("positions", "f32", 3, 4, 1 << 40), block(*i)]), ("offset of 2^64", [block("positions", "f32", 3, 4, (1 << 64) - 64), block(*i)]),
            ("overlap", [block("positions", "f32", 3, 4, 384), block(*i)]), ("in the header", [block("positions", "f32", 3, 4, 0), block(*i)]),
            ("not aligned", [block("positions", "f32", 3, 4, 321), block(*i)]), ("wrong bytes", [block(*p, f7=1 << 31), block(*i)]),
            ("wrong stride", [block(*p, f5=13), block(*i)]), ("a codec", [block(*p, f8="zip"), block(*i)]), ("a digest that is not known", [block(*p, f9="crc"), block(*i)]),
            ("a box", [block(*p, f13=bytes(24)), block(*i)]), ("face sets", [block(*p, f14="a"), block(*i)]),
            ("a name of a wrong type", [block(*p, f1=7), block(*i)])):
        yield what, http(frame_body(blocks)), "protocol"
    big = [block("positions", "f32", 3, 1 << 28, 320), block(*i)]
    yield "3 GiB in a small body", http(frame_body(big, f8=1 << 28)), "protocol"
    yield "indices past the end", http(body[:384] + struct.pack("<4I", 0, 1, 2, 4) + bytes(48)), "protocol"
    yield "another digest", http(frame_body([block(*p, f9="xxh64-tree-1k") + b"\x51" + bytes(8), block(*i)])), "digest"


def test_lies(subd, daemon, folder):
    for what, answer, code in lies():
        with Canned(answer) as server:
            client = subd.Client(server.url, stall_timeout=5)
            tracemalloc.start()
            try:
                client.refined("m_1")
                found = ""
            except subd.BadAnswer as error:
                found = error.code
                check(str(error) and len(str(error)) < 1000, f"{what}: {error}")
            finally:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                client.close()
            check(found == code, f"{what}: the code is {found!r}")
            check(peak < (12 << 20 if "million" in what else 8 << 20), f"{what}: {peak} bytes were allocated")


class Bytes:
    """An answer in memory, for as many lies as there is time for."""

    status, media_type, etag, timing, request_id = 200, "application/vnd.subdd.frame", '"1"', "", ""

    def __init__(self, body):
        self.body, self.left = body, len(body)

    def read_into(self, view):
        n = len(view)
        view[:] = self.body[len(self.body) - self.left:][:n]
        self.left -= n
        return n


def test_any_byte(subd, daemon, folder):
    """Wherever one or two bytes of a header are other ones, it is a BadAnswer or a frame, and nothing else."""
    client, order = subd.Client(daemon.url), random.Random(1)
    mesh = client.push(os.path.join(SHAPES, "round", "everything.json"))
    frame = client.refined(mesh, 1, include="positions,normals,indices,uvs,uv_indices,face_params", compact="positions", primvars="*")
    names = frozenset(b.semantic for b in frame.blocks.values()) - {"primvar", "primvar_indices"}
    request = subd.frame.Request(1, names, frozenset({"positions"}), ("*",))
    body, bad = written(frame), 0
    for _ in range(int(os.environ.get("SUBDD_FUZZ_ROUNDS") or 1500)):
        other = bytearray(body)
        for _ in range(order.choice((1, 2))):
            other[order.randrange(len(frame.head))] = order.choice((0, 1, 127, 128, 255, order.randrange(256)))
        try:
            subd.frame.Receiver(request, None, False, 1 << 30, None)(Bytes(bytes(other)))
        except subd.BadAnswer:
            bad += 1
    check(bad > 100, f"only {bad} were refused")
    cage = client.cage_file(mesh, "application/protobuf")
    for _ in range(1500):
        other = bytearray(cage)
        other[order.randrange(len(cage))] = order.choice((0, 1, 127, 128, 255, order.randrange(256)))
        with contextlib.suppress(subd.BadAnswer):
            subd.mesh.cage_of(bytes(other), '"1-pb"')


def test_digest_of_another_block(subd, daemon, folder):
    """A true frame with one bit changed, wherever it is in a block, on machines of few cores and of many; the same passes with
    verify=False."""
    client = subd.Client(daemon.url)
    points, faces = torus(128)
    mesh = client.push(subd.Mesh(points, 4, faces))
    frame = client.refined(mesh, 3, include="positions")
    body, at, n = bytearray(written(frame)), frame.blocks["positions"].offset, frame.blocks["positions"].bytes
    check(n > subd.digest.BATCH, "the frame is one job")
    for place in (at, at + subd.digest.BATCH, at + n - 1):
        body[place] ^= 1
        for cores in (1, 8):
            with Canned(http(bytes(body)), http(bytes(body))) as server, unittest.mock.patch("os.cpu_count", return_value=cores):
                liar = subd.Client(server.url)
                check(raises(subd.BadAnswer, liar.refined, mesh, 3, include="positions").code == "digest", "a changed bit was not seen")
                check(liar.refined(mesh, 3, include="positions", verify=False).vertices == frame.vertices, "verify=False looks all the same")
                liar.close()
        body[place] ^= 1
    client.delete(mesh)


def test_lies_of_others(subd, daemon, folder):
    """Neighbours, patches, cages and descriptions that contradict themselves."""
    pb = "application/protobuf"
    rows = lambda offsets, ids, kind="u32": http(frame_body([block("offsets", kind, 1, len(offsets), 320), block("ids", "u32", 1, len(ids), 384)], 320, f4=0, f16="VV") +
                                     struct.pack("<%d%s" % (len(offsets), "I" if kind == "u32" else "Q"), *offsets).ljust(64, b"\0") +
                                     struct.pack("<%dI" % len(ids), *ids))
    for offsets, ids, good in (([0, 2, 3], [1, 2, 0], True), ([0, 3, 2], [1, 2, 0], False), ([1, 2, 3], [1, 2, 0], False), ([0, 2, 9], [1, 2, 0], False),
                               ([0, 2, 3], [1, 2, 4], False), ([], [], False)):
        with Canned(rows(offsets, ids)) as server:
            call = functools.partial(subd.Client(server.url).neighbors, "m_1")
            check(list(call()["ids"]) == ids if good else raises(subd.BadAnswer, call), "rows")
    params = struct.pack("<4I", 0, 0, 0, 1), struct.pack("<4I", 0, 4, 0, 1), struct.pack("<4I", 0, 0, 2, 1), struct.pack("<4I", 0, 0, 0, 2), struct.pack("<4I", 0, 0, 0, 0x1001)
    for row in params:
        with Canned(http(frame_body([block("face_params", "u32", 4, 1, 320)], 320) + row)) as server:
            call = functools.partial(subd.Client(server.url).refined, "m_1", include="face_params")
            check(call() if row in (params[0], params[4]) else raises(subd.BadAnswer, call), "params")
    quad = dict(f3=struct.pack("<12f", *range(12)), f4=struct.pack("<i", 4), f5=struct.pack("<4i", 0, 1, 2, 3), f14=struct.pack("<4i", 0, 1, 2, 3), f15=bytes(4))
    changes = [{}, dict(f4=struct.pack("<i", 5)), dict(f5=struct.pack("<4i", 0, 1, 2, 4)), dict(f5=struct.pack("<4i", 0, 1, 2, -1)), dict(f3=bytes(47)),
               dict(f6=struct.pack("<2i", 0, 9), f7=struct.pack("<i", 2), f8=bytes(4)), dict(f6=bytes(8), f7=struct.pack("<i", 3), f8=bytes(4)), dict(f9=bytes(4)),
               dict(f11=struct.pack("<i", 1)), dict(f12=bytes(8)), dict(f14=bytes(8)), dict(f16=message(f1="a", f2="vertex", f5=bytes(4))), dict(f16=[b""] * 33), dict(f19=bytes(8))]
    for change in changes:
        with Canned(http(message(**{**quad, **change}), "200 OK", pb, None, 'ETag: "3-pb"')) as server:
            call = functools.partial(subd.Client(server.url).cage, "m_1")
            check(raises(subd.BadAnswer, call) if change else call().version == 3, f"cage {change}")
    texts = [http(b"hi", media_type="text/html"), http(b"{}", media_type="application/json"), http(b"\xff\xff", media_type=pb), http(b"", media_type=pb),
             http(b"", "204 No Content", pb), http(message(f1="m_1", f3=1, f19=[b""] * 33), media_type=pb), http(b"short", media_type=pb, length=100)]
    for text in texts:
        with Canned(text) as server:
            raises(subd.BadAnswer, subd.Client(server.url).show, "m_1")
    with Canned(http(message(f1=message(f1="m_1", f3=1), f2="m_1"), media_type=pb), http(message(f1=message(f1="m_1", f3=1), f2="m_1"), media_type=pb)) as server:
        raises(subd.BadAnswer, list, subd.Client(server.url).meshes())
    for plan in (b"[]", b"{", b"[" * 100000, b"9" * 100000, b"{}"):
        with Canned(http(plan, media_type="application/json")) as server:
            raises(subd.BadAnswer, subd.Client(server.url).plan, "m_1")


def test_problems(subd, daemon, folder):
    told = json.dumps({"code": "invalid_mesh", "field": "points", "detail": "bad \x1b[31m red", "currentVersion": "7", "needed": 12, "available": 5, "limit": True}).encode()
    cases = [(http(told, "422 X", "application/problem+json; charset=utf-8", None, "X-Request-Id: r1", "Retry-After: 3"),
              {"code": "invalid_mesh", "field": "points", "status": 422, "current_version": 7, "needed": 12, "available": 5, "request_id": "r1", "retry_after": 3}),
             (http(b"\x22\x05stale\x32\x10version_mismatch\x58\x09", "412 X", "application/protobuf"), {"code": "version_mismatch", "current_version": 9})]
    for body in (b"<html>", b"[" * 60000, b""):
        cases += [(http(body, "502 X", media), {"status": 502}) for media in ("text/html", "application/problem+json", "application/protobuf")]
    for answer, want in cases:
        with Canned(answer) as server:
            error = raises(subd.Refused, subd.Client(server.url).show, "m_1")
            check({k: getattr(error, k) for k in want} == want and str(error) and "\x1b" not in str(error), f"{vars(error)} {error}")
    with Canned(http(b"", "503 X", "text/html", None, "Retry-After: " + "9" * 400)) as server:
        check(raises(subd.Refused, subd.Client(server.url).show, "m_1").retry_after == 0, "a number without end was taken")
    with Canned(continue_for_ever) as server:
        raises(subd.BadAnswer, subd.Client(server.url).show, "m_1")
    with Canned(refuse_at_once) as server:  # The refusal comes before the whole body was sent, and nobody reads the rest.
        check(raises(subd.Refused, subd.Client(server.url, stall_timeout=5).positions, "m_1", bytes(96 << 20)).status == 413, "the refusal was not read")
    with Canned(http(b" " * (1 << 20), "404 X", "application/problem+json")) as server:
        raises(subd.BadAnswer, subd.Client(server.url).show, "m_1")


def refuse_at_once(peer):
    peer.sendall(http(b"{}", "413 X", "application/problem+json"))
    time.sleep(2)


def continue_for_ever(peer):
    while True:
        peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def drip(peer):
    """A sound frame, a byte at a time."""
    for byte in http(frame_body([block("positions", "f32", 3, 4, 320), block("indices", "u32", 4, 1, 384)])):
        peer.sendall(bytes([byte]))
        time.sleep(0.01)


def silence(peer):
    peer.settimeout(10)
    peer.recv(1)


def stop_inside(peer):
    peer.sendall(http(b"\x7f abc", length=5000))
    silence(peer)


def test_slow(subd, daemon, folder):
    for answer, kind, timeouts in ((drip, subd.SlowAnswer, {"request_timeout": 0.5}), (silence, subd.TimedOut, {"request_timeout": 0.4}),
                                   (silence, subd.TimedOut, {"stall_timeout": 0.4}), (stop_inside, subd.SlowAnswer, {"stall_timeout": 0.4})):
        with Canned(answer) as server:
            start = time.monotonic()
            error = raises(kind, subd.Client(server.url, **timeouts).refined, "m_1")
            check(time.monotonic() - start < 3 and error.code == "timeout" and next(iter(timeouts)) in str(error), f"{error}")
            check(isinstance(error, subd.BadAnswer) == (kind is subd.SlowAnswer), "a slow answer is another error")
    with Canned(lambda peer: time.sleep(2)) as server:  # Nobody reads what is sent.
        raises(subd.TimedOut, subd.Client(server.url, stall_timeout=0.5).positions, "m_1", bytes(96 << 20))


def test_cancel(subd, daemon, folder):
    for answer in (silence, stop_inside, drip):
        with Canned(answer, answer) as server:
            client = subd.Client(server.url)
            timer, start = threading.Timer(0.2, client.cancel), time.monotonic()
            timer.start()
            raises(subd.Cancelled, client.refined, "m_1")
            check(time.monotonic() - start < 1.5, "it came too late")
            raises(subd.Cancelled, client.show, "m_1")
    client = subd.Client(daemon.url)
    client.cancel()
    raises(subd.Cancelled, client.service)
    client.uncancel()
    check(client.service()["name"] == "subdd", "it stays cancelled")
    with Canned(silence) as server:
        client = subd.Client(server.url)
        thread = threading.Thread(target=lambda: raises(subd.Cancelled, client.show, "m_1"))
        thread.start()
        time.sleep(0.2)
        raises(subd.UsageError, client.show, "m_1")  # One call at a time.
        client.cancel()
        thread.join()


def test_retries(subd, daemon, folder):
    close, pb = (lambda peer: None), "application/protobuf"
    info, busy = http(message(f1="m_1", f3=1), media_type=pb), http(b'{"code": "busy", "retryAfterMs": 50}', "503 X", "application/problem+json")
    with Canned(close, busy, info) as server:
        check(subd.Client(server.url).show("m_1").id == "m_1" and len(server.requests) == 3, "a GET was not repeated")
    with Canned(close, busy, info) as server:
        subd.Client(server.url).push(b"v 0 0 0", media_type="model/obj")
        keys = {re.search(r"Idempotency-Key: (\S+)", request).group(1) for request in server.requests}
        check(len(server.requests) == 3 and len(keys) == 1, f"a push was repeated with keys {keys}")
    for answer, kind in ((close, subd.NetworkError), (busy, subd.Refused)):
        for call in (lambda c: c.positions("m_1", bytes(12)), lambda c: c.delete("m_1"), lambda c: c.rename("m_1", "a"), lambda c: c.smooth_store("m_1", 1)):
            with Canned(answer, info) as server:
                raises(kind, call, subd.Client(server.url))
                check(len(server.requests) == 1, "what may not be repeated was")
    with Canned(close, close, close, info) as server:
        raises(subd.NetworkError, subd.Client(server.url, retries=2).show, "m_1")
    with Canned(http(b"", "503 X", "text/html", None, "Retry-After: 3600"), info) as server:
        check(raises(subd.Refused, subd.Client(server.url).show, "m_1").retry_after == 3600, "it waits for an hour")
    client = subd.Client(daemon.url)
    with open(os.path.join(SHAPES, "box.obj"), "rb") as f:
        pushed = [client.push(body, media_type="model/obj", idempotency_key="twice" + folder).id for body in [f.read()] * 2]
    check(pushed[0] == pushed[1], "one key made two meshes")
    done = [client.edits(pushed[0], 1, [subd.edits.set_corners([0], [2])], idempotency_key="once" + folder).mesh.version for _ in range(2)]
    check(done == [2, 2], "one key made two versions")
    client.delete(pushed[0])


def test_sigpipe(subd, daemon, folder):
    """A program that Python is embedded in may not have SIGPIPE ignored, and is not to die of a server that closes."""
    code = "import signal, sys, subd; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n" \
           "try: subd.Client(sys.argv[1]).positions('m_1', bytes(64 << 20))\nexcept subd.NetworkError: print('told')"
    path = os.path.join(folder, "closing")
    with socket.socket(socket.AF_UNIX) as listener, environment(PYTHONPATH=PACKAGE):
        listener.bind(path)
        listener.listen(1)
        child = subprocess.Popen([sys.executable, "-c", code, "unix:" + path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        peer = listener.accept()[0]
        peer.recv(65536)
        peer.close()
        out, err = child.communicate(timeout=60)
    check((child.returncode, out) == (0, "told\n"), f"exit code {child.returncode}: {err}")


def test_what_is_sent(subd, daemon, folder):
    with environment(http_proxy="http://127.0.0.1:1"), Canned(http(b"", "204 No Content")) as server:
        subd.Client(server.url + "//", token="secret-token", request_timeout=4.321, priority="bulk").delete("../v1?x=1&\r\n", 12)
    sent = server.requests[0]
    check(sent.startswith("DELETE /v1/meshes/..%2Fv1%3Fx%3D1%26%0D%0A HTTP/1.1\r\n"), sent)
    for line in ("Authorization: Bearer secret-token", 'If-Match: "12"', "Subdd-Timeout-Ms: 4321", "Subdd-Priority: bulk"):
        check(f"\r\n{line}\r\n" in sent, f"{line} is not in {sent}")


def test_stale_connection(subd, daemon, folder):
    """A connection that the server has closed meanwhile is not used: what may not be repeated then still gets through."""
    answer = http(message(f1="m_1", f3=1), media_type="application/protobuf")
    with Canned(lambda peer: peer.sendall(answer), lambda peer: peer.sendall(answer)) as server:
        client = subd.Client(server.url)
        client.show("m_1")
        time.sleep(0.1)
        check(client.positions("m_1", bytes(12)).id == "m_1", "the closed connection was used")


def python(daemon, folder):
    if not os.path.isdir(PACKAGE):
        yield "python", f"there is no {PACKAGE}"
        return
    sys.path.insert(0, PACKAGE)
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_") and name != "test_frames"}
    shapes = sorted(name for name in os.listdir(SHAPES) if name.endswith(".obj"))[::EVERY]
    for kind, with_numpy in (("numpy", True), ("plain", False)):
        subd = load(with_numpy)
        if with_numpy and subd.arrays.numpy is None:
            yield "numpy", "numpy is not installed for this Python (python3-numpy): only what works without it is tested"
            continue
        folder = os.path.join(folder, kind)
        os.mkdir(folder)
        for name, test in tests.items():
            yield f"{kind}_{name}", functools.partial(test, subd, daemon, folder)
        for shape in shapes:
            yield f"{kind}_{shape}", functools.partial(test_frames, subd, daemon, folder, shape)


if __name__ == "__main__":
    with_numpy()
    run_tests(python)
