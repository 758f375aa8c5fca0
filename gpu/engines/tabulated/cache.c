/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: keeps the tables of classes for tables.c and triangles.c, in a hash table whose entries are also linked in
 * the order of their last use. */
#include "gpu/engines/tabulated/cache.h"
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define DEVICE_BYTES ((int64_t)64 << 20) /* The host memory of the cache that a device keeps. */

/* The points of a class and its tangents have an entry each, so that results with and without normals share the
 * points. */
enum part { PART_POINTS, PART_TANGENTS };

/* All bytes of a key are compared, so what a class does not use is zero. */
struct key {
    struct table_class of; /* The class of a quad, or the fan of a triangle. */
    int32_t corner;        /* That of a triangle's class; QUAD for a quad. */
    float middle[3];       /* The sharpness of the edges of a middle triangle. */
    int32_t has_across[3]; /* That of a triangle's class. */
    int32_t steps, limit;
    int32_t part; /* A value of enum part. */
};
#define QUAD (-1)

struct entry {
    struct entry *next;          /* The next entry of the same bucket. */
    struct entry *newer, *older; /* The neighbours in the order of last use. */
    struct key key;
    uint64_t hash;
    int64_t bytes;
    float values[];
};

struct table_cache {
    pthread_mutex_t lock;
    int64_t most; /* The bytes that the cache may hold. */
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
    k.corner = QUAD;
    k.steps = steps;
    k.limit = limit;
    k.part = (int32_t)part;
    return k;
}

static struct key key_of_triangle(const struct table_tri_class *of, int steps, int limit, enum part part)
{
    struct key k = key_of(&of->fan, steps, limit, part);
    k.of.k = 0; /* A triangle's class does not use it. */
    k.corner = of->corner;
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

/* Copies the entry of the key: its first n floats to to[0] and, if to[1] is not NULL, the next n to that. Returns
 * whether there is such an entry. */
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

/* Keeps a copy of what copy() will be asked for, if the cache is large enough. Another thread may have kept the same
 * table meanwhile; the new copy then replaces it. */
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
        drop(c, c->oldest); /* NOLINT(clang-analyzer-unix.Malloc): drop unlinks it, so another entry is the oldest */
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
    float *const points[2] = {out, NULL}, *const tangents[2] = {t1, t2};
    const struct key of_points = key_of(of, steps, limit, PART_POINTS),
                     of_tangents = key_of(of, steps, limit, PART_TANGENTS);
    int both = t1 && t2, found = copy(c, &of_points, n, points);
    int all = found && (!both || copy(c, &of_tangents, n, tangents));
    if (all)
        return SDD_OK;
    int rc = table_class_table(of, steps, limit, out, t1, t2, err);
    if (!rc && !found)
        rc = keep(c, &of_points, n, points, err);
    return rc || !both ? rc : keep(c, &of_tangents, n, tangents, err);
}

int table_cache_triangle(struct table_cache *c, const struct table_tri_class *of, int steps, int limit, float *out,
                         float *away, struct sdd_error *err)
{
    size_t n = (size_t)table_tri_columns(of) * (size_t)sdd_tri_table_rows(1 << steps);
    size_t n_away = 2 * (size_t)table_tri_pairs(of, steps, limit) * n;
    float *const points[2] = {out, NULL}, *const tangents[2] = {away, NULL};
    const struct key of_points = key_of_triangle(of, steps, limit, PART_POINTS),
                     of_tangents = key_of_triangle(of, steps, limit, PART_TANGENTS);
    int found = copy(c, &of_points, n, points), all = found && (!away || copy(c, &of_tangents, n_away, tangents));
    if (all)
        return SDD_OK;
    int rc = table_tri_table(of, steps, limit, out, away, err);
    if (!rc && !found)
        rc = keep(c, &of_points, n, points, err);
    return rc || !away ? rc : keep(c, &of_tangents, n_away, tangents, err);
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
    (void)d; /* The cache holds only host memory. */
    table_cache_free(what);
}

struct table_cache *table_cache_of(sdd_device *d, struct sdd_error *err)
{
    static const struct kept_ops ops = {.create = create, .free = free_kept};
    return kept_get(&d->kept, &ops, err);
}
