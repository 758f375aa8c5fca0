/* SPDX-License-Identifier: Apache-2.0 */
/* topology_build.c: the stages of a topology build in order, and the arrays that stay, for topology_create.c. */
#include "gpu/mesh/internal.h"
#include <math.h>
#include <stdlib.h>

int64_t build_scan_scratch(const struct build *b, int64_t n)
{
    return b->d->b->scan_scratch(b->d->dev, n);
}

int64_t build_sort_scratch(const struct build *b, int64_t n, int bits)
{
    return b->d->b->sort_scratch(b->d->dev, n, bits);
}

void build_count_word(struct build *b, int word, const int32_t *rank, int64_t n)
{
    if (n > 0)
        dev_copy(b->d, b->words + word, rank + n - 1, sizeof *rank);
}

void build_start_words(struct build *b)
{
    dev_fill(b->d, b->words, 0xff, W_N_EDGES * (int64_t)sizeof *b->words);
    dev_fill(b->d, b->words + W_N_EDGES, 0, (N_WORDS - W_N_EDGES) * (int64_t)sizeof *b->words);
}

int build_read_words(struct build *b, struct sdd_error *err)
{
    dev_download(b->d, b->word, b->words, sizeof b->word);
    return dev_finish(b->d, err);
}

int build_allocate(struct build *b, void (*lay_out)(struct build *, struct arena *), struct device_block *block,
                   struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    lay_out(b, &count);
    int rc = dev_alloc_more(b->d, b->d->used - b->used_before, count.used, &block->memory, err);
    if (rc)
        return rc;
    block->bytes = count.used;
    b->most = larger(b->most, b->d->used - b->used_before);
    real.base = block->memory;
    lay_out(b, &real);
    return SDD_OK;
}

static void lay_out_mesh(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    t->face_end = ARENA(a, int32_t, b->F);
    t->vert_begin = ARENA(a, uint32_t, b->V);
    t->vert_end = ARENA(a, uint32_t, b->V);
    t->vert_corner = ARENA(a, uint32_t, b->C);
    for (int k = 0; k < t->n_channels; k++) {
        t->channel[k].vert = ARENA(a, uint32_t, b->C);
        t->channel[k].edge = ARENA(a, uint32_t, b->C);
        t->channel[k].twin = topology_has_smooth_channels(t) ? ARENA(a, uint32_t, b->C) : NULL;
        t->channel[k].corner = topology_has_smooth_channels(t) ? ARENA(a, uint32_t, b->C) : NULL;
    }
}

static void lay_out_corners(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    int32_t size = t->info.max_face_size;
    int uniform = size == t->info.min_face_size && size <= 4;
    int64_t n_uniform = uniform ? b->C : 0, rows = b->C + b->G - n_uniform;
    t->vert = ARENA(a, uint32_t, b->C + b->G);
    t->twin = ARENA(a, uint32_t, b->C + b->G);
    t->edge = ARENA(a, uint32_t, b->C + b->G);
    b->next = rows > 0 ? ARENA(a, uint32_t, rows) : NULL;
    b->prev = rows > 0 ? ARENA(a, uint32_t, rows) : NULL;
    b->face = rows > 0 ? ARENA(a, uint32_t, rows) : NULL;
    t->faces = (struct sdd_faces){b->next, b->prev, b->face, (uint32_t)n_uniform, uniform ? (uint32_t)size : 0};
}

static void lay_out_edges(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    const struct sdd_mesh_desc *m = b->desc;
    int nonmanifold = !t->info.manifold;
    int sharp_edges = nonmanifold || b->B > 0 || m->n_creases > 0;
    int sharp_vertices =
        nonmanifold || m->n_corner_tags > 0 || (b->B > 0 && m->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER);
    t->edge_corner = ARENA(a, uint32_t, b->E);
    t->edge_sharp = sharp_edges ? ARENA(a, float, b->E) : NULL;
    t->vert_sharp = sharp_vertices ? ARENA(a, float, b->V) : NULL;
    t->feature_vertices.flag = sharp_edges ? ARENA(a, uint8_t, b->V) : NULL;
    for (int k = 0; k < t->n_channels; k++)
        build_lay_out_channel(b, a, t->channel + k);
}

