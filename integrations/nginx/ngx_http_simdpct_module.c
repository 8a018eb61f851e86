/* ngx_http_simdpct_module.c - makes the canonical target of a request nginx's own before nginx chooses a location, and
 * refuses requests by findings in their raw target. README.md documents the directives and variables. */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <simdpct.h>

typedef struct {
    ngx_uint_t            level;       /* 0: http, 1: server, more: location */
    ngx_uint_t            refuse;      /* kinds, of the path; in a location, all that it and its parents add */
    ngx_uint_t            refuse_args; /* kinds, of the query */
    ngx_uint_t            status;
    ngx_uint_t            log_level;
    ngx_flag_t            dry_run;
    ngx_flag_t            arg_control;
    simdpct_path_policy  *path;        /* NULL: off */
    simdpct_guard        *guard;       /* of the server; in a location, of the added kinds; NULL: none */
} ngx_http_simdpct_conf_t;

typedef struct {
    ngx_uint_t            log_rate;    /* lines a second, of each worker; 0: no limit */
} ngx_http_simdpct_main_conf_t;

typedef enum {
    NGX_HTTP_SIMDPCT_PASSED = 0,
    NGX_HTTP_SIMDPCT_REFUSED,
    NGX_HTTP_SIMDPCT_REFUSED_DRY_RUN
} ngx_http_simdpct_status_e;

/* The context of an examined request. */
typedef struct {
    ngx_str_t                  target; /* in origin form, as the client sent it */
    ngx_http_simdpct_status_e  status;
} ngx_http_simdpct_ctx_t;

typedef enum {
    NGX_HTTP_SIMDPCT_DECODE = 0,
    NGX_HTTP_SIMDPCT_ENCODE,
    NGX_HTTP_SIMDPCT_NORMALIZE
} ngx_http_simdpct_operation_e;

/* A variable that simdpct_decode, simdpct_encode or simdpct_normalize defines. */
typedef struct {
    ngx_http_complex_value_t      source;
    ngx_http_simdpct_operation_e  operation;
    union {
        simdpct_decoder           decoder;
        simdpct_encoder           encoder;
        simdpct_normalizer        normalizer;
    } policy;
} ngx_http_simdpct_conversion_t;

