/* SPDX-License-Identifier: Apache-2.0 */
/* loop_meshes.c: the meshes of poly.h and nonmanifold.h cut into triangles, and vertices of any valence. */
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include "tests/oracle/triangles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static poly_check *check_cut; /* of the run that is going on */

static void cut(const struct poly *p)
{
    struct poly q = *p;
    struct triangles t = triangles_cut(&q.desc);
    q.desc.options.scheme = SDD_SCHEME_LOOP;
    q.n_owned = 0;
    check_cut(&q);
    triangles_free(&t);
}

void loop_each(int n_random, int64_t most_corners, poly_check *check)
{
    check_cut = check;
    poly_each(n_random, most_corners, cut);
}

void loop_each_odd(int n_random, int64_t most_corners, poly_check *check)
{
    check_cut = check;
    soup_each(n_random, most_corners, cut);
}

/* Vertices: the rim of the pyramids, their tips, the rim of the fan, its middle. */
void loop_valences(int32_t n, poly_check *check)
{
    static const float sharp[] = {10, 0.4f, 2.5f};
    const double turn = 2 * acos(-1);
    int32_t low = n, high = n + 1, fan = n + 2, middle = 2 * n + 3, corner = 1;
    int32_t *counts = xalloc(3 * n, 4), *vertices = xalloc(9 * n, 4);
    float *points = xalloc(3 * (2 * n + 4), sizeof *points);
    uint64_t r = (uint64_t)n;
    for (int32_t i = 0; i < 3 * n; i++)
        counts[i] = 3;
    for (int32_t i = 0; i < n; i++) {
        const int32_t next = (i + 1) % n;
        const int32_t v[9] = {i, next, high, next, i, low, fan + i, fan + i + 1, middle};
        memcpy(vertices + 9 * i, v, sizeof v);
    }
    for (int32_t i = 0; i <= n; i++) { /* the rim of the fan is one longer, a place that the tips then get */
        float *rim = points + 3 * i, *open = points + 3 * (fan + i);
        rim[0] = (float)cos(turn * i / n), rim[1] = (float)sin(turn * i / n), rim[2] = random_unit(&r);
        open[0] = (float)cos(turn * i / n / 2), open[1] = (float)sin(turn * i / n / 2), open[2] = random_unit(&r);
    }
    const float tips[6] = {0.1f, 0.2f, -1.3f, -0.1f, 0.1f, 1.7f};
    memcpy(points + 3 * low, tips, sizeof tips);
    const int32_t creases[6] = {0, high, n / 2, high, n - 1, low};
    struct poly p = {.desc = {.n_vertices = 2 * n + 4, .n_faces = 3 * n, .n_corners = 9 * n}, .points = points};
    p.desc.face_counts = counts, p.desc.face_vertices = vertices;
    p.desc.options.scheme = SDD_SCHEME_LOOP, p.desc.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
    for (int tags = 0; tags < 2; tags++) {
        launch_say("valence %d, %s tags", n, tags ? "with" : "without");
        p.desc.n_creases = tags ? 3 : 0, p.desc.crease_edges = creases, p.desc.crease_sharpness = sharp;
        p.desc.n_corner_tags = tags, p.desc.corner_vertices = &corner, p.desc.corner_sharpness = sharp + 2;
        check(&p);
    }
    free(counts), free(vertices), free(points);
}
