// The functions of the package, over an instance of the WebAssembly module. Each platform has a file that loads one.

const KIND = ['', 'malformed', 'invalid-utf8', 'offsets', 'too-long', 'validity', 'not-absolute', 'refused', 'illegal-byte',
    'encoded-slash', 'backslash', 'parameter', 'dot-segment', 'above-root', 'empty-segment', 'other'];

const MESSAGE = {
    'malformed': 'a % is not followed by two hexadecimal digits',
    'invalid-utf8': 'the decoded bytes are not well-formed UTF-8',
    'offsets': 'offsets must ascend from 0 to at most the length of the values',
    'too-long': 'the output is longer than 2 GiB',
    'validity': 'the validity bitmap has fewer bits than there are rows',
    'not-absolute': 'the path does not begin with /',
    'refused': 'the policy refuses a finding in the path',
    'illegal-byte': 'a raw byte that a path must not contain',
    'encoded-slash': 'an encoded slash',
    'backslash': 'a backslash',
    'parameter': 'a semicolon',
    'dot-segment': 'a dot segment',
    'above-root': 'a dot segment that climbs above the root',
    'empty-segment': 'an empty segment',
};

// Options, as bits: `flag` in module/src/lib.rs.
const PLUS = 1, LENIENT = 2, STRICT_TEXT = 4, LOSSY_TEXT = 8, NULL_ON_ERROR = 16, KEEP_ON_ERROR = 32, ESCAPE_MALFORMED = 64;

// Below this length of a string, the engine's own function takes less time than copying to WebAssembly and back.
const SHORT_TO_ENCODE = 1024;

const NO_OPTIONS = Object.freeze({});
const utf8 = new TextEncoder();
// A byte order mark is part of the text.
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/** An input that an operation refuses: the kind of the error, the row, and the byte of the row. */
export class PctError extends Error {
    constructor(kind, position, row) {
        const place = row === undefined ? `at byte ${position}` : kind === 'offsets' || kind === 'too-long' ? `at index ${row}` :
            `at byte ${position} of row ${row}`;
        super(`${MESSAGE[kind] ?? kind}, ${place}`);
        this.name = 'PctError';
        this.kind = kind;
        this.position = position;
        this.row = row;
    }
}

function choice(options, name, choices) {
    const value = options[name];
    if (value === undefined) {
        return 0;
    }
    const flag = Object.hasOwn(choices, value) ? choices[value] : undefined;
    if (flag === undefined) {
        throw new TypeError(`${name}: ${String(value)} is none of ${Object.keys(choices).join(', ')}`);
    }
    return flag;
}

const decodeFlags = (options) => (options.plus ? PLUS : 0)
    | choice(options, 'malformed', { error: 0, keep: LENIENT })
    | choice(options, 'text', { bytes: 0, strict: STRICT_TEXT, replace: LOSSY_TEXT });
const errorFlags = (options) => choice(options, 'onError', { throw: 0, null: NULL_ON_ERROR, keep: KEEP_ON_ERROR });
const normalizeFlags = (options) => choice(options, 'malformed', { error: 0, keep: LENIENT, escape: ESCAPE_MALFORMED });

/** The names in a set of findings. */
export function kindNames(bits, kinds) {
    return Object.keys(kinds).filter((name) => bits & kinds[name]);
}

