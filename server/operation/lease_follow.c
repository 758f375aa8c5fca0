/* SPDX-License-Identifier: Apache-2.0 */
/* lease_follow.c: keeps a lease on what its holder makes of the leased faces, as edits replace faces by others with new
 * ids (people.h). */
#include "server/operation/people.h"
#include <stdlib.h>
#include <string.h>

/* One lease while its faces are found. */
struct following {
    const struct mesh *from, *to;
    const struct mesh_pair *pair; /* Of the two. */
    const struct lease *lease;
    struct face_origins made;
    unsigned char *heirs;  /* [made.n_new] 1 for those that were put in the place of a leased face. */
    unsigned char *corner; /* [vertices of `from`] 1 for those of leased faces; NULL when none has gone for good. */
};

/* Whether a face is leased that the mesh has or had. */
static bool is_leased(const struct following *f, int32_t id)
{
    const struct lease *l = f->lease;
    return mesh_has_id(l->faces, l->n_faces, id) || mesh_has_id(l->faces + l->n_faces, l->n_gone, id);
}

/* The number of a face among those that the change says it has made, or -1. Their ids follow each other. */
static int64_t number_of(const struct face_origins *made, int32_t id)
{
    const int64_t k = made->n_new ? (int64_t)id - made->new_ids[0] : -1;
    return k < made->n_new ? k : -1;
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

/* Whether faces come back that were leased: then it is they that stand in the place of those that go. */
static bool any_comes_back(const struct following *f)
{
    const struct lease *l = f->lease;
    int64_t i = 0;
    while (i < f->to->n_faces && !mesh_has_id(l->faces + l->n_faces, l->n_gone, f->to->face_ids[i]))
        i++;
    return i < f->to->n_faces;
}

/* Marks the vertices of leased faces, if one of these has gone and none comes back. */
static int mark_corners(struct following *f, struct sdd_error *err)
{
    const struct mesh *m = f->from;
    const struct lease *l = f->lease;
    bool went = false;
    if (any_comes_back(f))
        return SDD_OK;
    if (!(f->corner = mesh_alloc(m->n_vertices, 1, err)))
        return SDD_ENO_MEMORY;
    memset(f->corner, 0, (size_t)m->n_vertices);
    for (int64_t i = 0, c = 0; i < m->n_faces; c += m->face_counts[i++]) {
        if (!mesh_has_id(l->faces, l->n_faces, m->face_ids[i]))
            continue;
        went |= f->pair->face_to[i] == SDD_NO_ROW;
        for (int32_t k = 0; k < m->face_counts[i]; k++)
            f->corner[m->face_vertices[c + k]] = 1;
    }
    if (!went) {
        free(f->corner);
        f->corner = NULL;
    }
    return SDD_OK;
}

/* Whether a face of `to`, whose corners begin at c, came by itself where leased faces have gone. */
static bool fills(const struct following *f, int64_t face, int64_t c)
{
    const int64_t k = number_of(&f->made, f->to->face_ids[face]);
    if (!f->corner || f->pair->face_from[face] != SDD_NO_ROW || (k >= 0 && f->made.origins[k] != SDD_NO_ROW))
        return false;
    for (int32_t i = 0; i < f->to->face_counts[face]; i++) {
        const int32_t was = f->pair->vertex_from[f->to->face_vertices[c + i]];
        if (was != SDD_NO_ROW && !f->corner[was])
            return false;
    }
    return true;
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
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(out->faces = mesh_alloc(n + l->n_faces + l->n_gone, sizeof *out->faces, err)))
            return SDD_ENO_MEMORY;
        n = 0;
        for (int64_t i = 0, c = 0; i < f->to->n_faces; c += f->to->face_counts[i++]) {
            const int32_t id = f->to->face_ids[i];
            if (!is_heir(f, id) && !fills(f, i, c))
                continue;
            if (pass)
                out->faces[n] = id;
            n++;
        }
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

static int follow(struct following *f, struct job_lease *l, struct sdd_error *err)
{
    f->lease = l->lease;
    free(l->faces); /* The step may have run before. */
    l->faces = NULL;
    find_heirs(f);
    int rc = mark_corners(f, err);
    rc = rc ? rc : list_faces(f, l, err);
    free(f->corner);
    f->corner = NULL;
    return rc;
}

int leases_follow(struct mesh_job *j, const struct mesh *from, const struct mesh *to, struct face_origins made)
{
    struct sdd_error *err = &j->job.err;
    struct mesh_pair pair;
    struct following f = {.from = from, .to = to, .pair = &pair, .made = made};
    int64_t more = 0;
    int n = 0;
    for (int i = 0; i < j->n_leases; i++)
        n += j->leases[i].his;
    if (!n)
        return SDD_OK;
    int rc = mesh_pair_init(&pair, from, to, err);
    if (!rc && !(f.heirs = mesh_alloc(made.n_new, 1, err)))
        rc = SDD_ENO_MEMORY;
    for (int i = 0; i < j->n_leases && !rc; i++) {
        struct job_lease *l = &j->leases[i];
        if (!l->his)
            continue;
        rc = follow(&f, l, err);
        more += l->n_faces + l->n_gone - l->lease->n_faces - l->lease->n_gone;
    }
    free(f.heirs);
    mesh_pair_fini(&pair);
    if (rc || more <= 0 || more <= j->lease_room)
        return rc;
    rc =
        job_fail(&j->job, SDD_ETOO_LARGE, "lease",
                 "your leases would get %lld faces more, and all leases together have at most %d, with those that have "
                 "gone since they began; end yours and take them anew",
                 (long long)more, LEASES_MAX_FACES);
    j->job.err.needed = more;
    j->job.err.available = j->lease_room;
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
