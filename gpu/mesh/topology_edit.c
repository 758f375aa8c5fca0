/* SPDX-License-Identifier: Apache-2.0 */
/* topology_edit.c: looks rows up in the runs of an edit. */
#include "gpu/mesh/topology_edit.h"
#include "gpu/kernel/kernel.h"

uint32_t topology_runs_to(const struct topology_runs *r, uint32_t old)
{
    int64_t low = -1, high = r->n - 1; /* The last run that begins at or before the row, or -1. */
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (r->run[middle].from <= old)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < 0 || old >= r->run[low].from + r->run[low].n)
        return SDD_NONE;
    return (uint32_t)(old - r->run[low].from + r->run[low].to);
}

uint32_t topology_runs_place(const struct topology_runs *r, uint32_t row)
{
    int64_t low = -1, high = r->n - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (r->run[middle].to <= row)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < 0)
        return 0;
    const struct topology_run *run = r->run + low;
    if (row < run->to + run->n)
        return (uint32_t)(2 * (row - run->to + run->from) + 1);
    return (uint32_t)(2 * (run->from + run->n));
}
