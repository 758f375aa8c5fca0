/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_own: gives each face its own label, with which cluster_components begins.
 * Shapes  label[F] u32
 * Launch  item, n = F
 * Cost    4 B written a face
 * Result  label[f] = f
 * Threads any queue */
#ifndef SDD_K_CLUSTER_OWN_H
#define SDD_K_CLUSTER_OWN_H
#include "gpu/kernel/kernel.h"

struct cluster_own_args {
    uint32_t *label;
};

SDD_FN void k_cluster_own(int64_t f, const struct cluster_own_args *a)
{
    a->label[f] = (uint32_t)f;
}
#endif
