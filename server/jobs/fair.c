/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c: chooses the next task for executor.c by class, principal and connection. Time that was used is counted when
 * a task ends; until then its estimate stands for it. */
#include "server/jobs/fair.h"
#include <stddef.h>

#define LEAST_NS 20000 /* The least that a task counts, so that many tiny ones take turns too. */

/* Long work waits at most about three times as long for what it used before, because others have used that too. */
#define MOST_LEAD_NS 100000000

static const int weights[FAIR_CLASSES] = {1, 3, 1}; /* Short work gets three times as much as long work. */

void fair_init(struct fair *f)
{
    *f = (struct fair){.first = NULL};
    f->last = &f->first;
}

enum fair_class fair_class_of(const struct fair_claim *claim)
{
    return !claim->principal ? FAIR_OWN : claim->cost_ns <= FAIR_SHORT_NS ? FAIR_SHORT : FAIR_LONG;
}

static struct fair_share *principal_of(struct fair *f, const struct fair_claim *claim)
{
    return f->principals + claim->principal % FAIR_PRINCIPALS;
}

static struct fair_share *connection_of(struct fair *f, const struct fair_claim *claim)
{
    return f->connections + (claim->principal * 31 + claim->connection) % FAIR_CONNECTIONS;
}

static void arrive(struct fair_share *s, int64_t level)
{
    if (!s->waiting++ && s->used_ns < level)
        s->used_ns = level;
}

static int64_t counted(int64_t ns)
{
    return ns > LEAST_NS ? ns : LEAST_NS;
}

/* Counts time for a share. It may be taken back, when an estimate was too high. */
static void charge(struct fair *f, const struct fair_claim *claim, int64_t ns)
{
    const enum fair_class class = fair_class_of(claim);
    f->class_of[class].used_ns += ns / weights[class];
    if (f->class_of[FAIR_LONG].used_ns > f->class_of[FAIR_SHORT].used_ns + MOST_LEAD_NS)
        f->class_of[FAIR_LONG].used_ns = f->class_of[FAIR_SHORT].used_ns + MOST_LEAD_NS;
    principal_of(f, claim)->used_ns += ns;
    connection_of(f, claim)->used_ns += ns;
}

void fair_post(struct fair *f, struct task *task, uint64_t now)
{
    const struct fair_claim *claim = &task->claim;
    const enum fair_class class = fair_class_of(claim);
    task->next = NULL;
    task->since = now;
    *f->last = task;
    f->last = &task->next;
    f->n[class]++;
    if (class == FAIR_OWN)
        return;
    arrive(f->class_of + class, f->class_level);
    arrive(principal_of(f, claim), f->principal_level);
    arrive(connection_of(f, claim), f->connection_level);
}

static void unlink_task(struct fair *f, struct task **at)
{
    struct task *task = *at;
    const enum fair_class class = fair_class_of(&task->claim);
    if (!(*at = task->next))
        f->last = at;
    f->n[class]--;
    if (class == FAIR_OWN)
        return;
    f->class_of[class].waiting--;
    principal_of(f, &task->claim)->waiting--;
    connection_of(f, &task->claim)->waiting--;
}

static void raise_level(int64_t *level, int64_t used)
{
    if (*level < used)
        *level = used;
}

static struct task *take(struct fair *f, struct task **at)
{
    struct task *task = *at;
    if (!task)
        return NULL;
    unlink_task(f, at);
    if (!task->claim.principal)
        return task;
    raise_level(&f->class_level, f->class_of[fair_class_of(&task->claim)].used_ns);
    raise_level(&f->principal_level, principal_of(f, &task->claim)->used_ns);
    raise_level(&f->connection_level, connection_of(f, &task->claim)->used_ns);
    charge(f, &task->claim, counted(task->claim.cost_ns));
    return task;
}

