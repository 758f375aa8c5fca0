# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see: properties, preferences, operators and the panel in the sidebar."""
import textwrap

import bpy

from . import compat, links, meshes
from .session import told_bytes
from .subd import Error


class SubddLink(bpy.types.PropertyGroup):
    """What an object keeps of its link, in the file and through undo."""
    key: bpy.props.StringProperty(options={"HIDDEN"})
    mesh_id: bpy.props.StringProperty(options={"HIDDEN"})
    keep: bpy.props.BoolProperty(options={"HIDDEN"})
    sentence: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    surface: bpy.props.PointerProperty(type=bpy.types.Object)
    source: bpy.props.PointerProperty(type=bpy.types.Object)  # Of a surface, the object that it belongs to.
    is_surface: bpy.props.BoolProperty(options={"HIDDEN"})
    was_viewport: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    was_render: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    was_display: bpy.props.StringProperty(options={"HIDDEN"})
    was_hidden: bpy.props.BoolProperty(options={"HIDDEN"})


def _changed(_preferences, _context):
    """Links go over to the other daemon."""
    links.end_all()


class SubddPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    server: bpy.props.StringProperty(name="Server", default="http://127.0.0.1:7373",
                                     description="http://HOST:PORT, https://HOST:PORT, or unix:/PATH", update=_changed)
    token: bpy.props.StringProperty(name="Token", subtype="PASSWORD", update=_changed,
                                    description="Empty where the daemon asks for none")

    def draw(self, _context):
        self.layout.prop(self, "server")
        self.layout.prop(self, "token")


class SUBDD_OT_link(bpy.types.Operator):
    """Show this object's surface as the daemon makes it"""
    bl_idname, bl_label, bl_options = "subdd.link", "Link", {"REGISTER", "UNDO"}
    keep: bpy.props.BoolProperty(name="Keep on the daemon", description="The mesh stays there for others when the link "
                                 "ends, and this file finds it again")

    @classmethod
    def poll(cls, context):
        return context.object and context.object.type == "MESH" and not (context.object.subdd.key or
                                                                         context.object.subdd.is_surface)

    def execute(self, context):
        links.link(context.object, keep=self.keep)
        return {"FINISHED"}


class SUBDD_OT_unlink(bpy.types.Operator):
    """End the link; the Subdivision modifier is as it was before"""
    bl_idname, bl_label, bl_options = "subdd.unlink", "Unlink", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.subdd.key)

    def execute(self, context):
        links.unlink(context.object)
        return {"FINISHED"}


class SUBDD_OT_update(bpy.types.Operator):
    """Bring all linked objects up to date, and wait for it"""
    bl_idname, bl_label = "subdd.update", "Update Now"

    def execute(self, _context):
        links.update()
        return {"FINISHED"}


