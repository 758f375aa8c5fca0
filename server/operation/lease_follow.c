/* SPDX-License-Identifier: Apache-2.0 */
/* lease_follow.c: keeps a lease on what its holder makes of the leased faces, as edits replace faces by others with new
 * ids (people.h). */
#include "server/operation/people.h"
#include <stdlib.h>
#include <string.h>

struct face {
    int32_t row;
    int64_t corner; /* Its first. */
};
/* What a change has done to the faces of a mesh, and one lease while its faces are found. */
struct following {
    const struct mesh *from, *to;
    struct mesh_pair pair; /* Of the two. */
    struct face_origins made;
    int64_t n_went, n_came;
    int32_t *went;     /* [n_went] The ids of faces that `from` alone has, which ascend. */
    struct face *came; /* [n_came] Those that `to` alone has. */
    const struct lease *lease;
    unsigned char *heirs; /* [made.n_new] 1 for those that were put in the place of a leased face. */
    unsigned char *fills; /* [n_came] 1 for those that came by themselves where leased faces have gone. */
};

/* Whether a face is leased that the mesh has or had. */
static bool is_leased(const struct following *f, int32_t id)
{
    const struct lease *l = f->lease;
    return mesh_has_id(l->faces, l->n_faces, id) || mesh_has_id(l->faces + l->n_faces, l->n_gone, id);
}

/* The number of a face among those that the change says it has made, whose ids follow each other, or -1. */
static int64_t number_of(const struct face_origins *made, int32_t id)
{
    return made->n_new && id >= made->new_ids[0] ? (int64_t)id - made->new_ids[0] : -1;
}

static bool is_heir(const struct following *f, int32_t id)
{
    const int64_t k = number_of(&f->made, id);
    return k < 0 ? is_leased(f, id) : f->heirs[k];
}

/* A face comes after those that it stands for, so one pass finds all. */
static void find_heirs(struct following *f)
{
    const struct face_origins *made = &f->made;
    for (int64_t k = 0, i = 0; k < made->n_new; k++) {
        f->heirs[k] = made->origins[k] != SDD_NO_ROW && is_heir(f, made->origins[k]);
        for (; i < made->n_joined && made->joined[2 * i] == made->new_ids[k]; i++)
            f->heirs[k] |= is_heir(f, made->joined[2 * i + 1]);
    }
}

/* Marks the vertices of leased faces. Returns NULL when memory is out. */
static unsigned char *mark_corners(const struct following *f, struct sdd_error *err)
{
    const struct mesh *m = f->from;
    unsigned char *corner = mesh_alloc(m->n_vertices, 1, err);
    if (!corner)
        return NULL;
    memset(corner, 0, (size_t)m->n_vertices);
    for (int64_t i = 0, c = 0; i < m->n_faces; c += m->face_counts[i++]) {
        if (!mesh_has_id(f->lease->faces, f->lease->n_faces, m->face_ids[i]))
            continue;
        for (int32_t k = 0; k < m->face_counts[i]; k++)
            corner[m->face_vertices[c + k]] = 1;
    }
    return corner;
}

/* Whether a face came by itself, and all its vertices are new or have the mark. One that has been there since the lease
 * began, and was not leased, does not. */
static bool may_fill(const struct following *f, struct face face, const unsigned char *corner)
{
    const int32_t id = f->to->face_ids[face.row];
    const int64_t k = number_of(&f->made, id);
    if ((k >= 0 && f->made.origins[k] != SDD_NO_ROW) || (id >= f->lease->next_face_id && id < f->from->next_face_id))
        return false;
    for (int32_t i = 0; i < f->to->face_counts[face.row]; i++) {
        const int32_t was = f->pair.vertex_from[f->to->face_vertices[face.corner + i]];
        if (was != SDD_NO_ROW && !corner[was])
            return false;
    }
    return true;
}

static int32_t root(int32_t *up, int32_t v)
{
    while (up[v] != v) {
        up[v] = up[up[v]];
        v = up[v];
    }
    return v;
}

/* Of the faces that may fill a gap, those do that hang together with a leased face. `up` joins the vertices of faces
 * that hang together; the root of such a set gets a mark when one of them is not new. */
static void find_fills(struct following *f, const unsigned char *corner, int32_t *up, unsigned char *mark)
{
    const struct mesh *m = f->to;
    for (int64_t v = 0; v < m->n_vertices; v++)
        up[v] = (int32_t)v;
    memset(mark, 0, (size_t)m->n_vertices);
    for (int64_t i = 0; i < f->n_came; i++) {
        const int32_t *at = m->face_vertices + f->came[i].corner;
        f->fills[i] = may_fill(f, f->came[i], corner);
        for (int32_t k = 1; k < m->face_counts[f->came[i].row] && f->fills[i]; k++)
            up[root(up, at[k])] = root(up, at[0]);
    }
    for (int64_t i = 0; i < f->n_came; i++)
        for (int32_t k = 0; k < m->face_counts[f->came[i].row] && f->fills[i]; k++) {
            const int32_t v = m->face_vertices[f->came[i].corner + k];
            mark[root(up, v)] |= f->pair.vertex_from[v] != SDD_NO_ROW;
        }
    for (int64_t i = 0; i < f->n_came; i++)
        f->fills[i] &= mark[root(up, m->face_vertices[f->came[i].corner])];
}

static int fill(struct following *f, struct sdd_error *err)
{
    unsigned char *corner = mark_corners(f, err), *mark = corner ? mesh_alloc(f->to->n_vertices, 1, err) : NULL;
    int32_t *up = mark ? mesh_alloc(f->to->n_vertices, sizeof *up, err) : NULL;
    if (up)
        find_fills(f, corner, up, mark);
    free(corner);
    free(mark);
    free(up);
    return up ? SDD_OK : SDD_ENO_MEMORY;
}

