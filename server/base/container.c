/* SPDX-License-Identifier: Apache-2.0 */
/* container.c: reads memory limits from control groups, for the budgets of serve.c. */
#include "server/base/container.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE (2 * PATH_MAX + 512)

/* Does a list with commas between its words have this word? */
static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, n) == 0 && strchr(",\n ", at[n]))
            return true;
    return false;
}

/* The limit in a file; INT64_MAX when there is no file, or it says "max" or anything but a number. */
static int64_t read_limit(const char *folder, const char *name)
{
    char path[LINE_SIZE], text[64] = "";
    long long limit;
    char *end;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return INT64_MAX;
    FILE *f = fopen(path, "re");
    if (!f)
        return INT64_MAX;
    const bool read = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    limit = strtoll(text, &end, 10); /* A number that is too large becomes LLONG_MAX, which is no limit. */
    return read && end != text && limit >= 0 ? limit : INT64_MAX;
}

/* A blank or a backslash in a path of mountinfo is written as a backslash and three octal digits. */
static void unescape(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
            *to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0');
            s += 3;
        } else
            *to++ = *s;
    }
    *to = 0;
}

/* Copies the path of this process's group: the line "0::PATH" for version 2, or the line that names the controller
 * "memory" for version 1. Returns false when there is none. */
static bool find_group(const char *root, int version, char path[LINE_SIZE])
{
    char name[PATH_MAX], line[LINE_SIZE];
    bool found = false;
    (void)snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':'), *at = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!at)
            continue;
        *at++ = 0;
        found = version == 2 ? strcmp(line, "0:") == 0 : has_word(controllers + 1, "memory");
        at[strcspn(at, "\n")] = 0;
        if (found)
            (void)snprintf(path, LINE_SIZE, "%s", at);
    }
    if (f)
        fclose(f);
    return found;
}

/* A line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [TAGS] - TYPE SOURCE SUPEROPTIONS. Finds ROOT and POINT when
 * the line is a mount of control groups that have memory limits. */
static bool is_mount(char *line, int version, char **mount_root, char **point)
{
    char *words[5], *rest = line, *tail = strstr(line, " - ");
    if (!tail)
        return false;
    *tail = 0;
    char *type = tail + 3, *source = strchr(type, ' '), *options = source ? strchr(source + 1, ' ') : NULL;
    for (int i = 0; i < 5; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " ", &rest)))
            return false;
    if (!options || strncmp(type, version == 2 ? "cgroup2 " : "cgroup ", version == 2 ? 8 : 7) != 0 ||
        (version == 1 && !has_word(options + 1, "memory")))
        return false;
    unescape(*mount_root = words[3]);
    unescape(*point = words[4]);
    return true;
}

static int64_t limit_of(const char *folder, int version)
{
    const int64_t limit = read_limit(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes");
    const int64_t high = version == 2 ? read_limit(folder, "memory.high") : INT64_MAX;
    return high < limit ? high : limit;
}

/* The least limit of the folder at `path` below the mount and of all folders above it, up to the mount itself. */
static int64_t walk(const char *mount, const char *path, int version)
{
    char folder[LINE_SIZE];
    const size_t top = strlen(mount);
    int64_t least = INT64_MAX;
    if ((size_t)snprintf(folder, sizeof folder, "%s%s", mount, path) >= sizeof folder)
        return INT64_MAX;
    for (;;) {
        const int64_t limit = limit_of(folder, version);
        least = limit < least ? limit : least;
        char *slash = strrchr(folder + top, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

/* A container may see only a part of the tree: then its mount begins inside it, at `mount_root`, and the group's path
 * is told from the whole tree's root. A group outside of what is mounted cannot be read, and the mount itself is. */
static int64_t mount_limit(const char *root, const char *mount_root, const char *point, const char *group, int version)
{
    char mount[LINE_SIZE];
    const size_t n = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);
    const bool inside = strncmp(group, mount_root, n) == 0 && (group[n] == '/' || !group[n]) && !strstr(group, "/..");
    if ((size_t)snprintf(mount, sizeof mount, "%s%s", root, point) >= sizeof mount)
        return INT64_MAX;
    return walk(mount, inside ? group + n : "", version);
}

static int64_t version_limit(const char *root, int version)
{
    char name[PATH_MAX], line[LINE_SIZE], group[LINE_SIZE], *mount_root, *point;
    int64_t least = INT64_MAX;
    if (!find_group(root, version, group))
        return INT64_MAX;
    (void)snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(name, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (!is_mount(line, version, &mount_root, &point))
            continue;
        const int64_t limit = mount_limit(root, mount_root, point, group, version);
        least = limit < least ? limit : least;
    }
    if (f)
        fclose(f);
    return least;
}

int64_t container_limit(const char *root)
{
    const int64_t two = version_limit(root, 2), one = version_limit(root, 1);
    return one < two ? one : two;
}

int64_t container_memory(void)
{
    const int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), limit = container_limit("");
    return limit < machine ? limit : machine;
}
