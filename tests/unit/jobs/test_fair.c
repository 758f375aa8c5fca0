/* SPDX-License-Identifier: Apache-2.0 */
/* The order of tasks, in virtual time: the real queue (server/jobs/fair.c) under random mixes of clients, on one thread
 * like the device's, where long tasks pause for others, or on several like the host's. */
#include "server/jobs/fair.h"
#include "server/base/base.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS 1000000ll
#define MIXES 10000
enum { MOST_TASKS = 160, MOST_CLIENTS = 8, MOST_THREADS = 3 };

struct work {
    struct task task;
    uint64_t arrives, began, ended;
    int64_t takes, left; /* What it really takes, and what of that is left to do. */
    atomic_int cancel;
    uint64_t cancelled_at; /* 0 when it is not cancelled. */
    int n_runs;
    bool waiting;
};
struct thread {
    struct fair_frame frames[FAIR_DEPTH];
    struct work *works[FAIR_DEPTH];
    int depth;
    uint64_t free_at, paused_at;
};
struct mix {
    struct fair queue;
    struct work works[MOST_TASKS];
    int n, n_arrived, n_threads, n_long;
    struct thread threads[MOST_THREADS];
    uint64_t now, random;
};

static uint32_t draw(struct mix *m, uint32_t n)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % n;
}

static struct work *work_of(struct task *task)
{
    return CONTAINER(task, struct work, task);
}

/* Times of all sizes, and estimates that are right, unknown or wrong. */
static void tell(struct mix *m, struct work *w, uint32_t n_clients)
{
    const uint32_t client = draw(m, n_clients), size = draw(m, 10), guess = draw(m, 4);
    w->takes = size < 6 ? 1 + draw(m, 5 * MS) : size < 9 ? draw(m, 60 * MS) : draw(m, 1000 * MS);
    w->takes += 1000;
    w->left = w->takes;
    w->arrives = (uint64_t)draw(m, 400) * MS;
    w->task.claim.principal = client ? client : draw(m, 20) ? 1 : 0;
    w->task.claim.connection = draw(m, 3);
    w->task.claim.cost_ns = guess < 2 ? w->takes : guess == 2 ? 0 : (int64_t)draw(m, 100 * MS);
    w->task.claim.thing = draw(m, 3) ? 1 + draw(m, 6) : 0;
    w->task.claim.alone = !draw(m, 10);
    w->task.claim.bulk = !draw(m, 5);
    w->task.claim.cancel = &w->cancel;
    if (!w->task.claim.principal) /* The daemon's own work is short. */
        w->takes = w->left = 1000;
    w->cancelled_at = draw(m, 6) ? 0 : w->arrives + 1 + (uint64_t)draw(m, 300) * MS;
}

static int by_arrival(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    return (x->arrives > y->arrives) - (x->arrives < y->arrives);
}

static void let_arrive(struct mix *m)
{
    for (; m->n_arrived < m->n && m->works[m->n_arrived].arrives <= m->now; m->n_arrived++) {
        struct work *w = m->works + m->n_arrived;
        w->waiting = true;
        fair_post(&m->queue, &w->task, m->now);
    }
    for (int i = 0; i < m->n_arrived; i++)
        if (m->works[i].cancelled_at && m->works[i].cancelled_at <= m->now)
            atomic_store(&m->works[i].cancel, 1);
}

static void begin(struct mix *m, struct thread *t, struct task *task)
{
    struct work *w = work_of(task);
    struct fair_frame *outer = t->depth ? t->frames + t->depth - 1 : NULL;
    for (int k = 0; k < t->depth; k++) { /* What they share would not bear it. */
        assert_true(!w->task.claim.thing || w->task.claim.thing != t->frames[k].claim.thing);
        assert_false(w->task.claim.alone);
    }
    assert_true(t->depth < FAIR_DEPTH);
    assert_true(w->waiting);
    w->waiting = false;
    w->n_runs++;
    w->began = m->now;
    fair_begin(t->frames + t->depth, outer, task, m->now);
    m->n_long += !outer && fair_is_long(&task->claim);
    t->works[t->depth++] = w;
}

