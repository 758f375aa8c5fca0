/* SPDX-License-Identifier: Apache-2.0 */
/* query_check.h: the rows of a query against the witness (tests/kernels/queries/naive.h). Failures are cmocka's and
 * name launch_case. */
#ifndef TESTS_QUERY_CHECK_H
#define TESTS_QUERY_CHECK_H
#include "tests/kernels/queries/naive.h"

struct query_answer {
    struct sdd_query_info info;
    int64_t *offset;
    uint32_t *ids;
    uint8_t *signs;
};

struct sdd_query_request query_ask(int relation); /* all rows, on level 0 */
/* query_in_pieces: the whole answer, brought `piece` rows at a time. The caller frees it, unless there is an error. */
int query_in_pieces(sdd_topology *t, const struct sdd_query_request *r, int64_t piece, struct query_answer *a,
                    struct sdd_error *err);
void query_answer_free(struct query_answer *a);
/* query_check: the answer, or that it is refused where a vertex has no order. query_check_subset: the same of some rows
 * out of order, some of them more than once. */
void query_check(sdd_topology *t, const struct naive *n, const struct sdd_query_request *r, int64_t piece);
void query_check_subset(sdd_topology *t, const struct naive *n, struct sdd_query_request r);
extern int64_t query_odd_orders, query_orders; /* oriented answers that were refused, and that were there */

#endif
