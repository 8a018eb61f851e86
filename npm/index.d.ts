// Types of the package.

/** Rows in one buffer, as in Apache Arrow: row n is the bytes from offset n to offset n + 1. */
export interface Column {
    values: Uint8Array;
    /** One more than the number of rows. They need not start at 0, or end where the values end. */
    offsets: Int32Array;
    /** Row n is null if bit n is 0, counted from the lowest bit of the first byte. If this is missing, all
     * rows are valid. */
    validity?: Uint8Array | null;
    /** The number of bits before row 0. */
    validityOffset?: number;
}

/** A column that a function has converted. If no row changes, it has the buffers of the input. */
export interface Converted extends Column {
    validity: Uint8Array | null;
    validityOffset: number;
    changed: boolean;
    /** Number of invalid rows, which are null or unchanged. */
    invalid: number;
    firstError: PctError | null;
}

export type ErrorKind = 'malformed' | 'invalid-utf8' | 'offsets' | 'too-long' | 'validity' | 'not-absolute' | 'refused'
    | 'illegal-byte' | 'encoded-slash' | 'backslash' | 'parameter' | 'dot-segment' | 'above-root' | 'empty-segment' | 'other';

/** An input that an operation refuses. */
export class PctError extends Error {
    readonly kind: ErrorKind;
    /** The byte in the input, or in its row. For text, the byte in its UTF-8 form. */
    readonly position: number;
    readonly row: number | undefined;
}

export interface DecodeOptions {
    /** Whether `+` is a space, as in forms. */
    plus?: boolean;
    /** What to do with a malformed `%`. The default is an error. */
    malformed?: 'error' | 'keep';
    /** Whether the result must be UTF-8. The default is any bytes; `replace` writes U+FFFD. */
    text?: 'bytes' | 'strict' | 'replace';
}

export interface ErrorOptions {
    /** What to do with an invalid row. The default is to throw. */
    onError?: 'throw' | 'null' | 'keep';
}

export interface EncodeOptions {
    /** The name of a set, or a bitmap of the bytes to escape: bit n % 8 of byte n / 8. The default is `component`. */
    set?: SetName | Uint8Array;
    /** Whether a space becomes `+`, as in forms. */
    plus?: boolean;
}

export type SetName = 'component' | 'path-segment' | 'path' | 'query' | 'query-value' | 'fragment' | 'userinfo' | 'reg-name' | 'uri'
    | 'form' | 'whatwg-component' | 'js-encode-uri' | 'js-encode-uri-component' | 'rfc1738-url' | 'rfc1738-component' | 'rfc5987'
    | 'aws-object-key' | (string & {});

export interface NormalizeOptions {
    malformed?: 'error' | 'keep' | 'escape';
}

/** Strings are encoded as UTF-8, with U+FFFD for lone surrogates. */
export type Input = string | Uint8Array;

export function decode(input: Input, options?: DecodeOptions): Uint8Array;
export function encode(input: Input, options?: EncodeOptions): Uint8Array;
/** The normal form of percent-encoding (RFC 3986 6.2.2). Scheme, host and dot segments do not change. */
export function normalize(input: Input, options?: NormalizeOptions): Uint8Array;
/** The kinds of findings, as bits of `kinds`. */
export function inspect(input: Input): number;

export function decodeMany(column: Column, options?: DecodeOptions & ErrorOptions): Converted;
export function encodeMany(column: Column, options?: EncodeOptions): Converted;
export function normalizeMany(column: Column, options?: NormalizeOptions & ErrorOptions): Converted;
/** The kinds of findings of each row, as bits of `kinds`. */
export function inspectMany(column: Column): Uint32Array;
/** The canonical path of each row. Refused rows are null; `errors` has the kind of each error, an index of
 * `errorNames`. */
export function canonicalPaths(column: Column, policy?: PathPolicy | string): Converted & { errors: Uint8Array };

/** `decodeURIComponent`, exceptions included. */
export function decodeComponent(text: string): string;
/** `encodeURIComponent`, exceptions included. */
export function encodeComponent(text: string): string;

/** A path policy: `default`, `strict`, `rfc3986`, `nginx`, `envoy` or `lighttpd`, and options, as in `strict
 * slash=keep`. */
export class PathPolicy {
    /** Policies live as long as the module: make one for each text of a configuration, not for each request. */
    constructor(policy?: string);
    canonicalize(path: string): string;
    canonicalize(path: Uint8Array): Uint8Array;
    canonicalizeMany(column: Column): Converted & { errors: Uint8Array };
    toString(): string;
}

export interface Verdict<T> {
    action: 'pass' | 'rewrite' | 'refuse';
    /** The target to go on with: as it is, or rewritten. Null if the request is refused: answer with 400. */
    target: T | null;
    /** Why the request is refused, as a line for a log. A guard that only reports lets it pass, with this line. */
    refusal: string | null;
}

/** Decides on requests by their target: a policy, `report-only`, `path=KINDS` and `query=KINDS`, as in `query=nul default`. */
export class RequestGuard {
    /** Guards live as long as the module, as policies do. */
    constructor(guard?: string);
    /** `target` is in any form of RFC 9112: `/a?b`, `http://host/a?b`, and `*` or `host:443` if the method allows it. */
    check<T extends Input>(method: string, target: T): Verdict<T extends string ? string : Uint8Array>;
    toString(): string;
}

/** Decodes a stream of bytes or text, cut anywhere. */
export class DecodeStream extends TransformStream<Input, Uint8Array> {
    constructor(options?: Omit<DecodeOptions, 'text'>);
}

/** Encodes a stream of bytes or text, cut anywhere. */
export class EncodeStream extends TransformStream<Input, Uint8Array> {
    constructor(options?: EncodeOptions);
}

/** The bit of each kind of finding, by name. */
export const kinds: Readonly<Record<string, number>>;
export function kindNames(bits: number): string[];
/** The names of errors, by number; 0 means no error. */
export const errorNames: readonly string[];
export const level: 'simd128' | 'scalar';

/** A column of these rows. */
export function columnOf(strings: readonly (string | null)[]): Column;
/** A column of the package apache-arrow: one `Data` of a vector of Utf8 or Binary. Nothing is copied. */
export function columnOfArrow(data: { values: Uint8Array; valueOffsets: Int32Array; nullBitmap: Uint8Array | null; offset: number;
    length: number }): Column;
/** The rows of a column. Invalid UTF-8 becomes U+FFFD. */
export function stringsOf(column: Column): (string | null)[];
