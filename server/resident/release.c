/* SPDX-License-Identifier: Apache-2.0 */
/* release.c: gives counted memory back in the right order: first the memory, then its bytes. */
#include "server/resident/release.h"
#include <stdlib.h>

struct counted {
    struct pool *pool;
    enum pool_use use;
    int64_t bytes;
    void *pointer;
    void (*release)(void *pointer);
};

static void run(void *cls)
{
    struct counted *c = cls;
    c->release(c->pointer);
    pool_give(c->pool, c->use, c->bytes);
    free(c);
}

void pool_release(struct executor *reaper, struct pool *pool, enum pool_use use, int64_t bytes, void *pointer,
                  void (*release)(void *pointer))
{
    struct counted *c = pointer ? malloc(sizeof *c) : NULL;
    if (c) {
        *c = (struct counted){pool, use, bytes, pointer, release};
        executor_release(reaper, c, bytes, run);
        return;
    }
    if (pointer)
        release(pointer);
    pool_give(pool, use, bytes);
}
