/* SPDX-License-Identifier: Apache-2.0 */
/* config.c: the table of the daemon's options, for main.c. It reads them from defaults, an ini file, the environment
 * and flags, and prints them. */
#include "server/config.h"
#include "gpu/sdd/sdd.h"
#include "server/base/address.h"
#include "server/net/door.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { STRING, INTEGER, BYTES, SECONDS, SWITCH, ACTION, ACTION_VALUE };

struct option_row {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *value;    /* The default. */
    double min, max;      /* The range of INTEGER, BYTES and SECONDS. */
    const char *argument; /* What --help calls the value. Where it has bars, it lists all values that there are. */
    const char *help;
};
#define AT(field) offsetof(struct config, field)
#define KIB 1024.0
#define AUTO "auto"
#define MAN_WIDTH 72
#define TIB (KIB * KIB * KIB * KIB)

static const struct option_row rows[] = {
    {"listen", STRING, AT(listen), "127.0.0.1:7373", 0, 0, "ADDR:PORT",
     "address to serve; port 0 picks a free one; [::1]:PORT for IPv6"},
    {"data-dir", STRING, AT(data_dir), "subdd-data", 0, 0, "DIR", "where meshes are stored"},
    {"accept-data-loss", SWITCH, AT(accept_data_loss), "false", 0, 0, "",
     "serve although changes that were acknowledged are lost, which the log names; for one start"},
    {"history-versions", INTEGER, AT(history_versions), "32", 1, 1000, "N",
     "versions of each mesh that can be read, the present one among them; undo needs 2; 1: no history"},
    {"history-bytes", BYTES, AT(history_bytes), "1GiB", 0, 16 * TIB, "BYTES",
     "what earlier versions of all meshes take on the disk; those that ended first go first"},
    {"backend", STRING, AT(backend), "auto", 0, 0, "auto|cpu|cuda", "device to compute on; auto falls back to cpu"},
    {"cuda-module", STRING, AT(cuda_module), "", 0, 0, "FILE",
     "the CUDA module; empty: ../lib/libsdd_cuda.so beside the daemon"},
    {"threads", INTEGER, AT(threads), "0", 0, 1024, "N", "threads of the cpu backend; 0: all"},
    {"host-workers", INTEGER, AT(host_workers), "2", 1, 64, "N", "threads that parse and encode"},
    {"memory-limit", BYTES, AT(memory_limit), "0", 0, 16 * TIB, "BYTES",
     "all host memory of the daemon, which splits it; 0: three quarters of the container's or the machine's"},
    {"gpu-memory", BYTES, AT(gpu_memory), "0", 0, 16 * TIB, "BYTES",
     "device memory to use; 0: 80 % of what is free, or on the cpu backend a part of --memory-limit"},
    {"pinned-percent", INTEGER, AT(pinned_percent), "50", 0, 100, "N",
     "how much of the device memory pinned meshes may take; 0: none can be pinned"},
    {"host-memory", BYTES, AT(host_memory), "0", 0, 16 * TIB, "BYTES",
     "request bodies and what is read from them, host copies of meshes, frames being made and sent; 0: a part of "
     "--memory-limit"},
    {"cache-bytes", BYTES, AT(cache_bytes), "auto", 0, 16 * TIB, "BYTES",
     "refined frames kept for the next request; auto: a part of --memory-limit, at most 1GiB"},
    {"tokens-file", STRING, AT(tokens_file), "", 0, 0, "FILE",
     "lines of: name scopes sha256-of-token; SIGHUP reads it again"},
    {"allow-unauthenticated", SWITCH, AT(allow_unauthenticated), "false", 0, 0, "",
     "listen off loopback without tokens"},
    {"allow-host", STRING, AT(allow_host), "", 0, 0, "NAMES",
     "names, beside loopback and the address of --listen, by which requests may call this daemon (their Host), with "
     "commas between; *: any name, which lets web pages in by DNS rebinding"},
    {"allow-origin", STRING, AT(allow_origin), "", 0, 0, "ORIGINS",
     "origins (https://host:port) whose web pages may use this daemon, with commas between; *: every page that "
     "somebody visits"},
    {"max-connections", INTEGER, AT(max_connections), "512", 4, 100000, "N",
     "connections; beyond it only health is answered"},
    {"max-connections-per-address", INTEGER, AT(max_connections_per_address), "0", 0, 100000, "N",
     "0: no limit (keep 0 behind a proxy)"},
    {"max-header-bytes", BYTES, AT(max_header_bytes), "8KiB", 512, 32 * KIB, "BYTES", "request line and headers"},
    {"max-body-bytes", BYTES, AT(max_body_bytes), "1GiB", 1, TIB, "BYTES", "one request body"},
    {"max-json-bytes", BYTES, AT(max_json_bytes), "1MiB", 1, 64 * KIB *KIB, "BYTES",
     "one JSON body; bigger meshes come as protobuf"},
    {"max-inflight-bytes", BYTES, AT(max_inflight_bytes), "4GiB", 1, 16 * TIB, "BYTES", "all request bodies together"},
    {"max-level", INTEGER, AT(max_level), "15", 1, SDD_MAX_LEVEL, "N", "highest level of refinement"},
    {"max-output-bytes", BYTES, AT(max_output_bytes), "8GiB", 1, 16 * TIB, "BYTES",
     "one frame, refined or of patches, that is made as a whole"},
    {"stream-bytes", BYTES, AT(stream_bytes), "1GiB", 64 * KIB, 16 * TIB, "BYTES",
     "positions alone, by an engine that makes ranges: larger frames are made in pieces while they are sent"},
    {"queue-size", INTEGER, AT(queue_size), "256", 1, 100000, "N",
     "requests that wait or work and need the device, and as many that do not; more get 429 or 503"},
    {"header-deadline", SECONDS, AT(header_deadline), "10", 0.05, 3600, "SECONDS",
     "for a whole request head, and the longest stall of a body"},
    {"idle-timeout", SECONDS, AT(idle_timeout), "75", 0.05, 86400, "SECONDS",
     "a kept-alive connection without a request is closed"},
    {"request-deadline", SECONDS, AT(request_deadline), "120", 0.05, 86400, "SECONDS", "for the work on a request"},
    {"min-rate", BYTES, AT(min_rate), "16KiB", 1, KIB *KIB *KIB, "BYTES", "bytes a second a client must send or read"},
    {"drain-delay", SECONDS, AT(drain_delay), "0", 0, 3600, "SECONDS",
     "after SIGTERM: time between not-ready and closing the listener"},
    {"drain-timeout", SECONDS, AT(drain_timeout), "30", 0, 86400, "SECONDS",
     "then running requests and transfers have so long, before they are cut"},
    {"log-file", STRING, AT(log_file), "", 0, 0, "FILE", "where the log goes; empty: stderr"},
    {"log-level", STRING, AT(log_level), "info", 0, 0, "error|warn|info|debug",
     "what is logged: this and what is worse; health probes that succeed are debug"},
    {"log-format", STRING, AT(log_format), "auto", 0, 0, "auto|text|json",
     "text for people or JSON lines; auto: text on a terminal, else json"},
    {"config", ACTION_VALUE, AT(config_file), "", 0, 0, "FILE", "read options from an ini file"},
    {"new-token", ACTION_VALUE, AT(new_token), "", 0, 0, "NAME[@WORKSPACE]:SCOPES[:DAYS]",
     "add a token to --tokens-file, print it once and exit; scopes of read,edit,admin; DAYS until it expires"},
    {"print-config", ACTION, AT(print_config), "false", 0, 0, "",
     "print the options in force as a config file and exit"},
    {"man", ACTION, AT(man), "false", 0, 0, "", "print the manual page subdd(8) and exit"},
    {"help", ACTION, AT(help), "false", 0, 0, "", "print this and exit"},
    {"version", ACTION, AT(version), "false", 0, 0, "", "print the version and exit"},
};
#define N_ROWS ((int)(sizeof rows / sizeof rows[0]))

