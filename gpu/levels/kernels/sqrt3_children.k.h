/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_children: the faces of the next level (sqrt3_grid.h says which): each half-edge becomes a face of three
 * half-edges.
 * Shapes  level (sqrt3_grid.h) -> vert, twin [9 F] u32, sharp[9 F] f32 (NULL where the level has none)
 * Launch  item, n = 3 F half-edges
 * Cost    about 40 B read, 24 B written a half-edge
 * Result  Where half-edge c is no line, face c is (its start, O(twin), O). Sharpness stays in the first step and goes
 *         down by two in the second.
 * Threads any queue
 * Source  Mlakar 2018, table 4.1; Kobbelt 2000 */
#ifndef SDD_K_SQRT3_CHILDREN_H
#define SDD_K_SQRT3_CHILDREN_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_children_args {
    struct sdd_sqrt3 mesh;
    uint32_t *vert, *twin;
    float *sharp;
};

/* One face of the next level. */
struct sdd_sqrt3_face {
    uint32_t vert[3], twin[3];
    float sharp[3];
};

SDD_FN void sdd_sqrt3_first_step(const struct sdd_sqrt3 *m, uint32_t c, struct sdd_sqrt3_face *to)
{
    uint32_t n = 3 * m->n_faces, t = m->twin[c], before = sdd_sqrt3_prev(c);
    to->vert[2] = m->n_vertices + c / 3;
    to->twin[2] = sdd_sqrt3_is_line(m, before) ? 3 * before + 1 : 3 * m->twin[before];
    if (sdd_sqrt3_is_line(m, c)) {
        to->vert[1] = m->vert[sdd_sqrt3_next(c)];
        to->twin[0] = t < n ? 3 * t : 3 * n + (t - n);
        to->twin[1] = 3 * sdd_sqrt3_next(c) + 2;
        to->sharp[0] = sdd_sqrt3_sharp(m, c);
    } else {
        to->vert[1] = m->n_vertices + t / 3;
        to->twin[0] = 3 * sdd_sqrt3_next(t) + 2;
        to->twin[1] = 3 * t + 1;
    }
}

/* Sets the twin and sharpness of half-edge `side` of a face, which is piece `piece` of the line of half-edge h in the
 * second step. Pieces are counted from h's start. The piece that starts there is in the face that the half-edge across
 * b v makes, the last one in the face that w b makes. */
SDD_FN void sdd_sqrt3_piece(const struct sdd_sqrt3 *m, uint32_t h, uint32_t piece, struct sdd_sqrt3_face *to,
                            uint32_t side)
{
    uint32_t n = 3 * m->n_faces, t = m->twin[h];
    if (t >= n)
        to->twin[side] = 3 * n + 3 * (t - n) + piece;
    else
        to->twin[side] = piece == 0 ? 3 * (t + 1) + 2 : piece == 1 ? 3 * t : 3 * m->twin[t + 2];
    to->sharp[side] = sdd_decayed(sdd_sqrt3_sharp(m, h), 2);
}

SDD_FN void sdd_sqrt3_second_step(const struct sdd_sqrt3 *m, uint32_t c, struct sdd_sqrt3_face *to)
{
    uint32_t line = c - c % 3, t = m->twin[c];
    int cut = sdd_sqrt3_is_line(m, line);
    if (cut && c == line) {
        to->vert[0] = m->n_vertices + c / 3;
        to->vert[1] = sdd_sqrt3_q(m, c / 3);
        to->vert[2] = m->vert[c + 2];
        sdd_sqrt3_piece(m, c, 1, to, 0);
        to->twin[1] = 3 * m->twin[c + 1];
        to->twin[2] = 3 * (c + 2) + 2;
        return;
    }
    uint32_t across = t - t % 3; /* This is the first half-edge of the face across. */
    int cut_across = sdd_sqrt3_is_line(m, across);
    to->vert[1] = sdd_sqrt3_own(m, t);
    to->vert[2] = sdd_sqrt3_own(m, c);
    to->twin[1] = 3 * t + 1;
    if (!cut_across)
        to->twin[0] = 3 * sdd_sqrt3_next(t) + 2;
    else if (t == across + 1)
        to->twin[0] = 3 * across + 1;
    else
        sdd_sqrt3_piece(m, across, 0, to, 0);
    if (!cut)
        to->twin[2] = 3 * m->twin[sdd_sqrt3_prev(c)];
    else if (c == line + 1)
        sdd_sqrt3_piece(m, line, 2, to, 2);
    else
        to->twin[2] = 3 * line + 2;
}

SDD_FN void k_sqrt3_children(int64_t i, const struct sqrt3_children_args *a)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    struct sdd_sqrt3_face to;
    to.vert[0] = m->vert[i];
    to.sharp[0] = to.sharp[1] = to.sharp[2] = 0.0f;
    if (sdd_sqrt3_is_second(m))
        sdd_sqrt3_second_step(m, (uint32_t)i, &to);
    else
        sdd_sqrt3_first_step(m, (uint32_t)i, &to);
    for (int32_t k = 0; k < 3; k++) {
        a->vert[3 * i + k] = to.vert[k];
        a->twin[3 * i + k] = to.twin[k];
        if (a->sharp)
            a->sharp[3 * i + k] = to.sharp[k];
    }
}
#endif
