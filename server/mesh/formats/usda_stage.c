/* SPDX-License-Identifier: Apache-2.0 */
/* usda_stage.c: composes the stage of a USDA file for usda_reader.c. */
#include "server/mesh/formats/usda_stage.h"
#include "server/base/pool.h"
#include "server/base/stop.h"
#include <stdlib.h>
#include <string.h>

#define MAX_ARCS 16         /* How deep references may lead from one to the next. */
#define MAX_SPECS 256       /* How many prims of the file may say something of one prim of the stage. */
#define MAX_SELECTIONS 4096 /* Tokens of what a prim of the file selects that are read, for each of its sets. */
/* References in the file can bring a prim to many places. How many prims may be met, for so many prims in the file. */
#define MAX_MET(n) (8 * (n) + 200000)
#define FIELD_BYTES 8 /* What passing a field by costs, of the bytes that may be read. */

/* The children of a prim of the stage, before they are put together. */
struct child {
    int32_t spec, parent_rank; /* The rank of the prim of the file to which it belongs; 0 is the strongest. */
};
/* Children of one name: one child of the stage. */
struct group {
    int32_t first, n; /* In composer.children. */
    int32_t spec;     /* The strongest of them. */
};
struct composer {
    struct usda_stage *stage;
    struct sdd_error *err;
    struct child *children;
    int64_t children_room;
    int32_t *stack; /* Prims of the stage that are still to be visited; the last one is next. */
    int64_t n_stack, stack_room;
    struct group *groups;
    int64_t groups_room;
    int64_t met; /* Prims of the file, as often as they were met. */
};

/* Makes room for n rows. With `spare`, which rows that come one by one need, it makes more. */
static int grow(void **rows, int64_t n, bool spare, int64_t *room, size_t row, struct sdd_error *err)
{
    if (n <= *room)
        return SDD_OK;
    const int64_t more = spare ? n + n / 2 + 64 : n;
    void *p = claim_draw((more - *room) * (int64_t)row) ? realloc(*rows, (size_t)more * row) : NULL;
    if (!p)
        return sdd_fail(err, SDD_ENO_MEMORY, "usda", "no memory for %lld prims", (long long)more);
    *rows = p;
    *room = more;
    return SDD_OK;
}

static int push(int32_t **rows, int64_t *n, int64_t *room, int32_t value, struct sdd_error *err)
{
    void *p = *rows;
    int rc = grow(&p, *n + 1, true, room, sizeof **rows, err);
    *rows = p;
    if (!rc && *rows)
        (*rows)[(*n)++] = value;
    return rc;
}

int usda_stage_read(const struct usda_stage *stage, int64_t bytes, struct sdd_error *err)
{
    *stage->left -= bytes;
    return *stage->left >= 0 ? SDD_OK
                             : sdd_fail(err, SDD_ETOO_LARGE, "usda",
                                        "references inside the file make too much of its %zu bytes: many prims refer "
                                        "to the same long properties",
                                        stage->layer->bytes);
}

/* Appends a prim of the file to those of the prim of the stage. */
static int push_spec(struct composer *c, int32_t spec)
{
    struct usda_stage *st = c->stage;
    int64_t n = 0;
    for (int32_t k = st->layer->prims[spec].fields; k >= 0; k = st->layer->fields[k].next)
        n++;
    const int rc = usda_stage_read(st, n * FIELD_BYTES, c->err);
    return rc ? rc : push(&st->specs, &st->n_specs, &st->specs_room, spec, c->err);
}

/* ---- arcs -------------------------------------------------------------------------------------------------------- */

static int add_specs(struct composer *c, int64_t whole, int64_t first, int64_t n, int level);

/* Appends the prims of the file in a range of its order, which are one prim authored once or several times; the last is
 * the strongest. Then it appends what their arcs lead to. */
