/* SPDX-License-Identifier: Apache-2.0 */
/* cli_names.c: the set of names that a file uses already, so that writers can give each thing a name of its own. */
#include "cli.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

int cli_name_is_free(const struct cli_names *names, const char *name)
{
    return !tfind(name, &names->tree, compare);
}

void cli_name_take(struct cli_names *names, const char *name)
{
    char *own = cli_name_is_free(names, name) ? strdup(name) : NULL;
    if (own && !tsearch(own, &names->tree, compare))
        free(own);
}

void cli_names_free(struct cli_names *names)
{
    tdestroy(names->tree, free);
    names->tree = NULL;
}
