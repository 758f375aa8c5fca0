// SPDX-License-Identifier: Apache-2.0
// viewer.mjs: every control of the viewer by mouse and by keyboard, its pictures, versions as they come, and its ways
// on when something fails; then the links that other programs load.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, check, Daemon, folder, open, require, run, samePicture, shows, until } from "./harness.mjs";
import { linkTests } from "./links.mjs";
import { topologyTests } from "./topology.mjs";

const daemon = await new Daemon().start();
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';
const mesh = {
  cube: daemon.subd("push", "samples/creased_cube.obj"),
  sail: daemon.subd("push", "samples/sail.obj"),
  gear: daemon.subd("push", "samples/gear.obj"),
  markup: daemon.subd("push", "samples/cube.obj", "--name", MARKUP),
};
const page = (hash, options) => open(`${daemon.url}/viewer${hash}`, options);
const CAMERA = "camera=0.7,0.45,5.4,0,0,0";
const silent = (p) => check(!p.said.length, `the console says: ${p.said.join("; ")}`);
const state = (p) => p.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const linkHas = (p, name, value) =>
  until(
    async () => (await state(p))[name] === value,
    async () => `${name} is ${(await state(p))[name]} and not ${value}`,
  );
const notice = (p) => p.locator("#notice p").innerText();

async function list() {
  const p = await page("#mesh=../../secret&level=banana&camera=1,2");
  await p.getByRole("button", { name: "sail" }).waitFor();
  check(
    await p
      .locator("#list strong")
      .allInnerTexts()
      .then((all) => all.includes(MARKUP)),
    "the name with markup is not there as text",
  );
  check((await p.locator("#list img, #list b").count()) === 0, "the name became elements");
  check((await p.evaluate(() => location.hash)) === "", "the nonsense stays in the address");
  await p.getByRole("button", { name: MARKUP }).click();
  await shows(p, 1);
  check(
    (await p.locator("h1").innerText()) === MARKUP && (await p.locator("h1 *").count()) === 0,
    "the title is not the name",
  );
  await p.getByRole("button", { name: "All meshes" }).click();
  await p.getByRole("button", { name: "sail" }).press("Enter");
  await shows(p, 1);
  await p.goBack();
  await p.getByRole("button", { name: "sail" }).waitFor();
  silent(p);
}

async function token() {
  const tokens = join(folder, "tokens"),
    guarded = new Daemon();
  writeFileSync(tokens, "", { mode: 0o600 });
  const { spawnSync } = await import("node:child_process");
  const secret = spawnSync(
    join(process.argv[2], "subdd"),
    ["--tokens-file", tokens, "--new-token", "visitor:read,edit"],
    { encoding: "utf8" },
  ).stdout.trim();
  await guarded.start(["--tokens-file", tokens]);
  const p = await open(`${guarded.url}/viewer`);
  await p.getByLabel("This daemon asks for a token").fill("wrong");
  await p.getByRole("button", { name: "Use it" }).click();
  await until(async () => (await p.locator("#refused").innerText()) !== "", "the wrong token is not refused");
  await p.getByLabel("This daemon asks for a token").fill(secret);
  await p.keyboard.press("Enter");
  await p.getByText("There are no meshes yet").waitFor();
  check(
    !(
      await p.evaluate(
        () => location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie,
      )
    ).includes(secret),
    "the token is kept somewhere",
  );
  await p.reload();
  for (const wrong of ["wrong1", "wrong2"]) {
    await p.getByLabel("This daemon asks for a token").fill(wrong);
    await p.keyboard.press("Enter");
    await p.waitForTimeout(300);
  }
  check((await p.locator("#token").isHidden()) && (await notice(p)).includes("oken"), "it asks more than once again");
  await p.getByRole("button", { name: "Try again" }).click();
  await p.getByLabel("This daemon asks for a token").fill(secret);
  await p.keyboard.press("Enter");
  await p.getByText("There are no meshes yet").waitFor();
  await guarded.stop();
}

