/* SPDX-License-Identifier: Apache-2.0 */
/* libsubd in a libuv loop, by the callbacks of subd_loop.h: many clients in one loop, calls that follow each other,
 * refusals, cancels and clients that are closed on the way; and that no descriptor and no timer is left behind. */
#include "client/lib/subd_fair.h"
#include "tests/http/canned.h"
#include "tests/http/daemon.h"
#include "tests/http/torus.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static struct daemon served;
static char url[64];
static char mesh_id[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    create_cube(&served, mesh_id);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&served);
    return 0;
}

/* A client and what its loop does for it. */
struct user {
    uv_loop_t *loop;
    uv_timer_t timer;
    subd_client *client;
    struct subd_error err;
    struct subd_frame frame;
    int n_watched, n_done, code;
    void (*then)(struct user *); /* called by `done` */
};

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct user *u = poll->data;
    uv_os_fd_t fd;
    assert_int_equal(uv_fileno((uv_handle_t *)poll, &fd), 0);
    assert_int_equal(subd_socket_ready(u->client, fd, status < 0 ? SUBD_BROKEN : (unsigned)events), SUBD_OK);
}

static void free_poll(uv_handle_t *poll)
{
    free(poll);
}

static void watch(void *arg, int fd, unsigned events, void **state)
{
    struct user *u = arg;
    uv_poll_t *poll = *state;
    if (!poll) {
        *state = poll = calloc(1, sizeof *poll);
        assert_non_null(poll);
        assert_int_equal(uv_poll_init(u->loop, poll, fd), 0);
        poll->data = u;
        u->n_watched++;
    }
    if (events) {
        assert_int_equal(uv_poll_start(poll, (int)events, on_event), 0);
    } else {
        u->n_watched--;
        uv_close((uv_handle_t *)poll, free_poll);
    }
}

static void on_time(uv_timer_t *timer)
{
    struct user *u = timer->data;
    assert_int_equal(subd_timeout(u->client), SUBD_OK);
}

static void set_timer(void *arg, int timeout_ms)
{
    struct user *u = arg;
    if (timeout_ms < 0)
        uv_timer_stop(&u->timer);
    else
        uv_timer_start(&u->timer, on_time, (uint64_t)timeout_ms, 0);
}

static void on_done(void *arg, int code)
{
    struct user *u = arg;
    assert_int_equal(u->n_watched, 0);
    assert_false(uv_is_active((uv_handle_t *)&u->timer));
    u->n_done++;
    u->code = code;
    if (u->then)
        u->then(u);
}

static void user_open(struct user *u, uv_loop_t *loop, const struct subd_config *config)
{
    struct subd_loop callbacks = SUBD_INIT(subd_loop, .watch = watch, .timer = set_timer, .done = on_done, .arg = u);
    memset(u, 0, sizeof *u);
    u->loop = loop;
    u->code = SUBD_PENDING;
    uv_timer_init(loop, &u->timer);
    u->timer.data = u;
    assert_int_equal(subd_open(config, &u->client, NULL), SUBD_OK);
    assert_int_equal(subd_attach(u->client, &callbacks, NULL), SUBD_OK);
}

static void user_close(struct user *u)
{
    subd_close(u->client);
    u->client = NULL;
    assert_int_equal(u->n_watched, 0);
    subd_frame_free(&u->frame);
    uv_close((uv_handle_t *)&u->timer, NULL);
}

/* Runs until nothing is watched, timed or being closed. */
static void finish(uv_loop_t *loop)
{
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(loop), 0);
}

