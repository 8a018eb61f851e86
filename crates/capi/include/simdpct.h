/* simdpct.h - percent-encoding and -decoding, canonical paths, and findings, with SIMD.
 *
 * Documentation with examples: docs/c.md of the source.
 *
 * No function allocates, blocks, sets errno, keeps a pointer or panics. All may be called from any number of threads;
 * two threads must not use the same stream at the same time, nor a policy while it is initialized.
 * The first call detects the CPU and reads the environment variable SIMDPCT_LEVEL: call simdpct_level() at start-up.
 *
 * Strings are a pointer and a length; they may contain NUL. NULL is allowed if the length is 0. A length over
 * PTRDIFF_MAX is refused. `src` and `dst` must not overlap, except dst == src where a function allows it.
 * No other argument (policies, `set`, `read`, `result`, ...) may overlap with the memory that the function writes to.
 *
 * C89 with <stdbool.h> and <stdint.h>, C++98, and later. For the parsers of foreign function interfaces: constants are
 * enumerators; all macros but the version's can be defined as nothing.
 */
#ifndef SIMDPCT_H
#define SIMDPCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Precedes the functions whose result must be checked. */
#ifndef SIMDPCT_MUST_USE
#if defined(__GNUC__) || defined(__clang__)
#define SIMDPCT_MUST_USE __attribute__((__warn_unused_result__))
#else
#define SIMDPCT_MUST_USE
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---------------------------------------------------------------------------------------------------- */

#define SIMDPCT_VERSION_MAJOR 0
#define SIMDPCT_VERSION_MINOR 1
#define SIMDPCT_VERSION_PATCH 0
/* The version of this header, for #if, in the form of simdpct_version_number(). */
#define SIMDPCT_VERSION_NUMBER (SIMDPCT_VERSION_MAJOR * 65536 + SIMDPCT_VERSION_MINOR * 256 + SIMDPCT_VERSION_PATCH)

/* The version of the library that was loaded: "0.1.0". */
const char *simdpct_version(void);
/* The same as a number: major << 16 | minor << 8 | patch. */
uint32_t simdpct_version_number(void);
/* The instruction set in use: "scalar", "sse41", "avx2", "avx512" or "neon". */
const char *simdpct_level(void);

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* A function writes its result through its last parameter, and returns the status in it. `value` and `detail` depend on
 * the status; `detail` is 0 unless the status defines it. The pointer may be NULL if only the status matters. */
typedef struct simdpct_result {
    size_t value;
    uint32_t status;
    uint32_t detail;
} simdpct_result;

/* The contents of `dst` are unspecified unless the status is OK. A later version may add statuses: treat an unknown one
 * as an error. */
enum {
    SIMDPCT_OK = 0,           /* value: length of the output, or as documented at the function */
    SIMDPCT_BAD_ARGUMENT = 1, /* a policy that is NULL or never initialized, overlapping buffers, NULL with a length */
    SIMDPCT_NO_ROOM = 2,      /* value: the required size of `dst` */
    SIMDPCT_MALFORMED = 3,    /* value: position of a '%' without two hexadecimal digits */
    SIMDPCT_INVALID_UTF8 = 4, /* value: position of the first byte or triplet of the invalid sequence */
    SIMDPCT_REJECTED = 5,     /* value: position; detail: the byte */
    SIMDPCT_BEYOND_END = 6,   /* value: length of the decoded form */
    /* From simdpct_path. value: position of the byte or triplet, or of the start of the segment. */
    SIMDPCT_REFUSED = 7,      /* a finding that the policy refuses; detail: all refused kinds found (SIMDPCT_FIND_) */
    SIMDPCT_NOT_ABSOLUTE = 8, /* the path does not begin with '/' */
    SIMDPCT_ILLEGAL_BYTE = 9, /* detail: the byte */
    SIMDPCT_ENCODED_SLASH = 10,
    SIMDPCT_BACKSLASH = 11,
    SIMDPCT_PARAMETER = 12,
    SIMDPCT_DOT_SEGMENT = 13,
    SIMDPCT_ABOVE_ROOT = 14,
    SIMDPCT_EMPTY_SEGMENT = 15,
    /* From simdpct_url_normalize, in simdpct_url.h. value: position. */
    SIMDPCT_URL_SCHEME = 16,  /* the text before the first ':' is not a scheme */
    SIMDPCT_URL_NO_HOST = 17, /* the scheme requires a host */
    SIMDPCT_URL_HOST = 18,    /* IDNA refuses the host, or it is not a valid IP literal */
    SIMDPCT_URL_PORT = 19     /* the port is not a number of 16 bits */
};

