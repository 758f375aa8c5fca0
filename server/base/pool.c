/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c: counts host memory for all who take it. */
#include "server/base/pool.h"
#include <stddef.h>

static _Thread_local struct claim *current;

static void note(struct pool *p, int64_t bytes)
{
    if (bytes > p->limit / POOL_SMALL)
        atomic_store(&p->moved, true);
}

bool pool_take(struct pool *p, enum pool_use use, int64_t bytes)
{
    long long used = atomic_load(&p->used);
    do
        if (bytes > p->limit - used)
            return false;
    while (!atomic_compare_exchange_weak(&p->used, &used, used + bytes));
    atomic_fetch_add(&p->by[use], bytes);
    note(p, bytes);
    return true;
}

void pool_add(struct pool *p, enum pool_use use, int64_t bytes)
{
    atomic_fetch_add(&p->used, bytes);
    atomic_fetch_add(&p->by[use], bytes);
}

void pool_give(struct pool *p, enum pool_use use, int64_t bytes)
{
    if (!bytes)
        return;
    pool_add(p, use, -bytes);
    note(p, bytes);
    if (p->given)
        p->given(p->user);
}

int64_t pool_left(const struct pool *p)
{
    return p->limit - atomic_load(&p->used);
}

int64_t pool_could(const struct pool *p)
{
    return pool_left(p) + atomic_load(&p->idle);
}

bool claim_reserve(struct claim *c, int64_t bytes)
{
    if (bytes > c->held && !pool_take(c->pool, POOL_DECODING, bytes - c->held))
        return false;
    c->held = bytes > c->held ? bytes : c->held;
    return true;
}

void claim_trim(struct claim *c)
{
    const int64_t more = c->held - c->drawn;
    c->held = c->drawn;
    pool_give(c->pool, POOL_DECODING, more);
}

void claim_end(struct claim *c)
{
    if (c->pool)
        pool_give(c->pool, POOL_DECODING, c->held);
    *c = (struct claim){.pool = c->pool};
}

void claim_enter(struct claim *c)
{
    current = c;
}

void claim_leave(void)
{
    current = NULL;
}

bool claim_draw(int64_t bytes)
{
    struct claim *c = current;
    if (!c || !c->pool)
        return true;
    if (!claim_reserve(c, c->drawn + bytes)) {
        c->refused = c->drawn + bytes;
        return false;
    }
    c->drawn += bytes;
    return true;
}

void claim_excuse(void)
{
    if (current)
        current->refused = 0;
}

int64_t claim_drawn(void)
{
    return current ? current->drawn : 0;
}

void claim_settle(int64_t drawn)
{
    if (current && drawn < current->drawn)
        current->drawn = drawn;
}
