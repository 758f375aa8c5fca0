/* SPDX-License-Identifier: Apache-2.0 */
/* points.c: stores new positions of a mesh. Only the chunks that a range touches are rewritten. Those of a snapshot
 * that edits follow must stay, so there the positions become one more edit, or a new snapshot where that is due. */
#include "server/store/sqlite/db.h"
#include "server/mesh/formats/codec.h"
#include <stdlib.h>
#include <string.h>

/* A chunk and a range that have vertices in common. */
struct touch {
    int64_t chunk, range;
};

static int touch_compare(const void *pa, const void *pb)
{
    const struct touch *a = pa, *b = pb;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->range > b->range) - (a->range < b->range);
}

/* Lists all touches, by chunk and then in the order of the ranges, as a later range wins. */
static int list_touches(const struct positions *p, struct touch **out, int64_t *n, struct sdd_error *err)
{
    int64_t total = 0;
    for (int64_t i = 0; i < p->n_ranges; i++)
        if (p->ranges[i].n)
            total += (p->ranges[i].first + p->ranges[i].n - 1) / STORE_POINT_ROWS -
                     p->ranges[i].first / STORE_POINT_ROWS + 1;
    *n = 0;
    *out = mesh_alloc(total, sizeof **out, err);
    if (!*out)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < p->n_ranges; i++) {
        const struct position_range *r = &p->ranges[i];
        for (int64_t c = r->first / STORE_POINT_ROWS; r->n && c <= (r->first + r->n - 1) / STORE_POINT_ROWS; c++)
            (*out)[(*n)++] = (struct touch){c, i};
    }
    qsort(*out, (size_t)*n, sizeof **out, touch_compare);
    return SDD_OK;
}

/* Writes one chunk with the n ranges that touch it. It is read first unless a range covers all of it. */
static int put_chunk(struct store *s, struct store_record *r, const struct positions *p, const struct touch *t,
                     int64_t n, struct store_sum *old, float *buffer, struct sdd_error *err)
{
    int64_t first = t->chunk * STORE_POINT_ROWS, rows = r->info.n_vertices - first;
    bool covered = false;
    int rc = SDD_OK;
    if (rows > STORE_POINT_ROWS)
        rows = STORE_POINT_ROWS;
    for (int64_t i = 0; i < n; i++) {
        const struct position_range *range = &p->ranges[t[i].range];
        covered |= range->first <= first && range->first + range->n >= first + rows;
    }
    if (!covered)
        rc = store_chunks_read(s, STORE_POINTS, r->key, 0, t->chunk, buffer, 12 * rows, NULL, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        const struct position_range *range = &p->ranges[t[i].range];
        int64_t from = range->first > first ? range->first : first, end = range->first + range->n;
        if (end > first + rows)
            end = first + rows;
        memcpy(buffer + 3 * (from - first), range->points + 3 * (from - range->first), (size_t)(12 * (end - from)));
    }
    struct store_sum *sum = &r->digest.points;
    return rc ? rc : store_chunk_write(s, STORE_POINTS, r->key, t->chunk, buffer, 12 * rows, sum, old, err);
}

/* Whole new positions make the sum anew, which also heals a mesh whose old ones were damaged. Others change it. */
static struct store_sum *begin_sum(struct store_record *r, const struct positions *p)
{
    for (int64_t i = 0; i < p->n_ranges; i++)
        if (p->ranges[i].first == 0 && p->ranges[i].n == r->info.n_vertices) {
            r->digest.points = (struct store_sum){{0}};
            return NULL;
        }
    return &r->digest.points;
}

static int put_ranges(struct store *s, struct store_record *r, const struct positions *p, struct sdd_error *err)
{
    struct touch *touches = NULL;
    struct store_sum *old = begin_sum(r, p);
    int64_t n = 0;
    float *buffer = mesh_alloc(STORE_POINT_ROWS, 12, err);
    int rc = buffer ? list_touches(p, &touches, &n, err) : SDD_ENO_MEMORY;
    for (int64_t i = 0, end; i < n && !rc; i = end) {
        for (end = i + 1; end < n && touches[end].chunk == touches[i].chunk;)
            end++;
        rc = put_chunk(s, r, p, touches + i, end - i, old, buffer, err);
    }
    free(touches);
    free(buffer);
    return rc;
}

/* Makes the next version of r by changing the chunks of points. */
static int put_in_place(struct store *s, struct store_record *r, const struct positions *p, int64_t now_ms,
                        struct sdd_error *err)
{
    int rc = store_record_digest(s, r, err);
    if (!rc)
        rc = put_ranges(s, r, p, err);
    r->info.version++;
    r->info.updated_ms = now_ms;
    return rc ? rc : store_record_write(s, r, err);
}

static int add_edit(struct store *s, struct store_record *r, const void *data, int64_t bytes, int64_t now_ms,
                    struct sdd_error *err)
{
    int rc = store_edits_add(s, r, STORE_POSITIONS, data, bytes, err);
    r->info.version++;
    r->info.updated_ms = now_ms;
    return rc ? rc : store_record_write(s, r, err);
}

static int add_snapshot(struct store *s, struct store_record *r, const struct positions *p, const struct mesh *before,
                        int64_t now_ms, struct sdd_error *err)
{
    struct mesh *read = NULL;
    int rc = before ? SDD_OK : store_mesh_read(s, r, &read, err);
    if (rc)
        return rc;
    struct mesh m = before ? *before : *read; /* All but the points is borrowed. */
    m.points = mesh_alloc(m.n_vertices, 12, err);
    if (m.points) {
        memcpy(m.points, (before ? before : read)->points, (size_t)(12 * m.n_vertices));
        positions_apply(p, &m);
    }
    rc = m.points ? store_snapshot(s, r, &m, r->info.topology_id, now_ms, err) : SDD_ENO_MEMORY;
    free(m.points);
    mesh_free(read);
    return rc;
}

/* Makes the next version of r, which edits make from a snapshot. */
static int put_behind(struct store *s, struct store_record *r, const struct positions *p, const struct mesh *before,
                      int64_t now_ms, struct sdd_error *err)
{
    struct sdd_error why = {0};
    void *data;
    size_t bytes;
    int rc = positions_to_proto(p, &data, &bytes, &why);
    if (rc && rc != SDD_ETOO_LARGE) {
        if (err)
            *err = why;
        return rc;
    }
    rc = data && store_edits_fit(r, (int64_t)bytes) ? add_edit(s, r, data, (int64_t)bytes, now_ms, err)
                                                    : add_snapshot(s, r, p, before, now_ms, err);
    free(data);
    return rc;
}

int store_put_points(struct store *s, const char *id, int64_t expected, const struct positions *p,
                     const struct mesh *before, int64_t now_ms, const struct store_answer *answer,
                     struct store_info *info, struct sdd_error *err)
{
    struct store_record r;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = store_record_version(s, id, expected, &r, err);
    if (!rc)
        rc = positions_check(p, r.info.n_vertices, 0, err);
    if (!rc)
        rc = r.base.version ? put_behind(s, &r, p, before, now_ms, err) : put_in_place(s, &r, p, now_ms, err);
    return store_finish(s, rc, &r, answer, info, err);
}
