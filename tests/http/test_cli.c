/* SPDX-License-Identifier: Apache-2.0 */
/* subd, the command line, as a user or a script meets it: output, files, exit codes. */
#include "tests/env.h"
#include "tests/http/canned.h"
#include "tests/http/cli_run.h"
#include "tests/http/daemon.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define expect ran_expect
#define fails ran_fails
#define json ran_json
#define RUN(...) spawn_subd(served.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon served;
static char url[64];
static char cube[96], moved[96], textured[96], broken[96], out[96], ply[96];

static void write_file(char *path, const char *name, const char *text)
{
    FILE *f;
    snprintf(path, 96, "%s/%s", served.dir, name);
    assert_non_null(f = fopen(path, "w"));
    fputs(text, f);
    fclose(f);
}

static int start(void **state)
{
    static const char faces[] = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    char text[600];
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    setenv("SUBD_SERVER", url, 1);
    snprintf(text, sizeof text,
             "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n%s", faces);
    write_file(cube, "cube.obj", text);
    snprintf(text, sizeof text,
             "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1.25\n%s", faces);
    write_file(moved, "moved.obj", text);
    write_file(textured, "textured.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n"
               "t facevaryinginterpolateboundary 1/0/0 5\n");
    write_file(broken, "broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    snprintf(out, sizeof out, "%s/out.obj", served.dir);
    snprintf(ply, sizeof ply, "%s/out.ply", served.dir);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&served);
    return 0;
}

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    assert_true(cJSON_IsNumber(v));
    return v->valuedouble;
}

static const char *text(const cJSON *o, const char *key)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    assert_non_null(s);
    return s;
}

static int error_is(struct ran r, int code, const char *kind, const char *problem)
{
    cJSON *o = json(r, code), *e = cJSON_GetObjectItemCaseSensitive(o, "error");
    int same;
    assert_non_null(e);
    assert_int_equal(number(e, "exit"), code);
    assert_true(*text(e, "message"));
    same = strcmp(text(e, "kind"), kind) == 0 && (!problem || strcmp(text(e, "code"), problem) == 0);
    cJSON_Delete(o);
    return same;
}

static void push(char *id, const char *path)
{
    struct ran r = RUN("push", path);
    assert_int_equal(strcspn(r.out, "\n") + 1, strlen(r.out)); /* just the id */
    snprintf(id, 64, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    expect(r, 0);
}

static int n_meshes(void)
{
    cJSON *o = json(RUN("ls", "--json"), 0);
    int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, "meshes"));
    cJSON_Delete(o);
    return n;
}

/* Files in the test's folder whose name begins like this. */
static int n_files(const char *prefix)
{
    DIR *d = opendir(served.dir);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    closedir(d);
    return n;
}

static void test_help(void **state)
{
    static const char *const verbs[] = {"push", "refine", "positions", "edit",  "ls",      "show",   "rm",    "pull",
                                        "plan", "stat",   "health",    "bench", "patches", "matrix", "rename"};
    struct ran all = RUN("--help");
    (void)state;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct ran r = RUN(verbs[i], "--help");
        assert_non_null(strstr(all.out, verbs[i]));
        assert_non_null(strstr(r.out, "--server"));
        expect(r, 0);
    }
    expect(all, 0);
    expect(RUN("--version"), 0);
}

static void test_usage_errors(void **state)
{
    (void)state;
    fails(RUN("frobnicate"), 2, "frobnicate");
    fails(RUN("show"), 2, "takes MESH");
    fails(RUN("show", "../../etc"), 4, "no mesh has the id or the name \"../../etc\"");
    fails(RUN("refine", "nofile"), 4, "neither a file here nor a mesh's id, name or beginning");
    expect(spawn_subd(served.dir, (const char *const[]){NULL}, NULL), 2);
    fails(RUN("show", "a", "b"), 2, "takes MESH");
    fails(RUN("ls", "--level", "3"), 2, "no option --level");
    fails(RUN("refine", cube, "--level", "0"), 2, "--level");
    fails(RUN("refine", cube, "--level", "3x"), 2, "\"3x\"; it takes a whole number from 1 to 15");
    fails(RUN("refine", cube, "--nonsense"), 2, "--nonsense");
    fails(RUN("refine", cube, "--level"), 2, "--level");
    fails(RUN("refine", cube, "-o", "out.fbx"), 2, "none of .obj, .ply, .usda, .glb, .stl");
    fails(RUN("refine", "m_0", "--scheme", "loop"), 2, "mesh options go with a FILE");
    fails(RUN("ls", "--server", "gopher://x"), 2, "http");
    assert_true(error_is(RUN("refine", cube, "--json", "-o", "-"), 2, "usage", NULL));
    assert_true(error_is(RUN("nonsense", "--json"), 2, "usage", NULL));
}

