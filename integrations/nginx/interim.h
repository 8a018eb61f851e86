/* interim.h - simdpct_guard over the C library as it is, and results through an out parameter over one that returns them.
 * To be deleted when the library has both. */
#ifndef INTERIM_H
#define INTERIM_H

#include <simdpct.h>
#include <string.h>

#ifndef SIMDPCT_VERSION_NUMBER
#define INTERIM_OUT(name, type)                                                                                        \
    static inline uint32_t interim_##name(const type *policy, const void *src, size_t len, void *dst, size_t cap,      \
                                          simdpct_result *result) {                                                    \
        *result = simdpct_##name(policy, src, len, dst, cap);                                                          \
        return result->status;                                                                                         \
    }
INTERIM_OUT(decode, simdpct_decoder)
INTERIM_OUT(encode, simdpct_encoder)
INTERIM_OUT(normalize, simdpct_normalizer)
INTERIM_OUT(path, simdpct_path_policy)
static inline uint32_t interim_path_policy_init(simdpct_path_policy *policy, const char *text, size_t len,
                                                simdpct_result *result) {
    *result = simdpct_path_policy_init(policy, text, len);
    return result->status;
}
static inline uint32_t interim_inspect(const void *src, size_t len, uint32_t kinds, size_t *first) {
    size_t at;
    return simdpct_inspect_first(src, len, kinds, first ? first : &at);
}
static inline size_t interim_result_write(const simdpct_result *result, const void *src, size_t len, char *dst, size_t cap) {
    return simdpct_result_write(*result, src, len, dst, cap);
}
#define simdpct_decode interim_decode
#define simdpct_encode interim_encode
#define simdpct_normalize interim_normalize
#define simdpct_path interim_path
#define simdpct_path_policy_init interim_path_policy_init
#define simdpct_inspect interim_inspect
#define simdpct_result_write interim_result_write
#define simdpct_decoder_default (*(const simdpct_decoder *) NULL)
#define simdpct_normalizer_default (*(const simdpct_normalizer *) NULL)
#endif

enum { SIMDPCT_ACTION_PASS = 0, SIMDPCT_ACTION_REWRITE = 1, SIMDPCT_ACTION_REFUSE = 2 };
enum { SIMDPCT_PART_PATH = 0, SIMDPCT_PART_QUERY = 1, SIMDPCT_PART_TARGET = 2 };
enum { SIMDPCT_METHOD_OTHER = 0, SIMDPCT_METHOD_CONNECT = 1, SIMDPCT_METHOD_OPTIONS = 2 };

typedef struct {
    simdpct_path_policy policy;
    uint32_t path_kinds, query_kinds;
    bool has_policy;
} simdpct_guard;

typedef struct {
    size_t value;
    uint32_t status, detail, action, part;
} simdpct_verdict;

static inline bool simdpct_guard_init(simdpct_guard *guard, const simdpct_path_policy *policy, uint32_t path_kinds,
                                      uint32_t query_kinds, uint32_t flags) {
    (void)flags;
    guard->has_policy = policy != NULL;
    if (policy) guard->policy = *policy;
    guard->path_kinds = path_kinds;
    guard->query_kinds = query_kinds;
    return true;
}

static inline uint32_t simdpct_guard_check(const simdpct_guard *guard, uint32_t method, const void *target, size_t len,
                                           void *dst, size_t cap, simdpct_verdict *verdict) {
    const char *text = target, *hash = memchr(target, '#', len);
    size_t path = simdpct_path_split(target, len), first;
    simdpct_result result = {0, SIMDPCT_OK, 0};
    (void)method;
    memset(verdict, 0, sizeof *verdict);
    verdict->action = SIMDPCT_ACTION_REFUSE;
    if (hash) {
        verdict->status = SIMDPCT_ILLEGAL_BYTE, verdict->detail = '#', verdict->value = (size_t)(hash - text);
        return verdict->action;
    }
    if (guard->path_kinds) result.detail = simdpct_inspect(target, path, guard->path_kinds, &first);
    if (result.detail) result.status = SIMDPCT_REFUSED, result.value = first;
    if (!result.status && path < len) {
        if (guard->query_kinds)
            result.detail = simdpct_inspect(text + path + 1, len - path - 1, guard->query_kinds, &first);
        if (result.detail) {
            result.status = SIMDPCT_REFUSED, result.value = first + path + 1;
            verdict->part = SIMDPCT_PART_QUERY;
        }
    }
    if (!result.status && guard->has_policy) {
        result.status = simdpct_path(&guard->policy, target, path, dst, cap, &result);
        if (!result.status && result.value + len - path > cap)
            result.status = SIMDPCT_NO_ROOM, result.value = 3 * len;
        else if (!result.status) {
            memcpy((char *)dst + result.value, text + path, len - path);
            result.value += len - path;
            verdict->action = result.value == len && !memcmp(dst, target, len) ? SIMDPCT_ACTION_PASS : SIMDPCT_ACTION_REWRITE;
        } else if (result.status == SIMDPCT_NO_ROOM)
            result.value = 3 * len;
    } else if (!result.status) {
        verdict->action = SIMDPCT_ACTION_PASS;
        result.value = len;
    }
    verdict->value = result.value, verdict->status = result.status, verdict->detail = result.detail;
    return verdict->action;
}

static inline size_t simdpct_verdict_write(const simdpct_verdict *verdict, const void *target, size_t len, char *dst,
                                           size_t cap) {
    simdpct_result result = {verdict->value, verdict->status, verdict->detail};
    return simdpct_result_write(&result, target, len, dst, cap);
}

static inline bool simdpct_kinds_from_text(const char *text, size_t len, uint32_t *kinds) {
    *kinds = (uint32_t) (len == 7 && !memcmp(text, "default", 7)
                 ? (int) (SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_MALFORMED | SIMDPCT_FIND_INVALID_UTF8
                       | SIMDPCT_FIND_BACKSLASH)
                 : (int) simdpct_kind_from_name(text, len));
    return *kinds != 0;
}

static inline size_t simdpct_findings_write(const void *src, size_t len, char *dst, size_t cap) {
    uint32_t kinds = simdpct_inspect(src, len, SIMDPCT_FIND_ALL, NULL);
    if (kinds) return simdpct_kinds_write(kinds, dst, cap);
    if (cap) memcpy(dst, "-", cap > 1 ? 2 : 1);
    return 1;
}

#endif
