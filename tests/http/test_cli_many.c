/* SPDX-License-Identifier: Apache-2.0 */
/* subd refine of several files and of sequences: what is written, what is refused before anything is sent, and that one
 * that fails does not stop the rest. */
#include "tests/http/cli_run.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct daemon d;

/* Runs `subd ARGUMENTS` in the test's folder. */
static struct ran subd(const char *arguments)
{
    char script[600];
    snprintf(script, sizeof script, "subd %s", arguments);
    return shell_run(d.dir, script);
}

static int start(void **state)
{
    (void)state;
    cli_daemon_start(&d);
    struct ran r =
        shell_run(d.dir, "mkdir sub; cp cube.obj sub/\n"
                         "for i in 1 2 3 4; do sed \"s/^v \\([^ ]*\\)/v $i/\" cube.obj >shot.000$i.obj; done\n"
                         "head -n 6 cube.obj | grep ^v >few.obj; echo nonsense >broken.obj\n"
                         "printf 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n' >triangle.obj");
    ran_expect(r, 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static int n_meshes(void)
{
    cJSON *o = ran_json(subd("ls --json"), 0);
    const int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, "meshes"));
    cJSON_Delete(o);
    return n;
}

static int is_there(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", d.dir, name);
    return access(path, F_OK) == 0;
}

/* Two files of the folder have the same bytes, but for the line that names the mesh. */
static void same(const char *a, const char *b)
{
    char script[400];
    snprintf(script, sizeof script, "diff <(tail -n +2 %s) <(tail -n +2 %s)", a, b);
    ran_expect(shell_run(d.dir, script), 0);
}

/* Refused while nothing was sent: the daemon has no answer to a create to count. */
static void refuses(const char *arguments, int code, const char *says)
{
    static const char created[] = "subdd_requests_total{op=\"create\",code=\"201\"}";
    const long long before = daemon_metric(&d, created);
    assert_true(before > 0);
    ran_fails(subd(arguments), code, says);
    assert_true(daemon_metric(&d, created) == before);
    assert_int_equal(n_meshes(), 0);
}

static void test_files(void **state)
{
    struct ran r = subd("refine cube.obj triangle.obj --level 2 --out-dir made");
    (void)state;
    assert_string_equal(r.err, "");
    assert_memory_equal(r.out, "2 of 2 refined to level 2 in ", 29);
    ran_expect(r, 0);
    ran_expect(subd("refine cube.obj --level 2 -o one.obj"), 0);
    same("made/cube.obj", "one.obj");
    assert_true(is_there("made/triangle.obj"));
    ran_expect(subd("refine cube.obj --out-dir made --format glb"), 0); /* one file, and a folder that is there */
    assert_true(is_there("made/cube.glb"));
    ran_expect(shell_run(d.dir,
                         "id=$(subd push cube.obj); subd refine $id triangle.obj --out-dir made && ls made/$id.obj "
                         "&& subd rm $id"),
               0);
    assert_int_equal(n_meshes(), 0);
}

static void test_one_fails(void **state)
{
    struct ran r = subd("refine broken.obj no-such.obj cube.obj --out-dir some");
    cJSON *o, *results;
    (void)state;
    assert_non_null(strstr(r.err, "subd: broken.obj: "));
    assert_non_null(strstr(r.err, "\nsubd: no-such.obj cannot be read: No such file"));
    assert_memory_equal(r.out, "1 of 3 refined", 14);
    ran_expect(r, 4); /* that of the first failure */
    assert_true(is_there("some/cube.obj") && !is_there("some/broken.obj"));
    o = ran_json(subd("refine cube.obj no-such.obj --out-dir some --json"), 6);
    results = cJSON_GetObjectItemCaseSensitive(o, "results");
    assert_int_equal(cJSON_GetArraySize(results), 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(results->child, "input")), "cube.obj");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(results->child, "output")), "some/cube.obj");
    assert_non_null(cJSON_GetObjectItem(results->child->next, "error"));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(o, "refined")) == 1);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(o, "failed")) == 1);
    cJSON_Delete(o);
    assert_int_equal(n_meshes(), 0);
    r = subd("refine cube.obj triangle.obj --out-dir some --server http://127.0.0.1:1");
    assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1); /* told once */
    assert_memory_equal(r.out, "0 of 2 refined", 14);
    ran_expect(r, 3);
    r = subd("refine cube.obj triangle.obj --out-dir some --format stl --normals"); /* as is what both lose */
    assert_string_equal(r.err, "subd: cube.obj: .stl files cannot carry normals: left out\n");
    ran_expect(r, 0);
}

