// SPDX-License-Identifier: Apache-2.0
// index.js: the front page: the state of the daemon, and its meshes in pages.
import { by, get, make, run } from "./page.js";

const number = new Intl.NumberFormat("en");
let next = ""; // The `after` of the page of meshes that follows.

function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const unit = Math.min(Math.floor(Math.log10(Math.max(n, 1)) / 3), units.length - 1);
  return `${Number((n / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}

/** Saves the control mesh as a file. */
async function save(mesh, accept, ending) {
  const answer = await get(`/v1/meshes/${mesh.id}/cage`, accept);
  const href = URL.createObjectURL(await answer.blob());
  make("a", { href, download: `${mesh.name}.${ending}` }).click();
  setTimeout(URL.revokeObjectURL, 60000, href); // The browser may read it later than the click.
}

function row(mesh) {
  const cell = (text, set = {}) => make("td", set, text);
  const saver = (label, accept, ending) =>
    make("button", { type: "button", onclick: () => run(() => save(mesh, accept, ending)) }, label);
  const held = mesh.deviceBytes + mesh.hostBytes;
  return make("tr", {},
    cell(make("a", { className: "api", href: `/v1/meshes/${mesh.id}`, title: mesh.id }, mesh.name)),
    cell(mesh.options.subdivisionScheme),
    cell(number.format(mesh.vertices), { className: "n" }),
    cell(number.format(mesh.faces), { className: "n" }),
    cell(String(mesh.version), { className: "n" }),
    cell(held ? bytes(held) : "on disk", { className: "n", title: mesh.residency }),
    cell(new Date(mesh.updated).toLocaleString()),
    make("td", {}, make("a", { href: `/viewer#mesh=${mesh.id}` }, "View"), " ", saver("OBJ", "model/obj", "obj"), " ", saver("USDA", "model/vnd.usda", "usda")));
}

async function list() {
  const answer = await get(`/v1/meshes?limit=100${next && `&after=${encodeURIComponent(next)}`}`);
  const page = await answer.json(), body = by("meshes").tBodies[0];
  if (!next) body.replaceChildren();
  body.append(...page.meshes.map(row));
  next = page.next;
  by("more").hidden = !next;
  by("meshes").hidden = !body.rows.length;
  by("none").hidden = body.rows.length > 0;
}

async function service() {
  const about = await (await get("/v1")).json();
  by("version").textContent = about.version;
  by("device").textContent = `${about.device} (${about.backend})`;
  by("device").title = about.backendDetail;
}

/** Readiness is asked without `get`: it needs no token, and 503 is an answer too. */
async function state() {
  const ready = await fetch("/v1/health/ready", { cache: "no-cache" });
  by("state").textContent = ready.ok ? "ready" : ((await ready.json()).detail ?? "not ready");
  by("state").className = ready.ok ? "good" : "bad";
}

async function all() {
  next = "";
  await Promise.all([state(), service(), list()]);
}

by("push").textContent =
  `curl -H 'Content-Type: model/obj' --data-binary @mesh.obj '${location.origin}/v1/meshes?name=mesh'`;
by("again").onclick = () => run(all);
by("more").onclick = () => run(list);
run(all);
