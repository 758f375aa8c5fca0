/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/shrink.h"
#include <string.h>

struct work {
    struct tagged_mesh *mesh;
    fails_fn *fails;
    void *context;
    int changed;
};

/* Takes the smaller mesh if it still fails. */
static int keep_if_failing(struct work *w, const struct tagged_mesh *smaller)
{
    if (smaller->n_faces == 0 || memcmp(smaller, w->mesh, sizeof *smaller) == 0 || !w->fails(smaller, w->context))
        return 0;
    *w->mesh = *smaller;
    w->changed = 1;
    return 1;
}

/* ---- rows of one kind -------------------------------------------------------------------------------------------- */
typedef void drop_fn(struct tagged_mesh *m, int32_t first, int32_t n); /* rows first .. first + n - 1 */

static void drop_faces(struct tagged_mesh *m, int32_t first, int32_t n)
{
    unsigned char keep[TAGGED_FACES];
    for (int32_t f = 0; f < m->n_faces; f++)
        keep[f] = f < first || f >= first + n;
    tagged_keep_faces(m, keep);
}

static void drop_creases(struct tagged_mesh *m, int32_t first, int32_t n)
{
    size_t left = (size_t)(m->n_creases - first - n);
    memmove(m->creases[first], m->creases[first + n], left * sizeof *m->creases);
    memmove(&m->sharpness[first], &m->sharpness[first + n], left * sizeof *m->sharpness);
    m->n_creases -= n;
}

static void drop_corners(struct tagged_mesh *m, int32_t first, int32_t n)
{
    size_t left = (size_t)(m->n_corner_tags - first - n);
    memmove(&m->corners[first], &m->corners[first + n], left * sizeof *m->corners);
    memmove(&m->corner_sharpness[first], &m->corner_sharpness[first + n], left * sizeof *m->corner_sharpness);
    m->n_corner_tags -= n;
}

static void drop_holes(struct tagged_mesh *m, int32_t first, int32_t n)
{
    memmove(&m->holes[first], &m->holes[first + n], (size_t)(m->n_holes - first - n) * sizeof *m->holes);
    m->n_holes -= n;
}

/* Half of the rows, then quarters, down to single ones, from the last on. */
static void drop_rows(struct work *w, size_t count_at, drop_fn *drop)
{
    const int32_t *count = (const int32_t *)(const void *)((const char *)w->mesh + count_at);
    for (int32_t piece = *count; piece > 0; piece /= 2)
        for (int32_t first = (*count - 1) / piece * piece; first >= 0; first -= piece) {
            struct tagged_mesh smaller = *w->mesh;
            int32_t n = first + piece > *count ? *count - first : piece;
            if (n > 0)
                drop(&smaller, first, n);
            keep_if_failing(w, &smaller);
        }
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
static void lower_level(struct work *w)
{
    struct tagged_mesh smaller = *w->mesh;
    for (smaller.level = 1; smaller.level < w->mesh->level; smaller.level++)
        if (keep_if_failing(w, &smaller))
            return;
}

static void default_options(struct work *w)
{
    for (int row = 0; row < sdd_n_options; row++) {
        struct tagged_mesh smaller = *w->mesh;
        memset((char *)&smaller.options + sdd_option_table[row].offset, 0, sizeof(int32_t));
        keep_if_failing(w, &smaller);
    }
}

static void drop_uvs(struct work *w)
{
    struct tagged_mesh smaller = *w->mesh;
    smaller.n_uvs = 0;
    keep_if_failing(w, &smaller);
}

/* Of two values at a vertex the first stays. */
static void join_uvs(struct work *w)
{
    for (int32_t c = 0; c < w->mesh->n_corners && w->mesh->n_uvs > 0; c++)
        for (int32_t k = c + 1; k < w->mesh->n_corners; k++) {
            const struct tagged_mesh *m = w->mesh;
            struct tagged_mesh smaller = *m;
            if (m->vertices[c] != m->vertices[k] || m->uv_indices[c] == m->uv_indices[k])
                continue;
            for (int32_t i = 0; i < m->n_corners; i++)
                if (m->vertices[i] == m->vertices[c] && m->uv_indices[i] == m->uv_indices[k])
                    smaller.uv_indices[i] = m->uv_indices[c];
            keep_if_failing(w, &smaller);
        }
}

static void drop_unused(struct work *w)
{
    struct tagged_mesh smaller = *w->mesh;
    tagged_compact(&smaller);
    keep_if_failing(w, &smaller);
}

void shrink(struct tagged_mesh *m, fails_fn *fails, void *context)
{
    struct work w = {m, fails, context, 1};
    while (w.changed) {
        w.changed = 0;
        lower_level(&w);
        drop_uvs(&w);
        drop_rows(&w, offsetof(struct tagged_mesh, n_faces), drop_faces);
        drop_unused(&w);
        default_options(&w);
        drop_rows(&w, offsetof(struct tagged_mesh, n_creases), drop_creases);
        drop_rows(&w, offsetof(struct tagged_mesh, n_corner_tags), drop_corners);
        drop_rows(&w, offsetof(struct tagged_mesh, n_holes), drop_holes);
        join_uvs(&w);
    }
}
