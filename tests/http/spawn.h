/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h: a command of ours run to its end, with what it wrote. */
#ifndef TESTS_SPAWN_H
#define TESTS_SPAWN_H
#include <stddef.h>

struct ran {
    int code;
    char *out, *err;
}; /* both NUL-terminated, released by ran_free */
/* spawn_run: runs `program` of test_bin_dir() with `arguments` (NULL-terminated); input (may be NULL) goes to its
 * stdin. signal_after_ms > 0 sends it SIGINT then. */
void spawn_run(struct ran *r, const char *dir, const char *program, const char *const *arguments, const char *input,
               int signal_after_ms);
/* spawn_subd: the command line, in `dir`. */
struct ran spawn_subd(const char *dir, const char *const *arguments, const char *input);
void ran_free(struct ran *r);
/* Whole file, NUL-terminated, malloc'd; NULL when it is not there. */
char *slurp(const char *path, size_t *bytes);

#endif
