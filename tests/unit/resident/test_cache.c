/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of refined frames: its budget, who goes first, what a changed mesh takes with it, and frames that answers
 * still send. */
#include "server/resident/cache.h"
#include "server/resident/slots.h"
#include "tests/refine_once.h"
#include "tests/unit/sample.h"
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A cache whose compute thread waits at a gate: what is freed meanwhile lies in its queue, where it is counted. */
struct fixture {
    struct cache cache;
    struct metrics metrics;
    struct slot slots[2];
    struct task wait;
    sem_t gate;
    struct pool pool;
    int n_freed; /* when `freed` was asked last */
};

static void wait_at_gate(struct task *task, void *user)
{
    struct fixture *f = CONTAINER(task, struct fixture, wait);
    (void)user;
    sem_wait(&f->gate);
}

static struct fixture *open_cache(int64_t limit)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct executor *compute = executor_start("test", 1, NULL);
    assert_non_null(compute);
    sem_init(&f->gate, 0, 0);
    f->wait.run = wait_at_gate;
    executor_post(compute, &f->wait);
    f->pool.limit = 1000;
    cache_init(&f->cache, limit, &f->pool, &f->metrics, compute, compute);
    for (int i = 0; i < 2; i++) {
        list_init(&f->slots[i].frames);
        list_init(&f->slots[i].past);
    }
    return f;
}

/* How many entries were freed since this was asked last. */
static int freed(struct fixture *f)
{
    const int before = f->n_freed;
    f->n_freed = executor_depth(f->cache.compute) - 1;
    return f->n_freed - before;
}

static void close_cache(struct fixture *f)
{
    struct executor *compute = f->cache.compute;
    cache_fini(&f->cache);
    assert_int_equal(f->cache.bytes, 0);
    assert_true(list_empty(&f->slots[0].frames) && list_empty(&f->slots[1].frames));
    sem_post(&f->gate);
    executor_stop(compute);
    sem_destroy(&f->gate);
    free(f);
}

static struct cached *entry_of(const char *key, int64_t bytes)
{
    struct cached *entry = calloc(1, sizeof *entry);
    assert_non_null(entry);
    (void)snprintf(entry->key, sizeof entry->key, "%s", key);
    entry->payload.bytes = bytes;
    return entry;
}

/* Kept for the first mesh, or not, when it is freed at once as its owner would. */
static struct cached *keep(struct fixture *f, const char *key, int64_t bytes)
{
    struct cached *entry = entry_of(key, bytes);
    cache_keep(&f->cache, &f->slots[0], entry);
    if (!entry->kept)
        cached_free(&f->cache, entry);
    return entry;
}

/* Exactly these keys are there, a letter each; they are looked for from the longest unused one, so none changes place.
 * */
static void check_keys(struct fixture *f, const char *keys, int64_t bytes)
{
    const struct list *at = f->cache.lru.next;
    for (const char *k = keys; *k; k++, at = at->next) {
        assert_ptr_not_equal(at, &f->cache.lru);
        const struct cached *entry = CONTAINER((struct list *)(uintptr_t)at, struct cached, lru);
        assert_int_equal(entry->key[0], *k);
        assert_true(entry->kept);
    }
    assert_ptr_equal(at, &f->cache.lru);
    assert_int_equal(f->cache.table.n, strlen(keys));
    assert_int_equal(f->cache.bytes, bytes);
    assert_int_equal(f->metrics.values[M_CACHE_BYTES], bytes);
}

static void test_budget(void **state)
{
    struct fixture *f = open_cache(100);
    (void)state;
    keep(f, "a", 40);
    keep(f, "b", 60);
    check_keys(f, "ab", 100);
    assert_int_equal(freed(f), 0);
    keep(f, "c", 1); /* one byte too many */
    check_keys(f, "bc", 61);
    assert_int_equal(freed(f), 1);
    keep(f, "d", 101); /* alone it would not fit: nobody goes for it */
    check_keys(f, "bc", 61);
    assert_int_equal(freed(f), 1);
    keep(f, "e", 100);
    check_keys(f, "e", 100);
    assert_int_equal(freed(f), 2);
    close_cache(f);
    f = open_cache(0); /* --cache-bytes 0 */
    keep(f, "a", 1);
    check_keys(f, "", 0);
    close_cache(f);
}

/* Frames that a delta may be made of outlive their version by some, and no longer; they go first when room is needed,
 * and all go with the mesh. */
