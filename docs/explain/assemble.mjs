// Puts the page together: assemble.mjs MODULE writes docs/explain/index.html, with this WebAssembly module.
// assemble.mjs --check [OUTPUT] fails if the page is not what the sources make of the module that the page contains, and
// writes that module to OUTPUT. The bytes of a module depend on the compiler, so no other module is compared.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, exit } from 'node:process';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The largest page, in bytes. */
const MAX_LENGTH = 150_000;

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = new URL('index.html', import.meta.url);

/** The page, with this module in base64. */
function assembled(module) {
    const script = read('page.js');
    const style = read('page.css');
    const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    const date = /^Measured on (\d{4}-\d\d-\d\d)/m.exec(read('../path-confusion.md'))[1];
    const table = read('../../tests/data/path-confusion.tsv');
    const values = { script, style, module, table, date, 'script hash': hash(script), 'style hash': hash(style) };
    for (const [name, value] of Object.entries(values)) {
        // Either would end or change the element that contains the value.
        if (/<\/(script|style)|<!--/i.test(value)) {
            throw new Error(`${name} contains a tag`);
        }
    }
    return read('page.html').replace(/\{\{([a-z ]+)\}\}/g, (placeholder, name) => {
        if (!Object.hasOwn(values, name)) {
            throw new Error(`page.html: no value for ${placeholder}`);
        }
        return values[name];
    });
}

function fail(message) {
    console.error(`assemble: ${message}`);
    exit(1);
}

const [input, output] = argv.slice(2);
if (input === '--check') {
    const found = readFileSync(page, 'utf8');
    const module = /<script type="application\/gzip" id="module">([A-Za-z0-9+/=]+)<\/script>/.exec(found)?.[1];
    if (module === undefined || assembled(module) !== found) {
        fail('docs/explain/index.html is not what its sources give: run docs/explain/build');
    }
    if (Buffer.byteLength(found) > MAX_LENGTH) {
        fail(`docs/explain/index.html has ${Buffer.byteLength(found)} bytes, more than ${MAX_LENGTH}`);
    }
    if (output) {
        writeFileSync(output, gunzipSync(Buffer.from(module, 'base64')));
    }
} else {
    const made = assembled(gzipSync(readFileSync(input), { level: 9 }).toString('base64'));
    writeFileSync(page, made);
    console.log(`docs/explain/index.html: ${Buffer.byteLength(made)} bytes`);
}
