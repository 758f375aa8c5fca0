/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: the one table of options, with USD's attribute names and tokens, for every parser and help text. */
#include "gpu/sdd/sdd.h"
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct sdd_options, member)
const struct sdd_option_info sdd_option_table[] = {
    {"subdivisionScheme", "scheme", {"catmullClark", "loop", "bilinear", "sqrt3"}, AT(scheme)},
    {"interpolateBoundary", "interpolate-boundary", {"edgeAndCorner", "edgeOnly", "none"}, AT(boundary)},
    {"faceVaryingLinearInterpolation",
     "face-varying-linear-interpolation",
     {"cornersPlus1", "none", "cornersOnly", "cornersPlus2", "boundaries", "all"},
     AT(fvar)},
    {"triangleSubdivisionRule", "triangle-subdivision-rule", {"catmullClark", "smooth"}, AT(triangle_rule)},
    {"creaseMethod", "crease-method", {"uniform", "chaikin"}, AT(crease_method)},
    {"orientation", "orientation", {"rightHanded", "leftHanded"}, AT(orientation)},
};
const int sdd_n_options = sizeof sdd_option_table / sizeof sdd_option_table[0];

static int32_t *at(struct sdd_options *o, int row)
{
    return (int32_t *)((char *)o + sdd_option_table[row].offset);
}

/* Compares names; a query spells a flag with '_' in place of '-'. */
static int same_flag(const char *flag, const char *name)
{
    for (; *flag && *name; flag++, name++)
        if (*flag != *name && !(*flag == '-' && *name == '_'))
            return 0;
    return *flag == *name;
}

int sdd_option_set(struct sdd_options *o, const char *name, const char *token, struct sdd_error *err)
{
    for (int row = 0; row < sdd_n_options; row++) {
        const struct sdd_option_info *info = sdd_option_table + row;
        char list[160] = "";
        size_t used = 0;
        if (strcmp(info->name, name) != 0 && !same_flag(info->flag, name))
            continue;
        for (int i = 0; info->tokens[i]; i++) {
            if (strcmp(info->tokens[i], token) == 0) {
                *at(o, row) = i;
                return SDD_OK;
            }
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", info->tokens[i]);
        }
        return sdd_fail(err, SDD_EINVALID, info->name, "\"%.40s\" is not one of %s", token, list);
    }
    return sdd_fail(err, SDD_EINVALID, "options", "there is no option \"%.40s\"", name);
}

const char *sdd_option_token(const struct sdd_options *o, int row)
{
    int32_t value = *(const int32_t *)((const char *)o + sdd_option_table[row].offset);
    const char *const *tokens = sdd_option_table[row].tokens;
    for (int32_t i = 0; tokens[i]; i++)
        if (i == value)
            return tokens[i];
    return "";
}
