#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GLB files of many shapes, with all that they can carry, by Khronos's gltf-validator and three.js's GLTFLoader.

Both are modules of Node, which NODE_PATH leads to (npm install gltf-validator three); without them the test skips."""
import functools, json, os, subprocess
from files import SHAPES, accessor, check, read_glb, run_tests

EVERY = 6  # A shape of so many is taken.
# Prints a line of JSON for each file that it is given.
SCRIPT = """
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const require = createRequire(process.cwd() + '/');
globalThis.self = globalThis;
const { validateBytes } = require('gltf-validator');
const { GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')));
for (const file of process.argv.slice(1)) {
  const bytes = new Uint8Array(readFileSync(file));
  const { issues } = await validateBytes(bytes);
  const { scene } = await new GLTFLoader().parseAsync(bytes.buffer, '');
  const parts = [];
  scene.updateMatrixWorld(true);
  scene.traverse((o) => { if (o.isMesh) parts.push({ material: o.material.name, matrix: o.matrixWorld.elements,
    index: [...o.geometry.index.array], attributes: Object.fromEntries(Object.entries(o.geometry.attributes).map(
      ([name, a]) => [name, [...a.array]])) }); });
  console.log(JSON.stringify({ bad: issues.messages.filter((m) => m.severity < 2), parts }));
}
"""
NAMES = {"POSITION": "position", "NORMAL": "normal", "TEXCOORD_0": "uv", "TEXCOORD_1": "uv1", "COLOR_0": "color"}


def node(files):
    return subprocess.run(["node", "--input-type=module", "-e", SCRIPT, *files], capture_output=True, text=True)


def write(daemon, source, glb, level):
    """Refines with all options that the shape can have."""
    for flags in (["--surface", "limit", "--normals", "--primvars", "*"], ["--normals", "--primvars", "*"], []):
        ran = daemon.subd("refine", source, "--level", level, *flags, "-o", glb)
        if ran.returncode == 0:
            return
    check(False, ran.stderr)


def compare(daemon, source, glb, level):
    write(daemon, source, glb, level)
    ran = node([glb])
    check(ran.returncode == 0, ran.stderr)
    told = json.loads(ran.stdout)
    check(not told["bad"], f"the validator says {told['bad'][:3]}")
    tree, _ = file = read_glb(glb)
    primitives = tree["meshes"][0]["primitives"]
    check(len(primitives) == len(told["parts"]), f"three.js has {len(told['parts'])} parts of {len(primitives)}")
    matrix = tree["nodes"][0].get("matrix") or [float(k % 5 == 0) for k in range(16)]
    for p, part in zip(primitives, told["parts"]):
        name = tree["materials"][p["material"]]["name"] if "material" in p else ""
        check(part["material"] == name, f"three.js calls {name!r} {part['material']!r}")
        check(part["index"] == [i for i, in accessor(file, p["indices"])], "three.js has other triangles")
        check(all(abs(a - b) <= 1e-6 * max(1, abs(a)) for a, b in zip(matrix, part["matrix"])), f"three.js places it by {part['matrix']}")
        for key, three in NAMES.items():
            rows = [x for row in accessor(file, p["attributes"][key]) for x in row] if key in p["attributes"] else None
            check(part["attributes"].get(three) == rows, f"three.js has another {key}")


def gltf(daemon, folder):
    sources = [os.path.join(SHAPES, name) for name in sorted(os.listdir(SHAPES)) if name.endswith(".obj")][::EVERY]
    everything = json.load(open(os.path.join(SHAPES, "round", "everything.json")))
    for name, stage in (("mirrored", [-1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.5, 0, 1, 2, 3, 1]), ("sheared", [1, 0.5, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1]),
                        ("as it is", everything["transform"])):
        sources.append(os.path.join(folder, name + ".json"))
        json.dump({**everything, "transform": stage}, open(sources[-1], "w"))
    try:
        absent = node([]).returncode != 0
    except OSError:
        absent = True
    if absent:
        yield "gltf", "gltf-validator and three are not there for Node (NODE_PATH)"
        return
    for source in sources:
        for level in ("1", "2"):
            yield f"{os.path.basename(source)}_{level}", functools.partial(compare, daemon, source, os.path.join(folder, "out.glb"), level)


run_tests(gltf)
