// SPDX-License-Identifier: Apache-2.0
// topology.mjs: the viewer's own indices against the daemon's, on all shapes, without a browser.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCage } from "../../client/web/cage.js";
import { readFrame } from "../../client/web/frame.js";
import { faceCorners, positionGrid, uvGrid } from "../../client/web/topology.js";
import { check } from "./harness.mjs";

const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const OPTIONS = ["", "&orientation=leftHanded&interpolate_boundary=none"];

/** Pushes a shape; the number of index buffers that were compared. */
async function compare(daemon, path, options) {
  const made = await fetch(`${daemon.url}/v1/meshes?name=shape${options}`, { method: "POST", headers: { "Content-Type": "model/obj" }, body: readFileSync(path) });
  const { id, uvs, options: has } = await made.json();
  if (!made.ok || has.subdivisionScheme === "sqrt3") return 0;
  const get = async (what, accept) => (await fetch(`${daemon.url}/v1/meshes/${id}/${what}`, { headers: { Accept: accept } })).arrayBuffer();
  const cage = readCage(await get("cage", "application/protobuf")), grid = positionGrid(cage);
  let n = 0;
  for (const level of [3]) {
    const { blocks } = readFrame(await get(`refined?level=${level}&include=positions,indices${uvs ? ",uvs,uv_indices" : ""}`, "application/vnd.subdd.frame"));
    check(same(faceCorners(grid, level), blocks.indices.array), `${path}${options}, level ${level}: the indices differ`);
    if (uvs) check(same(faceCorners(uvGrid(cage, grid), level), blocks.uv_indices.array), `${path}${options}, level ${level}: the UV indices differ`);
    n += uvs ? 2 : 1;
  }
  await fetch(`${daemon.url}/v1/meshes/${id}`, { method: "DELETE" });
  return n;
}

export function topologyTests(daemon) {
  const shapes = process.env.SUBDD_SHAPES || "tests/shapes";
  return [["indices_of_all_shapes", async () => {
    let n = 0;
    for (const name of readdirSync(shapes).filter((file) => file.endsWith(".obj")))
      for (const options of OPTIONS) n += await compare(daemon, join(shapes, name), options);
    check(n > 300, `only ${n} buffers were compared`);
  }]];
}
