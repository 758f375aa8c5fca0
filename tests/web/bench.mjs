// SPDX-License-Identifier: Apache-2.0
// bench.mjs: what the viewer takes: the page's bytes; a click until the picture of 1 M triangles with normals, against
// GLTFLoader with the daemon's GLB of the same surface; a pose until its picture. Everything is drawn in software here,
// so times are of this machine, and ratios are of one run.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { browser, build, bin, check, Daemon, folder, open, shows } from "./harness.mjs";

const RUNS = 7;
const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];
const ms = (x) => `${x.toFixed(0)} ms`,
  mb = (x) => `${(x / 1e6).toFixed(2)} MB`;

/** A torus of n x k quads. */
function torus(n, k) {
  const lines = [];
  for (let j = 0; j < k; j++)
    for (let i = 0; i < n; i++) {
      const [a, b] = [(2 * Math.PI * i) / n, (2 * Math.PI * j) / k],
        r = 2 + Math.cos(b) * (0.7 + 0.1 * Math.sin(5 * a));
      lines.push(`v ${r * Math.cos(a)} ${Math.sin(b)} ${r * Math.sin(a)}`);
    }
  for (let j = 0; j < k; j++)
    for (let i = 0; i < n; i++)
      lines.push(
        `f ${[
          [i, j],
          [i, j + 1],
          [i + 1, j + 1],
          [i + 1, j],
        ]
          .map(([x, y]) => (y % k) * n + (x % n) + 1)
          .join(" ")}`,
      );
  return lines.join("\n") + "\n";
}

