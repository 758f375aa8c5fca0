/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c: finds the corners that name certain vertices or values, for near.c, channels.c and view.c. A mesh has no
 * list of the corners at a vertex, as that would have to follow every edit; so all corners are looked at, several at
 * once. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"

enum { SCANNED = 32 };

/* Whether any of the indices is in [low, high]. */
static bool any_between(const int32_t *v, int32_t low, int32_t high)
{
    const uint32_t span = (uint32_t)(high - low);
    uint32_t any = 0;
    for (int i = 0; i < SCANNED; i++)
        any |= (uint32_t)(v[i] - low) <= span;
    return any;
}

/* Adds those of n indices in a row that name what is wanted; the first of them is at `from`. */
static int scan(const int32_t *indices, int64_t n, int64_t from, const struct edit_wanted *x, struct ints *out,
                struct sdd_error *err)
{
    for (int64_t i = 0; i < n; i += SCANNED) {
        const int64_t end = n - i < SCANNED ? n : i + SCANNED;
        if (end - i == SCANNED && !any_between(indices + i, x->low, x->high))
            continue;
        for (int64_t k = i; k < end; k++) {
            const int32_t v = indices[k];
            if (v < x->low || v > x->high || !(x->state[v] & x->flag))
                continue;
            int rc = edits_add(out, (int32_t)(from + k), err);
            if (rc)
                return rc;
        }
    }
    return SDD_OK;
}

int edits_scan(const int32_t *indices, int64_t from, int64_t to, const struct edit_wanted *x, struct ints *out,
               struct sdd_error *err)
{
    int rc = SDD_OK;
    while (from < to && !rc) {
        size_t bytes = (size_t)(to - from) * sizeof *indices;
        const int32_t *part = shared_read(indices, (size_t)from * sizeof *indices, &bytes);
        rc = scan(part, (int64_t)(bytes / sizeof *indices), from, x, out, err);
        from += (int64_t)(bytes / sizeof *indices);
    }
    return rc;
}
