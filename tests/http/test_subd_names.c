/* SPDX-License-Identifier: Apache-2.0 */
/* subd and names: each verb takes a mesh by its name or the beginning of its id, files name meshes, and the files that
 * subd writes carry the name as their format allows it. */
#include "tests/http/cli_run.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define KANJI "\xe6\x97\xa5\xe6\x9c\xac"

static struct daemon d;
static char cube[96], out[96];

static void write_file(char path[96], const char *name, const char *text)
{
    snprintf(path, 96, "%s/%s", d.dir, name);
    write_text(d.dir, name, text);
}

static int start(void **state)
{
    (void)state;
    cli_daemon_start(&d);
    write_file(cube, "cube.obj", CUBE);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void expect(struct ran r, int code, const char *says)
{
    if (r.code != code || !strstr(r.out, says))
        fail_msg("exit code %d, stdout \"%s\", stderr \"%s\"; wanted %d, \"%s\"", r.code, r.out, r.err, code, says);
    ran_free(&r);
}

/* One sentence on stderr, nothing on stdout. */
static void fails(struct ran r, int code, const char *says)
{
    if (r.code != code || *r.out || !strstr(r.err, says) || strchr(r.err, '\n') != r.err + strlen(r.err) - 1)
        fail_msg("exit code %d, stdout \"%s\", stderr \"%s\"; wanted %d, \"%s\"", r.code, r.out, r.err, code, says);
    ran_free(&r);
}

/* Pushes a file under a name, or with NULL under that of the file. */
static void push(const char *path, const char *name, char id[20])
{
    struct ran r = name ? RUN("push", path, "--name", name) : RUN("push", path);
    if (r.code != 0 || strlen(r.out) != 19)
        fail_msg("exit code %d, stdout \"%s\", stderr \"%s\"", r.code, r.out, r.err);
    snprintf(id, 20, "%.18s", r.out);
    ran_free(&r);
}

static void called(const char *id, const char *name)
{
    char line[400];
    snprintf(line, sizeof line, "%s  name %s, version ", id, name);
    expect(RUN("show", id), 0, line);
}

static void test_files_name_meshes(void **state)
{
    static const char *const rows[][2] = {{"crate.obj", "crate"},     {"crate.v2.obj", "crate.v2"},
                                          {"a b:c|d.obj", "a b:c|d"}, {KANJI ".obj", KANJI},
                                          {".obj", ".obj"},           {"plain", "plain"}};
    char id[20], path[96];
    struct ran r;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file(path, rows[i][0], CUBE);
        push(path, NULL, id);
        called(id, rows[i][1]);
    }
    push(path, "other / name", id);
    called(id, "other / name");
    r = spawn_subd(d.dir, (const char *const[]){"push", "-", NULL}, CUBE); /* stdin has no name. */
    snprintf(id, sizeof id, "%.18s", r.out);
    ran_free(&r);
    called(id, id);
    write_file(path, "line\nbreak.obj", CUBE);
    fails(RUN("push", path), 4, "holds a control character");
    fails(RUN("push", path), 4, "; give another than the file's with --name");
    fails(RUN("refine", path), 4, "; give another than the file's with --name");
    expect(RUN("refine", path, "--name", "flat"), 0, "level 1");
    fails(RUN("push", path, "--name", " x"), 4, "no space at either end (invalid_argument, field name, limit 255");
    fails(RUN("refine", "crate", "--name", "x"), 2, "mesh options go with a FILE");
}

/* Runs each verb on a mesh that is called so, and gives it back its name. */
static void every_verb(const char *text, const char *id, const char *name)
{
    char moved[96], edit[96], member[64];
    write_file(moved, "moved.obj", CUBE);
    write_file(edit, "edit.json", "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}");
    snprintf(out, sizeof out, "%s/out.obj", d.dir);
    snprintf(member, sizeof member, "\"%s\"", id);
    expect(RUN("show", text), 0, id);
    expect(RUN("refine", text, "--json"), 0, member);
    expect(RUN("patches", text, "--json"), 0, member);
    expect(RUN("matrix", text), 0, "%%MatrixMarket");
    expect(RUN("bench", text, "--repeat", "1"), 0, "1 times level 1");
    expect(RUN("plan", text), 0, "level 1: ");
    expect(RUN("pull", text), 0, "# subdd control mesh");
    expect(RUN("positions", text, moved), 0, id);
    expect(RUN("edit", text, edit), 0, id);
    expect(RUN("rename", text, "another", "--json"), 0, "\"another\"");
    expect(RUN("rename", "another", name), 0, id);
    fails(RUN("rename", text, name, "--version", "1"), 4, "version_mismatch");
    expect(RUN("rm", text, "--json"), 0, member);
    fails(RUN("show", id), 4, "not_found");
}

