// Loads the module in workerd, which compiles it with the worker and has simd128.

import module from './simdpct.simd.wasm';
import { create } from './core.js';

export const {
    decode, encode, normalize, inspect, decodeMany, encodeMany, normalizeMany, inspectMany, canonicalPaths,
    decodeComponent, encodeComponent, PathPolicy, RequestGuard, DecodeStream, EncodeStream, kinds, kindNames, errorNames, level,
} = create(new WebAssembly.Instance(module).exports);
export { PctError, columnOf, columnOfArrow, stringsOf } from './core.js';
