/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c: memory that is limited in bytes and freed all at once, for decoders of request bodies. It is cut from chunks
 * that grow, and serves protobuf-c as an allocator, too. */
#include "server/base/arena.h"
#include "server/base/pool.h"
#include "server/base/size.h"
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

#define ALIGN 16
#ifdef SANITIZED
enum { FIRST_CHUNK = 0, MAX_CHUNK = 0 }; /* Each allocation gets a malloc of its own, whose borders are watched. */
#else
enum { FIRST_CHUNK = 4096, MAX_CHUNK = 256 * 1024 };
#endif

struct chunk {
    struct chunk *next;
    int64_t bytes; /* Nobody reads it; it makes the header ALIGN bytes long. */
};
_Static_assert(sizeof(struct chunk) == ALIGN, "what follows a chunk's header is aligned");

struct arena {
    ProtobufCAllocator allocator;
    struct chunk *chunks;
    char *at, *end;
    int64_t cap, used, next_chunk;
    int capped, failed;
};

static void *allocator_alloc(void *data, size_t bytes)
{
    return bytes > INT64_MAX ? NULL : arena_alloc(data, (int64_t)bytes);
}
static void allocator_free(void *data, void *pointer)
{
    (void)data;
    (void)pointer;
}

struct arena *arena_create(int64_t cap_bytes)
{
    struct arena *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->allocator = (ProtobufCAllocator){allocator_alloc, allocator_free, a};
    a->cap = cap_bytes;
    a->next_chunk = FIRST_CHUNK;
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

/* Adds a chunk for at least `bytes`. Returns 0 when the cap does not allow it or memory is out. */
static int chunk_add(struct arena *a, int64_t bytes)
{
    int64_t room = a->cap - a->used - ALIGN, size = bytes > a->next_chunk ? bytes : a->next_chunk;
    if (bytes > room) {
        a->capped = a->failed = 1;
        return 0;
    }
    if (size > room)
        size = bytes;
    struct chunk *c = claim_draw(size + ALIGN) ? malloc((size_t)size + ALIGN) : NULL;
    if (!c) {
        a->failed = 1;
        return 0;
    }
    *c = (struct chunk){a->chunks, size};
    a->chunks = c;
    a->used += size + ALIGN;
    if (a->next_chunk < MAX_CHUNK)
        a->next_chunk *= 2;
    a->at = (char *)c + ALIGN;
    a->end = a->at + size;
    return 1;
}

void *arena_alloc(struct arena *a, int64_t bytes)
{
    int64_t rounded;
    if (!size_add(bytes, ALIGN - 1, &rounded)) {
        a->capped = a->failed = 1;
        return NULL;
    }
    rounded &= ~(int64_t)(ALIGN - 1);
    if (!rounded)
        rounded = ALIGN;
    if (rounded > a->end - a->at && !chunk_add(a, rounded))
        return NULL;
    void *p = a->at;
    a->at += rounded;
    return p;
}

void *arena_array(struct arena *a, int64_t n, size_t element_bytes)
{
    int64_t bytes;
    if (size_mul(n, (int64_t)element_bytes, &bytes))
        return arena_alloc(a, bytes);
    a->capped = a->failed = 1;
    return NULL;
}

int arena_failed(const struct arena *a)
{
    return a->failed;
}
int arena_fail(const struct arena *a, const char *what, struct sdd_error *err)
{
    if (!a->capped)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %s", what);
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "", "%s: too many small pieces in the body; put more rows into each", what);
    if (err)
        err->needed = err->available = a->cap;
    return rc;
}
int64_t arena_used(const struct arena *a)
{
    return a->used;
}
struct ProtobufCAllocator *arena_allocator(struct arena *a)
{
    return &a->allocator;
}
