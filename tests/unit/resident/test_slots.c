/* SPDX-License-Identifier: Apache-2.0 */
/* Slots: the budget of host copies and its order, what is kept of a mesh while somebody uses it, and how many records
 * of meshes stay that hold no memory. Whose turn it is: tests/unit/jobs/test_jobs.c. */
#include "server/resident/slots.h"
#include "server/resident/residency.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
    struct slots slots;
    struct pool pool;
    struct metrics metrics;
    struct mesh *cube; /* each slot gets a copy of it */
    int64_t bytes;     /* of one                      */
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct executor *compute = executor_start("compute", 1, NULL), *host = executor_start("host", 1, NULL);
    assert_true(compute && host);
    f->cube = sample_cube();
    f->bytes = mesh_bytes(f->cube);
    f->pool.limit = 1 << 30;
    slots_init(&f->slots, 3 * f->bytes, &f->pool, &f->metrics, compute, host);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    slots_fini(&f->slots);
    bool none = f->slots.host_bytes == 0 && f->metrics.values[M_MESHES_HOST] == 0;
    executor_stop(f->slots.compute);
    executor_stop(f->slots.reaper);
    none = none && f->pool.used == 0 && f->pool.idle == 0 && f->pool.by[POOL_MESHES] == 0;
    mesh_free(f->cube);
    free(f);
    return none ? 0 : -1;
}

/* A slot as a job leaves it that has looked the mesh up, and loaded it. */
static struct slot *visit(struct fixture *f, const char *id, bool loads)
{
    struct slot *slot = slot_get(&f->slots, id, STORE_ANY_VERSION);
    struct sdd_error err = {0};
    assert_non_null(slot);
    slot_use(&f->slots, slot);
    slot->known = true;
    if (loads && !slot->host)
        assert_int_equal(mesh_copy(f->cube, &slot->host, &err), SDD_OK);
    return slot;
}

static struct slot *come_and_go(struct fixture *f, const char *id)
{
    struct slot *slot = visit(f, id, true);
    slot_unuse(&f->slots, slot);
    return slot;
}

/* The host copies that are there, by the first letter of their slots. */
static void check_hosts(struct fixture *f, const char *letters)
{
    const int64_t n = (int64_t)strlen(letters);
    for (const char *letter = "abcdefgh"; *letter; letter++) {
        const struct slot *slot = slot_find(&f->slots, (char[]){*letter, 0});
        const bool there = slot && slot->host;
        if (there != (strchr(letters, *letter) != NULL))
            fail_msg("the host copy of %c is %s", *letter, there ? "there" : "not there");
        if (slot)
            assert_string_equal(slot_residency(slot), there ? "host" : "disk");
    }
    assert_int_equal(f->slots.host_bytes, n * f->bytes);
    assert_int_equal(f->metrics.values[M_HOST_BYTES], n * f->bytes);
    assert_int_equal(f->metrics.values[M_MESHES_HOST], n);
}

static void test_found(void **state)
{
    struct fixture *f = *state;
    assert_null(slot_find(&f->slots, "a"));
    struct slot *a = slot_get(&f->slots, "a", STORE_ANY_VERSION), *b = slot_get(&f->slots, "b", STORE_ANY_VERSION);
    assert_true(a && b && a != b);
    assert_ptr_equal(slot_get(&f->slots, "a", STORE_ANY_VERSION), a);
    assert_ptr_equal(slot_find(&f->slots, "b"), b);
    assert_string_equal(a->id, "a");
    assert_string_equal(slot_residency(a), "disk");
    assert_non_null(slot_get(&f->slots, "m_012345678901234567890", STORE_ANY_VERSION));
    assert_null(slot_get(&f->slots, "m_0123456789012345678901", STORE_ANY_VERSION)); /* no id is so long */
    assert_int_equal(f->slots.table.n, 3);
}

/* Who asks for a mesh that is not there leaves nothing behind, once the last one has gone. */
static void test_unknown(void **state)
{
    struct fixture *f = *state;
    struct slot *slot = slot_get(&f->slots, "a", STORE_ANY_VERSION);
    slot_use(&f->slots, slot);
    slot_use(&f->slots, slot);
    slot_unuse(&f->slots, slot);
    assert_ptr_equal(slot_find(&f->slots, "a"), slot);
    slot_unuse(&f->slots, slot);
    assert_null(slot_find(&f->slots, "a"));
    slot = come_and_go(f, "a");
    assert_ptr_equal(slot_find(&f->slots, "a"), slot);
}

static void test_budget(void **state)
{
    struct fixture *f = *state;
    come_and_go(f, "a");
    come_and_go(f, "b");
    come_and_go(f, "c");
    check_hosts(f, "abc"); /* to the byte */
    assert_int_equal(f->metrics.values[M_EVICTIONS_HOST], 0);
    come_and_go(f, "a"); /* b is now the longest unused */
    come_and_go(f, "d");
    check_hosts(f, "acd");
    come_and_go(f, "e");
    check_hosts(f, "ade");
    assert_int_equal(f->metrics.values[M_EVICTIONS_HOST], 2);
    assert_true(slot_find(&f->slots, "b")->known); /* the record stays */
}