static void test_verbs_take_names(void **state)
{
    char id[20], prefix[20];
    (void)state;
    push(cube, "the : mesh", id);
    every_verb("the : mesh", id, "the : mesh");
    push(cube, "x", id);
    snprintf(prefix, sizeof prefix, "%.14s", id);
    every_verb(prefix, id, "x");
}

static void test_ambiguous(void **state)
{
    char ids[17][20], both[4];
    int other = 0;
    (void)state;
    for (int i = 0; i < 17; i++) /* Two of them begin with the same digit. */
        push(cube, "twin", ids[i]);
    for (int i = 0; i < 17; i++)
        for (int k = i + 1; k < 17; k++)
            other = ids[i][2] == ids[k][2] ? i : other;
    snprintf(both, sizeof both, "%.3s", ids[other]);
    fails(RUN("show", "twin"), 2, "more than one mesh is called \"twin\": m_");
    fails(RUN("rm", "twin"), 2, "give the id of one, or rename it");
    fails(RUN("refine", "twin"), 2, "more than one mesh is called \"twin\"");
    fails(RUN("rm", both), 2, "; give more of it");
    fails(RUN("rm", "m_"), 4, "no mesh has the id or the name \"m_\"");
    fails(RUN("rename", "nobody", "x"), 4, "`subd ls` lists the meshes");
    struct ran r = RUN("show", "twin", "--json");
    cJSON *o = cJSON_ParseWithOpts(r.out, NULL, 1), *e = cJSON_GetObjectItem(o, "error");
    assert_int_equal(r.code, 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(e, "code")), "ambiguous");
    cJSON_Delete(o);
    ran_free(&r);
    r = RUN("ls", "--name", "twin", "--json");
    o = cJSON_ParseWithOpts(r.out, NULL, 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "meshes")), 17);
    cJSON_Delete(o);
    ran_free(&r);
    for (int i = 0; i < 17; i++)
        expect(RUN("rm", i < 16 ? ids[i] : "twin"), 0, ""); /* The last one is called so alone. */
}

/* A file here comes before a mesh of that name, a folder does not. What only looks like a file is one that is missing,
 * whatever meshes are called. */
static void test_files_come_first(void **state)
{
    static const char *const missing[] = {NULL, "a.obj", "a.USDA", "a.json", "a.pb", "a.ply", "a.GLB", "a.usdc", "a/b"};
    char path[96], ids[2][20];
    struct ran r;
    (void)state;
    push(cube, cube, ids[0]);
    push(cube, "folder", ids[1]);
    r = RUN("refine", cube, "--json");
    assert_null(strstr(r.out, ids[0]));
    expect(r, 0, "\"vertices\"");
    expect(RUN("show", cube), 0, ids[0]); /* Only some verbs take files. */
    expect(shell_run(d.dir, "mkdir folder && subd refine folder --json"), 0, ids[1]);
    fails(RUN("refine", d.dir), 6, "cannot be read: Is a directory");
    snprintf(path, sizeof path, "%s/nothing", d.dir);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        const char *name = i ? missing[i] : path;
        push(cube, name, ids[1]);
        fails(RUN("refine", name), 6, "cannot be read: No such file");
        fails(RUN("matrix", name, "--scheme", "loop"), 6, name);
        expect(RUN("refine", ids[1], "--json"), 0, ids[1]);
        expect(RUN("rm", name), 0, "");
    }
    fails(RUN("refine", "a.abc"), 4, "is neither a file here nor a mesh's id, name or beginning of an id");
}

