/* SPDX-License-Identifier: Apache-2.0 */
/* stop.h: tells long loops on a thread, deep inside a parser or a writer, that nobody wants their result any more. Who
 * runs work on the thread names its flag; each loop that can take more than some 50 ms asks.
 * Threads  each has its own */
#ifndef SUBDD_STOP_H
#define SUBDD_STOP_H
#include "gpu/sdd/err.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* stop_watch: from now on this flag counts, which is set to stop the work; NULL when nothing can. */
void stop_watch(const atomic_int *flag);
bool stop_asked(void);
/* stop_fail: fills *err, and returns SDD_ECANCELLED. */
int stop_fail(struct sdd_error *err);
/* stop_due: stop_asked in every 4,096th round of a loop. */
static inline bool stop_due(int64_t round)
{
    return (round & 4095) == 0 && stop_asked();
}

#endif
