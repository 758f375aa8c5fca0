/* SPDX-License-Identifier: Apache-2.0 */
/* tab_frame_16: tab_frame in 16 bits a number, both.
 * Shapes  as tab_frame, rows of u16[4] and i16[2]      Shape  as tab_frame      Cost  as both
 * Result  tab_frame, quantised      Threads any queue */
#ifndef SDD_K_TAB_FRAME_16_H
#define SDD_K_TAB_FRAME_16_H
#include "gpu/engines/tabulated/kernels/tab_frame.k.h"

struct tab_frame_16_args {
    struct tab_frame_args base;
};

#ifndef __CUDACC__
SDD_FN void k_tab_frame_16(int64_t i, const struct tab_frame_16_args *a)
{
    k_tab_frame(i, &a->base);
}
#endif
#endif
