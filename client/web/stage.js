// SPDX-License-Identifier: Apache-2.0
// stage.js: the canvas: renderer, camera, and drawing when something has changed and only then.
import { Color, LinearSRGBColorSpace, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { Orbit } from "./orbit.js";
import { shared } from "./shaders.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export class Stage {
  constructor(canvas, moved) {
    this.canvas = canvas;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.outputColorSpace = "srgb-linear"; // The shaders give the colours that are shown.
    this.orbit = new Orbit(this.camera, canvas, () => {
      this.draw();
      moved();
    });
    this.pending = 0;
    this.themed = () => {
      this.scene.background = new Color().setHex(dark.matches ? 0x1b2028 : 0xf3f4f7, LinearSRGBColorSpace);
      this.draw();
    };
    this.sizes = new ResizeObserver(() => this.#size());
    this.sizes.observe(canvas);
    dark.addEventListener("change", this.themed);
    this.themed();
  }

  #size() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(w, h, false);
    this.renderer.getDrawingBufferSize(shared.canvas.value);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  /** Draws once before the browser shows the next picture. */
  draw() {
    this.pending ||= requestAnimationFrame(() => this.render());
  }

  render() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    if (!this.renderer.getContext().isContextLost()) this.renderer.render(this.scene, this.camera);
  }

  /** Draws, and waits until the graphics card is done: what a picture takes. */
  renderDone() {
    const gl = this.renderer.getContext();
    this.render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  /** The picture as a PNG. It is drawn anew, since a picture that is shown is no longer there to be read. */
  picture() {
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  end() {
    cancelAnimationFrame(this.pending);
    dark.removeEventListener("change", this.themed);
    this.sizes.disconnect();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
