/* SPDX-License-Identifier: Apache-2.0 */
/* fair_forms.c: closed surfaces with handles. The edges that the quaternions make close around each triangle, but
 * around a handle only if the step is orthogonal to functions of the surface, six for each handle. They come from
 * closed 1-forms, which depend on the topology alone: a tree of edges, and a tree of triangles across the other
 * edges, leave two edges for each handle. Each of these closes a loop of triangles, and the edges that it crosses are
 * the form. Trees are walked on the host, once for a flow. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_adjoint.k.h"
#include "gpu/fair/kernels/fair_constraint.k.h"
#include "gpu/fair/kernels/fair_dirac.k.h"
#include "gpu/fair/kernels/fair_source.k.h"
#include <stdlib.h>
#include <string.h>

enum { FREE, IN_TREE, CROSSED }; /* What an edge is. */

/* A part in host memory; rows, entries and triangles are counted from its first. */
struct walk {
    uint32_t n, n_entries, n_triangles;
    const uint32_t *triangle;       /* Shape [triangles][3], rows of the mesh. */
    uint32_t first, first_triangle; /* Of the mesh. */
    uint32_t *row, *column, *begin, *term;
    uint32_t *queue;            /* Shape [rows or triangles]. */
    uint32_t *parent;           /* Shape [triangles]; SDD_NONE at the root. */
    uint32_t *across, *against; /* Shape [triangles]: the entries of the edge to the parent, as each has it. */
    uint8_t *kind, *seen;       /* Shape [entries], [rows or triangles]. */
    int8_t *form;               /* Shape [entries]. */
};

static void walk_free(struct walk *w)
{
    free(w->row);
    free(w->column);
    free(w->begin);
    free(w->term);
    free(w->queue);
    free(w->parent);
    free(w->across);
    free(w->against);
    free(w->kind);
    free(w->seen);
    free(w->form);
}

static int walk_open(sdd_fair *f, const struct fair_part *p, struct walk *w, struct sdd_error *err)
{
    const size_t most = p->n > p->n_triangles ? p->n : p->n_triangles, n_terms = 9 * (size_t)p->n_triangles;
    *w = (struct walk){.n = p->n,
                       .n_entries = p->n_entries,
                       .n_triangles = p->n_triangles,
                       .triangle = f->parts.triangle + 3 * (size_t)p->first_triangle,
                       .first = p->first,
                       .first_triangle = p->first_triangle,
                       .row = calloc((size_t)p->n + 1, 4),
                       .column = calloc(p->n_entries, 4),
                       .begin = calloc((size_t)p->n_entries + 1, 4),
                       .term = calloc(n_terms, 4),
                       .queue = calloc(most, 4),
                       .parent = calloc(most, 4),
                       .across = calloc(most, 4),
                       .against = calloc(most, 4),
                       .kind = calloc(p->n_entries, 1),
                       .seen = calloc(most, 1),
                       .form = calloc(p->n_entries, 1)};
    if (!w->row || !w->column || !w->begin || !w->term || !w->queue || !w->parent || !w->across || !w->against ||
        !w->kind || !w->seen || !w->form)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the handles of %u vertices", p->n);
    dev_download(f->device, w->row, f->row + p->first, ((int64_t)p->n + 1) * 4);
    dev_download(f->device, w->column, f->column + p->first_entry, (int64_t)p->n_entries * 4);
    dev_download(f->device, w->begin, f->begin + p->first_entry, ((int64_t)p->n_entries + 1) * 4);
    const int rc = dev_finish(f->device, err);
    if (rc)
        return rc;
    dev_download(f->device, w->term, f->term + w->begin[0], (int64_t)n_terms * 4);
    for (uint32_t i = p->n + 1; i-- > 0;)
        w->row[i] -= w->row[0];
    for (uint32_t e = p->n_entries + 1; e-- > 0;)
        w->begin[e] -= w->begin[0];
    for (uint32_t e = 0; e < p->n_entries; e++)
        w->column[e] -= p->first;
    return dev_finish(f->device, err);
}