/* A web server that is no subdd, and an stdout that takes nothing. */
static void test_wrong_world(void **state)
{
    static const struct canned page = {
        .bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"};
    const struct canned pages[] = {page};
    static const char *const verbs[] = {"health", "rm", "pull", "stat"};
    char command[300];
    (void)state;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        canned_server *s = canned_start(pages, 1);
        const char *arguments[] = {verbs[i], "--server", canned_url(s), i == 1 || i == 2 ? "m_0" : NULL, NULL};
        fails(spawn_subd(served.dir, arguments, NULL), 7, "as no subdd does");
        free(canned_stop(s));
    }
    snprintf(command, sizeof command, "%s/subd stat >/dev/full 2>%s", test_bin_dir(), out);
    assert_int_equal(WEXITSTATUS(system(command)), 6);
    char *said = slurp(out, NULL);
    assert_string_equal(said, "subd: stdout cannot be written\n");
    free(said);
}

/* Over the JSON limit: the server's limit is told, and nothing that it did not say. */
static void test_limit_is_told(void **state)
{
    char path[96], *big = malloc(1100001);
    struct ran r;
    (void)state;
    memset(big, ' ', 1100000);
    big[1100000] = 0;
    write_file(path, "big.json", big);
    free(big);
    r = RUN("push", path);
    assert_non_null(strstr(r.err, "limit 1,048,576"));
    assert_null(strstr(r.err, "has 0"));
    expect(r, 4);
}

static void test_exit_codes(void **state)
{
    (void)state;
    fails(RUN("ls", "--server", "http://127.0.0.1:1"), 3, "cannot reach");
    assert_true(error_is(RUN("ls", "--server", "http://127.0.0.1:1", "--json"), 3, "network", NULL));
    fails(RUN("show", "m_0000000000000000"), 4, "not_found");
    fails(RUN("push", broken), 4, "HTTP 4");
    assert_true(error_is(RUN("show", "m_0000000000000000", "--json"), 4, "http", "not_found"));
    fails(RUN("push", cube, "--scheme", "loopy"), 4, "catmullClark, loop, bilinear, sqrt3");
    fails(RUN("push", cube, "--scheme", "sqrt3"), 4, "face 0 has 4 corners; scheme sqrt3 takes triangles alone");
    fails(RUN("push", cube, "--scheme", "loop"), 4, "face 0 has 4 corners; scheme loop takes triangles alone");
    fails(RUN("push", "no/such/file.obj"), 6, "No such file");
    fails(RUN("ls", "--token-file", "no/such/file"), 6, "token file");
}

/* The id alone is printed, for scripts; the figures are in the JSON. */
static void test_reorder(void **state)
{
    char id[64], path[96], *grid = grid_obj(9);
    struct ran r;
    cJSON *o;
    (void)state;
    write_file(path, "grid.obj", grid);
    free(grid);
    r = RUN("push", path, "--reorder", "rcm");
    assert_int_equal(strlen(r.out), 19);
    snprintf(id, sizeof id, "%.18s", r.out);
    assert_string_equal(r.err, "");
    expect(r, 0);
    expect(RUN("rm", id), 0);
    o = json(RUN("push", path, "--reorder", "rcm", "--json"), 0);
    assert_int_equal(number(o, "bandwidthBefore"), 11);
    assert_true(number(o, "bandwidthAfter") > 0);
    expect(RUN("rm", text(o, "id")), 0);
    cJSON_Delete(o);
    r = RUN("refine", path, "--reorder", "rcm", "--level", "2");
    assert_non_null(strstr(r.out, "level 2: 1,369 vertices"));
    expect(r, 0);
    fails(RUN("push", path, "--reorder", "amd"), 4, "none or rcm");
    fails(RUN("refine", "m_0", "--reorder", "rcm"), 2, "mesh options go with a FILE");
    fails(RUN("show", "m_0000000000000000", "--reorder", "rcm"), 2, "no option --reorder");
}

