/* SPDX-License-Identifier: Apache-2.0 */
/* resident.h: the public header of resident/: which meshes are in memory, on the host and on the device, and which
 * leave first when memory is short.
 *
 *   slots       a mesh: its record, its host copy, and who works on it      loop, and the job whose turn it is
 *   residency   its device state                                            compute thread
 *   cache       its refined frames (payload.h: their bytes)                 loop
 *   release     frees what a pool counts                                    loop
 *
 * The store is the truth; everything here can be dropped and loaded again. operation/, refine/ and api/ use it;
 * it uses jobs/ for its threads and turns, mesh/, store/ for a mesh's record, and knows no HTTP. */
#ifndef SUBDD_RESIDENT_H
#define SUBDD_RESIDENT_H
#include "server/base/budgets.h"
#include "server/resident/cache.h"
#include "server/resident/release.h"
#include "server/resident/residency.h"
#include "server/resident/slots.h"

struct memory {
    struct slots slots;
    struct cache cache;
    sdd_device *device;                 /* Used by the compute thread only. */
    struct residency *residency;        /* Used by the compute thread, except where residency.h says otherwise. */
    struct sdd_device_info device_info; /* As it was at start. */
    struct budgets budgets;             /* What each part may take. */
    struct pool pool;                   /* Counts what budgets.host bounds. */
};

#endif
