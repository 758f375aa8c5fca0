/* SPDX-License-Identifier: Apache-2.0 */
/* fair_solve.c: sums in a fixed tree, and conjugate gradients. What an iteration computes stays on the device; the host
 * looks at the residual every few iterations, and those that are queued after the goal do nothing, so that neither
 * results nor counts depend on when it looks. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_advance.tile.h"
#include "gpu/fair/kernels/fair_direction.k.h"
#include "gpu/fair/kernels/fair_dots.tile.h"
#include "gpu/fair/kernels/fair_inner.tile.h"
#include "gpu/fair/kernels/fair_multiply.tile.h"
#include "gpu/fair/kernels/fair_scalars.tile.h"
#include "gpu/fair/kernels/fair_start.tile.h"
#include "gpu/fair/kernels/fair_total.tile.h"
#include <math.h>

#define MOST_ITERATIONS 20000
#define BETWEEN_LOOKS 16

static int64_t tiles(int64_t n)
{
    return (n + FAIR_LANES - 1) / FAIR_LANES;
}

void fair_sum(sdd_fair *f, int64_t n, const double *mass, struct fair_vectors a, struct fair_vectors b, int k, int to)
{
    struct fair_dots_args dots = {mass, a.at, b.at, f->part, a.step, a.stride, b.step, b.stride, n, tiles(n)};
    struct fair_total_args total = {f->part, f->sums + to, tiles(n)};
    DEV_LAUNCH(f->device, fair_dots, &dots, k * tiles(n));
    DEV_LAUNCH(f->device, fair_total, &total, k);
}

int fair_got(sdd_fair *f, double *out, int k, struct sdd_error *err)
{
    dev_download(f->device, out, f->sums, k * (int64_t)sizeof *out);
    return dev_finish(f->device, err);
}

void fair_multiply(sdd_fair *f, const struct fair_part *p, const double *matrix, const double *x, uint32_t held,
                   const struct fair_solver *solver)
{
    struct fair_multiply_args a = {.mesh = f->mesh,
                                   .laplacian = f->laplacian,
                                   .dirac = matrix == f->dirac ? f->dirac : NULL,
                                   .in = x,
                                   .out = f->q,
                                   .part = f->part,
                                   .solver = solver,
                                   .n = p->n,
                                   .first = p->first,
                                   .held = held};
    DEV_LAUNCH(f->device, fair_multiply, &a, tiles(p->n));
}

/* One solve: the arguments of its kernels, which stay the same through all iterations. The parts of r . r, r . z and
 * b . b lie one after the other. */
struct solve {
    struct fair_start_args start;
    struct fair_advance_args advance;
    struct fair_inner_args inner;
    struct fair_direction_args direction;
    struct fair_scalars_args scalars;
};

static struct solve arguments(const sdd_fair *f, const struct fair_part *p, double *x, uint32_t held, double tolerance)
{
    const size_t at = 4 * (size_t)p->first;
    const uint32_t *rim = f->rim + p->first;
    const int64_t n = p->n, n_tiles = tiles(n);
    return (struct solve){{f->b + at, f->q + at, rim, f->r + at, f->part, f->part + 2 * n_tiles, n, held},
                          {f->q + at, f->p + at, x + at, f->r + at, f->part, f->solver, n},
                          {f->r + at, rim, f->z + at, f->part + n_tiles, f->solver, n, held},
                          {f->z + at, f->p + at, f->solver},
                          {f->part, f->solver, n_tiles, tolerance, FAIR_BEGIN, held != 0}};
}

static void scalars(sdd_fair *f, struct solve *s, int what)
{
    s->scalars.what = what;
    DEV_LAUNCH(f->device, fair_scalars, &s->scalars, 1);
}

/* What follows a residual: z, the scalars, and the next direction. */
static void queue_direction(sdd_fair *f, const struct fair_part *p, struct solve *s, int what)
{
    fair_cycle(f, p);
    DEV_LAUNCH(f->device, fair_inner, &s->inner, s->scalars.n_tiles);
    scalars(f, s, what);
    DEV_LAUNCH(f->device, fair_direction, &s->direction, p->n);
}

static void queue_iteration(sdd_fair *f, const struct fair_part *p, const double *matrix, uint32_t held,
                            struct solve *s)
{
    fair_multiply(f, p, matrix, f->p, held, f->solver);
    scalars(f, s, FAIR_ALPHA);
    DEV_LAUNCH(f->device, fair_advance, &s->advance, s->scalars.n_tiles);
    queue_direction(f, p, s, FAIR_BETA);
}

int fair_solve(sdd_fair *f, const struct fair_part *p, const double *matrix, double *x, uint32_t held, double tolerance,
               int64_t *n, struct sdd_error *err)
{
    struct solve s = arguments(f, p, x, held, tolerance);
    struct fair_solver state = {0};
    dev_fill(f->device, f->solver, 0, sizeof *f->solver); /* The solve before is done, and this one is not. */
    fair_multiply(f, p, matrix, x, held, NULL);
    DEV_LAUNCH(f->device, fair_start, &s.start, s.scalars.n_tiles);
    queue_direction(f, p, &s, FAIR_BEGIN);
    while (!state.done && state.n < MOST_ITERATIONS) {
        if (f->request.cancel && atomic_load(f->request.cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled in step %lld", (long long)f->step + 1);
        for (int i = 0; i < BETWEEN_LOOKS; i++)
            queue_iteration(f, p, matrix, held, &s);
        dev_download(f->device, &state, f->solver, sizeof state);
        const int rc = dev_finish(f->device, err);
        if (rc)
            return rc;
    }
    *n += state.n;
    if (state.done == 1)
        return SDD_OK;
    return sdd_fail(err, SDD_ECONVERGENCE, "tau",
                    "step %lld: the residual of %s is %.3g after %lld iterations, and must come down to %.3g",
                    (long long)f->step + 1, matrix == f->dirac ? "the quaternions" : "the positions", sqrt(state.rr),
                    (long long)state.n, sqrt(state.goal));
}
