/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/parity_record.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "gpu/sdd/sdd_fair.h"
#include "gpu/fields/internal.h"
#include "tests/query_once.h"

#define MOST_REFINED 450 /* vertices of a mesh whose levels are asked too */
#define MOST_FLOWING 450 /* vertices of a mesh that also flows, whose solves are thousands of launches */

void record_note(struct record *r, uint64_t value)
{
    assert_true(r->n < MAX_VALUES);
    r->value[r->n++] = value;
}

void record_error(struct record *r, int code, const struct sdd_error *err)
{
    record_note(r, (uint64_t)(int64_t)code);
    snprintf(r->error, sizeof r->error, "%s", err->text);
    assert_int_equal(err->code, code);
    assert_true(err->text[0]);
}

static void record_query(sdd_topology *t, const struct sdd_query_request *request, struct record *r)
{
    struct sdd_error err = {0};
    uint64_t digest = 0;
    int rc = query_once(t, request, QUERY_FLAT, &digest, &err);
    if (rc)
        record_error(r, rc, &err);
    else
        record_note(r, digest);
}

void record_queries(sdd_topology *t, struct record *r)
{
    static const int64_t some[] = {0, 0};
    struct sdd_topology_info info;
    for (int k = 0; k < 3 * SDD_N_RELATIONS; k++) {
        const struct sdd_query_request request = {.relation = k / 3,
                                                  .ring = k % 3 == 2 ? 2 : 1,
                                                  .oriented = k % 3 == 1,
                                                  .count = SDD_ALL_ROWS,
                                                  .ids = k % 2 ? some : NULL,
                                                  .n_ids = 2};
        record_query(t, &request, r);
    }
    sdd_topology_info(t, &info);
    for (int level = 1; level <= 3 && info.n_vertices <= MOST_REFINED; level++) {
        const struct sdd_query_request request = {
            .relation = level == 2 ? SDD_EF : SDD_VV, .level = level, .ring = 1, .count = SDD_ALL_ROWS};
        record_query(t, &request, r);
    }
}

void record_by_tiles(sdd_topology *t, struct record *r)
{
    static const int64_t some[] = {0, 0};
    for (int k = 0; k < 6 * SDD_N_RELATIONS; k++) {
        const int relation = k / 6, has_rings = relation == SDD_VV || relation == SDD_FF;
        const struct sdd_query_request request = {.relation = relation,
                                                  .ring = has_rings && k / 2 % 3 == 2 ? 2 : 1,
                                                  .count = SDD_ALL_ROWS,
                                                  .ids = k / 2 % 3 == 1 ? some : NULL,
                                                  .n_ids = 2};
        struct sdd_error err = {0};
        uint64_t digest = 0;
        assert_int_equal(query_once(t, &request, k % 2 ? QUERY_KEPT : QUERY_TRANSPOSE, &digest, &err), SDD_OK);
        record_note(r, digest);
    }
}

static void note_values(struct record *r, int rc, const struct sdd_error *err, sdd_values *v)
{
    if (rc) {
        assert_null(v);
        record_error(r, rc, err);
        return;
    }
    record_note(r, sdd_digest(sdd_values_info(v)->values, sdd_values_info(v)->bytes));
    record_note(r, (uint64_t)sdd_values_info(v)->n_unreached);
    sdd_values_free(v);
}

void record_fields(sdd_mesh *mesh, int64_t n_vertices, struct record *r)
{
    static const int64_t sources[] = {0, 0};
    struct sdd_error err = {0};
    sdd_values *v;
    for (int k = 0; k < SDD_N_FIELDS; k++) {
        const struct sdd_field_request request = {
            .what = k, .sources = sources, .n_sources = k == SDD_FIELD_GEODESIC ? 2 : 0};
        int rc = sdd_field(mesh, &request, NULL, &v, &err);
        note_values(r, rc, &err, v);
    }
    for (int k = 0; k < 3 * SDD_N_SMOOTHINGS; k++) {
        const struct sdd_smooth_request request = {
            .method = k / 3, .iterations = 2 + k % 4, .strength = 0.5f, .boundary = k % 2};
        if (k / 3 == SDD_SMOOTH_IMPLICIT_FLOW && n_vertices > MOST_FLOWING)
            continue;
        int rc = smooth_by(mesh, &request, QUERY_FLAT + k % 3, NULL, &v, &err);
        note_values(r, rc, &err, v);
    }
}

void record_flow(sdd_mesh *mesh, const struct sdd_mesh_desc *d, struct record *r)
{
    const struct sdd_fair_request request = {.tau = 0.5, .boundary = (int)d->n_faces % 3, .solves = 2, .exactness = 1};
    struct sdd_error err = {0};
    struct sdd_fair_report report;
    sdd_fair *fair;
    if (d->n_vertices > MOST_FLOWING)
        return;
    float *points = calloc((size_t)d->n_vertices * 3 + 1, sizeof *points);
    assert_non_null(points);
    int rc = sdd_fair_begin(mesh, &request, &fair, &err);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = sdd_fair_step(fair, &report, &err);
        record_note(r, rc ? 0 : sdd_digest(&report, (int64_t)offsetof(struct sdd_fair_report, stopped)));
        record_note(r, rc ? 0 : (uint64_t)report.stopped); /* Padding follows. */
    }
    if (rc)
        record_error(r, rc, &err);
    else
        assert_int_equal(sdd_fair_points(fair, points, &err), SDD_OK);
    record_note(r, sdd_digest(points, d->n_vertices * 3 * (int64_t)sizeof *points));
    sdd_fair_free(fair);
    free(points);
}
