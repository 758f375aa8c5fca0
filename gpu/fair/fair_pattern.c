/* SPDX-License-Identifier: Apache-2.0 */
/* fair_pattern.c: the pattern of the matrices, by sort and scan on the device, once for a flow. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_entries.k.h"
#include "gpu/fair/kernels/fair_flat.k.h"
#include "gpu/fair/kernels/fair_keys.k.h"
#include "gpu/fair/kernels/fair_load.k.h"
#include "gpu/fair/kernels/fair_rim.k.h"
#include "gpu/kernel/run_heads.k.h"
#include <stdlib.h>

/* Temporary arrays of the device. */
struct build {
    uint64_t *key, *sorted, *error;
    int32_t *flag, *rank, *term;
    uint32_t *face;
    void *scratch;
};

static void lay_out(sdd_device *d, const struct fair_parts *p, struct arena *a, struct build *out)
{
    const int64_t n = 9 * p->n_triangles, sort = d->b->sort_scratch(d->dev, n, 2 * id_bits(p->n_rows));
    out->key = ARENA(a, uint64_t, n);
    out->sorted = ARENA(a, uint64_t, n);
    out->error = ARENA(a, uint64_t, 1);
    out->flag = ARENA(a, int32_t, n);
    out->rank = ARENA(a, int32_t, n);
    out->term = ARENA(a, int32_t, n);
    out->face = ARENA(a, uint32_t, p->n_triangles);
    out->scratch = ARENA(a, char, larger(sort, d->b->scan_scratch(d->dev, n)));
}

int64_t fair_build_bytes(const sdd_topology *t, const struct fair_parts *p)
{
    struct arena count = {NULL, 0};
    struct build b;
    lay_out(t->device, p, &count, &b);
    return count.used;
}

static void queue(sdd_fair *f, const struct build *b)
{
    sdd_device *d = f->device;
    const struct fair_parts *p = &f->parts;
    const int64_t n = 9 * p->n_triangles;
    const int bits = id_bits(p->n_rows);
    struct fair_keys_args keys = {f->triangle, b->key, b->term, bits};
    struct run_heads_args heads = {b->sorted, b->flag};
    struct fair_entries_args entries = {
        b->sorted, b->flag, b->rank, f->row, f->column, f->begin, f->diagonal, n, (uint32_t)p->n_rows, bits};
    struct fair_rim_args rim = {f->mesh, f->rim};
    struct fair_load_args load = {f->vertex, f->kept, f->points};
    struct fair_flat_args flat = {f->triangle, b->face, f->points, b->error};
    dev_upload(d, f->vertex, p->vertex, p->n_rows * (int64_t)sizeof *p->vertex);
    dev_upload(d, f->triangle, p->triangle, 3 * p->n_triangles * (int64_t)sizeof *p->triangle);
    dev_upload(d, b->face, p->face, p->n_triangles * (int64_t)sizeof *p->face);
    DEV_LAUNCH(d, fair_keys, &keys, n);
    dev_sort(d, b->key, b->sorted, b->term, (int32_t *)f->term, n, 2 * bits, b->scratch);
    DEV_LAUNCH(d, run_heads, &heads, n);
    dev_scan(d, b->flag, b->rank, n, b->scratch);
    DEV_LAUNCH(d, fair_entries, &entries, n);
    DEV_LAUNCH(d, fair_rim, &rim, p->n_rows);
    DEV_LAUNCH(d, fair_load, &load, p->n_rows);
    dev_fill(d, b->error, 0xff, sizeof *b->error);
    DEV_LAUNCH(d, fair_flat, &flat, p->n_triangles);
    dev_copy(d, f->origin, f->points, 4 * p->n_rows * (int64_t)sizeof *f->points);
}

/* Reads back where the entries of each part begin, and whether a triangle is flat. */
static int read_parts(sdd_fair *f, const struct build *b, struct sdd_error *err)
{
    const int64_t n = f->parts.n_rows;
    uint32_t *row = calloc((size_t)n + 1, sizeof *row);
    uint64_t flat = 0;
    int rc = SDD_OK;
    if (!row)
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory to look at %lld rows", (long long)n);
    if (!rc) {
        dev_download(f->device, row, f->row, (n + 1) * (int64_t)sizeof *row);
        dev_download(f->device, &flat, b->error, sizeof flat);
        rc = dev_finish(f->device, err);
    }
    if (!rc && flat != ~0ull)
        rc = sdd_fail(err, SDD_EMESH, "points",
                      "face %llu of level %d has a triangle without area; move or remove its vertices",
                      (unsigned long long)flat, f->request.level);
    for (int64_t k = 0; k < f->parts.n_parts && row && !rc; k++) {
        struct fair_part *p = f->parts.part + k;
        p->first_entry = row[p->first];
        p->n_entries = row[p->first + p->n] - p->first_entry;
    }
    free(row);
    return rc;
}

int fair_pattern_create(sdd_fair *f, struct sdd_error *err)
{
    struct device_block block;
    struct build b;
    int rc = block_take(f->device, fair_build_bytes(f->topology, &f->parts), &block, err);
    if (rc)
        return rc;
    struct arena a = {block.memory, 0};
    lay_out(f->device, &f->parts, &a, &b);
    queue(f, &b);
    rc = read_parts(f, &b, err);
    if (rc)
        dev_drain(f->device);
    block_give(f->device, &block);
    return rc;
}
