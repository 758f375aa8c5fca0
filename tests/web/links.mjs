// SPDX-License-Identifier: Apache-2.0
// links.mjs: addresses of refined surfaces as other programs load them: GLB by three.js's GLTFLoader and by gltf-
// transform, USDA by the daemon's own reader. Each has the points of the frame.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readCage } from "../../client/web/cage.js";
import { readFrame } from "../../client/web/frame.js";
import { build, check, folder, require } from "./harness.mjs";

const GLB = "model/gltf-binary",
  USDA = "model/vnd.usda",
  QUERY = "level=3&include=normals,uvs";

/** GLTFLoader is a module for bundlers, and wants three.js beside it. */
async function gltfLoader() {
  const entry = join(folder, "loader.js"),
    out = join(folder, "loader.mjs");
  writeFileSync(entry, 'export { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";\n');
  execFileSync(
    resolve(build, "viewer/node_modules/.bin/esbuild"),
    [entry, "--bundle", "--format=esm", `--outfile=${out}`, "--log-level=error"],
    { env: { ...process.env, NODE_PATH: resolve(build, "viewer/node_modules") } },
  );
  globalThis.self ??= globalThis;
  return new (await import(pathToFileURL(out))).GLTFLoader();
}

/** The same points, whatever their order and how often each is there. */
function samePoints(found, frame, what) {
  const key = (p, i) => [0, 1, 2].map((k) => Math.fround(p[3 * i + k])).join();
  const points = (p) => new Set(Array.from({ length: p.length / 3 }, (_, i) => key(p, i)));
  const a = points(found),
    b = points(frame);
  check(a.size === b.size && [...a].every((p) => b.has(p)), `${what}: ${a.size} points, and the frame has ${b.size}`);
}

