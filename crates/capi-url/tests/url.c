/* url.c - tests that the function of simdpct_url.h keeps its promises to C. Tests in Rust check the normal forms. */
#include "check.h"

#include "simdpct_url.h"

static bool is_utm(const char *name, size_t len, void *data) {
    CHECK(strlen(name) == len);
    ++*(int *)data;
    return strncmp(name, "utm_", 4) == 0;
}

static simdpct_result normalize(uint32_t flags, const void *src, size_t len, void *dst, size_t cap) {
    simdpct_result result = {77, 77, 77};
    uint32_t returned = simdpct_url_normalize(flags, NULL, NULL, src, len, dst, cap, &result);
    CHECK(returned == result.status && result.detail == 0);
    CHECK(simdpct_url_normalize(flags, NULL, NULL, src, len, dst, cap, NULL) == returned);
    return result;
}

static const struct {
    uint32_t flags;
    const char *url;
    uint32_t status;
    size_t position;
    const char *normal;
} cases[] = {
    {0, "", SIMDPCT_OK, 0, ""},
    {0,
        "HTTP://B\xC3\xBC"
        "cher.Example:80/a/../%7eb c",
        SIMDPCT_OK, 0, "http://xn--bcher-kva.example/~b%20c"},
    {0, "http://example.com", SIMDPCT_OK, 0, "http://example.com/"},
    {0, "http://e.org/?b=2&&a=1#f", SIMDPCT_OK, 0, "http://e.org/?b=2&&a=1#f"},
    {SIMDPCT_URL_SORT_QUERY, "http://e.org/?b=2&&a=1#f", SIMDPCT_OK, 0, "http://e.org/?a=1&b=2#f"},
    {SIMDPCT_URL_DROP_FRAGMENT, "http://e.org/?b=2&&a=1#f", SIMDPCT_OK, 0, "http://e.org/?b=2&&a=1"},
    {SIMDPCT_URL_DROP_WWW, "//www.e.org/", SIMDPCT_OK, 0, "//e.org/"},
    {0, "//A/b", SIMDPCT_OK, 0, "//a/b"},
    {SIMDPCT_URL_TARGETS, "//A/./b", SIMDPCT_OK, 0, "//A/b"},
    {0, "http://e.org/100%", SIMDPCT_MALFORMED, 16, NULL},
    {SIMDPCT_URL_KEEP_MALFORMED, "http://e.org/100%/%7e", SIMDPCT_OK, 0, "http://e.org/100%/~"},
    {SIMDPCT_URL_ESCAPE_MALFORMED, "http://e.org/100%", SIMDPCT_OK, 0, "http://e.org/100%25"},
    {SIMDPCT_URL_KEEP_MALFORMED, "http://e%.org/", SIMDPCT_MALFORMED, 8, NULL},
    {0, "1a:b", SIMDPCT_URL_SCHEME, 0, NULL},
    {0, "http:/a", SIMDPCT_URL_NO_HOST, 5, NULL},
    {0, "http://a b/", SIMDPCT_URL_HOST, 7, NULL},
    {0, "http://a:99999/", SIMDPCT_URL_PORT, 9, NULL},
    {0, "http://\xFF/", SIMDPCT_INVALID_UTF8, 7, NULL},
    {SIMDPCT_URL_LENIENT, "HTTP://A:99999/%7e/100%", SIMDPCT_OK, 0, "http://A:99999/~/100%"},
    {SIMDPCT_URL_KEEP_MALFORMED | SIMDPCT_URL_ESCAPE_MALFORMED, "http://a/", SIMDPCT_BAD_ARGUMENT, 0, NULL},
    {128, "http://a/", SIMDPCT_BAD_ARGUMENT, 0, NULL},
};

static void each_flag_and_status_has_its_meaning(void) {
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        const char *url = cases[index].url, *normal = cases[index].normal;
        size_t len = strlen(url);
        unsigned char *src = copy_of(0, url, len);
        if (normal == NULL) {
            char dst[64] = "unchanged";
            CHECK(is(
                normalize(cases[index].flags, src, len, dst, sizeof dst), cases[index].status, cases[index].position));
            CHECK(strcmp(dst, "unchanged") == 0);
            continue;
        }
        size_t needed = strlen(normal);
        unsigned char *dst = ending(1, needed);
        CHECK(is(normalize(cases[index].flags, src, len, dst, needed), SIMDPCT_OK, needed));
        CHECK(memcmp(dst, normal, needed) == 0);
        if (needed > 0) {
            CHECK(is(
                normalize(cases[index].flags, src, len, ending(1, needed - 1), needed - 1), SIMDPCT_NO_ROOM, needed));
        }
        /* The normal form of a normal form is itself. */
        CHECK(is(normalize(cases[index].flags, normal, needed, dst, needed), SIMDPCT_OK, needed));
        CHECK(memcmp(dst, normal, needed) == 0);
    }
}

static void output_may_overlap_the_input(void) {
    for (int distance = -20; distance <= 20; distance++) {
        char memory[100], *src = memory + 20, *dst = src + distance;
        memcpy(src, "HTTP://A.org:80/./b", 19);
        CHECK(simdpct_url_normalize(0, NULL, NULL, src, 19, dst, 50, NULL) == SIMDPCT_OK);
        CHECK(memcmp(dst, "http://a.org/b", 14) == 0);
        memcpy(src, "http://a.org/b", 14);
        CHECK(simdpct_url_normalize(0, NULL, NULL, src, 14, dst, 14, NULL) == SIMDPCT_OK);
        CHECK(memcmp(dst, "http://a.org/b", 14) == 0);
    }
}

static void pairs_are_dropped_by_their_decoded_name(void) {
    static const char url[] = "http://e.org/?b=1&utm%5fx=2&a%20+=3&utm_y", normal[] = "http://e.org/?b=1&a%20+=3";
    for (int lenient = 0; lenient < 2; lenient++) {
        int names = 0;
        char dst[64];
        simdpct_result result;
        uint32_t flags = lenient ? SIMDPCT_URL_LENIENT : 0;
        CHECK(simdpct_url_normalize(flags, is_utm, &names, url, strlen(url), dst, sizeof dst, &result) == SIMDPCT_OK);
        CHECK(result.value == strlen(normal) && memcmp(dst, normal, strlen(normal)) == 0 && names >= 4);
    }
}

static void bad_arguments_are_refused(void) {
    char dst[8];
    CHECK(is(normalize(0, NULL, 1, dst, 8), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(normalize(0, "a", SIZE_MAX, dst, 8), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(normalize(0, "a", 1, NULL, 8), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(normalize(0, "a", 1, dst, SIZE_MAX), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(normalize(0, "a", 1, NULL, 0), SIMDPCT_NO_ROOM, 1));
    CHECK(is(normalize(0, NULL, 0, NULL, 0), SIMDPCT_OK, 0));
}

int main(void) {
    each_flag_and_status_has_its_meaning();
    output_may_overlap_the_input();
    pairs_are_dropped_by_their_decoded_name();
    bad_arguments_are_refused();
    return finished("url");
}
