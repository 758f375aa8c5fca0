/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoint table, the OpenAPI document and the metrics agree, and paths that are not in the table are refused. */
#include "client/lib/subd.h"
#include "server/api/routes.h"
#include "tests/http/daemon.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static struct daemon d;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* The document's operations: lines "  /path:" and below them "    method:". */
static int documented(const char *yaml, const char *method, const char *path)
{
    char key[96], verb[16];
    snprintf(key, sizeof key, "\n  %s:\n", path);
    snprintf(verb, sizeof verb, "\n    %s:\n", method);
    for (char *s = verb; *s; s++)
        if (*s >= 'A' && *s <= 'Z')
            *s = (char)(*s + 'a' - 'A');
    const char *from = strstr(yaml, key);
    if (!from)
        return 0;
    const char *to = strstr(from + strlen(key), "\n  /");
    const char *at = strstr(from, verb);
    if (!to)
        to = strstr(from, "\ncomponents:");
    return at && at < to;
}

static void test_openapi(void **state)
{
    struct answer a;
    char value[64];
    int operations = 0;
    (void)state;
    http_get(&d, "/v1/openapi.yaml", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/yaml");
    assert_non_null(strstr(a.body, "\nopenapi: 3.1.0\n"));
    for (int i = 0; i < n_routes; i++) {
        if (!documented(a.body, routes[i].method, routes[i].path))
            fail_msg("the document lacks %s %s", routes[i].method, routes[i].path);
        for (const char *const *q = routes[i].query; q && *q; q++)
            assert_non_null(strstr(a.body, *q));
    }
    for (const char *s = a.body; (s = strstr(s, "operationId:")); s++)
        operations++;
    assert_int_equal(operations, n_routes);
    answer_free(&a);
}

static const cJSON *member(const cJSON *o, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(o, name);
}

/* What "#/components/parameters/Level" names. */
static const cJSON *resolve(const cJSON *root, const char *reference)
{
    char name[64];
    assert_memory_equal(reference, "#/", 2);
    for (const char *s = reference + 1; *s == '/'; s += strcspn(s + 1, "/") + 1) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s + 1, "/"), s + 1);
        root = member(root, name);
    }
    if (!root)
        fail_msg("%s is not there", reference);
    return root;
}

/* Every reference has something that it names, and every component is named by one. */
static void check_references(const cJSON *root, const cJSON *o, cJSON *used)
{
    for (const cJSON *item = o->child; item; item = item->next) {
        if (item->string && strcmp(item->string, "$ref") == 0) {
            resolve(root, item->valuestring);
            cJSON_AddTrueToObject(used, item->valuestring);
        }
        check_references(root, item, used);
    }
}

static void check_components(const cJSON *root)
{
    cJSON *used = cJSON_CreateObject();
    char name[128];
    check_references(root, root, used);
    for (const cJSON *kind = member(root, "components")->child; kind; kind = kind->next)
        for (const cJSON *item = kind->child; item && strcmp(kind->string, "securitySchemes"); item = item->next) {
            snprintf(name, sizeof name, "#/components/%s/%s", kind->string, item->string);
            if (!member(used, name))
                fail_msg("nothing uses %s", name);
        }
    cJSON_Delete(used);
}

/* Are all {names} of the path parameters, which are required? */
static void check_path(const cJSON *root, const cJSON *path)
{
    const cJSON *reference = member(cJSON_GetArrayItem(member(path, "parameters"), 0), "$ref");
    assert_true(!strchr(path->string, '{') == !reference);
    if (reference) {
        const cJSON *parameter = resolve(root, reference->valuestring);
        const char *name = strchr(path->string, '{') + 1, *given = member(parameter, "name")->valuestring;
        assert_true(strcspn(name, "}") == strlen(given) && strncmp(name, given, strlen(given)) == 0);
        assert_true(cJSON_IsTrue(member(parameter, "required")));
    }
}

