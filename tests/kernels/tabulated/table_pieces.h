/* SPDX-License-Identifier: Apache-2.0 */
/* table_pieces.h: launches of tabulated's kernels on the grids of meshes, with columns, tables and bases of no meaning:
 * their pieces, in classes. */
#ifndef TESTS_TAB_PIECES_H
#define TESTS_TAB_PIECES_H
#include "gpu/engines/tabulated/kernels/table_rows.tile.h"
#include "tests/kernels/wild.h"

enum { MOST_CLASSES = 5, MOST_COLUMNS = 129, MOST_LEVEL = 6 };

extern uint64_t pieces_seed;

/* A launch of table_points; in host memory. */
struct pieces {
    struct wild_case k;
    struct grid g;
    int level, n;       /* components                                                 */
    int wide;           /* floats of a row of `from`                                  */
    int stride, offset; /* .. of the result, and before the first component            */
    int64_t side, n_from, n_column, n_table, n_regular, n_regular_quads, n_other, n_runs;
    struct sdd_table_quad *regular, *other;
    uint32_t *regular_column, *column, *location;
    float *control, *from, *table; /* control: rows as the result's */
    struct sdd_table_basis basis[2 * ((1 << (MOST_LEVEL - 1)) + 1)];
    int dealt; /* the last corner: is it regular? */
    struct sdd_table_table tables[MOST_CLASSES];
    struct sdd_table_run *runs;
};

float *pieces_floats(int64_t n); /* from -1 to 1; the caller frees */
uint32_t pieces_any_row(const struct pieces *s);
/* pieces_deal: of 8 corners so many regular, most faces' alike; from corner 0 on. */
int pieces_deal(struct pieces *s, uint32_t c, int regular_share);
/* pieces_regular_quads: those of some regular quads come first, and look at control rows, some with open sides
 * (boundary_points.h), and they alone make what is at their left; columns, of no meaning but for the vertex. */
void pieces_regular_quads(struct pieces *s);
/* pieces_point: what a bicubic piece finds at column k, and what its rounding may be of; 0: it is read as it is.
 * pieces_table: which of a pair of tables it takes. */
struct pieces_point {
    double v[3], size[3];
};
struct pieces_point pieces_point(const struct pieces *s, int64_t piece, int k);
const struct sdd_table_basis *pieces_table(const struct pieces *s, const struct sdd_table_basis *pair, int64_t piece);
/* pieces_weights: any that add up to `all`, to the bit. pieces_give: a pair of tables to a kernel, and to its
 * arguments. */
void pieces_weights(const struct pieces *s, float all, struct sdd_table_basis *pair);
const struct sdd_table_basis *pieces_give(const struct pieces *s, const struct sdd_table_basis *pair,
                                          sdd_table_weights to);
/* pieces_init: no pieces yet. others: floats of a row that are no components, at most. */
void pieces_init(struct pieces *s, const struct poly *p, int level, int n, int others);
/* pieces_deal_all: every corner is a piece, of one kind or the other; of 8 corners so many regular. No point has two
 * makers, some on boundaries have none. */
void pieces_deal_all(struct pieces *s, int regular_share);
/* pieces_makes: by table_ring_quad.h's words, does a piece make point (x, y) of its grid, of m x m cells? */
int pieces_makes(uint32_t owns, int64_t m, int64_t x, int64_t y);
/* pieces_made: which rows some piece makes; the caller frees. */
unsigned char *pieces_made(const struct pieces *s);
/* pieces_quad: the piece of a corner. pieces_slot: which of a table's points is (x, y), of its n. */
struct sdd_table_quad pieces_quad(const struct pieces *s, uint32_t c, uint32_t owns);
int64_t pieces_slot(int64_t m, int64_t x, int64_t y);
int64_t pieces_slots(int64_t m);
/* pieces_cut: the others cut into classes, in their order, and these into runs; tables stand in another order. They are
 * still to be made, n_table floats. And where each corner's piece stands, as table_locations must have it. */
void pieces_cut(struct pieces *s);
/* pieces_upload: normals: for a kernel that makes these, too. */
struct table_points_args pieces_upload(const struct pieces *s, const struct sdd_control *m, int normals);
void pieces_fini(struct pieces *s);

#endif
