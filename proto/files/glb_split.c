/* SPDX-License-Identifier: Apache-2.0 */
/* glb_split.c: the vertices of a glTF file, of which those at seams have copies, and where they stand (glb.h). Each
 * vertex has a list of its copies, which is searched by the values of a corner. */
#include "proto/files/glb.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies ------------------------------------------------------------------------------------------------------ */
static bool same(const struct glb *t, uint32_t a, uint32_t b)
{
    for (int k = 0; k < t->n_columns; k++) {
        const struct glb_column *c = &t->columns[k];
        const size_t bytes = 4 * (size_t)c->rows->components;
        const char *rows = c->rows->data;
        if (c->corners && c->corners[a] != c->corners[b] &&
            memcmp(rows + c->corners[a] * bytes, rows + c->corners[b] * bytes, bytes) != 0)
            return false;
    }
    return true;
}

uint32_t glb_find(const struct glb *t, uint32_t vertex, uint32_t corner)
{
    if (!t->corner || t->corner[vertex] == GLB_NONE || same(t, t->corner[vertex], corner))
        return vertex;
    for (uint32_t i = t->first[vertex]; i != GLB_NONE; i = t->copies[i].next)
        if (same(t, t->copies[i].corner, corner))
            return (uint32_t)t->n_vertices + i;
    return GLB_NONE;
}

static void add_copy(struct glb *t, struct surface_file *f, uint32_t vertex, uint32_t corner)
{
    if (t->n_vertices + t->n_copies >= GLB_NONE) {
        surface_refuse(f, SURFACE_ETOO_LARGE,
                       "with its seams the surface has too many vertices for the 32-bit indices of glTF; ask for a "
                       "lower level or for another format");
        return;
    }
    if (t->n_copies == t->room) {
        int64_t room = t->room ? 2 * t->room : 1024;
        struct glb_copy *grown = realloc(t->copies, (size_t)room * sizeof *grown);
        if (!grown) {
            f->failed = SURFACE_ENO_MEMORY;
            return;
        }
        t->copies = grown;
        t->room = room;
    }
    t->copies[t->n_copies] = (struct glb_copy){vertex, corner, t->first[vertex]};
    t->first[vertex] = (uint32_t)t->n_copies++;
}

void glb_split(struct surface_file *f, struct glb *t)
{
    const struct surface *s = &f->surface;
    const size_t bytes = (size_t)t->n_vertices * sizeof *t->corner;
    bool any = false;
    for (int k = 0; k < t->n_columns; k++)
        any |= t->columns[k].corners != NULL;
    if (!any)
        return;
    t->corner = malloc(bytes + 1);
    t->first = malloc(bytes + 1);
    if (!t->corner || !t->first) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    memset(t->corner, 0xff, bytes); /* All bits set is GLB_NONE. */
    memset(t->first, 0xff, bytes);
    for (int64_t i = 0; i < s->n_corners && !f->failed; i++) {
        const uint32_t vertex = s->corners[i], at = glb_find(t, vertex, (uint32_t)i);
        if (at == GLB_NONE)
            add_copy(t, f, vertex, (uint32_t)i);
        else if (at == vertex && t->corner[vertex] == GLB_NONE)
            t->corner[vertex] = (uint32_t)i;
    }
}

int64_t glb_row(const struct glb *t, const struct glb_column *c, int64_t i)
{
    const struct glb_copy *copy = i < t->n_vertices ? NULL : &t->copies[i - t->n_vertices];
    if (c->constant)
        return 0;
    if (!c->corners)
        return copy ? copy->vertex : i;
    const uint32_t corner = copy ? copy->corner : t->corner[i];
    return corner == GLB_NONE ? GLB_NONE : c->corners[corner];
}

/* ---- where the surface stands ------------------------------------------------------------------------------------ */
static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

/* Is the matrix a rotation with a scale along each axis? A node of glTF takes no other. */
static bool has_scales(const double a[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            double dot = 0, one = 0, two = 0;
            for (int x = 0; x < 3; x++)
                dot += a[i][x] * a[k][x], one += a[i][x] * a[i][x], two += a[k][x] * a[k][x];
            if (i == k ? !(dot > 0) : !(fabs(dot) <= 1e-6 * sqrt(one * two)))
                return false;
        }
    return true;
}

/* The matrix that normals go by where points go by a: its cofactors, so that a need not have an inverse. Returns the
 * determinant of a. */
static double cofactors(const double a[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = a[(i + 1) % 3][(k + 1) % 3] * a[(i + 2) % 3][(k + 2) % 3] -
                        a[(i + 1) % 3][(k + 2) % 3] * a[(i + 2) % 3][(k + 1) % 3];
    return a[0][0] * out[0][0] + a[0][1] * out[0][1] + a[0][2] * out[0][2];
}

void glb_place(struct surface_file *f, struct glb *t)
{
    static const double stay[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, y_up[3][3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    const struct surface_stage *g = &f->surface.stage;
    const double unit = g->meters_per_unit > 0 ? g->meters_per_unit : 1, *m = g->transform;
    const double(*axes)[3] = g->up_axis == 'Z' ? y_up : stay;
    double linear[3][3], turned[3][3], back[3][3], node[3][3], shift[3] = {0, 0, 0}, sign = 1;
    memcpy(t->turn, axes, sizeof t->turn);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            t->place[i][k] = unit * axes[i][k];
            back[i][k] = axes[k][i];
            linear[i][k] = m ? m[4 * i + k] : stay[i][k];
            shift[k] += m ? unit * m[12 + i] * axes[i][k] : 0;
        }
    multiply(linear, axes, turned);
    multiply(back, turned, node);
    if (m && has_scales(node)) {
        t->has_node = true;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                t->node[4 * i + k] = k == 3 ? i == 3 : i == 3 ? shift[k] : node[i][k];
    } else if (m) {
        surface_warn(f, "the transform shears or flattens, which no node of glTF can: it is done to the points");
        sign = cofactors(turned, t->turn) < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                t->place[i][k] = unit * turned[i][k];
                t->turn[i][k] *= sign;
            }
        memcpy(t->place[3], shift, sizeof shift);
    }
    t->flips = sign < 0;
    t->moves = unit != 1 || axes == y_up || (m && !t->has_node);
}

void glb_point(const struct glb *t, const float p[3], float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = !t->moves ? p[k]
                           : (float)((double)p[0] * t->place[0][k] + (double)p[1] * t->place[1][k] +
                                     (double)p[2] * t->place[2][k] + t->place[3][k]);
}

void glb_normal(const struct glb *t, const float n[3], float out[3])
{
    double v[3], length = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = (double)n[0] * t->turn[0][k] + (double)n[1] * t->turn[1][k] + (double)n[2] * t->turn[2][k];
        length += v[k] * v[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = !t->moves || !(length > 0) ? n[k] : (float)(v[k] / sqrt(length));
}
