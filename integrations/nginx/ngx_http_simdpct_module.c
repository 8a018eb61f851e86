/* ngx_http_simdpct_module.c - refuses requests by what their raw target contains, and offers its canonical path.
 * README.md documents the directives and variables. */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <simdpct.h>

/* What `simdpct_refuse default` refuses: what no honest client sends. */
#define NGX_SIMDPCT_DEFAULT                                                        \
    (SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_MALFORMED              \
     | SIMDPCT_FIND_INVALID_UTF8 | SIMDPCT_FIND_BACKSLASH)

typedef struct {
    ngx_uint_t            refuse;      /* kinds, of the path */
    ngx_uint_t            refuse_args; /* kinds, of the query */
    ngx_uint_t            status;
    ngx_uint_t            log_level;
    ngx_flag_t            dry_run;
    simdpct_path_policy  *path;        /* NULL: off */
} ngx_http_simdpct_conf_t;

typedef enum {
    NGX_HTTP_SIMDPCT_PASSED = 0,
    NGX_HTTP_SIMDPCT_REFUSED,
    NGX_HTTP_SIMDPCT_REFUSED_DRY_RUN
} ngx_http_simdpct_status_e;

typedef struct {
    ngx_http_simdpct_status_e  status;
} ngx_http_simdpct_ctx_t;

