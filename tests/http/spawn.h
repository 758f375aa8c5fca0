/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h: the real programs, started and watched: a daemon on a free port with a folder of its own, and single
 * commands. */
#ifndef TESTS_SPAWN_H
#define TESTS_SPAWN_H
#include <stddef.h>
#include <sys/types.h>

struct spawned {
    pid_t pid;
    char url[80];
    char dir[64]; /* temporary, removed with the daemon; free for the test's own files */
};
/* spawn_daemon: starts subdd with the test's backend and `options` (NULL-terminated, may be NULL) and waits for its
 * line. Fails the test when none comes in 20 seconds. */
void spawn_daemon(struct spawned *d, const char *const *options);
/* spawn_stop: SIGTERM, and waits; returns the exit code (128 + signal when it was killed by one). Removes the folder.
 * */
int spawn_stop(struct spawned *d);

struct ran {
    int code;
    char *out, *err;
}; /* both NUL-terminated, released by ran_free */
/* spawn_run: runs `program` of test_bin_dir() with `arguments` (NULL-terminated); input (may be NULL) goes to its
 * stdin. signal_after_ms > 0 sends it SIGINT then. */
void spawn_run(struct ran *r, const char *dir, const char *program, const char *const *arguments, const char *input,
               int signal_after_ms);
void ran_free(struct ran *r);
/* Whole file, NUL-terminated, malloc'd; NULL when it is not there. */
char *slurp(const char *path, size_t *bytes);

#endif
