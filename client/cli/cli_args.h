/* SPDX-License-Identifier: Apache-2.0 */
/* cli_args.h: the table of verbs and the table of options. Parsing (cli_parse.c), help (cli_help.c), completion of the
 * shells (cli_completion.c) and the manual page (cli_man.c) all follow from them. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H
#include "cli.h"

#define CLI_EVERY_VERB 0x3BFFFFF /* The verbs of an option that every verb takes. */
enum {                           /* Each verb is a bit, so that an option can say which verbs take it. */
       PUSH = 1,
       REFINE = 2,
       POSITIONS = 4,
       EDIT = 8,
       LS = 16,
       SHOW = 32,
       RM = 64,
       PULL = 128,
       PLAN = 256,
       STAT = 512,
       HEALTH = 1024,
       BENCH = 2048,
       PATCHES = 4096,
       MATRIX = 8192,
       RENAME = 16384,
       NEIGHBORS = 32768,
       FIELDS = 1 << 16,
       SMOOTH = 1 << 17,
       FAIR = 1 << 18,
       LOG = 1 << 19,
       BACK = 1 << 20, /* revert, undo and redo. */
       LEASE = 1 << 21,
       LOCAL = 1 << 22, /* The verbs that talk to no daemon: they have no option but --help. */
       WATCH = 1 << 23,
       EVENTS = 1 << 24,
       ADMIN = 1 << 25,
       ALL = CLI_EVERY_VERB,
       FRAME = REFINE | PATCHES,
       MESH = PUSH | FRAME | BENCH | MATRIX | NEIGHBORS | FIELDS | SMOOTH
};

struct cli_verb {
    int bit; /* Its bit in cli_option.verbs. */
    const char *name, *arguments;
    int n_least, n_most; /* How many arguments it takes. */
    int (*run)(struct cli *);
    const char *summary; /* NULL for a verb that help does not list. */
    const char *more;    /* More sentences; NULL is none. A newline begins a paragraph. */
    const char *examples[2];
};
struct cli_option {
    const char *name, *argument; /* The argument is NULL for a switch. */
    int value, verbs;
    const char *help;   /* NULL for an option that help does not list. */
    const char *values; /* The tokens that it takes, with spaces between; NULL where it is no choice. */
};
extern const struct cli_verb cli_verbs[];     /* A row without a name ends the table. */
extern const struct cli_option cli_options[]; /* A row without a name ends the table. */
#define CLI_SAMPLE_ID "m_6fc15f7f543cabae"    /* The id in examples. */

const struct cli_verb *cli_find_verb(const char *name);
/* cli_nearest_verb, cli_nearest_option: the name that was probably meant, by edit distance; NULL when none is near.
 * Only options of the verb are offered, or all of them with NULL. */
const char *cli_nearest_verb(const char *word);
const char *cli_nearest_option(const char *word, const struct cli_verb *v);
#define CLI_N_OPTIONS 62
/* cli_take_option: stores the value of an option. Returns 0 when the option cannot have it.
 * cli_option_takes: what it accepts then, in words. */
int cli_take_option(struct cli *c, int value, char *text);
const char *cli_option_takes(int value);
/* cli_takes: 1 when the verb has the option and help lists it. */
int cli_takes(const struct cli_verb *v, const struct cli_option *o);
/* cli_option_help: what an option does, and which tokens it takes. */
void cli_option_help(const struct cli_option *o, char *to, size_t room);
/* cli_help_text: prints what help says of a verb; NULL is of all. */
void cli_help_text(const struct cli_verb *v);
/* cli_mesh_help: what an argument MESH is, and when MESH|FILE is a FILE. */
extern const char cli_mesh_help[];
/* cli_exit_codes: a sentence for each exit code, with newlines between. */
extern const char cli_exit_codes[];

#endif
