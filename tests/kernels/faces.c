/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include <stdlib.h>

struct sdd_faces faces_of(const struct brute *b)
{
    struct sdd_faces f = {b->next, b->prev, b->face, 0, 0};
    return f;
}

/* 3 or 4 when all faces are of that size, else 0. */
static uint32_t uniform_size(const struct brute *b)
{
    uint32_t size = (uint32_t)b->end[0];
    for (int64_t f = 1; f < b->F; f++)
        if ((uint32_t)(b->end[f] - b->end[f - 1]) != size)
            return 0;
    return size <= 4 ? size : 0;
}

struct sdd_faces faces_in(const struct brute *b, int64_t n)
{
    static unsigned turn;
    uint32_t size = turn++ % 2 ? uniform_size(b) : 0;
    int64_t first = size ? b->C : 0;
    struct sdd_faces f = {.n_uniform = (uint32_t)first, .size = size};
    if (n == first)
        return f;
    f.next = launch_in(b->next + first, n - first, 4);
    f.prev = launch_in(b->prev + first, n - first, 4);
    f.face = launch_in(b->face + first, n - first, 4);
    return f;
}

unsigned char *feature_flags(const uint32_t *vert, const uint32_t *next, const uint32_t *edge_corner,
                             const float *edge_sharp, int64_t n_edges, const float *vert_sharp, int64_t n)
{
    unsigned char *is_feature = xalloc(n, 1);
    int32_t *n_sharp = xalloc(n, sizeof *n_sharp);
    for (int64_t e = 0; e < n_edges; e++)
        if (edge_sharp[e] > 0)
            n_sharp[vert[edge_corner[e]]]++, n_sharp[vert[next[edge_corner[e]]]]++;
    for (int64_t v = 0; v < n; v++)
        is_feature[v] = n_sharp[v] > 1 || vert_sharp[v] > 0;
    free(n_sharp);
    return is_feature;
}

struct sdd_feature_vertices features_in(const unsigned char *flag, int64_t n)
{
    struct sdd_feature_vertices r = {launch_in(flag, n, 1), NULL, 0, 0};
    uint32_t *list = xalloc(n, sizeof *list);
    for (int64_t v = 0; v < n; v++)
        if (flag[v])
            list[r.n++] = (uint32_t)v;
    r.n_items = r.n + r.n % 5; /* some items more */
    r.list = launch_in(list, r.n, sizeof *list);
    free(list);
    return r;
}
