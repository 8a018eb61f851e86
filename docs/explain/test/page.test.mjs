// Tests the page in headless Chromium by what it shows: page.test.mjs CHROMIUM PCT PAGE INPUTS TABLE. The expected parts,
// findings and paths are the output of the command PCT, and the expected readings are the cells of TABLE.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { argv, cwd } from 'node:process';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { inputs, measured } from './inputs.mjs';

const [chromium, pct, pagePath, inputsPath, tablePath] = argv.slice(-5);
const POLICIES = ['default', 'strict', 'rfc3986', 'nginx', 'envoy', 'lighttpd'];
const WIDTHS = [320, 1200];
const SCHEMES = ['light', 'dark'];

// The packages of npm are in the current folder, not beside this file.
const packages = createRequire(`${cwd()}/`);
const { default: puppeteer } = await import(pathToFileURL(packages.resolve('puppeteer-core')));
const axe = readFileSync(packages.resolve('axe-core/axe.min.js'), 'utf8');
const table = measured(tablePath);
const others = inputs(inputsPath);
const all = [...table.rows.map(({ target }) => target), ...others];

let browser;
let page;
const requests = [];
const problems = [];

before(async () => {
    browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => ['error', 'warn'].includes(message.type()) && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await open();
});

after(() => browser?.close());

