/* SPDX-License-Identifier: Apache-2.0 */
/* fair.h: the order in which waiting tasks get their turn on the threads of an executor. It knows no thread, no clock
 * and no client, so that a simulator can drive it in virtual time (tests/unit/jobs/test_fair.c).
 *
 *   1. The daemon's own work goes first, in the order in which it came: it is short, and gives memory back.
 *   2. Work that is estimated to be short goes before long work, but while both wait, long work gets a quarter of the
 *      time, so that it ends too.
 *      Work that a client calls bulk waits for all that none does, long or short and of anybody. Among itself it is
 *      ordered in the same way, and a sixteenth of the time keeps it from waiting for ever.
 *   3. Of these, the principal that has used the least time goes first, then its connection that has used the least,
 *      then what came first. Who was away starts level with the others: nobody saves time up.
 *
 * A thread may run tasks inside another one that has used up its slice (struct fair_frame). */
#ifndef SUBDD_FAIR_H
#define SUBDD_FAIR_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FAIR_SHORT_NS 20000000ll /* Estimated to take at most this long, a task is short. */
#define FAIR_SLICE_NS 10000000ll /* How long a task works before others may run inside it. */
#define FAIR_INSIDE 3            /* Others take at most this many times as long inside a task as the task itself, */
#define FAIR_INSIDE_BULK 15      /* and inside one that is bulk this many times. */
#define FAIR_DEPTH 4             /* How many tasks can be inside each other. */
#define FAIR_PRINCIPALS 256      /* Two principals with the same number modulo this count as one. */
#define FAIR_CONNECTIONS 1024    /* The same is true of connections. */

enum fair_class { FAIR_OWN, FAIR_SHORT, FAIR_LONG, FAIR_BULK_SHORT, FAIR_BULK_LONG, FAIR_CLASSES };

/* Who asked for a task, and what is known of it. Zeros stand for the daemon's own work. */
struct fair_claim {
    uint32_t principal;       /* A hash that is not 0; 0 for the daemon itself. */
    uint32_t connection;      /* A hash. */
    int64_t cost_ns;          /* How long it is estimated to take; 0 when that is not known. */
    uint64_t thing;           /* Tasks with the same thing, other than 0, are never inside each other. */
    bool alone;               /* It is never inside another task. */
    const atomic_int *cancel; /* Once it is not 0 the task ends early; may be NULL. */
    bool bulk;                /* It waits for what is not. */
    /* What it counts as until it ends: its estimate, and what that added to its group and class, which have limits. */
    int64_t counted_ns, of_group_ns, of_class_ns;
};
/* A task is embedded in the struct that it works on. Its queue owns it until `run` is called, and then `run` does. */
struct task {
    struct task *next;
    void (*run)(struct task *task, void *user);
    struct fair_claim claim;
    uint64_t since; /* When it began to wait. */
};
struct fair_share {
    int64_t used_ns;
    int waiting;
};
struct fair {
    struct task *first, **last;  /* All that wait, in the order in which they came. */
    int n[FAIR_CLASSES];         /* How many of them each class has. */
    struct fair_share groups[2]; /* What is not bulk, and what is. */
    struct fair_share class_of[FAIR_CLASSES], principals[FAIR_PRINCIPALS], connections[FAIR_CONNECTIONS];
    int64_t group_level, class_level[2], principal_level, connection_level; /* Where those start who were away. */
};
/* A task that runs. Those inside each other on one thread are linked, the innermost one first. */
struct fair_frame {
    struct fair_frame *outer;
    struct fair_claim claim;
    uint64_t began;
    int64_t inside_ns;       /* How long others ran inside it. */
    int depth;               /* 1 for a task that is inside no other. */
    const struct task *task; /* Only to tell it from others: it may be gone. */
};

void fair_init(struct fair *f);
enum fair_class fair_class_of(const struct fair_claim *claim);
bool fair_is_long(const struct fair_claim *claim);
void fair_post(struct fair *f, struct task *task, uint64_t now);
/* fair_take: takes the task whose turn it is, for a thread that runs nothing. Without `may_be_long` it takes no long
 * one. Returns NULL when there is none. */
struct task *fair_take(struct fair *f, bool may_be_long);
/* fair_take_inside: takes a task that may run inside `frame` now, or returns NULL. It must be short, or take at most a
 * quarter of the time that the frame itself has worked, so that a long task is not kept up by one as long. */
struct task *fair_take_inside(struct fair *f, const struct fair_frame *frame, uint64_t now);
/* fair_hurry: a task that waits, or runs in `frame` or around it, is no longer bulk: what is not waits for it. Where
 * it does neither, nothing happens. */
void fair_hurry(struct fair *f, struct fair_frame *frame, const struct task *task);
/* fair_drop: takes *at, which waits, out of its turn. It counts as run in no time. */
struct task *fair_drop(struct fair *f, struct task **at);
/* fair_begin: fills the frame of a task that begins now, inside `outer` unless that is NULL.
 * fair_end: counts what the task of the frame used, once it has ended. */
void fair_begin(struct fair_frame *frame, struct fair_frame *outer, const struct task *task, uint64_t now);
void fair_end(struct fair *f, struct fair_frame *frame, uint64_t now);
/* fair_inside_ns: how long others may run inside the frame now.
 * fair_is_due: says whether others may run inside the frame now, which has used its slice. */
int64_t fair_inside_ns(const struct fair_frame *frame);
bool fair_is_due(const struct fair_frame *frame, uint64_t paused_at, uint64_t now);
int64_t fair_longest_wait(const struct fair *f, uint64_t now); /* In nanoseconds; 0 when none waits. */

#endif
