// Loads the module in Node, Deno and Bun, from the file beside this one.

import { readFileSync } from 'node:fs';
import { SIMD_PROBE, create } from './core.js';

const file = WebAssembly.validate(SIMD_PROBE) ? './simdpct.simd.wasm' : './simdpct.wasm';
const module = new WebAssembly.Module(readFileSync(new URL(file, import.meta.url)));

export const {
    decode, encode, normalize, inspect, decodeMany, encodeMany, normalizeMany, inspectMany, canonicalPaths,
    decodeComponent, encodeComponent, PathPolicy, RequestGuard, DecodeStream, EncodeStream, kinds, kindNames, errorNames, level,
} = create(new WebAssembly.Instance(module).exports);
export { PctError, columnOf, columnOfArrow, stringsOf } from './core.js';
