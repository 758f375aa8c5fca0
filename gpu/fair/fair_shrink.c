/* SPDX-License-Identifier: Apache-2.0 */
/* fair_shrink.c: implicit mean curvature flow with the solver of conformal flow. It solves for the way d that points
 * go, (M / t + L) d = -L p, so that its tolerance does not depend on where the surface is, and the matrix not on how
 * large it is: the preconditioner serves many steps. */
#include "gpu/fair/fair.h"
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_arrive.k.h"
#include "gpu/fair/kernels/fair_shrink.k.h"

#define WAY_TOLERANCE 1e-8
#define FOUR_PI 12.566370614359172
#define ALL_HELD 0xfu

/* Finds the way of a part, to f->next. Its L has been measured. */
static int find_way(sdd_fair *f, struct fair_part *p, double rate, double strength, int along, struct sdd_error *err)
{
    struct fair_shrink_args a = {f->mesh, f->points, f->mass,  f->laplacian, f->relax,       f->b,
                                 f->next, rate,      strength, p->first,     (uint32_t)along};
    int64_t n = 0;
    DEV_LAUNCH(f->device, fair_shrink, &a, p->n);
    int rc = p->usual_iterations ? SDD_OK : fair_make_levels(f, p, err);
    if (!rc)
        rc = fair_solve(f, p, f->laplacian, f->next, p->closed ? 0 : ALL_HELD, WAY_TOLERANCE, &n, err);
    if (!p->usual_iterations)
        p->usual_iterations = n + 1;
    else if (n > 2 * p->usual_iterations)
        p->usual_iterations = 0; /* The next step makes the preconditioner again. */
    return rc;
}

int fair_shrink(sdd_fair *f, double strength, int along, struct sdd_error *err)
{
    struct fair_arrive_args arrive = {f->next, f->points};
    double area = 0.0;
    int rc = SDD_OK;
    for (int64_t k = 0; k < f->parts.n_parts && !rc; k++) {
        struct fair_measure m = {0};
        rc = fair_measure(f, f->parts.part + k, f->points, &m, err);
        area += m.area;
    }
    if (!rc && f->parts.n_parts && !(area > 0.0 && area < 1e300))
        rc =
            sdd_fail(err, SDD_EQUERY, "iterations",
                     "after %lld steps nothing is left of the surface; take fewer, or weaker ones", (long long)f->step);
    for (int64_t k = 0; k < f->parts.n_parts && !rc; k++)
        rc = find_way(f, f->parts.part + k, FOUR_PI / (strength * area), strength, along, err);
    if (!rc) {
        DEV_LAUNCH(f->device, fair_arrive, &arrive, f->parts.n_rows);
        f->step++;
        return SDD_OK;
    }
    dev_drain(f->device);
    return rc != SDD_ECONVERGENCE
               ? rc
               : sdd_fail(err, SDD_EQUERY, "iterations",
                          "step %lld cannot be solved, because triangles of the surface have shrunk to almost nothing; "
                          "take fewer, or weaker ones",
                          (long long)f->step + 1);
}