static ngx_int_t ngx_http_simdpct_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_simdpct_add_variables(ngx_conf_t *cf);
static ngx_int_t ngx_http_simdpct_init(ngx_conf_t *cf);
static void *ngx_http_simdpct_create_conf(ngx_conf_t *cf);
static char *ngx_http_simdpct_merge_conf(ngx_conf_t *cf, void *parent, void *child);
static char *ngx_http_simdpct_refuse(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_simdpct_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

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

    { ngx_string("simdpct_path"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_simdpct_path,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};

static ngx_http_module_t  ngx_http_simdpct_module_ctx = {
    ngx_http_simdpct_add_variables,   /* preconfiguration */
    ngx_http_simdpct_init,            /* postconfiguration */
    NULL, NULL,                       /* main configuration */
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

/* The path as the client sent it. An absolute target without a path (`http://host?a`) has the path "/". */
static ngx_str_t
ngx_http_simdpct_raw_path(ngx_http_request_t *r)
{
    ngx_str_t  path = r->unparsed_uri;

    path.len = simdpct_path_split(path.data, path.len);

    if (path.len == 0) {
        ngx_str_set(&path, "/");
    }

    return path;
}


/* The query as the client sent it, without its '?'. */
static ngx_str_t
ngx_http_simdpct_raw_args(ngx_http_request_t *r)
{
    ngx_str_t  args = r->unparsed_uri;
    size_t     cut = simdpct_path_split(args.data, args.len);

    if (cut < args.len) {
        cut++;
    }

    args.data += cut;
    args.len -= cut;

    return args;
}


/* The result of refusing these kinds in a text. */
static simdpct_result
ngx_http_simdpct_check(ngx_str_t text, ngx_uint_t kinds)
{
    simdpct_result  result = { 0, SIMDPCT_OK, 0 };

    if (kinds != 0) {
        result.detail = simdpct_inspect(text.data, text.len) & (uint32_t) kinds;
    }

    if (result.detail != 0) {
        result.status = SIMDPCT_REFUSED;
        simdpct_inspect_first(text.data, text.len, result.detail, &result.value);
    }

    return result;
}


/* The canonical path, in the pool; `path` is unchanged if it has none. */
static simdpct_result
ngx_http_simdpct_canonical(ngx_http_request_t *r, const simdpct_path_policy *policy, ngx_str_t *path)
{
    u_char          *data;
    size_t           room = path->len;
    simdpct_result   result;

    do {
        data = ngx_pnalloc(r->pool, room);
        if (data == NULL) {
            return (simdpct_result) { 0, SIMDPCT_BAD_ARGUMENT, 0 };
        }

        result = simdpct_path(policy, path->data, path->len, data, room);

        /* The room needed is more than there was, so this ends. */
        room = result.value;

    } while (result.status == SIMDPCT_NO_ROOM);

    if (result.status == SIMDPCT_OK) {
        path->data = data;
        path->len = result.value;
    }

    return result;
}


static ngx_int_t
ngx_http_simdpct_handler(ngx_http_request_t *r)
{
    char                      line[512];
    ngx_str_t                 text, canonical;
    simdpct_result            result;
    ngx_http_simdpct_ctx_t   *ctx;
    ngx_http_simdpct_conf_t  *conf;

    /* What the client sent is checked once: not in subrequests, nor after internal redirects. */
    if (r != r->main || r->internal) {
        return NGX_DECLINED;
    }

    conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    text = ngx_http_simdpct_raw_path(r);
    result = ngx_http_simdpct_check(text, conf->refuse);

    if (result.status == SIMDPCT_OK && conf->path != NULL) {
        canonical = text;
        result = ngx_http_simdpct_canonical(r, conf->path, &canonical);

        if (result.status == SIMDPCT_BAD_ARGUMENT) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (result.status == SIMDPCT_OK) {
        text = ngx_http_simdpct_raw_args(r);
        result = ngx_http_simdpct_check(text, conf->refuse_args);
    }

    if (result.status == SIMDPCT_OK) {
        return NGX_DECLINED;
    }

    simdpct_result_write(result, text.data, text.len, line, sizeof(line));
    ngx_log_error(conf->log_level, r->connection->log, 0, "simdpct: %s%s", line,
                  conf->dry_run ? ", dry run" : "");

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_simdpct_ctx_t));
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_set_ctx(r, ctx, ngx_http_simdpct_module);

    if (conf->dry_run) {
        ctx->status = NGX_HTTP_SIMDPCT_REFUSED_DRY_RUN;
        return NGX_DECLINED;
    }

    ctx->status = NGX_HTTP_SIMDPCT_REFUSED;
    return (ngx_int_t) conf->status;
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


/* `data` is 1 for the query. */
static ngx_int_t
ngx_http_simdpct_findings_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char     *names;
    size_t      len;
    uint32_t    kinds;
    ngx_str_t   text;

    text = data ? ngx_http_simdpct_raw_args(r) : ngx_http_simdpct_raw_path(r);
    kinds = simdpct_inspect(text.data, text.len);

    if (kinds == 0) {
        return ngx_http_simdpct_set_value(v, (const u_char *) "-", 1);
    }

    len = simdpct_kinds_write(kinds, NULL, 0);
    names = ngx_pnalloc(r->pool, len + 1);
    if (names == NULL) {
        return NGX_ERROR;
    }

    simdpct_kinds_write(kinds, (char *) names, len + 1);
    return ngx_http_simdpct_set_value(v, names, len);
}


static ngx_int_t
ngx_http_simdpct_status_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    static const char *const  names[] = { "PASSED", "REFUSED", "REFUSED_DRY_RUN" };
    ngx_http_simdpct_ctx_t   *ctx = ngx_http_get_module_ctx(r->main, ngx_http_simdpct_module);
    const char               *name = names[ctx != NULL ? ctx->status : NGX_HTTP_SIMDPCT_PASSED];

    (void) data;

    return ngx_http_simdpct_set_value(v, (const u_char *) name, ngx_strlen(name));
}


static ngx_int_t
ngx_http_simdpct_raw_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t  path = ngx_http_simdpct_raw_path(r);

    (void) data;

    return ngx_http_simdpct_set_value(v, path.data, path.len);
}


/* The functions from a text to one that is at most as long. */
typedef enum {
    NGX_HTTP_SIMDPCT_DECODED = 0,
    NGX_HTTP_SIMDPCT_NORMAL,
    NGX_HTTP_SIMDPCT_FORM
} ngx_http_simdpct_operation_e;

static ngx_int_t
ngx_http_simdpct_convert(ngx_http_request_t *r, ngx_http_variable_value_t *v, ngx_str_t text, uintptr_t operation)
{
    u_char          *data;
    simdpct_result   result;
    simdpct_decoder  form;

    data = ngx_pnalloc(r->pool, text.len + 1);
    if (data == NULL) {
        return NGX_ERROR;
    }

    switch (operation) {

    case NGX_HTTP_SIMDPCT_DECODED:
        result = simdpct_decode(NULL, text.data, text.len, data, text.len);
        break;

    case NGX_HTTP_SIMDPCT_NORMAL:
        result = simdpct_normalize(NULL, text.data, text.len, data, text.len);
        break;

    default:
        simdpct_decoder_init(&form, SIMDPCT_DECODE_PLUS|SIMDPCT_DECODE_UTF8, NULL, NULL);
        result = simdpct_decode(&form, text.data, text.len, data, text.len);
        break;
    }

    if (result.status != SIMDPCT_OK) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_simdpct_set_value(v, data, result.value);
}


