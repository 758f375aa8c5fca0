/* SPDX-License-Identifier: Apache-2.0 */
/* What subd says of itself: help and its examples, words that were meant, completion in three shells, manual pages. */
#include "tests/env.h"
#include "tests/http/cli_run.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define SAMPLE_ID "m_6fc15f7f543cabae"

static struct daemon d;
static const char *const verbs[] = {"push",   "refine", "patches", "matrix", "positions",  "edit",
                                    "rename", "ls",     "show",    "rm",     "pull",       "plan",
                                    "stat",   "health", "bench",   "help",   "completion", "fair"};
enum { N_VERBS = sizeof verbs / sizeof *verbs };

static int start(void **state)
{
    (void)state;
    cli_daemon_start(&d);
    write_text(d.dir, "cube_moved.obj", CUBE);
    write_text(d.dir, "shot.0001.obj", CUBE);
    write_text(d.dir, "shot.0002.obj", CUBE);
    write_text(d.dir, "shot.0003.obj", CUBE);
    write_text(d.dir, "edits.json", "{\"edits\": [{\"setCreases\": {\"edges\": [0, 1], \"sharpnesses\": [2.5]}}]}");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* What a script prints; it must end well. */
static void prints(const char *script, const char *wanted)
{
    struct ran r = shell_run(d.dir, script);
    if (r.code || strcmp(r.out, wanted) != 0)
        fail_msg("%s\nended with %d and printed \"%s\", not \"%s\"; stderr \"%s\"", script, r.code, r.out, wanted,
                 r.err);
    ran_free(&r);
}

static int is_there(const char *program)
{
    char script[64];
    snprintf(script, sizeof script, "command -v %s >/dev/null", program);
    struct ran r = shell_run(d.dir, script);
    const int there = r.code == 0;
    ran_free(&r);
    if (!there)
        print_message("skipped: %s is not there\n", program);
    return there;
}

/* Both forms give the same text: synopsis, options, two examples. */
static void test_help_of_verbs(void **state)
{
    struct ran all = RUN("help");
    (void)state;
    for (int i = 0; i < N_VERBS; i++) {
        char synopsis[64], line[64];
        struct ran r = RUN("help", verbs[i]), same = RUN(verbs[i], "--help");
        snprintf(synopsis, sizeof synopsis, "subd %s ", verbs[i]);
        snprintf(line, sizeof line, "\n  %s ", verbs[i]);
        assert_memory_equal(r.out, synopsis, strlen(synopsis));
        assert_non_null(strstr(r.out, "\n  -h, --help "));
        const char *first = strstr(r.out, "\nExamples:\n  subd ");
        assert_non_null(first);
        assert_non_null(strstr(first + 18, "\n  subd "));
        assert_non_null(strstr(all.out, line));
        assert_string_equal(r.out, same.out);
        ran_expect(same, 0);
        ran_expect(r, 0);
    }
    assert_null(strstr(all.out, "  man "));
    for (const char *line = all.out; *line; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 100);
    struct ran same = RUN("--help");
    assert_string_equal(all.out, same.out);
    ran_expect(same, 0);
    ran_expect(all, 0);
}

/* Runs an example of a mesh of its own: the id in it stands for that of a cube. */
static void run_example(const char *example, size_t n)
{
    char script[400];
    snprintf(script, sizeof script,
             "set -e; id=$(subd push cube.obj)\ncommand=$(sed s/" SAMPLE_ID "/$id/ <<'EOF'\n%.*s\nEOF\n)\n$command",
             (int)n, example);
    struct ran r = shell_run(d.dir, script);
    if (r.code)
        fail_msg("\"%.*s\" ended with %d: %s", (int)n, example, r.code, r.err);
    ran_free(&r);
}

static void test_examples(void **state)
{
    int n = 0;
    (void)state;
    for (int i = 0; i < N_VERBS; i++) {
        struct ran r = RUN("help", verbs[i]);
        for (const char *line = strstr(r.out, "\n  subd "); line; line = strstr(line + 1, "\n  subd "), n++)
            run_example(line + 3, strcspn(line + 3, "\n"));
        ran_expect(r, 0);
    }
    assert_int_equal(n, 2 * N_VERBS);
}

static void test_what_was_meant(void **state)
{
    (void)state;
    ran_fails(RUN("refin"), 2, "there is no verb \"refin\"; did you mean `subd refine`?");
    ran_fails(RUN("list"), 2, "did you mean `subd ls`?");
    ran_fails(RUN("shwo", "x"), 2, "did you mean `subd show`?"); /* two neighbours swapped */
    ran_fails(RUN("frobnicate"), 2, "there is no verb \"frobnicate\"; `subd help` lists them");
    ran_fails(RUN("nam"), 2, "`subd help` lists them"); /* man is not offered, as help does not list it */
    ran_fails(RUN("help", "posiitons"), 2, "did you mean `subd help positions`?");
    ran_fails(RUN("help", "nothing-of-the-kind-and-longer-than-any-verb-is"), 2, "`subd help` lists them");
    ran_fails(RUN("help", "push", "pull"), 2, "takes [VERB]");
    ran_fails(RUN("refine", "x.obj", "--levle", "3"), 2, "--levle is no option here; did you mean --level?");
    ran_fails(RUN("refine", "x.obj", "--levle=3"), 2, "did you mean --level?");
    ran_fails(RUN("refine", "x.obj", "--no"), 2, "did you mean --normals?"); /* the beginning of two options */
    ran_fails(RUN("push", "x.obj", "--mehtod", "y"), 2, "--mehtod is no option here; see `subd help push`");
    ran_fails(RUN("push", "x.obj", "-z"), 2, "-z is no option here; see `subd help push`");
    ran_fails(RUN("push", "-zo", "x.obj"), 2, "-z is no option here");
    ran_fails(RUN("push", "x.obj", "--name"), 2, "--name needs a value; see `subd help push`");
    ran_fails(RUN("refine", "x.obj", "-o"), 2, "-o needs a value");
    ran_fails(RUN("help", "--level", "2"), 2, "`subd help` has no option --level; see `subd help help`");
    ran_fails(RUN("completion"), 2, "takes SHELL");
    ran_fails(RUN("completion", "tcsh"), 2, "there is one for bash, zsh and fish");
}

/* Every verb, and every option that help lists of a verb, and no other. */
static void test_bash(void **state)
{
    char script[2000];
    (void)state;
#define TRY                                                                                                            \
    ". <(subd completion bash)\n"                                                                                      \
    "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _subd; echo \"${COMPREPLY[@]}\"; }\n"
    prints(TRY "try subd re", "refine rename redo revert\n");
    prints(TRY "try subd p", "push patches positions pin pull plan\n");
    prints(TRY "try subd refine --surf", "--surface\n");
    prints(TRY "try subd refine --scheme ''", "catmullClark loop bilinear sqrt3\n");
    prints(TRY "try subd refine --scheme = lo", "loop\n"); /* readline makes three words of --scheme=lo */
    prints(TRY "try subd refine --level ''", "\n");
    prints(TRY "try subd refine -o ''", "\n"); /* readline goes on with files */
    prints(TRY "try subd help sta", "stat\n");
    prints(TRY "try subd completion ''", "bash zsh fish\n");
    prints(TRY "try subd ma", "matrix\n");
    prints(TRY "id=$(subd push cube.obj); [[ $(try subd show ${id:0:10}) == $id ]]", "");
    prints("complete -p subd 2>/dev/null || true; . <(subd completion bash); complete -p subd",
           "complete -o default -F _subd subd\n");
    for (int i = 0; i < N_VERBS; i++) {
        snprintf(script, sizeof script,
                 TRY "diff <(try subd %s -- | tr ' ' '\\n' | sort) <(subd help %s | grep -oE '^  (-., )?--[a-z-]+' | "
                     "grep -oE -- '--[a-z-]+' | sort)",
                 verbs[i], verbs[i]);
        prints(script, "");
    }
}

static void test_fish(void **state)
{
    (void)state;
    if (!is_there("fish"))
        skip();
#define FISH(line) "export HOME=$PWD; fish --no-config -c 'subd completion fish | source; complete -C \"" line "\"'"
    prints(FISH("subd refi"), "refine\trefines a mesh into .obj, .ply, .usda, .glb, .stl or .frame\n");
    prints(FISH("subd refine --surf"),
           "--surface\tpoints of the refined mesh, or of the limit; limitAtLevel is OpenSubdiv's\n");
    prints(FISH("subd refine --scheme b"), "bilinear\tthe subdivision scheme\n");
    prints(FISH("subd completion z"), "zsh\n");
    prints(FISH("subd ls --lev"), "");
}

/* In a terminal of its own, as only there zsh completes. */
static void test_zsh(void **state)
{
    static const char script[] =
        "mkdir -p functions; subd completion zsh >functions/_subd\n"
        "cat >try.zsh <<'EOF'\n"
        "zmodload zsh/zpty\n"
        "zpty z zsh -f -i\n"
        "zpty -w z 'PS1=; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; bindkey \"^I\" "
        "complete-word; zle -C ask complete-word tell; tell() { _main_complete; compstate[insert]=; "
        "compstate[list]=; }; print READY'\n"
        "zpty -r z line '*READY*READY*'\n"
        "for start in $'subd patc\\t' $'subd push --reo\\t' $'subd refine --scheme bil\\t'; do\n"
        "    zpty -n -w z $start; sleep 0.5; zpty -n -w z $'\\C-a: \\C-e ; print DONE\\n'\n"
        "    zpty -r z line '*DONE*DONE*'; print -r -- ${(V)line}\n"
        "done\nEOF\n"
        "TERM=dumb timeout 60 zsh -f try.zsh";
    (void)state;
    if (!is_there("zsh"))
        skip();
    prints("subd completion zsh >_subd; zsh -n _subd", "");
    struct ran r = shell_run(d.dir, script);
    if (!strstr(r.out, "subd patches") || !strstr(r.out, "--reorder") || !strstr(r.out, "bilinear"))
        fail_msg("zsh completed \"%s\"; stderr \"%s\"", r.out, r.err);
    ran_expect(r, 0);
}

/* Both pages have every option of the help, and the tools that read them find no fault. */
static void test_manual(void **state)
{
    (void)state;
    prints("subd man >subd.1; subdd --man >subdd.8", "");
    prints("for v in $(subd help | sed -n '/^  push/,/^$/p' | grep -oE '^  [a-z]+'); do subd help $v | grep -oE '^  "
           "(-., )?--[a-z-]+'; done | "
           "grep -oE -- '--[a-z-]+' | sort -u | while read o; do "
           "grep -qF -- \"${o//-/\\\\-}\" subd.1 || echo \"subd.1 lacks $o\"; done",
           "");
    prints("subdd --help | grep -oE '^  --[a-z-]+' | while read o; do "
           "grep -qF -- \"${o//-/\\\\-}\" subdd.8 || echo \"subdd.8 lacks $o\"; done",
           "");
    prints("for v in $(subd help | sed -n '/^  push/,/^$/p' | grep -oE '^  [a-z]+'); do grep -q \"^.SS \\\"subd $v \" "
           "subd.1 || echo no $v; done",
           "");
    if (is_there("mandoc"))
        prints("mandoc -Tlint subd.1 subdd.8 | grep -v 'missing date'; true", "");
    if (is_there("man"))
        prints("LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z ./subd.1 ./subdd.8 2>&1 >/dev/null",
               "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_of_verbs), cmocka_unit_test(test_examples), cmocka_unit_test(test_what_was_meant),
        cmocka_unit_test(test_bash),          cmocka_unit_test(test_fish),     cmocka_unit_test(test_zsh),
        cmocka_unit_test(test_manual),
    };
    return cmocka_run_group_tests_name("cli_help", tests, start, stop);
}