static void test_many_in_one_loop(void **state)
{
    enum { N = 5 };
    const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    const struct subd_refine asked[N] = {
        SUBD_INIT(subd_refine, .level = 6), SUBD_INIT(subd_refine, .level = 5, .include = SUBD_NORMALS),
        SUBD_INIT(subd_refine, .level = 9), /* many reads */
        SUBD_INIT(subd_refine, .level = 6, .surface = "limit"),
        SUBD_INIT(subd_refine, .level = 15)}; /* The daemon refuses it: too many faces. */
    struct subd_frame same = {0};
    struct user users[N];
    subd_client *waits;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    for (int i = 0; i < N; i++) {
        user_open(&users[i], &loop, &config);
        assert_int_equal(subd_refine(users[i].client, mesh_id, &asked[i], &users[i].frame, &users[i].err),
                         SUBD_PENDING);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(subd_open(&config, &waits, NULL), SUBD_OK);
    for (int i = 0; i < N - 1; i++) {
        struct subd_frame *f = &users[i].frame;
        assert_int_equal(users[i].n_done, 1);
        assert_int_equal(users[i].code, SUBD_OK);
        assert_int_equal(subd_refine(waits, mesh_id, &asked[i], &same, NULL), SUBD_OK);
        assert_int_equal(f->n_blocks, same.n_blocks);
        for (int k = 0; k < f->n_blocks; k++) {
            assert_int_equal(f->blocks[k].bytes, same.blocks[k].bytes);
            assert_memory_equal(f->blocks[k].data, same.blocks[k].data, (size_t)same.blocks[k].bytes);
        }
    }
    assert_int_equal(users[N - 1].code, SUBD_EHTTP);
    assert_int_equal(users[N - 1].err.http_status / 100, 4);
    subd_close(waits);
    subd_frame_free(&same);
    for (int i = 0; i < N; i++)
        user_close(&users[i]);
    finish(&loop);
}

static void ask_again(struct user *u)
{
    static const struct subd_refine r = SUBD_INIT(subd_refine, .level = 4);
    static const float nothing[24];
    assert_int_equal(u->code, SUBD_OK);
    if (u->n_done % 2)
        assert_int_equal(subd_refine(u->client, mesh_id, &r, &u->frame, &u->err), SUBD_PENDING);
    else if (u->n_done < 20)
        assert_int_equal(subd_refine_pose(u->client, mesh_id, 0, nothing, 8, &r, &u->frame, &u->err), SUBD_PENDING);
    else
        user_close(u); /* from inside `done` */
}

/* Calls that follow each other over one connection, each started by the end of the one before. */
static void test_calls_follow_each_other(void **state)
{
    const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    struct user u;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    user_open(&u, &loop, &config);
    u.then = ask_again;
    assert_int_equal(subd_health(u.client, 1, &u.err), SUBD_PENDING);
    finish(&loop);
    assert_int_equal(u.n_done, 20);
}

/* A find makes up to three requests, and tells its end once. */
static void test_find_is_one_call(void **state)
{
    static const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    const char *const texts[] = {mesh_id, "nobody", "m_zzzz"};
    const int codes[] = {SUBD_OK, SUBD_EHTTP, SUBD_EHTTP};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct subd_mesh_info found = {0};
        struct user u;
        uv_loop_t loop;
        assert_int_equal(uv_loop_init(&loop), 0);
        user_open(&u, &loop, &config);
        assert_int_equal(subd_find(u.client, texts[i], &found, &u.err), SUBD_PENDING);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(u.n_done, 1);
        assert_int_equal(u.code, codes[i]);
        assert_string_equal(i ? u.err.problem : found.id, i ? "not_found" : mesh_id);
        user_close(&u);
        finish(&loop);
    }
}

static void test_failures_are_told(void **state)
{
    const struct canned silent = {.bytes = NULL, .delay_ms = 5000};
    canned_server *s = canned_start(&silent, 1);
    const struct subd_config nobody = SUBD_INIT(subd_config, .server = "http://127.0.0.1:1"),
                             late = SUBD_INIT(subd_config, .server = canned_url(s), .request_timeout_ms = 200);
    struct user users[2];
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    user_open(&users[0], &loop, &nobody);
    user_open(&users[1], &loop, &late);
    for (int i = 0; i < 2; i++)
        assert_int_equal(subd_health(users[i].client, 1, &users[i].err), SUBD_PENDING);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(users[0].code, SUBD_ENETWORK);
    assert_non_null(strstr(users[0].err.text, "cannot reach"));
    assert_int_equal(users[1].code, SUBD_ETIMEOUT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(users[i].n_done, 1);
        user_close(&users[i]);
    }
    finish(&loop);
    free(canned_stop(s));
}

static void cancel_soon(void *client)
{
    uv_sleep(150);
    subd_cancel(client);
}

