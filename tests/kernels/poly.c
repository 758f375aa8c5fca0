/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/poly.h"
#include "tests/env.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/shape.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FACES 400
#define MAX_SIZE 112

struct draft {
    int32_t n_vertices, n_faces, size[MAX_FACES], v[MAX_FACES][MAX_SIZE];
};

/* ---- parts ----------------------------------------------------------------------------------------------------- */
static void add_face(struct draft *d, const int32_t *v, int32_t n)
{
    if (d->n_faces == MAX_FACES || n > MAX_SIZE)
        return; /* the draft is then open or bad there: the checker knows */
    memcpy(d->v[d->n_faces], v, (size_t)n * sizeof *v);
    d->size[d->n_faces++] = n;
}

static void remove_face(struct draft *d, int32_t f)
{
    int32_t last = --d->n_faces;
    memcpy(d->v[f], d->v[last], sizeof d->v[f]);
    d->size[f] = d->size[last];
}

static void add_polygon(struct draft *d, int32_t n, int both_sides)
{
    int32_t v[2][MAX_SIZE];
    for (int32_t i = 0; i < n; i++)
        v[0][i] = v[1][n - 1 - i] = d->n_vertices + i;
    add_face(d, v[0], n);
    if (both_sides)
        add_face(d, v[1], n);
    d->n_vertices += n;
}

/* columns x rows quads; wrapped in one direction (a ring) or in both (a torus) */
static void add_grid(struct draft *d, int32_t columns, int32_t rows, int wrap_x, int wrap_y)
{
    int32_t across = columns + !wrap_x, up = rows + !wrap_y, base = d->n_vertices;
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++) {
            int32_t right = (x + 1) % across, above = (y + 1) % up;
            int32_t v[4] = {base + y * across + x, base + y * across + right, base + above * across + right,
                            base + above * across + x};
            add_face(d, v, 4);
        }
    d->n_vertices += across * up;
}

/* ---- changes --------------------------------------------------------------------------------------------------- */
static void split_face(struct draft *d, int32_t f, uint64_t *r)
{
    int32_t n = d->size[f], i = random_below(r, n), gap = 2 + random_below(r, n - 3), a[MAX_SIZE], b[MAX_SIZE];
    if (n < 4)
        return;
    for (int32_t k = 0; k <= gap; k++)
        a[k] = d->v[f][(i + k) % n];
    for (int32_t k = gap; k <= n; k++)
        b[k - gap] = d->v[f][(i + k) % n];
    remove_face(d, f);
    add_face(d, a, gap + 1);
    add_face(d, b, n - gap + 1);
}

/* The face that runs along b -> a, and where. */
static int32_t find_edge(const struct draft *d, int32_t a, int32_t b, int32_t *at)
{
    for (int32_t g = 0; g < d->n_faces; g++)
        for (*at = 0; *at < d->size[g]; ++*at)
            if (d->v[g][*at] == b && d->v[g][(*at + 1) % d->size[g]] == a)
                return g;
    return -1;
}

static void merge_faces(struct draft *d, int32_t f, uint64_t *r)
{
    int32_t n = d->size[f], i = random_below(r, n), j, merged[2 * MAX_SIZE], k = 0;
    int32_t g = find_edge(d, d->v[f][i], d->v[f][(i + 1) % n], &j);
    if (g < 0 || g == f)
        return;
    for (int32_t s = 1; s <= n; s++)
        merged[k++] = d->v[f][(i + s) % n];
    for (int32_t s = 2; s < d->size[g]; s++)
        merged[k++] = d->v[g][(j + s) % d->size[g]];
    remove_face(d, f > g ? f : g);
    remove_face(d, f > g ? g : f);
    add_face(d, merged, k);
}

static void poke_face(struct draft *d, int32_t f)
{
    int32_t n = d->size[f], old[MAX_SIZE];
    memcpy(old, d->v[f], sizeof old);
    remove_face(d, f);
    for (int32_t i = 0; i < n; i++) {
        int32_t v[3] = {old[i], old[(i + 1) % n], d->n_vertices};
        add_face(d, v, 3);
    }
    d->n_vertices++;
}

static void insert_vertex(struct draft *d, int32_t f, int32_t after)
{
    if (d->size[f] == MAX_SIZE)
        return;
    memmove(&d->v[f][after + 2], &d->v[f][after + 1], (size_t)(d->size[f] - after - 1) * sizeof(int32_t));
    d->v[f][after + 1] = d->n_vertices;
    d->size[f]++;
}

static void cut_edge(struct draft *d, int32_t f, uint64_t *r)
{
    int32_t i = random_below(r, d->size[f]), j;
    int32_t g = find_edge(d, d->v[f][i], d->v[f][(i + 1) % d->size[f]], &j);
    insert_vertex(d, f, i);
    if (g >= 0)
        insert_vertex(d, g, j);
    d->n_vertices++;
}

