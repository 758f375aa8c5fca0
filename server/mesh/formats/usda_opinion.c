/* SPDX-License-Identifier: Apache-2.0 */
/* usda_opinion.c: what the stage of a USDA file says: which Mesh is meant, and the values of its properties. */
#include "server/base/chars.h"
#include "server/base/stop.h"
#include "server/mesh/formats/usda_stage.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties -------------------------------------------------------------------------------------------------- */

/* True when a field is the property of this name, or metadata of this name. */
static bool is_named(const struct usda_layer *l, const struct usda_field *f, struct usda_span name, unsigned hash)
{
    struct usda_declaration d;
    struct usda_lexer lx;
    bool there;
    return f->hash == hash && usda_field_open(l, f, &lx, &d, &there, NULL) == SDD_OK && d.name.bytes == name.bytes &&
           memcmp(d.name.text, name.text, name.bytes) == 0;
}

struct usda_opinion usda_find(const struct usda_stage *stage, int32_t prim, const char *text, bool metadata)
{
    const struct usda_span name = {text, strlen(text)};
    const struct usda_layer *l = stage->layer;
    const struct usda_stage_prim *p = &stage->prims[prim];
    struct usda_opinion o = {-1, -1};
    const unsigned hash = usda_hash(name);
    for (int32_t i = p->n; i-- > 0 && *stage->left >= 0;) /* The weakest first: a later opinion wins. */
        for (int32_t k = l->prims[stage->specs[p->first + i]].fields; k >= 0; k = l->fields[k].next) {
            const struct usda_field *f = &l->fields[k];
            --*stage->left;
            if ((f->kind == USDA_META) == metadata && f->kind != USDA_DECLARED && f->kind != USDA_CONNECTED &&
                is_named(l, f, name, hash))
                *(f->kind == USDA_SAMPLES ? &o.samples : &o.value) = k;
        }
    return o;
}

int usda_each(const struct usda_stage *stage, int32_t prim, int (*see)(void *arg, const struct usda_field *f),
              void *arg)
{
    const struct usda_layer *l = stage->layer;
    const struct usda_stage_prim *p = &stage->prims[prim];
    int rc = SDD_OK;
    if (stop_asked())
        return stop_fail(NULL);
    for (int32_t i = p->n; i-- > 0 && !rc;)
        for (int32_t k = l->prims[stage->specs[p->first + i]].fields; k >= 0 && !rc; k = l->fields[k].next) {
            if (usda_stage_read(stage, usda_field_bytes(l, k), NULL))
                return SDD_OK;
            rc = see(arg, &l->fields[k]);
        }
    return rc;
}

/* ---- timeSamples: { time: value, ... } --------------------------------------------------------------------------- */

struct samples {
    struct usda_place chosen;
    double time;
    int64_t n;
};

/* Chooses the sample that holds at the time that is asked for, or the first. The lexer stands at "{". */
static int choose_sample(const struct usda_layer *l, struct usda_lexer *lx, const struct usda_ask *ask,
                         struct samples *s)
{
    bool held = false; /* The chosen one is not after the time asked for. */
    int rc = usda_expect(lx, '{', "'{' of timeSamples");
    *s = (struct samples){0};
    while (!rc && lx->kind != '}') {
        double time = 0;
        rc = usda_double(lx, &time);
        if (!rc)
            rc = usda_expect(lx, ':', "':' behind the time of a sample");
        if (rc)
            break;
        const bool none = usda_is(lx, "None"), before = ask && ask->has_time && time <= ask->time;
        const bool better = !s->n || (before ? !held || time >= s->time : !held && time < s->time);
        if (better && !(none && !(ask && ask->has_time))) {
            *s = (struct samples){usda_place(lx, l->body), time, s->n};
            held = before;
        }
        s->n += !none || (ask && ask->has_time);
        rc = usda_skip(lx, NULL);
        if (!rc && (lx->kind == ',' || lx->kind == ';'))
            rc = usda_next(lx);
    }
    return rc;
}

