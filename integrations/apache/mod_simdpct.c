/* mod_simdpct.c - refuses requests by findings in their raw target, and sets the canonical path before anything maps
 * it. README.md documents the directives and environment variables. */

#include <httpd.h>
#include <http_config.h>
#include <http_log.h>
#include <http_protocol.h>

#include <apr_strings.h>

#include <simdpct.h>

#define UNSET (-1)

/* The configuration of a server or virtual host. */
typedef struct {
    /* The words of a guard's text. NULL means not set. */
    const char *refuse, *refuse_args; /* names of kinds, separated by commas */
    const char *path;                 /* a path policy, or "off" */
    int is_dry_run;                   /* or UNSET */
    simdpct_guard *guard;             /* made of all these words; NULL: off */
} simdpct_config;

module AP_MODULE_DECLARE_DATA simdpct_module;

/* The names of the kinds found, or "-". */
static const char *findings(request_rec *r, const char *text) {
    const size_t len = strlen(text), room = simdpct_findings_write(text, len, NULL, 0) + 1;
    char *names = apr_palloc(r->pool, room);

    simdpct_findings_write(text, len, names, room);
    return names;
}

/* Decides on a target. Replaces it by the rewritten target, in the pool of the request. */
static uint32_t decide(request_rec *r, const simdpct_guard *guard, char **target, simdpct_verdict *verdict) {
    const size_t len = strlen(*target);
    char space[4096], *room = space;
    uint32_t action = simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, *target, len, room, sizeof space, verdict);

    if (verdict->status == SIMDPCT_NO_ROOM) {
        const size_t needed = verdict->value;

        room = apr_palloc(r->pool, needed);
        action = simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, *target, len, room, needed, verdict);
    }
    if (action == SIMDPCT_ACTION_REWRITE) {
        *target = apr_pstrmemdup(r->pool, room, verdict->value);
    }
    return action;
}

/* The target in origin form, as the client sent it. With `HttpProtocolOptions Unsafe`, httpd decides on the path
 * without its fragment, but forwards the fragment: a guard refuses such a target. */
static char *raw_target(request_rec *r) {
    const char *fragment = strchr(r->unparsed_uri, '#');

    return apr_pstrcat(r->pool, r->uri, r->args != NULL ? "?" : "", r->args != NULL ? r->args : "",
        fragment != NULL ? fragment : "", NULL);
}

/* Runs once for each request of a client, before r->uri is decoded: not for subrequests and internal redirects. */
static int check_request(request_rec *r) {
    const simdpct_config *config = ap_get_module_config(r->server->module_config, &simdpct_module);
    const int is_dry_run = config->is_dry_run == 1;
    const int has_path = config->path != NULL && strcmp(config->path, "off") != 0;
    char *target;
    simdpct_verdict verdict;

    /* Skips the authority of CONNECT, "*" of OPTIONS, and URIs for a forward proxy, which mod_proxy has put in place of
     * the path. The core refuses other targets that do not begin with a slash. */
    if (r->method_number == M_CONNECT || r->uri == NULL || r->uri[0] != '/') {
        return DECLINED;
    }

    apr_table_setn(r->subprocess_env, "SIMDPCT_FINDINGS", findings(r, r->uri));
    apr_table_setn(r->subprocess_env, "SIMDPCT_ARGS_FINDINGS", findings(r, r->args != NULL ? r->args : ""));
    apr_table_setn(r->subprocess_env, "SIMDPCT_STATUS", "PASSED");
    if (config->guard == NULL) {
        return DECLINED;
    }

    target = raw_target(r);
    if (decide(r, config->guard, &target, &verdict) == SIMDPCT_ACTION_REFUSE) {
        char line[1024];

        simdpct_verdict_write(&verdict, target, strlen(target), line, sizeof line);
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, "simdpct: %s%s", line, is_dry_run ? ", report only" : "");
        apr_table_setn(r->subprocess_env, "SIMDPCT_STATUS", is_dry_run ? "REFUSED_DRY_RUN" : "REFUSED");
        return is_dry_run ? DECLINED : HTTP_BAD_REQUEST;
    }

    if (has_path) {
        char *path = apr_pstrmemdup(r->pool, target, simdpct_path_split(target, strlen(target)));

        apr_table_setn(r->subprocess_env, "SIMDPCT_PATH", path);
        if (!is_dry_run) {
            /* Sets the path even if nothing was rewritten, because httpd decodes and encodes the path of a target in
             * absolute form. For logs, r->the_request keeps the line that the client sent. */
            r->uri = r->parsed_uri.path = path;
            r->unparsed_uri = target;
        }
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

    config->refuse = config->refuse != NULL ? config->refuse : outer->refuse;
    config->refuse_args = config->refuse_args != NULL ? config->refuse_args : outer->refuse_args;
    config->path = config->path != NULL ? config->path : outer->path;
    config->is_dry_run = config->is_dry_run != UNSET ? config->is_dry_run : outer->is_dry_run;
    return config;
}

