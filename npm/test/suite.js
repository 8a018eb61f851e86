// The tests of the functions, for every platform: `tests(api)` returns pairs of a name and a function.
// Plain JavaScript that imports nothing, so that it runs in workerd and in browsers too.

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true });

// The same inputs in each run.
function randomNumbers(seed) {
    let state = seed;
    return (limit) => {
        state = Math.imul(state ^ (state >>> 15), 0x2C1B3C6D) + 0x9E3779B9 | 0;
        return ((state ^ (state >>> 13)) >>> 0) % limit;
    };
}

function equal(found, expected, context = '') {
    const plain = (value) => JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? Array.from(part) : part));
    if (plain(found) !== plain(expected)) {
        throw new Error(`${context}: ${plain(found)?.slice(0, 500)}, not ${plain(expected)?.slice(0, 500)}`);
    }
}

function outcome(work) {
    try {
        return { value: work() };
    } catch (error) {
        return { error: `${error.name}: ${error.message}`, kind: error.kind, position: error.position, row: error.row };
    }
}

// Reference implementation of decoding, without WebAssembly.
function referenceDecode(bytes, { plus = false, malformed = 'error' } = {}) {
    const output = [];
    const digit = (at) => (at < bytes.length ? '0123456789abcdef'.indexOf(String.fromCharCode(bytes[at]).toLowerCase()) : -1);
    for (let at = 0; at < bytes.length; at += 1) {
        if (bytes[at] === 0x25 && digit(at + 1) >= 0 && digit(at + 2) >= 0) {
            output.push(digit(at + 1) * 16 + digit(at + 2));
            at += 2;
        } else if (bytes[at] === 0x25 && malformed === 'error') {
            return { position: at };
        } else {
            output.push(plus && bytes[at] === 0x2B ? 0x20 : bytes[at]);
        }
    }
    return { bytes: Uint8Array.from(output) };
}

function referenceEncode(bytes) {
    const keeps = (byte) => /[0-9A-Za-z._~-]/.test(String.fromCharCode(byte));
    return Array.from(bytes, (byte) => (keeps(byte) ? String.fromCharCode(byte) : `%${(byte + 256).toString(16).slice(1).toUpperCase()}`)).join('');
}

const PIECES = ['%41', '%C3%A9', '%e2%82%AC', '%', '%4', '%zz', '%%', '+', 'plain text of some length', 'a', '/', '..', '%2F', '%00', '\u00e9',
    '\u{1F600}', '\uFEFF', '%EF%BB%BF', '%FF', '%ED%A0%80', ' '];

function randomText(random, pieces, most = 14) {
    return Array.from({ length: random(most) }, () => pieces[random(pieces.length)]).join('');
}

function randomColumn(random) {
    const rows = Array.from({ length: random(60) }, () => (random(9) === 0 ? null : utf8.encode(randomText(random, PIECES, random(4) ? 6 : 60))));
    const before = random(3) ? 0 : random(40);
    const offsets = new Int32Array(rows.length + 1);
    offsets[0] = before;
    rows.forEach((row, at) => (offsets[at + 1] = offsets[at] + (row?.length ?? 0)));
    const values = new Uint8Array(offsets[rows.length] + random(20)).fill(0x25);
    rows.forEach((row, at) => row && values.set(row, offsets[at]));
    const validityOffset = random(12);
    const validity = new Uint8Array(Math.ceil((rows.length + validityOffset) / 8));
    rows.forEach((row, at) => row && (validity[(at + validityOffset) >> 3] |= 1 << ((at + validityOffset) & 7)));
    const hasNull = rows.includes(null);
    return { rows, column: hasNull ? { values, offsets, validity, validityOffset } : { values, offsets } };
}

function rowsOf({ values, offsets, validity = null, validityOffset = 0 }) {
    return Array.from({ length: offsets.length - 1 }, (_, at) => {
        const bit = at + validityOffset;
        return validity && !(validity[bit >> 3] >> (bit & 7) & 1) ? null : values.slice(offsets[at], offsets[at + 1]);
    });
}

async function through(stream, chunks) {
    const parts = [];
    const reading = (async () => {
        for (const reader = stream.readable.getReader(); ;) {
            const { done, value } = await reader.read();
            if (done) {
                return;
            }
            parts.push(...value);
        }
    })();
    const writer = stream.writable.getWriter();
    const writing = (async () => {
        for (const chunk of chunks) {
            await writer.write(chunk);
        }
        await writer.close();
    })();
    const [read, written] = await Promise.allSettled([reading, writing]);
    const failed = [read, written].find(({ status }) => status === 'rejected');
    return failed ? { kind: failed.reason.kind, position: failed.reason.position } : Uint8Array.from(parts);
}

