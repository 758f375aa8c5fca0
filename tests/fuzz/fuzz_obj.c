/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an OBJ file. What is read is written and read again, and must be the same mesh without a warning. A
 * strict request takes what has no losses and nothing else. */
#include "server/mesh/formats/codec.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of the names, and the primvars with their values, are those of the mesh that was read from OBJ, where names
 * are numbered as the faces come. */
static int same_primvars(const struct mesh *a, const struct mesh *b)
{
    if (a->n_primvars != b->n_primvars)
        return 0;
    for (int i = 0; i < a->n_primvars; i++) {
        const struct primvar *p = &a->primvars[i], *q = &b->primvars[i];
        size_t bytes = (size_t)p->info.n_values * (size_t)p->info.width * 4;
        if (memcmp(&p->info, &q->info, sizeof p->info) != 0 || memcmp(p->values, q->values, bytes) != 0)
            return 0;
    }
    return 1;
}

static void write_and_read(struct mesh *m)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    struct losses strict = {.strict = true};
    struct text lost = {0};
    struct sdd_error err;
    struct mesh *back;
    void *text;
    size_t n;
    if (mesh_to_obj(m, &text, &n, &lost, &err) || mesh_from_obj(text, n, &back, &strict, &err))
        abort();
    if (mesh_check_indices(m, NULL) == SDD_OK)
        if (mesh_topology_id(m, a, NULL) || mesh_topology_id(back, b, NULL) || strcmp(a, b) != 0)
            abort();
    if (m->n_vertices && memcmp(m->points, back->points, (size_t)m->n_vertices * 12) != 0)
        abort();
    if (!lost.bytes && !same_primvars(m, back))
        abort();
    text_free(&lost);
    free(text);
    mesh_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct losses l = {0}, strict = {.strict = true};
    struct sdd_error err;
    struct mesh *m, *none;
    struct positions *p;
    int rc = mesh_from_obj(data, size, &m, &l, &err);
    if (rc == SDD_OK)
        write_and_read(m);
    else if (m || !err.text[0])
        abort();
    if (mesh_from_obj(data, size, &none, &strict, &err) != (rc || !(l.n || l.others) ? rc : SDD_EMESH))
        abort();
    mesh_free(none);
    mesh_free(m);
    (void)positions_from_obj(data, size, &p, &err);
    positions_free(p);
    return 0;
}