static void test_supersede(void **state)
{
    struct fixture *f = open_cache(100);
    (void)state;
    keep(f, "a", 10)->based = true;
    keep(f, "b", 10);
    cache_supersede(&f->cache, &f->slots[0]);
    check_keys(f, "a", 10);
    assert_int_equal(freed(f), 1);
    keep(f, "c", 10)->based = true;
    for (int i = 1; i < CACHE_PAST; i++) {
        check_keys(f, "ac", 20);
        cache_supersede(&f->cache, &f->slots[0]);
    }
    check_keys(f, "ac", 20);
    cache_supersede(&f->cache, &f->slots[0]); /* It has been there long enough. */
    check_keys(f, "c", 10);
    keep(f, "d", 95);
    check_keys(f, "d", 95);
    assert_true(list_empty(&f->slots[0].past));
    cache_forget(&f->cache, &f->slots[0]);
    keep(f, "e", 10)->based = true;
    cache_supersede(&f->cache, &f->slots[0]);
    check_keys(f, "e", 10);
    cache_forget(&f->cache, &f->slots[0]);
    check_keys(f, "", 0);
    close_cache(f);
}

static void test_order(void **state)
{
    struct fixture *f = open_cache(50);
    (void)state;
    for (const char *key = "abcde"; *key; key++)
        keep(f, (char[]){*key, 0}, 10);
    check_keys(f, "abcde", 50);
    assert_null(cache_find(&f->cache, "z"));
    assert_string_equal(cache_find(&f->cache, "a")->key, "a"); /* now the last one used */
    assert_string_equal(cache_find(&f->cache, "c")->key, "c");
    check_keys(f, "bdeac", 50);
    keep(f, "f", 25);
    check_keys(f, "acf", 45);
    assert_null(cache_find(&f->cache, "b"));
    cache_drop(&f->cache, cache_find(&f->cache, "c"));
    check_keys(f, "af", 35);
    assert_int_equal(freed(f), 4);
    close_cache(f);
}

/* A mesh that changes takes its own frames with it, and these alone. */
/* A slot that is gone goes with its last user, who must not leave an entry at it. */
static void test_gone(void **state)
{
    struct fixture *f = open_cache(1000);
    (void)state;
    struct cached *entry = entry_of("a", 10);
    f->slots[0].gone = true;
    cache_keep(&f->cache, &f->slots[0], entry);
    assert_false(entry->kept);
    cached_free(&f->cache, entry);
    assert_int_equal(freed(f), 1);
    assert_true(list_empty(&f->slots[0].frames));
    close_cache(f);
}

static void test_forget(void **state)
{
    struct fixture *f = open_cache(1000);
    (void)state;
    for (const char *key = "abcdef"; *key; key++) {
        struct cached *entry = entry_of((char[]){*key, 0}, 10);
        cache_keep(&f->cache, &f->slots[(*key - 'a') % 2], entry);
    }
    cache_forget(&f->cache, &f->slots[1]);
    check_keys(f, "ace", 30);
    assert_int_equal(freed(f), 3);
    assert_true(list_empty(&f->slots[1].frames));
    cache_forget(&f->cache, &f->slots[1]);
    check_keys(f, "ace", 30);
    keep(f, "b", 10); /* of the next version */
    check_keys(f, "aceb", 40);
    cache_forget(&f->cache, &f->slots[0]);
    check_keys(f, "", 0);
    assert_int_equal(freed(f), 4);
    close_cache(f);
}

/* Answers that send a frame share it. It goes with the last of them, where the cache has let go of it before; until
 * then the cache counts it, and keeps nothing else in its place. */
static void test_sharing(void **state)
{
    struct fixture *f = open_cache(100);
    (void)state;
    struct cached *a = keep(f, "a", 60);
    cached_ref(a);
    cached_ref(a);
    keep(f, "b", 60); /* It does not fit beside one that is being sent. */
    check_keys(f, "a", 60);
    assert_int_equal(freed(f), 1);
    cache_forget(&f->cache, &f->slots[0]);
    check_keys(f, "", 60);
    assert_int_equal(freed(f), 0);
    keep(f, "b", 60);
    check_keys(f, "", 60);
    assert_int_equal(freed(f), 1);
    cached_unref(&f->cache, a);
    assert_int_equal(freed(f), 0);
    cached_unref(&f->cache, a);
    assert_int_equal(freed(f), 1);
    check_keys(f, "", 0);
    struct cached *b = keep(f, "b", 60);
    for (int k = 0; k < 3; k++) { /* one that stays in the cache */
        cached_ref(b);
        cached_unref(&f->cache, b);
    }
    check_keys(f, "b", 60);
    struct cached *c = entry_of("c", 7000); /* one that never was in it */
    cached_ref(c);
    cached_unref(&f->cache, c);
    assert_int_equal(freed(f), 1);
    close_cache(f);
}

