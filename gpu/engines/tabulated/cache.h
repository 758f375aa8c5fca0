/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: the tables that were used lately, in host memory. The surroundings of a piece fall into few classes, and
 * most meshes have the same ones, so a table often serves other meshes and other levels too. */
#ifndef SDD_TABULATED_CACHE_H
#define SDD_TABULATED_CACHE_H
#include "gpu/device/device.h"
#include "gpu/engines/tabulated/tri_class.h"

struct table_cache;

/* table_cache_create: holds up to `bytes` of host memory and drops the least recently used tables first. It returns
 * NULL if there is no memory. */
struct table_cache *table_cache_create(int64_t bytes);
void table_cache_free(struct table_cache *c); /* NULL is allowed. */
/* table_cache_of: the cache of 64 MiB that is kept with the device, made on the first call. The device owns it. It
 * returns NULL and sets SDD_ENO_MEMORY if there is no memory. */
struct table_cache *table_cache_of(sdd_device *d, struct sdd_error *err) SDD_MUST_CHECK;

/* table_cache_table gives what table_class_table makes, to the bit: a copy if the cache holds one, else a new table, of
 * which it keeps a copy. table_cache_triangle does the same with table_tri_table, for which the caller must clear `out`
 * and `away`.
 * Shapes  those of table_class_table and of table_tri_table
 * Cost    to copy a table: its bytes      Errors  SDD_ENO_MEMORY      Threads any, several at once */
int table_cache_table(struct table_cache *c, const struct table_class *of, int steps, int limit, float *out, float *t1,
                      float *t2, struct sdd_error *err) SDD_MUST_CHECK;
int table_cache_triangle(struct table_cache *c, const struct table_tri_class *of, int steps, int limit, float *out,
                         float *away, struct sdd_error *err) SDD_MUST_CHECK;

/* The points of a class and its tangents count as one table each. */
struct table_cache_counts {
    int64_t bytes;    /* The host memory of all tables that are kept. */
    int64_t n_kept;   /* The number of these tables. */
    int64_t n_missed; /* How often a table was looked for and not found. */
};
struct table_cache_counts table_cache_counts(struct table_cache *c);

#endif
