/* SPDX-License-Identifier: Apache-2.0 */
/* budgets.h: splits the memory that the daemon may use (--memory-limit) into the budgets of its parts, for serve.c. */
#ifndef SUBDD_BUDGETS_H
#define SUBDD_BUDGETS_H
#include "server/base/settings.h"
#include "server/base/text.h"

enum budget_part {
    BUDGET_PROGRAM,     /* Code, stacks, tables and records. */
    BUDGET_CONNECTIONS, /* What --max-connections may hold while clients do not read. */
    BUDGET_STORE,       /* Pages that the store keeps. */
    BUDGET_SPARE,       /* Free blocks that are kept, because fresh ones cost time. */
    BUDGET_CACHE,       /* --cache-bytes */
    BUDGET_DEVICE,      /* --gpu-memory where the device is the CPU, else 0. */
    BUDGET_HOST,        /* --host-memory */
    BUDGET_PARTS
};
extern const char *const budget_names[BUDGET_PARTS];

/* The parts in bytes, which together are at most `limit`. */
struct budgets {
    int64_t limit, part[BUDGET_PARTS];
};
/* budgets_split: splits what the options and `memory`, that of the container or the machine, allow. `unified` says that
 * the device computes in host memory. Options that are given are kept.
 * Result  false when the options do not fit together; *error then names the number that would do */
bool budgets_split(const struct config *c, int64_t memory, bool unified, struct budgets *out, struct text *error);

#endif
