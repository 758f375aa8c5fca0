// SPDX-License-Identifier: Apache-2.0
// view.js: one mesh on the screen: its surface at a level, the versions as they come, and what the panel and the
// keyboard do with them. What is drawn is surface.js and cageview.js, what it stands on stage.js.
import { Vector3 } from "three";
import { readCage } from "./cage.js";
import { CageView } from "./cageview.js";
import { makePanel } from "./controls.js";
import { ask, json, Problem } from "./daemon.js";
import { readFrame } from "./frame.js";
import { History } from "./history.js";
import { writeLink } from "./link.js";
import { button, by, bytes, count, make, notice, quiet, save, short } from "./page.js";
import { People } from "./people.js";
import { Malformed } from "./protobuf.js";
import { Probe } from "./probe.js";
import { LOOKS, setSection, shared } from "./shaders.js";
import { Stage } from "./stage.js";
import { Surface } from "./surface.js";
import { GONE, PROBLEM, records, WHOLE } from "./watch.js";

const MOST_BYTES = 1.5e9; // A frame, with what is made of it, in the memory that a browser gives to a page.
const MOST_TRIANGLES = 4e7,
  EASY_FACES = 5e5; // What is drawn at all, and what any machine draws without waiting.
const RETRY_MS = 1000,
  MOST_RETRY_MS = 30000;
const FRAME = "application/vnd.subdd.frame",
  WATCH = "application/vnd.subdd.watch";

/** What daemon or browser has no room for. */
class TooLarge extends Error {}

const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

/** "queue;dur=0.02, refine;dur=0.4" as names and milliseconds. */
function serverTimes(text) {
  return (text ?? "")
    .split(",")
    .map((part) => [part.split(";")[0].trim(), Number(/dur=([\d.]+)/.exec(part)?.[1])])
    .filter(([, ms]) => ms >= 0);
}

