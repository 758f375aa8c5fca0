/* SPDX-License-Identifier: Apache-2.0 */
/* tab_cache.h: tables of classes that were made lately, for other meshes and other levels: what surrounds a quad or a
 * triangle takes few forms, and most meshes have the same ones. */
#ifndef SDD_TAB_CACHE_H
#define SDD_TAB_CACHE_H
#include "gpu/engines/tabulated/tri_class.h"

struct tab_cache;

/* tab_cache_create: holds up to `bytes` of host memory; what was used least lately goes first. NULL: no memory. */
struct tab_cache *tab_cache_create(int64_t bytes);
void tab_cache_free(struct tab_cache *c); /* NULL is fine */

/* tab_cache_table, tab_cache_triangle: tab_class_table and tab_tri_table, to the bit, or a copy of what they made
 * before; `out` of a triangle holds zeros.
 * Cost    of a copy, the bytes of the table      Errors  SDD_ENO_MEMORY      Threads any, several at once */
int tab_cache_table(struct tab_cache *c, const struct tab_class *of, int steps, int limit, float *out, float *t1,
                    float *t2, struct sdd_error *err) SDD_MUST_CHECK;
int tab_cache_triangle(struct tab_cache *c, const struct tab_tri_class *of, int steps, int limit, float *out,
                       float *away, struct sdd_error *err) SDD_MUST_CHECK;

/* tab_cache_counts: bytes and tables that are kept, and how often one was not there. */
struct tab_cache_counts {
    int64_t bytes, n_kept, n_missed;
};
struct tab_cache_counts tab_cache_counts(struct tab_cache *c);

#endif
