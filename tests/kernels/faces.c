/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"

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
