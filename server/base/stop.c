/* SPDX-License-Identifier: Apache-2.0 */
/* stop.c: the flag of each thread, for stop.h. */
#include "server/base/stop.h"
#include <stddef.h>

static _Thread_local const atomic_int *watched;

void stop_watch(const atomic_int *flag)
{
    watched = flag;
}

bool stop_asked(void)
{
    return watched && atomic_load(watched);
}

int stop_fail(struct sdd_error *err)
{
    return sdd_fail(err, SDD_ECANCELLED, "", "cancelled, because nobody waits for it");
}
