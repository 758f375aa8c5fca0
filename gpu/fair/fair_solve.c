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
#define BETWEEN_LOOKS 16 /* At most. */
#define MOST_PARTS 256   /* Of a sum that each tile makes again. */

void fair_sum(sdd_fair *f, int64_t n, const double *mass, struct fair_vectors a, struct fair_vectors b, int k, int to)
{
    struct fair_dots_args dots = {mass, a.at, b.at, f->part, a.step, a.stride, b.step, b.stride, n, fair_tiles(n)};
    struct fair_total_args total = {f->part, f->sums + to, fair_tiles(n)};
    DEV_LAUNCH(f->device, fair_dots, &dots, k * fair_tiles(n));
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
    DEV_LAUNCH(f->device, fair_multiply, &a, fair_tiles(p->n));
}

/* One solve: the arguments of its kernels, which stay the same through all iterations. The parts of p . q (of b . b at
 * first), r . r and r . z lie one after the other. */
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
    const int64_t n = p->n, n_tiles = fair_tiles(n);
    const int is_large = n_tiles > MOST_PARTS;
    double *rr = f->part + n_tiles;
    return (struct solve){{f->b + at, f->q + at, rim, f->r + at, rr, f->part, n, held},
                          {f->q + at, f->p + at, is_large ? f->sums : f->part, x + at, f->r + at, rr, f->solver, n,
                           is_large ? 1 : n_tiles},
                          {p->level->level, f->r + at, p->n_levels ? p->level->y : NULL, rim, f->z + at, rr + n_tiles,
                           f->solver, n, held},
                          {f->z + at, f->p + at, f->solver},
                          {f->part, f->solver, n_tiles, tolerance, FAIR_BEGIN, held != 0}};
}

/* What follows a residual: z, the scalars, and the next direction. */
static void queue_direction(sdd_fair *f, const struct fair_part *p, struct solve *s, int what)
{
    fair_cycle(f, p);
    DEV_LAUNCH(f->device, fair_inner, &s->inner, s->scalars.n_tiles);
    s->scalars.what = what;
    DEV_LAUNCH(f->device, fair_scalars, &s->scalars, 1);
    DEV_LAUNCH(f->device, fair_direction, &s->direction, p->n);
}

static void queue_iteration(sdd_fair *f, const struct fair_part *p, const double *matrix, uint32_t held,
                            struct solve *s)
{
    struct fair_total_args total = {f->part, f->sums, s->scalars.n_tiles};
    fair_multiply(f, p, matrix, f->p, held, f->solver);
    if (s->advance.pq == f->sums)
        DEV_LAUNCH(f->device, fair_total, &total, 1);
    DEV_LAUNCH(f->device, fair_advance, &s->advance, s->scalars.n_tiles);
    queue_direction(f, p, s, FAIR_NEXT);
}

/* How many iterations to queue before the next look: about as many as are needed if they go on as they did. Those that
 * are queued after the goal do nothing, but each launch takes its time. */
static int64_t until_look(const struct fair_solver *before, const struct fair_solver *now)
{
    const double gained = log(before->rr / now->rr), left = log(now->rr / now->goal);
    const int64_t most = MOST_ITERATIONS - now->n < BETWEEN_LOOKS ? MOST_ITERATIONS - now->n : BETWEEN_LOOKS;
    if (now->n == 0 || !(gained > 0.0))
        return most;
    const double n = ceil(left * (double)(now->n - before->n) / gained);
    return n < (double)most ? (int64_t)fmax(n, 1.0) : most;
}

int fair_solve(sdd_fair *f, const struct fair_part *p, const double *matrix, double *x, uint32_t held, double tolerance,
               int64_t *n, struct sdd_error *err)
{
    struct solve s = arguments(f, p, x, held, tolerance);
    struct fair_solver state = {0}, before = {0};
    dev_fill(f->device, f->solver, 0, sizeof *f->solver); /* The solve before is done, and this one is not. */
    fair_multiply(f, p, matrix, x, held, NULL);
    DEV_LAUNCH(f->device, fair_start, &s.start, s.scalars.n_tiles);
    queue_direction(f, p, &s, FAIR_BEGIN);
    while (!state.done && state.n < MOST_ITERATIONS) {
        if (f->request.cancel && atomic_load(f->request.cancel))
            return sdd_fail(err, SDD_ECANCELLED, "", "cancelled in step %lld", (long long)f->step + 1);
        for (int64_t i = until_look(&before, &state); i > 0; i--)
            queue_iteration(f, p, matrix, held, &s);
        before = state;
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