static int add_group(struct composer *c, int64_t whole, int64_t first, int64_t end, int level)
{
    struct usda_stage *st = c->stage;
    const int64_t at = st->n_specs;
    int rc = SDD_OK;
    if (level > MAX_ARCS)
        return sdd_fail(c->err, SDD_EINVALID, "usda", "line %d: references lead to each other more than %d times",
                        st->layer->prims[st->layer->order[first]].line, MAX_ARCS);
    for (int64_t i = end; i-- > first && !rc && st->n_specs - whole < MAX_SPECS;)
        rc = push_spec(c, st->layer->order[i]);
    return rc ? rc : add_specs(c, whole, at, st->n_specs - at, level);
}

/* Finds the prims of the file at a path, as a range of its order. Returns false when there are none. */
static bool find_path(const struct usda_layer *l, struct usda_span path, int64_t *first, int64_t *end)
{
    int32_t prim = 0;
    const char *p = path.text, *stop = path.text + path.bytes;
    if (p == stop || *p != '/' || p + 1 == stop)
        return false;
    while (p < stop) {
        const char *slash = memchr(p + 1, '/', (size_t)(stop - p - 1));
        const struct usda_span name = {p + 1, (size_t)((slash ? slash : stop) - p - 1)};
        usda_children(l, prim, USDA_DEF, &name, first, end);
        if (*first == *end)
            return false;
        prim = l->order[*first];
        p = slash ? slash : stop;
    }
    return true;
}

static void note(const struct usda_stage *st, const struct usda_field *f, int32_t *first, int64_t *n)
{
    if (*first < 0)
        *first = (int32_t)(f - st->layer->fields);
    ++*n;
}

/* Follows the references, or the like, of a field of `spec`: paths in this file are added, others are noted. */
static int follow(struct composer *c, int32_t spec, const struct usda_field *f, int64_t whole, int level)
{
    struct usda_stage *st = c->stage;
    struct usda_declaration d;
    struct usda_lexer lx;
    bool there;
    int64_t first = 0, end = 0;
    int rc = usda_stage_read(st, usda_field_bytes(st->layer, (int32_t)(f - st->layer->fields)), c->err), depth = 0;
    if (!rc)
        rc = usda_field_open(st->layer, f, &lx, &d, &there, c->err);
    while (!rc && there) {
        const bool asset = lx.kind == USDA_ASSET && lx.bytes;
        if (lx.kind == '(') {
            rc = usda_skip(&lx, NULL);
            there = depth > 0;
            continue;
        }
        if (asset)
            note(st, f, &st->away, &st->n_away);
        else if (lx.kind == USDA_PATH && find_path(st->layer, usda_token(&lx), &first, &end))
            rc = st->n_specs - whole < MAX_SPECS ? add_group(c, whole, first, end, level + 1) : SDD_OK;
        else if (lx.kind == USDA_PATH && st->layer->prims[spec].type != USDA_OTHER)
            note(st, f, &st->unfound, &st->n_unfound);
        depth += (lx.kind == '[') - (lx.kind == ']');
        const bool empty = lx.kind == USDA_ASSET && !asset; /* @@</Path> is a path in this file. */
        if (!rc)
            rc = usda_next(&lx);
        if (!rc && asset && lx.kind == USDA_PATH) /* The path is in the other file. */
            rc = usda_next(&lx);
        there = (depth > 0 || empty) && lx.kind != USDA_END;
    }
    return rc;
}