/* What a file loses is told in words, all of it; --strict refuses the file, for every verb that pushes one. */
static void test_losses(void **state)
{
    static const char damaged[] =
        "{\"points\":[0,0,0,1,0,0,1,1,0,0,1,0],\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,2,3],"
        "\"upAxis\":\"Z\",\"metersPerUnit\":0.01,\"holeIndices\":[7],\"primvars\":["
        "{\"name\":\"a\",\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"b\",\"interpolation\":\"vertex\","
        "\"values\":[1]},{\"name\":\"c\",\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"d\","
        "\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"e\",\"interpolation\":\"vertex\",\"values\":[1]},"
        "{\"name\":\"f\",\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"g\",\"interpolation\":\"vertex\","
        "\"values\":[1]},{\"name\":\"h\",\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"set\","
        "\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[1],\"setNames\":[\"Holz\"]}]}";
    char path[128], says[64], id[64];
    (void)state;
    write_file(path, "damaged.json", damaged);
    struct ran r = RUN("push", path);
    assert_non_null(strstr(r.err, "holeIndices[0] is face 7 of 1; it is left out\n"));
    for (int name = 'a'; name <= 'h'; name++) {
        snprintf(says, sizeof says, "vertex %c wants 4; primvar %c is left out\n", name, name);
        assert_non_null(strstr(r.err, says));
    }
    snprintf(id, sizeof id, "%.18s", r.out);
    expect(r, 0);
    r = RUN("show", id);
    assert_non_null(strstr(r.out, "uniform, 1 i32 a row, 1 rows, 1 named sets"));
    assert_non_null(strstr(r.out, "metersPerUnit"));
    expect(r, 0);
    cJSON *o = json(RUN("push", path, "--json"), 0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "warnings")), 9);
    assert_string_equal(cJSON_GetObjectItem(o, "upAxis")->valuestring, "Z");
    cJSON_Delete(o);
    fails(RUN("push", path, "--strict"), 4, "holeIndices[0] is face 7 of 1");
    fails(RUN("refine", path, "--strict"), 4, "holeIndices[0] is face 7 of 1");
    fails(RUN("refine", "m_0", "--strict"), 2, "mesh options go with a FILE");
    fails(RUN("show", "m_0", "--strict"), 2, "no option --strict");
}

static void test_mesh_verbs(void **state)
{
    char id[64], edit[96];
    struct ran r;
    cJSON *o;
    (void)state;
    push(id, cube);
    o = json(RUN("show", id, "--json"), 0);
    assert_string_equal(text(o, "id"), id);
    assert_int_equal(number(o, "vertices"), 8);
    assert_string_equal(text(cJSON_GetObjectItem(o, "options"), "interpolateBoundary"), "edgeAndCorner");
    cJSON_Delete(o);
    o = json(RUN("positions", id, moved, "--json"), 0);
    assert_int_equal(number(o, "version"), 2);
    cJSON_Delete(o);
    fails(RUN("positions", id, moved, "--version", "1"), 4, "current version 2");
    write_file(edit, "edit.json", "{\"edits\": [{\"setCreases\": {\"edges\": [0, 1], \"sharpnesses\": [2.5]}}]}");
    o = json(RUN("edit", id, edit, "--json"), 0);
    assert_int_equal(number(cJSON_GetObjectItem(o, "mesh"), "version"), 3);
    assert_true(cJSON_IsArray(cJSON_GetObjectItem(o, "newVertexIds")));
    cJSON_Delete(o);
    assert_true(error_is(RUN("edit", id, edit, "--version", "2", "--json"), 4, "http", "version_mismatch"));
    r = RUN("pull", id);
    assert_non_null(strstr(r.out, "v 1 1 1.25\n"));
    assert_non_null(strstr(r.out, "t crease 2/1/0 0 1 2.5\n"));
    expect(r, 0);
    o = json(RUN("plan", id, "--level", "4", "--json"), 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "fits")));
    assert_int_equal(number(o, "vertices"), 1538);
    cJSON_Delete(o);
    expect(RUN("plan", id, "--level", "4"), 0);
    expect(RUN("show", id), 0);
    r = RUN("ls");
    assert_non_null(strstr(r.out, id));
    expect(r, 0);
    expect(RUN("rm", id), 0);
    fails(RUN("rm", id), 4, "not_found");
}

static void test_daemonverbs(void **state)
{
    cJSON *o = json(RUN("stat", "--json"), 0);
    (void)state;
    assert_true(*text(o, "version"));
    cJSON_Delete(o);
    o = json(RUN("health", "--json"), 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "ready")));
    cJSON_Delete(o);
    expect(RUN("stat"), 0);
    expect(RUN("health"), 0);
}

