/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: the positions and UV values of a mesh on the device, as sdd.h offers them. A new mesh checks its positions
 * where they stay. Later positions are checked in scratch memory and replace the old ones only when all of them are
 * good; the device is waited for once. */
#include "gpu/mesh/mesh.h"
#include "gpu/mesh/kernels/point_check.k.h"
#include <math.h>
#include <stdlib.h>

/* Uploads points[n][3] to `to` on the device, checks them there and waits. `first` is only for the message. */
static int upload_points(const sdd_mesh *m, float *to, uint64_t *error, int64_t first, int64_t n, const float *points,
                         struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct point_check_args check = {to, error, SDD_MAX_COORDINATE};
    uint64_t bad = ~0ull;
    dev_fill(d, error, 0xff, sizeof *error);
    dev_upload(d, to, points, 3 * n * (int64_t)sizeof(float));
    DEV_LAUNCH(d, point_check, &check, n);
    dev_download(d, &bad, error, sizeof bad);
    int rc = dev_finish(d, err);
    if (rc || bad == ~0ull)
        return rc;
    const float *p = points + 3 * bad;
    return sdd_fail(err, SDD_EMESH, "points",
                    "vertex %llu is at (%g, %g, %g); coordinates must be finite and within +-%g",
                    (unsigned long long)bad + (unsigned long long)first, (double)p[0], (double)p[1], (double)p[2],
                    (double)SDD_MAX_COORDINATE);
}

static int replace_points(sdd_mesh *m, int64_t first, int64_t n, const float *points, struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    int64_t bytes = 3 * n * (int64_t)sizeof(float);
    void *staged;
    int rc = dev_alloc(d, bytes, &staged, err);
    if (rc)
        return rc;
    rc = upload_points(m, staged, m->error, first, n, points, err);
    if (!rc) { /* Nobody waits for the copy, because all that reads the points is queued after it. */
        dev_copy(d, m->points + 3 * first, staged, bytes);
        m->points_serial = ++d->points_serial;
        rc = d->status ? dev_finish(d, err) : SDD_OK;
    }
    dev_free(d, staged, bytes);
    return rc;
}

int sdd_mesh_set_points(sdd_mesh *m, int64_t first, int64_t n, const float *points, struct sdd_error *err)
{
    int64_t all = m->topology->info.n_vertices;
    if (first < 0 || n < 0 || first > all || n > all - first)
        return sdd_fail(err, SDD_EINVALID, "points", "%lld vertices from %lld do not lie in [0, %lld)", (long long)n,
                        (long long)first, (long long)all);
    return n ? replace_points(m, first, n, points, err) : SDD_OK;
}

static int check_uvs(const float *uvs, int64_t n, struct sdd_error *err)
{
    for (int64_t i = 0; i < 2 * n; i++)
        if (!(fabsf(uvs[i]) <= SDD_MAX_COORDINATE))
            return sdd_fail(err, SDD_EMESH, "st", "UV value %lld is %g; it must be finite and within +-%g",
                            (long long)(i / 2), (double)uvs[i], (double)SDD_MAX_COORDINATE);
    return SDD_OK;
}

int sdd_mesh_create(sdd_topology *t, const float *points, const float *uvs, sdd_mesh **out, struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    int64_t V = t->info.n_vertices, U = t->info.n_uvs;
    *out = NULL;
    int rc = check_uvs(uvs, U, err);
    if (rc)
        return rc;
    sdd_mesh *m = calloc(1, sizeof *m);
    if (!m)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh record");
    for (struct arena *a = &count;; a = &real) {
        m->points = ARENA(a, float, 3 * V);
        m->uvs = U ? ARENA(a, float, 2 * t->channel->n_rows) : NULL;
        m->error = ARENA(a, uint64_t, 1);
        if (a == &real)
            break;
        rc = dev_alloc(t->device, count.used, &m->memory, err);
        if (rc) {
            free(m);
            return rc;
        }
        real.base = m->memory;
    }
    m->bytes = count.used;
    m->points_serial = ++t->device->points_serial;
    m->topology = sdd_topology_ref(t);
    if (U) {
        dev_upload(t->device, m->uvs, uvs, 2 * U * (int64_t)sizeof(float));
        mesh_fill_rows(t, t->channel, m->uvs, 2);
    }
    /* Bad points may lie there, because then nobody ever sees the mesh. */
    rc = upload_points(m, m->points, m->error, 0, V, points, err);
    if (rc) {
        sdd_mesh_free(m);
        return rc;
    }
    *out = m;
    return SDD_OK;
}

void sdd_mesh_free(sdd_mesh *m)
{
    if (!m)
        return;
    kept_free(m->topology->device, &m->kept);
    dev_free(m->topology->device, m->primvars.memory, m->primvars.bytes);
    dev_free(m->topology->device, m->memory, m->bytes);
    sdd_topology_unref(m->topology);
    free(m);
}

int64_t sdd_mesh_bytes(const sdd_mesh *m)
{
    return m->bytes + m->primvars.bytes;
}
