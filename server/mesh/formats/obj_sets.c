/* SPDX-License-Identifier: Apache-2.0 */
/* obj_sets.c: keeps which faces of an OBJ file have which material and group, for obj.c. They become uniform primvars
 * with names. Names are numbered as faces come to have them, so one that no face has is none. */
#include "server/mesh/formats/obj_sets.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *statement, *primvar;
} kinds[OBJ_N_SETS] = {[OBJ_MATERIALS] = {"usemtl", "materialBind"}, [OBJ_GROUPS] = {"g", "group"}};

void obj_set_name(struct obj_sets *s, const char *from, const char *to, int64_t line)
{
    s->from = from;
    s->to = to;
    s->line = line;
}

static int read_name(struct obj_reader *r, struct obj_sets *s)
{
    char name[OBJ_NAME_SIZE];
    const char *statement = kinds[s - r->sets].statement;
    size_t n = obj_name(r, s->from, s->to, s->line, name);
    s->from = NULL;
    s->current = 0;
    if (n == OBJ_NAME_SIZE)
        obj_lose(&r->lost, OBJ_LOSS_SET_NAMES,
                 "line %lld: the name of %s has more than %d bytes; its faces are left without", (long long)s->line,
                 statement, OBJ_NAME_SIZE - 1);
    if (!n || n == OBJ_NAME_SIZE)
        return SDD_OK;
    bool fits = s->names.text.bytes + n < SET_NAMES_MAX_BYTES;
    int rc = name_set_add(&s->names, name, n, fits ? SET_NAMES_MAX : 0, "obj", &s->current, r->err);
    if (!rc && !s->current)
        obj_lose(
            &r->lost, OBJ_LOSS_SET_NAMES,
            "line %lld: the names of %s are more than %d or have more than %d bytes; the faces of further ones are "
            "left without",
            (long long)s->line, statement, SET_NAMES_MAX, SET_NAMES_MAX_BYTES);
    return rc;
}

int obj_set_face(struct obj_reader *r, struct obj_sets *s)
{
    int rc = s->from ? read_name(r, s) : SDD_OK;
    if (rc || !obj_sets_used(s))
        return rc;
    int64_t before = r->counts.n - s->of_face.n; /* Faces that came before the first name have none. */
    rc = obj_room(r, &s->of_face, before + 1);
    if (rc)
        return rc;
    memset(s->of_face.i + s->of_face.n, 0, (size_t)before * sizeof(int32_t));
    s->of_face.n += before;
    s->of_face.i[s->of_face.n++] = s->current;
    return SDD_OK;
}

int obj_sets_author(const struct obj_reader *r, struct mesh_arrays *a, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < OBJ_N_SETS && !rc; i++) {
        const struct obj_sets *s = &r->sets[i];
        struct primvar_array *p = &a->primvars[a->n_primvars];
        if (!s->of_face.n)
            continue;
        rc = primvar_author(p, kinds[i].statement, kinds[i].primvar, "uniform", "i32", 1, err);
        p->values = s->of_face.i;
        p->n_words = s->of_face.n;
        p->sets = (struct set_names){s->names.text.data, s->names.starts.n, (int64_t)s->names.text.bytes};
        a->n_primvars++;
    }
    return rc;
}

void obj_sets_fini(struct obj_sets *s)
{
    name_set_fini(&s->names);
    free(s->of_face.p);
}
