/* SPDX-License-Identifier: Apache-2.0 */
/* subd_budget.c: limits the memory that the answers of a server unpack to, for subd_cage.c and subd_frame.c. */
#include "subd_internal.h"
#include <stdlib.h>

/* Small answers, and the many small objects that names of face sets become. */
#define SLACK ((size_t)12 << 20)

static void *take_memory(void *arg, size_t bytes)
{
    struct subd_budget *b = arg;
    if (bytes > b->left)
        return NULL;
    b->left -= bytes;
    return malloc(bytes);
}

static void give_memory(void *arg, void *memory)
{
    (void)arg;
    free(memory);
}

ProtobufCAllocator *subd_budget_begin(struct subd_budget *b, size_t answer_bytes)
{
    *b = (struct subd_budget){{take_memory, give_memory, b}, 2 * answer_bytes + SLACK};
    return &b->allocator;
}
