/* SPDX-License-Identifier: Apache-2.0 */
/* The door: every route with the requests that a web page elsewhere can make a browser send, with tokens and without;
 * what --allow-host and --allow-origin let in; and what pages of a named origin may ask and read (CORS). */
#include "server/api/routes.h"
#include "tests/http/daemon.h"
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define APP "https://app.example:8443"
#define TWO "http://localhost:5173,https://app.example:8443"
#define NOBODY "m_0000000000000000"

static const struct {
    const char *fields;
    int status;
    const char *code, *field;
} strangers[] = {
    {"Host: evil.example\r\n", 421, "misdirected_request", "host"},
    {"Host: evil.example:7373\r\nOrigin: http://evil.example:7373\r\n", 421, "misdirected_request", "host"},
    {"Host: localhost.evil.example\r\n", 421, "misdirected_request", "host"},
    {"Host: 192.0.2.99:7373\r\n", 421, "misdirected_request", "host"},
    {"Host:\r\n", 421, "misdirected_request", "host"},
    {"Origin: http://evil.example\r\n", 403, "foreign_origin", "origin"},
    {"Host: localhost:7373\r\nOrigin: http://localhost:8000\r\n", 403, "foreign_origin", "origin"},
    {"Origin: null\r\n", 403, "foreign_origin", "origin"},
    {"Sec-Fetch-Site: cross-site\r\n", 403, "foreign_origin", "origin"},
};
#define N_STRANGERS (sizeof strangers / sizeof strangers[0])

/* A request that the route would take, with these header lines. `method` is the route's when NULL. */
/* What a route needs, so that nothing but the mesh is missing. */
static const struct {
    const char *end, *query, *body;
} needs[] = {{"/neighbors", "?relation=VV", "{\"ids\":[0]}"},
             {"/fields", "?what=gaussian", NULL},
             {"/smooth", "", "{\"method\":\"uniform\"}"},
             {"/revert", "", "{\"version\":1}"},
             {"/leases", "", "{}"},
             {"/leases/{lease}", "", "{}"},
             {"/presence", "", "{}"},
             {"/fair", "", "{\"steps\":1}"},
             {"", "", "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}"}};

static void knock_on(int fd, const struct route *r, const char *method, const char *id, const char *fields,
                     struct answer *a)
{
    char target[128], all[1024];
    const char *brace = strchr(r->path, '{'), *end = brace ? strchr(brace, '}') + 1 : "", *body = NULL, *type = "";
    int k = 0;
    while (*needs[k].end && strcmp(needs[k].end, end) != 0)
        k++;
    const size_t tail = strcspn(end, "{"); /* A second segment of any name is l_0. */
    if (brace)
        snprintf(target, sizeof target, "%.*s%s%.*s%s%s", (int)(brace - r->path), r->path, id, (int)tail, end,
                 end[tail] ? "l_0" : "", needs[k].query);
    else
        snprintf(target, sizeof target, "%s", r->path);
    if (r->body && !method) {
        body = r->body & MEDIA_OBJ ? CUBE : needs[k].body;
        type =
            r->body & MEDIA_OBJ ? "Content-Type: model/obj\r\n" : "Content-Type: application/json\r\nIf-Match: *\r\n";
    }
    snprintf(all, sizeof all, "%s%s", fields, strstr(fields, "Content-Type") ? "" : type);
    http_ask_on(fd, method ? method : r->method, target, all, body, body ? strlen(body) : 0, a);
    close(fd);
}

static void knock(const struct daemon *d, const struct route *r, const char *id, const char *fields, struct answer *a)
{
    knock_on(http_connect(d), r, NULL, id, fields, a);
}

/* What a browser is told not to do with any answer. */
static void assert_browser(const struct answer *a, const char *who_may_embed)
{
    char value[64];
    assert_true(answer_field(a, "X-Content-Type-Options", value, sizeof value));
    assert_string_equal(value, "nosniff");
    assert_true(answer_field(a, "Referrer-Policy", value, sizeof value));
    assert_string_equal(value, "no-referrer");
    assert_true(answer_field(a, "Cross-Origin-Resource-Policy", value, sizeof value));
    assert_string_equal(value, who_may_embed);
}

