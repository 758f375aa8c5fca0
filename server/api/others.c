/* SPDX-License-Identifier: Apache-2.0 */
/* others.c: finds what others have done to a mesh that is in the way of a change, and says so (others.h). */
#include "server/api/others.h"
#include <stdio.h>
#include <string.h>

int others_meet(struct job *job, const struct mesh *base, struct mesh_change mine, const struct mesh_named *named,
                bool renumbered, const struct mesh *theirs, struct conflict *out, bool *meets)
{
    struct mesh_changes changes;
    struct mesh_meeting m;
    int rc = mesh_changes_find(base, theirs, &changes, &job->err);
    if (!rc)
        rc = mesh_changes_meet(base, mine, named, renumbered, (struct mesh_change){theirs, &changes}, &m, &job->err);
    mesh_changes_fini(&changes);
    if (rc)
        return rc;
    _Static_assert(CONFLICT_LISTED == MESH_MEETING_LISTED && sizeof m.what <= sizeof out->what, "one is the other");
    *meets = mesh_meeting_is(&m);
    out->n_vertices = m.n_vertices;
    out->n_faces = m.n_faces;
    memcpy(out->vertices, m.vertices, sizeof m.vertices);
    memcpy(out->faces, m.faces, sizeof m.faces);
    memcpy(out->what, m.what, sizeof m.what);
    return SDD_OK;
}

void others_since(struct conflict *out, int64_t version, int64_t last)
{
    out->n_versions = last - version;
    for (int64_t i = 0; i < out->n_versions && i < CONFLICT_LISTED; i++)
        out->versions[i] = last - i;
}

/* Writes "vertices 3, 4, 5 and 9 more" behind what is there. */
static void list(struct text *out, const char *one, const char *many, const int32_t *ids, int64_t n)
{
    enum { SHOWN = 4 };
    if (!n)
        return;
    text_printf(out, "%s%s", out->bytes ? ", " : "", n == 1 ? one : many);
    for (int64_t i = 0; i < n && i < SHOWN; i++)
        text_printf(out, "%s%d", i ? ", " : " ", ids[i]);
    if (n > SHOWN)
        text_printf(out, " and %lld more", (long long)(n - SHOWN));
}

int others_fail(struct job *job, int code, const char *field, const char *sentence, const char *tail,
                const struct conflict *conflict)
{
    struct text what = {0};
    list(&what, "vertex", "vertices", conflict->vertices, conflict->n_vertices);
    list(&what, "face", "faces", conflict->faces, conflict->n_faces);
    if (*conflict->what)
        text_printf(&what, "%s%s", what.bytes ? ", " : "", conflict->what);
    int rc = job_fail(job, code, field, "%s: changed since: %s%s", sentence, what.data ? what.data : "", tail);
    text_free(&what);
    job->conflict = conflict;
    return rc;
}
