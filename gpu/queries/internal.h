/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: plans and the making of rows, for this room alone. Its door is sdd_queries.h. queries.c plans and checks,
 * rows.c makes flat rows, by_tiles.c by tiles, and rings.c goes round by round; two_rings.c takes both. rule.c chooses.
 * levels.c makes refined levels, and lines.c what their edges need by formula. */
#ifndef SDD_QUERIES_INTERNAL_H
#define SDD_QUERIES_INTERNAL_H
#include "gpu/queries/queries.h"
#include "gpu/sdd/sdd_queries.h"

/* queries_lines: gives q what the edges of refined levels of a manifold mesh need, which is made when it is first asked
 * for, and kept with the topology: 20 B a control edge, whatever the level.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int queries_lines(const sdd_topology *t, struct sdd_neighbors *q, struct sdd_error *err) SDD_MUST_CHECK;

/* queries_fold: whether a vertex inside a manifold surface has only two faces.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int queries_fold(const sdd_topology *t, int *has_fold, struct sdd_error *err) SDD_MUST_CHECK;

struct sdd_query_plan {
    struct sdd_query_request request; /* Its ids are NULL; see `list`. */
    struct sdd_query_info info;
    int by_formula;  /* Whether a refined level is made without its topology. */
    int way;         /* A value of enum query_way. */
    int tiled;       /* Whether tiles may make its rows: they were there when it was made, and might pay. */
    uint64_t serial; /* Of the topology that it was made for. */
    uint32_t *list;  /* Shape [n_rows]: the elements that the request lists, or NULL. */
    int64_t *offset; /* Shape [n_rows + 1]. */
    uint32_t *rest;  /* Shape [n_rest]: of two rings by tiles, the rows that need rounds, ascending. */
    int64_t n_rest;
};

/* What makes rows of a plan, or counts them while it is made. */
struct query_work {
    sdd_device *device;
    const sdd_topology *topology;
    const sdd_query_plan *plan;
    int64_t *offset; /* Of the plan, while it is made; else NULL. */
    int is_part;     /* Whether the plan has only some rows of an answer, which then needs at least what they do. */
    const atomic_int *cancel;
    struct sdd_neighbors neighbors;
    double seconds;          /* Time of the kernels so far. */
    int64_t held, most_held; /* The device bytes that the work holds, and the most that it has held. */
};