static long long mesh_count(const struct daemon *d, const char *fields)
{
    struct answer a;
    long long n = 0;
    http_ask(d, "GET", "/v1/meshes", fields, NULL, 0, &a);
    assert_int_equal(a.status, 200);
    for (const char *s = a.body; (s = strstr(s, "\"id\":")); s++)
        n++;
    answer_free(&a);
    return n;
}

/* Every stranger on every route is refused, and what is stored stays: one mesh, in version 1. */
static void refuse_all(const struct daemon *d, const char *id, const char *token)
{
    struct answer a;
    char fields[512], value[64];
    for (size_t k = 0; k < N_STRANGERS; k++)
        for (int i = 0; i < n_routes; i++) {
            snprintf(fields, sizeof fields, "%s%s", strangers[k].fields, token);
            knock(d, &routes[i], id, fields, &a);
            if (a.status != strangers[k].status)
                print_message("%s %s: %s", routes[i].method, routes[i].path, strangers[k].fields);
            assert_problem(&a, strangers[k].status, strangers[k].code, strangers[k].field);
            assert_false(answer_field(&a, "Access-Control-Allow-Origin", value, sizeof value));
            assert_browser(&a, "same-origin");
            answer_free(&a);
        }
    assert_int_equal(mesh_count(d, token), 1);
    snprintf(fields, sizeof fields, "/v1/meshes/%s", id);
    http_ask(d, "GET", fields, token, NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(answer_number(&a, "version"), 1);
    answer_free(&a);
}

static void test_strangers(void **state)
{
    struct daemon d = {0};
    char id[32];
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, id);
    refuse_all(&d, id, "");
    assert_int_equal(daemon_metric(&d, "subdd_rejected_total{reason=\"host\"}"), 5 * n_routes);
    assert_int_equal(daemon_metric(&d, "subdd_rejected_total{reason=\"origin\"}"), 4 * n_routes);
    assert_true(daemon_logged(&d, "\"code\":\"foreign_origin\""));
    daemon_stop(&d);
}

static void test_strangers_with_tokens(void **state)
{
    char tokens[] = "/tmp/subdd-tokens-XXXXXX", token[128], text[256], value[64], id[256];
    struct daemon d = {0};
    struct answer a;
    (void)state;
    close(mkstemp(tokens));
    unlink(tokens);
    const char *const new_token[] = {"--tokens-file", tokens, "--new-token", "all:read,edit,admin", NULL};
    const char *const options[] = {"--tokens-file", tokens, "--allow-origin", APP, NULL};
    assert_int_equal(daemon_run(new_token, text, sizeof text), 0);
    snprintf(token, sizeof token, "Authorization: Bearer %.*s\r\n", (int)strcspn(text, "\n"), text);
    daemon_start(&d, options);
    snprintf(text, sizeof text, "%sContent-Type: model/obj\r\n", token);
    http_ask(&d, "POST", "/v1/meshes", text, CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    answer_member(&a, "id", id);
    answer_free(&a);
    refuse_all(&d, id, token);
    for (size_t k = 0; k < N_STRANGERS; k++) { /* and without a token it is not the token that they hear of */
        http_ask(&d, "GET", "/v1/meshes", strangers[k].fields, NULL, 0, &a);
        assert_problem(&a, strangers[k].status, strangers[k].code, strangers[k].field);
        answer_free(&a);
    }
    http_ask(&d, "OPTIONS", "/v1/meshes", "Origin: " APP "\r\nAccess-Control-Request-Method: POST\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 204); /* browsers send no token with it */
    answer_free(&a);
    http_ask(&d, "GET", "/v1/meshes", "Origin: " APP "\r\n", NULL, 0, &a);
    assert_problem(&a, 401, "unauthorized", "authorization");
    assert_true(answer_field(&a, "Access-Control-Allow-Origin", value, sizeof value));
    answer_free(&a);
    daemon_stop(&d);
    unlink(tokens);
}

/* What is the daemon's own, or a program's that sends none of these headers, comes in everywhere. */
static void test_own(void **state)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "LOCALHOST.", "a.localhost", "127.9.8.7", "[::1]"};
    struct daemon d = {0};
    struct answer a;
    char fields[256], value[256];
    (void)state;
    daemon_start(&d, NULL);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (int i = 0; i < n_routes; i++) {
            snprintf(fields, sizeof fields, "Host: %s:%d\r\nOrigin: %s://%s:%d\r\nSec-Fetch-Site: same-origin\r\n",
                     names[k], d.port, k % 2 ? "https" : "http", names[k], d.port);
            knock(&d, &routes[i], NOBODY, fields, &a);
            if (strchr(routes[i].path, '{'))
                assert_problem(&a, 404, "not_found", NULL);
            else if (a.status != 404 || strcmp(routes[i].path, "/viewer") != 0) /* It may not have been built. */
                assert_true(a.status == 200 || a.status == 201);
            assert_false(answer_field(&a, "Access-Control-Allow-Origin", value, sizeof value));
            answer_free(&a);
        }
    http_ask(&d, "OPTIONS", "/v1/meshes", "Access-Control-Request-Method: POST\r\n", NULL, 0, &a);
    assert_problem(&a, 405, "method_not_allowed", "method");
    answer_free(&a);
    http_ask(&d, "OPTIONS", "/v1/meshes", "Origin: " APP "\r\nAccess-Control-Request-Method: POST\r\n", NULL, 0, &a);
    assert_problem(&a, 403, "foreign_origin", "origin");
    answer_free(&a);
    daemon_stop(&d);
}

