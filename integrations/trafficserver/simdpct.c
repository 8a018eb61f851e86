/* simdpct.c - a plugin that refuses requests by what their target contains, and makes the paths of the others canonical
 * before they are remapped or looked up in the cache. README.md has the configuration. */

#include <stdio.h>
#include <string.h>

#include <ts/ts.h>

#include "guard.h"

/* Header fields whose names begin with '@' are seen by plugins and logs, and never sent. */
#define FINDINGS "@Simdpct-Findings"
#define REFUSAL "@Simdpct-Refusal"

static simdpct_path_policy path_policy;
static uint32_t refused_in_query; /* kinds */
static bool is_report_only;

/* Sets a header field. NULL removes it: a client may have sent one. */
static void set_field(TSMBuffer buffer, TSMLoc header, const char *name, const char *value) {
    TSMLoc field = TSMimeHdrFieldFind(buffer, header, name, -1), next;

    for (; field != TS_NULL_MLOC; field = next) {
        next = TSMimeHdrFieldNextDup(buffer, header, field);
        TSMimeHdrFieldDestroy(buffer, header, field);
        TSHandleMLocRelease(buffer, header, field);
    }
    if (value != NULL && TSMimeHdrFieldCreateNamed(buffer, header, name, -1, &field) == TS_SUCCESS) {
        TSMimeHdrFieldValueStringSet(buffer, header, field, -1, value, -1);
        TSMimeHdrFieldAppend(buffer, header, field);
        TSHandleMLocRelease(buffer, header, field);
    }
}

static char *append(char *end, const char *separator, const char *text, int len) {
    if (len > 0) {
        end = stpcpy(end, separator);
        memcpy(end, text, (size_t)len);
        end += len;
    }
    return end;
}

/* The path as the client sent it. Traffic Server has split off the parameters from the first ';', and a fragment; it
 * has dropped all slashes at the start but one. To be freed. */
static char *raw_path(TSMBuffer buffer, TSMLoc url, size_t *len) {
    int path_len, params_len, fragment_len;
    const char *path = TSUrlPathGet(buffer, url, &path_len);
    const char *params = TSUrlHttpParamsGet(buffer, url, &params_len);
    const char *fragment = TSUrlHttpFragmentGet(buffer, url, &fragment_len);
    char *raw = TSmalloc((size_t)path_len + (size_t)params_len + (size_t)fragment_len + 4), *end = raw;

    *end++ = '/';
    end = append(end, "", path, path_len);
    end = append(end, ";", params, params_len);
    end = append(end, "#", fragment, fragment_len);
    *len = (size_t)(end - raw);
    return raw;
}

/* Logs the refusal of a text; whether the request is refused. */
static bool refuse(
    TSMBuffer buffer, TSMLoc header, simdpct_result result, const char *where, const char *text, size_t len) {
    char line[512];

    simdpct_result_write(&result, text, len, line, sizeof line);
    TSError("[simdpct] %s%s%s", where, line, is_report_only ? ", report only" : "");
    set_field(buffer, header, REFUSAL, line);
    return !is_report_only;
}

static bool is_path_refused(TSMBuffer buffer, TSMLoc header, TSMLoc url) {
    char names[512];
    size_t len;
    char *raw = raw_path(buffer, url, &len), *canonical = TSmalloc(3 * len), *fragment = memchr(raw, '#', len);
    uint32_t kinds = simdpct_inspect(raw, len, SIMDPCT_FIND_ALL, NULL);
    simdpct_result result;
    uint32_t status;
    bool is_refused = false;

    simdpct_kinds_write(kinds, names, sizeof names);
    set_field(buffer, header, FINDINGS, kinds != 0 ? names : "-");

    if (fragment != NULL) {
        /* RFC 9112 3.2: a target has none. Servers that do not cut it off take it for a part of the path. */
        result = (simdpct_result) { (size_t)(fragment - raw), SIMDPCT_ILLEGAL_BYTE, '#' };
        status = result.status;
    } else {
        status = simdpct_path(&path_policy, raw, len, canonical, 3 * len, &result);
    }
    if (status != SIMDPCT_OK) {
        is_refused = refuse(buffer, header, result, "", raw, len);
    } else if (!is_report_only) {
        TSUrlPathSet(buffer, url, canonical + 1, (int)result.value - 1);
        TSUrlHttpParamsSet(buffer, url, "", 0);
    }
    TSfree(canonical);
    TSfree(raw);
    return is_refused;
}

