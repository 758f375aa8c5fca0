/* SPDX-License-Identifier: Apache-2.0 */
/* Patches as a client meets them: libsubd's frame and evaluation against refined with surface=limit, and `subd patches`
 * with its table and files. */
#include "client/lib/subd_patches.h"
#include "subdd.pb-c.h"
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(served.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon served;
static char url[64];
static subd_client *client;

static int start(void **state)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    setenv("SUBD_SERVER", url, 1);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&served);
    return 0;
}

static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s: %s (%s)", subd_code_name(rc), err->text, err->problem);
}

static struct subd_mesh_info push(const char *obj)
{
    struct subd_body body = {"model/obj", obj, strlen(obj)};
    struct subd_mesh_info info;
    struct subd_error err;
    ok(subd_push(client, &body, NULL, &info, &err), &err);
    return info;
}

static const void *rows_of(const struct subd_frame *f, int semantic)
{
    const struct subd_block *b = subd_frame_find(f, semantic);
    assert_non_null(b);
    return b->data;
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

struct control { /* where the cells of a control face are among the refined faces */
    int n_faces;
    int *sizes, *first; /* corners, and the row of the first among those that are shown */
    int n_visible;
};

static void read_control(struct control *c, const char *id)
{
    Subdd__V1__Mesh *mesh;
    struct subd_error err;
    char *data;
    size_t bytes;
    ok(subd_cage(client, id, "application/protobuf", &data, &bytes, &err), &err);
    mesh = subdd__v1__mesh__unpack(NULL, bytes, (const uint8_t *)data);
    assert_non_null(mesh);
    c->n_faces = (int)(mesh->face_vertex_counts.len / 4);
    c->sizes = calloc((size_t)c->n_faces + 1, sizeof(int));
    c->first = calloc((size_t)c->n_faces + 1, sizeof(int));
    c->n_visible = 0;
    assert_true(c->sizes && c->first);
    memcpy(c->sizes, mesh->face_vertex_counts.data, mesh->face_vertex_counts.len);
    for (size_t i = 0; i < mesh->hole_indices.len / 4; i++) {
        int32_t hole;
        memcpy(&hole, mesh->hole_indices.data + 4 * i, 4);
        c->first[hole] = -1;
    }
    for (int f = 0; f < c->n_faces; f++)
        if (c->first[f] == 0) {
            c->first[f] = c->n_visible;
            c->n_visible += c->sizes[f];
        }
    subdd__v1__mesh__free_unpacked(mesh, NULL);
    free(data);
}

struct tile { /* a row of parameters */
    int face, corner, u, v, level, polygon;
};

static struct tile tile_of(const uint32_t row[4])
{
    return (struct tile){(int)row[0],
                         (int)row[1],
                         (int)(row[2] & 0xFFFF),
                         (int)(row[2] >> 16),
                         (int)(row[3] & SUBD_PATCH_LEVEL_MASK),
                         (row[3] & SUBD_PATCH_OF_POLYGON) != 0};
}

/* The refined face (grid order) of cell (x, y) on the grid that the tile's u, v count on, at level L; *turn: the
 * refined face's corner 0 is the cell's corner *turn. */
static int64_t cell_row(const struct control *c, const struct tile *t, int L, int x, int y, int *turn)
{
    int m = 1 << (L - 1), n = 2 * m, k = t->corner, i = x, j = y;
    assert_true(t->face >= 0 && t->face < c->n_faces && c->first[t->face] >= 0 && k < c->sizes[t->face]);
    assert_int_equal(t->polygon, c->sizes[t->face] != 4);
    *turn = 0;
    if (!t->polygon) { /* the whole face: each quadrant counts from its own corner */
        k = x < m ? (y < m ? 0 : 3) : (y < m ? 1 : 2);
        i = k == 0 ? x : k == 1 ? y : k == 2 ? n - 1 - x : n - 1 - y;
        j = k == 0 ? y : k == 1 ? n - 1 - x : k == 2 ? n - 1 - y : x;
        *turn = k;
    }
    assert_true(i >= 0 && i < m && j >= 0 && j < m);
    return ((int64_t)(c->first[t->face] + k) * m + j) * m + i;
}

struct comparison {
    struct control control;
    struct subd_frame patches, limit;
    unsigned char *seen; /* a refined face */
    double tolerance;
    int64_t compared;
    const char *name;
};

static void near(const struct comparison *c, const float *got, const float *due, int64_t patch)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs((double)got[k] - (double)due[k]) <= c->tolerance))
            fail_msg("%s: patch %lld gives %.9g, the limit is %.9g", c->name, (long long)patch, (double)got[k],
                     (double)due[k]);
}

