/* SPDX-License-Identifier: Apache-2.0 */
/* obj_losses.c: counts what a mesh does not keep of an OBJ file, for obj.c. It has the list of the statements of the
 * format's specification that are read and not kept. */
#include "server/mesh/formats/obj_losses.h"
#include "server/base/chars.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What makes two losses one kind, and for whole statements why they are skipped. */
static const struct {
    const char *kind, *why;
} losses[OBJ_N_LOSSES] = {
    [OBJ_LOSS_COLORS] = {"colours of v", NULL},
    [OBJ_LOSS_UVS] = {"vt", NULL},
    [OBJ_LOSS_WEIGHTS] = {"weights of v", NULL},
    [OBJ_LOSS_V_MORE] = {"numbers of v", NULL},
    [OBJ_LOSS_VT_MORE] = {"w of vt", NULL},
    [OBJ_LOSS_SET_NAMES] = {"names of usemtl and g", NULL},
    [OBJ_LOSS_LATIN] = {"names in UTF-8", NULL},
    [OBJ_LOSS_OBJECTS] = {"o", NULL},
    [OBJ_LOSS_TAGS] = {"t", NULL},
    [OBJ_LOSS_CURVES] = {"curves and surfaces", "curves and surfaces are not kept, only polygons"},
    [OBJ_LOSS_LINES] = {"lines and points", "lines and points are not kept, only faces"},
    [OBJ_LOSS_DISPLAY] = {"settings of display", "a mesh has no settings of display"},
    [OBJ_LOSS_LIBRARIES] = {"libraries of materials", "materials are kept by name alone"},
    [OBJ_LOSS_COMMANDS] = {"commands", "no other file is read and no command is run"},
};

/* The statements of version 3.0 of the specification, those that it supersedes too, and `ctech` and `stech`. */
#define WORD(word, kind)                                                                                               \
    {                                                                                                                  \
        word, sizeof(word) - 1, kind                                                                                   \
    }
static const struct {
    const char *word;
    size_t n;
    enum obj_loss kind;
} statements[] = {
    WORD("l", OBJ_LOSS_LINES),
    WORD("p", OBJ_LOSS_LINES),
    WORD("mtllib", OBJ_LOSS_LIBRARIES),
    WORD("usemap", OBJ_LOSS_LIBRARIES),
    WORD("maplib", OBJ_LOSS_LIBRARIES),
    WORD("mg", OBJ_LOSS_DISPLAY),
    WORD("lod", OBJ_LOSS_DISPLAY),
    WORD("bevel", OBJ_LOSS_DISPLAY),
    WORD("c_interp", OBJ_LOSS_DISPLAY),
    WORD("d_interp", OBJ_LOSS_DISPLAY),
    WORD("ctech", OBJ_LOSS_DISPLAY),
    WORD("stech", OBJ_LOSS_DISPLAY),
    WORD("shadow_obj", OBJ_LOSS_DISPLAY),
    WORD("trace_obj", OBJ_LOSS_DISPLAY),
    WORD("vp", OBJ_LOSS_CURVES),
    WORD("cstype", OBJ_LOSS_CURVES),
    WORD("deg", OBJ_LOSS_CURVES),
    WORD("bmat", OBJ_LOSS_CURVES),
    WORD("step", OBJ_LOSS_CURVES),
    WORD("curv", OBJ_LOSS_CURVES),
    WORD("curv2", OBJ_LOSS_CURVES),
    WORD("surf", OBJ_LOSS_CURVES),
    WORD("parm", OBJ_LOSS_CURVES),
    WORD("trim", OBJ_LOSS_CURVES),
    WORD("hole", OBJ_LOSS_CURVES),
    WORD("scrv", OBJ_LOSS_CURVES),
    WORD("sp", OBJ_LOSS_CURVES),
    WORD("end", OBJ_LOSS_CURVES),
    WORD("con", OBJ_LOSS_CURVES),
    WORD("bsp", OBJ_LOSS_CURVES),
    WORD("bzp", OBJ_LOSS_CURVES),
    WORD("cdc", OBJ_LOSS_CURVES),
    WORD("cdp", OBJ_LOSS_CURVES),
    WORD("res", OBJ_LOSS_CURVES),
    WORD("call", OBJ_LOSS_COMMANDS),
    WORD("csh", OBJ_LOSS_COMMANDS),
};

void obj_lose(struct obj_losses *l, enum obj_loss kind, const char *format, ...)
{
    va_list args;
    if (l->of[kind].count++)
        return;
    va_start(args, format);
    (void)vsnprintf(l->of[kind].sentence, sizeof l->of[kind].sentence, format, args);
    va_end(args);
}

bool obj_lose_statement(struct obj_losses *l, const char *word, size_t n, int64_t line)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (statements[i].n == n && memcmp(statements[i].word, word, n) == 0) {
            obj_lose(l, statements[i].kind, "line %lld: %s is skipped: %s", (long long)line, statements[i].word,
                     losses[statements[i].kind].why);
            return true;
        }
    return false;
}

int obj_lose_unknown(struct obj_losses *l, const char *word, size_t n, int64_t line, struct sdd_error *err)
{
    char shown[CHARS_SHOW_SIZE];
    int32_t number;
    (void)chars_show(word, n, shown);
    int rc = name_set_add(&l->unknown, shown, strlen(shown), LOSSES_MAX, "obj", &number, err);
    if (rc)
        return rc;
    if (!number) {
        l->unknown_others++;
        return SDD_OK;
    }
    if (!l->unknown_count[number - 1]++)
        l->unknown_line[number - 1] = line;
    return SDD_OK;
}

int obj_losses_tell(const struct obj_losses *l, struct losses *to, struct sdd_error *err)
{
    int rc = SDD_OK;
    if (!to)
        return SDD_OK;
    for (int64_t i = 0; i < l->unknown.starts.n && !rc; i++) {
        const char *word = name_set_get(&l->unknown, i + 1);
        rc = losses_add(to, "obj", word, err, "line %lld: %s is not known and skipped", (long long)l->unknown_line[i],
                        word);
        losses_more(to, word, l->unknown_count[i] - 1);
    }
    for (int i = 0; i < OBJ_N_LOSSES && !rc; i++)
        if (l->of[i].count) {
            rc = losses_add(to, "obj", losses[i].kind, err, "%s", l->of[i].sentence);
            losses_more(to, losses[i].kind, l->of[i].count - 1);
        }
    losses_more(to, "", l->unknown_others);
    return rc;
}

void obj_losses_fini(struct obj_losses *l)
{
    name_set_fini(&l->unknown);
}
