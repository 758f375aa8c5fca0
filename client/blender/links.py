# SPDX-License-Identifier: GPL-3.0-or-later
"""The links between objects and the daemon, and what keeps them up to date. Handlers only take note; a timer (tick), or
who needs the result at once (update), compares, submits and applies. Links follow what the file says: an object with a
key has a session, and a session without its object ends. So undo, loading, deleting and duplicating need nothing of
their own."""
import atexit
import dataclasses
import time
import traceback
import uuid

import bpy
import numpy
from bpy.app.handlers import persistent

from . import compat, meshes, subd
from .cage import from_mesh
from .session import Job, Session, Want

MODIFIER = "subdd"  # Its settings are those of the link; it also takes over while the daemon is away.
_TICK, _IDLE = 0.02, 0.2  # Seconds between two looks.
_BOUNDARY = {"ALL": "edgeOnly", "PRESERVE_CORNERS": "edgeAndCorner"}
_UVS = {
    "NONE": "all", "PRESERVE_CORNERS": "cornersOnly", "PRESERVE_CORNERS_AND_JUNCTIONS": "cornersPlus1",
    "PRESERVE_CORNERS_JUNCTIONS_AND_CONCAVE": "cornersPlus2", "PRESERVE_BOUNDARIES": "boundaries",
    "SMOOTH_ALL": "none"
}


class Link:
    def __init__(self, obj, session):
        self.name, self.session = obj.name, session
        self.is_dirty = True
        self.submitted = None  # The last (cage, want) whose result was asked for.
        self.built = None  # What the surface's mesh has: (mesh's name, topology key).
        self.has_shown = False
        self.theirs = None  # Another's version that waits.
        self.sentence = ""  # What keeps the link from going on, where that is no fault of the daemon.
        self.loose = 0  # Edges without a face.
        self.apply_seconds = 0.0

    def renew(self):
        """Nothing of what the surface shows is sure any more."""
        self.is_dirty, self.built, self.submitted = True, None, None


uses_threads = not bpy.app.background  # Timers never fire in the background, so that threads would have nobody to tell.
LINKS = {}  # By the key in the object's properties.
_noted = {"scan": True, "rendering": False, "told": ""}


# ---- objects ---------------------------------------------------------------------------------------------------------
def connector():
    """What makes clients of the daemon in the preferences, on any thread."""
    if not compat.online():
        raise subd.UsageError("Blender is not allowed to use the network: Preferences, System, Allow Online Access")
    preferences = bpy.context.preferences.addons[__package__].preferences
    server, token = preferences.server or None, preferences.token or None
    return lambda: subd.Client(server, token=token, connect_timeout=2.0, stall_timeout=60.0, retries=0)


def level_of(obj, is_render):
    m = meshes.modifier_of(obj)
    return m.render_levels if is_render else m.levels


def want_of(obj, is_render):
    m = meshes.modifier_of(obj)
    scheme = "bilinear" if m.subdivision_type == "SIMPLE" else "catmullClark"
    options = {
        "scheme": scheme, "interpolate_boundary": _BOUNDARY[m.boundary_smooth],
        "face_varying_linear_interpolation": _UVS[m.uv_smooth]
    }
    surface = "limit" if m.use_limit_surface and scheme != "bilinear" else "refined"
    return Want(level_of(obj, is_render), surface, options)


def surface_of(obj):
    """The companion object that shows the surface; made where it is missing."""
    surface = obj.subdd.surface
    if surface and surface.name in bpy.data.objects and surface.subdd.source == obj:
        return surface
    surface = bpy.data.objects.new(obj.name + " surface", bpy.data.meshes.new(obj.name + " surface"))
    surface.subdd.source, surface.subdd.is_surface, obj.subdd.surface = obj, True, surface
    surface.parent = obj
    for collection in obj.users_collection or [bpy.context.scene.collection]:
        collection.objects.link(surface)
    surface.hide_select = True
    return surface


def remove_surface(surface):
    mesh = surface.data
    bpy.data.objects.remove(surface)
    if mesh and not mesh.users:
        bpy.data.meshes.remove(mesh)


def link(obj, mesh_id="", keep=False):
    """Links an object; with a mesh_id to that mesh of the daemon."""
    if not meshes.modifier_of(obj):
        m = obj.modifiers.new(MODIFIER, "SUBSURF")
        m.levels = m.render_levels = 2
    m, own = meshes.modifier_of(obj), obj.subdd
    own.was_viewport, own.was_render, own.was_display, own.was_hidden = (m.show_viewport, m.show_render,
                                                                         obj.display_type, obj.hide_render)
    own.mesh_id, own.keep, own.key = mesh_id, keep or bool(mesh_id), uuid.uuid4().hex
    surface_of(obj)
    _noted["scan"] = True
    return reconcile()


