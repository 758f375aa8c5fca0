/* SPDX-License-Identifier: Apache-2.0 */
/* topology_tags.c: stages "tags", "ghosts" and "lists" of a topology build, for topology_build.c: creases, corners,
 * holes and what boundaries imply, and then the ghosts that close the surface. */
#include "gpu/mesh/internal.h"
#include "gpu/mesh/kernels/chaikin_rows.k.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/mesh/kernels/corner_apply.k.h"
#include "gpu/mesh/kernels/crease_apply.k.h"
#include "gpu/mesh/kernels/crease_keys.k.h"
#include "gpu/mesh/kernels/edge_implicit.k.h"
#include "gpu/mesh/kernels/ghost_corners.k.h"
#include "gpu/mesh/kernels/ghost_faces.k.h"
#include "gpu/mesh/kernels/ghost_heads.k.h"
#include "gpu/mesh/kernels/ghost_jump.k.h"
#include "gpu/mesh/kernels/ghost_labels.k.h"
#include "gpu/mesh/kernels/hole_apply.k.h"
#include "gpu/mesh/isolated_flags.k.h"
#include "gpu/mesh/kernels/open_twins.k.h"
#include "gpu/mesh/kernels/mark_semisharp_edges.k.h"
#include "gpu/mesh/kernels/visible_corners.k.h"
#include "gpu/mesh/kernels/boundary_none_faces.k.h"
#include "gpu/mesh/kernels/vertex_implicit.k.h"
#include "gpu/mesh/kernels/vertex_keys.k.h"
#include "gpu/mesh/kernels/nonmanifold_vertices.k.h"
#include "gpu/mesh/kernels/feature_flags.k.h"
#include "gpu/mesh/kernels/feature_vertices.k.h"

void build_lay_out_tags(struct build *b, struct arena *a)
{
    const struct sdd_options *o = &b->desc->options;
    const int is_linear = b->t->scheme->is_linear;
    int soft = o->boundary == SDD_BOUNDARY_NONE && !is_linear, holes = b->desc->n_holes > 0 || soft;
    int semi = o->crease_method == SDD_CREASE_CHAIKIN && !is_linear && b->desc->n_creases > 0;
    b->isolated_flag = ARENA(a, int32_t, b->V);
    b->isolated_rank = ARENA(a, int32_t, b->V);
    int64_t rows = b->t->edge_sharp ? b->V : 0;
    for (int k = 0; k < b->t->n_channels && topology_has_smooth_channels(b->t); k++)
        rows = larger(rows, b->t->channel[k].n_rows);
    b->feature_flag = ARENA(a, int32_t, rows);
    b->feature_rank = ARENA(a, int32_t, rows);
    b->tag_keys = ARENA(a, uint64_t, b->tags);
    b->tag_sorted = ARENA(a, uint64_t, b->tags);
    b->tag_pairs = ARENA(a, int32_t, 2 * b->tags);
    b->tag_values = ARENA(a, int32_t, b->tags);
    b->tag_rows = ARENA(a, int32_t, b->tags);
    b->tag_sharp = ARENA(a, float, b->tags);
    b->hole = holes ? ARENA(a, uint32_t, b->F) : NULL;
    b->soft = soft ? ARENA(a, uint32_t, b->V) : NULL;
    b->visible_flag = holes ? ARENA(a, int32_t, b->C) : NULL;
    b->visible_rank = holes ? ARENA(a, int32_t, b->C) : NULL;
    b->boundary = ARENA(a, uint32_t, b->G);
    b->label = ARENA(a, uint32_t, b->G);
    b->jump = ARENA(a, uint32_t, b->G);
    b->label2 = ARENA(a, uint32_t, b->G);
    b->jump2 = ARENA(a, uint32_t, b->G);
    b->loop_flag = ARENA(a, int32_t, b->G);
    b->loop_rank = ARENA(a, int32_t, b->G);
    b->semisharp_flag = semi ? ARENA(a, int32_t, b->E) : NULL;
    b->semisharp_rank = semi ? ARENA(a, int32_t, b->E) : NULL;
    b->scratch2 = ARENA(a, char,
                        larger(build_sort_scratch(b, larger(b->tags, 1), 2 * b->bits),
                               build_scan_scratch(b, larger(larger(b->C, b->V), rows))));
}

