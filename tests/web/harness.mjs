// SPDX-License-Identifier: Apache-2.0
// harness.mjs: what the tests in a browser share: a daemon of their own, subd, Chromium, comparing pictures, and
// telling the results as cmocka does. SUBDD_TEST_FILTER is a glob of names; SUBDD_WEB_RECORD=1 writes the pictures
// anew.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const [bin = "build/bin", build = "build"] = process.argv.slice(2);
export const require = createRequire(resolve(build, "web-tests/modules.js"));
export const folder = mkdtempSync(join(tmpdir(), "subdd-web-"));
const { chromium } = require("playwright-core");
const { PNG } = require("pngjs");

export function check(good, sentence) {
  if (!good) throw new Error(sentence);
}
export async function until(what, sentence, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((next) => setTimeout(next, 30))) {
    const value = await what();
    if (value) return value;
  }
  throw new Error(typeof sentence === "function" ? await sentence() : sentence);
}

export class Daemon {
  static n = 0;
  async start(options = [], port = 0) {
    this.folder ??= join(folder, `daemon${Daemon.n++}`);
    this.process = spawn(
      join(bin, "subdd"),
      [
        "--listen",
        `127.0.0.1:${port}`,
        "--data-dir",
        this.folder,
        "--backend",
        process.env.SUBDD_TEST_BACKEND || "cpu",
        ...options,
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const line = await new Promise((line) => this.process.stdout.once("data", (data) => line(String(data))));
    this.url = /http:\/\/\S+/.exec(line)[0];
    return this;
  }
  async stop() {
    const over = new Promise((end) => this.process.once("exit", end));
    this.process.kill("SIGTERM");
    await over;
  }
  subd(...args) {
    const ran = spawnSync(join(bin, "subd"), [...args, "--server", this.url], { encoding: "utf8" });
    check(ran.status === 0, `subd ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout.trim();
  }
}

// A browser that draws without a graphics card, and asks nobody outside for anything.
export const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--font-render-hinting=none",
    "--js-flags=--expose-gc",
  ],
});

export async function open(url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 700 },
    reducedMotion: "reduce",
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  page.said = [];
  // A daemon without presence answers 404, which Chromium writes to the console by itself.
  page.on("console", (message) => {
    if (!message.location().url.endsWith("/presence")) page.said.push(message.text());
  });
  page.on("pageerror", (error) => page.said.push(error.stack));
  await page.goto(url);
  return page;
}

/** Waits until the canvas shows this version. */
export const shows = (page, version) =>
  until(
    async () =>
      Number(
        await page
          .locator("canvas")
          .getAttribute("data-version")
          .catch(() => 0),
      ) >= version,
    async () => `version ${version} is not shown: ${await page.locator("body").innerText()}; ${page.said}`,
  );

/** Holds what is on the canvas against a committed picture. */
export async function samePicture(page, name) {
  const path = `tests/web/pictures/${name}.png`;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const shot = await page.locator("canvas").screenshot();
  if (process.env.SUBDD_WEB_RECORD || !existsSync(path)) {
    check(process.env.SUBDD_WEB_RECORD, `${path} is not there; SUBDD_WEB_RECORD=1 writes it`);
    mkdirSync("tests/web/pictures", { recursive: true });
    writeFileSync(path, shot);
    return;
  }
  const pixelmatch = (await import(require.resolve("pixelmatch"))).default,
    a = PNG.sync.read(shot),
    b = PNG.sync.read(readFileSync(path));
  check(
    a.width === b.width && a.height === b.height,
    `${name}: ${a.width} x ${a.height} and not ${b.width} x ${b.height}`,
  );
  const diff = new PNG({ width: a.width, height: a.height });
  const wrong = pixelmatch(a.data, b.data, diff.data, a.width, a.height, { threshold: 0.15 });
  if (wrong <= a.width * a.height * 0.004) return;
  mkdirSync(join(build, "web-tests/differs"), { recursive: true });
  writeFileSync(join(build, "web-tests/differs", `${name}.png`), PNG.sync.write(diff));
  writeFileSync(join(build, "web-tests/differs", `${name}.now.png`), shot);
  throw new Error(`${name}: ${wrong} pixels differ; see ${build}/web-tests/differs`);
}

/** Runs tests, [name, function], and ends the process. */
export async function run(tests) {
  const glob = new RegExp(`^${(process.env.SUBDD_TEST_FILTER || "*").replaceAll("*", ".*").replaceAll("?", ".")}$`);
  let passed = 0,
    failed = 0;
  for (const [name, test] of tests) {
    if (!glob.test(name)) continue;
    const began = Date.now();
    try {
      await test();
      passed++;
      console.log(`[       OK ] ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (wrong) {
      failed++;
      console.log(`[  FAILED  ] ${name}: ${wrong.stack}`);
    }
    for (const context of browser.contexts()) await context.close();
  }
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
  console.log(`[  PASSED  ] ${passed} test(s).`);
  if (failed) console.log(`[  FAILED  ] ${failed} test(s), listed above`);
  process.exitCode = failed ? 1 : 0;
}
