/* SPDX-License-Identifier: Apache-2.0 */
/* obj.c: reads OBJ files as meshes or positions in one pass, for uploads.
 *
 * Read     v x y z [w | r g b | w r g b]; vt u [v [w]]; f with corners a, a/b, a//c or a/b/c, of which the slots behind
 *          a may be empty and negative indices count back, of polygons of any size; usemtl and g (obj_sets.c); t
 *          (obj_tags.c); comments; a byte order mark; lines that a backslash continues; line ends of LF, CR LF
 *          and CR; zeros and DOS's mark at the end; o NAME, the name of the mesh, when it is the only one
 * Skipped  vn and s, of which nothing is lost; with a warning the other statements of the specification, and all that
 *          are not known (obj_losses.c)
 * Left out with a warning: UVs that some corners lack, that do not exist or are no numbers; colours likewise
 * Errors   what shapes the surface and is wrong, naming the line; a file that is no OBJ (looks_like.c) */
#include "server/mesh/formats/codec.h"
#include "server/base/stop.h"
#include "server/mesh/formats/looks_like.h"
#include "server/mesh/formats/obj_sets.h"
#include "server/mesh/formats/obj_tags.h"
#include "server/base/chars.h"
#include <stdlib.h>
#include <string.h>

/* Adds the colour of the vertex that was just read; rgb is NULL when it has none. */
static int add_color(struct obj_reader *r, const float *rgb)
{
    bool follows = r->colors.n + 3 == r->points.n; /* All vertices before this one have a colour. */
    if (r->lost.of[OBJ_LOSS_COLORS].count || (!rgb && !r->colors.n))
        return SDD_OK;
    if (!rgb || !follows) {
        obj_lose(&r->lost, OBJ_LOSS_COLORS,
                 "line %lld: v has %s colour and those before it have %s; the colours are left out", (long long)r->line,
                 rgb ? "a" : "no", rgb ? "none" : "one");
        return SDD_OK;
    }
    int rc = obj_room(r, &r->colors, 3);
    if (rc)
        return rc;
    memcpy(r->colors.f + r->colors.n, rgb, 3 * sizeof *rgb);
    r->colors.n += 3;
    return SDD_OK;
}

/* Reads what follows the three coordinates of a vertex: its weight, its colour, or both. */
static int read_vertex_more(struct obj_reader *r)
{
    float more[4];
    int n = 0;
    while (n < 4 && obj_space(r) && obj_number(r, &more[n]))
        n++;
    if (obj_space(r) && n < 4) {
        obj_lose(&r->lost, OBJ_LOSS_COLORS,
                 "line %lld: a colour or weight of v is not a finite number; the colours are left out",
                 (long long)r->line);
        obj_skip_line(r);
        return SDD_OK;
    }
    if (n == 2 || obj_space(r)) {
        obj_lose(&r->lost, OBJ_LOSS_V_MORE,
                 "line %lld: v has neither 3 numbers, nor 4, 6 or 7; those behind the third are left out",
                 (long long)r->line);
        obj_skip_line(r);
        n = 0;
    }
    if ((n == 1 || n == 4) && more[0] != 1)
        obj_lose(&r->lost, OBJ_LOSS_WEIGHTS,
                 "line %lld: the weight %g of v is left out, as only curves and surfaces have one", (long long)r->line,
                 (double)more[0]);
    return add_color(r, n >= 3 ? more + n - 3 : NULL);
}

static int read_vertex(struct obj_reader *r)
{
    int rc = obj_room(r, &r->points, 3);
    for (int i = 0; i < 3 && !rc; i++) {
        float *to = &r->points.f[r->points.n + i];
        rc = obj_number(r, to) ? SDD_OK : obj_float(r, "a coordinate", "points", to);
    }
    if (rc)
        return rc;
    r->points.n += 3;
    if (r->at < r->end && obj_eol(*r->at) && !r->colors.n)
        return SDD_OK;
    return read_vertex_more(r);
}

/* Reads a texture coordinate. One that is wrong is still a row, so that the references to those after it are right. */
static int read_uv(struct obj_reader *r)
{
    float uv[3] = {0, 0, 0};
    int n = 0, rc = obj_room(r, &r->uvs, 2);
    if (rc)
        return rc;
    while (n < 3 && obj_space(r) && obj_number(r, &uv[n]))
        n++;
    bool more = obj_space(r);
    if (!n || (n < 2 && more))
        obj_lose(&r->lost, OBJ_LOSS_UVS,
                 "line %lld: a texture coordinate (vt) is not a finite number; the UVs are left out",
                 (long long)r->line);
    else if (more || uv[2] != 0)
        obj_lose(&r->lost, OBJ_LOSS_VT_MORE, "line %lld: the third number of vt is left out: UVs have two",
                 (long long)r->line);
    if (more)
        obj_skip_line(r);
    if (!r->uvs.n)
        r->uv_line = r->line;
    memcpy(r->uvs.f + r->uvs.n, uv, 2 * sizeof *uv);
    r->uvs.n += 2;
    return SDD_OK;
}

