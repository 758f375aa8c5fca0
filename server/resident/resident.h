/* SPDX-License-Identifier: Apache-2.0 */
/* resident.h: the door of resident/: what is in memory of the meshes, on the host and on the device, and what of it
 * goes first when memory is short.
 *
 *   slots       a mesh: its record, its host copy, and who works on it      loop, and the job whose turn it is
 *   residency   its device state                                            compute thread
 *   cache       its refined frames (payload.h: their bytes)                 loop
 *
 * The store is the truth; all that is here can be dropped and had again. operation/, refine/ and api/ work with it;
 * it uses jobs/ for its threads and turns, mesh/, store/ for a mesh's record, and knows no HTTP. */
#ifndef SUBDD_RESIDENT_H
#define SUBDD_RESIDENT_H
#include "server/resident/cache.h"
#include "server/resident/residency.h"
#include "server/resident/slots.h"

struct memory {
    struct slots slots;
    struct cache cache;
    sdd_device *device;                 /* compute thread                               */
    struct residency *residency;        /* compute thread                               */
    struct sdd_device_info device_info; /* as it was at start                           */
    int64_t host_memory;                /* --host-memory, or what 0 stands for          */
    atomic_llong frames_sending;        /* bytes of frames that answers still hold      */
};

#endif
