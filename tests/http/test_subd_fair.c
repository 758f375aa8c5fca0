/* SPDX-License-Identifier: Apache-2.0 */
/* Conformal flow through libsubd, waiting and in an event loop, and by the command line: progress, cancelling, what is
 * refused. */
#include "tests/http/cli_run.h"
#include "tests/http/client.h"
#include "tests/http/spawn.h"
#include "tests/http/torus.h"
#include "client/lib/subd_fair.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon d;
static subd_client *client;

static int start(void **state)
{
    (void)state;
    cli_daemon_start(&d);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void create_torus(int around, char id[32])
{
    char *obj = torus_obj(around, 1);
    create_obj(&d, obj, id);
    free(obj);
}

static int64_t version_of(const char *id)
{
    struct subd_mesh_info info;
    struct subd_error err;
    if (subd_find(client, id, &info, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    return info.version;
}

/* What a progress callback heard. */
struct heard {
    int64_t steps, n;
    int64_t stop_at; /* -1: never. */
};

static int hear(void *arg, const struct subd_job *job)
{
    struct heard *h = arg;
    assert_true(job->step >= h->steps);
    assert_true(*job->id && *job->state && job->energy > 0 && job->energy <= job->energy_before);
    h->steps = job->step;
    h->n++;
    return h->stop_at >= 0 && job->step >= h->stop_at;
}

static void test_waits(void **state)
{
    struct subd_error err;
    struct subd_job job, again;
    char id[32];
    (void)state;
    create_torus(16, id);
    struct heard h = {.stop_at = -1};
    const struct subd_fair r =
        SUBD_INIT(subd_fair, .steps = 4, .tau = 0.2, .idempotency_key = "waits", .progress = hear, .progress_arg = &h);
    const int rc = subd_fair(client, id, 1, &r, &job, NULL, &err);
    if (rc != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(h.steps, 4);
    assert_true(h.n >= 2);
    assert_string_equal(job.state, "done");
    assert_string_equal(job.mesh_id, id);
    assert_int_equal(job.version, 2);
    assert_int_equal(job.steps, 4);
    assert_true(job.energy < job.energy_before);
    assert_true(job.kept.mean >= 1 && job.kept.p99 >= 1 && job.kept.largest >= job.kept.p99);
    assert_true(job.spin_iterations > 0 && job.point_iterations > 0 && job.device_bytes > 0 && job.seconds > 0);
    assert_int_equal(version_of(id), 2);
    assert_int_equal(subd_job_state(client, job.id, &again, &err), SUBD_OK);
    assert_int_equal(again.version, 2);
    assert_int_equal(subd_fair(client, id, 1, &r, &again, NULL, &err), SUBD_OK); /* The same request: not done twice. */
    assert_int_equal(again.version, 2);
    assert_int_equal(version_of(id), 2);
    assert_int_equal(subd_job_cancel(client, job.id, &err), SUBD_OK); /* It is over, and so forgotten. */
    assert_int_equal(subd_job_state(client, job.id, &again, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 410);
    assert_int_equal(subd_job_state(client, "nonsense", &again, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
}

static void test_level(void **state)
{
    const struct subd_fair r = SUBD_INIT(subd_fair, .steps = 2, .level = 1);
    struct subd_frame frame = {0};
    struct subd_error err;
    char id[32];
    (void)state;
    create_torus(12, id);
    assert_int_equal(subd_fair(client, id, 1, &r, NULL, &frame, &err), SUBD_OK);
    assert_int_equal(frame.vertices, 4 * 12 * 12);
    assert_int_equal(frame.level, 1);
    assert_non_null(subd_frame_find(&frame, SUBD_POSITIONS));
    subd_frame_free(&frame);
    assert_int_equal(version_of(id), 1);
}

/* Nobody flows any more, so that the next flow begins at once. */
static void check_cancelled(const char *id, const char *job_id)
{
    struct subd_error err;
    struct subd_job job;
    do
        assert_int_equal(subd_job_state(client, job_id, &job, &err), SUBD_OK);
    while (strcmp(job.state, "cancelling") == 0);
    assert_string_equal(job.state, "cancelled");
    assert_int_equal(version_of(id), 1);
}

static void test_cancelled_by_callback(void **state)
{
    struct heard h = {.stop_at = 2};
    const struct subd_fair r =
        SUBD_INIT(subd_fair, .steps = 1000, .tau = 0.001, .no_exactness = 1, .progress = hear, .progress_arg = &h);
    struct subd_error err;
    struct subd_job job;
    char id[32];
    (void)state;
    create_torus(30, id);
    assert_int_equal(subd_fair(client, id, 1, &r, &job, NULL, &err), SUBD_ECANCELLED);
    assert_non_null(strstr(err.text, "callback"));
    check_cancelled(id, job.id);
}

static int cancel_at(void *arg, const struct subd_job *job)
{
    (void)arg;
    if (job->step >= 1)
        subd_cancel(client);
    return 0;
}

/* subd_cancel ends the flow in the daemon too, and goes on to end every call. */
static void test_cancelled(void **state)
{
    const struct subd_fair r =
        SUBD_INIT(subd_fair, .steps = 1000, .tau = 0.001, .no_exactness = 1, .progress = cancel_at);
    struct subd_error err;
    struct subd_job job;
    char id[32];
    (void)state;
    create_torus(30, id);
    assert_int_equal(subd_fair(client, id, 1, &r, &job, NULL, &err), SUBD_ECANCELLED);
    assert_int_equal(subd_health(client, 0, &err), SUBD_ECANCELLED);
    subd_uncancel(client);
    check_cancelled(id, job.id);
}

static void test_failed(void **state)
{
    const struct subd_fair r = SUBD_INIT(subd_fair, .tau = 1);
    struct subd_error err;
    struct subd_job job;
    char id[32];
    (void)state;
    char *obj = torus_obj(12, 1e8);
    create_obj(&d, obj, id);
    free(obj);
    assert_int_equal(subd_fair(client, id, 1, &r, &job, NULL, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 500);
    assert_string_equal(err.problem, "not_converged");
    assert_non_null(strstr(err.text, "residual"));
    assert_int_equal(subd_job_state(client, job.id, &job, &err), SUBD_OK);
    assert_string_equal(job.state, "failed");
    assert_string_equal(job.problem, "not_converged");
    assert_non_null(strstr(job.text, "residual"));
    assert_int_equal(subd_fair(client, id, 7, &r, &job, NULL, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 412);
    assert_int_equal(err.current_version, 1);
}

static void test_usage(void **state)
{
    struct subd_frame frame = {0};
    struct subd_error err;
    struct subd_fair r = SUBD_INIT(subd_fair);
    (void)state;
    assert_int_equal(subd_fair(client, "m", 0, &r, NULL, NULL, &err), SUBD_EUSAGE);
    assert_int_equal(subd_fair(client, "m", -1, &r, NULL, NULL, &err), SUBD_EUSAGE);
    assert_int_equal(subd_fair(client, "m", 1, &r, NULL, &frame, &err), SUBD_EUSAGE);
    r.level = 1;
    assert_int_equal(subd_fair(client, "m", 1, &r, NULL, NULL, &err), SUBD_EUSAGE);
    r.level = SUBD_MAX_LEVEL + 1;
    assert_int_equal(subd_fair(client, "m", 1, &r, NULL, &frame, &err), SUBD_EUSAGE);
}

/* ---- in a loop --------------------------------------------------------------------------------------------------- */
static int run(int rc)
{
    while (rc == SUBD_PENDING) {
        struct pollfd fds[SUBD_MAX_FDS];
        int timeout_ms;
        const int n = subd_poll_set(client, fds, &timeout_ms);
        (void)poll(fds, (nfds_t)n, timeout_ms);
        rc = subd_step(client);
    }
    return rc;
}

static void test_polled(void **state)
{
    struct heard h = {.stop_at = -1};
    struct subd_fair r = SUBD_INIT(subd_fair, .steps = 3, .progress = hear, .progress_arg = &h);
    struct subd_frame frame = {0};
    struct subd_error err;
    struct subd_job job;
    char id[32], other[32];
    (void)state;
    create_torus(12, id);
    create_torus(30, other);
    subd_nonblocking(client, 1);
    assert_int_equal(run(subd_fair(client, id, 1, &r, &job, NULL, &err)), SUBD_OK);
    assert_int_equal(job.version, 2);
    assert_int_equal(h.steps, 3);
    h = (struct heard){.stop_at = -1};
    r.level = 1;
    assert_int_equal(run(subd_fair(client, id, 2, &r, &job, &frame, &err)), SUBD_OK);
    assert_int_equal(frame.vertices, 4 * 12 * 12);
    subd_frame_free(&frame);
    h = (struct heard){.stop_at = 1};
    r.level = 0;
    r.steps = 1000;
    r.tau = 0.001;
    assert_int_equal(run(subd_fair(client, other, 1, &r, &job, NULL, &err)), SUBD_ECANCELLED);
    subd_nonblocking(client, 0);
    check_cancelled(other, job.id);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */
static void test_verb(void **state)
{
    char id[32], due[64], path[96];
    size_t bytes;
    (void)state;
    create_torus(12, id);
    struct ran r = RUN("fair", id, "--steps", "2", "--tau", "0.5", "--boundary", "fixed");
    assert_int_equal(r.code, 0);
    snprintf(due, sizeof due, "%s version 2\n", id);
    assert_string_equal(r.out, due);
    assert_non_null(strstr(r.err, "2 steps: energy "));
    ran_free(&r);
    snprintf(path, sizeof path, "%s/fair.obj", d.dir);
    cJSON *o = ran_json(RUN("fair", id, "--steps", "2", "--level", "1", "-o", path, "--json"), 0);
    assert_int_equal((int)cJSON_GetObjectItem(o, "steps")->valuedouble, 2);
    cJSON_Delete(o);
    char *file = slurp(path, &bytes);
    assert_non_null(strstr(file, "\nv "));
    assert_non_null(strstr(file, "\nf "));
    free(file);
    assert_int_equal(version_of(id), 2);
    ran_fails(RUN("fair", id, "--version", "1"), 4, "version 2");
    ran_fails(RUN("fair", id, "--steps", "0"), 2, "1,000");
    ran_fails(RUN("fair", id, "--tau", "2"), 2, "above 0");
    ran_fails(RUN("fair", id, "--solves", "21"), 2, "20");
    ran_fails(RUN("fair", id, "--boundary", "kept"), 2, "direction");
    ran_fails(RUN("fair", id, "--boundary", "glued"), 4, "direction");
    ran_fails(RUN("fair", id, "--level", "2"), 2, "-o FILE");
    ran_fails(RUN("fair", id, "-o", path), 2, "--level");
}

/* On a terminal there is a bar; Ctrl-C ends the program, and the flow. */
static void test_ctrl_c(void **state)
{
    char id[32], command[160];
    (void)state;
    create_torus(40, id);
    snprintf(command, sizeof command, "timeout -s INT 3 subd fair %s --steps 1000 --tau 0.001 --no-exactness", id);
    struct ran r = terminal_run(d.dir, command);
    if (!strstr(r.out, "fairing") || !strstr(r.out, "energy") || !strstr(r.out, "distortion"))
        fail_msg("%s", r.out);
    ran_free(&r);
    for (double until = seconds_now() + 10; (r = RUN("fair", id)).code == 4 && seconds_now() < until; usleep(50000))
        ran_free(&r);                    /* The flow may still be in its last step. */
    ran_expect(r, 0);                    /* It has ended, */
    assert_int_equal(version_of(id), 2); /* and only this one has been stored. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits),     cmocka_unit_test(test_level),  cmocka_unit_test(test_cancelled_by_callback),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_failed), cmocka_unit_test(test_usage),
        cmocka_unit_test(test_polled),    cmocka_unit_test(test_verb),   cmocka_unit_test(test_ctrl_c),
    };
    return cmocka_run_group_tests_name("http/subd_fair", tests, start, stop);
}
