// SPDX-License-Identifier: Apache-2.0
// cage.js: the control mesh, from the message Mesh (proto/subdd.proto), with its edges and their sharpness.
import { fields, Malformed, numbers, string } from "./protobuf.js";

const ARRAYS = {
  3: ["points", Float32Array],
  4: ["counts", Int32Array],
  5: ["corners", Int32Array],
  6: ["creaseIndices", Int32Array],
  7: ["creaseLengths", Int32Array],
  8: ["creaseSharpnesses", Float32Array],
  11: ["holes", Int32Array],
  12: ["st", Float32Array],
  13: ["stIndices", Int32Array],
  14: ["vertexIds", Int32Array],
  15: ["faceIds", Int32Array],
};
const OPTIONS = { 1: "scheme", 2: "boundary", 3: "faceVarying", 6: "orientation" };
const INFINITE = 10; // A sharpness from which on an edge stays sharp for ever.

/** Turns the corners of each face round, but the first: a b c d is read as a d c b. */
function reversed(counts, values) {
  const out = values.slice();
  let first = 0;
  for (const n of counts) {
    for (let i = 1; i < n; i++) out[first + i] = values[first + n - i];
    first += n;
  }
  return out;
}

/** The control mesh of a body. Its faces are all right-handed, as the refined ones are. */
export function readCage(body) {
  const cage = {
    name: "",
    scheme: "catmullClark",
    boundary: "edgeAndCorner",
    faceVarying: "cornersPlus1",
    orientation: "rightHanded",
    upAxis: "",
  };
  for (const [name, Kind] of Object.values(ARRAYS)) cage[name] = new Kind(0);
  fields(new Uint8Array(body), (number, value) => {
    if (ARRAYS[number]) cage[ARRAYS[number][0]] = numbers(ARRAYS[number][1], value);
    else if (number === 1) cage.name = string(value);
    else if (number === 17) cage.upAxis = string(value);
    else if (number === 2)
      fields(value, (option, token) => {
        if (OPTIONS[option]) cage[OPTIONS[option]] = string(token);
      });
  });
  cage.nVertices = cage.points.length / 3;
  check(cage);
  if (cage.st.length && !cage.stIndices.length) cage.stIndices = everyUv(cage);
  if (cage.orientation === "leftHanded") {
    cage.corners = reversed(cage.counts, cage.corners);
    if (cage.stIndices.length) cage.stIndices = reversed(cage.counts, cage.stIndices);
  }
  return cage;
}

function check({ counts, corners, nVertices }) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (total !== corners.length || corners.some((v) => v < 0 || v >= nVertices))
    throw new Malformed("the control mesh does not hold together");
}

/** Without indices there is a UV a corner, or one a vertex. */
function everyUv({ st, corners }) {
  return st.length / 2 === corners.length ? corners.map((_, c) => c) : corners.slice();
}

/** Edges with a sharpness above 0, as [vertex, vertex, sharpness]; infinite from 10 on. */
export function creases(cage) {
  const { creaseIndices: vertices, creaseLengths: lengths, creaseSharpnesses: sharp } = cage,
    out = [];
  const byEdge = sharp.length !== lengths.length;
  let at = 0,
    edge = 0;
  lengths.forEach((n, chain) => {
    for (let i = 0; i + 1 < n; i++, edge++) {
      const sharpness = sharp[byEdge ? edge : chain];
      if (sharpness > 0)
        out.push([vertices[at + i], vertices[at + i + 1], sharpness >= INFINITE ? Infinity : sharpness]);
    }
    at += n;
  });
  return out;
}