static void raw(const struct daemon *d, const char *request, int status, const char *code)
{
    struct answer a;
    int fd = http_connect(d);
    http_send(fd, request, strlen(request));
    http_read(fd, &a, false);
    if (code)
        assert_problem(&a, status, code, NULL);
    assert_int_equal(a.status, status);
    answer_free(&a);
    close(fd);
}

static void test_heads(void **state)
{
    static const char *const options[] = {"--max-body-bytes", "64KiB", NULL};
    struct daemon d = {0};
    (void)state;
    daemon_start(&d, options);
    raw(&d, "GET /v1 HTTP/1.0\r\n\r\n", 200, NULL); /* no browser speaks it */
    raw(&d, "GET /v1 HTTP/1.0\r\nHost: evil.example\r\n\r\n", 421, "misdirected_request");
    raw(&d, "GET http://evil.example/v1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "misdirected_request");
    raw(&d, "GET http://localhost/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, NULL);
    raw(&d, "GET /v1 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://b\r\n\r\n", 400,
        "malformed");
    raw(&d, "GET /v1 HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\nsec-fetch-site: cross-site\r\n\r\n", 400,
        "malformed");
    /* the door comes before body, route, method and what else a head may have wrong */
    raw(&d, "POST /v1/meshes HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99999999\r\n\r\n", 421,
        "misdirected_request");
    raw(&d, "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 99999999\r\n\r\n", 403,
        "foreign_origin");
    raw(&d, "BREW /nothing?x=1 HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
        421, "misdirected_request");
    raw(&d, "GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", 421, "misdirected_request");
    daemon_stop(&d);
}

/* Types that a page may send to another origin without a preflight, and none at all. */
static void test_media_types(void **state)
{
    static const char *const types[] = {"text/plain",
                                        "text/plain;charset=UTF-8",
                                        "TEXT/PLAIN; model/obj",
                                        "application/x-www-form-urlencoded",
                                        "multipart/form-data; boundary=x",
                                        ""};
    struct daemon d = {0};
    struct answer a;
    char field[96];
    int tried = 0;
    (void)state;
    daemon_start(&d, NULL);
    for (int i = 0; i < n_routes; i++)
        for (size_t k = 0; routes[i].body && k < sizeof types / sizeof types[0]; k++, tried++) {
            snprintf(field, sizeof field, *types[k] ? "Content-Type: %s\r\n" : "X-No-Content-Type: 1\r\n", types[k]);
            knock(&d, &routes[i], NOBODY, field, &a);
            assert_problem(&a, 415, "unsupported_media_type", "content-type");
            assert_null(strstr(a.body, "text/plain"));
            answer_free(&a);
        }
    assert_int_equal(tried, 12 * 6);
    assert_int_equal(mesh_count(&d, ""), 0);
    daemon_stop(&d);
}

/* ---- who is named comes in -------------------------------------------------------------------------------- */
static bool lists(const struct answer *a, const char *header, const char *item)
{
    char value[512];
    if (!answer_field(a, header, value, sizeof value))
        return false;
    for (char *rest = NULL, *one = strtok_r(value, ", ", &rest); one; one = strtok_r(NULL, ", ", &rest))
        if (strcasecmp(one, item) == 0)
            return true;
    return false;
}

/* Can a page of APP read this answer, with every header that it has? */
static void assert_readable(const struct answer *a)
{
    static const char *const free_for_all[] = {
        "Cache-Control", "Content-Length", "Content-Type", "Date", "Connection", "Vary",
        /* for the browser alone */
        "Content-Encoding", "Content-Security-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy",
        "X-Content-Type-Options", NULL};
    char value[256], name[64];
    assert_browser(a, "cross-origin");
    assert_true(answer_field(a, "Access-Control-Allow-Origin", value, sizeof value));
    assert_string_equal(value, APP);
    assert_non_null(strstr(a->head, "\r\nVary: Origin\r\n"));
    for (const char *s = a->head; (s = strstr(s, "\r\n")) && s[2] && s[2] != '\r';) {
        s += 2;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, ":"), s);
        bool known = strncasecmp(name, "Access-Control-", 15) == 0;
        for (int i = 0; free_for_all[i]; i++)
            known = known || strcasecmp(name, free_for_all[i]) == 0;
        if (!known && !lists(a, "Access-Control-Expose-Headers", name))
            fail_msg("%s is not exposed", name);
    }
}