/* Reads an index at *at. Returns what chars_i64 does; most indices need no more than this loop. */
static inline int read_index(const char **at, const char *end, int64_t *out)
{
    const char *p = *at;
    uint32_t value = 0;
    while (p < end && (unsigned)(*p - '0') < 10)
        value = value * 10 + (uint32_t)(*p++ - '0');
    if (p == *at || p - *at > 9)
        return chars_i64(at, end, out);
    *at = p;
    *out = value;
    return 1;
}

/* Reads a corner, which is a, a/b, a//c or a/b/c; what stands behind a slash may be missing. *has_uv tells whether b is
 * there, *uv is 0 when it cannot be an index. What c is makes no difference. */
static int read_corner(struct obj_reader *r, int64_t *vertex, int64_t *uv, bool *has_uv)
{
    const char *p = r->at;
    int64_t normal;
    bool ok = read_index(&p, r->end, vertex) == 1;
    *has_uv = false;
    if (ok && p < r->end && *p == '/') {
        p++;
        int is_number = read_index(&p, r->end, uv);
        *has_uv = is_number != 0;
        if (is_number < 0)
            *uv = 0;
        if (p < r->end && *p == '/') {
            p++;
            (void)read_index(&p, r->end, &normal);
        }
    }
    if (!ok || (p < r->end && *p != ' ' && !obj_ends(r, p)))
        return obj_wanted(r, "a face corner (v, v/vt, v//vn or v/vt/vn)");
    r->at = p;
    return SDD_OK;
}

/* Turns a 1-based or negative reference into a row. The row may be defined later in the file, so the end of read_all
 * checks that it exists. Returns -1 when there can be none. */
static inline int64_t row_of(int64_t ref, int64_t n_so_far)
{
    int64_t row = ref > 0 ? ref - 1 : n_so_far + ref;
    return ref && row <= INT32_MAX && row >= 0 ? row : -1;
}

static int add_uv(struct obj_reader *r, int64_t ref)
{
    r->has_uvs = true;
    int64_t row = row_of(ref, r->uvs.n / 2);
    if (row < 0)
        obj_lose(&r->lost, OBJ_LOSS_UVS,
                 "line %lld: texture coordinate %lld does not exist, %lld are defined so far; the UVs are left out",
                 (long long)r->line, (long long)ref, (long long)r->uvs.n / 2);
    if (r->n_bare || r->lost.of[OBJ_LOSS_UVS].count)
        return SDD_OK;
    int rc = obj_room(r, &r->uv_corners, 1);
    if (rc)
        return rc;
    if (row > r->max_uv)
        r->max_uv = row, r->max_uv_line = r->line;
    r->uv_corners.i[r->uv_corners.n++] = (int32_t)row;
    return SDD_OK;
}

static int add_corner(struct obj_reader *r, int64_t ref)
{
    int64_t row = row_of(ref, r->points.n / 3);
    if (row < 0)
        return obj_fail(r, r->line, SDD_EMESH, "vertex %lld does not exist; %lld are defined so far", (long long)ref,
                        (long long)r->points.n / 3);
    int rc = obj_room(r, &r->corners, 1);
    if (rc)
        return rc;
    if (row > r->max_vertex)
        r->max_vertex = row, r->max_vertex_line = r->line;
    r->corners.i[r->corners.n++] = (int32_t)row;
    return SDD_OK;
}

/* True when a corner of a face follows. Most corners stand behind one space. */
static inline bool next_corner(struct obj_reader *r)
{
    const char *p = r->at;
    if (r->end - p > 1 && *p == ' ' && (unsigned)(p[1] - '0') < 10) {
        r->at = p + 1;
        return true;
    }
    return obj_space(r);
}

