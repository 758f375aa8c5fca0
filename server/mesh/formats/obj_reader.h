/* SPDX-License-Identifier: Apache-2.0 */
/* obj_reader.h: what has been read of an OBJ file so far, and the words and numbers of the line being read. obj.c reads
 * the statements, obj_tags.c OpenSubdiv's tag lines. */
#ifndef SUBDD_OBJ_READER_H
#define SUBDD_OBJ_READER_H
#include "server/mesh/mesh.h"
#include "server/base/words.h"

#define OBJ_N_SKIPPED 21 /* kinds of what is read and not kept */

struct obj_reader {
    const char *at, *end;
    char eol; /* LF; CR in a file without one */
    int64_t line, bytes;
    struct sdd_error *err;
    struct words points, uvs, counts, corners, uv_corners;
    int64_t max_vertex, max_vertex_line, max_uv, max_uv_line; /* largest row used, and where */
    struct sdd_options options;
    struct words crease_edges, crease_sharpness, corner_vertices, corner_sharpness, holes;
    struct words ints, floats; /* arguments of the tag line being read */
    int64_t n_skipped[OBJ_N_SKIPPED];
};

/* obj_fail: SDD_E* with "line N: " before the sentence; field is "obj". */
int obj_fail(struct obj_reader *r, int64_t line, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* obj_room: makes room for n more words. Errors  SDD_ENO_MEMORY */
int obj_room(struct obj_reader *r, struct words *w, int64_t n) SDD_MUST_CHECK;
/* obj_space: skips blanks and continued line ends. Result  1 when the line has more, 0 at its end or a comment */
int obj_space(struct obj_reader *r);
/* obj_word: the next run of non-blanks; *n is 0 at the end of the line. */
const char *obj_word(struct obj_reader *r, size_t *n);
/* obj_ends: does a word end at p: at a blank or the line's end? A number must, but for the slashes of f. */
bool obj_ends(const struct obj_reader *r, const char *p);
/* obj_wanted: SDD_EMALFORMED naming what was wanted and the word that stands there instead. */
int obj_wanted(struct obj_reader *r, const char *wanted);
/* obj_float, obj_int: the next number of the line.
 * Errors  SDD_EMALFORMED naming what was wanted; SDD_EMESH for `field` when no float can hold it: as in a binary body
 *         that is an error of the mesh */
int obj_float(struct obj_reader *r, const char *wanted, const char *field, float *out) SDD_MUST_CHECK;
int obj_int(struct obj_reader *r, const char *wanted, int32_t *out) SDD_MUST_CHECK;

#endif
