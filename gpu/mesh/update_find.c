/* SPDX-License-Identifier: Apache-2.0 */
/* update_find.c: which faces and corners go and come with an edit, and where they and their vertices belong among those
 * of the old mesh (update.h). */
#include "gpu/mesh/update.h"
#include "gpu/mesh/kernels/update_find.k.h"
#include <stdlib.h>
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
    return update_number(u, out, (struct run){0, 0, 0}, u->old->info.n_faces, u->desc->n_faces, gone, come, err);
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
    int rc = update_ask(u, &q, 1, err);
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
/* Asks for what the old mesh has at some rows of its corners. */
static int ask_gone(struct update *u, struct sdd_error *err)
{
    const int64_t n = u->n_gone;
    uint32_t *at[4];
    u->gone = update_memory(u, n, sizeof *u->gone, err);
    if (!u->gone)
        return SDD_ENO_MEMORY;
    for (int k = 0; k < 4; k++)
        if (!(at[k] = update_memory(u, n, sizeof *at[k], err)))
            return SDD_ENO_MEMORY;
    for (int64_t i = 0, k = 0; i < u->n_gone_faces; i++)
        for (int64_t c = u->gone_face[i].begin; c < u->gone_face[i].end; c++)
            at[0][k++] = (uint32_t)c;
    const struct question q[] = {{-1, u->old->vert, at[0], n, at[1], NULL},
                                 {-1, u->old->edge, at[0], n, at[2], NULL},
                                 {-1, u->old->twin, at[0], n, at[3], NULL}};
    int rc = update_ask(u, q, 3, err);
    for (int64_t i = 0, k = 0; i < u->n_gone_faces && !rc; i++) {
        const int64_t first = k, size = u->gone_face[i].end - u->gone_face[i].begin;
        for (; k < first + size; k++)
            u->gone[k] = (struct gone_corner){.corner = at[0][k],
                                              .vert = at[1][k],
                                              .after = at[1][k + 1 < first + size ? k + 1 : first],
                                              .edge = at[2][k],
                                              .twin = at[3][k]};
    }
    return rc;
}

/* Reads the corners of the dirty faces, turned as face_corners turns them. */
static int read_new(struct update *u, struct sdd_error *err)
{
    const struct sdd_mesh_desc *m = u->desc;
    struct new_corner *c = u->come = update_memory(u, u->n_come, sizeof *c, err);
    if (!c)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_new_faces; i++) {
        const struct update_face *f = u->new_face + i;
        const int64_t n = f->end - f->begin;
        for (int64_t k = 0; k < n; k++) {
            const int64_t from = m->options.orientation == SDD_LEFT_HANDED ? (n - k) % n : k;
            const int32_t v = m->face_vertices[f->begin + from];
            if (v < 0 || v >= m->n_vertices)
                return UPDATE_ANEW;
            c[k] = (struct new_corner){.corner = (uint32_t)(f->begin + k), .vert = (uint32_t)v, .face = f->row};
        }
        for (int64_t k = 0; k < n; k++) {
            c[k].after = c[k + 1 < n ? k + 1 : 0].vert;
            c[k].key = c[k].vert < c[k].after ? (uint64_t)c[k].vert << 32 | c[k].after
                                              : (uint64_t)c[k].after << 32 | c[k].vert;
        }
        c += n;
    }
    return SDD_OK;
}

/* Whether the face has the corners that it had; it is dirty because of its tags then. */
static int is_same(const struct update *u, const struct update_face *f, const struct new_corner *come,
                   const struct gone_corner *gone)
{
    const struct update_face *before = u->gone_face + f->mate;
    if (before->end - before->begin != f->end - f->begin)
        return 0;
    for (int64_t k = 0; k < f->end - f->begin; k++)
        if (update_to(&u->vertices, gone[k].vert) != come[k].vert)
            return 0;
    return 1;
}

/* Takes the faces that are the same from both lists. */
static void drop_same(struct update *u)
{
    struct new_corner *come = u->come, *come_to = u->come;
    struct gone_corner *gone = u->gone, *gone_to = u->gone;
    int64_t n_new = 0, n_gone = 0, g = 0;
    for (int64_t i = 0; i <= u->n_new_faces; i++) {
        const struct update_face *f = u->new_face + i;
        const int64_t stop = i < u->n_new_faces ? f->mate : u->n_gone_faces;
        for (; g < stop; g++) {
            const int64_t n = u->gone_face[g].end - u->gone_face[g].begin;
            memmove(gone_to, gone, (size_t)n * sizeof *gone);
            gone_to += n, gone += n;
            u->gone_face[n_gone++] = u->gone_face[g];
        }
        if (i == u->n_new_faces)
            break;
        const int64_t n = f->end - f->begin;
        if (f->mate >= 0 && is_same(u, f, come, gone)) {
            gone += n;
            g++;
        } else {
            memmove(come_to, come, (size_t)n * sizeof *come);
            come_to += n;
            u->new_face[n_new++] = *f;
        }
        come += n;
    }
    u->n_new_faces = n_new;
    u->n_gone_faces = n_gone;
    u->n_come = come_to - u->come;
    u->n_gone = gone_to - u->gone;
}

