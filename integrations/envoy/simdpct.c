/* simdpct.c - an HTTP filter for Envoy's dynamic modules: refuses requests by what their path contains, and makes the
 * paths of the others canonical before later filters and the router see them. README.md has the configuration.
 *
 * The functions of Envoy that this file needs are declared here, since Envoy installs no header. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

/* ---- Envoy's interface ---- */

#define ABI_VERSION "v0.2.0" /* of Envoy 1.40 */

typedef struct {
    const char *data;
    size_t len;
} buffer;

enum { REQUEST_HEADER = 0 };     /* the type of a header */
enum { LOG_WARN = 3 };           /* the level of a line */
enum { CONTINUE = 0, STOP = 1 }; /* what hooks return */

void envoy_dynamic_module_callback_log(unsigned level, buffer message);
bool envoy_dynamic_module_callback_http_get_header(
    void *filter, unsigned type, buffer name, buffer *value, size_t index, size_t *count);
bool envoy_dynamic_module_callback_http_set_header(void *filter, unsigned type, buffer name, buffer value);
void envoy_dynamic_module_callback_http_clear_route_cache(void *filter);
void envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
    void *filter, buffer name_space, buffer key, buffer value);
void envoy_dynamic_module_callback_http_send_response(
    void *filter, uint32_t status, const void *headers, size_t count, buffer body, buffer details);

#define HOOK __attribute__((visibility("default")))
#define TEXT(literal) ((buffer) { literal, sizeof literal - 1 })

/* ---- Configuration ---- */

typedef struct {
    simdpct_path_policy path;
    uint32_t query; /* kinds that are refused in the query */
    bool is_report_only;
} policy;

static bool takes(buffer *text, const char *word) {
    size_t len = strlen(word);

    if (text->len < len || memcmp(text->data, word, len) != 0) {
        return false;
    }
    text->data += len;
    text->len -= len;
    return true;
}

/* Takes kinds, separated by commas, up to a space. */
static bool read_kinds(buffer *text, uint32_t *kinds) {
    const char *space = memchr(text->data, ' ', text->len);
    size_t len = space != NULL ? (size_t)(space - text->data) : text->len;

    *kinds = guard_kinds_list(text->data, len);
    text->data += len;
    text->len -= len;
    return *kinds != 0;
}

/* "[report-only] [query=KINDS] PATH POLICY" */
static bool read_policy(policy *policy, buffer text) {
    for (;;) {
        if (takes(&text, " ")) {
            continue;
        }
        if (takes(&text, "report-only")) {
            policy->is_report_only = true;
        } else if (!takes(&text, "query=")) {
            break;
        } else if (!read_kinds(&text, &policy->query)) {
            return false;
        }
    }
    return guard_policy_init(&policy->path, text.data, text.len, NULL) == SIMDPCT_OK;
}

HOOK const char *envoy_dynamic_module_on_program_init(void) {
    /* Detects the CPU before there are requests. */
    simdpct_level();
    return ABI_VERSION;
}

/* NULL makes Envoy refuse the configuration. */
HOOK void *envoy_dynamic_module_on_http_filter_config_new(void *config, buffer name, buffer text) {
    policy *policy = calloc(1, sizeof *policy);

    (void)config;
    (void)name;
    if (policy != NULL && !read_policy(policy, text)) {
        static const char message[] = "simdpct: the policy is invalid";

        envoy_dynamic_module_callback_log(LOG_WARN, TEXT(message));
        free(policy);
        policy = NULL;
    }
    return policy;
}

HOOK void envoy_dynamic_module_on_http_filter_config_destroy(void *policy) {
    free(policy);
}

/* ---- Requests ---- */

/* Logs the refusal of a text; whether the request is refused. */
static bool refuse(
    void *filter, const policy *policy, simdpct_result result, const char *where, const char *text, size_t len) {
    char line[640];
    size_t start, end;

    start = (size_t)(stpcpy(stpcpy(line, "simdpct: "), where) - line);
    end = start + simdpct_result_write(&result, text, len, line + start, 512);
    envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
        filter, TEXT("simdpct"), TEXT("refusal"), (buffer) { line + start, end - start });
    end = (size_t)(stpcpy(line + end, policy->is_report_only ? ", report only" : "") - line);
    envoy_dynamic_module_callback_log(LOG_WARN, (buffer) { line, end });
    return !policy->is_report_only;
}

