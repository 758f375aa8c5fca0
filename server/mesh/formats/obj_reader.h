/* SPDX-License-Identifier: Apache-2.0 */
/* obj_reader.h: the state of reading an OBJ file, and the words and numbers of the current line. obj.c reads the
 * statements and obj_tags.c reads OpenSubdiv's tag lines. */
#ifndef SUBDD_OBJ_READER_H
#define SUBDD_OBJ_READER_H
#include "server/mesh/mesh.h"
#include "server/base/words.h"

#define OBJ_N_SKIPPED 21 /* How many kinds of things are read and not kept. */

struct obj_reader {
    const char *at, *end;
    char eol; /* The byte that ends a line: LF, or CR in a file that has no LF. */
    int64_t line, bytes;
    struct sdd_error *err;
    struct words points, uvs, counts, corners, uv_corners;
    int64_t max_vertex, max_vertex_line; /* The largest vertex row that a face names, and the line of that face. */
    int64_t max_uv, max_uv_line;         /* The same for texture coordinates. */
    struct sdd_options options;
    struct words crease_edges, crease_sharpness, corner_vertices, corner_sharpness, holes;
    struct words ints, floats; /* The arguments of the current tag line. */
    int64_t n_skipped[OBJ_N_SKIPPED];
    const char *object, *object_end; /* What follows the last `o`; NULL without one. */
};

/* obj_fail: fails with "line N: " before the sentence, and the field "obj". Returns code. */
int obj_fail(struct obj_reader *r, int64_t line, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* obj_room: makes room for n more words. Errors  SDD_ENO_MEMORY */
int obj_room(struct obj_reader *r, struct words *w, int64_t n) SDD_MUST_CHECK;
/* obj_space: skips blanks and continued line ends. Returns 1 when the line has more, or 0 at its end or at a comment.
 * */
int obj_space(struct obj_reader *r);
/* obj_word: reads the next run of bytes that are not blank. *n is 0 at the end of the line. */
const char *obj_word(struct obj_reader *r, size_t *n);
/* obj_ends: true when a word ends at p, before a blank or the end of the line. A number must end so, unless it is part
 * of a corner of f. */
bool obj_ends(const struct obj_reader *r, const char *p);
/* obj_wanted: fails with SDD_EMALFORMED, naming what was wanted and the word that stands there instead. */
int obj_wanted(struct obj_reader *r, const char *wanted);
/* obj_float, obj_int: read the next number of the line.
 * Errors  SDD_EMALFORMED naming what was wanted; SDD_EMESH naming `field` for a number that a float cannot hold, as the
 *         same number would be an error of the mesh in a binary body */
int obj_float(struct obj_reader *r, const char *wanted, const char *field, float *out) SDD_MUST_CHECK;
int obj_int(struct obj_reader *r, const char *wanted, int32_t *out) SDD_MUST_CHECK;

#endif
