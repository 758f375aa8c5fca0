/* SPDX-License-Identifier: Apache-2.0 */
/* Small parts of the server: text, tables, executors, the layout of frames. */
#include "server/jobs/executor.h"
#include "server/resident/payload.h"
#include "server/base/table.h"
#include "server/base/text.h"
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_text(void **state)
{
    struct text t = {0};
    (void)state;
    text_puts(&t, "{");
    text_member(&t, "a", "q\"b\\c\n\x01\x7f\xc3\xa4");
    text_member_int(&t, "n", -5);
    text_member_real(&t, "x", 0.125, 3);
    text_puts(&t, "}");
    assert_string_equal(t.data, "{\"a\":\"q\\\"b\\\\c\\u000a\\u0001\\u007f\xc3\xa4\",\"n\":-5,\"x\":0.125}");
    text_clear(&t);
    for (int i = 0; i < 10000; i++)
        text_printf(&t, "%d,", i);
    assert_int_equal(t.bytes, 48890);
    assert_int_equal(strlen(t.data), t.bytes);
    char *big = calloc(1, 1 << 20);
    for (int i = 0; i < 70; i++)
        text_add(&t, big, 1 << 20);
    assert_true(t.failed && t.bytes <= TEXT_MAX_BYTES); /* a ceiling, and then nothing more */
    free(big);
    text_free(&t);
}

struct item {
    struct table_node node;
    char key[16];
};

static void test_table(void **state)
{
    enum { N = 5000 };
    struct table t = {0};
    struct item *items = calloc(N, sizeof *items);
    (void)state;
    assert_null(table_find(&t, "x"));
    for (int i = 0; i < N; i++) {
        snprintf(items[i].key, sizeof items[i].key, "k%d", i);
        assert_true(table_add(&t, &items[i].node, items[i].key));
    }
    for (int i = 0; i < N; i += 2)
        table_remove(&t, &items[i].node);
    for (int i = 0; i < N; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        assert_ptr_equal(table_find(&t, key), i % 2 ? &items[i].node : NULL);
    }
    assert_int_equal(t.n, N / 2);
    table_remove(&t, &items[0].node); /* a second time is nothing */
    table_fini(&t);
    free(items);
}

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

static bool fits(const struct task *task, const void *cls)
{
    const struct counted *c = CONTAINER((struct task *)(uintptr_t)task, struct counted, task);
    return c->id >= ((const struct taker *)cls)->from;
}

static void take(struct task *task, void *user)
{
    struct taker *t = CONTAINER(task, struct taker, task);
    struct task *out[16];
    (void)user;
    sem_wait(&t->posted);
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
    check_taking(0, 16, 5);
    check_taking(3, 16, 3);
    check_taking(3, 2, 2);
    check_taking(8, 16, 1);
    check_taking(9, 16, 0);
    check_taking(10, 16, 0);
    check_taking(0, 0, 0);
    check_taking(0, -1, 0);
}

/* The same plan with other digests and versions gives the same sizes; every piece reads the same bytes as the whole. */
static void test_frame(void **state)
{
    static const int64_t sizes[][2] = {{3, 5}, {64, 64}, {1, 0}, {1000, 77}, {0, 0}};
    struct frame_about about = {"m_0123456789abcdef", "00112233445566778899aabbccddeeff", "cpu", 1, 2, 0, NULL, false};
    unsigned char data[4000], whole[8192], piece[8192];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + 1);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct sdd_plan_info plan = {
            .method = "edge-friend", .n_vertices = 5, .n_faces = 6, .n_edges = 7, .n_blocks = 2};
        struct frame f, planned;
        for (int b = 0; b < 2; b++)
            plan.blocks[b] = (struct sdd_block){.semantic = b ? SDD_INDICES : SDD_POSITIONS,
                                                .components = 1,
                                                .count = sizes[k][b],
                                                .bytes = sizes[k][b] * 4};
        assert_int_equal(frame_make(&about, &plan, &planned, NULL), SDD_OK);
        for (int b = 0; b < 2; b++) {
            plan.blocks[b].data = data;
            plan.blocks[b].digest = 0xffffffffffffffff;
        }
        assert_int_equal(frame_make(&about, &plan, &f, NULL), SDD_OK);
        assert_int_equal(f.bytes, planned.bytes);
        assert_true(f.bytes <= (int64_t)sizeof whole);
        frame_read(&f, 0, whole, (size_t)f.bytes);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(f.blocks[b].offset % FRAME_ALIGN, 0);
            assert_memory_equal(whole + f.blocks[b].offset, data, (size_t)f.blocks[b].bytes);
        }
        for (int64_t at = 0; at < f.bytes; at += 13)
            for (size_t n = 1; n < 200 && at + (int64_t)n <= f.bytes; n += 31) {
                memset(piece, 0xee, n);
                frame_read(&f, at, piece, n);
                assert_memory_equal(piece, whole + at, n);
            }
        frame_fini(&f);
        frame_fini(&planned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_executor), cmocka_unit_test(test_taking),
                                       cmocka_unit_test(test_frame)};
    return cmocka_run_group_tests_name("unit/server_parts", tests, NULL, NULL);
}
