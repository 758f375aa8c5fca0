/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh that ends the daemon each time it is evaluated: after the second time it is refused, and all else goes on. The
 * daemon runs on a device that aborts, or is lost, when memory for a result of a certain size is taken. */
#include "gpu/backend/backend.h"
#include "gpu/device/device.h"
#include "server/operation/quarantine.h"
#include "server/serve.h"
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- in the child ----------------------------------------------------------------------------------------------- */
#define POISON_GRID 7 /* Quads on a side of the mesh that is poison */
#define POISON_LEVEL "level=3"
#define POISON_BYTES (57 * 57 * 12) /* and the positions of its level 3. */

#define PIECE_LEVEL "level=8"    /* Positions alone of this level are made in pieces of at most this many bytes, */
#define PIECE_BYTES (256 * 1024) /* of which the second is poison. */

static enum { HARMLESS, ABORTS, LOSES, HANGS, ABORTS_LATE } way;
static atomic_int *hangs; /* Shared with the daemon, which says here that it hangs. */

static int poison_alloc(void *device, int64_t bytes, void **out)
{
    static int n_pieces;
    if (way == ABORTS_LATE && bytes >= PIECE_BYTES && n_pieces++ > 0)
        abort();
    if (way == HANGS && bytes == POISON_BYTES) {
        *hangs = 1;
        pause();
    }
    if (way == ABORTS && bytes == POISON_BYTES)
        abort();
    return way == LOSES && bytes == POISON_BYTES ? SDD_EDEVICE : sdd_backend_cpu()->host_alloc(device, bytes, out);
}

static int open_poison(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err)
{
    static struct sdd_backend backend;
    backend = *sdd_backend_cpu();
    backend.host_alloc = poison_alloc;
    return sdd_device_wrap(&backend, 0, 1, config->memory_limit, out, err);
}

static int poison_daemon(int argc, char **argv)
{
    struct config config;
    struct text error = {0};
    if (!config_load(&config, argc, argv, &error))
        return EXIT_USAGE;
    return serve(&config, open_poison);
}

/* ---- in the test ------------------------------------------------------------------------------------------------ */
static struct daemon d;
static char poison[32], other[32];

static void start(int how)
{
    way = how;
    daemon_fork(&d, NULL, poison_daemon);
}

static int ask(const char *method, const char *id, const char *rest, const char *fields, const char *body)
{
    char target[256];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%s%s", id, rest);
    http_ask(&d, method, target, fields, body, body ? strlen(body) : 0, &a);
    const int status = a.status;
    answer_free(&a);
    return status;
}

static int get(const char *id, const char *rest)
{
    return ask("GET", id, rest, "", NULL);
}

/* The daemon ends while it evaluates the mesh. */
static void die(const char *rest)
{
    const int status = get(poison, rest);
    assert_true(status == 0 || (way == LOSES && status == 503));
    assert_int_equal(daemon_wait(&d, 5), way == LOSES ? EXIT_DEVICE : 128 + SIGABRT);
}

static void assert_refused(const char *method, const char *rest, const char *fields, const char *body)
{
    char target[256];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%s%s", poison, rest);
    http_ask(&d, method, target, fields, body, body ? strlen(body) : 0, &a);
    assert_problem(&a, 423, "quarantined", "id");
    answer_free(&a);
}

static void begin(void)
{
    d = (struct daemon){0};
    start(HARMLESS);
    create_grid(&d, POISON_GRID, poison);
    create_cube(&d, other);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    daemon_kill(&d);
}

static void die_twice(int how)
{
    begin();
    for (int k = 0; k < QUARANTINE_DEATHS; k++) {
        start(how);
        assert_int_equal(get(poison, "/refined?level=1"), 200); /* Harmless work does not hide it. */
        die("/refined?" POISON_LEVEL);
    }
    start(how);
    assert_true(daemon_logged(&d, "which is refused from now on"));
}

static const char EDITS[] = "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}";

