// The page: gives the text to the module, and shows what it answers. Texts reach the page by `textContent` only.

const $ = (id) => document.getElementById(id);

const EXAMPLES = [
    ['encoded twice', 'http://example.com/a%252Fb/%2e%2e/c?q=fish+%26+chips'],
    ['hidden dots', '/public/..%2fadmin'],
    ['overlong UTF-8', '/%c0%ae%c0%ae/x'],
    ['dots with a parameter', '/a/..;/x'],
    ['clean', 'https://example.com/caf%C3%A9?page=2'],
];
// A target with measured readings, so that every section has something to show.
const FIRST = '/a/%2e%2e%2fx';

const POLICIES = {
    default: 'for routers, cache keys and access rules',
    strict: 'refuses everything that servers treat differently',
    rfc3986: 'RFC 3986 6.2.2, for comparing URIs only',
    nginx: 'proxy_pass with a URI',
    envoy: 'normalize_path, merge_slashes, REJECT_REQUEST',
    lighttpd: 'by default',
};

const SERVERS = {
    nginx: 'nginx', apache: 'Apache httpd', haproxy: 'HAProxy', h2o: 'h2o', varnish: 'Varnish', lighttpd: 'lighttpd', caddy: 'Caddy',
    envoy: 'Envoy', trafficserver: 'Traffic Server',
};

/** The number of findings that are listed. All are marked; thousands in a list would make typing slow. */
const LISTED = 200;
/** The number of related targets that are offered. */
const RELATED = 6;
/** Screen readers announce the summary when typing has paused for this time, in milliseconds. */
const PAUSE = 500;

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true });

// The module.