static void check_operation(const cJSON *op, cJSON *ids)
{
    int fine = 0, refused = 0;
    const char *id = member(op, "operationId")->valuestring;
    if (member(ids, id))
        fail_msg("operationId %s is there twice", id);
    cJSON_AddTrueToObject(ids, id);
    assert_true(*member(op, "summary")->valuestring);
    for (const cJSON *r = member(op, "responses")->child; r; r = r->next) {
        fine += r->string[0] == '2';
        refused += r->string[0] == '4';
        assert_true(member(r, "$ref") || member(r, "description"));
    }
    if (!fine || !refused)
        fail_msg("%s has %d answers that are 2xx and %d that are 4xx", id, fine, refused);
}

static void assert_limit(const cJSON *root, const char *reference, const char *name, double limit)
{
    const cJSON *v = member(resolve(root, reference), name);
    if (!v || v->valuedouble != limit)
        fail_msg("%s: %s is %g, not %g", reference, name, v ? v->valuedouble : 0, limit);
}

/* The document's limits are those of the code, and the daemon's, which has its defaults here. */
static void check_limits(const cJSON *root)
{
    const cJSON *patches = resolve(root, "#/paths");
    struct answer a;
    assert_limit(root, "#/components/parameters/Level/schema", "maximum", SDD_MAX_LEVEL);
    assert_limit(root, "#/components/schemas/Mesh/properties/primvars", "maxItems", SDD_MAX_PRIMVARS);
    assert_limit(root, "#/components/schemas/Primvar/properties/width", "maximum", SDD_MAX_PRIMVAR_WIDTH);
    patches = member(member(member(patches, "/v1/meshes/{id}/patches"), "get"), "parameters");
    assert_int_equal(member(member(cJSON_GetArrayItem(patches, 0), "schema"), "maximum")->valueint,
                     SDD_MAX_PATCH_LEVEL);
    http_get(&d, "/v1", &a);
    assert_int_equal(answer_number(&a, "maxLevel"), SDD_MAX_LEVEL);
    assert_int_equal(answer_number(&a, "maxPatchLevel"), SDD_MAX_PATCH_LEVEL);
    answer_free(&a);
    assert_int_equal(SUBD_MAX_LEVEL, SDD_MAX_LEVEL);
    http_get(&d, "/v1/meshes/m_1/refined?level=16", &a);
    assert_problem(&a, 400, "invalid_argument", "level");
    assert_int_equal(answer_number(&a, "limit"), SDD_MAX_LEVEL);
    answer_free(&a);
}

/* The rules of redocly's `recommended` that this document could break, and redocly itself where it is. */
static void test_openapi_rules(void **state)
{
    struct answer a;
    char value[64], path[128], command[400];
    int operations = 0;
    (void)state;
    http_get(&d, "/v1/openapi.json", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/json");
    cJSON *root = cJSON_ParseWithOpts(a.body, NULL, 1), *ids = cJSON_CreateObject();
    assert_non_null(root);
    assert_string_equal(member(root, "openapi")->valuestring, "3.1.0");
    assert_true(cJSON_GetArraySize(member(root, "servers")) > 0);
    assert_true(*member(member(member(root, "info"), "license"), "identifier")->valuestring);
    assert_true(cJSON_GetArraySize(member(root, "security")) > 0);
    assert_non_null(member(member(member(root, "components"), "securitySchemes"), "token"));
    for (const cJSON *p = member(root, "paths")->child; p; p = p->next) {
        check_path(root, p);
        for (const cJSON *op = p->child; op; op = op->next)
            if (strcmp(op->string, "parameters") != 0) {
                check_operation(op, ids);
                operations++;
            }
    }
    assert_int_equal(operations, n_routes);
    check_components(root);
    check_limits(root);
    cJSON_Delete(ids);
    cJSON_Delete(root);
    answer_free(&a);
    if (system("command -v redocly >/dev/null")) /* the real judge, where it is */
        return;
    http_get(&d, "/v1/openapi.yaml", &a);
    snprintf(path, sizeof path, "%s/openapi.yaml", d.dir);
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(a.body, 1, a.bytes, f), a.bytes);
    fclose(f);
    snprintf(command, sizeof command, "redocly lint --extends=recommended-strict %s >%s.log 2>&1", path, path);
    assert_int_equal(system(command), 0);
    answer_free(&a);
}

