/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: what a flow holds, for this room alone. fair.c is the door, fair_parts.c finds the connected parts,
 * fair_pattern.c makes the pattern of the matrices, fair_solve.c has sums and conjugate gradients, fair_levels.c their
 * preconditioner, fair_step.c the step. Vertices that faces use are rows, those of a part next to each other; so are
 * entries and triangles. */
#ifndef SDD_FAIR_INTERNAL_H
#define SDD_FAIR_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/fair/fair_cycle.dev.h"
#include "gpu/mesh/mesh.h"
#include "gpu/sdd/sdd_fair.h"

#define FAIR_CONSTRAINTS 4 /* 1 and the normal's components; six more for each handle. */
#define FAIR_SUMS 16       /* Sums that are made at once, at most, unless there are more constraints. */
#define FAIR_LEVELS 16     /* Levels of the preconditioner, at most. */

/* A connected part. */
struct fair_part {
    uint32_t first, n;
    uint32_t first_triangle, n_triangles;
    uint32_t first_entry, n_entries;
    int closed;  /* Whether it has no rim. */
    int genus;   /* The handles that keep edges exact; 0 with a rim, and where exactness is off. */
    int stopped; /* Whether its energy rises however small the step is. */
    double energy;
    int next_stopped; /* These two once the step that is being taken has succeeded for all parts. */
    double next_energy;

    /* The preconditioner; `level` is NULL as long as there is none. */
    struct fair_on_level *level; /* Shape [n_levels + 1]. */
    int n_levels, has_dense;     /* Whether the last level has its inverse. */
    int64_t first_dense;
    int outworn;              /* Whether the step that is being taken has needed twice the usual iterations. */
    int64_t usual_iterations; /* Those of the first step's quaternions that it was made for; 0 before. */
};

/* The triangulated mesh in host memory. */
struct fair_parts {
    int64_t n_parts, n_rows, n_triangles;
    int most_genus; /* Of all parts. */
    struct fair_part *part;
    uint32_t *vertex;   /* Shape [rows]: the vertex that each row is. */
    uint32_t *triangle; /* Shape [T][3], rows. */
    uint32_t *face;     /* Shape [T]: the face that each triangle is of. */
};

/* Device memory of all parts' levels (fair_levels.c). */
struct fair_arrays {
    uint32_t *row, *column, *group, *begin, *member;
    double *value, *inverse, *dense, *b, *x, *y;
};

struct sdd_fair {
    sdd_device *device;
    sdd_topology *topology; /* Of the control mesh, or of the level. */
    sdd_plan *refine;       /* Makes the points of the level, while the flow begins; NULL at level 0. */
    struct sdd_fair_request request;
    struct sdd_fair_info info;
    struct fair_parts parts;
    struct device_block block;
    int64_t step;
    int64_t n_entries;     /* There is room for so many. */
    int64_t n_constraints; /* The most that a part has. */

    struct fair_mesh mesh;
    uint32_t *row, *column, *begin, *term, *diagonal, *rim, *triangle, *vertex; /* What `mesh` points to, to write. */
    float *kept;                    /* Shape [V][3]: the points of all vertices, first as the mesh has them. */
    double *origin, *points, *next; /* Shape [rows][4]: the first points, those now, and those of the step. */
    double *lambda, *b, *r, *z, *p, *q;
    double *laplacian, *dirac;                                   /* Shape [entries], [entries][4]. */
    double *laplacian_diagonal, *relax, *mass, *curvature, *rho; /* Shape [rows]. */
    int8_t *form;                                                /* Shape [2 genus][n_entries]. */
    double *basis;                                               /* Shape [n_constraints][rows]. */
    double *part, *sums;
    struct fair_arrays arrays;
    struct fair_solver *solver;
    /* The distortion of triangles: its bits as keys, twice, and values that nobody reads; ratios and areas. */
    uint64_t *key, *sorted;
    int32_t *value[2];
    double *ratio, *area;
    void *scratch;
};

/* fair_check_manifold: whether a topology may flow.
 * Errors  SDD_EMESH */
int fair_check_manifold(const sdd_topology *t, struct sdd_error *err) SDD_MUST_CHECK;
/* fair_parts_create: cuts the faces into triangles and finds the connected parts.
 * Errors  SDD_EMESH, SDD_EUNSUPPORTED (genus), SDD_ETOO_LARGE, SDD_ENO_MEMORY, SDD_EDEVICE */
