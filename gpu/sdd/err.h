/* SPDX-License-Identifier: Apache-2.0 */
/* err.h: error codes and the record that carries one out of a call. */
#ifndef SDD_ERR_H
#define SDD_ERR_H
#include <stdint.h>

enum sdd_err {
    SDD_OK = 0,
    SDD_ERR_FIRST_ = -1000,
#define SDD_ERR(name, http, retry, code, text) SDD_E##name,
#include "err.def"
#undef SDD_ERR
    SDD_ERR_LAST_
};

/* sdd_error: why a call failed. Filled by the callee, owned by the caller, plain data.
 * field  the argument or mesh array that is wrong ("faceVertexIndices"), "" when none is to blame
 * needed, available  bytes or counts for TOO_LARGE and NO_MEMORY, else 0 (available is the limit) */
struct sdd_error {
    int code;
    char field[48];
    char text[256];
    int64_t needed, available;
};

/* sdd_fail: records `code` and the sentence in *err (which may be NULL) and returns `code`.
 * The sentence names the element and the limit: "face 7 uses vertex 12 of 8". */
int sdd_fail(struct sdd_error *err, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Rows of the error table; unknown codes read as SDD_EINTERNAL. */
const char *sdd_err_code(int code);  /* "invalid_mesh"        */
const char *sdd_err_title(int code); /* the table's sentence  */
int sdd_err_http(int code);          /* 422                   */
int sdd_err_retryable(int code);     /* 0 or 1                */

#endif
