/* SPDX-License-Identifier: Apache-2.0 */
/* tab_sides.h: how a CPU writes the points of a piece: those inside and those towards the next corner's edge point past
 * the caches, as far as pieces lie beside each other; those at its bottom where another piece writes the rest of the
 * line. */
#ifndef SDD_TAB_SIDES_H
#define SDD_TAB_SIDES_H
#include "gpu/kernels/row_stream.h"
#include "gpu/kernels/tab_pieces.h"

#ifndef __CUDACC__
#define SDD_TAB_FLOATS (3 * SDD_TAB_SIDE) /* of a row of points, that at x = 0 left out */
_Static_assert(3 * (SDD_TAB_SIDE - 1) * (SDD_TAB_SIDE - 1) <= SDD_STREAM_ROOM, "the points inside a piece fit");

struct sdd_tab_streams {
    struct sdd_row_stream inside, spokes;
};

/* Rows of the points on the sides of a piece: its corners, the first of those at the bottom and of those along x = m,
 * which run towards y = 0. */
struct sdd_tab_sides {
    uint32_t vertex, edge, face, bottom, spoke, inside;
};

/* The points of a piece: of rows y = 0 .. m all at x = 1 .. m, as components one after another. */
struct sdd_tab_made {
    float *inside; /* rows 1 .. m - 1 without x = m, one after another */
    float bottom[SDD_TAB_FLOATS + 24] __attribute__((aligned(8)));
    float right[SDD_TAB_SIDE + 1][8]; /* points at x = m */
};

static inline void sdd_tab_open_all(struct sdd_tab_streams *s, const struct tab_points_args *a, int32_t width)
{
    sdd_stream_open(&s->inside, a->to, a->as, width);
    sdd_stream_open(&s->spokes, a->to, a->as, width);
}

static inline void sdd_tab_close_all(struct sdd_tab_streams *s)
{
    sdd_stream_close(&s->inside);
    sdd_stream_close(&s->spokes);
}

/* Where the points inside a piece are to be made. */
SDD_FN float *sdd_tab_inside(const struct tab_points_args *a, struct sdd_width w, const struct sdd_tab_sides *to,
                             struct sdd_tab_streams *s)
{
    int32_t along = (1 << (a->grid.level - 1)) - 1;
    return w.n == w.stride ? sdd_stream_room(&s->inside, (size_t)w.n * to->inside, w.n * along * along) : s->inside.at;
}

/* Asks for the lines at the bottom of a piece that comes soon: other pieces write to them too. */
SDD_FN void sdd_tab_soon(const struct tab_points_args *a, struct sdd_width w, uint32_t bottom)
{
    int32_t words = sdd_rows_words(&a->as, w.stride), n = words * ((1 << (a->grid.level - 1)) - 1);
    const float *to = a->to + (size_t)words * bottom;
    for (int32_t f = 0; f < n; f += 16)
        __builtin_prefetch(to + f, 1);
    if (n > 0)
        __builtin_prefetch(to + n - 1, 1);
}

/* n rows from `row` on, `step` apart. */
SDD_FN void sdd_tab_put(const struct tab_points_args *a, struct sdd_width w, uint32_t row, int32_t step, int32_t n,
                        const float *p, int32_t pitch)
{
    for (int32_t i = 0; i < n; i++, p += pitch)
        sdd_row_out(a->to, &a->as, row + (uint32_t)(i * step), w,
                    sdd_vec3_of(p[0], w.n > 1 ? p[1] : 0.0f, w.n > 2 ? p[2] : 0.0f));
}

/* What of these points a piece makes, all but its vertex and what is on its left. right: of them, the place of x = m in
 * made->right. */
SDD_FN void sdd_tab_put_made(const struct tab_points_args *a, struct sdd_width w, uint32_t owns,
                             const struct sdd_tab_sides *to, const struct sdd_tab_made *made, int32_t right,
                             struct sdd_tab_streams *s)
{
    int32_t n = w.n, m = 1 << (a->grid.level - 1), along = m - 1;
    const float *at = made->right[0] + right;
    if (owns & SDD_TAB_EDGE)
        sdd_tab_put(a, w, to->edge, 0, 1, at, 0);
    if (owns & SDD_TAB_FACE)
        sdd_tab_put(a, w, to->face, 0, 1, at + 8 * m, 0);
    if (n == w.stride) {
        float *spoke = sdd_stream_room(&s->spokes, (size_t)n * to->spoke, n * along);
        for (int32_t y = along; y > 0; y--, spoke += n)
            memcpy(spoke, at + 8 * y, sizeof(float) * (size_t)n);
        if ((owns & SDD_TAB_BOTTOM) && a->as.format != SDD_ROWS_F32)
            sdd_rows_out(a->to, &a->as, to->bottom, along, made->bottom, 0);
        else if (owns & SDD_TAB_BOTTOM)
            memcpy(a->to + (size_t)n * to->bottom, made->bottom, sizeof(float) * (size_t)(n * along));
    } else { /* rows with other components between */
        sdd_tab_put(a, w, to->spoke + (uint32_t)along - 1, -1, along, at + 8, 8);
        if (owns & SDD_TAB_BOTTOM)
            sdd_tab_put(a, w, to->bottom, 1, along, made->bottom, n);
        sdd_tab_put(a, w, to->inside, 1, along * along, made->inside, n);
    }
}
#endif
#endif