/* Two faces of one size give way to a tube between them: a handle, or a bridge to another part. */
static void add_tube(struct draft *d, int32_t f, uint64_t *r)
{
    int32_t n = d->size[f], g = random_below(r, d->n_faces), turn = random_below(r, n), a[MAX_SIZE], b[MAX_SIZE];
    if (f == g || d->size[g] != n)
        return;
    memcpy(a, d->v[f], sizeof a);
    memcpy(b, d->v[g], sizeof b);
    remove_face(d, f > g ? f : g);
    remove_face(d, f > g ? g : f);
    for (int32_t i = 0; i < n; i++) {
        int32_t p = (turn + 2 * n - i) % n, q = (p + n - 1) % n, v[4] = {a[i], a[(i + 1) % n], b[q], b[p]};
        add_face(d, v, 4);
    }
}

static int is_manifold(const struct draft *d)
{
    static int32_t vertices[MAX_FACES * MAX_SIZE];
    struct sdd_mesh_desc desc = {.n_vertices = d->n_vertices, .n_faces = d->n_faces, .face_counts = d->size};
    struct brute b;
    for (int32_t f = 0; f < d->n_faces; f++) {
        memcpy(vertices + desc.n_corners, d->v[f], (size_t)d->size[f] * sizeof(int32_t));
        desc.n_corners += d->size[f];
    }
    desc.face_vertices = vertices;
    brute_init(&b, &desc);
    brute_fini(&b);
    return d->n_faces > 0 && b.bad_repeat < 0 && b.bad_corner < 0 && b.bad_vertex < 0;
}

static void change(struct draft *d, uint64_t *r)
{
    static struct draft before;
    int32_t f = random_below(r, d->n_faces);
    memcpy(&before, d, sizeof before);
    switch (random_below(r, 8)) {
    case 0: remove_face(d, f); break;
    case 1: poke_face(d, f); break;
    case 2: cut_edge(d, f, r); break;
    case 3:
    case 4: merge_faces(d, f, r); break;
    case 5: add_tube(d, f, r); break;
    default: split_face(d, f, r);
    }
    if (!is_manifold(d))
        memcpy(d, &before, sizeof before);
}

/* ---- the finished mesh ----------------------------------------------------------------------------------------- */
static void *own(struct poly *p, int64_t n, size_t item)
{
    return p->owned[p->n_owned++] = xalloc(n, item);
}

static void finish(struct poly *p, const struct draft *d, int32_t isolated, uint64_t *r)
{
    int32_t n = d->n_vertices + isolated, *counts, *vertices, first = 0, corners = 0;
    int32_t *other = own(p, n, sizeof *other);
    float *points = own(p, 3 * (int64_t)n, sizeof *points);
    for (int32_t f = 0; f < d->n_faces; f++)
        corners += d->size[f];
    counts = own(p, d->n_faces, sizeof *counts);
    vertices = own(p, corners, sizeof *vertices);
    for (int32_t i = 0; i < n; i++) { /* other[i]: the new name of vertex i */
        int32_t j = random_below(r, i + 1);
        other[i] = other[j];
        other[j] = i;
    }
    for (int32_t f = 0; f < d->n_faces; first += d->size[f++]) {
        int32_t start = random_below(r, d->size[f]);
        counts[f] = d->size[f];
        for (int32_t k = 0; k < d->size[f]; k++)
            vertices[first + k] = other[d->v[f][(start + k) % d->size[f]]];
    }
    for (int32_t i = 0; i < 3 * n; i++)
        points[i] = 2 * random_unit(r) - 1;
    p->points = points;
    p->desc.n_vertices = n;
    p->desc.n_faces = d->n_faces;
    p->desc.n_corners = corners;
    p->desc.face_counts = counts;
    p->desc.face_vertices = vertices;
    p->desc.options.fvar = SDD_FVAR_ALL;
}

static float some_sharpness(uint64_t *r)
{
    const float all[] = {0, 0.3f, 0.5f, 0.95f, 1, 1.5f, 1.95f, 2, 2.7f, 3.2f, 9.5f, 10, 12};
    return all[random_below(r, sizeof all / sizeof *all)];
}

