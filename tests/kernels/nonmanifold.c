/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/nonmanifold.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/shape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same_edge(const struct brute_half *a, const struct brute_half *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Uses [i, i + n) are those of one pair of vertices. */
static void number_run(struct odd *o, const struct brute *b, int64_t i, int64_t n)
{
    uint32_t shared = (uint32_t)o->E++, n_own = 0, sharing = 0, first = 0, second = 0;
    for (int64_t k = i; k < i + n; k++) {
        uint32_t c = (uint32_t)b->half[k].corner;
        o->own[k] = b->half[k].low == b->half[k].high && k > i;
        for (int64_t j = i; j < k; j++)
            o->own[k] |= b->face[b->half[j].corner] == b->face[c];
        o->run[k] = (int32_t)o->n_runs;
        if (o->own[k]) {
            o->edge[c] = (uint32_t)o->E++;
            o->edge_corner[o->edge[c]] = c;
            o->kind[o->edge[c]] = WILD_BOUNDARY | WILD_NONMANIFOLD;
            n_own++;
        } else {
            o->edge[c] = shared;
            if (sharing++ == 0)
                first = c;
            else
                second = c;
        }
    }
    int turned = sharing == 2 && b->vert[first] == b->vert[second];
    o->edge_corner[shared] = first;
    o->kind[shared] = (sharing == 1 ? WILD_BOUNDARY : 0) |
                      (n_own || sharing > 2 || turned || b->half[i].low == b->half[i].high ? WILD_NONMANIFOLD : 0);
}

/* The fans of a vertex: each of its corners gets the number of the least corner, in their order, that it hangs together
 * with by twins. */
static void label_fans(const struct brute *b, int64_t v, int32_t *label)
{
    const int32_t *corner = b->vert_corner + b->vert_begin[v], n = b->valence[v];
    for (int32_t k = 0; k < n; k++)
        label[k] = k;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++)
                if (b->real_twin[b->prev[corner[i]]] == (uint32_t)corner[j] && label[i] != label[j]) {
                    label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
                    changed = 1;
                }
    }
}

/* Are there more than two fans, and does each have one side at each of two edges that are not manifold? */
static int fans_cross(const struct odd *o, const struct brute *b, int64_t v)
{
    const int32_t *corner = b->vert_corner + b->vert_begin[v], n = b->valence[v];
    int32_t *label = xalloc(n, sizeof *label), n_fans = 0, crossing = 0;
    label_fans(b, v, label);
    for (int32_t fan = 0; fan < n; fan++) {
        uint32_t side[2] = {0, 0}, n_sides = 0;
        for (int32_t k = 0; k < n; k++)
            for (int before = 0; before < 2 && label[k] == fan; before++) {
                uint32_t e = o->edge[before ? b->prev[corner[k]] : (uint32_t)corner[k]];
                if (o->kind[e] & WILD_NONMANIFOLD)
                    side[n_sides++ % 2] = e;
            }
        n_fans += label[fan] == fan;
        crossing += label[fan] == fan && n_sides == 2 && side[0] != side[1];
    }
    free(label);
    return n_fans > 2 && crossing == n_fans;
}

static void find_odd_vertices(struct odd *o, const struct brute *b)
{
    int32_t *n_odd = xalloc(b->V, sizeof *n_odd), *n_boundary = xalloc(b->V, sizeof *n_boundary);
    for (int64_t e = 0; e < o->E; e++) {
        uint32_t c = o->edge_corner[e], ends[2] = {b->vert[c], b->vert[b->next[c]]};
        for (int k = 0; k < 2; k++) {
            o->n_edges[ends[k]]++;
            n_odd[ends[k]] += (o->kind[e] & WILD_NONMANIFOLD) != 0;
            n_boundary[ends[k]] += (o->kind[e] & WILD_BOUNDARY) != 0;
        }
    }
    for (int64_t v = 0; v < b->V; v++) {
        o->vertex[v] = n_odd[v] > 0 || b->n_fans[v] > 1;
        int two = o->vertex[v] && n_odd[v] == 2 && n_boundary[v] == 0;
        o->crease[v] = two && fans_cross(o, b, v);
        o->coming_back[v] = two && !o->crease[v] && b->valence[v] > o->n_edges[v];
    }
    free(n_odd), free(n_boundary);
}

