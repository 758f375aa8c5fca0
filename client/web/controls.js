// SPDX-License-Identifier: Apache-2.0
// controls.js: the panel beside the picture. All of it are the browser's own buttons, fields and lists, so the keyboard
// and screen readers know them. It tells what was chosen and knows nothing of meshes.
import { button, make } from "./page.js";
import { LOOKS } from "./shaders.js";
import { SHOWN } from "./link.js";

const LOOK_NAMES = {
  matcap: "Matcap",
  normals: "Normals",
  uv: "UV checker",
  gaussian: "Gaussian curvature",
  mean: "Mean curvature",
};
const SHOWN_NAMES = {
  result: "Result",
  cage: "Cage faces",
  wire: "Result wireframe",
  lines: "Cage wireframe",
  creases: "Creases by sharpness",
};
const SURFACE_NAMES = { refined: "refined", limit: "limit", limitAtLevel: "limit at level" };
export const KEYS = [
  ["Arrows", "turn"],
  ["Shift arrows", "move"],
  ["+ -", "zoom"],
  ["F", "fit"],
  ["Enter", "name what is in the middle"],
  ["M", "measure from or to the middle"],
  ["W", "result wireframe"],
  ["C", "cage wireframe"],
  ["S", "section"],
  ["1 to 5", "looks"],
  ["[ ]", "level down, up"],
  ["P", "save a PNG"],
  ["Esc", "clear picks and measures"],
];

const labelled = (label, input, ...more) => make("label", {}, input, ` ${label}`, ...more);
function section(title, open, ...parts) {
  return make("details", { open }, make("summary", {}, title), ...parts);
}

/** Makes the panel. `on` has a function for each thing that can be chosen; returns the parts that the view writes. */
export function makePanel(on, maxLevel) {
  const part = {};
  const set = (name, element) => (part[name] = element);
  const select = (names, choose, label) => {
    const list = make("select", { onchange: () => choose(list.value), ariaLabel: label });
    for (const [value, text] of Object.entries(names)) list.append(make("option", { value }, text));
    return list;
  };
  set(
    "level",
    make("input", {
      type: "range",
      min: 1,
      max: maxLevel,
      step: 1,
      id: "level",
      oninput: () => on.plan(Number(part.level.value)),
      onkeydown: (event) => {
        if (event.key === "Enter") on.level(Number(part.level.value));
      },
    }),
  );
  set("levelNumber", make("output", { htmlFor: "level" }));
  set("plan", make("p", { className: "plan" }));
  set(
    "showLevel",
    button("Show", () => on.level(Number(part.level.value))),
  );
  set("surface", select(SURFACE_NAMES, on.surfaceKind, "Surface"));
  set(
    "shown",
    Object.fromEntries(
      SHOWN.map((name) => [
        name,
        make("input", { type: "checkbox", onchange: () => on.show(name, part.shown[name].checked) }),
      ]),
    ),
  );
  set(
    "looks",
    Object.fromEntries(
      LOOKS.map((name) => [
        name,
        make("input", { type: "radio", name: "look", value: name, onchange: () => on.look(name) }),
      ]),
    ),
  );
  set("lookText", make("p", { className: "quiet" }));
  const cut = () =>
    on.section(
      part.cut.checked ? { axis: Number(part.axis.value), at: Number(part.at.value), flip: part.flip.checked } : null,
    );
  set("cut", make("input", { type: "checkbox", onchange: cut }));
  set("axis", select({ 0: "x", 1: "y", 2: "z" }, cut, "Axis of the section"));
  set(
    "at",
    make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.005,
      value: 0.5,
      oninput: cut,
      ariaLabel: "Place of the section",
    }),
  );
  set("flip", make("input", { type: "checkbox", onchange: cut }));
  set("picked", make("output", { className: "told" }));
  set("measured", make("output", { className: "told" }));
  set("tool", select({ pick: "names what is there", measure: "measures a distance" }, on.tool, "What a click does"));
  set("versions", make("ol", { className: "versions" }));
  set("newest", button("Newest", on.newest, { hidden: true }));
  set("moreVersions", button("Earlier ones", on.moreVersions, { hidden: true }));
  set("people", make("ul", { className: "people" }));
  set("peopleBox", section("Who is here", true, part.people));
  part.peopleBox.hidden = true;
  set("times", make("dl", { className: "times" }));
  set("state", make("p", { className: "quiet", role: "status" }));
  const row = (...parts) => make("div", { className: "row" }, ...parts);
  const group = (legend, parts) => make("fieldset", {}, make("legend", {}, legend), ...parts);
  part.root = make(
    "aside",
    { className: "panel", ariaLabel: "Controls" },
    part.state,
    section(
      "Level",
      true,
      make("label", { htmlFor: "level" }, "Level ", part.levelNumber),
      part.level,
      part.plan,
      row(part.showLevel, make("label", {}, "Surface ", part.surface)),
    ),
    section(
      "View",
      true,
      group(
        "Shown",
        SHOWN.map((name) => labelled(SHOWN_NAMES[name], part.shown[name])),
      ),
      group(
        "Look",
        LOOKS.map((name) => labelled(LOOK_NAMES[name], part.looks[name])),
      ),
      part.lookText,
      row(button("Fit", on.fit), button("Save PNG", on.png), button("Copy link", on.link)),
    ),
    section(
      "Section",
      false,
      row(labelled("Cut along", part.cut), part.axis),
      part.at,
      labelled("Keep the other side", part.flip),
    ),
    section(
      "Pick and measure",
      true,
      make("label", {}, "A click ", part.tool),
      part.picked,
      part.measured,
      row(button("Clear", on.clear)),
    ),
    section(
      "Versions",
      true,
      row(button("Undo", on.undo), button("Redo", on.redo), part.newest),
      part.versions,
      part.moreVersions,
    ),
    part.peopleBox,
    section("Times of the last picture", false, part.times),
    section(
      "Keys on the picture",
      false,
      make(
        "dl",
        { className: "keys" },
        ...KEYS.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]),
      ),
    ),
  );
  return part;
}
