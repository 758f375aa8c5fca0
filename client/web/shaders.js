// SPDX-License-Identifier: Apache-2.0
// shaders.js: how surfaces and lines are drawn. Compact blocks come in as they lie in the frame: positions in 16 bits
// of the box, which is the model matrix, and normals as points of the unfolded octahedron (proto/README.md).
import { DoubleSide, GLSL3, RawShaderMaterial, Vector2, Vector4 } from "three";

/** The looks of a surface, in the order of the shader's numbers. */
export const LOOKS = ["matcap", "normals", "uv", "gaussian", "mean"];

/** What all materials share: the half-space that is cut away, and the size of the canvas in pixels. */
export const shared = { section: { value: new Vector4(0, 0, 0, 1) }, canvas: { value: new Vector2(1, 1) } };

// Without SECTION nothing is discarded, so that the card can leave out early what lies behind.
const CUT = `
uniform vec4 section; // Points with dot(section.xyz, p) > section.w are cut away.
void cut(vec3 p) {
#ifdef SECTION
  if (dot(section.xyz, p) > section.w) discard;
#endif
}`;

const SURFACE_VERTEX = `
precision highp float;
in vec3 position;
in vec2 octahedral, uv;
in float field;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec3 at, normal;
out vec2 uvAt;
out float fieldAt;
vec3 unfold(vec2 o) {
  if (o.x < -32767.5) return vec3(0.0); // The zero normal.
  vec3 n = vec3(o / 32767.0, 0.0);
  n.z = 1.0 - abs(n.x) - abs(n.y);
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  return normalize(n);
}
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  at = p.xyz;
  normal = unfold(octahedral);
  uvAt = uv;
  fieldAt = field;
  gl_Position = projectionMatrix * viewMatrix * p;
}`;

const SURFACE_FRAGMENT = `
precision highp float;
in vec3 at, normal;
in vec2 uvAt;
in float fieldAt;
uniform mat4 viewMatrix;
uniform int look;
uniform bool flatFaces;
uniform float most; // The field that has the strongest colour.
out vec4 color;
${CUT}
vec3 matcap(vec3 n) { // Clay under a large soft light from the upper left, and one from behind.
  float key = smoothstep(-0.7, 1.0, dot(n, normalize(vec3(-0.45, 0.6, 0.66))));
  float rim = pow(1.0 - clamp(n.z, 0.0, 1.0), 3.0) * smoothstep(-0.2, 0.9, dot(n.xy, vec2(0.7, -0.4)));
  float shine = pow(max(dot(n, normalize(vec3(-0.3, 0.5, 0.82))), 0.0), 48.0);
  return mix(vec3(0.13, 0.15, 0.21), vec3(0.90, 0.83, 0.76), key) + vec3(0.22, 0.30, 0.42) * rim + 0.22 * shine;
}
vec3 checker(vec2 t) { // Ten fields a unit, tinted by where in the unit they are.
  vec2 cell = floor(t * 10.0);
  float odd = mod(cell.x + cell.y, 2.0);
  return mix(vec3(0.93), vec3(0.25 + 0.6 * fract(t.x), 0.28 + 0.5 * fract(t.y), 0.75 - 0.4 * fract(t.x)), odd);
}
vec3 heat(float x) { // Blue below zero, red above, nearly white between; for eyes of every kind.
  float t = clamp(x / most, -1.0, 1.0), a = sqrt(abs(t));
  return mix(vec3(0.93, 0.93, 0.90), t < 0.0 ? vec3(0.08, 0.27, 0.66) : vec3(0.75, 0.14, 0.10), a);
}
void main() {
  cut(at);
  vec3 n = flatFaces || dot(normal, normal) < 0.01 ? cross(dFdx(at), dFdy(at)) : normal;
  n = normalize(n);
  if (!flatFaces && !gl_FrontFacing) n = -n;
  vec3 seen = normalize(mat3(viewMatrix) * n);
  if (seen.z < 0.0 && flatFaces) seen = -seen;
  float shade = 0.55 + 0.45 * clamp(dot(seen, normalize(vec3(-0.3, 0.5, 0.8))), 0.0, 1.0);
  vec3 c = look == 1 ? 0.5 + 0.5 * n
         : look == 2 ? checker(uvAt) * shade
         : look >= 3 ? heat(fieldAt) * shade
         : matcap(seen);
  if (!gl_FrontFacing && !flatFaces) c *= vec3(0.62, 0.66, 0.74);
  color = vec4(c, 1.0);
}`;

/** Whether a material cuts away what the section hides. */
export function setSection(material, on) {
  if (Boolean(material.defines.SECTION) === on) return;
  material.defines = on ? { SECTION: 1 } : {};
  material.needsUpdate = true;
}

/** A surface; flat faces are the cage's. It is pushed back a little, so that lines on it are seen. */
export function surfaceMaterial(flatFaces) {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    defines: {},
    vertexShader: SURFACE_VERTEX,
    fragmentShader: SURFACE_FRAGMENT,
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    uniforms: { section: shared.section, look: { value: 0 }, flatFaces: { value: flatFaces }, most: { value: 1 } },
  });
}

const LINE_FRAGMENT = `
precision highp float;
in vec3 at;
uniform vec4 tint;
out vec4 color;
${CUT}
void main() { cut(at); color = tint; }`;

/** Thin lines over the same attributes as a surface. */
export function wireMaterial() {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    defines: {},
    fragmentShader: LINE_FRAGMENT,
    transparent: true,
    depthWrite: false,
    vertexShader: `
precision highp float;
in vec3 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec3 at;
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  at = p.xyz;
  gl_Position = projectionMatrix * viewMatrix * p;
}`,
    uniforms: { section: shared.section, tint: { value: new Vector4(0.05, 0.08, 0.16, 0.45) } },
  });
}

/** Lines of some pixels' width, an instance each: its ends and its colour. */
export function strokeMaterial(width, onTop = false) {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    defines: {},
    depthTest: !onTop,
    side: DoubleSide,
    vertexShader: `
precision highp float;
in vec3 position, start, end, tint;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
uniform vec2 canvas;
uniform float width;
out vec3 at, tintAt;
void main() {
  vec4 a = viewMatrix * modelMatrix * vec4(start, 1.0), b = viewMatrix * modelMatrix * vec4(end, 1.0);
  const float NEAR = -1e-6; // An end behind the eye is moved to before it.
  if (a.z > NEAR && b.z < NEAR) a = mix(b, a, (NEAR - b.z) / (a.z - b.z));
  if (b.z > NEAR && a.z < NEAR) b = mix(a, b, (NEAR - a.z) / (b.z - a.z));
  vec4 from = projectionMatrix * a, to = projectionMatrix * b;
  vec2 along = (to.xy / to.w - from.xy / from.w) * canvas;
  along = dot(along, along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  gl_Position = mix(from, to, position.x);
  gl_Position.xy += vec2(-along.y, along.x) / canvas * position.y * width * gl_Position.w;
  gl_Position.z -= 2e-4 * gl_Position.w; // Before the surface that they lie on.
  at = mix(start, end, position.x);
  tintAt = tint;
}`,
    fragmentShader: `
precision highp float;
in vec3 at, tintAt;
out vec4 color;
${CUT}
void main() { ${onTop ? "" : "cut(at);"} color = vec4(tintAt, 1.0); }`,
    uniforms: { ...shared, width: { value: width } },
  });
}