export class View {
  constructor(state, limits, ways) {
    Object.assign(this, {
      state,
      limits,
      ways,
      path: `/v1/meshes/${state.mesh}`,
      cage: null,
      version: 0,
      pinned: 0,
      ended: new AbortController(),
    });
    this.loading = new AbortController();
    // Both are on their way while the graphics card is made ready; what goes wrong is told where they are awaited.
    this.asking = { info: json(this.path, { signal: this.ended.signal }), cage: this.#askCage("") };
    for (const asked of Object.values(this.asking)) asked.catch(() => {});
    const on = Object.fromEntries(
      [
        "plan",
        "level",
        "surfaceKind",
        "show",
        "look",
        "section",
        "fit",
        "png",
        "link",
        "clear",
        "undo",
        "redo",
        "newest",
        "moreVersions",
        "tool",
      ].map((name) => [name, (...values) => this.#run(() => this[name](...values))]),
    );
    this.panel = makePanel(on, limits.maxLevel);
    this.canvas = make("canvas", {
      tabIndex: 0,
      role: "img",
      ariaLabel: "The surface. Arrows turn it; the list of keys is in the panel.",
    });
    by("view").replaceChildren(
      make("div", { className: "stage" }, this.canvas, make("span", { className: "cross" })),
      this.panel.root,
    );
    this.stage = new Stage(this.canvas, () => this.#moved());
    this.surface = new Surface();
    this.cageView = new CageView();
    this.probe = new Probe(this);
    this.history = new History(this);
    this.people = new People(this);
    this.stage.scene.add(this.surface, this.cageView, this.probe);
    this.canvas.addEventListener("webglcontextlost", (event) => this.#contextLost(event));
    this.canvas.addEventListener("webglcontextrestored", () => {
      quiet();
      this.stage.draw();
    });
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Runs what the user asked for; what goes wrong is told, and the view stays. */
  async #run(work) {
    try {
      await work();
    } catch (problem) {
      if (problem.name !== "AbortError") this.fail(problem);
    }
  }

  fail(problem) {
    if (this.ended.signal.aborted) return;
    const large = problem instanceof RangeError || problem instanceof TooLarge,
      known =
        problem instanceof RangeError
          ? `this surface does not fit in this browser: ${problem.message}`
          : problem.message;
    const ways = [
      ["Try again", this.ways.retry],
      ["All meshes", this.ways.toList],
    ];
    notice(known[0].toUpperCase() + known.slice(1), ...ways);
    if (large) this.#offerLevel(known, ways);
  }

  /** Adds a way to the highest level that is drawn easily. */
  async #offerLevel(known, ways) {
    for (let level = (this.asked ?? this.state.level) - 1; level >= 1; level--) {
      const plan = await json(`${this.path}/plan?${this.query(level)}`).catch(() => null);
      if (!plan || this.#refusal(plan) || (plan.faces > EASY_FACES && level > 1)) continue;
      return notice(
        known[0].toUpperCase() + known.slice(1),
        [`Show level ${level}`, () => this.#run(() => this.level(level))],
        ...ways,
      );
    }
  }

  async start() {
    const { state, panel } = this;
    this.info = await this.asking.info;
    by("title").textContent = document.title = this.info.name;
    if (!this.info.uvs || this.info.options.subdivisionScheme === "sqrt3") {
      panel.looks.uv.disabled = true;
      if (state.look === "uv") state.look = "matcap";
    }
    panel.surface.value = state.surface;
    panel.looks[state.look].checked = true;
    for (const name of Object.keys(panel.shown)) panel.shown[name].checked = state.show.includes(name);
    panel.cut.checked = Boolean(state.section);
    if (state.section)
      [panel.axis.value, panel.at.value, panel.flip.checked] = [
        state.section.axis,
        state.section.at,
        state.section.flip,
      ];
    this.people.start();
    await this.load();
  }

  /** The query of a surface, of its plan and of its watch. */
  query(level = this.state.level) {
    const uvs = this.state.look === "uv",
      blocks = ["positions", "normals", ...(uvs ? ["uvs"] : [])];
    const faces = this.info.options.subdivisionScheme === "sqrt3" ? ["indices"] : []; // They have no formula.
    return `level=${level}&surface=${this.state.surface}&include=${[...blocks, ...faces]}&compact=${blocks}`;
  }

  /** The version that is looked at, unless it is the newest. */
  get #at() {
    return this.pinned ? `&version=${this.pinned}` : "";
  }

  /** Tells what a level costs before it is asked for. */
  async plan(level) {
    const { panel } = this;
    panel.level.value = level;
    panel.levelNumber.textContent = String(level);
    const asked = (this.planned = {});
    const plan = await json(`${this.path}/plan?${this.query(level)}${this.#at}`).catch((problem) => problem);
    if (asked !== this.planned) return null;
    const tooLarge = plan instanceof Problem && [413, 507].includes(plan.status) ? "; take a lower level" : "";
    const sentence = plan instanceof Error ? plan.message + tooLarge : this.#refusal(plan);
    panel.plan.textContent =
      plan instanceof Error
        ? sentence
        : `${count(plan.faces)} faces, ${count(plan.vertices)} vertices, ${bytes(plan.frameBytes)}${sentence && `: ${sentence}`}`;
    panel.showLevel.disabled = Boolean(sentence);
    panel.showLevel.textContent = `Show level ${level}`;
    if (plan instanceof Error && !tooLarge) return plan;
    return sentence ? new TooLarge(sentence) : plan;
  }

  #refusal(plan) {
    const triangles = plan.faces * (plan.blocks.some((b) => b.components === 3 && b.semantic === "indices") ? 1 : 2);
    if (!plan.fits)
      return `the daemon has no room for it (${bytes(plan.needed)} of ${bytes(plan.limit)}); take a lower level`;
    return plan.frameBytes > MOST_BYTES || triangles > MOST_TRIANGLES
      ? "too large for a browser; take a lower level"
      : "";
  }

  /** Loads the surface as the state says, then follows its versions. */
  async load() {
    this.loading.abort();
    this.loading = new AbortController();
    const { signal } = this.loading;
    this.ended.signal.addEventListener("abort", () => this.loading.abort(), { signal });
    const plan = await this.plan(this.state.level);
    if (plan instanceof Error) throw plan;
    const began = performance.now();
    const answer = await ask(`${this.path}/refined?${this.query()}${this.#at}`, { accept: FRAME, signal });
    const head = performance.now(),
      body = await answer.arrayBuffer(),
      came = performance.now();
    await this.take(
      body,
      { "until the answer": head - began, transfer: came - head },
      serverTimes(answer.headers.get("Server-Timing")),
      began,
      signal,
    );
    if (!this.pinned) this.#follow(signal);
  }

  /** Shows a frame, unless something else was asked for meanwhile. */
  async take(body, times, daemon, began, signal) {
    const at = performance.now(),
      frame = readFrame(body),
      { state } = this;
    if (
      !this.cage ||
      (this.cage.version !== frame.version && (this.cage.topology !== frame.topology || this.#seesCage()))
    )
      await this.#getCage(frame);
    if (signal.aborted) return;
    const first = !this.surface.frame;
    this.surface.show(frame, this.cage, state.look);
    this.version = frame.version;
    if (first) this.#fitOrRestore(frame);
    await this.#lookReady();
    if (signal.aborted) return;
    this.#apply();
    const made = performance.now();
    this.stage.renderDone();
    const done = performance.now();
    this.#tell(
      frame,
      { ...times, arrange: made - at, "upload and draw": done - made, "until the picture": done - began },
      daemon,
    );
    this.history.changed();
  }

  #seesCage() {
    return ["cage", "lines", "creases"].some((name) => this.state.show.includes(name));
  }

  /** A control mesh with its version, which its entity tag begins with. */
  async #askCage(query) {
    const answer = await ask(`${this.path}/cage${query}`, {
      accept: "application/protobuf",
      signal: this.ended.signal,
    });
    const cage = readCage(await answer.arrayBuffer());
    return Object.assign(cage, { version: parseInt(answer.headers.get("ETag").slice(1), 10) });
  }

  async #getCage(frame) {
    const first = await this.asking.cage;
    const cage = first?.version === frame.version ? first : await this.#askCage(`?version=${frame.version}`);
    this.asking.cage = null;
    this.cage = Object.assign(cage, { topology: frame.topology });
    this.cageShown = "";
  }

  #fitOrRestore(frame) {
    this.stage.orbit.zUp = (frame.upAxis || this.cage.upAxis) === "Z";
    const { camera } = this.state;
    this.fit();
    if (camera) this.stage.orbit.state = camera;
  }

  #tell(frame, times, daemon) {
    const rows = [...Object.entries(times), ...daemon.map(([name, ms]) => [`daemon: ${name}`, ms])];
    this.panel.times.replaceChildren(
      ...rows.flatMap(([name, ms]) => [make("dt", {}, name), make("dd", {}, `${ms.toFixed(1)} ms`)]),
      make("dt", {}, "received"),
      make("dd", {}, bytes(frame.bytes)),
      make("dt", {}, "engine"),
      make("dd", {}, `${frame.method}, ${frame.backend}`),
    );
    this.panel.state.textContent = `Version ${frame.version}${this.pinned ? " (earlier)" : ""}, level ${frame.level}, ${frame.surface}`;
    this.canvas.dataset.version = frame.version;
    this.canvas.dataset.shown = Math.round(performance.timeOrigin + performance.now()); // For tests and benches.
  }