/** Each control once, by `use` (a click, or the keyboard), with what must come of it. */
async function controls(p, use) {
  await shows(p, 1);
  for (const [name, value] of [
    ["Cage faces", "result,cage"],
    ["Result wireframe", "result,cage,wire"],
    ["Cage wireframe", "result,cage,wire,lines"],
    ["Creases by sharpness", "result,cage,wire,lines,creases"],
    ["Cage faces", "result,wire,lines,creases"],
    ["Result", "wire,lines,creases"],
  ]) {
    await use(p.getByRole("checkbox", { name, exact: true }));
    await linkHas(p, "show", value);
  }
  await use(p.getByRole("checkbox", { name: "Result", exact: true }));
  for (const [name, value] of [
    ["Normals", "normals"],
    ["UV checker", "uv"],
    ["Gaussian curvature", "gaussian"],
    ["Mean curvature", "mean"],
    ["Matcap", "matcap"],
  ]) {
    await use(p.getByRole("radio", { name }), value);
    await linkHas(p, "look", value);
    if (value === "mean") await p.getByText(/^Blue -/).waitFor();
  }
  await p.getByRole("slider", { name: "Level" }).focus();
  await p.keyboard.press("ArrowRight");
  await p.getByText("24,576 faces, 24,897 vertices").waitFor();
  check((await state(p)).level === "3", "a level is asked for before it is chosen");
  await use(p.getByRole("button", { name: "Show level 4" }));
  await linkHas(p, "level", "4");
  await p.getByText("Version 1, level 4").waitFor();
  await p.getByRole("combobox", { name: "Surface" }).selectOption("refined");
  await p.getByText("level 4, refined").waitFor();
  await use(p.locator("summary", { hasText: "Section" }));
  await use(p.getByRole("checkbox", { name: "Cut along" }));
  await linkHas(p, "section", "0,0.5,0");
  await p.getByRole("combobox", { name: "Axis" }).selectOption("y");
  await p.getByRole("slider", { name: "Place of the section" }).press("ArrowRight");
  await use(p.getByRole("checkbox", { name: "Keep the other side" }));
  await linkHas(p, "section", "1,0.505,1");
  await use(p.getByRole("checkbox", { name: "Cut along" }));
  const before = (await state(p)).camera;
  await p.locator("canvas").press("ArrowLeft");
  await until(async () => (await state(p)).camera !== before, "the camera has not turned");
  await use(p.getByRole("button", { name: "Fit" }));
  const [file] = await Promise.all([p.waitForEvent("download"), use(p.getByRole("button", { name: "Save PNG" }))]);
  check(
    readFileSync(await file.path())
      .subarray(1, 4)
      .toString() === "PNG" && file.suggestedFilename() === "sail.png",
    "no PNG is saved",
  );
  await use(p.getByRole("button", { name: "Copy link" }));
  await p.getByText("The address of this view is copied").waitFor();
  await use(p.locator("summary", { hasText: "Times of the last picture" }));
  check((await p.locator(".times").innerText()).includes("until the picture"), "the times are not told");
  silent(p);
}

const byMouse = async () => controls(await page(`#mesh=${mesh.sail}&level=3`), (control) => control.click());
const byKeyboard = async () => {
  const p = await page(`#mesh=${mesh.sail}&level=3`);
  await controls(p, async (control) => {
    await control.focus();
    await p.keyboard.press(await control.evaluate((e) => (e.matches("input") ? "Space" : "Enter")));
  });
  // Tab reaches all of them, and the picture.
  await p.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await p.keyboard.press("Tab");
    reached.add(
      await p.evaluate(() => {
        const e = document.activeElement;
        return e.ariaLabel || e.labels?.[0]?.innerText.trim() || e.innerText.trim();
      }),
    );
  }
  for (const name of ["Result", "Cage faces", "Matcap", "Save PNG", "Undo", "Clear", "Section", "What a click does"])
    check(reached.has(name), `Tab does not reach ${name}: ${[...reached]}`);
  check(
    [...reached].some((name) => name?.startsWith("The surface")),
    "Tab does not reach the picture",
  );
};

