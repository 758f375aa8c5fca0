/* SPDX-License-Identifier: Apache-2.0 */
/* usda_reader.c: reads the one Mesh of a USDA file in one pass, as a mesh or as positions, for uploads.
 *
 * Read     The file begins with "#usda 1.0" and has exactly one def Mesh. Around it there may be nested defs that are
 *          an Xform or a Scope or have no type. Of the Mesh these attributes are read: UsdGeomMesh's topology (arrays[]
 *          below) and options (sdd_option_table in gpu/sdd/sdd.h), primvars (usda_primvars.h; a faceVarying st becomes
 *          the UVs), and subdd:scheme and subdd:creaseMethod, which are our own (usda_write.c). Defaults are USD's. An
 *          attribute whose value is None counts as absent.
 * Skipped  Everything else is skipped, with one warning that names it: other prims and attributes, timeSamples,
 *          connections, composition (references, variants and the like), transforms. There is no warning for extent,
 *          nor for metadata that only describes.
 * Errors   They name the line, and the attribute when there is one. A subdivisionScheme of none is an error, because
 *          such a mesh has no surface to refine. */
#include "server/base/chars.h"
#include "server/mesh/formats/codec.h"
#include "server/base/text.h"
#include "server/mesh/formats/usda_primvars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64
#define MAX_NAMED 400 /* Once the names in the warning have this many bytes, further ones are only counted. */

/* The attributes of the Mesh that are arrays: rows of arrays[], values[] and lines[]. */
enum { POINTS, COUNTS, INDICES, CREASES, CREASE_LENGTHS, CREASE_SHARPNESSES, CORNERS, CORNER_SHARPNESSES, HOLES };
enum { N_ARRAYS = HOLES + 1 };
static const struct {
    const char *name;
    struct usda_type type;
} arrays[N_ARRAYS] = {
    [POINTS] = {"points", {.width = 3}},
    [COUNTS] = {"faceVertexCounts", {.width = 1, .integer = true}},
    [INDICES] = {"faceVertexIndices", {.width = 1, .integer = true}},
    [CREASES] = {"creaseIndices", {.width = 1, .integer = true}},
    [CREASE_LENGTHS] = {"creaseLengths", {.width = 1, .integer = true}},
    [CREASE_SHARPNESSES] = {"creaseSharpnesses", {.width = 1}},
    [CORNERS] = {"cornerIndices", {.width = 1, .integer = true}},
    [CORNER_SHARPNESSES] = {"cornerSharpnesses", {.width = 1}},
    [HOLES] = {"holeIndices", {.width = 1, .integer = true}},
};

struct usda_reader {
    struct usda_lexer lx;
    int64_t bytes;  /* The length of the file, which limits how far arrays grow (words_room). */
    int depth;      /* How many braces are open. */
    int mesh_depth; /* The depth inside the Mesh's own braces, or 0 outside the Mesh. */
    bool has_mesh;
    bool has_transforms;           /* The file has an xformOp, which was skipped. */
    const char *st_kept_as;        /* The name under which an st that cannot be UVs is kept as a primvar, or NULL. */
    struct words values[N_ARRAYS]; /* reader_end frees them. */
    int64_t lines[N_ARRAYS];       /* The line on which each array begins, or 0 when it is absent. */
    struct usda_primvars primvars;
    struct sdd_options options;
    bool sqrt3;          /* subdd:scheme says sqrt3. It wins over subdivisionScheme, whichever comes first. */
    struct text skipped; /* The names of what was skipped. */
    int n_unnamed;       /* How many names no longer fitted into `skipped`. */
};

static bool span_is(struct usda_span s, const char *text)
{
    return strlen(text) == s.bytes && memcmp(text, s.text, s.bytes) == 0;
}

/* The text of the current token. */
static struct usda_span current_token(const struct usda_lexer *lx)
{
    return (struct usda_span){lx->text, lx->bytes};
}

