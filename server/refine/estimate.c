/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: estimates for the plan route how long output takes, from the times measured so far. */
#include "server/refine/refine.h"

#define LEARN 0.2                      /* The weight of the newest measurement. */
#define FIRST_GUESS 1e-9               /* The seconds a byte before anything is measured. */
#define FIXED_SECONDS 100e-6           /* The time of queueing and launches. */
#define LEAST_BYTES ((int64_t)1 << 16) /* The fixed part dominates the time of smaller frames. */

void estimate_init(struct estimate *e)
{
    atomic_init(&e->seconds_a_byte, FIRST_GUESS);
}

double estimate_seconds(const struct estimate *e, int64_t bytes)
{
    return FIXED_SECONDS + (double)bytes * atomic_load(&e->seconds_a_byte);
}

void estimate_learn(struct estimate *e, int64_t bytes, double seconds)
{
    if (bytes < LEAST_BYTES)
        return;
    const double known = atomic_load(&e->seconds_a_byte);
    atomic_store(&e->seconds_a_byte, known + LEARN * (seconds / (double)bytes - known));
}
