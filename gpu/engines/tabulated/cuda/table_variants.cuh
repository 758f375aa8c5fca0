/* SPDX-License-Identifier: Apache-2.0 */
/* table_variants.cuh: the tuned forms of kernels/table_variants.ks.h. They win for the same reasons as the forms of the
 * original kernels, whose code they share: table_points.cuh, table_normals.cuh and table_points_normals.cuh. */
#ifndef SDD_TABLE_VARIANTS_CUH
#define SDD_TABLE_VARIANTS_CUH
#include "gpu/engines/tabulated/cuda/table_points_normals.cuh"
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"

/* Each of these functions makes the work of a block of one variant. */
static __device__ __forceinline__ void table_points_unorm16_block(const table_points_args &a, table_bases &bases,
                                                                  table_shared *s)
{
    if (!table_fused_first_pass(a, sdd_xyz()))
        table_block<3, table_unorm16>(a, bases, s);
}

static __device__ __forceinline__ void table_points_uv_block(const table_points_args &a, table_bases &bases,
                                                             table_shared *s)
{
    if (table_fused_first_pass(a, sdd_uv()))
        return;
    if (a.as.format == SDD_ROWS_F16)
        table_block<2, table_f16>(a, bases, s);
    else
        table_block<2, table_dense>(a, bases, s);
}

static __device__ __forceinline__ void table_points_n_block(const table_points_args &a, table_bases &bases,
                                                            table_shared *s)
{
    if (table_fused_first_pass(a, a.width))
        return;
    if (a.width.n == 3)
        table_block<3, table_strided>(a, bases, s);
    else if (a.width.n == 2)
        table_block<2, table_strided>(a, bases, s);
    else
        table_block<1, table_strided>(a, bases, s);
}

static __device__ __forceinline__ void table_normals_oct16_block(const table_normals_args &a, table_bases &,
                                                                 table_shared *s)
{
    table_normals_block<table_oct16>(a, s, blockIdx.x);
}

static __device__ __forceinline__ void table_points_normals_16_block(const table_points_normals_args &a,
                                                                     table_bases &bases, table_shared *s)
{
    table_points_normals_block<table_unorm16, table_oct16>(a, bases, s);
}

#define TABLE_VARIANT(name, of, item, reference)                                                                       \
    enum { name##_threads = of##_threads };                                                                            \
    static __global__ void __launch_bounds__(name##_threads, of##_blocks)                                              \
        g_##name(const int64_t n, const __grid_constant__ name##_args a)                                               \
    {                                                                                                                  \
        __shared__ table_shared s;                                                                                     \
        __shared__ table_bases bases;                                                                                  \
        (void)n;                                                                                                       \
        name##_block(a.base, bases, &s);                                                                               \
    }
SDD_TABLE_VARIANTS(TABLE_VARIANT)
#endif
