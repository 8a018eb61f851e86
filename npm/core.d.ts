// The functions over a module that the caller has compiled.

import type * as api from './index.js';

export { PctError, columnOf, columnOfArrow, stringsOf } from './index.js';

/** A module of 41 bytes that is valid on engines with simd128. */
export const SIMD_PROBE: Uint8Array;

/** The functions of the package, over the exports of an instance of `simdpct.wasm` or `simdpct.simd.wasm`. */
export function create(exports: WebAssembly.Exports): Omit<typeof api, 'columnOf' | 'columnOfArrow' | 'stringsOf'>;