def unlink(obj):
    """The object is as it was before; without keep its mesh leaves the daemon."""
    gone, surface = LINKS.pop(obj.subdd.key, None), obj.subdd.surface
    _forget(obj)
    if surface:
        remove_surface(surface)
    if gone:
        gone.session.close(0)


def join(context, text):
    """A new object for a mesh of the daemon, linked to it."""
    with connector()() as daemon:
        info = daemon.find(text)
        cage = from_mesh(daemon.cage(info))
    obj = bpy.data.objects.new(info.name, bpy.data.meshes.new(info.name))
    context.collection.objects.link(obj)
    meshes.replace(obj.data, cage)
    m = obj.modifiers.new(MODIFIER, "SUBSURF")
    m.levels = m.render_levels = 2
    follow(obj, info.options)
    context.view_layer.objects.active = obj
    link(obj, info.id)
    return obj


def follow(obj, options):
    """Makes the modifier's settings those of a mesh of the daemon, as far as it has them."""
    m = meshes.modifier_of(obj)
    m.subdivision_type = "SIMPLE" if options.get("scheme") == "bilinear" else "CATMULL_CLARK"
    for mine, name in ((_BOUNDARY, "boundary_smooth"), (_UVS, "uv_smooth")):
        option = "interpolate_boundary" if mine is _BOUNDARY else "face_varying_linear_interpolation"
        found = [k for k, token in mine.items() if token == options.get(option)]
        if found:
            setattr(m, name, found[0])


def take_over(obj, is_away):
    """The built-in modifier shows the surface while the daemon is away, the companion otherwise."""
    m, surface = meshes.modifier_of(obj), surface_of(obj)
    for thing, name, value in ((m, "show_viewport", is_away), (m, "show_render", is_away),
                               (surface, "hide_viewport", is_away), (surface, "hide_render", is_away),
                               (obj, "display_type", "TEXTURED" if is_away else "WIRE"),
                               (obj, "hide_render", not is_away)):
        if getattr(thing, name) != value:
            setattr(thing, name, value)


# ---- sessions --------------------------------------------------------------------------------------------------------
def _find():
    """The object of each key. Of several, which were duplicated, the one that had it keeps it."""
    found = {}
    for obj in bpy.data.objects:
        key = obj.subdd.key
        if not key or obj.type != "MESH" or not obj.users_scene:
            continue
        first = found.get(key)
        if first is None:
            found[key] = obj
            continue
        copy = first if key in LINKS and LINKS[key].name == obj.name else obj
        found[key] = first if copy is obj else obj
        _forget(copy)
    return found


def _forget(obj):
    """Not linked any more, and as it was before; so are duplicates, which are objects of their own."""
    own, m = obj.subdd, meshes.modifier_of(obj)
    own.key = own.mesh_id = ""
    own.surface = None
    obj.display_type, obj.hide_render = own.was_display or "TEXTURED", own.was_hidden
    if m:
        m.show_viewport, m.show_render = own.was_viewport, own.was_render


def _sweep(found):
    """Surfaces whose object is gone, and copies of surfaces, which become plain objects."""
    for surface in [o for o in bpy.data.objects if o.subdd.is_surface]:
        source = surface.subdd.source
        is_linked = source and source.subdd.key in found and found[source.subdd.key] == source
        if is_linked and source.subdd.surface == surface:
            continue
        if is_linked:
            surface.subdd.source, surface.subdd.is_surface, surface.hide_select = None, False, False
            if source.subdd.surface and surface.data == source.subdd.surface.data:
                surface.data = surface.data.copy()
            continue
        remove_surface(surface)
        if source and not source.users_scene:  # It was deleted, and only the surface and itself still knew it.
            source.subdd.surface = None
            if not source.users:
                bpy.data.objects.remove(source)


def reconcile():
    """A session for each object with a key, and none besides."""
    _noted["scan"] = False
    found = _find()
    for key in [k for k in LINKS if k not in found]:
        LINKS.pop(key).session.close(0)
    for key, obj in found.items():
        if key not in LINKS:
            own = obj.subdd
            try:
                session = Session(connector(), obj.name, own.mesh_id if own.keep else "", own.keep)
            except subd.UsageError as why:
                own.sentence = str(why)
                if meshes.modifier_of(obj):
                    take_over(obj, True)
                continue
            own.sentence = ""
            LINKS[key] = Link(obj, session)
            if uses_threads:
                session.start()
        LINKS[key].name = obj.name
    _sweep(found)
    return found


