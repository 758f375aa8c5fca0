/* SPDX-License-Identifier: Apache-2.0 */
/* update_features: finds the feature vertices of a face-varying channel again that are at some control vertices.
 * Shapes  control mesh, channel, vertex[n] u32 -> is_feature[R] u8
 * Launch  item, n
 * Cost    that of feature_vertices for each corner of a vertex at most
 * Result  1 or 0, as feature_vertices makes them; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_UPDATE_FEATURES_H
#define SDD_K_UPDATE_FEATURES_H
#include "gpu/mesh/kernels/feature_vertices.k.h"

struct update_features_args {
    struct sdd_control mesh, channel;
    const uint32_t *vertex;
    uint8_t *is_feature;
};

SDD_FN void k_update_features(int64_t i, const struct update_features_args *a)
{
    const uint32_t v = a->vertex[i];
    uint32_t last = SDD_NONE;
    for (uint32_t k = a->mesh.begin[v]; k < a->mesh.end[v]; k++) {
        const uint32_t row = a->channel.vert[a->mesh.corner[k]];
        if (row != last)
            a->is_feature[row] = (uint8_t)sdd_is_feature_vertex(&a->channel, row);
        last = row;
    }
}
#endif
