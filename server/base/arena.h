/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: memory that is limited in bytes and freed all at once. What a decoder makes of an untrusted body lives in an
 * arena, so that a small body cannot take much memory.
 * Threads  an arena belongs to one thread at a time */
#ifndef SUBDD_ARENA_H
#define SUBDD_ARENA_H
#include "gpu/sdd/err.h"
#include <stddef.h>
#include <stdint.h>

struct ProtobufCAllocator;
struct arena;

/* arena_create: makes an empty arena, or returns NULL when memory is out. cap_bytes limits what is handed out plus the
 * arena's own headers. */
struct arena *arena_create(int64_t cap_bytes);
/* arena_free: frees the arena and everything in it. NULL is fine. */
void arena_free(struct arena *a);
/* arena_alloc: memory that is aligned to 16 bytes and not zeroed. It returns NULL past the cap or when memory is out;
 * arena_fail tells which. */
void *arena_alloc(struct arena *a, int64_t bytes);
/* arena_array: arena_alloc for n elements; a size that overflows is past the cap. */
void *arena_array(struct arena *a, int64_t n, size_t element_bytes);
/* arena_failed: 1 when any allocation has failed. */
int arena_failed(const struct arena *a);
/* arena_fail: fills *err with why an allocation for `what` failed.
 * Result  SDD_ETOO_LARGE past the cap, else SDD_ENO_MEMORY */
int arena_fail(const struct arena *a, const char *what, struct sdd_error *err);
/* arena_used: the bytes taken so far, with the arena's own headers. */
int64_t arena_used(const struct arena *a);
/* arena_allocator: the arena as an allocator for protobuf-c, whose frees do nothing. It lives as long as the arena. */
struct ProtobufCAllocator *arena_allocator(struct arena *a);

#endif
