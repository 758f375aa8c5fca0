/* SPDX-License-Identifier: Apache-2.0 */
/* update.c: the topology after an edit, for callers that know what the edit changed (sdd_update.h). Nothing of the
 * old topology is reused yet: the delta is checked against both meshes, so that wrong ones show before anything
 * relies on them, and the topology is built anew. Whether clean rows really are what they were is not checked,
 * because that would take the old mesh, which only the device has. */
#include "gpu/mesh/topology.h"
#include "gpu/sdd/sdd_update.h"
#include <string.h>

/* The rows of one kind, which is vertices, faces or the values of a channel, and what the delta says of them. */
struct rows {
    const char *name;
    const int32_t *to;
    int64_t n, n_old, n_new; /* The rows of `to`, of the old mesh and of the new mesh. */
    const int32_t *dirty;
    int64_t n_dirty;
    int has_dirty; /* 0 for a channel. */
};

static int check_dirty(const struct rows *r, struct sdd_error *err)
{
    int64_t last = -1;
    for (int64_t i = 0; i < r->n_dirty; last = r->dirty[i++])
        if (r->dirty[i] <= last || r->dirty[i] >= r->n_new)
            return sdd_fail(err, SDD_EINVALID, "delta",
                            "dirty row %lld of %s is %d; they ascend, and the new mesh has %lld", (long long)i, r->name,
                            r->dirty[i], (long long)r->n_new);
    return SDD_OK;
}

/* Rows [from, to) of the new mesh have no old row, so they must be dirty. *at says how many of the dirty rows have
 * been used up. */
static int check_new(const struct rows *r, int64_t from, int64_t to, int64_t *at, struct sdd_error *err)
{
    for (int64_t row = from; r->has_dirty && row < to; row++) {
        while (*at < r->n_dirty && r->dirty[*at] < row)
            ++*at;
        if (*at == r->n_dirty || r->dirty[*at] != row)
            return sdd_fail(err, SDD_EINVALID, "delta", "row %lld of %s is new but not dirty", (long long)row, r->name);
    }
    return SDD_OK;
}

static int check_rows(const struct rows *r, struct sdd_error *err)
{
    int64_t next = 0, at = 0;
    if (r->n != r->n_old)
        return sdd_fail(err, SDD_EINVALID, "delta", "the map of %s has %lld rows; the old mesh has %lld", r->name,
                        (long long)r->n, (long long)r->n_old);
    int rc = check_dirty(r, err);
    for (int64_t i = 0; i < r->n && !rc; i++) {
        if (r->to[i] == SDD_NO_ROW)
            continue;
        if (r->to[i] < next || r->to[i] >= r->n_new)
            return sdd_fail(err, SDD_EINVALID, "delta",
                            "old row %lld of %s goes to %d; rows keep their order, and the new mesh has %lld",
                            (long long)i, r->name, r->to[i], (long long)r->n_new);
        rc = check_new(r, next, r->to[i], &at, err);
        next = (int64_t)r->to[i] + 1;
    }
    return rc ? rc : check_new(r, next, r->n_new, &at, err);
}

static int check_channel(const sdd_topology *old, const struct sdd_channel_delta *c, int64_t n_new,
                         struct sdd_error *err)
{
    if (c->from < SDD_NO_ROW || c->from >= old->n_channels)
        return sdd_fail(err, SDD_EINVALID, "delta", "a channel comes from channel %lld; the old mesh has %d",
                        (long long)c->from, old->n_channels);
    int64_t n_old = c->from == SDD_NO_ROW ? 0 : old->channel[c->from].n_values;
    const struct rows values = {
        .name = "values", .to = c->value_to, .n = c->n_old_values, .n_old = n_old, .n_new = n_new};
    return check_rows(&values, err);
}

static int check_delta(const sdd_topology *old, const struct sdd_mesh_desc *desc, const struct sdd_topology_delta *d,
                       struct sdd_error *err)
{
    const int uvs = desc->n_uvs > 0;
    const struct rows rows[] = {
        {"vertices", d->vertex_to, d->n_old_vertices, old->info.n_vertices, desc->n_vertices, d->dirty_vertices,
         d->n_dirty_vertices, 1},
        {"faces", d->face_to, d->n_old_faces, old->info.n_faces, desc->n_faces, d->dirty_faces, d->n_dirty_faces, 1},
    };
    if (memcmp(&old->info.options, &desc->options, sizeof desc->options) != 0)
        return sdd_fail(err, SDD_EINVALID, "delta", "the options are not those of the old mesh");
    if (d->n_channels < 0 || d->n_channels > 1 + SDD_MAX_PRIMVARS || d->n_channels - uvs != desc->n_channels)
        return sdd_fail(err, SDD_EINVALID, "delta", "the delta has %lld channels; the new mesh has %lld%s",
                        (long long)d->n_channels, (long long)desc->n_channels, uvs ? " and UVs" : "");
    int rc = check_rows(&rows[0], err);
    if (!rc)
        rc = check_rows(&rows[1], err);
    for (int64_t k = 0; k < d->n_channels && !rc; k++)
        rc = check_channel(old, &d->channels[k], k < uvs ? desc->n_uvs : desc->channels[k - uvs].n_values, err);
    return rc;
}

int sdd_topology_update(const sdd_topology *old, const struct sdd_mesh_desc *desc,
                        const struct sdd_topology_delta *delta, sdd_topology **out, struct sdd_error *err)
{
    *out = NULL;
    int rc = check_delta(old, desc, delta, err);
    return rc ? rc : sdd_topology_create(old->device, desc, out, err);
}
