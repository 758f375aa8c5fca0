// SPDX-License-Identifier: Apache-2.0
// page.js: what the pages share: elements, requests with the token, and answers shown in place. What comes from the
// daemon is put in as text and never as HTML, because meshes are named by anybody who may store one.

export const by = (id) => document.getElementById(id);

/** Makes an element. `set` has properties of the element; children are elements or strings. */
export function make(name, set = {}, ...children) {
  const element = Object.assign(document.createElement(name), set);
  element.append(...children);
  return element;
}

let token = ""; // It is in memory alone: no storage and no cookie has it.
let asking = null; // One form serves all the requests that wait for a token.

const input = make("input", { id: "secret", type: "password", autocomplete: "off", required: true,
  pattern: "\\s*[\\w\\-]+\\s*", title: "letters, digits, - and _" });
const refused = make("output");
const form = make("form", { id: "token", hidden: true },
  make("label", { htmlFor: "secret" }, "This daemon asks for a token. The page forgets it when it is closed."),
  make("span", { className: "row" }, input, make("button", {}, "Use it")), refused);
by("error").before(form);

function askToken(why) {
  refused.textContent = token ? `${why}.` : "";
  form.hidden = false;
  input.value = "";
  input.focus();
  asking ??= new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      token = input.value.trim();
      form.hidden = true;
      asking = null;
      resolve();
    };
  });
  return asking;
}

/** GETs a path of this daemon. Asks for a token where one is needed; fails with the daemon's own sentence. */
export async function get(path, accept = "application/json") {
  for (;;) {
    const used = token;
    const headers = { Accept: accept, ...(used && { Authorization: `Bearer ${used}` }) };
    const answer = await fetch(path, { headers, cache: "no-cache" });
    if (answer.ok) return answer;
    const problem = await answer.json().catch(() => ({}));
    const why = problem.detail ?? `the daemon answered ${answer.status}`;
    if (answer.status !== 401) throw new Error(why);
    if (used === token) await askToken(why);
  }
}

/** Runs `work` and shows why it failed, if it did. */
export async function run(work) {
  const error = by("error");
  error.hidden = true;
  try {
    await work();
  } catch (failure) {
    error.textContent = failure instanceof TypeError ? "The daemon cannot be reached." : `${failure.message}.`;
    error.hidden = false;
  }
}

/** Shows an answer in a dialog of this page. */
async function show(path) {
  const text = await (await get(path, "*/*")).text();
  const dialog = make("dialog", { onclose: () => dialog.remove() },
    make("form", { method: "dialog", className: "row spread" }, make("strong", {}, path), make("button", {}, "Close")),
    make("pre", {}, text));
  document.body.append(dialog);
  dialog.showModal();
}

// A link cannot carry a token. Once there is one, links to the interface are followed by a request of this page.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.api");
  if (!link || !token) return;
  event.preventDefault();
  run(() => show(link.getAttribute("href")));
});
