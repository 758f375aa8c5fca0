/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of meshes, as tiles_get makes them, against Lloyd's rounds and ribbons by trying everything. So these
 * kernels are checked together, each by what comes out of it: cluster_own, cluster_components, cluster_keys,
 * cluster_bounds, cluster_seeds, cluster_take, cluster_sow, cluster_grow, cluster_peel, cluster_centres, cluster_more,
 * cluster_split; ribbon_count, ribbon_fill, tile_sizes, tile_faces, tile_keys, tile_numbers, tile_locals, tile_edges,
 * tile_records. */
#include "tests/kernels/launch.h"
#include "gpu/device/device.h"
#include "gpu/tiles/tiles.h"
#include "tests/kernels/queries/naive.h"
#include "tests/kernels/tiles/big_mesh.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

/* ---- who is next to whom ----------------------------------------------------------------------------------------- */
enum { MOST_USES = 64 }; /* clusters do not grow over edges of more faces */

struct dual {
    int64_t F;
    int32_t *first; /* [F + 1] */
    uint32_t *near; /* faces across edges, ascending, each once */
    int32_t *uses;  /* [E] */
};

static void dual_init(struct dual *d, const struct naive *n)
{
    uint32_t *row = xalloc(naive_most(n), sizeof *row);
    *d = (struct dual){.F = n->F, .first = xalloc(n->F + 1, 4), .uses = xalloc(n->E, 4)};
    uint32_t **of = xalloc(n->E, sizeof *of);
    for (int64_t c = 0; c < n->C; c++)
        d->uses[n->edge[c]]++;
    for (int64_t e = 0; e < n->E; e++) {
        of[e] = xalloc(d->uses[e], 4);
        d->uses[e] = 0;
    }
    for (int64_t f = 0; f < n->F; f++)
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
            of[n->edge[c]][d->uses[n->edge[c]]++] = (uint32_t)f;
    for (int64_t f = 0; f < n->F; f++) {
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
            for (int32_t k = 0; d->uses[n->edge[c]] <= MOST_USES && k < d->uses[n->edge[c]]; k++)
                n->hit[of[n->edge[c]][k]] = 1;
        int64_t found = 0;
        for (int64_t g = 0; g < n->F; g++) {
            if (n->hit[g] && g != f)
                row[found++] = (uint32_t)g;
            n->hit[g] = 0;
        }
        d->first[f + 1] = d->first[f] + (int32_t)found;
        d->near = realloc(d->near, ((size_t)d->first[f + 1] + 1) * sizeof *d->near);
        if (found > 0)
            memcpy(d->near + d->first[f], row, (size_t)found * sizeof *row);
    }
    for (int64_t e = 0; e < n->E; e++)
        free(of[e]);
    free(of), free(row);
}

static void dual_fini(struct dual *d)
{
    free(d->first), free(d->near), free(d->uses);
}

/* ---- Lloyd's rounds ---------------------------------------------------------------------------------------------- */
enum { SPACING = 256, LEAST_ROUNDS = 4, FIRST_MORE = 5, MOST_ROUNDS = 30 };

/* Steps from any face of `from` (those with 0 in `steps`; -1: not reached), inside clusters where label is given. */
static void spread(const struct dual *d, int32_t *steps, const int32_t *inside)
{
    for (int32_t k = 0, changed = 1; changed; k++) {
        changed = 0;
        for (int64_t f = 0; f < d->F; f++)
            for (int32_t i = d->first[f]; steps[f] < 0 && i < d->first[f + 1]; i++) {
                const uint32_t g = d->near[i];
                if (steps[g] == k && (!inside || inside[g] == inside[f])) {
                    steps[f] = k + 1;
                    changed = 1;
                }
            }
    }
}

