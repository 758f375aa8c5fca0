/* SPDX-License-Identifier: Apache-2.0 */
/* obj_write.c: writes a mesh as OBJ with tags, for downloads (mesh_to_obj). Primvar displayColor goes as colours of v,
 * materialBind as usemtl and group as g. obj.c reads the same mesh back, except for ids, other primvars, the options
 * that OBJ has no tag for, and what stage.h describes. Names of sets are numbered anew, in the order of the faces. */
#include "server/mesh/formats/codec.h"
#include "server/base/stop.h"
#include "server/mesh/formats/writer_text.h"
#include "proto/files/file_names.h"
#include <stdlib.h>
#include <string.h>

/* Writes the options. Those without a tag in OBJ become comments, so that people can at least see them. */
static void write_options(FILE *f, const struct sdd_options *o)
{
    static const int boundary[] = {1, 2, 0}, fvar[] = {2, 0, 1, 3, 4, 5};
    if (o->scheme != SDD_SCHEME_CATMULL_CLARK)
        fprintf(f, "# subdivisionScheme %s\n", sdd_option_token(o, 0));
    if (o->orientation != SDD_RIGHT_HANDED)
        fprintf(f, "# orientation %s\n", sdd_option_token(o, 5));
    fprintf(f, "t interpolateboundary 1/0/0 %d\n", boundary[o->boundary]);
    fprintf(f, "t facevaryinginterpolateboundary 1/0/0 %d\n", fvar[o->fvar]);
    if (o->crease_method == SDD_CREASE_CHAIKIN)
        fputs("t creasemethod 0/0/1 chaikin\n", f);
    if (o->triangle_rule == SDD_TRIANGLE_SMOOTH)
        fputs("t smoothtriangles 0/0/1 smooth\n", f);
}

/* The colours that follow the coordinates of v, or NULL. */
static const struct primvar *find_colors(const struct mesh *m)
{
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar_info *p = &m->primvars[i].info;
        if (strcmp(p->name, "displayColor") == 0 && p->interpolation == SDD_VERTEX && p->width == 3)
            return &m->primvars[i];
    }
    return NULL;
}

/* ---- face sets ---- */
enum { MATERIALS, GROUPS, N_SETS };
static const struct {
    const char *statement, *primvar;
} set_kinds[N_SETS] = {[MATERIALS] = {"usemtl", "materialBind"}, [GROUPS] = {"g", "group"}};

/* A primvar of face sets, and where each of its names begins. */
struct face_sets {
    const struct primvar *p; /* NULL where the mesh has none. */
    const char **names;
};

static int find_sets(const struct mesh *m, int kind, struct face_sets *out, struct sdd_error *err)
{
    *out = (struct face_sets){0};
    for (int i = 0; i < m->n_primvars; i++)
        if (strcmp(m->primvars[i].info.name, set_kinds[kind].primvar) == 0 && m->primvars[i].sets.n)
            out->p = &m->primvars[i];
    if (!out->p)
        return SDD_OK;
    const char *at = out->p->sets.text;
    out->names = mesh_alloc(out->p->sets.n, sizeof *out->names, err);
    for (int64_t i = 0; out->names && i < out->p->sets.n; i++, at += strlen(at) + 1)
        out->names[i] = at;
    return out->names ? SDD_OK : SDD_ENO_MEMORY;
}

/* The name of the set of a face, or "" when it has none. */
static const char *set_of(const struct face_sets *s, int64_t face)
{
    int32_t set = ((const int32_t *)s->p->values)[face];
    return set > 0 && set <= s->p->sets.n ? s->names[set - 1] : "";
}

static void write_faces(FILE *f, const struct mesh *m, const struct face_sets sets[N_SETS])
{
    char name[FILE_NAME_SIZE];
    const char *now[N_SETS] = {"", ""};
    int64_t c = 0;
    for (int64_t i = 0; i < m->n_faces && !stop_due(i); i++) {
        for (int k = 0; k < N_SETS; k++) {
            const char *set = sets[k].p ? set_of(&sets[k], i) : "";
            if (set != now[k] && strcmp(set, now[k]) != 0)
                fprintf(f, "%s%s%s\n", set_kinds[k].statement, *set ? " " : "", file_line_name(set, name));
            now[k] = set;
        }
        fputc('f', f);
        for (int32_t k = 0; k < m->face_counts[i]; k++, c++) {
            fprintf(f, " %lld", m->face_vertices[c] + 1LL);
            if (m->n_uvs)
                fprintf(f, "/%lld", m->uv_indices[c] + 1LL);
        }
        fputc('\n', f);
    }
}

static void write_tags(FILE *f, const struct mesh *m)
{
    for (int64_t i = 0; i < m->n_creases; i++)
        fprintf(f, "t crease 2/1/0 %d %d %.9g\n", m->crease_edges[2 * i], m->crease_edges[2 * i + 1],
                (double)m->crease_sharpness[i]);
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        fprintf(f, "t corner 1/1/0 %d %.9g\n", m->corner_vertices[i], (double)m->corner_sharpness[i]);
    for (int64_t i = 0; i < m->n_holes; i++)
        fprintf(f, "t hole 1/0/0 %d\n", m->hole_faces[i]);
}