static void test_refused(void **state)
{
    char show[300] = "", *said;
    struct answer a;
    (void)state;
    die_twice(ABORTS);
    assert_refused("GET", "/refined?" POISON_LEVEL, "", NULL);
    assert_refused("GET", "/refined?level=1", "", NULL);
    assert_refused("GET", "/patches?level=1", "", NULL);
    assert_refused("GET", "/matrix?level=1", "", NULL);
    assert_refused("GET", "/neighbors?relation=VV", "", NULL);
    assert_refused("GET", "/fields?what=gaussian", "", NULL);
    assert_refused("GET", "/plan?level=1", "", NULL);
    assert_refused("GET", "/watch?level=1", "", NULL);
    assert_refused("POST", "/smooth", "Content-Type: application/json\r\n", "{\"method\":\"uniform\"}");
    assert_refused("POST", "/fair", "Content-Type: application/json\r\nIf-Match: *\r\n", "{\"steps\":1}");
    assert_refused("POST", "/edits", "Content-Type: application/json\r\nIf-Match: *\r\n", EDITS);
    char *obj = grid_obj(POISON_GRID);
    assert_refused("PUT", "/positions", "Content-Type: model/obj\r\n", obj);
    free(obj);
    /* What is stored can be read, and others are as before. */
    assert_int_equal(get(poison, "/cage"), 200);
    assert_int_equal(ask("GET", poison, "/cage", "Accept: model/obj\r\n", NULL), 200);
    assert_int_equal(get(poison, "/versions"), 200);
    assert_int_equal(get(other, "/refined?" POISON_LEVEL), 200);
    snprintf(show, sizeof show, "/v1/meshes/%s", poison);
    http_get(&d, show, &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.body, "\"quarantined\":true"));
    answer_free(&a);
    http_get(&d, "/v1/meshes", &a);
    assert_non_null(said = strstr(a.body, "\"quarantined\":true"));
    assert_null(strstr(said + 1, "\"quarantined\":true"));
    answer_free(&a);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"quarantined\"}"), 1);
    /* A restart changes nothing, and what is deleted is forgotten. */
    daemon_kill(&d);
    start(ABORTS);
    assert_refused("GET", "/refined?" POISON_LEVEL, "", NULL);
    assert_int_equal(ask("DELETE", poison, "", "", NULL), 204);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"quarantined\"}"), 0);
    daemon_stop(&d);
}

static void unquarantine(void)
{
    char server[64];
    snprintf(server, sizeof server, "http://127.0.0.1:%d", d.port);
    const char *show[] = {"show", poison, "--server", server, NULL};
    const char *lift[] = {"unquarantine", poison, "--server", server, NULL};
    struct ran r = spawn_subd(d.dir, show, NULL);
    assert_non_null(strstr(r.out, "in quarantine"));
    ran_free(&r);
    r = spawn_subd(d.dir, lift, NULL);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

/* A lost device counts like a crash; and an administrator ends the quarantine. */
static void test_lifted(void **state)
{
    (void)state;
    die_twice(LOSES);
    assert_refused("GET", "/refined?" POISON_LEVEL, "", NULL);
    assert_int_equal(ask("DELETE", other, "/quarantine", "", NULL), 404);
    unquarantine();
    assert_int_equal(ask("DELETE", poison, "/quarantine", "", NULL), 404);
    die("/refined?" POISON_LEVEL); /* It has both chances again. */
    start(LOSES);
    die("/refined?" POISON_LEVEL);
    start(LOSES);
    assert_refused("GET", "/refined?" POISON_LEVEL, "", NULL);
    daemon_stop(&d);
}

/* The same work, done well, clears a death; other work does not. */
static void test_survived(void **state)
{
    (void)state;
    begin();
    start(ABORTS);
    die("/refined?" POISON_LEVEL);
    start(HARMLESS);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 1);
    assert_int_equal(get(poison, "/refined?level=2"), 200);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 1);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 0);
    daemon_kill(&d);
    start(ABORTS);
    die("/refined?" POISON_LEVEL);
    start(HARMLESS);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    daemon_stop(&d);
}

/* Another version has its own chance: one that was there before, or what comes of undoing the last change. */
static void test_other_versions(void **state)
{
    static const char json[] = "Content-Type: application/json\r\nIf-Match: *\r\n";
    (void)state;
    begin();
    start(ABORTS);
    assert_int_equal(ask("POST", poison, "/edits", json, EDITS), 200);
    die("/refined?" POISON_LEVEL);
    start(ABORTS);
    die("/refined?" POISON_LEVEL);
    start(HARMLESS);
    assert_refused("GET", "/refined?level=1", "", NULL);
    assert_int_equal(get(poison, "/refined?level=1&version=1"), 200);
    assert_refused("POST", "/edits", json, EDITS);
    assert_int_equal(ask("POST", poison, "/undo", "", NULL), 200);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    assert_refused("GET", "/refined?level=1&version=2", "", NULL);
    assert_int_equal(ask("POST", poison, "/revert", json, "{\"version\":2}"), 200);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    daemon_stop(&d);
}

