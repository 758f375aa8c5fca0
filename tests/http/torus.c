/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/torus.h"
#include "tests/http/daemon.h"
#include <math.h>
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