static void write_all(FILE *f, const struct mesh *m, const void *sets)
{
    char name[FILE_NAME_SIZE];
    const struct primvar *colors = find_colors(m);
    fputs("# subdd control mesh\n", f);
    if (*m->name)
        fprintf(f, "o %s\n", file_name_valid(FILE_NAME_OBJ, m->name, name));
    for (int64_t i = 0; i < m->n_vertices && !stop_due(i); i++) {
        fprintf(f, "v %.9g %.9g %.9g", (double)m->points[3 * i], (double)m->points[3 * i + 1],
                (double)m->points[3 * i + 2]);
        const float *rgb = colors ? (const float *)colors->values + 3 * i : NULL;
        if (rgb)
            fprintf(f, " %.9g %.9g %.9g", (double)rgb[0], (double)rgb[1], (double)rgb[2]);
        fputc('\n', f);
    }
    for (int64_t i = 0; i < m->n_uvs && !stop_due(i); i++)
        fprintf(f, "vt %.9g %.9g\n", (double)m->uvs[2 * i], (double)m->uvs[2 * i + 1]);
    write_faces(f, m, sets);
    write_options(f, &m->options);
    write_tags(f, m);
}

/* ---- what the file cannot carry ---- */
static void options_lost(const struct mesh *m, struct text *lost)
{
    static const int untagged[] = {0, 5}; /* The rows of sdd_option_table without a tag. */
    for (int i = 0; i < 2; i++) {
        const struct sdd_option_info *option = &sdd_option_table[untagged[i]];
        const char *token = sdd_option_token(&m->options, untagged[i]);
        if (strcmp(token, option->tokens[0]) != 0)
            text_printf(lost, "%s = %s is not carried: OBJ has no tag for it; read the file with --%s %s\n",
                        option->name, token, option->flag, token);
    }
}

static void primvars_lost(const struct mesh *m, const struct face_sets sets[N_SETS], struct text *lost)
{
    int n = 0;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        if (p != find_colors(m) && p != sets[MATERIALS].p && p != sets[GROUPS].p)
            text_printf(lost, "%s%s", n++ ? ", " : "primvars are not carried: ", p->info.name);
    }
    if (n)
        text_puts(lost, "\n");
}

/* Tells of names that stand otherwise in the file, and of those that no face has. */
static void names_lost(const struct mesh *m, const struct face_sets *s, struct text *lost)
{
    char name[FILE_NAME_SIZE];
    int64_t changed = 0, used = 0;
    bool *has = s->p ? calloc((size_t)s->p->sets.n + 1, 1) : NULL;
    lost->failed |= s->p && !has;
    if (!has)
        return;
    for (int64_t i = 0; i < m->n_faces; i++) {
        const int32_t set = ((const int32_t *)s->p->values)[i];
        if (set > 0 && set <= s->p->sets.n && !has[set])
            has[set] = true, used++;
    }
    for (int64_t i = 0; i < s->p->sets.n; i++)
        changed += file_line_name(s->names[i], name) != s->names[i];
    if (changed)
        text_printf(lost, "%lld names of %s are changed: a name in OBJ has no #, no backslash and no double space\n",
                    (long long)changed, s->p->info.name);
    if (used < s->p->sets.n)
        text_printf(lost, "%lld names of %s are not carried: no face has them\n", (long long)(s->p->sets.n - used),
                    s->p->info.name);
    free(has);
}

/* OBJ has no unit and no place in a world. Y is up in it by custom, and a USD file that says nothing is in
 * centimetres, so these two are no loss. */
static void stage_lost(const struct mesh_stage *s, struct text *lost)
{
    if (s->up_axis == MESH_UP_Z)
        text_puts(lost, "upAxis = Z is not carried: OBJ has no place for it\n");
    if (s->meters_per_unit != 0 && s->meters_per_unit != 0.01)
        text_printf(lost, "metersPerUnit = %.9g is not carried: OBJ has no place for it\n", s->meters_per_unit);
    if (s->has_transform)
        text_puts(lost, "the transform is not carried: OBJ has no place for it\n");
}

int mesh_to_obj(const struct mesh *m, void **out, size_t *bytes, struct text *lost, struct sdd_error *err)
{
    struct face_sets sets[N_SETS];
    int rc = SDD_OK;
    *out = NULL;
    for (int k = 0; k < N_SETS; k++) {
        int failed = find_sets(m, k, &sets[k], err);
        rc = rc ? rc : failed;
    }
    if (!rc && lost) {
        options_lost(m, lost);
        primvars_lost(m, sets, lost);
        for (int k = 0; k < N_SETS; k++)
            names_lost(m, &sets[k], lost);
        stage_lost(&m->stage, lost);
        mesh_ids_lost(m, lost);
    }
    if (!rc)
        rc = mesh_to_text_with(m, write_all, sets, out, bytes, err);
    for (int k = 0; k < N_SETS; k++)
        free(sets[k].names);
    return rc;
}
