// SPDX-License-Identifier: Apache-2.0
// list.js: the meshes of the daemon, in pages, each a button that opens it.
import { json } from "./daemon.js";
import { button, by, count, make } from "./page.js";

/** Shows a page of them. `guarded` runs what a button does. */
export async function showList(open, guarded, after = "") {
  const page = await json(`/v1/meshes?limit=100${after && `&after=${encodeURIComponent(after)}`}`);
  const root = by("list"),
    rows = page.meshes.map((mesh) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", onclick: () => open(mesh.id) },
          make("strong", {}, mesh.name),
          make("span", {}, `${mesh.options.subdivisionScheme}, ${count(mesh.faces)} faces, version ${mesh.version}`),
        ),
      ),
    );
  if (!after) root.replaceChildren(make("ul", { className: "meshes" }));
  root.querySelector(".more")?.remove();
  root.querySelector("ul").append(...rows);
  if (!root.querySelector("li"))
    root.append(make("p", {}, "There are no meshes yet. From a shell: ", make("code", {}, "subd push FILE"), "."));
  if (page.next)
    root.append(button("More", () => guarded(() => showList(open, guarded, page.next)), { className: "more" }));
}
