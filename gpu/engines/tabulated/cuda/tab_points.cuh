/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/engines/tabulated/cuda/tab_others.cuh"

union tab_shared {
    tab_warp warps[TAB_WARPS];
    tab_run runs[TAB_WARPS];
};

/* A block after the first step: item i of the others or group i of pieces. */
struct tab_turn {
    int64_t i;
    bool other;
};

/* Of the block that is the nth of its mesh's. */
template <int LOG_EACH>
static __device__ __forceinline__ tab_turn tab_turn_of(const tab_points_args &a, unsigned n)
{
    const unsigned others = (unsigned)sdd_tab_other_items(&a, LOG_EACH), item = a.turn ? __ldg(a.turn + n) : n;
    return {item < others ? item : item - others, item < others};
}

/* weights: a's, where they can be looked up by a number that the compiler does not know. LOG_EACH: a.log_each. */
template <int N, int FORM, int LOG_EACH = SDD_TAB_LOG_POINTS>
static __device__ __forceinline__ void tab_item(const tab_points_args &a, const sdd_tab_weights &weights,
                                                 tab_bases &bases, tab_shared *s, unsigned n)
{
    const tab_turn turn = tab_turn_of<LOG_EACH>(a, n);
    if (turn.other)
        tab_others<N, FORM, LOG_EACH>(a, turn.i, s->runs);
    else
        tab_pieces<N, FORM>(a, weights, turn.i, bases, s->warps);
    overlap_wait(); /* the launch before must not outlast this one */
}

/* Of one mesh. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_block(const tab_points_args &a, tab_bases &bases, tab_shared *s)
{
    tab_item<N, FORM>(a, a.weights, bases, s, blockIdx.x - (unsigned)sdd_tab_first_items(&a, 1));
}

static __global__ void __launch_bounds__(tab_points_threads, 4)
    g_tab_points(const int64_t n, const __grid_constant__ tab_points_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    if (!tab_ahead(a, sdd_xyz()))
        tab_block<3, tab_dense>(a, bases, &s);
}
#endif
