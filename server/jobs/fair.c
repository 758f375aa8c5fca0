/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c: chooses the next task for executor.c by class, principal and connection. Time that was used is counted when
 * a task ends; until then its estimate stands for it. */
#include "server/jobs/fair.h"
#include <stddef.h>

#define LEAST_NS 20000 /* The least that a task counts, so that many tiny ones take turns too. */

/* Long work waits at most about three times as long for what it used before, because others have used that too; and
 * bulk work fifteen times. */
#define MOST_LEAD_NS 100000000

static const int weights[FAIR_CLASSES] = {1, 3, 1, 3, 1}; /* Short work gets three times as much as long work. */
static const int group_weights[2] = {15, 1};
static const enum fair_class shorts[2] = {FAIR_SHORT, FAIR_BULK_SHORT}, longs[2] = {FAIR_LONG, FAIR_BULK_LONG};

void fair_init(struct fair *f)
{
    *f = (struct fair){.first = NULL};
    f->last = &f->first;
}

enum fair_class fair_class_of(const struct fair_claim *claim)
{
    return !claim->principal ? FAIR_OWN : claim->cost_ns <= FAIR_SHORT_NS ? shorts[claim->bulk] : longs[claim->bulk];
}

bool fair_is_long(const struct fair_claim *claim)
{
    return claim->principal && claim->cost_ns > FAIR_SHORT_NS;
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

static void cap_lead(struct fair_share *s, const struct fair_share *of)
{
    if (s->used_ns > of->used_ns + MOST_LEAD_NS)
        s->used_ns = of->used_ns + MOST_LEAD_NS;
}

/* Counts time for the shares of a claim, in place of what they were charged with for it before. No more than that is
 * taken back: what the limit of the lead has left out was never counted. */
static void charge(struct fair *f, struct fair_claim *claim, int64_t ns)
{
    const enum fair_class class = fair_class_of(claim);
    struct fair_share *group = &f->groups[claim->bulk], *of_class = &f->class_of[class];
    const int64_t group_ns = group->used_ns - claim->of_group_ns, class_ns = of_class->used_ns - claim->of_class_ns;
    group->used_ns = group_ns + ns / group_weights[claim->bulk];
    of_class->used_ns = class_ns + ns / weights[class];
    cap_lead(&f->groups[1], &f->groups[0]);
    cap_lead(&f->class_of[longs[claim->bulk]], &f->class_of[shorts[claim->bulk]]);
    principal_of(f, claim)->used_ns += ns - claim->counted_ns;
    connection_of(f, claim)->used_ns += ns - claim->counted_ns;
    claim->counted_ns = ns;
    claim->of_group_ns = group->used_ns > group_ns ? group->used_ns - group_ns : 0;
    claim->of_class_ns = of_class->used_ns > class_ns ? of_class->used_ns - class_ns : 0;
}

static void arrive_all(struct fair *f, const struct fair_claim *claim)
{
    const enum fair_class class = fair_class_of(claim);
    f->n[class]++;
    if (class == FAIR_OWN)
        return;
    arrive(&f->groups[claim->bulk], f->group_level);
    arrive(&f->class_of[class], f->class_level[claim->bulk]);
    arrive(principal_of(f, claim), f->principal_level);
    arrive(connection_of(f, claim), f->connection_level);
}

static void leave_all(struct fair *f, const struct fair_claim *claim)
{
    const enum fair_class class = fair_class_of(claim);
    f->n[class]--;
    if (class == FAIR_OWN)
        return;
    f->groups[claim->bulk].waiting--;
    f->class_of[class].waiting--;
    principal_of(f, claim)->waiting--;
    connection_of(f, claim)->waiting--;
}

void fair_post(struct fair *f, struct task *task, uint64_t now)
{
    task->next = NULL;
    task->since = now;
    *f->last = task;
    f->last = &task->next;
    arrive_all(f, &task->claim);
}

static void unlink_task(struct fair *f, struct task **at)
{
    struct task *task = *at;
    if (!(*at = task->next))
        f->last = at;
    leave_all(f, &task->claim);
}

void fair_hurry(struct fair *f, struct fair_frame *frame, const struct task *task)
{
    struct task *at = f->first;
    while (frame && frame->task != task)
        frame = frame->outer;
    if (frame && frame->claim.bulk) {
        const int64_t ns = frame->claim.counted_ns;
        charge(f, &frame->claim, 0);
        frame->claim.bulk = false;
        charge(f, &frame->claim, ns);
    }
    while (at && at != task)
        at = at->next;
    if (!at)
        return;
    leave_all(f, &at->claim);
    at->claim.bulk = false;
    arrive_all(f, &at->claim);
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
    raise_level(&f->group_level, f->groups[task->claim.bulk].used_ns);
    raise_level(&f->class_level[task->claim.bulk], f->class_of[fair_class_of(&task->claim)].used_ns);
    raise_level(&f->principal_level, principal_of(f, &task->claim)->used_ns);
    raise_level(&f->connection_level, connection_of(f, &task->claim)->used_ns);
    task->claim.counted_ns = task->claim.of_group_ns = task->claim.of_class_ns = 0;
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

/* The task whose turn it is of those that are bulk, or not. */
static struct task **choose_of(struct fair *f, bool bulk, bool may_be_long, const struct fair_frame *frame,
                               int64_t most_ns)
{
    const enum fair_class is_short = shorts[bulk], is_long = longs[bulk];
    const bool long_first =
        f->n[is_short] && f->n[is_long] && may_be_long && f->class_of[is_long].used_ns < f->class_of[is_short].used_ns;
    struct task **at = f->last;
    for (int k = 0; k < 2 && !*at; k++) {
        const enum fair_class class = (k == 0) == long_first ? is_long : is_short;
        if (f->n[class] && (class == is_short || may_be_long))
            at = find(f, class, frame, most_ns);
    }
    return at;
}

struct task *fair_take(struct fair *f, bool may_be_long)
{
    struct task **at = f->n[FAIR_OWN] ? find(f, FAIR_OWN, NULL, 0) : f->last;
    const bool bulk_first = f->groups[0].waiting && f->groups[1].waiting && f->groups[1].used_ns < f->groups[0].used_ns;
    for (int k = 0; k < 2 && !*at; k++)
        at = choose_of(f, (k == 0) == bulk_first, may_be_long, NULL, 0);
    return take(f, at);
}

/* Nothing that is bulk keeps up what is not, which in turn keeps up what is bulk for as long as it takes. */
struct task *fair_take_inside(struct fair *f, const struct fair_frame *frame, uint64_t now)
{
    const int64_t own = (int64_t)(now - frame->began) - frame->inside_ns,
                  most = own / 4 > FAIR_SHORT_NS ? own / 4 : FAIR_SHORT_NS;
    if (frame->depth >= FAIR_DEPTH)
        return NULL;
    struct task **at = f->n[FAIR_OWN] ? find(f, FAIR_OWN, frame, most) : f->last;
    if (!*at)
        at = choose_of(f, false, true, frame, frame->claim.bulk ? INT64_MAX : most);
    if (!*at && frame->claim.bulk)
        at = choose_of(f, true, true, frame, most);
    return take(f, at);
}

int64_t fair_inside_ns(const struct fair_frame *frame)
{
    return (frame->claim.bulk ? FAIR_INSIDE_BULK : FAIR_INSIDE) * FAIR_SLICE_NS;
}

struct task *fair_drop(struct fair *f, struct task **at)
{
    struct task *task = *at;
    unlink_task(f, at);
    return task;
}

void fair_begin(struct fair_frame *frame, struct fair_frame *outer, const struct task *task, uint64_t now)
{
    *frame = (struct fair_frame){outer, task->claim, now, 0, outer ? outer->depth + 1 : 1, task};
}

void fair_end(struct fair *f, struct fair_frame *frame, uint64_t now)
{
    const int64_t all = (int64_t)(now - frame->began);
    if (frame->outer)
        frame->outer->inside_ns += all;
    if (frame->claim.principal)
        charge(f, &frame->claim, counted(all - frame->inside_ns));
}

bool fair_is_due(const struct fair_frame *frame, uint64_t paused_at, uint64_t now)
{
    return frame && now - (paused_at > frame->began ? paused_at : frame->began) >= FAIR_SLICE_NS;
}

int64_t fair_longest_wait(const struct fair *f, uint64_t now)
{
    return f->first && now > f->first->since ? (int64_t)(now - f->first->since) : 0;
}
