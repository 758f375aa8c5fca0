/* SPDX-License-Identifier: Apache-2.0 */
/* cli_names.c: names in the files that the writers make: that of the mesh made valid for a format, and the set of names
 * that a file uses already, so that each thing gets one of its own. */
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

static int is_allowed(enum cli_name_form form, unsigned char c)
{
    switch (form) {
    case CLI_NAME_USD: return (c | 32u) - 'a' < 26u || c - 48u < 10u;
    case CLI_NAME_OBJ: return !strchr(" #\\", c);
    case CLI_NAME_STL: return c < 128 && c != '=';
    }
    return 0;
}

void cli_name_valid(enum cli_name_form form, const char *name, char out[CLI_NAME_SIZE])
{
    if (form == CLI_NAME_USD && *name >= '0' && *name <= '9')
        *out++ = '_';
    for (; *name; name++)
        if (is_allowed(form, (unsigned char)*name))
            *out++ = *name;
        else if ((*name & 0xc0) != 0x80) /* The first byte of a character in UTF-8 stands for all of it. */
            *out++ = '_';
    *out = 0;
}
