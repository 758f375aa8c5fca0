// SPDX-License-Identifier: Apache-2.0
// protobuf.js: reads the few messages of proto/subdd.proto that the viewer takes. Every length is checked before it is
// used: a body that says more than it has is an error, never a read beyond it.

/** An answer that does not hold together. */
export class Malformed extends Error {}

const text = new TextDecoder();

/** Walks over the fields of a message: `field(number, value)`, where value is a number, or the bytes of a length. */
export function fields(bytes, field) {
  let at = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fail = () => {
    throw new Malformed("the answer is cut short");
  };
  const varint = () => {
    let value = 0,
      scale = 1;
    for (let i = 0; i < 10; i++) {
      if (at >= bytes.length) fail();
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    return fail();
  };
  while (at < bytes.length) {
    const key = varint(),
      number = Math.floor(key / 8),
      wire = key % 8;
    if (wire === 0) field(number, varint());
    else if (wire === 1) {
      if (at + 8 > bytes.length) fail();
      field(number, view.getFloat64(at, true));
      at += 8;
    } else if (wire === 5) {
      if (at + 4 > bytes.length) fail();
      field(number, view.getFloat32(at, true));
      at += 4;
    } else if (wire === 2) {
      const n = varint();
      if (n > bytes.length - at) fail();
      field(number, bytes.subarray(at, at + n));
      at += n;
    } else fail();
  }
}

/** A varint at the beginning of a body: its value and how many bytes it has. */
export function leadingVarint(bytes) {
  let value = 0,
    scale = 1;
  for (let i = 0; i < Math.min(bytes.length, 5); i++) {
    value += (bytes[i] & 127) * scale;
    if (bytes[i] < 128) return [value, i + 1];
    scale *= 128;
  }
  throw new Malformed("the answer is no frame");
}

export const string = (bytes) => text.decode(bytes);

/** Bytes of a message as an array of numbers, in memory of their own, since they need not be aligned. */
export function numbers(Kind, bytes) {
  if (bytes.length % Kind.BYTES_PER_ELEMENT) throw new Malformed("the answer has half a number");
  return new Kind(bytes.slice().buffer);
}
