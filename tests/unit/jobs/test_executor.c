/* SPDX-License-Identifier: Apache-2.0 */
/* Executors: the order of tasks, those that are taken out of their turn, and what is released elsewhere. */
#include "server/jobs/executor.h"
#include "server/base/table.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct counted {
    struct task task;
    int *order, *n, id;
};

static void count(struct task *task, void *user)
{
    struct counted *c = CONTAINER(task, struct counted, task);
    assert_ptr_equal(user, c->order);
    c->order[(*c->n)++] = c->id;
}

static void test_executor(void **state)
{
    enum { N = 1000 };
    int order[N], n = 0;
    struct counted *tasks = calloc(N, sizeof *tasks);
    struct executor *e = executor_start("test", 1, order);
    (void)state;
    assert_non_null(e);
    for (int i = 0; i < N; i++) {
        tasks[i] = (struct counted){.task.run = count, .order = order, .n = &n, .id = i};
        executor_post(e, &tasks[i].task);
    }
    executor_stop(e); /* runs all of them first */
    assert_int_equal(n, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(order[i], i);
    free(tasks);
}

/* One that takes others out of their turn. */
struct taker {
    struct task task;
    struct executor *e;
    sem_t posted;
    int from, most, n_taken, taken[16];
    struct counted *last; /* posted once they are taken */
};

static bool fits(const struct task *task, void *cls)
{
    const struct counted *c = CONTAINER((struct task *)(uintptr_t)task, struct counted, task);
    return c->id >= ((struct taker *)cls)->from;
}

static void take(struct task *task, void *user)
{
    struct taker *t = CONTAINER(task, struct taker, task);
    struct task *out[16];
    (void)user;
    sem_wait(&t->posted);
    assert_int_equal(executor_fitting(t->e, fits, t), 10 - t->from);
    t->n_taken = executor_take(t->e, fits, t, t->most, out);
    for (int i = 0; i < t->n_taken; i++)
        t->taken[i] = CONTAINER(out[i], struct counted, task)->id;
    assert_int_equal(executor_depth(t->e), 1 + 10 - t->n_taken);
    executor_post(t->e, &t->last->task);
}

static void check_taking(int from, int most, int want)
{
    enum { N = 10 };
    int order[N + 1], n = 0;
    struct counted tasks[N + 1];
    struct taker t = {.task.run = take, .from = from, .most = most, .last = tasks + N};
    t.e = executor_start("test", 1, order);
    assert_non_null(t.e);
    sem_init(&t.posted, 0, 0);
    executor_post(t.e, &t.task);
    for (int i = 0; i <= N; i++) {
        tasks[i] = (struct counted){.task.run = count, .order = order, .n = &n, .id = i};
        if (i < N)
            executor_post(t.e, &tasks[i].task);
    }
    sem_post(&t.posted);
    executor_stop(t.e);
    assert_int_equal(t.n_taken, want);
    for (int i = 0; i < want; i++)
        assert_int_equal(t.taken[i], from + i);
    assert_int_equal(n, N + 1 - want);
    for (int i = 0; i < n; i++)
        assert_int_equal(order[i], i < from ? i : i + want);
    sem_destroy(&t.posted);
}

static void test_taking(void **state)
{
    (void)state;
    check_taking(0, 16, 10);
    check_taking(3, 16, 7);
    check_taking(3, 2, 2);
    check_taking(8, 16, 2);
    check_taking(9, 16, 1);
    check_taking(10, 16, 0);
    check_taking(0, 0, 0);
    check_taking(0, -1, 0);
}

static pthread_t released_on;
static int n_released;

static void note_release(void *pointer)
{
    released_on = pthread_self();
    n_released += *(int *)pointer;
}

/* What is large is given back on the executor's thread, what is small by who asks. */
static void test_release(void **state)
{
    int one = 1;
    struct executor *e = executor_start("test", 1, NULL);
    (void)state;
    assert_non_null(e);
    executor_release(e, &one, 4 << 20, note_release);
    assert_int_equal(n_released, 1);
    assert_true(pthread_equal(released_on, pthread_self()));
    executor_release(e, &one, (4 << 20) + 1, note_release);
    executor_stop(e);
    assert_int_equal(n_released, 2);
    assert_false(pthread_equal(released_on, pthread_self()));
    executor_stop(NULL);
}

static void wait_a_while(struct task *task, void *user)
{
    (void)task, (void)user;
    usleep(30000);
}

/* The longest task is told once, and one that runs counts with what it has taken so far. */
static void test_longest(void **state)
{
    struct executor *e = executor_start("test", 1, NULL);
    struct task task = {.run = wait_a_while};
    (void)state;
    assert_non_null(e);
    assert_int_equal(executor_longest(e), 0);
    executor_post(e, &task);
    while (executor_longest(e) < 10000000)
        sched_yield();
    while (executor_depth(e))
        sched_yield();
    assert_true(executor_longest(e) >= 30000000);
    assert_int_equal(executor_longest(e), 0);
    executor_stop(e);
}

/* A long task, in which others run. */
struct pauser {
    struct task task;
    struct executor *e;
    sem_t begun;
    atomic_int cancel;
    bool cancelled;
    int *n, n_before, n_after;
};

static void pause_often(struct task *task, void *user)
{
    struct pauser *p = CONTAINER(task, struct pauser, task);
    const uint64_t began = executor_outermost(p->e);
    (void)user;
    assert_false(executor_pause(p->e)); /* It has not used its slice, */
    p->n_before = *p->n;
    sem_post(&p->begun);
    while (!p->cancelled)
        p->cancelled = executor_pause(p->e);
    p->n_after = *p->n;
    assert_true(began > 0 && executor_outermost(p->e) == began);
    assert_false(executor_is_inside(p->e));
}

static void note_inside(struct task *task, void *user)
{
    struct counted *c = CONTAINER(task, struct counted, task);
    struct executor *e = *(struct executor **)user;
    c->order[(*c->n)++] = executor_is_inside(e) ? c->id : -c->id;
}

/* Tasks run inside a long one unless they work on the same thing or want to be alone; and it sees that it is cancelled.
 */
static void test_pausing(void **state)
{
    struct executor *e = NULL;
    int order[3] = {0}, n = 0;
    struct counted tasks[3];
    struct pauser p = {.task.run = pause_often, .task.claim = {.principal = 1, .thing = 7}, .n = &n};
    (void)state;
    e = p.e = executor_start("test", 1, &e);
    assert_non_null(e);
    sem_init(&p.begun, 0, 0);
    p.task.claim.cancel = &p.cancel;
    executor_post(e, &p.task);
    sem_wait(&p.begun);
    for (int i = 0; i < 3; i++) {
        tasks[i] = (struct counted){.task.run = note_inside, .order = order, .n = &n, .id = i + 1};
        tasks[i].task.claim = (struct fair_claim){.principal = 2, .thing = i == 0 ? 7 : 8, .alone = i == 1};
        executor_post(e, &tasks[i].task);
    }
    for (int waiting[FAIR_CLASSES] = {0, 3, 0}; waiting[FAIR_SHORT] > 2;)
        (void)executor_waits(e, waiting);
    atomic_store(&p.cancel, 1);
    executor_stop(e);
    assert_true(p.cancelled);
    assert_int_equal(p.n_before, 0);
    assert_int_equal(p.n_after, 1);
    assert_int_equal(n, 3);
    assert_int_equal(order[0], 3);
    assert_true(order[1] < 0 && order[2] < 0);
    sem_destroy(&p.begun);
}

/* What runs is bulk no longer once somebody waits for it: others that are do not run inside it. */
static void test_hurry(void **state)
{
    struct executor *e = NULL;
    int order[1] = {0}, n = 0;
    struct pauser p = {.task.run = pause_often, .task.claim = {.principal = 1, .bulk = true}, .n = &n};
    struct counted other = {
        .task.run = note_inside, .task.claim = {.principal = 2, .bulk = true}, .order = order, .n = &n, .id = 1};
    (void)state;
    e = p.e = executor_start("test", 1, &e);
    assert_non_null(e);
    sem_init(&p.begun, 0, 0);
    p.task.claim.cancel = &p.cancel;
    executor_post(e, &p.task);
    sem_wait(&p.begun);
    executor_hurry(e, &p.task);
    executor_post(e, &other.task);
    usleep(5 * FAIR_SLICE_NS / 1000);
    atomic_store(&p.cancel, 1);
    executor_stop(e);
    assert_int_equal(p.n_after, 0);
    assert_int_equal(order[0], -1);
    sem_destroy(&p.begun);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_executor), cmocka_unit_test(test_taking),
                                       cmocka_unit_test(test_release),  cmocka_unit_test(test_longest),
                                       cmocka_unit_test(test_pausing),  cmocka_unit_test(test_hurry)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
