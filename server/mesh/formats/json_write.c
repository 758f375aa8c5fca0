/* SPDX-License-Identifier: Apache-2.0 */
/* json_write.c: writes a mesh as JSON, for downloads (mesh_to_json). json.c reads the same mesh back. The members are
 * those that an upload has, and among them are the ids by which edits name vertices and faces. */
#include "server/mesh/formats/codec.h"
#include "server/mesh/formats/writer_text.h"

/* Writes a token or a name, which has no control characters. */
static void put_quoted(FILE *f, const char *value)
{
    fputc('"', f);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            fputc('\\', f);
        fputc(*value, f);
    }
    fputc('"', f);
}

static void put_string(FILE *f, const char *before, const char *key, const char *value)
{
    fprintf(f, "%s\"%s\":", before, key);
    put_quoted(f, value);
}

static void put_ints(FILE *f, const char *key, const int32_t *v, int64_t n)
{
    fprintf(f, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++)
        fprintf(f, i ? ",%d" : "%d", v[i]);
    fputc(']', f);
}

/* 9 digits tell every float from its neighbours. */
static void put_floats(FILE *f, const char *key, const float *v, int64_t n)
{
    fprintf(f, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++)
        fprintf(f, i ? ",%.9g" : "%.9g", (double)v[i]);
    fputc(']', f);
}

static void put_options(FILE *f, const struct sdd_options *o)
{
    fputs("\"options\":{", f);
    for (int i = 0; i < sdd_n_options; i++)
        put_string(f, i ? "," : "", sdd_option_table[i].name, sdd_option_token(o, i));
    fputc('}', f);
}

/* Every crease of a mesh is one edge, so that all lengths are 2. */
static void put_tags(FILE *f, const struct mesh *m)
{
    put_ints(f, "creaseIndices", m->crease_edges, 2 * m->n_creases);
    fputs(",\"creaseLengths\":[", f);
    for (int64_t i = 0; i < m->n_creases; i++)
        fputs(i ? ",2" : "2", f);
    fputc(']', f);
    put_floats(f, "creaseSharpnesses", m->crease_sharpness, m->n_creases);
    put_ints(f, "cornerIndices", m->corner_vertices, m->n_corner_tags);
    put_floats(f, "cornerSharpnesses", m->corner_sharpness, m->n_corner_tags);
    put_ints(f, "holeIndices", m->hole_faces, m->n_holes);
}

static void put_primvar(FILE *f, const struct primvar *p, int64_t n_corners)
{
    const int64_t n = (int64_t)p->info.n_values * p->info.width;
    put_string(f, "{", "name", p->info.name);
    put_string(f, ",", "interpolation", primvar_interpolation(p->info.interpolation));
    put_string(f, ",", "type", primvar_type(p->info.type));
    fprintf(f, ",\"width\":%d", p->info.width);
    if (p->info.type == PRIMVAR_I32)
        put_ints(f, "values", p->values, n);
    else
        put_floats(f, "values", p->values, n);
    if (p->indices)
        put_ints(f, "indices", p->indices, n_corners);
    const char *name = p->sets.text;
    for (int64_t i = 0; i < p->sets.n; i++, name = set_names_next(name)) {
        fputs(i ? "," : ",\"setNames\":[", f);
        put_quoted(f, name);
    }
    fputs(p->sets.n ? "]}" : "}", f);
}

/* 17 digits tell every double from its neighbours. */
static void put_stage(FILE *f, const struct mesh_stage *s)
{
    if (s->up_axis)
        put_string(f, ",", "upAxis", mesh_up_axis_name(s->up_axis));
    if (s->meters_per_unit > 0)
        fprintf(f, ",\"metersPerUnit\":%.17g", s->meters_per_unit);
    for (int i = 0; i < 16 && s->has_transform; i++)
        fprintf(f, "%s%.17g%s", i ? "," : ",\"transform\":[", s->transform[i], i == 15 ? "]" : "");
}

static void write_all(FILE *f, const struct mesh *m)
{
    fputc('{', f);
    if (*m->name) {
        put_string(f, "", "name", m->name);
        fputc(',', f);
    }
    put_options(f, &m->options);
    put_stage(f, &m->stage);
    put_floats(f, "points", m->points, 3 * m->n_vertices);
    put_ints(f, "faceVertexCounts", m->face_counts, m->n_faces);
    put_ints(f, "faceVertexIndices", m->face_vertices, m->n_corners);
    put_tags(f, m);
    if (m->n_uvs) {
        put_floats(f, "st", m->uvs, 2 * m->n_uvs);
        put_ints(f, "stIndices", m->uv_indices, m->n_corners);
    }
    fputs(",\"primvars\":[", f);
    for (int i = 0; i < m->n_primvars; i++) {
        if (i)
            fputc(',', f);
        put_primvar(f, &m->primvars[i], m->n_corners);
    }
    fputc(']', f);
    put_ints(f, "vertexIds", m->vertex_ids, m->n_vertices);
    put_ints(f, "faceIds", m->face_ids, m->n_faces);
    fputs("}\n", f);
}

int mesh_to_json(const struct mesh *m, void **out, size_t *bytes, struct sdd_error *err)
{
    return mesh_to_text(m, write_all, out, bytes, err);
}