/* query_no_memory: fails with SDD_ENO_MEMORY, for want of host memory for `what`. */
static inline int query_no_memory(const char *what, struct sdd_error *err)
{
    (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %s", what);
    return SDD_ENO_MEMORY; /* Said here, so that who reads the caller need not know what sdd_fail returns. */
}

/* Where rows go: ids, and signs or NULL, begin with those of row `first` of the plan. All is host memory. */
struct query_output {
    int64_t first;
    uint32_t *ids;
    uint8_t *signs;
};

/* query_plan_by: sdd_query_plan_create, by a way that the caller has chosen. One that tiles do not serve
 * (query_may_tile) is the flat one. */
int query_plan_by(sdd_topology *t, const struct sdd_query_request *r, int way, const struct sdd_run *run,
                  sdd_query_plan **out, struct sdd_error *err) SDD_MUST_CHECK;
/* query_way: the way that n rows of a plan are made. query_may_tile: whether tiles could make them: rows of a relation
 * that they transpose, of one step or two. */
int query_way(const struct query_work *w, int64_t n);
int query_may_tile(const struct query_work *w);
int query_is_tiled(int relation); /* Whether tiles transpose the relation at all. */
/* query_gather_way: the way of the rows that so many launches of a kernel of queries gather over. */
int query_gather_way(const sdd_topology *t, int relation, int launches);
/* query_cancelled: fails with SDD_ECANCELLED if the caller wants no more. */
int query_cancelled(const struct query_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* query_hold: takes a block of device memory for the work, and notes how much that makes. */
int query_hold(struct query_work *w, int64_t bytes, struct device_block *block, struct sdd_error *err) SDD_MUST_CHECK;
void query_give(struct query_work *w, struct device_block *block); /* Frees it and leaves zeros. */
/* query_counted: takes the counts of rows [first, first + n) into the offsets of the plan; those of the rows before
 * are there. */
void query_counted(struct query_work *w, int64_t first, int64_t n, const int32_t *count);
/* query_within: whether the first `n` rows stay within the limit of the request.
 * Errors  SDD_ETOO_LARGE with what the answer needs at least */
int query_within(const struct query_work *w, int64_t n, struct sdd_error *err) SDD_MUST_CHECK;
/* query_check_bytes: whether an answer of so many bytes, or at least so many, stays within a limit, 0 for none.
 * query_size_blocks: how large the blocks of the first n rows are.
 * Errors  SDD_ETOO_LARGE */
int query_check_bytes(int64_t bytes, int exactly, int64_t limit, struct sdd_error *err) SDD_MUST_CHECK;
void query_size_blocks(const sdd_query_plan *p, int64_t n, struct sdd_query_info *info);
/* query_subjects: uploads the elements of rows [first, first + n) to `list`, which is NULL where no list is needed. */
struct sdd_subjects query_subjects(struct query_work *w, int64_t first, int64_t n, uint32_t *list);

/* query_chunk_end: where the chunk that begins at row `from` ends. query_most_ids: the ids of the largest chunk of a
 * plan. query_upload_offsets: uploads where rows begin, counted from the first; `relative` has room for them. */
enum { QUERY_CHUNK_ROWS = 1 << 22, QUERY_CHUNK_IDS = 1 << 26 }; /* One row may be longer. */
int64_t query_chunk_end(const int64_t *offset, int64_t from, int64_t end);
int64_t query_most_ids(const struct query_work *w);
void query_upload_offsets(sdd_device *d, uint32_t *to, const int64_t *offset, int64_t n, uint32_t *relative);

/* Flat rows, straight from the control mesh. */
int flat_count(struct query_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* flat_bytes: the device bytes that flat_fill needs at most, once the rows have been counted. */
int64_t flat_bytes(const struct query_work *w);
int flat_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
              struct sdd_error *err) SDD_MUST_CHECK;
/* Rows by tiles, ring 1 or 2. tiled_lengths: how long all rows of the plan are; -1 where two rings need rounds.
 * tiled_fill leaves these rows out. tiled_bytes: the device bytes that tiled_fill needs at most. tiled_is_kept: whether
 * the rows of a relation are kept with a topology. */
int tiled_lengths(struct query_work *w, const struct tiles *tiles, int32_t *count,
                  struct sdd_error *err) SDD_MUST_CHECK;
int tiled_count(struct query_work *w, struct sdd_error *err) SDD_MUST_CHECK;
int64_t tiled_bytes(const struct query_work *w, const struct tiles *tiles);
int tiled_fill(struct query_work *w, int way, int64_t first, int64_t n, const struct query_output *out,
               struct sdd_error *err) SDD_MUST_CHECK;
int tiled_is_kept(const sdd_topology *t, int relation);
/* tiled_keep: keeps the rows of the plan's relation with the topology, if they are not. */
int tiled_keep(struct query_work *w, struct sdd_error *err) SDD_MUST_CHECK;
/* tiled_rows: the rows of the plan's relation for kernels of queries, kept or staged; flat, with nothing made, where a
 * flat tile owns some of the elements. */
int tiled_rows(struct query_work *w, int way, struct device_rows *out, struct sdd_error *err) SDD_MUST_CHECK;
/* Rings of two steps, by tiles where they suffice. two_rings_count lists in its plan, p, the rows where they do not. */
int two_rings_count(struct query_work *w, sdd_query_plan *p, struct sdd_error *err) SDD_MUST_CHECK;
int two_rings_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
/* Rings of more than one step, round by round. */
int ring_count(struct query_work *w, struct sdd_error *err) SDD_MUST_CHECK;
int ring_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
              struct sdd_error *err) SDD_MUST_CHECK;

#endif