  /** Follows the versions, and comes back when the connection is lost. */
  async #follow(signal) {
    for (let wait = RETRY_MS; !signal.aborted;) {
      try {
        const answer = await ask(`${this.path}/watch?${this.query()}&since=${this.version}`, { accept: WATCH, signal });
        if (this.lost) quiet();
        this.lost = false;
        for await (const record of records(answer, MOST_BYTES)) {
          wait = RETRY_MS;
          if (record.kind === GONE) return notice("This mesh has been deleted", ["All meshes", this.ways.toList]);
          if (record.kind === PROBLEM) throw new Problem(422, JSON.parse(new TextDecoder().decode(record.body)));
          if (record.kind === WHOLE)
            await this.take(record.body, { transfer: performance.now() - record.began }, [], record.began, signal);
        }
      } catch (problem) {
        if (signal.aborted) return;
        if (
          problem instanceof RangeError ||
          problem instanceof Malformed ||
          (problem.status && problem.status < 500 && problem.status !== 429)
        )
          return this.fail(problem);
      }
      if (signal.aborted) return;
      this.lost = true;
      notice(
        `The connection to the daemon is lost; the picture stays, and the next try is in ${Math.round(wait / 1000)} s`,
        ["Try now", this.ways.retry],
      );
      await pause(wait, signal);
      wait = Math.min(wait * 2, MOST_RETRY_MS);
    }
  }

  // ---- what can be chosen ------------------------------------------------------------------------------------------
  async level(level) {
    if (level < 1 || level > this.limits.maxLevel) return;
    const before = this.state.level;
    this.state.level = this.asked = level;
    try {
      await this.load();
    } catch (problem) {
      if (problem instanceof RangeError || problem instanceof TooLarge) this.state.level = before;
      throw problem;
    } finally {
      this.#moved();
    }
  }

  async surfaceKind(surface) {
    this.state.surface = surface;
    await this.load();
    this.#moved();
  }

  async show(name, on) {
    this.state.show = Object.keys(this.panel.shown).filter((other) =>
      other === name ? on : this.state.show.includes(other),
    );
    this.panel.shown[name].checked = on;
    if (on && this.#seesCage() && this.cage.version !== this.version) await this.#getCage(this.surface.frame);
    this.#apply();
    this.#moved();
  }

  async look(name) {
    if (this.panel.looks[name].disabled) return;
    const uvs = (look) => look === "uv",
      before = this.state.look;
    this.state.look = name;
    this.panel.looks[name].checked = true;
    if (uvs(before) !== uvs(name)) await this.load();
    else await this.#lookReady();
    this.#apply();
    this.#moved();
  }

  /** Curvatures are numbers at the vertices, and asked for when they are looked at. */
  async #lookReady() {
    const { look, level } = this.state,
      { frame } = this.surface,
      field = look === "gaussian" || look === "mean";
    this.panel.lookText.textContent = look === "uv" ? "Ten squares a unit of UV." : "";
    if (field) {
      const answer = await ask(`${this.path}/fields?what=${look}&level=${level}&version=${frame.version}`, {
        accept: FRAME,
      });
      const values = readFrame(await answer.arrayBuffer()).blocks[look].array;
      if (frame !== this.surface.frame || look !== this.state.look) return;
      const most = this.surface.heat(values);
      this.panel.lookText.textContent = `Blue ${short(-most)}, white 0, red ${short(most)}${look === "mean" ? " for each unit of length" : " for each unit of area"}.`;
    }
    this.surface.look(look);
  }

  section(section) {
    this.state.section = section;
    this.panel.cut.checked = Boolean(section);
    this.#apply();
    this.#moved();
  }

  #sectionPlane() {
    const { section } = this.state,
      plane = shared.section.value;
    if (!section) return plane.set(0, 0, 0, 1); // Nothing is cut.
    const { low, high } = this.surface,
      side = section.flip ? -1 : 1,
      normal = [0, 0, 0];
    const at =
      low.getComponent(section.axis) + section.at * (high.getComponent(section.axis) - low.getComponent(section.axis));
    normal[section.axis] = side;
    return plane.set(...normal, side * at);
  }

  /** Shows on the stage what the state says. */
  #apply() {
    const { show } = this.state,
      { surface, cageView, cage } = this;
    if (!surface.frame) return;
    surface.mesh.visible = show.includes("result");
    surface.showWire(show.includes("wire"));
    surface.showCreases(show.includes("creases"), cage);
    cageView.mesh.visible = show.includes("cage");
    cageView.lines.visible = show.includes("lines");
    const shown = `${cage.version}/${show.includes("creases")}`;
    if ((show.includes("cage") || show.includes("lines")) && this.cageShown !== shown) {
      cageView.show(cage, show.includes("creases"));
      this.cageShown = shown;
    }
    this.#sectionPlane();
    const cut = Boolean(this.state.section);
    for (const part of [surface.mesh, surface.wire, surface.creases, cageView.mesh, cageView.lines])
      setSection(part.material, cut);
    this.stage.draw();
  }

  fit() {
    const { low, high } = this.surface;
    this.stage.orbit.frame(low.clone().add(high).multiplyScalar(0.5), new Vector3().subVectors(high, low).length() / 2);
  }

  async png() {
    save(await this.stage.picture(), `${this.info.name}.png`);
  }

  async link() {
    this.#moved(true);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    this.panel.state.textContent = "The address of this view is copied; it is in the address bar, too.";
  }

  clear() {
    this.probe.clear();
  }
  tool(name) {
    this.probe.tool = name;
  }
  undo() {
    return this.history.change("undo");
  }
  redo() {
    return this.history.change("redo");
  }
  newest() {
    return this.history.show(0);
  }
  moreVersions() {
    return this.history.more();
  }

  /** Writes the view to the address, not at every step of a movement. */
  #moved(now = false) {
    if (!this.surface?.frame) return;
    clearTimeout(this.writing);
    const write = () => {
      if (this.ended.signal.aborted) return;
      this.state.camera = this.stage.orbit.state;
      history.replaceState(null, "", writeLink(this.state));
    };
    if (now) write();
    else this.writing = setTimeout(write, 250);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { panel, state } = this,
      toggle = (name) => this.show(name, !state.show.includes(name));
    const keys = {
      f: () => this.fit(),
      w: () => toggle("wire"),
      c: () => toggle("lines"),
      p: () => this.png(),
      Escape: () => this.clear(),
      Enter: () => this.probe.at([0, 0], "pick"),
      m: () => this.probe.at([0, 0], "measure"),
      "[": () => this.level(state.level - 1),
      "]": () => this.level(state.level + 1),
      s: () =>
        this.section(
          state.section
            ? null
            : { axis: Number(panel.axis.value), at: Number(panel.at.value), flip: panel.flip.checked },
        ),
    };
    LOOKS.forEach((name, i) => {
      keys[i + 1] = () => this.look(name);
    });
    const work = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!work) return;
    event.preventDefault();
    this.#run(work);
  }

  #contextLost(event) {
    event.preventDefault(); // Else it would not come back.
    if (!this.ended.signal.aborted)
      notice("The browser has taken the graphics card away from this page", ["Show it again", this.ways.retry]);
  }

  end() {
    this.ended.abort();
    this.loading.abort();
    clearTimeout(this.writing);
    for (const part of [this.surface, this.cageView, this.probe]) part.dispose();
    this.stage.end();
    by("view").replaceChildren();
  }
}