static void sharpen(struct odd *o, const struct brute *b, const struct sdd_mesh_desc *d)
{
    for (int64_t e = 0; e < o->E; e++) {
        uint32_t c = o->edge_corner[e], u = b->vert[c], v = b->vert[b->next[c]];
        for (int64_t i = 0; i < d->n_creases; i++) {
            uint32_t x = (uint32_t)d->crease_edges[2 * i], y = (uint32_t)d->crease_edges[2 * i + 1];
            if ((x == u && y == v) || (x == v && y == u))
                o->edge_sharp[e] = fminf(d->crease_sharpness[i], 10.0f);
        }
        if (o->kind[e])
            o->edge_sharp[e] = 10.0f;
    }
    for (int64_t i = 0; i < d->n_corner_tags; i++)
        o->vert_sharp[d->corner_vertices[i]] = fminf(d->corner_sharpness[i], 10.0f);
    for (int64_t v = 0; v < b->V; v++)
        if ((d->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER && b->valence[v] == 1) ||
            (o->vertex[v] && !o->crease[v]))
            o->vert_sharp[v] = 10.0f;
}

void odd_init(struct odd *o, const struct brute *b, const struct sdd_mesh_desc *d)
{
    *o = (struct odd){0};
    o->run = xalloc(b->C, 4), o->own = xalloc(b->C, 4), o->run_first = xalloc(b->C, 4);
    o->edge = xalloc(b->C, 4), o->edge_corner = xalloc(b->C, 4), o->kind = xalloc(b->C, 4);
    o->n_edges = xalloc(b->V, 4), o->vertex = xalloc(b->V, 1), o->crease = xalloc(b->V, 1);
    o->coming_back = xalloc(b->V, 1);
    o->edge_sharp = xalloc(b->C, 4), o->vert_sharp = xalloc(b->V, 4);
    for (int64_t i = 0, n = 0; i < b->C; i += n) {
        for (n = 1; i + n < b->C && same_edge(b->half + i, b->half + i + n);)
            n++;
        o->run_first[o->n_runs++] = (int32_t)i;
        number_run(o, b, i, n);
    }
    find_odd_vertices(o, b);
    sharpen(o, b, d);
}

void odd_fini(struct odd *o)
{
    free(o->run), free(o->own), free(o->run_first), free(o->edge), free(o->edge_corner), free(o->kind);
    free(o->n_edges), free(o->vertex), free(o->crease), free(o->coming_back), free(o->edge_sharp), free(o->vert_sharp);
}

/* ---- soups ----------------------------------------------------------------------------------------------------- */
#define MOST_FACES 60
#define MOST_SOUP 4000

static void *own(struct poly *p, int64_t n, size_t item)
{
    return p->owned[p->n_owned++] = xalloc(n, item);
}

/* Faces of a few vertices, mostly without repeats: few vertices give edges of many faces. */
static void any_faces(struct poly *p, uint64_t *r)
{
    int32_t n_vertices = 3 + random_below(r, 9), n_faces = 1 + random_below(r, 14), repeats = random_below(r, 6);
    int32_t *counts = own(p, MOST_FACES, 4), *vertices = own(p, MOST_SOUP, 4);
    for (int32_t f = 0; f < n_faces; f++) {
        int32_t n = 3 + random_below(r, 3) * random_below(r, 3), *v = vertices + p->desc.n_corners;
        for (int32_t k = 0; k < n; k++) {
            int fresh = k < n_vertices && random_below(r, repeats + 2) > 0, seen;
            do {
                v[k] = random_below(r, n_vertices);
                seen = 0;
                for (int32_t j = 0; fresh && j < k; j++)
                    seen |= v[j] == v[k];
            } while (seen);
        }
        counts[f] = n;
        p->desc.n_corners += n;
    }
    p->desc.n_vertices = n_vertices + random_below(r, 2);
    p->desc.n_faces = n_faces;
    p->desc.face_counts = counts, p->desc.face_vertices = vertices;
}