/** The functions of the package, over the exports of an instance of the module. */
export function create(exports) {
    const { memory } = exports;
    // When memory grows, every view of it is detached, so each call makes views after the last allocation.
    let view = new Uint8Array(memory.buffer);
    const bytes = () => (view.buffer === memory.buffer ? view : (view = new Uint8Array(memory.buffer)));
    const words = (address, length) => new Uint32Array(memory.buffer, address >>> 0, length);

    /** Copies bytes or text to WebAssembly. Returns the address; `lastLength` has the length. */
    let lastLength = 0;
    const take = (input, allocate = exports.begin) => {
        if (typeof input === 'string') {
            const address = allocate(3 * input.length) >>> 0;
            lastLength = utf8.encodeInto(input, bytes().subarray(address, address + 3 * input.length)).written;
            return address;
        }
        if (!(input instanceof Uint8Array)) {
            throw new TypeError('expected a string or a Uint8Array');
        }
        const address = allocate(input.length) >>> 0;
        bytes().set(input, address);
        lastLength = input.length;
        return address;
    };

    // The indices of the words of `Outcome` in module/src/lib.rs.
    const VALUES = 0, LENGTH = 1, OFFSETS = 2, OFFSETS_LENGTH = 3, VALIDITY = 4, VALIDITY_LENGTH = 5, ROWS = 6, ROWS_LENGTH = 7, CHANGED = 8,
        INVALID = 9, ERROR = 10, ROW = 11, POSITION = 12;
    const atResult = exports.result() >>> 0;
    let result = words(atResult, 13);
    const outcome = () => (result.buffer === memory.buffer ? result : (result = words(atResult, 13)));
    const copied = (address, length) => bytes().slice(address, address + length);
    const values = () => {
        const out = outcome();
        if (out[ERROR]) {
            throw new PctError(KIND[out[ERROR]], out[POSITION]);
        }
        return copied(out[VALUES], out[LENGTH]);
    };

    const encoders = new Map();
    const encoder = ({ set = 'component', plus = false }) => {
        const flags = plus ? PLUS : 0;
        const key = `${flags} ${set}`;
        let found = encoders.get(key);
        if (found === undefined) {
            if (set instanceof Uint8Array) {
                if (set.length !== 32) {
                    throw new TypeError('set: a bitmap has 32 bytes');
                }
                found = exports.encoder_by_bitmap(take(set), flags);
            } else {
                const address = take(String(set));
                found = exports.encoder_by_name(address, lastLength, flags);
            }
            if (!found) {
                throw new TypeError(`set: there is none named ${set}`);
            }
            encoders.set(key, found);
        }
        return found;
    };

    /** Copies a column to WebAssembly. Returns the address of its `Input`. */
    const column = ({ values, offsets, validity, validityOffset = 0 }) => {
        if (!(values instanceof Uint8Array) || !(offsets instanceof Int32Array)) {
            throw new TypeError('expected values in a Uint8Array and offsets in an Int32Array');
        }
        if (validity != null && !(validity instanceof Uint8Array)) {
            throw new TypeError('expected validity in a Uint8Array');
        }
        // Copies only the bytes between the first and the last offset, because the column may be a small
        // slice. If these two are wrong, the module reports it.
        const first = offsets[0], last = offsets[offsets.length - 1];
        const isSlice = first >= 0 && first <= last && last <= values.length;
        const start = isSlice ? first : 0;
        const used = isSlice ? values.subarray(start, last) : values;
        const address = take(used);
        const atOffsets = exports.more(offsets.byteLength) >>> 0;
        const atValidity = validity == null ? 0 : take(validity, exports.more);
        const input = exports.more(28) >>> 0;
        const copy = new Int32Array(memory.buffer, atOffsets, offsets.length);
        copy.set(offsets);
        if (start !== 0) {
            for (let at = 0; at < copy.length; at += 1) {
                copy[at] -= start;
            }
        }
        words(input, 7).set([address, used.length, atOffsets, offsets.length, atValidity, validity?.length ?? 0, validityOffset]);
        return input;
    };

    const converted = (input, canFail) => {
        const out = outcome();
        const error = out[ERROR] ? new PctError(KIND[out[ERROR]], out[POSITION], out[ROW]) : null;
        if (error && !(canFail && out[INVALID])) {
            throw error;
        }
        if (!out[CHANGED]) {
            const { values, offsets, validity = null, validityOffset = 0 } = input;
            return { values, offsets, validity, validityOffset, changed: false, invalid: out[INVALID], firstError: error };
        }
        return {
            values: copied(out[VALUES], out[LENGTH]),
            offsets: new Int32Array(memory.buffer, out[OFFSETS], out[OFFSETS_LENGTH]).slice(),
            validity: out[VALIDITY] ? copied(out[VALIDITY], out[VALIDITY_LENGTH]) : null,
            validityOffset: 0,
            changed: true,
            invalid: out[INVALID],
            firstError: error,
        };
    };

    exports.kinds();
    const kinds = Object.freeze(Object.fromEntries(text.decode(values()).trimEnd().split('\n').map((name, bit) => [name, 1 << bit])));

    const decode = (input, options = NO_OPTIONS) => {
        exports.decode(take(input), lastLength, decodeFlags(options));
        return values();
    };
    const encode = (input, options = NO_OPTIONS) => {
        const by = encoder(options);
        exports.encode(take(input), lastLength, by);
        return values();
    };
    const normalize = (input, options = NO_OPTIONS) => {
        exports.normalize(take(input), lastLength, normalizeFlags(options));
        return values();
    };
    const inspect = (input) => exports.inspect(take(input), lastLength) >>> 0;

    const decodeMany = (input, options = NO_OPTIONS) => {
        const flags = decodeFlags(options) | errorFlags(options);
        exports.decode_many(column(input), flags);
        return converted(input, flags & (NULL_ON_ERROR | KEEP_ON_ERROR));
    };
    const encodeMany = (input, options = NO_OPTIONS) => {
        const by = encoder(options);
        exports.encode_many(column(input), by);
        return converted(input, false);
    };
    const normalizeMany = (input, options = NO_OPTIONS) => {
        const flags = normalizeFlags(options) | errorFlags(options);
        exports.normalize_many(column(input), flags);
        return converted(input, flags & (NULL_ON_ERROR | KEEP_ON_ERROR));
    };
    const inspectMany = (input) => {
        exports.inspect_many(column(input));
        const out = outcome();
        if (out[ERROR]) {
            throw new PctError(KIND[out[ERROR]], out[POSITION], out[ROW]);
        }
        return words(out[ROWS], out[ROWS_LENGTH]).slice();
    };

    const ACTIONS = ['pass', 'rewrite', 'refuse'];
    const guards = new Map();
    class RequestGuard {
        #address;
        #text;

        constructor(guard = '') {
            this.#text = String(guard);
            this.#address = guards.get(this.#text);
            if (this.#address === undefined) {
                const address = take(this.#text);
                this.#address = exports.guard(address, lastLength);
                if (!this.#address) {
                    throw new TypeError(`no guard: ${this.#text}, at byte ${outcome()[POSITION]}`);
                }
                guards.set(this.#text, this.#address);
            }
        }

        check(method, target) {
            const address = take(target), length = lastLength;
            const atMethod = take(String(method), exports.more);
            const action = ACTIONS[exports.check(address, length, atMethod, lastLength, this.#address)];
            const { [VALUES]: start, [LENGTH]: written, [ROWS]: line, [ROWS_LENGTH]: lineLength } = outcome();
            const rewritten = action === 'rewrite' ? copied(start, written) : null;
            return {
                action,
                target: action === 'refuse' ? null : rewritten === null ? target : typeof target === 'string' ? text.decode(rewritten) : rewritten,
                refusal: line ? text.decode(copied(line, lineLength)) : null,
            };
        }

        toString() {
            return this.#text;
        }
    }

    const policies = new Map();
    class PathPolicy {
        #address;
        #text;

        constructor(policy = 'default') {
            this.#text = String(policy);
            this.#address = policies.get(this.#text);
            if (this.#address === undefined) {
                const address = take(this.#text);
                this.#address = exports.policy(address, lastLength);
                if (!this.#address) {
                    throw new TypeError(`no policy: ${this.#text}, at byte ${outcome()[POSITION]}`);
                }
                policies.set(this.#text, this.#address);
            }
        }

        canonicalize(path) {
            exports.canonical_path(take(path), lastLength, this.#address);
            const canonical = values();
            return typeof path === 'string' ? text.decode(canonical) : canonical;
        }

        canonicalizeMany(input) {
            exports.canonical_paths(column(input), this.#address);
            const { [ROWS]: address, [ROWS_LENGTH]: length } = outcome();
            return { ...converted(input, true), errors: copied(address, length) };
        }

        toString() {
            return this.#text;
        }
    }
    const canonicalPaths = (input, policy = 'default') =>
        (policy instanceof PathPolicy ? policy : new PathPolicy(policy)).canonicalizeMany(input);

    const decodeComponent = (input) => {
        const string = typeof input === 'string' ? input : String(input);
        if (!string.includes('%')) {
            return string;
        }
        // Does not use WebAssembly: with copying to it and back, it gains nothing below 1 KiB, and loses if
        // the result is not ASCII.
        return decodeURIComponent(string);
    };

    const encodeComponent = (input) => {
        const string = typeof input === 'string' ? input : String(input);
        if (string.length < SHORT_TO_ENCODE || !string.isWellFormed()) {
            return encodeURIComponent(string);
        }
        const by = encoder({ set: 'js-encode-uri-component' });
        exports.encode(take(string), lastLength, by);
        const out = outcome();
        return text.decode(bytes().subarray(out[VALUES], out[VALUES] + out[LENGTH]));
    };

    const HEX = /^[0-9A-Fa-f]$/;
    const held = (chunk) => {
        const length = chunk.length;
        if (length > 0 && chunk[length - 1] === 0x25) {
            return 1;
        }
        return length > 1 && chunk[length - 2] === 0x25 && HEX.test(String.fromCharCode(chunk[length - 1])) ? 2 : 0;
    };

    // Half of a surrogate pair at the end of a chunk of text waits for the next chunk.
    const wholeCharacters = () => {
        let half = '';
        return (chunk) => {
            if (typeof chunk !== 'string') {
                return chunk;
            }
            const joined = half + chunk;
            half = /[\uD800-\uDBFF]$/.test(joined) ? joined.slice(-1) : '';
            return half ? joined.slice(0, -1) : joined;
        };
    };

    class DecodeStream extends TransformStream {
        constructor(options = NO_OPTIONS) {
            const flags = decodeFlags(options);
            if (flags & (STRICT_TEXT | LOSSY_TEXT)) {
                throw new TypeError('text: a stream decodes to bytes; pipe it through a TextDecoderStream');
            }
            let pending = new Uint8Array(0), start = 0;
            const whole = wholeCharacters();
            const push = (bytes, controller) => {
                try {
                    const decoded = decode(bytes, options);
                    start += bytes.length;
                    if (decoded.length) {
                        controller.enqueue(decoded);
                    }
                } catch (error) {
                    throw error instanceof PctError ? new PctError(error.kind, start + error.position) : error;
                }
            };
            super({
                transform(chunk, controller) {
                    let input = whole(chunk);
                    input = typeof input === 'string' ? utf8.encode(input) : input;
                    if (!(input instanceof Uint8Array)) {
                        throw new TypeError('expected chunks of strings or of Uint8Arrays');
                    }
                    if (pending.length) {
                        const joined = new Uint8Array(pending.length + input.length);
                        joined.set(pending);
                        joined.set(input, pending.length);
                        input = joined;
                    }
                    // The start of a triplet waits for the next chunk.
                    const end = input.length - held(input);
                    pending = input.slice(end);
                    push(input.subarray(0, end), controller);
                },
                flush(controller) {
                    push(pending, controller);
                },
            });
        }
    }

    class EncodeStream extends TransformStream {
        constructor(options = NO_OPTIONS) {
            encoder(options);
            const whole = wholeCharacters();
            super({
                transform(chunk, controller) {
                    const encoded = encode(whole(chunk), options);
                    if (encoded.length) {
                        controller.enqueue(encoded);
                    }
                },
            });
        }
    }

    return {
        level: exports.has_simd() ? 'simd128' : 'scalar',
        kinds,
        kindNames: (bits) => kindNames(bits, kinds),
        errorNames: Object.freeze([...KIND]),
        decode, encode, normalize, inspect,
        decodeMany, encodeMany, normalizeMany, inspectMany, canonicalPaths,
        decodeComponent, encodeComponent,
        PathPolicy, RequestGuard, DecodeStream, EncodeStream, PctError,
    };
}

/** A column of strings, for the functions of many rows. */
export function columnOf(strings) {
    const offsets = new Int32Array(strings.length + 1);
    let units = 0;
    for (const string of strings) {
        units += string === null ? 0 : string.length;
    }
    let values = new Uint8Array(units), end = 0, validity = null;
    for (let row = 0; row < strings.length; row += 1) {
        let rest = strings[row];
        if (rest === null) {
            validity ??= new Uint8Array(Math.ceil(strings.length / 8)).fill(0xFF);
            validity[row >> 3] &= ~(1 << (row & 7));
            rest = '';
        }
        for (;;) {
            const { read, written } = utf8.encodeInto(rest, values.subarray(end));
            end += written;
            if (read === rest.length) {
                break;
            }
            rest = rest.slice(read);
            const longer = new Uint8Array(2 * values.length + 3 * rest.length);
            longer.set(values.subarray(0, end));
            values = longer;
        }
        offsets[row + 1] = end;
    }
    return { values: values.subarray(0, end), offsets, validity };
}

/** A column of the package apache-arrow: one `Data` of a vector of Utf8 or Binary. Nothing is copied. */
export function columnOfArrow({ values, valueOffsets, nullBitmap, offset, length }) {
    // Arrow pads its buffers.
    const offsets = valueOffsets.subarray(0, length + 1);
    return { values, offsets, validity: nullBitmap?.length ? nullBitmap : null, validityOffset: offset };
}

/** The rows of a column as strings; null rows are null, and ill-formed UTF-8 becomes U+FFFD. */
export function stringsOf({ values, offsets, validity = null, validityOffset = 0 }) {
    const isNull = (row) => validity !== null && !(validity[(row + validityOffset) >> 3] >> ((row + validityOffset) & 7) & 1);
    return Array.from({ length: offsets.length - 1 }, (_, row) =>
        (isNull(row) ? null : text.decode(values.subarray(offsets[row], offsets[row + 1]))));
}

// A function that uses simd128: an engine that lacks it says that the module is invalid.
export const SIMD_PROBE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
    253, 98, 11);
