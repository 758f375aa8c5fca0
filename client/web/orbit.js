// SPDX-License-Identifier: Apache-2.0
// orbit.js: moves the camera around a point, by mouse, by touch and by keyboard. Its state is a few numbers, which a
// link can carry. Nothing moves by itself, so there is no motion to reduce.
import { Vector3 } from "three";

const TURN = Math.PI / 24,
  STEP = 0.06,
  ZOOM = 1.15;
const LIMIT = Math.PI / 2 - 0.001; // Straight up and down would leave no direction for "right".

export class Orbit {
  constructor(camera, canvas, changed) {
    Object.assign(this, {
      camera,
      canvas,
      changed,
      azimuth: 0.7,
      elevation: 0.45,
      distance: 5,
      target: new Vector3(),
      zUp: false,
      radius: 1,
    });
    this.pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(Math.exp(Math.sign(event.deltaY) * 0.12));
      },
      { passive: false },
    );
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** All of a surface is seen: its box has this centre and radius. */
  frame(center, radius) {
    this.radius = radius || 1;
    this.target.copy(center);
    const fov = (this.camera.fov * Math.PI) / 360,
      narrow = Math.min(1, this.camera.aspect);
    this.distance = (this.radius / Math.sin(fov) / narrow) * 1.02;
    this.apply();
  }

  /** The camera as numbers, for a link; and back, where all of them are numbers. */
  get state() {
    return [this.azimuth, this.elevation, this.distance, ...this.target.toArray()].map((x) => Number(x.toPrecision(6)));
  }
  set state([azimuth, elevation, distance, ...target]) {
    Object.assign(this, { azimuth, elevation: Math.max(-LIMIT, Math.min(LIMIT, elevation)), distance });
    this.target.fromArray(target);
    this.apply();
  }

  apply() {
    const { azimuth: a, elevation: e, distance: d, camera } = this;
    const flat = Math.cos(e) * d,
      up = Math.sin(e) * d;
    camera.up.set(0, this.zUp ? 0 : 1, this.zUp ? 1 : 0);
    if (this.zUp) camera.position.set(Math.sin(a) * flat, -Math.cos(a) * flat, up);
    else camera.position.set(Math.sin(a) * flat, up, Math.cos(a) * flat);
    camera.position.add(this.target);
    camera.lookAt(this.target);
    camera.near = Math.max(d - 4 * this.radius, d / 1000);
    camera.far = d + 8 * this.radius;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.changed();
  }

  turn(right, up) {
    this.azimuth = (this.azimuth + right) % (2 * Math.PI);
    this.elevation = Math.max(-LIMIT, Math.min(LIMIT, this.elevation + up));
    this.apply();
  }

  zoom(factor) {
    this.distance = Math.max(this.radius / 1e4, Math.min(this.radius * 1e3, this.distance * factor));
    this.apply();
  }

  /** Moves the target by parts of the canvas's height. */
  pan(right, up) {
    const height = 2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360),
      m = this.camera.matrixWorld;
    this.target.addScaledVector(new Vector3().setFromMatrixColumn(m, 0), -right * height);
    this.target.addScaledVector(new Vector3().setFromMatrixColumn(m, 1), up * height);
    this.apply();
  }

  #down(event) {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event) {
    const old = this.pointers.get(event.pointerId),
      height = this.canvas.clientHeight;
    if (!old) return;
    const dx = (event.clientX - old.x) / height,
      dy = (event.clientY - old.y) / height;
    if (this.pointers.size === 2) {
      // Two fingers: their distance zooms, their middle pans.
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(old.x - other.x, old.y - other.y),
        after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before && after) this.zoom(before / after);
      this.pan(dx / 2, dy / 2);
    } else if (event.buttons & 6 || event.shiftKey) this.pan(dx, dy);
    else this.turn(-dx * 4, dy * 4);
    Object.assign(old, { x: event.clientX, y: event.clientY });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (arrows && event.shiftKey) this.pan(-arrows[0] * STEP, arrows[1] * STEP);
    else if (arrows) this.turn(arrows[0] * TURN, arrows[1] * TURN);
    else if (event.key === "+" || event.key === "=") this.zoom(1 / ZOOM);
    else if (event.key === "-") this.zoom(ZOOM);
    else return;
    event.preventDefault();
  }
}
