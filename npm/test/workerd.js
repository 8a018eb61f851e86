// Starts workerd with the suite as a worker, and prints its answer: workerd.js WORKERD

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { argv, exit } from 'node:process';

const { resolve } = createRequire(import.meta.url);
// Embedded files have paths relative to the configuration.
const installed = `./${relative('.', dirname(resolve('simdpct/core')))}`;
// workerd does not resolve packages: the name of each module is relative to its importer's name.
const modules = [
    ['worker.js', 'esModule', './test/worker.js'], ['run.js', 'esModule', './test/run.js'], ['suite.js', 'esModule', './test/suite.js'],
    ['simdpct', 'esModule', `${installed}/workerd.js`], ['core.js', 'esModule', `${installed}/core.js`],
    ['simdpct.simd.wasm', 'wasm', `${installed}/simdpct.simd.wasm`],
].map(([name, type, path]) => `(name = "${name}", ${type} = embed "${path}")`);
writeFileSync('workerd.capnp', `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
    services = [(name = "main", worker = (modules = [${modules.join(', ')}], compatibilityDate = "2025-01-01"))],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`);
const server = spawn(argv[2], ['serve', '--control-fd=3', 'workerd.capnp'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
const port = await new Promise((found, failed) => {
    let seen = '';
    server.stdio[3].on('data', (chunk) => {
        seen += chunk;
        const listening = /"port":\s*(\d+)/.exec(seen);
        if (listening) {
            found(listening[1]);
        }
    });
    server.on('exit', (code) => failed(new Error(`workerd ended: ${code}`)));
});
server.removeAllListeners('exit');
const result = await (await fetch(`http://127.0.0.1:${port}/`)).text();
server.kill();
console.log(result);
exit(/^(\d+) of \1 tests passed/m.test(result) ? 0 : 1);
