/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/spla/spla_level.h"
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include <string.h>

/* ---- tables -------------------------------------------------------------------------------------------------- */
static int32_t *square(int V, int32_t with)
{
    int32_t *t = xalloc((int64_t)V * V, sizeof *t);
    for (int i = 0; i < V * V; i++)
        t[i] = with;
    return t;
}

static void fill_tables(struct spla_level *l)
{
    l->place = xalloc(l->C, sizeof *l->place);
    l->corner_face = xalloc(l->C, sizeof *l->corner_face);
    l->faces = square(l->V, 0), l->along = square(l->V, -1), l->number = square(l->V, -1);
    for (int f = 0; f < l->F; f++)
        for (int c = l->first[f]; c < l->first[f + 1]; c++) {
            int i = l->vert[c], j = l->vert[c + 1 < l->first[f + 1] ? c + 1 : l->first[f]];
            l->place[c] = c - l->first[f], l->corner_face[c] = f;
            l->faces[i * l->V + j]++, l->faces[j * l->V + i]++;
            if (l->along[i * l->V + j] >= 0)
                oracle_die("%s: faces %d and %d both run from %d to %d", launch_case(), l->along[i * l->V + j], f, i,
                           j);
            l->along[i * l->V + j] = f;
        }
    for (int j = 0; j < l->V; j++) /* as the thesis enumerates them: above the diagonal, column by column */
        for (int i = 0; i < j; i++)
            if (l->faces[i * l->V + j] > 0)
                l->number[i * l->V + j] = l->number[j * l->V + i] = l->E++;
}

void spla_level_of(struct spla_level *l, const struct grid *g)
{
    *l = (struct spla_level){.triangles = g->triangles, .V = (int)g->n_vertices, .F = (int)g->n_faces};
    l->C = (int)g->n_corners;
    l->first = xalloc(l->F + 1, sizeof *l->first), l->vert = xalloc(l->C, sizeof *l->vert);
    memcpy(l->first, g->first, (size_t)(l->F + 1) * sizeof *l->first);
    memcpy(l->vert, g->vertices, (size_t)l->C * sizeof *l->vert);
    l->home = xalloc(l->F, sizeof *l->home), l->at = xalloc(l->C, sizeof *l->at);
    for (int f = 0; f < l->F; f++)
        l->home[f] = f;
    for (int c = 0; c < l->C && l->triangles; c++)
        l->at[c][c % 3] = 1;
    fill_tables(l);
}

/* ---- a step --------------------------------------------------------------------------------------------------- */
static int edge_point(const struct spla_level *l, int a, int b)
{
    return l->V + (l->triangles ? 0 : l->F) + l->number[l->vert[a] * l->V + l->vert[b]];
}

static void quad(const struct spla_level *l, struct spla_level *to, int c)
{
    int f = l->corner_face[c], n = l->first[f + 1] - l->first[f], start = l->first[f];
    to->vert[4 * c] = l->vert[c];
    to->vert[4 * c + 1] = edge_point(l, c, start + (l->place[c] + 1) % n);
    to->vert[4 * c + 2] = l->V + f;
    to->vert[4 * c + 3] = edge_point(l, start + (l->place[c] + n - 1) % n, c);
}

/* Corner `to_corner` of a child is parent corner a (b == a), or lies between a and b; places are in half steps now. */
static void tri_corner(const struct spla_level *l, struct spla_level *to, int to_corner, int a, int b)
{
    to->vert[to_corner] = a == b ? l->vert[a] : edge_point(l, a, b);
    for (int k = 0; k < 3; k++)
        to->at[to_corner][k] = l->at[a][k] + l->at[b][k];
}

static void four_triangles(const struct spla_level *l, struct spla_level *to, int f)
{
    const int k = 3 * f, m = 3 * f + 1, n = 3 * f + 2, child[12][2] = {{k, k}, {k, m}, {k, n}, {m, m}, {m, n}, {m, k},
                                                                       {n, n}, {n, k}, {n, m}, {k, m}, {m, n}, {n, k}};
    for (int c = 0; c < 12; c++)
        tri_corner(l, to, 12 * f + c, child[c][0], child[c][1]);
}

