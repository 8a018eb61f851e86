// Times the package beside the engine's own functions: bench.mjs FILE... Prints tables in Markdown.
// Both make columns of bytes. V8 starts from existing strings, which favours it.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { argv } from 'node:process';

import * as simdpct from 'simdpct';

const utf8 = new TextEncoder();
const files = argv.slice(2).map((path) => {
    const lines = readFileSync(path).subarray(0, 4 << 20).toString('utf8').split('\n').map((line) => line.toWellFormed());
    return { name: basename(path), lines, column: simdpct.columnOf(lines) };
});

// Milliseconds of the best of some runs, after a warm-up. The two contestants take turns.
function best(works, seconds = 1) {
    const found = works.map(() => Infinity);
    for (const end = performance.now() + 1000 * seconds * works.length; performance.now() < end;) {
        works.forEach((work, at) => {
            const start = performance.now();
            work();
            found[at] = Math.min(found[at], performance.now() - start);
        });
    }
    return found;
}

function byEngine(convert, lines, bytes) {
    const values = new Uint8Array(3 * bytes + 64), offsets = new Int32Array(lines.length + 1);
    let end = 0;
    for (let row = 0; row < lines.length; row += 1) {
        let text = lines[row];
        try {
            text = convert(text);
        } catch {
            // The value is kept unchanged.
        }
        end += utf8.encodeInto(text, values.subarray(end)).written;
        offsets[row + 1] = end;
    }
    return end;
}

for (const [title, convert, many] of [
    ['decodeMany', decodeURIComponent, (column) => simdpct.decodeMany(column, { text: 'strict', onError: 'keep' })],
    ['encodeMany', encodeURIComponent, (column) => simdpct.encodeMany(column, { set: 'js-encode-uri-component' })],
]) {
    console.log(`| ${title}, MB/s | ${convert.name} | ${title} | times |\n|---|---:|---:|---:|`);
    for (const { name, lines, column } of files) {
        const bytes = column.values.length;
        if (byEngine(convert, lines, bytes) !== many(column).values.length) {
            throw new Error(`${name}: the results differ`);
        }
        const [theirs, ours] = best([() => byEngine(convert, lines, bytes), () => many(column)]);
        console.log(`| ${name} | ${Math.round(bytes / theirs / 1000)} | ${Math.round(bytes / ours / 1000)} | ${(theirs / ours).toFixed(1)} |`);
    }
    console.log();
}

const text = 'plain%20text/with%C3%A9some&'.repeat(100);
for (const [convert, ours, inputs] of [
    [decodeURIComponent, simdpct.decodeComponent, (length) => [text.slice(0, length).replace(/%.?$/, 'xx').slice(0, length), 'c'.repeat(length)]],
    [encodeURIComponent, simdpct.encodeComponent, (length) => [text.slice(0, length), 'c'.repeat(length)]],
]) {
    console.log(`| one string, nanoseconds | ${convert.name} | ${ours.name} | the same, clean | ${ours.name}, clean |\n|---|---:|---:|---:|---:|`);
    for (const length of [8, 16, 24, 32, 64, 128, 256, 512, 1024, 2048]) {
        const times = inputs(length).flatMap((input) => {
            const strings = Array.from({ length: 1000 }, (_, at) => (at + 1000 + input).slice(4));
            const run = (convert) => () => strings.map((string) => convert(string).length);
            try {
                return best([run(convert), run(ours)], 0.1).map((time) => Math.round(time * 1000));
            } catch {
                return ['–', '–'];
            }
        });
        console.log(`| ${length} | ${times.join(' | ')} |`);
    }
    console.log();
}
