// SPDX-License-Identifier: Apache-2.0
// topology.mjs: the viewer's own indices against the daemon's, on all shapes, without a browser.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readCage } from "../../client/web/cage.js";
import { readFrame } from "../../client/web/frame.js";
import { faceCorners, positionGrid, triangles, uvGrid } from "../../client/web/topology.js";
import { build, check, folder } from "./harness.mjs";

const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const OPTIONS = ["", "&orientation=leftHanded&interpolate_boundary=none"];

/** Pushes a shape; the number of index buffers that were compared. */
async function compare(daemon, path, options) {
  const made = await fetch(`${daemon.url}/v1/meshes?name=shape${options}`, {
    method: "POST",
    headers: { "Content-Type": "model/obj" },
    body: readFileSync(path),
  });
  const { id, uvs, options: has } = await made.json();
  if (!made.ok || has.subdivisionScheme === "sqrt3") return 0;
  const get = async (what, accept) =>
    (await fetch(`${daemon.url}/v1/meshes/${id}/${what}`, { headers: { Accept: accept } })).arrayBuffer();
  const cage = readCage(await get("cage", "application/protobuf")),
    grid = positionGrid(cage);
  let n = 0;
  for (const level of [3]) {
    const { blocks } = readFrame(
      await get(
        `refined?level=${level}&include=positions,indices${uvs ? ",uvs,uv_indices" : ""}`,
        "application/vnd.subdd.frame",
      ),
    );
    check(
      same(faceCorners(grid, level), blocks.indices.array),
      `${path}${options}, level ${level}: the indices differ`,
    );
    if (uvs)
      check(
        same(faceCorners(uvGrid(cage, grid), level), blocks.uv_indices.array),
        `${path}${options}, level ${level}: the UV indices differ`,
      );
    n += uvs ? 2 : 1;
  }
  await fetch(`${daemon.url}/v1/meshes/${id}`, { method: "DELETE" });
  return n;
}

/** pick.js with what it needs of npm packages, for Node. */
async function picking() {
  const entry = join(folder, "pick.js"),
    out = join(folder, "pick.mjs");
  writeFileSync(
    entry,
    `export { nameHit } from "${resolve("client/web/pick.js")}"; export { Vector3 } from "three";\n`,
  );
  execFileSync(
    resolve(build, "viewer/node_modules/.bin/esbuild"),
    [entry, "--bundle", "--format=esm", `--outfile=${out}`, "--log-level=error"],
    { env: { ...process.env, NODE_PATH: resolve(build, "viewer/node_modules") } },
  );
  return import(pathToFileURL(out));
}

/** What a hit in each triangle is named, against the daemon's face_params. */
async function compareNames(daemon, { nameHit, Vector3 }, path, level, options = "") {
  const made = await fetch(`${daemon.url}/v1/meshes?name=names${options}`, {
      method: "POST",
      headers: { "Content-Type": "model/obj" },
      body: readFileSync(path),
    }),
    { id } = await made.json();
  const get = async (what, accept) =>
    (await fetch(`${daemon.url}/v1/meshes/${id}/${what}`, { headers: { Accept: accept } })).arrayBuffer();
  const cage = readCage(await get("cage", "application/protobuf"));
  const frame = readFrame(
    await get(`refined?level=${level}&include=positions,face_params`, "application/vnd.subdd.frame"),
  );
  const { positions, face_params: params } = frame.blocks,
    grid = positionGrid(cage),
    loop = cage.scheme === "loop",
    index = triangles(faceCorners(grid, level), loop ? 3 : 4);
  const point = (row) => new Vector3().fromArray(positions.array, 3 * row);
  const surface = { grid, frame, point, seams: { copies: [] }, mesh: { geometry: { index: { array: index } } } };
  for (let triangle = 0; triangle < index.length / 3; triangle++) {
    const at = new Vector3();
    [0.5, 0.3, 0.2].forEach((part, i) => at.addScaledVector(point(index[3 * triangle + i]), part));
    const name = nameHit(surface, cage, { triangle, point: at }),
      row = 4 * (loop ? triangle : triangle >> 1),
      [face, corner, uv] = params.array.subarray(row, row + 3);
    const quad = cage.counts[face] === 4 || loop,
      side = 2 ** (quad ? level : level - 1),
      cell = [Math.floor(name.u * side), Math.floor(name.v * side)];
    check(
      name.face === face && (quad || name.corner === corner),
      `${path}: triangle ${triangle} is of face ${face}, corner ${corner}, and named ${JSON.stringify(name)}`,
    );
    check(
      cell[0] === (uv & 65535) && cell[1] === uv >>> 16,
      `${path}: triangle ${triangle} is in cell ${uv & 65535}, ${uv >>> 16}, and named ${JSON.stringify(name)}`,
    );
  }
  return index.length / 3;
}

export function topologyTests(daemon) {
  const shapes = process.env.SUBDD_SHAPES || "tests/shapes";
  return [
    [
      "indices_of_all_shapes",
      async () => {
        let n = 0;
        for (const name of readdirSync(shapes).filter((file) => file.endsWith(".obj")))
          for (const options of OPTIONS) n += await compare(daemon, join(shapes, name), options);
        check(n > 300, `only ${n} buffers were compared`);
      },
    ],
    [
      "names_of_hits",
      async () => {
        const modules = await picking();
        for (const [name, ...how] of [
          ["samples/cube.obj", 3],
          ["samples/gear.obj", 2],
          ["samples/sail.obj", 2],
          [join(shapes, "octahedron.obj"), 3, "&scheme=loop"],
        ])
          check((await compareNames(daemon, modules, name, ...how)) > 100, `${name} has few triangles`);
      },
    ],
  ];
}
