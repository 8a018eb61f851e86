/* guard.h - what the modules of integrations/ share: how a configuration names kinds, and how a text is checked. */
#ifndef SIMDPCT_GUARD_H
#define SIMDPCT_GUARD_H

#include <simdpct.h>
#include <string.h>

/* The kinds that the word "default" names: what no honest client sends. */
#define GUARD_DEFAULT                                                                                                  \
    (SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_MALFORMED | SIMDPCT_FIND_INVALID_UTF8                      \
     | SIMDPCT_FIND_BACKSLASH)

/* The kinds that a word of a configuration names, one or "default"; 0 if there is no such kind. */
static inline uint32_t guard_kinds(const char *word, size_t len) {
    static const char all[] = "default";

    if (len == sizeof all - 1 && memcmp(word, all, len) == 0) {
        return GUARD_DEFAULT;
    }
    return simdpct_kind_from_name(word, len);
}

/* The kinds of a list, separated by commas; 0 if there is none or an unknown one. */
static inline uint32_t guard_kinds_list(const char *words, size_t len) {
    uint32_t kinds = 0;

    for (size_t start = 0; start < len;) {
        const char *comma = memchr(words + start, ',', len - start);
        size_t end = comma != NULL ? (size_t)(comma - words) : len;
        uint32_t kind = guard_kinds(words + start, end - start);

        if (kind == 0) {
            return 0;
        }
        kinds |= kind;
        start = end + 1;
    }
    return kinds;
}

/* Initialises a policy as simdpct_path_policy_init does, but hidden segments are refused unless the text itself keeps them:
 * no rule of a server can see the path that they hide. */
static inline uint32_t guard_policy_init(simdpct_path_policy *policy, const char *text, size_t len, simdpct_result *result) {
    static const char word[] = "hidden-segments=";
    uint32_t status = simdpct_path_policy_init(policy, text, len, result);

    for (size_t at = 0; at + sizeof word <= len; at++) {
        if (memcmp(text + at, word, sizeof word - 1) == 0) {
            return status;
        }
    }
    if (status == SIMDPCT_OK
        && !simdpct_path_policy_set(policy, SIMDPCT_PATH_HIDDEN_SEGMENTS, SIMDPCT_PATH_REFUSE)) {
        return SIMDPCT_BAD_ARGUMENT;
    }
    return status;
}

/* REFUSED if a text has findings of these kinds, as simdpct_path says it; OK otherwise. */
static inline simdpct_result guard_check(const void *text, size_t len, uint32_t kinds) {
    simdpct_result result = {0, SIMDPCT_OK, 0};

    size_t first;

    if (kinds != 0) {
        result.detail = simdpct_inspect(text, len, kinds, &first);
    }
    if (result.detail != 0) {
        result.status = SIMDPCT_REFUSED;
        result.value = first;
    }
    return result;
}

#endif
