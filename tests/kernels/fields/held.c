/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/fields/held.h"
#include "gpu/device/device.h"
#include "tests/kernels/launch.h"
#include <math.h>

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