static int number_corners(struct update *u, struct sdd_error *err)
{
    struct ranges gone = {update_memory(u, u->n_gone_faces, sizeof *gone.at, err), 0};
    struct ranges come = {gone.at ? update_memory(u, u->n_new_faces, sizeof *come.at, err) : NULL, 0};
    if (!come.at)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_gone_faces; i++)
        update_ranges(&gone, u->gone_face[i].begin, u->gone_face[i].end - u->gone_face[i].begin);
    for (int64_t i = 0; i < u->n_new_faces; i++)
        update_ranges(&come, u->new_face[i].begin, u->new_face[i].end - u->new_face[i].begin);
    return update_number(u, &u->corners, (struct run){0, 0, 0}, u->old->info.n_corners, u->desc->n_corners, gone, come,
                         err);
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */
/* Lists the vertices of gone and new corners, and the new ones. */
static int list_touched(struct update *u, struct sdd_error *err)
{
    const struct sdd_rows_delta *v = &u->delta->vertices;
    const int64_t most = u->n_gone + u->n_come + v->n_added;
    uint32_t *row = update_memory(u, most, sizeof *row, err);
    int64_t n = 0;
    u->touched = row ? update_memory(u, most, sizeof *u->touched, err) : NULL;
    if (!u->touched)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_gone; i++)
        if ((row[n] = update_to(&u->vertices, u->gone[i].vert)) != SDD_NONE)
            n++;
    for (int64_t i = 0; i < u->n_come; i++)
        row[n++] = u->come[i].vert;
    for (int64_t i = 0; i < v->n_added; i++)
        row[n++] = (uint32_t)v->added[i];
    update_sort(row, n);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || row[i] != row[i - 1])
            u->touched[u->n_touched++].vertex = row[i];
    return SDD_OK;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Writes the questions for slots: of gone corners, of new ones, and where those of touched vertices and of gone ones
 * begin and end. */
static void write_slots(const struct update *u, uint64_t *key)
{
    const struct sdd_rows_delta *v = &u->delta->vertices;
    for (int64_t i = 0; i < u->n_gone; i++)
        *key++ = pair(2 * u->gone[i].vert + 1, 2 * u->gone[i].corner + 1);
    for (int64_t i = 0; i < u->n_come; i++)
        *key++ = pair(update_place(&u->vertices, u->come[i].vert), update_place(&u->corners, u->come[i].corner));
    for (int64_t i = 0; i < u->n_touched; i++) {
        const uint32_t place = update_place(&u->vertices, u->touched[i].vertex);
        *key++ = pair(place, 0);
        *key++ = pair(place + place % 2, 0);
    }
    for (int64_t i = 0; i < v->n_removed; i++) {
        *key++ = pair(2 * (uint32_t)v->removed[i] + 1, 0);
        *key++ = pair(2 * (uint32_t)v->removed[i] + 2, 0);
    }
}

/* Writes the questions for ghosts, of the corners across gone ones and of new ones, and for the edges of new ones. */
static void write_edges(const struct update *u, uint64_t *ghost, uint64_t *edge)
{
    for (int64_t i = 0; i < u->n_gone; i++)
        *ghost++ = u->gone[i].twin < u->old->info.n_corners ? 2 * u->gone[i].twin + 1 : 0;
    for (int64_t i = 0; i < u->n_come; i++) {
        const struct new_corner *c = u->come + i;
        *ghost++ = update_place(&u->corners, c->corner);
        *edge++ =
            pair(update_place(&u->vertices, (uint32_t)(c->key >> 32)), update_place(&u->vertices, (uint32_t)c->key));
    }
}

