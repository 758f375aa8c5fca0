/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: a set of names that are taken, so that each name in a file stands for one thing, and each file has a name
 * of its own. A zeroed set is empty.
 * Threads  a set belongs to one thread at a time */
#ifndef SUBDD_FILES_NAMES_H
#define SUBDD_FILES_NAMES_H

struct surface_names {
    void *tree;
};
int surface_name_is_free(const struct surface_names *names, const char *name);
void surface_name_take(struct surface_names *names, const char *name);
void surface_names_free(struct surface_names *names);

#endif
