// SPDX-License-Identifier: Apache-2.0
// pick.js: what is under a place of the canvas. The tree over the triangles is made at the first pick, and fitted anew
// when the points have moved.
import { BufferAttribute, BufferGeometry, Matrix4, Ray, Raycaster, Vector2, Vector3 } from "three";
import { MeshBVH } from "three-mesh-bvh";
import { sideOf } from "./topology.js";

const bary = new Vector3();

export class Picker {
  constructor() {
    this.trees = new WeakMap();
  }

  /** The tree of a mesh. Positions of 16 bits are taken as integers, so the mesh's matrix is scaled to them. */
  #tree(mesh) {
    const position = mesh.geometry.getAttribute("position"),
      index = mesh.geometry.index;
    let known = this.trees.get(index);
    if (!known) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(position.array, position.itemSize));
      geometry.setIndex(new BufferAttribute(index.array, 1));
      known = { geometry, tree: new MeshBVH(geometry, { indirect: true, targetLeafSize: 16 }), array: position.array };
      this.trees.set(index, known);
    } else if (known.array !== position.array) {
      known.geometry.attributes.position.array = known.array = position.array;
      known.tree.refit();
    }
    return known.tree;
  }

  /** The nearest hit of a ray through `place` (-1 to 1 on both axes) that the section leaves: {triangle, point}. */
  hit(mesh, camera, place, section) {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(...place), camera);
    const scale = mesh.geometry.getAttribute("position").normalized ? 65535 : 1;
    const toWorld = mesh.matrixWorld.clone().multiply(new Matrix4().makeScale(1 / scale, 1 / scale, 1 / scale));
    const ray = new Ray().copy(caster.ray).applyMatrix4(toWorld.clone().invert());
    const hits = this.#tree(mesh)
      .raycast(ray, 2)
      .map((hit) => ({ triangle: hit.faceIndex, point: hit.point.clone().applyMatrix4(toWorld) }));
    const normal = new Vector3(section.x, section.y, section.z);
    return hits
      .filter(({ point }) => normal.dot(point) <= section.w)
      .map((hit) => ({ ...hit, distance: hit.point.distanceTo(caster.ray.origin) }))
      .sort((a, b) => a.distance - b.distance)[0];
  }
}

/** Where a point lies in triangle (a, b, c), as parts of its corners. */
function parts(surface, triangle, point) {
  const { index } = surface.mesh.geometry,
    [a, b, c] = [0, 1, 2].map((i) => vertex(surface, index.array[3 * triangle + i]));
  const ab = b.clone().sub(a),
    ac = c.clone().sub(a),
    ap = point.clone().sub(a);
  const d00 = ab.dot(ab),
    d01 = ab.dot(ac),
    d11 = ac.dot(ac),
    d20 = ap.dot(ab),
    d21 = ap.dot(ac),
    all = d00 * d11 - d01 * d01 || 1;
  const v = (d11 * d20 - d01 * d21) / all,
    w = (d00 * d21 - d01 * d20) / all;
  return bary.set(1 - v - w, v, w);
}
const vertex = (surface, row) =>
  surface.point(row < surface.frame.vertices ? row : surface.seams.copies[row - surface.frame.vertices]);

/** In a quad's own square, s and t from the corner before which they stand: u goes from corner 0 to corner 1. */
const TURNED = [
  (s, t) => [s / 2, t / 2],
  (s, t) => [1 - t / 2, s / 2],
  (s, t) => [1 - s / 2, 1 - t / 2],
  (s, t) => [t / 2, 1 - s / 2],
];

/**
 * Names what was hit on a refined surface: the control face, its vertex that is nearest in it, and (u, v), in the face
 * where that is a quad or a triangle under loop, else in the part of the corner.
 */
export function nameHit(surface, cage, { triangle, point }) {
  const { grid, frame } = surface;
  if (!grid) return { face: null };
  const m = sideOf(grid, frame.level),
    loop = grid.scheme === "loop",
    p = parts(surface, triangle, point);
  const refined = loop ? triangle : triangle >> 1,
    corner = grid.rows[Math.floor(refined / (m * m))];
  const x = refined % m,
    y = Math.floor(refined / m) % m,
    face = grid.faceOf[corner],
    k = corner - grid.firstOf[face];
  if (loop) {
    const up = x + y < m,
      u = up ? x + p.y : m - x - p.z,
      v = up ? y + p.z : m - y - p.x;
    const at = [u / m, v / m],
      sides = [1 - at[0] - at[1], at[0], at[1]],
      near = sides.indexOf(Math.max(...sides));
    return { face, corner: null, vertex: cage.corners[corner + near], u: at[0], v: at[1] };
  }
  const second = triangle & 1; // The corners of the two are (0, 1, 2) and (0, 2, 3).
  const s = (x + p.y + (second ? 0 : p.z)) / m,
    t = (y + p.z + (second ? p.y : 0)) / m;
  const quad = cage.counts[face] === 4,
    [u, v] = quad ? TURNED[k](s, t) : [s, t];
  return { face, corner: quad ? null : k, vertex: cage.corners[corner], u, v };
}
