/* SPDX-License-Identifier: Apache-2.0 */
/* update_find.c: which faces and corners go and come with an edit, for a topology update (update.h). */
#include "gpu/mesh/update.h"
#include <string.h>

/* ---- faces ------------------------------------------------------------------------------------------------------- */
/* Lists the faces of the delta. A dirty face that is not new goes and comes. */
static int list_faces(struct update *u, struct sdd_error *err)
{
    const struct sdd_topology_delta *d = u->delta;
    const struct sdd_rows_delta *f = &d->faces;
    struct numbering rows = {0};
    u->gone_face = update_memory(u, f->n_removed + d->n_dirty_faces, sizeof *u->gone_face, err);
    u->new_face = u->gone_face ? update_memory(u, d->n_dirty_faces, sizeof *u->new_face, err) : NULL;
    if (!u->new_face)
        return SDD_ENO_MEMORY;
    int rc = update_number_rows(u, &rows, f->n_old, u->desc->n_faces, (const uint32_t *)f->removed, f->n_removed,
                                (const uint32_t *)f->added, f->n_added, err);
    if (rc)
        return rc;
    int64_t r = 0;
    for (int64_t i = 0; i < d->n_dirty_faces; i++) {
        const uint32_t place = update_place(&rows, (uint32_t)d->dirty_faces[i]);
        struct update_face *face = u->new_face + u->n_new_faces++;
        *face = (struct update_face){.row = d->dirty_faces[i], .mate = -1};
        if (place % 2 == 0)
            continue;
        for (; r < f->n_removed && f->removed[r] < (int32_t)(place / 2); r++)
            u->gone_face[u->n_gone_faces++] = (struct update_face){.row = f->removed[r], .mate = -1};
        face->mate = u->n_gone_faces;
        u->gone_face[u->n_gone_faces++] = (struct update_face){.row = place / 2, .mate = i};
    }
    for (; r < f->n_removed; r++)
        u->gone_face[u->n_gone_faces++] = (struct update_face){.row = f->removed[r], .mate = -1};
    return SDD_OK;
}

static int number_faces(struct update *u, struct numbering *out, struct sdd_error *err)
{
    struct ranges gone = {update_memory(u, u->n_gone_faces, sizeof *gone.at, err), 0};
    struct ranges come = {gone.at ? update_memory(u, u->n_new_faces, sizeof *come.at, err) : NULL, 0};
    if (!come.at)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_gone_faces; i++)
        update_ranges(&gone, u->gone_face[i].row, 1);
    for (int64_t i = 0; i < u->n_new_faces; i++)
        update_ranges(&come, u->new_face[i].row, 1);
    return update_number(u, out, (struct topology_run){0, 0, 0}, u->old->info.n_faces, u->desc->n_faces, gone, come,
                         err);
}

/* Finds where the corners of gone faces and of runs of staying faces begin and end in the old mesh. Pairs of `bound`
 * are for the former and then for the latter. */
static int ask_bounds(struct update *u, const struct numbering *rows, uint32_t *bound, struct sdd_error *err)
{
    const int64_t n = u->n_gone_faces + rows->n;
    uint32_t *row = update_memory(u, 2 * n, sizeof *row, err);
    if (!row)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = i - u->n_gone_faces;
        const int64_t first = k < 0 ? u->gone_face[i].row : rows->run[k].from, some = k < 0 ? 1 : rows->run[k].n;
        row[2 * i] = (uint32_t)(first > 0 ? first - 1 : 0);
        row[2 * i + 1] = (uint32_t)(first + some - 1);
    }
    const struct question q = {-1, (const uint32_t *)u->old->face_end, row, 2 * n, bound, NULL};
    int rc = update_ask(u, u->view, &q, 1, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        const int64_t k = i - u->n_gone_faces;
        if ((k < 0 ? u->gone_face[i].row : rows->run[k].from) == 0)
            bound[2 * i] = 0;
    }
    return rc;
}