static void test_named(void **state)
{
    static const char *const options[] = {"--allow-host", "other.example, Box", "--allow-origin", TWO, NULL};
    static const char ours[] = "Host: box:7373\r\nOrigin: " APP "\r\nSec-Fetch-Site: cross-site\r\n";
    struct daemon d = {0};
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    for (int i = 0; i < n_routes; i++) {
        knock(&d, &routes[i], NOBODY, ours, &a);
        assert_true(a.status != 421 && a.status != 403);
        assert_readable(&a);
        answer_free(&a);
        knock(&d, &routes[i], NOBODY, "Host: OTHER.example.\r\nOrigin: " APP "/\r\n", &a);
        assert_problem(&a, 403, "foreign_origin", "origin");
        assert_null(strstr(a.head, "Access-Control-"));
        assert_non_null(strstr(a.head, "\r\nVary: Origin\r\n")); /* a cache must not give this to the other */
        answer_free(&a);
        knock(&d, &routes[i], NOBODY, "Host: evil.example\r\nOrigin: " APP "\r\n", &a);
        assert_problem(&a, 421, "misdirected_request", "host");
        assert_readable(&a); /* so that the developer of the page sees what is to be done */
        answer_free(&a);
    }
    daemon_stop(&d);
}

static void test_preflights(void **state)
{
    static const char *const options[] = {"--allow-origin", APP, NULL};
    static const char ask[] =
        "Origin: " APP "\r\nAccess-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: "
        "content-type,if-match\r\nAccess-Control-Request-Private-Network: true\r\n";
    static const char *const headers[] = {"Authorization",  "Content-Type", "Idempotency-Key", "If-Match",
                                          "If-None-Match",  "If-Range",     "Range",           "Subdd-Timeout-Ms",
                                          "Subdd-Priority", "X-Request-Id"};
    struct route nothing = {.method = "GET", .path = "/v1/nothing"};
    struct daemon d = {0};
    struct answer a;
    char value[64];
    (void)state;
    daemon_start(&d, options);
    for (int i = -1; i < n_routes; i++) {
        const struct route *r = i < 0 ? &nothing : &routes[i];
        knock_on(http_connect(&d), r, "OPTIONS", NOBODY, ask, &a);
        assert_int_equal(a.status, 204);
        assert_readable(&a);
        assert_true(lists(&a, "Access-Control-Allow-Methods", r->method));
        for (size_t k = 0; k < sizeof headers / sizeof headers[0]; k++)
            assert_true(lists(&a, "Access-Control-Allow-Headers", headers[k]));
        assert_true(answer_field(&a, "Access-Control-Max-Age", value, sizeof value));
        assert_true(lists(&a, "Access-Control-Allow-Private-Network", "true"));
        answer_free(&a);
        knock_on(http_connect(&d), r, "OPTIONS", NOBODY, "Origin: null\r\nAccess-Control-Request-Method: GET\r\n", &a);
        assert_problem(&a, 403, "foreign_origin", "origin");
        answer_free(&a);
    }
    http_ask(&d, "OPTIONS", "/v1/meshes", "Origin: " APP "\r\n", NULL, 0, &a);
    assert_problem(&a, 405, "method_not_allowed", "method");
    assert_readable(&a);
    answer_free(&a);
    daemon_stop(&d);
}