/* The variant of a set that the prim selects: the strongest of what its specs so far say. */
static int selection_of(struct composer *c, int64_t whole, struct usda_span set, struct usda_span *out)
{
    static const struct usda_span variants = {"variants", 8};
    const struct usda_stage *st = c->stage;
    int rc = SDD_OK;
    *out = (struct usda_span){NULL, 0};
    for (int64_t i = whole; i < st->n_specs && !out->text && !rc; i++)
        for (int32_t k = st->layer->prims[st->specs[i]].fields; k >= 0 && !rc; k = st->layer->fields[k].next) {
            const struct usda_field *f = &st->layer->fields[k];
            struct usda_declaration d;
            struct usda_lexer lx;
            bool there;
            if (f->kind != USDA_META || f->hash != usda_hash(variants))
                continue;
            rc = usda_stage_read(st, usda_field_bytes(st->layer, k), c->err);
            if (!rc)
                rc = usda_field_open(st->layer, f, &lx, &d, &there, c->err);
            int64_t left = MAX_SELECTIONS;
            /* { string NAME = "VARIANT" ... }; a name may be in quotes, too. */
            while (!rc && there && left-- > 0 && lx.kind != '}' && lx.kind != USDA_END) {
                const bool names = (lx.kind == USDA_NAME || lx.kind == USDA_STRING) && lx.bytes == set.bytes &&
                                   memcmp(lx.text, set.text, set.bytes) == 0;
                rc = usda_next(&lx);
                if (rc || lx.kind != '=')
                    continue;
                rc = usda_next(&lx);
                if (!rc && names && lx.kind == USDA_STRING)
                    *out = usda_token(&lx);
                if (!rc)
                    rc = usda_next(&lx);
            }
        }
    return rc;
}

/* Adds the selected variant of each variant set of a prim of the file. */
static int add_variants(struct composer *c, int32_t spec, int64_t whole, int level)
{
    struct usda_stage *st = c->stage;
    int64_t set, end, first, last;
    int rc = SDD_OK;
    usda_children(st->layer, spec, USDA_VARIANT_SET, NULL, &set, &end);
    if (end - set > MAX_SPECS || st->n_specs - whole >= MAX_SPECS) /* For each set all that the prim says is read. */
        return sdd_fail(c->err, SDD_EINVALID, "usda", "line %d: more than %d variant sets and references of one prim",
                        st->layer->prims[spec].line, MAX_SPECS);
    for (; set < end && !rc; set++) {
        const int32_t prim = st->layer->order[set];
        struct usda_span chosen;
        rc = selection_of(c, whole, usda_prim_name(st->layer, prim), &chosen);
        first = last = 0;
        if (!rc && chosen.text)
            usda_children(st->layer, prim, USDA_VARIANT, &chosen, &first, &last);
        if (!rc && first < last)
            rc = add_group(c, whole, first, last, level + 1);
        else if (!rc) {
            st->unselected = st->unselected < 0 ? prim : st->unselected;
            st->n_unselected++;
        }
    }
    return rc;
}

/* Appends what the arcs of the n specs from `first` on lead to, by USD's order of strength. `whole` is where the
 * specs of the prim of the stage begin. */
static int add_specs(struct composer *c, int64_t whole, int64_t first, int64_t n, int level)
{
    static const char *const arcs[] = {"inherits", NULL, "references", "payload", "specializes"}; /* NULL: variants. */
    struct usda_stage *st = c->stage;
    const struct usda_layer *l = st->layer;
    int rc = SDD_OK;
    for (size_t a = 0; a < sizeof arcs / sizeof *arcs; a++)
        for (int64_t i = first; i < first + n && !rc; i++) {
            const int32_t spec = st->specs[i];
            if (!arcs[a]) {
                rc = add_variants(c, spec, whole, level);
                continue;
            }
            const unsigned hash = usda_hash((struct usda_span){arcs[a], strlen(arcs[a])});
            for (int32_t k = l->prims[spec].fields; k >= 0 && !rc; k = l->fields[k].next)
                if (l->fields[k].kind == USDA_META && l->fields[k].hash == hash)
                    rc = follow(c, spec, &l->fields[k], whole, level);
        }
    return rc;
}

/* ---- prims ------------------------------------------------------------------------------------------------------- */

/* By the name, then by strength. */
static int compare_children(const void *pa, const void *pb, void *arg)
{
    const struct child *a = pa, *b = pb;
    const struct usda_span x = usda_prim_name(arg, a->spec), y = usda_prim_name(arg, b->spec);
    const int c = memcmp(x.text, y.text, x.bytes < y.bytes ? x.bytes : y.bytes);
    if (c || x.bytes != y.bytes)
        return c ? c : (x.bytes > y.bytes) - (x.bytes < y.bytes);
    if (a->parent_rank != b->parent_rank)
        return a->parent_rank < b->parent_rank ? -1 : 1;
    return (a->spec < b->spec) - (a->spec > b->spec);
}

