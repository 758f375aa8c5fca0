/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a USDA file. What is read is written and read again, and must be the same. */
#include "server/mesh/formats/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct mesh *m)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    struct losses losses = {.strict = true};
    struct mesh *back;
    void *text;
    size_t n;
    if (mesh_to_usda(m, &text, &n, NULL, NULL) || mesh_from_usda(text, n, NULL, &back, NULL, &losses, NULL))
        abort();
    if (m->n_primvars != back->n_primvars || memcmp(&m->stage, &back->stage, sizeof m->stage) != 0)
        abort();
    for (int i = 0; i < m->n_primvars; i++)
        if (m->primvars[i].sets.n != back->primvars[i].sets.n)
            abort();
    if (mesh_topology_id(m, a, NULL) || mesh_topology_id(back, b, NULL) || strcmp(a, b) != 0)
        abort();
    if (memcmp(m->points, back->points, (size_t)m->n_vertices * 12) != 0)
        abort();
    free(text);
    mesh_free(back);
}

static void read_as(const uint8_t *data, size_t size, const struct usda_ask *ask, struct text *prims)
{
    struct losses losses = {0};
    struct text warnings = {0};
    struct sdd_error err = {0};
    struct mesh *m;
    if (mesh_from_usda(data, size, ask, &m, prims, &losses, &err) == SDD_OK)
        write_and_read(m);
    else if (m || !err.text[0])
        abort();
    mesh_free(m);
    losses_print(&losses, &warnings);
    for (size_t i = 0; i < warnings.bytes; i++) /* They become headers. */
        if ((warnings.data[i] < ' ' || warnings.data[i] > '~') && warnings.data[i] != '\n')
            abort();
    text_free(&warnings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text prims = {0};
    struct positions *p;
    struct sdd_error err;
    char path[1200] = "";
    read_as(data, size, NULL, &prims);
    if (prims.bytes) { /* "VERTICES FACES PATH" */
        const char *from = strchr(prims.data, '/');
        if (!from)
            abort();
        (void)snprintf(path, sizeof path, "%.*s", (int)strcspn(from, "\n"), from);
    }
    text_free(&prims);
    const struct usda_ask other = {.prim = *path ? path : NULL, .has_time = true, .time = 1, .options = 63};
    read_as(data, size, &other, NULL);
    (void)positions_from_usda(data, size, NULL, &p, &err);
    positions_free(p);
    return 0;
}
