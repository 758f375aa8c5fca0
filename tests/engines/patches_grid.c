/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/patches_grid.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct sdd_block *block(const sdd_result *r, int semantic)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].semantic == semantic)
            return p->blocks + k;
    fail_msg("no block %d", semantic);
    return NULL;
}

const float *patches_rows(const sdd_result *r, int64_t *n)
{
    *n = block(r, SDD_POSITIONS)->count;
    return block(r, SDD_POSITIONS)->data;
}

const uint32_t *patches_quads(const sdd_result *r, int64_t *n)
{
    *n = block(r, SDD_INDICES)->count;
    return block(r, SDD_INDICES)->data;
}

static sdd_result *refine(sdd_mesh *m, int level, int surface)
{
    struct sdd_refine_request r = {
        .level = level, .surface = surface, .include = SDD_POSITIONS | SDD_INDICES, .method = "mesh-matrix"};
    struct sdd_error err = {0};
    sdd_result *out = NULL;
    if (refine_once(m, &r, &out, &err) != SDD_OK)
        fail_msg("%s", err.text);
    return out;
}

/* Faces that are shown: those whose quads of level 1 are still there beside the holes. */
static void find_shown(struct patches_grid *g, sdd_device *device)
{
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_error err = {0};
    int64_t n, n_all, at = 0;
    if (sdd_topology_create(device, &g->shape->desc, &t, &err) ||
        sdd_mesh_create(t, g->shape->points, g->shape->uvs, &m, &err))
        fail_msg("%s: %s", g->shape->name, err.text);
    sdd_result *r = refine(m, 1, SDD_SURFACE_REFINED);
    const uint32_t *rest = patches_quads(r, &n), *all = patches_quads(g->uniform[1], &n_all);
    for (int64_t f = 0; f < g->shape->desc.n_faces; f++)
        for (int64_t c = g->first[f]; c < g->first[f + 1]; c++)
            if (at < n && memcmp(rest + 4 * at, all + 4 * c, 16) == 0) {
                g->visible[f] = 1;
                at++;
            }
    assert_int_equal(at, n);
    assert_int_equal(n_all, g->n_corners);
    sdd_result_free(r);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

void patches_grid_make(struct patches_grid *g, sdd_device *device, const struct shape *s, int level)
{
    struct sdd_mesh_desc whole = s->desc;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_error err = {0};
    memset(g, 0, sizeof *g);
    whole.n_holes = 0;
    if (whole.options.boundary == SDD_BOUNDARY_NONE) /* the same, but for the holes that it makes */
        whole.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
    g->shape = s;
    g->level = level;
    g->n_corners = whole.n_corners;
    g->first = xalloc(whole.n_faces + 1, sizeof *g->first);
    g->visible = xalloc(whole.n_faces, 1);
    for (int64_t f = 0; f < whole.n_faces; f++)
        g->first[f + 1] = g->first[f] + whole.face_counts[f];
    if (sdd_topology_create(device, &whole, &t, &err) || sdd_mesh_create(t, s->points, s->uvs, &m, &err))
        fail_msg("%s: %s", s->name, err.text);
    for (int l = 1; l <= level; l++)
        g->uniform[l] = refine(m, l, SDD_SURFACE_REFINED);
    for (int surface = SDD_SURFACE_LIMIT; surface < SDD_N_SURFACES; surface++)
        g->limit[surface] = refine(m, level, surface);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    find_shown(g, device);
}

void patches_grid_free(struct patches_grid *g)
{
    for (int l = 1; l <= g->level; l++)
        sdd_result_free(g->uniform[l]);
    for (int surface = SDD_SURFACE_LIMIT; surface < SDD_N_SURFACES; surface++)
        sdd_result_free(g->limit[surface]);
    free(g->first);
    free(g->visible);
}

struct patches_tile patches_tile_of(const uint32_t *param)
{
    return (struct patches_tile){.face = param[0],
                                 .corner = param[1],
                                 .u = param[2] & 0xffff,
                                 .v = param[2] >> 16,
                                 .level = (int)(param[3] & SDD_PATCH_LEVEL_MASK),
                                 .quad = !(param[3] & SDD_PATCH_OF_POLYGON),
                                 .flags = param[3]};
}

int64_t patches_side(const struct patches_tile *t, int level)
{
    return t->quad ? (int64_t)1 << level : (int64_t)1 << (level - 1);
}

/* A place in the grid of a control corner; the four of a quad are turned by a quarter each. */
struct place {
    int64_t corner, x, y;
};

static struct place place_of(const struct patches_grid *g, const struct patches_tile *t, int level, int64_t u,
                             int64_t v, int of_cell)
{
    int64_t first = g->first[t->face], side = (int64_t)1 << level, half = side / 2, end = side - of_cell;
    if (!t->quad)
        return (struct place){first + t->corner, u, v};
    if (v < half || (!of_cell && v == half))
        return u < half || (!of_cell && u == half) ? (struct place){first, u, v}
                                                   : (struct place){first + 1, v, end - u};
    return u < half ? (struct place){first + 3, end - v, u} : (struct place){first + 2, end - u, end - v};
}

uint32_t patches_point(const struct patches_grid *g, const struct patches_tile *t, int level, int64_t u, int64_t v)
{
    static const int corner[2][2] = {{0, 1}, {3, 2}}; /* of a quad, by y and x */
    int64_t n, up = level == 0 ? 1 : 0;               /* a control vertex is a point of level 1 as well */
    struct place p = place_of(g, t, level + (int)up, u << up, v << up, 0);
    int64_t side = (int64_t)1 << (level + up - 1), x = p.x == side ? side - 1 : p.x, y = p.y == side ? side - 1 : p.y;
    const uint32_t *quads = patches_quads(g->uniform[level + up], &n);
    return quads[4 * ((p.corner * side + y) * side + x) + corner[p.y - y][p.x - x]];
}

int64_t patches_cell(const struct patches_grid *g, const struct patches_tile *t, int64_t u, int64_t v)
{
    struct place p = place_of(g, t, g->level, u, v, 1);
    int64_t side = (int64_t)1 << (g->level - 1);
    return (p.corner * side + p.y) * side + p.x;
}
