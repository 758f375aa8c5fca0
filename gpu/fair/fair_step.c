/* SPDX-License-Identifier: Apache-2.0 */
/* fair_step.c: one step of one part: curvature, the change of the half-density, quaternions, positions. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_dirac.k.h"
#include "gpu/fair/kernels/fair_distortion.k.h"
#include "gpu/fair/kernels/fair_divergence.k.h"
#include "gpu/fair/kernels/fair_exact.k.h"
#include "gpu/fair/kernels/fair_guess.k.h"
#include "gpu/fair/kernels/fair_iterate.k.h"
#include "gpu/fair/kernels/fair_place.k.h"
#include "gpu/fair/kernels/fair_rho.k.h"
#include "gpu/fair/kernels/fair_take.k.h"
#include "gpu/fair/kernels/fair_turn.k.h"
#include "gpu/fair/kernels/fair_unit.k.h"
#include "gpu/fair/kernels/fair_vertices.k.h"
#include <math.h>

#define SPIN_TOLERANCE 1e-6
#define POINT_TOLERANCE 1e-8
#define MOST_TRIES 5 /* With tau, and with half of it four times. */
#define ALL_HELD 0xfu
#define IMAGINARY_HELD 0xeu

static const struct fair_vectors ones = {NULL, 0, 0};

/* The vectors of a part: numbers of rows, and the four components of quaternions of rows. */
static struct fair_vectors numbers(const double *at, const struct fair_part *p)
{
    return (struct fair_vectors){at + p->first, 1, 0};
}

static struct fair_vectors components(const double *at, const struct fair_part *p)
{
    return (struct fair_vectors){at + 4 * (size_t)p->first, 4, 1};
}

static int is_fixed(const sdd_fair *f, const struct fair_part *p)
{
    return !p->closed && f->request.boundary == SDD_FAIR_FIXED;
}

int fair_measure(sdd_fair *f, const struct fair_part *p, const double *points, struct fair_measure *out,
                 struct sdd_error *err)
{
    const double *mass = f->mass + p->first;
    struct fair_vertices_args a = {f->mesh, points,       f->laplacian, f->laplacian_diagonal, f->relax,
                                   f->mass, f->curvature, f->basis,     f->parts.n_rows,       p->first};
    double got[7];
    DEV_LAUNCH(f->device, fair_vertices, &a, p->n);
    fair_sum(f, p->n, mass, components(points, p), ones, 4, 0);
    fair_sum(f, p->n, mass, ones, ones, 1, 4);
    fair_sum(f, p->n, NULL, numbers(f->laplacian_diagonal, p), ones, 1, 5);
    fair_sum(f, p->n, mass, numbers(f->curvature, p), numbers(f->curvature, p), 1, 6);
    const int rc = fair_got(f, got, 7, err);
    if (!rc)
        *out = (struct fair_measure){got[4], got[5], got[6], {got[1] / got[4], got[2] / got[4], got[3] / got[4]}};
    return rc;
}

/* Queues Gram-Schmidt, done twice, over the vectors that a closed surface must not change along. */
static void queue_constraints(sdd_fair *f, const struct fair_part *p, double area)
{
    const int64_t stride = f->parts.n_rows;
    double *basis = f->basis + p->first;
    for (int j = 0; j < FAIR_CONSTRAINTS + 6 * p->genus; j++) {
        double *vector = basis + j * stride;
        const struct fair_vectors one = {vector, 1, 0}, before = {basis, 1, stride};
        struct fair_take_args take = {basis, f->sums, vector, stride, j};
        struct fair_unit_args unit = {f->sums, vector, 1e-12 * sqrt(area)};
        for (int twice = 0; twice < 2 && j > 0; twice++) {
            fair_sum(f, p->n, f->mass + p->first, before, one, j, 0);
            DEV_LAUNCH(f->device, fair_take, &take, p->n);
        }
        fair_sum(f, p->n, f->mass + p->first, one, one, 1, 0);
        DEV_LAUNCH(f->device, fair_unit, &unit, p->n);
    }
}

static void queue_rho(sdd_fair *f, const struct fair_part *p, double tau, double area)
{
    const int k = p->closed ? FAIR_CONSTRAINTS + 6 * p->genus : 0;
    const struct fair_vectors basis = {f->basis + p->first, 1, f->parts.n_rows};
    struct fair_rho_args rho = {f->curvature + p->first, basis.at,     f->sums, f->rim + p->first,
                                f->rho + p->first,       basis.stride, tau,     k};
    if (k) {
        queue_constraints(f, p, area);
        fair_sum(f, p->n, f->mass + p->first, basis, numbers(f->curvature, p), k, 0);
    }
    DEV_LAUNCH(f->device, fair_rho, &rho, p->n);
}