/* A number that has nothing to do with the place of a face in its component; 0 for the first. */
static uint32_t scattered(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static int32_t first_seeds(const struct dual *d, int32_t *seed)
{
    int32_t *component = xalloc(d->F, 4), *count = xalloc(d->F, 4), n = 0;
    memset(component, 0xff, (size_t)d->F * 4);
    for (int64_t start = 0; start < d->F; start++) {
        if (component[start] >= 0)
            continue;
        int32_t *steps = xalloc(d->F, 4);
        memset(steps, 0xff, (size_t)d->F * 4);
        steps[start] = 0;
        spread(d, steps, NULL);
        for (int64_t f = 0; f < d->F; f++)
            component[f] = steps[f] >= 0 ? (int32_t)start : component[f];
        free(steps);
    }
    for (int64_t start = 0; start < d->F; start++) /* component by component, each by its faces */
        for (int64_t f = start; f < d->F && component[start] == start; f++)
            if (component[f] == start && scattered((uint32_t)count[start]++) % SPACING == 0)
                seed[n++] = (int32_t)f;
    free(component), free(count);
    return n;
}

/* Each step the faces next to clusters join the lowest of these. */
static void grow(const struct dual *d, const int32_t *seed, int32_t n, int32_t *label)
{
    int32_t *next = xalloc(d->F, 4);
    memset(label, 0xff, (size_t)d->F * 4);
    for (int32_t t = 0; t < n; t++)
        label[seed[t]] = t;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int64_t f = 0; f < d->F; f++) {
            next[f] = label[f];
            for (int32_t i = d->first[f]; label[f] < 0 && i < d->first[f + 1]; i++) {
                const int32_t near = label[d->near[i]];
                if (near >= 0 && (next[f] < 0 || near < next[f]))
                    next[f] = near;
            }
            changed |= next[f] != label[f];
        }
        memcpy(label, next, (size_t)d->F * 4);
    }
    free(next);
}

/* The lowest of the faces that are farthest from other clusters, for each cluster. */
static void centres(const struct dual *d, const int32_t *label, int32_t n, int32_t *seed)
{
    int32_t *steps = xalloc(d->F, 4), *best = xalloc(n, 4);
    memset(steps, 0xff, (size_t)d->F * 4);
    memset(best, 0xff, (size_t)n * 4);
    for (int64_t f = 0; f < d->F; f++)
        for (int32_t i = d->first[f]; i < d->first[f + 1]; i++)
            if (label[d->near[i]] != label[f])
                steps[f] = 0;
    spread(d, steps, label);
    for (int64_t f = 0; f < d->F; f++) { /* a cluster without others around it has no steps */
        const int32_t t = label[f];
        if (best[t] < 0 || steps[f] > steps[best[t]])
            best[t] = (int32_t)f;
    }
    for (int32_t t = 0; t < n; t++)
        seed[t] = best[t] >= 0 ? best[t] : seed[t];
    free(steps), free(best);
}

/* Appends seeds for a cluster of `size` faces, at even distances in their list. */
static int32_t more_seeds(const struct dual *d, const int32_t *label, int32_t t, int32_t size, int32_t *seed, int32_t n)
{
    const int32_t more = size / SDD_TILE_OWNED;
    int32_t *list = xalloc(size, 4), found = 0;
    for (int64_t f = 0; f < d->F; f++)
        if (label[f] == t)
            list[found++] = (int32_t)f;
    for (int32_t k = 0; k < more; k++) {
        const int32_t at = (int32_t)((int64_t)size * k / more);
        seed[n++] = list[at] == seed[t] ? list[at + 1] : list[at];
    }
    free(list);
    return n;
}