/* Returns the name of a status, such as "ok", "malformed" or "above-root"; "unknown" for any other number. */
const char *simdpct_status_name(uint32_t status);

/* Writes one line of printable ASCII for a log: the status, its position, and the bytes of `src` there, escaped. Like
 * snprintf, writes at most `cap` bytes, always with a terminating NUL unless `cap` is 0, and returns the length of the
 * whole text without the NUL. 512 bytes suffice for any text. `src` is the input of the call that wrote `result`, as it
 * was before that call; with NULL and 0 the bytes are left out. A NULL `result` counts as BAD_ARGUMENT. */
size_t simdpct_result_write(const simdpct_result *result, const void *src, size_t len, char *dst, size_t cap);

/* ---- Sets of bytes ---------------------------------------------------------------------------------------------- */

/* A zeroed set is empty. */
typedef struct simdpct_set {
    uint64_t opaque[4];
} simdpct_set;

/* The functions that return bool return false, and change nothing, on a bad argument. */

/* Makes the set with this name. `pct encode --set` has the same names: "component", "path-segment", "path",
 * "query", "query-value", "fragment", "userinfo", "reg-name", "uri", "form", "whatwg-path", "reserved", "unreserved",
 * "control", ... Returns false if the name is unknown. */
SIMDPCT_MUST_USE bool simdpct_set_from_name(simdpct_set *set, const char *name, size_t len);
SIMDPCT_MUST_USE bool simdpct_set_from_bytes(simdpct_set *set, const void *members, size_t len);
/* Bit b & 7 of bitmap[b >> 3] stands for the byte b. */
SIMDPCT_MUST_USE bool simdpct_set_from_bitmap(simdpct_set *set, const uint8_t bitmap[32]);
SIMDPCT_MUST_USE bool simdpct_set_to_bitmap(const simdpct_set *set, uint8_t bitmap[32]);
SIMDPCT_MUST_USE bool simdpct_set_add(simdpct_set *set, const void *members, size_t len);
SIMDPCT_MUST_USE bool simdpct_set_remove(simdpct_set *set, const void *members, size_t len);
/* Returns the position of the first member, or SIZE_MAX if there is none. On a bad argument, returns 0, so that bytes
 * that were not searched do not count as clean. */
SIMDPCT_MUST_USE size_t simdpct_set_find(const simdpct_set *set, const void *src, size_t len);
/* Returns the number of members; `len` on a bad argument. */
SIMDPCT_MUST_USE size_t simdpct_set_count(const simdpct_set *set, const void *src, size_t len);

/* ---- Policies --------------------------------------------------------------------------------------------------- */

/* Plain values: they may be copied and need not be freed. Calls take a few nanoseconds more with a copy whose address
 * differs modulo 32 from the original's. Policies hold pointers to constants of the library, so they are valid in this
 * process only. NULL, a zeroed policy and a policy of another type are SIMDPCT_BAD_ARGUMENT; any other uninitialized
 * policy is undefined behaviour. The functions `_init` return false if a bit of `flags` is unknown. */
typedef struct simdpct_decoder {
    uint64_t opaque[64];
} simdpct_decoder;
typedef struct simdpct_encoder {
    uint64_t opaque[64];
} simdpct_encoder;
typedef struct simdpct_normalizer {
    uint64_t opaque[64];
} simdpct_normalizer;
typedef struct simdpct_path_policy {
    uint64_t opaque[128];
} simdpct_path_policy;

/* The default policies: `flags` 0 and no sets, and the path policy "default". */
extern const simdpct_decoder simdpct_decoder_default;
extern const simdpct_encoder simdpct_encoder_default;
extern const simdpct_normalizer simdpct_normalizer_default;
extern const simdpct_path_policy simdpct_path_policy_default;

/* ---- Decoding --------------------------------------------------------------------------------------------------- */

