/* vmod_simdpct.c - refuses requests by findings in their URL, and makes other URLs canonical. README.md has the
 * configuration, vmod_simdpct.vcc the functions. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "vcc_simdpct_if.h"

#include <simdpct.h>

struct vmod_simdpct_guard {
    unsigned magic;
#define VMOD_SIMDPCT_GUARD_MAGIC 0x51d9c701
    simdpct_guard guard;
};

VCL_VOID vmod_guard__init(VRT_CTX, struct VPFX(simdpct_guard) **object, const char *name, VCL_STRING text) {
    struct vmod_simdpct_guard *guard;
    char message[1024];

    (void)name;
    AN(object);
    AZ(*object);

    /* Detects the CPU before there are requests. */
    simdpct_level();
    ALLOC_OBJ(guard, VMOD_SIMDPCT_GUARD_MAGIC);
    AN(guard);
    /* Varnish calls the destructor of an object only if it is set. */
    *object = guard;

    text = text != NULL ? text : "";
    if (simdpct_guard_from_text(&guard->guard, text, strlen(text), NULL) != SIMDPCT_OK) {
        simdpct_guard_error(text, strlen(text), message, sizeof message);
        VRT_fail(ctx, "simdpct: %s", message);
    }
}

VCL_VOID vmod_guard__fini(struct VPFX(simdpct_guard) **object) {
    struct vmod_simdpct_guard *guard;

    TAKE_OBJ_NOTNULL(guard, object, VMOD_SIMDPCT_GUARD_MAGIC);
    FREE_OBJ(guard);
}

/* The decision of a guard on a URL, in the workspace of the request. */
struct decision {
    const char *url;
    const char *used; /* the URL to use; NULL if it is refused */
};

/* Decides on a URL, and logs a refusal. Returns the URL to use: the URL itself, or its canonical form in the workspace.
 * Returns NULL if the URL is refused. */
static const char *decide(VRT_CTX, const struct vmod_simdpct_guard *guard, const char *url) {
    /* Rules look at the path of a URL in origin form. Varnish converts only http://HOST/ to this form, and
     * forwards other absolute targets as they are: each is refused for its form, like an empty URL. */
    const size_t len = url[0] == '/' ? strlen(url) : 0;
    const unsigned room = WS_ReserveAll(ctx->ws);
    char line[1024], *space = WS_Reservation(ctx->ws);
    simdpct_verdict verdict;
    /* One byte is for the NUL. */
    const uint32_t action =
        simdpct_guard_check(&guard->guard, SIMDPCT_METHOD_OTHER, url, len, space, room > 0 ? room - 1 : 0, &verdict);

    if (action == SIMDPCT_ACTION_REWRITE) {
        space[verdict.value] = '\0';
        WS_Release(ctx->ws, (unsigned)verdict.value + 1);
        return space;
    }
    WS_Release(ctx->ws, 0);
    if (verdict.status != SIMDPCT_OK && ctx->vsl != NULL) {
        simdpct_verdict_write(&verdict, url, strlen(url), line, sizeof line);
        VSLb(ctx->vsl, SLT_VCL_Log, "simdpct: %s%s", line, action == SIMDPCT_ACTION_PASS ? ", report only" : "");
    }
    return action == SIMDPCT_ACTION_PASS ? url : NULL;
}

/* Like `decide`, but decides once for all calls of a request with the same URL. */
static const char *decide_once(VRT_CTX, const struct vmod_simdpct_guard *guard, const char *url) {
    struct vmod_priv *kept = VRT_priv_task(ctx, guard);
    struct decision *decision = kept != NULL ? kept->priv : NULL;
    const char *used;

    if (decision != NULL && strcmp(decision->url, url) == 0)
        return decision->used;

    used = decide(ctx, guard, url);
    if (kept != NULL) {
        /* If the workspace is full, the next call decides again. */
        kept->priv = NULL;
        decision = WS_Alloc(ctx->ws, sizeof *decision);
        if (decision != NULL && (decision->url = WS_Copy(ctx->ws, url, -1)) != NULL) {
            decision->used = used == url ? decision->url : used;
            kept->priv = decision;
        }
    }
    return used;
}

VCL_BOOL vmod_guard_accepts(VRT_CTX, struct VPFX(simdpct_guard) *guard, VCL_STRING url) {
    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(guard, VMOD_SIMDPCT_GUARD_MAGIC);
    return decide_once(ctx, guard, url != NULL ? url : "") != NULL;
}

VCL_STRING vmod_guard_canonical(VRT_CTX, struct VPFX(simdpct_guard) *guard, VCL_STRING url) {
    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(guard, VMOD_SIMDPCT_GUARD_MAGIC);
    return url != NULL ? decide_once(ctx, guard, url) : NULL;
}

VCL_STRING vmod_findings(VRT_CTX, VCL_STRING url) {
    char names[1024];

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    url = url != NULL ? url : "";
    simdpct_findings_write(url, simdpct_path_split(url, strlen(url)), names, sizeof names);
    return WS_Copy(ctx->ws, names, -1);
}
