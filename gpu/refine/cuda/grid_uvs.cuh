/* SPDX-License-Identifier: Apache-2.0 */
/* grid_uvs.cuh: the tuned form of kernels/grid_uvs.k.h, with a block for each item and a thread for each row. It gives
 * the bits of the reference. It wins because the block makes the ends of the lines and the corners of the grids that an
 * item touches once, in shared memory, where the reference makes them again for each row. */
#ifndef SDD_GRID_UVS_CUH
#define SDD_GRID_UVS_CUH
#include "gpu/device/cuda/overlap.cuh"
#include "gpu/refine/kernels/grid_uvs.k.h"

enum { grid_uvs_threads = 128 };

/* The most entries that an item needs in shared memory: one for each line, which may have a single row. A grid takes
 * two entries. */
#define UVS_ENDS (SDD_LINEAR_EACH + 2)
#define UVS_INSIDE 4 /* The least rows inside a grid for which grids are shared. */

/* Returns n / d, rounded down. n is small enough that a float product is exact enough. */
static __device__ __forceinline__ int uvs_part(int n, float one_of_d)
{
    return (int)(((float)n + 0.5f) * one_of_d);
}

static __device__ __forceinline__ void uvs_out(const grid_uvs_args &a, int64_t row, float u, float v)
{
    sdd_row_out(a.out, &a.as, (uint32_t)row, sdd_uv(), sdd_vec3_of(u, v, 0.0f));
}

/* Makes rows [low, end), which are all on lines. `first` is the first row of the first line. */
static __device__ __forceinline__ void uvs_lines(const grid_uvs_args &a, int64_t first, int64_t low, int64_t end,
                                                 float4 *ends)
{
    const uint32_t halves = 2 * a.grid.n_edges;
    const int along = (1 << (a.grid.level - 1)) - 1;
    const int64_t line = (low - first) / along, base = first + line * along;
    const int n = (int)((end - base + along - 1) / along);
    const float unit = 1.0f / (float)(along + 1), one_of = 1.0f / (float)along;
    for (int i = threadIdx.x; i < n; i += grid_uvs_threads) {
        const uint32_t own = (uint32_t)(line + i);
        sdd_uv_location p;
        float from[2], to[2];
        if (own < halves)
            sdd_uv_half(&a, own, &p);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            from[k] = own < halves ? a.uv[2 * (size_t)p.id + k]
                                   : a.face[2 * (size_t)sdd_face(&a.grid.faces, own - halves) + k];
            to[k] = sdd_uv_middle(&a, 2, own < halves ? p.c : own - halves, k);
        }
        ends[i] = make_float4(from[0], to[0], from[1], to[1]);
    }
    __syncthreads();
    for (int64_t row = low + threadIdx.x; row < end; row += grid_uvs_threads) {
        const int n_row = (int)(row - base), i = uvs_part(n_row, one_of);
        const float s = (float)(n_row - i * along + 1) * unit;
        const float4 e = ends[i];
        uvs_out(a, row, sdd_mix(e.x, e.y, s), sdd_mix(e.z, e.w, s));
    }
}

/* Makes rows [low, end), which are all inside grids. `first` is the first row inside the first grid. */
static __device__ __forceinline__ void uvs_inside(const grid_uvs_args &a, int64_t first, int64_t low, int64_t end,
                                                  float4 *ends)
{
    const int along = (1 << (a.grid.level - 1)) - 1, size = along * along;
    const int64_t quad = (low - first) / size, base = first + quad * size;
    const int n = (int)((end - base + size - 1) / size);
    const float unit = 1.0f / (float)(along + 1), one_of = 1.0f / (float)along, one_of_size = 1.0f / (float)size;
    for (int i = threadIdx.x; i < n; i += grid_uvs_threads)
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const sdd_uv_corners q = sdd_uv_corners_of(&a, 2, (uint32_t)(quad + i), k);
            ends[2 * i + k] = make_float4(q.vertex, q.own, q.before, q.face);
        }
    __syncthreads();
    for (int64_t row = low + threadIdx.x; row < end; row += grid_uvs_threads) {
        const int n_row = (int)(row - base), i = uvs_part(n_row, one_of_size), at = n_row - i * size;
        const int y = uvs_part(at, one_of), x = at - y * along;
        const float s = (float)(x + 1) * unit, t = (float)(y + 1) * unit;
        const float4 u = ends[2 * i], v = ends[2 * i + 1];
        uvs_out(a, row, sdd_mix(sdd_mix(u.x, u.y, s), sdd_mix(u.z, u.w, s), t),
                sdd_mix(sdd_mix(v.x, v.y, s), sdd_mix(v.z, v.w, s), t));
    }
}

static __global__ void __launch_bounds__(grid_uvs_threads)
    g_grid_uvs(const int64_t n, const __grid_constant__ grid_uvs_args a)
{
    __shared__ float4 ends[UVS_ENDS];
    const sdd_grid &g = a.grid;
    const int64_t along = ((int64_t)1 << (g.level - 1)) - 1, firsts = (int64_t)g.n_vertices + g.n_faces + g.n_edges;
    const int64_t inside = firsts + along * (2 * (int64_t)g.n_edges + g.n_corners);
    const int64_t low = (int64_t)blockIdx.x * SDD_LINEAR_EACH, end = min(low + SDD_LINEAR_EACH, a.n);
    (void)n;
    overlap_begin();
    if (a.width == 2 && low >= firsts && end <= inside)
        uvs_lines(a, firsts, low, end, ends);
    else if (a.width == 2 && low >= inside && along * along >= UVS_INSIDE && along * along < 1 << 16)
        uvs_inside(a, inside, low, end, ends);
    else
        for (int64_t i = low + threadIdx.x; i < end; i += grid_uvs_threads)
            sdd_uv_put(&a, (uint32_t)i);
}
#endif