enum {
    SIMDPCT_DECODE_LENIENT = 1, /* a malformed '%' is kept; otherwise it is an error */
    SIMDPCT_DECODE_PLUS = 2,    /* a raw '+' is a space, as in forms */
    SIMDPCT_DECODE_UTF8 = 4     /* the output must be well-formed UTF-8 */
};

/* Triplets of the bytes in `keep` are not decoded; the output must not contain a byte of `reject`. Either may be
 * NULL. */
SIMDPCT_MUST_USE bool simdpct_decoder_init(
    simdpct_decoder *decoder, uint32_t flags, const simdpct_set *keep, const simdpct_set *reject);

/* Decodes once. dst == src is allowed, with `cap` at least `len`. The output is never longer than the input. */
SIMDPCT_MUST_USE uint32_t simdpct_decode(
    const simdpct_decoder *decoder, const void *src, size_t len, void *dst, size_t cap, simdpct_result *result);
/* OK: `value` is the length of the decoded form. Otherwise the error is the same as from simdpct_decode. */
SIMDPCT_MUST_USE uint32_t simdpct_decoded_len(
    const simdpct_decoder *decoder, const void *src, size_t len, simdpct_result *result);
/* OK: `value` is the position of the input byte or triplet that produces the byte at `decoded_offset` of the output.
 * SIMDPCT_DECODE_UTF8 has no effect. */
SIMDPCT_MUST_USE uint32_t simdpct_input_offset(
    const simdpct_decoder *decoder, const void *src, size_t len, size_t decoded_offset, simdpct_result *result);

/* ---- Encoding --------------------------------------------------------------------------------------------------- */

enum {
    SIMDPCT_ENCODE_PLUS = 1,           /* a space becomes '+', and '+' is escaped */
    SIMDPCT_ENCODE_KEEP_TRIPLETS = 2,  /* triplets are kept; any other '%' is escaped if in the set */
    SIMDPCT_ENCODE_KEEP_NON_ASCII = 4, /* well-formed UTF-8 is kept */
    SIMDPCT_ENCODE_LOWERCASE = 8       /* digits a to f */
};

/* The bytes of `escape` and all bytes from 0x80 are escaped. NULL means the set "component". */
SIMDPCT_MUST_USE bool simdpct_encoder_init(simdpct_encoder *encoder, uint32_t flags, const simdpct_set *escape);

/* NO_ROOM: `value` is the exact size required, at most three times `len`. dst == src is not allowed. */
SIMDPCT_MUST_USE uint32_t simdpct_encode(
    const simdpct_encoder *encoder, const void *src, size_t len, void *dst, size_t cap, simdpct_result *result);
/* OK: `value` is the length of the encoded form. */
SIMDPCT_MUST_USE uint32_t simdpct_encoded_len(
    const simdpct_encoder *encoder, const void *src, size_t len, simdpct_result *result);

/* ---- Normalization (RFC 3986 6.2.2) ----------------------------------------------------------------------------- */

enum {
    SIMDPCT_NORMALIZE_KEEP_MALFORMED = 1,  /* at most one of these two; */
    SIMDPCT_NORMALIZE_ESCAPE_MALFORMED = 2 /* without one, a malformed '%' is an error */
};

/* Triplets of the bytes in `decode` are decoded; NULL means the unreserved characters. '%' and bytes from 0x80 are
 * never decoded. */
SIMDPCT_MUST_USE bool simdpct_normalizer_init(
    simdpct_normalizer *normalizer, uint32_t flags, const simdpct_set *decode);

/* dst == src is allowed, with `cap` at least `len`; the status is then NO_ROOM if a '%' has to be escaped. Otherwise a
 * `cap` of `len` suffices, with two more bytes for each '%' that is escaped. NO_ROOM: `value` is the exact size
 * required. */
SIMDPCT_MUST_USE uint32_t simdpct_normalize(
    const simdpct_normalizer *normalizer, const void *src, size_t len, void *dst, size_t cap, simdpct_result *result);
/* Returns true if simdpct_normalize would succeed and change nothing. Returns false on a bad argument. */
SIMDPCT_MUST_USE bool simdpct_is_normal(const simdpct_normalizer *normalizer, const void *src, size_t len);
/* Returns true if two URIs are equivalent under normalization. Returns false on a bad argument. */
SIMDPCT_MUST_USE bool simdpct_equivalent(const void *a, size_t a_len, const void *b, size_t b_len);