/* Returns the number of clusters; *label as tiles should have it. */
static int32_t lloyd(const struct dual *d, int32_t *label)
{
    int32_t *seed = xalloc(2 * d->F + 2, 4), *size = xalloc(2 * d->F + 2, 4), n = first_seeds(d, seed), n_large = 0;
    for (int32_t round = 1;; round++) {
        const int add = round < MOST_ROUNDS && round >= FIRST_MORE;
        const int32_t now = n;
        grow(d, seed, n, label);
        centres(d, label, n, seed);
        memset(size, 0, (size_t)n * 4);
        for (int64_t f = 0; f < d->F; f++)
            size[label[f]]++;
        n_large = 0;
        for (int32_t t = 0; t < now; t++) {
            n_large += size[t] > SDD_TILE_OWNED;
            if (add && size[t] > SDD_TILE_OWNED)
                n = more_seeds(d, label, t, size[t], seed, n);
        }
        if (round == MOST_ROUNDS || (n_large == 0 && round >= LEAST_ROUNDS)) {
            n = now;
            break;
        }
    }
    for (int64_t f = 0; n_large > 0 && f < d->F; f++)
        if (size[label[f]] > SDD_TILE_OWNED) {
            size[n] = 0; /* it was of another round */
            label[f] = n++;
        }
    free(seed), free(size);
    return n;
}

/* ---- what was made ----------------------------------------------------------------------------------------------- */
struct made {
    const struct tiles *t;
    struct sdd_tile *tile;
    uint32_t *label, *face, *edge, *vertex;
    uint16_t *face_end, *face_edge;
    struct sdd_tile_ends *edge_vertex;
};

static void *bring(sdd_device *d, const void *from, int64_t n, size_t item)
{
    void *to = xalloc(n, item);
    struct sdd_error err;
    dev_download(d, to, from, n * (int64_t)item);
    assert_int_equal(dev_finish(d, &err), SDD_OK);
    return to;
}

static void made_init(struct made *m, sdd_device *d, const struct tiles *t, int64_t F)
{
    const struct sdd_tiles *a = &t->arrays;
    *m = (struct made){.t = t};
    m->tile = bring(d, a->tile, t->n, sizeof *m->tile);
    m->label = bring(d, a->label, F, 4);
    m->face = bring(d, a->face, t->n_faces, 4);
    m->edge = bring(d, a->edge, t->n_edges, 4);
    m->vertex = bring(d, a->vertex, t->n_vertices, 4);
    m->face_end = a->face_end ? bring(d, a->face_end, t->n_faces, 2) : NULL;
    m->face_edge = bring(d, a->face_edge, t->n_corners, 2);
    m->edge_vertex = bring(d, a->edge_vertex, t->n_edges, 4);
}

static void made_fini(struct made *m)
{
    free(m->tile), free(m->label), free(m->face), free(m->edge), free(m->vertex);
    free(m->face_end), free(m->face_edge), free(m->edge_vertex);
}

/* Who owns what, by the labels. */
struct owners {
    int32_t *vertex, *edge; /* -1: nobody */
};

static void owners_init(struct owners *o, const struct naive *n, const uint32_t *label)
{
    o->vertex = xalloc(n->V, 4), o->edge = xalloc(n->E, 4);
    memset(o->vertex, 0xff, (size_t)n->V * 4);
    memset(o->edge, 0xff, (size_t)n->E * 4);
    for (int64_t f = n->F - 1; f >= 0; f--)
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
            o->vertex[n->vert[c]] = o->edge[n->edge[c]] = (int32_t)label[f];
}

/* The elements that are marked: those of the tile first, then the others. Clears the marks. */
static void same_list(const struct naive *n, int64_t count, int32_t tile, const int32_t *owner, const uint32_t *got,
                      int32_t n_got, int32_t n_own)
{
    int32_t at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t x = 0; x < count; x++)
            if (n->hit[x] && (owner[x] == tile) == !pass) {
                assert_true(at < n_got);
                assert_int_equal(got[at++], x);
            }
        if (!pass)
            assert_int_equal(at, n_own);
    }
    assert_int_equal(at, n_got);
    memset(n->hit, 0, (size_t)count);
}

