/* SPDX-License-Identifier: Apache-2.0 */
/* line_places: where each line stands among the lines of all vertices.
 * Shapes  line[2 E] u32 -> place[2 E] u32
 * Launch  item, n = 2 E
 * Cost    4 B read and 4 B written a line
 * Result  place[line[i]] = i
 * Threads any queue */
#ifndef SDD_K_LINE_PLACES_H
#define SDD_K_LINE_PLACES_H
#include "gpu/kernel/kernel.h"

struct line_places_args {
    const uint32_t *line;
    uint32_t *place;
};

SDD_FN void k_line_places(int64_t i, const struct line_places_args *a)
{
    a->place[a->line[i]] = (uint32_t)i;
}
#endif
