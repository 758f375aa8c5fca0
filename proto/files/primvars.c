/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.c: the primvars of a surface that formats have a place of their own for: colours, UV sets and named sets of
 * faces (files.h), and what a format can carry of them (parts.h). */
#include "proto/files/parts.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool surface_is_colour(const char *name, int width, bool integers)
{
    return strcmp(name, "displayColor") == 0 && width == 3 && !integers;
}

bool surface_is_uvs(const char *name, const char *interpolation, int width, bool integers)
{
    static const char *const beginnings[] = {"st", "uv", "map", "texcoord"};
    if (width != 2 || integers || strcmp(interpolation, "constant") == 0 || strcmp(interpolation, "uniform") == 0)
        return false;
    bool is = strcmp(interpolation, "faceVarying") == 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is |= strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0;
    return is;
}

bool surface_has_sets(const struct surface_primvar *p)
{
    return p->sets.n > 0 && p->integers && p->values.components == 1 && strcmp(p->interpolation, "uniform") == 0;
}

static bool carries_sets(const struct surface_format *format, const char *name)
{
    const char *at = strstr(format->sets, name);
    return *format->sets == '*' || (at && at > format->sets && at[-1] == ' ' && at[strlen(name)] == ' ');
}

bool surface_format_takes(const struct surface_format *format, const char *name, const char *interpolation, int width,
                          bool integers, bool has_sets)
{
    return (has_sets && carries_sets(format, name)) ||
           (surface_is_colour(name, width, integers) && strstr(format->colours, interpolation)) ||
           (format->all_uvs && surface_is_uvs(name, interpolation, width, integers));
}

bool surface_carries(const struct surface_format *format, const struct surface_primvar *p)
{
    return surface_format_takes(format, p->name, p->interpolation, p->values.components, p->integers,
                                surface_has_sets(p)) ||
           (strstr(format->classes, p->interpolation) && (!format->width || p->values.components <= format->width));
}

const struct surface_primvar *surface_colour(const struct surface_file *f)
{
    for (int i = 0; i < f->surface.n_primvars; i++) {
        const struct surface_primvar *p = &f->surface.primvars[i];
        if (surface_is_colour(p->name, p->values.components, p->integers) &&
            strstr(f->format->colours, p->interpolation))
            return p;
    }
    return NULL;
}

const struct surface_primvar *surface_face_sets(const struct surface_file *f, const char *name)
{
    for (int i = 0; i < f->surface.n_primvars; i++) {
        const struct surface_primvar *p = &f->surface.primvars[i];
        if (surface_has_sets(p) && strcmp(p->name, name) == 0 && carries_sets(f->format, name))
            return p;
    }
    return NULL;
}

void *surface_keep(struct surface_file *f, int64_t count, int64_t item_bytes)
{
    void *memory = calloc((size_t)count + 1, (size_t)item_bytes);
    if (memory)
        part_add(f, (struct part){.data = memory, .owned = true});
    else
        f->failed = SURFACE_ENO_MEMORY;
    return f->failed ? NULL : memory;
}

const char **surface_set_names(struct surface_file *f, const struct surface_primvar *p)
{
    const char **names = surface_keep(f, p->sets.n, sizeof *names), *at = p->sets.text;
    for (int64_t i = 0; names && i < p->sets.n; i++, at += strlen(at) + 1)
        names[i] = at;
    return names;
}

bool surface_sort_faces(struct surface_file *f, const struct surface_primvar *p, struct surface_sorted *out)
{
    const int64_t n = f->surface.n_faces;
    out->faces = surface_keep(f, n, sizeof *out->faces);
    out->first = surface_keep(f, p->sets.n + 3, sizeof *out->first);
    if (!out->faces || !out->first)
        return false;
    if (!p->values.data) /* A plan has none. */
        return true;
    /* Counts, then sums: entry k + 2 moves from the beginning of set k to its end while the faces are put there. */
    for (int64_t i = 0; i < n; i++)
        out->first[surface_set_of(p, i) + 2]++;
    for (int64_t k = 0; k <= p->sets.n; k++)
        out->first[k + 2] += out->first[k + 1];
    for (int64_t i = 0; i < n; i++)
        out->faces[out->first[surface_set_of(p, i) + 1]++] = (uint32_t)i;
    return true;
}
