/* SPDX-License-Identifier: Apache-2.0 */
/* container.h: how much memory the kernel lets this process have: what its control groups (cgroups) say, and else what
 * the machine has. */
#ifndef SUBDD_CONTAINER_H
#define SUBDD_CONTAINER_H
#include <stdint.h>

/* container_limit: the smallest memory limit of the control group of this process and of all groups around it:
 * memory.max and memory.high of version 2, memory.limit_in_bytes of version 1. What cannot be read sets no limit.
 * `root` goes before all paths, for tests; the daemon gives "".
 * Result  INT64_MAX when there is no limit */
int64_t container_limit(const char *root);
/* container_memory: the memory of the machine, or the limit of the container when that is less. */
int64_t container_memory(void);

#endif