/* Asks where everything belongs. Returns the answers for the slots of gone vertices in *bounds. */
static int ask_places(struct update *u, const uint32_t **bounds, struct sdd_error *err)
{
    const int64_t n_corners = u->n_gone + u->n_come;
    const int64_t n_slots = n_corners + 2 * (u->n_touched + u->delta->vertices.n_removed);
    uint64_t *key = update_memory(u, n_slots + n_corners + u->n_come, sizeof *key, err);
    uint32_t *place = key ? update_memory(u, n_slots + n_corners + 4 * u->n_come, sizeof *place, err) : NULL;
    if (!place)
        return SDD_ENO_MEMORY;
    uint64_t *ghost_key = key + n_slots, *edge_key = ghost_key + n_corners;
    uint32_t *ghost = place + n_slots, *edge = ghost + n_corners, *found = edge + u->n_come;
    write_slots(u, key);
    write_edges(u, ghost_key, edge_key);
    const struct question q[] = {{SDD_FIND_SLOTS, NULL, key, n_slots, place, NULL},
                                 {SDD_FIND_GHOSTS, NULL, ghost_key, n_corners, ghost, NULL},
                                 {SDD_FIND_EDGES, NULL, edge_key, u->n_come, edge, found}};
    int rc = update_ask(u, q, 3, err);
    for (int64_t i = 0; i < u->n_gone; i++) {
        u->gone[i].slot = *place++;
        u->gone[i].border = *ghost++;
    }
    for (int64_t i = 0; i < u->n_come; i++, found += 3) {
        u->come[i].slot = *place++;
        u->come[i].border = *ghost++;
        u->come[i].edge = *edge++;
        memcpy(u->come[i].found, found, sizeof u->come[i].found);
    }
    for (int64_t i = 0; i < u->n_touched; i++, place += 2) {
        u->touched[i].begin = place[0];
        u->touched[i].end = place[1];
    }
    *bounds = place;
    return rc;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */
/* Orders new corners as vert_corner has them. */
static int compare_slots(const void *a, const void *b)
{
    const struct new_corner *x = a, *y = b;
    if (x->vert != y->vert)
        return x->vert < y->vert ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* Notes where the corners of touched vertices are now. `gone` are the old slots that go, and u->come is in the order of
 * slots. */
static void bound_vertices(struct update *u, const uint32_t *gone)
{
    struct patch *begin = u->patch + PATCH_BEGIN, *end = u->patch + PATCH_END;
    int64_t k = 0;
    for (int64_t i = 0; i < u->n_touched; i++) {
        const struct touched_vertex *v = u->touched + i;
        while (k < u->n_come && u->come[k].vert < v->vertex)
            k++;
        const int64_t before = update_before(gone, u->n_gone, v->begin), first = v->begin - before + k;
        const int64_t n_gone = update_before(gone, u->n_gone, v->end) - before, had = v->end - v->begin;
        int64_t n = had - n_gone;
        while (k < u->n_come && u->come[k].vert == v->vertex)
            k++, n++;
        begin->row[i] = end->row[i] = v->vertex;
        begin->value[i] = (uint32_t)(n > 0 ? first : 0);
        end->value[i] = (uint32_t)(n > 0 ? first + n : 0);
        u->most_corners = larger(u->most_corners, n);
        u->had_corners = larger(u->had_corners, had);
    }
    begin->n = end->n = u->n_touched;
}

int update_patch_memory(struct update *u, int which, int64_t n, struct sdd_error *err)
{
    struct patch *p = u->patch + which;
    p->row = update_memory(u, n, sizeof *p->row, err);
    p->value = p->row ? update_memory(u, n, sizeof *p->value, err) : NULL;
    return p->value ? SDD_OK : SDD_ENO_MEMORY;
}

/* Numbers the slots. No vertex that goes may have a corner left, and no face may have a vertex twice. */
static int number_slots(struct update *u, const uint32_t *bounds, struct sdd_error *err)
{
    uint32_t *gone = update_memory(u, u->n_gone, sizeof *gone, err);
    int rc = gone ? update_patch_memory(u, PATCH_BEGIN, u->n_touched, err) : SDD_ENO_MEMORY;
    if (!rc)
        rc = update_patch_memory(u, PATCH_END, u->n_touched, err);
    if (!rc)
        rc = update_patch_memory(u, PATCH_SLOTS, u->n_come, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_gone; i++)
        gone[i] = u->gone[i].slot;
    update_sort(gone, u->n_gone);
    for (int64_t i = 0; i < u->delta->vertices.n_removed; i++, bounds += 2)
        if (update_before(gone, u->n_gone, bounds[1]) - update_before(gone, u->n_gone, bounds[0]) !=
            (int64_t)bounds[1] - bounds[0])
            return UPDATE_ANEW;
    qsort(u->come, (size_t)u->n_come, sizeof *u->come, compare_slots);
    struct patch *p = u->patch + PATCH_SLOTS;
    for (int64_t i = 0; i < u->n_come; i++) {
        const struct new_corner *c = u->come + i;
        if (i > 0 && c->vert == c[-1].vert && c->face == c[-1].face)
            return UPDATE_ANEW;
        p->row[i] = (uint32_t)(c->slot - update_before(gone, u->n_gone, c->slot) + i);
        p->value[i] = c->corner;
    }
    p->n = u->n_come;
    bound_vertices(u, gone);
    return update_number_rows(u, &u->slots, u->old->info.n_corners, u->desc->n_corners, gone, u->n_gone, p->row, p->n,
                              err);
}

int update_find(struct update *u, struct sdd_error *err)
{
    const struct sdd_rows_delta *v = &u->delta->vertices;
    const uint32_t *bounds;
    int rc = update_number_rows(u, &u->vertices, v->n_old, u->desc->n_vertices, (const uint32_t *)v->removed,
                                v->n_removed, (const uint32_t *)v->added, v->n_added, err);
    if (!rc)
        rc = list_faces(u, err);
    if (!rc)
        rc = bound_faces(u, err);
    if (!rc)
        rc = read_new(u, err);
    if (!rc)
        rc = ask_gone(u, err);
    if (rc)
        return rc;
    drop_same(u);
    rc = number_faces(u, &u->faces, err);
    if (!rc)
        rc = number_corners(u, err);
    if (!rc)
        rc = list_touched(u, err);
    if (!rc)
        rc = ask_places(u, &bounds, err);
    return rc ? rc : number_slots(u, bounds, err);
}
