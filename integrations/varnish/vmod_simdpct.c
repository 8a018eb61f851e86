/* vmod_simdpct.c - refuses requests by what their URL contains, and makes the others canonical. README.md has the
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

/* Decides on a URL, and returns the one to use: the URL itself, or its canonical form in the workspace. NULL if it is
 * refused. */
static const char *decide(VRT_CTX, const struct vmod_simdpct_guard *guard, const char *url, simdpct_verdict *verdict) {
    const unsigned room = WS_ReserveAll(ctx->ws);
    char *space = WS_Reservation(ctx->ws);
    /* One byte is for the NUL. */
    const uint32_t action = simdpct_guard_check(
        &guard->guard, SIMDPCT_METHOD_OTHER, url, strlen(url), space, room > 0 ? room - 1 : 0, verdict);

    if (action != SIMDPCT_ACTION_REWRITE) {
        WS_Release(ctx->ws, 0);
        return action == SIMDPCT_ACTION_PASS ? url : NULL;
    }
    space[verdict->value] = '\0';
    WS_Release(ctx->ws, (unsigned)verdict->value + 1);
    return space;
}

VCL_BOOL vmod_guard_accepts(VRT_CTX, struct VPFX(simdpct_guard) *guard, VCL_STRING url) {
    char line[1024];
    const char *found;
    simdpct_verdict verdict;
    uintptr_t snapshot;

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(guard, VMOD_SIMDPCT_GUARD_MAGIC);
    url = url != NULL ? url : "";
    snapshot = WS_Snapshot(ctx->ws);
    found = decide(ctx, guard, url, &verdict);
    WS_Reset(ctx->ws, snapshot);

    if (verdict.status != SIMDPCT_OK && ctx->vsl != NULL) {
        simdpct_verdict_write(&verdict, url, strlen(url), line, sizeof line);
        VSLb(ctx->vsl, SLT_VCL_Log, "simdpct: %s%s", line, found != NULL ? ", report only" : "");
    }
    return found != NULL;
}

VCL_STRING vmod_guard_canonical(VRT_CTX, struct VPFX(simdpct_guard) *guard, VCL_STRING url) {
    simdpct_verdict verdict;

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    CHECK_OBJ_NOTNULL(guard, VMOD_SIMDPCT_GUARD_MAGIC);
    return url != NULL ? decide(ctx, guard, url, &verdict) : NULL;
}

VCL_STRING vmod_findings(VRT_CTX, VCL_STRING url) {
    char names[1024];

    CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
    url = url != NULL ? url : "";
    simdpct_findings_write(url, simdpct_path_split(url, strlen(url)), names, sizeof names);
    return WS_Copy(ctx->ws, names, -1);
}