static ngx_int_t
ngx_http_simdpct_converted_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    return ngx_http_simdpct_convert(r, v, ngx_http_simdpct_raw_path(r), data);
}


static ngx_int_t
ngx_http_simdpct_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                 path = ngx_http_simdpct_raw_path(r);
    ngx_http_simdpct_conf_t  *conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    (void) data;

    /* Without a policy, that of the library: "default". */
    if (ngx_http_simdpct_canonical(r, conf->path, &path).status != SIMDPCT_OK) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_simdpct_set_value(v, path.data, path.len);
}


/* `$simdpct_arg_NAME`: the first value with this name, both decoded as a form does. Names are compared without case,
 * as those of `$arg_NAME` are: nginx writes the names of variables in lower case. */
static ngx_int_t
ngx_http_simdpct_arg_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char            decoded[256];
    size_t            at = 0;
    ngx_str_t        *variable = (ngx_str_t *) data, args, name, value;
    simdpct_pair      pair;
    simdpct_result    result;
    simdpct_decoder   form;

    name.data = variable->data + sizeof("simdpct_arg_") - 1;
    name.len = variable->len - (sizeof("simdpct_arg_") - 1);
    args = ngx_http_simdpct_raw_args(r);
    simdpct_decoder_init(&form, SIMDPCT_DECODE_PLUS, NULL, NULL);

    while (simdpct_form_next(args.data, args.len, &at, &pair)) {
        /* A name that has no room is not one of a variable. */
        result = simdpct_decode(&form, pair.name, pair.name_len, decoded, sizeof(decoded));

        if (result.status == SIMDPCT_OK && result.value == name.len
            && ngx_strncasecmp(decoded, name.data, name.len) == 0)
        {
            value.data = (u_char *) pair.value;
            value.len = pair.value_len;
            return ngx_http_simdpct_convert(r, v, value, NGX_HTTP_SIMDPCT_FORM);
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
      NGX_HTTP_SIMDPCT_DECODED, 0, 0 },
    { ngx_string("simdpct_normal_path"), NULL, ngx_http_simdpct_converted_path_variable,
      NGX_HTTP_SIMDPCT_NORMAL, 0, 0 },
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
    ngx_http_handler_pt        *handler;
    ngx_http_core_main_conf_t  *main;

    /* Detects the CPU before there are workers. */
    simdpct_level();

    main = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    /* The handlers of a phase run in the reverse order: this one before those of `return` and `rewrite`. */
    handler = ngx_array_push(&main->phases[NGX_HTTP_REWRITE_PHASE].handlers);
    if (handler == NULL) {
        return NGX_ERROR;
    }

    *handler = ngx_http_simdpct_handler;
    return NGX_OK;
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
    conf->path = NGX_CONF_UNSET_PTR;

    return conf;
}


static char *
ngx_http_simdpct_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_simdpct_conf_t  *prev = parent, *conf = child;

    (void) cf;

    ngx_conf_merge_uint_value(conf->refuse, prev->refuse, 0);
    ngx_conf_merge_uint_value(conf->refuse_args, prev->refuse_args, 0);
    ngx_conf_merge_uint_value(conf->status, prev->status, NGX_HTTP_BAD_REQUEST);
    ngx_conf_merge_uint_value(conf->log_level, prev->log_level, NGX_LOG_ERR);
    ngx_conf_merge_value(conf->dry_run, prev->dry_run, 0);
    ngx_conf_merge_ptr_value(conf->path, prev->path, NULL);

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
            break;
        }

        kind = ngx_strcmp(words[i].data, "default") == 0
               ? NGX_SIMDPCT_DEFAULT
               : simdpct_kind_from_name((char *) words[i].data, words[i].len);

        if (kind == 0) {
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
    u_char                   *text, *end;
    size_t                    len = 0;
    ngx_str_t                *words = cf->args->elts;
    ngx_uint_t                i;
    simdpct_result            result;
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

    result = simdpct_path_policy_init(own->path, (char *) text, len);

    if (result.status != SIMDPCT_OK) {
        for (i = 1; i + 1 < cf->args->nelts && result.value > words[i].len; i++) {
            result.value -= words[i].len + 1;
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid path policy \"%V\"", &words[i]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}