/** The keys on the picture. */
async function keys() {
  const p = await page(`#mesh=${mesh.sail}&level=2&camera=0.7,0.45,14,0,0,0`),
    canvas = p.locator("canvas");
  await shows(p, 1);
  await canvas.focus();
  for (const [key, name, value] of [
    ["w", "show", "result,wire"],
    ["c", "show", "result,wire,lines"],
    ["s", "section", "0,0.5,0"],
    ["2", "look", "normals"],
    ["3", "look", "uv"],
    ["5", "look", "mean"],
    ["1", "look", "matcap"],
    ["]", "level", "3"],
    ["[", "level", "2"],
  ]) {
    await canvas.press(key);
    await linkHas(p, name, value);
  }
  await canvas.press("s");
  await canvas.press("f");
  for (const key of ["+", "-", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowUp", "ArrowLeft"]) {
    const before = (await state(p)).camera;
    await canvas.press(key);
    await until(async () => (await state(p)).camera !== before, `${key} does nothing`);
  }
  await canvas.press("f");
  await canvas.press("Enter");
  await p.getByText(/^Control face \d+\nControl vertex \d+\n\(u, v\)/).waitFor();
  await canvas.press("m");
  await p.getByText("From here").waitFor();
  await canvas.press("ArrowLeft");
  await canvas.press("m");
  await p.getByText(/^Distance [\d.]+/).waitFor();
  await canvas.press("Escape");
  check((await p.locator(".told").first().innerText()) === "", "Esc clears nothing");
  const [file] = await Promise.all([p.waitForEvent("download"), canvas.press("p")]);
  check(file.suggestedFilename() === "sail.png", "P saves nothing");
  silent(p);
}

async function picking() {
  const p = await page(`#mesh=${mesh.cube}&level=3`);
  await shows(p, 1);
  const box = await p.locator("canvas").boundingBox(),
    middle = [box.x + box.width / 2, box.y + box.height / 2];
  await p.mouse.click(box.x + 4, box.y + 4);
  await p.getByText("There is nothing there.").waitFor();
  await p.mouse.click(...middle.map((x, i) => x + 40 * i));
  await p.getByText(/^Control face \d+/).waitFor();
  await p.getByRole("combobox", { name: "What a click does" }).selectOption("measure");
  await p.mouse.click(...middle.map((x, i) => x + 40 * i));
  await p.mouse.click(...middle.map((x, i) => x + 60 * i));
  await p.getByText(/^Distance/).waitFor();
  await p.getByRole("button", { name: "Clear" }).click();
  check((await p.locator(".told").nth(1).innerText()) === "", "Clear clears nothing");
  await p.mouse.move(...middle);
  await p.mouse.down();
  await p.mouse.move(middle[0] + 80, middle[1] + 30, { steps: 4 });
  await p.mouse.up();
  await p.mouse.wheel(0, -240);
  check((await p.locator(".told").nth(1).innerText()) === "", "a drag measures");
  silent(p);
}

async function pictures() {
  const rows = [
    ["matcap", "cube", "level=4"],
    ["normals", "cube", "level=4&look=normals"],
    ["uv", "sail", "level=3&look=uv"],
    ["gaussian", "cube", "level=4&look=gaussian"],
    ["mean", "cube", "level=4&look=mean"],
    ["wire", "gear", "level=2&show=result,wire"],
    ["cage", "cube", "level=3&show=result,lines"],
    ["cagefaces", "gear", "level=1&show=cage,lines"],
    ["creases", "cube", "level=4&show=result,lines,creases"],
    ["section", "cube", "level=4&section=0,0.6,0"],
  ];
  const p = await page("", { viewport: { width: 640, height: 360 } });
  await p.getByRole("button", { name: "sail" }).waitFor();
  for (const [name, which, view] of rows) {
    await p.evaluate(
      (hash) => {
        // As going back and forth does.
        history.pushState(null, "", hash);
        dispatchEvent(new PopStateEvent("popstate"));
      },
      `#mesh=${mesh[which]}&${view}${which === "cube" ? `&${CAMERA}` : ""}`,
    );
    await shows(p, 1);
    await samePicture(p, name);
  }
  silent(p);
}

async function live() {
  const id = daemon.subd("push", "samples/cube.obj", "--name", "live"),
    p = await page(`#mesh=${id}&level=2&show=result,lines&${CAMERA}`);
  await shows(p, 1);
  check((await p.locator(".times").textContent()).includes("daemon: refine"), "the daemon's times are not told");
  await p.waitForTimeout(500); // The watch has begun.
  daemon.subd("positions", id, "samples/cube_moved.obj");
  await shows(p, 2);
  await until(
    async () => (await p.locator(".versions button").allInnerTexts()).length === 2,
    "the list has not both versions",
  );
  await samePicture(p, "moved");
  await p.getByRole("button", { name: "Undo" }).click();
  await shows(p, 3);
  await p.getByRole("button", { name: "Redo" }).press("Enter");
  await shows(p, 4);
  await until(async () => (await p.locator(".versions button").count()) === 4, "undo and redo are no versions");
  await p.locator(".versions button").last().click();
  await p.getByText("Version 1 (earlier)").waitFor();
  daemon.subd("positions", id, "samples/cube.obj");
  await p.waitForTimeout(300);
  check((await p.getByText("Version 1 (earlier)").count()) === 1, "an earlier version does not stay");
  await p.getByRole("button", { name: "Newest" }).click();
  await shows(p, 5);
  // A change of topology: other indices, another cage.
  await fetch(`${daemon.url}/v1/meshes/${id}/edits`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "If-Match": "*" },
    body: JSON.stringify({ edits: [{ removeFaces: { ids: [0] } }] }),
  });
  await shows(p, 6);
  await p
    .getByText("80 faces")
    .waitFor({ timeout: 3000 })
    .catch(() => {});
  silent(p);
  await fetch(`${daemon.url}/v1/meshes/${id}`, { method: "DELETE" });
  await until(async () => (await notice(p)).includes("has been deleted"), "the end of the mesh is not told");
  await p.getByRole("button", { name: "All meshes" }).first().click();
  await p.getByRole("button", { name: "sail" }).waitFor();
}

