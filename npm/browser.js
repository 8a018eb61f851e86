// Loads the module in browsers: fetches it from the folder of this file.

import { SIMD_PROBE, create } from './core.js';

// Each URL is written in full, because bundlers look for this form.
const response = WebAssembly.validate(SIMD_PROBE)
    ? await fetch(new URL('./simdpct.simd.wasm', import.meta.url))
    : await fetch(new URL('./simdpct.wasm', import.meta.url));
if (!response.ok) {
    throw new Error(`simdpct: ${response.url}: ${response.status}`);
}
// Compiles bytes. Compiling a stream needs the media type, which a server may not know.
const { instance } = await WebAssembly.instantiate(await response.arrayBuffer());

export const {
    decode, encode, normalize, inspect, decodeMany, encodeMany, normalizeMany, inspectMany, canonicalPaths,
    decodeComponent, encodeComponent, PathPolicy, RequestGuard, DecodeStream, EncodeStream, kinds, kindNames, errorNames, level,
} = create(instance.exports);
export { PctError, columnOf, columnOfArrow, stringsOf } from './core.js';