/* A piece of an answer that has begun counts as the mesh's, too, although the job that began it went well. */
static void test_pieces(void **state)
{
    static const char *const options[] = {"--stream-bytes", "1MiB", NULL};
    static const char rest[] = "/refined?" PIECE_LEVEL "&include=positions&method=tabulated";
    char target[128];
    (void)state;
    begin();
    snprintf(target, sizeof target, "/v1/meshes/%s%s", poison, rest);
    for (int k = 0; k < 4; k++) {
        way = k == 1 ? HARMLESS : ABORTS_LATE;
        daemon_fork(&d, options, poison_daemon);
        if (k == 1) {
            assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 1);
            assert_int_equal(get(poison, rest), 200);
            assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 0);
            daemon_kill(&d);
        } else {
            const int fd = http_connect(&d);
            http_begin(fd, "GET", target, "", NULL, 0);
            assert_int_equal(daemon_wait(&d, 5), 128 + SIGABRT);
            close(fd);
        }
    }
    daemon_fork(&d, options, poison_daemon);
    assert_refused("GET", rest, "", NULL);
    daemon_stop(&d);
}

/* Nothing tells a kill -9 from a crash; a daemon that is told to stop, even twice, is no mesh's fault. */
static void test_told_to_stop(void **state)
{
    char target[128];
    (void)state;
    begin();
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?" POISON_LEVEL, poison);
    hangs = mmap(NULL, sizeof *hangs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(hangs, MAP_FAILED);
    for (int k = 0; k < 2; k++) {
        *hangs = 0;
        start(HANGS);
        const int fd = http_connect(&d);
        http_begin(fd, "GET", target, "", NULL, 0);
        while (!*hangs)
            usleep(1000);
        if (k == 1) {
            daemon_kill(&d);
        } else {
            assert_int_equal(kill(d.pid, SIGTERM), 0);
            while (!daemon_logged(&d, "draining"))
                usleep(1000);
            assert_int_equal(kill(d.pid, SIGTERM), 0);
            assert_int_equal(daemon_wait(&d, 5), 128 + SIGTERM);
        }
        close(fd);
        start(HARMLESS);
        assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), k);
        if (k == 0)
            daemon_kill(&d);
    }
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 0);
    daemon_stop(&d);
    munmap(hangs, sizeof *hangs);
}

/* A death that was not followed by another is forgotten after a week. What is no entry is none. */
static void test_old_deaths(void **state)
{
    struct suspect s;
    char path[128];
    (void)state;
    begin();
    snprintf(path, sizeof path, "%s/data/subdd.evaluating", d.dir);
    start(ABORTS);
    die("/refined?" POISON_LEVEL);
    for (int k = 0; k < 2; k++) {
        start(HARMLESS);
        assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), k == 0);
        daemon_kill(&d);
        const int fd = open(path, O_RDWR);
        assert_int_equal(pread(fd, &s, sizeof s, 64), sizeof s);
        assert_int_equal(s.deaths, k == 0);
        s.died_ms -= QUARANTINE_KEEP_MS + 1;
        assert_int_equal(pwrite(fd, &s, sizeof s, 64), sizeof s);
        memset(&s, 'x', sizeof s);
        assert_int_equal(pwrite(fd, &s, sizeof s, 64 + 5 * sizeof s), sizeof s);
        close(fd);
    }
    start(ABORTS);
    die("/refined?" POISON_LEVEL); /* It is the first one again. */
    start(HARMLESS);
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    daemon_stop(&d);
}

/* What was evaluated when the machine went down is not suspected, and a damaged file keeps nobody from starting. */
static void test_file(void **state)
{
    char path[128], boot[8] = "another";
    (void)state;
    begin();
    snprintf(path, sizeof path, "%s/data/subdd.evaluating", d.dir);
    start(ABORTS);
    die("/refined?" POISON_LEVEL);
    int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, boot, sizeof boot, 8), sizeof boot);
    start(ABORTS);
    assert_int_equal(daemon_metric(&d, "subdd_mesh_versions_that_ended_the_daemon{state=\"suspected\"}"), 0);
    die("/refined?" POISON_LEVEL);
    assert_int_equal(pwrite(fd, boot, sizeof boot, 0), sizeof boot);
    close(fd);
    start(HARMLESS);
    assert_true(daemon_logged(&d, "is damaged and is made anew"));
    assert_int_equal(get(poison, "/refined?" POISON_LEVEL), 200);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),      cmocka_unit_test(test_lifted),
                                       cmocka_unit_test(test_survived),     cmocka_unit_test(test_other_versions),
                                       cmocka_unit_test(test_told_to_stop), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_file),         cmocka_unit_test(test_old_deaths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
