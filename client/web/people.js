// SPDX-License-Identifier: Apache-2.0
// people.js: who else is at this mesh, where the daemon tells it (GET .../presence); else there is nothing to show.
import { json } from "./daemon.js";
import { make } from "./page.js";

const EVERY_MS = 3000;

export class People {
  constructor(view) {
    this.view = view;
  }

  start() {
    this.#ask();
  }

  async #ask() {
    const { view } = this,
      { signal } = view.ended;
    const answer = await json(`${view.path}/presence`, { signal }).catch((problem) => problem);
    if (signal.aborted || answer.status === 404) return;
    const present = answer.present ?? [];
    view.panel.peopleBox.hidden = !present.length;
    view.panel.people.replaceChildren(...present.map((one) => make("li", {}, this.#name(one))));
    setTimeout(() => this.#ask(), EVERY_MS);
  }

  /** A person's program says what it likes about itself in `state`; short words of it are shown. */
  #name({ principal, client, state }) {
    const words = Object.entries(state ?? {})
      .filter(([, value]) => ["string", "number"].includes(typeof value))
      .map(([name, value]) => `${name} ${value}`);
    return [principal || "somebody", client && `with ${client}`, words.join(", ").slice(0, 120)]
      .filter(Boolean)
      .join(", ");
  }
}
