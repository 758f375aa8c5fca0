/* SPDX-License-Identifier: Apache-2.0 */
/* brute.h: the connectivity of a polygon mesh by sorting records and by trying everything, as SEMANTICS
 * section 1 and the paper's section 3.5 say it: the oracle of the topology kernels. Nothing is shared with
 * gpu/ but the letters: V vertices, F faces, C corners, E edges, B boundary edges, H boundary loops. The mesh
 * may be non-manifold (then nothing past bad_vertex is to be used; odd.h goes on from there) but its face sizes
 * and indices must be right. */
#ifndef TESTS_BRUTE_H
#define TESTS_BRUTE_H
#include "tests/oracle/refined.h"

#define BRUTE_NONE 0xffffffffu

struct brute_half { /* the use of an edge by a face, in the order (low, high, corner) */
    uint32_t low, high;
    int32_t corner;
};

struct brute {
    int64_t V, F, C, E, B, H, U, E_uv;
    int32_t *end;                               /* [F] inclusive sums of the face sizes             */
    uint32_t *vert, *face, *next, *prev, *edge; /* [C + B], ghosts behind the real ones             */
    uint32_t *real_twin;                        /* [C] BRUTE_NONE on a boundary or a bad edge       */
    uint32_t *twin;                             /* [C + B] through ghosts                           */
    struct brute_half *half;                    /* [C] sorted                                       */
    uint32_t *edge_corner;                      /* [E] the lowest                                   */
    uint32_t *uv, *uv_edge, *uv_edge_corner;    /* [C], [C], [E_uv]; NULL without UVs               */
    unsigned char *bad_edge;                    /* [C] does the corner's edge have no twins for it? */
    int32_t *valence, *n_fans;                  /* [V] corners; parts that hang together by twins   */
    uint32_t *vert_begin, *vert_end;            /* [V] rows of vert_corner                          */
    int32_t *vert_corner;                       /* [C] ascending for each vertex                    */
    int64_t bad_repeat, bad_corner, bad_vertex; /* first: vertex twice in a face, bad edge, bad fan; -1: none */
    uint32_t *border;                           /* [B] corners without a twin, ascending            */
    uint32_t *loop;                             /* [B] the least ghost of each ghost's loop         */
    uint32_t *ghost_first;                      /* [H] a ghost corner of each loop                  */
    float *edge_sharp, *vert_sharp;             /* [E], [V] authored and implied, at most 10        */
    uint32_t *soft, *hole;                      /* [V], [F]                                         */
};

void brute_init(struct brute *b, const struct sdd_mesh_desc *desc);
void brute_fini(struct brute *b);
/* brute_halves: the uses of the edges of corner vertices `vert`, sorted. The caller frees. */
struct brute_half *brute_halves(const uint32_t *vert, const uint32_t *next, int64_t n);

#endif
