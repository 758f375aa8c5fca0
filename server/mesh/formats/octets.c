/* SPDX-License-Identifier: Apache-2.0 */
/* octets.c: makes positions of points that are floats in memory already, a body of octets or points that another
 * reader of this room has found; and reads lists of ids. */
#include "server/mesh/formats/codec.h"
#include <string.h>

static int own_or_free(struct positions **p, struct sdd_error *err)
{
    int rc = positions_own(*p, err);
    if (!rc)
        return SDD_OK;
    positions_free(*p);
    *p = NULL;
    return rc;
}

int positions_from_octets(const void *body, size_t bytes, int64_t first, struct positions **out, struct sdd_error *err)
{
    *out = NULL;
    if (bytes % 12)
        return sdd_fail(err, SDD_EMESH, "points", "%zu bytes are no whole number of vertices of 12 bytes", bytes);
    if (first < 0)
        return sdd_fail(err, SDD_EINVALID, "first", "first is %lld", (long long)first);
    struct arena *arena = arena_create(INT64_MAX / 2);
    struct positions *p = arena ? arena_alloc(arena, sizeof *p) : NULL;
    struct position_range *range = p ? arena_alloc(arena, sizeof *range) : NULL;
    if (!range) {
        arena_free(arena);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for positions");
    }
    *range = (struct position_range){first, (int64_t)(bytes / 12), body};
    *p = (struct positions){1, range, arena};
    *out = p;
    return (uintptr_t)body % sizeof(float) ? own_or_free(out, err) : SDD_OK;
}

int positions_from_points(struct f32s points, struct positions **out, struct sdd_error *err)
{
    int rc = positions_from_octets(points.v, (size_t)points.n * sizeof(float), 0, out, err);
    return *out ? own_or_free(out, err) : rc;
}

int ids_from_octets(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err)
{
    const char *from = body;
    *list = (struct i64s){NULL, (int64_t)(bytes / sizeof(uint32_t))};
    if (bytes % sizeof(uint32_t))
        return sdd_fail(err, SDD_EMESH, "ids", "%zu bytes are no whole number of ids of 4 bytes", bytes);
    list->v = mesh_alloc(list->n, sizeof *list->v, err);
    for (int64_t i = 0; list->v && i < list->n; i++) {
        uint32_t id;
        memcpy(&id, from + (size_t)i * sizeof id, sizeof id); /* The body need not be aligned. */
        list->v[i] = id;
    }
    return list->v ? SDD_OK : SDD_ENO_MEMORY;
}
