/* SPDX-License-Identifier: Apache-2.0 */
/* cli_parse.c: parses the command line by the tables of verbs and options. */
#include "cli_args.h"
#include <getopt.h>
#include <string.h>

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
    struct option options[CLI_N_OPTIONS + 1] = {0};
    int value, index;
    for (int i = 0; i < CLI_N_OPTIONS; i++)
        options[i] = (struct option){cli_options[i].name, cli_options[i].argument ? required_argument : no_argument,
                                     NULL, cli_options[i].value};
    opterr = 0;
    while ((value = getopt_long(argc, argv, ":ho:", options, &index)) != -1) {
        if (value == '?' || value == ':')
            return no_option(c, value, argv[optind - 1], v);
        for (index = 0; cli_options[index].value != value; index++)
            ;
        *used |= (uint64_t)1 << index;
        if (value != 'h' && !cli_take_option(c, value, optarg))
            return cli_fail(c, EXIT_USAGE, "--%s cannot be \"%.60s\"; it takes %s", cli_options[index].name, optarg,
                            cli_option_takes(value));
    }
    return -1;
}

/* Options that contradict each other or belong to another verb. */
static int check_options(const struct cli *c, const struct cli_verb *v, uint64_t used)
{
    for (int i = 0; i < CLI_N_OPTIONS; i++)
        if (used >> i & 1 && !(cli_options[i].verbs & v->bit))
            return cli_fail(c, EXIT_USAGE, "`subd %s` has no option --%s; see `subd help %s`", v->name,
                            cli_options[i].name, v->name);
    if (c->level == 0 && !(v->bit & (NEIGHBORS | FIELDS | SMOOTH | FAIR)))
        return cli_fail(c, EXIT_USAGE, "--level cannot be \"0\"; it takes a whole number from 1 to 15");
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
    if (argc < 2 || used >> (CLI_N_OPTIONS - 1)) { /* The last option is --help. */
        cli_help_text(v);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (!v)
        return cli_fail(c, EXIT_USAGE, "which verb? `subd help` lists them");
    if (c->level < 0)
        c->level = !(v->bit & (NEIGHBORS | FIELDS | SMOOTH | FAIR));
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
