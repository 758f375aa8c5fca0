/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_market.c: a matrix from the form in which it is applied to text. */
#include "gpu/engine.h"
#include "gpu/matrix.h"
#include "gpu/sdd_matrix.h"
#include <stdlib.h>

/* A copy of the matrix in host memory; its arrays keep their places in the allocation. */
static int bring(sdd_device *d, const struct matrix *m, char **memory, struct sdd_matrix *out, struct sdd_error *err)
{
    *memory = calloc((size_t)m->memory.bytes + 1, 1);
    if (!*memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a matrix of %lld bytes", (long long)m->memory.bytes);
    dev_download(d, *memory, m->memory.memory, m->memory.bytes);
    *out = m->m;
#define MOVE(array)                                                                                                    \
    (out->array = out->array ? (void *)(*memory + ((char *)(uintptr_t)out->array - (char *)m->memory.memory)) : NULL)
    MOVE(ell_column);
    MOVE(ell_weight);
    MOVE(row);
    MOVE(end);
    MOVE(column);
    MOVE(weight);
#undef MOVE
    return dev_finish(d, err);
}

/* Calls `each` for all entries, row by row. Result: how many there are. */
static int64_t walk(const struct sdd_matrix *m, FILE *to)
{
    int64_t n = 0, at = 0;
    for (int64_t row = 0; row < m->n_rows; row++) {
        for (int64_t j = row; j < m->k * m->n_rows && m->ell_column[j] != SDD_NONE; j += m->n_rows, n++)
            if (to)
                fprintf(to, "%lld %u %.9g\n", (long long)row + 1, (m->ell_column[j] & ~SDD_ELL_MORE) + 1,
                        (double)m->ell_weight[j]);
        for (; at < m->n_rest && (m->row ? m->row[at] == row : at < m->end[row]); at++, n++)
            if (to)
                fprintf(to, "%lld %u %.9g\n", (long long)row + 1, m->column[at] + 1, (double)m->weight[at]);
    }
    return n;
}

int sdd_matrix_write(sdd_topology *t, int level, int surface, FILE *to, struct sdd_error *err)
{
    const struct sdd_refine_request r = {.level = level,
                                         .surface = surface,
                                         .include = SDD_POSITIONS,
                                         .method = sdd_engine_subdivision_matrix.info->name};
    struct sdd_control mesh = topology_control(t);
    struct sdd_error own = {0};
    struct sdd_plan plan;
    struct sdd_matrix m = {0};
    char *memory = NULL;
    err = err ? err : &own;
    int rc = sdd_plan(t, &r, &plan, err);
    if (!rc)
        rc = matrices_prepare(t, &mesh, t->matrices, &r, 1u << surface, err);
    if (!rc)
        rc = bring(t->device, t->matrices->of + surface, &memory, &m, err);
    if (!rc) {
        fprintf(to, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)m.n_rows,
                (long long)t->info.n_vertices, (long long)walk(&m, NULL));
        (void)walk(&m, to);
    }
    free(memory);
    return rc;
}
