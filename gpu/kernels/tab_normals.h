/* SPDX-License-Identifier: Apache-2.0 */
/* tab_normals: normals of a level from the rows of level 1, as tab_rows makes positions: two sums a point, of what
 * leads away from it in two directions; their cross product, of length 1 (tab_pairs.h).
 * Shapes  pieces as in tab_rows, slope[m + 1], t1, t2 as pieces.table, shared[n_classes] u32 (tab_class_shared)
 *         -> to[n][3] f32 or oct16 (pieces.as), tangents[n][6] f32, of length 1; either may be NULL: rows first ..
 *         first + n - 1
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up. by_pieces: sdd_tab_items, and on a
 *         GPU the items of tab_points; pieces.to is `to`, and isolated rows are left alone there
 * Cost    12 B written a row; of a bicubic piece 256 B read, cached, 39 multiply-adds a float of a row alone, 8 of
 *         many; of others two multiply-adds a column and float
 * Result  the direction of mesh-matrix's normals, but for rounding; zero where there is none
 * Source  Halstead et al. 1993      Threads any queue */
#ifndef SDD_K_TAB_NORMALS_H
#define SDD_K_TAB_NORMALS_H
#include "gpu/kernels/tab_pairs.h"
#ifndef __CUDACC__
#include "gpu/kernels/tab_pairs_wide.h"

/* Rows [low, high); but for tangents of floats. */
static inline void sdd_tab_normals_of(const struct tab_normals_args *a, int64_t low, int64_t high)
{
    const struct sdd_control *m = &a->rows.mesh;
    int32_t level = a->rows.pieces.grid.level;
    int64_t inside = sdd_first_inside(m, level), along = ((int64_t)1 << (level - 1)) - 1;
    int64_t lines = (int64_t)m->n_vertices + m->n_faces + m->n_edges;
    for (; low < high && (low < lines || a->tangents); low++)
        sdd_tab_put_row(a, low - a->rows.first);
    while (low < high && low < inside) {
        int64_t last = lines + ((low - lines) / along + 1) * along;
        sdd_tab_line_run(a, low, last < high ? last : high);
        low = last < high ? last : high;
    }
    while (low < high) {
        struct sdd_band b = sdd_band_at(m, level, low, high);
        uint32_t piece = a->rows.where[b.corner];
        if (piece & SDD_TAB_OTHER)
            sdd_tab_other_band(a, &b, piece & ~SDD_TAB_OTHER);
        else
            sdd_tab_bicubic_band(a, &b, piece);
        low = b.high;
    }
}

#define SDD_TAB_CACHED 4096 /* rows of floats that become 16 bits while they are in the caches */

SDD_FN void k_tab_normals(int64_t i, const struct tab_normals_args *a)
{
    int64_t low = a->rows.first + i * a->rows.each, end = a->rows.first + a->rows.n;
    int64_t high = low + a->rows.each < end ? low + a->rows.each : end;
    if (a->rows.pieces.as.format == SDD_ROWS_F32 || a->tangents) {
        sdd_tab_normals_of(a, low, high);
        return;
    }
    struct tab_normals_args some = *a;
    float rows[3 * SDD_TAB_CACHED];
    some.rows.to = rows;
    some.rows.pieces.as.format = SDD_ROWS_WAY;
    for (; low < high; low = end) {
        end = low + SDD_TAB_CACHED < high ? low + SDD_TAB_CACHED : high;
        some.rows.first = low;
        sdd_tab_normals_of(&some, low, end);
        sdd_rows_out(a->rows.to, &a->rows.pieces.as, (uint32_t)(low - a->rows.first), (int32_t)(end - low), rows, 0);
    }
#ifdef __FMA__
    _mm_sfence();
#endif
}
#endif
#endif
