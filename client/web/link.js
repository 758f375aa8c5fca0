// SPDX-License-Identifier: Apache-2.0
// link.js: the view as the part of the address behind "#", which no server gets, and back. What is not understood is
// left out; without a mesh there is the list. The token is never in it.
import { LOOKS } from "./shaders.js";

export const SHOWN = ["result", "cage", "wire", "lines", "creases"];
export const SURFACES = ["refined", "limit", "limitAtLevel"];
export const fresh = () => ({
  mesh: "",
  level: 2,
  surface: "limit",
  look: "matcap",
  show: ["result"],
  section: null,
  camera: null,
});

const among = (all, value, other) => (all.includes(value) ? value : other);
function numbers(text, n) {
  const all = (text ?? "").split(",").map((word) => (word === "" ? NaN : Number(word)));
  return all.length === n && all.every((x) => Number.isFinite(x) && Math.abs(x) < 1e30) ? all : null;
}

export function readLink(hash, maxLevel) {
  const words = new URLSearchParams(hash.replace(/^#/, "")),
    state = fresh(),
    level = Number(words.get("level") ?? state.level);
  state.mesh = /^m_[0-9a-z]{1,64}$/.test(words.get("mesh") ?? "") ? words.get("mesh") : "";
  state.level = Number.isInteger(level) && level >= 1 && level <= maxLevel ? level : state.level;
  state.surface = among(SURFACES, words.get("surface"), state.surface);
  state.look = among(LOOKS, words.get("look"), state.look);
  if (words.has("show")) state.show = SHOWN.filter((name) => words.get("show").split(",").includes(name));
  const camera = numbers(words.get("camera"), 6),
    [axis, at, flip] = numbers(words.get("section"), 3) ?? [];
  if (camera && camera[2] > 0) state.camera = camera;
  if ([0, 1, 2].includes(axis)) state.section = { axis, at: Math.max(0, Math.min(1, at)), flip: flip === 1 };
  return state;
}

export function writeLink({ mesh, level, surface, look, show, section, camera }) {
  if (!mesh) return "";
  const words = { mesh, level, surface, look, show: show.join(",") };
  if (section) words.section = [section.axis, section.at, section.flip ? 1 : 0].join(",");
  if (camera) words.camera = camera.join(",");
  return (
    "#" +
    Object.entries(words)
      .map(([name, value]) => `${name}=${value}`)
      .join("&")
  );
}
