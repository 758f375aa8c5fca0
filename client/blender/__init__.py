# SPDX-License-Identifier: GPL-3.0-or-later
"""subdd for Blender: the surface of an object's mesh, made by a subdd daemon."""
bl_info = {  # For Blender before 4.2; later ones read blender_manifest.toml.
    "name": "subdd",
    "author": "subdd",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > subdd",
    "description": "Subdivision surfaces by a subdd daemon",
    "category": "Mesh",
}

from . import links, panel  # noqa: E402  Blender reads bl_info from the head of the file.


def register():
    panel.register()
    links.register()


def unregister():
    links.unregister()
    panel.unregister()
