/* SPDX-License-Identifier: Apache-2.0 */
/* obj.c: reads OBJ files as meshes or positions in one pass, for uploads.
 *
 * Read     v x y z [w | r g b | w r g b]; vt u [v [w]]; f with corners a, a/b, a//c or a/b/c, in which negative indices
 *          count back, of polygons of any size; t (obj_tags.c); comments; a byte order mark; lines that a backslash
 *          continues; line ends of LF, CR LF or, in a file without LF, CR; o NAME, the name of the mesh, when it is the
 *          only one
 * Skipped  vn and s, of which nothing is lost; with one warning that names and counts it, all else that skipped[]
 *          lists: groups, materials, points and polylines, settings, the weights and colours of v, the w of vt, and
 *          all vt when no face uses them
 * Errors   everything else, naming the line; also a vt in only some corners of a face, or in only some faces */
#include "server/mesh/formats/codec.h"
#include "server/base/stop.h"
#include "server/mesh/formats/obj_tags.h"
#include "server/base/chars.h"
#include <stdlib.h>
#include <string.h>

/* What a mesh does not keep: first parts of statements that are kept, and from STATEMENTS on whole statements. Those
 * before TOLD lose nothing: a subdivision surface is smooth and has normals of its own. */
enum { VERTEX_MORE, UV_MORE, UVS_UNUSED, STATEMENTS, TOLD = STATEMENTS + 2, OBJECTS = STATEMENTS + 4 };
static const char *const skipped[] = {"weights or colours of v",
                                      "w of vt",
                                      "vt that no face has",
                                      "vn",
                                      "s",
                                      "vp",
                                      "g",
                                      "o",
                                      "usemtl",
                                      "mtllib",
                                      "l",
                                      "p",
                                      "usemap",
                                      "maplib",
                                      "mg",
                                      "bevel",
                                      "c_interp",
                                      "lod",
                                      "d_interp",
                                      "shadow_obj",
                                      "trace_obj"};
_Static_assert(sizeof skipped / sizeof *skipped == OBJ_N_SKIPPED, "each is counted");

/* A statement of min to max numbers. The first `keep` are kept, and are 0 when they are missing. The others are counted
 * as not kept unless they have the value `usual`. */
struct row {
    int keep, min, max;
    float usual;
    int more; /* The row of skipped[] that counts the others. */
    const char *wanted, *field;
};
static const struct row vertex_row = {3, 3, 7, 1, VERTEX_MORE, "a coordinate", "points"};
static const struct row uv_row = {2, 1, 3, 0, UV_MORE, "a texture coordinate", "st"};

static int read_row(struct obj_reader *r, struct words *to, const struct row *row)
{
    int rc = obj_room(r, to, row->keep);
    bool more = true, says = false;
    for (int i = 0; i < row->max && !rc && (more || i < row->keep); i++) {
        float value = 0;
        more = obj_space(r);
        if (more || i < row->min)
            rc = obj_float(r, row->wanted, row->field, &value);
        if (i < row->keep && !rc)
            to->f[to->n++] = value;
        else if (more && !rc)
            says |= value != row->usual;
    }
    r->n_skipped[row->more] += says;
    return rc;
}

/* Turns a 1-based or negative reference into a row. The row may be defined later in the file, so the end of read_all
 * checks that it exists; *max is the largest one so far. */
static int resolve(struct obj_reader *r, int64_t ref, int64_t n_so_far, const char *what, int32_t *row, int64_t *max,
                   int64_t *max_line)
{
    int64_t at = ref > 0 ? ref - 1 : n_so_far + ref;
    if (ref == 0 || at < 0 || at > INT32_MAX)
        return obj_fail(r, r->line, SDD_EMESH, "%s %lld does not exist; %lld are defined so far", what, (long long)ref,
                        (long long)n_so_far);
    *row = (int32_t)at;
    if (at > *max)
        *max = at, *max_line = r->line;
    return SDD_OK;
}

/* Reads a corner, which is a, a/b, a//c or a/b/c. *uv is 0 when it has no texture coordinate. */
static int read_corner(struct obj_reader *r, int64_t *vertex, int64_t *uv)
{
    const char *p = r->at;
    int64_t normal;
    *uv = 0;
    bool ok = chars_i64(&p, r->end, vertex) == 1, slash = ok && p < r->end && *p == '/';
    if (slash) {
        p++;
        bool has_uv = p < r->end && *p != '/';
        if (has_uv)
            ok = chars_i64(&p, r->end, uv) == 1 && *uv;
        if (ok && p < r->end && *p == '/') {
            p++;
            ok = chars_i64(&p, r->end, &normal) == 1;
        } else {
            ok = ok && has_uv;
        }
    }
    if (!ok || !obj_ends(r, p))
        return obj_wanted(r, "a face corner (v, v/vt, v//vn or v/vt/vn)");
    r->at = p;
    return SDD_OK;
}

