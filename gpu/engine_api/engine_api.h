/* SPDX-License-Identifier: Apache-2.0 */
/* engine_api.h: the door of what engines and their caller agree on. An engine is host C over a device, called by
 * refine/: it makes positions, normals and tangents in grid order, and may have a way of its own for rows of values
 * that are refined along. Indices and linear UVs are formulas over the topology and belong to all engines, but for
 * those of sqrt3. An engine is a folder of engines/ and a row of refine/engines.c; no engine knows another, and nothing
 * below refine/ knows which there are. Beside it capabilities.h says what an engine can do, result.h how blocks come to
 * host memory, quantise.h how they become compact. */
#ifndef SDD_ENGINE_API_H
#define SDD_ENGINE_API_H
#include "gpu/kernel/rows_out.h"
#include "gpu/mesh/mesh.h"

/* What one run gets: where to work and where to write. Each output may be NULL. */
struct engine_run {
    const sdd_mesh *mesh;
    const struct sdd_refine_request *request;
    const atomic_int *cancel;   /* may be NULL */
    float *positions, *normals; /* device, [n grid points][3], or of 16 bits where the engine makes that: .. */
    struct sdd_rows_as positions_as, normals_as;
    float *tangents;           /* device, [n grid points][6] */
    void *scratch;             /* device, as many bytes as `scratch` said */
    uint32_t *indices;         /* device, [faces][3]; only under scheme sqrt3, where the engine writes them */
    float *uvs;                /* device, [faces][3][2]; as indices */
    int64_t first_row, n_rows; /* of the grid points: those that positions has. All, unless the engine has `ranges` */
};

/* Rows of values that are refined as positions are: values [rows of the mesh][width] -> out [rows of the request's
 * level, or their limits][width]. */
struct engine_rows {
    const sdd_topology *topology;
    const struct topology_channel *channel; /* over whose mesh; NULL: over the control mesh */
    const struct sdd_refine_request *request;
    const atomic_int *cancel; /* may be NULL */
    int width;
    const float *values;   /* device; this and what follows are there in a run alone */
    float *out;            /* device */
    struct sdd_rows_as as; /* what `out` has: f32, but of UVs where `direct` says else */
    void *scratch;         /* device, as many bytes as `rows_scratch` said */
};

struct engine {
    struct sdd_engine_info info;
    /* Does it take this mesh and level? Else SDD_ETOO_LARGE with the limit, or SDD_EUNSUPPORTED with the reason; what
     * it can do at all is in its info. */
    int (*check)(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err);
    /* Makes what stays with the topology, before the memory of the run is asked for; NULL: nothing does. */
    int (*prepare)(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                   struct sdd_error *err);
    /* Exact bytes, the same for a range of rows as for all, and before `prepare` as after it. */
    int64_t (*scratch)(const sdd_topology *t, const struct sdd_refine_request *r);
    int (*run)(const struct engine_run *run, struct sdd_error *err); /* queues; SDD_ECANCELLED between steps */
    int by_name_alone;                                               /* `auto` never takes it, unless it pays */
    /* Does it make these frames in less time than others once `prepare` has made its tables, which takes more time than
     * one frame is worth? `auto` takes it when frames of which positions alone are new follow each other. NULL when it
     * never does. */
    int (*pays)(const sdd_topology *t, const struct sdd_refine_request *r);
    int ranges; /* makes a range of positions without the rest */
    /* What it makes points of, after `prepare`, for people to read; NULL: it has but one way. */
    const char *(*by)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* Which of the blocks that are to be compact (enum sdd_include) it makes as such, after `prepare`; NULL: none. */
    int (*direct)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* run, of n meshes of one topology at once, at most ENGINE_BATCH, when all rows of positions and nothing else is
     * asked for; each has scratch of its own. NULL: mesh after mesh. */
    int (*run_batch)(const struct engine_run *runs, int n, struct sdd_error *err);
    /* The same three steps for rows of values; NULL: they are refined level by level (levels.h), by no engine. */
    int (*prepare_rows)(const struct engine_rows *rows, struct sdd_error *err);
    int64_t (*rows_scratch)(const struct engine_rows *rows);
    int (*run_rows)(const struct engine_rows *rows, struct sdd_error *err);
};
#define ENGINE_BATCH 64
/* What of a request is an engine's: for what it must look around the points of the last level; all of it. */
enum { ENGINE_AROUND = SDD_NORMALS | SDD_TANGENTS, ENGINE_POINTS = SDD_POSITIONS | ENGINE_AROUND };

#endif
