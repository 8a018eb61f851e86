// Compares two builds of the module: module.test.mjs MODULE MODULE INPUTS. Each must give the same JSON for each line of
// INPUTS and for random texts.

import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';

import { inputs } from './inputs.mjs';

const TURNS = 3000;
const PIECES = ['%', '%2', '%2e', '%2E', '%25', '%2f', '%5c', '%00', '%c3%a9', '%ff', '%u0041', '.', '..', '/', '//', ';', '?', '#', '@', ':', '\\',
    '+', '&', '=', 'a', 'é', '😀', 'http://h', '"', '\u202e'];
const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

async function load(path) {
    const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
    const { memory, input, explain, output } = instance.exports;
    return (bytes) => {
        const address = input(bytes.length);
        new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
        const length = explain();
        return JSON.parse(text.decode(new Uint8Array(memory.buffer, output(), length)));
    };
}

let seed = 1;
const random = (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
};
const randomText = () => Array.from({ length: random(12) }, () => PIECES[random(PIECES.length)]).join('');

const [committed, built] = [await load(argv[2]), await load(argv[3])];
const texts = [...inputs(argv[4]), ...Array.from({ length: TURNS }, randomText)].map((input) => utf8.encode(input));
// The input of the page is text, but the module takes bytes.
texts.push(Uint8Array.of(0x2f, 0xff, 0x25), Uint8Array.from({ length: 256 }, (_, byte) => byte));
const outputs = new Set();
for (const input of texts) {
    const expected = built(input);
    deepEqual(committed(input), expected, text.decode(input.filter((byte) => byte < 0x80)));
    outputs.add(JSON.stringify(expected));
    const places = expected.findings.map(({ start, end }) => [start, end]);
    ok(places.every(([start, end]) => start < end && end <= input.length), JSON.stringify(places));
}
ok(outputs.size > TURNS / 2, `${outputs.size}`);
console.log(`${texts.length} texts: the module of the page and the one built now agree`);