static int touches(const struct naive *n, const struct owners *o, const struct dual *d, int64_t f, int32_t tile,
                   const uint32_t *label)
{
    if (label[f] == (uint32_t)tile)
        return 1;
    for (int64_t c = n->first[f]; c < n->first[f + 1]; c++)
        if (o->vertex[n->vert[c]] == tile || (o->edge[n->edge[c]] == tile && d->uses[n->edge[c]] <= MOST_USES))
            return 1;
    for (int32_t i = d->first[f]; i < d->first[f + 1]; i++)
        if (label[d->near[i]] == (uint32_t)tile)
            return 1;
    return 0;
}

static void check_corners(const struct naive *n, const struct made *m, const struct sdd_tile *t)
{
    int64_t at = 0;
    for (int32_t i = 0; i < t->n_faces; i++) {
        const int64_t f = m->face[t->first_face + (uint32_t)i];
        for (int64_t c = n->first[f]; c < n->first[f + 1]; c++, at++) {
            const uint16_t fe = m->face_edge[t->first_corner + at];
            const uint32_t local = t->first_edge + (fe >> 1);
            const struct sdd_tile_ends ends = m->edge_vertex[local];
            assert_int_equal(m->edge[local], n->edge[c]);
            assert_int_equal(fe & 1, naive_sign(n, c));
            for (int k = 0; k < 2; k++)
                assert_int_equal(m->vertex[t->first_vertex + ends.v[k]], n->end[n->edge[c]][k]);
        }
        if (m->face_end)
            assert_int_equal(m->face_end[t->first_face + (uint32_t)i], at);
    }
    assert_int_equal(at, t->n_corners);
}

