/* SPDX-License-Identifier: Apache-2.0 */
/* subd_neighbors.h: which vertices, edges and faces of a mesh are neighbours. Part of libsubd; subd.h says what holds
 * for every call.
 *
 *   subd_open -> subd_push -> subd_neighbors -> subd_frame_find, ... -> subd_frame_free -> subd_close */
#ifndef SUBD_NEIGHBORS_H
#define SUBD_NEIGHBORS_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Further values of subd_block.semantic. */
enum subd_neighbor_semantic { SUBD_OFFSETS = 4096, SUBD_IDS = 8192, SUBD_SIGNS = 16384 };
#define SUBD_MAX_RING 64
/* The last three members mean what they mean in struct subd_refine. */
struct subd_neighbors {
    size_t size;
    /* "VV", "VE", "VF", "EV", "EF", "FV", "FE" or "FF": XY has a row for each element of kind X (vertices, edges,
     * faces), with ids of kind Y. NULL is "VV". */
    const char *relation;
    int level; /* 0 is the control mesh; 1 to SUBD_MAX_LEVEL are refined, or less where the server has a lower limit. */
    int ring;  /* Up to SUBD_MAX_RING: rows of VV and FF have all that is 1 to `ring` steps away. 0 is 1. */
    int oriented; /* 1 lets the rows of VV, VE and VF go round the vertex against the clock, seen from outside. */
    int64_t first, count; /* The rows [first, first + count); count 0 is all from `first` on. */
    const uint32_t *ids;  /* Shape [n_ids]: whose rows instead, in this order, with repeats. NULL is none. */
    int64_t n_ids;
    const char *if_none_match; /* Not with ids. */
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
};
/* subd_neighbors: GET or, with ids, POST neighbors. Ids are rows of the cage, or of the level in grid order
 * (proto/README.md, which also says what rows have in which order). The ids are sent from the caller's memory, without
 * a copy. The frame counts the elements of the mesh or of its level. Its surface and its method are empty. Blocks:
 *   offsets   [rows + 1] u32, or u64 from 2^32 ids on: where each row begins, and the last one ends, in ids
 *   ids       [n] u32
 *   signs     [n] u8, of FE alone: 1 where the face runs along the edge from its higher end to its lower
 * The library checks that offsets ascend from 0 to n and that ids are those of elements.
 * Result  SUBD_OK, or SUBD_UNCHANGED with *frame as it was
 * Errors  SUBD_EUSAGE (relation, level, ring, first, count, n_ids; a range with ids); SUBD_EHTTP 422 invalid_query
 *         and 413. *frame after an error is as after one of subd_refine */
SUBD_API int subd_neighbors(subd_client *c, const char *id, const struct subd_neighbors *r, struct subd_frame *frame,
                            struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
