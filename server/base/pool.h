/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h: counts the host memory that --host-memory bounds before it is taken: request bodies, what is read from them,
 * frames that are made or sent, and host copies of meshes. Whoever needs memory takes its bytes from the pool first,
 * and gives them back once the memory is free again.
 * Threads  any, except where a comment says otherwise */
#ifndef SUBDD_POOL_H
#define SUBDD_POOL_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pool_use { POOL_BODIES, POOL_DECODING, POOL_FRAMES, POOL_MESHES, POOL_USES };

struct pool {
    int64_t limit;
    atomic_llong used, by[POOL_USES];
    atomic_llong idle;         /* The part of POOL_MESHES that nobody uses, and that goes when memory is short. */
    atomic_bool moved;         /* Set when much was taken or given; whoever waits for memory may clear it. */
    void (*given)(void *user); /* Called when memory was given back. NULL calls nothing. */
    void *user;
};
#define POOL_SMALL 64 /* A part of the limit that is smaller than this one is not much. */
/* pool_take: takes bytes when they are there. */
bool pool_take(struct pool *p, enum pool_use use, int64_t bytes);
/* pool_add: counts bytes that are there already, beyond the limit if need be. */
void pool_add(struct pool *p, enum pool_use use, int64_t bytes);
void pool_give(struct pool *p, enum pool_use use, int64_t bytes);
/* pool_left: what can be taken now; below 0 when the pool is over its limit.
 * pool_could: what could be taken once idle meshes are gone. */
int64_t pool_left(const struct pool *p);
int64_t pool_could(const struct pool *p);

/* What one job has taken of a pool for decoding. It reserves what work of its kind usually needs. While the claim is
 * the thread's current one, allocations of mesh/ and of the readers draw from it, and it takes more when it must. What
 * was drawn is given back by claim_end, or by who knows that it is free (claim_settle), so a claim is never less than
 * the memory in use. */
struct claim {
    struct pool *pool; /* NULL draws from nothing and refuses nothing. */
    int64_t held, drawn;
    int64_t refused; /* The bytes that the claim would have to have had, when the pool refused; else 0. */
};
bool claim_reserve(struct claim *c, int64_t bytes);
void claim_trim(struct claim *c); /* Gives back what was reserved and not drawn. */
void claim_end(struct claim *c);
/* claim_enter: makes the claim the current one of this thread until claim_leave. */
void claim_enter(struct claim *c);
void claim_leave(void);
/* claim_draw: to be called before memory is allocated. Returns false when the pool has no more; without a current claim
 * it returns true. */
bool claim_draw(int64_t bytes);
/* claim_excuse: whoever was refused does without that memory, so the claim was refused nothing. */
void claim_excuse(void);
/* claim_drawn: what the current claim has drawn so far; 0 without one.
 * claim_settle: all that was drawn beyond so many bytes is free again, and can be drawn anew. */
int64_t claim_drawn(void);
void claim_settle(int64_t drawn);

#endif