static void *field(struct config *c, const struct option_row *row)
{
    return (char *)c + row->offset;
}

static bool parse_number(const char *s, bool with_unit, double *out)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"KiB", KIB}, {"MiB", KIB * KIB}, {"GiB", KIB * KIB * KIB}, {"TiB", TIB}, {"B", 1},
                 {"K", KIB},   {"M", KIB * KIB},   {"G", KIB * KIB * KIB},   {"T", TIB},   {"", 1}};
    char *end;
    if (!isdigit((unsigned char)*s))
        return false; /* strtod would accept " 1", "-1", "inf" and "nan". */
    errno = 0;
    double v = strtod(s, &end);
    if (errno || !isfinite(v))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].name) == 0 && (with_unit || !*end)) {
            *out = v * units[i].factor;
            return true;
        }
    return false;
}

static bool parse_switch(const char *s, bool *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(s, words[i]) == 0) {
            *out = i & 1;
            return true;
        }
    return false;
}

static bool set_string(char **out, const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return false;
    free(*out);
    *out = copy;
    return true;
}

static bool set(struct config *c, const struct option_row *row, const char *value, const char *source,
                struct text *error)
{
    double v;
    switch (row->kind) {
    case STRING:
    case ACTION_VALUE:
        if (set_string(field(c, row), value))
            return true;
        text_puts(error, "out of memory");
        return false;
    case SWITCH:
    case ACTION:
        if (parse_switch(value, field(c, row)))
            return true;
        text_printf(error, "%s: %s must be true or false, not \"%s\"", source, row->name, value);
        return false;
    default: break;
    }
    bool whole = row->kind != SECONDS;
    if (strcmp(row->value, AUTO) == 0 && strcmp(value, AUTO) == 0) {
        *(int64_t *)field(c, row) = CONFIG_AUTO;
        return true;
    }
    if (!parse_number(value, row->kind == BYTES, &v) || (whole && v != floor(v)) || v < row->min || v > row->max) {
        text_printf(error, "%s: %s must be a %s from %.15g to %.15g, not \"%s\"", source, row->name,
                    row->kind == BYTES     ? "number of bytes (KiB, MiB, GiB)"
                    : row->kind == SECONDS ? "number of seconds"
                                           : "whole number",
                    row->min, row->max, value);
        return false;
    }
    if (whole)
        *(int64_t *)field(c, row) = (int64_t)v;
    else
        *(double *)field(c, row) = v;
    return true;
}