/* A frame has its bytes of the pool until its memory is free, or until the cache counts it. */
static void test_pool(void **state)
{
    struct fixture *f = open_cache(100);
    (void)state;
    assert_true(pool_take(&f->pool, POOL_FRAMES, 900));
    assert_false(pool_take(&f->pool, POOL_FRAMES, 101));
    struct cached *a = entry_of("a", 60), *b = entry_of("b", 840);
    a->claim = 60;
    b->claim = 840;
    cache_keep(&f->cache, &f->slots[0], a);
    assert_int_equal(f->pool.used, 840);
    cached_ref(b);
    cached_unref(&f->cache, b);
    assert_int_equal(freed(f), 1);
    assert_int_equal(f->pool.used, 840); /* The reaper has not come round yet. */
    struct pool *pool = &f->pool;
    sem_post(&f->gate);
    for (int ms = 0; atomic_load(&pool->used) && ms < 10000; ms++)
        usleep(1000);
    assert_int_equal(pool->used, 0);
    close_cache(f);
}

/* Two jobs made the same frame: the first one stays, the second is its maker's alone. */
static void test_same_key(void **state)
{
    struct fixture *f = open_cache(100);
    (void)state;
    struct cached *first = keep(f, "a", 30), *second = entry_of("a", 30);
    cached_ref(second);
    cache_keep(&f->cache, &f->slots[1], second);
    assert_false(second->kept);
    check_keys(f, "a", 30);
    assert_ptr_equal(cache_find(&f->cache, "a"), first);
    cache_drop(&f->cache, second); /* it is in no list */
    check_keys(f, "a", 30);
    cached_unref(&f->cache, second);
    assert_int_equal(freed(f), 1);
    cached_free(&f->cache, NULL);
    assert_int_equal(freed(f), 0);
    close_cache(f);
}

/* An entry takes the result of a refine, and its bytes are those of a frame of it. */
static void test_created(void **state)
{
    const struct sdd_device_config config = {.backend = "cpu", .threads = 1};
    const struct sdd_refine_request request = {.level = 2, .include = SDD_POSITIONS | SDD_INDICES, .method = "auto"};
    const struct payload_about about = {
        .mesh_id = "m_0123456789abcdef", .topology_id = "t", .backend = "cpu", .level = 2};
    struct fixture *f = open_cache(1 << 20);
    struct mesh *m = sample_cube();
    struct sdd_mesh_desc desc;
    struct sdd_error err = {0};
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    sdd_result *result;
    struct cached *entry;
    (void)state;
    mesh_desc(m, &desc);
    assert_int_equal(sdd_device_open(&config, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &desc, &topology, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(topology, m->points, m->uvs, &mesh, &err), SDD_OK);
    assert_int_equal(refine_once(mesh, &request, &result, &err), SDD_OK);
    const struct sdd_plan_info *plan = &sdd_result_info(result)->plan;
    assert_int_equal(cached_create("cube", &about, result, 0, &entry, &err), SDD_OK);
    assert_string_equal(entry->key, "cube");
    assert_int_equal(entry->there, 0);
    assert_int_equal(entry->payload.n_blocks, 2);
    for (int i = 0; i < 2; i++) {
        unsigned char *bytes = malloc((size_t)plan->blocks[i].bytes);
        payload_read(&entry->payload, entry->payload.blocks[i].offset, bytes, (size_t)plan->blocks[i].bytes);
        assert_memory_equal(bytes, plan->blocks[i].data, (size_t)plan->blocks[i].bytes);
        free(bytes);
    }
    cache_keep(&f->cache, &f->slots[0], entry);
    assert_int_equal(f->cache.bytes, entry->payload.bytes);
    cache_forget(&f->cache, &f->slots[0]);
    assert_int_equal(freed(f), 1);
    close_cache(f); /* frees the result, which must go before its device */
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    sdd_device_close(device);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget), cmocka_unit_test(test_supersede), cmocka_unit_test(test_order),
        cmocka_unit_test(test_gone),   cmocka_unit_test(test_forget),    cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_pool),   cmocka_unit_test(test_same_key),  cmocka_unit_test(test_created)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