/* The entry of an edge from row i to row j. */
static uint32_t entry_of(const struct walk *w, uint32_t i, uint32_t j)
{
    uint32_t low = w->row[i], high = w->row[i + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->column[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The entry of edge k of a triangle, in the triangle's direction, and the entry of the other direction. */
static uint32_t edge_of(const struct walk *w, uint32_t triangle, uint32_t k, uint32_t *back)
{
    const uint32_t *v = w->triangle + 3 * (size_t)triangle;
    const uint32_t i = v[k] - w->first, j = v[(k + 1) % 3] - w->first;
    *back = entry_of(w, j, i);
    return entry_of(w, i, j);
}

/* The triangle across an entry. */
static uint32_t triangle_across(const struct walk *w, uint32_t entry, uint32_t triangle)
{
    const uint32_t first = w->term[w->begin[entry]] / 9 - w->first_triangle;
    const uint32_t last = w->term[w->begin[entry + 1] - 1] / 9 - w->first_triangle;
    return first == triangle ? last : first;
}

static void grow_edges(struct walk *w)
{
    uint32_t n = 1;
    w->seen[0] = 1;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t i = w->queue[k];
        for (uint32_t e = w->row[i]; e < w->row[i + 1]; e++) {
            const uint32_t j = w->column[e];
            if (w->seen[j])
                continue;
            w->seen[j] = 1;
            w->queue[n++] = j;
            w->kind[e] = w->kind[entry_of(w, j, i)] = IN_TREE;
        }
    }
}

static void grow_triangles(struct walk *w)
{
    uint32_t n = 1;
    memset(w->seen, 0, w->n_triangles);
    w->seen[0] = 1;
    w->queue[0] = 0;
    w->parent[0] = SDD_NONE;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t side = 0; side < 3; side++) {
            uint32_t back;
            const uint32_t t = w->queue[k], e = edge_of(w, t, side, &back), other = triangle_across(w, e, t);
            if (w->kind[e] == IN_TREE || w->seen[other])
                continue;
            w->seen[other] = 1;
            w->queue[n++] = other;
            w->parent[other] = t;
            w->across[other] = back;
            w->against[other] = e;
            w->kind[e] = w->kind[back] = CROSSED;
        }
}

/* Adds to the form where a loop crosses an edge that its triangle has in direction `entry`. */
static void cross(struct walk *w, uint32_t entry, uint32_t back, int sign)
{
    w->form[entry] = (int8_t)(w->form[entry] + sign);
    w->form[back] = (int8_t)(w->form[back] - sign);
}

/* From a triangle to the root of the tree. */
static void climb(struct walk *w, uint32_t triangle, int sign)
{
    for (; w->parent[triangle] != SDD_NONE; triangle = w->parent[triangle])
        cross(w, w->across[triangle], w->against[triangle], sign);
}

/* The loop that an edge of triangle `t` closes, which neither tree has. */
static void close_loop(struct walk *w, uint32_t t, uint32_t entry, uint32_t back)
{
    memset(w->form, 0, w->n_entries);
    cross(w, entry, back, 1);
    climb(w, triangle_across(w, entry, t), 1);
    climb(w, t, -1);
}

static int make_forms(sdd_fair *f, struct fair_part *p, struct walk *w, struct sdd_error *err)
{
    int n = 0, rc = SDD_OK;
    grow_edges(w);
    grow_triangles(w);
    for (uint32_t t = 0; t < w->n_triangles; t++)
        for (uint32_t side = 0; side < 3 && n < 2 * p->genus && !rc; side++) {
            uint32_t back;
            const uint32_t e = edge_of(w, t, side, &back);
            if (w->kind[e] != FREE)
                continue;
            w->kind[e] = w->kind[back] = CROSSED; /* It has its loop. */
            close_loop(w, t, e, back);
            dev_upload(f->device, f->form + p->first_entry + n++ * f->n_entries, w->form, w->n_entries);
            rc = dev_finish(f->device, err);
        }
    p->genus = n / 2; /* Fewer where diagonals of polygons coincide with edges. */
    return rc;
}

int fair_forms_create(sdd_fair *f, struct fair_part *p, struct sdd_error *err)
{
    struct walk w;
    if (!p->genus)
        return SDD_OK;
    int rc = walk_open(f, p, &w, err);
    if (!rc)
        rc = make_forms(f, p, &w, err);
    walk_free(&w);
    return rc;
}

/* ---- in each step ------------------------------------------------------------------------------------------------ */
#define FORM_TOLERANCE 1e-8

/* Makes the three constraints of one form, whose potential is a component of f->next. */
static int constrain(sdd_fair *f, const struct fair_part *p, int form, struct sdd_fair_report *out,
                     struct sdd_error *err)
{
    const size_t at = 4 * (size_t)p->first;
    struct fair_adjoint_args adjoint = {.mesh = f->mesh,
                                        .laplacian = f->laplacian,
                                        .form = f->form + form * f->n_entries,
                                        .potential = f->next,
                                        .points = f->points,
                                        .out = f->b,
                                        .component = form % 4,
                                        .first = p->first};
    struct fair_constraint_args constraint = {f->mesh, f->points, f->lambda, f->mass, NULL, p->first};
    for (int axis = 1; axis <= 3; axis++) {
        adjoint.axis = axis;
        constraint.out = f->basis + (FAIR_CONSTRAINTS + 3 * form + axis - 1) * f->parts.n_rows;
        DEV_LAUNCH(f->device, fair_adjoint, &adjoint, p->n);
        dev_fill(f->device, f->lambda + at, 0, 4 * p->n * (int64_t)sizeof *f->lambda);
        const int rc = fair_solve(f, p, f->dirac, f->lambda, 0, FORM_TOLERANCE, &out->exact_iterations, err);
        if (rc)
            return rc;
        DEV_LAUNCH(f->device, fair_constraint, &constraint, p->n);
    }
    return SDD_OK;
}

int fair_constrain(sdd_fair *f, const struct fair_part *p, const struct fair_measure *m, struct sdd_fair_report *out,
                   struct sdd_error *err)
{
    const size_t at = 4 * (size_t)p->first;
    struct fair_dirac_args dirac = {f->mesh,       f->points, f->rho, f->mass, f->dirac, 1e-10 * m->trace / m->area,
                                    p->first_entry};
    int rc = SDD_OK;
    if (!p->genus)
        return SDD_OK;
    dev_fill(f->device, f->rho + p->first, 0, p->n * (int64_t)sizeof *f->rho);
    DEV_LAUNCH(f->device, fair_dirac, &dirac, p->n_entries);
    for (int form = 0; form < 2 * p->genus && !rc; form++) {
        const int left = 2 * p->genus - form;
        struct fair_source_args source = {
            f->mesh, f->laplacian, f->form + form * f->n_entries, f->b, f->n_entries, left < 4 ? left : 4, p->first};
        if (form % 4 == 0) { /* The potentials of four forms at once. */
            DEV_LAUNCH(f->device, fair_source, &source, p->n);
            dev_fill(f->device, f->next + at, 0, 4 * p->n * (int64_t)sizeof *f->next);
            rc = fair_solve(f, p, f->laplacian, f->next, 0, FORM_TOLERANCE, &out->exact_iterations, err);
        }
        if (!rc)
            rc = constrain(f, p, form, out, err);
    }
    return rc;
}
