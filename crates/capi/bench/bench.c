/* bench.c - measures nanoseconds per call, beside memcpy, libcurl, ada and nginx. crates/capi/bench/run runs it.
 *
 * Each number is the minimum of many short runs of all contestants in turns, so that other load on the machine matters
 * little. All write to another buffer, which libcurl and ada allocate and free. */
#define _DEFAULT_SOURCE /* u_char */
#include <curl/curl.h>
#include <simdpct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WITH_NGINX
#include "nginx.h"
#include NGINX_FUNCTIONS
#endif

#ifdef WITH_ADA
size_t ada_decode(const char *bytes, size_t len);
size_t ada_encode(const char *bytes, size_t len);
#endif

enum { PASSES = 5, ROUNDS = 100, BATCH = 1000, LONGEST = 2000, MOST = 1000 };

typedef struct {
    const char *bytes;
    size_t len;
} text;

static simdpct_decoder strict, text_decoder;
static simdpct_encoder encoder;
static simdpct_path_policy policy;
static simdpct_guard guard;
/* Begins a page. If the low bits of its address equal the low bits of the input's, loads wait for stores (4K
 * aliasing). */
static _Alignas(4096) unsigned char output[3 * LONGEST + 64];

/* The contestants' results are added up, so that no call is removed. */
static size_t call(text t) {
    (void)t;
    return (size_t)simdpct_status_name(0);
}
static size_t copy(text t) {
    memcpy(output, t.bytes, t.len);
    return output[0];
}
static size_t unescape_curl(text t) {
    int len = 0;
    char *result = curl_easy_unescape(NULL, t.bytes, (int)t.len, &len);
    curl_free(result);
    return (size_t)len;
}
#ifdef WITH_ADA
static size_t unescape_ada(text t) {
    return ada_decode(t.bytes, t.len);
}
static size_t escape_ada(text t) {
    return ada_encode(t.bytes, t.len);
}
#endif
/* The value of a result: the length of the output. */
#define VALUE(call) \
    simdpct_result result; \
    uint32_t status = call; \
    return status + result.value
static size_t decode(text t) {
    VALUE(simdpct_decode(&simdpct_decoder_default, t.bytes, t.len, output, sizeof output, &result));
}
static size_t decode_policy(text t) {
    VALUE(simdpct_decode(&strict, t.bytes, t.len, output, sizeof output, &result));
}
static size_t decode_text(text t) {
    VALUE(simdpct_decode(&text_decoder, t.bytes, t.len, output, sizeof output, &result));
}
static size_t encode(text t) {
    VALUE(simdpct_encode(&encoder, t.bytes, t.len, output, sizeof output, &result));
}
static size_t normalize(text t) {
    VALUE(simdpct_normalize(&simdpct_normalizer_default, t.bytes, t.len, output, sizeof output, &result));
}
static size_t inspect(text t) {
    return simdpct_inspect(t.bytes, t.len, SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_MALFORMED, NULL);
}
static size_t inspect_all(text t) {
    return simdpct_inspect(t.bytes, t.len, SIMDPCT_FIND_ALL, NULL);
}
static size_t path(text t) {
    VALUE(simdpct_path(&policy, t.bytes, t.len, output, sizeof output, &result));
}
static size_t check_target(text t) {
    simdpct_verdict verdict;
    uint32_t action =
        simdpct_guard_check(&guard, SIMDPCT_METHOD_OTHER, t.bytes, t.len, output, sizeof output, &verdict);
    return action + verdict.value;
}
#ifdef WITH_NGINX
static size_t unescape_nginx(text t) {
    u_char *from = (u_char *)t.bytes, *to = output;
    ngx_unescape_uri(&to, &from, t.len, 0);
    return (size_t)(to - output);
}
static size_t escape_nginx(text t) {
    /* nginx's function is called twice: to learn the length, and to write. */
    size_t escaped = (size_t)ngx_escape_uri(NULL, (u_char *)t.bytes, t.len, NGX_ESCAPE_URI_COMPONENT);
    return escaped + (size_t)ngx_escape_uri(output, (u_char *)t.bytes, t.len, NGX_ESCAPE_URI_COMPONENT);
}
static size_t path_nginx(text t) {
    ngx_http_request_t request;
    memset(&request, 0, sizeof request);
    request.uri_start = (u_char *)t.bytes;
    request.uri_end = (u_char *)t.bytes + t.len;
    request.uri.data = output;
    return (size_t)ngx_http_parse_complex_uri(&request, 1) + request.uri.len;
}
#endif

static const struct {
    const char *name;
    size_t (*run)(text);
} contestants[] = {
    {"call", call},
    {"memcpy", copy},
#ifdef WITH_NGINX
    {"ngx_unescape_uri", unescape_nginx},
#endif
    {"curl_easy_unescape", unescape_curl},
#ifdef WITH_ADA
    {"ada percent_decode", unescape_ada},
#endif
    {"decode", decode},
    {"decode, policy", decode_policy},
    {"decode, UTF-8", decode_text},
#ifdef WITH_NGINX
    {"ngx_escape_uri x 2", escape_nginx},
#endif
#ifdef WITH_ADA
    {"ada percent_encode", escape_ada},
#endif
    {"encode", encode},
    {"normalize", normalize},
    {"inspect", inspect},
    {"inspect, all kinds", inspect_all},
    {"guard", check_target},
#ifdef WITH_NGINX
    {"ngx_http_parse_complex_uri", path_nginx},
#endif
    {"path", path},
};
enum { CONTESTANTS = sizeof contestants / sizeof contestants[0] };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static volatile size_t sink;

