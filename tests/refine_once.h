/* SPDX-License-Identifier: Apache-2.0 */
/* refine_once.h: for tests and benches that ask for one thing once: each call plans a request and works by that plan.
 * Arguments and errors are those of the call of sdd.h that it is named after, with a request in place of the plan. */
#ifndef TESTS_REFINE_ONCE_H
#define TESTS_REFINE_ONCE_H
#include "gpu/sdd/sdd.h"
#include <string.h>

static inline int run_once(sdd_mesh *m, const struct sdd_refine_request *r, const struct sdd_run *run, sdd_result **out,
                           struct sdd_error *err)
{
    sdd_plan *plan;
    *out = NULL;
    int rc = sdd_plan_create(m, r, &plan, err);
    if (!rc)
        rc = sdd_refine(m, plan, run, out, err);
    sdd_plan_free(plan);
    return rc;
}

static inline int refine_once(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out, struct sdd_error *err)
{
    return run_once(m, r, NULL, out, err);
}

/* rows_once: refines rows [first, first + n) of the positions alone. */
static inline int rows_once(sdd_mesh *m, const struct sdd_refine_request *r, int64_t first, int64_t n, sdd_result **out,
                            struct sdd_error *err)
{
    sdd_plan *whole, *rows = NULL;
    *out = NULL;
    int rc = sdd_plan_create(m, r, &whole, err);
    if (!rc)
        rc = sdd_plan_create_for_rows(whole, first, n, &rows, err);
    if (!rc)
        rc = sdd_refine(m, rows, NULL, out, err);
    sdd_plan_free(rows);
    sdd_plan_free(whole);
    return rc;
}

static inline int begin_once(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out, struct sdd_error *err)
{
    sdd_plan *plan;
    *out = NULL;
    int rc = sdd_plan_create(m, r, &plan, err);
    if (!rc)
        rc = sdd_refine_begin(m, plan, NULL, out, err);
    sdd_plan_free(plan);
    return rc;
}

static inline int prepare_once(sdd_mesh *m, const struct sdd_refine_request *r, const atomic_int *cancel,
                               struct sdd_error *err)
{
    const struct sdd_run run = {cancel, 0, 0};
    sdd_plan *plan;
    int rc = sdd_plan_create(m, r, &plan, err);
    if (!rc)
        rc = sdd_prepare(m, plan, &run, err);
    sdd_plan_free(plan);
    return rc;
}

/* plan_once: what a plan for the topology says; *out is the caller's copy, zeros after an error. */
static inline int plan_once(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan_info *out,
                            struct sdd_error *err)
{
    sdd_plan *plan;
    int rc = sdd_plan_create_for_topology(t, r, &plan, err);
    if (rc)
        memset(out, 0, sizeof *out);
    else
        *out = *sdd_plan_info(plan);
    sdd_plan_free(plan);
    return rc;
}

/* plan_rows_once: what a plan for some of its rows says. */
static inline int plan_rows_once(const sdd_topology *t, const struct sdd_refine_request *r, int64_t first, int64_t n,
                                 struct sdd_plan_info *out, struct sdd_error *err)
{
    sdd_plan *whole, *rows = NULL;
    int rc = sdd_plan_create_for_topology(t, r, &whole, err);
    if (!rc)
        rc = sdd_plan_create_for_rows(whole, first, n, &rows, err);
    if (rc)
        memset(out, 0, sizeof *out);
    else
        *out = *sdd_plan_info(rows);
    sdd_plan_free(rows);
    sdd_plan_free(whole);
    return rc;
}

static inline int batch_once_as(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r,
                                const struct sdd_run *run, sdd_result **results, struct sdd_error *err)
{
    sdd_plan *plan;
    int rc = sdd_plan_create(meshes[0], r, &plan, err);
    for (int k = 0; k < n && rc; k++)
        results[k] = NULL;
    if (!rc)
        rc = sdd_refine_batch(meshes, n, plan, run, results, err);
    sdd_plan_free(plan);
    return rc;
}

static inline int batch_once(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r, sdd_result **results,
                             struct sdd_error *err)
{
    return batch_once_as(meshes, n, r, NULL, results, err);
}

/* block_of: the block of a result with this semantic, or NULL when it has none. */
static inline const struct sdd_block *block_of(const sdd_result *r, int semantic)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].semantic == semantic)
            return p->blocks + k;
    return NULL;
}

#endif