static void apply_creases(struct build *b)
{
    const struct sdd_mesh_desc *m = b->desc;
    sdd_topology *t = b->t;
    int64_t n = m->n_creases;
    struct crease_keys_args keys = {b->tag_pairs,   b->tag_keys, b->tag_values, b->words + W_CREASE_VERTEX,
                                    (uint32_t)b->V, b->bits};
    struct crease_apply_args apply = {b->tag_sorted,
                                      b->tag_rows,
                                      b->tag_sharp,
                                      t->edge_corner,
                                      t->vert,
                                      t->faces,
                                      t->edge_sharp,
                                      b->words + W_CREASE_EDGE,
                                      n,
                                      b->E,
                                      b->bits};
    dev_upload(b->d, b->tag_pairs, m->crease_edges, 2 * n * (int64_t)sizeof(int32_t));
    dev_upload(b->d, b->tag_sharp, m->crease_sharpness, n * (int64_t)sizeof(float));
    DEV_LAUNCH(b->d, crease_keys, &keys, n);
    dev_sort(b->d, b->tag_keys, b->tag_sorted, b->tag_values, b->tag_rows, n, 2 * b->bits, b->scratch2);
    DEV_LAUNCH(b->d, crease_apply, &apply, n);
}

static void apply_corners(struct build *b)
{
    const struct sdd_mesh_desc *m = b->desc;
    int64_t n = m->n_corner_tags;
    struct vertex_keys_args keys = {(const uint32_t *)b->tag_pairs, b->tag_keys, b->tag_values};
    struct corner_apply_args apply = {b->tag_sorted,           b->tag_rows, b->tag_sharp,  b->t->vert_sharp,
                                      b->words + W_CORNER_TAG, n,           (uint32_t)b->V};
    dev_upload(b->d, b->tag_pairs, m->corner_vertices, n * (int64_t)sizeof(int32_t));
    dev_upload(b->d, b->tag_sharp, m->corner_sharpness, n * (int64_t)sizeof(float));
    DEV_LAUNCH(b->d, vertex_keys, &keys, n);
    dev_sort(b->d, b->tag_keys, b->tag_sorted, b->tag_values, b->tag_rows, n, b->bits, b->scratch2);
    DEV_LAUNCH(b->d, corner_apply, &apply, n);
}

/* Authored sharpness comes first, then what boundaries imply, then holes. This is the order of OpenSubdiv's factory. */
void build_run_tags(struct build *b)
{
    sdd_topology *t = b->t;
    sdd_device *d = b->d;
    const struct sdd_mesh_desc *m = b->desc;
    struct edge_implicit_args edges = {t->edge_corner, t->vert,       b->twin, t->faces,
                                       b->kind,        t->edge_sharp, b->soft, (uint32_t)b->C};
    struct vertex_implicit_args vertices = {t->vert_begin, t->vert_end, t->vert_sharp};
    struct nonmanifold_vertices_args nonmanifold = {t->vert_begin,
                                                    t->vert_end,
                                                    t->edge,
                                                    b->twin,
                                                    t->edge_corner,
                                                    b->kind,
                                                    t->faces,
                                                    (const int32_t *)t->vert_corner,
                                                    t->vert_sharp,
                                                    b->words + W_MOST_EDGES,
                                                    t->scheme->kind == SCHEME_SQRT3};

    struct isolated_flags_args isolated = {t->vert_begin, t->vert_end, b->isolated_flag};
    struct mark_semisharp_edges_args semi = {t->edge_sharp, b->semisharp_flag};
    DEV_LAUNCH(d, isolated_flags, &isolated, b->V);
    dev_scan(d, b->isolated_flag, b->isolated_rank, b->V, b->scratch2);
    build_count_word(b, W_N_ISOLATED, b->isolated_rank, b->V);
    if (t->edge_sharp)
        dev_fill(d, t->edge_sharp, 0, b->E * (int64_t)sizeof(float));
    if (t->vert_sharp)
        dev_fill(d, t->vert_sharp, 0, b->V * (int64_t)sizeof(float));
    apply_creases(b);
    apply_corners(b);
    if (b->soft)
        dev_fill(d, b->soft, 0, b->V * (int64_t)sizeof(uint32_t));
    if (b->B > 0 || b->kind)
        DEV_LAUNCH(d, edge_implicit, &edges, b->E);
    if (b->semisharp_flag) {
        DEV_LAUNCH(d, mark_semisharp_edges, &semi, b->E);
        dev_scan(d, b->semisharp_flag, b->semisharp_rank, b->E, b->scratch2);
        build_count_word(b, W_N_SEMISHARP, b->semisharp_rank, b->E);
    }
    if (m->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER && (b->B > 0 || b->kind))
        DEV_LAUNCH(d, vertex_implicit, &vertices, b->V);
    if (b->kind)
        DEV_LAUNCH(d, nonmanifold_vertices, &nonmanifold, b->V);
    if (!b->hole)
        return;
    struct hole_apply_args holes = {b->tag_pairs, b->hole, b->words + W_HOLE, (uint32_t)b->F};
    struct boundary_none_faces_args soft = {t->face_end, t->vert, b->soft, b->hole};
    struct visible_corners_args visible = {b->hole, t->faces, b->visible_flag};
    dev_fill(d, b->hole, 0, b->F * (int64_t)sizeof(uint32_t));
    dev_upload(d, b->tag_pairs, m->hole_faces, m->n_holes * (int64_t)sizeof(int32_t));
    DEV_LAUNCH(d, hole_apply, &holes, m->n_holes);
    if (b->soft && (b->B > 0 || b->kind))
        DEV_LAUNCH(d, boundary_none_faces, &soft, b->F);
    /* Only the count is needed; visible_rank is written again below. */
    dev_scan(d, (const int32_t *)b->hole, b->visible_rank, b->F, b->scratch2);
    build_count_word(b, W_N_HOLES, b->visible_rank, b->F);
    DEV_LAUNCH(d, visible_corners, &visible, b->C);
    dev_scan(d, b->visible_flag, b->visible_rank, b->C, b->scratch2);
    build_count_word(b, W_N_VISIBLE, b->visible_rank, b->C);
}

