// SPDX-License-Identifier: Apache-2.0
// topology.js: which refined vertices make which refined faces, by the formula of proto/README.md ("Grid order") and
// the control mesh alone, so that no index ever comes over the network. `catmullClark`, `bilinear` and `loop` have one;
// under `sqrt3` faces are asked for.
import { creases } from "./cage.js";

/**
 * The edges of a mesh, by (lower vertex, higher vertex): `of` is the edge after each corner, `ends` the lower and the
 * higher vertex of each. Where a face uses an edge twice, or an edge has equal ends, each further use is an edge of its
 * own, after the shared one; those of UVs are `allShared`.
 */
export function edgesOf(nVertices, counts, corners, allShared = false) {
  const n = corners.length,
    other = new Int32Array(n),
    face = new Int32Array(n),
    start = new Int32Array(nVertices + 2);
  for (let f = 0, first = 0; f < counts.length; first += counts[f++])
    for (let i = 0; i < counts[f]; i++) {
      const next = corners[first + ((i + 1) % counts[f])];
      other[first + i] = next;
      face[first + i] = f;
      start[Math.min(corners[first + i], next) + 2]++;
    }
  for (let v = 2; v < start.length; v++) start[v] += start[v - 1];
  const order = new Int32Array(n); // Corners by the lower vertex of their edge, those of one vertex as they come.
  for (let c = 0; c < n; c++) order[start[Math.min(corners[c], other[c]) + 1]++] = c;
  const high = (c) => Math.max(corners[c], other[c]);
  const of = new Int32Array(n),
    ends = [],
    uses = [];
  for (let v = 0; v < nVertices; v++) {
    const mine = order.subarray(start[v], start[v + 1]);
    mine.sort((a, b) => high(a) - high(b) || a - b);
    for (let i = 0; i < mine.length;) {
      const w = high(mine[i]),
        shared = uses.push(0) - 1,
        extra = [];
      ends.push(v, w);
      for (let last = -1; i < mine.length && high(mine[i]) === w; i++) {
        const again = !allShared && (face[mine[i]] === last || (v === w && last >= 0));
        if (again) extra.push(mine[i]);
        else {
          of[mine[i]] = shared;
          uses[shared]++;
        }
        last = face[mine[i]];
      }
      for (const c of extra) {
        of[c] = uses.push(1) - 1;
        ends.push(v, w);
      }
    }
  }
  return { n: uses.length, of, ends: Int32Array.from(ends), uses: Int32Array.from(uses) };
}

/**
 * Which control faces have refined ones: all but holes and, under `none`, those that touch a boundary edge, unless a
 * crease makes that infinitely sharp. Bilinear faces need no neighbours, so there none is left out.
 */
export function visibleFaces(cage, edges) {
  const seen = new Uint8Array(cage.counts.length).fill(1);
  for (const f of cage.holes) seen[f] = 0;
  if (cage.boundary !== "none" || cage.scheme === "bilinear") return seen;
  const outer = new Uint8Array(cage.nVertices),
    key = (a, b) => Math.min(a, b) * cage.nVertices + Math.max(a, b);
  const sharp = new Map(creases(cage).map(([a, b, sharpness]) => [key(a, b), sharpness]));
  for (let e = 0; e < edges.n; e++)
    if (edges.uses[e] === 1 && sharp.get(key(edges.ends[2 * e], edges.ends[2 * e + 1])) !== Infinity)
      outer[edges.ends[2 * e]] = outer[edges.ends[2 * e + 1]] = 1;
  for (let f = 0, first = 0; f < seen.length; first += cage.counts[f++])
    for (let i = 0; i < cage.counts[f]; i++) if (outer[cage.corners[first + i]]) seen[f] = 0;
  return seen;
}

