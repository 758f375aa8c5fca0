/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c: the time of day in milliseconds. */
#include "server/base/clock.h"
#include <time.h>

int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
