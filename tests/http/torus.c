/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/torus.h"
#include "tests/http/daemon.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

char *torus_obj(int around, double stretch)
{
    const size_t size = (size_t)(around * around) * 140;
    char *obj = malloc(size);
    size_t n = 0;
    assert_non_null(obj);
    for (int i = 0; i < around * around; i++) {
        const double a = 2 * M_PI * (i / around) / around, b = 2 * M_PI * (i % around) / around;
        const double r = 1 + 0.2 * sin(3 * a) * cos(2 * b);
        n += (size_t)snprintf(obj + n, size - n, "v %.9g %.9g %.9g\n", stretch * (3 + r * cos(b)) * cos(a),
                              (3 + r * cos(b)) * sin(a), r * sin(b) / stretch);
    }
    for (int i = 0; i < around * around; i++) {
        const int x = i % around, right = (x + 1) % around, row = i - x, next = (row + around) % (around * around);
        n += (size_t)snprintf(obj + n, size - n, "f %d %d %d %d\n", row + x + 1, row + right + 1, next + right + 1,
                              next + x + 1);
    }
    return obj;
}

enum { SLAB_WIDE = 27, SLAB_HIGH = 11 };

static bool is_cell(int x, int y)
{
    return x >= 0 && y >= 0 && x < SLAB_WIDE && y < SLAB_HIGH && !(x % 2 && y % 2);
}

char *slab_obj(void)
{
    static const int way[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    enum { ROW = SLAB_WIDE + 1, LAYER = ROW * (SLAB_HIGH + 1), SIZE = 200000 };
    char *obj = malloc(SIZE);
    size_t n = 0;
    assert_non_null(obj);
    for (int i = 0; i < 2 * LAYER; i++)
        n += (size_t)snprintf(obj + n, SIZE - n, "v %d %d %d\n", i % ROW, i % LAYER / ROW, i / LAYER);
    for (int i = 0; i < SLAB_WIDE * SLAB_HIGH; i++) {
        const int x = i % SLAB_WIDE, y = i / SLAB_WIDE, v = y * ROW + x + 1, c[4] = {v, v + 1, v + 1 + ROW, v + ROW};
        if (!is_cell(x, y))
            continue;
        n += (size_t)snprintf(obj + n, SIZE - n, "f %d %d %d %d\nf %d %d %d %d\n", c[3], c[2], c[1], c[0], c[0] + LAYER,
                              c[1] + LAYER, c[2] + LAYER, c[3] + LAYER);
        for (int k = 0; k < 4; k++)
            if (!is_cell(x + way[k][0], y + way[k][1]))
                n += (size_t)snprintf(obj + n, SIZE - n, "f %d %d %d %d\n", c[k], c[(k + 1) % 4],
                                      c[(k + 1) % 4] + LAYER, c[k] + LAYER);
    }
    return obj;
}
