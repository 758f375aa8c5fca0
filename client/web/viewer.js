// SPDX-License-Identifier: Apache-2.0
// viewer.js: the page: from the address to a list or a mesh, and back to an address. view.js has all that is of one
// mesh.
import { json, onToken } from "./daemon.js";
import { fresh, readLink, writeLink } from "./link.js";
import { showList } from "./list.js";
import { askToken, by, notice, quiet } from "./page.js";
import { View } from "./view.js";

let view = null,
  limits = null;

function sentence(problem) {
  return problem.message[0].toUpperCase() + problem.message.slice(1);
}

/** Runs `work`, and says what went wrong, with a way on. */
async function guarded(work) {
  try {
    quiet();
    await work();
  } catch (problem) {
    notice(sentence(problem), ["Try again", go], ["All meshes", toList]);
  }
}

function toList() {
  if (location.hash) history.pushState(null, "", location.pathname);
  go();
}

function open(mesh) {
  history.pushState(null, "", writeLink({ ...fresh(), mesh }));
  go();
}

/** Shows what the address says. */
function go() {
  return guarded(async () => {
    view?.end();
    view = null;
    limits ??= (await json("/v1")).limits;
    const state = readLink(location.hash, limits.maxLevel);
    by("to-list").hidden = !state.mesh;
    by("list").hidden = Boolean(state.mesh);
    by("view").hidden = !state.mesh;
    if (!state.mesh) {
      if (location.hash) history.replaceState(null, "", location.pathname);
      by("title").textContent = document.title = "Meshes";
      return showList(open, guarded);
    }
    view = new View(state, limits, { toList, retry: go });
    const started = view; // Another may be there when it fails.
    await started.start().catch((problem) => started.fail(problem));
  });
}

onToken(askToken);
by("to-list").onclick = toList;
addEventListener("popstate", go);
go();
