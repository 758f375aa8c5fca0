/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: tables of classes that were made lately, for other meshes and other levels: what surrounds a quad or a
 * triangle takes few forms, and most meshes have the same ones. */
#ifndef SDD_TABLE_CACHE_H
#define SDD_TABLE_CACHE_H
#include "gpu/device/device.h"
#include "gpu/engines/tabulated/tri_class.h"

struct table_cache;

/* table_cache_create: holds up to `bytes` of host memory; what was used least lately goes first. NULL: no memory. */
struct table_cache *table_cache_create(int64_t bytes);
void table_cache_free(struct table_cache *c); /* NULL is fine */
/* table_cache_of: the one that is kept with the device, 64 MiB; NULL and SDD_ENO_MEMORY. */
struct table_cache *table_cache_of(sdd_device *d, struct sdd_error *err) SDD_MUST_CHECK;

/* table_cache_table, table_cache_triangle: table_class_table and table_tri_table, to the bit, or a copy of what they
 * made before; `out` of a triangle holds zeros.
 * Cost    of a copy, the bytes of the table      Errors  SDD_ENO_MEMORY      Threads any, several at once */
int table_cache_table(struct table_cache *c, const struct table_class *of, int steps, int limit, float *out, float *t1,
                      float *t2, struct sdd_error *err) SDD_MUST_CHECK;
int table_cache_triangle(struct table_cache *c, const struct table_tri_class *of, int steps, int limit, float *out,
                         float *away, struct sdd_error *err) SDD_MUST_CHECK;

/* table_cache_counts: bytes and tables that are kept, and how often one was not there. */
struct table_cache_counts {
    int64_t bytes, n_kept, n_missed;
};
struct table_cache_counts table_cache_counts(struct table_cache *c);

#endif
