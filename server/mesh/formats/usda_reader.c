/* SPDX-License-Identifier: Apache-2.0 */
/* usda_reader.c: reads one Mesh of a USDA file, as a mesh or as positions, for uploads.
 *
 *   usda_layer_read (what the file says) -> usda_stage_compose (what USD makes of it) -> the Mesh that is asked for:
 *   its arrays and options here, usda_primvars_read, usda_xform, usda_subsets -> mesh_build
 *
 * Read     UsdGeomMesh's topology (arrays[] below) and options (sdd_option_table in gpu/sdd/sdd.h), primvars,
 *          GeomSubsets, bound materials, Xform ops, upAxis and metersPerUnit, and subdd:scheme and
 *          subdd:creaseMethod, which are our own (usda_write.c). Defaults are USD's. An attribute whose value is None
 *          counts as absent, and of one that is authored twice the later value counts.
 * Refused  What shapes the surface and is wrong; a subdivisionScheme of none, because such a mesh has no surface to
 *          refine, unless somebody else sets the scheme. Sentences name the line.
 * Lost     What else there is; each kind is a loss. Silent are only what USD makes of the mesh itself (extent, normals)
 *          and what says how it is drawn. */
#include "server/base/chars.h"
#include "server/base/text.h"
#include "server/mesh/formats/usda_parts.h"
#include "server/mesh/formats/usda_primvars.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED (1 << 18) /* Bytes of the list of Meshes of a refusal. */

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
    [CREASE_SHARPNESSES] = {"creaseSharpnesses", {.width = 1, .any = true}},
    [CORNERS] = {"cornerIndices", {.width = 1, .integer = true}},
    [CORNER_SHARPNESSES] = {"cornerSharpnesses", {.width = 1, .any = true}},
    [HOLES] = {"holeIndices", {.width = 1, .integer = true}},
};

struct usda_reader {
    struct usda_layer layer;
    struct usda_stage stage;
    int64_t left;          /* Of the bytes that the stage may read. */
    struct usda_part part; /* What the readers of parts take. */
    int32_t prim;          /* The Mesh. */
    struct words values[N_ARRAYS];
    int64_t lines[N_ARRAYS]; /* The line on which each array begins, or 0 when it is absent. */
    struct usda_primvars primvars;
    struct usda_families families;
    struct sdd_options options;
    struct mesh_stage placed;
    struct losses unheard; /* Of a reader of positions alone. */
};

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Reads one of arrays[]. */
static int read_array(struct usda_reader *r, int i)
{
    const struct usda_opinion o = usda_find(&r->stage, r->prim, arrays[i].name, false);
    struct usda_lexer lx;
    bool there;
    int rc = usda_value(&r->stage, o, r->part.ask, &lx, NULL, &there, r->part.losses, r->part.err);
    if (rc || !there)
        return rc;
    r->lines[i] = lx.line;
    if (o.value >= 0) /* Room for all at once. */
        rc = words_room(&r->values[i], (int64_t)r->layer.fields[o.value].items * arrays[i].type.width, 0,
                        arrays[i].name, r->part.err);
    if (!rc)
        rc = usda_numbers(&lx, arrays[i].name, arrays[i].type, (int64_t)r->layer.bytes, &r->values[i]);
    for (int64_t k = 0; k < r->values[i].n && arrays[i].type.any;
         k++) /* What is sharp without end is sharp to any level. */
        if (isinf(r->values[i].f[k]) && r->values[i].f[k] > 0)
            r->values[i].f[k] = SDD_SHARPNESS_INFINITE;
    return rc;
}

/* Reads an attribute that is one of the mesh's options, which USD calls a token, such as "loop". */
static int read_option(struct usda_reader *r, const char *attribute, const char *option)
{
    const struct usda_opinion o = usda_find(&r->stage, r->prim, attribute, false);
    char word[24], text[200];
    struct sdd_error why = {0};
    struct usda_lexer lx;
    bool there;
    int rc = usda_value(&r->stage, o, r->part.ask, &lx, NULL, &there, r->part.losses, r->part.err);
    if (rc || !there)
        return rc;
    if (lx.kind != USDA_STRING)
        return usda_wanted(&lx, "a token (a string)");
    (void)snprintf(word, sizeof word, "%.*s", (int)(lx.bytes < 23 ? lx.bytes : 23), lx.text);
    /* Row 0 is subdivisionScheme. */
    if (strcmp(option, sdd_option_table[0].name) == 0 && strcmp(word, "none") == 0)
        return usda_fail(
            &lx, SDD_EINVALID,
            "subdivisionScheme is \"none\", so the Mesh has no surface to be refined; to refine it all the "
            "same say how: --scheme catmullClark (?scheme=catmullClark)");
    rc = mesh_option_set(&r->options, option, word, &why);
    if (!rc)
        return SDD_OK;
    (void)snprintf(text, sizeof text, "%.199s", why.text);
    return sdd_fail(lx.err, rc, option, "line %lld: %s: %s", (long long)lx.line, option, text);
}