/* Moves the corner arrays to longer ones with room for ghosts. The old ones stay until the build ends, because they
 * keep the twins as they are without ghosts. */
static int make_room_for_ghosts(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    const uint32_t *vert = t->vert, *edge = t->edge, *next = b->next, *prev = b->prev, *face = b->face;
    int64_t C = b->C * (int64_t)sizeof *vert;
    b->without_ghosts = t->part[SDD_PART_CORNERS];
    t->part[SDD_PART_CORNERS] = (struct device_block){NULL, 0};
    int rc = build_allocate(b, lay_out_corners, &t->part[SDD_PART_CORNERS], err);
    if (rc)
        return rc;
    dev_copy(b->d, t->vert, vert, C);
    dev_copy(b->d, t->edge, edge, C);
    dev_copy(b->d, t->twin, b->twin, C);
    if (t->faces.n_uniform > 0)
        return SDD_OK;
    dev_copy(b->d, b->next, next, C);
    dev_copy(b->d, b->prev, prev, C);
    dev_copy(b->d, b->face, face, C);
    return SDD_OK;
}

/* Shares the mesh and its corners with b->kept, whose laid out arrays are the same. */
static void share_parts(struct build *b)
{
    struct arena mesh, corners;
    sdd_topology *t = b->t;
    free(t->sharers);
    t->sharers = b->kept->sharers;
    ++*t->sharers;
    t->part[SDD_PART_MESH] = b->kept->part[SDD_PART_MESH];
    t->part[SDD_PART_CORNERS] = b->kept->part[SDD_PART_CORNERS];
    mesh = (struct arena){t->part[SDD_PART_MESH].memory, 0};
    corners = (struct arena){t->part[SDD_PART_CORNERS].memory, 0};
    lay_out_mesh(b, &mesh);
    lay_out_corners(b, &corners);
}

int build_allocate_parts(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = SDD_OK;
    if (b->kept)
        share_parts(b);
    else
        rc = build_allocate(b, lay_out_mesh, &t->part[SDD_PART_MESH], err);
    if (!rc && !b->kept)
        rc = build_allocate(b, lay_out_corners, &t->part[SDD_PART_CORNERS], err);
    if (!rc)
        rc = build_allocate(b, lay_out_edges, &t->part[SDD_PART_EDGES], err);
    b->twin = t->twin;
    return rc;
}

static int allocate_faces(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = build_allocate(b, lay_out_mesh, &t->part[SDD_PART_MESH], err);
    if (!rc)
        rc = build_allocate(b, lay_out_corners, &t->part[SDD_PART_CORNERS], err);
    if (!rc)
        rc = build_allocate(b, build_lay_out_faces, &b->faces, err);
    if (!rc)
        rc = build_allocate(b, build_lay_out_sort, &b->sort, err);
    b->twin = t->twin;
    return rc;
}

/* Reads back what stage "faces" found: how many edges there are, which of them are boundaries, and whether the mesh
 * is manifold. Then it makes room for the edges. */
static int allocate_edges(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = build_read_words(b, err);
    if (!rc)
        rc = build_fail_faces(b, err);
    if (rc)
        return rc;
    rc = build_split_channels(b, err);
    if (rc)
        return rc;
    b->E = (int64_t)(uint32_t)b->word[W_N_EDGES];
    b->B = t->info.n_boundary_edges = (int64_t)(uint32_t)b->word[W_N_BOUNDARY];
    for (int k = 0; k < t->n_channels; k++)
        t->channel[k].n_edges = (int64_t)(uint32_t)b->word[W_N_CHANNEL_EDGES + k];
    t->info.n_uv_edges = t->info.n_uvs ? t->channel[0].n_edges : 0;
    build_tell_fault(b);
    t->info.manifold = t->fault[0] == 0;
    if (!t->info.manifold) {
        rc = build_allocate(b, build_lay_out_nonmanifold, &b->nonmanifold, err);
        if (!rc)
            rc = build_count_split(b, err);
    } else if (b->B == 0) {
        /* Only the ranks of boundaries in there are still needed, and there are none. */
        block_give(b->d, &b->sort);
    }
    t->info.n_edges = b->E;
    b->G = t->info.manifold ? b->B : 0;
    return rc ? rc : build_allocate(b, lay_out_edges, &t->part[SDD_PART_EDGES], err);
}

