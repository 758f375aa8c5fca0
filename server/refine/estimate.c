/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: for the plan route: how long output takes on this machine, from the times that each engine took for
 * output of about the same size. Small frames cost more a byte than large ones, so sizes are told apart by powers of
 * two. */
#include "server/refine/refine.h"
#include <string.h>

#define LEARN 0.2 /* The weight of the newest measurement. */
#define GUESSED_SECONDS_A_BYTE 1e-9
#define BLOCK_BYTES 12 /* What a point has about in a block. */
#define NEAR 4         /* Sizes that are further apart, as powers of two, say nothing of each other. */

static int engine_of(const char *method)
{
    const struct sdd_engine_info *e;
    for (int i = 0; i < ESTIMATE_ENGINES && (e = sdd_engine(i)); i++)
        if (strcmp(e->name, method) == 0)
            return i;
    return -1;
}

static int size_of(int64_t bytes)
{
    int power = 0;
    for (; bytes > 1 && power < ESTIMATE_SIZES - 1; bytes >>= 1)
        power++;
    return power;
}

void estimate_init(struct estimate *e)
{
    for (int i = 0; i < ESTIMATE_ENGINES; i++)
        for (int k = 0; k < ESTIMATE_SIZES; k++)
            atomic_init(&e->seconds_a_byte[i][k], 0);
}

double estimate_seconds(const struct estimate *e, const char *method, int64_t bytes)
{
    const int engine = engine_of(method), size = size_of(bytes);
    for (int d = 0; d <= NEAR && engine >= 0; d++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            const int k = size + sign * d;
            const double known = k >= 0 && k < ESTIMATE_SIZES ? atomic_load(&e->seconds_a_byte[engine][k]) : 0;
            if (known > 0)
                return known * (double)bytes;
        }
    return 0;
}

double estimate_any(const struct estimate *e, int64_t bytes)
{
    const struct sdd_engine_info *engine;
    double most = 0;
    for (int i = 0; i < ESTIMATE_ENGINES && (engine = sdd_engine(i)); i++) {
        const double seconds = estimate_seconds(e, engine->name, bytes);
        most = seconds > most ? seconds : most;
    }
    return most > 0 ? most : GUESSED_SECONDS_A_BYTE * (double)bytes;
}

int64_t ask_cost_ns(const struct ask_job *a, int64_t bytes_a_point)
{
    const struct store_info *info = &a->base.slot->info;
    int64_t bytes = bytes_a_point;
    for (int bits = a->request.include; bits && !bytes_a_point; bits &= bits - 1)
        bytes += BLOCK_BYTES;
    const double points = (double)info->n_faces * (double)((int64_t)1 << 2 * a->request.level) * (double)bytes;
    const double ns = points < (double)INT64_MAX / 2
                          ? 1e9 * estimate_any(job_service(&a->base.job)->estimate, (int64_t)points)
                          : 1e18;
    return ns < 1e18 ? (int64_t)ns : (int64_t)1e18;
}

void estimate_learn(struct estimate *e, const char *method, int64_t bytes, double seconds)
{
    const int engine = engine_of(method);
    if (engine < 0 || bytes <= 0 || seconds <= 0)
        return;
    _Atomic double *known = &e->seconds_a_byte[engine][size_of(bytes)];
    const double old = atomic_load(known), now = seconds / (double)bytes;
    atomic_store(known, old > 0 ? old + LEARN * (now - old) : now);
}
