/* SPDX-License-Identifier: Apache-2.0 */
/* Which jobs are admitted, when many are there already, and which go past the line at a mesh. */
#include "tests/unit/jobs/story.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 12 };

static struct story *begin(struct fixture *f, uint32_t principal, int64_t cost_ns, bool light)
{
    struct story *s = story_tell('a');
    s->principal = principal;
    s->cost_ns = cost_ns;
    if (light)
        s->steps[3].queue = ON_HOST;
    s->hold_at = 1;
    story_start(f, s, NULL);
    return s;
}

static bool is_refused(const struct story *s)
{
    return s->request.n_answers > 0;
}

static void let_go(struct story **all, int n)
{
    for (int i = 0; i < n; i++)
        sem_post(&all[i]->go_on);
}

static void check_all(struct story **all, int n)
{
    for (int i = 0; i < n; i++)
        story_check_answer(all[i], SDD_OK, "");
}

/* Starts jobs until one is refused, which it frees. Returns how many were not. */
static int fill(struct fixture *f, struct story **all, uint32_t principal, int64_t cost_ns, bool light, int code)
{
    for (int n = 0;; n++) {
        assert_true(n <= MOST);
        all[n] = begin(f, principal, cost_ns, light);
        if (!is_refused(all[n]))
            continue;
        assert_int_equal(all[n]->request.code, code);
        assert_non_null(strstr(all[n]->request.text, "12 (--queue-size): wait for answers before sending more"));
        story_check_answer(all[n], code, all[n]->request.text);
        return n;
    }
}

/* One principal gets three quarters of the places, or half with long work; others find the rest. */
static void test_principals(void **state)
{
    struct fixture *f = *state;
    struct story *first[MOST + 1], *second[MOST + 1];
    f->jobs.most = MOST;
    const int n = fill(f, first, 1, 0, false, SDD_ETOO_MANY);
    assert_int_equal(n, 9);
    const int m = fill(f, second, 2, 0, false, SDD_EBUSY); /* All places are taken. */
    assert_int_equal(n + m, MOST);
    let_go(first, n);
    let_go(second, m);
    story_run_all(f);
    check_all(first, n);
    check_all(second, m);
    const int half = fill(f, first, 1, 2 * FAIR_SHORT_NS, false, SDD_ETOO_MANY);
    assert_int_equal(half, MOST / 2);
    struct story *brief = begin(f, 1, 0, false); /* It may have more that is short. */
    assert_false(is_refused(brief));
    let_go(&brief, 1);
    let_go(first, half);
    story_run_all(f);
    check_all(first, half);
    story_check_answer(brief, SDD_OK, "");
    for (int i = 0; i < JOB_PRINCIPALS; i++)
        assert_int_equal(f->jobs.of_principal[i], 0);
}

/* What needs no device has places of its own, and the daemon itself needs none. */
static void test_light(void **state)
{
    struct fixture *f = *state;
    struct story *heavy[MOST + 1], *light[MOST + 1];
    f->jobs.most = MOST;
    const int n = fill(f, heavy, 1, 0, false, SDD_ETOO_MANY), m = fill(f, light, 1, 0, true, SDD_EBUSY);
    assert_int_equal(m, MOST);
    struct story *own = begin(f, 0, 0, false), *wanted = story_tell('a');
    assert_false(is_refused(own));
    wanted->own = true; /* It takes turns like one more principal. */
    wanted->cost_ns = 2 * FAIR_SHORT_NS;
    story_start(f, wanted, NULL);
    let_go(heavy, n);
    let_go(light, m);
    let_go(&own, 1);
    story_run_all(f);
    check_all(heavy, n);
    check_all(light, m);
    story_check_answer(own, SDD_OK, "");
    assert_string_equal(wanted->log, "LHSDL.");
    sem_destroy(&wanted->begun);
    sem_destroy(&wanted->go_on);
    free(wanted);
    assert_int_equal(f->jobs.n_light, 0);
}

/* A job that finds all it needs goes past one that has settled that, and past the line behind it; others do not. */
static void test_peeking(void **state)
{
    struct fixture *f = *state;
    for (int settled = 0; settled < 2; settled++) {
        struct story *holder = story_tell('a'), *next = story_tell('b'), *peek = story_tell('c');
        holder->settle_at = settled ? 0 : NEVER;
        holder->hold_at = 3;
        peek->peeks = SETTLED_RECORD;
        peek->rc[0] = JOB_DONE;
        story_start(f, holder, &f->turns[0]);
        story_run_to_hold(f, holder);
        story_start(f, next, &f->turns[0]);
        assert_int_equal(job_may_peek(&f->turns[0], SETTLED_HOST), settled);
        story_start(f, peek, &f->turns[0]);
        assert_string_equal(peek->log, settled ? "L+." : "");
        assert_string_equal(next->log, "");
        sem_post(&holder->go_on);
        story_run_all(f);
        story_check(holder, "LHSDL+.", SDD_OK, "");
        story_check(next, "LHSDL+.", SDD_OK, "");
        story_check(peek, "L+.", SDD_OK, "");
    }
}

/* Jobs that only read do not keep one that peeks waiting, even behind one that waits for all of them. */
static void test_peeking_at_readers(void **state)
{
    struct fixture *f = *state;
    struct story *reader = story_tell('a'), *writer = story_tell('b'), *peek = story_tell('c');
    reader->share_at = 0;
    reader->hold_at = 3;
    peek->peeks = SETTLED_HOST;
    peek->hold_at = 1;
    story_start_by(f, reader, &f->turns[0], true, uv_hrtime() + 3600 * 1000000000ull);
    story_run_to_hold(f, reader);
    story_start(f, writer, &f->turns[0]);
    story_start(f, peek, &f->turns[0]);
    story_run_to_hold(f, peek);
    assert_int_equal(f->turns[0].readers, 2);
    sem_post(&reader->go_on);
    story_run_to_end(f, reader);
    assert_string_equal(writer->log, ""); /* The one that peeks still reads. */
    sem_post(&peek->go_on);
    story_run_all(f);
    story_check(reader, "LHSDL+.", SDD_OK, "");
    story_check(writer, "LHSDL+.", SDD_OK, "");
    story_check(peek, "LHSDL+.", SDD_OK, "");
}

/* Readers that let nobody else begin, for what they will change, are no reason to wait for one that peeks. */
static void test_peeking_when_closed(void **state)
{
    struct fixture *f = *state;
    struct story *reader = story_tell('a'), *next = story_tell('b'), *peek = story_tell('c');
    reader->share_at = reader->close_at = 0;
    reader->hold_at = 3;
    next->share_at = 0;
    peek->peeks = SETTLED_HOST;
    peek->rc[0] = JOB_DONE;
    story_start(f, reader, &f->turns[0]);
    story_run_to_hold(f, reader);
    story_start(f, next, &f->turns[0]);
    assert_string_equal(next->log, "");
    story_start(f, peek, &f->turns[0]);
    assert_string_equal(peek->log, "L+.");
    sem_post(&reader->go_on);
    story_run_all(f);
    story_check(reader, "LHSDL+.", SDD_OK, "");
    story_check(next, "LHSDL+.", SDD_OK, "");
    story_check(peek, "L+.", SDD_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_principals, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_light, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_peeking, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_peeking_at_readers, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_peeking_when_closed, story_set_up, story_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