/* One refined cell that a patch covers: its corners are points of the patch, and where the surface has a normal it is
 * the patch's. */
static void compare_cell(struct comparison *c, int64_t patch, const uint32_t *params, int x, int y)
{
    static const int du_of[4] = {0, 1, 1, 0}, dv_of[4] = {0, 0, 1, 1};
    const float(*points)[3] = rows_of(&c->limit, SUBD_POSITIONS), (*normals)[3] = rows_of(&c->limit, SUBD_NORMALS);
    const uint32_t(*faces)[4] = rows_of(&c->limit, SUBD_INDICES);
    struct tile t = tile_of(params);
    int cells = 1 << (c->limit.level - t.level), turn;
    int64_t row = cell_row(&c->control, &t, c->limit.level, t.u * cells + x, t.v * cells + y, &turn);
    assert_true(row < c->limit.faces);
    c->seen[row]++;
    for (int q = 0; q < 4; q++) {
        uint32_t vertex = faces[row][(q + 4 - turn) % 4];
        float p[3], du[3], dv[3], u = (float)(x + du_of[q]) / (float)cells, v = (float)(y + dv_of[q]) / (float)cells;
        assert_int_equal(subd_patch_evaluate(&c->patches, patch, u, v, p, du, dv), SUBD_OK);
        near(c, p, points[vertex], patch);
        double n[3] = {(double)du[1] * (double)dv[2] - (double)du[2] * (double)dv[1],
                       (double)du[2] * (double)dv[0] - (double)du[0] * (double)dv[2],
                       (double)du[0] * (double)dv[1] - (double)du[1] * (double)dv[0]},
               length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), cosine = 0;
        for (int k = 0; k < 3; k++)
            cosine += n[k] / length * (double)normals[vertex][k];
        if (!(params[3] & SUBD_PATCH_BOUNDARY * 15) && length * cells * cells > 1e3 * c->tolerance && cosine < 0.999)
            fail_msg("%s: the normal of patch %lld is off by acos %g", c->name, (long long)patch, cosine);
        c->compared++;
    }
}

/* What is left as faces: the refined cell with its very bits. */
static void compare_face(struct comparison *c, int64_t face, const uint32_t *params)
{
    const float(*points)[3] = rows_of(&c->limit, SUBD_POSITIONS), (*mine)[3] = rows_of(&c->patches, SUBD_POSITIONS);
    const uint32_t(*faces)[4] = rows_of(&c->limit, SUBD_INDICES), (*rows)[4] = rows_of(&c->patches, SUBD_INDICES);
    struct tile t = tile_of(params);
    int turn;
    int64_t row = cell_row(&c->control, &t, c->limit.level, t.u, t.v, &turn);
    c->seen[row]++;
    for (int q = 0; q < 4; q++)
        assert_memory_equal(mine[rows[face][q]], points[faces[row][(q + 4 - turn) % 4]], 12);
}

static void compare_all(struct comparison *c)
{
    const uint32_t(*params)[4] = rows_of(&c->patches, SUBD_PATCH_PARAMS);
    const uint32_t(*left)[4] = rows_of(&c->patches, SUBD_FACE_PARAMS);
    int64_t n = subd_frame_find(&c->patches, SUBD_PATCHES)->count,
            n_left = subd_frame_find(&c->patches, SUBD_INDICES)->count;
    for (int64_t i = 0; i < n; i++) {
        int cells = 1 << (c->limit.level - (int)(params[i][3] & SUBD_PATCH_LEVEL_MASK));
        for (int k = 0; k < cells * cells; k++)
            compare_cell(c, i, params[i], k % cells, k / cells);
    }
    for (int64_t i = 0; i < n_left; i++)
        compare_face(c, i, left[i]);
    for (int64_t i = 0; i < c->limit.faces; i++) /* without holes, and nothing twice */
        if (c->seen[i] != 1)
            fail_msg("%s: the cell %lld is covered %d times", c->name, (long long)i, c->seen[i]);
}