async function memory() {
  const id = daemon.subd("push", "samples/knot.obj", "--name", "memory"),
    p = await page(`#mesh=${id}&level=2`, { viewport: { width: 360, height: 300 } });
  await shows(p, 1);
  await p.waitForTimeout(300);
  const cdp = await p.context().newCDPSession(p),
    positions = await (await fetch(`${daemon.url}/v1/meshes/${id}/cage`)).json();
  const used = async () => {
    for (let i = 0; i < 3; i++) {
      await cdp.send("HeapProfiler.collectGarbage");
      await p.waitForTimeout(200);
    }
    const heap = await cdp.send("Runtime.getHeapUsage");
    return heap.usedSize + (heap.embedderHeapUsedSize ?? 0) + (heap.backingStorageSize ?? 0);
  };
  let version = 1;
  const move = async (until) => {
    while (version < until) {
      const points = new Float32Array(positions.points.flat()).map((x, i) => x * (1 + 0.001 * ((i + version) % 7)));
      const answer = await fetch(`${daemon.url}/v1/meshes/${id}/positions`, {
        method: "PUT",
        headers: { "Content-Type": "application/octet-stream" },
        body: points,
      });
      check(answer.ok, `a version is refused: ${answer.status}`);
      version = (await answer.json()).version;
      await shows(p, version);
    }
    await p.waitForTimeout(500);
  };
  await move(6);
  const early = await used();
  await move(206);
  const late = await used();
  console.log(`memory after 5 versions ${(early / 1e6).toFixed(1)} MB, after 205 ${(late / 1e6).toFixed(1)} MB`);
  check(late < early * 1.05 + 5e5, `memory grows from ${early} to ${late} bytes`);
  silent(p);
}

async function lost() {
  const own = await new Daemon().start(),
    id = own.subd("push", "samples/cube.obj"),
    p = await open(`${own.url}/viewer#mesh=${id}`);
  await shows(p, 1);
  await p.waitForTimeout(300);
  await own.stop();
  await until(
    async () => (await notice(p).catch(() => "")).includes("connection to the daemon is lost"),
    "the lost connection is not told",
  );
  await own.start([], Number(new URL(own.url).port));
  own.subd("positions", id, "samples/cube_moved.obj");
  await shows(p, 2);
  await until(() => p.locator("#notice").isHidden(), "the sentence stays");
  // The graphics card goes, and comes back.
  await p.evaluate(() => {
    globalThis.gone = document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
    globalThis.gone.loseContext();
  });
  await until(
    async () => (await notice(p).catch(() => "")).includes("taken the graphics card away"),
    "the lost context is not told",
  );
  await p.getByRole("button", { name: "Show it again" }).click();
  await shows(p, 2);
  await own.stop();
}

async function tooLarge() {
  const p = await page(`#mesh=${mesh.gear}&level=2`);
  await shows(p, 1);
  await p.getByRole("slider", { name: "Level" }).press("End");
  await p.getByText(/take a lower level/).waitFor();
  check(
    await p.getByRole("button", { name: "Show level 15" }).isDisabled(),
    "a level that is too large can be asked for",
  );
  const q = await page(`#mesh=${mesh.gear}&level=15`);
  await until(
    async () => (await notice(q).catch(() => "")).includes("lower level"),
    "a link to a level too large is not told",
  );
  await q
    .locator("#notice")
    .getByRole("button", { name: /^Show level \d+$/ })
    .click();
  await shows(q, 1);
  check(
    q.said.every((line) => line.startsWith("Failed to load resource")),
    `the console says: ${q.said}`,
  ); // of the 413
}

