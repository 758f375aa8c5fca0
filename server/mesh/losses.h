/* SPDX-License-Identifier: Apache-2.0 */
/* losses.h: what a reader leaves out of a mesh. docs/meshes.md has the rule that all readers keep: what shapes the
 * surface is refused when it is wrong; what only goes along with it (UVs, primvars, a tag of a part that is not there,
 * a statement that is not known) is left out, and the client is told. A strict request refuses it instead.
 *
 *   a reader, mesh_build, primvars_build -> losses_add -> losses_print -> Subdd-Warning and the answer's `warnings` */
#ifndef SUBDD_MESH_LOSSES_H
#define SUBDD_MESH_LOSSES_H
#include "gpu/sdd/err.h"
#include "server/base/text.h"
#include <stdint.h>

#define LOSSES_MAX 64     /* Kinds of losses that are told apart; those of further kinds are only counted. */
#define LOSS_KIND_SIZE 80 /* Room for what makes two losses one kind, such as "vw" or "primvar wear". */
#define LOSS_SENTENCE_SIZE 320

/* One kind of loss: the sentence tells the first of it. */
struct loss {
    char kind[LOSS_KIND_SIZE], sentence[LOSS_SENTENCE_SIZE];
    int64_t count;
};
/* Zeroed losses are empty. */
struct losses {
    bool strict; /* A loss is an error. */
    int n;
    int64_t others; /* Losses of kinds that rows has no place for. */
    struct loss rows[LOSSES_MAX];
};

/* losses_add: notes that something was left out. Losses of one kind are one warning: the sentence of the first, which
 * names line and element, and how many more there were. The sentence has no full stop at its end.
 * `field` is what the error names when the request is strict, or when `l` is NULL, which refuses every loss.
 * Errors  SDD_EMESH, with the sentence */
int losses_add(struct losses *l, const char *field, const char *kind, struct sdd_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6), warn_unused_result));
/* losses_more: counts n more losses of a kind, for a reader that counts them itself. */
void losses_more(struct losses *l, const char *kind, int64_t n);
/* losses_take: makes a loss of a check that has failed with SDD_EMESH and *why, where `l` is given and not strict;
 * `done` says what became of the part, such as "the UVs are left out". Otherwise the check's own error is returned, in
 * *err.
 * Result  SDD_OK for a loss; `failed` for everything else, SDD_OK among it */
int losses_take(struct losses *l, int failed, const struct sdd_error *why, const char *kind, const char *done,
                struct sdd_error *err) __attribute__((warn_unused_result));
/* losses_print: adds a line for each kind. */
void losses_print(const struct losses *l, struct text *lines);

#endif