/* Patches and faces of `level` against the limit of the same level, point by point. Returns how many were compared. */
static int64_t compare(const char *name, const struct subd_mesh_info *info, int level)
{
    struct subd_patches ask = SUBD_INIT(subd_patches, .level = level, .surface = "limit");
    struct subd_refine refine =
        SUBD_INIT(subd_refine, .level = level, .surface = "limit",
                  .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS, .method = "mesh-matrix");
    struct comparison c = {.name = name};
    struct subd_error err;
    ok(subd_patches(client, info->id, &ask, &c.patches, &err), &err);
    ok(subd_refine(client, info->id, &refine, &c.limit, &err), &err);
    read_control(&c.control, info->id);
    const float *p = rows_of(&c.limit, SUBD_POSITIONS);
    for (int64_t i = 0; i < 3 * c.limit.vertices; i++)
        c.tolerance = fmax(c.tolerance, 4e-6 * fabs((double)p[i]));
    c.seen = calloc((size_t)c.limit.faces + 1, 1);
    assert_non_null(c.seen);
    if (c.limit.faces == (int64_t)c.control.n_visible << 2 * (level - 1))
        compare_all(&c);
    else if (strcmp(info->options[SUBD_INTERPOLATE_BOUNDARY], "none")) /* that one takes more away than the holes */
        fail_msg("%s: %lld faces for %d corners", name, (long long)c.limit.faces, c.control.n_visible);
    free(c.seen);
    free(c.control.sizes);
    free(c.control.first);
    subd_frame_free(&c.patches);
    subd_frame_free(&c.limit);
    return c.compared;
}

static int64_t compare_folder(const char *folder, int level)
{
    char path[600];
    int64_t compared = 0;
    int shapes = 0;
    snprintf(path, sizeof path, "%s/%s", test_shapes_dir(), folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        struct subd_mesh_info info;
        struct subd_error err;
        char *obj;
        if (!strstr(e->d_name, ".obj"))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", test_shapes_dir(), folder, e->d_name);
        assert_non_null(obj = slurp(path, NULL));
        info = push(obj);
        free(obj);
        compared += compare(e->d_name, &info, level);
        ok(subd_delete(client, info.id, 0, &err), &err);
        shapes++;
    }
    closedir(dir);
    assert_true(shapes > 10);
    return compared;
}

static void test_patches_are_the_limit(void **state)
{
    int64_t compared = compare_folder("", 3);
    (void)state;
    assert_true(compared > 100000);
    print_message("%lld points\n", (long long)compared);
}

static void test_patches_of_odd_meshes(void **state)
{
    (void)state;
    assert_true(compare_folder("nonmanifold", 3) > 1000);
}