/* The v lines of an OBJ must read back as the very floats of the PLY. */
static void same_vertices(const char *obj, const char *binary, int n)
{
    const char *v = obj, *header = strstr(binary, "end_header\n");
    assert_non_null(header);
    header += 11;
    for (int i = 0; i < n; i++) {
        assert_non_null(v = strstr(v, "\nv "));
        v += 3;
        for (int k = 0; k < 3; k++) {
            char *end;
            float f = strtof(v, &end);
            assert_memory_equal(&f, header + 24 * i + 4 * k, 4); /* normals lie between */
            v = end;
        }
    }
}

static void test_refine_writes_obj_and_ply(void **state)
{
    char id[64], *obj, *binary;
    size_t obj_bytes, bytes;
    cJSON *o;
    (void)state;
    push(id, moved);
    o = json(RUN("refine", id, "--level", "4", "--normals", "-o", out, "--json"), 0);
    assert_int_equal(number(o, "vertices"), 1538);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "blocks")), 4); /* normals have indices */
    expect(RUN("refine", id, "--level", "4", "--normals", "-o", ply), 0);
    assert_non_null(obj = slurp(out, &obj_bytes));
    assert_non_null(binary = slurp(ply, &bytes));
    assert_int_equal(number(o, "outputBytes"), obj_bytes);
    same_vertices(obj, binary, 1538);
    assert_non_null(strstr(obj, "\nvn "));
    assert_non_null(strstr(obj, "\nf 1//1 "));
    assert_int_equal(strstr(binary, "end_header\n") + 11 - binary + 1538 * 24 + 1536 * 17, bytes);
    assert_int_equal(n_files("out.obj"), 1); /* no temporary stays */
    free(obj);
    free(binary);
    cJSON_Delete(o);
    expect(RUN("rm", id), 0);
}

static void test_refine_file_leaves_nothing_behind(void **state)
{
    int before = n_meshes();
    struct ran r = RUN("refine", cube, "--level", "2", "--interpolate-boundary", "edgeOnly", "-o", "-");
    char gone[96], *kept;
    (void)state;
    assert_true(*r.out == '#' && strstr(r.out, "\nv ") && strstr(r.out, "\nf "));
    expect(r, 0);
    assert_int_equal(n_meshes(), before);
    r = spawn_subd(served.dir, (const char *const[]){"refine", "-", "--level", "1", NULL},
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_non_null(strstr(r.out, "7 vertices"));
    expect(r, 0);
    write_file(gone, "kept.obj", "as it was");
    fails(RUN("refine", cube, "--level", "15", "-o", gone), 4, "level");
    fails(RUN("refine", broken, "-o", gone), 4, "HTTP 4");
    fails(RUN("refine", cube, "-o", "/no/such/folder/x.obj"), 6, "/no/such/folder/x.obj");
    assert_non_null(kept = slurp(gone, NULL));
    assert_string_equal(kept, "as it was");
    free(kept);
    assert_int_equal(n_files("kept.obj"), 1);
    assert_int_equal(n_meshes(), before);
}

static void test_uvs(void **state)
{
    char cut[96];
    struct ran r = RUN("refine", textured, "--level", "2", "-o", out);
    char *obj = slurp(out, NULL);
    (void)state;
    assert_string_equal(r.err, "");
    expect(r, 0);
    assert_non_null(obj);
    assert_non_null(strstr(obj, "\nvt 0 0\n"));
    assert_non_null(strstr(obj, "\nf 1/1 "));
    free(obj);
    r = RUN("refine", textured, "--level", "2", "-o", ply);
    expect(r, 0);
    r = RUN("refine", textured, "--level", "2", "-o", out, "--face-varying-linear-interpolation", "cornersPlus1");
    assert_string_equal(r.err, "");
    expect(r, 0);
    assert_non_null(obj = slurp(out, NULL));
    assert_non_null(strstr(obj, "\nvt "));
    free(obj);
    write_file(cut, "cut.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 0.9 0\nvt 0 0.9\nf 1/1 2/2 3/3\n");
    r = RUN("refine", cut, "-o", out, "--scheme", "sqrt3", "--face-varying-linear-interpolation", "all", "--level",
            "1");
    assert_string_equal(r.err, "");
    expect(r, 0);
    assert_non_null(obj = slurp(out, NULL));
    assert_non_null(strstr(obj, "\nf 1/1 2/2 4/3\nf 2/4 3/5 4/6\nf 3/7 1/8 4/9\n"));
    free(obj);
    r = RUN("refine", cut, "-o", out, "--scheme", "sqrt3", "--face-varying-linear-interpolation", "none");
    assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1); /* one line, and the result is there */
    assert_non_null(strstr(r.err, "UVs are left out"));
    expect(r, 0);
    assert_non_null(obj = slurp(out, NULL));
    assert_null(strstr(obj, "vt"));
    free(obj);
}

