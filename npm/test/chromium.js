// Serves the page of the suite, opens it in headless Chromium, and prints what it shows: chromium.js CHROMIUM

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { argv, exit } from 'node:process';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer(async ({ url }, response) => {
    try {
        const bytes = await readFile(`.${new URL(url, 'http://localhost').pathname}`);
        response.setHeader('content-type', TYPES[extname(url)] ?? 'application/octet-stream');
        response.end(bytes);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const { port } = server.address();
const options = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=120000', '--dump-dom', `http://127.0.0.1:${port}/test/page.html`];
execFile(argv[2], options, { timeout: 300_000, maxBuffer: 1 << 24 }, (error, output) => {
    const shown = /<pre id="result">([^]*?)<\/pre>/.exec(output)?.[1] ?? `${error}`;
    console.log(shown);
    exit(/^(\d+) of \1 tests passed/m.test(shown) ? 0 : 1);
});
