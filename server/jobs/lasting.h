/* SPDX-License-Identifier: Apache-2.0 */
/* lasting.h: jobs that outlive their request. Each has an id by which its client asks how it goes on, and a record that
 * stays for an hour when it is over, though not past the daemon's end.
 *
 *   lasting_begin -> [the job goes on; lasting_find] -> lasting_end -> [lasting_find] -> lastings_expire
 *
 * A kind of such a job has struct lasting as the first member of its record, and writes there how far it is.
 * Threads  the loop's */
#ifndef SUBDD_LASTING_H
#define SUBDD_LASTING_H
#include "gpu/sdd/sdd.h"
#include "server/base/table.h"
#include "server/base/text.h"

#define LASTING_ID_SIZE 40
#define LASTING_NAME_SIZE 132
#define LASTING_KEY_SIZE 256
#define LASTING_DIGEST 32
#define LASTING_MOST 1024 /* Records of jobs that are over; the oldest goes first. */
#define LASTING_SECONDS 3600

struct cached;
struct job;
struct lasting;

enum lasting_state { LASTING_RUNNING, LASTING_CANCELLING, LASTING_DONE, LASTING_FAILED, LASTING_CANCELLED };
struct lasting_kind {
    const char *name;
    void (*write)(const struct lasting *l, struct text *out); /* Adds the members that only this kind has. */
    void (*free)(struct lasting *l);
};
struct lasting {
    struct list all; /* In lastings->running or lastings->over. */
    const struct lasting_kind *kind;
    char id[LASTING_ID_SIZE];
    char owner[LASTING_NAME_SIZE];        /* Who alone may ask: the name of a token, or "" where there are none. */
    char about[LASTING_NAME_SIZE];        /* What it works on: one job at a time works on one thing. */
    char key[LASTING_KEY_SIZE];           /* That of the request, by which it is found when it is sent again; or "". */
    unsigned char digest[LASTING_DIGEST]; /* Of that request. */
    struct job *job;                      /* NULL once it is over. */
    struct list watchers;                 /* The jobs that wait for it to move. */
    enum lasting_state state;
    int64_t step;          /* How many steps it has taken. */
    struct sdd_error err;  /* Of LASTING_FAILED. */
    uint64_t began, ended; /* Times of uv_hrtime. */
    struct cached *frame;  /* What it made, where that is no new version; the kind frees it. */
};
struct lastings {
    struct list running, over; /* What is over is in the order in which it ended. */
    int n_over;
    uint64_t serial; /* That of the last id. */
    char prefix[20]; /* Random, so that an id of an earlier start is told from one that never was. */
};
void lastings_init(struct lastings *s);
void lastings_fini(struct lastings *s); /* Frees the records, which may post to executors. No job runs any more. */
/* lasting_begin: takes the record over, whose kind, owner and about are set, for a job that runs. */
void lasting_begin(struct lastings *s, struct lasting *l, struct job *job);
/* lasting_move: the job has taken so many steps: wakes those that wait for that (job->after). */
void lasting_move(struct lasting *l, int64_t step);
/* lasting_end: the job is over, in this state, and all that watch it are woken; `err` is copied, or NULL. */
void lasting_end(struct lastings *s, struct lasting *l, enum lasting_state state, const struct sdd_error *err);
/* lasting_forget: frees the record of a job that is over. */
void lasting_forget(struct lastings *s, struct lasting *l);
/* lasting_at_work: the job of this kind or another that works on a thing, or NULL. */
struct lasting *lasting_at_work(const struct lastings *s, const char *about);
/* lasting_of_key: the job that a request with this key began, unless it has failed or was cancelled; or NULL. */
struct lasting *lasting_of_key(const struct lastings *s, const char *owner, const char *key);
/* lasting_find: the record of an id[n].
 * Errors  SDD_ENOT_FOUND (there never was such a job, or it is somebody else's), SDD_EGONE */
int lasting_find(const struct lastings *s, const char *id, size_t n, const char *owner, struct lasting **out,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* lastings_expire: forgets what has been over for an hour at this time of uv_hrtime. */
void lastings_expire(struct lastings *s, uint64_t now);
/* lastings_shed: others need memory: forgets the job that was over first of those that keep a frame. */
void lastings_shed(struct lastings *s);
const char *lasting_state_name(enum lasting_state state);

#endif
