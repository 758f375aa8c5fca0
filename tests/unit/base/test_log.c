/* SPDX-License-Identifier: Apache-2.0 */
/* The log's two formats and its levels. */
#include "server/base/log.h"
#include "tests/unit/tempdir.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define HOSTILE "a \"b\" \\c\\ =\x1b[2J\n\x7f"

/* Logs one line of each kind and checks what the file has then; `wanted` is without the times. */
static void check(const char *level, const char *format, const char *wanted)
{
    char *dir = tempdir(), path[4096], line[512];
    struct text got = {0};
    struct log log;
    (void)snprintf(path, sizeof path, "%s/log", dir);
    assert_true(log_open(&log, path, level, format));
    log_event(&log, LOG_ERROR, "failed", "it is %s", "gone");
    log_event(&log, LOG_WARNING, "odd", "%s", HOSTILE);
    struct text *t = log_begin(&log, LOG_INFO, "request");
    text_member(t, "id", "r-1");
    text_member(t, "path", "/v1/a b");
    text_member(t, "empty", "");
    text_member(t, "message", "said");
    text_member(t, "hostile", HOSTILE);
    text_member(t, "equation", "a=b");
    text_member_int(t, "bytes", -7);
    text_puts(t, ",\"aborted\":true");
    log_end(&log);
    log_event(&log, LOG_DEBUG, "probe", "%s", "");
    log_close(&log);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const bool json = *line == '{';
        const size_t time =
            json ? strlen("{\"time\":\"2026-11-27T02:35:23.123Z\",") : strlen("2026-11-27T02:35:23.123Z ");
        assert_true(strlen(line) > time && line[time - 2] == (json ? '"' : 'Z'));
        text_puts(&got, line + time);
    }
    (void)fclose(f);
    assert_string_equal(got.data ? got.data : "", wanted);
    text_free(&got);
    tempdir_remove(dir);
}

#define JSON_ERROR "\"level\":\"error\",\"event\":\"failed\",\"message\":\"it is gone\"}\n"
#define JSON_HOSTILE "\"a \\\"b\\\" \\\\c\\\\ =\\u001b[2J\\u000a\\u007f\""
#define JSON_WARNING "\"level\":\"warning\",\"event\":\"odd\",\"message\":" JSON_HOSTILE "}\n"
#define JSON_INFO                                                                                                      \
    "\"level\":\"info\",\"event\":\"request\",\"id\":\"r-1\",\"path\":\"/v1/a "                                        \
    "b\",\"empty\":\"\",\"message\":\"said\","                                                                         \
    "\"hostile\":" JSON_HOSTILE ",\"equation\":\"a=b\",\"bytes\":-7,\"aborted\":true}\n"
#define JSON_DEBUG "\"level\":\"debug\",\"event\":\"probe\",\"message\":\"\"}\n"

static void test_levels(void **state)
{
    (void)state;
    check("error", "json", JSON_ERROR);
    check("warn", "json", JSON_ERROR JSON_WARNING);
    check("info", "json", JSON_ERROR JSON_WARNING JSON_INFO);
    check("debug", "json", JSON_ERROR JSON_WARNING JSON_INFO JSON_DEBUG);
    check("info", "auto", JSON_ERROR JSON_WARNING JSON_INFO); /* A file is no terminal. */
}

/* Nothing from outside reaches a terminal as a control character or as a line of its own. */
static void test_text(void **state)
{
    (void)state;
    check("debug", "text",
          "error failed it is gone\n"
          "warning odd a \"b\" \\c\\ =\\u001b[2J\\u000a\\u007f\n"
          "info request id=r-1 path=\"/v1/a b\" empty=\"\" said hostile=" JSON_HOSTILE
          " equation=\"a=b\" bytes=-7 aborted=true\n"
          "debug probe \n");
}

/* By default a terminal gets text. */
static void test_terminal(void **state)
{
    struct log log;
    char got[256] = "";
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    (void)state;
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    assert_true(log_open(&log, ptsname(terminal), "info", "auto"));
    log_event(&log, LOG_INFO, "started", "all is well");
    log_flush(&log);
    assert_true(read(terminal, got, sizeof got - 1) > 0);
    assert_non_null(strstr(got, "Z info started all is well\r\n"));
    log_close(&log);
    close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
