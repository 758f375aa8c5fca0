# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see: properties, preferences, operators and the panel in the sidebar."""
import bpy

from . import links
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


class SubddPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    server: bpy.props.StringProperty(name="Server", default="http://127.0.0.1:7373",
                                     description="http://HOST:PORT, https://HOST:PORT, or unix:/PATH")
    token: bpy.props.StringProperty(name="Token", subtype="PASSWORD", description="Empty where the daemon asks for none")

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
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        each = links.LINKS.get(context.object.subdd.key) if context.object else None
        return each is not None and each.theirs is not None


class SUBDD_OT_take(_Decides, bpy.types.Operator):
    """Replace this object's mesh by the daemon's version"""
    bl_idname, bl_label, bl_options = "subdd.take", "Take Theirs", {"REGISTER", "UNDO"}

    def execute(self, context):
        links.take(context.object, links.LINKS[context.object.subdd.key])
        return {"FINISHED"}


class SUBDD_OT_put(_Decides, bpy.types.Operator):
    """Make this object's mesh the next version, over the other one"""
    bl_idname, bl_label = "subdd.put", "Put Mine"

    def execute(self, context):
        links.put(links.LINKS[context.object.subdd.key])
        return {"FINISHED"}


CLASSES = (SubddLink, SubddPreferences, SUBDD_OT_link, SUBDD_OT_unlink, SUBDD_OT_update, SUBDD_OT_join,
           SUBDD_OT_take, SUBDD_OT_put)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.subdd = bpy.props.PointerProperty(type=SubddLink)


def unregister():
    del bpy.types.Object.subdd
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
