/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tempdir.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

char *tempdir(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/subdd-test-XXXXXX", base && *base ? base : "/tmp") < 0 || !mkdtemp(path))
        abort();
    return path;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void tempdir_remove(char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}
