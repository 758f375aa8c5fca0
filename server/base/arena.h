/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: memory with a byte cap that is freed all at once. What a decoder makes of untrusted bytes lives in one. */
#ifndef SUBDD_ARENA_H
#define SUBDD_ARENA_H
#include "gpu/sdd/err.h"
#include <stddef.h>
#include <stdint.h>

struct ProtobufCAllocator;
struct arena;

/* arena_create: NULL when memory is out. cap_bytes counts what is handed out plus the arena's own headers. */
struct arena *arena_create(int64_t cap_bytes);
void arena_free(struct arena *a); /* NULL is fine */
/* arena_alloc: 16-byte aligned, not zeroed; NULL past the cap or when memory is out (arena_fail tells which). */
void *arena_alloc(struct arena *a, int64_t bytes);
void *arena_array(struct arena *a, int64_t n, size_t element_bytes); /* overflow-checked */
int arena_failed(const struct arena *a);                             /* 1 when any allocation has failed */
/* arena_fail: why an allocation for `what` failed. Result  SDD_ETOO_LARGE past the cap, else SDD_ENO_MEMORY */
int arena_fail(const struct arena *a, const char *what, struct sdd_error *err);
int64_t arena_used(const struct arena *a);
/* The arena as protobuf-c's allocator; frees are ignored. Lives as long as the arena. */
struct ProtobufCAllocator *arena_allocator(struct arena *a);

#endif
