// SPDX-License-Identifier: Apache-2.0
// strokes.js: lines of some pixels' width: the cage, creases, and what was measured.
import { Float32BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, Mesh } from "three";
import { strokeMaterial } from "./shaders.js";

export class Strokes extends Mesh {
  constructor(width, onTop) {
    super(new InstancedBufferGeometry(), strokeMaterial(width, onTop));
    this.frustumCulled = false;
    this.renderOrder = onTop ? 2 : 1;
    this.visible = false;
    this.filled = false;
  }

  /** Draws segments: `start` and `end` have three numbers each, and `tint` a colour each, or one for all. */
  fill(start, end, tint) {
    const n = start.length / 3,
      geometry = new InstancedBufferGeometry();
    const colors = tint.length === 3 ? new Float32Array(n * 3).map((_, i) => tint[i % 3]) : tint;
    geometry.setAttribute("position", new Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("start", new InstancedBufferAttribute(start, 3));
    geometry.setAttribute("end", new InstancedBufferAttribute(end, 3));
    geometry.setAttribute("tint", new InstancedBufferAttribute(colors, 3));
    geometry.instanceCount = n;
    this.geometry.dispose();
    this.geometry = geometry;
    this.filled = n > 0;
  }
}
