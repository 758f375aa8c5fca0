/* SPDX-License-Identifier: Apache-2.0 */
/* Query strings, Accept, Range, entity tags. */
#include "server/base/chars.h"
#include "server/net/query.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_query(void **state)
{
    static const char *const names[] = {"level", "name", NULL};
    struct query q;
    struct sdd_error err = {0};
    int64_t level = 1;
    (void)state;
    assert_int_equal(query_parse(&q, "level=7&name=a+b%2Fc&&interpolate_boundary=none", names, true, &err), SDD_OK);
    assert_string_equal(query_get(&q, "name"), "a b/c");
    assert_int_equal(query_int(&q, "level", 1, 12, &level, &err), SDD_OK);
    assert_int_equal(level, 7);
    assert_int_equal(query_int(&q, "level", 1, 6, &level, &err), SDD_EINVALID);
    assert_int_equal(err.available, 6);
    assert_string_equal(err.field, "level");
    struct sdd_options options = {0};
    assert_int_equal(query_options(&q, &options, &err), SDD_OK);
    assert_int_equal(options.boundary, SDD_BOUNDARY_NONE);
    query_free(&q);
    static const char *const bad[] = {"nope=1", "level=1&level=2", "name=%ff", "interpolate-boundary=none"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(query_parse(&q, bad[i], names, i != 3, &err), SDD_EINVALID);
        query_free(&q);
    }
    assert_int_equal(query_parse(&q, NULL, NULL, false, &err), SDD_OK);
    assert_null(query_get(&q, "level"));
    query_free(&q);
}

static void test_whole(void **state)
{
    int64_t v;
    (void)state;
    assert_true(parse_integer("0", 1, &v) && v == 0);
    assert_true(parse_integer("999999999999999999", 18, &v) && v == 999999999999999999);
    assert_false(parse_integer("1000000000000000000", 19, &v));
    assert_false(parse_integer("", 0, &v) || parse_integer("-1", 2, &v) || parse_integer(" 1", 2, &v) ||
                 parse_integer("1.", 2, &v));
}

static void test_media(void **state)
{
    static const struct {
        const char *accept;
        int expected;
    } rows[] = {{NULL, MEDIA_JSON},
                {"*/*", MEDIA_JSON},
                {"application/*", MEDIA_JSON},
                {"application/protobuf", MEDIA_PROTOBUF},
                {"APPLICATION/PROTOBUF", MEDIA_PROTOBUF},
                {"application/x-protobuf", MEDIA_PROTOBUF},
                {"text/html", 0},
                {"", 0},
                {"application/json;q=0.1,application/protobuf;q=0.2", MEDIA_PROTOBUF},
                {"application/json ; q=0", 0},
                {"application/json;q=0, */*;q=0.1", MEDIA_PROTOBUF},
                {"text/html, application/json;v=\"q\"", MEDIA_JSON},
                {"application/protobuf;q=0.999, */*;q=1.0", MEDIA_JSON},
                {",,;q=,", 0},
                {"application/json;q=", MEDIA_JSON},
                {"application/protobuf, */*", MEDIA_PROTOBUF},
                {"*/*, application/protobuf", MEDIA_PROTOBUF},
                {"application/protobuf;q=0.9, */*", MEDIA_JSON},
                {"application/json, application/protobuf", MEDIA_JSON},
                {"application/json;q=0, application/*;q=0", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (media_accepted(rows[i].accept, MEDIA_JSON | MEDIA_PROTOBUF, MEDIA_JSON) != rows[i].expected)
            fail_msg("Accept: %s", rows[i].accept);
    assert_int_equal(media_accepted("application/octet-stream", MEDIA_FRAME, MEDIA_FRAME), MEDIA_FRAME);
    assert_int_equal(media_of("model/obj; charset=utf-8"), MEDIA_OBJ);
    assert_int_equal(media_of("Text/Plain"), MEDIA_TEXT); /* of answers alone: a form can send it */
    assert_int_equal(media_of("model/vnd.usda"), MEDIA_USDA);
    assert_int_equal(media_accepted("model/*, model/vnd.usda;q=0.5", MEDIA_OBJ | MEDIA_USDA, MEDIA_OBJ), MEDIA_OBJ);
    assert_int_equal(media_of("model/objx") | media_of("") | media_of(";"), 0);
}

static void test_range(void **state)
{
    int64_t first = -1, length = -1;
    (void)state;
    assert_int_equal(range_parse("bytes=0-0", 10, &first, &length), 1);
    assert_true(first == 0 && length == 1);
    assert_int_equal(range_parse("bytes=5-", 10, &first, &length), 1);
    assert_true(first == 5 && length == 5);
    assert_int_equal(range_parse("Bytes=-3", 10, &first, &length), 1);
    assert_true(first == 7 && length == 3);
    assert_int_equal(range_parse("bytes=-30", 10, &first, &length), 1);
    assert_true(first == 0 && length == 10);
    assert_int_equal(range_parse("bytes=2-900", 10, &first, &length), 1);
    assert_true(first == 2 && length == 8);
    assert_int_equal(range_parse("bytes=10-", 10, &first, &length), -1);
    assert_int_equal(range_parse("bytes=0-", 0, &first, &length), -1);
    assert_int_equal(range_parse("bytes=99999999999999999999-", 10, &first, &length), -1);
    static const char *const ignored[] = {
        NULL,        "",          "bytes",     "bytes=", "bytes=-", "bytes=1", "bytes=a-b", "bytes=1-2,4-5",
        "bytes=4-2", "items=1-2", "bytes= 1-2"};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        assert_int_equal(range_parse(ignored[i], 10, &first, &length), 0);
}

static void test_etag(void **state)
{
    (void)state;
    assert_true(etag_matches("\"1\"", "\"1\"", false));
    assert_true(etag_matches("\"0\" ,\t\"1\"", "\"1\"", false));
    assert_true(etag_matches("*", "\"1\"", false));
    assert_true(etag_matches("W/\"1\"", "\"1\"", true));
    assert_false(etag_matches("W/\"1\"", "\"1\"", false));
    assert_false(etag_matches("\"11\"", "\"1\"", true) || etag_matches("1", "\"1\"", true) ||
                 etag_matches("", "\"1\"", true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_query), cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_media), cmocka_unit_test(test_range),
                                       cmocka_unit_test(test_etag)};
    return cmocka_run_group_tests_name("net/query", tests, NULL, NULL);
}