static void add_tags(struct poly *p, uint64_t *r)
{
    struct sdd_mesh_desc *d = &p->desc;
    int64_t most = d->n_corners / (1 + random_below(r, 6));
    int32_t *edges = own(p, 2 * most, sizeof *edges), *corners = own(p, most, sizeof *corners);
    int32_t *holes = own(p, most, sizeof *holes);
    float *sharp = own(p, most, sizeof *sharp), *corner_sharp = own(p, most, sizeof *corner_sharp);
    for (int64_t i = 0, first = 0, f = 0; i < most; i++, first += d->face_counts[f], f = (f + 1) % d->n_faces) {
        first = f == 0 ? 0 : first;
        int64_t k = random_below(r, d->face_counts[f]), next = (k + 1) % d->face_counts[f], turn = random_below(r, 2);
        edges[2 * i + turn] = d->face_vertices[first + k];
        edges[2 * i + 1 - turn] = d->face_vertices[first + next];
        sharp[i] = some_sharpness(r);
        corners[i] = random_below(r, d->n_vertices);
        corner_sharp[i] = some_sharpness(r);
        holes[i] = random_below(r, d->n_faces);
    }
    d->n_creases = most, d->crease_edges = edges, d->crease_sharpness = sharp;
    d->n_corner_tags = most / 4, d->corner_vertices = corners, d->corner_sharpness = corner_sharp;
    d->n_holes = most / 8, d->hole_faces = holes;
}

static void add_uvs(struct poly *p, uint64_t *r)
{
    struct sdd_mesh_desc *d = &p->desc;
    int seamless = random_below(r, 2);
    d->n_uvs = seamless ? d->n_vertices : 3 + random_below(r, 2 * d->n_corners);
    int32_t *index = own(p, d->n_corners, sizeof *index);
    float *uvs = own(p, 2 * d->n_uvs, sizeof *uvs);
    for (int64_t c = 0; c < d->n_corners; c++)
        index[c] = seamless && random_below(r, 10) ? d->face_vertices[c] : random_below(r, d->n_uvs);
    for (int64_t i = 0; i < 2 * d->n_uvs; i++)
        uvs[i] = random_unit(r);
    d->uv_indices = index;
    p->uvs = uvs;
}

void poly_random(struct poly *p, uint64_t seed)
{
    static struct draft d;
    uint64_t r = seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du;
    memset(&d, 0, sizeof d);
    *p = (struct poly){.name = ""};
    (void)snprintf(p->name, sizeof p->name, "seed %llu", (unsigned long long)seed);
    for (int32_t parts = 1 + random_below(&r, 3), k = 0; k < parts; k++) {
        int32_t a = 3 + random_below(&r, 4), b = 3 + random_below(&r, 3), kind = random_below(&r, 6);
        if (kind < 4)
            add_grid(&d, a, b, kind != 0, kind >= 2);
        else
            add_polygon(&d, kind == 4 ? a : 3 * a, kind == 4);
    }
    for (int32_t changes = random_below(&r, 50); changes > 0; changes--)
        change(&d, &r);
    int32_t lonely =
        random_below(&r, 8) ? random_below(&r, 3) : 8 * d.n_vertices; /* more vertices than level-1 quads */
    finish(p, &d, lonely, &r);
    p->desc.options.boundary = random_below(&r, 3);
    p->desc.options.orientation = random_below(&r, 4) == 0;
    p->desc.options.triangle_rule = random_below(&r, 3) == 0;
    if (random_below(&r, 4))
        add_tags(p, &r);
    if (random_below(&r, 3))
        add_uvs(p, &r);
}

void poly_discs(struct poly *p, const int32_t *sizes, int n)
{
    static struct draft d;
    uint64_t r = 88172645463325252u;
    memset(&d, 0, sizeof d);
    *p = (struct poly){.name = "discs and rings"};
    for (int i = 0; i < n; i++) {
        add_polygon(&d, sizes[i], 0);
        add_grid(&d, sizes[i], 1, 1, 0);
    }
    finish(p, &d, 0, &r);
}

void poly_free(struct poly *p)
{
    while (p->n_owned > 0)
        free(p->owned[--p->n_owned]);
}

/* ---- one after the other --------------------------------------------------------------------------------------- */
void poly_each_random(int n_random, int64_t most_corners, poly_check *check)
{
    for (int seed = 1; seed <= n_random; seed++) {
        struct poly p;
        poly_random(&p, (uint64_t)seed);
        launch_say("%s", p.name);
        if (p.desc.n_corners <= most_corners)
            check(&p);
        poly_free(&p);
    }
}

void poly_each(int n_random, int64_t most_corners, poly_check *check)
{
    size_t n;
    char **names = shape_list(test_shapes_dir(), &n);
    if (n < 100)
        oracle_die("%s has %zu shapes", test_shapes_dir(), n);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(test_shapes_dir(), names[i], &s, &err) != SDD_OK)
            oracle_die("%s: %s", names[i], err.text);
        struct poly p = {.desc = s.desc, .points = s.points, .uvs = s.uvs};
        (void)snprintf(p.name, sizeof p.name, "%s", names[i]);
        launch_say("%s", p.name);
        if (p.desc.n_corners <= most_corners)
            check(&p);
        shape_free(&s);
    }
    shape_list_free(names);
    poly_each_random(n_random, most_corners, check);
}
