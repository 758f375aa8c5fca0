/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: what the formats of files/ share (parts.h). */
#include "proto/files/parts.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096 /* The bytes of a row of a part that is copied. */

void surface_warn(struct surface_file *f, const char *format, ...)
{
    char *before = f->warnings, *line = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        line = NULL;
    va_end(args);
    if (!line || asprintf(&f->warnings, "%s%s\n", before ? before : "", line) < 0) {
        f->warnings = before;
        f->failed = SURFACE_ENO_MEMORY;
    } else
        free(before);
    free(line);
}

void surface_refuse(struct surface_file *f, int code, const char *why)
{
    f->failed = code;
    f->why = why;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */
void part_add(struct surface_file *f, struct part part)
{
    if (f->n_parts == f->room) {
        const int room = f->room ? 2 * f->room : 16;
        struct part *grown = realloc(f->parts, (size_t)room * sizeof *grown);
        if (!grown) {
            f->failed = SURFACE_ENO_MEMORY;
            if (part.owned)
                free((void *)(uintptr_t)part.data);
            return;
        }
        f->parts = grown;
        f->room = room;
    }
    f->parts[f->n_parts++] = part;
    f->all += part.rows;
}

static char *put_chunk(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const int64_t at = i * CHUNK, n = p->bytes - at < CHUNK ? p->bytes - at : CHUNK;
    (void)f;
    memcpy(to, (const char *)p->data + at, (size_t)n);
    return to + n;
}

void part_bytes(struct surface_file *f, const void *data, int64_t bytes)
{
    part_add(f, (struct part){.put = put_chunk, .rows = (bytes + CHUNK - 1) / CHUNK, .data = data, .bytes = bytes});
}

void part_text(struct surface_file *f, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        f->failed = SURFACE_ENO_MEMORY;
    else
        part_add(f, (struct part){
                        .put = put_chunk, .rows = (n + CHUNK - 1) / CHUNK, .data = text, .bytes = n, .owned = true});
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */
int64_t surface_next_face(struct surface_file *f, int *size)
{
    struct walk *w = &f->walk;
    const int64_t corner = w->corner;
    *size = surface_face_size(&f->surface, w->face++);
    w->corner += *size;
    return corner;
}

void surface_next_triangle(struct surface_file *f, int64_t corners[3])
{
    struct walk *w = &f->walk;
    int size = surface_face_size(&f->surface, w->face);
    for (; w->triangle == size - 2; size = surface_face_size(&f->surface, w->face)) {
        w->corner += size;
        w->face++;
        w->triangle = 0;
    }
    corners[0] = w->corner;
    corners[1] = w->corner + ++w->triangle;
    corners[2] = corners[1] + 1;
}

void surface_box(const struct surface *s, float box[6])
{
    const float *p = s->positions.data;
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? INFINITY : -INFINITY;
    for (int64_t i = 0; i < s->positions.count; i++)
        for (int k = 0; k < 3; k++, p++) {
            box[k] = fminf(box[k], *p);
            box[k + 3] = fmaxf(box[k + 3], *p);
        }
}
