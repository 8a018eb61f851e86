/* mod_simdpct.c - refuses requests by what their raw target contains, and sets the canonical path before anything maps it.
 * README.md documents the directives and environment variables. */

#include <httpd.h>
#include <http_config.h>
#include <http_log.h>
#include <http_protocol.h>

#include <apr_strings.h>

#include "guard.h"

#define UNSET (-1)

/* Of a server or virtual host. */
typedef struct {
    int has_refuse, has_refuse_args, has_path;
    uint32_t refuse;             /* kinds, of the path */
    uint32_t refuse_args;        /* kinds, of the query */
    simdpct_path_policy *path;   /* NULL: off */
    int is_dry_run;              /* or UNSET */
} simdpct_config;

module AP_MODULE_DECLARE_DATA simdpct_module;

/* The canonical path, in the pool of the request. */
static simdpct_result canonical_path(request_rec *r, const simdpct_path_policy *policy, const char *path, char **canonical) {
    const size_t len = strlen(path);
    size_t room = len;
    uint32_t status;
    simdpct_result result;

    do {
        /* One more, for the NUL. */
        *canonical = apr_palloc(r->pool, room + 1);
        status = simdpct_path(policy, path, len, *canonical, room, &result);
        /* The room needed is more than there was, so this ends. */
        room = result.value;
    } while (status == SIMDPCT_NO_ROOM);

    if (result.status == SIMDPCT_OK) {
        (*canonical)[result.value] = '\0';
    }
    return result;
}

/* The names of the kinds found, or "-". */
static const char *findings(request_rec *r, const char *text) {
    const uint32_t kinds = simdpct_inspect(text, strlen(text), SIMDPCT_FIND_ALL, NULL);
    size_t len;
    char *names;

    if (kinds == 0) {
        return "-";
    }
    len = simdpct_kinds_write(kinds, NULL, 0);
    names = apr_palloc(r->pool, len + 1);
    simdpct_kinds_write(kinds, names, len + 1);
    return names;
}

/* Runs once for each request of a client, before r->uri is decoded: not for subrequests and internal redirects. */
static int check_request(request_rec *r) {
    const simdpct_config *config = ap_get_module_config(r->server->module_config, &simdpct_module);
    const char *args = r->args != NULL ? r->args : "", *text = r->uri;
    char *canonical = NULL;
    simdpct_result result;

    /* The authority of CONNECT, "*" of OPTIONS, and the URIs of a forward proxy, with which mod_proxy has replaced the path.
     * The core refuses other targets that do not begin with a slash. */
    if (r->method_number == M_CONNECT || r->uri == NULL || r->uri[0] != '/') {
        return DECLINED;
    }

    apr_table_setn(r->subprocess_env, "SIMDPCT_FINDINGS", findings(r, r->uri));
    apr_table_setn(r->subprocess_env, "SIMDPCT_ARGS_FINDINGS", findings(r, args));
    apr_table_setn(r->subprocess_env, "SIMDPCT_STATUS", "PASSED");

    result = guard_check(r->uri, strlen(r->uri), config->refuse);
    if (result.status == SIMDPCT_OK && config->path != NULL) {
        result = canonical_path(r, config->path, r->uri, &canonical);
    }
    if (result.status == SIMDPCT_OK) {
        text = args;
        result = guard_check(args, strlen(args), config->refuse_args);
    }

    if (result.status != SIMDPCT_OK) {
        const int is_dry_run = config->is_dry_run == 1;
        char line[512];

        simdpct_result_write(&result, text, strlen(text), line, sizeof line);
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "simdpct: %s%s", line, is_dry_run ? ", dry run" : "");
        apr_table_setn(r->subprocess_env, "SIMDPCT_STATUS", is_dry_run ? "REFUSED_DRY_RUN" : "REFUSED");
        return is_dry_run ? DECLINED : HTTP_BAD_REQUEST;
    }

    if (canonical != NULL) {
        apr_table_setn(r->subprocess_env, "SIMDPCT_PATH", canonical);
    }
    if (canonical != NULL && config->is_dry_run != 1) {
        /* r->the_request keeps what the client sent, for logs. */
        r->uri = r->parsed_uri.path = canonical;
        r->unparsed_uri = apr_pstrcat(r->pool, canonical, r->args != NULL ? "?" : NULL, r->args, NULL);
    }
    return DECLINED;
}

/* ---- Configuration ---- */

