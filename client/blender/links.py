# SPDX-License-Identifier: GPL-3.0-or-later
"""The links between objects and the daemon, and what keeps them up to date. Handlers only take note; a timer (tick), or
who needs the result at once (update), compares, submits and applies. Links follow what the file says: an object with a
key has a session, and a session without its object ends. So undo, loading, deleting and duplicating need nothing of
their own."""
import atexit
import os
import time
import uuid

import bpy
from bpy.app.handlers import persistent

from . import compat, meshes
from .session import Job, Session, Want
from .subd import Client, UsageError

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
        self.submitted = None  # The last (cage, want), whose result was asked for.
        self.built = None  # What the surface's mesh has: (mesh's name, topology key).
        self.theirs = None  # Another's version that waits.
        self.sentence = ""  # What keeps the link from going on, where that is no fault of the daemon.
        self.loose = 0  # Edges without a face.
        self.apply_seconds = 0.0


uses_threads = not bpy.app.background  # Timers never fire in the background, so that threads would have nobody to tell.
LINKS = {}  # By the key in the object's properties.
_noted = {"scan": True, "render": False}


# ---- objects ---------------------------------------------------------------------------------------------------------
def connector():
    """Makes clients without looking at Blender, for other threads."""
    if not compat.online():
        raise UsageError("Blender is not allowed to use the network: Preferences, System, Allow Online Access")
    preferences = bpy.context.preferences.addons[__package__].preferences
    server, token = preferences.server or None, preferences.token or None
    return lambda: Client(server, token=token, connect_timeout=2.0, stall_timeout=60.0, retries=0)


def modifier_of(obj):
    """The last Subdivision modifier, whose settings count."""
    found = [m for m in obj.modifiers if m.type == "SUBSURF"]
    return found[-1] if found else None


def want_of(obj, is_render):
    m = modifier_of(obj)
    scheme = "bilinear" if m.subdivision_type == "SIMPLE" else "catmullClark"
    options = {
        "scheme": scheme, "interpolate_boundary": _BOUNDARY[m.boundary_smooth],
        "face_varying_linear_interpolation": _UVS[m.uv_smooth]
    }
    surface = "limit" if m.use_limit_surface and scheme != "bilinear" else "refined"
    return Want(m.render_levels if is_render else m.levels, surface, options)


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
    if not modifier_of(obj):
        m = obj.modifiers.new(MODIFIER, "SUBSURF")
        m.levels = m.render_levels = 2
    m, own = modifier_of(obj), obj.subdd
    own.was_viewport, own.was_render, own.was_display, own.was_hidden = (m.show_viewport, m.show_render,
                                                                         obj.display_type, obj.hide_render)
    own.mesh_id, own.keep, own.key = mesh_id, keep or bool(mesh_id), uuid.uuid4().hex
    surface_of(obj)
    _noted["scan"] = True
    return reconcile()


def unlink(obj):
    """The object is as it was before; without keep its mesh leaves the daemon."""
    own, m = obj.subdd, modifier_of(obj)
    gone = LINKS.pop(own.key, None)
    own.key = own.mesh_id = ""
    if own.surface:
        remove_surface(own.surface)
    if m:
        m.show_viewport, m.show_render = own.was_viewport, own.was_render
    obj.display_type, obj.hide_render = own.was_display or "TEXTURED", own.was_hidden
    if gone:
        gone.session.close()


def take_over(obj, is_away):
    """The built-in modifier shows the surface while the daemon is away, the companion otherwise."""
    m, surface = modifier_of(obj), surface_of(obj)
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


def _forget(copy):
    """A duplicate is an object of its own, and not linked."""
    own, m = copy.subdd, modifier_of(copy)
    own.key = own.mesh_id = ""
    own.surface = None
    copy.display_type, copy.hide_render = own.was_display or "TEXTURED", own.was_hidden
    if m:
        m.show_viewport, m.show_render = own.was_viewport, own.was_render


def _sweep(found):
    """Surfaces whose object is gone, and copies of surfaces, which become plain objects."""
    for surface in [o for o in bpy.data.objects if o.subdd.is_surface]:
        source = surface.subdd.source
        if source and source.subdd.surface == surface and source.subdd.key in found:
            continue
        if source and source.subdd.surface and source.subdd.key:
            surface.subdd.source, surface.subdd.is_surface, surface.hide_select = None, False, False
            if surface.data == source.subdd.surface.data:
                surface.data = surface.data.copy()
        else:
            remove_surface(surface)


