/* SPDX-License-Identifier: Apache-2.0 */
/* writer_text.c: writes a mesh as a text file in memory, for json_write.c, obj_write.c and usda_write.c. */
#include "server/mesh/formats/writer_text.h"
#include "server/base/stop.h"
#include <stdlib.h>

int mesh_to_text_with(const struct mesh *m, mesh_writer *write, const void *context, void **out, size_t *bytes,
                      struct sdd_error *err)
{
    char *text = NULL;
    *out = NULL;
    FILE *f = open_memstream(&text, bytes);
    if (!f)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh as text");
    write(f, m, context);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    if (!failed && !stop_asked()) { /* Else the text may end early. */
        *out = text;
        return SDD_OK;
    }
    free(text);
    if (stop_asked())
        return stop_fail(err);
    return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh as text");
}

struct plain {
    void (*write)(FILE *f, const struct mesh *m);
};

static void write_plain(FILE *f, const struct mesh *m, const void *context)
{
    ((const struct plain *)context)->write(f, m);
}

int mesh_to_text(const struct mesh *m, void (*write)(FILE *f, const struct mesh *m), void **out, size_t *bytes,
                 struct sdd_error *err)
{
    return mesh_to_text_with(m, write_plain, &(struct plain){write}, out, bytes, err);
}

static bool are_rows(const int32_t *ids, int64_t n, int64_t next)
{
    for (int64_t i = 0; i < n; i++)
        if (ids[i] != i)
            return false;
    return next == n;
}

void mesh_ids_lost(const struct mesh *m, struct text *lost)
{
    if (lost && !(are_rows(m->vertex_ids, m->n_vertices, m->next_vertex_id) &&
                  are_rows(m->face_ids, m->n_faces, m->next_face_id)))
        text_puts(lost, "ids of vertices and faces are not carried: who reads the file numbers the rows from 0\n");
}