static void test_names_refused(void **state)
{
    (void)state;
    refuses("refine", 2, "takes MESH|FILE...");
    refuses("refine cube.obj triangle.obj", 2, "several files need --out-dir DIR");
    refuses("refine cube.obj triangle.obj -o x.obj", 2, "several files need --out-dir DIR");
    refuses("refine cube.obj triangle.obj -o x.obj --out-dir made", 2, "-o and --out-dir both say");
    refuses("refine cube.obj sub/cube.obj --out-dir made", 2, "two files would both become made/cube.obj");
    refuses("refine triangle.obj cube.obj --out-dir .", 2, "would be written over what it is made from");
    refuses("refine cube.obj --out-dir sub/../", 2, "would be written over what it is made from");
    refuses("refine cube.obj triangle.obj --out-dir made --format fbx", 2, "is none of .obj, .ply");
    refuses("refine cube.obj --format ply -o x.ply", 2, "--format goes with --out-dir");
    refuses("refine cube.obj - --out-dir made", 2, "stdin has no name");
    refuses("refine cube.obj triangle.obj --pose cube.obj --out-dir made", 2, "--pose goes with one mesh");
    refuses("refine cube.obj --out-dir ''", 2, "--out-dir cannot be \"\"");
    refuses("refine cube.obj --out-dir no/such/folder", 6, "the folder no/such/folder cannot be made: No such file");
    refuses("refine triangle.obj --out-dir cube.obj", 6, "cube.obj is no folder");
}

static void test_sequence(void **state)
{
    struct ran r = subd("refine --pose shot.%04d.obj --frames 1-4 --level 2 --out out.%03d.obj");
    (void)state;
    assert_string_equal(r.err, "");
    assert_memory_equal(r.out, "4 of 4 refined to level 2", 25);
    ran_expect(r, 0);
    for (int i = 1; i <= 4; i++) {
        char command[160], a[32], b[32];
        snprintf(command, sizeof command,
                 "refine cube.obj --name shot.0001 --pose shot.000%d.obj --level 2 -o alone%d.obj", i, i);
        ran_expect(subd(command), 0);
        snprintf(a, sizeof a, "alone%d.obj", i);
        snprintf(b, sizeof b, "out.00%d.obj", i);
        same(a, b);
    }
    ran_expect(subd("refine cube.obj --pose shot.%04d.obj --frames 2-3 --level 2 --out-dir posed --format ply"), 0);
    assert_true(is_there("posed/shot.0002.ply") && is_there("posed/shot.0003.ply") && !is_there("posed/shot.0001.ply"));
    ran_expect(subd("refine --pose shot.%04d.obj --frames 3 --out-dir single"), 0);
    assert_true(is_there("single/shot.0003.obj"));
    ran_expect(shell_run(d.dir, "id=$(subd push cube.obj); subd refine $id --pose shot.%04d.obj --frames 1-2 -o "
                                "byid.%01d.obj && subd show $id && subd rm $id"),
               0);
    same("byid.1.obj", "single/../byid.1.obj");
    assert_int_equal(n_meshes(), 0);
}

/* A frame with other points is named, and the others are made. */
static void test_sequence_one_fails(void **state)
{
    struct ran r;
    (void)state;
    ran_expect(shell_run(d.dir, "cp shot.0001.obj odd.1.obj; cp few.obj odd.2.obj; cp shot.0002.obj odd.3.obj"), 0);
    r = subd("refine --pose odd.%01d.obj --frames 1-3 -o even.%01d.obj");
    assert_memory_equal(r.err, "subd: odd.2.obj: 6 vertices are given; the mesh has 8", 53);
    assert_memory_equal(r.out, "2 of 3 refined", 14);
    ran_expect(r, 4);
    assert_true(is_there("even.1.obj") && !is_there("even.2.obj") && is_there("even.3.obj"));
    assert_int_equal(n_meshes(), 0);
}

