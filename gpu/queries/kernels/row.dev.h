/* SPDX-License-Identifier: Apache-2.0 */
/* row.dev.h: a row while it is made. */
#ifndef SDD_ROW_DEV_H
#define SDD_ROW_DEV_H
#include "gpu/tiles/neighbors.h"

/* A row that is being written, or only counted where `ids` is NULL. */
struct sdd_row {
    uint32_t *ids;
    uint8_t *signs; /* Of FE; else NULL. */
    int32_t n;
};

SDD_FN void sdd_row_add(struct sdd_row *r, uint32_t id)
{
    if (r->ids)
        r->ids[r->n] = id;
    r->n++;
}
#endif