/* The levels after which no edge is semi-sharp. The highest sharpness loses 1 on each level, but rounding may leave
 * a bit of that, so there is one level more. */
static int levels_of_chaikin(const struct sdd_mesh_desc *m)
{
    float most = 0.0f;
    for (int64_t i = 0; i < m->n_creases; i++)
        if (m->crease_sharpness[i] < 10.0f && m->crease_sharpness[i] > most)
            most = m->crease_sharpness[i];
    return (int)ceilf(most) + 1;
}

int build_finish(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = build_allocate(b, build_lay_out_tags, &b->tags_block, err);
    if (rc)
        return rc;
    build_run_tags(b);
    build_run_channels(b);
    build_count_feature_vertices(b);
    rc = build_read_words(b, err);
    if (!rc)
        rc = build_fail_tags(b, err);
    if (rc)
        return rc;
    build_run_ghosts(b);
    rc = build_read_words(b, err);
    if (rc)
        return rc;
    b->H = t->info.n_boundaries = b->kept ? b->kept->info.n_boundaries : (int64_t)(uint32_t)b->word[W_N_LOOPS];
    t->info.n_isolated = (int64_t)(uint32_t)b->word[W_N_ISOLATED];
    t->info.n_holes = (int64_t)(uint32_t)b->word[W_N_HOLES];
    t->feature_vertices.n = (int64_t)(uint32_t)b->word[W_N_FEATURES];
    for (int k = 0; k < t->n_channels; k++)
        t->channel[k].feature_vertices.n = (int64_t)(uint32_t)b->word[W_N_CHANNEL_FEATURES + k];
    t->n_semisharp = (int64_t)(uint32_t)b->word[W_N_SEMISHARP];
    t->chaikin_levels = levels_of_chaikin(b->desc);
    t->n_visible = b->hole ? (int64_t)(uint32_t)b->word[W_N_VISIBLE] : b->C;
    t->n_open = t->info.manifold ? b->B : (int64_t)(uint32_t)b->word[W_N_OPEN];
    t->info.max_valence = (int32_t)(~b->word[W_MOST_EDGES] >> 32);

    rc = build_allocate(b, build_lay_out_lists, &t->part[SDD_PART_LISTS], err);
    if (rc)
        return rc;
    build_run_lists(b);
    return dev_finish(b->d, err);
}

static int build_stages(struct build *b, struct sdd_error *err)
{
    int rc = allocate_faces(b, err);
    if (rc)
        return rc;
    build_run_faces(b);
    rc = allocate_edges(b, err);
    if (rc)
        return rc;
    build_run_edges(b);
    if (b->G > 0)
        rc = make_room_for_ghosts(b, err);
    return rc ? rc : build_finish(b, err);
}

void build_init(struct build *b, sdd_topology *t, const struct sdd_mesh_desc *desc)
{
    *b = (struct build){
        .t = t, .desc = desc, .d = t->device, .V = desc->n_vertices, .F = desc->n_faces, .C = desc->n_corners};
    b->used_before = b->d->used;
    b->bits = id_bits(b->V);
    b->tags = larger(larger(desc->n_creases, desc->n_corner_tags), desc->n_holes);
}

void build_end(struct build *b, int rc)
{
    if (rc) /* Queued work may still use the memory. */
        dev_drain(b->d);
    block_give(b->d, &b->faces);
    block_give(b->d, &b->sort);
    block_give(b->d, &b->nonmanifold);
    block_give(b->d, &b->tags_block);
    block_give(b->d, &b->without_ghosts);
    b->t->info.build_bytes = b->most;
}

int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err)
{
    struct build b;
    build_init(&b, t, desc);
    int rc = build_stages(&b, err);
    build_end(&b, rc);
    return rc;
}
