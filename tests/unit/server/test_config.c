/* SPDX-License-Identifier: Apache-2.0 */
/* Every option from its four sources, what is refused and in which words, and that --print-config is a config file. */
#include "server/config.h"
#include "tests/unit/tempdir.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

enum kind { WORDS, WHOLE, BYTES, SECONDS, SWITCH };
enum source { DEFAULT, FROM_FILE, VARIABLE, FLAG, N_SOURCES };

/* The options once more, as they are promised: the value that each source is to give, numbers being written out. Those
 * of the file and of the variable are the least and the largest that may be. */
struct option {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *values[N_SOURCES];
};
#define AT(field) offsetof(struct config, field)
static const struct option options[] = {
    {"listen", WORDS, AT(listen), {"127.0.0.1:7373", "[::1]:0", "10.0.0.1:80", "0.0.0.0:65535"}},
    {"data-dir", WORDS, AT(data_dir), {"subdd-data", "/a/b c", "=d", "e#f"}},
    {"accept-data-loss", SWITCH, AT(accept_data_loss), {"false", "true", "false", "true"}},
    {"history-versions", WHOLE, AT(history_versions), {"32", "1", "1000", "7"}},
    {"history-bytes", BYTES, AT(history_bytes), {"1073741824", "0", "17592186044416", "7"}},
    {"backend", WORDS, AT(backend), {"auto", "cpu", "cuda", "auto"}},
    {"cuda-module", WORDS, AT(cuda_module), {"", "/m.so", "n", "o=p"}},
    {"threads", WHOLE, AT(threads), {"0", "0", "1024", "7"}},
    {"host-workers", WHOLE, AT(host_workers), {"2", "1", "64", "7"}},
    {"memory-limit", BYTES, AT(memory_limit), {"0", "0", "17592186044416", "7"}},
    {"gpu-memory", BYTES, AT(gpu_memory), {"0", "0", "17592186044416", "7"}},
    {"pinned-percent", WHOLE, AT(pinned_percent), {"50", "0", "100", "7"}},
    {"host-memory", BYTES, AT(host_memory), {"0", "0", "17592186044416", "7"}},
    {"cache-bytes", BYTES, AT(cache_bytes), {"auto", "0", "17592186044416", "7"}},
    {"tokens-file", WORDS, AT(tokens_file), {"", "t", "u", "v"}},
    {"allow-unauthenticated", SWITCH, AT(allow_unauthenticated), {"false", "true", "false", "true"}},
    {"allow-host", WORDS, AT(allow_host), {"", "a.example", "b.example,c.example", "*"}},
    {"allow-origin", WORDS, AT(allow_origin), {"", "https://a.example", "http://b.example:8080", "*"}},
    {"max-connections", WHOLE, AT(max_connections), {"512", "4", "100000", "7"}},
    {"max-connections-per-address", WHOLE, AT(max_connections_per_address), {"0", "0", "100000", "7"}},
    {"max-header-bytes", BYTES, AT(max_header_bytes), {"8192", "512", "32768", "777"}},
    {"max-body-bytes", BYTES, AT(max_body_bytes), {"1073741824", "1", "1099511627776", "7"}},
    {"max-json-bytes", BYTES, AT(max_json_bytes), {"1048576", "1", "67108864", "7"}},
    {"max-inflight-bytes", BYTES, AT(max_inflight_bytes), {"4294967296", "1", "17592186044416", "7"}},
    {"max-level", WHOLE, AT(max_level), {"15", "1", "15", "7"}},
    {"max-output-bytes", BYTES, AT(max_output_bytes), {"8589934592", "1", "17592186044416", "7"}},
    {"stream-bytes", BYTES, AT(stream_bytes), {"1073741824", "65536", "17592186044416", "77777"}},
    {"queue-size", WHOLE, AT(queue_size), {"256", "1", "100000", "7"}},
    {"header-deadline", SECONDS, AT(header_deadline), {"10", "0.05", "3600", "0.75"}},
    {"idle-timeout", SECONDS, AT(idle_timeout), {"75", "0.05", "86400", "0.75"}},
    {"request-deadline", SECONDS, AT(request_deadline), {"120", "0.05", "86400", "0.75"}},
    {"min-rate", BYTES, AT(min_rate), {"16384", "1", "1073741824", "7"}},
    {"drain-delay", SECONDS, AT(drain_delay), {"0", "0", "3600", "0.75"}},
    {"drain-timeout", SECONDS, AT(drain_timeout), {"30", "0", "86400", "0.75"}},
    {"log-file", WORDS, AT(log_file), {"", "/l", "m n", "o"}},
    {"log-level", WORDS, AT(log_level), {"info", "error", "debug", "warn"}},
    {"log-format", WORDS, AT(log_format), {"auto", "text", "json", "auto"}},
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

/* A folder for the config file, the file, and what one load of all sources made. */
struct place {
    char *dir, file[4096];
    struct config config;
    struct text error, printed;
};

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    p->dir = tempdir();
    (void)snprintf(p->file, sizeof p->file, "%s/subdd.conf", p->dir);
    *state = p;
    return 0;
}