static const struct option_row *find(const char *name)
{
    char flag[64];
    size_t n = strlen(name);
    if (n >= sizeof flag)
        return NULL;
    for (size_t i = 0; i <= n; i++)
        flag[i] = name[i] == '_' ? '-' : name[i];
    for (int i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, flag) == 0)
            return &rows[i];
    return NULL;
}

struct file_state {
    struct config *config;
    struct text *error;
};

static int on_ini(void *user, const char *section, const char *name, const char *value)
{
    struct file_state *s = user;
    const struct option_row *row = find(name);
    if (s->error->bytes)
        return 1; /* Only the first error is reported, with its line. */
    if (row && row->kind < ACTION)
        return set(s->config, row, value, "config file", s->error);
    text_printf(s->error, "there is no option \"%s\"%s%s", name, *section ? " in section " : "", section);
    return 0;
}

static bool read_file(struct config *c, const char *path, struct text *error)
{
    struct text what = {0};
    struct file_state s = {c, &what};
    errno = 0;
    FILE *f = fopen(path, "re");
    int rc = f ? ini_parse_file(f, on_ini, &s) : -1;
    if (rc < 0 || ferror(f)) { /* A directory can be opened, but not read. */
        text_printf(error, "config file %s cannot be read: %s", path, strerror(f && !errno ? EIO : errno));
        rc = -1;
    } else if (rc)
        text_printf(error, "config file %s line %d: %s", path, rc, what.bytes ? what.data : "not NAME = VALUE");
    if (f)
        fclose(f);
    text_free(&what);
    return rc == 0;
}

static bool read_environment(struct config *c, bool only_file, struct text *error)
{
    for (int i = 0; i < N_ROWS; i++) {
        char name[64] = "SUBDD_";
        bool is_file = rows[i].offset == AT(config_file);
        if (is_file != only_file || (rows[i].kind >= ACTION && !is_file))
            continue;
        for (size_t k = 0; rows[i].name[k] && k < sizeof name - 7; k++)
            name[k + 6] = rows[i].name[k] == '-' ? '_' : (char)toupper((unsigned char)rows[i].name[k]);
        const char *value = getenv(name);
        if (value && !set(c, &rows[i], value, name, error))
            return false;
    }
    return true;
}

/* Reads the flags, or with only_file just --config. The file is needed first, because the environment and the flags
 * override it. */