/* Where the ghosts begin in a table of faces. A closed mesh of uniform faces has no tables. */
static uint32_t *ghost_rows(const struct build *b, uint32_t *table)
{
    return table ? table + (b->C - b->t->faces.n_uniform) : NULL;
}

void build_run_ghosts(struct build *b)
{
    sdd_topology *t = b->t;
    struct compact_args list = {b->flag, b->boundary_rank, b->boundary};
    struct ghost_corners_args ghosts = {b->boundary,
                                        b->boundary_rank,
                                        b->twin,
                                        t->faces,
                                        t->vert,
                                        t->edge,
                                        t->twin,
                                        ghost_rows(b, b->next),
                                        ghost_rows(b, b->prev),
                                        b->label,
                                        b->jump,
                                        (uint32_t)b->C};
    struct ghost_labels_args labels = {ghost_rows(b, b->next), b->label, b->jump, (uint32_t)b->C};
    struct ghost_jump_args there = {b->label, b->jump, b->label2, b->jump2},
                           back = {b->label2, b->jump2, b->label, b->jump};
    if (b->kept)
        return;
    if (b->boundary_rank) {
        DEV_LAUNCH(b->d, compact, &list, b->G > 0 ? b->C : 0);
        DEV_LAUNCH(b->d, ghost_corners, &ghosts, b->G);
    } else {
        DEV_LAUNCH(b->d, ghost_labels, &labels, b->G);
    }
    for (int64_t reach = 1; reach < b->G; reach *= 4) {
        DEV_LAUNCH(b->d, ghost_jump, &there, b->G);
        DEV_LAUNCH(b->d, ghost_jump, &back, b->G);
    }
    struct ghost_heads_args heads = {b->label, b->loop_flag};
    DEV_LAUNCH(b->d, ghost_heads, &heads, b->G);
    dev_scan(b->d, b->loop_flag, b->loop_rank, b->G, b->scratch2);
    build_count_word(b, W_N_LOOPS, b->loop_rank, b->G);
}

int build_fail_tags(const struct build *b, struct sdd_error *err)
{
    const struct sdd_mesh_desc *m = b->desc;
    const uint64_t *w = b->word;
    uint64_t most = ~w[W_MOST_EDGES] >> 32;
    if (most > SDD_MAX_FACE_SIZE)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "vertex %llu has %llu edges; %d are allowed",
                        (unsigned long long)(w[W_MOST_EDGES] & 0xffffffffu), (unsigned long long)most,
                        SDD_MAX_FACE_SIZE);
    uint64_t crease = w[W_CREASE_VERTEX] < w[W_CREASE_EDGE] ? w[W_CREASE_VERTEX] : w[W_CREASE_EDGE];
    if (crease != ~0ull)
        return sdd_fail(err, SDD_EMESH, "creaseIndices", "crease %llu (%d, %d) names %s", (unsigned long long)crease,
                        m->crease_edges[2 * crease], m->crease_edges[2 * crease + 1],
                        crease == w[W_CREASE_VERTEX] ? "a vertex that does not exist" : "an edge that no face has");
    if (w[W_CORNER_TAG] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "cornerIndices", "corner %llu names vertex %d of %lld",
                        (unsigned long long)w[W_CORNER_TAG], m->corner_vertices[w[W_CORNER_TAG]], (long long)b->V);
    if (w[W_HOLE] != ~0ull)
        return sdd_fail(err, SDD_EMESH, "holeIndices", "hole %llu names face %d of %lld", (unsigned long long)w[W_HOLE],
                        m->hole_faces[w[W_HOLE]], (long long)b->F);
    return SDD_OK;
}