static int read_options(struct usda_reader *r)
{
    static const char own[] = "subdd:scheme", method[] = "creaseMethod";
    int rc = SDD_OK;
    /* subdd:scheme says what subdivisionScheme cannot, and wins. */
    const bool sqrt3 = usda_span_is(usda_text_of(&r->stage, r->prim, own, false), "sqrt3");
    for (int i = 0; i < sdd_n_options && !rc; i++) {
        const char *name = sdd_option_table[i].name;
        if (r->part.ask->options & 1u << i || (i == 0 && sqrt3))
            continue;
        rc = read_option(r, strcmp(name, method) == 0 ? "subdd:creaseMethod" : name, name);
    }
    if (sqrt3 && !(r->part.ask->options & 1u))
        r->options.scheme = SDD_SCHEME_SQRT3;
    return rc;
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* True for a property of which nothing need be said. */
static bool is_known(struct usda_span name)
{
    static const char *const names[] = {"extent",      "normals", "velocities",   "accelerations",      "doubleSided",
                                        "visibility",  "purpose", "subdd:scheme", "subdd:creaseMethod", "proxyPrim",
                                        "xformOpOrder"};
    static const char *const beginnings[] = {"xformOp:", "primvars:", "material:binding", "skel:", "subsetFamily:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (usda_span_is(name, names[i]))
            return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (name.bytes >= strlen(beginnings[i]) && memcmp(name.text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (int i = 0; i < N_ARRAYS; i++)
        if (usda_span_is(name, arrays[i].name))
            return true;
    for (int i = 0; i < sdd_n_options; i++)
        if (usda_span_is(name, sdd_option_table[i].name))
            return true;
    return false;
}

static int tell_property(void *arg, const struct usda_field *f)
{
    const struct usda_reader *r = arg;
    char shown[CHARS_SHOW_SIZE];
    struct usda_declaration d;
    struct usda_lexer lx;
    bool there;
    int rc = f->kind == USDA_META ? SDD_OK : usda_field_open(&r->layer, f, &lx, &d, &there, r->part.err);
    if (rc || f->kind == USDA_META || is_known(d.name))
        return rc;
    return losses_add(r->part.losses, "usda", "property", r->part.err,
                      "line %d: the property %s of the Mesh is not kept", f->line,
                      chars_show(d.name.text, d.name.bytes, shown));
}

/* A Mesh that a skeleton or blend shapes would move. */
static int tell_skeleton(const struct usda_reader *r)
{
    static const char *const names[] = {"skel:skeleton", "primvars:skel:jointIndices", "skel:blendShapeTargets"};
    bool moved = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        moved = moved || usda_find(&r->stage, r->prim, names[i], false).value >= 0;
    for (int32_t at = r->prim; at > 0; at = r->stage.prims[at].parent)
        moved = moved || r->stage.prims[at].type == USDA_SKEL_ROOT;
    return moved ? losses_add(r->part.losses, "usda", "skel", r->part.err,
                              "the points are as the file has them: skeletons and blend shapes are not applied")
                 : SDD_OK;
}

static int tell(struct usda_reader *r)
{
    int rc = usda_stage_tell(&r->stage, r->part.losses, r->part.err);
    if (!rc)
        rc = tell_skeleton(r);
    return rc ? rc : usda_each(&r->stage, r->prim, tell_property, r);
}

/* ---- the stage's units ------------------------------------------------------------------------------------------- */

/* Reads upAxis and metersPerUnit. What the file does not say stays unknown: a file that is written says nothing again,
 * for which USD has defaults, and glTF gets the numbers as they are. */
static int read_units(struct usda_reader *r)
{
    const struct usda_opinion unit = usda_find(&r->stage, 0, "metersPerUnit", true);
    const struct usda_span up = usda_text_of(&r->stage, 0, "upAxis", true);
    const bool z = usda_span_is(up, "Z");
    struct usda_lexer lx;
    bool there;
    double meters = 0;
    int rc = SDD_OK;
    if (up.bytes && !z && !usda_span_is(up, "Y"))
        rc = losses_add(r->part.losses, "upAxis", "upAxis", r->part.err, "upAxis is neither Y nor Z; it is left out");
    else if (up.bytes)
        r->placed.up_axis = z ? MESH_UP_Z : MESH_UP_Y;
    if (usda_value(&r->stage, unit, NULL, &lx, NULL, &there, NULL, NULL) != SDD_OK)
        there = false;
    if (!rc && there && (usda_double(&lx, &meters) || !isfinite(meters) || !(meters > 0))) {
        meters = 0;
        rc = losses_add(r->part.losses, "metersPerUnit", "metersPerUnit", r->part.err,
                        "line %lld: metersPerUnit is no number above 0; it is left out", (long long)lx.line);
    }
    r->placed.meters_per_unit = meters;
    return rc;
}

/* ---- the Mesh ---------------------------------------------------------------------------------------------------- */

/* The line on which an array begins that an error or a loss of mesh_build names: by its field, such as "wear.values",
 * or its kind. Returns 0 when it is none. */
static int64_t line_of(const struct usda_reader *r, const char *name)
{
    static const char *const kinds[] = {"crease", "corner", "hole"};
    static const int rows[] = {CREASES, CORNERS, HOLES};
    for (int i = 0; i < N_ARRAYS; i++)
        if (strcmp(name, arrays[i].name) == 0)
            return r->lines[i];
    for (int i = 0; i < r->primvars.n; i++) {
        const struct usda_primvar *p = &r->primvars.v[i];
        const size_t n = strlen(p->name);
        if (strncmp(name, p->name, n) == 0 && (name[n] == '.' || !name[n]))
            return p->line;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return r->lines[rows[i]];
    return 0;
}

/* Puts "line N: " before a sentence of mesh_build, unless N is 0. */
static void add_line(int64_t line, char *sentence, size_t size)
{
    char text[LOSS_SENTENCE_SIZE];
    if (!line || strncmp(sentence, "line", 4) == 0)
        return;
    (void)snprintf(text, sizeof text, "line %lld: %s", (long long)line, sentence);
    (void)snprintf(sentence, size, "%.*s", (int)size - 1, text);
}

static void add_lines(const struct usda_reader *r, struct losses *l, int from, struct sdd_error *err)
{
    if (err)
        add_line(line_of(r, err->field), err->text, sizeof err->text);
    for (int i = l ? from : 0; l && i < l->n; i++) {
        const char *kind = l->rows[i].kind;
        add_line(line_of(r, strncmp(kind, "primvar ", 8) == 0 ? kind + 8 : kind), l->rows[i].sentence,
                 sizeof l->rows[i].sentence);
    }
}

/* Gives a mesh the displayName of its prim as a name, else its path. */
static void name_mesh(const struct usda_reader *r, struct mesh *m)
{
    char name[MESH_NAME_SIZE] = "";
    if (!usda_display_name(&r->stage, r->prim, name, sizeof name) || mesh_name_check(name, NULL) != SDD_OK)
        memset(name, 0, sizeof name);
    if (!*name && !usda_stage_path(&r->stage, r->prim, name, sizeof name))
        name[0] = 0;
    if (mesh_name_check(name, NULL) == SDD_OK)
        memcpy(m->name, name, sizeof name);
}

/* Makes the mesh of all that was read. mesh_build copies the arrays. */
static int build(struct usda_reader *r, struct mesh **out)
{
    const struct words *v = r->values;
    struct sdd_error *err = r->part.err;
    int rc = SDD_OK;
    for (int i = COUNTS; i <= INDICES && !rc; i++)
        if (!r->lines[i])
            rc = sdd_fail(err, SDD_EMESH, arrays[i].name, "the Mesh has no %s: export it with its faces, or remove it",
                          arrays[i].name);
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
        .stage = r->placed,
        .losses = r->part.losses,
    };
    if (!rc)
        rc = usda_primvars_take(&r->primvars, &a, err);
    if (!rc)
        rc = usda_subsets_take(&r->families, v[COUNTS].n, &a, err);
    const int known = r->part.losses ? r->part.losses->n : 0;
    if (!rc)
        rc = mesh_build(&a, out, err);
    add_lines(r, r->part.losses, known, rc ? err : NULL);
    if (!rc)
        name_mesh(r, *out);
    return rc;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Reads the file as far as to the Mesh that is asked for, and its points. */
static int begin(struct usda_reader *r, const void *body, size_t bytes)
{
    int rc = usda_layer_read(&r->layer, body, bytes, r->part.losses, r->part.err);
    r->left = 16 * (int64_t)bytes + (64 << 20);
    if (!rc)
        rc = usda_stage_compose(&r->stage, &r->layer, &r->left, r->part.err);
    if (!rc)
        rc = usda_stage_choose(&r->stage, r->part.ask, &r->prim, r->part.err);
    if (!rc)
        rc = read_array(r, POINTS);
    if (!rc && !r->lines[POINTS])
        rc = usda_stage_no_points(&r->stage, r->part.err);
    return rc;
}

static void end(struct usda_reader *r)
{
    for (int i = 0; i < N_ARRAYS; i++)
        free(r->values[i].p);
    usda_primvars_free(&r->primvars);
    usda_families_free(&r->families);
    usda_stage_free(&r->stage);
    usda_layer_free(&r->layer);
    free(r);
}

static struct usda_reader *reader_create(const struct usda_ask *ask, struct losses *losses, struct sdd_error *err)
{
    static const struct usda_ask any = {0};
    struct usda_reader *r = calloc(1, sizeof *r);
    if (r)
        r->part = (struct usda_part){&r->stage, ask ? ask : &any, losses, err};
    else
        (void)sdd_fail(err, SDD_ENO_MEMORY, "usda", "no memory for a reader");
    return r;
}

/* Lists the Meshes of a file that has several. When there is no room for all, *err has how many there are, and how many
 * the list has. */
static void list(const struct usda_reader *r, struct text *prims, struct sdd_error *err)
{
    const struct usda_stage *s = &r->stage;
    char path[USDA_PATH_SIZE];
    int64_t n = 0;
    for (int64_t i = 0; i < s->n_meshes && prims->bytes < MAX_LISTED; i++) {
        if (!usda_stage_path(s, s->meshes[i], path, sizeof path) || strpbrk(path, "\r\n"))
            continue;
        text_printf(prims, "%lld %lld %s\n", (long long)usda_stage_items(s, s->meshes[i], "points"),
                    (long long)usda_stage_items(s, s->meshes[i], "faceVertexCounts"), path);
        n++;
    }
    if (n < s->n_meshes) {
        err->needed = s->n_meshes;
        err->available = n;
    }
}

int mesh_from_usda(const void *body, size_t bytes, const struct usda_ask *ask, struct mesh **out, struct text *prims,
                   struct losses *losses, struct sdd_error *err)
{
    *out = NULL;
    struct usda_reader *r = reader_create(ask, losses, err);
    if (!r)
        return SDD_ENO_MEMORY;
    int rc = begin(r, body, bytes);
    if (rc == SDD_EINVALID && prims && err && strcmp(err->field, "prim") == 0)
        list(r, prims, err);
    for (int i = COUNTS; i < N_ARRAYS && !rc; i++)
        rc = read_array(r, i);
    if (!rc)
        rc = read_options(r);
    if (!rc)
        rc = read_units(r);
    if (!rc)
        rc = usda_xform(&r->part, r->prim, &r->placed);
    if (!rc)
        rc = usda_primvars_read(&r->primvars, &r->stage, r->prim, r->part.ask, losses, err);
    if (!rc)
        rc = usda_subsets(&r->part, r->prim, r->values[COUNTS].n, &r->families);
    if (!rc)
        rc = tell(r);
    if (!rc)
        rc = usda_stage_read(&r->stage, 0, err);
    if (!rc)
        rc = build(r, out);
    end(r);
    return rc;
}

int positions_from_usda(const void *body, size_t bytes, const struct usda_ask *ask, struct positions **out,
                        struct sdd_error *err)
{
    *out = NULL;
    struct usda_reader *r = reader_create(ask, NULL, err);
    if (!r)
        return SDD_ENO_MEMORY;
    r->part.losses = &r->unheard;
    int rc = begin(r, body, bytes);
    if (!rc)
        rc = positions_from_points(words_f32s(&r->values[POINTS]), out, err);
    end(r);
    return rc;
}
