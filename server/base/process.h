/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: what the kernel tells of this process, for the metrics. */
#ifndef SUBDD_PROCESS_H
#define SUBDD_PROCESS_H
#include <stdint.h>

struct process {
    double cpu_seconds, start_seconds; /* The start is counted from 1970. */
    int64_t open_fds, max_fds;
    int64_t resident_bytes, virtual_bytes;
};
/* process_read: fills *p. What cannot be read, as where /proc is not mounted, is 0. */
void process_read(struct process *p);

#endif