int usda_value(const struct usda_stage *stage, struct usda_opinion o, const struct usda_ask *ask, struct usda_lexer *lx,
               struct usda_declaration *d, bool *there, struct losses *losses, struct sdd_error *err)
{
    const struct usda_layer *l = stage->layer;
    struct usda_declaration own;
    char shown[CHARS_SHOW_SIZE];
    struct samples s;
    int rc = SDD_OK;
    *there = false;
    d = d ? d : &own;
    if (o.value >= 0)
        rc = usda_stage_read(stage, usda_field_bytes(l, o.value), err);
    if (o.samples >= 0 && !rc)
        rc = usda_stage_read(stage, usda_field_bytes(l, o.samples), err);
    if (!rc && o.value >= 0 && !(ask && ask->has_time && o.samples >= 0))
        rc = usda_field_open(l, &l->fields[o.value], lx, d, there, err);
    if (rc || *there || o.samples < 0)
        return rc;
    rc = usda_field_open(l, &l->fields[o.samples], lx, d, there, err);
    if (rc || !*there)
        return rc;
    rc = choose_sample(l, lx, ask, &s);
    *there = !rc && s.n > 0;
    if (*there)
        rc = usda_begin_at(lx, l->body, l->bytes, s.chosen, err);
    if (!rc && *there && usda_is(lx, "None"))
        *there = false;
    if (!rc && *there && losses && s.n > 1 && !(ask && ask->has_time))
        rc = losses_add(losses, "timeSamples", "time", err,
                        "line %lld: %s has %lld time samples, of which the first is taken, at %g; ask for another with "
                        "--time N (?time=N)",
                        (long long)lx->line, chars_show(d->name.text, d->name.bytes, shown), (long long)s.n, s.time);
    return rc;
}

struct usda_span usda_text_of(const struct usda_stage *stage, int32_t prim, const char *name, bool metadata)
{
    const struct usda_opinion o = usda_find(stage, prim, name, metadata);
    struct usda_lexer lx;
    bool there;
    if (usda_value(stage, o, NULL, &lx, NULL, &there, NULL, NULL) || !there || lx.kind != USDA_STRING)
        return (struct usda_span){"", 0};
    return usda_token(&lx);
}

bool usda_display_name(const struct usda_stage *stage, int32_t prim, char *out, size_t room)
{
    const struct usda_span s = usda_text_of(stage, prim, "displayName", true);
    size_t n = 0;
    for (size_t i = 0; i < s.bytes && n < room; i++) {
        i += s.text[i] == '\\' && i + 1 < s.bytes;
        out[n++] = s.text[i];
    }
    n = n < room ? n : 0;
    out[n] = 0;
    return n > 0;
}

int64_t usda_stage_items(const struct usda_stage *stage, int32_t prim, const char *name)
{
    const struct usda_opinion o = usda_find(stage, prim, name, false);
    struct usda_lexer lx;
    int64_t items = 0;
    bool there;
    if (o.value >= 0 && stage->layer->fields[o.value].items)
        return stage->layer->fields[o.value].items;
    if (usda_value(stage, o, NULL, &lx, NULL, &there, NULL, NULL) || !there || usda_skip(&lx, &items))
        return 0;
    return items;
}

/* ---- which Mesh -------------------------------------------------------------------------------------------------- */

struct usda_span usda_stage_name(const struct usda_stage *stage, int32_t prim)
{
    return usda_prim_name(stage->layer, stage->specs[stage->prims[prim].first]);
}

bool usda_stage_path(const struct usda_stage *stage, int32_t prim, char *out, size_t room)
{
    char *end = out + room;
    size_t n = 0;
    if (!room)
        return false;
    for (int32_t p = prim; p > 0; p = stage->prims[p].parent) { /* From its end to its beginning. */
        const struct usda_span name = usda_stage_name(stage, p);
        if (n + name.bytes + 2 > room)
            return false;
        n += name.bytes + 1;
        memcpy(end - n + 1, name.text, name.bytes);
        end[-(ptrdiff_t)n] = '/';
    }
    memmove(out, end - n, n);
    out[n] = 0;
    return chars_utf8(out, n);
}