/** Opens the page, with a text in its address. */
async function open(url) {
    await page.goto('about:blank');
    await page.goto(`${pathToFileURL(pagePath)}${url === undefined ? '' : `#${encodeURIComponent(url)}`}`);
    await page.waitForFunction(() => document.getElementById('summary').textContent !== 'Loading');
}

/** Explains another text, as a link to it does, and returns what the page shows. */
const shown = (url) => page.evaluate(async (url) => {
    const turned = new Promise((done) => { addEventListener('hashchange', done, { once: true }); });
    if (location.hash !== `#${encodeURIComponent(url)}`) {
        location.hash = encodeURIComponent(url);
        await turned;
    }
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const visible = (element) => element.checkVisibility();
    const pieces = (element) => [...element.childNodes].map((node) => [node.className ?? '', node.textContent]);
    return {
        input: document.getElementById('url').value,
        whole: pieces(document.getElementById('whole')),
        parts: all('#parts tbody tr').map((row) => ({
            depth: Number(row.className.slice('depth-'.length)), label: row.cells[0].textContent, text: pieces(row.cells[1]),
        })),
        findings: all('#findings > li').map((item) => ({
            mark: item.className,
            badge: item.querySelector('strong').textContent,
            text: pieces(item.querySelector('p code')),
            place: item.querySelector('p').textContent,
            kinds: all('ul li', item).map((kind) => [kind.querySelector('code').textContent, kind.lastChild.textContent.trim()]),
        })),
        more: visible(document.getElementById('more-findings')) ? document.getElementById('more-findings').textContent : '',
        noFindings: visible(document.getElementById('no-findings')),
        policies: all('#policies tbody tr').map((row) => [
            row.querySelector('th code').textContent, row.cells[1].textContent.replace(', select in the input', ''),
        ]),
        sent: visible(document.getElementById('browser')) ? document.getElementById('sent').textContent : undefined,
        measured: document.getElementById('measured-text').textContent,
        selected: document.getElementById('measured').value,
        related: all('#related button').map((button) => button.textContent),
        answers: all('#answers li').map((item) => item.textContent),
        servers: all('#servers section').map((section) => ({
            name: section.querySelector('h3').textContent,
            answers: all('dl > div', section).map((row) => [row.querySelector('dt').textContent, row.querySelector('dd').textContent]),
        })),
        width: document.documentElement.scrollWidth,
        foreign: all('main img, main script, main b, main iframe, main [onerror]').length,
    };
}, url);

const COLOURS = { '': ['', ''], triplet: ['\x1b[36m', '\x1b[0m'], notice: ['\x1b[33m', '\x1b[0m'], danger: ['\x1b[1m\x1b[31m', '\x1b[0m'] };
const coloured = (pieces) => pieces.map(([mark, text]) => COLOURS[mark][0] + text + COLOURS[mark][1]).join('');
const plain = (text) => text.replace(/\x1b\[\d*m/g, '');

/** A row of `pct explain`. */
function row(depth, label, text) {
    const padding = ' '.repeat(Math.max(12 - 2 * depth - [...label].length, 1));
    return `${' '.repeat(2 * depth)}${depth ? label : `\x1b[1m${label}\x1b[0m`}${padding}${text}`.trimEnd();
}

/** The sections of `pct explain`. Rows that need the tables of Unicode are left out: the page does not have them. */
function explained(url) {
    const output = execFileSync(pct, ['explain', '--color', 'always', '--', url], { encoding: 'utf8' });
    const [parts, ...sections] = output.trimEnd().split(/\n\n(?=\x1b\[1m(?:findings|readers)\x1b)/).map((section) => section.split('\n'));
    const section = (name) => (sections.find(([heading]) => plain(heading) === name) ?? []).slice(1);
    return {
        parts: parts.filter((line) => !/^(normal|  (unicode|ascii)) /.test(plain(line))),
        findings: section('findings'),
        readers: section('readers').map(plain),
    };
}

test('parts, marks and findings are those of pct explain', async () => {
    let findings = 0;
    for (const url of all) {
        const found = await shown(url);
        const expected = explained(url);
        equal(found.input, url);
        deepEqual(found.parts.map(({ depth, label, text }) => row(depth, label, coloured(text))), expected.parts, url);
        const lines = found.findings.map(({ mark, badge, text, place, kinds }) => {
            equal(badge, mark, url);
            const [, component, column] = / in the (\w+), (column \d+), select in the input$/.exec(place);
            return row(1, component, `${coloured(text)} at ${column}: ${kinds.map(([, words]) => words).join('; ')}`);
        });
        deepEqual(lines, expected.findings, url);
        equal(found.noFindings, lines.length === 0, url);
        findings += lines.length;
    }
    ok(findings > 80, `${findings}`);
});

test('the marked text is the whole input', async () => {
    for (const url of all) {
        const { whole } = await shown(url);
        equal(whole.map(([, text]) => text).join(''), escaped(url), url);
    }
});

test('at most 200 findings are listed, and the others counted', async () => {
    for (const [count, more] of [[200, ''], [201, '1 more are'], [1500, '1300 more are']]) {
        const { findings, more: found } = await shown(`/${'%00a'.repeat(count)}`);
        equal(findings.length, Math.min(count, 200));
        equal(found.slice(0, more.length), more);
        equal(found === '', more === '');
    }
});

test('the names of findings have the words of pct check', async () => {
    const words = new Map();
    for (const url of all) {
        for (const [name, found] of (await shown(url)).findings.flatMap(({ kinds }) => kinds)) {
            // The decoding error in these texts precedes the finding.
            if (['malformed', 'invalid-utf8', 'unicode'].includes(name)) {
                continue;
            }
            if (!words.has(name)) {
                const { stdout } = spawnSync(pct, ['check', '--find', name], { input: url, encoding: 'utf8' });
                words.set(name, /:1:\d+: (.*)/.exec(stdout)?.[1]);
            }
            equal(found, words.get(name), name);
        }
    }
    ok(words.size >= 13, [...words.keys()].join());
});

/** Escapes characters that control a terminal, as `pct explain` shows them. */
const escaped = (text) => text.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/** The path that a client sends. */
function pathOf(url) {
    if (url.startsWith('/')) {
        return { path: url.split('?')[0], start: 0 };
    }
    const [, before, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i.exec(url) ?? [];
    return path === undefined ? { path: url, start: 0 } : { path: path || '/', start: Buffer.byteLength(before) };
}

test('canonical paths and refusals are those of pct normalize --path', async () => {
    const kinds = { refused: 0, passed: 0 };
    for (const url of all) {
        const { policies } = await shown(url);
        const { path, start } = pathOf(url);
        deepEqual(policies.map(([name]) => name), POLICIES);
        for (const [policy, result] of policies) {
            if (!path.startsWith('/')) {
                // `pct normalize` leaves other texts alone.
                equal(result, `refused path does not begin with '/', at column ${start + 1}`, url);
                continue;
            }
            const options = ['normalize', '--path', policy, '--strict'];
            const { status, stdout, stderr } = spawnSync(pct, options, { input: path, encoding: 'utf8' });
            if (status === 0) {
                equal(result, escaped(stdout), `${policy}: ${url}`);
                kinds.passed += 1;
            } else {
                const [, column, reason] = /:1:(\d+): (?:refused: )?(.*)/.exec(stderr);
                equal(result, `refused ${reason}, at column ${start + Number(column)}`, `${policy}: ${url}`);
                kinds.refused += 1;
            }
        }
    }
    ok(kinds.refused > 100 && kinds.passed > 100, JSON.stringify(kinds));
});

test('a browser sends the path that pct explain says, and this browser says', async () => {
    let count = 0;
    for (const url of all) {
        const { sent } = await shown(url);
        const [, expected] = /^ {2}path +browsers(?:, \w+)* {2,}(.*)$/m.exec(explained(url).readers.join('\n')) ?? [];
        equal(sent !== undefined, /^(https?:\/\/[^/?#]|\/(?!\/))/i.test(url), url);
        if (expected !== undefined && sent !== undefined) {
            equal(sent.split('?')[0], expected, url);
            count += 1;
        }
    }
    ok(count > 30, `${count}`);
});

/** A cell of the table, in the words of the page. */
function reading(cell, target) {
    const [, status, kind, value] = /^(\d+)(?: (->|=) ?(.*))?$/.exec(cell);
    const label = { '->': '→ to the origin: ', '=': 'sees ' }[kind];
    return label ? label + (value === target ? 'unchanged' : value || 'nothing') : `${status} refused`;
}

test('servers read each measured target as the table says', async () => {
    const columns = table.names.map((name, index) => ({ name, index })).filter(({ name }) => /-\d[^:]*:/.test(name));
    equal(columns.length, 23);
    for (const { target, cells } of table.rows) {
        const found = await shown(target);
        equal(found.selected, target);
        const flat = found.servers.flatMap(({ name, answers }) => answers.map(([configuration, answer]) => [name, configuration, answer]));
        // The page has the servers in another order.
        const expected = columns.map(({ name, index }) => {
            const [, version, configuration] = /-([\d.]+):(.*)/.exec(name);
            return [version, configuration, reading(cells[index], cells[0])];
        });
        deepEqual(flat.map(([name, ...rest]) => [name.split(' ').at(-1), ...rest]).sort(), expected.sort(), target);
        deepEqual(found.servers.map(({ name }) => name.replace(/ [\d.]+$/, '')),
            ['nginx', 'Apache httpd', 'HAProxy', 'h2o', 'Varnish', 'lighttpd', 'Caddy', 'Envoy', 'Traffic Server']);
        const values = new Set(columns.map(({ index }) => cells[index].replace(/^200 (->|=) ?/, '')));
        equal(found.answers.length, values.size, target);
        const summary = values.size === 1 ? 'All configurations agree.' : `23 configurations give ${values.size} different answers.`;
        ok(found.measured.startsWith(summary), found.measured);
    }
});

test('other targets have no reading, and measured ones are offered', async () => {
    const targets = new Set(table.rows.map(({ target }) => target));
    let offered = 0;
    for (const url of others.filter((url) => !targets.has(url))) {
        const found = await shown(url);
        // As a client sends it, this URL has a measured target.
        const target = /^https?:\/\/[^/?#]*(\/[^#]*)/i.exec(url)?.[1];
        equal(found.servers.length, targets.has(target) ? 9 : 0, url);
        const beginning = targets.has(target) ? `As it is written, the target of this URL is ${target}. ` : 'Not measured.';
        ok(found.measured.startsWith(beginning), url);
        ok(found.related.every((related) => targets.has(related)), url);
        equal(found.selected, '', url);
        offered += found.related.length;
    }
    ok(offered > 50, `${offered}`);
});

test('no text becomes an element, and nothing is wider than a phone', async () => {
    await page.setViewport({ width: 320, height: 800 });
    for (const url of [...all, `/${'a%252f'.repeat(300)}`, `/?${'n'.repeat(300)}=${'v'.repeat(300)}`]) {
        const { foreign, width } = await shown(url);
        deepEqual([foreign, width], [0, 320], url);
    }
});

test('the page is usable with the keyboard alone', async () => {
    await page.setViewport({ width: 1200, height: 900 });
    await open('/a/%2e%2e%2fx');
    const focused = () => page.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        const top = element.getBoundingClientRect().top + scrollY;
        return { id: element.id, name: element.textContent, tag: element.tagName, outline: style.outlineStyle !== 'none', top };
    });
    const tabs = [];
    for (let turn = 0; turn < 60; turn += 1) {
        await page.keyboard.press('Tab');
        const now = await focused();
        if (now.tag === 'BODY') {
            break;
        }
        tabs.push(now);
    }
    const stops = await page.$$eval('a, input, select, button', (controls) => controls.filter((control) => control.checkVisibility()).length);
    equal(tabs.length, stops, 'each control has its turn, and the focus leaves the page');
    ok(tabs.every(({ outline }) => outline), 'the focus is visible');
    // Top to bottom.
    ok(tabs.every(({ top }, at) => at === 0 || top >= tabs[at - 1].top - 40), JSON.stringify(tabs));
    deepEqual(tabs.slice(0, 2).map(({ id }) => id), ['url', 'measured']);

    // Type a text: the address and the announcement follow.
    await page.focus('#url');
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type('/é%00%2F<b>');
    await page.keyboard.press('Enter');
    equal(await page.evaluate(() => decodeURIComponent(location.hash.slice(1))), '/é%00%2F<b>');
    const beginning = '2 dangers and 3 notices. Refused by the policies default, ';
    await page.waitForFunction((text) => document.querySelector('[role=status]').textContent.startsWith(text), {}, beginning);
    // The same address shows the same text.
    await page.reload();
    await page.waitForFunction(() => document.getElementById('url').value === '/é%00%2F<b>');

    // Each place selects its finding in the input.
    const places = await page.$$eval('#findings .place', (buttons) => buttons.length);
    for (let at = 0; at < places; at += 1) {
        await page.evaluate((at) => document.querySelectorAll('#findings .place')[at].focus(), at);
        await page.keyboard.press('Enter');
        const [selected, expected, id] = await page.evaluate((at) => {
            const input = document.getElementById('url');
            const selected = input.value.slice(input.selectionStart, input.selectionEnd);
            return [selected, document.querySelectorAll('#findings p code')[at].textContent, document.activeElement.id];
        }, at);
        deepEqual([selected, id], [expected, 'url']);
    }
    equal(places, 5);

    // A measured target, and an example.
    await page.focus('#measured');
    await page.keyboard.press('ArrowDown');
    equal(await page.$eval('#url', ({ value }) => value), table.rows[0].target);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    match(await page.$eval('#url', ({ value }) => value), /^http:\/\/example\.com\//);
});

test('axe finds nothing, in light and dark, wide and narrow', async () => {
    for (const url of ['/a/%2e%2e%2fx', 'http://example.com/a%252Fb/%2e%2e/é?q=fish+%26+chips#x', '//a', '/clean', '']) {
        for (const scheme of SCHEMES) {
            for (const width of WIDTHS) {
                await page.setViewport({ width, height: 900 });
                await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
                await open(url || undefined);
                if (url === '') {
                    await page.evaluate(() => {
                        const input = document.getElementById('url');
                        input.value = '';
                        input.dispatchEvent(new Event('input'));
                    });
                }
                await page.evaluate(axe);
                const { violations, passes } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations', 'passes'] }));
                const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
                deepEqual(found, [], `${url} ${scheme} ${width}`);
                ok(passes.some(({ id }) => id === 'color-contrast'), 'contrast was checked');
                const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
                equal(/^rgb\(2\d\d/.test(background), scheme === 'light', background);
            }
        }
    }
});

test('the page loads nothing, and breaks no rule of its own', () => {
    const others = requests.map((request) => request.split('#')[0]).filter((request) => request !== 'about:blank' && !request.startsWith('data:'));
    deepEqual([...new Set(others)], [pathToFileURL(pagePath).href]);
    deepEqual(problems, []);
});