static void *create_config(apr_pool_t *pool, server_rec *server) {
    simdpct_config *config = apr_pcalloc(pool, sizeof *config);

    (void)server;
    config->is_dry_run = UNSET;
    return config;
}

static void *merge_config(apr_pool_t *pool, void *parent, void *child) {
    const simdpct_config *outer = parent;
    simdpct_config *config = apr_pmemdup(pool, child, sizeof *config);

    if (!config->has_refuse) {
        config->refuse = outer->refuse;
    }
    if (!config->has_refuse_args) {
        config->refuse_args = outer->refuse_args;
    }
    if (!config->has_path) {
        config->path = outer->path;
    }
    if (config->is_dry_run == UNSET) {
        config->is_dry_run = outer->is_dry_run;
    }
    return config;
}

static simdpct_config *config_of(cmd_parms *cmd) {
    return ap_get_module_config(cmd->server->module_config, &simdpct_module);
}

static const char *set_kinds(cmd_parms *cmd, int argc, char *const argv[], uint32_t *kinds, int *has_kinds) {
    if (argc == 0) {
        return apr_pstrcat(cmd->pool, cmd->cmd->name, " needs kinds, \"default\" or \"off\"", NULL);
    }
    *has_kinds = 1;
    *kinds = 0;
    if (argc == 1 && strcmp(argv[0], "off") == 0) {
        return NULL;
    }
    for (int i = 0; i < argc; i++) {
        const uint32_t kind = guard_kinds(argv[i], strlen(argv[i]));
        if (kind == 0) {
            return apr_pstrcat(cmd->pool, "invalid kind \"", argv[i], "\"", NULL);
        }
        *kinds |= kind;
    }
    return NULL;
}

static const char *set_refuse(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    simdpct_config *config = config_of(cmd);

    (void)unused;
    return set_kinds(cmd, argc, argv, &config->refuse, &config->has_refuse);
}

static const char *set_refuse_args(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    simdpct_config *config = config_of(cmd);

    (void)unused;
    return set_kinds(cmd, argc, argv, &config->refuse_args, &config->has_refuse_args);
}

static const char *set_path(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    simdpct_config *config = config_of(cmd);
    const char *text = "";
    simdpct_result result;

    (void)unused;
    config->has_path = 1;
    config->path = NULL;
    if (argc == 1 && strcmp(argv[0], "off") == 0) {
        return NULL;
    }
    for (int i = 0; i < argc; i++) {
        text = apr_pstrcat(cmd->pool, text, argv[i], " ", NULL);
    }
    config->path = apr_palloc(cmd->pool, sizeof *config->path);
    if (guard_policy_init(config->path, text, strlen(text), &result) != SIMDPCT_OK) {
        text += result.value;
        return apr_pstrcat(cmd->pool, "invalid path policy \"", apr_pstrmemdup(cmd->pool, text, strcspn(text, " ")), "\"", NULL);
    }
    return NULL;
}

static const char *set_dry_run(cmd_parms *cmd, void *unused, int is_on) {
    (void)unused;
    config_of(cmd)->is_dry_run = is_on ? 1 : 0;
    return NULL;
}

static const command_rec commands[] = {
    AP_INIT_TAKE_ARGV("SimdpctRefuse", set_refuse, NULL, RSRC_CONF, "kinds refused in the path, \"default\" or \"off\""),
    AP_INIT_TAKE_ARGV("SimdpctRefuseArgs", set_refuse_args, NULL, RSRC_CONF, "kinds refused in the query, \"default\" or \"off\""),
    AP_INIT_TAKE_ARGV("SimdpctPath", set_path, NULL, RSRC_CONF, "path policy: a preset and options, or \"off\""),
    AP_INIT_FLAG("SimdpctDryRun", set_dry_run, NULL, RSRC_CONF, "log only: refuse nothing and set no path"),
    {0},
};

static void register_hooks(apr_pool_t *pool) {
    static const char *const before[] = {"mod_proxy.c", NULL};

    (void)pool;
    /* Detects the CPU before there are children. */
    simdpct_level();
    /* After mod_proxy has recognised requests of a forward proxy, and before others use r->uri, as mod_setenvif does. */
    ap_hook_post_read_request(check_request, before, NULL, APR_HOOK_FIRST);
}

AP_DECLARE_MODULE(simdpct) = {
    STANDARD20_MODULE_STUFF, NULL, NULL, create_config, merge_config, commands, register_hooks, 0,
};
