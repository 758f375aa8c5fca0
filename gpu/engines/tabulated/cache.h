/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: keeps the tables of classes (class.h, tri_class.h) that were used last, in host memory. What surrounds the
 * pieces of a mesh (classify.h) falls into few classes, and most meshes have the same ones, so a table that was
 * computed for one mesh often serves others too. */
#ifndef SDD_TABULATED_CACHE_H
#define SDD_TABULATED_CACHE_H
#include "gpu/device/device.h"
#include "gpu/engines/tabulated/tri_class.h"

struct table_cache;

/* table_cache_create: makes an empty cache, which will keep up to `bytes` of host memory and drop the least recently
 * used tables first. The caller frees it with table_cache_free. It returns NULL if there is no memory. */
struct table_cache *table_cache_create(int64_t bytes);
void table_cache_free(struct table_cache *c); /* NULL is allowed. */
/* table_cache_of: the cache of 64 MiB that is kept with the device (kept.h), made on the first call. The device owns
 * it. It returns NULL and sets SDD_ENO_MEMORY if there is no memory.
 * Threads the one that uses the device */
struct table_cache *table_cache_of(sdd_device *d, struct sdd_error *err) SDD_MUST_CHECK;

/* table_cache_table: writes what table_class_table would write, bit for bit. It copies a table that the cache holds, or
 * makes a new one and puts a copy into the cache. table_cache_triangle: does the same for table_tri_table. For it,
 * too, the caller must clear `out` and `away` first.
 * Shapes  those of table_class_table and of table_tri_table
 * Cost    that of copying a table or, if the cache does not hold it, of making it
 * Errors  SDD_ENO_MEMORY
 * Threads any, several at once */
int table_cache_table(struct table_cache *c, const struct table_class *of, int steps, int limit, float *out, float *t1,
                      float *t2, struct sdd_error *err) SDD_MUST_CHECK;
int table_cache_triangle(struct table_cache *c, const struct table_tri_class *of, int steps, int limit, float *out,
                         float *away, struct sdd_error *err) SDD_MUST_CHECK;

/* What table_cache_counts tells. The points of a class count as one table, and its tangents as another. */
struct table_cache_counts {
    int64_t bytes;    /* The host memory of all tables that are kept. */
    int64_t n_kept;   /* The number of these tables. */
    int64_t n_missed; /* How often a table was looked for and not found. */
};
struct table_cache_counts table_cache_counts(struct table_cache *c);

#endif
