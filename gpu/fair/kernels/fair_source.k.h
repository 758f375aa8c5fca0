/* SPDX-License-Identifier: Apache-2.0 */
/* fair_source: the divergence of closed 1-forms, up to four at once.
 * Shapes  mesh (fair.dev.h), laplacian[entries] f64, form[n_forms][stride] i8, a number for each entry
 *         -> out[..][4] f64
 * Launch  item, n rows from row `first` on
 * Cost    8 B and a byte a form read an entry, 32 B written a row
 * Result  Component c is the sum of L_ij form_ij over the neighbours; 0 beyond the last form. What solves L a = out is
 *         the potential whose differences leave a harmonic form when they are taken from the form.
 * Threads any queue */
#ifndef SDD_K_FAIR_SOURCE_H
#define SDD_K_FAIR_SOURCE_H
#include "gpu/fair/fair.dev.h"

struct fair_source_args {
    struct fair_mesh mesh;
    const double *laplacian;
    const int8_t *form;
    double *out;
    int64_t stride;
    int32_t n_forms;
    uint32_t first;
};

SDD_FN void k_fair_source(int64_t i, const struct fair_source_args *a)
{
    const uint32_t v = a->first + (uint32_t)i;
    for (int32_t c = 0; c < 4; c++) {
        double sum = 0.0;
        for (uint32_t e = a->mesh.row[v]; e < a->mesh.row[v + 1] && c < a->n_forms; e++)
            sum += a->laplacian[e] * (double)a->form[e + c * a->stride];
        a->out[4 * (size_t)v + (size_t)c] = sum;
    }
}
#endif
