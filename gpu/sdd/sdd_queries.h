/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_queries.h: which vertices, edges and faces of a mesh are neighbours. sdd.h says what holds for every call.
 *
 *   sdd_query_plan_create -> sdd_query_plan_info, sdd_query ... -> sdd_rows_free -> sdd_query_plan_free
 *
 * Edges are numbered by (lower vertex, higher vertex). Where a face uses an edge more than once, each further use is an
 * edge of its own, after the one that faces share; so is each use of an edge with equal ends but the first.
 * Source  Mahmoud et al. 2021, RXMesh: the eight queries */
#ifndef SDD_SDD_QUERIES_H
#define SDD_SDD_QUERIES_H
#include "sdd.h"

/* Relation XY has a row for each element of kind X, with ids of kind Y. All meshes are answered, manifold or not.
 *   VV  the other ends of a vertex's edges        VE  its edges        VF  its faces
 *   EV  the lower and the higher end of an edge                        EF  its faces
 *   FV  the corners of a face, in its order
 *   FE  the edge after each corner, in the same order, with a sign: 1 where the face runs along it from the higher end
 *       to the lower
 *   FF  the faces with which a face shares an edge
 * Rows of VV, VE, VF, EF and FF ascend, have each id once, and never the element itself. Faces of a left-handed mesh
 * a b c d are read as a d c b. On level 0 holes are faces. Isolated vertices have empty rows. */
enum sdd_relation { SDD_VV, SDD_VE, SDD_VF, SDD_EV, SDD_EF, SDD_FV, SDD_FE, SDD_FF, SDD_N_RELATIONS };
const char *sdd_relation_name(int relation); /* "VV" of SDD_VV; NULL for what is no relation. */
/* sdd_relation_find: the relation of that name.
 * Errors  SDD_EQUERY, which lists the names */
int sdd_relation_find(const char *name, int *out, struct sdd_error *err) SDD_MUST_CHECK;

#define SDD_MAX_RING 64
#define SDD_ALL_ROWS (-1)
struct sdd_query_request {
    int relation; /* A value of enum sdd_relation. */
    int level;    /* 0 is the control mesh; 1 to SDD_MAX_LEVEL are refined, with the rows of sdd_refine. */
    /* 1 to SDD_MAX_RING. With k, a row of VV or FF has all elements that are 1 to k steps away. Others have 1 alone. */
    int ring;
    /* With 1, the row of VV, VE or VF of a vertex goes round it against the clock, as seen from outside. A closed fan
     * of faces begins at its lowest edge, an open one at the edge that has no face before it, so its VV and VE have one
     * more id than its VF. Several fans of a vertex follow each other by their lowest neighbours; where these are the
     * same, open ones come first, and then those that begin at a lower edge. */
    int oriented;
    int64_t first, count; /* Where ids is NULL, the rows [first, first + count); SDD_ALL_ROWS is all from `first` on. */
    const int64_t *ids;   /* Shape [n_ids]: whose rows, in this order; an element may come more than once. Or NULL. */
    int64_t n_ids;
    int64_t max_bytes; /* Limit of the answer; 0 is no limit. */
};
struct sdd_query_info {
    int64_t n_elements; /* How many there are of the kind that has rows. */
    int64_t n_rows, n_ids;
    int offset_bytes;                              /* 4, or 8 from 2^32 ids on. */
    int64_t offsets_bytes, ids_bytes, signs_bytes; /* Of the three blocks of the whole answer. */
    int64_t host_bytes;                            /* Their sum. */
    int64_t device_bytes; /* Needed while rows are made, besides what is kept with the topology. */
};
/* A plan knows where each row of an answer begins. It never changes and holds no device memory, so any thread may read
 * and free it, also when the topology is gone. */
typedef struct sdd_query_plan sdd_query_plan;
/* sdd_query_plan_create: counts the ids of each row, on the device; all sizes are exact. The plan keeps a copy of the
 * request. On a mesh that is not manifold the first plan makes a list of the uses of each edge and keeps it with the
 * topology. Rows of a refined level follow from grid order, and nothing of the level is stored; for those with edges,
 * which are of quads from level 2 on, 20 B a control edge are kept with the topology. Else the connectivity of a level
 * is made from the faces that sdd_refine gives (without holes), about 60 B a corner, and kept until another level is
 * asked for: for edges of triangles, all of sqrt3, oriented rows, and of meshes that have holes, are not manifold, or
 * have triangles that share two edges. `run` may be NULL.
 * Errors  SDD_EQUERY with field relation, level, ring, oriented (naming the first vertex with an edge that is not
 *         manifold), first, count or ids (naming the first one and how many elements there are); SDD_ETOO_LARGE
 *         with field max_bytes or level and `needed`, exactly or as the least that it takes; SDD_ENO_MEMORY,
 *         SDD_ECANCELLED, SDD_EDEVICE; on a refined level also those of sdd_refine */
int sdd_query_plan_create(sdd_topology *t, const struct sdd_query_request *r, const struct sdd_run *run,
                          sdd_query_plan **out, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_query_info *sdd_query_plan_info(const sdd_query_plan *plan); /* Valid until sdd_query_plan_free. */
int64_t sdd_query_offset(const sdd_query_plan *plan, int64_t row); /* The ids before `row`, which is 0 to n_rows. */
void sdd_query_plan_free(sdd_query_plan *plan);                    /* NULL is fine. */

/* sdd_query_keep: keeps the rows of VV, VE, VF, EF or FF of the control mesh with the topology, in 16 bits, and the
 * tiles that they are numbered in (RXMesh). Later plans for all rows of the relation or for some take them where that
 * is faster, and skip tiles that own none of these; rings of two steps are then found in tiles, as far as each holds
 * them. They are counted in sdd_topology_info.device_bytes: about 35 B a triangle for the tiles, and 8 a relation.
 * Errors  SDD_EQUERY (relation), SDD_ETOO_LARGE (the mesh has more corners than tiles serve), SDD_ENO_MEMORY,
 *         SDD_ECANCELLED, SDD_EDEVICE */
int sdd_query_keep(sdd_topology *t, int relation, const struct sdd_run *run, struct sdd_error *err) SDD_MUST_CHECK;

/* Rows [first_row, first_row + n_rows) of an answer, in host memory aligned to 64 bytes. */
struct sdd_rows_info {
    int64_t first_row, n_rows, n_ids;
    /* Shape [n_rows + 1] u32 or u64, as offset_bytes of the plan says: where each row begins, and the last one ends, in
     * the ids of the whole answer. Those of pieces that follow each other repeat one number. */
    const void *offsets;
    const uint32_t *ids;   /* Shape [n_ids]. */
    const uint8_t *signs;  /* Shape [n_ids], of FE; else NULL. */
    double device_seconds; /* Time of the kernels. */
};
typedef struct sdd_rows sdd_rows;
/* sdd_query: makes rows of the plan's answer. Pieces are bit for bit those of the whole.
 * Result  the same bits on every backend and for any number of threads
 * Errors  SDD_EQUERY (first_row, n_rows; another topology than the plan's), SDD_ENO_MEMORY, SDD_ECANCELLED,
 *         SDD_EDEVICE */
int sdd_query(sdd_topology *t, const sdd_query_plan *plan, int64_t first_row, int64_t n_rows, const struct sdd_run *run,
              sdd_rows **out, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_rows_info *sdd_rows_info(const sdd_rows *rows); /* Valid until sdd_rows_free. */
void sdd_rows_free(sdd_rows *rows);                              /* On the thread of its device; NULL is fine. */

#endif
