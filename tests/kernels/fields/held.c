/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/fields/held.h"
#include "gpu/device/device.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void held_init(struct held *h, const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int threads)
{
    struct sdd_error err = {0};
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, threads, 1 << 30, &h->device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(h->device, desc, &h->topology, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(h->topology, points, uvs, &h->mesh, &err), SDD_OK);
    naive_init(&h->n, desc->n_vertices, desc->n_faces, desc->face_counts, desc->face_vertices,
               desc->options.orientation == SDD_LEFT_HANDED);
    h->p = points;
}

void held_fini(struct held *h)
{
    struct sdd_device_info info;
    naive_fini(&h->n);
    sdd_mesh_free(h->mesh);
    sdd_topology_unref(h->topology);
    sdd_device_info(h->device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(h->device);
}

int held_is_manifold(const struct held *h)
{
    struct sdd_topology_info info;
    sdd_topology_info(h->topology, &info);
    return info.manifold;
}

void held_point(const float *p, uint32_t v, double to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = (double)p[3 * v + (uint32_t)k];
}

void held_way(const float *p, uint32_t from, uint32_t to, double way[3])
{
    double a[3], b[3];
    held_point(p, from, a), held_point(p, to, b);
    for (int k = 0; k < 3; k++)
        way[k] = b[k] - a[k];
}

double held_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void held_cross(const double a[3], const double b[3], double to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

double held_length(const double a[3])
{
    return sqrt(held_dot(a, a));
}

void held_each(const struct held *h, held_check *check, double *out)
{
    for (int64_t f = 0; f < h->n.F; f++)
        for (int64_t c = h->n.first[f] + 1; c + 1 < h->n.first[f + 1]; c++) {
            const uint32_t v[] = {h->n.vert[h->n.first[f]], h->n.vert[c], h->n.vert[c + 1]};
            for (int k = 0; k < 3; k++)
                check(h, f, v[k], v[(k + 1) % 3], v[(k + 2) % 3], out);
        }
}

void held_normals(const struct held *h, double *out)
{
    double *sizes = xalloc(h->n.V, sizeof *sizes); /* of what is added */
    memset(out, 0, (size_t)h->n.V * 3 * sizeof *out);
    for (int64_t f = 0; f < h->n.F; f++)
        for (int64_t c = h->n.first[f]; c < h->n.first[f + 1]; c++) {
            const int64_t size = h->n.first[f + 1] - h->n.first[f], i = c - h->n.first[f];
            double x[3], y[3], z[3];
            held_way(h->p, h->n.vert[c], h->n.vert[h->n.first[f] + (i + 1) % size], x);
            held_way(h->p, h->n.vert[c], h->n.vert[h->n.first[f] + (i + size - 1) % size], y);
            held_cross(x, y, z);
            const double w = held_dot(x, x) * held_dot(y, y);
            for (int k = 0; k < 3 && w > 0; k++)
                out[3 * h->n.vert[c] + (uint32_t)k] += z[k] / w;
            sizes[h->n.vert[c]] += w > 0 ? held_length(z) / w : 0;
        }
    for (int64_t v = 0; v < h->n.V; v++) {
        const double l = held_length(out + 3 * v);
        for (int k = 0; k < 3 && sizes[v] > 0; k++)
            out[3 * v + k] = l > 1e-9 * sizes[v] ? out[3 * v + k] / l : NAN;
    }
    free(sizes);
}

static void add_angle(const struct held *h, int64_t face, uint32_t x, uint32_t y, uint32_t z, double *out)
{
    double a[3], b[3], n[3];
    (void)face;
    held_way(h->p, x, y, a), held_way(h->p, x, z, b);
    held_cross(a, b, n);
    out[x] -= atan2(held_length(n), held_dot(a, b));
}

void held_gaussian(const struct held *h, double *out)
{
    int32_t *uses = xalloc(h->n.E, sizeof *uses);
    const double pi = acos(-1);
    for (int64_t c = 0; c < h->n.C; c++)
        uses[h->n.edge[c]]++;
    for (int64_t v = 0; v < h->n.V; v++)
        out[v] = 0;
    for (int64_t c = 0; c < h->n.C; c++)
        out[h->n.vert[c]] = 2 * pi;
    for (int64_t e = 0; e < h->n.E; e++)
        for (int k = 0; k < 2 && uses[e] == 1; k++)
            out[h->n.end[e][k]] = pi;
    held_each(h, add_angle, out);
    free(uses);
}

void held_near(const char *what, const sdd_values *v, const double *want, const double *scale)
{
    const struct sdd_values_info *i = sdd_values_info(v);
    for (int64_t k = 0; k < i->n_rows * i->components; k++) {
        const double size = scale ? scale[k] : fabs(want[k]) > 1 ? fabs(want[k]) : 1;
        if (!isnan(want[k]) && !(fabs((double)i->values[k] - want[k]) <= 1e-6 * size))
            fail_msg("%s: %s of vertex %lld is %.9g, not %.9g", launch_case(), what, (long long)(k / i->components),
                     (double)i->values[k], want[k]);
    }
}