def objects():
    """(object, link) of all links."""
    found = {key: bpy.data.objects.get(each.name) for key, each in LINKS.items()}
    if _noted["scan"] or any(o is None or o.subdd.key != key for key, o in found.items()):
        found = reconcile()
    return [(found[key], LINKS[key]) for key in found if key in LINKS]


# ---- one link --------------------------------------------------------------------------------------------------------
def _read(obj, each):
    cage = meshes.read_object(obj, each.submitted and each.submitted[0])
    each.loose = cage.loose
    return cage


def is_playing():
    """The poses of an animation are not kept."""
    return any(w.screen.is_animation_playing for w in bpy.context.window_manager.windows)


def submit(obj, each, is_render=False, is_forced=False):
    """Compares the object with what was submitted last, and submits what is new. The job, if there was something."""
    each.is_dirty = False
    if not level_of(obj, is_render):
        return None
    each.sentence = ""
    cage, want = _read(obj, each), want_of(obj, is_render)
    if not is_forced and each.submitted and each.submitted[1] == want and each.submitted[0].same(cage):
        return None
    mesh = obj.subdd.surface.data
    job = Job(cage, want, is_render or is_playing(), not each.built or each.built[0] != mesh.name or not mesh.vertices)
    if is_forced or each.session.submit(job):
        each.submitted = (cage, want)
    else:
        each.is_dirty = True
    return job


def apply(obj, each):
    """Shows the result that has come, if there is one."""
    result, surface = each.session.take(), surface_of(obj)
    if not result or surface.mode == "EDIT":
        return
    begun = time.perf_counter()
    mesh, key = surface.data, result.topology.key
    is_built = each.built == (mesh.name, key) and len(mesh.vertices) == result.frame.vertices
    if not (is_built or result.attributes):
        each.renew()  # The surface's mesh went away meanwhile, and this result has only positions.
        each.session.applied()
        return
    if result.attributes:
        _materials(obj, mesh)  # First, as faces can only have materials that are there.
    meshes.show(mesh, result, is_built)
    each.built, each.has_shown = (mesh.name, key), True
    each.session.applied()
    each.apply_seconds = time.perf_counter() - begun
    if obj.subdd.mesh_id != each.session.id:
        obj.subdd.mesh_id = each.session.id


def _materials(obj, mesh):
    wanted = [slot.material for slot in obj.material_slots]
    if list(mesh.materials) != wanted:
        mesh.materials.clear()
        for material in wanted:
            mesh.materials.append(material)


def _waits(each, sentence):
    each.sentence = sentence
    each.session.is_held = True


def meet(obj, each):
    """Another's version. It becomes the object's own mesh where nothing has changed here, and with positions that moved
    here where only positions did; else a person decides. Whether that is done."""
    theirs, local = each.theirs, _read(obj, each)
    version = "version %d of the mesh is another's" % theirs.version
    is_like = theirs.cage.like_but_points(local)
    if is_like and (theirs.cage.points == local.points).all():
        return take(obj, each)
    if obj.mode not in ("OBJECT", "EDIT"):
        _waits(each, version + ": it is taken when you are back in Object Mode")
        return False
    if meshes.is_shaped(obj):
        _waits(each, version + ", and this object, whose modifiers or shape keys make its mesh, cannot take it")
        return False
    if theirs.base and local.same(theirs.base):
        return take(obj, each)
    if theirs.base and is_like and theirs.base.like_but_points(local):
        moved = (local.points != theirs.base.points).any(1)
        meshes.move(obj, numpy.where(moved[:, None], local.points, theirs.cage.points))
        return _met(obj, each)
    _waits(each, version + ", and this one has changed as well: take theirs, or put yours over it")
    return False


def take(obj, each):
    """Another's version becomes the object's own mesh. Whether that can be."""
    local, cage = _read(obj, each), each.theirs.cage
    if cage.like_but_points(local):
        if not (cage.points == local.points).all():
            meshes.move(obj, cage.points)
    elif obj.mode == "OBJECT":
        meshes.replace(obj.data, cage)
    else:
        _waits(each, "version %d of the mesh is another's, with other faces: it is taken when you leave Edit Mode" %
               each.theirs.version)
        return False
    return _met(obj, each)


def _met(obj, each):
    """From here on the daemon's mesh is what Blender holds of it, but for positions that moved here too."""
    theirs, each.theirs, each.sentence = each.theirs, None, ""
    each.session.mirror(dataclasses.replace(_read(obj, each), points=theirs.cage.points), theirs.version)
    each.is_dirty, each.submitted = True, None
    each.session.release()
    return True


def put(each):
    """The object's own mesh goes over another's version."""
    each.theirs, each.sentence, each.is_dirty, each.submitted = None, "", True, None
    each.session.release()