static void test_sequence_refused(void **state)
{
#define POSE "refine --pose shot.%04d.obj --frames "
    (void)state;
    refuses(POSE "1-6 -o gap.%04d.obj", 6,
            "frame 5 of 1-6 is missing: shot.0005.obj: No such file or directory. Nothing was sent; make that file, or "
            "ask with --frames for frames that are there");
    assert_false(is_there("gap.0001.obj"));
    refuses(POSE "0-3 -o gap.%04d.obj", 6, "frame 0 of 0-3 is missing");
    refuses(POSE "3-1 -o x.%04d.obj", 2, "--frames cannot be \"3-1\"; it takes A-B");
    refuses(POSE "1- -o x.%04d.obj", 2, "--frames cannot be \"1-\"");
    refuses(POSE "-3 -o x.%04d.obj", 2, "--frames cannot be \"-3\"");
    refuses(POSE "1-2x -o x.%04d.obj", 2, "--frames cannot be \"1-2x\"");
    refuses(POSE "1-100001 -o x.%04d.obj", 2, "at most 100,000 frames");
    refuses(POSE "1-99999999999999999999 -o x.%04d.obj", 2, "--frames cannot be");
    refuses(POSE "1-3", 2, "--frames needs -o PATTERN or --out-dir DIR");
    refuses(POSE "1-3 -o x.obj", 2, "-o has exactly one %0Nd for the number of the frame, as in shot.%04d.obj, which");
    refuses(POSE "1-3 -o x.%04d.%04d.obj", 2, "-o has exactly one %0Nd");
    refuses(POSE "1-3 -o shot.%04d.obj", 2, "would be written over what it is made from");
    refuses(POSE "1-3 -o x.%04d.fbx", 2, "is none of .obj");
    refuses("refine --pose shot.%s.obj --frames 1-3 -o x.%04d.obj", 2, "--pose has exactly one %0Nd");
    refuses("refine --pose shot.%4d.obj --frames 1-3 -o x.%04d.obj", 2, "--pose has exactly one %0Nd");
    refuses("refine --pose shot.%00d.obj --frames 1-3 -o x.%04d.obj", 2, "--pose has exactly one %0Nd");
    refuses("refine --pose %n%0 --frames 1-3 -o x.%04d.obj", 2, "--pose has exactly one %0Nd");
    refuses("refine --pose shot.0001.obj --frames 1-3 -o x.%04d.obj", 2, "--pose has exactly one %0Nd");
    refuses("refine --frames 1-3 -o x.%04d.obj", 2, "--frames goes with --pose PATTERN");
    refuses("refine cube.obj triangle.obj --pose shot.%04d.obj --frames 1-3 --out-dir x", 2, "at most one MESH|FILE");
    refuses("refine cube.obj --pose shot.%04d.obj", 2, "--frames A-B says which frames");
    assert_false(is_there("x"));
}

/* On a terminal a line says which of how many is under way, and does not stay. */
static void test_progress(void **state)
{
    struct ran r = terminal_run(d.dir, "subd refine cube.obj shot.0001.obj shot.0002.obj --level 9 --out-dir long");
    (void)state;
    assert_non_null(strstr(r.out, "2 of 3 shot.0001.obj"));
    const char *last = strrchr(r.out, '\033');
    assert_memory_equal(last, "\033[K3 of 3 refined to level 9 in ", 27);
    ran_expect(r, 0);
}

/* It ends the whole, the file under way does not appear, and no mesh stays. */
static void test_ctrl_c(void **state)
{
    struct ran r;
    (void)state;
    ran_expect(shell_run(d.dir, "cp cube.obj long.obj"), 0);
    char first[128], second[128], third[128], folder[128];
    snprintf(first, sizeof first, "%s/cube.obj", d.dir);
    snprintf(second, sizeof second, "%s/long.obj", d.dir);
    snprintf(third, sizeof third, "%s/shot.0001.obj", d.dir);
    snprintf(folder, sizeof folder, "%s/stopped", d.dir);
    spawn_run(&r, d.dir, "subd",
              (const char *const[]){"refine", first, second, third, "--level", "10", "--out-dir", folder, NULL}, NULL,
              300);
    ran_expect(r, 130);
    assert_false(is_there("stopped/shot.0001.obj"));
    ran_expect(shell_run(d.dir, "! ls stopped | grep -v 'obj$'"), 0);
    assert_int_equal(n_meshes(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_one_fails),
        cmocka_unit_test(test_names_refused),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_sequence_one_fails),
        cmocka_unit_test(test_sequence_refused),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_ctrl_c),
    };
    return cmocka_run_group_tests_name("cli_many", tests, start, stop);
}
