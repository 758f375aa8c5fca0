/* SPDX-License-Identifier: Apache-2.0 */
/* table_put.cuh: how the CUDA forms of table_points and its variants write rows: in which format, and many at a time
 * from shared memory. */
#ifndef SDD_TABLE_PUT_CUH
#define SDD_TABLE_PUT_CUH
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

/* What rows are put as. Of table_dense_batch's kernel nothing else is different: what it has in common with
 * table_points' is compiled worse in both. */
enum table_form { table_strided, table_dense, table_dense_batch, table_unorm16, table_oct16, table_f16 };

/* Words of a row, and how N components become one. */
template <int N, int FORM> struct table_row {
    static constexpr int words = FORM == table_unorm16 ? 2 : FORM == table_oct16 || FORM == table_f16 ? 1 : N;
    sdd_quantise_facts *facts;
    float low[FORM == table_unorm16 ? 3 : 1], scale[FORM == table_unorm16 ? 3 : 1];

    /* The facts are there: the launch before is one that has waited for what made them, or has been waited for. */
    __device__ __forceinline__ table_row(const table_points_args &a)
    {
        facts = a.as.facts;
        if constexpr (FORM == table_unorm16) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                low[k] = facts->low[k];
                scale[k] = facts->scale[k];
            }
        }
    }

    __device__ __forceinline__ void put(const float *p, float *to) const
    {
        if constexpr (FORM == table_unorm16) {
            uint2 out;
            out.x = sdd_unorm16(p[0], low[0], scale[0]) | (uint32_t)sdd_unorm16(p[1], low[1], scale[1]) << 16;
            out.y = sdd_unorm16(p[2], low[2], scale[2]);
            *(uint2 *)to = out;
        } else if constexpr (FORM == table_f16) {
            *(sdd_u16x2 *)to = sdd_f16_row(facts, p[0], p[1]);
        } else {
#pragma unroll
            for (int k = 0; k < N; k++)
                to[k] = p[k];
        }
    }
};

/* The lane, here and now: of what is made of it long before, registers would be full. */
static __device__ __forceinline__ int table_lane()
{
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Words between 16 bytes of memory and the row that begins in them: as far from 16 bytes is a run in shared memory. */
template <int W, int FORM> static __device__ __forceinline__ int table_phase(const table_points_args &a, uint32_t row)
{
    return FORM != table_strided ? (int)(((uintptr_t)a.to / sizeof *a.to + (uint32_t)W * row) % 4) : 0;
}

/* n words, LEAST to MOST, rows of W, to where they belong: 16 bytes a lane where there is nothing between rows, long
 * runs in whole lines. They stand table_phase after `from`. Each of so many groups of a warp's lanes has a run. */
template <int W, int FORM, int GROUPS, int LEAST, int MOST>
static __device__ __forceinline__ void table_rows_put(const table_points_args &a, uint32_t row, const float *from,
                                                      int n)
{
    constexpr int lanes = 32 / GROUPS, words = 4 * lanes; /* at a time */
    const int lane = table_lane() % lanes;
    if constexpr (FORM != table_strided) {
        constexpr int unit = MOST > 128 && words >= 32 ? 32 : words >= 32 ? 8 : 4; /* words: lines, sectors */
        float *to = a.to + (size_t)W * row;
        const int before = (int)((uintptr_t)to / sizeof *to % unit), i = 4 * lane - before;
        const int head = min(-before & 3, n), tail = (n - head) & 3, k = lane < 4 ? lane : n - tail + lane - 4;
        from += before & 3;
#pragma unroll
        for (int at = 0; at < MOST + unit - 1; at += words)
            if ((at > 0 || i >= 0) && (at + words <= LEAST || i + at + 4 <= n))
                *(float4 *)(to + i + at) = *(const float4 *)(from + i + at);
        if (lane < 4 ? lane < head : lane < 4 + tail) /* the ends, less than 16 bytes */
            to[k] = from[k];
        if (lanes == 4 && lane < tail)
            to[n - tail + lane] = from[n - tail + lane];
    } else {
        for (int i = lane; i < n; i += lanes)
            a.to[(size_t)a.width.stride * (row + i / W) + i % W] = from[i];
    }
}
#endif