/* What a file of this ending says about the mesh that `name` is the name of. */
static void carries(const char *name, const char *ending, const char *says)
{
    char path[96], id[20];
    size_t bytes;
    push(cube, name, id);
    snprintf(path, sizeof path, "%s/named%s", d.dir, ending);
    expect(RUN("refine", id, "-o", path), 0, "");
    char *file = slurp(path, &bytes);
    assert_non_null(file);
    if (!memmem(file, bytes, says, strlen(says)))
        fail_msg("%s of \"%s\" lacks \"%s\": %.400s", ending, name, says, file);
    if (strcmp(ending, ".stl") == 0)
        assert_int_equal(bytes, 84 + 48 * 50);
    if (strcmp(ending, ".usda") == 0)
        expect(RUN("push", path), 4, ""); /* subdd reads the head, and refuses only the scheme "none". */
    free(file);
    expect(RUN("rm", id), 0, "");
}

static void test_files_carry_the_name(void **state)
{
    static const char odd[] = "7 \"up\"\\ = #" KANJI;
    char n255[256] = "", says[600];
    (void)state;
    memset(n255, 'n', 255);
    carries("plain_1", ".usda", "    defaultPrim = \"plain_1\"\n");
    carries("plain_1", ".usda", "def Mesh \"plain_1\"\n{");
    carries(odd, ".usda", "defaultPrim = \"_7__up________\"\n");
    carries(odd, ".usda", "def Mesh \"_7__up________\" (\n    displayName = \"7 \\\"up\\\"\\\\ = #" KANJI "\"\n)\n{");
    carries(odd, ".obj", "\no 7_\"up\"__=__" KANJI "\nv ");
    carries(odd, ".ply", "\ncomment name 7 \"up\"\\ = #" KANJI "\nelement vertex 26\n");
    carries(odd, ".stl", " version 1 level 1: 7 \"up\"\\ _ #__");
    carries(odd, ".glb", "\"nodes\":[{\"mesh\":0,\"name\":\"7 \\\"up\\\"\\\\ = #" KANJI "\"}]");
    carries(odd, ".glb", "\"meshes\":[{\"name\":\"7 \\\"up\\\"\\\\ = #" KANJI "\",\"primitives\"");
    snprintf(says, sizeof says, "def Mesh \"%s\"\n{", n255);
    carries(n255, ".usda", says);
    snprintf(says, sizeof says, "\no %s\n", n255);
    carries(n255, ".obj", says);
    snprintf(says, sizeof says, "comment name %s\n", n255);
    carries(n255, ".ply", says);
    carries(n255, ".stl", "level 1: nnnn");
    snprintf(out, sizeof out, "%s/of_file.usda", d.dir);
    expect(RUN("refine", cube, "-o", out), 0, "");
    char *file = slurp(out, NULL);
    assert_non_null(strstr(file, "def Mesh \"cube\"\n")); /* A file that is pushed for the while has its name, too. */
    free(file);
    snprintf(out, sizeof out, "%s/patches.obj", d.dir);
    expect(RUN("patches", cube, "--name", "B spline", "-o", out), 0, "");
    file = slurp(out, NULL);
    assert_non_null(strstr(file, "\no B_spline\n"));
    free(file);
}

static void test_help_says_the_rule(void **state)
{
    (void)state;
    expect(RUN("--help"), 0, "MESH is an id, a name that one mesh alone has, or the beginning of an id");
    expect(RUN("show", "--help"), 0, "MESH is an id");
    expect(RUN("help", "refine"), 0, "a mesh of such a");
    expect(RUN("man"), 0, "MESH is an id");
    expect(RUN("rename", "--help"), 0, "subd rename MESH NAME");
    fails(RUN("rename", "x"), 2, "takes MESH NAME");
}

/* What is not known by its ending is not taken for OBJ. */
static void test_unknown_endings(void **state)
{
    (void)state;
    write_text(d.dir, "cube.max", CUBE);
    write_text(d.dir, "plain", CUBE);
    ran_fails(shell_run(d.dir, "subd push cube.max"), 2, "cube.max is of no format that subd reads: those are .obj,");
    ran_expect(shell_run(d.dir, "subd push - <cube.max"), 0);
    ran_expect(shell_run(d.dir, "subd push plain"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files_name_meshes),
                                       cmocka_unit_test(test_verbs_take_names),
                                       cmocka_unit_test(test_ambiguous),
                                       cmocka_unit_test(test_files_come_first),
                                       cmocka_unit_test(test_files_carry_the_name),
                                       cmocka_unit_test(test_help_says_the_rule),
                                       cmocka_unit_test(test_unknown_endings)};
    return cmocka_run_group_tests_name("http/subd_names", tests, start, stop);
}