/* Answers that are made in other ways: without a body, while they are sent, in the middle of a body. */
static void test_readable(void **state)
{
    static const char *const options[] = {"--allow-origin", APP, "--stream-bytes", "64KiB", "--max-body-bytes",
                                          "64KiB",          NULL};
    static const char head[] = "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nOrigin: " APP
                               "\r\nContent-Type: model/obj\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n";
    struct daemon d = {0};
    struct answer a;
    char id[32], fields[128] = "Origin: " APP "\r\nIf-None-Match: ", *body = calloc(1, 0x20000);
    (void)state;
    daemon_start(&d, options);
    create_cube(&d, id);
    ask_mesh(&d, id, "refined?level=2", "Origin: " APP "\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_readable(&a);
    size_t n = strlen(fields);
    assert_true(answer_field(&a, "ETag", fields + n, sizeof fields - n));
    answer_free(&a);
    n += strlen(fields + n);
    snprintf(fields + n, sizeof fields - n, "\r\n");
    ask_mesh(&d, id, "refined?level=2", fields, &a);
    assert_int_equal(a.status, 304);
    assert_readable(&a);
    answer_free(&a);
    ask_mesh(&d, id, "refined?level=2", "Origin: " APP "\r\nRange: bytes=10-20\r\n", &a);
    assert_int_equal(a.status, 206);
    assert_readable(&a);
    answer_free(&a);
    ask_mesh(&d, id, "refined?level=6&include=positions&method=tabulated", "Origin: " APP "\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_readable(&a);
    answer_free(&a);
    ask_mesh(&d, id, "matrix?level=2", "Origin: " APP "\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_readable(&a);
    answer_free(&a);
    int fd = http_connect(&d);
    http_send(fd, head, sizeof head - 1);
    http_send(fd, body, 0x20000);
    http_read(fd, &a, false);
    assert_problem(&a, 413, "too_large", "body");
    assert_readable(&a);
    answer_free(&a);
    close(fd);
    free(body);
    daemon_stop(&d);
}

static void test_everybody(void **state)
{
    static const char *const hosts[] = {"--allow-host", "*", NULL}, *const origins[] = {"--allow-origin", "*", NULL};
    struct daemon d = {0};
    struct answer a;
    (void)state;
    daemon_start(&d, hosts);
    http_ask(&d, "GET", "/v1", "Host: evil.example\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    http_ask(&d, "GET", "/v1", "Host: evil.example\r\nOrigin: http://b.example\r\n", NULL, 0, &a);
    assert_problem(&a, 403, "foreign_origin", "origin");
    answer_free(&a);
    daemon_stop(&d);
    daemon_start(&d, origins);
    http_ask(&d, "GET", "/v1", "Origin: " APP "\r\nSec-Fetch-Site: cross-site\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_readable(&a);
    answer_free(&a);
    http_ask(&d, "GET", "/v1", "Sec-Fetch-Site: cross-site\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_browser(&a, "cross-origin");
    answer_free(&a);
    http_ask(&d, "GET", "/v1", "No colon\r\n", NULL, 0, &a); /* refused before it is a request */
    assert_int_equal(a.status, 400);
    assert_browser(&a, "cross-origin");
    answer_free(&a);
    daemon_stop(&d);
}

static void test_wrong_options(void **state)
{
    static const char *const wrong[][2] = {{"--allow-host", "http://box"},
                                           {"--allow-host", "box:7373"},
                                           {"--allow-origin", "app.example"},
                                           {"--allow-origin", "http://app.example/"},
                                           {"--allow-origin", "null"}};
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const options[] = {wrong[i][0], wrong[i][1], NULL};
        assert_int_equal(daemon_run(options, text, sizeof text), 2);
        assert_non_null(strstr(text, wrong[i][0]));
        assert_non_null(strstr(text, wrong[i][1]));
    }
}

/* ---- other listeners -------------------------------------------------------------------------------------- */
static void assert_host(int fd, const char *host, int status)
{
    struct answer a;
    char fields[128];
    snprintf(fields, sizeof fields, "Host: %s\r\n", host);
    http_ask_on(fd, "GET", "/v1", fields, NULL, 0, &a);
    if (a.status != status)
        print_message("Host: %s\n", host);
    assert_int_equal(a.status, status);
    answer_free(&a);
    close(fd);
}

static void test_ipv6(void **state)
{
    static const char *const options[] = {"--listen", "[::1]:0", NULL};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct daemon d = {0};
    char own[32];
    (void)state;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0),
        rc = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&six, sizeof six);
    if (fd >= 0)
        close(fd);
    if (rc) {
        printf("skip: this machine has no IPv6\n");
        skip();
    }
    daemon_start(&d, options);
    snprintf(own, sizeof own, "[::1]:%d", d.port);
    assert_host(http_connect_to(&d, (struct sockaddr *)&six, sizeof six), own, 200);
    assert_host(http_connect_to(&d, (struct sockaddr *)&six, sizeof six), "localhost", 200);
    assert_host(http_connect_to(&d, (struct sockaddr *)&six, sizeof six), "[fd00::99]", 421);
    assert_host(http_connect_to(&d, (struct sockaddr *)&six, sizeof six), "evil.example", 421);
    daemon_stop(&d);
}

/* An address of this machine that is not loopback and can be connected to; AF_UNSPEC: it has none. */
static struct sockaddr_storage own_address(char text[INET6_ADDRSTRLEN])
{
    struct sockaddr_storage found = {.ss_family = AF_UNSPEC};
    struct ifaddrs *all = NULL;
    (void)!getifaddrs(&all);
    for (struct ifaddrs *i = all; i; i = i->ifa_next) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)i->ifa_addr;
        if (!four || four->sin_family != AF_INET || ntohl(four->sin_addr.s_addr) >> 24 == 127)
            continue;
        memcpy(&found, four, sizeof *four);
        inet_ntop(AF_INET, &four->sin_addr, text, INET6_ADDRSTRLEN);
    }
    freeifaddrs(all);
    return found;
}

/* On all addresses: the one where a connection arrived is a name of the daemon, for that connection alone. */
static void test_wildcard(void **state)
{
    static const char *const listen[] = {"0.0.0.0:0", ":0"};
    char address[INET6_ADDRSTRLEN] = "";
    const struct sockaddr_storage own = own_address(address);
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const options[] = {"--listen", listen[i], "--allow-unauthenticated", "--allow-host", "box", NULL};
        struct daemon d = {0};
        daemon_start(&d, options);
        assert_host(http_connect(&d), "127.0.0.1", 200);
        assert_host(http_connect(&d), "box", 200);
        assert_host(http_connect(&d), "evil.example", 421);
        assert_host(http_connect(&d), *address ? address : "192.0.2.99", 421);
        if (own.ss_family == AF_UNSPEC)
            print_message("this machine has loopback addresses alone: no others are tried\n");
        else {
            assert_host(http_connect_to(&d, (const struct sockaddr *)&own, sizeof(struct sockaddr_in)), address, 200);
            assert_host(http_connect_to(&d, (const struct sockaddr *)&own, sizeof(struct sockaddr_in)), "localhost",
                        200);
            assert_host(http_connect_to(&d, (const struct sockaddr *)&own, sizeof(struct sockaddr_in)), "192.0.2.99",
                        421);
            assert_host(http_connect_to(&d, (const struct sockaddr *)&own, sizeof(struct sockaddr_in)), "evil.example",
                        421);
        }
        daemon_stop(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strangers),   cmocka_unit_test(test_strangers_with_tokens),
                                       cmocka_unit_test(test_own),         cmocka_unit_test(test_heads),
                                       cmocka_unit_test(test_media_types), cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_preflights),  cmocka_unit_test(test_readable),
                                       cmocka_unit_test(test_everybody),   cmocka_unit_test(test_wrong_options),
                                       cmocka_unit_test(test_ipv6),        cmocka_unit_test(test_wildcard)};
    return cmocka_run_group_tests_name("http/door", tests, NULL, NULL);
}