/* Three triangles at an edge: told as such, refined by the engine that can, refused in one sentence by the other. */
static void test_not_manifold(void **state)
{
    char odd[96], id[64];
    struct ran r;
    cJSON *o;
    (void)state;
    write_file(odd, "odd.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n");
    push(id, odd);
    r = RUN("show", id);
    assert_non_null(strstr(r.out, "; not manifold\n"));
    expect(r, 0);
    o = json(RUN("show", id, "--json"), 0);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(o, "manifold")));
    cJSON_Delete(o);
    r = RUN("plan", id, "--level", "3");
    assert_non_null(strstr(r.out, " by mesh-matrix\n"));
    expect(r, 0);
    expect(RUN("refine", id, "--level", "3", "--surface", "limit", "--normals", "-o", out), 0);
    fails(RUN("refine", id, "--method", "edge-friend"), 4, "edge (0, 1) is not manifold: more than two faces use it");
    fails(RUN("plan", id, "--method", "edge-friend"), 4,
          "engine edge-friend does not do meshes that are not manifold under catmullClark; engines that do: "
          "mesh-matrix and tabulated and subdivision-matrix (unsupported");
    expect(RUN("rm", id), 0);
    r = RUN("refine", cube, "--scheme", "bilinear", "--level", "2", "-o", out);
    assert_non_null(strstr(r.out, " by mesh-matrix on "));
    expect(r, 0);
    expect(RUN("refine", odd, "--scheme", "bilinear", "--level", "2", "-o", out), 0);
}

static void test_ctrl_c(void **state)
{
    static const int delays[] = {30, 120, 400};
    int before = n_meshes();
    (void)state;
    unlink(out);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        struct ran r;
        spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", cube, "--level", "10", "-o", out, NULL}, NULL,
                  delays[i]);
        expect(r, 130);
        assert_int_equal(n_files("out.obj"), 0);
        assert_int_equal(n_meshes(), before);
    }
}

static void test_bench(void **state)
{
    cJSON *o = json(RUN("bench", cube, "--level", "2", "--repeat", "20", "--json"), 0);
    (void)state;
    assert_int_equal(number(o, "repeats"), 20);
    assert_true(number(o, "medianMs") > 0 && number(o, "p99Ms") >= number(o, "medianMs"));
    cJSON_Delete(o);
    expect(RUN("bench", cube, "--level", "2", "--repeat", "3"), 0);
}

static void test_tokens(void **state)
{
    char tokens[96], file[96], token[256], guarded_url[64];
    const char *options[] = {"--tokens-file", tokens, NULL};
    const char *make[] = {"--tokens-file", tokens, "--new-token", "me:read,edit", NULL};
    struct daemon guarded = {0};
    (void)state;
    snprintf(tokens, sizeof tokens, "%s/tokens", served.dir);
    assert_int_equal(daemon_run(make, token, sizeof token), 0);
    write_file(file, "token", token);
    token[strcspn(token, "\n")] = 0;
    daemon_start(&guarded, options);
    snprintf(guarded_url, sizeof guarded_url, "http://127.0.0.1:%d", guarded.port);
    fails(RUN("ls", "--server", guarded_url), 4, "unauthorized");
    expect(RUN("ls", "--server", guarded_url, "--token-file", file), 0);
    setenv("SUBD_TOKEN", token, 1);
    expect(RUN("ls", "--server", guarded_url), 0);
    setenv("SUBD_TOKEN", "wrong", 1);
    fails(RUN("push", cube, "--server", guarded_url), 4, "unauthorized");
    unsetenv("SUBD_TOKEN");
    daemon_stop(&guarded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_wrong_world),
        cmocka_unit_test(test_limit_is_told),
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_mesh_verbs),
        cmocka_unit_test(test_daemonverbs),
        cmocka_unit_test(test_refine_writes_obj_and_ply),
        cmocka_unit_test(test_refine_file_leaves_nothing_behind),
        cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_not_manifold),
        cmocka_unit_test(test_ctrl_c),
        cmocka_unit_test(test_bench),
        cmocka_unit_test(test_tokens),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
