/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_primvars.c: sdd_mesh_set_primvars, which checks the primvars of a mesh and copies their values to the device.
 * All primvars of a mesh share one block of device memory, which the mesh owns. */
#include "gpu/mesh/mesh.h"
#include "gpu/mesh/kernels/channel_values.k.h"
#include <math.h>
#include <string.h>

/* How many values the caller gives: n of struct sdd_primvar. */
static int64_t n_given_values(const sdd_topology *t, const struct sdd_primvar *p)
{
    switch (p->interpolation) {
    case SDD_CONSTANT: return 1;
    case SDD_UNIFORM: return t->info.n_faces;
    case SDD_FACE_VARYING: return topology_primvar_channel(t, p->channel)->n_values;
    default: return t->info.n_vertices; /* Varying and vertex. */
    }
}

/* How many 4-byte words the device holds for a primvar. A face-varying one has a row for each value given and further
 * rows for values that several vertices share (topology.h). */
static int64_t n_device_words(const sdd_topology *t, const struct sdd_primvar *p)
{
    int64_t rows =
        p->interpolation == SDD_FACE_VARYING ? topology_primvar_channel(t, p->channel)->n_rows : n_given_values(t, p);
    return rows * p->width;
}

void mesh_fill_rows(const sdd_topology *t, const struct topology_channel *c, float *values, int width)
{
    struct channel_values_args args = {c->value, values, c->n_values, width};
    DEV_LAUNCH(t->device, channel_values, &args, c->n_rows - c->n_values);
}

static int check_shape(const sdd_topology *t, int k, const struct sdd_primvar *p, struct sdd_error *err)
{
    if (p->interpolation < SDD_CONSTANT || p->interpolation > SDD_FACE_VARYING)
        return sdd_fail(err, SDD_EINVALID, "primvars", "primvar %d has interpolation %d, which is none", k,
                        p->interpolation);
    if (p->width < 1 || p->width > SDD_MAX_PRIMVAR_WIDTH)
        return sdd_fail(err, SDD_EINVALID, "primvars", "primvar %d has %d words a value; 1 to %d are allowed", k,
                        p->width, SDD_MAX_PRIMVAR_WIDTH);
    if (p->interpolation == SDD_FACE_VARYING && (p->channel < 0 || p->channel >= t->info.n_channels))
        return sdd_fail(err, SDD_EINVALID, "primvars", "primvar %d has channel %d of %d", k, p->channel,
                        t->info.n_channels);
    return SDD_OK;
}

static int check_values(const sdd_topology *t, int k, const struct sdd_primvar *p, struct sdd_error *err)
{
    const float *v = p->values;
    /* Constant and uniform values are only copied, so they may be anything. */
    int64_t n = p->interpolation <= SDD_UNIFORM ? 0 : n_given_values(t, p) * p->width;
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(v[i]) <= SDD_MAX_COORDINATE))
            return sdd_fail(err, SDD_EMESH, "primvars",
                            "value %lld of primvar %d has %g; it must be finite and within +-%g",
                            (long long)(i / p->width), k, (double)v[i], (double)SDD_MAX_COORDINATE);
    return SDD_OK;
}

static int check_primvars(const sdd_topology *t, int n, const struct sdd_primvar *primvars, struct sdd_error *err)
{
    if (n < 0 || n > SDD_MAX_PRIMVARS)
        return sdd_fail(err, SDD_EINVALID, "primvars", "%d primvars; the limit is %d", n, SDD_MAX_PRIMVARS);
    for (int k = 0; k < n; k++) {
        int rc = check_shape(t, k, primvars + k, err);
        if (!rc)
            rc = check_values(t, k, primvars + k, err);
        if (rc)
            return rc;
    }
    return SDD_OK;
}

int sdd_mesh_set_primvars(sdd_mesh *m, int n, const struct sdd_primvar *primvars, struct sdd_error *err)
{
    const sdd_topology *t = m->topology;
    struct arena count = {NULL, 0}, real = {NULL, 0};
    struct device_block block = {NULL, 0};
    float *values[SDD_MAX_PRIMVARS];
    int rc = check_primvars(t, n, primvars, err);
    if (rc)
        return rc;
    for (int k = 0; k < n; k++) /* The first arena only counts bytes; the second one lays out the same arrays. */
        (void)ARENA(&count, float, n_device_words(t, primvars + k));
    block.bytes = count.used;
    rc = block.bytes ? dev_alloc(t->device, block.bytes, &block.memory, err) : SDD_OK;
    if (rc)
        return rc;
    real.base = block.memory;
    for (int k = 0; k < n; k++) {
        int64_t words = n_given_values(t, primvars + k) * primvars[k].width;
        values[k] = ARENA(&real, float, n_device_words(t, primvars + k));
        dev_upload(t->device, values[k], primvars[k].values, words * (int64_t)sizeof(float));
        if (primvars[k].interpolation == SDD_FACE_VARYING)
            mesh_fill_rows(t, topology_primvar_channel(t, primvars[k].channel), values[k], primvars[k].width);
    }
    rc = dev_finish(t->device, err);
    if (rc) {
        dev_free(t->device, block.memory, block.bytes);
        return rc;
    }
    /* Nothing fails from here on, so the mesh gives up its old primvars only now. */
    dev_free(t->device, m->primvars.memory, m->primvars.bytes);
    m->primvars = block;
    m->n_primvars = n;
    for (int k = 0; k < n; k++) {
        m->primvar[k] = primvars[k];
        m->primvar[k].values = NULL;
        m->primvar_values[k] = values[k];
    }
    return SDD_OK;
}

const struct sdd_primvar *sdd_mesh_primvars(const sdd_mesh *m, int *n)
{
    *n = m->n_primvars;
    return m->primvar;
}
