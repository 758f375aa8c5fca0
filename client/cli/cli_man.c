/* SPDX-License-Identifier: Apache-2.0 */
/* cli_man.c: the verb man, which help does not list: it prints the manual page subd(1), made from the tables of verbs
 * and options, when subd is built. */
#include "cli_args.h"
#include <ctype.h>
#include <string.h>

#define WIDTH 72 /* Lines of the source; man(1) fills its own. */

/* Prints text for man(7): what stands between ` is bold, a newline begins a paragraph. A line must not begin like a
 * macro. */
static void put(const char *text)
{
    int bold = 0, at = 0;
    for (; *text; text++, at++) {
        if (*text == ' ' && at + (int)strcspn(text + 1, " \n") > WIDTH) {
            putchar('\n');
            at = -1;
            continue;
        }
        if (at == 0 && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        switch (*text) {
        case '`': fputs((bold = !bold) ? "\\fB" : "\\fR", stdout); break;
        case '-': fputs("\\-", stdout); break;
        case '\\': fputs("\\e", stdout); break;
        case '\n':
            fputs("\n.PP\n", stdout);
            at = -1;
            break;
        default: putchar(*text); break;
        }
    }
}

/* A line of man(7) that begins with a macro: .B TEXT. */
static void put_line(const char *macro, const char *text)
{
    printf("%s \"", macro);
    for (; *text; text++)
        fputs(*text == '"' ? "\\(dq" : *text == '-' ? "\\-" : *text == '\\' ? "\\e" : (char[]){*text, 0}, stdout);
    puts("\"");
}

static void put_option(const struct cli_option *o)
{
    char text[400];
    fputs(".TP\n", stdout);
    fputs(o->value == 'o' ? "\\fB\\-o\\fR, " : o->value == 'h' ? "\\fB\\-h\\fR, " : "", stdout);
    fputs("\\fB", stdout);
    put("--");
    put(o->name);
    fputs("\\fR", stdout);
    if (o->argument)
        printf(" \\fI%s\\fR", o->argument);
    putchar('\n');
    cli_option_help(o, text, sizeof text);
    put(text);
    putchar('\n');
}

static void put_verb(const struct cli_verb *v)
{
    char line[64], summary[160];
    snprintf(line, sizeof line, "subd %s %s%s[options]", v->name, v->arguments, *v->arguments ? " " : "");
    put_line(".SS", line);
    snprintf(summary, sizeof summary, "%c%s.", toupper((unsigned char)*v->summary), v->summary + 1);
    put(summary);
    putchar('\n');
    if (v->more) {
        fputs(".PP\n", stdout);
        put(v->more);
        putchar('\n');
    }
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (cli_takes(v, o) && o->verbs != CLI_EVERY_VERB && o->value != 'h')
            put_option(o);
    puts(".PP\nExamples:\n.PP\n.nf");
    for (int i = 0; i < 2; i++) {
        fputs("    ", stdout);
        put(v->examples[i]);
        putchar('\n');
    }
    puts(".fi");
}

int cli_man(struct cli *c)
{
    (void)c;
    printf(".\\\" Made by `subd man` from its tables of verbs and options.\n.TH SUBD 1 \"\" \"subd %s\" \"subdd\"\n",
           subd_version());
    puts(".SH NAME\nsubd \\- sends control meshes to a subdd daemon and brings refined surfaces back\n"
         ".SH SYNOPSIS\n.B subd\n\\fIVERB\\fR ... [\\fIoptions\\fR]\n.SH DESCRIPTION");
    put("subd talks to a subdd daemon: control meshes go in, refined surfaces come out. A FILE is one on "
        "this machine.\n");
    put(cli_mesh_help);
    puts("\n.SH VERBS");
    for (const struct cli_verb *v = cli_verbs; v->name; v++)
        if (v->summary)
            put_verb(v);
    puts(".SH OPTIONS OF EVERY VERB");
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (o->verbs == CLI_EVERY_VERB || o->value == 'h')
            put_option(o);
    puts(".SH ENVIRONMENT\n.TP\n.B SUBD_SERVER\nthe daemon's URL, where \\-\\-server does not give it\n"
         ".TP\n.B SUBD_TOKEN\nthe bearer token, where \\-\\-token\\-file does not give it\n.SH EXIT STATUS");
    for (const char *s = cli_exit_codes; *s; s += *s == '\n') {
        const int digits = (int)strcspn(s, " "), rest = (int)strcspn(s, "\n");
        printf(".TP\n.B %.*s\n%.*s\n", digits, s, rest - digits - 1, s + digits + 1);
        s += rest;
    }
    puts(".SH SEE ALSO\n.BR subdd (8)");
    return EXIT_DONE;
}
