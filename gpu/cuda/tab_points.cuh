/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/cuda/tab_others.cuh"

union tab_shared {
    tab_warp warps[TAB_WARPS];
    tab_half halves[TAB_WARPS];
};

/* A block after the first step: item i of the others or group i of pieces. The others, which wait more and write
 * less, stand among them, each 2^shift-th: first, they would be all that runs for a while. */
struct tab_turn {
    int64_t i;
    bool other;
};

/* Of `blocks` from `first` on: those of a mesh. */
static __device__ __forceinline__ tab_turn tab_turn_of(const tab_points_args &a, unsigned first, unsigned blocks)
{
    const unsigned others = (unsigned)sdd_tab_other_items(&a), i = blockIdx.x - first;
    tab_turn t = {i, false};
    if (others > 0) {
        int shift = __clz(others) - __clz(blocks);
        shift -= others << shift > blocks;
        const unsigned at = i >> shift;
        t.other = at < others && at << shift == i;
        t.i = t.other ? at : i - min(at + 1, others);
    }
    return t;
}

/* weights: a's, where they can be looked up by a number that the compiler does not know. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_turns(const tab_points_args &a, const sdd_tab_weights &weights,
                                                 tab_bases &bases, tab_shared *s, unsigned first, unsigned blocks)
{
    const tab_turn turn = tab_turn_of(a, first, blocks);
    if (turn.other)
        tab_others<N, FORM>(a, turn.i, s->halves);
    else
        tab_pieces<N, FORM>(a, weights, turn.i, bases, s->warps);
    overlap_wait(); /* the launch before must not outlast this one */
}

/* Of one mesh. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_block(const tab_points_args &a, tab_bases &bases, tab_shared *s)
{
    const unsigned ahead = (unsigned)sdd_tab_first_items(&a, 1);
    tab_turns<N, FORM>(a, a.weights, bases, s, ahead, gridDim.x - ahead);
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
