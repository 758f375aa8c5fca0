/* SPDX-License-Identifier: Apache-2.0 */
/* obj_reader.h: the state of reading an OBJ file, and the words and numbers of the current line. obj.c reads the
 * statements, obj_tags.c OpenSubdiv's tag lines, obj_sets.c the names of materials and groups, and obj_losses.c notes
 * what a mesh does not keep. */
#ifndef SUBDD_OBJ_READER_H
#define SUBDD_OBJ_READER_H
#include "server/mesh/formats/name_set.h"
#include "server/mesh/formats/obj_losses.h"
#include "server/mesh/mesh.h"
#include "server/base/words.h"

/* The sets of faces that one kind of statement names: `usemtl` materials, `g` groups. */
struct obj_sets {
    struct name_set names;
    struct words of_face;  /* The set of each face so far; empty until a face has one. */
    int32_t current;       /* The set of the next face; 0 is none. */
    const char *from, *to; /* What follows the last statement, when no face has come after it; else NULL. */
    int64_t line;          /* Where that stands. */
};
enum { OBJ_MATERIALS, OBJ_GROUPS, OBJ_N_SETS };

struct obj_reader {
    const char *at, *end;
    const char *lf; /* The next LF, or `end`, when it lies at or behind `at`; so nobody looks for it twice. */
    int64_t line, bytes;
    struct sdd_error *err;
    struct words points, colors, uvs, counts, corners, uv_corners;
    int64_t max_vertex, max_vertex_line; /* The largest vertex row that a face names, and the line of that face. */
    int64_t max_uv, max_uv_line;         /* The same for texture coordinates. */
    bool has_uvs;                        /* A face corner names a texture coordinate. */
    int64_t n_bare, bare_line;           /* How many corners name none, and the line of the first. */
    int64_t uv_line;                     /* The line of the first texture coordinate. */
    struct sdd_options options;
    struct words crease_edges, crease_sharpness, corner_vertices, corner_sharpness, holes;
    struct words ints, floats; /* The arguments of the current tag line. */
    struct obj_sets sets[OBJ_N_SETS];
    const char *object, *object_end; /* What follows the last `o`; NULL without one. */
    int64_t n_objects, object_line;
    struct obj_losses lost;
};

/* obj_fail: fails with "line N: " before the sentence, and the field "obj". Returns code. */
int obj_fail(struct obj_reader *r, int64_t line, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* obj_room: makes room for n more words. Errors  SDD_ENO_MEMORY */
static inline int obj_room(struct obj_reader *r, struct words *w, int64_t n)
{
    return w->n + n <= w->cap ? SDD_OK : words_room(w, n, r->bytes, "obj", r->err);
}
/* obj_eol: true for what ends a line: LF, CR LF, and CR alone, in one file too. */
static inline bool obj_eol(char c)
{
    return c == '\n' || c == '\r';
}
/* obj_eol_bytes: 2 for CR LF at p, else 1. */
static inline int obj_eol_bytes(const struct obj_reader *r, const char *p)
{
    return r->end - p > 1 && p[0] == '\r' && p[1] == '\n' ? 2 : 1;
}
/* obj_line_end: where the line ends that p is in. Cost  all calls together are linear in the file */
const char *obj_line_end(struct obj_reader *r, const char *p);
/* obj_space: skips blanks and continued line ends. Returns true when the line has more, or false at its end, at a
 * comment and at a byte 0. Most calls are at the end of a line already. */
bool obj_skip_blanks(struct obj_reader *r);
static inline bool obj_space(struct obj_reader *r)
{
    return !(r->at < r->end && obj_eol(*r->at)) && obj_skip_blanks(r);
}
/* obj_skip_line: goes to the end of the line, and past line ends that a backslash continues. */
void obj_skip_line(struct obj_reader *r);
/* obj_word: reads the next run of bytes that are not blank. *n is 0 at the end of the line. */
const char *obj_word(struct obj_reader *r, size_t *n);
/* obj_ends: true when a word ends at p, before a blank or the end of the line. A number must end so, unless it is part
 * of a corner of f. */
bool obj_ends(const struct obj_reader *r, const char *p);
/* obj_wanted: fails with SDD_EMALFORMED, naming what was wanted and the word that stands there instead. */
int obj_wanted(struct obj_reader *r, const char *wanted);
/* obj_number: reads the next number of the line, and returns false, with r->at unchanged but for blanks, when there is
 * none that a float can hold. */
bool obj_number(struct obj_reader *r, float *out);
/* obj_not_finite: true when the word at r->at is a number that a float cannot hold, nan or infinite among them. */
bool obj_not_finite(const struct obj_reader *r);
/* obj_float, obj_int: read the next number of the line.
 * Errors  SDD_EMALFORMED naming what was wanted; SDD_EMESH naming `field` for a number that a float cannot hold, as the
 *         same number would be an error of the mesh in a binary body */
int obj_float(struct obj_reader *r, const char *wanted, const char *field, float *out) SDD_MUST_CHECK;
int obj_int(struct obj_reader *r, const char *wanted, int32_t *out) SDD_MUST_CHECK;
/* obj_name: reads the name from `from` to `to`, the rest of a line: words with one space between them, as UTF-8. Bytes
 * that are no UTF-8 are read as Latin-1, which is a loss; control characters become '_'.
 * Result  its length, 0 without a name, or OBJ_NAME_SIZE when it has more than 255 bytes */
#define OBJ_NAME_SIZE 256
size_t obj_name(struct obj_reader *r, const char *from, const char *to, int64_t line, char out[OBJ_NAME_SIZE]);

#endif