static const char *variable_of(const char *name)
{
    static char variable[64];
    (void)snprintf(variable, sizeof variable, "SUBDD_%s", name);
    for (char *at = variable; *at; at++)
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
    return variable;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    for (int i = 0; i < N_OPTIONS; i++)
        (void)unsetenv(variable_of(options[i].name));
    (void)unsetenv("SUBDD_CONFIG");
    config_free(&p->config);
    text_free(&p->error);
    text_free(&p->printed);
    tempdir_remove(p->dir);
    free(p);
    return 0;
}

static void write_file(const struct place *p, const char *text)
{
    FILE *f = fopen(p->file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Loads with up to two flags, which may be NULL. */
static bool load(struct place *p, const char *flag, const char *other)
{
    char name[] = "subdd", copies[2][4200];
    char *argv[4] = {name};
    int argc = 1;
    for (int k = 0; k < 2; k++)
        if (k ? other : flag) {
            (void)snprintf(copies[k], sizeof copies[k], "%s", k ? other : flag);
            argv[argc++] = copies[k];
        }
    config_free(&p->config);
    text_clear(&p->error);
    return config_load(&p->config, argc, argv, &p->error);
}

static void good(struct place *p, const char *flag)
{
    if (!load(p, flag, NULL))
        fail_msg("%s: %s", flag ? flag : "without flags", p->error.data);
}

static void bad(struct place *p, const char *flag, const char *sentence)
{
    if (load(p, flag, NULL))
        fail_msg("%s is taken", flag ? flag : "a variable");
    assert_string_equal(p->error.data, sentence);
}

static bool holds(const struct config *c, const struct option *o, const char *value)
{
    const void *at = (const char *)c + o->offset;
    switch (o->kind) {
    case WORDS: return strcmp(*(char *const *)at, value) == 0;
    case SWITCH: return *(const bool *)at == (strcmp(value, "true") == 0);
    case SECONDS: return *(const double *)at == strtod(value, NULL); // NOLINT: the same bits
    default: return *(const int64_t *)at == (strcmp(value, "auto") == 0 ? CONFIG_AUTO : strtoll(value, NULL, 10));
    }
}

/* With every set of sources the strongest has its way, and no other option changes. */
static void check_sources(struct place *p, const struct option *o)
{
    for (int set = 0; set < 8; set++) {
        char flags[2][4200] = {"", ""}, line[256];
        enum source strongest = DEFAULT;
        (void)snprintf(line, sizeof line, "# %s\n%s = %s\n", o->name, o->name, o->values[FROM_FILE]);
        write_file(p, set & 1 ? line : "# nothing\n");
        (void)snprintf(flags[0], sizeof flags[0], "--config=%s", p->file);
        (void)unsetenv(variable_of(o->name));
        if (set & 2)
            (void)setenv(variable_of(o->name), o->values[VARIABLE], 1);
        if (set & 4)
            (void)snprintf(flags[1], sizeof flags[1], "--%s=%s", o->name, o->values[FLAG]);
        for (int k = 0; k < 3; k++)
            if (set & 1 << k)
                strongest = (enum source)(k + 1);
        if (!load(p, flags[0], set & 4 ? flags[1] : NULL))
            fail_msg("%s, sources %d: %s", o->name, set, p->error.data);
        for (int i = 0; i < N_OPTIONS; i++) {
            const enum source from = &options[i] == o ? strongest : DEFAULT;
            if (!holds(&p->config, &options[i], options[i].values[from]))
                fail_msg("%s, sources %d: %s is not %s", o->name, set, options[i].name, options[i].values[from]);
        }
    }
    (void)unsetenv(variable_of(o->name));
}

static void test_sources(void **state)
{
    for (int i = 0; i < N_OPTIONS; i++)
        check_sources(*state, &options[i]);
}

/* No option is missing above: --print-config has these keys, in this order, and comments that a file may have. */
static void test_all_options(void **state)
{
    struct place *p = *state;
    struct text want = {0}, help = {0}, keys = {0};
    good(p, NULL);
    config_print(&p->config, &p->printed);
    config_help(&help);
    for (const char *line = p->printed.data; *line; line += strcspn(line, "\n") + 1) {
        assert_in_range(strcspn(line, "\n"), 0, 120); /* inih takes 199 */
        if (*line != ';' && *line != '\n')
            text_printf(&keys, "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    for (int i = 0; i < N_OPTIONS; i++) {
        char flag[64];
        text_printf(&want, "%s = %s\n", options[i].name, options[i].values[DEFAULT]);
        (void)snprintf(flag, sizeof flag, "  --%s ", options[i].name);
        if (!strstr(help.data, flag))
            fail_msg("--help lacks%s", flag);
    }
    assert_string_equal(keys.data, want.data);
    text_free(&want);
    text_free(&help);
    text_free(&keys);
}

/* A value just outside, and others that are no number, from each source. */
static void refuse_number(struct place *p, const struct option *o, const char *value)
{
    static const char *const nouns[] = {"", "whole number", "number of bytes (KiB, MiB, GiB)", "number of seconds"};
    char says[512], want[5000], flag[4300];
    (void)snprintf(says, sizeof says, "%s must be a %s from %s to %s, not \"%s\"", o->name, nouns[o->kind],
                   o->values[FROM_FILE], o->values[VARIABLE], value);
    (void)snprintf(want, sizeof want, "--%s: %s", o->name, says);
    (void)snprintf(flag, sizeof flag, "--%s=%s", o->name, value);
    bad(p, flag, want);
    (void)snprintf(want, sizeof want, "%s: %s", variable_of(o->name), says);
    (void)setenv(variable_of(o->name), value, 1);
    bad(p, NULL, want);
    (void)unsetenv(variable_of(o->name));
    (void)snprintf(flag, sizeof flag, "\n%s = %s\n", o->name, value);
    write_file(p, flag);
    (void)snprintf(want, sizeof want, "config file %s line 2: config file: %s", p->file, says);
    (void)snprintf(flag, sizeof flag, "--config=%s", p->file);
    bad(p, flag, want);
}

static void test_bad_numbers(void **state)
{
    static const char *const never[] = {"", "-1", "many", "nan", "inf", "+5", "7 7", "7x", "7KB", "1e999", ".5"};
    for (int i = 0; i < N_OPTIONS; i++) {
        const struct option *o = &options[i];
        char outside[64];
        if (o->kind != WHOLE && o->kind != BYTES && o->kind != SECONDS)
            continue;
        const double least = strtod(o->values[FROM_FILE], NULL), most = strtod(o->values[VARIABLE], NULL);
        const double step = o->kind == SECONDS ? 0.01 : 1;
        (void)snprintf(outside, sizeof outside, "%.15g", least - step);
        refuse_number(*state, o, outside);
        (void)snprintf(outside, sizeof outside, "%.15g", most + step);
        refuse_number(*state, o, outside);
        for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
            refuse_number(*state, o, never[k]);
        if (o->kind != SECONDS)
            refuse_number(*state, o, "77777.5");
        if (o->kind != BYTES)
            refuse_number(*state, o, "7B");
    }
}

static void test_units(void **state)
{
    static const struct {
        const char *value;
        int64_t bytes;
    } rows[] = {{"3B", 3},           {"3KiB", 3072},       {"3K", 3072},        {"1.5MiB", 1572864}, {"2M", 2097152},
                {"2GiB", 1ll << 31}, {"0.25G", 1ll << 28}, {"1TiB", 1ll << 40}, {"0.5T", 1ll << 39}, {"1e6", 1000000}};
    struct place *p = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char flag[64];
        (void)snprintf(flag, sizeof flag, "--max-body-bytes=%s", rows[i].value);
        good(p, flag);
        assert_int_equal(p->config.max_body_bytes, rows[i].bytes);
    }
    bad(p, "--max-body-bytes=0.3B",
        "--max-body-bytes: max-body-bytes must be a number of bytes (KiB, MiB, GiB) from 1 to 1099511627776, not "
        "\"0.3B\"");
}

static void test_switch(void **state)
{
    static const char *const words[] = {"false", "true", "no",    "yes",  "off", "on",
                                        "0",     "1",    "False", "TRUE", "nO",  "Yes"};
    struct place *p = *state;
    for (int i = 0; i < 12; i++) {
        char flag[64];
        (void)snprintf(flag, sizeof flag, "--allow-unauthenticated=%s", words[i]);
        good(p, flag);
        assert_int_equal(p->config.allow_unauthenticated, i % 2);
    }
    good(p, "--allow-unauthenticated");
    assert_true(p->config.allow_unauthenticated);
    bad(p, "--allow-unauthenticated=maybe",
        "--allow-unauthenticated: allow-unauthenticated must be true or false, not \"maybe\"");
    (void)setenv("SUBDD_ALLOW_UNAUTHENTICATED", "", 1);
    bad(p, NULL, "SUBDD_ALLOW_UNAUTHENTICATED: allow-unauthenticated must be true or false, not \"\"");
}

static void test_bad_words(void **state)
{
    struct place *p = *state;
    bad(p, "--listen=nowhere", "--listen must be ADDR:PORT, not \"nowhere\"");
    bad(p, "--listen=", "--listen must be ADDR:PORT, not \"\"");
    bad(p, "--allow-host=https://a.example",
        "--allow-host takes host names without scheme and port, with commas between (IPv6 in [brackets]), or * alone, "
        "not \"https://a.example\"");
    assert_false(load(p, "--allow-origin=a.example", NULL)); /* all that is none: test_door.c */
    assert_non_null(strstr(p->error.data, "--allow-origin takes origins as browsers send them"));
    bad(p, "--backend=gpu", "--backend: must be one of auto|cpu|cuda, not \"gpu\"");
    bad(p, "--backend=cp", "--backend: must be one of auto|cpu|cuda, not \"cp\"");
    bad(p, "--log-level=warning", "--log-level: must be one of error|warn|info|debug, not \"warning\"");
    bad(p, "--log-level=", "--log-level: must be one of error|warn|info|debug, not \"\"");
    bad(p, "--log-format=text|json", "--log-format: must be one of auto|text|json, not \"text|json\"");
    (void)setenv("SUBDD_BACKEND", "CPU", 1);
    bad(p, NULL, "--backend: must be one of auto|cpu|cuda, not \"CPU\"");
    good(p, "--backend=cpu"); /* what is overruled need not be good */
}

static void test_flags(void **state)
{
    struct place *p = *state;
    bad(p, "--wings", "--wings: no such option (see --help)");
    bad(p, "-x", "-x: no such option (see --help)");
    bad(p, "--threads", "--threads: needs a value (see --help)");
    bad(p, "7373", "7373: options only, no arguments (see --help)");
    good(p, "--new-token=robot:read");
    assert_string_equal(p->config.new_token, "robot:read");
    good(p, "--print-config");
    assert_true(p->config.print_config && !p->config.help && !p->config.version);
    good(p, "--help");
    assert_true(p->config.help && !p->config.print_config);
    good(p, "--version");
    assert_true(p->config.version);
    if (!load(p, "--threads=3", "--threads=4"))
        fail_msg("%s", p->error.data);
    assert_int_equal(p->config.threads, 4);
}

/* What there is to do is a flag alone: a variable does not do it. SUBDD_CONFIG names a file, --config a stronger one.
 * */
static void test_actions(void **state)
{
    struct place *p = *state;
    char flag[4200];
    (void)setenv("SUBDD_HELP", "true", 1);
    (void)setenv("SUBDD_NEW_TOKEN", "robot:read", 1);
    good(p, NULL);
    assert_true(!p->config.help && !*p->config.new_token);
    (void)unsetenv("SUBDD_HELP");
    (void)unsetenv("SUBDD_NEW_TOKEN");
    write_file(p, "threads = 5\n");
    (void)setenv("SUBDD_CONFIG", p->file, 1);
    good(p, NULL);
    assert_int_equal(p->config.threads, 5);
    (void)setenv("SUBDD_CONFIG", "/there/is/none", 1);
    bad(p, NULL, "config file /there/is/none cannot be read: No such file or directory");
    (void)snprintf(flag, sizeof flag, "--config=%s", p->file);
    good(p, flag);
    assert_int_equal(p->config.threads, 5);
}

static void test_files(void **state)
{
    static const struct {
        const char *text, *sentence; /* NULL: threads are then 5 */
    } rows[] = {
        {"threads = 5\n", NULL},
        {"\n# of threads\n; and so\n  threads=5   \n", NULL},
        {"[compute]\nthreads : 5", NULL},
        {"THREADS = 5\n", "line 1: there is no option \"THREADS\""},
        {"max_level = 3\nthreads = 5\nmax-connections = 9\n", NULL},
        {"threads = 4\nthreads = 5\n", NULL},
        {"threads = 5\nwings = 2\n", "line 2: there is no option \"wings\""},
        {"[bird]\nwings = 2\n", "line 2: there is no option \"wings\" in section bird"},
        {"config = other\n", "line 1: there is no option \"config\""},
        {"help = true\n", "line 1: there is no option \"help\""},
        {"threads = 5\n\nthreads\n", "line 3: not NAME = VALUE"},
        {"[compute\nthreads = 5\n", "line 1: not NAME = VALUE"},
        {"a234567890123456789012345678901234567890123456789012345678901234 = 1\n",
         "line 1: there is no option \"a234567890123456789012345678901234567890123456789012345678901234\""},
        {"wings = 2\nthreads = many\n", "line 1: there is no option \"wings\""},
    };
    struct place *p = *state;
    char flag[4200], want[5000];
    (void)snprintf(flag, sizeof flag, "--config=%s", p->file);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_file(p, rows[i].text);
        (void)snprintf(want, sizeof want, "config file %s %s", p->file, rows[i].sentence ? rows[i].sentence : "");
        if (rows[i].sentence)
            bad(p, flag, want);
        else {
            good(p, flag);
            assert_int_equal(p->config.threads, 5);
        }
    }
    (void)snprintf(flag, sizeof flag, "--config=%s", p->dir);
    (void)snprintf(want, sizeof want, "config file %s cannot be read: Is a directory", p->dir);
    bad(p, flag, want);
}

/* What --print-config prints is a file that gives the same options, whatever source they came from. */
static void test_round_trip(void **state)
{
    struct place *p = *state;
    struct text again = {0};
    char flag[4200];
    (void)snprintf(flag, sizeof flag, "--config=%s", p->file);
    for (int source = DEFAULT; source < N_SOURCES; source++) {
        for (int i = 0; i < N_OPTIONS; i++)
            (void)setenv(variable_of(options[i].name), options[i].values[source], 1);
        good(p, NULL);
        text_clear(&p->printed);
        config_print(&p->config, &p->printed);
        for (int i = 0; i < N_OPTIONS; i++)
            (void)unsetenv(variable_of(options[i].name));
        write_file(p, p->printed.data);
        good(p, flag);
        for (int i = 0; i < N_OPTIONS; i++)
            if (!holds(&p->config, &options[i], options[i].values[source]))
                fail_msg("%s is not %s", options[i].name, options[i].values[source]);
        text_clear(&again);
        config_print(&p->config, &again);
        assert_string_equal(again.data, p->printed.data);
    }
    text_free(&again);
}

int main(void)
{
#define ALONE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {ALONE(test_sources),   ALONE(test_all_options), ALONE(test_bad_numbers),
                                       ALONE(test_units),     ALONE(test_switch),      ALONE(test_bad_words),
                                       ALONE(test_flags),     ALONE(test_actions),     ALONE(test_files),
                                       ALONE(test_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
