/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: what an engine is: host C over a device, called by refine.c. It makes positions, normals and tangents in
 * grid order; indices and linear UVs are formulas over the topology and belong to all engines, but for those of sqrt3.
 */
#ifndef SDD_ENGINE_H
#define SDD_ENGINE_H
#include "gpu/kernel/rows_out.h"
#include "gpu/mesh/mesh.h"

/* What one run gets: where to work and where to write. Each output may be NULL. */
struct engine_run {
    const sdd_mesh *mesh;
    const struct sdd_refine_request *request;
    float *positions, *normals; /* device, [n grid points][3], or of 16 bits where the engine makes that: .. */
    struct sdd_rows_as positions_as, normals_as;
    float *tangents;           /* device, [n grid points][6] */
    void *scratch;             /* device, as many bytes as `scratch` said */
    uint32_t *indices;         /* device, [faces][3]; only under scheme sqrt3, where the engine writes them */
    float *uvs;                /* device, [faces][3][2]; as indices */
    int64_t first_row, n_rows; /* of the grid points: those that positions has. All, unless the engine has `ranges` */
};

struct engine {
    const struct sdd_engine_info *info; /* its row of sdd_engine_table */
    /* Does it take this mesh and level? Else SDD_ETOO_LARGE with the limit, or SDD_EUNSUPPORTED with the reason; what
     * it can do at all is in its info. */
    int (*check)(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err);
    /* Makes what stays with the topology, before the memory of the run is asked for; NULL: nothing does. */
    int (*prepare)(const sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err);
    int64_t (*scratch)(const sdd_topology *t, const struct sdd_refine_request *r); /* exact bytes */
    int (*run)(const struct engine_run *run, struct sdd_error *err); /* queues; SDD_ECANCELLED between steps */
    int by_name_alone;                                               /* `auto` never takes it */
    int ranges; /* makes a range of positions without the rest; `scratch` is that of the request's range */
    /* What it makes points of, after `prepare`, for people to read; NULL: it has but one way. */
    const char *(*by)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* Which of the blocks that are to be compact (enum sdd_include) it makes as such, after `prepare`; NULL: none. */
    int (*direct)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* run, of n meshes of one topology at once, at most ENGINE_BATCH, when all rows of positions and nothing else is
     * asked for; each has scratch of its own. NULL: mesh after mesh. */
    int (*run_batch)(const struct engine_run *runs, int n, struct sdd_error *err);
};
#define ENGINE_BATCH 64
/* What of a request is an engine's: for what it must look around the points of the last level; all of it. */
enum { ENGINE_AROUND = SDD_NORMALS | SDD_TANGENTS, ENGINE_POINTS = SDD_POSITIONS | ENGINE_AROUND };
extern const struct engine *const sdd_engines[]; /* THE engine table, in order of preference; ends with NULL */
extern const struct engine sdd_engine_edge_friend, sdd_engine_mesh_matrix, sdd_engine_mesh_matrix_spla,
    sdd_engine_tabulated, sdd_engine_subdivision_matrix;

#endif