/* ---- Findings --------------------------------------------------------------------------------------------------- */

/* Bits of kinds. A later version may add some. */
enum {
    SIMDPCT_FIND_ESCAPE = 1 << 0,         /* a triplet */
    SIMDPCT_FIND_PLUS = 1 << 1,           /* a raw '+' */
    SIMDPCT_FIND_MALFORMED = 1 << 2,      /* a '%' without two hexadecimal digits */
    SIMDPCT_FIND_NUL = 1 << 3,            /* an encoded NUL */
    SIMDPCT_FIND_CONTROL = 1 << 4,        /* an encoded ASCII control character, NUL included */
    SIMDPCT_FIND_SLASH = 1 << 5,          /* an encoded '/' */
    SIMDPCT_FIND_BACKSLASH = 1 << 6,      /* an encoded '\' */
    SIMDPCT_FIND_DOT = 1 << 7,            /* an encoded '.' */
    SIMDPCT_FIND_PERCENT = 1 << 8,        /* an encoded '%' */
    SIMDPCT_FIND_UNRESERVED = 1 << 9,     /* a triplet of an unreserved character */
    SIMDPCT_FIND_PATH_END = 1 << 10,      /* an encoded '?' or '#' */
    SIMDPCT_FIND_SEMICOLON = 1 << 11,     /* a ';', raw or encoded */
    SIMDPCT_FIND_LOWER_HEX = 1 << 12,     /* a triplet with a lower-case digit */
    SIMDPCT_FIND_NON_ASCII = 1 << 13,     /* a raw byte from 0x80 */
    SIMDPCT_FIND_ILLEGAL = 1 << 14,       /* a raw byte that no URI may contain */
    SIMDPCT_FIND_INVALID_UTF8 = 1 << 15,  /* invalid UTF-8 once decoded */
    SIMDPCT_FIND_DOT_SEGMENT = 1 << 16,   /* a segment "." or "..", raw, encoded or mixed */
    SIMDPCT_FIND_EMPTY_SEGMENT = 1 << 17, /* two adjacent '/' or '\', raw or encoded, except after ':' */
    SIMDPCT_FIND_DOUBLE = 1 << 18,        /* an encoded '%' and two hexadecimal digits: "%252F" */
    SIMDPCT_FIND_UNICODE = 1 << 19,       /* "%uXXXX" */
    SIMDPCT_FIND_ALL = (1 << 20) - 1      /* the kinds of this header */
};

/* Returns the kinds among `kinds` that are found in `src`, and stores the position of the first finding in *first, or
 * SIZE_MAX if there is none; `first` may be NULL. Checks fail closed: on a bad argument, all of `kinds` count as found
 * at position 0. Unknown bits, from a header newer than the library, count in the same way. The search takes one pass,
 * and a second one for DOT_SEGMENT, EMPTY_SEGMENT, DOUBLE or UNICODE: leave these out if you do not need them. */
SIMDPCT_MUST_USE uint32_t simdpct_inspect(const void *src, size_t len, uint32_t kinds, size_t *first);

/* The index is the number of the bit. `first` is SIZE_MAX where `count` is 0. */
typedef struct simdpct_counts {
    size_t count[32];
    size_t first[32];
} simdpct_counts;
/* Like simdpct_inspect. Also stores how often each kind is found, and the position of its first finding. On a bad
 * argument, and for an unknown bit, a kind counts as found once, at position 0. */
SIMDPCT_MUST_USE uint32_t simdpct_inspect_counting(const void *src, size_t len, uint32_t kinds, simdpct_counts *counts);

/* Returns the name of a kind (one bit), such as "nul"; NULL if the kind is unknown. */
const char *simdpct_kind_name(uint32_t kind);
/* Returns the kind with this name; 0 if the name is unknown. */
SIMDPCT_MUST_USE uint32_t simdpct_kind_from_name(const char *name, size_t len);
/* Writes the names, separated by commas: "nul,percent". Bits that the library does not know are written as "unknown".
 * `dst`, `cap` and the returned length are as in simdpct_result_write. */