/* Says where the corners of faces begin and end, of gone ones in the old mesh and of new ones in the new mesh. */
static int bound_faces(struct update *u, struct sdd_error *err)
{
    struct numbering rows = {0};
    int rc = number_faces(u, &rows, err);
    uint32_t *bound = rc ? NULL : update_memory(u, 2 * (u->n_gone_faces + rows.n), sizeof *bound, err);
    if (!bound)
        return rc ? rc : SDD_ENO_MEMORY;
    rc = ask_bounds(u, &rows, bound, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_gone_faces; i++, bound += 2) {
        u->gone_face[i].begin = bound[0];
        u->gone_face[i].end = bound[1];
        u->n_gone += bound[1] - bound[0];
    }
    const int32_t most = u->old->scheme->most_corners;
    int64_t at = 0, run = 0;
    for (int64_t i = 0; i <= u->n_new_faces; i++) {
        for (; run < rows.n && (i == u->n_new_faces || rows.run[run].to < u->new_face[i].row); run++, bound += 2)
            at += bound[1] - bound[0];
        if (i == u->n_new_faces)
            break;
        const int32_t size = u->desc->face_counts[u->new_face[i].row];
        if (size < 3 || size > most)
            return UPDATE_ANEW;
        u->new_face[i].begin = at;
        u->new_face[i].end = at += size;
        u->n_come += size;
        if (at > u->desc->n_corners)
            return UPDATE_ANEW;
    }
    return at == u->desc->n_corners ? SDD_OK : UPDATE_ANEW;
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */
/* Asks for what the old mesh has at the corners that go. */
static int ask_gone(struct update *u, struct view *v, struct sdd_error *err)
{
    const int64_t n = u->n_gone;
    uint32_t *at[4];
    v->gone = update_memory(u, n, sizeof *v->gone, err);
    if (!v->gone)
        return SDD_ENO_MEMORY;
    for (int k = 0; k < 4; k++)
        if (!(at[k] = update_memory(u, n, sizeof *at[k], err)))
            return SDD_ENO_MEMORY;
    for (int64_t i = 0, k = 0; i < u->n_gone_faces; i++)
        for (int64_t c = u->gone_face[i].begin; c < u->gone_face[i].end; c++)
            at[0][k++] = (uint32_t)c;
    const struct question q[] = {{-1, v->vert, at[0], n, at[1], NULL},
                                 {-1, v->edge, at[0], n, at[2], NULL},
                                 {-1, v->twin, at[0], n, at[3], NULL}};
    int rc = update_ask(u, v, q, v->twin ? 3 : 2, err);
    for (int64_t i = 0, k = 0; i < u->n_gone_faces && !rc; i++) {
        const int64_t first = k, size = u->gone_face[i].end - u->gone_face[i].begin;
        for (; k < first + size; k++)
            v->gone[k] = (struct gone_corner){.corner = at[0][k],
                                              .vert = at[1][k],
                                              .after = at[1][k + 1 < first + size ? k + 1 : first],
                                              .edge = at[2][k],
                                              .twin = v->twin ? at[3][k] : SDD_NONE};
    }
    return rc;
}

/* Reads the corners of the dirty faces, turned as face_corners turns them. */
static int read_new(struct update *u, struct view *v, struct sdd_error *err)
{
    struct new_corner *c = v->come = update_memory(u, u->n_come, sizeof *c, err);
    if (!c)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_new_faces; i++) {
        const struct update_face *f = u->new_face + i;
        const int64_t n = f->end - f->begin;
        for (int64_t k = 0; k < n; k++) {
            const int64_t from = u->desc->options.orientation == SDD_LEFT_HANDED ? (n - k) % n : k;
            const int32_t row = v->indices[f->begin + from];
            if (row < 0 || row >= v->n_new)
                return UPDATE_ANEW;
            c[k] = (struct new_corner){.corner = (uint32_t)(f->begin + k), .vert = (uint32_t)row, .face = f->row};
        }
        for (int64_t k = 0; k < n; k++) {
            c[k].after = c[k + 1 < n ? k + 1 : 0].vert;
            c[k].owner = u->view->come[c - v->come + k].vert;
            c[k].key = c[k].vert < c[k].after ? (uint64_t)c[k].vert << 32 | c[k].after
                                              : (uint64_t)c[k].after << 32 | c[k].vert;
        }
        c += n;
    }
    return SDD_OK;
}