static int add_corner(struct obj_reader *r, int64_t vertex, int64_t uv)
{
    int rc = obj_room(r, &r->corners, 1);
    if (!rc)
        rc = resolve(r, vertex, r->points.n / 3, "vertex", &r->corners.i[r->corners.n], &r->max_vertex,
                     &r->max_vertex_line);
    if (rc)
        return rc;
    r->corners.n++;
    if (uv)
        rc = obj_room(r, &r->uv_corners, 1);
    if (uv && !rc)
        rc = resolve(r, uv, r->uvs.n / 2, "texture coordinate", &r->uv_corners.i[r->uv_corners.n], &r->max_uv,
                     &r->max_uv_line);
    if (rc)
        return rc;
    r->uv_corners.n += uv != 0;
    if (!r->uv_corners.n || r->uv_corners.n == r->corners.n)
        return SDD_OK;
    return obj_fail(r, r->line, SDD_EMESH, "texture coordinates (vt) must be given in every face corner or in none");
}

static int read_face(struct obj_reader *r)
{
    int64_t before = r->corners.n, vertex, uv;
    int rc = obj_room(r, &r->counts, 1);
    while (!rc && obj_space(r)) {
        rc = read_corner(r, &vertex, &uv);
        if (!rc)
            rc = add_corner(r, vertex, uv);
    }
    int64_t n = r->corners.n - before;
    if (!rc && n < 3)
        rc = obj_fail(r, r->line, SDD_EMESH, "a face has 3 corners or more, this one has %lld", (long long)n);
    if (!rc && n > SDD_MAX_FACE_SIZE)
        rc = obj_fail(r, r->line, SDD_EMESH, "a face has at most %d corners, this one has %lld", SDD_MAX_FACE_SIZE,
                      (long long)n);
    if (!rc)
        r->counts.i[r->counts.n++] = (int32_t)n;
    return rc;
}

/* Goes to the end of the line, and past line ends that a backslash continues. */
static void skip_line(struct obj_reader *r)
{
    while (r->at < r->end) {
        const char *lf = memchr(r->at, r->eol, (size_t)(r->end - r->at)), *from = r->at;
        r->at = lf ? lf : r->end;
        bool crlf = lf && lf - from >= 2 && lf[-1] == '\r' && lf[-2] == '\\', bare = lf && lf > from && lf[-1] == '\\';
        if (!crlf && !bare)
            return;
        r->at++;
        r->line++;
    }
}

/* The row of skipped[] for a statement, or OBJ_N_SKIPPED when it is none of them. */
static int find_skipped(const char *word, size_t n)
{
    int i = STATEMENTS;
    while (i < OBJ_N_SKIPPED && (strlen(skipped[i]) != n || memcmp(skipped[i], word, n) != 0))
        i++;
    return i;
}

static int read_statement(struct obj_reader *r)
{
    char shown[CHARS_SHOW_SIZE];
    size_t n;
    int rc, at;
    const char *word = obj_word(r, &n);
    if (n == 1 && *word == 'v')
        rc = read_row(r, &r->points, &vertex_row);
    else if (n == 1 && *word == 'f')
        rc = read_face(r);
    else if (n == 2 && word[0] == 'v' && word[1] == 't')
        rc = read_row(r, &r->uvs, &uv_row);
    else if (n == 1 && *word == 't')
        rc = obj_tag(r);
    else if ((at = find_skipped(word, n)) < OBJ_N_SKIPPED) {
        const char *rest = r->at;
        r->n_skipped[at]++;
        skip_line(r);
        if (at == OBJECTS)
            r->object = rest, r->object_end = r->at;
        return SDD_OK;
    } else
        return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" is not a statement that is read here",
                        chars_show(word, n, shown));
    if (rc || !obj_space(r))
        return rc;
    word = obj_word(r, &n);
    return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" is too much at the end of the line",
                    chars_show(word, n, shown));
}