size_t simdpct_kinds_write(uint32_t kinds, char *dst, size_t cap);

/* ---- Canonical paths -------------------------------------------------------------------------------------------- */

/* The options of a path policy. */
enum {
    SIMDPCT_PATH_MALFORMED = 0,      /* a malformed '%': keep, refuse, escape */
    SIMDPCT_PATH_SLASH = 1,          /* an encoded '/': keep, refuse, decode */
    SIMDPCT_PATH_BACKSLASH = 2,      /* raw or encoded: keep, refuse, to-slash */
    SIMDPCT_PATH_DOT_SEGMENTS = 3,   /* "." and "..": keep, refuse, remove, clamp */
    SIMDPCT_PATH_EMPTY_SEGMENTS = 4, /* "//": keep, refuse, merge */
    SIMDPCT_PATH_PARAMETERS = 5,     /* ";" and what follows: keep, refuse, strip, strip-from-dots */
    SIMDPCT_PATH_ILLEGAL = 6,        /* raw bytes that no path may contain: keep, refuse, escape, nginx */
    SIMDPCT_PATH_HIDDEN_SEGMENTS = 7 /* segments that another reader takes for ".", ".." or "": keep, refuse */
};
/* The values of these options. */
enum {
    SIMDPCT_PATH_KEEP = 0,
    SIMDPCT_PATH_REFUSE = 1,
    SIMDPCT_PATH_DECODE = 2,
    SIMDPCT_PATH_TO_SLASH = 3,
    SIMDPCT_PATH_REMOVE = 4, /* "..": climbing above the root is an error */
    SIMDPCT_PATH_CLAMP = 5,  /* as REMOVE, but ".." at the root has no effect */
    SIMDPCT_PATH_MERGE = 6,
    SIMDPCT_PATH_STRIP = 7,
    SIMDPCT_PATH_STRIP_FROM_DOTS = 8, /* "/a/..;x/b" is "/a/../b" */
    SIMDPCT_PATH_ESCAPE = 9,
    SIMDPCT_PATH_NGINX = 10 /* a space or a control character is an error, a '#' ends the path */
};

/* Initializes a policy from text: words separated by white space. The first word may be the name of a preset:
 * "default", "strict", "rfc3986", "nginx", "envoy" or "lighttpd". The other words are options, each at most once:
 * "slash=refuse", "dot-segments=clamp", "refuse=nul,percent" (kinds; "refuse=" means none), "decode=unreserved" (the
 * name of a set, or triplets). The empty text is "default". A later version may refuse more under any preset. On an
 * invalid word, returns BAD_ARGUMENT with the word's position, and leaves the policy unchanged. */
SIMDPCT_MUST_USE uint32_t simdpct_path_policy_init(
    simdpct_path_policy *policy, const char *text, size_t len, simdpct_result *result);
/* Writes the message about a text that simdpct_path_policy_init refuses: the word, its position, and the words that
 * were expected; an empty text if the text is valid. `dst`, `cap` and the returned length are as in
 * simdpct_result_write. */
size_t simdpct_path_policy_error(const char *text, size_t len, char *dst, size_t cap);
/* Sets an option of an initialized policy. Returns false if the policy is not initialized or the option has no such
 * value. */
SIMDPCT_MUST_USE bool simdpct_path_policy_set(simdpct_path_policy *policy, uint32_t option, uint32_t value);
/* Replaces the kinds of findings that are refused. Returns false if a bit is unknown. */
SIMDPCT_MUST_USE bool simdpct_path_policy_refuse(simdpct_path_policy *policy, uint32_t kinds);
/* Sets the bytes whose triplets are decoded. Unreserved characters are always decoded; other bytes must be in
 * `pchar`. */
SIMDPCT_MUST_USE bool simdpct_path_policy_decode(simdpct_path_policy *policy, const simdpct_set *set);

/* Returns the length of the path of a request target, which ends at the first '?'. Returns 0 on a bad argument. */
SIMDPCT_MUST_USE size_t simdpct_path_split(const void *target, size_t len);
/* Makes a path canonical. dst == src is allowed, with `cap` at least `len`; the status is then NO_ROOM if a byte has to
 * be escaped. Otherwise a `cap` of `len` suffices, with two more bytes for each byte that is escaped, and two more if
 * empty segments are kept. NO_ROOM takes precedence over every other error, whatever the path contains. */
