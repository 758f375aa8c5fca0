/* SPDX-License-Identifier: Apache-2.0 */
/* Pins: a pinned mesh stays on a device whose memory others need, with all its versions and over restarts; and pins
 * have only a part of that memory. */
#include "gpu/backend/backend.h"
#include "gpu/device/device.h"
#include "server/serve.h"
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY "6MiB"
enum { GRID = 60, CROWD = 16 }; /* Quads on a side; and how many such meshes the device cannot hold together. */

static struct daemon d;

static void start(const char *percent)
{
    const char *options[] = {"--gpu-memory", MEMORY, "--cache-bytes", "0", "--pinned-percent", percent, NULL};
    daemon_start(&d, options);
}

static void ask(const char *method, const char *id, const char *rest, const char *fields, const char *body,
                struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%.31s%.99s", id, rest);
    http_ask(&d, method, target, fields, body, body ? strlen(body) : 0, a);
}

static int status_of(const char *method, const char *id, const char *rest)
{
    struct answer a;
    ask(method, id, rest, "", NULL, &a);
    const int status = a.status;
    answer_free(&a);
    return status;
}

/* Whether the mesh is on the device; and what its record says of pins has to be so. */
static bool on_device(const char *id, bool pinned)
{
    struct answer a;
    char where[256];
    ask("GET", id, "", "", NULL, &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(strstr(a.body, "\"pinned\":true") != NULL, pinned);
    const bool is = strcmp(answer_member(&a, "residency", where), "device") == 0;
    answer_free(&a);
    return is;
}

/* Others come and go, until the device cannot have held what was there before. */
static void crowd(void)
{
    char ids[CROWD][32];
    const long long before = daemon_metric(&d, "subdd_evictions_total{from=\"device\",to=\"host\"}");
    for (int i = 0; i < CROWD; i++) {
        create_grid(&d, GRID + i, ids[i]);
        assert_int_equal(status_of("GET", ids[i], "/refined?level=1"), 200);
    }
    assert_true(daemon_metric(&d, "subdd_evictions_total{from=\"device\",to=\"host\"}") >= before + 3);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(status_of("DELETE", ids[i], ""), 204);
}

static void test_stays(void **state)
{
    static const char edits[] = "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}";
    char pinned[32], other[32];
    struct answer a;
    (void)state;
    start("50");
    create_grid(&d, GRID, pinned);
    create_grid(&d, GRID - 1, other);
    assert_int_equal(status_of("PUT", pinned, "/pin"), 200);
    assert_int_equal(status_of("PUT", pinned, "/pin"), 200); /* It is already. */
    assert_true(daemon_metric(&d, "subdd_device_pinned_bytes") > 0);
    assert_true(on_device(other, false));
    crowd();
    assert_true(on_device(pinned, true));
    assert_false(on_device(other, false));
    /* Its next version is pinned, too. */
    ask("POST", pinned, "/edits", "If-Match: *\r\nContent-Type: application/json\r\n", edits, &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.body, "\"pinned\":true"));
    answer_free(&a);
    crowd();
    assert_true(on_device(pinned, true));
    assert_int_equal(status_of("GET", pinned, "/refined?level=1"), 200);
    /* And so it is after a restart, without a request. */
    daemon_kill(&d);
    start("50");
    for (int i = 0; i < 1000 && !on_device(pinned, true); i++)
        usleep(10000);
    assert_true(on_device(pinned, true));
    crowd();
    assert_true(on_device(pinned, true));
    /* An unpinned mesh is like any other. */
    assert_int_equal(status_of("DELETE", pinned, "/pin"), 204);
    assert_int_equal(daemon_metric(&d, "subdd_device_pinned_bytes"), 0);
    crowd();
    assert_false(on_device(pinned, false));
    daemon_stop(&d);
}

static void test_limit(void **state)
{
    char one[32], two[32], small[32];
    struct answer a;
    (void)state;
    start("10");
    create_grid(&d, GRID, one);
    create_grid(&d, GRID + 1, two);
    create_cube(&d, small);
    assert_int_equal(status_of("PUT", one, "/pin"), 200);
    ask("PUT", two, "/pin", "", NULL, &a);
    assert_problem(&a, 507, "insufficient_memory", "pin");
    assert_true(answer_number(&a, "needed") > answer_number(&a, "available"));
    assert_true(answer_number(&a, "available") > 0);
    assert_non_null(strstr(a.body, "--pinned-percent"));
    answer_free(&a);
    assert_true(on_device(two, false));
    assert_int_equal(status_of("PUT", small, "/pin"), 200); /* There is room for this one. */
    assert_int_equal(status_of("DELETE", one, "/pin"), 204);
    assert_int_equal(status_of("PUT", two, "/pin"), 200);
    assert_int_equal(status_of("PUT", one, "/pin"), 507);
    /* What is deleted is pinned no more. */
    assert_int_equal(status_of("DELETE", two, ""), 204);
    assert_int_equal(status_of("PUT", one, "/pin"), 200);
    /* With less room a mesh stays pinned in the store, and is on the device when there is room again. */
    daemon_kill(&d);
    start("0");
    for (int i = 0; i < 1000 && !daemon_logged(&d, "could not be loaded"); i++)
        usleep(10000);
    assert_true(daemon_logged(&d, "could not be loaded"));
    assert_int_equal(status_of("PUT", small, "/pin"), 507);
    assert_int_equal(daemon_metric(&d, "subdd_device_pinned_bytes"), 0);
    daemon_kill(&d);
    start("10");
    for (int i = 0; i < 1000 && !(on_device(one, true) && on_device(small, true)); i++)
        usleep(10000);
    assert_true(on_device(one, true) && on_device(small, true));
    daemon_stop(&d);
}