static ngx_int_t ngx_http_simdpct_server_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_simdpct_location_handler(ngx_http_request_t *r);
static void ngx_http_simdpct_cleanup(void *data);
static ngx_int_t ngx_http_simdpct_add_variables(ngx_conf_t *cf);
static ngx_int_t ngx_http_simdpct_init(ngx_conf_t *cf);
static void *ngx_http_simdpct_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_simdpct_init_main_conf(ngx_conf_t *cf, void *conf);
static void *ngx_http_simdpct_create_conf(ngx_conf_t *cf);
static char *ngx_http_simdpct_merge_conf(ngx_conf_t *cf, void *parent, void *child);
static char *ngx_http_simdpct_refuse(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_simdpct_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_simdpct_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Decoders for forms; the second refuses control characters. Initialized with the configuration. */
static simdpct_decoder  ngx_http_simdpct_form;
static simdpct_decoder  ngx_http_simdpct_form_text;

static ngx_conf_num_bounds_t  ngx_http_simdpct_status_bounds = {
    ngx_conf_check_num_bounds, 400, 599
};

static ngx_conf_enum_t  ngx_http_simdpct_log_levels[] = {
    { ngx_string("info"), NGX_LOG_INFO },
    { ngx_string("notice"), NGX_LOG_NOTICE },
    { ngx_string("warn"), NGX_LOG_WARN },
    { ngx_string("error"), NGX_LOG_ERR },
    { ngx_null_string, 0 }
};

static ngx_command_t  ngx_http_simdpct_commands[] = {

    { ngx_string("simdpct_refuse"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_simdpct_refuse,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, refuse),
      NULL },

    { ngx_string("simdpct_refuse_args"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_simdpct_refuse,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, refuse_args),
      NULL },

    { ngx_string("simdpct_refuse_status"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, status),
      &ngx_http_simdpct_status_bounds },

    { ngx_string("simdpct_refuse_log_level"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, log_level),
      &ngx_http_simdpct_log_levels },

    { ngx_string("simdpct_dry_run"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, dry_run),
      NULL },

    { ngx_string("simdpct_refuse_log_rate"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_simdpct_main_conf_t, log_rate),
      NULL },

    { ngx_string("simdpct_path"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_simdpct_path,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("simdpct_arg_control"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_simdpct_conf_t, arg_control),
      NULL },

    { ngx_string("simdpct_decode"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_2MORE,
      ngx_http_simdpct_convert,
      NGX_HTTP_MAIN_CONF_OFFSET,
      NGX_HTTP_SIMDPCT_DECODE,
      NULL },

    { ngx_string("simdpct_encode"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_2MORE,
      ngx_http_simdpct_convert,
      NGX_HTTP_MAIN_CONF_OFFSET,
      NGX_HTTP_SIMDPCT_ENCODE,
      NULL },

    { ngx_string("simdpct_normalize"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_2MORE,
      ngx_http_simdpct_convert,
      NGX_HTTP_MAIN_CONF_OFFSET,
      NGX_HTTP_SIMDPCT_NORMALIZE,
      NULL },

      ngx_null_command
};

static ngx_http_module_t  ngx_http_simdpct_module_ctx = {
    ngx_http_simdpct_add_variables,   /* preconfiguration */
    ngx_http_simdpct_init,            /* postconfiguration */
    ngx_http_simdpct_create_main_conf,
    ngx_http_simdpct_init_main_conf,
    NULL, NULL,                       /* server configuration */
    ngx_http_simdpct_create_conf,
    ngx_http_simdpct_merge_conf
};

ngx_module_t  ngx_http_simdpct_module = {
    NGX_MODULE_V1,
    &ngx_http_simdpct_module_ctx,
    ngx_http_simdpct_commands,
    NGX_HTTP_MODULE,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NGX_MODULE_V1_PADDING
};


/* ---- Requests ---- */

/* The context of the main request. NULL if the request was not examined. An internal redirect drops contexts, but keeps
 * cleanups. */
static ngx_http_simdpct_ctx_t *
ngx_http_simdpct_get_ctx(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t      *cleanup;
    ngx_http_simdpct_ctx_t  *ctx = ngx_http_get_module_ctx(r->main, ngx_http_simdpct_module);

    if (ctx == NULL && (r->main->internal || r->main->filter_finalize)) {

        for (cleanup = r->main->pool->cleanup; cleanup; cleanup = cleanup->next) {
            if (cleanup->handler == ngx_http_simdpct_cleanup) {
                return cleanup->data;
            }
        }
    }

    return ctx;
}


/* A cleanup that does nothing: it only serves to find the context. */
static void
ngx_http_simdpct_cleanup(void *data)
{
    (void) data;
}


/* The target of the main request as the client sent it, in origin form. For `http://host?a`, it is "?a". */
static ngx_str_t
ngx_http_simdpct_raw_target(ngx_http_request_t *r)
{
    ngx_http_simdpct_ctx_t  *ctx = ngx_http_simdpct_get_ctx(r);

    return ctx != NULL ? ctx->target : r->main->unparsed_uri;
}


/* The path of a target in origin form. */
static ngx_str_t
ngx_http_simdpct_path_of(ngx_str_t target)
{
    target.len = simdpct_path_split(target.data, target.len);

    if (target.len == 0) {
        ngx_str_set(&target, "/");
    }

    return target;
}


/* The query of a target, without its '?'. */
static ngx_str_t
ngx_http_simdpct_args_of(ngx_str_t target)
{
    size_t  cut = simdpct_path_split(target.data, target.len);

    if (cut < target.len) {
        cut++;
    }

    target.data += cut;
    target.len -= cut;

    return target;
}


static ngx_http_simdpct_ctx_t *
ngx_http_simdpct_create_ctx(ngx_http_request_t *r)
{
    u_char                  *data;
    ngx_pool_cleanup_t      *cleanup;
    ngx_http_simdpct_ctx_t  *ctx;

    cleanup = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_simdpct_ctx_t));
    if (cleanup == NULL) {
        return NULL;
    }

    cleanup->handler = ngx_http_simdpct_cleanup;
    ctx = cleanup->data;
    ctx->status = NGX_HTTP_SIMDPCT_PASSED;
    ctx->target = r->unparsed_uri;

    if (ctx->target.len == 0 || ctx->target.data[0] == '?') {
        /* RFC 9112 3.2.1: an absolute target without a path has the path "/". nginx's parser reads a byte more. */
        data = ngx_pnalloc(r->pool, ctx->target.len + 2);
        if (data == NULL) {
            return NULL;
        }

        data[0] = '/';
        ngx_memcpy(data + 1, ctx->target.data, ctx->target.len);
        data[ctx->target.len + 1] = '\0';
        ctx->target.data = data;
        ctx->target.len++;
    }

    ngx_http_set_ctx(r, ctx, ngx_http_simdpct_module);
    return ctx;
}


/* Writes a line to the error log, unless this worker has written enough of them in this second. */
static void
ngx_http_simdpct_log(ngx_http_request_t *r, ngx_http_simdpct_conf_t *conf, const char *line)
{
    static time_t                  second;
    static ngx_uint_t              lines, left_out;
    ngx_log_t                     *log = r->connection->log;
    ngx_http_simdpct_main_conf_t  *main;

    if (log->log_level < conf->log_level) {
        return;
    }

    main = ngx_http_get_module_main_conf(r, ngx_http_simdpct_module);

    if (second != ngx_time()) {
        second = ngx_time();
        lines = 0;

        if (left_out) {
            ngx_log_error(conf->log_level, ngx_cycle->log, 0, "simdpct: %ui refusals were not logged", left_out);
            left_out = 0;
        }
    }

    if (main->log_rate && lines == main->log_rate) {
        left_out++;
        return;
    }

    lines++;
    ngx_log_error(conf->log_level, log, 0, "simdpct: %s%s", line, conf->dry_run ? ", report only" : "");
}


/* Logs and refuses a request, or only logs it. From now on the request has the target "/", so an error page from an
 * origin does not show the origin a refused target. */
static ngx_int_t
ngx_http_simdpct_refuse_request(ngx_http_request_t *r, ngx_http_simdpct_ctx_t *ctx, ngx_http_simdpct_conf_t *conf,
    const char *line)
{
    ngx_http_simdpct_log(r, conf, line);

    if (conf->dry_run) {
        ctx->status = NGX_HTTP_SIMDPCT_REFUSED_DRY_RUN;
        return NGX_DECLINED;
    }

    ctx->status = NGX_HTTP_SIMDPCT_REFUSED;

    ngx_str_set(&r->uri, "/");
    ngx_str_set(&r->unparsed_uri, "/");
    ngx_str_null(&r->args);
    ngx_str_null(&r->exten);
    r->valid_unparsed_uri = 1;

    return (ngx_int_t) conf->status;
}


static ngx_int_t
ngx_http_simdpct_refuse_verdict(ngx_http_request_t *r, ngx_http_simdpct_ctx_t *ctx, ngx_http_simdpct_conf_t *conf,
    simdpct_verdict *verdict)
{
    char  line[1024];

    simdpct_verdict_write(verdict, ctx->target.data, ctx->target.len, line, sizeof(line));
    return ngx_http_simdpct_refuse_request(r, ctx, conf, line);
}


/* Parses a target in origin form as nginx does: sets `uri`, `exten` and flags of `parsed`. Returns NGX_DECLINED if this
 * path differs from the target's path, decoded once: nginx has resolved dot segments or merged slashes, except the
 * slashes of a URL in a path (`/https:%2F%2Fhost`). A byte must follow the target. */
static ngx_int_t
ngx_http_simdpct_parse(ngx_http_request_t *r, ngx_str_t target, ngx_http_request_t *parsed)
{
    u_char                    *p, *end, *u, c, last = '\0';
    ngx_uint_t                 is_url = 0;
    ngx_str_t                  path = ngx_http_simdpct_path_of(target);
    ngx_http_core_srv_conf_t  *cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    ngx_memzero(parsed, sizeof(ngx_http_request_t));
    parsed->connection = r->connection;
    parsed->uri_start = path.data;
    parsed->uri_end = path.data + path.len;

    parsed->uri.data = ngx_pnalloc(r->pool, path.len);
    if (parsed->uri.data == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_parse_complex_uri(parsed, cscf->merge_slashes) != NGX_OK) {
        return NGX_DECLINED;
    }

    u = parsed->uri.data;
    end = u + parsed->uri.len;

    for (p = path.data; p < path.data + path.len; p++) {
        c = *p;

        if (c == '%') {
            c = (u_char) ngx_hextoi(p + 1, 2);
            p += 2;
        }

        if (c == '/') {
            if (last != '/') {
                is_url = last == ':';

            } else if (is_url && cscf->merge_slashes) {
                continue;
            }
        }

        if (u == end || *u++ != c) {
            return NGX_DECLINED;
        }

        last = c;
    }

    return u == end ? NGX_OK : NGX_DECLINED;
}


/* Before the location is chosen: refuses the request, or makes its canonical target nginx's own. */
static ngx_int_t
ngx_http_simdpct_server_handler(ngx_http_request_t *r)
{
    u_char                    buffer[1024], *data = buffer;
    uint32_t                  action;
    ngx_str_t                 target;
    simdpct_verdict           verdict;
    ngx_http_request_t        parsed;
    ngx_http_simdpct_ctx_t   *ctx;
    ngx_http_simdpct_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    /* Only the client's target is examined, once: subrequests are internal, and so are requests after an internal
     * redirect. */
    if (r->internal || conf->guard == NULL) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_simdpct_create_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    target = ctx->target;
    action = simdpct_guard_check(conf->guard, SIMDPCT_METHOD_OTHER, target.data, target.len, data, sizeof(buffer),
                                 &verdict);

    if (verdict.status == SIMDPCT_NO_ROOM) {
        data = ngx_pnalloc(r->pool, verdict.value);
        if (data == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        action = simdpct_guard_check(conf->guard, SIMDPCT_METHOD_OTHER, target.data, target.len, data, verdict.value,
                                     &verdict);
    }

    switch (action) {

    case SIMDPCT_ACTION_PASS:
        /* Without '%', "//" and "/.", nginx takes the path as it is. */
        if (conf->path == NULL || !(r->complex_uri || r->quoted_uri || r->empty_path_in_uri)) {
            return NGX_DECLINED;
        }
        break;

    case SIMDPCT_ACTION_REWRITE:
        target.len = verdict.value;
        target.data = ngx_pnalloc(r->pool, target.len + 1);
        if (target.data == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ngx_memcpy(target.data, data, target.len);
        target.data[target.len] = '\0';
        break;

    default:
        return ngx_http_simdpct_refuse_verdict(r, ctx, conf, &verdict);
    }

    switch (ngx_http_simdpct_parse(r, target, &parsed)) {

    case NGX_OK:
        break;

    case NGX_DECLINED:
        return ngx_http_simdpct_refuse_request(r, ctx, conf,
            "refused: nginx reads another path than the canonical one");

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (conf->dry_run) {
        return NGX_DECLINED;
    }

    /* The query is the same, so that r->args stays. */
    r->uri = parsed.uri;
    r->exten = parsed.exten;
    r->quoted_uri = parsed.quoted_uri;
    r->plus_in_uri = parsed.plus_in_uri;
    r->unparsed_uri = target;
    r->valid_unparsed_uri = 1;

    return NGX_DECLINED;
}


/* Refuses the kinds that the first location of the request adds. */
static ngx_int_t
ngx_http_simdpct_location_handler(ngx_http_request_t *r)
{
    simdpct_verdict           verdict;
    ngx_http_simdpct_ctx_t   *ctx;
    ngx_http_simdpct_conf_t  *conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    /* A `rewrite` of the server makes a request internal without a redirect. */
    if (r != r->main || r->uri_changes != NGX_HTTP_MAX_URI_CHANGES + 1 || conf->level < 2 || conf->guard == NULL) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_simdpct_get_ctx(r);

    if (ctx == NULL) {
        ctx = ngx_http_simdpct_create_ctx(r);
        if (ctx == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (simdpct_guard_check(conf->guard, SIMDPCT_METHOD_OTHER, ctx->target.data, ctx->target.len, NULL, 0, &verdict)
        == SIMDPCT_ACTION_PASS)
    {
        return NGX_DECLINED;
    }

    return ngx_http_simdpct_refuse_verdict(r, ctx, conf, &verdict);
}


/* ---- Variables ---- */

static ngx_int_t
ngx_http_simdpct_set_value(ngx_http_variable_value_t *v, const u_char *data, size_t len)
{
    /* The length of a variable has 28 bits. */
    if (len > (1u << 28) - 1) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->len = (unsigned) len;
    v->data = (u_char *) data;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


/* `data` is 1 for the query, and 0 for the path. */
static ngx_int_t
ngx_http_simdpct_findings_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    char        buffer[256];
    u_char     *names;
    size_t      len;
    ngx_str_t   text = ngx_http_simdpct_raw_target(r);

    text = data ? ngx_http_simdpct_args_of(text) : ngx_http_simdpct_path_of(text);
    len = simdpct_findings_write(text.data, text.len, buffer, sizeof(buffer));

    names = ngx_pnalloc(r->pool, len + 1);
    if (names == NULL) {
        return NGX_ERROR;
    }

    if (len < sizeof(buffer)) {
        ngx_memcpy(names, buffer, len);

    } else {
        simdpct_findings_write(text.data, text.len, (char *) names, len + 1);
    }

    return ngx_http_simdpct_set_value(v, names, len);
}


static ngx_int_t
ngx_http_simdpct_status_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    static const char *const  names[] = { "PASSED", "REFUSED", "REFUSED_DRY_RUN" };
    ngx_http_simdpct_ctx_t   *ctx = ngx_http_simdpct_get_ctx(r);
    const char               *name = ctx != NULL ? names[ctx->status] : "NOT_EXAMINED";

    (void) data;

    return ngx_http_simdpct_set_value(v, (const u_char *) name, ngx_strlen(name));
}


static ngx_int_t
ngx_http_simdpct_raw_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t  path = ngx_http_simdpct_path_of(ngx_http_simdpct_raw_target(r));

    (void) data;

    return ngx_http_simdpct_set_value(v, path.data, path.len);
}


/* The path of $request_uri. */
static ngx_int_t
ngx_http_simdpct_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t  path = ngx_http_simdpct_path_of(r->unparsed_uri);

    (void) data;

    return ngx_http_simdpct_set_value(v, path.data, path.len);
}


static uint32_t
ngx_http_simdpct_call(ngx_http_simdpct_operation_e operation, const void *policy, ngx_str_t text, u_char *data,
    size_t room, simdpct_result *result)
{
    switch (operation) {

    case NGX_HTTP_SIMDPCT_DECODE:
        return simdpct_decode(policy, text.data, text.len, data, room, result);

    case NGX_HTTP_SIMDPCT_ENCODE:
        return simdpct_encode(policy, text.data, text.len, data, room, result);

    default:
        return simdpct_normalize(policy, text.data, text.len, data, room, result);
    }
}


/* Sets a variable to the converted text; it has no value if the text cannot be converted. */
static ngx_int_t
ngx_http_simdpct_set_converted(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    ngx_http_simdpct_operation_e operation, const void *policy, ngx_str_t text)
{
    u_char          *data;
    size_t           room = text.len;
    uint32_t         status;
    simdpct_result   result;

    do {
        data = ngx_pnalloc(r->pool, room);
        if (data == NULL) {
            return NGX_ERROR;
        }

        status = ngx_http_simdpct_call(operation, policy, text, data, room, &result);

        /* Terminates: NO_ROOM always asks for more room than there was. */
        room = result.value;

    } while (status == SIMDPCT_NO_ROOM);

    if (status != SIMDPCT_OK) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_simdpct_set_value(v, data, result.value);
}


/* `data` is the operation. */
static ngx_int_t
ngx_http_simdpct_converted_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    const void  *policy;

    if (data == NGX_HTTP_SIMDPCT_DECODE) {
        policy = &simdpct_decoder_default;

    } else {
        policy = &simdpct_normalizer_default;
    }

    return ngx_http_simdpct_set_converted(r, v, data, policy, ngx_http_simdpct_path_of(ngx_http_simdpct_raw_target(r)));
}


/* `data` is an ngx_http_simdpct_conversion_t. */
static ngx_int_t
ngx_http_simdpct_conversion_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                       text;
    ngx_http_simdpct_conversion_t  *conversion = (ngx_http_simdpct_conversion_t *) data;

    if (ngx_http_complex_value(r, &conversion->source, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_simdpct_set_converted(r, v, conversion->operation, &conversion->policy, text);
}


/* `$simdpct_arg_NAME`: the first value with this name, both decoded as a form does. Names are compared without case, as
 * for `$arg_NAME`: nginx writes the names of variables in lower case. */
static ngx_int_t
ngx_http_simdpct_arg_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                    decoded[256];
    size_t                    at = 0;
    uint32_t                  status;
    ngx_str_t                *variable = (ngx_str_t *) data, args, name, value;
    simdpct_pair              pair;
    simdpct_result            result;
    const simdpct_decoder    *decoder;
    ngx_http_simdpct_conf_t  *conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    decoder = conf->arg_control ? &ngx_http_simdpct_form : &ngx_http_simdpct_form_text;

    name.data = variable->data + sizeof("simdpct_arg_") - 1;
    name.len = variable->len - (sizeof("simdpct_arg_") - 1);
    args = ngx_http_simdpct_args_of(ngx_http_simdpct_raw_target(r));

    while (simdpct_form_next(args.data, args.len, &at, &pair)) {
        /* A decoded name of more than 256 bytes does not fit and is skipped. */
        status = simdpct_decode(&ngx_http_simdpct_form, pair.name, pair.name_len, decoded, sizeof(decoded), &result);

        if (status == SIMDPCT_OK && result.value == name.len
            && ngx_strncasecmp(decoded, name.data, name.len) == 0)
        {
            value.data = (u_char *) pair.value;
            value.len = pair.value_len;
            return ngx_http_simdpct_set_converted(r, v, NGX_HTTP_SIMDPCT_DECODE, decoder, value);
        }
    }

    v->not_found = 1;
    return NGX_OK;
}


static ngx_http_variable_t  ngx_http_simdpct_variables[] = {

    { ngx_string("simdpct_findings"), NULL, ngx_http_simdpct_findings_variable, 0, 0, 0 },
    { ngx_string("simdpct_args_findings"), NULL, ngx_http_simdpct_findings_variable, 1, 0, 0 },
    { ngx_string("simdpct_status"), NULL, ngx_http_simdpct_status_variable, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("simdpct_raw_path"), NULL, ngx_http_simdpct_raw_path_variable, 0, 0, 0 },
    { ngx_string("simdpct_decoded_path"), NULL, ngx_http_simdpct_converted_path_variable,
      NGX_HTTP_SIMDPCT_DECODE, 0, 0 },
    { ngx_string("simdpct_normal_path"), NULL, ngx_http_simdpct_converted_path_variable,
      NGX_HTTP_SIMDPCT_NORMALIZE, 0, 0 },
    { ngx_string("simdpct_path"), NULL, ngx_http_simdpct_path_variable, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("simdpct_arg_"), NULL, ngx_http_simdpct_arg_variable, 0, NGX_HTTP_VAR_PREFIX, 0 },

      ngx_http_null_variable
};


/* ---- Configuration ---- */

static ngx_int_t
ngx_http_simdpct_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *variable, *added;

    for (variable = ngx_http_simdpct_variables; variable->name.len; variable++) {
        added = ngx_http_add_variable(cf, &variable->name, variable->flags);
        if (added == NULL) {
            return NGX_ERROR;
        }

        added->get_handler = variable->get_handler;
        added->data = variable->data;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_simdpct_init(ngx_conf_t *cf)
{
    static const char           control[] = "control";
    simdpct_set                 set;
    ngx_http_handler_pt        *handler;
    ngx_http_core_main_conf_t  *main;

    /* Detects the CPU before there are workers. */
    simdpct_level();

    if (!simdpct_set_from_name(&set, control, sizeof(control) - 1)
        || !simdpct_decoder_init(&ngx_http_simdpct_form, SIMDPCT_DECODE_PLUS|SIMDPCT_DECODE_UTF8, NULL, NULL)
        || !simdpct_decoder_init(&ngx_http_simdpct_form_text, SIMDPCT_DECODE_PLUS|SIMDPCT_DECODE_UTF8, NULL, &set))
    {
        return NGX_ERROR;
    }

    main = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    /* The handlers of a phase run in the reverse order: these before the handlers of `return` and `rewrite`. */
    handler = ngx_array_push(&main->phases[NGX_HTTP_SERVER_REWRITE_PHASE].handlers);
    if (handler == NULL) {
        return NGX_ERROR;
    }

    *handler = ngx_http_simdpct_server_handler;

    handler = ngx_array_push(&main->phases[NGX_HTTP_REWRITE_PHASE].handlers);
    if (handler == NULL) {
        return NGX_ERROR;
    }

    *handler = ngx_http_simdpct_location_handler;
    return NGX_OK;
}


static void *
ngx_http_simdpct_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_simdpct_main_conf_t  *conf = ngx_palloc(cf->pool, sizeof(ngx_http_simdpct_main_conf_t));

    if (conf == NULL) {
        return NULL;
    }

    conf->log_rate = NGX_CONF_UNSET_UINT;

    return conf;
}


static char *
ngx_http_simdpct_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_simdpct_main_conf_t  *main = conf;

    (void) cf;

    ngx_conf_init_uint_value(main->log_rate, 100);

    return NGX_CONF_OK;
}


static void *
ngx_http_simdpct_create_conf(ngx_conf_t *cf)
{
    ngx_http_simdpct_conf_t  *conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_simdpct_conf_t));

    if (conf == NULL) {
        return NULL;
    }

    conf->refuse = NGX_CONF_UNSET_UINT;
    conf->refuse_args = NGX_CONF_UNSET_UINT;
    conf->status = NGX_CONF_UNSET_UINT;
    conf->log_level = NGX_CONF_UNSET_UINT;
    conf->dry_run = NGX_CONF_UNSET;
    conf->arg_control = NGX_CONF_UNSET;
    conf->path = NGX_CONF_UNSET_PTR;

    return conf;
}


static char *
ngx_http_simdpct_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    simdpct_path_policy      *policy;
    ngx_http_simdpct_conf_t  *prev = parent, *conf = child;

    conf->level = prev->level + 1;

    ngx_conf_merge_uint_value(conf->status, prev->status, NGX_HTTP_BAD_REQUEST);
    ngx_conf_merge_uint_value(conf->log_level, prev->log_level, NGX_LOG_WARN);
    ngx_conf_merge_value(conf->dry_run, prev->dry_run, 0);
    ngx_conf_merge_value(conf->arg_control, prev->arg_control, 0);
    ngx_conf_merge_ptr_value(conf->path, prev->path, NULL);

    if (conf->level == 1) {
        ngx_conf_merge_uint_value(conf->refuse, prev->refuse, 0);
        ngx_conf_merge_uint_value(conf->refuse_args, prev->refuse_args, 0);
        policy = conf->path;

    } else {
        /* When the location is chosen, the kinds of the server have already been refused. */
        ngx_conf_init_uint_value(conf->refuse, 0);
        ngx_conf_init_uint_value(conf->refuse_args, 0);

        if (conf->level > 2) {
            conf->refuse |= prev->refuse;
            conf->refuse_args |= prev->refuse_args;
        }

        policy = NULL;
    }

    if (policy == NULL && conf->refuse == 0 && conf->refuse_args == 0) {
        return NGX_CONF_OK;
    }

    conf->guard = ngx_palloc(cf->pool, sizeof(simdpct_guard));
    if (conf->guard == NULL) {
        return NGX_CONF_ERROR;
    }

    if (!simdpct_guard_init(conf->guard, policy, (uint32_t) conf->refuse, (uint32_t) conf->refuse_args, 0)) {
        return "has kinds that the library does not know";
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_simdpct_refuse(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    uint32_t     kind;
    ngx_str_t   *words = cf->args->elts;
    ngx_uint_t   i, kinds = 0, *slot = (ngx_uint_t *) ((char *) conf + cmd->offset);

    if (*slot != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    for (i = 1; i < cf->args->nelts; i++) {
        if (cf->args->nelts == 2 && ngx_strcmp(words[i].data, "off") == 0) {
            if (cf->cmd_type == NGX_HTTP_LOC_CONF) {
                return "cannot be \"off\" in a location, which can only add kinds to those of the server";
            }
            break;
        }

        if (!simdpct_kinds_from_text((char *) words[i].data, words[i].len, &kind)) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid kind \"%V\"", &words[i]);
            return NGX_CONF_ERROR;
        }

        kinds |= kind;
    }

    *slot = kinds;
    return NGX_CONF_OK;
}


static char *
ngx_http_simdpct_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                      message[512];
    u_char                   *text, *end;
    size_t                    len = 0;
    ngx_str_t                *words = cf->args->elts;
    ngx_uint_t                i;
    ngx_http_simdpct_conf_t  *own = conf;

    (void) cmd;

    if (own->path != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    if (cf->args->nelts == 2 && ngx_strcmp(words[1].data, "off") == 0) {
        own->path = NULL;
        return NGX_CONF_OK;
    }

    for (i = 1; i < cf->args->nelts; i++) {
        len += words[i].len + 1;
    }

    text = ngx_pnalloc(cf->temp_pool, len);
    own->path = ngx_palloc(cf->pool, sizeof(simdpct_path_policy));
    if (text == NULL || own->path == NULL) {
        return NGX_CONF_ERROR;
    }

    end = text;
    for (i = 1; i < cf->args->nelts; i++) {
        end = ngx_cpymem(end, words[i].data, words[i].len);
        *end++ = ' ';
    }

    if (simdpct_path_policy_init(own->path, (char *) text, len, NULL) != SIMDPCT_OK) {
        simdpct_path_policy_error((char *) text, len, message, sizeof(message));
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid path policy: %s", message);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* A set by its name, or of literal bytes, which may be triplets. A word of letters, digits and hyphens is a name, so
 * that a misspelt name is an error. */
static bool
ngx_http_simdpct_set(ngx_conf_t *cf, simdpct_set *set, ngx_str_t text)
{
    u_char          *bytes;
    size_t           i;
    simdpct_result   result;

    for (i = 0; i < text.len && (isalnum(text.data[i]) || text.data[i] == '-'); i++) { /* void */ }

    if (i == text.len) {
        return simdpct_set_from_name(set, (char *) text.data, text.len);
    }

    bytes = ngx_pnalloc(cf->temp_pool, text.len);
    if (bytes == NULL) {
        return false;
    }

    return simdpct_decode(&simdpct_decoder_default, text.data, text.len, bytes, text.len, &result) == SIMDPCT_OK
           && simdpct_set_from_bytes(set, bytes, result.value);
}


/* The options of simdpct_decode, simdpct_encode and simdpct_normalize, by operation. */
static const ngx_conf_bitmask_t  ngx_http_simdpct_flags[][5] = {

    { { ngx_string("lenient"), SIMDPCT_DECODE_LENIENT },
      { ngx_string("plus"), SIMDPCT_DECODE_PLUS },
      { ngx_string("utf8"), SIMDPCT_DECODE_UTF8 },
      { ngx_null_string, 0 } },

    { { ngx_string("plus"), SIMDPCT_ENCODE_PLUS },
      { ngx_string("keep-triplets"), SIMDPCT_ENCODE_KEEP_TRIPLETS },
      { ngx_string("keep-non-ascii"), SIMDPCT_ENCODE_KEEP_NON_ASCII },
      { ngx_string("lowercase"), SIMDPCT_ENCODE_LOWERCASE },
      { ngx_null_string, 0 } },

    { { ngx_string("keep-malformed"), SIMDPCT_NORMALIZE_KEEP_MALFORMED },
      { ngx_string("escape-malformed"), SIMDPCT_NORMALIZE_ESCAPE_MALFORMED },
      { ngx_null_string, 0 } }
};

static const ngx_str_t  ngx_http_simdpct_sets[][2] = {
    { ngx_string("keep="), ngx_string("reject=") },
    { ngx_string("set="), ngx_null_string },
    { ngx_string("decode="), ngx_null_string }
};


static char *
ngx_http_simdpct_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    bool                                is_known;
    uint32_t                            flags = 0;
    ngx_str_t                          *words = cf->args->elts, name = words[2], value;
    ngx_uint_t                          i, k;
    simdpct_set                         sets[2], *given[2] = { NULL, NULL };
    const ngx_str_t                    *prefix;
    ngx_http_variable_t                *variable;
    const ngx_conf_bitmask_t           *flag;
    ngx_http_simdpct_conversion_t      *conversion;
    ngx_http_compile_complex_value_t    compile;

    (void) conf;

    conversion = ngx_pcalloc(cf->pool, sizeof(ngx_http_simdpct_conversion_t));
    if (conversion == NULL) {
        return NGX_CONF_ERROR;
    }

    conversion->operation = cmd->offset;

    ngx_memzero(&compile, sizeof(ngx_http_compile_complex_value_t));
    compile.cf = cf;
    compile.value = &words[1];
    compile.complex_value = &conversion->source;

    if (ngx_http_compile_complex_value(&compile) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (name.len < 2 || name.data[0] != '$') {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid variable name \"%V\"", &name);
        return NGX_CONF_ERROR;
    }

    name.data++;
    name.len--;

    for (i = 3; i < cf->args->nelts; i++) {
        is_known = false;

        for (flag = ngx_http_simdpct_flags[cmd->offset]; flag->name.len; flag++) {
            if (ngx_strcmp(words[i].data, flag->name.data) == 0) {
                flags |= (uint32_t) flag->mask;
                is_known = true;
            }
        }

        for (k = 0; k < 2; k++) {
            prefix = &ngx_http_simdpct_sets[cmd->offset][k];

            if (prefix->len && ngx_strncmp(words[i].data, prefix->data, prefix->len) == 0) {
                value.data = words[i].data + prefix->len;
                value.len = words[i].len - prefix->len;
                given[k] = &sets[k];
                is_known = ngx_http_simdpct_set(cf, &sets[k], value);
            }
        }

        if (!is_known) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid parameter \"%V\"", &words[i]);
            return NGX_CONF_ERROR;
        }
    }

    switch (conversion->operation) {

    case NGX_HTTP_SIMDPCT_DECODE:
        is_known = simdpct_decoder_init(&conversion->policy.decoder, flags, given[0], given[1]);
        break;

    case NGX_HTTP_SIMDPCT_ENCODE:
        is_known = simdpct_encoder_init(&conversion->policy.encoder, flags, given[0]);
        break;

    default:
        is_known = simdpct_normalizer_init(&conversion->policy.normalizer, flags, given[0]);
        break;
    }

    if (!is_known) {
        return "has parameters that exclude each other";
    }

    /* Evaluated again at each use, because the variables of the string may change, as $args does in subrequests. */
    variable = ngx_http_add_variable(cf, &name, NGX_HTTP_VAR_CHANGEABLE|NGX_HTTP_VAR_NOCACHEABLE);
    if (variable == NULL) {
        return NGX_CONF_ERROR;
    }

    if (variable->get_handler != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "the duplicate \"%V\" variable", &name);
        return NGX_CONF_ERROR;
    }

    variable->get_handler = ngx_http_simdpct_conversion_variable;
    variable->data = (uintptr_t) conversion;

    return NGX_CONF_OK;
}