/* Makes the guard of each server, once all of them have inherited. */
static int make_guards(apr_pool_t *pool, apr_pool_t *log, apr_pool_t *temporary, server_rec *server) {
    char message[1024];

    (void)log;
    for (; server != NULL; server = server->next) {
        simdpct_config *config = ap_get_module_config(server->module_config, &simdpct_module);
        const char *text = apr_pstrcat(temporary, "path=", config->refuse != NULL ? config->refuse : "",
            " query=", config->refuse_args != NULL ? config->refuse_args : "", " ",
            config->path != NULL ? config->path : "off", NULL);

        if (strcmp(text, "path= query= off") == 0) {
            continue;
        }
        config->guard = apr_palloc(pool, sizeof *config->guard);
        if (simdpct_guard_from_text(config->guard, text, strlen(text), NULL) != SIMDPCT_OK) {
            /* Not expected, because each directive was valid. Without a guard, every request would pass. */
            simdpct_guard_error(text, strlen(text), message, sizeof message);
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, server, "simdpct: %s", message);
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return OK;
}

static simdpct_config *config_of(cmd_parms *cmd) {
    return ap_get_module_config(cmd->server->module_config, &simdpct_module);
}

static const char *set_kinds(cmd_parms *cmd, int argc, char *const argv[], const char **kinds) {
    uint32_t all = 0;
    size_t room;
    char *names;

    if (argc == 0) {
        return apr_pstrcat(cmd->pool, cmd->cmd->name, " needs kinds, \"default\" or \"off\"", NULL);
    }
    if (argc > 1 || strcmp(argv[0], "off") != 0) {
        for (int i = 0; i < argc; i++) {
            uint32_t kind;

            if (!simdpct_kinds_from_text(argv[i], strlen(argv[i]), &kind)) {
                return apr_pstrcat(cmd->pool, "invalid kind \"", argv[i], "\"", NULL);
            }
            all |= kind;
        }
    }
    room = simdpct_kinds_write(all, NULL, 0) + 1;
    *kinds = names = apr_palloc(cmd->pool, room);
    simdpct_kinds_write(all, names, room);
    return NULL;
}

static const char *set_refuse(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    (void)unused;
    return set_kinds(cmd, argc, argv, &config_of(cmd)->refuse);
}

static const char *set_refuse_args(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    (void)unused;
    return set_kinds(cmd, argc, argv, &config_of(cmd)->refuse_args);
}

static const char *set_path(cmd_parms *cmd, void *unused, int argc, char *const argv[]) {
    const char *text = "";
    char message[1024];
    simdpct_path_policy policy;

    (void)unused;
    if (argc == 1 && strcmp(argv[0], "off") == 0) {
        config_of(cmd)->path = "off";
        return NULL;
    }
    for (int i = 0; i < argc; i++) {
        text = apr_pstrcat(cmd->pool, text, argv[i], " ", NULL);
    }
    config_of(cmd)->path = text;
    if (simdpct_path_policy_init(&policy, text, strlen(text), NULL) != SIMDPCT_OK) {
        simdpct_path_policy_error(text, strlen(text), message, sizeof message);
        return apr_pstrcat(cmd->pool, "invalid path policy: ", message, NULL);
    }
    return NULL;
}

static const char *set_dry_run(cmd_parms *cmd, void *unused, int is_on) {
    (void)unused;
    config_of(cmd)->is_dry_run = is_on ? 1 : 0;
    return NULL;
}

static const command_rec commands[] = {
    AP_INIT_TAKE_ARGV(
        "SimdpctRefuse", set_refuse, NULL, RSRC_CONF, "kinds refused in the path, \"default\" or \"off\""),
    AP_INIT_TAKE_ARGV(
        "SimdpctRefuseArgs", set_refuse_args, NULL, RSRC_CONF, "kinds refused in the query, \"default\" or \"off\""),
    AP_INIT_TAKE_ARGV("SimdpctPath", set_path, NULL, RSRC_CONF, "path policy: a preset and options, or \"off\""),
    AP_INIT_FLAG("SimdpctDryRun", set_dry_run, NULL, RSRC_CONF, "report only: log, refuse nothing and set no path"),
    {0},
};

static void register_hooks(apr_pool_t *pool) {
    static const char *const before[] = {"mod_proxy.c", NULL};

    (void)pool;
    /* Detects the CPU before there are children. */
    simdpct_level();
    ap_hook_post_config(make_guards, NULL, NULL, APR_HOOK_MIDDLE);
    /* Runs after mod_proxy has recognized requests for a forward proxy, and before mod_setenvif and others use
     * r->uri. */
    ap_hook_post_read_request(check_request, before, NULL, APR_HOOK_FIRST);
}

AP_DECLARE_MODULE(simdpct) = {
    STANDARD20_MODULE_STUFF, NULL, NULL, create_config, merge_config, commands, register_hooks, 0};
