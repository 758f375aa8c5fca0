/* SPDX-License-Identifier: Apache-2.0 */
/* grid_rows.h: the faces of a level of quads, made from the topology of level 1 by the formulas of grid order
 * (README.md, "Grid order"), and the layout of a delta, which brings no faces but that topology (README.md, "Deltas").
 * The daemon and libsubd share it. */
#ifndef SUBDD_GRID_ROWS_H
#define SUBDD_GRID_ROWS_H
#include <stdint.h>

#define DELTA_HEAD_BYTES 24  /* u64 base version, u64 bytes of the frame, u32 bytes of its head, u32 zero. */
#define DELTA_BLOCK_BYTES 16 /* u32 mode, u32 copies, u64 rows. */
#define DELTA_COPY_BYTES 12  /* u32 from row, u32 to row, u32 count. */
#define DELTA_GRID_BYTES 16  /* u32 vertices, faces, edges and corners of the control mesh. */
enum delta_mode {
    DELTA_SAME, /* The block is that of the base. */
    DELTA_ROWS, /* Copies of rows of the base, and the rows between them. */
    DELTA_GRID  /* Faces in grid order. */
};

/* A quad of level 1: its corners (control vertex, point of the next edge, point of the face, point of the edge before)
 * as rows of level 1, and the number of its control corner. */
struct grid_quad {
    uint32_t vertex, next, face, before, corner;
};
struct grid_rows {
    uint32_t n_vertices, n_faces, n_edges, n_corners; /* Of the control mesh. */
    int level;                                        /* 1 to 15 */
    int64_t n_quads;                                  /* Fewer than n_corners where faces are holes. */
    const struct grid_quad *quads;
};

/* grid_rows_points: how many points the level has. The counts make no overflow. */
static inline uint64_t grid_rows_points(const struct grid_rows *g)
{
    const uint64_t along = ((uint64_t)1 << (g->level - 1)) - 1, c = g->n_corners;
    return (uint64_t)g->n_vertices + g->n_faces + g->n_edges + (2 * (uint64_t)g->n_edges + c) * along +
           c * along * along;
}

/* grid_rows_fit: whether the quads name rows that there are. All faces that are made of them then have rows below
 * grid_rows_points, if that is below 2^32. */
static inline int grid_rows_fit(const struct grid_rows *g)
{
    const uint64_t faces = g->n_vertices, edges = faces + g->n_faces, end = edges + g->n_edges;
    for (int64_t i = 0; i < g->n_quads; i++) {
        const struct grid_quad *q = &g->quads[i];
        if (q->vertex >= faces || q->face < faces || q->face >= edges || q->next < edges || q->next >= end ||
            q->before < edges || q->before >= end || q->corner >= g->n_corners)
            return 0;
    }
    return 1;
}

/* What the points of a quad are made of. */
struct grid_sides {
    struct grid_quad q;
    uint32_t bottom, left, right, top, inside; /* The row of the first point of each side, and of the inside. */
};

/* grid_sides_of: `after` and `prior` are the quads of the next corner of the same face and of the one before. */
static inline struct grid_sides grid_sides_of(const struct grid_rows *g, const struct grid_quad *q,
                                              const struct grid_quad *after, const struct grid_quad *prior)
{
    const uint32_t along = ((uint32_t)1 << (g->level - 1)) - 1, points = g->n_vertices + g->n_faces,
                   lines = points + g->n_edges, spokes = lines + 2 * g->n_edges * along;
    struct grid_sides s;
    s.q = *q;
    s.bottom = lines + (2 * (q->next - points) + (q->vertex > after->vertex)) * along;
    s.left = lines + (2 * (q->before - points) + (q->vertex >= prior->vertex)) * along;
    s.right = spokes + q->corner * along;
    s.top = spokes + prior->corner * along;
    s.inside = spokes + g->n_corners * along + q->corner * along * along;
    return s;
}

/* grid_line: the rows of the points (0, y) to (m, y) of a quad, with m = 2^(level - 1). Lines lie side by side. */
static inline void grid_line(const struct grid_sides *s, uint32_t m, uint32_t y, uint32_t *line)
{
    const uint32_t along = m - 1;
    if (y == 0) {
        line[0] = s->q.vertex;
        for (uint32_t x = 1; x < m; x++)
            line[x] = s->bottom + x - 1;
        line[m] = s->q.next;
    } else if (y == m) {
        line[0] = s->q.before;
        for (uint32_t x = 1; x < m; x++)
            line[x] = s->top + (m - x) - 1;
        line[m] = s->q.face;
    } else {
        line[0] = s->left + y - 1;
        for (uint32_t x = 1; x < m; x++)
            line[x] = s->inside + (y - 1) * along + x - 1;
        line[m] = s->right + (m - y) - 1;
    }
}

/* grid_face_end: the quad behind the last one of the face that quad `first` begins. */
static inline int64_t grid_face_end(const struct grid_rows *g, int64_t first)
{
    int64_t end = first + 1;
    while (end < g->n_quads && g->quads[end].face == g->quads[first].face)
        end++;
    return end;
}

/* grid_quad_sides: those of quad k of the face with the quads [first, end). */
static inline struct grid_sides grid_quad_sides(const struct grid_rows *g, int64_t first, int64_t end, int64_t k)
{
    return grid_sides_of(g, &g->quads[k], &g->quads[k + 1 < end ? k + 1 : first],
                         &g->quads[k > first ? k - 1 : end - 1]);
}

#endif
