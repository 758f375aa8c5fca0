/* SPDX-License-Identifier: Apache-2.0 */
/* budgets.c: the split of --memory-limit, for serve.c. */
#include "server/base/budgets.h"

#define MIB ((int64_t)1 << 20)
#define PROGRAM_BYTES (40 * MIB) /* An idle daemon has some 25 MiB of it resident. */
#define STORE_BYTES (24 * MIB)   /* Two handles of 8 MiB of pages (store/sqlite/db.c), and one transaction. */
#define CONNECTION_BYTES ((int64_t)320 << 10) /* A block of an answer, and the memory of the HTTP library. */
#define LEAST_BYTES (16 * MIB)                /* A smaller device or host part would refuse ordinary requests. */
#define MOST_CACHE_BYTES (1024 * MIB)
#define MOST_SPARE_BYTES (1024 * MIB)

const char *const budget_names[BUDGET_PARTS] = {"program", "connections", "store", "spare", "cache", "device", "host"};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What an option gives, and what it asks for at least when it is left to the daemon. */
static int64_t wanted(int64_t option, int64_t otherwise)
{
    return option > 0 ? option : otherwise;
}

/* Splits what the given parts leave: of eight shares the device takes three, the host four and the cache one. */
static void share(const struct config *c, bool unified, struct budgets *b)
{
    int64_t rest = b->limit - b->part[BUDGET_PROGRAM] - b->part[BUDGET_CONNECTIONS] - b->part[BUDGET_STORE], shares = 0;
    b->part[BUDGET_CACHE] = c->cache_bytes == CONFIG_AUTO ? 0 : c->cache_bytes;
    b->part[BUDGET_DEVICE] = unified ? c->gpu_memory : 0;
    b->part[BUDGET_HOST] = c->host_memory;
    rest -= b->part[BUDGET_CACHE] + b->part[BUDGET_DEVICE] + b->part[BUDGET_HOST];
    b->part[BUDGET_SPARE] = least(rest > 0 ? rest / 16 : 0, MOST_SPARE_BYTES);
    rest -= b->part[BUDGET_SPARE];
    shares = (c->cache_bytes == CONFIG_AUTO) + 3 * (unified && !b->part[BUDGET_DEVICE]) + 4 * !b->part[BUDGET_HOST];
    if (c->cache_bytes == CONFIG_AUTO) {
        b->part[BUDGET_CACHE] = least(rest / shares, MOST_CACHE_BYTES);
        rest -= b->part[BUDGET_CACHE];
        shares--;
    }
    if (unified && !b->part[BUDGET_DEVICE]) {
        b->part[BUDGET_DEVICE] = rest / shares * 3;
        rest -= b->part[BUDGET_DEVICE];
    }
    if (!b->part[BUDGET_HOST])
        b->part[BUDGET_HOST] = rest;
}

bool budgets_split(const struct config *c, int64_t memory, bool unified, struct budgets *out, struct text *error)
{
    const int64_t cache = c->cache_bytes == CONFIG_AUTO ? 0 : c->cache_bytes;
    *out = (struct budgets){.limit = wanted(c->memory_limit, memory / 4 * 3),
                            .part[BUDGET_PROGRAM] = PROGRAM_BYTES,
                            .part[BUDGET_CONNECTIONS] = c->max_connections * CONNECTION_BYTES,
                            .part[BUDGET_STORE] = STORE_BYTES};
    const int64_t needed = out->part[BUDGET_PROGRAM] + out->part[BUDGET_CONNECTIONS] + out->part[BUDGET_STORE] + cache +
                           wanted(c->host_memory, LEAST_BYTES) + (unified ? wanted(c->gpu_memory, LEAST_BYTES) : 0);
    /* Budgets that were given one by one may take all of the memory, where no limit was given beside them. */
    if (!c->memory_limit && needed > out->limit)
        out->limit = needed;
    if (needed > out->limit) {
        text_printf(error,
                    "--memory-limit %lld is too small for --max-connections %lld and the budgets that were given: "
                    "--memory-limit %lld would do, or smaller budgets, or fewer connections",
                    (long long)out->limit, (long long)c->max_connections, (long long)needed);
        return false;
    }
    if (out->limit > memory) {
        text_printf(error,
                    "the budgets need %lld bytes, the container or machine has %lld: give a --memory-limit of at most "
                    "%lld, and smaller budgets (--host-memory, --gpu-memory, --cache-bytes, --max-connections)",
                    (long long)out->limit, (long long)memory, (long long)memory);
        return false;
    }
    share(c, unified, out);
    return true;
}
