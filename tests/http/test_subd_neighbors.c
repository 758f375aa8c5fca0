/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours by libsubd and by subd: test_neighbors.c has the rows themselves. */
#include "client/lib/subd_neighbors.h"
#include "tests/http/client.h"
#include "tests/http/spawn.h"
#include "tests/http/walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

/* A triangle, a quad, a pentagon and a vertex of no face. */
static const char mixed[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 1\nv 9 9 9\nv 0 2 0\nv 1 2 0\nv 2 2 2\n"
                            "f 1 2 5 4\nf 2 3 6 5\nf 4 5 8\nf 5 6 10 9 8\n";

static struct daemon d;
static subd_client *client;
static char cube[32], odd[32];
static struct walk_mesh of_cube;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
    create_obj(&d, mixed, odd);
    walk_obj(CUBE, &of_cube);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    walk_mesh_free(&of_cube);
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void test_libsubd(void **state)
{
    static const uint32_t ids[] = {7, 7, 0};
    struct subd_neighbors r = SUBD_INIT(subd_neighbors, .relation = "FE");
    struct subd_frame f = {0};
    struct subd_error err = {0};
    struct walk_rows due;
    (void)state;
    if (subd_neighbors(client, cube, &r, &f, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    walk_relation(&of_cube, "FE", 1, &due);
    assert_int_equal(subd_frame_find(&f, SUBD_OFFSETS)->count, 7);
    assert_memory_equal(subd_frame_find(&f, SUBD_IDS)->data, due.id, 24 * sizeof *due.id);
    assert_memory_equal(subd_frame_find(&f, SUBD_SIGNS)->data, due.sign, 24);
    assert_true(f.vertices == 8 && f.edges == 12 && f.faces == 6 && f.level == 0);
    walk_rows_free(&due);
    r.if_none_match = f.etag;
    assert_int_equal(subd_neighbors(client, cube, &r, &f, &err), SUBD_UNCHANGED);
    r = (struct subd_neighbors)SUBD_INIT(subd_neighbors, .ids = ids, .n_ids = 3);
    assert_int_equal(subd_neighbors(client, cube, &r, &f, &err), SUBD_OK);
    const uint32_t *got = subd_frame_find(&f, SUBD_IDS)->data;
    assert_int_equal(subd_frame_find(&f, SUBD_IDS)->count, 9);
    assert_memory_equal(got, got + 3, 3 * sizeof *got);
    r.n_ids = 0;
    assert_int_equal(subd_neighbors(client, cube, &r, &f, &err), SUBD_OK);
    assert_int_equal(subd_frame_find(&f, SUBD_OFFSETS)->count, 1);
    r = (struct subd_neighbors)SUBD_INIT(subd_neighbors, .first = 2, .count = 3, .ring = 2, .level = 1);
    assert_int_equal(subd_neighbors(client, cube, &r, &f, &err), SUBD_OK);
    assert_int_equal(subd_frame_find(&f, SUBD_OFFSETS)->count, 4);
    assert_int_equal(f.vertices, 26);
    r = (struct subd_neighbors)SUBD_INIT(subd_neighbors, .relation = "XX");
    assert_int_equal(subd_neighbors(client, cube, &r, &f, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "relation");
    const struct subd_neighbors wrong[] = {
        SUBD_INIT(subd_neighbors, .relation = "V"), SUBD_INIT(subd_neighbors, .level = 16),
        SUBD_INIT(subd_neighbors, .ring = 65),      SUBD_INIT(subd_neighbors, .first = -1),
        SUBD_INIT(subd_neighbors, .n_ids = 1),      SUBD_INIT(subd_neighbors, .ids = ids, .n_ids = 3, .count = 2),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(subd_neighbors(client, cube, &wrong[i], &f, &err), SUBD_EUSAGE);
    subd_frame_free(&f);
}

static void test_subd(void **state)
{
    char path[96];
    struct answer a;
    size_t bytes;
    (void)state;
    struct ran r = RUN("neighbors", cube, "FV", "--first", "1", "--count", "2");
    assert_int_equal(r.code, 0);
    char due[128];
    const uint32_t *c = of_cube.corner + 4;
    snprintf(due, sizeof due, "1: %u %u %u %u\n2: %u %u %u %u\n", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    assert_string_equal(r.out, due);
    ran_free(&r);
    r = RUN("neighbors", odd, "VV", "--ids", "6,0,0");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.out, "6:\n0: 1 3\n0: 1 3\n");
    ran_free(&r);
    snprintf(path, sizeof path, "%s/ids.txt", d.dir);
    FILE *f = fopen(path, "w");
    fputs("0\n 6, 0\n", f);
    fclose(f);
    r = RUN("neighbors", odd, "VV", "--ids", path, "--level", "0");
    assert_string_equal(r.out, "0: 1 3\n6:\n0: 1 3\n");
    ran_free(&r);
    r = RUN("neighbors", odd, "FE", "--ids", "2");
    assert_string_equal(r.out, "2: 5 8 6-\n");
    ran_free(&r);
    snprintf(path, sizeof path, "%s/rows.frame", d.dir);
    r = RUN("neighbors", cube, "VV", "--ring", "2", "-o", path, "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "\"rows\""));
    ran_free(&r);
    ask_mesh(&d, cube, "neighbors?relation=VV&ring=2", ACCEPT_FRAME, &a);
    char *file = slurp(path, &bytes);
    assert_int_equal(bytes, a.bytes);
    assert_memory_equal(file, a.body, bytes);
    free(file);
    answer_free(&a);
}

static void test_subd_refuses(void **state)
{
    static const struct {
        const char *arguments[6];
        int code;
        const char *says;
    } rows[] = {
        {{"XX"}, 4, "VV, VE, VF"},
        {{"VV", "--ring", "0"}, 2, "1 to 64"},
        {{"VV", "--ids", "1,2", "--first", "1"}, 2, "--first"},
        {{"VV", "--ids", "/nowhere/ids"}, 6, "/nowhere/ids"},
        {{"VV", "--ids", ","}, 2, "no list"},
        {{"VV", "--ids", "99999999999"}, 2, "no list"},
        {{"VV", "--json"}, 2, "-o FILE"},
        {{"VV", "-o", "/nowhere/rows"}, 6, "/nowhere"},
        {{"VE", "--oriented", "--ids", "9"}, 4, "out of range"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const *w = rows[i].arguments;
        struct ran r = RUN("neighbors", cube, w[0], w[1], w[2], w[3], w[4]);
        if (r.code != rows[i].code || !(strstr(r.err, rows[i].says) || strstr(r.out, rows[i].says)))
            fail_msg("row %zu: %d %s%s", i, r.code, r.err, r.out);
        ran_free(&r);
    }
    struct ran r = RUN("refine", cube, "--level", "0");
    assert_int_equal(r.code, 2);
    assert_non_null(strstr(r.err, "from 1 to 15"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_libsubd), cmocka_unit_test(test_subd),
                                       cmocka_unit_test(test_subd_refuses)};
    return cmocka_run_group_tests_name("http/subd_neighbors", tests, start, stop);
}
