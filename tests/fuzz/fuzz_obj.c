/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an OBJ file. What is read is written and read again, and must be the same topology. */
#include "server/mesh/formats/codec.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(struct mesh *m)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    struct text warnings = {0};
    struct mesh *back;
    void *text;
    size_t n;
    if (mesh_to_obj(m, &text, &n, NULL, NULL) || mesh_from_obj(text, n, &back, &warnings, NULL))
        abort();
    if (warnings.bytes && m->n_faces) /* vt lines of no face are no UVs */
        abort();
    text_free(&warnings);
    if (mesh_check_indices(m, NULL) == SDD_OK) { /* a tag may name what is not there; such a mesh goes no further */
        if (!m->n_faces)
            back->n_uvs = m->n_uvs;
        if (mesh_topology_id(m, a, NULL) || mesh_topology_id(back, b, NULL) || strcmp(a, b) != 0)
            abort();
        if (memcmp(m->points, back->points, (size_t)m->n_vertices * 12) != 0)
            abort();
    }
    free(text);
    mesh_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text warnings = {0};
    struct sdd_error err;
    struct mesh *m;
    struct positions *p;
    if (mesh_from_obj(data, size, &m, &warnings, &err) == SDD_OK)
        write_and_read(m);
    else if (m || !err.text[0])
        abort();
    mesh_free(m);
    text_free(&warnings);
    (void)positions_from_obj(data, size, &p, &err);
    positions_free(p);
    return 0;
}