static void end(struct mix *m, struct thread *t)
{
    struct fair_frame *frame = t->frames + --t->depth;
    struct work *w = t->works[t->depth];
    w->ended = m->now;
    fair_end(&m->queue, frame, m->now);
    m->n_long -= !frame->outer && fair_is_long(&frame->claim);
}

/* One slice of the innermost task; then others may run inside it, as in executor_pause. Only the one thread of a device
 * pauses. */
static void work_on(struct mix *m, struct thread *t, bool pauses)
{
    struct work *w = t->works[t->depth - 1];
    const int64_t slice = FAIR_SLICE_NS / 2, n = pauses && slice < w->left ? slice : w->left;
    m->now += (uint64_t)(atomic_load(&w->cancel) ? 0 : n);
    w->left = atomic_load(&w->cancel) ? 0 : w->left - n;
    let_arrive(m);
    if (w->left > 0 && atomic_load(&w->cancel)) /* It is seen at the end of the slice. */
        w->left = 0;
    if (w->left == 0) {
        end(m, t);
        return;
    }
    const uint64_t at = m->now;
    const int depth = t->depth;
    if (!fair_is_due(t->frames + depth - 1, t->paused_at, m->now))
        return;
    while (m->now - at < FAIR_INSIDE * FAIR_SLICE_NS) {
        struct task *task = fair_take_inside(&m->queue, t->frames + depth - 1, m->now);
        if (!task)
            break;
        begin(m, t, task);
        while (t->depth > depth)
            work_on(m, t, pauses);
    }
    t->paused_at = m->now;
}

static void run_one_thread(struct mix *m)
{
    struct thread *t = m->threads;
    for (;;) {
        let_arrive(m);
        struct task *task = fair_take(&m->queue, true);
        if (task) {
            begin(m, t, task);
            while (t->depth)
                work_on(m, t, true);
        } else if (m->n_arrived < m->n)
            m->now = m->works[m->n_arrived].arrives;
        else
            return;
    }
}

/* Several threads, none of which pauses: the one that is free first takes the next task. */
static void run_threads(struct mix *m)
{
    for (;;) {
        uint64_t next = m->n_arrived < m->n ? m->works[m->n_arrived].arrives : UINT64_MAX;
        let_arrive(m);
        for (int k = 0; k < m->n_threads; k++) {
            struct thread *t = m->threads + k;
            if (t->depth && t->free_at <= m->now)
                end(m, t);
        }
        for (int k = 0; k < m->n_threads; k++) {
            struct thread *t = m->threads + k;
            struct task *task = t->depth ? NULL : fair_take(&m->queue, m->n_long + 1 < m->n_threads || !m->n_long);
            if (task) {
                begin(m, t, task);
                t->free_at = m->now + (uint64_t)(atomic_load(&t->works[0]->cancel) ? 1 : t->works[0]->takes);
            }
            if (t->depth && t->free_at < next)
                next = t->free_at;
            assert_true(m->n_long <= 1 || m->n_long < m->n_threads); /* One thread is left to short tasks. */
        }
        if (next == UINT64_MAX)
            return;
        m->now = next > m->now ? next : m->now;
    }
}

static void check_all_ran(struct mix *m)
{
    for (int i = 0; i < m->n; i++) {
        const struct work *w = m->works + i;
        assert_int_equal(w->n_runs, 1); /* Nothing is lost or run twice. */
        assert_true(w->ended >= w->began && w->began >= w->arrives);
    }
    assert_null(m->queue.first);
    for (int c = 0; c < FAIR_CLASSES; c++)
        assert_int_equal(m->queue.n[c], 0);
    for (int p = 0; p < FAIR_PRINCIPALS; p++)
        assert_int_equal(m->queue.principals[p].waiting, 0);
}

/* What other principals may take before a principal has had its share, if all estimates were wrong: one task each that
 * was begun before, and the same as the principal itself. */
