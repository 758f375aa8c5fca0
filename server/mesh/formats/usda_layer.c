/* SPDX-License-Identifier: Apache-2.0 */
/* usda_layer.c: reads the structure of a USDA file in one pass, for usda_stage.c. */
#include "server/mesh/formats/usda_layer.h"
#include "server/base/chars.h"
#include "server/base/pool.h"
#include "server/base/stop.h"
#include <stdlib.h>
#include <string.h>

#define MAX_PRIMS (INT32_MAX / 2)

_Static_assert(sizeof(struct usda_field) == 24 && sizeof(struct usda_prim) <= 40, "what a short statement may take");

/* What is being read. */
struct layer_reader {
    struct usda_layer *layer;
    struct usda_lexer lx;
    struct losses *losses;
    int32_t current;            /* The prim whose braces are open. */
    int depth, others;          /* How many braces are open, and how many of them are those of prims of other types. */
    struct usda_span outermost; /* The type of the outermost of these. */
    bool fresh;                 /* Nothing has come behind the last "{". */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int grow(struct layer_reader *r, void **rows, int64_t n, int64_t *room, size_t row)
{
    if (n < *room)
        return SDD_OK;
    if (n >= MAX_PRIMS)
        return usda_fail(&r->lx, SDD_ETOO_LARGE, "there are more than %d prims or fields", MAX_PRIMS);
    const int64_t more = *room ? *room + *room / 2 : 64;
    void *p = claim_draw((more - *room) * (int64_t)row) ? realloc(*rows, (size_t)more * row) : NULL;
    if (!p)
        return sdd_fail(r->lx.err, SDD_ENO_MEMORY, "usda", "no memory for %lld prims or fields", (long long)more);
    *rows = p;
    *room = more;
    return SDD_OK;
}

/* Adds a prim below the current one and makes it the current one. The current token is its name. */
static int add_prim(struct layer_reader *r, int specifier, int type)
{
    struct usda_layer *l = r->layer;
    if (r->depth == USDA_MAX_DEPTH)
        return usda_fail(&r->lx, SDD_EINVALID, "prims are nested deeper than %d", USDA_MAX_DEPTH);
    void *rows = l->prims;
    int rc = grow(r, &rows, l->n, &l->room, sizeof *l->prims);
    l->prims = rows;
    if (rc)
        return rc;
    l->prims[l->n] = (struct usda_prim){.name = r->lx.text - l->body,
                                        .name_bytes = (int32_t)(r->lx.bytes < INT32_MAX ? r->lx.bytes : INT32_MAX),
                                        .line = (int32_t)r->lx.line,
                                        .parent = r->current,
                                        .fields = -1,
                                        .last = -1,
                                        .specifier = (unsigned char)specifier,
                                        .type = (unsigned char)type};
    r->current = (int32_t)l->n++;
    r->depth++;
    r->others += type == USDA_OTHER;
    l->n_meshes += type == USDA_MESH;
    return SDD_OK;
}

static int add_field(struct layer_reader *r, struct usda_place place, int kind, struct usda_span name, int64_t items)
{
    struct usda_layer *l = r->layer;
    struct usda_prim *p = &l->prims[r->current];
    void *rows = l->fields;
    int rc = grow(r, &rows, l->n_fields, &l->fields_room, sizeof *l->fields);
    l->fields = rows;
    if (rc)
        return rc;
    l->fields[l->n_fields] = (struct usda_field){.at = place.at,
                                                 .line = (int32_t)place.line,
                                                 .next = -1,
                                                 .items = (int32_t)(items < INT32_MAX ? items : INT32_MAX),
                                                 .kind = (unsigned)kind & 15,
                                                 .hash = usda_hash(name) & 0xfffffff};
    if (p->fields < 0)
        p->fields = (int32_t)l->n_fields;
    else
        l->fields[p->last].next = (int32_t)l->n_fields;
    p->last = (int32_t)l->n_fields++;
    return SDD_OK;
}

/* ---- metadata: ( [list op] name = value ... ), or a comment as a string ------------------------------------------ */

static bool is_one_of(struct usda_span s, const char *const *names)
{
    for (; *names; names++)
        if (usda_span_is(s, *names))
            return true;
    return false;
}

static bool is_list_op(const struct usda_lexer *lx)
{
    static const char *const names[] = {"add", "append", "prepend", "delete", "reorder", NULL};
    return lx->kind == USDA_NAME && is_one_of(usda_token(lx), names);
}

/* Metadata of prims and of the file that is kept. */
static bool is_kept(struct usda_span name)
{
    static const char *const names[] = {"active",        "variants",    "references",      "payload",
                                        "inherits",      "subLayers",   "specializes",     "upAxis",
                                        "metersPerUnit", "displayName", "customLayerData", NULL};
    return is_one_of(name, names);
}

/* Reads metadata in parentheses, from "(" to the token after ")". With `keep` it is that of the current prim. */
static int read_metadata(struct layer_reader *r, bool keep)
{
    struct usda_lexer *lx = &r->lx;
    int rc = usda_next(lx);
    while (!rc && lx->kind != ')') {
        if (lx->kind == ';' || lx->kind == ',' || lx->kind == USDA_STRING) {
            rc = usda_next(lx);
            continue;
        }
        const bool removes = usda_is(lx, "delete") || usda_is(lx, "reorder");
        if (is_list_op(lx))
            rc = usda_next(lx);
        const struct usda_place place = usda_place(lx, r->layer->body);
        const struct usda_span name = usda_token(lx);
        if (!rc)
            rc = usda_expect(lx, USDA_NAME, "a name of metadata");
        if (!rc)
            rc = usda_expect(lx, '=', "'='");
        if (!rc && keep && !removes && is_kept(name))
            rc = add_field(r, place, USDA_META, name, 0);
        if (!rc)
            rc = usda_skip(lx, NULL);
        if (!rc && lx->kind == '(') /* A reference may have a layer offset. */
            rc = usda_skip(lx, NULL);
    }
    return rc ? rc : usda_next(lx);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

/* Reads a declaration that the current token begins, up to the token behind it. A statement like "reorder nameChildren
 * = ..." has no type; then type and name are the same token. */
static int declare(struct usda_lexer *lx, struct usda_declaration *d)
{
    static const char *const before[] = {"custom", "uniform", "varying", "config", NULL};
    static const struct {
        const char *end;
        int kind;
    } parts[] = {{".timeSamples", USDA_SAMPLES},
                 {".connect", USDA_CONNECTED},
                 {".default", USDA_VALUE},
                 {".spline", USDA_CONNECTED}};
    int rc = SDD_OK;
    while (!rc && (is_list_op(lx) || (lx->kind == USDA_NAME && is_one_of(usda_token(lx), before))))
        rc = usda_next(lx);
    *d = (struct usda_declaration){.type = usda_token(lx), .name = usda_token(lx), .kind = USDA_VALUE};
    if (!rc)
        rc = usda_expect(lx, USDA_NAME, "a type");
    d->list = lx->kind == '[';
    if (!rc && d->list) {
        rc = usda_next(lx);
        if (!rc)
            rc = usda_expect(lx, ']', "']'");
    }
    if (rc || (lx->kind == '=' && !d->list))
        return rc;
    d->name = usda_token(lx);
    d->kind = usda_span_is(d->type, "rel") ? USDA_REL : USDA_VALUE;
    rc = usda_expect(lx, USDA_NAME, "the name of a property");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t n = strlen(parts[i].end);
        if (d->name.bytes <= n || memcmp(d->name.text + d->name.bytes - n, parts[i].end, n) != 0)
            continue;
        d->name.bytes -= n;
        d->kind = d->kind == USDA_REL ? USDA_REL : parts[i].kind;
        break;
    }
    return rc;
}

/* True for properties of prims other than meshes that say something of the meshes below them. */
static bool is_inherited(struct usda_span name)
{
    static const char *const beginnings[] = {"xformOp", "primvars:", "material:binding", "skel:"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (name.bytes >= strlen(beginnings[i]) && memcmp(name.text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* Reads a declaration, [= value], [(metadata)]. */
static int read_property(struct layer_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    const struct usda_prim *p = &r->layer->prims[r->current];
    const struct usda_place place = usda_place(lx, r->layer->body);
    const bool removes = usda_is(lx, "delete") || usda_is(lx, "reorder");
    struct usda_declaration d;
    int64_t items = 0;
    int rc = declare(lx, &d);
    const bool value = !rc && lx->kind == '=';
    if (value) {
        rc = usda_next(lx);
        if (!rc)
            rc = usda_skip(lx, &items);
    }
    const bool all = p->type == USDA_MESH || p->type == USDA_GEOM_SUBSET || p->type == USDA_NO_TYPE;
    if (!rc && !removes && d.name.text != d.type.text && (all || is_inherited(d.name)))
        rc = add_field(r, place, value || d.kind != USDA_VALUE ? d.kind : USDA_DECLARED, d.name, items);
    return rc || lx->kind != '(' ? rc : read_metadata(r, false);
}

int usda_field_open(const struct usda_layer *layer, const struct usda_field *f, struct usda_lexer *lx,
                    struct usda_declaration *d, bool *there, struct sdd_error *err)
{
    *there = false;
    int rc = usda_begin_at(lx, layer->body, layer->bytes, (struct usda_place){f->at, f->line}, err);
    if (!rc && f->kind == USDA_META) {
        *d = (struct usda_declaration){.type = usda_token(lx), .name = usda_token(lx), .kind = USDA_META};
        rc = usda_next(lx);
    } else if (!rc) {
        rc = declare(lx, d);
    }
    if (rc || lx->kind != '=')
        return rc;
    rc = usda_next(lx);
    *there = !rc && !usda_is(lx, "None");
    return rc;
}

/* ---- prims ------------------------------------------------------------------------------------------------------- */

static int type_of(struct usda_span type)
{
    static const struct {
        const char *name;
        int type;
    } rows[] = {{"", USDA_NO_TYPE},    {"Mesh", USDA_MESH},   {"GeomSubset", USDA_GEOM_SUBSET},
                {"Xform", USDA_XFORM}, {"Scope", USDA_XFORM}, {"SkelRoot", USDA_SKEL_ROOT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (usda_span_is(type, rows[i].name))
            return rows[i].type;
    return USDA_OTHER;
}

/* Reads the "{" behind a prim's name, and its metadata before that. */
static int open_braces(struct layer_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    int rc = lx->kind == '(' ? read_metadata(r, true) : SDD_OK;
    r->fresh = !rc;
    return rc ? rc : usda_expect(lx, '{', "'{'");
}

/* Reads def [type] "name" [(metadata)] {, or the same of an over or class. */
static int read_prim(struct layer_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    struct usda_span type = {"", 0};
    const int specifier = usda_is(lx, "def") ? USDA_DEF : usda_is(lx, "over") ? USDA_OVER : USDA_CLASS;
    int rc = usda_next(lx);
    if (!rc && lx->kind == USDA_NAME) {
        type = usda_token(lx);
        rc = usda_next(lx);
    }
    if (!rc && lx->kind != USDA_STRING)
        return usda_wanted(lx, "the name of a prim");
    if (!rc && type_of(type) == USDA_OTHER && !r->others)
        r->outermost = type;
    if (!rc)
        rc = add_prim(r, specifier, type_of(type));
    if (!rc)
        rc = usda_next(lx);
    return rc ? rc : open_braces(r);
}

/* Reads variantSet "name" = {, or inside of it "variant" [(metadata)] {. */
static int read_variant(struct layer_reader *r, bool set)
{
    struct usda_lexer *lx = &r->lx;
    int rc = set ? usda_next(lx) : SDD_OK;
    if (!rc && lx->kind != USDA_STRING)
        return usda_wanted(lx, set ? "the name of a variant set" : "the name of a variant or '}'");
    if (!rc)
        rc = add_prim(r, set ? USDA_VARIANT_SET : USDA_VARIANT, USDA_NO_TYPE);
    if (!rc)
        rc = usda_next(lx);
    if (!rc && set)
        rc = usda_expect(lx, '=', "'='");
    return rc ? rc : set ? usda_expect(lx, '{', "'{'") : open_braces(r);
}

/* Ends the current prim. A prim of another type with nothing in it that says something of a mesh is left out; that is
 * told of the outermost of such prims, but not of a Material that has nothing but its name, which face sets keep. */
static int end_prim(struct layer_reader *r, bool fresh)
{
    struct usda_layer *l = r->layer;
    const struct usda_prim p = l->prims[r->current];
    char name[CHARS_SHOW_SIZE], type[CHARS_SHOW_SIZE];
    int rc = SDD_OK;
    r->depth--;
    r->others -= p.type == USDA_OTHER;
    bool empty = p.type == USDA_OTHER && l->n == r->current + 1;
    for (int32_t f = p.fields; f >= 0 && empty; f = l->fields[f].next)
        empty = l->fields[f].kind != USDA_META;
    if (empty && !r->others && p.specifier == USDA_DEF && !(fresh && usda_span_is(r->outermost, "Material"))) {
        (void)chars_show(r->outermost.text, r->outermost.bytes, type);
        rc = losses_add(r->losses, "usda", type, r->lx.err, "line %d: %s \"%s\" is not kept: it is no Mesh", p.line,
                        type, chars_show(l->body + p.name, (size_t)p.name_bytes, name));
    }
    if (empty) {
        l->n--;
        l->n_fields = p.fields >= 0 ? p.fields : l->n_fields;
    }
    r->current = p.parent;
    return rc ? rc : usda_next(&r->lx);
}

/* Reads one statement between the braces of a prim, or outside all prims. */
static int read_statement(struct layer_reader *r)
{
    struct usda_lexer *lx = &r->lx;
    const bool fresh = r->fresh;
    if (lx->kind == ';')
        return usda_next(lx);
    r->fresh = false;
    if (lx->kind == '}' && r->depth)
        return end_prim(r, fresh);
    if (r->layer->prims[r->current].specifier == USDA_VARIANT_SET)
        return read_variant(r, false);
    if (usda_is(lx, "def") || usda_is(lx, "over") || usda_is(lx, "class"))
        return read_prim(r);
    if (usda_is(lx, "variantSet"))
        return read_variant(r, true);
    if (lx->kind == USDA_NAME && (r->depth || usda_is(lx, "reorder")))
        return read_property(r);
    return usda_wanted(lx, r->depth ? "a property, a prim or '}'" : "a prim (def ...)");
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

int64_t usda_field_bytes(const struct usda_layer *layer, int32_t field)
{
    const int64_t next = field + 1 < layer->n_fields ? layer->fields[field + 1].at : (int64_t)layer->bytes;
    return next - layer->fields[field].at;
}

unsigned usda_hash(struct usda_span name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.bytes; i++)
        h = (h ^ (unsigned char)name.text[i]) * 16777619u;
    return (h ^ h >> 28) & 0xfffffff;
}

struct usda_span usda_prim_name(const struct usda_layer *layer, int32_t prim)
{
    return (struct usda_span){layer->body + layer->prims[prim].name, (size_t)layer->prims[prim].name_bytes};
}

/* Sets of variants, and variants, have names of their own. */
static int rank_of(int specifier)
{
    return specifier < USDA_VARIANT_SET ? USDA_DEF : specifier;
}

static int compare_names(struct usda_span a, struct usda_span b)
{
    const int c = memcmp(a.text, b.text, a.bytes < b.bytes ? a.bytes : b.bytes);
    return c ? c : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int compare_prims(const void *pa, const void *pb, void *arg)
{
    const struct usda_layer *l = arg;
    const int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    const struct usda_prim *x = &l->prims[a], *y = &l->prims[b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (rank_of(x->specifier) != rank_of(y->specifier))
        return rank_of(x->specifier) < rank_of(y->specifier) ? -1 : 1;
    const int c = compare_names(usda_prim_name(l, a), usda_prim_name(l, b));
    return c ? c : (a > b) - (a < b);
}

/* The first row of the order that is not before the key: parent, rank and, with one, name; `after` passes its
 * equals. */
static int64_t search(const struct usda_layer *l, int32_t parent, int rank, const struct usda_span *name, bool after)
{
    int64_t low = 0, high = l->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const struct usda_prim *p = &l->prims[l->order[middle]];
        int c = (p->parent > parent) - (p->parent < parent);
        c = c ? c : rank_of(p->specifier) - rank;
        c = c || !name ? c : compare_names(usda_prim_name(l, l->order[middle]), *name);
        if (c < 0 || (after && !c))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void usda_children(const struct usda_layer *layer, int32_t parent, int specifier, const struct usda_span *name,
                   int64_t *first, int64_t *end)
{
    *first = search(layer, parent, rank_of(specifier), name, false);
    *end = search(layer, parent, rank_of(specifier), name, true);
}

static int put_in_order(struct layer_reader *r)
{
    struct usda_layer *l = r->layer;
    l->order = claim_draw(l->n * (int64_t)sizeof *l->order) ? malloc((size_t)l->n * sizeof *l->order) : NULL;
    if (!l->order)
        return sdd_fail(r->lx.err, SDD_ENO_MEMORY, "usda", "no memory for %lld prims", (long long)l->n);
    for (int32_t i = 0; i < l->n; i++)
        l->order[i] = i;
    qsort_r(l->order, (size_t)l->n, sizeof *l->order, compare_prims, l);
    return SDD_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Checks the first line, and names what begins as other formats do. */
static int read_header(struct layer_reader *r)
{
    static const struct {
        const char *magic;
        size_t bytes;
        const char *says;
    } others[] = {
        {"PXR-USDC", 8, "this is binary USD; only its text form is read: usdcat IN -o OUT.usda"},
        {"PK\3\4", 4, "this is a package (usdz), binary USD; only its text form is read: usdcat IN -o OUT.usda"},
        {"\xff\xfe", 2, "this is UTF-16; save the file as UTF-8"},
        {"\xfe\xff", 2, "this is UTF-16; save the file as UTF-8"},
    };
    const struct usda_layer *l = r->layer;
    const char *p = l->body, *end = p + l->bytes;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (l->bytes >= others[i].bytes && memcmp(p, others[i].magic, others[i].bytes) == 0)
            return usda_fail(&r->lx, SDD_EMALFORMED, "%s", others[i].says);
    if (l->bytes >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) /* A byte order mark of UTF-8. */
        p += 3;
    r->lx.at = p;
    if (end - p >= 9 && memcmp(p, "#usda 1.", 8) == 0 && p[8] >= '0' && p[8] <= '9' &&
        (end - p == 9 || memchr(" \t\r\n", p[9], 4)))
        return SDD_OK;
    return usda_fail(&r->lx, SDD_EMALFORMED, "the file does not begin with \"#usda 1.0\", so it is no USDA");
}

int usda_layer_read(struct usda_layer *layer, const char *body, size_t bytes, struct losses *losses,
                    struct sdd_error *err)
{
    struct layer_reader r = {.layer = layer, .losses = losses, .current = -1};
    *layer = (struct usda_layer){.body = body, .bytes = bytes};
    usda_begin(&r.lx, body, bytes, err);
    r.lx.text = body;
    int rc = read_header(&r);
    if (!rc)
        rc = add_prim(&r, USDA_DEF, USDA_NO_TYPE);
    r.depth = 0;
    layer->n_meshes = 0;
    if (!rc)
        rc = usda_next(&r.lx);
    if (!rc && r.lx.kind == '(')
        rc = read_metadata(&r, true);
    for (int64_t i = 1; !rc && (r.lx.kind != USDA_END || r.depth); i++)
        rc = stop_due(i) ? stop_fail(err) : read_statement(&r);
    return rc ? rc : put_in_order(&r);
}

void usda_layer_free(struct usda_layer *layer)
{
    free(layer->prims);
    free(layer->fields);
    free(layer->order);
    *layer = (struct usda_layer){0};
}
