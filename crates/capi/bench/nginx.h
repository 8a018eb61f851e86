/* nginx.h - the types and names that the functions of nginx need which bench.c compiles. The functions are taken from
 * Debian's source package when the benchmark runs, and are not part of this repository. */
#include <stdint.h>
#include <sys/types.h>

typedef intptr_t ngx_int_t;
typedef uintptr_t ngx_uint_t;

typedef struct {
    size_t len;
    u_char *data;
} ngx_str_t;

typedef struct {
    u_char *uri_start, *uri_end, *uri_ext, *args_start;
    ngx_str_t uri, exten, args;
    unsigned empty_path_in_uri : 1, plus_in_uri : 1, quoted_uri : 1;
} ngx_http_request_t;

#define NGX_OK 0
#define NGX_HTTP_PARSE_INVALID_REQUEST 11
#define NGX_ESCAPE_URI_COMPONENT 2
#define NGX_UNESCAPE_URI 1
#define NGX_UNESCAPE_REDIRECT 2
#define ngx_log_debug3(...)