/** A page of the daemon's own origin that shows a GLB by three.js as examples do. */
async function gltfPage(daemon) {
  const entry = join(folder, "gltf.js"),
    out = join(folder, "gltf.min.js");
  writeFileSync(
    entry,
    `
import * as THREE from "three"; import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(35, 680 / 653, 0.1, 100); scene.add(new THREE.HemisphereLight(0xffffff, 0x445566, 3));
globalThis.show = async (url) => {
  const began = performance.now(), renderer = new THREE.WebGLRenderer({ canvas: document.querySelector("canvas"), antialias: true }); renderer.setSize(680, 653, false);
  const answer = await fetch(url, { headers: { Accept: "model/gltf-binary" }, cache: "no-store" }), body = await answer.arrayBuffer();
  const gltf = await new Promise((done, fail) => new GLTFLoader().parse(body, "", done, fail));
  scene.add(gltf.scene); camera.position.set(5, 5, 7); camera.lookAt(0, 0, 0); renderer.render(scene, camera);
  const gl = renderer.getContext(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  const took = performance.now() - began, triangles = renderer.info.render.triangles, again = performance.now();
  renderer.render(scene, camera); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  return [took, body.byteLength, triangles, performance.now() - again];
};`,
  );
  execFileSync(
    resolve(build, "viewer/node_modules/.bin/esbuild"),
    [entry, "--bundle", "--minify", "--format=iife", `--outfile=${out}`, "--log-level=error"],
    { env: { ...process.env, NODE_PATH: resolve(build, "viewer/node_modules") } },
  );
  const page = await (await browser.newContext({ viewport: { width: 1000, height: 700 } })).newPage();
  await page.route("**/gltf-bench", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!DOCTYPE html><canvas></canvas><script>${readFileSync(out, "utf8").replaceAll("</script", "<\\/script")}</script>`,
    }),
  );
  await page.goto(`${daemon.url}/gltf-bench`);
  return page;
}

const page = ["html", "js", "css"]
  .map((kind) => statSync(join(bin, `../share/subdd/viewer/viewer.${kind}.gz`)).size)
  .reduce((a, b) => a + b);
console.log(`the page, gzip'd: ${(page / 1e3).toFixed(1)} kB (goal 350 kB)`);

const daemon = await new Daemon().start();
try {
  const path = join(folder, "torus.obj");
  writeFileSync(path, torus(89, 88));
  const id = daemon.subd("push", path, "--name", "torus"),
    query = "level=3&surface=limit&include=positions,normals";
  // Click to picture, each in a page that has loaded nothing of the mesh yet. The daemon has both answers in its cache.
  const ours = [],
    theirs = [],
    drawing = [[], []];
  let bytes = 0,
    glb = 0;
  for (let run = 0; run <= RUNS; run++) {
    const p = await open(`${daemon.url}/viewer`);
    await p.getByRole("button", { name: "torus" }).waitFor();
    await p.evaluate((mesh) => {
      globalThis.clicked = performance.timeOrigin + performance.now();
      location.hash = `#mesh=${mesh}&level=3`;
    }, id);
    await shows(p, 1);
    const took = await p.evaluate(() => Number(document.querySelector("canvas").dataset.shown) - globalThis.clicked);
    bytes = Number(
      await p.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter((e) => e.name.includes("/v1/meshes/"))
          .reduce((sum, e) => sum + e.encodedBodySize, 0),
      ),
    );
    const mine = parseFloat((await p.locator(".times").textContent()).split("upload and draw")[1]);
    await p.context().close();
    const gltf = await gltfPage(daemon),
      [other, size, triangles, draw] = await gltf.evaluate(
        (url) => globalThis.show(url),
        `/v1/meshes/${id}/refined?${query}`,
      );
    glb = size;
    await gltf.context().close();
    check(triangles > 1e6, `only ${triangles} triangles`);
    if (!run) continue; // The first one warms up.
    ours.push(took);
    theirs.push(other);
    drawing[0].push(mine);
    drawing[1].push(draw);
  }
  console.log(
    `1 M triangles with normals, click to picture: ${ms(median(ours))} and ${mb(bytes)}; GLTFLoader with GLB ${ms(median(theirs))} and ${mb(glb)}: ` +
      `${(median(ours) / median(theirs)).toFixed(2)} of the time, ${(bytes / glb).toFixed(2)} of the bytes (goal 0.5, 0.5)`,
  );
  console.log(
    `of these, drawing in software: ${ms(median(drawing[0]))} with the upload, and ${ms(median(drawing[1]))} without it`,
  );

  // A pose: new positions go in, the watch brings the surface of 200,000 vertices.
  writeFileSync(path, torus(56, 56));
  const moving = daemon.subd("push", path, "--name", "moving"),
    p = await open(`${daemon.url}/viewer#mesh=${moving}&level=3`);
  await shows(p, 1);
  await p.waitForTimeout(1000);
  const points = Float32Array.from(
    (await (await fetch(`${daemon.url}/v1/meshes/${moving}/cage`)).json()).points.flat(),
  );
  const whole = [],
    drawn = [];
  for (let version = 2; version < 2 + RUNS; version++) {
    const body = points.map((x, i) => x * (1 + 0.002 * ((i + version) % 5))),
      began = Date.now();
    await fetch(`${daemon.url}/v1/meshes/${moving}/positions`, {
      method: "PUT",
      headers: { "Content-Type": "application/octet-stream" },
      body,
    });
    await shows(p, version);
    whole.push((await p.evaluate(() => Number(document.querySelector("canvas").dataset.shown))) - began);
    drawn.push(parseFloat((await p.locator(".times").textContent()).split("upload and draw")[1]));
    await p.waitForTimeout(600);
  }
  const [size, over] = await p.evaluate(async (url) => {
    const took = [];
    let n = 0;
    for (let i = 0; i < 9; i++) {
      const began = performance.now();
      n = (
        await (
          await fetch(url, { headers: { Accept: "application/vnd.subdd.frame" }, cache: "no-store" })
        ).arrayBuffer()
      ).byteLength;
      took.push(performance.now() - began);
    }
    return [n, took.sort((a, b) => a - b)[4]];
  }, `/v1/meshes/${moving}/refined?level=3&surface=limit&include=positions,normals&compact=positions,normals`);
  const vertices = 56 * 56 * 64,
    least = over + median(drawn);
  console.log(
    `a pose at ${vertices} vertices: ${ms(median(whole))} until the picture; ${mb(size)} over loopback ${ms(over)}, upload and one drawing ${ms(median(drawn))}: ${(median(whole) / least).toFixed(2)}x of both (goal 2x)`,
  );
} finally {
  await daemon.stop();
  await browser.close();
}