int fair_parts_create(const sdd_topology *t, int exactness, struct fair_parts *out,
                      struct sdd_error *err) SDD_MUST_CHECK;
void fair_parts_free(struct fair_parts *p);

/* fair_build_bytes: the temporary memory that fair_pattern_create takes. */
int64_t fair_build_bytes(const sdd_topology *t, const struct fair_parts *p);
/* fair_pattern_create: fills f->mesh, loads f->kept to f->points and refuses triangles without area. It waits.
 * Errors  SDD_EMESH, SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int fair_pattern_create(sdd_fair *f, struct sdd_error *err) SDD_MUST_CHECK;

/* fair_lay_out_levels: lays out the memory of all preconditioners. */
void fair_lay_out_levels(struct fair_parts *p, int64_t n_entries, struct arena *a, struct fair_arrays *l);
/* fair_make_levels: makes the preconditioner of a part from f->laplacian, and waits.
 * Errors  SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int fair_make_levels(sdd_fair *f, struct fair_part *p, struct sdd_error *err) SDD_MUST_CHECK;
/* fair_cycle: queues the preconditioner times f->r, for the rows of a part, all but its last step, which reads y of the
 * first level (fair_inner.tile.h). Where there is one level alone, f->z has all of it. */
void fair_cycle(sdd_fair *f, const struct fair_part *p);

static inline int64_t fair_tiles(int64_t n) /* How many tiles sum n items. */
{
    return (n + FAIR_LANES - 1) / FAIR_LANES;
}
/* Vectors of a sum: item i of vector j is at[i step + j stride]; NULL is 1 everywhere. */
struct fair_vectors {
    const double *at;
    int64_t step, stride;
};
/* fair_sum: queues f->sums[to + j] = sum of mass a_j b_j over n rows, for each j below k; mass may be NULL. */
void fair_sum(sdd_fair *f, int64_t n, const double *mass, struct fair_vectors a, struct fair_vectors b, int k, int to);
/* fair_got: downloads the first k sums and waits. */
int fair_got(sdd_fair *f, double *out, int k, struct sdd_error *err) SDD_MUST_CHECK;
/* fair_multiply: queues q = A x for the rows of a part, and leaves the parts of x . q in f->part. */
void fair_multiply(sdd_fair *f, const struct fair_part *p, const double *matrix, const double *x, uint32_t held,
                   const struct fair_solver *solver);
/* fair_solve: solves A x = f->b from what x holds, where A is f->dirac or f->laplacian. It waits, and adds to *n.
 * Errors  SDD_ECONVERGENCE naming the residual, SDD_ECANCELLED, SDD_EDEVICE */
int fair_solve(sdd_fair *f, const struct fair_part *p, const double *matrix, double *x, uint32_t held, double tolerance,
               int64_t *n, struct sdd_error *err) SDD_MUST_CHECK;

/* fair_measure: makes L, masses, normals and curvature of a part at these points, and says what they add up to. */
struct fair_measure {
    double area, trace, energy, centre[3];
};
int fair_measure(sdd_fair *f, const struct fair_part *p, const double *points, struct fair_measure *out,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* fair_forms_create: finds the closed forms of a part with handles, and waits.
 * Errors  SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int fair_forms_create(sdd_fair *f, struct fair_part *p, struct sdd_error *err) SDD_MUST_CHECK;
/* fair_constrain: makes the constraints of a part's handles at f->points, behind the first FAIR_CONSTRAINTS of
 * f->basis. It uses f->rho, f->lambda, f->next and what solves use.
 * Errors  those of fair_solve */
int fair_constrain(sdd_fair *f, const struct fair_part *p, const struct fair_measure *m, struct sdd_fair_report *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
/* fair_part_step: takes a step of one part from f->points to f->next. */
int fair_part_step(sdd_fair *f, struct fair_part *p, struct sdd_fair_report *out, struct sdd_error *err) SDD_MUST_CHECK;
/* fair_distortion: measures the distortion from `from` to f->next, and waits. */
int fair_distortion(sdd_fair *f, const double *from, struct sdd_fair_distortion *out,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
