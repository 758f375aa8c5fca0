/* SPDX-License-Identifier: Apache-2.0 */
/* leases.c: keeps jobs from changing what others have leased (people.h). */
#include "server/operation/people.h"
#include <stdlib.h>
#include <string.h>

static int refuse(struct mesh_job *j, const struct lease *l, int64_t seconds, const char *what)
{
    return job_fail(&j->job, SDD_ELEASED, "lease", "%s is leased by %s%s%s%s for %lld s more%s", what,
                    *l->principal ? l->principal : "somebody", *l->client ? " (" : "", l->client, *l->client ? ")" : "",
                    (long long)seconds,
                    *l->principal ? "" : "; if it is yours, name it in Subdd-Lease (subd: --lease)");
}

static int keep_in_mind(struct mesh_job *j, struct lease *l, bool his)
{
    struct job_lease *more = realloc(j->leases, (size_t)(j->n_leases + 1) * sizeof *more);
    if (!more)
        return job_fail(&j->job, SDD_ENO_MEMORY, "", "out of memory");
    j->leases = more;
    j->leases[j->n_leases++] = (struct job_lease){.lease = l, .his = his, .seconds = lease_seconds_left(l)};
    l->refs++;
    return SDD_OK;
}

int leases_check(struct mesh_job *j, bool whole)
{
    const struct people *p = job_service(&j->job)->people;
    const uint64_t now = uv_hrtime();
    int64_t taken;
    leases_forget(j); /* The step may have run before. */
    (void)leases_of(p, j->principal, j->workspace, &taken);
    j->lease_room = taken < LEASES_MAX_FACES ? LEASES_MAX_FACES - taken : 0;
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next) {
        struct lease *l = CONTAINER(at, struct lease, all);
        if (l->until <= now || strcmp(l->mesh, j->slot->id) != 0)
            continue;
        const bool his = lease_is_his(l, j->principal, j->named_leases);
        if (!his && (!l->faces || whole))
            return refuse(j, l, lease_seconds_left(l), l->faces ? "a part of the mesh" : "the mesh");
        int rc = l->faces ? keep_in_mind(j, l, his) : SDD_OK;
        if (rc)
            return rc;
    }
    return SDD_OK;
}

void leases_forget(struct mesh_job *j)
{
    for (int i = 0; i < j->n_leases; i++) {
        lease_unref(j->leases[i].lease);
        free(j->leases[i].faces);
    }
    free(j->leases);
    j->leases = NULL;
    j->n_leases = 0;
}

int step_change(struct job *job)
{
    int rc = step_match(job);
    return rc ? rc : leases_check((struct mesh_job *)job, false);
}

int step_change_all(struct job *job)
{
    int rc = step_match(job);
    return rc ? rc : leases_check((struct mesh_job *)job, true);
}

bool leases_none(const struct job *job)
{
    return !((const struct mesh_job *)job)->n_leases;
}

bool leases_none_of_others(const struct job *job)
{
    const struct mesh_job *j = (const struct mesh_job *)job;
    int i = 0;
    while (i < j->n_leases && j->leases[i].his)
        i++;
    return i == j->n_leases;
}

/* Lists the leased faces that changed, or that have a vertex that did. */
static void meet(const struct lease *l, const struct mesh *m, const struct mesh_changes *c, struct conflict *out)
{
    for (int64_t f = 0, corner = 0; f < m->n_faces; corner += m->face_counts[f++]) {
        if (!mesh_has_id(l->faces, l->n_faces, m->face_ids[f]))
            continue;
        bool meets = mesh_has_id(c->faces, c->n_faces, m->face_ids[f]);
        for (int32_t k = 0; !meets && k < m->face_counts[f]; k++)
            meets = mesh_has_id(c->vertices, c->n_vertices, m->vertex_ids[m->face_vertices[corner + k]]);
        if (meets && out->n_faces++ < CONFLICT_LISTED)
            out->faces[out->n_faces - 1] = m->face_ids[f];
    }
}

/* The name of a layer with values at the leased faces or their vertices that the change removes or replaces, or NULL.
 * One that it adds takes nothing from anybody. */
static const char *lost_layer(const struct mesh *m, const struct mesh_changes *changes)
{
    struct mesh_layer layers[MESH_LAYERS];
    const int n = mesh_layers(m, layers);
    for (int i = 0; i < changes->n_layers; i++) {
        const struct mesh_layer *l = mesh_layer_find(layers, n, changes->layers[i].name);
        if (changes->layers[i].whole && l && l->info.interpolation != SDD_CONSTANT)
            return changes->layers[i].name;
    }
    return NULL;
}

int leases_allow(struct mesh_job *j, const struct mesh *m, const struct mesh_changes *changes)
{
    struct conflict *c = &j->conflict;
    const char *layer = leases_none_of_others(&j->job) ? NULL : lost_layer(m, changes);
    c->n_versions = 0; /* What a lease is in the way of is no version's doing. */
    if (layer)
        snprintf(c->what, sizeof c->what, "primvar %s", layer);
    for (int i = 0; i < j->n_leases; i++) {
        char what[sizeof c->what + 32];
        if (j->leases[i].his)
            continue;
        meet(j->leases[i].lease, m, changes, c);
        if (!c->n_faces && !layer)
            continue;
        if (c->n_faces)
            snprintf(what, sizeof what, "face %d", c->faces[0]);
        else
            snprintf(what, sizeof what, "a face with values of %s", c->what);
        j->job.conflict = c;
        return refuse(j, j->leases[i].lease, j->leases[i].seconds, what);
    }
    return SDD_OK;
}