static bool read_flags(struct config *c, int argc, char **argv, bool only_file, struct text *error)
{
    struct option longs[N_ROWS + 1];
    memset(longs, 0, sizeof longs);
    for (int i = 0; i < N_ROWS; i++) {
        bool bare = rows[i].kind == ACTION;
        longs[i] = (struct option){rows[i].name,
                                   bare                     ? no_argument
                                   : rows[i].kind == SWITCH ? optional_argument
                                                            : required_argument,
                                   NULL, i + 1};
    }
    optind = 0;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "+:", longs, NULL)) != -1;) {
        if (k == '?' || k == ':') {
            text_printf(error, "%s: %s (see --help)", argv[optind - 1], k == '?' ? "no such option" : "needs a value");
            return false;
        }
        const struct option_row *row = &rows[k - 1];
        char source[72];
        snprintf(source, sizeof source, "--%s", row->name);
        if (only_file && row->offset != AT(config_file))
            continue;
        if (!set(c, row, optarg ? optarg : "true", source, error))
            return false;
    }
    if (optind < argc) {
        text_printf(error, "%s: options only, no arguments (see --help)", argv[optind]);
        return false;
    }
    return true;
}

/* Checks the options whose values are words of a list. */
static bool words_good(struct config *c, struct text *error)
{
    for (int i = 0; i < N_ROWS; i++) {
        const char *value = strchr(rows[i].argument, '|') ? *(char **)field(c, &rows[i]) : NULL;
        const size_t n = value ? strlen(value) : 0;
        const char *at = value ? rows[i].argument : NULL;
        while (at && !(strcspn(at, "|") == n && strncmp(at, value, n) == 0))
            at = (at = strchr(at, '|')) ? at + 1 : NULL;
        if (!value || at)
            continue;
        text_printf(error, "--%s: must be one of %s, not \"%s\"", rows[i].name, rows[i].argument, value);
        return false;
    }
    return true;
}

bool config_load(struct config *c, int argc, char **argv, struct text *error)
{
    *c = (struct config){0};
    for (int i = 0; i < N_ROWS; i++)
        if (!set(c, &rows[i], rows[i].value, "default", error))
            return false;
    if (!read_environment(c, true, error) || !read_flags(c, argc, argv, true, error))
        return false;
    if (*c->config_file && !read_file(c, c->config_file, error))
        return false;
    if (!read_environment(c, false, error) || !read_flags(c, argc, argv, false, error))
        return false;
    char host[LISTEN_HOST_SIZE];
    const char *port;
    if (!listen_split(c->listen, host, &port)) {
        text_printf(error, "--listen must be ADDR:PORT, not \"%s\"", c->listen);
        return false;
    }
    return words_good(c, error) && door_options_good(&(struct door){c->allow_host, c->allow_origin, c->listen}, error);
}

/* Writes the text of --help for an option as comments. inih reads lines of at most 200 bytes. */
static void print_comment(const struct option_row *row, struct text *out)
{
    enum { WIDTH = 100 };
    size_t column = 0;
    for (const char *word = row->help; *word; word += strspn(word, " ")) {
        const size_t n = strcspn(word, " ");
        const bool new_line = !column || column + 1 + n > WIDTH;
        text_printf(out, "%s %.*s", !column ? ";" : new_line ? "\n;" : "", (int)n, word);
        column = new_line ? 2 + n : column + 1 + n;
        word += n;
    }
    text_puts(out, "\n");
}

void config_free(struct config *c)
{
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].kind == STRING || rows[i].kind == ACTION_VALUE)
            free(*(char **)field(c, &rows[i]));
}

static const char sources[] =
    "Every option down to --log-format is also a key of the config file (data-dir = DIR) and a variable "
    "(SUBDD_DATA_DIR);\n--config is a variable too. "
    "Flags win over variables, variables over the file. BYTES take KiB, MiB, GiB.";

void config_help(struct text *out)
{
    text_puts(out, "subdd: subdivision surfaces as a service\nUsage: subdd [options]\n\n");
    for (int i = 0; i < N_ROWS; i++) {
        char flag[64];
        snprintf(flag, sizeof flag, "--%s%s%s", rows[i].name, *rows[i].argument ? " " : "", rows[i].argument);
        text_printf(out, "  %-36s %s", flag, rows[i].help);
        if (rows[i].kind < ACTION && *rows[i].value)
            text_printf(out, " [%s]", rows[i].value);
        text_puts(out, "\n");
    }
    text_puts(out, "\n");
    text_puts(out, sources);
    text_puts(out, "\nExit: 0 after SIGTERM (128 + its number when a second signal ends it at once), 1 cannot start, 2 "
                   "wrong option,\n"
                   "3 the compute device was lost, or does not come back, 4 the store failed.\n");
}