/* Finds the Mesh at a path, or the only one of a name, which has no '/'; -1 when there is none. */
static int32_t find_mesh(const struct usda_stage *stage, const char *said)
{
    char own[USDA_PATH_SIZE];
    int32_t found = -1;
    for (int64_t i = 0; i < stage->n_meshes; i++) {
        const int32_t prim = stage->meshes[i];
        if (*said == '/' ? usda_stage_path(stage, prim, own, sizeof own) && strcmp(own, said) == 0
                         : usda_span_is(usda_stage_name(stage, prim), said)) {
            if (found >= 0)
                return -1;
            found = prim;
        }
    }
    return found;
}

/* Writes what a field of references or the like says, such as references @a.usda@. */
static void show_arc(const struct usda_stage *stage, int32_t field, char *out, size_t room)
{
    const struct usda_field *f = &stage->layer->fields[field];
    char name[CHARS_SHOW_SIZE], target[CHARS_SHOW_SIZE] = "";
    struct usda_declaration d = {0};
    struct usda_lexer lx;
    bool there;
    int rc = usda_field_open(stage->layer, f, &lx, &d, &there, NULL);
    while (!rc && there && lx.kind != USDA_ASSET && lx.kind != USDA_PATH && lx.kind != USDA_END)
        rc = usda_next(&lx);
    const bool asset = !rc && lx.kind == USDA_ASSET;
    (void)snprintf(out, room, "line %d: %s %s%s%s", f->line, chars_show(d.name.text, d.name.bytes, name),
                   asset ? "@" : "<", rc ? "" : chars_show(lx.text, lx.bytes, target), asset ? "@" : ">");
}

static void show_unselected(const struct usda_stage *stage, char *out, size_t room)
{
    const struct usda_layer *l = stage->layer;
    char set[CHARS_SHOW_SIZE], variant[CHARS_SHOW_SIZE];
    const struct usda_span name = usda_prim_name(l, stage->unselected);
    int64_t first, end, n = 0;
    (void)chars_show(name.text, name.bytes, set);
    int at = snprintf(out, room, "line %d: the variant set %s has no variant selected of ",
                      l->prims[stage->unselected].line, set);
    usda_children(l, stage->unselected, USDA_VARIANT, NULL, &first, &end);
    for (; first < end && n < 4; first++, n++) {
        const struct usda_span v = usda_prim_name(l, l->order[first]);
        at += snprintf(out + at, room - (size_t)at, "%s%s", n ? ", " : "", chars_show(v.text, v.bytes, variant));
    }
    (void)snprintf(out + at, room - (size_t)at, "%s", first < end ? ", ..." : "");
}

/* Meshes are in the file and not on its stage: says why the first is not. */
static int refuse_hidden(const struct usda_layer *l, struct sdd_error *err)
{
    static const char *const why[] = {[USDA_OVER] = "an over without a def: define it",
                                      [USDA_CLASS] = "a class: make it a def",
                                      [USDA_VARIANT] = "in a variant that is not selected: select it"};
    char shown[CHARS_SHOW_SIZE];
    int64_t mesh = 0, at;
    while (mesh + 1 < l->n && l->prims[mesh].type != USDA_MESH)
        mesh++;
    for (at = mesh; at > 0 && !why[l->prims[at].specifier]; at = l->prims[at].parent)
        ;
    const struct usda_span name = usda_prim_name(l, (int32_t)mesh);
    return sdd_fail(
        err, SDD_EMESH, "usda",
        "the file has no Mesh on its stage; the first of its %lld Mesh prims, %s in line %d, or a prim above "
        "it is %s",
        (long long)l->n_meshes, chars_show(name.text, name.bytes, shown), l->prims[mesh].line,
        at > 0 ? why[l->prims[at].specifier] : "not active: activate it");
}

