/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine.h: keeps a mesh that ends the daemon each time it is evaluated from doing so for ever.
 *
 * Before a job evaluates a version of a mesh on the device, that is noted in a file beside the database,
 * <data-dir>/subdd.evaluating; and taken back when the evaluation has ended in any way that the daemon survives. A note
 * that is found at start is a death of that mesh: where evaluations were inside each other, that of the one that began
 * last. Deaths count over the versions of a mesh, because one that is being edited has another each time. With the
 * QUARANTINE_DEATHSth the version that is evaluated then is in quarantine: what would evaluate it is refused with
 * SDD_EQUARANTINED, and other versions begin anew. The same work, done to its end on any version, clears a death before
 * that; so does a week. Nothing tells a kill -9 from a crash, so what was being evaluated then is suspected, too.
 *
 * A note costs two writes of 64 bytes to the page cache and no sync: the kernel keeps them when the process ends. What
 * is left when the machine goes down is no mesh's fault, and the kernel's boot id in the file tells that case apart.
 * Deaths are synced.
 *
 * A mesh that a request brings or makes is not noted before it is stored: it is not there after a restart. When such
 * work loses the device, nothing is to blame.
 * Threads  any, except for quarantine_open and quarantine_close */
#ifndef SUBDD_QUARANTINE_H
#define SUBDD_QUARANTINE_H
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/jobs/jobs.h"
#include "server/store/store.h"
#include <pthread.h>

#define QUARANTINE_DEATHS 2
#define QUARANTINE_ENTRIES 1024
#define QUARANTINE_KEEP_MS (7 * 24 * 3600 * 1000LL) /* So long does a death count that was not the last one. */
#define QUARANTINE_STREAM 31                        /* The step that stands for pieces made behind a job. */

/* A version of a mesh that is being evaluated, or has died. It is in the file, so its layout must never change. */
struct suspect {
    char id[STORE_ID_SIZE];
    int64_t version;
    uint64_t work, died_in; /* What is being done with it, and what was when it died (struct evaluation). */
    int64_t died_ms;
    int16_t running, depth; /* How many evaluations run, and how many notes there were when the last one began. */
    int32_t deaths;         /* Of this version and those before. When none runs either, the entry is free. */
};
struct quarantine {
    pthread_mutex_t mutex; /* Guards what follows. */
    int fd;                /* -1 when there is no file. */
    bool closed;           /* The daemon ends for a reason that is known: nothing is noted any more. */
    int n, n_running;      /* Entries from n on are free; and how many evaluations are noted. */
    struct suspect entries[QUARANTINE_ENTRIES];
    bool syncs, again;       /* The file is being synced, and has to be once more. */
    struct task sync;        /* By which it is, */
    struct executor *thread; /* on this one; NULL: at once. Set after quarantine_open. */
    struct metrics *metrics;
};

/* What one job evaluates. Its zero evaluates nothing. */
struct evaluation {
    char id[STORE_ID_SIZE];
    int64_t version;
    uint64_t work; /* A hash of what was asked for; the number of the step is added to it. */
    uint32_t done; /* Bit k: step k has ended well. */
    int entry;     /* One more than the number of the entry while a step runs; else 0. */
};

/* quarantine_open: counts the deaths of the last run, and tells the log of them.
 * Errors  SDD_ESTORE when the file cannot be read or written */
int quarantine_open(struct quarantine *q, const char *dir, struct log *log, struct metrics *metrics,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* quarantine_close: notes nothing from now on; and unless `died`, takes back all notes. Any number of times. */
void quarantine_close(struct quarantine *q, bool died);

/* quarantine_check: the error of a version that is in quarantine. */
int quarantine_check(struct quarantine *q, const char *id, int64_t version, struct sdd_error *err) SDD_MUST_CHECK;
bool quarantine_has(struct quarantine *q, const char *id, int64_t version);
/* quarantine_begin: notes that a step (0 to 31) evaluates e's version.
 * quarantine_end: takes the note back, unless rc says that the device was lost, with which the daemon ends.
 * quarantine_survived: all of the work has ended well: a death in it no longer counts. */
void quarantine_begin(struct quarantine *q, struct evaluation *e, int step);
void quarantine_end(struct quarantine *q, struct evaluation *e, int step, int rc);
void quarantine_survived(struct quarantine *q, const struct evaluation *e);
/* quarantine_lift: forgets the deaths of all versions of a mesh. Returns whether one was in quarantine; with `waits`,
 * when that is on the disk, which may take its time. Else it is soon. */
bool quarantine_lift(struct quarantine *q, const char *id, bool waits);

#endif
