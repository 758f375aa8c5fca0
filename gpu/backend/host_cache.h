/* SPDX-License-Identifier: Apache-2.0 */
/* host_cache.h: ordinary host memory whose large blocks are kept for the next request of about their size, because
 * fresh pages cost more than the work that is done in them. It is all in a header because the CUDA module, a library of
 * its own, takes its memory here too.
 * Threads host_give may be called on any thread, the others on that of the device that has the cache */
#ifndef SDD_HOST_CACHE_H
#define SDD_HOST_CACHE_H
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOST_HUGE_BYTES (2 << 20) /* Smaller blocks are not kept. */
/* A block may be larger by this, because its size and its address are rounded. */
#define HOST_SLACK (2 * HOST_HUGE_BYTES)
#define HOST_CACHED 16                       /* At most this many blocks are kept beyond what is in use. */
#define HOST_CACHED_BYTES ((int64_t)1 << 30) /* They have at most this many bytes, where nobody sets a limit. */

struct host_cache {
    pthread_mutex_t mutex; /* Guards the rest. */
    int n;                 /* The oldest block comes first. */
    int64_t bytes, most;   /* The bytes of the blocks, now and at most. */
    struct {
        void *memory;
        int64_t bytes;
    } block[HOST_CACHED];
};

static inline void host_cache_open(struct host_cache *c)
{
    pthread_mutex_init(&c->mutex, NULL);
    c->most = HOST_CACHED_BYTES;
}

static inline void *host_uncache(struct host_cache *c, int i)
{
    void *memory = c->block[i].memory;
    c->bytes -= c->block[i].bytes;
    c->n--;
    memmove(c->block + i, c->block + i + 1, (size_t)(c->n - i) * sizeof c->block[0]);
    return memory;
}

/* Frees the oldest blocks until those that are kept have at most this many bytes. */
static inline void host_cache_shrink(struct host_cache *c, int64_t bytes)
{
    pthread_mutex_lock(&c->mutex);
    while (c->n > 0 && c->bytes > bytes)
        free(host_uncache(c, 0));
    pthread_mutex_unlock(&c->mutex);
}

static inline void host_cache_trim(struct host_cache *c)
{
    host_cache_shrink(c, 0);
}

static inline void host_cache_limit(struct host_cache *c, int64_t most)
{
    pthread_mutex_lock(&c->mutex);
    c->most = most;
    pthread_mutex_unlock(&c->mutex);
    host_cache_shrink(c, most);
}

static inline void *host_find(struct host_cache *c, int64_t bytes)
{
    void *memory = NULL;
    pthread_mutex_lock(&c->mutex);
    for (int i = c->n - 1; !memory && i >= 0; i--)
        if (c->block[i].bytes >= bytes && c->block[i].bytes <= bytes + bytes / 4 + HOST_SLACK)
            memory = host_uncache(c, i);
    pthread_mutex_unlock(&c->mutex);
    return memory;
}

/* host_take: at least 256-byte aligned memory with undefined contents; NULL when there is none. */
static inline void *host_take(struct host_cache *c, int64_t bytes)
{
    const size_t align = bytes >= HOST_HUGE_BYTES ? HOST_HUGE_BYTES : 256;
    const size_t size = ((size_t)(bytes > 0 ? bytes : 1) + align - 1) / align * align;
    void *memory = bytes >= HOST_HUGE_BYTES ? host_find(c, bytes) : NULL;
    if (memory)
        return memory;
    memory = aligned_alloc(align, size);
    if (!memory) {
        host_cache_trim(c);
        memory = aligned_alloc(align, size);
    }
    if (memory && bytes >= HOST_HUGE_BYTES)
        (void)madvise(memory, size, MADV_HUGEPAGE); /* This is advice; a refusal only costs time. */
    return memory;
}

static inline void host_give(struct host_cache *c, void *memory, int64_t bytes)
{
    const int64_t room = (int64_t)malloc_usable_size(memory); /* The block may be larger than what it was taken for. */
    pthread_mutex_lock(&c->mutex);
    const int keep = bytes >= HOST_HUGE_BYTES && room <= c->most;
    while (keep && (c->n == HOST_CACHED || c->bytes + room > c->most))
        free(host_uncache(c, 0));
    if (keep) {
        c->block[c->n].memory = memory;
        c->block[c->n].bytes = room;
        c->n++;
        c->bytes += room;
    }
    pthread_mutex_unlock(&c->mutex);
    if (!keep)
        free(memory);
}

#endif
