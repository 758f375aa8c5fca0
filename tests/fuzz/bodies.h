/* SPDX-License-Identifier: Apache-2.0 */
/* bodies.h: what a fuzzer does with a body once it is decoded: as much as a request would, short of the device. */
#ifndef TESTS_FUZZ_BODIES_H
#define TESTS_FUZZ_BODIES_H
#include "server/mesh_codec.h"
#include "server/mesh_encode.h"
#include <stdlib.h>
#include <string.h>

static const char body_cube[] =
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 4/2 3/3 2/4\nf 5/1 6/2 7/3 8/4\nf 1/1 2/2 6/3 5/4\n"
    "f 2/1 3/2 7/3 6/4\nf 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\nt crease 2/1/0 4 5 2\n";

/* A decoded mesh survives a copy, both encodings and the store's form. */
static void body_mesh(int rc, struct mesh *m, const struct sdd_error *err)
{
    struct mesh *copy;
    void *bytes;
    size_t n;
    char id[MESH_TOPOLOGY_ID_SIZE];
    if ((rc == SDD_OK) != (m != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_copy(m, &copy, NULL) || mesh_topology_id(m, id, NULL))
        abort();
    if (mesh_to_proto(copy, &bytes, &n, NULL) == SDD_OK)
        free(bytes);
    mesh_free(copy);
    mesh_free(m);
}

static void body_positions(int rc, struct positions *p, const struct sdd_error *err)
{
    struct mesh *cube;
    if ((rc == SDD_OK) != (p != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_from_obj(body_cube, strlen(body_cube), &cube, NULL))
        abort();
    if (positions_check(p, cube->n_vertices, 0, NULL) == SDD_OK)
        positions_apply(p, cube);
    mesh_free(cube);
    positions_free(p);
}

static void body_edits(int rc, struct edit_batch *b, const struct sdd_error *err)
{
    struct mesh *cube;
    struct edit_result r;
    struct sdd_error why = {0};
    if ((rc == SDD_OK) != (b != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_from_obj(body_cube, strlen(body_cube), &cube, NULL))
        abort();
    rc = edits_apply(cube, b, &r, &why);
    if (rc ? !why.text[0] || r.mesh : mesh_check_indices(r.mesh, NULL))
        abort();
    edit_result_free(&r);
    mesh_free(cube);
    edit_batch_free(b);
}

#endif
