// SPDX-License-Identifier: Apache-2.0
// probe.js: what a click, a tap or a key names on the surface, and distances between two places of it.
import { Group, Vector3 } from "three";
import { short } from "./page.js";
import { nameHit, Picker } from "./pick.js";
import { shared } from "./shaders.js";
import { Strokes } from "./strokes.js";

const STILL = 5; // Pixels that a pointer may move between down and up of a click.
const TINT = [0.95, 0.45, 0.05];

export class Probe extends Group {
  constructor(view) {
    super();
    Object.assign(this, { view, tool: "pick", marks: [], picker: new Picker() });
    this.lines = new Strokes(3, true);
    this.add(this.lines);
    let down = null;
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary ? [event.clientX, event.clientY] : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!down || event.button || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > STILL) return;
      const box = canvas.getBoundingClientRect();
      this.at(
        [((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2],
        this.tool,
      );
    });
  }

  /** Picks or measures at a place of the canvas, -1 to 1 on both axes. */
  at(place, tool) {
    const { surface, cageView, stage, panel, cage } = this.view,
      section = shared.section.value;
    const hits = [surface, cageView]
      .filter((part) => part.mesh.visible && part.mesh.geometry.index)
      .map((part) => ({ part, ...this.picker.hit(part.mesh, stage.camera, place, section) }))
      .filter((hit) => hit.point);
    const hit = hits.sort((a, b) => a.distance - b.distance)[0];
    if (!hit) panel[tool === "pick" ? "picked" : "measured"].textContent = "There is nothing there.";
    else if (tool === "pick") this.#name(hit, cage);
    else this.#measure(hit.point);
    this.refresh();
  }

  #name(hit, cage) {
    const { panel, surface } = this.view,
      place = `at ${hit.point.toArray().map(short).join(", ")}`;
    const known = hit.part === surface ? nameHit(surface, cage, hit) : { face: hit.part.faceOf[hit.triangle] };
    const id = (ids, row) => (ids.length && ids[row] !== row ? `${row} (id ${ids[row]})` : String(row));
    const lines =
      known.face === null
        ? ["This scheme has no formula for its faces."]
        : [`Control face ${id(cage.faceIds, known.face)}`];
    if (known.vertex !== undefined) lines.push(`Control vertex ${id(cage.vertexIds, known.vertex)}`);
    if (known.u !== undefined)
      lines.push(
        `(u, v) = (${known.u.toFixed(4)}, ${known.v.toFixed(4)})${known.corner === null ? "" : ` of the part at its corner ${known.corner}`}`,
      );
    panel.picked.textContent = [...lines, place].join("\n");
    this.picked = hit.point;
  }

  #measure(point) {
    if (this.marks.length === 2) this.marks = [];
    this.marks.push(point);
    const { panel, info } = this.view,
      unit = info.metersPerUnit;
    if (this.marks.length === 1) {
      panel.measured.textContent = "From here; a second place ends it.";
      return;
    }
    const length = this.marks[0].distanceTo(this.marks[1]);
    panel.measured.textContent = `Distance ${short(length)}${unit ? ` (${short(length * unit)} m)` : ""}`;
  }

  /** Draws a cross at each place, as large as the view, and the line that is measured. */
  refresh() {
    const { orbit } = this.view.stage,
      size = 0.012 * orbit.distance,
      start = [],
      end = [];
    for (const mark of [...this.marks, ...(this.picked ? [this.picked] : [])])
      for (const axis of [0, 1, 2]) {
        const arm = new Vector3().setComponent(axis, size);
        start.push(...mark.clone().sub(arm).toArray());
        end.push(...mark.clone().add(arm).toArray());
      }
    if (this.marks.length === 2) {
      start.push(...this.marks[0].toArray());
      end.push(...this.marks[1].toArray());
    }
    this.lines.fill(Float32Array.from(start), Float32Array.from(end), TINT);
    this.lines.visible = start.length > 0;
    this.view.stage.draw();
  }

  clear() {
    this.marks = [];
    this.picked = null;
    this.view.panel.picked.textContent = this.view.panel.measured.textContent = "";
    this.refresh();
  }

  dispose() {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