/* What the store could not remember is not acknowledged, and not pinned afterwards. */
static void test_failed_store(void **state)
{
    const struct rlimit limit = {4096, 4096};
    char id[32];
    struct answer a;
    (void)state;
    const char *options[] = {"--log-file", "/dev/null", NULL};
    daemon_start(&d, options);
    create_grid(&d, GRID, id);
    assert_int_equal(prlimit(d.pid, RLIMIT_FSIZE, &limit, NULL), 0);
    ask("PUT", id, "/pin", "", NULL, &a);
    assert_problem(&a, 503, "store_failed", "store");
    answer_free(&a);
    assert_int_equal(daemon_wait(&d, 5), EXIT_STORE);
    start("50");
    (void)on_device(id, false);
    daemon_stop(&d);
}

/* A mesh that an edit makes too large is no longer pinned, in the store neither. */
static void test_growth(void **state)
{
    enum { MORE = 90000 };
    static const char edit[] = "{\"edits\":[{\"addVertices\":{\"points\":[";
    char id[32], *edits = malloc(sizeof edit + 2 * MORE + 8), *end = edits + sizeof edit - 1;
    struct answer a;
    (void)state;
    assert_non_null(edits);
    memcpy(edits, edit, sizeof edit);
    for (int k = 0; k < MORE; k++, end += 2)
        memcpy(end, k ? ",1" : " 1", 2);
    memcpy(end, "]}}]}", 6);
    start("10");
    create_grid(&d, GRID / 2, id);
    assert_int_equal(status_of("PUT", id, "/pin"), 200);
    ask("POST", id, "/edits", "If-Match: *\r\nContent-Type: application/json\r\n", edits, &a);
    assert_int_equal(a.status, 200);
    assert_null(strstr(a.body, "\"pinned\":true"));
    answer_free(&a);
    free(edits);
    (void)on_device(id, false);
    assert_true(daemon_logged(&d, "is no longer pinned"));
    assert_int_equal(daemon_metric(&d, "subdd_device_pinned_bytes"), 0);
    assert_int_equal(status_of("DELETE", id, "/pin"), 404);
    assert_int_equal(status_of("PUT", id, "/pin"), 507);
    daemon_kill(&d);
    start("90");
    assert_int_equal(status_of("GET", id, "/refined?level=1"), 200); /* A pin would be restored before that. */
    (void)on_device(id, false);
    daemon_stop(&d);
}

/* ---- a device that takes its time, for a daemon in a child ------------------------------------------------------ */
static int slow_alloc(void *device, int64_t bytes, void **out)
{
    usleep(100000);
    return sdd_backend_cpu()->alloc(device, bytes, out);
}

static int open_slow(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err)
{
    static struct sdd_backend backend;
    backend = *sdd_backend_cpu();
    backend.alloc = slow_alloc;
    return sdd_device_wrap(&backend, 0, 1, config->memory_limit, out, err);
}

static int slow_daemon(int argc, char **argv)
{
    struct config config;
    struct text error = {0};
    if (!config_load(&config, argc, argv, &error))
        return EXIT_USAGE;
    return serve(&config, open_slow);
}

/* A mesh is unpinned after a start, while another one is being loaded before it. */
static void test_unpinned_meanwhile(void **state)
{
    char ids[2][32];
    (void)state;
    start("50");
    for (int k = 0; k < 2; k++) {
        create_grid(&d, GRID + k, ids[k]);
        assert_int_equal(status_of("PUT", ids[k], "/pin"), 200);
    }
    const int first = strcmp(ids[0], ids[1]) > 0;
    daemon_kill(&d);
    daemon_fork(&d, NULL, slow_daemon);
    assert_int_equal(status_of("DELETE", ids[!first], "/pin"), 204);
    for (int i = 0; i < 1000 && !on_device(ids[first], true); i++)
        usleep(10000);
    usleep(100000);
    assert_false(on_device(ids[!first], false)); /* It was not even loaded. */
    assert_int_equal(status_of("DELETE", ids[!first], "/pin"), 404);
    assert_int_equal(status_of("DELETE", ids[first], "/pin"), 204);
    assert_int_equal(daemon_metric(&d, "subdd_device_pinned_bytes"), 0);
    daemon_stop(&d);
}

static struct ran subd(const char *verb, const char *id)
{
    char server[64];
    snprintf(server, sizeof server, "http://127.0.0.1:%d", d.port);
    const char *arguments[] = {verb, id, "--server", server, NULL};
    return spawn_subd(d.dir, arguments, NULL);
}

static void test_refused(void **state)
{
    char id[32];
    struct answer a;
    (void)state;
    start("50");
    create_cube(&d, id);
    ask("DELETE", id, "/pin", "", NULL, &a);
    assert_problem(&a, 404, "not_found", "pin");
    answer_free(&a);
    assert_int_equal(status_of("PUT", "m_0123456789abcdef", "/pin"), 404);
    assert_int_equal(status_of("DELETE", "m_0123456789abcdef", "/pin"), 404);
    assert_int_equal(status_of("POST", id, "/pin"), 405);
    struct ran r = subd("pin", id);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = subd("show", id);
    assert_non_null(strstr(r.out, "pinned"));
    ran_free(&r);
    r = subd("unpin", id);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = subd("unpin", id);
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "not pinned"));
    ran_free(&r);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stays),        cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_failed_store), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_growth),       cmocka_unit_test(test_unpinned_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
