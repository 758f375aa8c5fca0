/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin.c: crease sharpness by Chaikin's rule, a level at a time, for all that refines level by level. */
#include "gpu/levels/levels.h"
#include "gpu/levels/kernels/chaikin_step.k.h"

int chaikin_last(const struct sdd_refine_request *r)
{
    return r->level + (r->surface == SDD_SURFACE_LIMIT);
}

void chaikin_lay_out(const sdd_topology *t, int last, struct arena *a, float *parts[2])
{
    for (int k = 0; k < 2; k++) { /* `most` is the highest level of each parity that has parts. */
        int most = last < t->chaikin_levels ? last : t->chaikin_levels;
        most -= most % 2 != k;
        parts[k] = ARENA(a, float, most > 0 ? t->n_semisharp << most : 0);
    }
}

void chaikin_reach(const sdd_topology *t, float *const parts[2], int level, int last, struct sdd_control *m)
{
    struct chaikin_step_args step = {topology_control(t), t->chaikin_edge, parts[(level + 1) % 2], level};
    if (level >= t->chaikin_levels)
        m->chaikin.row = NULL;
    if (level > 0)
        m->chaikin.now = m->chaikin.half;
    m->chaikin.half = step.half;
    step.mesh.chaikin.now = m->chaikin.now;
    if (m->chaikin.row && level < last)
        DEV_LAUNCH(t->device, chaikin_step, &step, t->n_semisharp << (level + 1));
}