/* The file has no Mesh on its stage: says why, as far as that can be told. */
static int refuse_none(const struct usda_stage *stage, struct sdd_error *err)
{
    char why[300];
    if (stage->away >= 0) {
        show_arc(stage, stage->away, why, sizeof why);
        return sdd_fail(err, SDD_EMESH, "usda",
                        "%s: the file has no Mesh of its own, and what it composes from others is not read: usdcat "
                        "--flatten IN -o OUT.usda makes one file of all",
                        why);
    }
    if (stage->unselected >= 0) {
        show_unselected(stage, why, sizeof why);
        return sdd_fail(err, SDD_EMESH, "usda",
                        "%.150s, and the file has no Mesh otherwise: select one in the prim's "
                        "parentheses (variants = {string SET = \"VARIANT\"})",
                        why);
    }
    if (stage->layer->n_meshes)
        return refuse_hidden(stage->layer, err);
    return sdd_fail(err, SDD_EMESH, "usda",
                    "the file has no Mesh; other shapes of USD, such as spheres, points and curves, are not read");
}

int usda_stage_no_points(const struct usda_stage *stage, struct sdd_error *err)
{
    char why[300];
    if (stage->away < 0)
        return sdd_fail(err, SDD_EMESH, "points", "the Mesh has no points: export it with its geometry, or remove it");
    show_arc(stage, stage->away, why, sizeof why);
    return sdd_fail(err, SDD_EMESH, "points",
                    "%s: the Mesh has no points of its own, and what the file composes from others is not read: usdcat "
                    "--flatten IN -o OUT.usda makes one file of all",
                    why);
}

int usda_stage_choose(const struct usda_stage *stage, const struct usda_ask *ask, int32_t *prim, struct sdd_error *err)
{
    char path[USDA_PATH_SIZE], shown[CHARS_SHOW_SIZE];
    if (!stage->n_meshes)
        return refuse_none(stage, err);
    *prim = ask->prim ? find_mesh(stage, ask->prim) : stage->meshes[0];
    if (ask->prim && *prim < 0) {
        path[0] = 0;
        (void)usda_stage_path(stage, stage->meshes[0], path, sizeof path);
        return sdd_fail(err, SDD_EINVALID, "prim",
                        "there is no one Mesh %s on the stage of the file; it has %lld, the first is %.80s",
                        chars_show(ask->prim, strlen(ask->prim), shown), (long long)stage->n_meshes, path);
    }
    if (ask->prim || stage->n_meshes == 1)
        return SDD_OK;
    size_t at = 0;
    char list[100] = "";
    for (int64_t i = 0; i < stage->n_meshes; i++) { /* As many paths as the sentence has room for. */
        if (!usda_stage_path(stage, stage->meshes[i], path, sizeof path) || at + strlen(path) + 8 > sizeof list) {
            (void)snprintf(list + at, sizeof list - at, ", ...");
            break;
        }
        for (char *p = path; *p; p++)
            *p = *p >= ' ' && *p <= '~' ? *p : '?';
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", path);
    }
    return sdd_fail(
        err, SDD_EINVALID, "prim",
        "the file has %lld Mesh prims (%s): ask for one by its path (--prim PATH, ?prim=PATH), or store each "
        "as a mesh (subd push --all)",
        (long long)stage->n_meshes, list);
}

/* " (N such in all)", where there are several. */
static const char *such(int64_t n, char out[40])
{
    out[0] = 0;
    if (n > 1)
        (void)snprintf(out, 40, " (%lld such in all)", (long long)n);
    return out;
}

int usda_stage_tell(const struct usda_stage *stage, struct losses *losses, struct sdd_error *err)
{
    char why[300], all[40];
    int rc = SDD_OK;
    if (stage->away >= 0) {
        show_arc(stage, stage->away, why, sizeof why);
        rc = losses_add(losses, "usda", "composition", err,
                        "%s is not followed, as other files are not read%s: usdcat --flatten IN -o OUT.usda", why,
                        such(stage->n_away, all));
    }
    if (!rc && stage->unfound >= 0) {
        show_arc(stage, stage->unfound, why, sizeof why);
        rc = losses_add(losses, "usda", "path", err, "%s leads to no prim of the file with a Mesh%s", why,
                        such(stage->n_unfound, all));
    }
    if (!rc && stage->unselected >= 0) {
        show_unselected(stage, why, sizeof why);
        rc = losses_add(losses, "usda", "variantSet", err, "%s, so none is taken%s", why,
                        such(stage->n_unselected, all));
    }
    return rc;
}