def settle(obj, each, is_render=False):
    """Takes what has come for a link: surfaces, another's version, and whether the daemon is there. False where nothing
    can be sent now. At level 0 there is nothing to ask for, and the modifier has nothing to do."""
    if not meshes.modifier_of(obj):
        each.sentence = "the object has lost its Subdivision modifier, which has the settings: unlink, and link again"
        return False
    each.theirs = each.session.take_theirs() or each.theirs
    apply(obj, each)
    is_away = bool(each.session.state.away) or not level_of(obj, is_render)
    take_over(obj, is_away or not (each.has_shown or meshes.is_shaped(obj)))
    if each.theirs and (each.is_dirty or not each.session.is_held) and not meet(obj, each):
        each.is_dirty = False
    return not each.theirs


def attend(obj, each):
    """All that there is to do for a link now. Whether something moves still."""
    if settle(obj, each) and each.is_dirty and not (each.session.state.away and meshes.is_shaped(obj)):
        submit(obj, each)
    return not each.session.is_idle()


def _redraw():
    """The panels, where something else is told than before."""
    told = repr([(each.session.state, each.sentence, each.loose) for each in LINKS.values()])
    if told == _noted["told"]:
        return
    _noted["told"] = told
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def tick():
    """The timer's work."""
    if _noted["rendering"]:
        return _IDLE
    is_moving = False
    for obj, each in objects():
        try:
            is_moving |= attend(obj, each)
        except ReferenceError:  # It was removed in the middle.
            _noted["scan"] = is_moving = True
        except Exception as why:  # pylint: disable=broad-except  Blender would never call this timer again.
            traceback.print_exc()
            each.is_dirty, each.sentence = False, "the add-on failed: %s: %s" % (type(why).__name__, why)
    _redraw()
    return _TICK if is_moving else _IDLE


def update(is_render=False):
    """Brings all links up to date before it returns, on this thread."""
    for obj, each in objects():
        for _ in range(4):  # Others may be faster a few times, and not for ever.
            job = submit(obj, each, is_render, True) if settle(obj, each, is_render) else None
            if not job:
                break
            each.session.work_now(job)
            if settle(obj, each, is_render) and not each.is_dirty:
                break


# ---- notes -----------------------------------------------------------------------------------------------------------
@persistent
def note(_scene, depsgraph):
    """Takes note of what changed, and no more."""
    names = set()
    for u in depsgraph.updates:
        if isinstance(u.id, bpy.types.Mesh) or (isinstance(u.id, bpy.types.Object) and u.is_updated_geometry):
            names.add(u.id.name)
        elif isinstance(u.id, (bpy.types.Scene, bpy.types.Collection)):
            _noted["scan"] = True
    for each in LINKS.values() if names else ():
        obj = bpy.data.objects.get(each.name)
        each.is_dirty |= not obj or obj.name in names or obj.data.name in names  # One without an object was renamed.


@persistent
def note_all(*_):
    """After undo, redo and loading all may be another."""
    _noted["scan"] = True
    for each in LINKS.values():
        each.renew()


@persistent
def note_frame(*_):
    """Animation changes meshes and modifiers without a word of their own."""
    for each in LINKS.values():
        obj = bpy.data.objects.get(each.name)
        each.is_dirty |= bool(obj and (obj.animation_data or meshes.is_shaped(obj)))


@persistent
def begin_render(*_):
    _noted["rendering"] = True


@persistent
def render(*_):
    """Before each frame: the surfaces at the level for renders, of the pose of this frame, which is not kept."""
    update(is_render=True)


@persistent
def end_render(*_):
    """Back to the level for the viewport."""
    _noted["rendering"] = False
    for each in LINKS.values():
        each.is_dirty = True


@persistent
def end_all(*_):
    """Before another file is loaded, and at the end."""
    gone = list(LINKS.values())
    LINKS.clear()
    for each in gone:
        each.session.close(0)
    for each in gone:
        each.session.close(3)
    _noted["scan"], _noted["rendering"] = True, False


HANDLERS = (("depsgraph_update_post", note), ("frame_change_post", note_frame), ("undo_post", note_all),
            ("redo_post", note_all), ("load_post", note_all), ("load_pre", end_all), ("render_init", begin_render),
            ("render_pre", render), ("render_complete", end_render), ("render_cancel", end_render))


def register():
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    if not bpy.app.background:
        bpy.app.timers.register(tick, first_interval=_IDLE, persistent=True)
    atexit.register(end_all)


def unregister():
    for name, handler in HANDLERS:
        found = getattr(bpy.app.handlers, name)
        if handler in found:
            found.remove(handler)
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    atexit.unregister(end_all)
    end_all()