static void sort(int32_t *ids, int64_t n)
{
    int64_t i = 1;
    while (i < n && ids[i - 1] < ids[i])
        i++;
    if (i < n)
        qsort(ids, (size_t)n, sizeof *ids, mesh_compare_ids);
}

/* Lists the faces, and behind them those that are gone. */
static int list_faces(const struct following *f, struct job_lease *out, struct sdd_error *err)
{
    const struct lease *l = f->lease;
    int64_t n = 0;
    for (int64_t i = 0; i < f->n_came; i++)
        n += f->fills[i] || is_heir(f, f->to->face_ids[f->came[i].row]);
    if (!(out->faces = mesh_alloc(n + l->n_faces + l->n_gone, sizeof *out->faces, err)))
        return SDD_ENO_MEMORY;
    n = 0;
    for (int64_t i = 0; i < l->n_faces; i++)
        if (!mesh_has_id(f->went, f->n_went, l->faces[i]))
            out->faces[n++] = l->faces[i];
    for (int64_t i = 0; i < f->n_came; i++) {
        const int32_t id = f->to->face_ids[f->came[i].row];
        if (f->fills[i] || is_heir(f, id))
            out->faces[n++] = id;
    }
    sort(out->faces, n);
    out->n_faces = n;
    out->n_gone = 0;
    for (int64_t i = 0; i < l->n_faces + l->n_gone; i++)
        if (!mesh_has_id(out->faces, n, l->faces[i]))
            out->faces[n + out->n_gone++] = l->faces[i];
    sort(out->faces + n, out->n_gone);
    return SDD_OK;
}

/* Where faces come back that were leased, it is they that stand in the place of those that go. */
static int follow(struct following *f, struct job_lease *out, struct sdd_error *err)
{
    const struct lease *l = f->lease = out->lease;
    int64_t went = 0, back = 0;
    while (went < f->n_went && !mesh_has_id(l->faces, l->n_faces, f->went[went]))
        went++;
    while (back < f->n_came && !mesh_has_id(l->faces + l->n_faces, l->n_gone, f->to->face_ids[f->came[back].row]))
        back++;
    if (went == f->n_went && back == f->n_came)
        return SDD_OK;
    find_heirs(f);
    memset(f->fills, 0, (size_t)f->n_came);
    int rc = back == f->n_came ? fill(f, err) : SDD_OK;
    return rc ? rc : list_faces(f, out, err);
}

/* Finds which faces came and went. */
static int compare(struct following *f, struct sdd_error *err)
{
    const struct mesh *from = f->from, *to = f->to;
    int rc = mesh_pair_init(&f->pair, from, to, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < from->n_faces; i++)
        f->n_went += f->pair.face_to[i] == SDD_NO_ROW;
    for (int64_t i = 0; i < to->n_faces; i++)
        f->n_came += f->pair.face_from[i] == SDD_NO_ROW;
    f->went = mesh_alloc(f->n_went, sizeof *f->went, err);
    f->came = f->went ? mesh_alloc(f->n_came, sizeof *f->came, err) : NULL;
    f->heirs = f->came ? mesh_alloc(f->made.n_new, 1, err) : NULL;
    f->fills = f->heirs ? mesh_alloc(f->n_came, 1, err) : NULL;
    if (!f->fills)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0, n = 0; i < from->n_faces; i++)
        if (f->pair.face_to[i] == SDD_NO_ROW)
            f->went[n++] = from->face_ids[i];
    sort(f->went, f->n_went);
    for (int64_t i = 0, c = 0, n = 0; i < to->n_faces; c += to->face_counts[i++])
        if (f->pair.face_from[i] == SDD_NO_ROW)
            f->came[n++] = (struct face){(int32_t)i, c};
    return SDD_OK;
}

static bool same_faces(const struct mesh *a, const struct mesh *b)
{
    return a->n_faces == b->n_faces &&
           (a->face_ids == b->face_ids ||
            memcmp(a->face_ids, b->face_ids, (size_t)a->n_faces * sizeof *a->face_ids) == 0);
}

int leases_follow(struct mesh_job *j, const struct mesh *from, const struct mesh *to, struct face_origins made)
{
    struct following f = {.from = from, .to = to, .made = made};
    int64_t more = 0;
    if (leases_none(&j->job) || same_faces(from, to))
        return SDD_OK;
    int rc = compare(&f, &j->job.err);
    for (int i = 0; i < j->n_leases && !rc; i++) {
        struct job_lease *l = &j->leases[i];
        free(l->faces); /* The step may have run before. */
        l->faces = NULL;
        rc = follow(&f, l, &j->job.err);
        if (l->faces)
            more += l->n_faces + l->n_gone - l->lease->n_faces - l->lease->n_gone;
    }
    free(f.went);
    free(f.came);
    free(f.heirs);
    free(f.fills);
    mesh_pair_fini(&f.pair);
    if (rc || more <= 0 || more <= j->lease_room)
        return rc;
    rc = job_fail(
        &j->job, SDD_ETOO_LARGE, "lease",
        "your leases would get %lld faces more, and have at most %d together, with those that have gone since they "
        "began; end them and take them anew",
        (long long)more, LEASES_MAX_FACES);
    j->job.err.needed = LEASES_MAX_FACES - j->lease_room + more;
    j->job.err.available = LEASES_MAX_FACES;
    return rc;
}

void leases_adopt(struct mesh_job *j)
{
    for (int i = 0; i < j->n_leases; i++) {
        struct job_lease *l = &j->leases[i];
        if (l->faces)
            lease_put(job_service(&j->job)->people, l->lease, l->faces, l->n_faces, l->n_gone);
        l->faces = NULL;
    }
}