static void queue_guess(sdd_fair *f, const struct fair_part *p, const double *from, const double *factor, double *to,
                        double on_rim, double inside)
{
    const size_t at = 4 * (size_t)p->first;
    struct fair_guess_args a = {from ? from + at : NULL, factor, f->rim + p->first, to + at, on_rim, inside};
    DEV_LAUNCH(f->device, fair_guess, &a, p->n);
}

/* A closed surface: the quaternions are the smallest eigenvector, by inverse iteration from 1. */
static int spin_closed(sdd_fair *f, const struct fair_part *p, double shift, struct sdd_fair_report *out,
                       struct sdd_error *err)
{
    const size_t at = 4 * (size_t)p->first;
    const struct fair_vectors lambda = components(f->lambda, p), q = components(f->q, p);
    struct fair_iterate_args iterate = {f->mass + p->first, f->sums, f->lambda + at, f->b + at, shift};
    queue_guess(f, p, NULL, NULL, f->lambda, 1.0, 1.0);
    int rc = SDD_OK;
    for (int i = 0; i < f->request.solves && !rc; i++) {
        fair_multiply(f, p, f->dirac, f->lambda, 0, NULL);
        fair_sum(f, 4 * (int64_t)p->n, NULL, (struct fair_vectors){lambda.at, 1, 0}, (struct fair_vectors){q.at, 1, 0},
                 1, 4);
        fair_sum(f, p->n, f->mass + p->first, lambda, lambda, 4, 0);
        DEV_LAUNCH(f->device, fair_iterate, &iterate, p->n);
        rc = fair_solve(f, p, f->dirac, f->lambda, 0, SPIN_TOLERANCE, &out->spin_iterations, err);
    }
    return rc;
}

/* A surface with a rim: one solve. */
static int spin_open(sdd_fair *f, const struct fair_part *p, double shift, struct sdd_fair_report *out,
                     struct sdd_error *err)
{
    static const uint32_t held[] = {
        [SDD_FAIR_FREE] = 0, [SDD_FAIR_DIRECTION] = IMAGINARY_HELD, [SDD_FAIR_FIXED] = ALL_HELD};
    const int how = f->request.boundary;
    queue_guess(f, p, NULL, f->mass + p->first, f->b, shift, shift);
    queue_guess(f, p, NULL, NULL, f->lambda, how != SDD_FAIR_DIRECTION, how == SDD_FAIR_FREE);
    return fair_solve(f, p, f->dirac, f->lambda, held[how], SPIN_TOLERANCE, &out->spin_iterations, err);
}

static int spin(sdd_fair *f, const struct fair_part *p, const struct fair_measure *m, struct sdd_fair_report *out,
                struct sdd_error *err)
{
    const double shift = p->closed ? 1e-9 * m->trace / m->area : is_fixed(f, p) ? 0.0 : 0.01 / m->area;
    const struct fair_vectors lambda = components(f->lambda, p);
    struct fair_dirac_args dirac = {f->mesh, f->points, f->rho, f->mass, f->dirac, shift, p->first_entry};
    struct fair_turn_args turn = {f->sums, f->lambda + 4 * (size_t)p->first, m->area};
    DEV_LAUNCH(f->device, fair_dirac, &dirac, p->n_entries);
    const int rc = p->closed ? spin_closed(f, p, shift, out, err) : spin_open(f, p, shift, out, err);
    if (rc || is_fixed(f, p))
        return rc;
    fair_sum(f, p->n, f->mass + p->first, lambda, ones, 4, 0);
    fair_sum(f, p->n, f->mass + p->first, lambda, lambda, 4, 4);
    DEV_LAUNCH(f->device, fair_turn, &turn, p->n);
    return rc;
}

/* The points whose edges come closest to those that the quaternions make, and how close they come. */
static int positions(sdd_fair *f, const struct fair_part *p, struct sdd_fair_report *out, struct sdd_error *err)
{
    const int fixed = is_fixed(f, p);
    struct fair_divergence_args divergence = {f->mesh, f->laplacian, f->points, f->lambda, f->b, p->first};
    struct fair_exact_args exact = {f->mesh, f->laplacian, f->points, f->next, f->lambda, f->q + 4 * (size_t)p->first,
                                    p->first};
    double got[2];
    DEV_LAUNCH(f->device, fair_divergence, &divergence, p->n);
    queue_guess(f, p, f->points, NULL, f->next, 1.0, !fixed);
    int rc =
        fair_solve(f, p, f->laplacian, f->next, fixed ? ALL_HELD : 0, POINT_TOLERANCE, &out->point_iterations, err);
    if (rc)
        return rc;
    DEV_LAUNCH(f->device, fair_exact, &exact, p->n);
    fair_sum(f, p->n, NULL, (struct fair_vectors){exact.out, 2, 1}, ones, 2, 0);
    rc = fair_got(f, got, 2, err);
    if (!rc)
        out->exactness = fmax(out->exactness, sqrt(got[0] / got[1]));
    return rc;
}