export function linkTests(daemon, mesh) {
  const path = (id, query = QUERY) => `${daemon.url}/v1/meshes/${id}/refined?${query}`;
  const get = (url, accept, headers = {}) => fetch(url, { headers: { Accept: accept, ...headers } });
  const frame = async (id, query) =>
    readFrame(await (await get(path(id, query), "application/vnd.subdd.frame")).arrayBuffer());

  async function glb() {
    const answer = await get(path(mesh.sail), GLB),
      body = await answer.arrayBuffer(),
      { blocks, faces } = await frame(mesh.sail, "level=3");
    check(Number(answer.headers.get("Content-Length")) === body.byteLength, "the size is not told");
    const scene = await new Promise(async (done, fail) => (await gltfLoader()).parse(body, "", done, fail)),
      { geometry } = scene.scene.getObjectByProperty("type", "Mesh");
    samePoints(geometry.getAttribute("position").array, blocks.positions.array, "GLTFLoader");
    check(
      geometry.index.count === faces * 6 && geometry.getAttribute("normal") && geometry.getAttribute("uv"),
      "GLTFLoader has no triangles, normals or UVs",
    );
    const { NodeIO } = await import(pathToFileURL(require.resolve("@gltf-transform/core")));
    const primitive = (await new NodeIO().readBinary(new Uint8Array(body)))
      .getRoot()
      .listMeshes()[0]
      .listPrimitives()[0];
    samePoints(primitive.getAttribute("POSITION").getArray(), blocks.positions.array, "gltf-transform");
    check(
      primitive.getAttribute("NORMAL") && primitive.getAttribute("TEXCOORD_0") && primitive.getMode() === 4,
      "gltf-transform has no triangles, normals or UVs",
    );
  }

  async function primvars() {
    const id = daemon.subd("push", "samples/cube.obj", "--name", "weights");
    const put = await fetch(`${daemon.url}/v1/meshes/${id}/edits`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "If-Match": "*" },
      body: JSON.stringify({
        edits: [
          {
            putPrimvar: {
              name: "weight",
              interpolation: "vertex",
              type: "f32",
              width: 1,
              values: [0, 1, 2, 3, 4, 5, 6, 7],
            },
          },
        ],
      }),
    });
    check(put.ok, await put.text());
    const body = await (await get(path(id, "level=2&primvars=weight"), GLB)).arrayBuffer(),
      { NodeIO } = await import(pathToFileURL(require.resolve("@gltf-transform/core")));
    const primitive = (await new NodeIO().readBinary(new Uint8Array(body)))
        .getRoot()
        .listMeshes()[0]
        .listPrimitives()[0],
      values = primitive.getAttribute("_weight")?.getArray();
    const want = (await frame(id, "level=2&primvars=weight")).blocks.primvar.array;
    check(
      values && values.length === want.length && values.every((x, i) => x === want[i]),
      "the vertex primvar is not in the GLB",
    );
  }

  async function usda() {
    const answer = await get(path(mesh.sail), USDA),
      text = await answer.text(),
      { blocks, faces } = await frame(mesh.sail, "level=3");
    check(Number(answer.headers.get("Content-Length")) === Buffer.byteLength(text), "the size is not told");
    check(text.includes('uniform token subdivisionScheme = "none"'), "the scheme is not none");
    const made = await fetch(`${daemon.url}/v1/meshes?name=back&scheme=catmullClark`, {
      method: "POST",
      headers: { "Content-Type": USDA },
      body: text,
    });
    check(made.ok, `the daemon does not read its own USDA: ${made.status}`);
    const cage = readCage(
      await (await get(`${daemon.url}/v1/meshes/${(await made.json()).id}/cage`, "application/protobuf")).arrayBuffer(),
    );
    check(cage.counts.length === faces && cage.counts.every((n) => n === 4), "its faces are not the frame's quads");
    samePoints(cage.points, blocks.positions.array, "USDA");
  }

  async function ranges() {
    for (const accept of [GLB, USDA]) {
      const whole = Buffer.from(await (await get(path(mesh.sail, "level=4&include=normals"), accept)).arrayBuffer()),
        tag = (await get(path(mesh.sail, "level=4&include=normals"), accept)).headers.get("ETag");
      for (const [range, from, to] of [
        ["0-99", 0, 100],
        ["1000-1999", 1000, 2000],
        ["-50", whole.length - 50, whole.length],
        ["1100000-1100100", 1100000, 1100101],
        [`${whole.length - 1}-`, whole.length - 1, whole.length],
      ]) {
        const part = await get(path(mesh.sail, "level=4&include=normals"), accept, {
            Range: `bytes=${range}`,
            "If-Range": tag,
          }),
          bytes = Buffer.from(await part.arrayBuffer());
        check(
          part.status === 206 && part.headers.get("Content-Range") === `bytes ${from}-${to - 1}/${whole.length}`,
          `${accept} ${range}: ${part.status} ${part.headers.get("Content-Range")}`,
        );
        check(bytes.equals(whole.subarray(from, to)), `${accept} ${range}: other bytes`);
      }
      check(
        (await get(path(mesh.sail, "level=4&include=normals"), accept, { Range: "bytes=0-9", "If-Range": '"other"' }))
          .status === 200,
        "another tag gets a part",
      );
      const beyond = await get(path(mesh.sail, "level=4&include=normals"), accept, { Range: `bytes=${whole.length}-` });
      check(
        beyond.status === 416 && beyond.headers.get("Content-Range") === `bytes */${whole.length}`,
        `a range past the end is ${beyond.status}`,
      );
    }
  }

  async function refusals() {
    const warned = await get(path(mesh.sail, "level=2&include=positions,face_params"), GLB);
    check(warned.headers.get("Subdd-Warning")?.includes("face_params"), "what GLB cannot carry is not told");
    const none = await get(path(mesh.sail, "level=2"), "image/png"),
      problem = await none.json();
    check(
      none.status === 406 &&
        problem.code === "not_acceptable" &&
        problem.detail.includes(GLB) &&
        problem.detail.includes(USDA),
      `image/png is ${none.status} ${problem.detail}`,
    );
  }
  return [
    ["link_glb", glb],
    ["link_glb_primvars", primvars],
    ["link_usda", usda],
    ["link_ranges", ranges],
    ["link_refusals", refusals],
  ];
}
