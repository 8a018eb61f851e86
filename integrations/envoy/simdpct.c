/* simdpct.c - an HTTP filter for Envoy's dynamic modules: refuses requests by findings in their path, and makes the
 * paths of other requests canonical before later filters and the router see them. README.md has the configuration.
 *
 * The functions of Envoy that this file needs are declared here, since Envoy installs no header. */

#include <stdbool.h>
#include <simdpct.h>
#include <stdlib.h>
#include <string.h>

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
#define TEXT(literal) ((buffer){literal, sizeof literal - 1})

#define REPORT_ONLY ", report only"

/* Space for any line of the library, and the text around it. */
enum { LINE = 1024 + 32 };

/* ---- Configuration ---- */

HOOK const char *envoy_dynamic_module_on_program_init(void) {
    /* Detects the CPU before there are requests. */
    simdpct_level();
    return ABI_VERSION;
}

/* NULL makes Envoy refuse the configuration. */
HOOK void *envoy_dynamic_module_on_http_filter_config_new(void *config, buffer name, buffer text) {
    simdpct_guard *guard = malloc(sizeof *guard);

    (void)config;
    (void)name;
    if (guard != NULL && simdpct_guard_from_text(guard, text.data, text.len, NULL) != SIMDPCT_OK) {
        char line[LINE];
        size_t start = (size_t)(stpcpy(line, "simdpct: ") - line);

        simdpct_guard_error(text.data, text.len, line + start, sizeof line - start);
        envoy_dynamic_module_callback_log(LOG_WARN, (buffer){line, strlen(line)});
        free(guard);
        guard = NULL;
    }
    return guard;
}

HOOK void envoy_dynamic_module_on_http_filter_config_destroy(void *guard) {
    free(guard);
}

/* ---- Requests ---- */

static void log_refusal(void *filter, const simdpct_verdict *verdict, buffer target) {
    char line[LINE];
    size_t start = (size_t)(stpcpy(line, "simdpct: ") - line);

    simdpct_verdict_write(verdict, target.data, target.len, line + start, sizeof line - start);
    envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
        filter, TEXT("simdpct"), TEXT("refusal"), (buffer){line + start, strlen(line + start)});
    if (verdict->action == SIMDPCT_ACTION_PASS) {
        strcat(line, REPORT_ONLY);
    }
    envoy_dynamic_module_callback_log(LOG_WARN, (buffer){line, strlen(line)});
}

/* Returns true if the target is refused. Otherwise makes its path canonical, and returns false. */
static bool is_refused(void *filter, const simdpct_guard *guard, buffer target) {
    char names[LINE], space[4096], *room = space, *allocated = NULL;
    simdpct_verdict verdict;
    uint32_t action;

    simdpct_findings_write(target.data, simdpct_path_split(target.data, target.len), names, sizeof names);
    envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
        filter, TEXT("simdpct"), TEXT("findings"), (buffer){names, strlen(names)});

    action = simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, target.data, target.len, room, sizeof space, &verdict);
    if (verdict.status == SIMDPCT_NO_ROOM && (allocated = malloc(verdict.value)) != NULL) {
        room = allocated;
        action =
            simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, target.data, target.len, room, verdict.value, &verdict);
    }
    if (verdict.status != SIMDPCT_OK) {
        log_refusal(filter, &verdict, target);
    }
    if (action == SIMDPCT_ACTION_REWRITE) {
        if (!envoy_dynamic_module_callback_http_set_header(
                filter, REQUEST_HEADER, TEXT(":path"), (buffer){room, verdict.value})) {
            envoy_dynamic_module_callback_log(LOG_WARN, TEXT("simdpct: the path cannot be set"));
            action = SIMDPCT_ACTION_REFUSE;
        }
        /* The route was chosen by the path as received. */
        envoy_dynamic_module_callback_http_clear_route_cache(filter);
    }
    free(allocated);
    return action == SIMDPCT_ACTION_REFUSE;
}

/* The target of CONNECT has no path. */
static bool is_connect(void *filter) {
    static const char connect[] = "CONNECT";
    buffer method;

    return envoy_dynamic_module_callback_http_get_header(filter, REQUEST_HEADER, TEXT(":method"), &method, 0, NULL)
        && method.len == sizeof connect - 1 && memcmp(method.data, connect, method.len) == 0;
}

/* A filter has no state. */
HOOK void *envoy_dynamic_module_on_http_filter_new(void *guard, void *filter) {
    (void)filter;
    return guard;
}

HOOK void envoy_dynamic_module_on_http_filter_destroy(void *guard) {
    (void)guard;
}

HOOK unsigned envoy_dynamic_module_on_http_filter_request_headers(void *filter, void *guard, bool is_end) {
    buffer target;

    (void)is_end;
    /* Envoy itself answers `OPTIONS *` with 404. */
    if (envoy_dynamic_module_callback_http_get_header(filter, REQUEST_HEADER, TEXT(":path"), &target, 0, NULL)
            ? !is_refused(filter, guard, target)
            : is_connect(filter)) {
        return CONTINUE;
    }
    envoy_dynamic_module_callback_http_send_response(filter, 400, NULL, 0, TEXT("refused\n"), TEXT("simdpct"));
    return STOP;
}

/* ---- Hooks that Envoy looks up and this filter does not need ---- */

#define PASSES_WITH_END(name) \
    HOOK unsigned envoy_dynamic_module_on_http_filter_##name(void *filter, void *guard, bool is_end) { \
        (void)filter; \
        (void)guard; \
        (void)is_end; \
        return CONTINUE; \
    }
#define PASSES(name) \
    HOOK unsigned envoy_dynamic_module_on_http_filter_##name(void *filter, void *guard) { \
        (void)filter; \
        (void)guard; \
        return CONTINUE; \
    }
/* Never called: this filter starts no callouts, streams or events. */
#define NEVER_CALLED(name) \
    HOOK void envoy_dynamic_module_on_http_filter_##name(void) { \
    }

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