/* Gives the new points the old area and the old centre. A rim that is fixed says where they are. */
static void place(sdd_fair *f, const struct fair_part *p, const struct fair_measure *old,
                  const struct fair_measure *new)
{
    const double scale = sqrt(old->area / new->area);
    struct fair_place_args a = {f->next + 4 * (size_t)p->first, scale, {0}};
    for (int c = 0; c < 3; c++)
        a.by[c] = old->centre[c] - scale * new->centre[c];
    if (!is_fixed(f, p))
        DEV_LAUNCH(f->device, fair_place, &a, p->n);
}

/* The preconditioner is made for the first step, and again once a step has taken twice the iterations. Only steps that
 * are taken count, so that one which is cancelled leaves no trace in the bits of the next. */
static void note_iterations(struct fair_part *p, int64_t n)
{
    if (!p->usual_iterations)
        p->usual_iterations = n + 1; /* A solve may have nothing to do. */
    else if (n > 2 * p->usual_iterations)
        p->outworn = 1;
}

/* Takes the step, and says the energy that it leads to. */
static int try_step(sdd_fair *f, struct fair_part *p, double tau, double *energy, struct sdd_fair_report *out,
                    struct sdd_error *err)
{
    struct fair_measure old, new;
    const int64_t before = out->spin_iterations;
    int rc = fair_measure(f, p, f->points, &old, err);
    if (rc)
        return rc;
    rc = p->usual_iterations ? SDD_OK : fair_make_levels(f, p, err);
    if (!rc)
        rc = fair_constrain(f, p, &old, out, err);
    if (rc)
        return rc;
    queue_rho(f, p, tau, old.area);
    rc = spin(f, p, &old, out, err);
    if (!rc)
        note_iterations(p, out->spin_iterations - before);
    if (!rc)
        rc = positions(f, p, out, err);
    if (!rc)
        rc = fair_measure(f, p, f->next, &new, err);
    if (rc)
        return rc;
    *energy = new.energy;
    place(f, p, &old, &new);
    return SDD_OK;
}

int fair_part_step(sdd_fair *f, struct fair_part *p, struct sdd_fair_report *out, struct sdd_error *err)
{
    const size_t at = 4 * (size_t)p->first;
    const double exactness = out->exactness;
    double tau = f->request.tau;
    p->outworn = 0;
    for (int tries = 0; tries < MOST_TRIES && !p->stopped; tries++, tau /= 2) {
        out->exactness = exactness;
        const int rc = try_step(f, p, tau, &p->next_energy, out, err);
        if (rc)
            return rc;
        if (p->next_energy <= p->energy) {
            p->next_stopped = 0;
            out->tau = fmin(out->tau, tau);
            return SDD_OK;
        }
    }
    out->exactness = exactness;
    p->next_energy = p->energy;
    p->next_stopped = 1;
    dev_copy(f->device, f->next + at, f->points + at, 4 * p->n * (int64_t)sizeof *f->next);
    return SDD_OK;
}

int fair_distortion(sdd_fair *f, const double *from, struct sdd_fair_distortion *out, struct sdd_error *err)
{
    const int64_t n = f->parts.n_triangles;
    struct fair_distortion_args a = {f->triangle, from, f->next, f->ratio, f->area, f->key};
    const struct fair_vectors ratio = {f->ratio, 1, 0};
    const int64_t rank = 99 * (n - 1) / 100, after = rank + (rank < n - 1);
    const double between = (double)(99 * (n - 1) % 100) / 100;
    double got[2], percentile[2];
    DEV_LAUNCH(f->device, fair_distortion, &a, n);
    dev_sort(f->device, f->key, f->sorted, f->value[0], f->value[1], n, 64, f->scratch);
    fair_sum(f, n, f->area, ratio, ones, 1, 0);
    fair_sum(f, n, f->area, ones, ones, 1, 1);
    dev_download(f->device, percentile, f->sorted + rank, sizeof *percentile);
    dev_download(f->device, percentile + 1, f->sorted + after, sizeof *percentile);
    dev_download(f->device, &out->largest, f->sorted + n - 1, sizeof out->largest);
    const int rc = fair_got(f, got, 2, err);
    if (rc)
        return rc;
    out->mean = got[0] / got[1];
    out->p99 = percentile[0] + between * (percentile[1] - percentile[0]);
    return SDD_OK;
}
