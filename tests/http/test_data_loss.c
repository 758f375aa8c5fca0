/* SPDX-License-Identifier: Apache-2.0 */
/* A damaged log, as the daemon tells it: health, answers, metrics and log until --accept-data-loss, and what it says
 * afterwards. */
#include "tests/http/daemon.h"
#include "tests/unit/store/store_files.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct daemon d;
static char id[32];

static int stop(void **state)
{
    (void)state;
    if (d.pid)
        kill(d.pid, SIGKILL);
    d = (struct daemon){0};
    return 0;
}

static void asked(const char *path, int status, const char *says)
{
    struct answer a;
    http_get(&d, path, &a);
    if (a.status != status || !strstr(a.body, says))
        fail_msg("GET %s: %d %s, not %d %s", path, a.status, a.body, status, says);
    if (status == 503)
        assert_problem(&a, 503, "store_failed", "store");
    answer_free(&a);
}

static void move(int status)
{
    static const float point[3] = {1, 2, 3};
    struct answer a;
    char target[80];
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/positions?first=2", id);
    http_ask(&d, "PUT", target, "Content-Type: application/octet-stream\r\nIf-Match: *\r\n", point, sizeof point, &a);
    assert_int_equal(a.status, status);
    answer_free(&a);
}

/* Kills the daemon and takes the last frame of the log away, and with it the last change. */
static void lose_last_change(void)
{
    char path[120];
    struct stat st;
    daemon_kill(&d);
    (void)snprintf(path, sizeof path, "%s/data/subdd.db-wal", d.dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - 100), 0);
}

/* Ends the daemon and keeps its folder. */
static void end(void)
{
    kill(d.pid, SIGTERM);
    assert_int_equal(daemon_wait(&d, 10), 0);
}

static void test_told_and_accepted(void **state)
{
    static const char *const accept[] = {"--accept-data-loss", NULL};
    char path[80], lost[160];
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, id);
    for (int i = 0; i < 3; i++)
        move(200);
    lose_last_change();
    daemon_start(&d, NULL);
    (void)snprintf(path, sizeof path, "/v1/meshes/%s", id);
    (void)snprintf(lost, sizeof lost, "mesh %s: version 4 was acknowledged, version 3 is there", id);
    assert_true(daemon_logged(&d, lost));
    asked("/v1/health/live", 200, "live");
    asked("/v1/health/ready", 503, "1 acknowledged changes were lost, the first of mesh m_");
    asked("/health/ready", 503, "start once with --accept-data-loss");
    asked(path, 503, "--accept-data-loss");
    asked("/v1/meshes", 503, "--accept-data-loss");
    asked("/v1", 200, "version");
    move(503);
    assert_int_equal(daemon_metric(&d, "subdd_ready"), 0);
    assert_int_equal(daemon_metric(&d, "subdd_store_lost_changes{state=\"waiting\"}"), 1);
    end();
    daemon_start(&d, NULL); /* nobody has accepted it */
    asked("/v1/health/ready", 503, "1 acknowledged changes were lost");
    end();
    daemon_start(&d, accept);
    assert_true(daemon_logged(&d, "accepted by --accept-data-loss"));
    asked("/v1/health/ready", 200, "ready");
    asked(path, 200, "\"version\":3");
    move(200);
    end();
    daemon_start(&d, NULL);
    asked("/v1/health/ready", 200, "ready");
    asked(path, 200, "\"version\":4");
    assert_true(daemon_logged(&d, "1 changes were lost before"));
    assert_int_equal(daemon_metric(&d, "subdd_ready"), 1);
    assert_int_equal(daemon_metric(&d, "subdd_store_lost_changes{state=\"waiting\"}"), 0);
    assert_int_equal(daemon_metric(&d, "subdd_store_lost_changes{state=\"accepted\"}"), 1);
    daemon_stop(&d);
}

/* A mesh whose row is older than it should be: refused by its name, and deleted by who names no version. */
static void test_damaged_mesh(void **state)
{
    char path[120], data[80], other[32];
    struct answer a;
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, id);
    create_cube(&d, other);
    end();
    (void)snprintf(data, sizeof data, "%s/data", d.dir);
    (void)snprintf(path, sizeof path, "UPDATE versions SET version = 2 WHERE id = '%s'", id);
    store_sql(data, path);
    daemon_start(&d, NULL);
    asked("/v1/health/ready", 200, "ready");
    (void)snprintf(path, sizeof path, "/v1/meshes/%s", other);
    asked(path, 200, other);
    (void)snprintf(path, sizeof path, "/v1/meshes/%s", id);
    asked(path, 503, "its row is of version 1, but version 2 was stored");
    asked("/v1/meshes", 503, id);
    http_ask(&d, "DELETE", path, "If-Match: \"2\"\r\n", NULL, 0, &a);
    assert_problem(&a, 503, "store_failed", "store");
    answer_free(&a);
    http_ask(&d, "DELETE", path, "", NULL, 0, &a);
    assert_int_equal(a.status, 204);
    answer_free(&a);
    asked("/v1/meshes", 200, other);
    daemon_stop(&d);
}

/* The option without a loss changes nothing, and a killed daemon raises no alarm. */
static void test_no_alarm(void **state)
{
    static const char *const accept[] = {"--accept-data-loss", NULL};
    (void)state;
    daemon_start(&d, accept);
    create_cube(&d, id);
    for (int i = 0; i < 5; i++) {
        move(200);
        daemon_kill(&d);
        daemon_start(&d, NULL);
        asked("/v1/health/ready", 200, "ready");
        assert_false(daemon_logged(&d, "data-loss"));
    }
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_told_and_accepted, stop),
        cmocka_unit_test_teardown(test_damaged_mesh, stop),
        cmocka_unit_test_teardown(test_no_alarm, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
