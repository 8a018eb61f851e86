// Runs the suite in Node, on the package as it is installed and on both of its modules.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { env } from 'node:process';
import { test } from 'node:test';

import * as simdpct from 'simdpct';
import { columnOf, create, stringsOf } from 'simdpct/core';
import { tests } from './suite.js';

const { resolve } = createRequire(import.meta.url);
const load = (name) => ({
    ...create(new WebAssembly.Instance(new WebAssembly.Module(readFileSync(resolve(`simdpct/${name}`)))).exports), columnOf, stringsOf,
});
const scalar = load('simdpct.wasm');

test('the best level is used', () => {
    assert.equal(simdpct.level, 'simd128');
    assert.equal(load('simdpct.simd.wasm').level, 'simd128');
    assert.equal(scalar.level, 'scalar');
});

for (const [level, api] of [['package', simdpct], ['scalar', scalar]]) {
    for (const [name, run] of tests(api)) {
        test(`${level}: ${name}`, run);
    }
}

const corpora = env.SIMDPCT_CORPORA ?? '';
for (const name of ['access.log', 'typical_urls.txt', 'resource_urls.txt', 'nonlatin_urls.txt', 'hostile.txt']) {
    const path = join(corpora, name);
    test(`components: equal to V8's on each line of ${name}`, { skip: !corpora || !existsSync(path) }, () => {
        const attempt = (work, line) => {
            try {
                return work(line);
            } catch (error) {
                return `${error.name} ${error.message}`;
            }
        };
        for (const line of readFileSync(path, 'utf8').split('\n')) {
            assert.equal(attempt(simdpct.decodeComponent, line), attempt(decodeURIComponent, line));
            assert.equal(attempt(simdpct.encodeComponent, line), attempt(encodeURIComponent, line));
        }
    });
}

test('columns of apache-arrow', async (context) => {
    let arrow;
    try {
        arrow = await import('apache-arrow');
    } catch {
        context.skip('apache-arrow is not installed');
        return;
    }
    const vector = arrow.vectorFromArray(['a%20b', null, '%C3%A9', 'x'], new arrow.Utf8());
    const expected = ['a b', null, '\u00e9', 'x'];
    for (const [start, end] of [[0, 4], [1, 4], [2, 3], [0, 2]]) {
        const slice = vector.slice(start, end);
        const decoded = simdpct.decodeMany(simdpct.columnOfArrow(slice.data[0]), { text: 'strict' });
        const data = arrow.makeData({
            type: new arrow.Utf8(), length: slice.length, nullCount: slice.nullCount, data: decoded.values, valueOffsets: decoded.offsets,
            nullBitmap: decoded.validity,
        });
        assert.deepEqual([...arrow.makeVector(data)], expected.slice(start, end));
    }
});
