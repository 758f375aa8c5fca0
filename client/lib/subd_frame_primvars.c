/* SPDX-License-Identifier: Apache-2.0 */
/* subd_frame_primvars.c: checks the primvar blocks in the header of a frame: their shapes, and that they are those that
 * were asked for. */
#include "subd_internal.h"
#include <string.h>

#define MAX_WIDTH 256

const struct subd_block *subd_frame_primvar(const struct subd_frame *f, const char *name, int semantic)
{
    for (int i = 0; f && name && i < f->n_blocks; i++)
        if (f->blocks[i].semantic == semantic && strcmp(f->blocks[i].name, name) == 0)
            return &f->blocks[i];
    return NULL;
}

/* How many rows a class has. -1 means any number (faceVarying), -2 that there is no such class. */
static int64_t rows_of_class(const struct subd_frame *f, const char *interpolation)
{
    if (strcmp(interpolation, "constant") == 0)
        return 1;
    if (strcmp(interpolation, "uniform") == 0)
        return f->faces;
    if (strcmp(interpolation, "varying") == 0 || strcmp(interpolation, "vertex") == 0)
        return f->vertices;
    return strcmp(interpolation, "faceVarying") == 0 ? -1 : -2;
}

int subd_sets_fit(size_t n, const char *interpolation, const char *type, int width)
{
    return n == 0 || (strcmp(interpolation, "uniform") == 0 && strcmp(type, "i32") == 0 && width <= 1);
}

int subd_block_primvar(const struct subd_frame *f, const struct subd_block *b, struct subd_error *err)
{
    int64_t rows = rows_of_class(f, b->interpolation);
    int copied = strcmp(b->interpolation, "constant") == 0 || strcmp(b->interpolation, "uniform") == 0;
    size_t good = strspn(b->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:");
    if (subd_frame_primvar(f, b->name, b->semantic) || !good || b->name[good])
        return subd_fail(err, SUBD_EPROTOCOL, "the frame has a primvar twice, or one whose name is none");
    if (b->semantic == SUBD_PRIMVAR_INDICES)
        return SUBD_OK;
    if (rows == -2 || (rows >= 0 && rows != b->count) || b->components < 1 || b->components > MAX_WIDTH ||
        (strcmp(b->type, "f32") != 0 && !(copied && strcmp(b->type, "i32") == 0)))
        return subd_fail(err, SUBD_EPROTOCOL, "primvar %s has class %s, type %s and %lld rows of %d, which cannot be",
                         b->name, b->interpolation, b->type, (long long)b->count, b->components);
    return SUBD_OK;
}

/* Is the name in the list? */
static int is_asked(const char *asked, const char *name)
{
    size_t n = strlen(name);
    if (strcmp(asked, "*") == 0)
        return 1;
    for (const char *s = asked; *s; s += strcspn(s, ","), s += *s == ',')
        if (strcspn(s, ",") == n && memcmp(s, name, n) == 0)
            return 1;
    return 0;
}

/* Is each name of the list in the frame? */
static int has_all(const struct subd_frame *f, const char *asked)
{
    if (strcmp(asked, "*") == 0)
        return 1;
    for (const char *s = asked; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        int i = 0;
        while (i < f->n_blocks && (f->blocks[i].semantic != SUBD_PRIMVAR || strlen(f->blocks[i].name) != n ||
                                   memcmp(f->blocks[i].name, s, n) != 0))
            i++;
        if (i == f->n_blocks)
            return 0;
        s += n;
    }
    return 1;
}

int subd_frame_primvars(const struct subd_frame *f, const char *asked, struct subd_error *err)
{
    if (!has_all(f, asked))
        return subd_fail(err, SUBD_EPROTOCOL, "the frame lacks a primvar that was asked for");
    for (int i = 0; i < f->n_blocks; i++) {
        const struct subd_block *b = &f->blocks[i];
        int other = b->semantic == SUBD_PRIMVAR ? SUBD_PRIMVAR_INDICES : SUBD_PRIMVAR;
        if (!(b->semantic & SUBD_PRIMVAR_BLOCKS))
            continue;
        if (!is_asked(asked, b->name))
            return subd_fail(err, SUBD_EPROTOCOL, "the frame has primvar %s, which was not asked for", b->name);
        const struct subd_block *mate = subd_frame_primvar(f, b->name, other);
        const struct subd_block *values = b->semantic == SUBD_PRIMVAR ? b : mate;
        if (!values || (strcmp(values->interpolation, "faceVarying") == 0) != (mate != NULL))
            return subd_fail(err, SUBD_EPROTOCOL, "primvar %s and its indices do not belong together", b->name);
    }
    return SUBD_OK;
}
