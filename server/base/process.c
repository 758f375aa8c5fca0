/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: reads what the kernel tells of this process. */
#include "server/base/process.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Copies the line of a file that starts with `prefix`, without the prefix. Returns false when there is none. */
static bool line_of(const char *path, const char *prefix, char *out, int size)
{
    FILE *f = fopen(path, "re");
    bool found = false;
    while (f && !found && fgets(out, size, f))
        found = strncmp(out, prefix, strlen(prefix)) == 0;
    if (f)
        fclose(f);
    if (found)
        memmove(out, out + strlen(prefix), strlen(out + strlen(prefix)) + 1);
    return found;
}

/* Reads the fields 22 to 24 of /proc/self/stat: the start in ticks since the machine started, the virtual memory in
 * bytes and the resident memory in pages. Field 2 is the name of the process, which may hold blanks and parentheses. */
static void read_stat(struct process *p)
{
    char line[1024], boot[32];
    char *at = line_of("/proc/self/stat", "", line, sizeof line) ? strrchr(line, ')') : NULL;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    const double ticks = (double)strtoll(at, &at, 10);
    p->virtual_bytes = strtoll(at, &at, 10);
    p->resident_bytes = strtoll(at, NULL, 10) * sysconf(_SC_PAGESIZE);
    if (line_of("/proc/stat", "btime ", boot, sizeof boot))
        p->start_seconds = (double)strtoll(boot, NULL, 10) + ticks / (double)sysconf(_SC_CLK_TCK);
}

static int64_t count_fds(void)
{
    int64_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n - 1; /* The folder itself was open. */
}

void process_read(struct process *p)
{
    struct timespec cpu = {0};
    struct rlimit fds = {0};
    *p = (struct process){0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    getrlimit(RLIMIT_NOFILE, &fds);
    p->cpu_seconds = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9;
    p->max_fds = fds.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)fds.rlim_cur;
    p->open_fds = count_fds();
    read_stat(p);
}
