/* simdpct.c - a plugin that refuses requests by findings in their target, and makes the paths of other requests
 * canonical before they are remapped or looked up in the cache. README.md has the configuration. */

#include <simdpct.h>
#include <string.h>

#include <ts/ts.h>

/* Plugins and logs see header fields whose names begin with '@'. These fields are never sent. */
#define FINDINGS "@Simdpct-Findings"
#define REFUSAL "@Simdpct-Refusal"

static simdpct_guard guard;

/* Sets a header field. NULL removes the field, because a client may have sent it. */
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

/* The target as the client sent it; the caller frees it. Traffic Server has split off the parameters from the first
 * ';', the query and a fragment. It has dropped an empty query, and all slashes at the start except one. */
static char *raw_target(TSMBuffer buffer, TSMLoc url, size_t *len) {
    int path_len, params_len, query_len, fragment_len;
    const char *path = TSUrlPathGet(buffer, url, &path_len);
    const char *params = TSUrlHttpParamsGet(buffer, url, &params_len);
    const char *query = TSUrlHttpQueryGet(buffer, url, &query_len);
    const char *fragment = TSUrlHttpFragmentGet(buffer, url, &fragment_len);
    size_t most = (size_t)path_len + (size_t)params_len + (size_t)query_len + (size_t)fragment_len + sizeof "/;?#";
    char *raw = TSmalloc(most), *end = raw;

    *end++ = '/';
    end = append(end, "", path, path_len);
    end = append(end, ";", params, params_len);
    end = append(end, "?", query, query_len);
    end = append(end, "#", fragment, fragment_len);
    *len = (size_t)(end - raw);
    return raw;
}

/* Returns true if the target is refused. Otherwise makes its path canonical, and returns false. */
static bool is_target_refused(TSMBuffer buffer, TSMLoc header, TSMLoc url) {
    char line[1024];
    size_t len;
    char *raw = raw_target(buffer, url, &len), *room = TSmalloc(3 * len + 3);
    simdpct_verdict verdict;
    uint32_t action = simdpct_guard_check(&guard, SIMDPCT_METHOD_OTHER, raw, len, room, 3 * len + 3, &verdict);

    simdpct_findings_write(raw, simdpct_path_split(raw, len), line, sizeof line);
    set_field(buffer, header, FINDINGS, line);

    if (verdict.status != SIMDPCT_OK) {
        simdpct_verdict_write(&verdict, raw, len, line, sizeof line);
        TSError("[simdpct] %s%s", line, action == SIMDPCT_ACTION_PASS ? ", report only" : "");
        set_field(buffer, header, REFUSAL, line);
    }
    /* Traffic Server takes the path without its slash. */
    if (action == SIMDPCT_ACTION_REWRITE
        && (TSUrlPathSet(buffer, url, room + 1, (int)simdpct_path_split(room, verdict.value) - 1) != TS_SUCCESS
            || TSUrlHttpParamsSet(buffer, url, "", 0) != TS_SUCCESS)) {
        TSError("[simdpct] the path cannot be set");
        action = SIMDPCT_ACTION_REFUSE;
    }
    TSfree(room);
    TSfree(raw);
    return action == SIMDPCT_ACTION_REFUSE;
}

static bool is_refused(TSMBuffer buffer, TSMLoc header) {
    int len;
    TSMLoc url;
    bool is_refused;

    set_field(buffer, header, FINDINGS, NULL);
    set_field(buffer, header, REFUSAL, NULL);
    /* The target of CONNECT has no path. */
    if (TSHttpHdrMethodGet(buffer, header, &len) == TS_HTTP_METHOD_CONNECT) {
        return false;
    }
    if (TSHttpHdrUrlGet(buffer, header, &url) != TS_SUCCESS) {
        TSError("[simdpct] a request has no target");
        return true;
    }
    is_refused = is_target_refused(buffer, header, url);
    TSHandleMLocRelease(buffer, header, url);
    return is_refused;
}

static int on_request(TSCont continuation, TSEvent event, void *data) {
    TSHttpTxn transaction = data;
    TSMBuffer buffer;
    TSMLoc header;
    bool is_accepted = false;

    (void)continuation;
    (void)event;
    /* Requests of other plugins do not come from a client. */
    if (TSHttpTxnIsInternal(transaction)) {
        is_accepted = true;
    } else if (TSHttpTxnClientReqGet(transaction, &buffer, &header) == TS_SUCCESS) {
        is_accepted = !is_refused(buffer, header);
        TSHandleMLocRelease(buffer, TS_NULL_MLOC, header);
    }
    if (!is_accepted) {
        static const char body[] = "refused\n";

        TSHttpTxnStatusSet(transaction, TS_HTTP_STATUS_BAD_REQUEST);
        TSHttpTxnErrorBodySet(transaction, TSstrdup(body), sizeof body - 1, TSstrdup("text/plain"));
    }
    TSHttpTxnReenable(transaction, is_accepted ? TS_EVENT_HTTP_CONTINUE : TS_EVENT_HTTP_ERROR);
    return 0;
}

void TSPluginInit(int argc, const char *argv[]) {
    TSPluginRegistrationInfo info = {"simdpct", "simdpct", ""};
    char text[1024] = "", message[1024];
    size_t len = 0;

    if (TSPluginRegister(&info) != TS_SUCCESS) {
        TSFatal("[simdpct] cannot be registered");
    }
    /* Detects the CPU before there are requests. */
    simdpct_level();

    for (int index = 1; index < argc; index++) {
        if (len + strlen(argv[index]) + 2 > sizeof text) {
            TSFatal("[simdpct] the arguments are too long");
        }
        len = (size_t)(stpcpy(stpcpy(text + len, argv[index]), " ") - text);
    }
    if (simdpct_guard_from_text(&guard, text, len, NULL) != SIMDPCT_OK) {
        /* Without a guard, every request would pass. */
        simdpct_guard_error(text, len, message, sizeof message);
        TSFatal("[simdpct] %s", message);
    }
    TSHttpHookAdd(TS_HTTP_READ_REQUEST_HDR_HOOK, TSContCreate(on_request, NULL));
}