async function load() {
    const packed = Uint8Array.from(atob($('module').textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const bytes = await new Response(stream).arrayBuffer();
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return instance.exports;
}

function explain(module, url) {
    const bytes = utf8.encode(url);
    const address = module.input(bytes.length);
    new Uint8Array(module.memory.buffer, address, bytes.length).set(bytes);
    const length = module.explain();
    return JSON.parse(text.decode(new Uint8Array(module.memory.buffer, module.output(), length)));
}

// The measured targets.

/** Targets and configurations of tests/data/path-confusion.tsv, in which `\xHH` is a byte that is not text. */
function readTable(table) {
    const [names, ...rows] = table.trim().split('\n').map((line) => line.split('\t'));
    const columns = names.map((name, index) => ({ name, index })).filter(({ name }) => !/^(target$|simdpct:)/.test(name));
    const configurations = columns.map(({ name, index }) => {
        const [, server, version, configuration] = /^([^:]+)-([^:-]+):(.*)$/.exec(name);
        return { server, version, configuration, index };
    });
    const findings = names.indexOf('simdpct:findings');
    const targets = new Map(rows.map((cells) => [typed(cells[0]), { cells, findings: new Set(cells[findings].split(',')) }]));
    return { configurations, targets };
}

/** The text to type for a target of the table. */
function typed(cell) {
    const bytes = [];
    for (const [part, digits] of cell.matchAll(/\\x([0-9a-f]{2})|[^\\]+|\\/g)) {
        bytes.push(...(digits === undefined ? utf8.encode(part) : [parseInt(digits, 16)]));
    }
    return text.decode(Uint8Array.from(bytes));
}

/** The answer of a cell: `403`, `200 -> TARGET` (the origin gets this) or `200 = TEXT` (a rule sees this). */
function answer(cell) {
    const [, status, kind, value] = /^(\d+)(?: (->|=) ?(.*))?$/.exec(cell);
    return { status, kind, value };
}

// Elements.

function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

const code = (...children) => element('code', {}, ...children);
const hidden = (words) => element('span', { className: 'hidden' }, words);

/** The elements of a text with marks. */
function marked(pieces) {
    let previous = 'text';
    return pieces.map(([mark, characters]) => {
        // A gap between two findings, which would look like one.
        const isAdjacent = previous === mark;
        previous = mark;
        if (mark === 'text') {
            return characters;
        }
        const made = element(mark === 'delimiter' ? 'span' : 'mark', { className: mark, textContent: characters });
        made.toggleAttribute('data-adjacent', isAdjacent);
        return made;
    });
}

/** A button that explains another text. */
function choice(url, label) {
    const button = element('button', { type: 'button' }, label ?? code(url));
    button.addEventListener('click', () => choose(url));
    return element('li', {}, button);
}

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const list = (names) => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

// Sections.

function showFindings(url, { whole, findings }) {
    $('whole').replaceChildren(...marked(whole));
    $('no-findings').hidden = findings.length > 0;
    $('findings').hidden = findings.length === 0;
    $('more-findings').hidden = findings.length <= LISTED;
    $('more-findings').textContent = `${findings.length - LISTED} more are marked above. The command pct explain lists them.`;
    $('findings').replaceChildren(...findings.slice(0, LISTED).map((finding) => {
        const kinds = finding.names.map((name, at) => element('li', {}, code(name), ` ${finding.words[at]}`));
        return element('li', { className: finding.mark },
            element('p', {}, element('strong', {}, finding.mark), ' ', code(...marked(finding.text)), ` in the ${finding.component}, `,
                place(url, finding.start, finding.end)),
            element('ul', {}, ...kinds));
    }));
}

/** A button that selects bytes of the URL in the input. */
function place(url, start, end) {
    const button = element('button', { type: 'button', className: 'place' }, `column ${start + 1}`, hidden(', select in the input'));
    button.addEventListener('click', () => select(url, start, end));
    return button;
}

/** Selects bytes of the URL in the input. */
function select(url, start, end) {
    const bytes = utf8.encode(url);
    const index = (at) => text.decode(bytes.subarray(0, at)).length;
    $('url').focus();
    $('url').setSelectionRange(index(start), index(end));
}

function showParts({ parts }) {
    $('parts').tBodies[0].replaceChildren(...parts.map(({ depth, label, text }) => element('tr', { className: `depth-${depth}` },
        element('th', { scope: 'row', textContent: label }), element('td', { className: 'code' }, ...marked(text)))));
}

function showPolicies(url, { policies, findings }) {
    $('path').replaceChildren(...marked(policies.text));
    $('target-note').hidden = !/^\/(\/|[^?]*#)/.test(url);
    $('policies').tBodies[0].replaceChildren(...policies.results.map(({ policy, path, error, position }) => {
        const result = element('td', {});
        if (path) {
            result.append(code(...marked(path)));
        } else {
            const found = findings.find(({ start, end }) => start <= position && position < end);
            result.append(element('strong', { className: 'refused' }, 'refused'), ` ${error.replace(/^refused: /, '')}, at `,
                place(url, position, found?.end ?? position + 1));
        }
        const name = element('th', { scope: 'row' }, code(policy), element('span', { className: 'muted' }, POLICIES[policy]));
        return element('tr', {}, name, result);
    }));
    return policies.results.filter(({ error }) => error).map(({ policy }) => policy);
}

/** The target that a browser sends for a URL, or for a link with a path; undefined for other texts. */
function sentByBrowser(url) {
    if (!/^(\/(?!\/)|https?:\/\/)/i.test(url)) {
        return undefined;
    }
    try {
        const { pathname, search } = new URL(url.startsWith('/') ? `http://host${url}` : url);
        return pathname + search;
    } catch {
        return undefined;
    }
}

/** The target that a client sends for a URL if it changes nothing. */
const targetOf = (url) => /^https?:\/\/[^/?#]*(\/[^#]*)/i.exec(url)?.[1];

/** Shows the readings of a text, whose findings have these names. Returns the number of different answers, if it was measured. */
function showServers(table, url, names) {
    const sent = sentByBrowser(url);
    $('browser').hidden = sent === undefined;
    $('sent').textContent = sent ?? '';
    const target = table.targets.has(url) ? url : targetOf(url);
    const measured = table.targets.get(target);
    for (const id of ['answers', 'servers', 'related']) {
        $(id).replaceChildren();
    }
    if (measured === undefined) {
        offerMeasured(table, names);
        return undefined;
    }
    const [asWritten] = measured.cells;
    const answers = table.configurations.map((configuration) => ({ ...configuration, ...answer(measured.cells[configuration.index]) }));
    const groups = grouped(answers);
    $('measured-text').replaceChildren(...(target === url ? [] : ['As it is written, the target of this URL is ', code(target), '. ']),
        element('strong', {}, groups.length === 1 ? 'All configurations agree.'
            : `${count(answers.length, 'configuration')} give ${groups.length} different answers.`),
        ' The servers got the target byte for byte. Below, an arrow points to the target that the origin gets, and “sees” precedes the'
        + ' text that rules and scripts get.');
    $('answers').append(...groups.map(([first, ...others]) => element('li', {},
        element('span', { className: 'count' }, `${others.length + 1} ×`), ' ',
        ...reading({ ...first, kind: first.kind && 'any' }, asWritten))));
    for (const server of Object.keys(SERVERS)) {
        const own = answers.filter((answer) => answer.server === server);
        $('servers').append(element('section', {},
            element('h3', {}, SERVERS[server], ' ', element('span', { className: 'muted' }, own[0].version)),
            element('dl', {}, ...own.map(({ configuration, ...answer }) => element('div', {},
                element('dt', {}, configuration), element('dd', {}, ...reading(answer, asWritten)))))));
    }
    return groups.length;
}

/** Says that a text was not measured, and offers targets that were. */
function offerMeasured(table, names) {
    const related = relatedTargets(table, names);
    $('measured-text').replaceChildren(element('strong', {}, 'Not measured.'),
        ' This target was not sent to the servers, and their answers are not guessed.'
        + ` ${table.targets.size} targets were measured: choose one in the list above`
        + `${related.length ? ', or one of these, which have findings in common with yours' : ''}.`);
    $('related').replaceChildren(...related.map((target) => choice(target)));
}

/** Answers in groups of the same text or status, the largest first. */
function grouped(answers) {
    const groups = new Map();
    for (const answer of answers) {
        const key = answer.kind ? answer.value : answer.status;
        groups.set(key, [...groups.get(key) ?? [], answer]);
    }
    return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** Targets with many findings in common with a text that has these, and with few others. */
function relatedTargets(table, names) {
    return [...table.targets].map(([target, { findings }]) => {
        const common = [...findings].filter((name) => names.has(name)).length;
        return { target, likeness: common / (findings.size + names.size - common) };
    }).filter(({ likeness }) => likeness > 0).sort((a, b) => b.likeness - a.likeness).slice(0, RELATED).map(({ target }) => target);
}

/** An answer of a server, as elements. */
function reading({ status, kind, value }, target) {
    if (!kind) {
        return [element('strong', { className: 'refused' }, status), ' refused'];
    }
    const label = { '->': [element('span', { ariaHidden: 'true' }, '→ '), hidden('to the origin: ')], '=': ['sees '], any: [] }[kind];
    if (value === target) {
        return [...label, element('span', { className: 'muted' }, 'unchanged')];
    }
    return [...label, value === '' ? 'nothing' : code(value)];
}

// The whole.

let module;
let table;
let announcement;

function announce(words) {
    clearTimeout(announcement);
    announcement = setTimeout(() => { $('summary').textContent = words; }, announcement === undefined ? 0 : PAUSE);
}

function show(url) {
    $('measured').value = table.targets.has(url) ? url : '';
    $('explanation').hidden = url === '';
    if (url === '') {
        announce('Type a URL, or choose one.');
        return;
    }
    const explained = explain(module, url);
    showFindings(url, explained);
    showParts(explained);
    const refusing = showPolicies(url, explained);
    const different = showServers(table, url, new Set(explained.findings.flatMap(({ names }) => names)));
    const counts = ['danger', 'notice'].map((mark) => [explained.findings.filter((finding) => finding.mark === mark).length, mark]);
    announce(`${list(counts.filter(([number]) => number).map(([number, mark]) => count(number, mark))) || 'No findings'}. `
        + `${refusing.length ? `Refused by the ${refusing.length === 1 ? 'policy' : 'policies'} ${list(refusing)}.` : 'Refused by no policy.'} `
        + (different ? `Servers give ${count(different, 'answer')}.` : 'Not measured in servers.'));
}

/** Shows another text, and puts it into the input and the address. */
function choose(url) {
    $('url').value = url;
    typedIn();
}

function typedIn() {
    // Without halves of surrogate pairs, which neither UTF-8 nor an address has.
    const url = text.decode(utf8.encode($('url').value));
    history.replaceState(null, '', `#${encodeURIComponent(url)}`);
    show(url);
}

function fromAddress() {
    const fragment = location.hash.slice(1);
    let url = fragment;
    try {
        url = decodeURIComponent(fragment);
    } catch {
        // Written by hand: not encoded.
    }
    $('url').value = url;
    // The input removes line ends.
    show($('url').value);
}

try {
    module = await load();
    table = readTable($('table').textContent);
    $('measured').append(element('option', { value: '' }, `Choose one of ${table.targets.size}`),
        ...[...table.targets.keys()].map((target) => element('option', { value: target }, target)));
    $('examples').append(...EXAMPLES.map(([label, url]) => choice(url, label)));
    $('form').addEventListener('submit', (event) => event.preventDefault());
    $('url').addEventListener('input', typedIn);
    $('measured').addEventListener('change', ({ target }) => target.value && choose(target.value));
    addEventListener('hashchange', fromAddress);
    if (location.hash.length > 1) {
        fromAddress();
    } else {
        $('url').value = FIRST;
        show(FIRST);
    }
} catch (error) {
    $('summary').textContent = `This browser cannot run the page: ${error.message}`;
}
