/* SPDX-License-Identifier: Apache-2.0 */
/* cli_completion.c: the verb completion, which prints what completes subd in a shell, made from the tables of verbs and
 * options. Tokens of options, files, and ids of meshes where a verb takes them are completed, too. */
#include "cli_args.h"
#include <string.h>

/* Ids come from a server, and bash expands the words that it completes: whatever else stands there must not reach
 * it. */
#define IDS "subd ls --timeout 2 2>/dev/null | awk '$1 ~ /^m_[0-9a-z]+$/ { print $1 }'"

/* An option whose value is a file or a folder; the shells know how to complete these. */
static int takes_files(const struct cli_option *o)
{
    return o->argument && (strncmp(o->argument, "FILE", 4) == 0 || strcmp(o->argument, "DIR") == 0);
}

static int takes_meshes(const struct cli_verb *v)
{
    return v->bit & CLI_EVERY_VERB && *v->arguments && strncmp(v->arguments, "FILE", 4) != 0;
}

/* Prints text for between single quotes, with a backslash before each of `special`. */
static void put_quoted(const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* The words after `subd VERB` where a name of a verb or of a shell is wanted. */
static void put_words(const struct cli_verb *v)
{
    if (strcmp(v->name, "completion") == 0)
        fputs("bash zsh fish", stdout);
    else
        for (const struct cli_verb *other = cli_verbs; other->name; other++)
            if (other->summary)
                printf("%s%s", other == cli_verbs ? "" : " ", other->name);
}

/* ---- bash ------------------------------------------------------------------------------------------------------- */

static void bash_values(void)
{
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (o->values)
            printf("    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", o->name, o->values);
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (takes_files(o))
            printf("    --%s) return ;;\n", o->name);
    puts("    -o) return ;;");
    for (const struct cli_option *o = cli_options; o->name; o++)
        if (o->argument && !o->values && !takes_files(o))
            printf("    --%s) compopt +o default 2>/dev/null; return ;;\n", o->name);
}

static void bash(void)
{
    fputs("# bash completion of subd, made by `subd completion bash`.\n"
          "_subd()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= words= verbs='",
          stdout);
    put_words(cli_verbs);
    puts("'\n"
         "    if [[ $word == = ]]; then\n        word=\n"
         "    elif [[ $before == = ]]; then\n        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
         "    COMPREPLY=()\n"
         "    case $before in");
    bash_values();
    puts("    esac\n    case ${COMP_WORDS[1]} in");
    for (const struct cli_verb *v = cli_verbs; v->name; v++) {
        if (!v->summary)
            continue;
        printf("    %s) options='", v->name);
        for (const struct cli_option *o = cli_options; o->name; o++)
            if (cli_takes(v, o))
                printf("%s--%s ", o->value == 'o' ? "-o " : "", o->name);
        printf("'%s", takes_meshes(v) ? " words=meshes" : "");
        if (v->n_most && !(v->bit & CLI_EVERY_VERB)) {
            fputs(" words='", stdout);
            put_words(v);
            putchar('\'');
        }
        puts(" ;;");
    }
    puts("    esac\n"
         "    if ((COMP_CWORD == 1)); then\n"
         "        words=\"$verbs --help --version\"\n"
         "    elif [[ $word == -* ]]; then\n"
         "        words=$options\n"
         "    elif [[ $words == meshes ]]; then\n"
         "        words=$(" IDS ")\n"
         "    fi\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\ncomplete -o default -F _subd subd");
}

/* ---- zsh -------------------------------------------------------------------------------------------------------- */

static void zsh_option(const struct cli_option *o)
{
    if (o->value == 'o')
        fputs(" \\\n        '(-o --output)'{-o,--output}'[", stdout);
    else
        printf(" \\\n        '--%s[", o->name);
    put_quoted(o->help, "[]\\");
    putchar(']');
    if (o->argument) {
        printf(":%s:", o->argument);
        if (o->values)
            printf("(%s)", o->values);
        else if (takes_files(o))
            fputs("_files", stdout);
    }
    putchar('\'');
}

static void zsh(void)
{
    puts("#compdef subd\n# zsh completion of subd, made by `subd completion zsh`.\n"
         "_subd_meshes()\n{\n"
         "    local -a ids\n"
         "    ids=(${(f)\"$(" IDS ")\"})\n"
         "    _describe mesh ids\n}\n"
         "_subd()\n{\n    local -a verbs\n    verbs=(");
    for (const struct cli_verb *v = cli_verbs; v->name; v++)
        if (v->summary) {
            printf("        '%s:", v->name);
            put_quoted(v->summary, ":\\");
            puts("'");
        }
    puts("    )\n"
         "    if ((CURRENT == 2)); then\n        _describe verb verbs\n        return\n    fi\n"
         "    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n"
         "    case $verb in");
    for (const struct cli_verb *v = cli_verbs; v->name; v++) {
        if (!v->summary)
            continue;
        printf("    %s)\n        _arguments", v->name);
        for (const struct cli_option *o = cli_options; o->name; o++)
            if (cli_takes(v, o))
                zsh_option(o);
        if (takes_meshes(v))
            fputs(" \\\n        '*:mesh or file:{ _subd_meshes; _files }'", stdout);
        else if (v->bit & CLI_EVERY_VERB && v->n_most)
            fputs(" \\\n        '*:file:_files'", stdout);
        else if (v->n_most) {
            fputs(" \\\n        '1:word:(", stdout);
            put_words(v);
            fputs(")'", stdout);
        }
        puts(" ;;");
    }
    puts("    esac\n}\n_subd \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------------------------------------- */

static void fish(void)
{
    puts("# fish completion of subd, made by `subd completion fish`.\n"
         "function __subd_meshes\n    " IDS "\nend\n"
         "complete -c subd -n __fish_use_subcommand -f");
    for (const struct cli_verb *v = cli_verbs; v->name; v++)
        if (v->summary) {
            printf("complete -c subd -n __fish_use_subcommand -a %s -d '", v->name);
            put_quoted(v->summary, "");
            puts("'");
        }
    for (const struct cli_verb *v = cli_verbs; v->name; v++) {
        for (const struct cli_option *o = cli_options; v->summary && o->name; o++) {
            if (!cli_takes(v, o))
                continue;
            printf("complete -c subd -n '__fish_seen_subcommand_from %s'%s -l %s -d '", v->name,
                   o->value == 'o' ? " -s o" : "", o->name);
            put_quoted(o->help, "");
            printf("'%s", !o->argument ? "" : takes_files(o) ? " -r -F" : " -x");
            if (o->values)
                printf(" -a '%s'", o->values);
            putchar('\n');
        }
        if (v->summary && takes_meshes(v))
            printf("complete -c subd -n '__fish_seen_subcommand_from %s' -a '(__subd_meshes)'\n", v->name);
        else if (v->summary && !(v->bit & CLI_EVERY_VERB)) {
            printf("complete -c subd -n '__fish_seen_subcommand_from %s' -f -a '", v->name);
            put_words(v);
            puts("'");
        }
    }
}

int cli_completion(struct cli *c)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(c->args[0], shells[i].name) == 0)
            return shells[i].print(), EXIT_DONE;
    return cli_fail(c, EXIT_USAGE, "there is no completion for \"%.40s\"; there is one for bash, zsh and fish",
                    c->args[0]);
}