/** What the formula needs of a mesh: of positions, or of the mesh that the UVs make. */
function gridOf(scheme, nVertices, counts, corners, seen, edges) {
  const rows = []; // The corners (the triangles, under loop) that have refined faces.
  for (let f = 0, first = 0; f < counts.length; first += counts[f++])
    if (seen[f]) for (let i = 0; i < (scheme === "loop" ? 1 : counts[f]); i++) rows.push(first + i);
  const faceOf = new Int32Array(corners.length),
    firstOf = new Int32Array(counts.length);
  for (let f = 0, first = 0; f < counts.length; first += counts[f++]) {
    faceOf.fill(f, first, first + counts[f]);
    firstOf[f] = first;
  }
  return { scheme, nVertices, counts, corners, edges, faceOf, firstOf, rows: Int32Array.from(rows) };
}

export const hasFormula = (cage) => cage.scheme !== "sqrt3";
export function positionGrid(cage) {
  const edges = edgesOf(cage.nVertices, cage.counts, cage.corners);
  return gridOf(cage.scheme, cage.nVertices, cage.counts, cage.corners, visibleFaces(cage, edges), edges);
}

/**
 * The mesh of the UVs. Unless UVs are linear everywhere, a value that several vertices use has a row for each: its
 * lowest vertex keeps the value's row, the others follow after all values, ascending by (value, vertex).
 */
export function uvGrid(cage, grid) {
  const seen = new Uint8Array(cage.counts.length);
  for (const c of grid.rows) seen[grid.faceOf[c]] = 1;
  let rows = cage.stIndices,
    n = cage.st.length / 2;
  if (cage.faceVarying !== "all") {
    const pairs = Float64Array.from(rows, (value, c) => value * cage.nVertices + cage.corners[c]);
    const row = new Map();
    let value = -1;
    for (const pair of new Float64Array(pairs).sort()) {
      if (row.has(pair)) continue;
      const its = Math.floor(pair / cage.nVertices);
      row.set(pair, its === value ? n++ : its);
      value = its;
    }
    rows = Int32Array.from(pairs, (pair) => row.get(pair));
  }
  return gridOf(cage.scheme, n, cage.counts, rows, seen, edgesOf(n, cage.counts, rows, true));
}

/** How the points of one control corner's quad at level L are numbered: point(i, j), i and j from 0 to m. */
function quadPoints(g, m) {
  const { nVertices: V, counts, edges } = g,
    F = counts.length,
    V1 = V + F + edges.n,
    C = g.corners.length;
  const inner = V1 + (2 * edges.n + C) * (m - 1);
  return (c, out) => {
    const f = g.faceOf[c],
      first = g.firstOf[f],
      before = first + ((c - first + counts[f] - 1) % counts[f]);
    const next = edges.of[c],
      prev = edges.of[before],
      v = g.corners[c],
      w = m + 1;
    const along = (edge, k) => V1 + edge * (m - 1) + k - 1; // k of the points of a level-1 edge, from its lower end.
    const half = (e, last) => 2 * e + (edges.ends[2 * e] !== v || (last && edges.ends[2 * e + 1] === v) ? 1 : 0);
    out[0] = v;
    out[m] = V + F + next;
    out[m * w + m] = V + f;
    out[m * w] = V + F + prev;
    for (let k = 1; k < m; k++) {
      out[k] = along(half(next, false), k);
      out[k * w] = along(half(prev, true), k);
      out[k * w + m] = along(2 * edges.n + c, m - k);
      out[m * w + k] = along(2 * edges.n + before, m - k);
    }
    for (let j = 1; j < m; j++)
      for (let i = 1; i < m; i++) out[j * w + i] = inner + c * (m - 1) ** 2 + (j - 1) * (m - 1) + i - 1;
  };
}

