/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c: the table of engines for plan.c, which tries them in its order: one row for each, the preferred first. */
#include "gpu/refine/internal.h"

#define ENGINES(ROW)                                                                                                   \
    ROW(mesh_matrix)                                                                                                   \
    ROW(edge_friend)                                                                                                   \
    ROW(mesh_matrix_spla)                                                                                              \
    ROW(tabulated)                                                                                                     \
    ROW(subdivision_matrix)

#define DECLARE(name) extern const struct engine sdd_engine_##name;
#define POINT(name) &sdd_engine_##name,
ENGINES(DECLARE)
const struct engine *const sdd_engines[] = {ENGINES(POINT) NULL};

const struct sdd_engine_info *sdd_engine(int row)
{
    const int n = (int)(sizeof sdd_engines / sizeof *sdd_engines) - 1;
    return row >= 0 && row < n ? &sdd_engines[row]->info : NULL;
}
