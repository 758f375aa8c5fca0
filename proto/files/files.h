/* SPDX-License-Identifier: Apache-2.0 */
/* files.h: surfaces as files: OBJ, PLY, STL, binary glTF and USDA. The daemon answers in these formats and the command
 * line writes them, both by this code. It knows neither of them: it uses cJSON and the C library alone.
 *
 *   surface_admits -> surface_file_open -> surface_file_read, again and again -> surface_file_close
 *
 * A file is never in memory as a whole. It is a list of parts, each of which has rows that are made one by one when
 * they are read; only the text of headers is made when it is opened, the order of faces by their sets, and for glTF the
 * vertices at seams.
 * Threads  a file belongs to one thread at a time */
#ifndef SUBDD_FILES_H
#define SUBDD_FILES_H
#include "proto/files/file_names.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SURFACE_MAX_PRIMVARS 32
#define SURFACE_MAX_WIDTH 256 /* Numbers in a row of a primvar. */
/* surface_file_read needs so much room. The longest row is a PLY row with all primvars of the greatest width. */
#define SURFACE_ROW_BYTES (40 << 10)

/* Rows of numbers, 4 bytes each. The data is borrowed; NULL means that the surface has none. */
struct surface_rows {
    const void *data; /* [count][components] */
    int64_t count;
    int components;
};
/* The names of face sets: n strings, one after the other, each with a NUL at its end. */
struct surface_sets {
    const char *text;
    int64_t n;
};
/* Some primvars have a place of their own in files:
 *   displayColor                the colours of vertices or faces, as they are, between 0 and 1
 *   floats of width 2 that are  further UV sets
 *   faceVarying, or called st..., uv..., map... or texcoord...
 *   those with `sets`           named sets of faces; `materialBind` is what the faces are made of */
struct surface_primvar {
    char name[64], interpolation[16]; /* A token of USD. */
    bool integers;                    /* Whether the values are int32 and not float. */
    struct surface_rows values;
    const uint32_t *corners;  /* The row of values that each corner has, of faceVarying primvars alone. */
    struct surface_sets sets; /* Of a uniform primvar of one integer: value k is the k-th name, and 0 no set. */
};
/* How long the units of a surface are, which way is up, and where it stands. */
struct surface_stage {
    char up_axis;            /* 'Y' or 'Z', or 0 when it is not known. */
    double meters_per_unit;  /* 0 when it is not known. */
    const double *transform; /* [16], as USD's matrix4d for row vectors; NULL is none. */
};
/* A surface of V vertices, F faces and C corners. A caller that has checked all indices fills it in. */
struct surface {
    char id[129], kind[16], method[32]; /* The mesh, "limit" or the like, and what made it; for comments. */
    char name[FILE_NAME_SIZE];          /* Of the mesh; file_names.h says what formats make of it. */
    int64_t version;
    int level;
    struct surface_rows positions;  /* [V][3] */
    struct surface_rows normals;    /* [V][3], or with normal_corners the rows of split normals. */
    struct surface_rows uvs;        /* [][2] */
    bool uvs_asked;                 /* Whether it is a loss when a file has no UVs; else they come along if they can. */
    const uint32_t *corners;        /* [C] The vertex of each corner, one face after the other. */
    const uint32_t *uv_corners;     /* [C] The row of uvs of each corner; NULL without UVs. */
    const uint32_t *normal_corners; /* [C] The row of normals of each corner; NULL where vertices have them. */
    struct surface_stage stage;
    int64_t n_faces, n_corners; /* F and C. */
    int face_size;              /* The corners of each face; 0 when they differ. */
    const int32_t *face_sizes;  /* [F] The corners of each face, when they differ. */
    int n_primvars, n_others;   /* Others are what no format can carry. */
    struct surface_primvar primvars[SURFACE_MAX_PRIMVARS];
    const char *others[4];
};

struct surface_file;
struct surface_format {
    const char *suffix, *media_type;
    bool normals, uvs;   /* Whether it can carry these. */
    bool split_normals;  /* Whether a corner can have a normal of its own. */
    bool triangles;      /* Whether it turns all faces into triangles. */
    const char *classes; /* Classes of the primvars that it can carry, with spaces between; "" is none. */
    int width;           /* The widest primvar that it can carry; 0 is any width. */
    const char *colours; /* As `classes`, of displayColor. */
    bool all_uvs;        /* Whether it carries further UV sets. */
    const char *sets;    /* The primvars of face sets that it carries as such, with spaces around; "*" is all. */
    void (*build)(struct surface_file *f);
};
/* surface_format_named: the format with this suffix (as of ".obj", in any letters) or this media type, or NULL. */
const struct surface_format *surface_format_named(const char *suffix_or_media_type);
const struct surface_format *surface_format_at(int row); /* NULL behind the last one. */

enum surface_error { SURFACE_OK, SURFACE_ENO_MEMORY, SURFACE_ETOO_LARGE, SURFACE_EUNSUPPORTED };
/* surface_format_takes: whether a file has this primvar even when nobody asks for it: colours, further UV sets, and
 * face sets (has_sets), where it carries them as such. */
bool surface_format_takes(const struct surface_format *format, const char *name, const char *interpolation, int width,
                          bool integers, bool has_sets);
/* surface_admits: checks by the counts of s whether the format can hold it; its data may be missing still. *why
 * becomes a sentence. */
int surface_admits(const struct surface_format *format, const struct surface *s, const char **why);
/* surface_memory: the bytes that an open file takes at most, besides headers. */
int64_t surface_memory(const struct surface_format *format, const struct surface *s);
/* surface_file_open: begins a file. The arrays of s must stay until surface_file_close; s itself is copied.
 * Errors  those of surface_admits, and SURFACE_ETOO_LARGE when the vertices at UV seams make it too large */
int surface_file_open(const struct surface_format *format, const struct surface *s, struct surface_file **out,
                      const char **why);
/* surface_file_read: makes the next bytes of the file, as many whole rows as fit. `room` is SURFACE_ROW_BYTES at least.
 * Returns 0 at the end. */
size_t surface_file_read(struct surface_file *f, char *out, size_t room);
/* surface_file_bytes: the bytes of the whole file, or 0 where they are not known before it is made: then they can be
 * counted by reading it, and surface_file_again begins anew. */
int64_t surface_file_bytes(const struct surface_file *f);
void surface_file_again(struct surface_file *f);
/* surface_file_progress: how many of the file's rows are made; *all becomes how many it has. */
int64_t surface_file_progress(const struct surface_file *f, int64_t *all);
/* surface_file_warnings: lines about what the surface has and the file does not carry, or carries changed. Triangles
 * in place of larger faces are no loss. */
const char *surface_file_warnings(const struct surface_file *f);
void surface_file_close(struct surface_file *f); /* NULL is fine. */

/* surface_put_float: writes the shortest of 7, 8 or 9 digits that reads back as the same float, without zeros at the
 * end, in at most 24 bytes. Returns the end and writes no NUL. */
char *surface_put_float(char *to, float v);
/* surface_put_count: writes a number in at most 20 bytes. Returns the end and writes no NUL. */
char *surface_put_count(char *to, uint64_t v);

#endif