static int read_face(struct obj_reader *r)
{
    int64_t before = r->corners.n, vertex, uv = 0;
    bool has_uv;
    int rc = obj_room(r, &r->counts, 1);
    for (int i = 0; i < OBJ_N_SETS && !rc; i++)
        if (obj_sets_used(&r->sets[i]))
            rc = obj_set_face(r, &r->sets[i]);
    while (!rc && next_corner(r)) {
        rc = read_corner(r, &vertex, &uv, &has_uv);
        if (!rc)
            rc = add_corner(r, vertex);
        if (!rc && has_uv)
            rc = add_uv(r, uv);
        else if (!rc && !r->n_bare++)
            r->bare_line = r->line;
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

/* Skips a statement that is not known, unless its word shows that the file is no text. */
static int skip_unknown(struct obj_reader *r, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)word[i] < ' ' || word[i] == 0x7f)
            return obj_fail(r, r->line, SDD_EMALFORMED,
                            "byte 0x%02x is no text: this is a binary file or a damaged one, not OBJ",
                            (unsigned char)word[i]);
    return obj_lose_unknown(&r->lost, word, n, r->line, r->err);
}

/* Reads the statements that are not the rows of a mesh: word is the first of the line. */
static int read_rare(struct obj_reader *r, const char *word, size_t n)
{
    char shown[CHARS_SHOW_SIZE];
    int rc = SDD_OK;
    int64_t line = r->line;
    const char *rest = r->at;
    if (n == 1 && *word == 't') {
        rc = obj_tag(r);
        if (rc || !obj_space(r))
            return rc;
        word = obj_word(r, &n);
        return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" is too much at the end of the line",
                        chars_show(word, n, shown));
    }
    bool material = n == 6 && memcmp(word, "usemtl", 6) == 0, group = n == 1 && *word == 'g';
    bool object = n == 1 && *word == 'o', smooth = n == 1 && *word == 's';
    if (!material && !group && !object && !smooth && !obj_lose_statement(&r->lost, word, n, line))
        rc = skip_unknown(r, word, n);
    obj_skip_line(r);
    if (material || group)
        obj_set_name(&r->sets[material ? OBJ_MATERIALS : OBJ_GROUPS], rest, r->at, line);
    if (object) {
        r->object = rest, r->object_end = r->at, r->object_line = line;
        if (r->n_objects++)
            obj_lose(&r->lost, OBJ_LOSS_OBJECTS,
                     "line %lld: o begins another object; all are one mesh, and no object's name is kept",
                     (long long)line);
    }
    return rc;
}

static int read_statement(struct obj_reader *r)
{
    const char *word = r->at;
    size_t n = 0;
    if (r->end - word > 2 && word[1] == ' ')
        n = 1;
    else if (r->end - word > 2 && word[2] == ' ' && *word == 'v' && (word[1] == 't' || word[1] == 'n'))
        n = 2;
    if (n)
        r->at += n;
    else
        word = obj_word(r, &n);
    if (n == 1 && *word == 'v')
        return read_vertex(r);
    if ((n == 1 && *word == 'f') || (n == 2 && word[0] == 'f' && word[1] == 'o')) /* fo is what f was called once. */
        return read_face(r);
    if (n == 2 && word[0] == 'v' && word[1] == 't')
        return read_uv(r);
    if (n != 2 || word[0] != 'v' || word[1] != 'n')
        return read_rare(r, word, n);
    obj_skip_line(r);
    return SDD_OK;
}

/* Goes over the zeros that some programs and disks put behind a file. */
static int read_padding(struct obj_reader *r)
{
    const char *p = r->at;
    while (p < r->end && (!*p || *p == 0x1a || *p == ' ' || (*p >= '\t' && *p <= '\r')))
        p++;
    r->at = p;
    return p == r->end ? SDD_OK
                       : obj_fail(r, r->line, SDD_EMALFORMED,
                                  "byte 0x00 is no text: this is a binary file or a damaged one, not OBJ");
}

/* What can be said only at the end of the file: which vertices exist, and whether the UVs are whole. */
static int check_references(struct obj_reader *r)
{
    struct obj_losses *lost = &r->lost;
    if (r->corners.n && r->max_vertex >= r->points.n / 3)
        return obj_fail(r, r->max_vertex_line, SDD_EMESH, "vertex %lld does not exist; the file has %lld",
                        (long long)r->max_vertex + 1, (long long)r->points.n / 3);
    if (lost->of[OBJ_LOSS_UVS].count)
        return SDD_OK;
    if (r->uv_corners.n && r->max_uv >= r->uvs.n / 2)
        obj_lose(lost, OBJ_LOSS_UVS,
                 "line %lld: texture coordinate %lld does not exist, the file has %lld; the UVs are left out",
                 (long long)r->max_uv_line, (long long)r->max_uv + 1, (long long)r->uvs.n / 2);
    else if (r->has_uvs && r->n_bare) {
        obj_lose(lost, OBJ_LOSS_UVS,
                 "line %lld: a face corner has no texture coordinate (vt) and others have; the UVs are left out",
                 (long long)r->bare_line);
        lost->of[OBJ_LOSS_UVS].count = r->n_bare;
    } else if (!r->has_uvs && r->uvs.n) {
        obj_lose(lost, OBJ_LOSS_UVS, "line %lld: vt is left out, as no face has one", (long long)r->uv_line);
        lost->of[OBJ_LOSS_UVS].count = r->uvs.n / 2;
    }
    return SDD_OK;
}

