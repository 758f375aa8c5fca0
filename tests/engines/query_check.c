/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/query_check.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t query_odd_orders, query_orders;
static uint64_t seed = 3;

/* ---- one answer -------------------------------------------------------------------------------------------------- */

void query_answer_free(struct query_answer *a)
{
    free(a->offset), free(a->ids), free(a->signs);
}

struct sdd_query_request query_ask(int relation)
{
    return (struct sdd_query_request){.relation = relation, .ring = 1, .count = SDD_ALL_ROWS};
}

/* The whole answer, brought in pieces of `piece` rows. */
int query_in_pieces(sdd_topology *t, const struct sdd_query_request *r, int64_t piece, struct query_answer *a,
                    struct sdd_error *err)
{
    sdd_query_plan *plan;
    memset(a, 0, sizeof *a);
    int rc = sdd_query_plan_create(t, r, NULL, &plan, err);
    if (rc) {
        assert_null(plan);
        return rc;
    }
    a->info = *sdd_query_plan_info(plan);
    a->offset = xalloc(a->info.n_rows + 1, sizeof *a->offset);
    a->ids = xalloc(a->info.n_ids, sizeof *a->ids);
    a->signs = xalloc(a->info.n_ids, 1);
    for (int64_t at = 0; at <= a->info.n_rows; at += piece) {
        sdd_rows *rows;
        const int64_t n = a->info.n_rows - at < piece ? a->info.n_rows - at : piece;
        assert_int_equal(sdd_query(t, plan, at, n, NULL, &rows, err), SDD_OK);
        const struct sdd_rows_info *i = sdd_rows_info(rows);
        assert_int_equal(i->first_row, at);
        assert_int_equal(i->n_rows, n);
        assert_int_equal(i->n_ids, sdd_query_offset(plan, at + n) - sdd_query_offset(plan, at));
        for (int64_t k = 0; k <= n; k++) {
            a->offset[at + k] = ((const uint32_t *)i->offsets)[k];
            assert_int_equal(a->offset[at + k], sdd_query_offset(plan, at + k));
        }
        memcpy(a->ids + a->offset[at], i->ids, (size_t)i->n_ids * sizeof *i->ids);
        assert_true((i->signs != NULL) == (r->relation == SDD_FE));
        if (i->signs)
            memcpy(a->signs + a->offset[at], i->signs, (size_t)i->n_ids);
        sdd_rows_free(rows);
    }
    sdd_query_plan_free(plan);
    return SDD_OK;
}

static void check_sizes(const struct query_answer *a, int relation)
{
    assert_int_equal(a->offset[0], 0);
    assert_int_equal(a->offset[a->info.n_rows], a->info.n_ids);
    assert_int_equal(a->info.offset_bytes, 4);
    assert_int_equal(a->info.offsets_bytes, 4 * (a->info.n_rows + 1));
    assert_int_equal(a->info.ids_bytes, 4 * a->info.n_ids);
    assert_int_equal(a->info.signs_bytes, relation == SDD_FE ? a->info.n_ids : 0);
    assert_int_equal(a->info.host_bytes, a->info.offsets_bytes + a->info.ids_bytes + a->info.signs_bytes);
}

/* ---- against the witness ----------------------------------------------------------------------------------------- */
static int64_t witness_row(const struct naive *n, const struct sdd_query_request *r, int64_t x, uint32_t *out)
{
    if (r->oriented)
        return naive_fan(n, r->relation, x, out);
    return r->ring > 1 ? naive_ring(n, r->relation, x, r->ring, out) : naive_row(n, r->relation, x, out);
}

static int64_t element_of(const struct sdd_query_request *r, int64_t row)
{
    return r->ids ? r->ids[row] : r->first + row;
}

static void check_row(const struct naive *n, const struct sdd_query_request *r, const struct query_answer *a,
                      int64_t row, uint32_t *want)
{
    const int64_t x = element_of(r, row), length = witness_row(n, r, x, want), at = a->offset[row];
    const char *name = sdd_relation_name(r->relation);
    if (a->offset[row + 1] - at != length)
        fail_msg("%s: %s of %lld has %lld ids, not %lld", launch_case(), name, (long long)x,
                 (long long)(a->offset[row + 1] - at), (long long)length);
    for (int64_t k = 0; k < length; k++)
        if (a->ids[at + k] != want[k])
            fail_msg("%s: %s of %lld (ring %d, oriented %d) has %u at %lld, not %u", launch_case(), name, (long long)x,
                     r->ring, r->oriented, a->ids[at + k], (long long)k, want[k]);
    for (int64_t k = 0; r->relation == SDD_FE && k < length; k++)
        assert_int_equal(a->signs[at + k], naive_sign(n, n->first[x] + k));
}

/* The row of the first vertex that has no order; -1 where all have. */
static int64_t first_odd(const struct naive *n, const struct sdd_query_request *r, int64_t n_rows, uint32_t *row)
{
    for (int64_t i = 0; r->oriented && i < n_rows; i++)
        if (witness_row(n, r, element_of(r, i), row) < 0)
            return i;
    return -1;
}

void query_check(sdd_topology *t, const struct naive *n, const struct sdd_query_request *r, int64_t piece)
{
    struct query_answer a;
    struct sdd_error err = {0};
    const int64_t n_rows = r->ids                     ? r->n_ids
                           : r->count == SDD_ALL_ROWS ? naive_count(n, r->relation) - r->first
                                                      : r->count;
    uint32_t *row = xalloc(naive_most(n), sizeof *row);
    const int64_t odd = first_odd(n, r, n_rows, row);
    int rc = query_in_pieces(t, r, piece, &a, &err);
    if (odd >= 0) {
        char name[64];
        (void)snprintf(name, sizeof name, "vertex %lld has", (long long)element_of(r, odd));
        assert_int_equal(rc, SDD_EQUERY);
        assert_string_equal(err.field, "oriented");
        assert_non_null(strstr(err.text, name));
        query_odd_orders++;
        free(row);
        return;
    }
    query_orders += r->oriented;
    if (rc) {
        free(row);
        fail_msg("%s: %s", launch_case(), err.text);
        return;
    }
    assert_int_equal(a.info.n_elements, naive_count(n, r->relation));
    assert_int_equal(a.info.n_rows, n_rows);
    check_sizes(&a, r->relation);
    for (int64_t i = 0; i < n_rows; i++)
        check_row(n, r, &a, i, row);
    query_answer_free(&a);
    free(row);
}

/* Some rows out of order, some of them more than once. */
void query_check_subset(sdd_topology *t, const struct naive *n, struct sdd_query_request r)
{
    const int64_t count = naive_count(n, r.relation), n_ids = random_below(&seed, 20);
    int64_t *ids = xalloc(n_ids + 1, sizeof *ids);
    for (int64_t i = 0; i < n_ids; i++)
        ids[i] = i % 5 == 4 ? ids[i - 1] : random_below(&seed, count);
    r.ids = ids;
    r.n_ids = n_ids;
    query_check(t, n, &r, 7);
    free(ids);
}