static void test_every_level(void **state)
{
    struct subd_mesh_info info = push("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 1\nv 2 1 0\nv 0 2 0\nv 1 2 0\n"
                                      "v 2 2 0\nv 3 1 0\nf 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\nf 3 10 6\n"
                                      "f 6 10 9\nt crease 2/1/0 4 5 2.5\nt crease 2/1/0 1 4 10\n");
    (void)state;
    for (int level = 1; level <= 6; level++)
        assert_true(compare("by levels", &info, level) >= (level > 3 ? 1000 : 0));
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

struct placed {
    uint32_t patches[4096][16];
    int asked;
};

static void *give(void *arg, const struct subd_frame *f, const struct subd_block *b)
{
    struct placed *p = arg;
    assert_true(f->level == 3);
    p->asked++;
    return b->semantic == SUBD_PATCHES && b->bytes <= (int64_t)sizeof p->patches ? p->patches : NULL;
}

static void test_the_call(void **state)
{
    static struct placed mine;
    struct subd_mesh_info info = push(CUBE);
    struct subd_patches ask = SUBD_INIT(subd_patches, .level = 3),
                        placed = SUBD_INIT(subd_patches, .level = 3, .place = give, .place_arg = &mine);
    struct subd_frame f = {0}, g = {0};
    struct subd_error err;
    char etag[136];
    (void)state;
    ok(subd_patches(client, info.id, &ask, &f, &err), &err);
    assert_string_equal(f.surface, "refined");
    assert_string_equal(f.mesh_id, info.id);
    assert_int_equal(f.edges, 0);
    assert_int_equal(f.n_blocks, 5);
    assert_true(f.n_timings > 0);
    ok(subd_patches(client, info.id, &placed, &g, &err), &err);
    assert_int_equal(mine.asked, 5);
    assert_memory_equal(mine.patches, rows_of(&f, SUBD_PATCHES), (size_t)subd_frame_find(&f, SUBD_PATCHES)->bytes);
    memcpy(etag, f.etag, sizeof etag);
    ask.if_none_match = etag;
    assert_int_equal(subd_patches(client, info.id, &ask, &f, &err), SUBD_UNCHANGED);
    assert_int_equal(f.n_blocks, 5);
    ask.level = 4;
    ok(subd_patches(client, info.id, &ask, &f, &err), &err);
    assert_string_not_equal(f.etag, etag);
    ask.level = 0;
    assert_int_equal(subd_patches(client, info.id, &ask, &f, &err), SUBD_EUSAGE);
    ask.level = 11;
    assert_int_equal(subd_patches(client, info.id, &ask, &f, &err), SUBD_EUSAGE);
    assert_non_null(strstr(err.text, "1 to 10"));
    ask = (struct subd_patches)SUBD_INIT(subd_patches, .level = 2, .surface = "flat");
    assert_int_equal(subd_patches(client, info.id, &ask, &f, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "surface");
    ask.surface = NULL;
    assert_int_equal(subd_patches(client, "m_0000000000000000", &ask, &f, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
    struct subd_refine refine = SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS | SUBD_PATCHES);
    assert_int_equal(subd_refine(client, info.id, &refine, &f, &err), SUBD_EUSAGE);
    subd_frame_free(&f);
    subd_frame_free(&g);
}

/* ---- subd patches ------------------------------------------------------------------------------------------------ */

static void expect(struct ran r, int code)
{
    if (r.code != code)
        fail_msg("exit code %d, not %d; stdout \"%s\", stderr \"%s\"", r.code, code, r.out, r.err);
    ran_free(&r);
}

static void fails(struct ran r, int code, const char *says)
{
    assert_string_equal(r.out, "");
    if (!strstr(r.err, says))
        fail_msg("\"%s\" does not say \"%s\"", r.err, says);
    expect(r, code);
}

static void write_file(char path[96], const char *name, const char *text)
{
    FILE *f;
    snprintf(path, 96, "%s/%s", served.dir, name);
    assert_non_null(f = fopen(path, "w"));
    fputs(text, f);
    fclose(f);
}

struct obj { /* what a reader makes of it */
    float (*v)[3];
    int (*surfaces)[16], (*faces)[4];
    int n_v, n_surfaces, n_faces, n_ends;
};

static int numbers(const char *line, int *out, int n)
{
    char *end;
    int k = 0;
    for (; k < n && *line; k++, line = end) {
        out[k] = (int)strtol(line, &end, 10);
        if (end == line)
            break;
    }
    return k;
}

static void read_obj(struct obj *o, char *text)
{
    static const char knots[] = " -3 -2 -1 0 1 2 3 4";
    size_t lines = 1;
    for (const char *s = text; (s = strchr(s, '\n')); s++)
        lines++;
    *o = (struct obj){.v = calloc(lines, 12), .surfaces = calloc(lines, 64), .faces = calloc(lines, 16)};
    if (!o->v || !o->surfaces || !o->faces)
        abort();
    int in_surface = 0, bspline = 0, cubic = 0;
    for (char *rest = NULL, *s = strtok_r(text, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(s, "v ", 2) == 0) {
            char *at = s + 2;
            assert_true(o->n_surfaces == 0 && o->n_faces == 0); /* all vertices stand before what uses them */
            for (int k = 0; k < 3; k++)
                o->v[o->n_v][k] = strtof(at, &at);
            o->n_v++;
        } else if (strncmp(s, "surf 0 1 0 1 ", 13) == 0) {
            assert_true(bspline && cubic && !in_surface);
            assert_int_equal(numbers(s + 13, o->surfaces[o->n_surfaces++], 16), 16);
            in_surface = 1;
        } else if (strncmp(s, "parm ", 5) == 0) {
            assert_true(in_surface && (s[5] == 'u' || s[5] == 'v'));
            assert_string_equal(s + 6, knots);
        } else if (strcmp(s, "end") == 0) {
            assert_true(in_surface);
            in_surface = 0;
            o->n_ends++;
        } else if (strncmp(s, "f ", 2) == 0) {
            assert_int_equal(numbers(s + 2, o->faces[o->n_faces++], 4), 4);
        } else if (strcmp(s, "cstype bspline") == 0) {
            bspline = 1;
        } else if (strcmp(s, "deg 3 3") == 0) {
            cubic = 1;
        } else {
            assert_true(*s == '#' || strncmp(s, "o ", 2) == 0);
        }
    }
}

static double bspline(int i, double t)
{
    double s = 1 - t;
    return i == 0   ? s * s * s / 6
           : i == 1 ? (3 * t * t * t - 6 * t * t + 4) / 6
           : i == 2 ? (3 * s * s * s - 6 * s * s + 4) / 6
                    : t * t * t / 6;
}

/* The file's surfaces are the frame's, also at boundaries, where the file has points that the frame has not. */
static void same_surfaces(const struct obj *o, const struct subd_frame *f)
{
    const struct subd_block *patches = subd_frame_find(f, SUBD_PATCHES), *faces = subd_frame_find(f, SUBD_INDICES);
    assert_int_equal(o->n_surfaces, patches->count);
    assert_int_equal(o->n_ends, patches->count);
    assert_int_equal(o->n_faces, faces->count);
    for (int64_t i = 0; i < 4 * faces->count; i++)
        assert_int_equal((&o->faces[0][0])[i], ((const uint32_t *)faces->data)[i] + 1);
    assert_memory_equal(o->v, rows_of(f, SUBD_POSITIONS), (size_t)f->vertices * 12);
    for (int i = 0; i < o->n_surfaces; i++)
        for (int at = 0; at < 9; at++) {
            int i_u = at % 3, i_v = at / 3;
            double u = i_u / 2.0, v = i_v / 2.0, sum[3] = {0};
            float p[3];
            for (int k = 0; k < 16; k++) {
                int row = o->surfaces[i][k];
                assert_in_range(row, 1, o->n_v);
                for (int x = 0; x < 3; x++)
                    sum[x] += bspline(k % 4, u) * bspline(k / 4, v) * (double)o->v[row - 1][x];
            }
            assert_int_equal(subd_patch_evaluate(f, i, (float)u, (float)v, p, NULL, NULL), SUBD_OK);
            for (int x = 0; x < 3; x++)
                assert_true(fabs(sum[x] - (double)p[x]) < 1e-4);
        }
}

static int n_meshes(void)
{
    struct ran r = RUN("ls", "--json");
    cJSON *o = cJSON_ParseWithOpts(r.out, NULL, 1);
    int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, "meshes"));
    cJSON_Delete(o);
    expect(r, 0);
    return n;
}

static void test_obj(void **state)
{
    char path[96], out[96], *grid = grid_obj(5), *text;
    struct subd_mesh_info info = push(grid);
    struct subd_patches ask = SUBD_INIT(subd_patches, .level = 3);
    struct subd_frame f = {0};
    struct subd_error err;
    struct obj o;
    int before = n_meshes();
    (void)state;
    write_file(path, "grid.obj", grid);
    free(grid);
    snprintf(out, sizeof out, "%s/patches.obj", served.dir);
    expect(RUN("patches", path, "--level", "3", "-o", out), 0);
    assert_int_equal(n_meshes(), before);
    ok(subd_patches(client, info.id, &ask, &f, &err), &err);
    assert_non_null(text = slurp(out, NULL));
    read_obj(&o, text);
    assert_true(o.n_surfaces > 0 && o.n_v > f.vertices); /* a grid has boundaries */
    same_surfaces(&o, &f);
    free(text);
    free(o.v);
    free(o.surfaces);
    free(o.faces);
    struct ran r = RUN("patches", info.id, "--level", "3", "-o", "-"); /* the table gives way to the file */
    assert_true(*r.out == '#' && strstr(r.out, "\nsurf ") && strstr(r.err, "patches"));
    expect(r, 0);
    subd_frame_free(&f);
}

static void test_table(void **state)
{
    struct subd_mesh_info info = push(CUBE);
    struct ran r = RUN("patches", info.id, "--level", "3");
    cJSON *o, *levels;
    (void)state;
    assert_non_null(strstr(r.out, "level 3: "));
    assert_non_null(strstr(r.out, " 168 patches and faces by mesh-matrix on "));
    assert_non_null(strstr(r.out, "\n      1              0              0\n"));
    assert_non_null(strstr(r.out, "\n      2             72              0\n"));
    assert_non_null(strstr(r.out, "\n      3             72             24\n"));
    assert_non_null(strstr(r.out, "\n    all            144             24\n"));
    assert_string_equal(r.err, "");
    expect(r, 0);
    r = RUN("patches", info.id, "--level", "2", "--surface", "limit", "--json");
    assert_non_null(o = cJSON_ParseWithOpts(r.out, NULL, 1));
    expect(r, 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "surface")), "limit");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "blocks")), 5);
    levels = cJSON_GetObjectItem(o, "levels");
    assert_int_equal(cJSON_GetArraySize(levels), 3);
    assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(levels, 2), "patches")->valueint, 72);
    assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(levels, 2), "faces")->valueint, 24);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "seconds"), "patches")));
    cJSON_Delete(o);
}

