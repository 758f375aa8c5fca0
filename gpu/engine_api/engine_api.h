/* SPDX-License-Identifier: Apache-2.0 */
/* engine_api.h: the contract between engines and their caller. An engine is host C over a device, called by
 * refine/. It makes positions, normals and tangents in grid order, and may have a way of its own to refine rows of
 * other values. Indices and linear UVs are formulas over the topology and belong to no engine, except under sqrt3.
 * An engine is a folder of engines/ and a row of refine/engines.c. No engine knows another, and nothing below
 * refine/ knows which ones there are. Beside this header capabilities.h says what an engine can do, result.h how
 * blocks come to host memory, and quantise.h how they become compact. */
#ifndef SDD_ENGINE_API_H
#define SDD_ENGINE_API_H
#include "gpu/kernel/rows_out.h"
#include "gpu/mesh/mesh.h"

/* What one run gets: where to work and where to write. Each output may be NULL. All arrays are on the device. */
struct engine_run {
    const sdd_mesh *mesh;
    const struct sdd_refine_request *request;
    const atomic_int *cancel;                    /* Once it is not 0 the run stops between steps; may be NULL. */
    float *positions, *normals;                  /* Shape [grid points][3], unless the next two say another format. */
    struct sdd_rows_as positions_as, normals_as; /* The formats of the rows above. */
    float *tangents;                             /* Shape [grid points][6]. */
    void *scratch;                               /* As many bytes as `scratch` said. */
    uint32_t *indices; /* Shape [faces][3]. Only under scheme sqrt3 the engine writes indices and UVs. */
    float *uvs;        /* Shape [faces][3][2]. */
    /* The grid points whose positions are wanted. These are all, unless the engine has `ranges`. */
    int64_t first_row, n_rows;
};

/* Rows of values that are refined as positions are: values[rows of the mesh][width] go to out[rows][width], which
 * are those of the request's level or their limits. All arrays are on the device. */
struct engine_rows {
    const sdd_topology *topology;
    const struct topology_channel *channel; /* The channel over whose mesh they are; NULL for the control mesh. */
    const struct sdd_refine_request *request;
    const atomic_int *cancel; /* may be NULL */
    int width;
    const float *values; /* This and the following members are only set for a run. */
    float *out;
    struct sdd_rows_as as; /* The format of `out`. It is f32, except for UVs that `direct` names. */
    void *scratch;         /* As many bytes as `rows_scratch` said. */
};

/* What an engine does under the schemes of one kind. Where `run` is NULL, it does none of them. */
struct engine_steps {
    /* Checks whether the engine takes this mesh and level, beyond what its info says it can do at all. Fails with
     * SDD_ETOO_LARGE and the limit, or with SDD_EUNSUPPORTED and the reason. NULL means that it takes all. */
    int (*check)(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err);
    int64_t (*scratch)(const sdd_topology *t, const struct sdd_refine_request *r); /* The exact bytes. */
    /* Queues the work. Returns SDD_ECANCELLED between steps. */
    int (*run)(const struct engine_run *run, struct sdd_error *err);
};

/* An engine: what it is, and how it is called. It is constant, and one thread calls it at a time. */
struct engine {
    struct sdd_engine_info info;
    struct engine_steps of[SCHEME_KINDS];
    /* Makes what stays with the topology, before the memory of the run is asked for. NULL means that nothing does. */
    int (*prepare)(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                   struct sdd_error *err);
    int by_name_alone; /* Whether `auto` never chooses it, unless it pays. */
    /* Whether it makes these results in less time than others, once `prepare` has made its tables, which takes more
     * time than one result is worth. `auto` chooses it when it sees results that differ only in their positions. NULL
     * means that it never does. */
    int (*pays)(const sdd_topology *t, const struct sdd_refine_request *r);
    int ranges; /* Whether it makes a range of positions without the rest. */
    /* Says for people what it makes points of, after `prepare`. NULL means that it has only one way. */
    const char *(*by)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* Says which of the blocks that are to be compact (enum sdd_include) it writes as such, after `prepare`. NULL
     * means none. */
    int (*direct)(const sdd_topology *t, const struct sdd_refine_request *r);
    /* Runs n meshes of one topology at once, at most ENGINE_BATCH, when all rows of positions and nothing else are
     * asked for. Each has scratch of its own. NULL means that meshes run one after another. */
    int (*run_batch)(const struct engine_run *runs, int n, struct sdd_error *err);
    /* What `prepare` does, for rows of values. Where it is NULL, levels.h refines them level by level, without the
     * engine. */
    int (*prepare_rows)(const struct engine_rows *rows, struct sdd_error *err);
    int64_t (*rows_scratch)(const struct engine_rows *rows);                /* What `scratch` does, for them. */
    int (*run_rows)(const struct engine_rows *rows, struct sdd_error *err); /* What `run` does, for them. */
};
#define ENGINE_BATCH 64
/* Blocks of a request that engines make. For ENGINE_AROUND an engine must look around the points of the last level. */
enum { ENGINE_AROUND = SDD_NORMALS | SDD_TANGENTS, ENGINE_POINTS = SDD_POSITIONS | ENGINE_AROUND };

/* engine_check: whether the engine takes the mesh, as its steps say. Errors are theirs. */
static inline int engine_check(const struct engine *e, const sdd_topology *t, const struct sdd_refine_request *r,
                               struct sdd_error *err)
{
    const struct engine_steps *steps = e->of + t->scheme->kind;
    return steps->check ? steps->check(t, r, err) : SDD_OK;
}

#endif
