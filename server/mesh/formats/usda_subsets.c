/* SPDX-License-Identifier: Apache-2.0 */
/* usda_subsets.c: reads the GeomSubsets of a Mesh and the materials that are bound, for usda_reader.c. A family of
 * subsets becomes a primvar with named face sets. A set is called by the displayName of its GeomSubset
 * (usda_write.c), else as the material that is bound to it, else as the GeomSubset. */
#include "server/base/chars.h"
#include "server/mesh/formats/usda_parts.h"
#include "server/mesh/formats/usda_primvars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 65536 /* Of a family. */

/* The name of the material that is bound to a prim of the stage: the last part of its path; empty without one. */
static struct usda_span material_of(const struct usda_part *p, int32_t prim)
{
    static const char *const names[] = {"material:binding", "material:binding:full", "material:binding:preview"};
    struct usda_lexer lx;
    bool there;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct usda_opinion o = usda_find(p->stage, prim, names[i], false);
        if (usda_value(p->stage, o, NULL, &lx, NULL, &there, NULL, NULL) || !there)
            continue;
        if (lx.kind == '[' && usda_next(&lx))
            continue;
        if (lx.kind != USDA_PATH || !lx.bytes)
            continue;
        const char *slash = memrchr(lx.text, '/', lx.bytes);
        const char *from = slash ? slash + 1 : lx.text;
        return (struct usda_span){from, (size_t)(lx.text + lx.bytes - from)};
    }
    return (struct usda_span){"", 0};
}

static int lose(const struct usda_part *p, int32_t prim, const char *why)
{
    char shown[CHARS_SHOW_SIZE];
    const struct usda_span name = usda_stage_name(p->stage, prim);
    return losses_add(p->losses, "usda", why, p->err, "line %d: of the GeomSubset %s %s",
                      p->stage->layer->prims[p->stage->specs[p->stage->prims[prim].first]].line,
                      chars_show(name.text, name.bytes, shown), why);
}

/* The family of this name, added when it is new; NULL when there are too many, or no primvar can be called so. */
static struct usda_family *family_of(struct usda_families *f, struct usda_span name)
{
    char text[PRIMVAR_NAME_SIZE];
    if (name.bytes >= sizeof text)
        return NULL;
    memcpy(text, name.text, name.bytes);
    text[name.bytes] = 0;
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->v[i].name, text) == 0)
            return &f->v[i];
    if (f->n == SDD_MAX_PRIMVARS || !usda_primvar_name(text) || strcmp(text, "st") == 0)
        return NULL;
    struct usda_family *v = &f->v[f->n++];
    *v = (struct usda_family){0};
    memcpy(v->name, text, sizeof text);
    return v;
}

/* The number of the set of this name, which several subsets are when one material binds them. Only the first 256 names
 * are looked at, so that it takes linear time. */
static int32_t set_of(struct usda_family *v, struct usda_span name)
{
    const char *at = v->names.data;
    for (int64_t i = 0; i < v->n && i < 256 && !v->names.failed; i++, at += strlen(at) + 1)
        if (strlen(at) == name.bytes && memcmp(at, name.text, name.bytes) == 0)
            return (int32_t)i + 1;
    text_add(&v->names, name.text, name.bytes);
    text_add(&v->names, "", 1);
    return (int32_t)++v->n;
}

/* Makes room for the sets of a family, of which no face has one yet. */
static int have_sets(const struct usda_part *p, struct usda_family *v, int64_t n_faces)
{
    if (v->sets)
        return SDD_OK;
    v->sets = mesh_alloc(n_faces, sizeof *v->sets, p->err);
    if (!v->sets)
        return SDD_ENO_MEMORY;
    memset(v->sets, 0, (size_t)n_faces * sizeof *v->sets);
    return SDD_OK;
}

/* Puts the faces of a subset, which `faces` has, into a set of its family. */
static int put_faces(const struct usda_part *p, int32_t prim, struct usda_family *v, int32_t set,
                     const struct words *faces, int64_t n_faces)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < faces->n && !rc; i++) {
        const int32_t face = faces->i[i];
        if (face < 0 || face >= n_faces)
            rc = lose(p, prim, "a face is left out that the Mesh does not have");
        else if (v->sets[face] && v->sets[face] != set)
            rc = lose(p, prim, "a face is left out that another subset of its family has");
        else
            v->sets[face] = set;
    }
    return rc;
}