static int read_all(struct obj_reader *r)
{
    static const char mark[] = "\xef\xbb\xbf"; /* Files that were joined have one inside. */
    int rc = looks_like_check(r->at, (size_t)r->bytes, "OBJ", "obj", r->err);
    for (r->line = 1; r->at < r->end && !rc; r->line++) {
        if (stop_due(r->line))
            return stop_fail(r->err);
        bool more = obj_space(r);
        while (more && r->end - r->at >= 3 && memcmp(r->at, mark, 3) == 0) {
            r->at += 3;
            more = obj_space(r);
        }
        if (more)
            rc = read_statement(r);
        if (rc)
            return rc;
        /* A backslash at the end of a comment does not continue it: it may be that of a folder's name. */
        if (r->at < r->end && *r->at == '#')
            r->at = obj_line_end(r, r->at);
        if (r->at < r->end && !*r->at)
            rc = read_padding(r);
        if (r->at < r->end)
            r->at += obj_eol_bytes(r, r->at);
    }
    if (!rc && !r->points.n && !r->counts.n && r->lost.unknown.starts.n)
        return obj_fail(
            r, r->lost.unknown_line[0], SDD_EMALFORMED,
            "\"%s\" is no statement of OBJ, and no line has a vertex (v) or a face (f): is this an OBJ file?",
            name_set_get(&r->lost.unknown, 1));
    return rc ? rc : check_references(r);
}

static void reader_init(struct obj_reader *r, const void *body, size_t bytes, struct sdd_error *err)
{
    memset(r, 0, sizeof *r);
    r->at = body;
    r->end = r->at + bytes;
    r->bytes = (int64_t)bytes;
    r->max_vertex = r->max_uv = -1;
    r->err = err;
}

static void reader_fini(struct obj_reader *r)
{
    struct words *all[] = {&r->points,          &r->colors,           &r->uvs,          &r->counts,
                           &r->corners,         &r->uv_corners,       &r->crease_edges, &r->crease_sharpness,
                           &r->corner_vertices, &r->corner_sharpness, &r->holes,        &r->ints,
                           &r->floats};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->p);
    for (int i = 0; i < OBJ_N_SETS; i++)
        obj_sets_fini(&r->sets[i]);
    obj_losses_fini(&r->lost);
}

/* Gives the mesh the name of the file's one object, if it can have it. */
static void take_name(struct obj_reader *r, struct mesh *m)
{
    if (r->n_objects != 1)
        return;
    size_t n = obj_name(r, r->object, r->object_end, r->object_line, m->name);
    if (n == OBJ_NAME_SIZE || mesh_name_check(m->name, NULL)) {
        m->name[0] = 0;
        obj_lose(&r->lost, OBJ_LOSS_OBJECTS, "line %lld: o is left out: a name has 1 to %d bytes",
                 (long long)r->object_line, MESH_NAME_SIZE - 1);
    }
}
_Static_assert(OBJ_NAME_SIZE == MESH_NAME_SIZE, "obj_name writes the name of the mesh");

static int author_primvars(struct obj_reader *r, struct mesh_arrays *a)
{
    int rc = SDD_OK;
    if (r->colors.n && !r->lost.of[OBJ_LOSS_COLORS].count) {
        struct primvar_array *p = &a->primvars[a->n_primvars++];
        rc = primvar_author(p, "displayColor", "displayColor", "vertex", "f32", 3, r->err);
        p->values = r->colors.f;
        p->n_words = r->colors.n;
    }
    return rc ? rc : obj_sets_author(r, a, r->err);
}

int mesh_from_obj(const void *body, size_t bytes, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    struct obj_reader r;
    *out = NULL;
    reader_init(&r, body, bytes, err);
    int rc = read_all(&r);
    bool uvs = r.uv_corners.n && !r.lost.of[OBJ_LOSS_UVS].count;
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
        .uv_indices = {r.uv_corners.i, uvs ? r.uv_corners.n : 0},
        .losses = losses,
    };
    if (!rc)
        rc = author_primvars(&r, &a);
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (!rc)
        take_name(&r, *out);
    if (!rc)
        rc = obj_losses_tell(&r.lost, losses, err);
    if (rc) {
        mesh_free(*out);
        *out = NULL;
    }
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
