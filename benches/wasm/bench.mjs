// Times the operations of benches/wasm in this engine: bench.mjs MODULE SECONDS FILE...
// Prints for each operation and file: the operation, the file, the length of the output, GB/s of the best run.

import { readFileSync } from 'node:fs';
import { argv } from 'node:process';

const OPERATIONS = ['decode', 'encode', 'decode a column', 'encode a column', 'normalize a column', 'inspect a column'];
const [, , path, seconds, ...files] = argv;
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
for (const file of files) {
    const bytes = readFileSync(file).subarray(0, 4 << 20);
    const address = exports.allocate(bytes.length);
    new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
    const text = exports.text(address, bytes.length);
    for (const [number, operation] of OPERATIONS.entries()) {
        let best = Infinity, written;
        const start = performance.now();
        while (performance.now() < start + 1000 * seconds) {
            const start = performance.now();
            written = exports.run(text, number);
            best = Math.min(best, performance.now() - start);
        }
        console.log(`${operation}\t${file}\t${written}\t${bytes.length / best / 1e6}`);
    }
}
