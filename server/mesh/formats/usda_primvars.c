/* SPDX-License-Identifier: Apache-2.0 */
/* usda_primvars.c: collects the primvars of a USDA file for usda_reader.c, and decides which names and types a mesh can
 * keep. */
#include "server/mesh/formats/usda_primvars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "primvars:", suffix[] = ":indices";
enum { PREFIX = sizeof prefix - 1, SUFFIX = sizeof suffix - 1 };

bool usda_type_of(struct usda_span name, struct usda_type *out)
{
    static const struct {
        const char *stem;
        bool role; /* The name goes on with the number of components and a letter for their type, as in color3f. */
    } stems[] = {{"float", false}, {"double", false}, {"half", false},  {"int", false},    {"color", true},
                 {"normal", true}, {"point", true},   {"vector", true}, {"texCoord", true}};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t n = strlen(stems[i].stem);
        const char *at = name.text + n, *end = name.text + name.bytes;
        if (name.bytes < n || memcmp(name.text, stems[i].stem, n) != 0)
            continue;
        bool wide = at < end && *at >= '2' && *at <= '4';
        *out = (struct usda_type){.width = wide ? *at - '0' : 1, .integer = strcmp(stems[i].stem, "int") == 0};
        at += wide;
        if (stems[i].role && wide && at < end && memchr("fhd", *at, 3))
            at++;
        else if (stems[i].role)
            return false;
        return at == end;
    }
    return false;
}

bool usda_primvar_name(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i <= n; i++) /* No part between colons may be empty or begin with a digit. */
        if ((i == 0 || name[i - 1] == ':') && (!name[i] || name[i] == ':' || (name[i] >= '0' && name[i] <= '9')))
            return false;
    return n < PRIMVAR_NAME_SIZE && !(n >= SUFFIX && strcmp(name + n - SUFFIX, suffix) == 0) &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:") == n;
}

struct usda_primvar *usda_primvar_of(struct usda_primvars *p, struct usda_span attribute, bool *indices)
{
    char name[PRIMVAR_NAME_SIZE];
    const char *at = attribute.text + PREFIX;
    if (attribute.bytes < PREFIX || memcmp(attribute.text, prefix, PREFIX) != 0)
        return NULL;
    size_t n = attribute.bytes - PREFIX;
    *indices = n >= SUFFIX && memcmp(at + n - SUFFIX, suffix, SUFFIX) == 0;
    n -= *indices ? SUFFIX : 0;
    if (n >= sizeof name)
        return NULL;
    memcpy(name, at, n);
    name[n] = 0;
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->v[i].name, name) == 0)
            return &p->v[i];
    if (p->n > SDD_MAX_PRIMVARS || !usda_primvar_name(name))
        return NULL;
    struct usda_primvar *v = &p->v[p->n++];
    *v = (struct usda_primvar){.element_size = 1, .interpolation = "constant"};
    memcpy(v->name, name, n);
    return v;
}

bool usda_primvar_author(const struct usda_primvar *p, struct primvar_array *out)
{
    bool constant = strcmp(p->interpolation, "constant") == 0;
    int64_t width = p->type.width;
    if (p->element_size < 1 || p->element_size > SDD_MAX_PRIMVAR_WIDTH)
        return false;
    width *= p->element_size;
    if (constant && !p->has_indices) /* The whole array is the one row of the mesh. */
        width = p->values.n;
    if (!p->has_values ||
        primvar_author(out, p->name, p->name, p->interpolation, p->type.integer ? "i32" : "f32", width, NULL) != SDD_OK)
        return false;
    out->values = p->values.p;
    out->n_words = p->values.n;
    if (p->has_indices)
        out->indices = words_i32s(&p->indices);
    return true;
}

void usda_primvars_free(struct usda_primvars *p)
{
    for (int i = 0; i < p->n; i++) {
        free(p->v[i].values.p);
        free(p->v[i].indices.p);
    }
}