/* Whether n corners that come are those that go from there on, in all views. */
static int are_same(const struct update *u, int64_t come, int64_t gone, int64_t n)
{
    for (int k = 0; k < u->n_views; k++)
        for (int64_t i = 0; i < n; i++)
            if (update_to(&u->view[k].vertices, u->view[k].gone[gone + i].vert) != u->view[k].come[come + i].vert)
                return 0;
    return 1;
}

static void move_gone(struct update *u, int64_t to, int64_t from, int64_t n)
{
    for (int k = 0; k < u->n_views; k++)
        memmove(u->view[k].gone + to, u->view[k].gone + from, (size_t)n * sizeof *u->view[k].gone);
}

static void move_come(struct update *u, int64_t to, int64_t from, int64_t n)
{
    for (int k = 0; k < u->n_views; k++)
        memmove(u->view[k].come + to, u->view[k].come + from, (size_t)n * sizeof *u->view[k].come);
}

/* Takes the faces that are the same from both lists. They are dirty because of their tags. */
static void drop_same(struct update *u)
{
    int64_t come = 0, come_to = 0, gone = 0, gone_to = 0, n_new = 0, n_gone = 0, g = 0;
    for (int64_t i = 0; i <= u->n_new_faces; i++) {
        const struct update_face *f = u->new_face + i;
        const int64_t stop = i < u->n_new_faces ? f->mate : u->n_gone_faces;
        for (; g < stop; g++) {
            const int64_t n = u->gone_face[g].end - u->gone_face[g].begin;
            move_gone(u, gone_to, gone, n);
            gone_to += n, gone += n;
            u->gone_face[n_gone++] = u->gone_face[g];
        }
        if (i == u->n_new_faces)
            break;
        const int64_t n = f->end - f->begin;
        const struct update_face *mate = f->mate < 0 ? NULL : u->gone_face + f->mate;
        if (mate && mate->end - mate->begin == n && are_same(u, come, gone, n)) {
            gone += n;
            g++;
        } else {
            move_come(u, come_to, come, n);
            come_to += n;
            u->new_face[n_new++] = *f;
        }
        come += n;
    }
    u->n_new_faces = n_new;
    u->n_gone_faces = n_gone;
    u->n_come = come_to;
    u->n_gone = gone_to;
}

static int number_corners(struct update *u, struct sdd_error *err)
{
    struct ranges gone = {update_memory(u, u->n_gone_faces, sizeof *gone.at, err), 0};
    struct ranges come = {gone.at ? update_memory(u, u->n_new_faces, sizeof *come.at, err) : NULL, 0};
    int rc = come.at ? update_patch_memory(u, &u->face_end, u->n_new_faces, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_gone_faces; i++)
        update_ranges(&gone, u->gone_face[i].begin, u->gone_face[i].end - u->gone_face[i].begin);
    for (int64_t i = 0; i < u->n_new_faces; i++) {
        const struct update_face *f = u->new_face + i;
        update_ranges(&come, f->begin, f->end - f->begin);
        u->face_end.row[i] = (uint32_t)f->row;
        u->face_end.value[i] = (uint32_t)f->end;
    }
    u->face_end.n = u->n_new_faces;
    return update_number(u, &u->corners, (struct topology_run){0, 0, 0}, u->old->info.n_corners, u->desc->n_corners,
                         gone, come, err);
}

/* Finds the faces and corners that go and come. */
int update_find(struct update *u, struct sdd_error *err)
{
    int rc = list_faces(u, err);
    if (!rc)
        rc = bound_faces(u, err);
    for (struct view *v = u->view; v < u->view + u->n_views && !rc; v++) {
        const struct sdd_rows_delta *d = v->delta;
        rc = update_number_rows(u, &v->vertices, d->n_old, v->n_new, (const uint32_t *)d->removed, d->n_removed,
                                (const uint32_t *)d->added, d->n_added, err);
        if (!rc)
            rc = read_new(u, v, err);
        if (!rc)
            rc = ask_gone(u, v, err);
    }
    if (rc)
        return rc;
    drop_same(u);
    rc = number_faces(u, &u->faces, err);
    return rc ? rc : number_corners(u, err);
}
