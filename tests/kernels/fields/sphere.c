/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/fields/sphere.h"
#include "tests/kernels/fields/held.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of grid point (x, y, z) on the surface of a cube of size - 1 cells. */
static int32_t on_cube(int32_t *number, int32_t *n, float *points, int side, int x, int y, int z)
{
    int32_t *at = number + (x * side + y) * side + z;
    if (*at < 0) {
        const double m = side - 1, q[] = {tan((2 * x / m - 1) * atan(1)), tan((2 * y / m - 1) * atan(1)),
                                          tan((2 * z / m - 1) * atan(1))};
        for (int k = 0; k < 3; k++)
            points[3 * *n + k] = (float)(2 * q[k] / held_length(q));
        *at = (*n)++;
    }
    return *at;
}

void sphere_init(struct sphere *s, int size)
{
    int32_t *number = xalloc((int64_t)size * size * size, sizeof *number), n = 0, f = 0;
    memset(number, 0xff, sizeof *number * (size_t)(size * size * size));
    const int cells = (size - 1) * (size - 1);
    s->counts = xalloc(12 * cells, 4), s->vertices = xalloc(36 * cells, 4);
    s->points = xalloc(3 * 6 * size * size, 4);
    for (int side = 0; side < 6; side++)
        for (int k = 0; k < cells; k++) {
            int32_t v[4];
            for (int i = 0; i < 4; i++) {
                const int a = k % (size - 1) + (i == 1 || i == 2), b = k / (size - 1) + (i > 1);
                int at[3];
                at[side % 3] = side < 3 ? size - 1 : 0;
                at[(side + 1) % 3] = side < 3 ? a : b;
                at[(side + 2) % 3] = side < 3 ? b : a;
                v[i] = on_cube(number, &n, s->points, size, at[0], at[1], at[2]);
            }
            const int32_t six[] = {v[0], v[1], v[2], v[0], v[2], v[3]};
            memcpy(s->vertices + 3 * f, six, sizeof six);
            s->counts[f] = s->counts[f + 1] = 3;
            f += 2;
        }
    s->desc = (struct sdd_mesh_desc){
        .n_vertices = n, .n_faces = f, .n_corners = 3 * f, .face_counts = s->counts, .face_vertices = s->vertices};
    free(number);
}

void sphere_fini(struct sphere *s)
{
    free(s->counts), free(s->vertices), free(s->points);
}
