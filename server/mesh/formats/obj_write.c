/* SPDX-License-Identifier: Apache-2.0 */
/* obj_write.c: writes a mesh as OBJ with tags, for downloads (mesh_to_obj). obj.c reads the same mesh back, except for
 * ids, primvars and the options that OBJ has no tag for. */
#include "server/mesh/formats/codec.h"
#include "server/base/stop.h"
#include "server/mesh/formats/writer_text.h"
#include "proto/files/file_names.h"
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

static void write_faces(FILE *f, const struct mesh *m)
{
    int64_t c = 0;
    for (int64_t i = 0; i < m->n_faces && !stop_due(i); i++) {
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

static void write_all(FILE *f, const struct mesh *m)
{
    char name[FILE_NAME_SIZE];
    fputs("# subdd control mesh\n", f);
    if (*m->name)
        fprintf(f, "o %s\n", file_name_valid(FILE_NAME_OBJ, m->name, name));
    for (int64_t i = 0; i < m->n_vertices && !stop_due(i); i++)
        fprintf(f, "v %.9g %.9g %.9g\n", (double)m->points[3 * i], (double)m->points[3 * i + 1],
                (double)m->points[3 * i + 2]);
    for (int64_t i = 0; i < m->n_uvs && !stop_due(i); i++)
        fprintf(f, "vt %.9g %.9g\n", (double)m->uvs[2 * i], (double)m->uvs[2 * i + 1]);
    write_faces(f, m);
    write_options(f, &m->options);
    write_tags(f, m);
}

int mesh_to_obj(const struct mesh *m, void **out, size_t *bytes, struct text *lost, struct sdd_error *err)
{
    static const int untagged[] = {0, 5}; /* The rows of sdd_option_table without a tag. */
    for (int i = 0; i < 2 && lost; i++) {
        const struct sdd_option_info *option = &sdd_option_table[untagged[i]];
        const char *token = sdd_option_token(&m->options, untagged[i]);
        if (strcmp(token, option->tokens[0]) != 0)
            text_printf(lost, "%s = %s is not carried: OBJ has no tag for it; read the file with --%s %s\n",
                        option->name, token, option->flag, token);
    }
    for (int i = 0; i < m->n_primvars && lost; i++)
        text_printf(lost, "%s%s%s", i ? ", " : "primvars are not carried: ", m->primvars[i].info.name,
                    i + 1 < m->n_primvars ? "" : "\n");
    mesh_ids_lost(m, lost);
    return mesh_to_text(m, write_all, out, bytes, err);
}
