// The texts that the tests explain.

import { readFileSync } from 'node:fs';

/** The lines of a file of inputs, without comments, and with the characters for `\u{XXXX}`. */
export function inputs(path) {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n').filter((line) => !line.startsWith('# '));
    return lines.map((line) => line.replace(/\\u\{([0-9a-f]+)\}/g, (_, digits) => String.fromCodePoint(parseInt(digits, 16))));
}

/** The rows of tests/data/path-confusion.tsv: names of columns, and the cells by target, as text. */
export function measured(path) {
    const [names, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
    const asText = (cell) => decodeURIComponent(encodeURIComponent(cell).replace(/%5Cx([0-9a-f]{2})/g, '%$1'));
    return { names, rows: rows.map((cells) => ({ target: asText(cells[0]), cells })) };
}