/* Returns whether the tile is flat. */
static int check_tile(const struct naive *n, const struct made *m, const struct owners *o, const struct dual *d,
                      int32_t tile)
{
    const struct sdd_tile *t = m->tile + tile;
    int64_t n_faces = 0, n_corners = 0, n_vertices = 0, n_edges = 0;
    int crowded = 0; /* an edge of more faces than a ribbon takes */
    unsigned char *vertex = xalloc(n->V, 1), *edge = xalloc(n->E, 1), *face = xalloc(n->F, 1);
    for (int64_t f = 0; f < n->F; f++)
        if (touches(n, o, d, f, tile, m->label)) {
            face[f] = 1;
            n_faces++;
            for (int64_t c = n->first[f]; c < n->first[f + 1]; c++) {
                n_corners++;
                n_vertices += !vertex[n->vert[c]];
                n_edges += !edge[n->edge[c]];
                vertex[n->vert[c]] = edge[n->edge[c]] = 1;
                crowded |= m->label[f] == (uint32_t)tile && d->uses[n->edge[c]] > MOST_USES;
            }
        }
    const int flat = crowded || n_faces > SDD_TILE_FACES || n_corners > SDD_TILE_CORNERS || n_edges > SDD_TILE_EDGES ||
                     n_vertices > SDD_TILE_VERTICES;
    assert_int_equal(t->is_flat, flat);
    if (!flat) {
        memcpy(n->hit, face, (size_t)n->F);
        same_list(n, n->F, tile, (const int32_t *)m->label, m->face + t->first_face, t->n_faces, t->own_faces);
        memcpy(n->hit, edge, (size_t)n->E);
        same_list(n, n->E, tile, o->edge, m->edge + t->first_edge, t->n_edges, t->own_edges);
        memcpy(n->hit, vertex, (size_t)n->V);
        same_list(n, n->V, tile, o->vertex, m->vertex + t->first_vertex, t->n_vertices, t->own_vertices);
        check_corners(n, m, t);
    }
    free(vertex), free(edge), free(face);
    return flat;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */
static int64_t n_tiles, n_flat, n_owned, n_ribbon;

static void check_connected(const struct dual *d, const int32_t *label, int32_t n)
{
    int32_t *steps = xalloc(d->F, 4), *size = xalloc(n, 4);
    memset(steps, 0xff, (size_t)d->F * 4);
    for (int64_t f = d->F - 1; f >= 0; f--)
        if (size[label[f]]++ == 0)
            steps[f] = 0;
    spread(d, steps, label);
    for (int64_t f = 0; f < d->F; f++)
        assert_true(steps[f] >= 0);
    for (int32_t t = 0; t < n; t++)
        assert_true(size[t] <= SDD_TILE_OWNED);
    free(steps), free(size);
}

static void check_mesh(const struct big_mesh *b)
{
    sdd_device *device;
    sdd_topology *t;
    struct sdd_neighbors q;
    const struct tiles *tiles, *again;
    struct naive n;
    struct dual d;
    struct made m;
    struct owners o;
    struct sdd_error err = {0};
    struct sdd_topology_info info, after;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 3, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &b->desc, &t, &err), SDD_OK);
    sdd_topology_info(t, &info);
    assert_int_equal(tiles_neighbors(t, &q, &err), SDD_OK);
    if (tiles_get(t, &q, NULL, &tiles, &err))
        fail_msg("%s: %s", b->name, err.text);
    assert_int_equal(tiles_get(t, &q, NULL, &again, &err), SDD_OK);
    assert_ptr_equal(tiles, again);
    sdd_topology_info(t, &after);
    assert_true(after.device_bytes >= info.device_bytes + tiles->block.bytes);
    naive_init(&n, b->desc.n_vertices, b->desc.n_faces, b->desc.face_counts, b->desc.face_vertices, 0);
    dual_init(&d, &n);
    made_init(&m, device, tiles, n.F);
    int32_t *label = xalloc(n.F, 4);
    assert_int_equal(lloyd(&d, label), tiles->n);
    assert_memory_equal(m.label, label, (size_t)n.F * 4);
    check_connected(&d, label, (int32_t)tiles->n);
    owners_init(&o, &n, m.label);
    int any_flat = 0;
    for (int32_t k = 0; k < tiles->n; k++) {
        const int flat = check_tile(&n, &m, &o, &d, k);
        any_flat |= flat;
        n_flat += flat;
        n_owned += m.tile[k].own_faces;
        n_ribbon += m.tile[k].n_faces - m.tile[k].own_faces;
    }
    n_tiles += tiles->n;
    assert_int_equal(tiles->any_flat, any_flat);
    free(label), free(o.vertex), free(o.edge);
    made_fini(&m);
    dual_fini(&d);
    naive_fini(&n);
    sdd_topology_unref(t);
    struct sdd_device_info left;
    sdd_device_info(device, &left);
    assert_int_equal(left.memory_used, 0);
    sdd_device_close(device);
}

static void test_tiles(void **state)
{
    (void)state;
    big_each(check_mesh);
    print_message("%lld tiles, %lld of them flat; %lld faces in ribbons of %lld\n", (long long)n_tiles,
                  (long long)n_flat, (long long)n_ribbon, (long long)n_owned);
    assert_true(n_flat > 3 && n_tiles > 100);
}

static void test_cancelled(void **state)
{
    static int32_t counts[] = {3}, vertices[] = {0, 1, 2};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 3, .n_faces = 1, .n_corners = 3, .face_counts = counts, .face_vertices = vertices};
    const atomic_int set = 1;
    sdd_device *device;
    sdd_topology *t;
    struct sdd_neighbors q;
    const struct tiles *tiles;
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 1, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    assert_int_equal(tiles_neighbors(t, &q, &err), SDD_OK);
    assert_int_equal(tiles_get(t, &q, &set, &tiles, &err), SDD_ECANCELLED);
    assert_int_equal(tiles_get(t, &q, NULL, &tiles, &err), SDD_OK); /* nothing half made is kept */
    assert_int_equal(tiles->n, 1);
    sdd_topology_unref(t);
    sdd_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_cancelled)};
    return LAUNCH_GROUP("tiles", tests);
}