static void check_shares(const struct mix *m)
{
    int64_t of[MOST_CLIENTS + 1] = {0}, longest = 0;
    bool bulk[MOST_CLIENTS + 1] = {false};
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        bulk[m->works[i].task.claim.principal] |= m->works[i].task.claim.bulk;
        of[m->works[i].task.claim.principal] += m->works[i].takes;
        longest = m->works[i].takes > longest ? m->works[i].takes : longest;
    }
    for (int p = 1; p <= MOST_CLIENTS; p++)
        n += of[p] > 0;
    for (int p = 1; p <= MOST_CLIENTS; p++) {
        uint64_t last = 0;
        for (int i = 0; i < m->n; i++)
            if (m->works[i].task.claim.principal == (uint32_t)p && m->works[i].ended > last)
                last = m->works[i].ended;
        /* All that came in 400 ms. Its own work with equal shares, a class that waits for three times as much, or for
         * fifteen where it is bulk, and for each of the others what was begun or misjudged. */
        const int64_t most = 400 * MS + (bulk[p] ? 16 * 4 : 4) * n * (of[p] + longest) + (int64_t)m->n * MS;
        assert_true(of[p] == 0 || (int64_t)last <= most);
    }
}

static void set_up(struct mix *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    fair_init(&m->queue);
    m->random = seed * 0x9e3779b97f4a7c15u + 1;
    m->n = 1 + (int)draw(m, MOST_TASKS);
    const uint32_t n_clients = 2 + draw(m, MOST_CLIENTS - 1);
    for (int i = 0; i < m->n; i++)
        tell(m, m->works + i, n_clients);
    qsort(m->works, (size_t)m->n, sizeof m->works[0], by_arrival);
    for (int i = 0; i < m->n; i++)
        m->works[i].task.claim.cancel = &m->works[i].cancel;
    m->n_threads = 1;
}

static void test_mixes(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    for (uint64_t seed = 0; seed < MIXES; seed++) {
        set_up(m, seed);
        if (seed % 4) {
            run_one_thread(m);
            check_shares(m);
        } else {
            m->n_threads = 2 + (int)(seed / 4 % 2);
            run_threads(m);
        }
        check_all_ran(m);
    }
    free(m);
}

/* Tasks one after the other on one thread; *n becomes how many of `of` had ended when the watched one did. */
static void add(struct mix *m, uint32_t principal, uint32_t connection, int64_t takes, int64_t cost, uint64_t arrives)
{
    struct work *w = m->works + m->n++;
    w->takes = w->left = takes;
    w->arrives = arrives;
    w->task.claim = (struct fair_claim){.principal = principal,
                                        .connection = connection,
                                        .cost_ns = cost,
                                        .thing = (uint64_t)m->n,
                                        .cancel = &w->cancel};
}

static void begin_mix(struct mix *m)
{
    memset(m, 0, sizeof *m);
    fair_init(&m->queue);
    m->n_threads = 1;
}

/* One client asks for what takes seconds, again and again; another's short tasks wait for a slice. */
static void test_long_is_cut(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < 3; i++)
        add(m, 1, 1, 5000 * MS, 0, 0); /* Not even known to be long. */
    for (uint64_t at = 100; at < 12000; at += 100)
        add(m, 2, 1, 1 * MS, 1 * MS, at * MS);
    run_one_thread(m);
    check_all_ran(m);
    for (int i = 3; i < m->n; i++)
        assert_true(m->works[i].ended - m->works[i].arrives <= FAIR_SLICE_NS + FAIR_SLICE_NS / 2 + 1 * MS);
    free(m);
}

/* A hundred tasks of one client do not keep up the one of another; with one token, connections share. */
static void check_first_come(uint32_t principal, uint32_t connection)
{
    struct mix *m = malloc(sizeof *m);
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < 100; i++)
        add(m, 1, 1, 5 * MS, 5 * MS, 0);
    add(m, principal, connection, 5 * MS, 5 * MS, 1);
    run_one_thread(m);
    check_all_ran(m);
    assert_true(m->works[100].ended <= (uint64_t)(15 * MS));
    free(m);
}

static void test_shares(void **state)
{
    (void)state;
    check_first_come(2, 1);
    check_first_come(1, 2);
}

