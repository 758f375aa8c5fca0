/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: a set of names that are taken (names.h). */
#include "proto/files/names.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

int surface_name_is_free(const struct surface_names *names, const char *name)
{
    return !tfind(name, &names->tree, compare);
}

void surface_name_take(struct surface_names *names, const char *name)
{
    char *own = surface_name_is_free(names, name) ? strdup(name) : NULL;
    if (own && !tsearch(own, &names->tree, compare))
        free(own);
}

void surface_names_free(struct surface_names *names)
{
    tdestroy(names->tree, free);
    names->tree = NULL;
}