static bool same_name(const struct usda_layer *l, int32_t a, int32_t b)
{
    const struct usda_span x = usda_prim_name(l, a), y = usda_prim_name(l, b);
    return x.bytes == y.bytes && memcmp(x.text, y.text, x.bytes) == 0;
}

/* True when the prim of the stage is a def and active; sets its type. */
static bool is_on_stage(const struct usda_stage *st, struct usda_stage_prim *p)
{
    int specifier = USDA_OVER;
    p->type = USDA_NO_TYPE;
    for (int64_t i = p->first; i < p->first + p->n; i++) {
        const struct usda_prim *spec = &st->layer->prims[st->specs[i]];
        if (specifier == USDA_OVER && spec->specifier <= USDA_CLASS)
            specifier = spec->specifier;
        if (p->type == USDA_NO_TYPE)
            p->type = spec->type;
    }
    const int32_t prim = (int32_t)(p - st->prims);
    const struct usda_opinion active = usda_find(st, prim, "active", true);
    struct usda_lexer lx;
    bool there = false;
    if (usda_value(st, active, NULL, &lx, NULL, &there, NULL, NULL) != SDD_OK)
        return false;
    const bool no = there && (usda_is(&lx, "false") || usda_is(&lx, "False") || usda_is(&lx, "no") ||
                              usda_span_is(usda_token(&lx), "0"));
    return specifier == USDA_DEF && !no;
}

/* True for a prim that neither is nor holds anything that a mesh has. */
static bool is_empty(const struct usda_stage *st, const struct usda_stage_prim *p)
{
    int64_t first, end;
    bool empty = p->type != USDA_MESH && p->type != USDA_GEOM_SUBSET;
    for (int64_t i = p->first; i < p->first + p->n && empty; i++) {
        usda_children(st->layer, st->specs[i], USDA_DEF, NULL, &first, &end);
        empty = first == end;
    }
    return empty;
}

/* Adds a child of a prim of the stage, of n prims of the file of the same name, the strongest first. */
static int add_child(struct composer *c, int32_t parent, const struct child *group, int64_t n)
{
    struct usda_stage *st = c->stage;
    void *rows = st->prims;
    int rc = grow(&rows, st->n + 1, true, &st->room, sizeof *st->prims, c->err);
    st->prims = rows;
    if (rc)
        return rc;
    c->met += n;
    if (stop_due(c->met))
        return stop_fail(c->err);
    if (c->met > MAX_MET(st->layer->n))
        return sdd_fail(c->err, SDD_ETOO_LARGE, "usda", "references inside the file make more than %lld prims of %lld",
                        (long long)c->met, (long long)st->layer->n);
    const int depth = st->prims[parent].depth + 1;
    if (depth > USDA_MAX_DEPTH)
        return sdd_fail(c->err, SDD_EINVALID, "usda", "line %d: prims are nested deeper than %d",
                        st->layer->prims[group->spec].line, USDA_MAX_DEPTH);
    struct usda_stage_prim *p = &st->prims[st->n];
    *p = (struct usda_stage_prim){.parent = parent, .first = (int32_t)st->n_specs, .depth = (unsigned char)depth};
    for (int64_t i = 0; i < n && i < MAX_SPECS && !rc; i++)
        rc = push_spec(c, group[i].spec);
    if (!rc)
        rc = add_specs(c, p->first, p->first, st->n_specs - p->first, 0);
    p->n = (int32_t)(st->n_specs - p->first);
    if (rc || !is_on_stage(st, p) || is_empty(st, p)) {
        st->n_specs = p->first;
        return rc;
    }
    return push(&c->stack, &c->n_stack, &c->stack_room, (int32_t)st->n++, c->err);
}

/* In the order of the file. */
static int compare_groups(const void *pa, const void *pb)
{
    const struct group *a = pa, *b = pb;
    return (a->spec > b->spec) - (a->spec < b->spec);
}

