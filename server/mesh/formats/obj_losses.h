/* SPDX-License-Identifier: Apache-2.0 */
/* obj_losses.h: what an OBJ file has and a mesh does not keep. It is counted while the file is read, line by line, and
 * told at its end, so that a file of nothing else costs no more than its bytes. */
#ifndef SUBDD_OBJ_LOSSES_H
#define SUBDD_OBJ_LOSSES_H
#include "server/mesh/formats/name_set.h"
#include "server/mesh/losses.h"

/* One warning each. From OBJ_LOSS_CURVES on they are whole statements, see obj_losses.c. */
enum obj_loss {
    OBJ_LOSS_COLORS,
    OBJ_LOSS_UVS,
    OBJ_LOSS_WEIGHTS,
    OBJ_LOSS_V_MORE,
    OBJ_LOSS_VT_MORE,
    OBJ_LOSS_SET_NAMES,
    OBJ_LOSS_LATIN,
    OBJ_LOSS_OBJECTS,
    OBJ_LOSS_TAGS,
    OBJ_LOSS_CURVES,
    OBJ_LOSS_LINES,
    OBJ_LOSS_DISPLAY,
    OBJ_LOSS_LIBRARIES,
    OBJ_LOSS_COMMANDS,
    OBJ_N_LOSSES
};

struct obj_losses {
    struct {
        int64_t count;
        char sentence[LOSS_SENTENCE_SIZE]; /* Of the first. */
    } of[OBJ_N_LOSSES];
    struct name_set unknown; /* Statements that are not known; as many as there are kinds of losses. */
    int64_t unknown_line[LOSSES_MAX], unknown_count[LOSSES_MAX], unknown_others;
};

/* obj_lose: counts one loss; the sentence of the first is kept. */
void obj_lose(struct obj_losses *l, enum obj_loss kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* obj_lose_statement: counts a statement that the mesh does not keep. Returns false when its word is none of OBJ's. */
bool obj_lose_statement(struct obj_losses *l, const char *word, size_t n, int64_t line);
/* obj_lose_unknown: counts a statement that is not known. Errors  SDD_ENO_MEMORY */
int obj_lose_unknown(struct obj_losses *l, const char *word, size_t n, int64_t line,
                     struct sdd_error *err) SDD_MUST_CHECK;
/* obj_losses_tell: adds all to *to, which may be NULL. Errors  those of losses_add */
int obj_losses_tell(const struct obj_losses *l, struct losses *to, struct sdd_error *err) SDD_MUST_CHECK;
void obj_losses_fini(struct obj_losses *l);

#endif
