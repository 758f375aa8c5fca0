/* SPDX-License-Identifier: Apache-2.0 */
/* topology_build.c: the stages of a topology build, in order, and the arrays that stay. */
#include "gpu/topology_build.h"
#include "gpu/kernels/open_twins.h"

int build_bits(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << bits < n)
        bits++;
    return bits;
}

int64_t build_scratch(struct build *b, int64_t n, int bits)
{
    const struct sdd_backend *k = b->d->b;
    return build_larger(k->scan_scratch(b->d->dev, n), k->sort_scratch(b->d->dev, n, bits));
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

int build_place(struct build *b, void (*lay_out)(struct build *, struct arena *), void **memory, int64_t *bytes,
                struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    lay_out(b, &count);
    int rc = dev_alloc(b->d, count.used, memory, err);
    if (rc)
        return rc;
    *bytes = count.used;
    real.base = *memory;
    lay_out(b, &real);
    return SDD_OK;
}

static void lay_out_kept(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    int64_t corners = b->C + b->G;
    const struct sdd_mesh_desc *m = b->desc;
    int odd = !t->info.manifold;
    int sharp_vertices =
        odd || m->n_corner_tags > 0 || (b->B > 0 && m->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER);
    t->face_end = ARENA(a, int32_t, b->F);
    t->vert = ARENA(a, uint32_t, corners);
    t->face = ARENA(a, uint32_t, corners);
    t->next = ARENA(a, uint32_t, corners);
    t->prev = ARENA(a, uint32_t, corners);
    t->twin = ARENA(a, uint32_t, corners);
    t->edge = ARENA(a, uint32_t, corners);
    t->vert_begin = ARENA(a, uint32_t, b->V);
    t->vert_end = ARENA(a, uint32_t, b->V);
    t->vert_corner = ARENA(a, uint32_t, b->C);
    t->edge_corner = ARENA(a, uint32_t, b->E);
    t->edge_sharp = odd || b->B > 0 || m->n_creases > 0 ? ARENA(a, float, b->E) : NULL;
    t->vert_sharp = sharp_vertices ? ARENA(a, float, b->V) : NULL;
    t->uv = m->n_uvs > 0 ? ARENA(a, uint32_t, b->C) : NULL;
    t->uv_edge = m->n_uvs > 0 ? ARENA(a, uint32_t, b->C) : NULL;
    t->uv_edge_corner = m->n_uvs > 0 ? ARENA(a, uint32_t, b->E_uv) : NULL;
}

static void keep_arrays(struct build *b)
{
    sdd_topology *t = b->t;
    int64_t C = b->C * 4, V = b->V * 4;
    dev_copy(b->d, t->face_end, b->end, b->F * 4);
    dev_copy(b->d, t->vert, b->vert, C);
    dev_copy(b->d, t->face, b->face, C);
    dev_copy(b->d, t->next, b->next, C);
    dev_copy(b->d, t->prev, b->prev, C);
    dev_copy(b->d, t->twin, b->twin, C);
    dev_copy(b->d, t->edge, b->edge, C);
    dev_copy(b->d, t->vert_begin, b->begin, V);
    dev_copy(b->d, t->vert_end, b->end_of_vertex, V);
    dev_copy(b->d, t->vert_corner, b->vert_corner, C);
    dev_copy(b->d, t->edge_corner, b->edge_corner, b->E * 4);
    struct open_twins_args open = {b->border_rank, t->twin, (uint32_t)b->C};
    if (!t->info.manifold)
        DEV_LAUNCH(b->d, open_twins, &open, b->C);
    if (t->uv) {
        dev_copy(b->d, t->uv, b->uv, C);
        dev_copy(b->d, t->uv_edge, b->uv_edge, C);
        dev_copy(b->d, t->uv_edge_corner, b->uv_edge_corner, b->E_uv * 4);
    }
}

static int build_stages(struct build *b, struct sdd_error *err)
{
    sdd_topology *t = b->t;
    int rc = build_place(b, build_lay_out_faces, &b->memory, &b->bytes, err);
    if (rc)
        return rc;
    build_run_faces(b);
    rc = build_read_words(b, err);
    if (!rc)
        rc = build_fail_faces(b, err);
    if (rc)
        return rc;
    b->E = t->info.n_edges = (int64_t)(uint32_t)b->word[W_N_EDGES];
    b->B = t->info.n_boundary_edges = (int64_t)(uint32_t)b->word[W_N_BORDER];
    b->E_uv = t->info.n_uv_edges = (int64_t)(uint32_t)b->word[W_N_UV_EDGES];
    build_tell_fault(b);
    t->info.manifold = t->fault[0] == 0;
    if (!t->info.manifold) {
        rc = build_place(b, build_lay_out_kind, &b->memory3, &b->bytes3, err);
        if (!rc)
            rc = build_edges_apart(b, err);
        if (rc)
            return rc;
        t->info.n_edges = b->E;
    }
    b->G = t->info.manifold ? b->B : 0;

    rc = build_place(b, lay_out_kept, &t->memory, &t->memory_bytes, err);
    if (!rc)
        rc = build_place(b, build_lay_out_tags, &b->memory2, &b->bytes2, err);
    if (rc)
        return rc;
    keep_arrays(b);
    build_run_tags(b);
    rc = build_read_words(b, err);
    if (!rc)
        rc = build_fail_tags(b, err);
    if (rc)
        return rc;
    build_run_ghosts(b);
    rc = build_read_words(b, err);
    if (rc)
        return rc;
    b->H = t->info.n_boundaries = (int64_t)(uint32_t)b->word[W_N_LOOPS];
    t->info.n_isolated = (int64_t)(uint32_t)b->word[W_N_ISOLATED];
    t->info.n_holes = (int64_t)(uint32_t)b->word[W_N_HOLES];
    t->n_shown = b->hole ? (int64_t)(uint32_t)b->word[W_N_SHOWN] : b->C;
    t->n_open = t->info.manifold ? b->B : (int64_t)(uint32_t)b->word[W_N_OPEN];
    t->info.max_valence = (int32_t)(~b->word[W_MOST_EDGES] >> 32);

    rc = build_place(b, build_lay_out_lists, &t->lists, &t->lists_bytes, err);
    if (rc)
        return rc;
    build_run_lists(b);
    t->info.build_bytes = b->bytes + b->bytes2 + b->bytes3 + t->memory_bytes + t->lists_bytes;
    return dev_finish(b->d, err);
}

int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err)
{
    struct build b = {
        .t = t, .desc = desc, .d = t->device, .V = desc->n_vertices, .F = desc->n_faces, .C = desc->n_corners};
    b.bits = build_bits(b.V);
    b.tags = build_larger(build_larger(desc->n_creases, desc->n_corner_tags), desc->n_holes);
    int rc = build_stages(&b, err);
    if (rc) /* queued work may still use the memory */
        dev_drain(b.d);
    dev_free(b.d, b.memory, b.bytes);
    dev_free(b.d, b.memory2, b.bytes2);
    dev_free(b.d, b.memory3, b.bytes3);
    return rc;
}