/* Gathers what the prims of the file of a prim of the stage have as children, by name, the strongest first. */
static int gather(struct composer *c, const struct usda_stage_prim *p, int64_t *n)
{
    const struct usda_layer *l = c->stage->layer;
    int rc = SDD_OK;
    *n = 0;
    for (int32_t i = 0; i < p->n && !rc; i++) {
        int64_t first, end;
        usda_children(l, c->stage->specs[p->first + i], USDA_DEF, NULL, &first, &end);
        void *rows = c->children;
        rc = grow(&rows, *n + end - first, p->n > 1, &c->children_room, sizeof *c->children, c->err);
        c->children = rows;
        for (; first < end && !rc && c->children; first++)
            c->children[(*n)++] = (struct child){l->order[first], i};
    }
    if (!rc && *n)
        qsort_r(c->children, (size_t)*n, sizeof *c->children, compare_children, (void *)(uintptr_t)l);
    return rc;
}

/* Adds the children of a prim of the stage: those of all its prims of the file, put together by name. */
static int visit(struct composer *c, int32_t prim)
{
    struct usda_stage *st = c->stage;
    const struct usda_stage_prim p = st->prims[prim];
    const int64_t stacked = c->n_stack;
    int64_t n, n_groups = 0;
    int rc = gather(c, &p, &n);
    void *rows = c->groups;
    if (!rc)
        rc = grow(&rows, n, false, &c->groups_room, sizeof *c->groups, c->err);
    c->groups = rows;
    for (int64_t i = 0, end; i < n && !rc && c->groups; i = end) {
        for (end = i + 1; end < n && same_name(st->layer, c->children[i].spec, c->children[end].spec); end++)
            ;
        c->groups[n_groups++] = (struct group){(int32_t)i, (int32_t)(end - i), c->children[i].spec};
    }
    if (n_groups)
        qsort(c->groups, (size_t)n_groups, sizeof *c->groups, compare_groups);
    for (int64_t i = 0; i < n_groups && !rc; i++)
        rc = add_child(c, prim, c->children + c->groups[i].first, c->groups[i].n);
    for (int64_t i = stacked, j = c->n_stack; !rc && i < --j; i++) { /* The first of them is the next to be visited. */
        const int32_t other = c->stack[i];
        c->stack[i] = c->stack[j];
        c->stack[j] = other;
    }
    return rc;
}

int usda_stage_compose(struct usda_stage *stage, const struct usda_layer *layer, int64_t *left, struct sdd_error *err)
{
    struct composer c = {.stage = stage, .err = err};
    *stage = (struct usda_stage){.layer = layer, .left = left, .away = -1, .unselected = -1, .unfound = -1};
    stage->prims = calloc(1, sizeof *stage->prims);
    if (!stage->prims)
        return sdd_fail(err, SDD_ENO_MEMORY, "usda", "no memory for a stage");
    stage->n = stage->room = 1;
    stage->prims[0] = (struct usda_stage_prim){.parent = -1, .n = 1};
    int rc = push(&stage->specs, &stage->n_specs, &stage->specs_room, 0, err);
    for (int32_t k = layer->prims[0].fields; k >= 0; k = layer->fields[k].next)
        if (layer->fields[k].hash == usda_hash((struct usda_span){"subLayers", 9}))
            rc = rc ? rc : follow(&c, 0, &layer->fields[k], 0, 0);
    if (!rc)
        rc = push(&c.stack, &c.n_stack, &c.stack_room, 0, err);
    while (!rc && c.n_stack) {
        const int32_t prim = c.stack[--c.n_stack];
        if (stage->prims[prim].type == USDA_MESH)
            rc = push(&stage->meshes, &stage->n_meshes, &stage->meshes_room, prim, err);
        if (!rc)
            rc = visit(&c, prim);
    }
    free(c.children);
    free(c.groups);
    free(c.stack);
    return rc;
}

void usda_stage_free(struct usda_stage *stage)
{
    free(stage->prims);
    free(stage->specs);
    free(stage->meshes);
    *stage = (struct usda_stage){0};
}
