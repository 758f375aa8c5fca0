/* SPDX-License-Identifier: Apache-2.0 */
/* cli_args.c: how the command line is parsed, by its tables. */
#include "cli_args.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int count_options(void)
{
    int n = 0;
    while (cli_options[n].name)
        n++;
    return n;
}

const struct cli_verb *cli_find_verb(const char *name)
{
    for (const struct cli_verb *v = cli_verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

int cli_takes(const struct cli_verb *v, const struct cli_option *o)
{
    return o->help && (o->verbs & v->bit) != 0;
}

/* Reads a whole number. Anything else is -1, which no option allows. */
static int64_t number(const char *text)
{
    char *end;
    long long v = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end ? v : -1;
}

/* Reads a distance. What a float cannot tell apart, or is no number, is -1. */
static double distance(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *text && !*end && (v == 0 || (v >= 1e-30 && v <= 1e30)) ? v : -1;
}

/* Stores the value of an option. Returns 0 when the option cannot have it. */
static int take(struct cli *c, int value, char *text)
{
    char *end;
    if (value >= OPTION && value < OPTION + SUBD_N_OPTIONS) {
        c->options[value - OPTION] = text;
        return 1;
    }
    switch (value) {
    case 'o': c->output = text; return 1;
    case SERVER: c->server = text; return 1;
    case TOKEN_FILE: c->token_file = text; return 1;
    case CA_FILE: c->ca_file = text; return 1;
    case JSON: c->json = 1; return 1;
    case NAME: c->name = text; return 1;
    case KEY: c->key = text; return 1;
    case REORDER: c->reorder = text; return 1;
    case STRICT: c->strict = 1; return 1;
    case WELD: return (c->weld = distance(text)) >= 0;
    case NO_WELD: c->no_weld = 1; return 1;
    case PRIM: return *(c->prim = text) != 0;
    case EVERY: c->all = 1; return 1;
    case TIME: return *(c->time = text) != 0;
    case METHOD: c->method = text; return 1;
    case SURFACE: c->surface = text; return 1;
    case NORMALS: c->include |= SUBD_NORMALS; return 1;
    case SPLIT_NORMALS: c->include |= SUBD_NORMALS | SUBD_NORMAL_INDICES; return 1;
    case TANGENTS: c->include |= SUBD_TANGENTS; return 1;
    case COMPACT: c->compact = 1; return 1;
    case PRIMVARS: return *(c->primvars = text) != 0;
    case WHAT: c->what = text; return 1;
    case POSE: c->pose = text; return 1;
    case FRAMES: return cli_frame_range(c->frames = text, &c->first_frame, &c->last_frame);
    case OUT_DIR: return *(c->out_dir = text) != 0;
    case FORMAT: c->format = text; return 1;
    case ONLY_POSITIONS: c->only_positions = 1; return 1;
    case NO_VERIFY: c->skip_digests = 1; return 1;
    case LEVEL: return (c->level = number(text) > SUBD_MAX_LEVEL ? -1 : (int)number(text)) >= 0;
    case RING: return (c->ring = number(text) > SUBD_MAX_RING ? -1 : (int)number(text)) >= 1;
    case ORIENTED: c->oriented = 1; return 1;
    case FIRST: return (c->first = number(text)) >= 0;
    case COUNT: return (c->count = number(text)) >= 1;
    case SOURCES:
    case IDS: return *(c->ids = text) != 0;
    case ITERATIONS: return (c->iterations = number(text) > 1000 ? -1 : (int)number(text)) >= 1;
    case STRENGTH: c->strength = strtod(text, &end); return end != text && !*end && c->strength > 0 && c->strength <= 1;
    case BOUNDARY: c->boundary = text; return 1;
    case STORE: c->store = 1; return 1;
    case REPEAT: return (c->repeat = number(text) > 10000000 ? -1 : (int)number(text)) >= 1;
    case AT_VERSION: return (c->at = number(text)) >= 1;
    case VERSION: return (c->version = number(text)) >= 1;
    case TIMEOUT:
        c->timeout_s = strtod(text, &end);
        return end != text && !*end && c->timeout_s > 0 && c->timeout_s < 1e6;
    default: return 0;
    }
}

/* What `take` accepts, in words, for the options that do not accept everything. */
static const char *takes(int value)
{
    switch (value) {
    case LEVEL: return "a whole number from 1 to 15";
    case RING: return "a whole number from 1 to 64";
    case FIRST: return "a whole number from 0";
    case SOURCES:
    case IDS: return "a list such as 3,3,8, or a file";
    case ITERATIONS: return "a whole number from 1 to 1,000";
    case STRENGTH: return "a number above 0 and at most 1";
    case REPEAT: return "a whole number from 1 to 10,000,000";
    case TIMEOUT: return "seconds, more than 0 and less than 1,000,000";
    case PRIMVARS: return "names";
    case OUT_DIR: return "a folder";
    case PRIM: return "a path or name";
    case TIME: return "a number";
    case WELD: return "a distance in the mesh's units: 0, or from 1e-30 to 1e30";
    case FRAMES: return "A-B, such as 1-240: at most 100,000 frames, the first not after the last";
    default: return "a whole number from 1";
    }
}

static int take_arguments(struct cli *c, const struct cli_verb *v, int n, char **arguments)
{
    if (n < v->n_least || n > v->n_most)
        return cli_fail(c, EXIT_USAGE, "`subd %s` takes %s; see `subd help %s`", v->name,
                        *v->arguments ? v->arguments : "no arguments", v->name);
    for (int i = 0; i < n; i++) {
        if (!*arguments[i])
            return cli_fail(c, EXIT_USAGE, "an argument of `subd %s` is empty", v->name);
    }
    c->args = (const char **)arguments;
    return -1;
}

static int no_verb(const struct cli *c, const char *word)
{
    const char *near = cli_nearest_verb(word);
    return near ? cli_fail(c, EXIT_USAGE, "there is no verb \"%.40s\"; did you mean `subd %s`?", word, near)
                : cli_fail(c, EXIT_USAGE, "there is no verb \"%.40s\"; `subd help` lists them", word);
}

/* getopt_long has met a word that is no option, or the beginning of several, or an option that lacks its value. */
static int no_option(const struct cli *c, int value, const char *word, const struct cli_verb *v)
{
    const char letter[] = {'-', (char)optopt, 0};
    const int is_letter = optopt > 0 && optopt < 128; /* It may stand among others, so that `word` is another. */
    const char *near = is_letter ? NULL : cli_nearest_option(word, v), *verb = v ? v->name : "", *blank = v ? " " : "";
    if (is_letter)
        word = letter;
    if (value == ':')
        return cli_fail(c, EXIT_USAGE, "%.60s needs a value; see `subd help%s%s`", word, blank, verb);
    return near ? cli_fail(c, EXIT_USAGE, "%.60s is no option here; did you mean --%s?", word, near)
                : cli_fail(c, EXIT_USAGE, "%.60s is no option here; see `subd help%s%s`", word, blank, verb);
}

static int parse_options(struct cli *c, int argc, char **argv, const struct cli_verb *v, uint64_t *used)
{
    struct option options[CLI_MAX_OPTIONS + 1] = {0};
    int value, index;
    for (int i = 0; cli_options[i].name; i++)
        options[i] = (struct option){cli_options[i].name, cli_options[i].argument ? required_argument : no_argument,
                                     NULL, cli_options[i].value};
    opterr = 0;
    while ((value = getopt_long(argc, argv, ":ho:", options, &index)) != -1) {
        if (value == '?' || value == ':')
            return no_option(c, value, argv[optind - 1], v);
        for (index = 0; cli_options[index].value != value; index++)
            ;
        *used |= (uint64_t)1 << index;
        if (value != 'h' && !take(c, value, optarg))
            return cli_fail(c, EXIT_USAGE, "--%s cannot be \"%.60s\"; it takes %s", cli_options[index].name, optarg,
                            takes(value));
    }
    return -1;
}

/* Options that contradict each other or belong to another verb. */
static int check_options(const struct cli *c, const struct cli_verb *v, uint64_t used)
{
    for (int i = 0; cli_options[i].name; i++)
        if (used >> i & 1 && !(cli_options[i].verbs & v->bit))
            return cli_fail(c, EXIT_USAGE, "`subd %s` has no option --%s; see `subd help %s`", v->name,
                            cli_options[i].name, v->name);
    if (c->level == 0 && !(v->bit & (NEIGHBORS | FIELDS | SMOOTH)))
        return cli_fail(c, EXIT_USAGE, "--level cannot be \"0\"; it takes %s", takes(LEVEL));
    if (c->only_positions && (c->include || c->primvars))
        return cli_fail(c, EXIT_USAGE, "--only-positions goes without --normals, --tangents and --primvars");
    if (c->no_weld && c->weld >= 0)
        return cli_fail(c, EXIT_USAGE, "--weld and --no-weld contradict each other");
    if (c->all && (c->prim || c->name || c->key))
        return cli_fail(c, EXIT_USAGE,
                        "--all goes without --prim, --name and --idempotency-key, which are for one mesh");
    return -1;
}

int cli_parse(struct cli *c, int argc, char **argv, int (**run)(struct cli *))
{
    const struct cli_verb *v = argc > 1 ? cli_find_verb(argv[1]) : NULL;
    uint64_t used = 0;
    int rc;
    *c = (struct cli){.level = -1, .repeat = 100, .weld = -1, .verb = "", .program = argv[0]};
    for (int i = 1; i < argc; i++)
        c->json |= strcmp(argv[i], "--json") == 0; /* A usage error must be JSON, too. */
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("subd %s\n", subd_version());
        return EXIT_DONE;
    }
    if ((rc = parse_options(c, argc, argv, v, &used)) >= 0)
        return rc;
    if (optind < argc && !(v = cli_find_verb(argv[optind])))
        return no_verb(c, argv[optind]);
    if (argc < 2 || used >> (count_options() - 1)) { /* The last option is --help. */
        cli_help_text(v);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (!v)
        return cli_fail(c, EXIT_USAGE, "which verb? `subd help` lists them");
    if (c->level < 0)
        c->level = !(v->bit & (NEIGHBORS | FIELDS | SMOOTH));
    if ((rc = check_options(c, v, used)) >= 0)
        return rc;
    c->verb = v->name;
    c->quick = (v->bit & (LS | SHOW | STAT | HEALTH)) != 0;
    c->n_args = argc - optind - 1;
    c->takes_mesh = strncmp(v->arguments, "MESH", 4) == 0 && v->arguments[4] != '|';
    *run = v->run;
    rc = take_arguments(c, v, c->n_args, argv + optind + 1);
    return rc < 0 && v->bit == LOCAL ? v->run(c) : rc;
}
