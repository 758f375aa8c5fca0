// SPDX-License-Identifier: Apache-2.0
// surface.js: a refined surface on the graphics card. The blocks of a frame are its attributes as they came; a version
// of the same topology replaces them and keeps the indices.
import { BufferAttribute, BufferGeometry, Group, LineSegments, Matrix4, Mesh, Sphere, Vector3 } from "three";
import { LOOKS, surfaceMaterial, wireMaterial } from "./shaders.js";
import { creases } from "./cage.js";
import { Malformed } from "./protobuf.js";
import { Strokes } from "./strokes.js";
import { edgePoints, faceCorners, faceLines, hasFormula, positionGrid, triangles, uvGrid } from "./topology.js";

/** From cool to hot by sharpness up to 5; infinite ones are red. */
export function sharpnessColor(sharpness) {
  if (sharpness === Infinity) return [0.85, 0.1, 0.1];
  const t = Math.min(sharpness / 5, 1);
  return [0.1 + 0.9 * t, 0.55 + 0.05 * t, 0.85 * (1 - t)];
}

/**
 * Corners over vertices that have one UV each: a vertex keeps the first of its UVs, and of each further one a copy
 * of it stands behind all vertices. `copies` are the vertices that are copied, `rows` the UV of each.
 */
function splitAtSeams(corners, uvCorners, n, nUvs) {
  const first = new Int32Array(n).fill(-1),
    known = new Map(),
    copies = [],
    more = [],
    out = corners.slice();
  for (let i = 0; i < corners.length; i++) {
    const p = corners[i],
      u = uvCorners[i];
    if (first[p] < 0) first[p] = u;
    else if (first[p] !== u) {
      const key = p * nUvs + u;
      let row = known.get(key);
      if (row === undefined) {
        known.set(key, (row = n + copies.length));
        copies.push(p);
        more.push(u);
      }
      out[i] = row;
    }
  }
  const rows = new Int32Array(n + copies.length);
  rows.set(first.map((u) => Math.max(u, 0)));
  rows.set(more, n);
  return { corners: out, copies, rows };
}

export class Surface extends Group {
  constructor() {
    super();
    this.mesh = new Mesh(new BufferGeometry(), surfaceMaterial(false));
    this.wire = new LineSegments(new BufferGeometry(), wireMaterial());
    this.creases = new Strokes(4);
    for (const part of [this.mesh, this.wire]) {
      part.frustumCulled = false;
      part.matrixAutoUpdate = false;
    }
    this.add(this.mesh, this.wire, this.creases);
    this.key = "";
  }

  /** Takes a frame over. The control mesh is that of its version, at least of its topology. */
  show(frame, cage, look) {
    const { positions, normals, uvs, indices } = frame.blocks,
      key = `${frame.topology}/${frame.level}/${!!uvs}`;
    this.frame = frame;
    if (key !== this.key) this.#topology(frame, cage, uvs, indices);
    this.key = key;
    this.#attribute("position", positions.array, 4, true);
    this.#attribute("octahedral", normals.array, 2, false); // Not normalised: -32768 tells the zero normal.
    if (uvs) this.#uvs(uvs.array);
    const box = positions.box,
      size = [0, 1, 2].map((i) => box[3 + i] - box[i] || 1e-30);
    this.low = new Vector3(...box.subarray(0, 3));
    this.high = new Vector3(...box.subarray(3));
    this.mesh.matrix = new Matrix4().makeScale(...size).setPosition(this.low);
    this.wire.matrix = this.mesh.matrix;
    this.mesh.updateMatrixWorld(true);
    this.wire.updateMatrixWorld(true);
    this.look(look);
    this.creases.filled = false;
  }