static bool goes_before(struct fair *f, const struct task *a, const struct task *b)
{
    const bool left_a = a->claim.cancel && atomic_load(a->claim.cancel),
               left_b = b->claim.cancel && atomic_load(b->claim.cancel);
    if (left_a != left_b)
        return left_a; /* It ends at once, and its place is free. */
    const int64_t of_a = principal_of(f, &a->claim)->used_ns, of_b = principal_of(f, &b->claim)->used_ns;
    if (of_a != of_b)
        return of_a < of_b;
    return connection_of(f, &a->claim)->used_ns < connection_of(f, &b->claim)->used_ns;
}

static bool may_be_inside(const struct fair_frame *frame, const struct task *task, int64_t most_ns)
{
    if (task->claim.alone || task->claim.cost_ns > most_ns)
        return false;
    for (; frame && task->claim.thing; frame = frame->outer)
        if (frame->claim.thing == task->claim.thing)
            return false;
    return true;
}

/* Finds the task of a class whose turn it is; where it is the list's end there is none. */
static struct task **find(struct fair *f, enum fair_class class, const struct fair_frame *frame, int64_t most_ns)
{
    struct task **best = NULL, **at = &f->first;
    for (; *at; at = &(*at)->next)
        if (fair_class_of(&(*at)->claim) == class && (!frame || may_be_inside(frame, *at, most_ns)) &&
            (!best || (class != FAIR_OWN && goes_before(f, *at, *best))))
            best = at;
    return best ? best : at;
}

static struct task *choose(struct fair *f, bool may_be_long, const struct fair_frame *frame, int64_t most_ns)
{
    struct task **at = f->n[FAIR_OWN] ? find(f, FAIR_OWN, frame, most_ns) : f->last;
    if (*at)
        return take(f, at);
    const bool long_first = f->n[FAIR_SHORT] && f->n[FAIR_LONG] && may_be_long &&
                            f->class_of[FAIR_LONG].used_ns < f->class_of[FAIR_SHORT].used_ns;
    for (int k = 0; k < 2 && !*at; k++) {
        const enum fair_class class = (k == 0) == long_first ? FAIR_LONG : FAIR_SHORT;
        if (f->n[class] && (class == FAIR_SHORT || may_be_long))
            at = find(f, class, frame, most_ns);
    }
    return take(f, at);
}

struct task *fair_take(struct fair *f, bool may_be_long)
{
    return choose(f, may_be_long, NULL, 0);
}

struct task *fair_take_inside(struct fair *f, const struct fair_frame *frame, uint64_t now)
{
    const int64_t own = (int64_t)(now - frame->began) - frame->inside_ns;
    if (frame->depth >= FAIR_DEPTH)
        return NULL;
    return choose(f, true, frame, own / 4 > FAIR_SHORT_NS ? own / 4 : FAIR_SHORT_NS);
}

struct task *fair_drop(struct fair *f, struct task **at)
{
    struct task *task = *at;
    unlink_task(f, at);
    return task;
}

void fair_begin(struct fair_frame *frame, struct fair_frame *outer, const struct task *task, uint64_t now)
{
    *frame = (struct fair_frame){outer, task->claim, now, 0, outer ? outer->depth + 1 : 1};
}

void fair_end(struct fair *f, const struct fair_frame *frame, uint64_t now)
{
    const int64_t all = (int64_t)(now - frame->began);
    if (frame->outer)
        frame->outer->inside_ns += all;
    if (frame->claim.principal)
        charge(f, &frame->claim, counted(all - frame->inside_ns) - counted(frame->claim.cost_ns));
}

bool fair_is_due(const struct fair_frame *frame, uint64_t paused_at, uint64_t now)
{
    return frame && now - (paused_at > frame->began ? paused_at : frame->began) >= FAIR_SLICE_NS;
}

int64_t fair_longest_wait(const struct fair *f, uint64_t now)
{
    return f->first && now > f->first->since ? (int64_t)(now - f->first->since) : 0;
}
