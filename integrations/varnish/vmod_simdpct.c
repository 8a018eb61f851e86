/* vmod_simdpct.c - refuses requests by what their URL contains, and makes the others canonical. README.md has the
 * configuration, vmod_simdpct.vcc the functions. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "vcc_simdpct_if.h"

#include "guard.h"

struct vmod_simdpct_policy {
    unsigned magic;
#define VMOD_SIMDPCT_POLICY_MAGIC 0x51d9c701
    VCL_BOOL is_report_only;
    uint32_t query; /* kinds */
    simdpct_path_policy path;
};

VCL_VOID vmod_policy__init(VRT_CTX, struct VPFX(simdpct_policy) **object, const char *name, VCL_STRING path,
    VCL_STRING query, VCL_BOOL report_only) {
    struct vmod_simdpct_policy *policy;
    simdpct_result result;

    (void)name;
    AN(object);
    AZ(*object);

    /* Detects the CPU before there are requests. */
    simdpct_level();
    ALLOC_OBJ(policy, VMOD_SIMDPCT_POLICY_MAGIC);
    AN(policy);
    policy->is_report_only = report_only;
    /* Varnish calls the destructor of an object only if it is set. */
    *object = policy;

    path = path != NULL ? path : "";
    if (guard_policy_init(&policy->path, path, strlen(path), &result) != SIMDPCT_OK) {
        VRT_fail(ctx, "simdpct: invalid path policy \"%s\"", path + result.value);
        return;
    }
    if (query != NULL && *query != '\0') {
        policy->query = guard_kinds_list(query, strlen(query));
        if (policy->query == 0)
            VRT_fail(ctx, "simdpct: invalid kinds \"%s\"", query);
    }
}

VCL_VOID vmod_policy__fini(struct VPFX(simdpct_policy) **object) {
    struct vmod_simdpct_policy *policy;

    TAKE_OBJ_NOTNULL(policy, object, VMOD_SIMDPCT_POLICY_MAGIC);
    FREE_OBJ(policy);
}

/* The canonical URL in the workspace. NULL if it is refused: `result` says why, with a position in `text`. */
static const char *canonical_url(VRT_CTX, const struct vmod_simdpct_policy *policy, const char *url,
    simdpct_result *result, const char **text) {
    size_t len = strlen(url), path_len = simdpct_path_split(url, len), rest = len - path_len + 1, room, written;
    char *space;
    uint32_t status;

    room = WS_ReserveAll(ctx->ws);
    space = WS_Reservation(ctx->ws);
    *text = url;
    /* The query and NUL come after it. */
    status = simdpct_path(&policy->path, url, path_len, space, room > rest ? room - rest : 0, result);
    written = result->value;
    if (status == SIMDPCT_OK && path_len < len) {
        *text = url + path_len + 1;
        *result = guard_check(*text, len - path_len - 1, policy->query);
    }
    if (result->status != SIMDPCT_OK) {
        WS_Release(ctx->ws, 0);
        return NULL;
    }
    memcpy(space + written, url + path_len, rest);
    WS_Release(ctx->ws, (unsigned)(written + rest));
    return space;
}

VCL_BOOL vmod_policy_accepts(VRT_CTX, struct VPFX(simdpct_policy) *policy, VCL_STRING url) {
    char line[512];
    const char *text;
    simdpct_result result;
    uintptr_t snapshot;

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(policy, VMOD_SIMDPCT_POLICY_MAGIC);
    url = url != NULL ? url : "";
    snapshot = WS_Snapshot(ctx->ws);
    (void)canonical_url(ctx, policy, url, &result, &text);
    WS_Reset(ctx->ws, snapshot);
    if (result.status == SIMDPCT_OK)
        return 1;

    simdpct_result_write(&result, text, strlen(text), line, sizeof line);
    if (ctx->vsl != NULL)
        VSLb(ctx->vsl, SLT_VCL_Log, "simdpct: %s%s%s", text == url ? "" : "query: ", line,
            policy->is_report_only ? ", report only" : "");
    return policy->is_report_only;
}

VCL_STRING vmod_policy_canonical(VRT_CTX, struct VPFX(simdpct_policy) *policy, VCL_STRING url) {
    const char *text;
    simdpct_result result;

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(policy, VMOD_SIMDPCT_POLICY_MAGIC);
    if (policy->is_report_only || url == NULL)
        return url;
    return canonical_url(ctx, policy, url, &result, &text);
}

VCL_STRING vmod_findings(VRT_CTX, VCL_STRING url) {
    char names[512];
    uint32_t kinds;

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    url = url != NULL ? url : "";
    kinds = simdpct_inspect(url, simdpct_path_split(url, strlen(url)), SIMDPCT_FIND_ALL, NULL);
    simdpct_kinds_write(kinds, names, sizeof names);
    return WS_Copy(ctx->ws, kinds != 0 ? names : "-", -1);
}