def reconcile():
    """A session for each object with a key, and none besides."""
    found = _find()
    for key in [k for k in LINKS if k not in found]:
        LINKS.pop(key).session.close()
    for key, obj in found.items():
        if key not in LINKS:
            try:
                session = Session(connector(), obj.name, obj.subdd.mesh_id if obj.subdd.keep else "", obj.subdd.keep)
            except UsageError as why:
                obj.subdd.sentence = str(why)
                continue
            obj.subdd.sentence = ""
            LINKS[key] = Link(obj, session)
            if uses_threads:
                session.start()
        LINKS[key].name = obj.name
    _sweep(found)
    _noted["scan"] = False
    return found


def objects():
    """(object, link) of all links."""
    found = {key: bpy.data.objects.get(each.name) for key, each in LINKS.items()}
    if _noted["scan"] or any(o is None or o.subdd.key != key for key, o in found.items()):
        found = reconcile()
    return [(found[key], LINKS[key]) for key in found if key in LINKS]


# ---- one link --------------------------------------------------------------------------------------------------------
def _read(obj, each):
    with_creases = modifier_of(obj).use_creases
    cage, each.loose = meshes.read_object(obj, bpy.context.evaluated_depsgraph_get(), with_creases)
    return cage


def submit(obj, each, is_render=False):
    """Compares the object with what was submitted last, and submits what is new. Whether there was something."""
    each.is_dirty = False
    if not modifier_of(obj):
        each.sentence = "the object has lost its Subdivision modifier, which has the settings: unlink, and link again"
        return False
    cage, want = _read(obj, each), want_of(obj, is_render)
    if each.submitted and each.submitted[1] == want and each.submitted[0].same(cage):
        return False
    each.submitted = (cage, want)
    each.session.submit(Job(cage, want, is_render))
    return True


def apply(obj, each):
    """Shows the result that has come, if there is one."""
    result = each.session.take()
    if not result:
        return False
    begun = time.perf_counter()
    surface = surface_of(obj)
    mesh, key = surface.data, result.topology.key
    if result.attributes:
        _materials(obj, mesh)  # First, as faces can only have materials that are there.
    meshes.show(mesh, result, each.built == (mesh.name, key) and len(mesh.vertices) == result.frame.vertices)
    each.built = (mesh.name, key)
    each.session.applied()
    each.apply_seconds = time.perf_counter() - begun
    if obj.subdd.mesh_id != each.session.id:
        obj.subdd.mesh_id = each.session.id
    return True


def _materials(obj, mesh):
    wanted = [slot.material for slot in obj.material_slots]
    if list(mesh.materials) != wanted:
        mesh.materials.clear()
        for material in wanted:
            mesh.materials.append(material)


def attend(obj, each):
    """All that there is to do for a link now. Whether something moves still."""
    if each.session.state.away:
        take_over(obj, True)
    if apply(obj, each):
        take_over(obj, False)
    if each.is_dirty:
        submit(obj, each)
    return not each.session.is_idle()


def tick():
    """The timer's work."""
    try:
        moving = [attend(obj, each) for obj, each in objects()]
    except ReferenceError:
        return _TICK  # Undo has made the objects anew in the middle.
    return _TICK if any(moving) else _IDLE


def update(is_render=False):
    """Brings all links up to date before it returns, on this thread."""
    for obj, each in objects():
        if not submit(obj, each, is_render):
            continue
        job = Job(*each.submitted, is_render)
        each.session.work_now(job)
        take_over(obj, bool(each.session.state.away))
        apply(obj, each)


# ---- notes -----------------------------------------------------------------------------------------------------------
@persistent
def note(scene, depsgraph):
    """Takes note of what changed, and no more."""
    if not LINKS and not _noted["scan"]:
        _noted["scan"] = any(isinstance(u.id, bpy.types.Object) for u in depsgraph.updates)
        return
    names = set()
    for u in depsgraph.updates:
        if isinstance(u.id, bpy.types.Object) or isinstance(u.id, bpy.types.Mesh):
            names.add(u.id.name)
    for obj, each in objects_now():
        if obj.name in names or obj.data.name in names:
            each.is_dirty = True
    _noted["scan"] = True


def objects_now():
    """As objects(), without looking for new ones."""
    found = ((bpy.data.objects.get(each.name), each) for each in LINKS.values())
    return [(o, each) for o, each in found if o and o.data]


@persistent
def note_all(*_):
    """After undo, redo and loading all may be another."""
    _noted["scan"] = True
    for each in LINKS.values():
        each.is_dirty, each.built = True, None


@persistent
def end_all(*_):
    """Before another file is loaded, and at the end."""
    for each in list(LINKS.values()):
        each.session.close()
    LINKS.clear()
    _noted["scan"] = True


HANDLERS = (("depsgraph_update_post", note), ("undo_post", note_all), ("redo_post", note_all), ("load_post", note_all),
            ("load_pre", end_all))


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
