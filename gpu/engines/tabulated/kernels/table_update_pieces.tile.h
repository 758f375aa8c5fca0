/* SPDX-License-Identifier: Apache-2.0 */
/* table_update_pieces: brings a list of pieces from an old mesh to the new one.
 * Shapes  in, runs from new rows of the list to old ones and from old corners to new ones, new mesh, class_of[classes]
 *         u32 -> out[n]
 * Launch  tile, ceil(n / TABLE_UPDATE_PIECES)
 * Cost    20 B read and 16 B written a piece, and a search in the runs where a tile lies in several of them
 * Result  A piece of the old list makes what it made, under its new numbers. class_of says what the classes of pieces
 *         that are not bicubic became; it is NULL for others. Rows of pieces that come hold nothing of use.
 * Threads any queue */
#ifndef SDD_K_TABLE_UPDATE_PIECES_H
#define SDD_K_TABLE_UPDATE_PIECES_H
#include "gpu/kernel/tile.h"
#include "gpu/mesh/update.dev.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

#define TABLE_UPDATE_LANES 128
#define TABLE_UPDATE_PIECES 512
enum { table_update_pieces_threads = TABLE_UPDATE_LANES };

struct table_update_pieces_args {
    const struct sdd_table_quad *in;
    struct sdd_table_quad *out;
    struct sdd_runs rows, corners;
    struct sdd_control mesh;
    const uint32_t *class_of;
    int64_t n;
};

/* The runs of corners among which those of a tile's pieces are. */
struct sdd_table_span {
    int32_t low, high;
};

SDD_FN void sdd_table_update_piece(const struct table_update_pieces_args *a, struct sdd_table_span span,
                                   struct sdd_table_quad q, struct sdd_table_quad *to)
{
    const struct sdd_control *m = &a->mesh;
    q.corner += a->corners.shift[sdd_run_of(&a->corners, span.low, span.high, q.corner)];
    if (q.corner < m->n_corners) { /* It may be any number in a row of a piece that comes. */
        q.edge = m->n_vertices + m->n_faces + m->edge[q.corner];
        q.face = m->n_vertices + sdd_face(&m->faces, q.corner);
    }
    if (a->class_of)
        q.owns = (q.owns & ((1u << SDD_TABLE_CLASS) - 1)) | a->class_of[q.owns >> SDD_TABLE_CLASS] << SDD_TABLE_CLASS;
    *to = q;
}

SDD_FN void k_table_update_pieces(int64_t tile, const struct table_update_pieces_args *a)
{
    SDD_SHARED(uint32_t, least, TABLE_UPDATE_LANES);
    SDD_SHARED(uint32_t, most, TABLE_UPDATE_LANES);
    const uint32_t first = (uint32_t)tile * TABLE_UPDATE_PIECES;
    const int32_t n = a->n - first < TABLE_UPDATE_PIECES ? (int32_t)(a->n - first) : TABLE_UPDATE_PIECES;
    const int32_t low = sdd_run_of(&a->rows, 0, a->rows.n - 1, first);
    const int32_t high = sdd_run_of(&a->rows, low, a->rows.n - 1, first + (uint32_t)n - 1);
    /* A lane reads what it wrote itself. */
    SDD_EACH (lane, TABLE_UPDATE_LANES) {
        least[lane] = SDD_NONE;
        most[lane] = 0;
    }
    for (int32_t row = 0; row < n; row += TABLE_UPDATE_LANES) {
        const int32_t some = n - row < TABLE_UPDATE_LANES ? n - row : TABLE_UPDATE_LANES;
        SDD_EACH (lane, some) {
            const uint32_t to = first + (uint32_t)(row + lane);
            const uint32_t c = a->in[(uint32_t)(to + a->rows.shift[sdd_run_of(&a->rows, low, high, to)])].corner;
            least[lane] = c < least[lane] ? c : least[lane];
            most[lane] = c > most[lane] ? c : most[lane];
        }
    }
    SDD_SYNC;
    for (int32_t half = TABLE_UPDATE_LANES / 2; half > 0; half /= 2) {
        SDD_EACH (lane, half) {
            least[lane] = least[lane + half] < least[lane] ? least[lane + half] : least[lane];
            most[lane] = most[lane + half] > most[lane] ? most[lane + half] : most[lane];
        }
        SDD_SYNC;
    }
    struct sdd_table_span span;
    span.low = sdd_run_of(&a->corners, 0, a->corners.n - 1, least[0]);
    span.high = sdd_run_of(&a->corners, span.low, a->corners.n - 1, most[0]);
    SDD_EACH (i, n) {
        const uint32_t to = first + (uint32_t)i;
        sdd_table_update_piece(a, span, a->in[(uint32_t)(to + a->rows.shift[sdd_run_of(&a->rows, low, high, to)])],
                               a->out + to);
    }
}
#endif