/* Probes find health also without the version, and may add what they like. */
static void test_health_for_probes(void **state)
{
    static const char *const targets[] = {"/health/live", "/health/ready?probe=1", "/v1/health/live?x=1&x=2"};
    struct answer a;
    (void)state;
    for (int i = 0; i < 3; i++) {
        http_get(&d, targets[i], &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
    }
}

static void test_unknown(void **state)
{
    static const struct {
        const char *method, *target;
        int status;
        const char *code, *allow;
    } rows[] = {
        {"GET", "/web/", 404, "not_found", NULL},
        {"GET", "/web/nothing.js", 404, "not_found", NULL},
        {"GET", "/web/.hidden", 404, "not_found", NULL},
        {"GET", "/web/page.css/", 404, "not_found", NULL},
        {"GET", "/docs/", 404, "not_found", NULL},
        {"GET", "/index.html", 404, "not_found", NULL},
        {"PUT", "/web/page.css", 405, "method_not_allowed", "GET, HEAD"},
        {"GET", "/?x=1", 400, "invalid_argument", NULL},
        {"GET", "/v1/", 404, "not_found", NULL},
        {"GET", "/v1/mesh", 404, "not_found", NULL},
        {"GET", "/v1/meshes/", 404, "not_found", NULL},
        {"GET", "/v1/meshes/m_1/refined/", 404, "not_found", NULL},
        {"GET", "/v1/meshes/m_1/nothing", 404, "not_found", NULL},
        {"GET", "/v1/meshes/m_1", 404, "not_found", NULL},
        {"GET", "/v1/meshes/none-that-can-be-an-id-because-it-is-far-too-long", 404, "not_found", NULL},
        {"GET", "/v1/meshes/.hidden", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes/a%20b", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes/a%c3%a4", 400, "invalid_argument", NULL},
        {"DELETE", "/v1/meshes", 405, "method_not_allowed", "POST, GET, HEAD"},
        {"POST", "/v1/meshes/m_1", 405, "method_not_allowed", "GET, HEAD, PATCH, DELETE"},
        {"PUT", "/v1", 405, "method_not_allowed", "GET, HEAD"},
        {"TRACE", "/v1", 405, "method_not_allowed", "GET, HEAD"},
        {"BREW", "/v1", 405, "method_not_allowed", "GET, HEAD"},
        {"get", "/v1", 405, "method_not_allowed", "GET, HEAD"},
        {"GET", "/v1?x=1", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?limit=1&limit=2", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?limit=0", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?limit=1001", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?limit=-1", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?limit=1e2", 400, "invalid_argument", NULL},
        {"GET", "/v1/meshes?after=%ff", 400, "invalid_argument", NULL},
    };
    struct answer a;
    char value[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_ask(&d, rows[i].method, rows[i].target, "", NULL, 0, &a);
        if (a.status != rows[i].status)
            print_message("%s %s\n", rows[i].method, rows[i].target);
        assert_problem(&a, rows[i].status, rows[i].code, NULL);
        if (rows[i].allow) {
            assert_true(answer_field(&a, "Allow", value, sizeof value));
            assert_string_equal(value, rows[i].allow);
        }
        answer_free(&a);
    }
}

static void test_accept(void **state)
{
    static const struct {
        const char *target, *accept;
        int status;
        const char *type;
    } rows[] = {
        {"/v1/meshes", "*/*", 200, "application/json"},
        {"/v1/meshes", "application/protobuf", 200, "application/protobuf"},
        {"/v1/meshes", "application/x-protobuf", 200, "application/protobuf"},
        {"/v1/meshes", "application/json;q=0.5, application/protobuf", 200, "application/protobuf"},
        {"/v1/meshes", "application/protobuf;q=0.5, application/*", 200, "application/json"},
        {"/v1/meshes", "application/json;q=0, */*", 200, "application/protobuf"},
        {"/v1/meshes", "text/html", 406, "application/problem+json"},
        {"/v1/meshes/m_1", "application/protobuf", 404, "application/protobuf"},
        {"/v1/openapi.yaml", "application/json", 406, "application/problem+json"},
        {"/metrics", "text/plain;version=0.0.4", 200, "text/plain; version=0.0.4; charset=utf-8"},
    };
    struct answer a;
    char field[128], value[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(field, sizeof field, "Accept: %s\r\n", rows[i].accept);
        http_ask(&d, "GET", rows[i].target, field, NULL, 0, &a);
        assert_int_equal(a.status, rows[i].status);
        assert_true(answer_field(&a, "Content-Type", value, sizeof value));
        assert_string_equal(value, rows[i].type);
        answer_free(&a);
    }
}

static void test_head(void **state)
{
    struct answer a, b;
    char length[32], same[32];
    (void)state;
    http_get(&d, "/v1", &a);
    http_ask(&d, "HEAD", "/v1", "", NULL, 0, &b);
    assert_int_equal(b.status, 200);
    assert_int_equal(b.bytes, 0);
    assert_true(answer_field(&a, "Content-Length", length, sizeof length) &&
                answer_field(&b, "Content-Length", same, sizeof same));
    assert_string_equal(length, same);
    answer_free(&a);
    answer_free(&b);
}

/* Every line of the metrics is a comment or `name{labels} number`; a name has one HELP and TYPE, before its samples,
 * and counters alone end in _total. */
static void test_metrics(void **state)
{
    struct answer a;
    char name[96] = "", names[8192] = "\n", wanted[128];
    size_t used = 1;
    (void)state;
    http_get(&d, "/metrics", &a);
    assert_int_equal(a.status, 200);
    if (system("command -v promtool >/dev/null") == 0) { /* the real judge, where it is */
        FILE *judge = popen("promtool check metrics", "w");
        fputs(a.body, judge);
        assert_int_equal(pclose(judge), 0);
    }
    for (char *rest = NULL, *line = strtok_r(a.body, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 7, " "), line + 7);
            snprintf(wanted, sizeof wanted, "\n%s\n", name);
            if (strstr(names, wanted))
                fail_msg("%s is there twice", name);
            assert_true(strlen(line) > 8 + strlen(name));
            assert_true(used + strlen(wanted) < sizeof names);
            used += (size_t)snprintf(names + used, sizeof names - used, "%s\n", name);
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            assert_memory_equal(line + 7, name, strlen(name));
            const size_t n = strlen(name);
            if ((n > 6 && strcmp(name + n - 6, "_total") == 0) != (strcmp(line + 8 + n, "counter") == 0))
                fail_msg("%s", line);
        } else {
            char *end, *space = strrchr(line, ' ');
            assert_memory_equal(line, name, strlen(name));
            assert_non_null(space);
            strtod(space + 1, &end);
            assert_true(end > space + 1 && !*end);
        }
    }
    answer_free(&a);
    assert_null(strstr(names, "gpu")); /* The tests' daemon may have none. */
}