static bool is_query_refused(TSMBuffer buffer, TSMLoc header, TSMLoc url) {
    int len;
    const char *query = TSUrlHttpQueryGet(buffer, url, &len);
    simdpct_result result = guard_check(query, (size_t)len, refused_in_query);

    return result.status != SIMDPCT_OK && refuse(buffer, header, result, "query: ", query, (size_t)len);
}

static bool is_refused(TSMBuffer buffer, TSMLoc header) {
    int len;
    TSMLoc url;
    bool is_refused = false;

    set_field(buffer, header, FINDINGS, NULL);
    set_field(buffer, header, REFUSAL, NULL);
    /* The target of CONNECT has no path. */
    if (TSHttpHdrMethodGet(buffer, header, &len) == TS_HTTP_METHOD_CONNECT
        || TSHttpHdrUrlGet(buffer, header, &url) != TS_SUCCESS) {
        return false;
    }
    is_refused = is_path_refused(buffer, header, url) || is_query_refused(buffer, header, url);
    TSHandleMLocRelease(buffer, header, url);
    return is_refused;
}

static int on_request(TSCont continuation, TSEvent event, void *data) {
    TSHttpTxn transaction = data;
    TSMBuffer buffer;
    TSMLoc header;
    TSEvent answer = TS_EVENT_HTTP_CONTINUE;

    (void)continuation;
    (void)event;
    /* Requests of other plugins do not come from a client. */
    if (!TSHttpTxnIsInternal(transaction) && TSHttpTxnClientReqGet(transaction, &buffer, &header) == TS_SUCCESS) {
        if (is_refused(buffer, header)) {
            static const char body[] = "refused\n";

            TSHttpTxnStatusSet(transaction, TS_HTTP_STATUS_BAD_REQUEST);
            TSHttpTxnErrorBodySet(transaction, TSstrdup(body), sizeof body - 1, TSstrdup("text/plain"));
            answer = TS_EVENT_HTTP_ERROR;
        }
        TSHandleMLocRelease(buffer, TS_NULL_MLOC, header);
    }
    TSHttpTxnReenable(transaction, answer);
    return 0;
}

void TSPluginInit(int argc, const char *argv[]) {
    static const char query[] = "--query=";
    TSPluginRegistrationInfo info = { "simdpct", "simdpct", "" };
    char text[1024] = "";
    size_t len = 0;
    simdpct_result result;

    if (TSPluginRegister(&info) != TS_SUCCESS) {
        TSFatal("[simdpct] cannot be registered");
    }
    /* Detects the CPU before there are requests. */
    simdpct_level();

    for (int index = 1; index < argc; index++) {
        if (strcmp(argv[index], "--report-only") == 0) {
            is_report_only = true;
        } else if (strncmp(argv[index], query, sizeof query - 1) == 0) {
            const char *kinds = argv[index] + sizeof query - 1;

            refused_in_query = guard_kinds_list(kinds, strlen(kinds));
            if (refused_in_query == 0) {
                TSFatal("[simdpct] invalid kinds \"%s\"", argv[index]);
            }
        } else if (len + strlen(argv[index]) + 2 > sizeof text) {
            TSFatal("[simdpct] the path policy is too long");
        } else {
            len += (size_t)sprintf(text + len, "%s ", argv[index]);
        }
    }
    if (guard_policy_init(&path_policy, text, len, &result) != SIMDPCT_OK) {
        /* Without a policy, every request would be let through. */
        TSFatal("[simdpct] invalid path policy \"%s\"", text + result.value);
    }
    TSHttpHookAdd(TS_HTTP_READ_REQUEST_HDR_HOOK, TSContCreate(on_request, NULL));
}
