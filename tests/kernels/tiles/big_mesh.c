/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/tiles/big_mesh.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACES = 4000, MOST_CORNERS = 16000 };

void big_mesh_free(struct big_mesh *m)
{
    free(m->counts), free(m->vertices);
}

static void begin(struct big_mesh *m, const char *name)
{
    memset(m, 0, sizeof *m);
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    m->counts = xalloc(MOST_FACES, sizeof *m->counts);
    m->vertices = xalloc(MOST_CORNERS, sizeof *m->vertices);
    m->desc.face_counts = m->counts;
    m->desc.face_vertices = m->vertices;
}

static void add_face(struct big_mesh *m, int32_t n, const int32_t *vertices)
{
    assert_true(m->desc.n_faces < MOST_FACES && m->desc.n_corners + n <= MOST_CORNERS);
    m->counts[m->desc.n_faces++] = n;
    for (int32_t k = 0; k < n; k++) {
        m->vertices[m->desc.n_corners++] = vertices[k];
        m->desc.n_vertices = vertices[k] >= m->desc.n_vertices ? vertices[k] + 1 : m->desc.n_vertices;
    }
}

/* ways: 3 is triangles, 4 quads, 7 both. closed: a torus. */
static void add_grid(struct big_mesh *m, int32_t side, int ways, int closed)
{
    const int32_t base = (int32_t)m->desc.n_vertices, row = closed ? side : side + 1;
    for (int32_t y = 0; y < side; y++)
        for (int32_t x = 0; x < side; x++) {
            const int32_t right = closed ? (x + 1) % side : x + 1, up = closed ? (y + 1) % side : y + 1;
            const int32_t v[] = {base + y * row + x, base + y * row + right, base + up * row + right,
                                 base + up * row + x};
            const int32_t low[] = {v[0], v[1], v[2]}, high[] = {v[0], v[2], v[3]};
            if (ways == 4 || (ways == 7 && (x / 3 + y) % 3)) {
                add_face(m, 4, v);
            } else {
                add_face(m, 3, low);
                add_face(m, 3, high);
            }
        }
}

/* Puts faces and vertices in another order. */
static void shuffle(struct big_mesh *m, uint64_t seed)
{
    struct big_mesh to;
    const int64_t V = m->desc.n_vertices, F = m->desc.n_faces;
    int32_t *vertex = xalloc(V, sizeof *vertex), *face = xalloc(F, sizeof *face);
    int64_t *first = xalloc(F + 1, sizeof *first);
    for (int32_t i = 0; i < V || i < F; i++) {
        const int32_t v = i < V ? random_below(&seed, i + 1) : 0, f = i < F ? random_below(&seed, i + 1) : 0;
        if (i < V) {
            vertex[i] = vertex[v];
            vertex[v] = i;
        }
        if (i < F) {
            face[i] = face[f];
            face[f] = i;
            first[i + 1] = first[i] + m->counts[i];
        }
    }
    begin(&to, m->name);
    for (int64_t f = 0; f < F; f++) {
        int32_t corner[64];
        const int32_t n = m->counts[face[f]];
        for (int32_t k = 0; k < n; k++)
            corner[k] = vertex[m->vertices[first[face[f]] + k]];
        add_face(&to, n, corner);
    }
    to.desc.n_vertices = V;
    big_mesh_free(m);
    *m = to;
    free(vertex), free(face), free(first);
}

/* Faces around one vertex; without `joined` no two of them share an edge. */
static void add_hub(struct big_mesh *m, int32_t n, int joined)
{
    const int32_t hub = (int32_t)m->desc.n_vertices;
    for (int32_t k = 0; k < n; k++) {
        const int32_t v[] = {hub, hub + 1 + (joined ? k : 2 * k), hub + 1 + (joined ? (k + 1) % n : 2 * k + 1)};
        add_face(m, 3, v);
    }
}

/* Triangles that all share one edge. */
static void add_book(struct big_mesh *m, int32_t n)
{
    const int32_t a = (int32_t)m->desc.n_vertices;
    for (int32_t k = 0; k < n; k++) {
        const int32_t v[] = {a + k % 2, a + 1 - k % 2, a + 2 + k};
        add_face(m, 3, v);
    }
}

/* A polygon with a triangle at each of its edges. */
static void add_star(struct big_mesh *m, int32_t n)
{
    const int32_t a = (int32_t)m->desc.n_vertices;
    int32_t *v = xalloc(n, sizeof *v);
    for (int32_t k = 0; k < n; k++)
        v[k] = a + k;
    add_face(m, n, v);
    for (int32_t k = 0; k < n; k++) {
        const int32_t side[] = {v[(k + 1) % n], v[k], a + n + k};
        add_face(m, 3, side);
    }
    free(v);
}

void big_star(struct big_mesh *m, int32_t n)
{
    begin(m, "star");
    add_star(m, n);
}

static void soup(struct big_mesh *m, int32_t n_faces, int32_t near, uint64_t seed)
{
    for (int32_t f = 0; f < n_faces; f++) {
        int32_t v[6];
        const int32_t n = 3 + random_below(&seed, 4);
        for (int32_t k = 0; k < n; k++)
            v[k] = f / 2 + random_below(&seed, near);
        add_face(m, n, v);
    }
}

static void run(struct big_mesh *m, big_check *check)
{
    launch_say("%s", m->name);
    check(m);
    big_mesh_free(m);
}

static void each_grid(big_check *check)
{
    static const int ways[] = {3, 4, 7};
    for (int k = 0; k < 12; k++) {
        struct big_mesh m;
        char name[64];
        (void)snprintf(name, sizeof name, "%s grid of %d%s", k & 1 ? "shuffled" : "ordered", ways[k / 4],
                       k & 2 ? ", closed" : "");
        begin(&m, name);
        add_grid(&m, 36, ways[k / 4], (k & 2) != 0);
        if (k & 1)
            shuffle(&m, (uint64_t)k);
        run(&m, check);
    }
}

void big_each(big_check *check)
{
    struct big_mesh m;
    each_grid(check);
    begin(&m, "components");
    add_grid(&m, 2, 3, 0);
    add_grid(&m, 25, 7, 0);
    add_hub(&m, 20, 1);
    add_grid(&m, 24, 4, 1);
    add_grid(&m, 1, 4, 0);
    m.desc.n_vertices += 3; /* isolated */
    shuffle(&m, 5);
    run(&m, check);
    begin(&m, "hubs");
    add_hub(&m, 1500, 1);
    add_grid(&m, 20, 4, 0);
    add_hub(&m, 700, 0);
    run(&m, check);
    begin(&m, "books");
    add_book(&m, 60);
    add_grid(&m, 30, 3, 0);
    add_book(&m, 100);
    run(&m, check);
    begin(&m, "stars");
    add_star(&m, 600);
    add_grid(&m, 25, 7, 0);
    add_star(&m, 40);
    run(&m, check);
    begin(&m, "soup");
    soup(&m, 2500, 12, 9);
    run(&m, check);
    begin(&m, "dense soup");
    soup(&m, 900, 5, 4);
    run(&m, check);
}