/* What monitoring systems expect of every process, by its usual names. */
static void test_process_metrics(void **state)
{
    struct answer a;
    (void)state;
    assert_in_range(daemon_metric(&d, "process_start_time_seconds"), time(NULL) - 600, time(NULL) + 2);
    assert_in_range(daemon_metric(&d, "process_resident_memory_bytes"), 1 << 20, 1ll << 40);
    assert_true(daemon_metric(&d, "process_virtual_memory_bytes") > daemon_metric(&d, "process_resident_memory_bytes"));
    const long long open = daemon_metric(&d, "process_open_fds");
    const int fd = http_connect(&d);
    http_ask_on(fd, "GET", "/v1", "", NULL, 0, &a);
    answer_free(&a);
    assert_int_equal(daemon_metric(&d, "process_open_fds"), open + 1);
    close(fd);
    assert_true(daemon_metric(&d, "process_max_fds") >= 512 + open);
    http_get(&d, "/metrics", &a);
    const char *cpu = strstr(a.body, "\nprocess_cpu_seconds_total ");
    assert_non_null(cpu);
    assert_true(strtod(strchr(cpu, ' '), NULL) > 0);
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openapi), cmocka_unit_test(test_openapi_rules),  cmocka_unit_test(test_health_for_probes),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_accept),         cmocka_unit_test(test_head),
        cmocka_unit_test(test_metrics), cmocka_unit_test(test_process_metrics)};
    return cmocka_run_group_tests_name("http/routes", tests, start, stop);
}
