// SPDX-License-Identifier: Apache-2.0
// history.js: the list of the mesh's versions, looking at an earlier one, and the caller's undo and redo.
import { ask, json } from "./daemon.js";
import { make } from "./page.js";

const DELAY_MS = 300; // Versions that come fast ask for the list once.

export class History {
  constructor(view) {
    Object.assign(this, { view, next: null });
  }

  /** There is a new version, or another is shown. */
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#list().catch((problem) => this.view.fail(problem)), DELAY_MS);
  }

  async #list() {
    if (this.view.ended.signal.aborted) return;
    const page = await json(`${this.view.path}/versions?limit=50`, { signal: this.view.ended.signal }).catch(
      (problem) => {
        if (problem.name !== "AbortError" && problem.status) throw problem; // Of a lost connection the watch tells.
      },
    );
    if (page) this.#show(page, false);
  }

  #show({ versions, next }, more) {
    const { panel } = this.view,
      rows = versions.map((v) => this.#row(v));
    if (more) panel.versions.append(...rows);
    else panel.versions.replaceChildren(...rows);
    this.next = next;
    panel.moreVersions.hidden = !next;
    panel.newest.hidden = !this.view.pinned;
  }

  #row({ version, change, principal, updated }) {
    const who = principal ? ` by ${principal}` : "",
      shown = version === this.view.version;
    const row = make(
      "button",
      { type: "button", onclick: () => this.show(version).catch((problem) => this.view.fail(problem)) },
      `${version}  ${change}${who}, ${new Date(updated).toLocaleTimeString()}`,
    );
    if (shown) row.setAttribute("aria-current", "true");
    return make("li", {}, row);
  }

  async more() {
    if (this.next) this.#show(await json(`${this.view.path}/versions?limit=50&before=${this.next}`), true);
  }

  /** Shows an earlier version, or with 0 the newest and those that come. */
  async show(version) {
    this.view.pinned = version;
    await this.view.load();
  }

  /** Asks for undo or redo. Its version comes as all versions do. */
  async change(what) {
    if (this.view.pinned) await this.show(0);
    await ask(`${this.view.path}/${what}`, { method: "POST" });
  }
}