/* Adds text to a manual page in lines that are not long. A line that begins with a dot would be a macro. */
static void man_text(struct text *out, const char *s)
{
    for (int at = 0; *s; s++, at++) {
        if (*s == '\n' || (*s == ' ' && at + (int)strcspn(s + 1, " \n") > MAN_WIDTH)) {
            text_puts(out, "\n");
            at = -1;
            continue;
        }
        if (at == 0 && (*s == '.' || *s == '\''))
            text_puts(out, "\\&");
        if (*s == '-' || *s == '\\')
            text_puts(out, *s == '-' ? "\\-" : "\\e");
        else
            text_printf(out, "%c", *s);
    }
}

void config_man(struct text *out)
{
    static const char *const exits[][2] = {{"0", "after SIGTERM or SIGINT"},
                                           {"1", "cannot start"},
                                           {"2", "wrong option"},
                                           {"3", "the compute device was lost, or does not come back"},
                                           {"4", "the store failed"},
                                           {"128 + N", "a second signal, of number N, ended it at once"}};
    text_printf(out,
                ".\\\" Made by `subdd --man` from its table of options.\n.TH SUBDD 8 \"\" \"subdd %s\" \"subdd\"\n",
                sdd_version());
    text_puts(out, ".SH NAME\nsubdd \\- keeps subdivision meshes on a GPU and serves their surfaces over HTTP\n"
                   ".SH SYNOPSIS\n.B subdd\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n");
    man_text(out, "Control meshes go in over HTTP, are moved and edited there, and come back as refined or limit "
                  "surfaces. Without a GPU it runs on the CPU and gives the same bits. SIGTERM ends it in good order; "
                  "after SIGHUP it reads the tokens again and opens the log again.");
    text_puts(out, "\n.SH OPTIONS\n");
    for (int i = 0; i < N_ROWS; i++) {
        text_puts(out, ".TP\n\\fB");
        man_text(out, "--");
        man_text(out, rows[i].name);
        text_printf(out, "\\fR%s%s%s\n", *rows[i].argument ? " \\fI" : "", rows[i].argument,
                    *rows[i].argument ? "\\fR" : "");
        man_text(out, rows[i].help);
        if (rows[i].kind < ACTION && *rows[i].value) {
            text_puts(out, " [");
            man_text(out, rows[i].value);
            text_puts(out, "]");
        }
        text_puts(out, "\n");
    }
    text_puts(out, ".SH FILES AND ENVIRONMENT\n");
    man_text(out, sources);
    text_puts(out, "\n.SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        text_printf(out, ".TP\n.B %s\n%s\n", exits[i][0], exits[i][1]);
    text_puts(out, ".SH SEE ALSO\n.BR subd (1)\n");
}

void config_print(const struct config *c, struct text *out)
{
    text_puts(out, "; Configuration of subdd. Variables (SUBDD_DATA_DIR) win over this file, flags (--data-dir) over "
                   "both.\n; Bytes take KiB, MiB, GiB and TiB. A comment has a line of its own.\n");
    for (int i = 0; i < N_ROWS; i++) {
        const void *at = (const char *)c + rows[i].offset;
        if (rows[i].kind >= ACTION)
            continue;
        text_puts(out, "\n");
        print_comment(&rows[i], out);
        switch (rows[i].kind) {
        case STRING: text_printf(out, "%s = %s\n", rows[i].name, *(char *const *)at); break;
        case SWITCH: text_printf(out, "%s = %s\n", rows[i].name, *(const bool *)at ? "true" : "false"); break;
        case SECONDS: text_printf(out, "%s = %.15g\n", rows[i].name, *(const double *)at); break;
        default:
            if (*(const int64_t *)at == CONFIG_AUTO)
                text_printf(out, "%s = " AUTO "\n", rows[i].name);
            else
                text_printf(out, "%s = %lld\n", rows[i].name, (long long)*(const int64_t *)at);
        }
    }
}
