// SPDX-License-Identifier: Apache-2.0
// cageview.js: the control mesh as it is seen: its faces, flat, and its edges, coloured by sharpness where that is
// asked.
import { BufferAttribute, BufferGeometry, Group, Mesh } from "three";
import { creases } from "./cage.js";
import { surfaceMaterial } from "./shaders.js";
import { Strokes } from "./strokes.js";
import { sharpnessColor } from "./surface.js";
import { edgesOf } from "./topology.js";

const PLAIN = [0.1, 0.3, 0.65];

export class CageView extends Group {
  constructor() {
    super();
    this.mesh = new Mesh(new BufferGeometry(), surfaceMaterial(true));
    this.mesh.frustumCulled = false;
    this.lines = new Strokes(2);
    this.add(this.mesh, this.lines);
  }

  /** Takes a control mesh over; `colored` shows sharpness. */
  show(cage, colored) {
    const index = [];
    this.faceOf = []; // The control face of each triangle.
    for (let f = 0, first = 0; f < cage.counts.length; first += cage.counts[f++])
      for (let i = 1; i + 1 < cage.counts[f]; i++) {
        index.push(cage.corners[first], cage.corners[first + i], cage.corners[first + i + 1]);
        this.faceOf.push(f);
      }
    this.mesh.geometry.dispose();
    this.mesh.geometry = new BufferGeometry();
    this.mesh.geometry.setAttribute("position", new BufferAttribute(cage.points, 3));
    this.mesh.geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    this.#lines(cage, colored);
  }

  #lines({ nVertices, counts, corners, points, ...cage }, colored) {
    const { n, ends } = edgesOf(nVertices, counts, corners, true);
    const start = new Float32Array(3 * n),
      end = new Float32Array(3 * n),
      tint = new Float32Array(3 * n),
      sharp = new Map();
    if (colored) for (const [a, b, s] of creases(cage)) sharp.set(Math.min(a, b) * nVertices + Math.max(a, b), s);
    for (let e = 0; e < n; e++) {
      const [a, b] = [ends[2 * e], ends[2 * e + 1]],
        s = sharp.get(a * nVertices + b);
      start.set(points.subarray(3 * a, 3 * a + 3), 3 * e);
      end.set(points.subarray(3 * b, 3 * b + 3), 3 * e);
      tint.set(s ? sharpnessColor(s) : PLAIN, 3 * e);
    }
    this.lines.fill(start, end, tint);
  }

  dispose() {
    for (const part of this.children) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}
