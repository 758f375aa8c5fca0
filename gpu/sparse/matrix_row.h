/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_row.h: rows of a sparse matrix, made by questioning a linear rule (probe.h) in two passes: count, then
 * fill. */
#ifndef SDD_MATRIX_ROW_H
#define SDD_MATRIX_ROW_H
#include "gpu/kernel/probe.h"

/* What a row makes. STEP is a point of a level from points of the level before. LIMIT is its limit, and TANGENT_1 and
 * TANGENT_2 are its limit tangents, from points of the same level. FACES is a control point or the mean of a face; rows
 * of level 1 are made of these. */
enum sdd_matrix_kind {
    SDD_MATRIX_FACES,
    SDD_MATRIX_STEP,
    SDD_MATRIX_LIMIT,
    SDD_MATRIX_TANGENT_1,
    SDD_MATRIX_TANGENT_2
};

/* A term of a row, in the form that a matrix product reads. */
struct sdd_term {
    uint32_t column;
    float weight;
} __attribute__((aligned(8)));

/* Compressed rows. Columns ascend in each row, and no weight is zero. */
struct sdd_matrix_rows {
    int32_t *count;     /* The entries in each row, written in the first pass. */
    const int32_t *end; /* The inclusive scan of count; NULL in the first pass. */
    uint32_t *column;
    double *weight;
    /* If not NULL, terms go here in place of `column` and `weight`; only rows of rules do this, not those of
     * products. */
    struct sdd_term *term;
};

SDD_FN int32_t sdd_row_first(const int32_t *end, int64_t row)
{
    return row ? end[row - 1] : 0;
}

/* Takes the weights that one run of the rule gave to the row's next three columns. *at is the row's end so far. */
SDD_FN void sdd_row_take(const struct sdd_matrix_rows *to, int32_t *at, const struct sdd_probe *p, struct sdd_vec3 w)
{
    const float weight[3] = {w.x, w.y, w.z};
    for (int32_t k = 0; k < 3; k++) {
        if (p->column[k] == SDD_NONE || weight[k] == 0.0f)
            continue;
        if (to->end && to->term) {
            to->term[*at].column = p->column[k];
            to->term[*at].weight = weight[k];
        } else if (to->end) {
            to->column[*at] = p->column[k];
            to->weight[*at] = (double)weight[k];
        }
        ++*at;
    }
}

/* SDD_PROBE_ROW: makes a row. `point` is an expression that runs the rule over sdd_points_probed(&probe). */
#define SDD_PROBE_ROW(to, row, probe, point)                                                                           \
    do {                                                                                                               \
        struct sdd_probe probe = sdd_probe_start();                                                                    \
        int32_t at_ = (to)->end ? sdd_row_first((to)->end, row) : 0;                                                   \
        do {                                                                                                           \
            struct sdd_vec3 said_ = (point);                                                                           \
            sdd_row_take((to), &at_, &probe, said_);                                                                   \
        } while (sdd_probe_next(&probe));                                                                              \
        if (!(to)->end)                                                                                                \
            (to)->count[row] = at_;                                                                                    \
    } while (0)
#endif
