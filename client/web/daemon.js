// SPDX-License-Identifier: Apache-2.0
// daemon.js: requests to the daemon that this page comes from, with the token, which is in memory alone. What goes
// wrong is a Problem, whose message is the daemon's own sentence.

/** What the daemon refused, or that it could not be reached (`status` 0). */
export class Problem extends Error {
  constructor(status, body = {}) {
    super(body.detail ?? body.title ?? (status ? `the daemon answered ${status}` : "the daemon cannot be reached"));
    Object.assign(this, { status, code: body.code, limit: body.limit, needed: body.needed });
  }
}

let token = ""; // No storage, no cookie and no link has it.
let asking = null; // One form serves all the requests that wait for a token.

/** Set by the page: shows a form for a token, with the sentence why the one before was refused, and resolves to it. */
let form = () => Promise.reject(new Problem(401));
export const onToken = (show) => {
  form = show;
};

async function newToken(why) {
  asking ??= form(token ? why : "").finally(() => {
    asking = null;
  });
  token = await asking;
}

/** Asks for `path` and gives the answer. A token is asked for where one is needed, and once more when it is wrong. */
export async function ask(path, { accept = "application/json", method = "GET", signal } = {}) {
  for (let refused = 0; ; refused++) {
    const used = token;
    const headers = { Accept: accept, ...(used && { Authorization: `Bearer ${used}` }) };
    let answer;
    try {
      answer = await fetch(path, { method, headers, cache: "no-store", signal });
    } catch (failure) {
      throw failure.name === "AbortError" ? failure : new Problem(0);
    }
    if (answer.ok) return answer;
    const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
    if (answer.status !== 401 || refused > 1) throw problem;
    if (used === token) await newToken(problem.message);
  }
}

export const json = async (path, options) => (await ask(path, options)).json();