/* The copy of a pinned mesh goes last, and its slot stays, even before anything is known of it. */
static void test_pinned(void **state)
{
    struct fixture *f = *state;
    struct slot *early = slot_get(&f->slots, "h", STORE_ANY_VERSION);
    early->pinned = true;
    slot_use(&f->slots, early);
    slot_unuse(&f->slots, early);
    assert_ptr_equal(slot_find(&f->slots, "h"), early);
    struct slot *a = come_and_go(f, "a");
    a->pinned = true;
    come_and_go(f, "b");
    come_and_go(f, "c");
    come_and_go(f, "d");
    check_hosts(f, "acd");
    slots_evict(&f->slots, 2 * f->bytes);
    check_hosts(f, "a");
    slots_evict(&f->slots, 1);
    check_hosts(f, "");
    assert_ptr_equal(slot_find(&f->slots, "a"), a);
    early->pinned = a->pinned = false;
}

/* A copy that is used is not taken away, however many there are. */
static void test_in_use(void **state)
{
    struct fixture *f = *state;
    struct slot *used[3] = {come_and_go(f, "a"), come_and_go(f, "b"), come_and_go(f, "c")};
    for (int k = 0; k < 3; k++)
        slot_use(&f->slots, used[k]);
    come_and_go(f, "d"); /* the only one that can go */
    check_hosts(f, "abc");
    slot_use(&f->slots, used[0]); /* two jobs */
    slot_unuse(&f->slots, used[0]);
    come_and_go(f, "e");
    check_hosts(f, "abc");
    slot_unuse(&f->slots, used[1]);
    come_and_go(f, "f");
    check_hosts(f, "acf");
    slot_unuse(&f->slots, used[0]);
    slot_unuse(&f->slots, used[2]);
    check_hosts(f, "acf");
}

/* A copy that grew or shrank while a job had it is counted as it is when the job goes. */
static void test_replaced(void **state)
{
    struct fixture *f = *state;
    struct slot *slot = come_and_go(f, "a");
    f->slots.host_limit = 1 << 20;
    slot_use(&f->slots, slot);
    mesh_free(slot->host);
    slot->host = sample_grid(10, 10);
    slot_unuse(&f->slots, slot);
    assert_true(mesh_bytes(slot->host) > f->bytes);
    assert_int_equal(f->slots.host_bytes, mesh_bytes(slot->host));
    assert_int_equal(f->metrics.values[M_MESHES_HOST], 1);
    slot_drop_host(&f->slots, slot);
    assert_null(slot->host);
    check_hosts(f, "");
    slot_drop_host(&f->slots, slot);
    check_hosts(f, "");
}

static void test_forget(void **state)
{
    struct fixture *f = *state;
    struct slot *a = come_and_go(f, "a"), *b = come_and_go(f, "b");
    b->resident = resident_create();
    atomic_store(&b->resident->bytes, 1);
    assert_string_equal(slot_residency(b), "device");
    slot_use(&f->slots, b);
    slot_forget(&f->slots, b);
    assert_true(!b->known && !b->host && !b->resident);
    assert_ptr_equal(slot_find(&f->slots, "b"), b); /* its user is still there */
    assert_ptr_equal(slot_find(&f->slots, "a"), a);
    check_hosts(f, "a");
    slot_unuse(&f->slots, b);
    assert_null(slot_find(&f->slots, "b"));
    assert_int_equal(f->slots.table.n, 1);
}

/* Half of the records go when there are too many, the longest unused first, but none of a mesh that holds memory or
 * has a user. */
static void test_cold(void **state)
{
    struct fixture *f = *state;
    struct cached_frame {
        struct list of_slot;
    } frame = {{0}};
    char id[STORE_ID_SIZE];
    come_and_go(f, "a");
    struct slot *b = visit(f, "b", false), *c = visit(f, "c", false), *d = visit(f, "d", false);
    list_append(&b->frames, &frame.of_slot);
    c->resident = resident_create();
    atomic_store(&c->resident->bytes, 1);
    slot_unuse(&f->slots, b);
    slot_unuse(&f->slots, c);
    for (int i = 0; i < SLOTS_MAX_COLD - 4; i++) {
        (void)snprintf(id, sizeof id, "m_%d", i);
        slot_unuse(&f->slots, visit(f, id, false));
    }
    assert_int_equal(f->slots.table.n, SLOTS_MAX_COLD);
    slot_unuse(&f->slots, visit(f, "m_0", false)); /* used once more, it is among the last to go */
    assert_int_equal(f->slots.table.n, SLOTS_MAX_COLD);
    slot_unuse(&f->slots, visit(f, "m_last", false));
    assert_int_equal(f->slots.table.n, SLOTS_MAX_COLD / 2);
    for (const char *letter = "abcd"; *letter; letter++)
        assert_non_null(slot_find(&f->slots, (char[]){*letter, 0}));
    const int n_gone = SLOTS_MAX_COLD + 1 - SLOTS_MAX_COLD / 2;
    for (int i = 0; i < SLOTS_MAX_COLD - 4; i++) {
        (void)snprintf(id, sizeof id, "m_%d", i);
        assert_int_equal(slot_find(&f->slots, id) != NULL, i == 0 || i > n_gone);
    }
    assert_non_null(slot_find(&f->slots, "m_last"));
    slot_unuse(&f->slots, d);
    list_remove(&frame.of_slot);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {FRESH(test_found),  FRESH(test_unknown),  FRESH(test_budget), FRESH(test_in_use),
                                       FRESH(test_pinned), FRESH(test_replaced), FRESH(test_forget), FRESH(test_cold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
