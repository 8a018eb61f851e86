// Loads the module in browsers: fetches the file beside this one.

import { SIMD_PROBE, create } from './core.js';

// Each in full, because bundlers look for this form.
const response = WebAssembly.validate(SIMD_PROBE)
    ? await fetch(new URL('./simdpct.simd.wasm', import.meta.url))
    : await fetch(new URL('./simdpct.wasm', import.meta.url));
if (!response.ok) {
    throw new Error(`simdpct: ${response.url}: ${response.status}`);
}
// From bytes: a server may not know the media type, which compiling a stream needs.
const { instance } = await WebAssembly.instantiate(await response.arrayBuffer());

export const {
    decode, encode, normalize, inspect, decodeMany, encodeMany, normalizeMany, inspectMany, canonicalPaths,
    decodeComponent, encodeComponent, PathPolicy, RequestGuard, DecodeStream, EncodeStream, kinds, kindNames, errorNames, level,
} = create(instance.exports);
export { PctError, columnOf, columnOfArrow, stringsOf } from './core.js';