/** The same for a triangle under loop: point (x, y) with x + y <= m stands at y (m + 1) + x. */
function trianglePoints(g, m) {
  const { nVertices: V, edges, corners } = g,
    inner = V + edges.n * (m - 1),
    each = ((m - 1) * (m - 2)) / 2;
  return (c, out) => {
    const [a, b, d] = corners.subarray(c, c + 3),
      w = m + 1,
      triangle = c / 3;
    const along = (corner, from, k) => {
      const e = edges.of[corner];
      return V + e * (m - 1) + (edges.ends[2 * e] === from ? k : m - k) - 1;
    };
    out[0] = a;
    out[m] = b;
    out[m * w] = d;
    for (let k = 1; k < m; k++) {
      out[k] = along(c, a, k);
      out[k * w + m - k] = along(c + 1, b, k);
      out[k * w] = along(c + 2, a, k);
    }
    let at = inner + triangle * each;
    for (let y = 1; y < m; y++) for (let x = 1; x + y < m; x++) out[y * w + x] = at++;
  };
}

/** Cells along a side of a row's grid: of a corner's quad, or of a triangle. */
export const sideOf = (grid, level) => 2 ** (grid.scheme === "loop" ? level : level - 1);

/** Calls `row(points, k)` for each row of the grid, with the numbers of its points at that level. */
export function eachRow(grid, level, row) {
  const m = sideOf(grid, level),
    points = new Uint32Array((m + 1) ** 2);
  const number = grid.scheme === "loop" ? trianglePoints(grid, m) : quadPoints(grid, m);
  for (let k = 0; k < grid.rows.length; k++) {
    number(grid.rows[k], points);
    row(points, k);
  }
  return m;
}

/** Corners of the refined faces: four each, three under loop. */
export function faceCorners(grid, level) {
  const m = sideOf(grid, level),
    w = m + 1,
    loop = grid.scheme === "loop";
  const out = new Uint32Array(grid.rows.length * m * m * (loop ? 3 : 4));
  let at = 0;
  eachRow(grid, level, (p) => {
    for (let y = 0; y < m; y++)
      for (let x = 0; x < m; x++) {
        if (!loop) {
          const o = y * w + x;
          out[at++] = p[o];
          out[at++] = p[o + 1];
          out[at++] = p[o + w + 1];
          out[at++] = p[o + w];
        } else if (x + y < m) {
          const o = y * w + x;
          out[at++] = p[o];
          out[at++] = p[o + 1];
          out[at++] = p[o + w];
        } else {
          const o = (m - 1 - y) * w + m - 1 - x;
          out[at++] = p[o + 1];
          out[at++] = p[o + w + 1];
          out[at++] = p[o + w];
        }
      }
  });
  return out;
}

/** Triangles of faces of four corners; faces of three are triangles. */
export function triangles(corners, size) {
  if (size === 3) return corners;
  const out = new Uint32Array((corners.length / 4) * 6);
  for (let i = 0, o = 0; i < corners.length; i += 4, o += 6) {
    out[o] = out[o + 3] = corners[i];
    out[o + 1] = corners[i + 1];
    out[o + 2] = out[o + 4] = corners[i + 2];
    out[o + 5] = corners[i + 3];
  }
  return out;
}

/** Ends of the edges of the refined faces. An edge of two faces is there once where it runs inside a control face. */
export function faceLines(corners, size) {
  const out = new Uint32Array(corners.length * 2);
  let n = 0;
  for (let f = 0; f < corners.length; f += size)
    for (let i = 0; i < size; i++) {
      const a = corners[f + i],
        b = corners[f + ((i + 1) % size)];
      if (a < b || size === 3 || i < 2) {
        out[n++] = a;
        out[n++] = b;
      }
    }
  return out.slice(0, n);
}

/** The refined points along a control edge, from its lower end. */
export function edgePoints(grid, edge, level) {
  const { edges, nVertices: V, counts, scheme } = grid,
    loop = scheme === "loop",
    m = sideOf(grid, level);
  const [low, high] = edges.ends.subarray(2 * edge, 2 * edge + 2);
  const run = (first, from) => Array.from({ length: m - 1 }, (_, k) => from + first * (m - 1) + k);
  if (loop) return [low, ...run(edge, V), high];
  const V1 = V + counts.length + edges.n;
  return [low, ...run(2 * edge, V1), V + counts.length + edge, ...run(2 * edge + 1, V1).reverse(), high];
}