/* A random mesh with faces once more, the same way round or the other, and with vertices merged. */
static void spoil(struct poly *p, uint64_t *r)
{
    struct sdd_mesh_desc *d = &p->desc;
    int32_t more = random_below(r, 3), merges = random_below(r, 4) + (more == 0);
    int32_t *counts = own(p, d->n_faces + more, 4), *vertices = own(p, 3 * d->n_corners, 4);
    memcpy(counts, d->face_counts, (size_t)d->n_faces * 4);
    memcpy(vertices, d->face_vertices, (size_t)d->n_corners * 4);
    for (; more > 0; more--) {
        int32_t f = random_below(r, d->n_faces), first = 0, turn = random_below(r, 2);
        for (int32_t i = 0; i < f; i++)
            first += counts[i];
        for (int32_t i = 0; i < counts[f]; i++)
            vertices[d->n_corners + i] = vertices[first + (turn ? counts[f] - 1 - i : i)];
        counts[d->n_faces++] = counts[f];
        d->n_corners += counts[f];
    }
    for (; merges > 0; merges--) {
        int32_t u = random_below(r, d->n_vertices), v = random_below(r, d->n_vertices);
        for (int64_t c = 0; c < d->n_corners; c++)
            vertices[c] = vertices[c] == u ? v : vertices[c];
    }
    d->face_counts = counts, d->face_vertices = vertices;
    d->n_creases = d->n_uvs = 0;
    p->uvs = NULL;
}

static void add_tags(struct poly *p, uint64_t *r)
{
    const float all[] = {0, 0.3f, 0.5f, 1, 1.5f, 2.7f, 9.5f, 10, 12};
    struct sdd_mesh_desc *d = &p->desc;
    int32_t *edges = own(p, 2 * d->n_faces, 4), *corners = own(p, 2, 4), first = 0;
    float *sharp = own(p, d->n_faces, 4), *corner_sharp = own(p, 2, 4);
    for (int64_t f = 0; f < d->n_faces; first += d->face_counts[f++]) {
        int32_t n = d->face_counts[f], k = random_below(r, n), *edge = edges + 2 * d->n_creases;
        edge[0] = d->face_vertices[first + k];
        edge[1] = d->face_vertices[first + (k + 1) % n];
        sharp[d->n_creases] = all[random_below(r, 9)];
        d->n_creases += edge[0] != edge[1];
    }
    d->crease_edges = edges, d->crease_sharpness = sharp;
    d->n_corner_tags = random_below(r, 3), d->corner_vertices = corners, d->corner_sharpness = corner_sharp;
    for (int64_t i = 0; i < d->n_corner_tags; i++) {
        corners[i] = random_below(r, d->n_vertices);
        corner_sharp[i] = all[random_below(r, 9)];
    }
}

void soup_random(struct poly *p, uint64_t seed)
{
    uint64_t r = seed * 0x9E3779B97F4A7C15u + 77;
    *p = (struct poly){.name = ""};
    if (seed % 3 == 0) {
        poly_random(p, seed);
        spoil(p, &r);
    } else {
        any_faces(p, &r);
        float *points = own(p, 3 * p->desc.n_vertices, 4);
        for (int64_t i = 0; i < 3 * p->desc.n_vertices; i++)
            points[i] = 2 * random_unit(&r) - 1;
        p->points = points;
        p->desc.options.boundary = random_below(&r, 3);
        p->desc.options.orientation = random_below(&r, 4) == 0;
        p->desc.options.triangle_rule = random_below(&r, 3) == 0;
        if (random_below(&r, 2))
            add_tags(p, &r);
    }
    (void)snprintf(p->name, sizeof p->name, "soup %llu", (unsigned long long)seed);
}

void soup_each(int n_random, int64_t most_corners, poly_check *check)
{
    char dir[4096];
    size_t n;
    (void)snprintf(dir, sizeof dir, "%s/nonmanifold", test_shapes_dir());
    char **names = shape_list(dir, &n);
    if (!names || n < 20)
        oracle_die("%s has too few shapes", dir);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(dir, names[i], &s, &err) != SDD_OK)
            oracle_die("nonmanifold/%s: %s", names[i], err.text);
        struct poly p = {.desc = s.desc, .points = s.points, .uvs = s.uvs};
        (void)snprintf(p.name, sizeof p.name, "nonmanifold/%s", names[i]);
        launch_say("%s", p.name);
        if (p.desc.n_corners <= most_corners)
            check(&p);
        shape_free(&s);
    }
    shape_list_free(names);
    for (int seed = 1; seed <= n_random; seed++) {
        struct poly p;
        soup_random(&p, (uint64_t)seed);
        launch_say("%s", p.name);
        if (p.desc.n_corners <= most_corners)
            check(&p);
        poly_free(&p);
    }
}
