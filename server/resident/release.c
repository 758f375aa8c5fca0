/* SPDX-License-Identifier: Apache-2.0 */
/* release.c: gives counted memory back in the right order: first the memory, then its bytes. */
#include "server/resident/release.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE_BYTES ((uintptr_t)8 << 20)

struct counted {
    struct pool *pool;
    enum pool_use use;
    int64_t bytes;
    void *pointer;
    void (*release)(void *pointer);
};

/* Gives pages back that lie within the memory as a whole, a few at a time, because no thread can map or unmap memory
 * while the kernel takes a gigabyte back at once. What the allocator has beside it stays. */
static void give_back(void *memory, int64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = ((uintptr_t)memory + (uintptr_t)bytes) & ~(page - 1);
    for (uintptr_t at = ((uintptr_t)memory + page - 1) & ~(page - 1); at < end; at += PIECE_BYTES)
        madvise((void *)at, end - at < PIECE_BYTES ? end - at : PIECE_BYTES, MADV_DONTNEED);
}

static void run(void *cls)
{
    struct counted *c = cls;
    if (c->release == free && c->bytes > (int64_t)PIECE_BYTES)
        give_back(c->pointer, c->bytes);
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