/* Ranks the feature vertices among n, which are flagged. */
static void rank_feature_vertices(struct build *b, const struct topology_feature_vertices *r, int64_t n)
{
    struct feature_flags_args args = {r->flag, b->feature_flag};
    DEV_LAUNCH(b->d, feature_flags, &args, n);
    dev_scan(b->d, b->feature_flag, b->feature_rank, n, b->scratch2);
}

/* Flags and ranks the feature vertices of the control mesh, or of channel k; -1 stands for the former. */
static void count_feature_vertices(struct build *b, int k)
{
    const sdd_topology *t = b->t;
    const struct topology_channel *c = k < 0 ? NULL : t->channel + k;
    const struct topology_feature_vertices *r = c ? &c->feature_vertices : &t->feature_vertices;
    struct feature_vertices_args args = {topology_channel_control(t, c), NULL, r->flag};
    if (!c)
        args.mesh.twin = b->twin;
    if (!b->update || !b->shortcuts->features(b->update, k))
        DEV_LAUNCH(b->d, feature_vertices, &args, args.mesh.n_vertices);
    rank_feature_vertices(b, r, args.mesh.n_vertices);
    build_count_word(b, c ? W_N_CHANNEL_FEATURES + k : W_N_FEATURES, b->feature_rank, args.mesh.n_vertices);
}

void build_count_feature_vertices(struct build *b)
{
    if (b->t->feature_vertices.flag)
        count_feature_vertices(b, -1);
    for (int k = 0; k < b->t->n_channels && topology_has_smooth_channels(b->t); k++)
        count_feature_vertices(b, k);
}

/* Ranks the feature vertices once more, because now there is room for the lists. */
static void list_feature_vertices(struct build *b)
{
    const sdd_topology *t = b->t;
    for (int k = -1; k < t->n_channels; k++) {
        const struct topology_feature_vertices *r = k < 0 ? &t->feature_vertices : &t->channel[k].feature_vertices;
        const int64_t n = k < 0 ? b->V : t->channel[k].n_rows;
        struct compact_args list = {b->feature_flag, b->feature_rank, r->list};
        if (r->n == 0)
            continue;
        rank_feature_vertices(b, r, n);
        DEV_LAUNCH(b->d, compact, &list, n);
    }
}

void build_lay_out_lists(struct build *b, struct arena *a)
{
    sdd_topology *t = b->t;
    t->ghost_first = b->H > 0 ? ARENA(a, uint32_t, b->H) : NULL;
    t->visible = b->hole ? ARENA(a, uint32_t, t->n_visible) : NULL;
    t->feature_vertices.list = t->feature_vertices.n > 0 ? ARENA(a, uint32_t, t->feature_vertices.n) : NULL;
    for (int k = 0; k < t->n_channels; k++)
        t->channel[k].feature_vertices.list = ARENA(a, uint32_t, t->channel[k].feature_vertices.n);
    t->isolated = t->info.n_isolated > 0 ? ARENA(a, uint32_t, t->info.n_isolated) : NULL;
    t->chaikin_row = t->n_semisharp > 0 ? ARENA(a, uint32_t, b->E) : NULL;
    t->chaikin_edge = t->n_semisharp > 0 ? ARENA(a, uint32_t, t->n_semisharp) : NULL;
    t->chaikin_part = t->n_semisharp > 0 ? ARENA(a, float, t->n_semisharp) : NULL;
    build_lay_out_channel_lists(b, a);
}

void build_run_lists(struct build *b)
{
    sdd_topology *t = b->t;
    struct ghost_faces_args ghosts = {b->label,       b->loop_rank,   ghost_rows(b, b->face),
                                      t->ghost_first, (uint32_t)b->C, (uint32_t)b->F};
    struct compact_args visible = {b->visible_flag, b->visible_rank, t->visible};
    struct open_twins_args open = {b->boundary_rank, t->twin, (uint32_t)b->C};
    struct compact_args isolated = {b->isolated_flag, b->isolated_rank, t->isolated};
    struct chaikin_rows_args rows = {t->edge_sharp, b->semisharp_rank, t->chaikin_row, t->chaikin_edge,
                                     t->chaikin_part};
    if (b->kept)
        dev_copy(b->d, t->ghost_first, b->kept->ghost_first, b->H * (int64_t)sizeof *t->ghost_first);
    else
        DEV_LAUNCH(b->d, ghost_faces, &ghosts, b->G);
    if (t->visible)
        DEV_LAUNCH(b->d, compact, &visible, b->C);
    if (b->kind)
        DEV_LAUNCH(b->d, open_twins, &open, b->C);
    if (t->isolated)
        DEV_LAUNCH(b->d, compact, &isolated, b->V);
    if (t->chaikin_row) {
        DEV_LAUNCH(b->d, chaikin_rows, &rows, b->E);
        build_run_channel_lists(b);
    }
    list_feature_vertices(b);
}