static void test_raw_frame(void **state)
{
    struct subd_mesh_info info = push(CUBE);
    char out[96], target[128], *stored;
    struct answer a;
    size_t bytes;
    (void)state;
    snprintf(out, sizeof out, "%s/cube.frame", served.dir);
    expect(RUN("patches", info.id, "--level", "4", "-o", out), 0);
    snprintf(target, sizeof target, "/v1/meshes/%.40s/patches?level=4", info.id);
    http_get(&served, target, &a);
    assert_non_null(stored = slurp(out, &bytes));
    assert_int_equal(bytes, a.bytes);
    assert_memory_equal(stored, a.body, bytes);
    free(stored);
    answer_free(&a);
}

static void test_refusals(void **state)
{
    char path[96], triangles[96];
    int before = n_meshes();
    (void)state;
    write_file(path, "cube.obj", CUBE);
    write_file(triangles, "triangles.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    fails(RUN("patches", path, "--level", "0"), 2, "--level");
    fails(RUN("patches", path, "--level", "11"), 2, "1 to 10");
    fails(RUN("patches", path, "--level", "x"), 2, "--level");
    fails(RUN("patches", path, "--method", "auto"), 2, "no option --method");
    fails(RUN("patches", path, "-o", "out.ply"), 2, "none of .obj, .frame");
    fails(RUN("patches", "nofile"), 4, "neither a file here");
    fails(RUN("patches", "m_0", "--scheme", "loop"), 2, "mesh options go with a FILE");
    fails(RUN("patches", "m_0000000000000000"), 4, "not_found");
    fails(RUN("patches", path, "--surface", "flat"), 4, "refined, limit or limitAtLevel");
    fails(RUN("patches", triangles, "--scheme", "loop"), 4, "field scheme");
    fails(RUN("patches", path, "-o", "/no/such/folder/x.obj"), 6, "/no/such/folder/x.obj");
    assert_int_equal(n_meshes(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_call),
        cmocka_unit_test(test_patches_are_the_limit),
        cmocka_unit_test(test_patches_of_odd_meshes),
        cmocka_unit_test(test_every_level),
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_raw_frame),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("http/subd_patches", tests, start, stop);
}