SIMDPCT_MUST_USE uint32_t simdpct_path(
    const simdpct_path_policy *policy, const void *src, size_t len, void *dst, size_t cap, simdpct_result *result);
/* Returns true if simdpct_path would succeed and change nothing. Returns false on a bad argument. */
SIMDPCT_MUST_USE bool simdpct_path_is_canonical(const simdpct_path_policy *policy, const void *src, size_t len);

/* ---- Guards ----------------------------------------------------------------------------------------------------- */

/* A guard decides on the target of a request (RFC 9112 3.2): pass, rewrite to its canonical path, or refuse. A server
 * has to take the result as its own target before it decides on a route, a rule or a cache key. */
typedef struct simdpct_guard {
    uint64_t opaque[128];
} simdpct_guard;

enum {
    SIMDPCT_GUARD_REPORT_ONLY = 1,         /* every target passes unchanged; the verdict says why it would be refused */
    SIMDPCT_GUARD_KEEP_HIDDEN_SEGMENTS = 2 /* else every policy refuses them: no rule can see them */
};

/* Initializes a guard. Without a policy (NULL), paths are not rewritten, and only kinds are refused: `path_kinds` in
 * the path, `query_kinds` in the query. The kinds that the policy refuses are refused too. Returns false, and leaves
 * the guard unchanged, if a bit is unknown or the policy is not initialized. */
SIMDPCT_MUST_USE bool simdpct_guard_init(
    simdpct_guard *guard, const simdpct_path_policy *policy, uint32_t path_kinds, uint32_t query_kinds, uint32_t flags);
/* Initializes a guard from words in any order: "report-only", "path=KINDS", "query=KINDS", and the words of a path
 * policy, or "off" for none. Only the word "hidden-segments=keep" keeps hidden segments, not a preset. KINDS stands for
 * names of kinds, separated by commas, or "default": NUL, CONTROL, MALFORMED, INVALID_UTF8 and BACKSLASH. Reports an
 * invalid word like simdpct_path_policy_init. */
SIMDPCT_MUST_USE uint32_t simdpct_guard_from_text(
    simdpct_guard *guard, const char *text, size_t len, simdpct_result *result);
/* Like simdpct_path_policy_error, for the text of a guard. */
size_t simdpct_guard_error(const char *text, size_t len, char *dst, size_t cap);

/* Methods that allow other forms of targets. */
enum {
    SIMDPCT_METHOD_OTHER = 0,
    SIMDPCT_METHOD_CONNECT = 1, /* "host:port" */
    SIMDPCT_METHOD_OPTIONS = 2  /* also "*" */
};

/* What to do with a request. */
enum {
    SIMDPCT_ACTION_PASS = 0,    /* use the target as it is */
    SIMDPCT_ACTION_REWRITE = 1, /* use the first `value` bytes of dst */
    SIMDPCT_ACTION_REFUSE = 2   /* answer with 400; also on NO_ROOM and BAD_ARGUMENT */
};

/* The part of a target that is refused. */
enum {
    SIMDPCT_PART_PATH = 0,
    SIMDPCT_PART_QUERY = 1,
    SIMDPCT_PART_TARGET = 2 /* the form of the target, or its authority */
};

typedef struct simdpct_verdict {
    /* OK: length of the target to use; NO_ROOM: required size of `dst`; otherwise the position in the target. */
    size_t value;
    uint32_t status; /* OK, or a status of simdpct_path; the same in a guard that only reports */
    uint32_t detail; /* as in simdpct_result */
    uint32_t action; /* SIMDPCT_ACTION_ */
    uint32_t part;   /* SIMDPCT_PART_, if refused */
} simdpct_verdict;

/* Decides on a target and returns the action; fails closed. A rewritten target is written to `dst`; a `cap` of
 * `3 * len + 3` always suffices, and 0 does for a canonical target. `dst` must not overlap with the target. A raw '#'
 * is refused in any part. `verdict` may be NULL. */
SIMDPCT_MUST_USE uint32_t simdpct_guard_check(const simdpct_guard *guard, uint32_t method, const void *target,
    size_t len, void *dst, size_t cap, simdpct_verdict *verdict);