void spla_level_next(const struct spla_level *l, struct spla_level *to)
{
    const int size = l->triangles ? 3 : 4;
    *to = (struct spla_level){.level = l->level + 1, .triangles = l->triangles};
    to->V = l->V + l->E + (l->triangles ? 0 : l->F);
    to->F = l->triangles ? 4 * l->F : l->C, to->C = size * to->F;
    to->first = xalloc(to->F + 1, sizeof *to->first), to->vert = xalloc(to->C, sizeof *to->vert);
    to->home = xalloc(to->F, sizeof *to->home), to->at = xalloc(to->C, sizeof *to->at);
    for (int f = 0; f <= to->F; f++)
        to->first[f] = size * f;
    for (int f = 0; f < to->F && l->triangles; f++)
        to->home[f] = l->home[f / 4];
    for (int c = 0; c < l->C && !l->triangles; c++)
        quad(l, to, c);
    for (int f = 0; f < l->F && l->triangles; f++)
        four_triangles(l, to, f);
    fill_tables(to);
}

void spla_level_free(struct spla_level *l)
{
    free(l->first), free(l->vert), free(l->place), free(l->corner_face);
    free(l->faces), free(l->along), free(l->number), free(l->home), free(l->at);
}

/* ---- uploads -------------------------------------------------------------------------------------------------- */
struct sdd_spla spla_level_in(const struct spla_level *l)
{
    const int reduced = l->level > 0 || l->triangles;
    struct sdd_spla m = {.n_rows = (uint32_t)l->V, .n_cols = (uint32_t)l->F, .n_entries = (uint32_t)l->C};
    m.ptr = reduced ? NULL : launch_in(l->first, l->F + 1, 4);
    m.rid = launch_in(l->vert, l->C, 4);
    m.size = reduced ? l->first[1] : 0;
    return m;
}

struct sdd_spla spla_level_rows(const struct spla_level *l)
{
    struct sdd_spla m = {.n_rows = (uint32_t)l->F, .n_cols = (uint32_t)l->V, .n_entries = (uint32_t)l->C};
    int32_t *ptr = xalloc(l->V + 1, 4), *rid = xalloc(l->C, 4), *val = xalloc(l->C, 4), n = 0;
    for (int v = 0; v < l->V; v++) {
        for (int c = 0; c < l->C; c++)
            if (l->vert[c] == v)
                rid[n] = l->corner_face[c], val[n++] = l->place[c];
        ptr[v + 1] = n;
    }
    m.ptr = launch_in(ptr, l->V + 1, 4), m.rid = launch_in(rid, l->C, 4), m.val = launch_in(val, l->C, 4);
    free(ptr), free(rid), free(val);
    return m;
}

/* The entries of a table that are not `none`; number: of each entry, if it is wanted. */
static struct sdd_spla table_in(const struct spla_level *l, const int32_t *table, int32_t none, int32_t **number)
{
    int32_t *ptr = xalloc(l->V + 1, 4), *rid = xalloc(2 * l->C, 4), *val = xalloc(2 * l->C, 4), n = 0;
    struct sdd_spla m = {.n_rows = (uint32_t)l->V, .n_cols = (uint32_t)l->V};
    *number = xalloc(2 * l->C, 4);
    for (int j = 0; j < l->V; j++) {
        for (int i = 0; i < l->V; i++)
            if (table[i * l->V + j] != none) {
                (*number)[n] = i < j ? l->number[i * l->V + j] + 1 : 12345678;
                rid[n] = i, val[n++] = table[i * l->V + j];
            }
        ptr[j + 1] = n;
    }
    m.n_entries = (uint32_t)n;
    m.ptr = launch_in(ptr, l->V + 1, 4), m.rid = launch_in(rid, n, 4), m.val = launch_in(val, n, 4);
    free(ptr), free(rid), free(val);
    return m;
}

struct sdd_adjacency spla_level_around(const struct spla_level *l)
{
    struct sdd_adjacency a = {0};
    int32_t *number, *unused;
    a.e = table_in(l, l->faces, 0, &number);
    a.f = table_in(l, l->along, -1, &unused);
    a.number = launch_in(number, a.e.n_entries, 4);
    free(number), free(unused);
    return a;
}
