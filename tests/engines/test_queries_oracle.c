/* SPDX-License-Identifier: Apache-2.0 */
/* test_queries_oracle.c: the rows of sdd_queries.h, those of two rings by tiles, against the oracle of the house,
 * mesh_queries.py, on shapes, random meshes and soups. Where the shared folder is absent the witness of test_queries.c
 * has to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpu/device/device.h"
#include "gpu/queries/internal.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/kernels/queries/naive.h"

enum { MOST_CORNERS = 400, N_RANDOM = 40, N_SOUPS = 40 };

static FILE *answers;
static long n_tables;

static void write_mesh(const struct poly *p)
{
    struct naive n; /* for its reading order alone */
    naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
               p->desc.options.orientation == SDD_LEFT_HANDED);
    (void)fprintf(answers, "mesh %lld %lld %s\n", (long long)n.V, (long long)n.F, p->name);
    for (int64_t f = 0; f < n.F; f++) {
        for (int64_t c = n.first[f]; c < n.first[f + 1]; c++)
            (void)fprintf(answers, "%u ", n.vert[c]);
        (void)fputc('\n', answers);
    }
    naive_fini(&n);
}

static void write_rows(sdd_topology *t, int relation, int ring, int oriented, int way)
{
    const struct sdd_query_request r = {
        .relation = relation, .ring = ring, .oriented = oriented, .count = SDD_ALL_ROWS};
    const char *name = sdd_relation_name(relation);
    sdd_query_plan *plan;
    sdd_rows *rows;
    struct sdd_error err = {0};
    n_tables++;
    if (query_plan_by(t, &r, way, NULL, &plan, &err)) {
        (void)fprintf(answers, "rows %s %d %d -1\n", name, ring, oriented);
        return;
    }
    assert_int_equal(sdd_query(t, plan, 0, sdd_query_plan_info(plan)->n_rows, NULL, &rows, &err), SDD_OK);
    const struct sdd_rows_info *i = sdd_rows_info(rows);
    const uint32_t *offset = i->offsets;
    (void)fprintf(answers, "rows %s %d %d %lld\n", name, ring, oriented, (long long)i->n_rows);
    for (int what = 0; what < 1 + (i->signs != NULL); what++)
        for (int64_t row = 0; row < i->n_rows; row++) {
            for (uint32_t k = offset[row]; k < offset[row + 1]; k++)
                (void)fprintf(answers, "%u ", what ? i->signs[k] : i->ids[k]);
            (void)fputc('\n', answers);
        }
    sdd_rows_free(rows);
    sdd_query_plan_free(plan);
}

static void write_answers(const struct poly *p)
{
    sdd_device *device;
    sdd_topology *t;
    struct sdd_error err = {0};
    assert_int_equal(sdd_device_wrap(launch_backend(), 0, 1, 1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &p->desc, &t, &err), SDD_OK);
    write_mesh(p);
    for (int relation = 0; relation < SDD_N_RELATIONS; relation++)
        write_rows(t, relation, 1, 0, QUERY_BY_RULE);
    for (int relation = SDD_VV; relation <= SDD_VF; relation++)
        write_rows(t, relation, 1, 1, QUERY_BY_RULE);
    for (int ring = 2; ring <= 3; ring++) {
        write_rows(t, SDD_VV, ring, 0, ring == 2 ? QUERY_TRANSPOSE : QUERY_BY_RULE);
        write_rows(t, SDD_FF, ring, 0, ring == 2 ? QUERY_TRANSPOSE : QUERY_BY_RULE);
    }
    sdd_topology_unref(t);
    sdd_device_close(device);
}

static void test_oracle(void **state)
{
    char path[] = "/tmp/subdd-queries-XXXXXX", command[4096], said[1024] = "";
    const char *shared = test_shared_dir();
    (void)state;
    (void)snprintf(command, sizeof command, "%s/oracles/mesh_queries.py", shared ? shared : "");
    if (!shared || access(command, R_OK) != 0) {
        printf("skip: no shared folder with oracles/mesh_queries.py\n");
        skip();
    }
    const int fd = mkstemp(path);
    answers = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(answers);
    poly_each(N_RANDOM, MOST_CORNERS, write_answers);
    soup_each(N_SOUPS, MOST_CORNERS, write_answers);
    assert_int_equal(fclose(answers), 0);
    (void)snprintf(command, sizeof command, "python3 '%s/../engines/queries_agree.py' '%s/oracles' %s 2>&1",
                   test_shapes_dir(), shared, path);
    FILE *judge = popen(command, "r");
    assert_non_null(judge);
    (void)fgets(said, sizeof said, judge);
    const int rc = pclose(judge);
    (void)unlink(path);
    if (rc != 0 || strtol(said, NULL, 10) != n_tables)
        fail_msg("the oracle says: %s", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_oracle)};
    return LAUNCH_GROUP("queries of the oracle", tests);
}
