/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c: allocates the arrays of mesh/. It multiplies sizes in 64 bits, and when memory is out the error says how
 * many bytes were needed. */
#include "server/base/pool.h"
#include "server/base/shared.h"
#include "server/base/size.h"
#include "server/mesh/mesh.h"
#include <stdlib.h>

static void *alloc(int64_t n, int64_t bytes, void *(*from)(size_t bytes), struct sdd_error *err)
{
    int64_t total;
    if (!size_mul(n, bytes, &total)) {
        (void)sdd_fail(err, SDD_ETOO_LARGE, "", "%lld rows of %lld bytes are too many", (long long)n, (long long)bytes);
        return NULL;
    }
    void *p = claim_draw(total) ? from(total ? (size_t)total : 1) : NULL;
    if (p)
        return p;
    (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %lld bytes", (long long)total);
    if (err)
        err->needed = total;
    return NULL;
}

void *mesh_alloc(int64_t n, int64_t bytes, struct sdd_error *err)
{
    return alloc(n, bytes, malloc, err);
}

void *mesh_array(int64_t n, int64_t bytes, struct sdd_error *err)
{
    return alloc(n, bytes, shared_alloc, err);
}