/* Adds the name of something that was skipped to the names in the warning. `kind` goes before it. */
static void note_skipped(struct usda_reader *r, const char *kind, struct usda_span name)
{
    char shown[CHARS_SHOW_SIZE];
    if (r->skipped.bytes > MAX_NAMED)
        r->n_unnamed++;
    else
        text_printf(&r->skipped, "%s%s%s", r->skipped.bytes ? ", " : "", kind,
                    chars_show(name.text, name.bytes, shown));
}

/* ---- metadata: ( [list op] name = value ... ), or a comment as a string ------------------------------------------ */

static bool is_list_op(const struct usda_lexer *lx)
{
    return usda_is(lx, "add") || usda_is(lx, "append") || usda_is(lx, "prepend") || usda_is(lx, "delete") ||
           usda_is(lx, "reorder");
}

/* True for metadata that changes which prims there are or what their coordinates mean, so that a warning names it. */
static bool matters(struct usda_span name)
{
    static const char *const names[] = {"references", "payload", "inherits", "specializes",  "variants",
                                        "subLayers",  "active",  "upAxis",   "metersPerUnit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(name, names[i]))
            return true;
    return false;
}

/* Takes one item of the metadata of a primvar, whose value is the current token. An elementSize that is no integer is
 * kept as 0, for which usda_primvar_author refuses the primvar. */
static void take_metadata(const struct usda_lexer *lx, struct usda_span name, struct usda_primvar *p)
{
    const char *at = lx->text;
    if (span_is(name, "interpolation") && lx->kind == USDA_STRING)
        (void)snprintf(p->interpolation, sizeof p->interpolation, "%.*s", (int)(lx->bytes < 15 ? lx->bytes : 15),
                       lx->text);
    if (span_is(name, "elementSize") && (chars_i64(&at, at + lx->bytes, &p->element_size) != 1))
        p->element_size = 0;
}

/* Reads metadata in parentheses, from "(" to the token after ")". p is the primvar that has the metadata, or NULL. */
static int read_metadata(struct usda_reader *r, struct usda_primvar *p)
{
    struct usda_lexer *lx = &r->lx;
    int rc = lx->kind == '(' ? usda_next(lx) : SDD_OK;
    while (!rc && lx->kind != ')') {
        if (lx->kind == ';' || lx->kind == USDA_STRING) {
            rc = usda_next(lx);
            continue;
        }
        if (is_list_op(lx))
            rc = usda_next(lx);
        struct usda_span name = current_token(lx);
        if (!rc)
            rc = usda_expect(lx, USDA_NAME, "a name of metadata");
        if (!rc && matters(name))
            note_skipped(r, "", name);
        if (!rc)
            rc = usda_expect(lx, '=', "'='");
        if (!rc && p)
            take_metadata(lx, name, p);
        if (!rc)
            rc = usda_skip(lx);
        if (!rc && lx->kind == '(') /* A reference may have a layer offset. */
            rc = usda_skip(lx);
    }
    return rc ? rc : usda_next(lx);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

/* Reads the value of an attribute that is one of the mesh's options, which USD calls a token, such as "loop". */
static int read_option(struct usda_reader *r, const char *option)
{
    struct usda_lexer *lx = &r->lx;
    char word[24], text[200];
    struct sdd_error why = {0};
    if (lx->kind != USDA_STRING)
        return usda_wanted(lx, "a token (a string)");
    (void)snprintf(word, sizeof word, "%.*s", (int)(lx->bytes < 23 ? lx->bytes : 23), lx->text);
    /* Row 0 is subdivisionScheme. */
    if (strcmp(option, sdd_option_table[0].name) == 0 && strcmp(word, "none") == 0)
        return usda_fail(lx, SDD_EINVALID, "subdivisionScheme is \"none\": such a mesh has no surface to be refined");
    int rc = mesh_option_set(&r->options, option, word, &why);
    if (!rc)
        return usda_next(lx);
    (void)snprintf(text, sizeof text, "%.199s", why.text);
    return sdd_fail(lx->err, rc, option, "line %lld: %s: %s", (long long)lx->line, option, text);
}

/* Reads the values of a primvar, which have this type, or its indices. */
static int read_primvar(struct usda_reader *r, struct usda_primvar *p, bool indices, struct usda_type type)
{
    struct usda_lexer *lx = &r->lx;
    char name[PRIMVAR_NAME_SIZE + 24];
    bool *there = indices ? &p->has_indices : &p->has_values;
    (void)snprintf(name, sizeof name, "primvars:%s%s", p->name, indices ? ":indices" : "");
    if (*there)
        return usda_fail(lx, SDD_EMALFORMED, "%s is there already", name);
    *there = true;
    if (indices)
        return usda_numbers(lx, name, (struct usda_type){.width = 1, .integer = true}, r->bytes, &p->indices);
    /* inf and nan are an error in UVs. For other primvars primvar_check decides later whether they are allowed. */
    type.any = strcmp(p->name, "st") != 0;
    p->type = type;
    p->line = lx->line;
    return usda_numbers(lx, name, type, r->bytes, &p->values);
}

struct property {
    struct usda_span type, name;
    bool list;              /* The type has [] behind it. */
    struct usda_primvar *p; /* The primvar to which the property belongs, or NULL. */
};

/* Reads the value of an attribute of the Mesh; the current token is its first. *known becomes false when the attribute
 * is skipped and a warning must name it. */
static int read_value(struct usda_reader *r, struct property *a, bool *known)
{
    struct usda_lexer *lx = &r->lx;
    struct usda_type type = {0};
    bool indices = false;
    *known = true;
    if (usda_is(lx, "None"))
        return usda_next(lx);
    for (int i = 0; i < N_ARRAYS; i++) {
        if (!span_is(a->name, arrays[i].name))
            continue;
        if (r->lines[i])
            return usda_fail(lx, SDD_EMALFORMED, "%s is there already, in line %lld", arrays[i].name,
                             (long long)r->lines[i]);
        r->lines[i] = lx->line;
        return usda_numbers(lx, arrays[i].name, arrays[i].type, r->bytes, &r->values[i]);
    }
    if (span_is(a->name, "subdd:creaseMethod"))
        return read_option(r, "creaseMethod");
    for (int i = 0; i < sdd_n_options; i++)
        if (span_is(a->name, sdd_option_table[i].name))
            return read_option(r, sdd_option_table[i].name);
    if (span_is(a->name, "subdd:scheme") && lx->kind == USDA_STRING && span_is(current_token(lx), "sqrt3")) {
        r->sqrt3 = true;
        return usda_next(lx);
    }
    if (usda_type_of(a->type, &type) && (a->p = usda_primvar_of(&r->primvars, a->name, &indices))) {
        type.lone = !a->list;
        return read_primvar(r, a->p, indices, type);
    }
    *known = span_is(a->name, "extent");
    return usda_skip(lx);
}

/* Reads [list op] [custom] [uniform | varying] type name. "reorder nameChildren" has no
 * type; then type and name are the same token. */
static int read_declaration(struct usda_reader *r, struct property *a)
{
    struct usda_lexer *lx = &r->lx;
    int rc = SDD_OK;
    while (!rc && (is_list_op(lx) || usda_is(lx, "custom") || usda_is(lx, "uniform") || usda_is(lx, "varying")))
        rc = usda_next(lx);
    a->type = a->name = current_token(lx);
    if (!rc)
        rc = usda_expect(lx, USDA_NAME, "a type");
    a->list = lx->kind == '[';
    if (!rc && a->list) {
        rc = usda_next(lx);
        if (!rc)
            rc = usda_expect(lx, ']', "']'");
    }
    if (rc || lx->kind == '=')
        return rc;
    a->name = current_token(lx);
    return usda_expect(lx, USDA_NAME, "the name of a property");
}

/* Reads a declaration, [= value], [(metadata)]. */
static int read_property(struct usda_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    struct property a = {0};
    int rc = read_declaration(r, &a);
    /* A statement without a type, such as "reorder nameChildren", is skipped without a warning. */
    bool mesh = r->mesh_depth && r->depth == r->mesh_depth, known = !rc && a.name.text == a.type.text;
    if (!rc && lx->kind == '=') {
        rc = usda_next(lx);
        if (!rc)
            rc = mesh && !known ? read_value(r, &a, &known) : usda_skip(lx);
    }
    if (!rc && a.name.bytes >= 7 && memcmp(a.name.text, "xformOp", 7) == 0)
        known = r->has_transforms = true;
    if (!rc && !known)
        note_skipped(r, "", a.name);
    return rc || lx->kind != '(' ? rc : read_metadata(r, a.p);
}

/* ---- prims ------------------------------------------------------------------------------------------------------- */

/* Reads def [type] "name" [(metadata)] and then, for a prim that can be or hold the Mesh, only the "{", so that the
 * statements inside come next; another prim is skipped with its braces. */
static int read_prim(struct usda_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    struct usda_span type = {"", 0}, name;
    char kind[CHARS_SHOW_SIZE], shown[CHARS_SHOW_SIZE + 1];
    bool enters = usda_is(lx, "def");
    int rc = usda_next(lx);
    if (!rc && lx->kind == USDA_NAME) {
        type = current_token(lx);
        rc = usda_next(lx);
    }
    name = current_token(lx);
    if (!rc)
        rc = usda_expect(lx, USDA_STRING, "the name of a prim");
    if (!rc && lx->kind == '(')
        rc = read_metadata(r, NULL);
    if (!rc && lx->kind != '{')
        return usda_wanted(lx, "'{'");
    if (rc)
        return rc;
    bool mesh = enters && span_is(type, "Mesh");
    if (!enters || !(mesh || !type.bytes || span_is(type, "Xform") || span_is(type, "Scope"))) {
        (void)snprintf(shown, sizeof shown, "%s ", type.bytes ? chars_show(type.text, type.bytes, kind) : "prim");
        note_skipped(r, shown, name);
        return usda_skip(lx);
    }
    if (mesh && r->has_mesh)
        return usda_fail(lx, SDD_EINVALID, "\"%s\" is a second Mesh; a file with one is wanted",
                         chars_show(name.text, name.bytes, shown));
    if (r->depth == MAX_DEPTH)
        return usda_fail(lx, SDD_EINVALID, "prims are nested deeper than %d", MAX_DEPTH);
    r->depth++;
    if (mesh) {
        r->has_mesh = true;
        r->mesh_depth = r->depth;
    }
    return usda_next(lx);
}

static int read_variants(struct usda_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    int rc = usda_next(lx);
    note_skipped(r, "variantSet ", current_token(lx));
    if (!rc)
        rc = usda_expect(lx, USDA_STRING, "the name of a variant set");
    if (!rc)
        rc = usda_expect(lx, '=', "'='");
    return rc ? rc : usda_skip(lx);
}

/* Reads one statement between the braces of a prim, or outside all prims: a property, the beginning of a prim or the
 * "}" that ends one. */
static int read_statement(struct usda_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    if (lx->kind == ';')
        return usda_next(lx);
    if (lx->kind == '}' && r->depth) {
        if (r->depth-- == r->mesh_depth)
            r->mesh_depth = 0;
        return usda_next(lx);
    }
    if (usda_is(lx, "def") || usda_is(lx, "over") || usda_is(lx, "class"))
        return read_prim(r);
    if (usda_is(lx, "variantSet"))
        return read_variants(r);
    if (lx->kind == USDA_NAME && (r->depth || usda_is(lx, "reorder")))
        return read_property(r);
    return usda_wanted(lx, r->depth ? "a property, a prim or '}'" : "a prim (def ...)");
}

static int read_all(struct usda_reader *r, const char *body, size_t bytes)
{
    static const char header[] = "#usda 1.0", binary[] = "PXR-USDC";
    struct usda_lexer *lx = &r->lx;
    size_t n = sizeof header - 1;
    if (bytes < n || memcmp(body, header, n) != 0 || (bytes > n && !memchr(" \t\r\n", body[n], 4)))
        return usda_fail(lx, SDD_EMALFORMED, "%s",
                         bytes >= 8 && memcmp(body, binary, 8) == 0 ? "this is binary USD; only its text form is read"
                                                                    : "the file does not begin with \"#usda 1.0\"");
    int rc = usda_next(lx);
    if (!rc && lx->kind == '(')
        rc = read_metadata(r, NULL);
    while (!rc && (lx->kind != USDA_END || r->depth))
        rc = read_statement(r);
    if (!rc && !r->has_mesh)
        rc = sdd_fail(lx->err, SDD_EMESH, "usda", "the file has no Mesh");
    if (!rc && !r->lines[POINTS])
        rc = sdd_fail(lx->err, SDD_EMESH, "points", "the Mesh has no points (timeSamples are not read)");
    return rc;
}

static int tell(const struct usda_reader *r, struct losses *losses)
{
    int rc = SDD_OK;
    if (r->skipped.bytes)
        rc =
            losses_add(losses, "usda", "skipped", r->lx.err, "not kept: %s and %d more", r->skipped.data, r->n_unnamed);
    if (!rc && r->st_kept_as)
        rc = losses_add(losses, "usda", "st", r->lx.err,
                        "primvars:st is kept as primvar %s: UVs are faceVarying, of 2 numbers", r->st_kept_as);
    if (!rc && r->has_transforms)
        rc = losses_add(losses, "usda", "xformOp", r->lx.err,
                        "transforms (xformOp) are not applied: points are kept as the file has them");
    return rc;
}

/* ---- the Mesh ---------------------------------------------------------------------------------------------------- */

/* Fills the indices of UVs that come without: they must have one value for each face corner, in this order. */
static int number_corners(struct usda_reader *r, struct usda_primvar *p)
{
    int64_t n = r->values[INDICES].n;
    if (p->values.n != 2 * n)
        return sdd_fail(r->lx.err, SDD_EMESH, "st", "line %lld: primvars:st has %lld values for %lld face corners",
                        (long long)p->line, (long long)p->values.n / 2, (long long)n);
    int rc = words_room(&p->indices, n, r->bytes, "st", r->lx.err);
    for (; !rc && p->indices.n < n; p->indices.n++)
        p->indices.i[p->indices.n] = (int32_t)p->indices.n;
    return rc;
}

/* Renames an st that cannot be UVs, because of its interpolation or its type, so that it can be a primvar like others.
 * Where the file has a primvar of the new name too, st keeps its name, and usda_primvar_author refuses it. */
static void rename_st(const struct usda_reader *r, struct usda_primvar *p)
{
    char name[PRIMVAR_NAME_SIZE];
    (void)snprintf(name, sizeof name, "st_%s", p->interpolation);
    for (int i = 0; i < r->primvars.n; i++)
        if (strcmp(r->primvars.v[i].name, name) == 0)
            return;
    memcpy(p->name, name, sizeof name);
}

/* Puts st into *a as the UVs, and the other primvars as primvars; the arrays are borrowed from r. Those that a mesh
 * cannot keep count as skipped. */
static int take_primvars(struct usda_reader *r, struct mesh_arrays *a)
{
    int rc = SDD_OK;
    for (int i = 0; i < r->primvars.n && !rc; i++) {
        struct usda_primvar *p = &r->primvars.v[i];
        const bool st = strcmp(p->name, "st") == 0 && p->has_values;
        const bool uvs = st && strcmp(p->interpolation, "faceVarying") == 0 && p->type.width == 2 && !p->type.integer &&
                         p->element_size == 1;
        if (st && !uvs)
            rename_st(r, p);
        if (uvs) {
            rc = p->has_indices ? SDD_OK : number_corners(r, p);
            a->uvs = words_f32s(&p->values);
            a->uv_indices = words_i32s(&p->indices);
        } else if (a->n_primvars < SDD_MAX_PRIMVARS && usda_primvar_author(p, &a->primvars[a->n_primvars])) {
            a->n_primvars++;
            r->st_kept_as = st ? p->name : r->st_kept_as;
        } else {
            char text[PRIMVAR_NAME_SIZE + 24];
            int n = snprintf(text, sizeof text, "%s (%s)", st ? "st" : p->name, p->interpolation);
            note_skipped(r, "primvars:", (struct usda_span){text, (size_t)n});
        }
    }
    return rc;
}

/* An error of mesh_build names an array in err->field. This puts "line N: " before its sentence, with the line on which
 * the array begins. Errors of UVs name "st" or "stIndices", those of primvars "NAME." and a part. */
static void add_line(const struct usda_reader *r, struct sdd_error *err)
{
    char text[220];
    int64_t line = 0;
    if (!err || strncmp(err->text, "line", 4) == 0)
        return;
    for (int i = 0; i < N_ARRAYS; i++)
        if (strcmp(err->field, arrays[i].name) == 0)
            line = r->lines[i];
    for (int i = 0; i < r->primvars.n; i++) {
        const struct usda_primvar *p = &r->primvars.v[i];
        size_t n = strlen(p->name);
        bool uvs = strcmp(p->name, "st") == 0 && strncmp(err->field, "st", 2) == 0;
        if (uvs || (strncmp(err->field, p->name, n) == 0 && err->field[n] == '.'))
            line = p->line;
    }
    if (!line)
        return;
    (void)snprintf(text, sizeof text, "%.219s", err->text);
    (void)snprintf(err->text, sizeof err->text, "line %lld: %s", (long long)line, text);
}

/* Makes the mesh of all that was read. mesh_build copies the arrays. */
static int build(struct usda_reader *r, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = COUNTS; i <= INDICES && !rc; i++)
        if (!r->lines[i])
            rc = sdd_fail(err, SDD_EMESH, arrays[i].name, "the Mesh has no %s", arrays[i].name);
    if (r->sqrt3)
        r->options.scheme = SDD_SCHEME_SQRT3;
    const struct words *v = r->values;
    struct mesh_arrays a = {
        .options = r->options,
        .points = words_f32s(&v[POINTS]),
        .face_counts = words_i32s(&v[COUNTS]),
        .face_vertices = words_i32s(&v[INDICES]),
        .crease_indices = words_i32s(&v[CREASES]),
        .crease_lengths = words_i32s(&v[CREASE_LENGTHS]),
        .crease_sharpnesses = words_f32s(&v[CREASE_SHARPNESSES]),
        .corner_indices = words_i32s(&v[CORNERS]),
        .corner_sharpnesses = words_f32s(&v[CORNER_SHARPNESSES]),
        .hole_indices = words_i32s(&v[HOLES]),
        .losses = losses,
    };
    if (!rc)
        rc = take_primvars(r, &a);
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (rc)
        add_line(r, err);
    return rc;
}

static void reader_begin(struct usda_reader *r, const void *body, size_t bytes, struct sdd_error *err)
{
    *r = (struct usda_reader){.bytes = (int64_t)bytes};
    usda_begin(&r->lx, body, bytes, err);
}

static void reader_end(struct usda_reader *r)
{
    for (int i = 0; i < N_ARRAYS; i++)
        free(r->values[i].p);
    usda_primvars_free(&r->primvars);
    text_free(&r->skipped);
}

int mesh_from_usda(const void *body, size_t bytes, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    struct usda_reader r;
    *out = NULL;
    reader_begin(&r, body, bytes, err);
    int rc = read_all(&r, body, bytes);
    if (!rc)
        rc = build(&r, out, losses, err);
    if (!rc && losses)
        rc = tell(&r, losses);
    reader_end(&r);
    return rc;
}

int positions_from_usda(const void *body, size_t bytes, struct positions **out, struct sdd_error *err)
{
    struct usda_reader r;
    *out = NULL;
    reader_begin(&r, body, bytes, err);
    int rc = read_all(&r, body, bytes);
    if (!rc)
        rc = positions_from_points(words_f32s(&r.values[POINTS]), out, err);
    reader_end(&r);
    return rc;
}