/* Writes a line for a log, in printable ASCII: `refused: nul,control at byte 6 of path: "/user/%00"`. The position
 * counts from the start of the part, of which up to 128 bytes are quoted. `dst`, `cap` and the returned length are as
 * in simdpct_result_write; 1,024 bytes suffice for any line. `target` is the target of the call that returned the
 * verdict. */
size_t simdpct_verdict_write(const simdpct_verdict *verdict, const void *target, size_t len, char *dst, size_t cap);

/* Reads names of kinds, separated by commas or white space, or "default", as in a guard's text. Returns false, and
 * leaves *kinds unchanged, if a name is unknown. */
SIMDPCT_MUST_USE bool simdpct_kinds_from_text(const char *text, size_t len, uint32_t *kinds);
/* Writes the names of all kinds found in `src`, separated by commas; "-" if there is none, "unknown" on a bad argument.
 * `dst`, `cap` and the returned length are as in simdpct_result_write. */
size_t simdpct_findings_write(const void *src, size_t len, char *dst, size_t cap);

/* ---- Forms and queries ------------------------------------------------------------------------------------------ */

/* Pointers into the form. The value of a pair without '=' is empty. */
typedef struct simdpct_pair {
    const char *name;
    size_t name_len;
    const char *value;
    size_t value_len;
} simdpct_pair;

/* Finds the next pair of a form or query from offset *at, initially 0, and advances *at. The pair is not decoded: use a
 * decoder with SIMDPCT_DECODE_PLUS. Returns false at the end, with *at == `len`, and on a bad argument, with *at
 * unchanged. */
SIMDPCT_MUST_USE bool simdpct_form_next(const void *src, size_t len, size_t *at, simdpct_pair *pair);

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* The state of a stream, in the memory of the caller. It holds a copy of its policy, and may be copied or abandoned at
 * any time. Output that does not fit is kept in the stream and written by the next call. */
typedef struct simdpct_decode_stream {
    uint64_t opaque[64];
} simdpct_decode_stream;
typedef struct simdpct_encode_stream {
    uint64_t opaque[64];
} simdpct_encode_stream;

enum {
    SIMDPCT_STREAM_LOSSY = 1 /* each invalid UTF-8 sequence becomes U+FFFD */
};

/* Starts a stream. It checks UTF-8 if its decoder does. Also returns false if the decoder is not initialized. */
SIMDPCT_MUST_USE bool simdpct_decode_stream_init(
    simdpct_decode_stream *stream, const simdpct_decoder *decoder, uint32_t flags);
/* Decodes a chunk until it ends or `dst` is full. OK: `value` bytes were written, and *read bytes of the chunk
 * consumed. Call again with the rest until all is consumed. To make progress, `cap` must be at least 4. The position of
 * an error counts from the start of the stream. An error is returned after all output before it, and is final. dst ==
 * src is not allowed. */
SIMDPCT_MUST_USE uint32_t simdpct_decode_stream_feed(simdpct_decode_stream *stream, const void *src, size_t len,
    size_t *read, void *dst, size_t cap, simdpct_result *result);
/* Ends the stream and writes the rest, at most 32 bytes. An incomplete triplet or character is an error now. The stream
 * must not be fed again. After NO_ROOM, call again with a larger `cap`. */
SIMDPCT_MUST_USE uint32_t simdpct_decode_stream_finish(
    simdpct_decode_stream *stream, void *dst, size_t cap, simdpct_result *result);

/* A stream for encoding, which has no errors. `flags` must be 0. */
SIMDPCT_MUST_USE bool simdpct_encode_stream_init(
    simdpct_encode_stream *stream, const simdpct_encoder *encoder, uint32_t flags);
SIMDPCT_MUST_USE uint32_t simdpct_encode_stream_feed(simdpct_encode_stream *stream, const void *src, size_t len,
    size_t *read, void *dst, size_t cap, simdpct_result *result);
SIMDPCT_MUST_USE uint32_t simdpct_encode_stream_finish(
    simdpct_encode_stream *stream, void *dst, size_t cap, simdpct_result *result);

#ifdef __cplusplus
}
#endif

#endif
