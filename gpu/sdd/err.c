/* SPDX-License-Identifier: Apache-2.0 */
/* err.c: looks codes up in the error table and fills error records, for the compute library and the daemon. */
#include "gpu/sdd/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct row {
    int code, http, retryable;
    const char *name, *title, *advice;
};

static const struct row rows[] = {
#define SDD_ERR(name, http, retry, code, text, advice) {SDD_E##name, http, retry, code, text, advice},
#include "gpu/sdd/err.def"
#undef SDD_ERR
};

static const struct row *find(int code)
{
    const struct row *internal = rows;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code)
            return rows + i;
        if (rows[i].code == SDD_EINTERNAL)
            internal = rows + i;
    }
    return internal;
}

const char *sdd_err_code(int code)
{
    return find(code)->name;
}

const char *sdd_err_title(int code)
{
    return find(code)->title;
}

const char *sdd_err_advice(int code)
{
    return find(code)->advice;
}

int sdd_err_http(int code)
{
    return find(code)->http;
}

int sdd_err_retryable(int code)
{
    return find(code)->retryable;
}

int sdd_fail(struct sdd_error *err, int code, const char *field, const char *format, ...)
{
    va_list ap;
    if (!err)
        return code;
    memset(err, 0, sizeof *err);
    err->code = code;
    snprintf(err->field, sizeof err->field, "%s", field ? field : "");
    va_start(ap, format);
    vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    return code;
}
