/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a USDA file. What is read is written and read again, and must be the same topology. */
#include "server/mesh/formats/codec.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct mesh *m)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    struct text warnings = {0};
    struct mesh *back;
    void *text;
    size_t n;
    if (mesh_to_usda(m, &text, &n, NULL, NULL) || mesh_from_usda(text, n, &back, &warnings, NULL) || warnings.bytes)
        abort();
    if (m->n_primvars != back->n_primvars)
        abort();
    if (mesh_topology_id(m, a, NULL) || mesh_topology_id(back, b, NULL) || strcmp(a, b) != 0)
        abort();
    if (memcmp(m->points, back->points, (size_t)m->n_vertices * 12) != 0)
        abort();
    free(text);
    mesh_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text warnings = {0};
    struct positions *p;
    struct sdd_error err;
    struct mesh *m;
    if (mesh_from_usda(data, size, &m, &warnings, &err) == SDD_OK)
        write_and_read(m);
    else if (m || !err.text[0])
        abort();
    mesh_free(m);
    for (size_t i = 0; i < warnings.bytes; i++) /* they become headers */
        if ((warnings.data[i] < ' ' || warnings.data[i] > '~') && warnings.data[i] != '\n')
            abort();
    text_free(&warnings);
    (void)positions_from_usda(data, size, &p, &err);
    positions_free(p);
    return 0;
}