static void test_cancel_from_a_thread(void **state)
{
    const struct canned silent = {.bytes = NULL, .delay_ms = 8000};
    canned_server *s = canned_start(&silent, 1);
    const struct subd_config config = SUBD_INIT(subd_config, .server = canned_url(s));
    double begin = seconds_now();
    uv_thread_t thread;
    struct user u;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    user_open(&u, &loop, &config);
    assert_int_equal(subd_health(u.client, 1, &u.err), SUBD_PENDING);
    assert_int_equal(uv_thread_create(&thread, cancel_soon, u.client), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_thread_join(&thread);
    assert_int_equal(u.code, SUBD_ECANCELLED);
    assert_true(seconds_now() - begin < 3);
    user_close(&u);
    finish(&loop);
    free(canned_stop(s));
}

static void test_close_under_way(void **state)
{
    const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    const struct subd_refine r = SUBD_INIT(subd_refine, .level = 9);
    struct user u;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    user_open(&u, &loop, &config);
    assert_int_equal(subd_refine(u.client, mesh_id, &r, &u.frame, &u.err), SUBD_PENDING);
    while (u.n_watched == 0)
        uv_run(&loop, UV_RUN_ONCE);
    user_close(&u); /* it has no watch left */
    finish(&loop);
    assert_int_equal(u.n_done, 0);
}

static void test_wrong_use(void **state)
{
    const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    subd_client *plain;
    struct user u;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(subd_open(&config, &plain, NULL), SUBD_OK);
    assert_int_equal(subd_timeout(plain), SUBD_EUSAGE); /* it reports to no loop */
    assert_int_equal(subd_socket_ready(plain, 0, SUBD_READABLE), SUBD_EUSAGE);
    subd_close(plain);
    assert_int_equal(uv_loop_init(&loop), 0);
    user_open(&u, &loop, &config);
    assert_int_equal(subd_timeout(u.client), SUBD_OK); /* late events do no harm */
    assert_int_equal(subd_socket_ready(u.client, 12345, SUBD_READABLE), SUBD_OK);
    assert_int_equal(subd_health(u.client, 1, &u.err), SUBD_PENDING);
    assert_int_equal(subd_step(u.client), SUBD_EUSAGE);            /* that is the other form */
    assert_int_equal(subd_health(u.client, 1, NULL), SUBD_EUSAGE); /* one call at a time */
    assert_int_equal(subd_attach(u.client, NULL, &u.err), SUBD_EUSAGE);
    assert_non_null(strstr(u.err.text, "under way"));
    assert_int_equal(subd_socket_ready(u.client, 12345, SUBD_READABLE), SUBD_OK);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(u.code, SUBD_OK);
    assert_int_equal(subd_attach(u.client, NULL, NULL), SUBD_OK);
    assert_int_equal(subd_health(u.client, 1, NULL), SUBD_OK); /* it waits again */
    assert_int_equal(u.n_done, 1);
    user_close(&u);
    finish(&loop);
}

static int count_steps(void *arg, const struct subd_job *job)
{
    int64_t *steps = arg;
    *steps = job->step;
    return job->steps > 3 && job->step > 0; /* The long flow is cancelled. */
}

/* A flow makes a request for each step, and tells its end once; so does one that is cancelled. */
static void test_flow_is_one_call(void **state)
{
    static const struct subd_config config = SUBD_INIT(subd_config, .server = url);
    char id[32], *obj = torus_obj(20, 1);
    (void)state;
    create_obj(&served, obj, id);
    free(obj);
    for (int i = 0; i < 2; i++) {
        int64_t steps = 0;
        const struct subd_fair r = SUBD_INIT(subd_fair, .steps = i ? 1000 : 3, .tau = i ? 0.001 : 0.25,
                                             .progress = count_steps, .progress_arg = &steps);
        struct subd_job job = {.version = 0};
        struct user u;
        uv_loop_t loop;
        assert_int_equal(uv_loop_init(&loop), 0);
        user_open(&u, &loop, &config);
        assert_int_equal(subd_fair(u.client, id, 1 + i, &r, &job, NULL, &u.err), SUBD_PENDING);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(u.n_done, 1);
        assert_int_equal(u.code, i ? SUBD_ECANCELLED : SUBD_OK);
        assert_int_equal(job.version, i ? 0 : 2);
        assert_true(i ? steps > 0 : steps == 3);
        user_close(&u);
        finish(&loop);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_in_one_loop),  cmocka_unit_test(test_calls_follow_each_other),
        cmocka_unit_test(test_find_is_one_call),  cmocka_unit_test(test_flow_is_one_call),
        cmocka_unit_test(test_failures_are_told), cmocka_unit_test(test_cancel_from_a_thread),
        cmocka_unit_test(test_close_under_way),   cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
