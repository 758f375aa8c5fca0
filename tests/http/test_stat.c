/* SPDX-License-Identifier: Apache-2.0 */
/* What GET /v1 and `subd stat` say of the engines is what the engines' own tables say. */
#include "tests/env.h"
#include "gpu/sdd/sdd.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon d;
static char url[64];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void text_is(const cJSON *o, const char *key, const char *expected)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    assert_non_null(s);
    assert_string_equal(s, expected);
}

/* An engine's rows, one for each feature, with the tokens of its schemes in their order. */
static void check_features(const cJSON *features, const struct sdd_engine_info *e)
{
    int k = 0;
    for (const cJSON *row = features->child; row; row = row->next, k++) {
        const cJSON *scheme = cJSON_GetObjectItemCaseSensitive(row, "schemes")->child;
        assert_non_null(sdd_feature_table[k].option);
        text_is(row, "option", sdd_feature_table[k].option);
        text_is(row, "what", sdd_feature_table[k].what);
        for (int s = 0; sdd_option_table[0].tokens[s]; s++)
            if (e->schemes[k] >> s & 1) {
                assert_non_null(scheme);
                assert_string_equal(scheme->valuestring, sdd_option_table[0].tokens[s]);
                scheme = scheme->next;
            }
        assert_null(scheme);
    }
    assert_null(sdd_feature_table[k].option);
}

static void test_service(void **state)
{
    struct answer a;
    (void)state;
    http_get(&d, "/v1", &a);
    assert_int_equal(a.status, 200);
    cJSON *o = cJSON_ParseWithLength(a.body, a.bytes);
    const cJSON *engine = cJSON_GetObjectItemCaseSensitive(o, "engines");
    assert_true(cJSON_IsArray(engine));
    engine = engine->child;
    const struct sdd_engine_info *e;
    for (int k = 0; (e = sdd_engine(k)); k++, engine = engine->next) {
        assert_non_null(engine);
        text_is(engine, "name", e->name);
        check_features(cJSON_GetObjectItemCaseSensitive(engine, "features"), e);
    }
    assert_null(engine);
    cJSON_Delete(o);
    answer_free(&a);
}

/* The line of a feature: its name and a column an engine. */
static const char *row_of(const char *table, const char *what)
{
    char start[96];
    snprintf(start, sizeof start, "\n%s  ", what);
    const char *row = strstr(table, start);
    if (!row)
        fail_msg("no row \"%s\" in\n%s", what, table);
    return row + 1;
}

static void test_table(void **state)
{
    (void)state;
    struct ran r;
    spawn_run(&r, d.dir, "subd", (const char *const[]){"stat", "--server", url, NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    const char *head = row_of(r.out, "what engines do, by first letters of schemes");
    for (int k = 0; sdd_feature_table[k].option; k++) {
        const char *row = row_of(r.out, sdd_feature_table[k].what);
        const struct sdd_engine_info *e;
        for (int i = 0; (e = sdd_engine(i)); i++) {
            char letters[16] = "-";
            for (int s = 0, n = 0; s < 4; s++)
                if (e->schemes[k] >> s & 1)
                    n += snprintf(letters + n, sizeof letters - (size_t)n, n ? " %c" : "%c", "CLBS"[s]);
            char name[64];
            snprintf(name, sizeof name, " %s ", e->name);
            const char *column = row + (strstr(head, name) - head) + 1; /* below the engine's name */
            assert_memory_equal(column, letters, strlen(letters));
            assert_true(column[strlen(letters)] == ' ');
        }
    }
    assert_non_null(strstr(r.out, "\nsubdivisionScheme: catmullClark loop bilinear sqrt3\n"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_service), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, start, stop);
}