  #topology(frame, cage, uvs, indices) {
    this.grid = hasFormula(cage) ? positionGrid(cage) : null;
    const corners = this.grid ? faceCorners(this.grid, frame.level) : indices.array;
    this.size = cage.scheme === "loop" || cage.scheme === "sqrt3" ? 3 : 4;
    if (corners.length !== frame.faces * this.size) throw new Malformed("the control mesh does not fit its surface");
    this.corners = corners;
    this.seams = { corners, copies: [], rows: null };
    if (uvs)
      this.seams = splitAtSeams(corners, faceCorners(uvGrid(cage, this.grid), frame.level), frame.vertices, uvs.count);
    this.mesh.geometry.dispose();
    this.wire.geometry.dispose();
    this.mesh.geometry = new BufferGeometry();
    this.wire.geometry = new BufferGeometry();
    this.mesh.geometry.setIndex(new BufferAttribute(triangles(this.seams.corners, this.size), 1));
    for (const part of [this.mesh, this.wire]) part.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
  }

  /** A block as an attribute: in place where there are no seams, else with the copies behind it. */
  #attribute(name, array, width, normalized) {
    const { copies } = this.seams,
      n = array.length / width,
      old = this.mesh.geometry.getAttribute(name);
    if (copies.length) {
      const all = new array.constructor((n + copies.length) * width);
      all.set(array);
      copies.forEach((row, i) => all.copyWithin((n + i) * width, row * width, (row + 1) * width));
      array = all;
    }
    if (old?.array.length === array.length) {
      old.array = array;
      old.needsUpdate = true;
      return;
    }
    const attribute = new BufferAttribute(array, width, normalized);
    this.mesh.geometry.setAttribute(name, attribute);
    if (name === "position") this.wire.geometry.setAttribute(name, attribute);
  }

  #uvs(halves) {
    const rows = this.seams.rows,
      pairs = new Uint32Array(halves.buffer, halves.byteOffset, halves.length / 2);
    const attribute = new BufferAttribute(new Uint16Array(Uint32Array.from(rows, (row) => pairs[row]).buffer), 2, true);
    attribute.isFloat16BufferAttribute = true; // Three takes 16 bits for halves where this is said.
    this.mesh.geometry.setAttribute("uv", attribute);
  }

  look(name) {
    this.mesh.material.uniforms.look.value = LOOKS.indexOf(name);
  }

  /** Colours the surface by a number a vertex. The strongest colour is at the 95th hundredth of their sizes. */
  heat(values) {
    const step = Math.max(1, Math.floor(values.length / 20000));
    const sizes = values
      .filter((x, i) => i % step === 0 && Number.isFinite(x))
      .map(Math.abs)
      .sort();
    const most = sizes[Math.floor(sizes.length * 0.95)] || 1;
    this.mesh.material.uniforms.most.value = most;
    this.#attribute("field", values, 1, false);
    return most;
  }

  /** The lines of the refined faces are made when they are first shown. */
  showWire(on) {
    this.wire.visible = on;
    if (on && !this.wire.geometry.index)
      this.wire.geometry.setIndex(new BufferAttribute(faceLines(this.corners, this.size), 1));
  }

  /** The point of a row, in the mesh's own units. */
  point(row, out = new Vector3()) {
    const q = this.frame.blocks.positions.array;
    return out
      .set(q[4 * row], q[4 * row + 1], q[4 * row + 2])
      .divideScalar(65535)
      .applyMatrix4(this.mesh.matrix);
  }

  /** Creases as lines on the surface, where there is a formula for their points. */
  showCreases(on, cage) {
    this.creases.visible = on;
    if (!on || !this.grid || this.creases.filled) return;
    const { edges } = this.grid,
      number = new Map(),
      start = [],
      end = [],
      tint = [];
    for (let e = edges.n - 1; e >= 0; e--) number.set(edges.ends[2 * e] * cage.nVertices + edges.ends[2 * e + 1], e);
    for (const [a, b, sharpness] of creases(cage)) {
      const edge = number.get(Math.min(a, b) * cage.nVertices + Math.max(a, b));
      if (edge === undefined) continue;
      const points = edgePoints(this.grid, edge, this.frame.level).map((row) => this.point(row).toArray());
      for (let i = 0; i + 1 < points.length; i++) {
        start.push(...points[i]);
        end.push(...points[i + 1]);
        tint.push(...sharpnessColor(sharpness));
      }
    }
    this.creases.fill(Float32Array.from(start), Float32Array.from(end), Float32Array.from(tint));
  }

  dispose() {
    for (const part of this.children) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}
