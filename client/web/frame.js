// SPDX-License-Identifier: Apache-2.0
// frame.js: takes a frame apart (proto/README.md, "Wire format"). Its blocks are views of the body, which goes to the
// graphics card as it came.
import { fields, leadingVarint, Malformed, numbers, string } from "./protobuf.js";

const TYPES = {
  f32: Float32Array,
  u32: Uint32Array,
  i32: Int32Array,
  unorm16: Uint16Array,
  oct16: Int16Array,
  f16: Uint16Array,
};
const HEADER = { 2: "version", 4: "level", 8: "vertices", 9: "faces" };
const TEXTS = { 3: "topology", 5: "surface", 6: "method", 7: "backend", 13: "upAxis" };
const BLOCK = { 3: "components", 4: "count", 5: "stride", 6: "offset", 7: "bytes" };

function readBlock(bytes) {
  const block = { semantic: "", type: "", components: 0, count: 0, stride: 0, offset: 0, bytes: 0, box: null };
  fields(bytes, (number, value) => {
    if (number === 1) block.semantic = string(value);
    else if (number === 2) block.type = string(value);
    else if (number === 13) block.box = numbers(Float32Array, value);
    else if (BLOCK[number]) block[BLOCK[number]] = value;
  });
  return block;
}

/** The values of a block in place, once its table has been held against the body. */
function viewOf(block, body) {
  const Kind = TYPES[block.type],
    width = Kind && Kind.BYTES_PER_ELEMENT * block.components;
  if (
    !Kind ||
    block.stride !== width ||
    block.bytes !== width * block.count ||
    block.offset % 64 ||
    block.offset + block.bytes > body.byteLength ||
    (block.type === "unorm16" && block.box?.length !== 6)
  )
    throw new Malformed(`the frame's block ${block.semantic} is not as its table says`);
  return new Kind(body, block.offset, block.components * block.count);
}

/** Reads a frame: the numbers of its header, and `blocks` by semantic, each with `array`. */
export function readFrame(body) {
  const bytes = new Uint8Array(body),
    [length, start] = leadingVarint(bytes);
  if (length > bytes.length - start) throw new Malformed("the frame is cut short");
  const frame = {
    version: 0,
    level: 0,
    vertices: 0,
    faces: 0,
    topology: "",
    upAxis: "",
    method: "",
    surface: "",
    metersPerUnit: 0,
    blocks: {},
  };
  frame.bytes = body.byteLength;
  fields(bytes.subarray(start, start + length), (number, value) => {
    if (HEADER[number]) frame[HEADER[number]] = value;
    else if (TEXTS[number]) frame[TEXTS[number]] = string(value);
    else if (number === 14) frame.metersPerUnit = value;
    else if (number === 11) {
      const block = readBlock(value);
      frame.blocks[block.semantic] = { ...block, array: viewOf(block, body) };
    }
  });
  return frame;
}
