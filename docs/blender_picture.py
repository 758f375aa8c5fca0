# SPDX-License-Identifier: Apache-2.0
"""Draws docs/blender.png, the add-on's panel beside what it shows. With a daemon running, and `make blender` done:

  xvfb-run -s "-screen 0 1280x800x24" blender --enable-event-simulate --factory-startup --window-geometry 0 0 1280 800
      -P docs/blender_picture.py -- build/subdd-blender-VERSION-legacy.zip URL docs/blender.png

A timer goes from step to step, so that the window is drawn between them."""
import os
import sys

import bmesh
import bpy
import numpy

ZIP, URL, OUT = sys.argv[sys.argv.index("--") + 1:]
TAB = (1043, 555)  # Of the add-on in the sidebar, counted from below.
BOX = (300, 200, 1057, 720)  # Of the picture: left, low, right, high.


def view3d():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return window, area, next(r for r in area.regions if r.type == "WINDOW")


def make():
    for obj in [o for o in bpy.data.objects if o.type == "MESH"]:
        bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_monkey_add(size=3)
    mesh, b = bpy.context.object.data, bmesh.new()
    b.from_mesh(mesh)
    layer = b.edges.layers.crease.verify()
    for edge in b.edges:
        edge[layer] = 0.8 if edge.calc_face_angle(0) > 0.9 else 0
    for face in b.faces:
        face.smooth = True
    b.to_mesh(mesh)
    m = bpy.context.object.modifiers.new("Subdivision", "SUBSURF")
    m.levels, m.render_levels = 3, 4
    bpy.ops.subdd.link()


def look():
    window, area, region = view3d()
    area.spaces[0].show_region_ui = True
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=-0.5, type="ORBITLEFT")
        bpy.ops.view3d.view_selected()


def open_tab():
    window = view3d()[0]
    for kind, value in (("MOUSEMOVE", "NOTHING"), ("LEFTMOUSE", "PRESS"), ("LEFTMOUSE", "RELEASE")):
        window.event_simulate(type=kind, value=value, x=TAB[0], y=TAB[1])
    mesh = bpy.context.object.data  # A pose, so that the panel tells the times of one.
    mesh.vertices[10].co.z += 0.01
    mesh.update()


def save():
    window, area, _ = view3d()
    with bpy.context.temp_override(window=window, area=area):
        bpy.ops.screen.screenshot(filepath=OUT)
    image = bpy.data.images.load(os.path.abspath(OUT))
    width, (left, low, right, high) = image.size[0], BOX
    pixels = numpy.array(image.pixels[:]).reshape(-1, width, 4)[low:high, left:right]
    out = bpy.data.images.new("out", right - left, high - low)
    out.pixels = pixels.reshape(-1).tolist()
    settings = bpy.context.scene.render.image_settings
    settings.file_format, settings.color_mode, settings.compression = "PNG", "RGB", 100
    bpy.context.scene.view_settings.view_transform = "Standard"
    out.save_render(os.path.abspath(OUT))


STEPS = [make, look, open_tab, save, bpy.ops.wm.quit_blender]


def step():
    STEPS.pop(0)()
    return 1.5


bpy.ops.preferences.addon_install(filepath=ZIP)
bpy.ops.preferences.addon_enable(module="subdd")
bpy.context.preferences.addons["subdd"].preferences.server = URL
bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=2)
