/* SPDX-License-Identifier: Apache-2.0 */
/* fair.dev.h: what the kernels of conformal flow share: the triangulated mesh with the pattern of its matrices, points
 * and quaternions in double, and sums in a fixed tree.
 * A row is a vertex that a face uses. A matrix has an entry for each row and each of its neighbours, and for the row
 * itself. A triangle adds to nine entries, so a number below 9 T says which triangle, and which two of its corners,
 * give one term of an entry. Every entry has the list of its terms, in order; that of a diagonal entry lists the
 * corners at the row. */
#ifndef SDD_FAIR_DEV_H
#define SDD_FAIR_DEV_H
#include "gpu/kernel/tile.h"

#define FAIR_LANES 256 /* Items that one tile sums. */

struct fair_mesh {
    const uint32_t *triangle; /* Shape [T][3], rows. */
    const uint32_t *row;      /* Shape [n + 1]: where the entries of each row begin. */
    const uint32_t *column;   /* Shape [entries], ascending within a row. */
    const uint32_t *begin;    /* Shape [entries + 1]: where the terms of each entry begin. */
    const uint32_t *term;     /* Shape [9 T]. */
    const uint32_t *diagonal; /* Shape [n]: the entry of each row that is on the diagonal. */
    const uint32_t *rim;      /* Shape [n]: 1 where the surface ends. */
};

/* A quaternion, or a point with w = 0. It takes two 16-byte accesses; where a CPU has registers of four lanes, one. */
#ifdef __AVX__
typedef double fair_lanes __attribute__((vector_size(32)));
typedef double fair_lanes_at __attribute__((vector_size(32), aligned(8), may_alias)); /* As they lie in memory. */
struct fair_quat {
    union {
        struct {
            double w, x, y, z;
        };
        fair_lanes v;
    };
};
#else
struct fair_quat {
    double w, x, y, z;
} __attribute__((aligned(16)));
#endif

SDD_FN struct fair_quat fair_quat_of(double w, double x, double y, double z)
{
    struct fair_quat q;
#ifdef __AVX__
    const fair_lanes lanes = {w, x, y, z};
    q.v = lanes;
#else
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
#endif
    return q;
}

SDD_FN struct fair_quat fair_get(const double *from, uint32_t i)
{
#ifdef __AVX__
    struct fair_quat q;
    q.v = *(const fair_lanes_at *)(from + 4 * (size_t)i);
    return q;
#else
    return *(const struct fair_quat *)(const void *)(from + 4 * (size_t)i);
#endif
}

SDD_FN void fair_put(double *to, uint32_t i, struct fair_quat q)
{
#ifdef __AVX__
    *(fair_lanes_at *)(to + 4 * (size_t)i) = q.v;
#else
    *(struct fair_quat *)(void *)(to + 4 * (size_t)i) = q;
#endif
}

/* Returns a + s b. */
SDD_FN struct fair_quat fair_add(struct fair_quat a, double s, struct fair_quat b)
{
#ifdef __AVX__
    a.v += s * b.v;
    return a;
#else
    return fair_quat_of(a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
#endif
}

SDD_FN struct fair_quat fair_scale(double s, struct fair_quat a)
{
#ifdef __AVX__
    a.v *= s;
    return a;
#else
    return fair_quat_of(s * a.w, s * a.x, s * a.y, s * a.z);
#endif
}

SDD_FN double fair_dot(struct fair_quat a, struct fair_quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

SDD_FN struct fair_quat fair_conjugate(struct fair_quat a)
{
    return fair_quat_of(a.w, -a.x, -a.y, -a.z);
}

SDD_FN struct fair_quat fair_product(struct fair_quat a, struct fair_quat b)
{
#ifdef __AVX__ /* Column by column of what is below, with its signs, so in the same order. */
    const fair_lanes x = {-a.x, a.x, -a.x, a.x}, y = {-a.y, a.y, a.y, -a.y}, z = {-a.z, -a.z, a.z, a.z};
    const fair_lanes bx = __builtin_shufflevector(b.v, b.v, 1, 0, 3, 2);
    const fair_lanes by = __builtin_shufflevector(b.v, b.v, 2, 3, 0, 1);
    const fair_lanes bz = __builtin_shufflevector(b.v, b.v, 3, 2, 1, 0);
    a.v = a.w * b.v + x * bx + y * by + z * bz;
    return a;
#else
    return fair_quat_of(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
#endif
}

/* Edge e_j of a triangle, opposite its corner j, against the clock. */
SDD_FN struct fair_quat fair_edge(const uint32_t *v, const double *points, uint32_t j)
{
    return fair_add(fair_get(points, v[(j + 2) % 3]), -1.0, fair_get(points, v[(j + 1) % 3]));
}

/* The normal of a triangle; its length is twice the area. */
SDD_FN struct fair_quat fair_normal(const uint32_t *v, const double *points)
{
    const struct fair_quat a = fair_edge(v, points, 0), b = fair_edge(v, points, 1);
    return fair_quat_of(0.0, a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The components of a row that are held: those of `held` on the rim, a bit for each, and none elsewhere. */
SDD_FN struct fair_quat fair_release(struct fair_quat q, uint32_t rim, uint32_t held)
{
    const uint32_t bits = rim ? held : 0;
    return fair_quat_of(bits & 1 ? 0.0 : q.w, bits & 2 ? 0.0 : q.x, bits & 4 ? 0.0 : q.y, bits & 8 ? 0.0 : q.z);
}

/* Adds the numbers of an SDD_SHARED array of FAIR_LANES in a tree, whose root is sum[0]. All threads call it after an
 * SDD_SYNC, and the sum is complete when it returns. */
SDD_FN void fair_tree(double *sum)
{
    for (int32_t half = FAIR_LANES / 2; half > 0; half /= 2) {
        SDD_EACH (i, half)
            sum[i] += sum[i + half];
        SDD_SYNC;
    }
}

/* Adds n parts of a sum, whose other half other kernels have made: each lane every FAIR_LANES-th part in order, and a
 * tree the lanes. All threads call it, and get the sum. `sum` may be used again after an SDD_SYNC. */
SDD_FN double fair_total_of(const double *part, int64_t n, double *sum)
{
    SDD_EACH (lane, FAIR_LANES) {
        double value = 0.0;
        for (int64_t k = lane; k < n; k += FAIR_LANES)
            value += part[k];
        sum[lane] = value;
    }
    SDD_SYNC;
    fair_tree(sum);
    return sum[0];
}

/* What a solve by conjugate gradients keeps on the device. */
struct fair_solver {
    double beta;
    double rz;       /* r . z */
    double rr, goal; /* r . r, and what it must come down to. */
    int64_t n;       /* Iterations. */
    int64_t done;    /* 0 while it goes on, then 1; 2 where a sum is no number. */
};
#endif
