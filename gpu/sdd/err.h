/* SPDX-License-Identifier: Apache-2.0 */
/* err.h: error codes and the record that carries one out of a call. The compute library and the daemon share them. */
#ifndef SDD_ERR_H
#define SDD_ERR_H
#include <stdint.h>

enum sdd_err {
    SDD_OK = 0,
    SDD_ERR_FIRST_ = -1000,
#define SDD_ERR(name, http, retry, code, text, advice) SDD_E##name,
#include "err.def"
#undef SDD_ERR
    SDD_ERR_LAST_
};

/* sdd_error: why a call failed. The callee fills it, the caller owns it; it is plain data. */
struct sdd_error {
    int code;          /* A value of enum sdd_err. */
    char field[48];    /* The argument or mesh array that is wrong, such as "faceVertexIndices"; "" when none is. */
    char text[256];    /* One sentence. */
    int64_t needed;    /* The bytes or the count asked for, with SDD_ETOO_LARGE and SDD_ENO_MEMORY; else 0. */
    int64_t available; /* The limit that `needed` passes; else 0. */
};

/* sdd_fail: clears *err (which may be NULL), records `code`, `field` (NULL reads as "") and the sentence, and returns
 * `code`. The sentence names the element and the limit: "face 7 uses vertex 12, and the mesh has 8, from 0 on". */
int sdd_fail(struct sdd_error *err, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* These five look a code up in the error table. A code that is not there reads as SDD_EINTERNAL. */
const char *sdd_err_code(int code);   /* The stable code on the wire: "invalid_mesh". */
const char *sdd_err_title(int code);  /* What is wrong. */
const char *sdd_err_advice(int code); /* What to do. */
int sdd_err_http(int code);           /* The HTTP status: 422. */
int sdd_err_retryable(int code);      /* 1 when the same request may succeed later, else 0. */

#endif