static int read_all(struct obj_reader *r)
{
    int rc = SDD_OK;
    for (r->line = 1; r->at < r->end && !rc; r->line++) {
        if (stop_due(r->line))
            return stop_fail(r->err);
        if (obj_space(r))
            rc = read_statement(r);
        if (rc)
            return rc;
        if (r->at < r->end && *r->at == '#')
            skip_line(r);
        if (r->at < r->end)
            r->at++;
    }
    if (r->corners.n && r->max_vertex >= r->points.n / 3)
        return obj_fail(r, r->max_vertex_line, SDD_EMESH, "vertex %lld does not exist; the file has %lld",
                        (long long)r->max_vertex + 1, (long long)r->points.n / 3);
    if (r->uv_corners.n && r->max_uv >= r->uvs.n / 2)
        return obj_fail(r, r->max_uv_line, SDD_EMESH, "texture coordinate %lld does not exist; the file has %lld",
                        (long long)r->max_uv + 1, (long long)r->uvs.n / 2);
    return SDD_OK;
}

static void reader_init(struct obj_reader *r, const void *body, size_t bytes, struct sdd_error *err)
{
    memset(r, 0, sizeof *r);
    r->at = body;
    r->end = r->at + bytes;
    r->bytes = (int64_t)bytes;
    r->err = err;
    r->eol = bytes && !memchr(body, '\n', bytes) && memchr(body, '\r', bytes) ? '\r' : '\n';
    if (bytes >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
}

static void reader_fini(struct obj_reader *r)
{
    struct words *all[12] = {&r->points,
                             &r->uvs,
                             &r->counts,
                             &r->corners,
                             &r->uv_corners,
                             &r->crease_edges,
                             &r->crease_sharpness,
                             &r->corner_vertices,
                             &r->corner_sharpness,
                             &r->holes,
                             &r->ints,
                             &r->floats};
    for (size_t i = 0; i < 12; i++)
        free(all[i]->p);
}

static int tell(const struct obj_reader *r, struct losses *losses)
{
    int rc = SDD_OK;
    for (int i = 0; i < OBJ_N_SKIPPED && !rc; i++)
        if (r->n_skipped[i] && (i < STATEMENTS || i >= TOLD))
            rc = losses_add(losses, "obj", skipped[i], r->err, "not kept: %s (%lld)", skipped[i],
                            (long long)r->n_skipped[i]);
    return rc;
}

/* Gives the mesh the name of the file's one object, if it can have it. */
static void take_name(struct obj_reader *r, struct mesh *m)
{
    if (r->n_skipped[OBJECTS] != 1)
        return;
    const char *from = r->object, *to = r->object_end;
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
        to--;
    size_t n = (size_t)(to - from);
    if (n >= MESH_NAME_SIZE || memchr(from, 0, n))
        return;
    memcpy(m->name, from, n);
    m->name[n] = 0;
    if (mesh_name_check(m->name, NULL))
        m->name[0] = 0;
    else
        r->n_skipped[OBJECTS] = 0;
}

int mesh_from_obj(const void *body, size_t bytes, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    struct obj_reader r;
    *out = NULL;
    reader_init(&r, body, bytes, err);
    int rc = read_all(&r);
    bool uvs = r.uv_corners.n > 0;
    r.n_skipped[UVS_UNUSED] = uvs ? 0 : r.uvs.n / 2;
    struct mesh_arrays a = {
        .options = r.options,
        .points = words_f32s(&r.points),
        .face_counts = words_i32s(&r.counts),
        .face_vertices = words_i32s(&r.corners),
        .crease_indices = words_i32s(&r.crease_edges),
        .crease_sharpnesses = words_f32s(&r.crease_sharpness),
        .crease_pairs = 1,
        .corner_indices = words_i32s(&r.corner_vertices),
        .corner_sharpnesses = words_f32s(&r.corner_sharpness),
        .hole_indices = words_i32s(&r.holes),
        .uvs = {r.uvs.f, uvs ? r.uvs.n : 0},
        .uv_indices = words_i32s(&r.uv_corners),
        .losses = losses,
    };
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (!rc)
        take_name(&r, *out);
    if (!rc && losses)
        rc = tell(&r, losses);
    reader_fini(&r);
    return rc;
}

int positions_from_obj(const void *body, size_t bytes, struct positions **out, struct sdd_error *err)
{
    struct obj_reader r;
    *out = NULL;
    reader_init(&r, body, bytes, err);
    int rc = read_all(&r);
    if (!rc)
        rc = positions_from_points(words_f32s(&r.points), out, err);
    reader_fini(&r);
    return rc;
}
