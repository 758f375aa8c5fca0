/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c: keeps what readers leave out of a mesh, by kinds. */
#include "server/mesh/losses.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int losses_add(struct losses *l, const char *field, const char *kind, struct sdd_error *err, const char *format, ...)
{
    char sentence[LOSS_SENTENCE_SIZE];
    va_list args;
    int i = 0;
    bool refused = !l || l->strict;
    while (!refused && i < l->n && strncmp(l->rows[i].kind, kind, LOSS_KIND_SIZE - 1) != 0)
        i++;
    if (!refused && i < l->n) {
        l->rows[i].count++;
        return SDD_OK;
    }
    if (!refused && i == LOSSES_MAX) {
        l->others++;
        return SDD_OK;
    }
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (refused)
        return sdd_fail(err, SDD_EMESH, field, "%s", sentence);
    (void)snprintf(l->rows[i].kind, sizeof l->rows[i].kind, "%s", kind);
    memcpy(l->rows[i].sentence, sentence, sizeof sentence);
    l->rows[i].count = 1;
    l->n++;
    return SDD_OK;
}

void losses_more(struct losses *l, const char *kind, int64_t n)
{
    int i = 0;
    while (i < l->n && strncmp(l->rows[i].kind, kind, LOSS_KIND_SIZE - 1) != 0)
        i++;
    *(i < l->n ? &l->rows[i].count : &l->others) += n;
}

int losses_take(struct losses *l, int failed, const struct sdd_error *why, const char *kind, const char *done,
                struct sdd_error *err)
{
    if (failed == SDD_EMESH && l && !l->strict)
        return losses_add(l, why->field, kind, err, "%s; %s", why->text, done);
    if (failed && err)
        *err = *why;
    return failed;
}

void losses_print(const struct losses *l, struct text *lines)
{
    for (int i = 0; i < l->n; i++) {
        text_puts(lines, l->rows[i].sentence);
        if (l->rows[i].count > 1)
            text_printf(lines, " (and %lld more)", (long long)(l->rows[i].count - 1));
        text_puts(lines, "\n");
    }
    if (l->others)
        text_printf(lines, "and %lld things of other kinds are left out\n", (long long)l->others);
}