class SUBDD_OT_join(bpy.types.Operator):
    """Make an object of a mesh of the daemon, linked to it; others may be at it as well"""
    bl_idname, bl_label, bl_options = "subdd.join", "Join a Mesh", {"REGISTER", "UNDO"}
    mesh: bpy.props.StringProperty(name="Mesh", description="Its id, the beginning of it, or its name")

    def invoke(self, context, _event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        try:
            links.join(context, self.mesh)
        except Error as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
        return {"FINISHED"}


class _Decides:
    @classmethod
    def poll(cls, context):
        each = links.LINKS.get(context.object.subdd.key) if context.object else None
        return each is not None and each.theirs is not None


class SUBDD_OT_take(_Decides, bpy.types.Operator):
    """Replace this object's mesh by the daemon's version"""
    bl_idname, bl_label, bl_options = "subdd.take", "Take Theirs", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not meshes.is_shaped(context.object)

    def execute(self, context):
        links.take(context.object, links.LINKS[context.object.subdd.key])
        return {"FINISHED"}


class SUBDD_OT_put(_Decides, bpy.types.Operator):
    """Make this object's mesh the next version, over the other one"""
    bl_idname, bl_label = "subdd.put", "Put Mine"

    def execute(self, context):
        links.put(links.LINKS[context.object.subdd.key])
        return {"FINISHED"}


class SUBDD_OT_hole(bpy.types.Operator):
    """Selected faces become holes, which shape their neighbours and have no surface; or faces again"""
    bl_idname, bl_label, bl_options = "subdd.hole", "Mark Hole", {"REGISTER", "UNDO"}
    is_hole: bpy.props.BoolProperty(name="Hole", default=True)

    @classmethod
    def poll(cls, context):
        return context.mode == "EDIT_MESH"

    def execute(self, context):
        bpy.ops.object.mode_set(mode="OBJECT")
        meshes.mark_holes(context.object.data, self.is_hole)
        bpy.ops.object.mode_set(mode="EDIT")
        return {"FINISHED"}


# ---- the panel -------------------------------------------------------------------------------------------------------
def _tell(layout, text, width, icon="NONE"):
    """A sentence in lines, as labels have one each."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    width = width / bpy.context.preferences.system.ui_scale - (60 if icon == "NONE" else 80)
    for line in textwrap.wrap(text, max(16, int(width / 6.2))):
        column.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else icon


def milliseconds(timings):
    """The phases of the last surface, but for those that took no time."""
    return ", ".join("%s %.1f" % (name, 1000 * s) for name, s in timings.items() if s >= 5e-5)


def counts(plan):
    return "{:,} vertices, {:,} faces, {}".format(plan.vertices, plan.faces, told_bytes(plan.frame_bytes))


class SUBDD_PT_link(bpy.types.Panel):
    bl_idname, bl_label = "SUBDD_PT_link", "subdd"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "subdd"

    def draw(self, context):
        layout, obj, width = self.layout, context.object, context.region.width
        layout.use_property_split = True
        preferences = context.preferences.addons[__package__].preferences
        layout.prop(preferences, "server")
        layout.prop(preferences, "token")
        if not compat.online():
            _tell(layout, "Blender is not allowed to use the network: Preferences, System, Allow Online Access", width, "ERROR")
        if obj and obj.subdd.is_surface:
            obj = obj.subdd.source
        if obj and obj.subdd.key:
            self.draw_link(obj, links.LINKS.get(obj.subdd.key), width)
        else:
            row = layout.row()
            row.operator("subdd.link").keep = False
            row.operator("subdd.link", text="Link and Keep").keep = True
        layout.operator("subdd.join")

    def draw_link(self, obj, each, width):
        layout = self.layout
        if each:
            self.draw_state(each, width)
        elif obj.subdd.sentence:
            _tell(layout, obj.subdd.sentence, width, "ERROR")
        m = meshes.modifier_of(obj)
        if m:
            column = layout.column(align=True)
            column.prop(m, "levels", text="Viewport")
            column.prop(m, "render_levels", text="Render")
            column.prop(m, "subdivision_type", text="Scheme")
            column.prop(m, "use_limit_surface", text="Limit Surface")
            column.prop(m, "use_creases", text="Creases")
            column.prop(m, "boundary_smooth", text="Boundary")
            column.prop(m, "uv_smooth", text="UVs")
        if obj.mode == "EDIT":
            row = layout.row(align=True)
            row.operator("subdd.hole").is_hole = True
            row.operator("subdd.hole", text="Clear Hole").is_hole = False
        row = layout.row()
        row.operator("subdd.update")
        row.operator("subdd.unlink")

    def draw_state(self, each, width):
        state, box = each.session.state, self.layout.box()
        if state.away:
            _tell(box, "The built-in modifier shows the surface while the daemon is away: " + state.away, width, "UNLINKED")
        elif each.sentence:
            _tell(box, each.sentence, width, "ERROR")
            if each.theirs:
                row = box.row()
                row.operator("subdd.take")
                row.operator("subdd.put")
        elif state.problem:
            _tell(box, state.problem, width, "ERROR")
        else:
            _tell(box, "Version %d of %s" % (state.version, each.session.id), width, "LINKED")
        if state.note:
            _tell(box, state.note, width, "INFO")
        if state.plan:
            _tell(box, "Level %d: %s" % (state.plan.level, counts(state.plan)), width)
        if state.method:
            _tell(box, "Engine %s on %s" % (state.method, state.backend), width)
            _tell(box, "ms: %s, apply %.1f" % (milliseconds(state.timings), 1000 * each.apply_seconds), width)
        if each.loose:
            _tell(box, "%d edges without faces are left out" % each.loose, width)
        if state.people:
            _tell(box, "Here: " + ", ".join(state.people), width, "COMMUNITY")
        for lease in state.leases:
            _tell(box, "Leased by " + lease, width, "LOCKED")


CLASSES = (SubddLink, SubddPreferences, SUBDD_OT_link, SUBDD_OT_unlink, SUBDD_OT_update, SUBDD_OT_join,
           SUBDD_OT_take, SUBDD_OT_put, SUBDD_OT_hole, SUBDD_PT_link)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.subdd = bpy.props.PointerProperty(type=SubddLink)


def unregister():
    del bpy.types.Object.subdd
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
