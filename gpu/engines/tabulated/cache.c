/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: tables by the form that they are of, in buckets and in the order of use; for tables.c and triangles.c. */
#include "gpu/engines/tabulated/cache.h"
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define DEVICE_BYTES ((int64_t)64 << 20) /* of host memory */

/* Points and what leads away from them are apart: who wants points alone takes those of either frame. */
enum part { PART_POINTS, PART_WAYS };

struct key {
    struct table_class of; /* edges that it has not are zero; of a triangle its fan */
    int32_t turn;          /* of a triangle; of a quad QUAD                         */
    float middle[3];
    int32_t has_across[3];
    int32_t steps, limit, part;
};
#define QUAD (-1)

struct entry {
    struct entry *next, *newer, *older; /* next: of the bucket */
    struct key key;
    uint64_t hash;
    int64_t bytes;
    float values[];
};

struct table_cache {
    pthread_mutex_t lock;
    int64_t most;
    struct table_cache_counts counts;
    struct entry *bucket[BUCKETS], *newest, *oldest;
};

struct table_cache *table_cache_create(int64_t bytes)
{
    struct table_cache *c = calloc(1, sizeof *c);
    if (c && pthread_mutex_init(&c->lock, NULL)) {
        free(c);
        return NULL;
    }
    if (c)
        c->most = bytes;
    return c;
}

static struct key key_of(const struct table_class *of, int steps, int limit, enum part part)
{
    struct key k;
    memset(&k, 0, sizeof k);
    k.of.n = of->n;
    k.of.k = of->k;
    k.of.open = of->open;
    k.of.own = of->own;
    k.of.several = of->several;
    k.of.vertex = of->vertex;
    memcpy(k.of.edge, of->edge, sizeof of->edge[0] * (size_t)(of->n + of->open));
    k.turn = QUAD;
    k.steps = steps;
    k.limit = limit != 0;
    k.part = (int32_t)part;
    return k;
}

static struct key key_of_triangle(const struct table_tri_class *of, int steps, int limit, enum part part)
{
    struct key k = key_of(&of->fan, steps, limit, part);
    k.of.k = 0; /* which says nothing here */
    k.turn = of->turn;
    memcpy(k.middle, of->edge, sizeof k.middle);
    memcpy(k.has_across, of->has_across, sizeof k.has_across);
    return k;
}

static uint64_t hash_of(const struct key *k)
{
    return sdd_table_hash((const float *)(const void *)k, sizeof *k / sizeof(float));
}

static void unlink_entry(struct table_cache *c, struct entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(struct table_cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static void drop(struct table_cache *c, struct entry *e)
{
    struct entry **at = &c->bucket[e->hash % BUCKETS];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_entry(c, e);
    c->counts.bytes -= e->bytes;
    c->counts.n_kept--;
    free(e);
}

static struct entry *find(struct table_cache *c, const struct key *key, uint64_t hash)
{
    struct entry *e = c->bucket[hash % BUCKETS];
    while (e && (e->hash != hash || memcmp(&e->key, key, sizeof *key) != 0))
        e = e->next;
    return e;
}

/* n floats to each of `to`, one part of the entry after the other. Result: were they there? */
static int copy(struct table_cache *c, const struct key *key, size_t n, float *const to[2])
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key, hash_of(key));
    if (e) {
        unlink_entry(c, e);
        link_newest(c, e);
        for (int i = 0; i < 2 && to[i]; i++)
            memcpy(to[i], e->values + (size_t)i * n, n * sizeof(float));
    }
    c->counts.n_missed += !e;
    pthread_mutex_unlock(&c->lock);
    return e != NULL;
}

/* Keeps a copy, where there is room. Another thread may have made the same meanwhile. */
static int keep(struct table_cache *c, const struct key *key, size_t n, float *const from[2], struct sdd_error *err)
{
    int64_t bytes = (int64_t)(sizeof(struct entry) + (from[1] ? 2 : 1) * n * sizeof(float));
    if (bytes > c->most)
        return SDD_OK;
    struct entry *e = malloc((size_t)bytes);
    if (!e)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory to keep a table");
    e->key = *key;
    e->hash = hash_of(key);
    e->bytes = bytes;
    for (int i = 0; i < 2 && from[i]; i++)
        memcpy(e->values + (size_t)i * n, from[i], n * sizeof(float));
    pthread_mutex_lock(&c->lock);
    struct entry *same = find(c, key, e->hash);
    if (same)
        drop(c, same);
    while (c->counts.bytes + bytes > c->most)
        drop(c, c->oldest); /* NOLINT(clang-analyzer-unix.Malloc): after it another one is the oldest */
    e->next = c->bucket[e->hash % BUCKETS];
    c->bucket[e->hash % BUCKETS] = e;
    link_newest(c, e);
    c->counts.bytes += bytes;
    c->counts.n_kept++;
    pthread_mutex_unlock(&c->lock);
    return SDD_OK;
}

int table_cache_table(struct table_cache *c, const struct table_class *of, int steps, int limit, float *out, float *t1,
                      float *t2, struct sdd_error *err)
{
    size_t side = ((size_t)1 << steps) + 1, n = (size_t)table_class_columns(of) * side * side;
    float *const points[2] = {out, NULL}, *const ways[2] = {t1, t2};
    const struct key of_points = key_of(of, steps, limit, PART_POINTS), of_ways = key_of(of, steps, limit, PART_WAYS);
    int both = t1 && t2, found = copy(c, &of_points, n, points), all = found && (!both || copy(c, &of_ways, n, ways));
    if (all)
        return SDD_OK;
    int rc = table_class_table(of, steps, limit, out, t1, t2, err);
    if (!rc && !found)
        rc = keep(c, &of_points, n, points, err);
    return rc || !both ? rc : keep(c, &of_ways, n, ways, err);
}

int table_cache_triangle(struct table_cache *c, const struct table_tri_class *of, int steps, int limit, float *out,
                         float *away, struct sdd_error *err)
{
    size_t n = (size_t)table_tri_columns(of) * (size_t)sdd_tri_table_rows(1 << steps);
    size_t n_away = 2 * (size_t)table_tri_pairs(of, steps, limit) * n;
    float *const points[2] = {out, NULL}, *const ways[2] = {away, NULL};
    const struct key of_points = key_of_triangle(of, steps, limit, PART_POINTS),
                     of_ways = key_of_triangle(of, steps, limit, PART_WAYS);
    int found = copy(c, &of_points, n, points), all = found && (!away || copy(c, &of_ways, n_away, ways));
    if (all)
        return SDD_OK;
    int rc = table_tri_table(of, steps, limit, out, away, err);
    if (!rc && !found)
        rc = keep(c, &of_points, n, points, err);
    return rc || !away ? rc : keep(c, &of_ways, n_away, ways, err);
}

struct table_cache_counts table_cache_counts(struct table_cache *c)
{
    pthread_mutex_lock(&c->lock);
    struct table_cache_counts counts = c->counts;
    pthread_mutex_unlock(&c->lock);
    return counts;
}

void table_cache_free(struct table_cache *c)
{
    if (!c)
        return;
    for (struct entry *e = c->newest, *older; e; e = older) {
        older = e->older;
        free(e);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *create(void)
{
    return table_cache_create(DEVICE_BYTES);
}

static void free_kept(sdd_device *d, void *what)
{
    (void)d; /* it has none of its memory */
    table_cache_free(what);
}

struct table_cache *table_cache_of(sdd_device *d, struct sdd_error *err)
{
    static const struct kept_ops ops = {create, NULL, free_kept};
    return kept_get(&d->kept, &ops, err);
}
