/* SPDX-License-Identifier: Apache-2.0 */
/* update_ranges.h: runs of rows that move with an edit, in the form of the host and in that of kernels, and ranges that
 * move with the items that have them, for the files that make tables after an edit (update.h). */
#ifndef SDD_TABULATED_UPDATE_RANGES_H
#define SDD_TABULATED_UPDATE_RANGES_H
#include "gpu/device/sizes.h"
#include "gpu/mesh/topology.h"
#include "gpu/mesh/topology_edit.h"
#include "gpu/mesh/update.dev.h"

#define TABLE_ANEW 1 /* No error: the mesh has to be classified anew. */

/* Host memory in a list, which is freed as a whole. */
struct table_block {
    struct table_block *next;
};
/* table_memory: zeroed memory for n items and one more. NULL and SDD_ENO_MEMORY if there is none. */
void *table_memory(struct table_block **list, int64_t n, size_t item, struct sdd_error *err) SDD_MUST_CHECK;
void table_memory_free(struct table_block *list);

/* Runs of the rows of a list. */
struct table_runs {
    struct topology_run *run;
    int64_t n, n_old, n_new;
};

/* table_runs_add: adds a run, joined to the one before where it goes on. */
void table_runs_add(struct table_runs *r, int64_t from, int64_t to, int64_t n);
/* What follows writes runs in the form of kernels. They are only counted unless is_real is set, so that the caller can
 * take the memory.
 * table_put_rows: from new rows to old ones; a row of r is `each` rows of the array. New rows that come name some old
 * rows, because each must name one; what is made of these is replaced.
 * table_put_values: adds runs from old rows to new ones, where old rows begin at `from` and new ones at `to_first`.
 * What a row that has gone maps to does not matter. */
void table_put_rows(const struct topology_runs *r, int64_t each, int is_real, struct sdd_runs *to);
void table_put_values(const struct topology_runs *r, int64_t from, int64_t to_first, int is_real, struct sdd_runs *to);
void table_lay_out_runs(struct arena *a, struct sdd_runs *r);
static inline struct topology_runs table_runs_of(const struct table_runs *r)
{
    return (struct topology_runs){r->run, r->n, r->n_old, r->n_new};
}
/* table_stream: queues the renumbering of rows [first, n) of an array of rows. */
void table_stream(sdd_device *d, const uint32_t *in, uint32_t *out, int64_t first, int64_t n,
                  const struct sdd_runs *rows, const struct sdd_runs *values, uint32_t ends);

/* Items with a range each, which lie one after the other in the order of the items: those that stay, with what is in
 * their ranges, and those whose ranges are made. */
struct table_ranges {
    struct table_runs items, content; /* Of the items that stay, and of what is in their ranges. */
    const uint32_t *made;             /* Shape [n_made], ascending. */
    uint32_t *size, *end;             /* Shape [n_made] each: how long these ranges are, and where they end. */
    int64_t n_made;
    /* Shape [items.n] each: the first and the last old item of each run, and where the range of the first one begins
     * and that of the last one ends. */
    uint32_t *first, *last, *begin, *stop;
};
/* table_ranges_items: takes what is made out of runs of items, and fills in all up to `last`.
 * table_ranges_place: with sizes, begins and stops known, finds where all ranges are. n_old is the length of all old
 * ranges.
 * Errors  TABLE_ANEW (an item would be neither, or the ranges would not be counted in 31 bits), SDD_ENO_MEMORY */
int table_ranges_items(struct table_block **memory, const struct topology_runs *all, struct table_ranges *r,
                       struct sdd_error *err) SDD_MUST_CHECK;
int table_ranges_place(struct table_block **memory, struct table_ranges *r, int64_t n_old,
                       struct sdd_error *err) SDD_MUST_CHECK;

#endif