static int read_subset(const struct usda_part *p, int32_t prim, int64_t n_faces, struct usda_families *f)
{
    static const struct usda_type type = {.width = 1, .integer = true};
    const struct usda_span element = usda_text_of(p->stage, prim, "elementType", false),
                           family = usda_text_of(p->stage, prim, "familyName", false);
    const struct usda_span material = material_of(p, prim);
    char shown[SET_NAME_SIZE];
    struct usda_span name = {shown, usda_display_name(p->stage, prim, shown, sizeof shown) ? strlen(shown) : 0};
    const bool materials = usda_span_is(family, USDA_MATERIALS) || (!family.bytes && material.bytes);
    struct sdd_error why = {0};
    struct words faces = {0};
    struct usda_lexer lx;
    bool there;
    if (element.bytes && !usda_span_is(element, "face"))
        return lose(p, prim, "nothing is kept: its elements are no faces");
    if (!family.bytes && !materials)
        return lose(p, prim, "nothing is kept: it has no familyName");
    struct usda_family *v =
        family_of(f, materials ? (struct usda_span){USDA_MATERIALS, strlen(USDA_MATERIALS)} : family);
    if (!v)
        return lose(p, prim, "nothing is kept: no primvar can be called as its familyName, or there are too many");
    if (materials && !name.bytes)
        name = material;
    if (!name.bytes)
        name = usda_stage_name(p->stage, prim);
    if (name.bytes > 255 || !chars_utf8(name.text, name.bytes) || v->n == MAX_SETS)
        return lose(p, prim, "nothing is kept: its name is too long or no UTF-8, or there are too many");
    int rc = have_sets(p, v, n_faces);
    if (rc)
        return rc;
    rc = usda_value(p->stage, usda_find(p->stage, prim, "indices", false), p->ask, &lx, NULL, &there, p->losses, &why);
    if (!rc && there)
        rc = usda_numbers(&lx, "indices", type, (int64_t)p->stage->layer->bytes, &faces);
    if (rc == SDD_ENO_MEMORY)
        rc = sdd_fail(p->err, rc, "indices", "no memory for the faces of a GeomSubset");
    else if (rc)
        rc = lose(p, prim, "nothing is kept: its indices are no array of integers");
    else
        rc = put_faces(p, prim, v, set_of(v, name), &faces, n_faces);
    free(faces.p);
    return rc;
}

/* Gives the faces that no subset has to the material of the Mesh, or of a prim above it. */
static int bind_rest(const struct usda_part *p, int32_t prim, int64_t n_faces, struct usda_families *f)
{
    struct usda_span name = {"", 0};
    for (int32_t at = prim; at > 0 && !name.bytes; at = p->stage->prims[at].parent)
        name = material_of(p, at);
    if (!name.bytes || name.bytes > 255 || !chars_utf8(name.text, name.bytes))
        return SDD_OK;
    struct usda_family *v = family_of(f, (struct usda_span){USDA_MATERIALS, strlen(USDA_MATERIALS)});
    int rc = v ? have_sets(p, v, n_faces) : SDD_OK;
    if (rc || !v)
        return rc;
    int32_t set = 0;
    for (int64_t i = 0; i < n_faces; i++)
        if (!v->sets[i])
            v->sets[i] = set ? set : (set = set_of(v, name));
    return SDD_OK;
}

int usda_subsets(const struct usda_part *p, int32_t prim, int64_t n_faces, struct usda_families *f)
{
    int rc = SDD_OK;
    f->n = 0;
    for (int32_t i = prim + 1; i < p->stage->n && !rc; i++)
        if (p->stage->prims[i].parent == prim && p->stage->prims[i].type == USDA_GEOM_SUBSET)
            rc = read_subset(p, i, n_faces, f);
    return rc ? rc : bind_rest(p, prim, n_faces, f);
}

int usda_subsets_take(const struct usda_families *f, int64_t n_faces, struct mesh_arrays *a, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < f->n && !rc; i++) {
        const struct usda_family *v = &f->v[i];
        if (!v->n)
            continue;
        if (v->names.failed)
            return sdd_fail(err, SDD_ENO_MEMORY, v->name, "no memory for the names of face sets");
        int at = 0;
        while (at < a->n_primvars && strcmp(a->primvars[at].info.name, v->name) != 0)
            at++;
        if (at < a->n_primvars)
            rc = losses_add(a->losses, v->name, "sets", err,
                            "primvars:%s is not kept: the GeomSubsets of the family %s are", v->name, v->name);
        if (!rc && at == SDD_MAX_PRIMVARS)
            rc = losses_add(a->losses, v->name, "primvars", err,
                            "the GeomSubsets of the family %s are not kept: a mesh has at most %d primvars", v->name,
                            SDD_MAX_PRIMVARS);
        if (rc || at == SDD_MAX_PRIMVARS)
            continue;
        rc = primvar_author(&a->primvars[at], v->name, v->name, "uniform", "i32", 1, err);
        a->primvars[at].values = v->sets;
        a->primvars[at].n_words = n_faces;
        a->primvars[at].sets = (struct set_names){v->names.data, v->n, (int64_t)v->names.bytes};
        a->n_primvars += at == a->n_primvars;
    }
    return rc;
}

void usda_families_free(struct usda_families *f)
{
    for (int i = 0; i < f->n; i++) {
        free(f->v[i].sets);
        text_free(&f->v[i].names);
    }
    f->n = 0;
}