/** The tests of these functions. */
export function tests(api) {
    const throws = (work, type, context) => {
        try {
            work();
        } catch (error) {
            equal(error.name, type, context);
            return error;
        }
        throw new Error(`${context}: nothing was thrown`);
    };
    return Object.entries({
        'decode: random bytes, like the reference'() {
            const random = randomNumbers(1);
            for (let turn = 0; turn < 2000; turn += 1) {
                const bytes = utf8.encode(randomText(random, PIECES));
                for (const options of [{}, { plus: true }, { malformed: 'keep' }, { plus: true, malformed: 'keep' }]) {
                    const expected = referenceDecode(bytes, options);
                    const found = outcome(() => api.decode(bytes, options));
                    equal([found.value, found.position], [expected.bytes, expected.position], text.decode(bytes));
                }
            }
        },
        'decode: to text, refused or replaced like TextDecoder'() {
            const random = randomNumbers(2);
            for (let turn = 0; turn < 500; turn += 1) {
                const input = randomText(random, PIECES);
                const { bytes } = referenceDecode(utf8.encode(input), { malformed: 'keep' });
                equal(text.decode(api.decode(input, { malformed: 'keep', text: 'replace' })), text.decode(bytes), input);
                const expected = outcome(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).value;
                const found = outcome(() => text.decode(api.decode(input, { malformed: 'keep', text: 'strict' })));
                equal(found.value, expected, input);
                equal(found.kind, expected === undefined ? 'invalid-utf8' : undefined, input);
            }
        },
        'encode: all bytes and random text, like the reference'() {
            const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
            equal(text.decode(api.encode(all)), referenceEncode(all));
            const random = randomNumbers(3);
            for (let turn = 0; turn < 500; turn += 1) {
                const input = randomText(random, PIECES);
                equal(text.decode(api.encode(input)), referenceEncode(utf8.encode(input)), input);
            }
        },
        'encode: sets by name, by bitmap, and with plus'() {
            const bitmap = new Uint8Array(32);
            bitmap[0x61 >> 3] = 1 << (0x61 & 7);
            for (const [options, expected] of [
                [{ set: 'path' }, '/a%20b%25'], [{ set: 'form' }, '%2Fa+b%25'], [{ set: bitmap }, '/%61 b%'], [{ plus: true }, '%2Fa+b%25'],
                [{ set: 'uri' }, '/a%20b%25'],
            ]) {
                equal(text.decode(api.encode('/a b%', options)), expected, JSON.stringify(options));
            }
        },
        'normalize: each way to treat a malformed %'() {
            for (const [options, expected] of [[{ malformed: 'keep' }, 'a%2Fb%'], [{ malformed: 'escape' }, 'a%2Fb%25']]) {
                equal(text.decode(api.normalize('%61%2fb%', options)), expected, JSON.stringify(options));
            }
            equal(throws(() => api.normalize('ab%'), 'PctError').position, 2);
        },
        'inspect: names of kinds'() {
            equal(api.kindNames(api.inspect('plain')), []);
            equal(api.kindNames(api.inspect('%00')), ['escape', 'nul', 'control']);
            equal(api.kindNames(api.inspect('%2f%')), ['escape', 'malformed', 'slash', 'lower-hex']);
        },
        'many: each row as alone, with nulls and slices, for each way to treat errors'() {
            const random = randomNumbers(4);
            for (let turn = 0; turn < 300; turn += 1) {
                const { rows, column } = randomColumn(random);
                for (const [many, one, options] of [
                    ['decodeMany', 'decode', {}], ['decodeMany', 'decode', { plus: true, malformed: 'keep', text: 'replace' }],
                    ['decodeMany', 'decode', { text: 'strict' }], ['normalizeMany', 'normalize', {}],
                    ['normalizeMany', 'normalize', { malformed: 'escape' }], ['encodeMany', 'encode', {}], ['encodeMany', 'encode', { set: 'form' }],
                ]) {
                    const alone = rows.map((row) => (row ? outcome(() => api[one](row, options)) : { value: null }));
                    const invalid = alone.filter(({ error }) => error).length;
                    const first = alone.findIndex(({ error }) => error);
                    for (const onError of many === 'encodeMany' ? [undefined] : ['throw', 'null', 'keep']) {
                        const context = `${many} ${JSON.stringify({ ...options, onError })} ${JSON.stringify(rows.map((row) => row && text.decode(row)))}`;
                        const found = outcome(() => api[many](column, { ...options, onError }));
                        if (onError === 'throw' && invalid) {
                            equal([found.kind, found.position, found.row], [alone[first].kind, alone[first].position, first], context);
                            continue;
                        }
                        if (found.error) {
                            throw new Error(`${context}: ${found.error}`);
                        }
                        equal([found.value.invalid, found.value.firstError?.row ?? -1], [invalid, first], context);
                        if (onError === 'keep' && options.text === 'replace') {
                            continue;
                        }
                        const expected = alone.map(({ value, error }, at) => (!error ? value : onError === 'null' ? null : rows[at]));
                        equal(rowsOf(found.value), expected, context);
                        const changes = expected.some((row, at) => JSON.stringify(row) !== JSON.stringify(rows[at]));
                        equal(found.value.changed, changes, context);
                    }
                }
                equal(api.inspectMany(column), rows.map((row) => (row ? api.inspect(row) : 0)));
                const policy = new api.PathPolicy('default');
                const paths = api.canonicalPaths(column, policy);
                const alone = rows.map((row) => (row ? outcome(() => policy.canonicalize(row)) : { value: null }));
                equal(rowsOf(paths), alone.map(({ value }) => value ?? null));
                equal(Array.from(paths.errors, (kind) => api.errorNames[kind]), alone.map(({ kind }) => kind ?? ''));
            }
        },
        'many: a column that does not change is returned'() {
            const column = api.columnOf(['a', 'b']);
            const found = api.decodeMany(column);
            equal([found.values === column.values, found.offsets === column.offsets, found.changed], [true, true, false]);
        },
        'many: wrong columns are refused'() {
            const values = utf8.encode('abc');
            for (const [column, kind] of [
                [{ values, offsets: Int32Array.of() }, 'offsets'], [{ values, offsets: Int32Array.of(0, 4) }, 'offsets'],
                [{ values, offsets: Int32Array.of(2, 1) }, 'offsets'], [{ values, offsets: Int32Array.of(-1, 1) }, 'offsets'],
                [{ values, offsets: Int32Array.of(0, 2, 1, 3) }, 'offsets'],
                [{ values, offsets: Int32Array.of(0, 1, 2), validity: new Uint8Array(0) }, 'validity'],
            ]) {
                for (const name of ['decodeMany', 'encodeMany', 'normalizeMany', 'inspectMany', 'canonicalPaths']) {
                    equal(throws(() => api[name](column), 'PctError', name).kind, kind, name);
                }
            }
            for (const column of [{}, { values: [1], offsets: Int32Array.of(0) }, { values, offsets: [0, 1] }]) {
                throws(() => api.decodeMany(column), 'TypeError');
            }
        },
        'wrong options and inputs are refused'() {
            for (const work of [
                () => api.decode('a', { malformed: 'kep' }), () => api.decode('a', { text: 'toString' }), () => api.encode('a', { set: 'no' }),
                () => api.encode('a', { set: new Uint8Array(31) }), () => api.decode(1), () => api.decodeMany(api.columnOf([]), { onError: 'x' }),
                () => new api.PathPolicy('strict slash=no'), () => new api.RequestGuard('query=no'), () => new api.DecodeStream({ text: 'strict' }),
            ]) {
                throws(work, 'TypeError', String(work));
            }
        },
        'paths: canonical or refused, by policy'() {
            for (const [policy, path, expected] of [
                ['default', '/a/%2e%2e/%7euser//x%2fy', '/~user/x%2Fy'], ['default', '/../a', 'above-root'], ['default', 'a', 'not-absolute'],
                ['strict', '/a%2fb', 'encoded-slash'], ['strict', '/a/./b', 'dot-segment'], ['strict', '/a//b', 'empty-segment'],
                ['strict', '/a;b', 'parameter'], ['strict', '/a\\b', 'backslash'], ['default', '/%', 'malformed'],
                ['default slash=refuse', '/%2f', 'encoded-slash'], ['strict', '/%00', 'refused'], ['default', '/\u00e9', '/%C3%A9'],
            ]) {
                const found = outcome(() => new api.PathPolicy(policy).canonicalize(path));
                equal(found.value ?? found.kind, expected, `${path} by ${policy}`);
            }
        },
        'guards: pass, rewrite or refuse, with the line'() {
            for (const [guard, method, target, ...expected] of [
                ['', 'GET', '/a?b', 'pass', '/a?b', null],
                ['query=nul default', 'GET', '/a/../%7eu//x%2fy?q=%2f', 'rewrite', '/~u/x%2Fy?q=%2f', null],
                ['query=nul default', 'GET', '/?a=%00', 'refuse', null, 'refused: nul at byte 2 of query: "a=%00"'],
                ['default', 'GET', '/%00', 'refuse', null, 'refused: nul,control at byte 1 of path: "/%00"'],
                ['default', 'GET', '/public/..%2Fadmin', 'refuse', null, 'refused: dot-segment at byte 8 of path: "/public/..%2Fadmin"'],
                ['default', 'GET', '/\u00e9', 'rewrite', '/%C3%A9', null],
                ['default', 'GET', 'http://a?b', 'rewrite', 'http://a/?b', null],
                ['default', 'OPTIONS', '*', 'pass', '*', null], ['default', 'CONNECT', 'a:443', 'pass', 'a:443', null],
                ['report-only strict', 'GET', '/a//b', 'pass', '/a//b', 'refused: empty-segment at byte 3 of path: "/a//b"'],
                ['off', 'GET', '/a//b', 'pass', '/a//b', null],
            ]) {
                const context = `${method} ${target} by ${guard}`;
                const { action, target: found, refusal } = new api.RequestGuard(guard).check(method, target);
                equal([action, found, refusal], expected, context);
                const bytes = new api.RequestGuard(guard).check(method, utf8.encode(target));
                equal([bytes.action, bytes.target && text.decode(bytes.target), bytes.refusal], expected, `${context}, bytes`);
            }
            equal(new api.RequestGuard('default').check('GET', '*').action, 'refuse');
            // Three times as long: memory grows during the call.
            equal(new api.RequestGuard().check('GET', `/${'|'.repeat(1_000_000)}`).target, `/${'%7C'.repeat(1_000_000)}`);
            equal(throws(() => new api.RequestGuard('query=nul nothing'), 'TypeError').message, 'no guard: query=nul nothing, at byte 10');
        },
        'components: equal to the engine\'s own functions, exceptions included'() {
            const random = randomNumbers(5);
            const pieces = [...PIECES, '\uD800', '\uDC00', 'clean text, '.repeat(40)];
            for (let turn = 0; turn < 3000; turn += 1) {
                const input = randomText(random, pieces);
                equal(outcome(() => api.decodeComponent(input)), outcome(() => decodeURIComponent(input)), input);
                equal(outcome(() => api.encodeComponent(input)), outcome(() => encodeURIComponent(input)), input);
            }
            equal([api.decodeComponent(5), api.encodeComponent(null), api.decodeComponent()], ['5', 'null', 'undefined']);
        },
        async 'streams: cut anywhere, like the whole'() {
            const texts = ['%41%C3%A9%4%%41%z', '%E2%82%AC+%', 'a\u{1F600}b%20%2', '%4%1%41', 'x'.repeat(20) + '%zz'];
            for (const whole of texts) {
                const bytes = utf8.encode(whole);
                for (const options of [{ malformed: 'keep' }, { plus: true }]) {
                    const { value, kind, position } = outcome(() => api.decode(bytes, options));
                    for (let size = 1; size <= 7; size += 1) {
                        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
                        const found = await through(new api.DecodeStream(options), chunks);
                        equal(found, value ?? { kind, position }, `${whole} in ${size}`);
                        equal(await through(new api.EncodeStream(), chunks), api.encode(bytes), `${whole} in ${size}`);
                        const cut = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size));
                        equal(await through(new api.EncodeStream(), cut), api.encode(bytes), `${whole} as text in ${size}`);
                        equal(await through(new api.DecodeStream(options), cut), value ?? { kind, position }, `${whole} as text in ${size}`);
                    }
                }
            }
        },
        'results survive growth of memory and later calls'() {
            const early = api.decode('%41%42'), column = api.decodeMany(api.columnOf(['%41', 'b']));
            const long = new Uint8Array(48 << 20).fill(0x25);
            equal(api.encode(long).length, 3 * long.length);
            equal([text.decode(early), text.decode(column.values), column.offsets], ['AB', 'Ab', [0, 1, 2]]);
            equal(api.decode(long, { malformed: 'keep' }).length, long.length);
        },
        'strings to a column and back'() {
            const strings = ['', null, '\u00e9'.repeat(9), 'a', null, '\u{1F600}', '\uFEFF'];
            equal(api.stringsOf(api.columnOf(strings)), strings);
            equal(api.columnOf([]).offsets, [0]);
        },
    });
}
