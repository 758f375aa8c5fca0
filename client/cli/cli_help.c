/* SPDX-License-Identifier: Apache-2.0 */
/* cli_help.c: the text of help, and which verb or option a mistyped word probably meant. */
#include "cli_args.h"
#include <string.h>

#define WIDTH 96
#define COLUMN 31  /* Where what an option does begins. */
#define LONGEST 40 /* Longer words have no near ones. */
#define MOST_EDITS 2

const char cli_exit_codes[] = "0 done\n1 anything else, such as no memory\n2 usage\n3 no server, or it is too slow\n"
                              "4 refused (4xx)\n5 the server failed (5xx)\n6 a file here\n7 an unsound answer\n"
                              "130 stopped by Ctrl-C\n141 whoever read the output has left";

const char cli_mesh_help[] =
    "MESH is an id, a name that one mesh alone has, or the beginning of an id (m_ and more) that one mesh alone has; "
    "they are tried in this order. MESH|FILE is a FILE where there is a file of that name, where it has a / or ends "
    "as a mesh file does (.obj, .usda, .glb, ...); a mesh of such a name is given by its id.";

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* Prints words from column `at` on, and further lines from column `indent` on. A newline begins a new line. */
static void wrap(int at, int indent, const char *text)
{
    for (int blank = 0; *text; text += *text != 0) {
        const int n = (int)strcspn(text, " \n");
        if (blank && at + 1 + n > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (blank) {
            at += printf(" ");
        }
        at += printf("%.*s", n, text);
        text += n;
        blank = *text == ' ';
        if (*text == '\n') {
            printf("\n%*s", indent, "");
            at = indent;
        }
    }
    putchar('\n');
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

void cli_option_help(const struct cli_option *o, char *to, size_t room)
{
    size_t n = (size_t)snprintf(to, room, "%s%s", o->help, o->values ? ": " : "");
    for (const char *v = o->values; v && *v && n + 3 < room; v++) {
        if (*v == ' ')
            to[n++] = ',';
        to[n++] = *v;
        to[n] = 0;
    }
}

static void print_option(const struct cli_option *o)
{
    const char *sign = o->value == 'o' ? "-o, " : o->value == 'h' ? "-h, " : "";
    char left[64], text[400];
    int n = snprintf(left, sizeof left, "  %s--%s%s%s", sign, o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "");
    cli_option_help(o, text, sizeof text);
    if (n + 2 > COLUMN)
        printf("%s\n%*s", left, COLUMN, "");
    else
        printf("%-*s", COLUMN, left);
    wrap(COLUMN, COLUMN, text);
}

static void print_verb(const struct cli_verb *v)
{
    int own = 0;
    printf("subd %s %s%s[options]\n\n", v->name, v->arguments, *v->arguments ? " " : "");
    wrap(0, 0, v->summary ? v->summary : "prints the manual page");
    if (v->more)
        wrap(0, 0, v->more);
    if (strncmp(v->arguments, "MESH", 4) == 0)
        wrap(0, 0, cli_mesh_help);
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (cli_takes(v, o) && o->verbs != CLI_EVERY_VERB) {
            fputs(own++ ? "" : "\nOptions:\n", stdout);
            print_option(o);
        }
    fputs(v->bit & CLI_EVERY_VERB ? "\nOptions of every verb:\n" : "", stdout);
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (cli_takes(v, o) && o->verbs == CLI_EVERY_VERB)
            print_option(o);
    if (v->examples[0])
        printf("\nExamples:\n  %s\n  %s\n", v->examples[0], v->examples[1]);
}

void cli_help_text(const struct cli_verb *verb)
{
    if (verb) {
        print_verb(verb);
        return;
    }
    puts("subd talks to a subdd daemon: control meshes go in, refined surfaces come out.\n\n  subd VERB ... "
         "[options]\n");
    for (const struct cli_verb *v = cli_verbs; v->name; v++)
        if (v->summary)
            printf("  %-11s %-14s %s\n", v->name, v->arguments, v->summary);
    putchar('\n');
    wrap(0, 0, cli_mesh_help);
    puts("\nOptions of every verb (`subd help VERB` has the rest):");
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (o->verbs == CLI_EVERY_VERB || o->value == 'h')
            print_option(o);
    fputs("\nExit codes: ", stdout);
    for (const char *s = cli_exit_codes; *s; s++)
        fputs(*s == '\n' ? "\n            " : (char[]){*s, 0}, stdout);
    putchar('\n');
}

int cli_help(struct cli *c)
{
    const struct cli_verb *v = c->n_args ? cli_find_verb(c->args[0]) : NULL;
    const char *near = c->n_args && !v ? cli_nearest_verb(c->args[0]) : NULL;
    if (near)
        return cli_fail(c, EXIT_USAGE, "there is no verb \"%.40s\"; did you mean `subd help %s`?", c->args[0], near);
    if (c->n_args && !v)
        return cli_fail(c, EXIT_USAGE, "there is no verb \"%.40s\"; `subd help` lists them", c->args[0]);
    cli_help_text(v);
    return EXIT_DONE;
}

/* ---- words that were probably meant ----------------------------------------------------------------------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters must be added, left out, replaced or swapped with their neighbour to make one word of the other
 * (optimal string alignment). Words longer than LONGEST are far from all others. */
static int distance(const char *a, size_t n, const char *b)
{
    int rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    const size_t m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= m; k++)
        last[k] = (int)k;
    for (size_t i = 1; i <= n; i++) {
        int *spare = before;
        row[0] = (int)i;
        for (size_t k = 1; k <= m; k++) {
            row[k] = least(least(last[k] + 1, row[k - 1] + 1), last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[m];
}

/* How far a name is from what was meant: not at all when the word is its beginning. */
static int far(const char *word, size_t n, const char *name)
{
    const int d = distance(word, n, name);
    const size_t longer = n > strlen(name) ? n : strlen(name);
    if (n >= 2 && strncmp(word, name, n) == 0)
        return 0;
    return (size_t)d * 2 <= longer && d <= MOST_EDITS ? d : LONGEST;
}

const char *cli_nearest_verb(const char *word)
{
    const char *near = NULL;
    int nearest = LONGEST;
    for (const struct cli_verb *v = cli_verbs; v->name; v++) {
        const int d = v->summary ? far(word, strlen(word), v->name) : LONGEST;
        if (d < nearest) {
            nearest = d;
            near = v->name;
        }
    }
    return near;
}

const char *cli_nearest_option(const char *word, const struct cli_verb *v)
{
    const char *near = NULL, *name = word + strspn(word, "-");
    int nearest = LONGEST;
    for (const struct cli_option *o = cli_options; o->name; o++) {
        const int d = !o->help || (v && !cli_takes(v, o)) ? LONGEST : far(name, strcspn(name, "="), o->name);
        if (d < nearest) {
            nearest = d;
            near = o->name;
        }
    }
    return near;
}
