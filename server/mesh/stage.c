/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c: checks what clients say of axis, unit and place of a mesh (stage.h). */
#include "server/mesh/stage.h"
#include "server/base/chars.h"
#include <math.h>
#include <string.h>

static const char *const axes[] = {[MESH_UP_UNKNOWN] = "", [MESH_UP_Y] = "Y", [MESH_UP_Z] = "Z"};

const char *mesh_up_axis_name(int up_axis)
{
    return axes[up_axis];
}

int mesh_up_axis_set(const char *name, int *out, struct losses *l, struct sdd_error *err)
{
    struct sdd_error why = {0};
    char shown[CHARS_SHOW_SIZE];
    for (int i = 0; name && i < (int)(sizeof axes / sizeof *axes); i++)
        if (strcmp(name, axes[i]) == 0) {
            *out = i;
            return SDD_OK;
        }
    if (!name)
        return SDD_OK;
    int rc =
        sdd_fail(&why, SDD_EMESH, "upAxis", "upAxis is \"%s\"; it is Y or Z", chars_show(name, strlen(name), shown));
    return losses_take(l, rc, &why, "upAxis", "it is left out", err);
}

static int check_transform(const double m[16], struct sdd_error *why)
{
    for (int i = 0; i < 16; i++) {
        if (!isfinite(m[i]))
            return sdd_fail(why, SDD_EMESH, "transform", "transform[%d] is %g; it must be finite", i, m[i]);
        if (i % 4 == 3 && m[i] != (i == 15))
            return sdd_fail(why, SDD_EMESH, "transform",
                            "transform[%d] is %g; the last column of an affine matrix for row vectors is 0 0 0 1", i,
                            m[i]);
    }
    return SDD_OK;
}

int mesh_stage_copy(const struct mesh_stage *from, struct mesh_stage *to, struct losses *l, struct sdd_error *err)
{
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    struct sdd_error why = {0};
    *to = (struct mesh_stage){.up_axis = from->up_axis};
    int rc = SDD_OK, bad = SDD_OK;
    if (from->meters_per_unit == 0 || (isfinite(from->meters_per_unit) && from->meters_per_unit > 0))
        to->meters_per_unit = from->meters_per_unit;
    else
        bad = sdd_fail(&why, SDD_EMESH, "metersPerUnit", "metersPerUnit is %g; it is a finite number above 0",
                       from->meters_per_unit);
    rc = losses_take(l, bad, &why, "metersPerUnit", "it is left out", err);
    if (rc || !from->has_transform)
        return rc;
    bad = check_transform(from->transform, &why);
    if (!bad && memcmp(from->transform, identity, sizeof identity) != 0) {
        to->has_transform = 1;
        memcpy(to->transform, from->transform, sizeof to->transform);
    }
    return losses_take(l, bad, &why, "transform", "it is left out", err);
}