static bool is_query_refused(void *filter, const policy *policy, const char *query, size_t len) {
    simdpct_result result = guard_check(query, len, policy->query);

    return result.status != SIMDPCT_OK && refuse(filter, policy, result, "query: ", query, len);
}

/* Whether the target is refused; otherwise its path is canonical from now on. */
static bool is_refused(void *filter, const policy *policy, buffer target) {
    char names[512];
    size_t len = simdpct_path_split(target.data, target.len), query_len = target.len - len;
    uint32_t kinds = simdpct_inspect(target.data, len, SIMDPCT_FIND_ALL, NULL);
    char *canonical;
    simdpct_result result;
    bool is_refused = false;

    simdpct_kinds_write(kinds, names, sizeof names);
    envoy_dynamic_module_callback_http_set_dynamic_metadata_string(filter, TEXT("simdpct"), TEXT("findings"),
        kinds != 0 ? (buffer) { names, strlen(names) } : TEXT("-"));

    /* The value of a header is Envoy's only until the next change. */
    canonical = malloc(3 * len + query_len + 1);
    if (canonical == NULL) {
        return true;
    }
    if (simdpct_path(&policy->path, target.data, len, canonical, 3 * len, &result) != SIMDPCT_OK) {
        is_refused = refuse(filter, policy, result, "", target.data, len);
    } else if (!policy->is_report_only && (result.value != len || memcmp(canonical, target.data, len) != 0)) {
        memcpy(canonical + result.value, target.data + len, query_len);
        envoy_dynamic_module_callback_http_set_header(filter, REQUEST_HEADER, TEXT(":path"),
            (buffer) { canonical, result.value + query_len });
        /* The route was chosen by the path as it came. */
        envoy_dynamic_module_callback_http_clear_route_cache(filter);
        target.data = canonical;
        len = result.value;
    }
    if (!is_refused && query_len > 1) {
        is_refused = is_query_refused(filter, policy, target.data + len + 1, query_len - 1);
    }
    free(canonical);
    return is_refused;
}

/* A filter has no state of its own. */
HOOK void *envoy_dynamic_module_on_http_filter_new(void *policy, void *filter) {
    (void)filter;
    return policy;
}

HOOK void envoy_dynamic_module_on_http_filter_destroy(void *policy) {
    (void)policy;
}

HOOK unsigned envoy_dynamic_module_on_http_filter_request_headers(void *filter, void *policy, bool is_end) {
    buffer target;

    (void)is_end;
    /* The target of CONNECT has no path. Envoy itself answers to `OPTIONS *`, with 404. */
    if (!envoy_dynamic_module_callback_http_get_header(filter, REQUEST_HEADER, TEXT(":path"), &target, 0, NULL)
        || !is_refused(filter, policy, target)) {
        return CONTINUE;
    }
    envoy_dynamic_module_callback_http_send_response(filter, 400, NULL, 0, TEXT("refused\n"), TEXT("simdpct"));
    return STOP;
}

/* ---- Hooks that Envoy looks up and this filter does not need ---- */

#define PASSES_WITH_END(name) \
    HOOK unsigned envoy_dynamic_module_on_http_filter_##name(void *filter, void *policy, bool is_end) \
    { \
        (void)filter; \
        (void)policy; \
        (void)is_end; \
        return CONTINUE; \
    }
#define PASSES(name) \
    HOOK unsigned envoy_dynamic_module_on_http_filter_##name(void *filter, void *policy) \
    { \
        (void)filter; \
        (void)policy; \
        return CONTINUE; \
    }
/* Called for callouts, streams and events that this filter does not start: never. */
#define NEVER_CALLED(name) HOOK void envoy_dynamic_module_on_http_filter_##name(void) { }

PASSES_WITH_END(request_body)
PASSES(request_trailers)
PASSES_WITH_END(response_headers)
PASSES_WITH_END(response_body)
PASSES(response_trailers)
PASSES(stream_complete)
PASSES(downstream_above_write_buffer_high_watermark)
PASSES(downstream_below_write_buffer_low_watermark)
NEVER_CALLED(http_callout_done)
NEVER_CALLED(http_stream_headers)
NEVER_CALLED(http_stream_data)
NEVER_CALLED(http_stream_trailers)
NEVER_CALLED(http_stream_complete)
NEVER_CALLED(http_stream_reset)
NEVER_CALLED(scheduled)
