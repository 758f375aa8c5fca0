/* SPDX-License-Identifier: Apache-2.0 */
/* lasting.c: keeps the records of jobs that outlive their request (lasting.h). */
#include "server/jobs/lasting.h"
#include "server/base/chars.h"
#include "server/jobs/jobs.h"
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define PREFIX 17 /* Sixteen digits and a dash. */
#define MOST_DIGITS 18

void lastings_init(struct lastings *s)
{
    uint64_t random = uv_hrtime(); /* Where there is no randomness, ids of two starts still differ. */
    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
    list_init(&s->running);
    list_init(&s->over);
    snprintf(s->prefix, sizeof s->prefix, "%016llx-", (unsigned long long)random);
}

void lastings_fini(struct lastings *s)
{
    while (!list_empty(&s->over))
        lasting_forget(s, CONTAINER(s->over.next, struct lasting, all));
}

void lasting_begin(struct lastings *s, struct lasting *l, struct job *job)
{
    snprintf(l->id, sizeof l->id, "%s%llu", s->prefix, (unsigned long long)++s->serial);
    l->job = job;
    l->began = uv_hrtime();
    list_init(&l->watchers);
    list_append(&s->running, &l->all);
}

void lasting_move(struct lasting *l, int64_t step)
{
    l->step = step;
    for (struct list *at = l->watchers.next, *next; at != &l->watchers; at = next) {
        struct job *job = CONTAINER(at, struct job, wait);
        next = at->next;
        if (job->after < step)
            job_wake(job);
    }
}

void lasting_end(struct lastings *s, struct lasting *l, enum lasting_state state, const struct sdd_error *err)
{
    while (!list_empty(&l->watchers))
        job_wake(CONTAINER(l->watchers.next, struct job, wait));
    l->job = NULL;
    l->state = state;
    l->ended = uv_hrtime();
    if (err)
        l->err = *err;
    list_append(&s->over, &l->all);
    if (++s->n_over > LASTING_MOST)
        lasting_forget(s, CONTAINER(s->over.next, struct lasting, all));
}

void lasting_forget(struct lastings *s, struct lasting *l)
{
    list_remove(&l->all);
    s->n_over--;
    l->kind->free(l);
}

struct lasting *lasting_at_work(const struct lastings *s, const char *about)
{
    for (struct list *at = s->running.next; at != &s->running; at = at->next)
        if (strcmp(CONTAINER(at, struct lasting, all)->about, about) == 0)
            return CONTAINER(at, struct lasting, all);
    return NULL;
}

struct lasting *lasting_of_key(const struct lastings *s, const char *owner, const char *key)
{
    const struct list *const lists[] = {&s->running, &s->over};
    for (int i = 0; i < 2; i++)
        for (struct list *at = lists[i]->next; at != lists[i]; at = at->next) {
            struct lasting *l = CONTAINER(at, struct lasting, all);
            if (l->state <= LASTING_DONE && strcmp(l->key, key) == 0 && strcmp(l->owner, owner) == 0)
                return l;
        }
    return NULL;
}

static struct lasting *in_list(const struct list *list, const char *id, size_t n)
{
    for (struct list *at = list->next; at != list; at = at->next) {
        struct lasting *l = CONTAINER(at, struct lasting, all);
        if (strlen(l->id) == n && memcmp(l->id, id, n) == 0)
            return l;
    }
    return NULL;
}

/* Whether these are the characters of an id, of this start or another. */
static bool is_id(const char *id, size_t n, int64_t *serial)
{
    if (n <= PREFIX || n > PREFIX + MOST_DIGITS || id[PREFIX - 1] != '-' || id[PREFIX] == '0')
        return false;
    for (size_t i = 0; i < PREFIX - 1; i++)
        if (!strchr("0123456789abcdef", id[i]))
            return false;
    return parse_integer(id + PREFIX, n - PREFIX, serial);
}

int lasting_find(const struct lastings *s, const char *id, size_t n, const char *owner, struct lasting **out,
                 struct sdd_error *err)
{
    int64_t serial = 0;
    struct lasting *l = in_list(&s->running, id, n);
    if (!l)
        l = in_list(&s->over, id, n);
    *out = l && strcmp(l->owner, owner) == 0 ? l : NULL;
    if (*out)
        return SDD_OK;
    if (l || !is_id(id, n, &serial))
        return sdd_fail(err, SDD_ENOT_FOUND, "job", "there is no job %.*s", n < 40 ? (int)n : 40, id);
    if (memcmp(id, s->prefix, PREFIX) != 0)
        return sdd_fail(err, SDD_EGONE, "job", "the daemon has been started anew since job %.*s", (int)n, id);
    if ((uint64_t)serial > s->serial)
        return sdd_fail(err, SDD_ENOT_FOUND, "job", "there is no job %.*s", (int)n, id);
    return sdd_fail(err, SDD_EGONE, "job", "job %.*s is over, and kept no more", (int)n, id);
}

void lastings_expire(struct lastings *s, uint64_t now)
{
    while (!list_empty(&s->over)) {
        struct lasting *first = CONTAINER(s->over.next, struct lasting, all);
        if (now < first->ended + LASTING_SECONDS * 1000000000ull)
            return;
        lasting_forget(s, first);
    }
}

void lastings_shed(struct lastings *s)
{
    for (struct list *at = s->over.next; at != &s->over; at = at->next)
        if (CONTAINER(at, struct lasting, all)->frame) {
            lasting_forget(s, CONTAINER(at, struct lasting, all));
            return;
        }
}

const char *lasting_state_name(enum lasting_state state)
{
    static const char *const names[] = {"running", "cancelling", "done", "failed", "cancelled"};
    return names[state];
}