/* Nobody saves time up: who comes after another has worked alone gets half, not all. */
static void test_no_credit(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    for (uint64_t at = 0; at < 60; at++)
        add(m, 1, 1, 10 * MS, 10 * MS, at * 10 * MS);
    for (int i = 0; i < 60; i++)
        add(m, 2, 1, 10 * MS, 10 * MS, 600 * MS);
    add(m, 1, 1, 10 * MS, 10 * MS, 601 * MS);
    run_one_thread(m);
    check_all_ran(m);
    assert_true(m->works[120].ended <= (uint64_t)(640 * MS));
    free(m);
}

/* Long work gets its quarter while short work never ends, and what came first among equals goes first. */
static void test_long_ends(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    add(m, 1, 1, 200 * MS, 200 * MS, 0);
    for (uint64_t at = 0; at < 150; at++)
        add(m, 2, (uint32_t)at % 3, 10 * MS, 10 * MS, 0);
    run_one_thread(m);
    check_all_ran(m);
    assert_true(m->works[0].ended <= (uint64_t)(1200 * MS)); /* All take 1.7 s. */
    free(m);
}

static void add_bulk(struct mix *m, uint32_t principal, int64_t takes, uint64_t arrives)
{
    add(m, principal, 1, takes, takes, arrives);
    m->works[m->n - 1].task.claim.bulk = true;
}

static uint64_t last_end(const struct mix *m, int first, int n)
{
    uint64_t last = 0;
    for (int i = first; i < first + n; i++)
        last = m->works[i].ended > last ? m->works[i].ended : last;
    return last;
}

/* Bulk work waits for what others do themselves, short or long, also when it has begun. */
static void test_bulk_waits(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < 60; i++)
        add_bulk(m, 1, 10 * MS, 0);
    for (int i = 0; i < 2; i++)
        add_bulk(m, 1, 1000 * MS, 0);
    for (int i = 0; i < 30; i++)
        add(m, 2, 1, 10 * MS, 10 * MS, 0);
    add(m, 3, 1, 300 * MS, 300 * MS, 0);
    run_one_thread(m);
    check_all_ran(m);
    int before = 0;
    const uint64_t end = last_end(m, 62, 31);
    for (int i = 0; i < 62; i++)
        before += m->works[i].ended <= end;
    assert_in_range(before, 1, 6); /* A sixteenth of 600 ms, and what had begun. */
    begin_mix(m);
    add_bulk(m, 1, 2000 * MS, 0);
    add(m, 2, 1, 300 * MS, 300 * MS, 100 * MS); /* Too long to be inside what is not bulk. */
    run_one_thread(m);
    assert_in_range(m->works[1].ended, 400 * MS, 450 * MS);
    free(m);
}

/* It gets its sixteenth while other work never ends. */
static void test_bulk_ends(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    add_bulk(m, 1, 50 * MS, 0);
    for (int at = 0; at < 150; at++)
        add(m, 2, 1, 20 * MS, at % 2 ? 20 * MS : 21 * MS, 0);
    run_one_thread(m);
    check_all_ran(m);
    assert_in_range(m->works[0].ended, 300 * MS, 1700 * MS); /* All take 3 s. */
    free(m);
}

/* What waits for bulk work makes it as urgent as it is itself. */
static void test_hurry(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    add_bulk(m, 1, 10 * MS, 0);
    add(m, 2, 1, 10 * MS, 10 * MS, 0);
    add(m, 3, 1, 10 * MS, 10 * MS, 0);
    let_arrive(m);
    fair_hurry(&m->queue, NULL, &m->works[0].task);
    assert_int_equal(m->queue.n[FAIR_SHORT], 3);
    assert_int_equal(m->queue.n[FAIR_BULK_SHORT], 0);
    assert_ptr_equal(fair_take(&m->queue, true), &m->works[0].task); /* It came first. */
    fair_hurry(&m->queue, NULL, &m->works[0].task);                  /* It waits no more. */
    assert_int_equal(m->queue.n[FAIR_SHORT], 2);
    free(m);
}

