// SPDX-License-Identifier: Apache-2.0
// page.js: elements, numbers for people, and sentences with a way on. What comes from the daemon is put in as text and
// never as HTML, because meshes are named by anybody who may store one.

export const by = (id) => document.getElementById(id);

/** Makes an element. `set` has properties of the element; children are elements or strings. */
export function make(name, set = {}, ...children) {
  const element = Object.assign(document.createElement(name), set);
  element.append(...children);
  return element;
}

export const button = (label, onclick, set = {}) => make("button", { type: "button", onclick, ...set }, label);

const whole = new Intl.NumberFormat("en");
export const count = (n) => whole.format(n);
export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"],
    unit = Math.min(Math.floor(Math.log10(Math.max(n, 1)) / 3), units.length - 1);
  return `${Number((n / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}
export const short = (x) => String(Number(x.toPrecision(5)));

/** Shows a sentence, with buttons that lead on: [label, what it does]. */
export function notice(sentence, ...ways) {
  const dot = /[.!?…]$/.test(sentence) ? "" : ".";
  by("notice").replaceChildren(
    make("p", {}, sentence + dot),
    ...ways.map(([label, go]) =>
      button(label, () => {
        quiet();
        go();
      }),
    ),
    button("Close", quiet),
  );
  by("notice").hidden = false;
}
export function quiet() {
  by("notice").hidden = true;
}

/** Saves bytes as a file of the user's. */
export function save(blob, name) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(URL.revokeObjectURL, 60000, href); // The browser may read it later than the click.
}

/** The form for a token, as daemon.js asks for it. */
export function askToken(why) {
  const form = by("token"),
    input = by("secret");
  by("refused").textContent = why && `${why}.`;
  form.hidden = false;
  input.value = "";
  input.focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      form.hidden = true;
      resolve(input.value.trim());
    };
  });
}
