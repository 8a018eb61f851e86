/* ngx_http_simdpct_module.c - refuses requests by what their raw target contains, and offers its canonical path.
 * README.md documents the directives and variables. */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "guard.h"

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

typedef enum {
    NGX_HTTP_SIMDPCT_DECODE = 0,
    NGX_HTTP_SIMDPCT_ENCODE,
    NGX_HTTP_SIMDPCT_NORMALIZE,
    NGX_HTTP_SIMDPCT_PATH
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

static ngx_int_t ngx_http_simdpct_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_simdpct_add_variables(ngx_conf_t *cf);
static ngx_int_t ngx_http_simdpct_init(ngx_conf_t *cf);
static void *ngx_http_simdpct_create_conf(ngx_conf_t *cf);
static char *ngx_http_simdpct_merge_conf(ngx_conf_t *cf, void *parent, void *child);
static char *ngx_http_simdpct_refuse(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_simdpct_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_simdpct_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Decodes as forms are decoded. Initialised with the configuration. */
static simdpct_decoder  ngx_http_simdpct_form;

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


static uint32_t
ngx_http_simdpct_call(ngx_http_simdpct_operation_e operation, const void *policy, ngx_str_t text, u_char *data,
    size_t room, simdpct_result *result)
{
    switch (operation) {

    case NGX_HTTP_SIMDPCT_DECODE:
        return simdpct_decode(policy, text.data, text.len, data, room, result);

    case NGX_HTTP_SIMDPCT_ENCODE:
        return simdpct_encode(policy, text.data, text.len, data, room, result);

    case NGX_HTTP_SIMDPCT_NORMALIZE:
        return simdpct_normalize(policy, text.data, text.len, data, room, result);

    default:
        return simdpct_path(policy, text.data, text.len, data, room, result);
    }
}


/* Applies an operation to a text. The output is in the pool. On errors, the text is
 * unchanged. */
static simdpct_result
ngx_http_simdpct_apply(ngx_http_request_t *r, ngx_http_simdpct_operation_e operation, const void *policy,
    ngx_str_t *text)
{
    u_char          *data;
    size_t           room = text->len;
    uint32_t         status;
    simdpct_result   result;

    do {
        data = ngx_pnalloc(r->pool, room);
        if (data == NULL) {
            return (simdpct_result) { 0, SIMDPCT_BAD_ARGUMENT, 0 };
        }

        status = ngx_http_simdpct_call(operation, policy, *text, data, room, &result);

        /* The room needed is more than there was, so this ends. */
        room = result.value;

    } while (status == SIMDPCT_NO_ROOM);

    if (result.status == SIMDPCT_OK) {
        text->data = data;
        text->len = result.value;
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

    /* What the client sent is checked once: subrequests are internal, and requests after an internal redirect. */
    if (r->internal) {
        return NGX_DECLINED;
    }

    conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    text = ngx_http_simdpct_raw_path(r);
    result = guard_check(text.data, text.len, (uint32_t) conf->refuse);

    if (result.status == SIMDPCT_OK && conf->path != NULL) {
        canonical = text;
        result = ngx_http_simdpct_apply(r, NGX_HTTP_SIMDPCT_PATH, conf->path, &canonical);

        if (result.status == SIMDPCT_BAD_ARGUMENT) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (result.status == SIMDPCT_OK) {
        text = ngx_http_simdpct_raw_args(r);
        result = guard_check(text.data, text.len, (uint32_t) conf->refuse_args);
    }

    if (result.status == SIMDPCT_OK) {
        return NGX_DECLINED;
    }

    simdpct_result_write(&result, text.data, text.len, line, sizeof(line));
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
    kinds = simdpct_inspect(text.data, text.len, SIMDPCT_FIND_ALL, NULL);

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


/* Sets a variable to the converted text; it has no value if the text cannot be converted. */
static ngx_int_t
ngx_http_simdpct_set_converted(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    ngx_http_simdpct_operation_e operation, const void *policy, ngx_str_t text)
{
    switch (ngx_http_simdpct_apply(r, operation, policy, &text).status) {

    case SIMDPCT_OK:
        return ngx_http_simdpct_set_value(v, text.data, text.len);

    case SIMDPCT_BAD_ARGUMENT:
        /* No memory. */
        return NGX_ERROR;

    default:
        v->not_found = 1;
        return NGX_OK;
    }
}


/* `data` is the operation. */
static ngx_int_t
ngx_http_simdpct_converted_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    const void  *policy;

    policy = data == NGX_HTTP_SIMDPCT_DECODE ? (const void *) &simdpct_decoder_default
                                             : (const void *) &simdpct_normalizer_default;

    return ngx_http_simdpct_set_converted(r, v, data, policy, ngx_http_simdpct_raw_path(r));
}


static ngx_int_t
ngx_http_simdpct_path_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_simdpct_conf_t  *conf = ngx_http_get_module_loc_conf(r, ngx_http_simdpct_module);

    (void) data;

    /* Without a policy, that of the library: "default". */
    return ngx_http_simdpct_set_converted(r, v, NGX_HTTP_SIMDPCT_PATH, conf->path, ngx_http_simdpct_raw_path(r));
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

    name.data = variable->data + sizeof("simdpct_arg_") - 1;
    name.len = variable->len - (sizeof("simdpct_arg_") - 1);
    args = ngx_http_simdpct_raw_args(r);

    while (simdpct_form_next(args.data, args.len, &at, &pair)) {
        /* A name that has no room is not one of a variable. */
        if (simdpct_decode(&ngx_http_simdpct_form, pair.name, pair.name_len, decoded, sizeof(decoded), &result)
            == SIMDPCT_OK && result.value == name.len
            && ngx_strncasecmp(decoded, name.data, name.len) == 0)
        {
            value.data = (u_char *) pair.value;
            value.len = pair.value_len;
            return ngx_http_simdpct_set_converted(r, v, NGX_HTTP_SIMDPCT_DECODE, &ngx_http_simdpct_form, value);
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
    ngx_http_handler_pt        *handler;
    ngx_http_core_main_conf_t  *main;

    /* Detects the CPU before there are workers. */
    simdpct_level();

    if (!simdpct_decoder_init(&ngx_http_simdpct_form, SIMDPCT_DECODE_PLUS|SIMDPCT_DECODE_UTF8, NULL, NULL)) {
        return NGX_ERROR;
    }

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

        kind = guard_kinds((char *) words[i].data, words[i].len);

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

    if (simdpct_path_policy_init(own->path, (char *) text, len, &result) != SIMDPCT_OK) {
        for (i = 1; i + 1 < cf->args->nelts && result.value > words[i].len; i++) {
            result.value -= words[i].len + 1;
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid path policy \"%V\"", &words[i]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* A set by its name, or of literal bytes, which may be triplets. Letters, digits and hyphens alone are a name, so that a
 * misspelt name is an error. */
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

    /* Evaluated anew at each use, since the variables of the string may change, as $args does in subrequests. */
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
