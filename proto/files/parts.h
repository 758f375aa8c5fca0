/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the formats of files/ share: a file as a list of parts, names that are taken, and faces. */
#ifndef SUBDD_FILES_PARTS_H
#define SUBDD_FILES_PARTS_H
#include "proto/files/files.h"
#include "proto/files/names.h"

/* One part of a file: its rows are made one by one, in order. */
struct part {
    /* Writes row i, of at most SURFACE_ROW_BYTES. Returns its end. */
    char *(*put)(struct surface_file *f, const struct part *p, int64_t i, char *to);
    int64_t rows;
    const void *data;                /* What `put` makes rows of. */
    const struct surface_rows *from; /* The same, for rows of numbers. */
    int64_t bytes;
    const char *tag;
    bool integers, owned; /* `owned` data is freed with the file. */
};

/* Where a format is in the faces of the surface, which it walks from the first to the last. */
struct walk {
    int64_t face, corner; /* The face, and the first of its corners. */
    int triangle;         /* Which triangle of the face is next, as a fan around its corner 0. */
};

struct surface_file {
    struct surface surface;
    const struct surface_format *format;
    struct part *parts;
    int n_parts, room;
    int part; /* The part that is read, and its row. */
    int64_t row;
    int64_t bytes;     /* Of the whole file, where the format knows them before it is made; else 0. */
    int64_t done, all; /* Rows. */
    struct walk walk;
    char *warnings; /* Lines, or NULL. */
    int failed;     /* An enum surface_error that `build` has met. */
    const char *why;
    void *own; /* The format's own; freed by `free_own`. */
    void (*free_own)(void *own);
};

void part_add(struct surface_file *f, struct part part);
/* part_text: adds a part of text. */
void part_text(struct surface_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* part_bytes: adds a part that has these bytes as they are. */
void part_bytes(struct surface_file *f, const void *data, int64_t bytes);
/* surface_warn: adds a warning. */
void surface_warn(struct surface_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* surface_refuse: says in a literal why the file cannot be made. */
void surface_refuse(struct surface_file *f, int code, const char *why);

static inline int surface_face_size(const struct surface *s, int64_t face)
{
    return s->face_size ? s->face_size : s->face_sizes[face];
}
/* surface_triangles: how many triangles the faces make. */
static inline int64_t surface_triangles(const struct surface *s)
{
    return s->n_corners - 2 * s->n_faces;
}
/* surface_next_triangle: the corners of the next triangle of the walk. */
void surface_next_triangle(struct surface_file *f, int64_t corners[3]);
/* surface_next_face: the first corner of the next face of the walk; *size becomes how many it has. */
int64_t surface_next_face(struct surface_file *f, int *size);
/* surface_box: the least coordinates of the points, then the greatest. */
void surface_box(const struct surface *s, float box[6]);
/* surface_source: what a comment says behind the mesh's id: version and level, of refined surfaces alone. */
#define SURFACE_SOURCE_SIZE 64
const char *surface_source(const struct surface *s, char out[SURFACE_SOURCE_SIZE]);
/* surface_carries: whether the format can carry a primvar. */
bool surface_carries(const struct surface_format *format, const struct surface_primvar *p);

/* ---- primvars that have a place of their own (primvars.c) -------------------------------------------------------- */
bool surface_is_colour(const char *name, int width, bool integers);
bool surface_is_uvs(const char *name, const char *interpolation, int width, bool integers);
bool surface_has_sets(const struct surface_primvar *p);
/* surface_colour: the colours that the format carries as such, or NULL. */
const struct surface_primvar *surface_colour(const struct surface_file *f);
/* surface_face_sets: the face sets of this name that the format carries as such, or NULL. */
const struct surface_primvar *surface_face_sets(const struct surface_file *f, const char *name);
/* surface_set_of: the set of a face, 0 for none. */
static inline int64_t surface_set_of(const struct surface_primvar *p, int64_t face)
{
    const int32_t set = ((const int32_t *)p->values.data)[face];
    return set > 0 && set <= p->sets.n ? set : 0;
}
/* surface_set_names: the n names, each on its own, or NULL when there is no memory. The file keeps them. */
const char **surface_set_names(struct surface_file *f, const struct surface_primvar *p);
/* The faces by their sets: those of set k are faces[first[k]] to faces[first[k + 1] - 1]. The file keeps both. */
struct surface_sorted {
    uint32_t *faces;
    int64_t *first; /* [sets + 2] */
};
/* surface_sort_faces: sorts the faces, those of a set in their order. Returns false when there is no memory. */
bool surface_sort_faces(struct surface_file *f, const struct surface_primvar *p, struct surface_sorted *out);
/* surface_keep: memory that is freed with the file; NULL when there is none left. */
void *surface_keep(struct surface_file *f, int64_t count, int64_t item_bytes);

void obj_build(struct surface_file *f);
void ply_build(struct surface_file *f);
void stl_build(struct surface_file *f);
void glb_build(struct surface_file *f);
void usda_build(struct surface_file *f);

#endif