async function access() {
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"])
    for (const width of [1000, 360])
      for (const hash of [...(width === 360 ? [""] : []), `#mesh=${mesh.sail}&level=2&look=gaussian&section=0,0.5,0`]) {
        const p = await page(hash, { colorScheme, viewport: { width, height: 740 } });
        if (hash) await shows(p, 1);
        else await p.getByRole("button", { name: "sail" }).waitFor();
        await p.evaluate(() => {
          for (const part of document.querySelectorAll("details")) part.open = true;
        });
        await p.waitForTimeout(400);
        await p.evaluate(axe);
        const found = await p.evaluate(() => globalThis.axe.run());
        check(found.passes.length > 10, "axe has looked at nothing");
        check(
          !found.violations.length,
          `${colorScheme} ${width} ${hash}: ${JSON.stringify(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html)]))}`,
        );
        const wide = await p.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= width, `the page is ${wide} wide on ${width}`);
        await p.context().close();
      }
}

async function touch() {
  const p = await page(`#mesh=${mesh.gear}&level=2`, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  });
  await shows(p, 1);
  const cdp = await p.context().newCDPSession(p),
    box = await p.locator("canvas").boundingBox(),
    x = box.x + box.width / 2,
    y = box.y + box.height / 2;
  const send = (type, ...points) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
  const moved = async (what, work) => {
    const before = (await state(p)).camera;
    await work();
    await until(async () => (await state(p)).camera !== before, `${what} does nothing`);
  };
  await moved("a finger", async () => {
    await send("touchStart", [x, y]);
    await send("touchMove", [x + 30, y + 20]);
    await send("touchEnd");
  });
  const before = Number((await state(p)).camera.split(",")[2]);
  await moved("a pinch", async () => {
    await send("touchStart", [x - 20, y], [x + 20, y]);
    await send("touchMove", [x - 60, y], [x + 60, y]);
    await send("touchEnd");
  });
  check(Number((await state(p)).camera.split(",")[2]) < before, "fingers that part do not bring it nearer");
  await p.touchscreen.tap(x, y + 20);
  await until(async () => (await p.locator(".told").first().innerText()) !== "", "a tap names nothing");
  silent(p);
}

/** Who is here, as a daemon with presence tells it; words of strangers are text. */
async function people() {
  const p = await page("");
  await p.route("**/presence", (route) =>
    route.fulfill({
      json: { present: [{ principal: "ann", client: "blender", state: { tool: "<b>crease</b>", faces: 3 } }, {}] },
    }),
  );
  await p.getByRole("button", { name: "sail" }).click();
  await p.getByText("ann, with blender, tool <b>crease</b>, faces 3").waitFor();
  await p.getByText("somebody").waitFor();
  silent(p);
}

async function policy() {
  for (const part of ["client/web", "tests/web"])
    check(!readFileSync(`${part}/package-lock.json`, "utf8").includes('"resolved"'), `${part}'s lock file has addresses`);
  const headers = (await fetch(`${daemon.url}/viewer`)).headers,
    rule = headers.get("Content-Security-Policy");
  check(
    rule.includes("default-src 'none'") && rule.includes("script-src 'self'") && !rule.includes("unsafe"),
    `the policy is ${rule}`,
  );
  const p = await page(`#mesh=${mesh.cube}`),
    asked = [];
  p.on("request", (request) => asked.push(request.url()));
  await p.reload();
  await shows(p, 1);
  check(
    asked.length && asked.every((url) => url.startsWith(daemon.url) || url.startsWith("blob:")),
    `it asks ${asked}`,
  );
}

await run([
  ["list", list],
  ["token", token],
  ["controls_by_mouse", byMouse],
  ["controls_by_keyboard", byKeyboard],
  ["keys", keys],
  ["picking", picking],
  ["pictures", pictures],
  ["live", live],
  ["memory", memory],
  ["lost", lost],
  ["too_large", tooLarge],
  ["access", access],
  ["touch", touch],
  ["people", people],
  ["policy", policy],
  ...topologyTests(daemon),
  ...linkTests(daemon, mesh),
]);
await daemon.stop();