/* So it does when that has begun: what is bulk is no longer inside it, and its time counts as what it is now. */
static void test_hurry_begun(void **state)
{
    struct mix *m = malloc(sizeof *m);
    struct fair_frame frame;
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    add_bulk(m, 1, 300 * MS, 0);
    let_arrive(m);
    fair_begin(&frame, NULL, fair_take(&m->queue, true), 0);
    fair_hurry(&m->queue, &frame, &m->works[0].task);
    add_bulk(m, 2, 10 * MS, 0);
    let_arrive(m);
    assert_null(fair_take_inside(&m->queue, &frame, 20 * MS));
    fair_end(&m->queue, &frame, 300 * MS);
    assert_int_equal(m->queue.groups[1].used_ns, 0);
    assert_int_equal(m->queue.groups[0].used_ns, 300 * MS / 15);
    free(m);
}

/* What was taken for long and is not long after all, as when others have carried it, gets no more time for that. */
static void check_overestimated(bool bulk, int64_t most)
{
    enum { SHORT = 100, LONG = 40 };
    struct mix *m = malloc(sizeof *m);
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < SHORT; i++)
        add(m, 1, 1, 1 * MS, 1 * MS, 0);
    for (int i = 0; i < LONG; i++) {
        add(m, 2 + (uint32_t)i % 4, 1, 5 * MS, 300 * MS, 0);
        m->works[m->n - 1].task.claim.bulk = bulk;
    }
    run_one_thread(m);
    check_all_ran(m);
    assert_in_range(last_end(m, 0, SHORT), SHORT * MS, most);
    free(m);
}

static void test_overestimated(void **state)
{
    (void)state;
    check_overestimated(false, 145 * MS); /* A quarter of the time is for what is long, */
    check_overestimated(true, 117 * MS);  /* or a sixteenth; and one may have begun. */
}

/* Thirty connections of one token get no more than the one of another, who never has more than one task waiting, in
 * each class. */
static void check_flood(bool bulk)
{
    struct mix *m = malloc(sizeof *m);
    int done[3] = {0};
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < 120; i++)
        add(m, 1, (uint32_t)i % 30, 10 * MS, 10 * MS, 0);
    for (int i = 0; i < 30; i++)
        add(m, 2, 99, 10 * MS, 10 * MS, (uint64_t)i * 20 * MS);
    for (int i = 0; i < m->n; i++)
        m->works[i].task.claim.bulk = bulk;
    qsort(m->works, (size_t)m->n, sizeof m->works[0], by_arrival);
    run_one_thread(m);
    check_all_ran(m);
    for (int i = 0; i < m->n; i++)
        if (m->works[i].ended <= (uint64_t)(600 * MS))
            done[m->works[i].task.claim.principal]++;
    assert_in_range(done[2], 29, 30);
    assert_in_range(done[1], 29, 31);
    free(m);
}

static void test_flood(void **state)
{
    (void)state;
    check_flood(false);
    check_flood(true);
}

/* Cancelled work leaves first, and takes no time. */
static void test_cancelled(void **state)
{
    struct mix *m = malloc(sizeof *m);
    (void)state;
    assert_non_null(m);
    begin_mix(m);
    for (int i = 0; i < 20; i++)
        add(m, 1, 1, 10 * MS, 10 * MS, 0);
    m->works[19].cancelled_at = 5 * MS;
    add(m, 1, 1, 3000 * MS, 3000 * MS, 0);
    m->works[20].cancelled_at = 500 * MS;
    run_one_thread(m);
    check_all_ran(m);
    assert_true(m->works[19].ended <= (uint64_t)(25 * MS)); /* The long one had its turn first. */
    assert_true(m->works[20].ended <= (uint64_t)(506 * MS));
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixes),      cmocka_unit_test(test_long_is_cut), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_no_credit),  cmocka_unit_test(test_long_ends),   cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_bulk_waits), cmocka_unit_test(test_bulk_ends),   cmocka_unit_test(test_hurry),
        cmocka_unit_test(test_flood),      cmocka_unit_test(test_hurry_begun), cmocka_unit_test(test_overestimated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
