/* simdpct_url.h - the normal form of whole URLs (RFC 3986 6.2.2 and 6.2.3), host names by IDNA (UTS 46).
 *
 * A separate library, libsimdpct_url: unlike the functions of simdpct.h, it allocates memory, and aborts the process if
 * memory is exhausted. Otherwise the rules of simdpct.h hold. It may be used from any number of threads.
 */
#ifndef SIMDPCT_URL_H
#define SIMDPCT_URL_H

#include <simdpct.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* At most one of these two. Without either, a malformed '%' is an error; in a host, it is always an error. */
    SIMDPCT_URL_KEEP_MALFORMED = 1,
    SIMDPCT_URL_ESCAPE_MALFORMED = 2,
    SIMDPCT_URL_SORT_QUERY = 4, /* the pairs of the query are sorted by name, stably; empty pairs are dropped */
    SIMDPCT_URL_DROP_FRAGMENT = 8,
    SIMDPCT_URL_DROP_WWW = 16, /* "www." at the start of a host is dropped */
    SIMDPCT_URL_TARGETS = 32,  /* an input that begins with '/' is a request target in origin form: "//a" is a path */
    /* A part that has an error stays as it is, the other parts become normal, and the status is OK. */
    SIMDPCT_URL_LENIENT = 64
};

/* Returns true if the pairs with this name are to be dropped from a query. The name is decoded as in forms (WHATWG URL
 * 5.1), is UTF-8 and ends with a NUL that `len` does not count. The function must return: neither longjmp nor an
 * exception may leave it. */
typedef bool (*simdpct_url_is_dropped)(const char *name, size_t len, void *data);

/* Writes the normal form of a URL or reference: scheme and host in lower case, no default port, no dot segments, "/"
 * for an empty path, triplets as by simdpct_normalize, and illegal bytes escaped. The normal form of a normal form is
 * itself. `is_dropped` may be NULL; it is called with `data`. `dst` may be `src`, or overlap it.
 *
 * OK: `value` is the length of the normal form. NO_ROOM: `value` is the exact size required. BAD_ARGUMENT: also for an
 * unknown flag. MALFORMED, INVALID_UTF8, URL_SCHEME, URL_NO_HOST, URL_HOST and URL_PORT report the first error; `dst`
 * is not changed. */
SIMDPCT_MUST_USE uint32_t simdpct_url_normalize(uint32_t flags, simdpct_url_is_dropped is_dropped, void *data,
    const void *src, size_t len, void *dst, size_t cap, simdpct_result *result);

#ifdef __cplusplus
}
#endif

#endif
