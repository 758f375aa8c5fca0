/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_fair.h: conformal Willmore flow. The surface of a control mesh, or of a refined level of it, flows towards less
 * bending energy in steps that keep angles, so that textures are not sheared. sdd.h says what holds for every call.
 *
 *   sdd_fair_begin -> sdd_fair_step ... -> sdd_fair_points -> sdd_fair_free */
#ifndef SDD_SDD_FAIR_H
#define SDD_SDD_FAIR_H
#include "sdd.h"

#define SDD_FAIR_MAX_SOLVES 20
#define SDD_FAIR_MAX_GENUS 64

/* What the rim of an open surface does: it moves with the surface, keeps the direction of its tangents, or stays. */
enum sdd_fair_boundary { SDD_FAIR_FREE, SDD_FAIR_DIRECTION, SDD_FAIR_FIXED, SDD_FAIR_N_BOUNDARIES };

struct sdd_fair_request {
    int level;                /* 0 is the control mesh; 1 to SDD_MAX_LEVEL are refined, with the rows of sdd_refine. */
    double tau;               /* The size of a step, in (0, 1]: 1 goes all the way at once. */
    int boundary;             /* A value of enum sdd_fair_boundary. */
    int solves;               /* Inverse iterations in a step of a closed surface, 1 to SDD_FAIR_MAX_SOLVES. */
    int exactness;            /* Whether closed surfaces with handles are kept from shearing around these. */
    const atomic_int *cancel; /* Once it is not 0 the work stops at the next pause between iterations; may be NULL. */
};

/* What a flow takes, exactly, and what it works on. */
struct sdd_fair_info {
    int64_t n_points;     /* Rows of sdd_fair_points: all vertices of the control mesh, or of the level. */
    int64_t n_vertices;   /* Those that a face uses. */
    int64_t n_triangles;  /* Polygons are cut from their first corner. */
    int64_t n_components; /* Connected parts, which flow each by itself. */
    int64_t device_bytes; /* Held until sdd_fair_free. */
    int64_t build_bytes;  /* Needed besides while sdd_fair_begin runs. */
};

/* How much faces are sheared: the ratio of the singular values of old -> new face, 1 where angles are kept. */
struct sdd_fair_distortion {
    double mean; /* By the area of the old faces. */
    double p99;  /* The 99th percentile of the faces. */
    double largest;
};

struct sdd_fair_report {
    int64_t step;                 /* Counts from 1. */
    double energy_before, energy; /* The sum of m H^2; 4 pi at a sphere. */
    double tau;                   /* The least that a component's step was taken with: tau, or a half, a quarter, ... */
    struct sdd_fair_distortion distortion, kept; /* Of this step, and of all steps together. */
    double exactness;         /* The worst of all components: how far the new edges are from closing, relative. */
    int64_t spin_iterations;  /* Of conjugate gradients for the quaternions, and for the positions; of all */
    int64_t point_iterations; /* components together. */
    int64_t exact_iterations; /* Likewise for the handles. */
    int stopped;              /* 1 when no component moves on: its energy rises however small the step is. */
};

typedef struct sdd_fair sdd_fair;

/* sdd_fair_plan: what sdd_fair_begin will take, before it does any work on the device. Only the connectivity of a level
 * is made already, from the faces that sdd_refine gives (without holes), about 60 B a corner; it is kept with the
 * topology as a query of its edges would keep it (sdd_queries.h), and not counted here.
 * Cost    a look at every corner on the host, which takes about 12 B of its memory a corner
 * Errors  those of sdd_fair_begin, except for triangles without area */
int sdd_fair_plan(sdd_topology *t, const struct sdd_fair_request *r, struct sdd_fair_info *out,
                  struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_fair_begin: begins a flow at the positions that the mesh has now. The flow has a copy of them, and holds a
 * reference to the topology of the control mesh or of the level; the mesh may change or go.
 * Errors  SDD_EINVALID (level, tau, boundary, solves); SDD_EMESH (not manifold; the first face that has a triangle
 *         without area); SDD_EUNSUPPORTED (a genus above SDD_FAIR_MAX_GENUS with exactness); SDD_EQUERY with field
 *         level (all faces are holes); SDD_ETOO_LARGE, SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE; on a refined level
 *         also those of sdd_refine */
int sdd_fair_begin(sdd_mesh *m, const struct sdd_fair_request *r, sdd_fair **out, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_fair_info *sdd_fair_info(const sdd_fair *f);
double sdd_fair_energy(const sdd_fair *f); /* Of the present positions. */
/* sdd_fair_step: takes one step. A component whose energy would rise takes it again with half of tau, four times at
 * most; then it stops for good. On error the positions are those before the step.
 * Result  the same bits on the CPU and on a GPU, with any number of threads
 * Errors  SDD_ECONVERGENCE (a solve that does not reach its tolerance), SDD_ECANCELLED, SDD_EDEVICE
 * Source  Crane, Pinkall, Schroeder 2011 and 2013 */
int sdd_fair_step(sdd_fair *f, struct sdd_fair_report *out, struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_fair_points: copies the present positions to points[n_points][3]. Those that no face uses are where they were.
 * Errors  SDD_EDEVICE */
int sdd_fair_points(sdd_fair *f, float *points, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_fair_free(sdd_fair *f); /* NULL is fine. */

#endif
