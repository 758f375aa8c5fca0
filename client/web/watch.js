// SPDX-License-Identifier: Apache-2.0
// watch.js: the records of GET .../watch (proto/README.md, "Watching"), one after another.

const HEAD = 24;
export const WHOLE = 1,
  GONE = 3,
  PROBLEM = 4;

/** Reads exactly as many bytes as `into` has. False when the answer ends before the first of them. */
function filler(reader) {
  let left = new Uint8Array(0);
  return async (into) => {
    for (let at = 0; at < into.length;) {
      if (!left.length) {
        const { done, value } = await reader.read();
        if (done) {
          if (at) throw new Error("the answer ended within a record");
          return false;
        }
        left = value;
      }
      const n = Math.min(left.length, into.length - at);
      into.set(left.subarray(0, n), at);
      left = left.subarray(n);
      at += n;
    }
    return true;
  };
}

/** Yields {kind, version, body, began}, `began` being the time at which its head had come. `most` bounds a body. */
export async function* records(answer, most) {
  const fill = filler(answer.body.getReader()),
    head = new Uint8Array(HEAD),
    view = new DataView(head.buffer);
  while (await fill(head)) {
    const length = Number(view.getBigUint64(0, true));
    if (length > most) throw new RangeError("a version of it is too large");
    const record = {
      kind: view.getUint32(16, true),
      version: Number(view.getBigUint64(8, true)),
      began: performance.now(),
    };
    const body = new Uint8Array(length);
    if (length && !(await fill(body))) throw new Error("the answer ended within a record");
    yield { ...record, body: body.buffer };
  }
}