enum { MOST_COLUMNS = 9 };

static struct {
    char name[64];
    const text *texts;
    size_t count;
    double best[CONTESTANTS];
} columns[MOST_COLUMNS];
static size_t column_count = 0;

static void add_column(const char *name, const text *texts, size_t count) {
    snprintf(columns[column_count].name, sizeof columns[column_count].name, "%s", name);
    columns[column_count].texts = texts;
    columns[column_count].count = count;
    for (size_t which = 0; which < CONTESTANTS; which++) {
        columns[column_count].best[which] = 1e9;
    }
    column_count++;
}

static void measure(size_t column) {
    const text *texts = columns[column].texts;
    size_t count = columns[column].count;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t which = 0; which < CONTESTANTS; which++) {
            size_t sum = 0;
            double begin = now();
            for (size_t call_number = 0; call_number < BATCH; call_number++) {
                sum += contestants[which].run(texts[call_number % count]);
            }
            double each = (now() - begin) / BATCH;
            sink = sum;
            if (each < columns[column].best[which]) {
                columns[column].best[which] = each;
            }
        }
    }
}

static void print_table(void) {
    printf("simdpct %s, %s; nanoseconds\n\n| |", simdpct_version(), simdpct_level());
    for (size_t column = 0; column < column_count; column++) {
        printf(" %s |", columns[column].name);
    }
    printf("\n|---|");
    for (size_t column = 0; column < column_count; column++) {
        printf("---:|");
    }
    for (size_t which = 0; which < CONTESTANTS; which++) {
        printf("\n| %s |", contestants[which].name);
        for (size_t column = 0; column < column_count; column++) {
            printf(" %.1f |", columns[column].best[which]);
        }
    }
#ifdef WITH_NGINX
    /* The last two contestants. */
    printf("\n| path / ngx_http_parse_complex_uri |");
    for (size_t column = 0; column < column_count; column++) {
        const double *best = columns[column].best;
        printf(" %.2f |", best[CONTESTANTS - 1] / best[CONTESTANTS - 2]);
    }
#endif
    printf("\n");
}

/* The path of a URL, without its query. */
static text path_of(char *line) {
    char *start = strstr(line, "://");
    start = start != NULL ? strchr(start + 3, '/') : NULL;
    text none = {NULL, 0};
    if (start == NULL) {
        return none;
    }
    text found = {start, strcspn(start, "?#\r\n")};
    return found.len <= LONGEST ? found : none;
}

/* Every `step`th path of a file of URLs. */
static void add_file(const char *name, const char *file, size_t step) {
    text *texts = malloc(MOST * sizeof *texts);
    size_t count = 0, bytes = 0, number = 0;
    char line[LONGEST + 1024];
    FILE *stream = fopen(file, "r");
    if (stream == NULL || texts == NULL) {
        return;
    }
    while (count < MOST && fgets(line, sizeof line, stream) != NULL) {
        text found = path_of(line);
        if (found.len > 0 && number++ % step == 0) {
            /* Ends with a NUL, because nginx reads one byte more. */
            char *kept = malloc(found.len + 1);
            if (kept == NULL) {
                exit(1);
            }
            memcpy(kept, found.bytes, found.len);
            kept[found.len] = 0;
            texts[count++] = (text){kept, found.len};
            bytes += found.len;
        }
    }
    fclose(stream);
    char title[64];
    snprintf(title, sizeof title, "%zu %s, mean %zu", count, name, count > 0 ? bytes / count : 0);
    if (count > 0) {
        add_column(title, texts, count);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        const char *text;
    } cases[] = {
        {"50 bytes, no triplet", "/products/category/some-item-name/details/index.ht"},
        {"50 bytes, one triplet", "/products/category/some%20item-name/details/index."},
        {"50 bytes, one to rewrite", "/products/category/some%7eitem-name/details/index."},
        {"50 bytes, six spread", "/a%20b/c%2Cd/e%20fgh/i%2Cj/k%20lmn/o%2Cp/qrstu/v/w"},
        {"50 bytes, run of 15", "/wiki%E2%82%AC%E2%82%AC%E2%82%AC%E2%82%AC%E2%82%AC"},
        {"12 bytes", "/index.html/"},
    };
    simdpct_set component;
    if (!simdpct_decoder_init(&strict, 0, NULL, NULL)
        || !simdpct_decoder_init(&text_decoder, SIMDPCT_DECODE_UTF8, NULL, NULL)
        || !simdpct_set_from_name(&component, "component", 9) || !simdpct_encoder_init(&encoder, 0, &component)
        || simdpct_path_policy_init(&policy, "default", 7, NULL) != SIMDPCT_OK
        || !simdpct_guard_init(&guard, &policy, 0, 0, 0)) {
        return 1;
    }
    for (size_t which = 0; which < sizeof cases / sizeof cases[0]; which++) {
        static text ones[MOST_COLUMNS];
        ones[which] = (text){cases[which].text, strlen(cases[which].text)};
        add_column(cases[which].name, &ones[which], 1);
    }
    if (argc > 1) {
        char file[1024];
        snprintf(file, sizeof file, "%s/typical_urls.txt", argv[1]);
        add_file("real paths", file, 100);
        snprintf(file, sizeof file, "%s/nonlatin_urls.txt", argv[1]);
        add_file("non-Latin paths", file, 45);
    }
    /* Makes several passes, because the load on the machine varies. */
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t column = 0; column < column_count; column++) {
            measure(column);
        }
    }
    print_table();
    return 0;
}
