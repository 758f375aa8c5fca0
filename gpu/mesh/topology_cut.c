/* SPDX-License-Identifier: Apache-2.0 */
/* topology_cut.c: the control mesh cut along its infinitely sharp edges, for split normals. It is a mesh over the same
 * faces, as a channel is; most meshes have nothing to cut, and then there is none. */
#include "gpu/mesh/internal.h"
#include "gpu/mesh/kernels/cut_corners.k.h"
#include "gpu/mesh/kernels/cut_rows.k.h"
#include "gpu/mesh/kernels/cut_sectors.k.h"
#include "gpu/mesh/kernels/cut_sides.k.h"

/* What is needed while the mesh is cut: the further edges and sectors, with their inclusive scans. */
struct cutting {
    int32_t *side, *side_rank; /* Shape [C]. */
    int32_t *more, *more_rank; /* Shape [V]. */
    void *scan;
};

static void lay_out_cutting(const sdd_topology *t, struct arena *a, struct cutting *out)
{
    sdd_device *d = t->device;
    const int64_t V = t->info.n_vertices, C = t->info.n_corners;
    out->side = ARENA(a, int32_t, C);
    out->side_rank = ARENA(a, int32_t, C);
    out->more = ARENA(a, int32_t, V);
    out->more_rank = ARENA(a, int32_t, V);
    out->scan = ARENA(a, char, d->b->scan_scratch(d->dev, larger(V, C)));
}

static void lay_out_corners(const sdd_topology *t, struct arena *a, struct topology_channel *out)
{
    out->vert = ARENA(a, uint32_t, t->info.n_corners);
    out->edge = ARENA(a, uint32_t, t->info.n_corners);
    out->twin = ARENA(a, uint32_t, t->info.n_corners);
    out->corner = ARENA(a, uint32_t, t->info.n_corners);
}

static void lay_out_rows(const sdd_topology *t, struct arena *a, struct topology_channel *out)
{
    out->begin = ARENA(a, uint32_t, out->n_rows);
    out->end = ARENA(a, uint32_t, out->n_rows);
    out->edge_corner = ARENA(a, uint32_t, out->n_edges);
    out->edge_sharp = ARENA(a, float, out->n_edges);
    out->chaikin_row = t->chaikin_row ? ARENA(a, uint32_t, out->n_edges) : NULL;
}

/* Takes one more block, while the topology holds its parts and `also` bytes. */
static int take(sdd_topology *t, int64_t also, int64_t bytes, struct device_block *out, struct sdd_error *err)
{
    int64_t held = also;
    for (int k = 0; k < SDD_N_PARTS; k++)
        held += t->part[k].bytes;
    int rc = dev_alloc_more(t->device, held, bytes, &out->memory, err);
    out->bytes = rc ? 0 : bytes;
    t->info.build_bytes = larger(t->info.build_bytes, rc ? 0 : held + bytes);
    return rc;
}

static int take_part(sdd_topology *t, int64_t also, int part,
                     void (*lay_out)(const sdd_topology *, struct arena *, struct topology_channel *),
                     struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    lay_out(t, &count, &t->cut_mesh);
    int rc = take(t, also, count.used, &t->part[part], err);
    real.base = t->part[part].memory;
    if (!rc)
        lay_out(t, &real, &t->cut_mesh);
    return rc;
}

/* Finds the sectors and counts the rows and edges of the cut mesh. */
static int find_sectors(const sdd_topology *t, const struct cutting *w, struct topology_channel *cut,
                        struct sdd_error *err)
{
    sdd_device *d = t->device;
    const struct sdd_control m = topology_control(t);
    const int64_t V = t->info.n_vertices, C = t->info.n_corners;
    struct cut_sides_args sides = {m, w->side, t->scheme->is_linear};
    struct cut_sectors_args sectors = {m, cut->corner, cut->vert, w->more, t->scheme->is_linear};
    int32_t more = 0, n_sides = 0;
    DEV_LAUNCH(d, cut_sides, &sides, C);
    DEV_LAUNCH(d, cut_sectors, &sectors, V);
    dev_scan(d, w->side, w->side_rank, C, w->scan);
    dev_scan(d, w->more, w->more_rank, V, w->scan);
    dev_download(d, &n_sides, w->side_rank + C - 1, sizeof n_sides);
    dev_download(d, &more, w->more_rank + V - 1, sizeof more);
    int rc = dev_finish(d, err);
    cut->n_rows = V + more;
    cut->n_edges = t->info.n_edges + n_sides;
    return rc;
}

static int number(const sdd_topology *t, const struct cutting *w, struct topology_channel *cut, struct sdd_error *err)
{
    sdd_device *d = t->device;
    const struct sdd_control m = topology_control(t);
    struct cut_rows_args rows = {m, cut->corner, w->more_rank, cut->begin, cut->end, cut->vert};
    struct cut_corners_args corners = {m,
                                       w->side,
                                       w->side_rank,
                                       cut->edge,
                                       cut->twin,
                                       cut->edge_corner,
                                       cut->chaikin_row,
                                       cut->edge_sharp,
                                       t->scheme->is_linear};
    DEV_LAUNCH(d, cut_rows, &rows, t->info.n_vertices);
    DEV_LAUNCH(d, cut_corners, &corners, t->info.n_corners);
    return dev_finish(d, err);
}

int topology_cut_create(sdd_topology *t, struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    struct device_block block = {NULL, 0};
    struct topology_channel *cut = &t->cut_mesh;
    struct cutting w;
    if (t->scheme->kind == SCHEME_SQRT3 || (t->info.manifold && !t->has_infinite && !t->scheme->is_linear))
        return SDD_OK;
    lay_out_cutting(t, &count, &w);
    int rc = take(t, 0, count.used, &block, err);
    if (rc)
        return rc;
    real.base = block.memory;
    lay_out_cutting(t, &real, &w);
    rc = take_part(t, block.bytes, SDD_PART_CUT_CORNERS, lay_out_corners, err);
    if (!rc)
        rc = find_sectors(t, &w, cut, err);
    const int any = !rc && (cut->n_rows > t->info.n_vertices || cut->n_edges > t->info.n_edges);
    if (any)
        rc = take_part(t, block.bytes, SDD_PART_CUT_ROWS, lay_out_rows, err);
    if (any && !rc)
        rc = number(t, &w, cut, err);
    if (any && !rc)
        t->cut = cut;
    else
        block_give(t->device, &t->part[SDD_PART_CUT_CORNERS]);
    if (rc)
        dev_drain(t->device);
    block_give(t->device, &block);
    return rc;
}
