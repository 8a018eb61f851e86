// TypeScript checks this file, and nothing runs it: the types fit their documented use.

import { DecodeStream, PathPolicy, PctError, RequestGuard, canonicalPaths, columnOf, decodeMany, encodeMany, inspectMany, kinds, stringsOf } from 'simdpct';
import { create } from 'simdpct/core';

const column = columnOf(['a%20b', null]);
const decoded = decodeMany(column, { text: 'strict', onError: 'null' });
const rows: (string | null)[] = stringsOf(encodeMany(decoded, { set: 'form' }));
const kindsOf: Uint32Array = inspectMany(column);
const error: PctError | null = canonicalPaths(column, new PathPolicy('strict')).firstError;
const path: string = new PathPolicy().canonicalize('/a');
const bytes: Uint8Array = new PathPolicy().canonicalize(new Uint8Array());
const target: string | null = new RequestGuard('query=nul default').check('GET', '/a').target;
const stream: ReadableStream<Uint8Array> = new ReadableStream<Uint8Array>().pipeThrough(new DecodeStream({ plus: true }));
// @ts-expect-error: no such option
decodeMany(column, { onError: 'ignore' });
export { create, rows, kindsOf, error, path, bytes, target, stream, kinds };
