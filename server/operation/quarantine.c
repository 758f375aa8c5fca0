/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine.c: the file of what is being evaluated, for operation.c and streams, which note it there (quarantine.h).
 * The entries in memory are the truth while the daemon runs; each that changes is written to its place in the file. */
#include "server/operation/quarantine.h"
#include "server/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "subdde1\n"

/* The beginning of the file. Its layout must never change. */
struct head {
    char magic[8];
    char boot[56]; /* The kernel's boot id when the daemon ran, or "". */
};
_Static_assert(sizeof(struct suspect) == 64 && sizeof(struct head) == 64, "no padding");

static off_t offset_of(const struct quarantine *q, const struct suspect *s)
{
    return (off_t)sizeof(struct head) + (off_t)((s - q->entries) * (ptrdiff_t)sizeof *s);
}

/* Where the disk is full or broken, a death may go unnoticed; the store tells of the disk. */
static void write_entry(const struct quarantine *q, const struct suspect *s)
{
    if (q->fd >= 0)
        (void)!pwrite(q->fd, s, sizeof *s, offset_of(q, s));
}

static bool is_free(const struct suspect *s)
{
    return !s->running && !s->deaths;
}

static bool is_quarantined(const struct suspect *s)
{
    return s->deaths >= QUARANTINE_DEATHS;
}

/* ---- at start ---------------------------------------------------------------------------------------------------- */
static void read_boot_id(char boot[sizeof((struct head *)0)->boot])
{
    memset(boot, 0, sizeof((struct head *)0)->boot);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, boot, sizeof((struct head *)0)->boot - 1);
    if (n <= 0)
        *boot = 0;
    if (fd >= 0)
        (void)close(fd);
}

static bool is_sound(const struct suspect *s)
{
    return memchr(s->id, 0, sizeof s->id) && *s->id && s->version > 0 && s->running >= 0 && s->deaths >= 0 &&
           s->deaths <= INT32_MAX / 2;
}

/* Forgets a death that was long ago. Where the clock was set back, nobody knows when it was. */
static void forget_old(struct suspect *s, int64_t now)
{
    if (s->died_ms > now)
        s->died_ms = now;
    if (!is_quarantined(s) && now - s->died_ms > QUARANTINE_KEEP_MS)
        s->deaths = 0;
}

/* Counts the death of an entry that was being evaluated, and with it those of other versions of its mesh. */
static void blame(struct quarantine *q, struct suspect *s, int64_t now, struct log *log)
{
    for (int i = 0; i < q->n; i++) {
        struct suspect *other = &q->entries[i];
        if (other == s || is_quarantined(other) || strcmp(other->id, s->id) != 0)
            continue;
        s->deaths += other->deaths;
        other->deaths = 0;
    }
    s->deaths++;
    s->died_ms = now;
    s->died_in = s->work;
    log_event(
        log, is_quarantined(s) ? LOG_ERROR : LOG_WARNING, "quarantine",
        is_quarantined(s)
            ? "mesh %s: the daemon ended %d times while it evaluated it, now at version %lld, which is refused "
              "from now on"
            : "mesh %s: the daemon ended %d time while it evaluated it, at version %lld; after the next time that "
              "version is refused",
        s->id, (int)s->deaths, (long long)s->version);
}

static void count(const struct quarantine *q)
{
    int64_t n[2] = {0};
    for (int i = 0; i < q->n; i++)
        if (q->entries[i].deaths)
            n[is_quarantined(&q->entries[i])]++;
    metrics_set(q->metrics, M_DEATHS_SUSPECTED, n[0]);
    metrics_set(q->metrics, M_DEATHS_QUARANTINED, n[1]);
}

/* Reads the entries of the last run, of which those that are none become free. Of those that were being evaluated, one
 * inside the other, the last one that began is to blame. */
static void take_over(struct quarantine *q, const struct head *was, const char *boot, struct log *log)
{
    static struct suspect found[QUARANTINE_ENTRIES]; /* It is static because it has 64 KiB. */
    const bool same_boot = *boot && strncmp(was->boot, boot, sizeof was->boot) == 0;
    struct suspect *last = NULL;
    const ssize_t n = pread(q->fd, found, sizeof found, (off_t)sizeof *was);
    const int64_t now = now_ms();
    for (size_t i = 0; n > 0 && i < (size_t)n / sizeof *found; i++) {
        if (!is_sound(&found[i]) || is_free(&found[i]))
            continue;
        struct suspect *s = &q->entries[q->n++];
        *s = found[i];
        forget_old(s, now);
        if (s->running && same_boot && (!last || s->depth > last->depth))
            last = s;
        s->running = 0;
    }
    if (last)
        blame(q, last, now, log);
}

int quarantine_open(struct quarantine *q, const char *dir, struct log *log, struct metrics *metrics,
                    struct sdd_error *err)
{
    struct head head = {.magic = MAGIC}, was;
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/subdd.evaluating", dir);
    *q = (struct quarantine){.fd = -1, .metrics = metrics};
    pthread_mutex_init(&q->mutex, NULL);
    if (length > 0 && (size_t)length < sizeof path)
        q->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    else
        errno = ENAMETOOLONG;
    if (q->fd < 0)
        return sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be opened: %s", path, strerror(errno));
    read_boot_id(head.boot);
    const ssize_t n = pread(q->fd, &was, sizeof was, 0);
    if (n == (ssize_t)sizeof was && memcmp(was.magic, MAGIC, sizeof was.magic) == 0)
        take_over(q, &was, head.boot, log);
    else if (n != 0)
        log_event(log, LOG_WARNING, "quarantine", "%s is damaged and is made anew", path);
    count(q);
    if (pwrite(q->fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        pwrite(q->fd, q->entries, sizeof q->entries, (off_t)sizeof head) != (ssize_t)sizeof q->entries ||
        fdatasync(q->fd))
        return sdd_fail(err, SDD_ESTORE, "data-dir", "%s cannot be written: %s", path, strerror(errno));
    return SDD_OK;
}

/* Forgets what is being evaluated. */
static void take_back(struct quarantine *q)
{
    for (int i = 0; i < q->n; i++) {
        q->entries[i].running = 0;
        write_entry(q, &q->entries[i]);
    }
}

void quarantine_close(struct quarantine *q, bool died)
{
    if (!q->metrics) /* It was never opened. */
        return;
    pthread_mutex_lock(&q->mutex);
    if (!q->closed && !died)
        take_back(q);
    q->closed = true;
    pthread_mutex_unlock(&q->mutex);
}

/* ---- while the daemon runs --------------------------------------------------------------------------------------- */
static struct suspect *find(struct quarantine *q, const char *id, int64_t version)
{
    for (int i = 0; i < q->n; i++)
        if (!is_free(&q->entries[i]) && q->entries[i].version == version && strcmp(q->entries[i].id, id) == 0)
            return &q->entries[i];
    return NULL;
}

/* A free entry, or NULL when there are that many suspects. */
static struct suspect *make(struct quarantine *q, const struct evaluation *e)
{
    int i = 0;
    while (i < q->n && !is_free(&q->entries[i]))
        i++;
    if (i == QUARANTINE_ENTRIES)
        return NULL;
    q->n += i == q->n;
    q->entries[i] = (struct suspect){.version = e->version};
    memcpy(q->entries[i].id, e->id, sizeof e->id);
    return &q->entries[i];
}

/* Writes an entry that has changed, and lets the list end before free ones. */
static void changed(struct quarantine *q, const struct suspect *s)
{
    write_entry(q, s);
    while (q->n && is_free(&q->entries[q->n - 1]))
        q->n--;
}

/* Clears the deaths of an entry. */
static void clear(struct quarantine *q, struct suspect *s)
{
    s->deaths = 0;
    changed(q, s);
    count(q);
}

static void sync_file(const struct quarantine *q)
{
    if (q->fd >= 0)
        (void)fdatasync(q->fd);
}

static void run_sync(struct task *task, void *user)
{
    struct quarantine *q = CONTAINER(task, struct quarantine, sync);
    bool again;
    (void)user;
    do {
        sync_file(q);
        pthread_mutex_lock(&q->mutex);
        again = q->again;
        q->again = false;
        q->syncs = again;
        pthread_mutex_unlock(&q->mutex);
    } while (again);
}

/* What was cleared has to survive a power cut. Nobody waits for that, least of all the loop. */
static void settle(struct quarantine *q)
{
    if (!q->thread) {
        sync_file(q);
        return;
    }
    pthread_mutex_lock(&q->mutex);
    const bool posts = !q->syncs;
    q->again = !posts;
    q->syncs = true;
    pthread_mutex_unlock(&q->mutex);
    if (!posts)
        return;
    q->sync = (struct task){.run = run_sync};
    executor_post(q->thread, &q->sync);
}

bool quarantine_has(struct quarantine *q, const char *id, int64_t version)
{
    pthread_mutex_lock(&q->mutex);
    const struct suspect *s = find(q, id, version);
    const bool has = s && is_quarantined(s);
    pthread_mutex_unlock(&q->mutex);
    return has;
}

int quarantine_check(struct quarantine *q, const char *id, int64_t version, struct sdd_error *err)
{
    if (!quarantine_has(q, id, version))
        return SDD_OK;
    return sdd_fail(
        err, SDD_EQUARANTINED, "id",
        "evaluating mesh %s has ended the daemon %d times, at last at version %lld, so that is not done again; "
        "revert or undo it, or have an admin DELETE .../quarantine",
        id, QUARANTINE_DEATHS, (long long)version);
}

void quarantine_begin(struct quarantine *q, struct evaluation *e, int step)
{
    pthread_mutex_lock(&q->mutex);
    struct suspect *s = q->closed ? NULL : find(q, e->id, e->version);
    if (!s && !q->closed)
        s = make(q, e);
    if (s) {
        s->running++;
        s->depth = (int16_t)++q->n_running;
        s->work = e->work + (uint64_t)step;
        write_entry(q, s);
        e->entry = (int)(s - q->entries) + 1;
    }
    pthread_mutex_unlock(&q->mutex);
}

void quarantine_end(struct quarantine *q, struct evaluation *e, int step, int rc)
{
    if (rc == SDD_OK || rc == JOB_DONE)
        e->done |= 1u << step;
    if (!e->entry && rc != SDD_EDEVICE)
        return;
    pthread_mutex_lock(&q->mutex);
    if (rc == SDD_EDEVICE) { /* The daemon ends. Whatever else fails until then is not to blame. */
        if (!e->entry && !q->closed)
            take_back(q);
        q->closed = true;
    } else if (!q->closed) {
        struct suspect *s = &q->entries[e->entry - 1];
        s->running--;
        q->n_running--;
        changed(q, s);
    }
    pthread_mutex_unlock(&q->mutex);
    e->entry = 0;
}

void quarantine_survived(struct quarantine *q, const struct evaluation *e)
{
    if (!e->done || !atomic_load(&q->metrics->values[M_DEATHS_SUSPECTED]))
        return;
    bool cleared = false;
    pthread_mutex_lock(&q->mutex);
    for (int i = 0; i < q->n; i++) {
        struct suspect *s = &q->entries[i];
        const uint64_t step = s->died_in - e->work;
        if (!s->deaths || is_quarantined(s) || strcmp(s->id, e->id) != 0 || step >= 32 || !(e->done >> step & 1))
            continue;
        clear(q, s);
        cleared = true;
    }
    pthread_mutex_unlock(&q->mutex);
    if (cleared)
        settle(q);
}

bool quarantine_lift(struct quarantine *q, const char *id, bool waits)
{
    bool lifted = false, cleared = false;
    pthread_mutex_lock(&q->mutex);
    for (int i = 0; i < q->n; i++) {
        struct suspect *s = &q->entries[i];
        if (!s->deaths || strcmp(s->id, id) != 0)
            continue;
        lifted |= is_quarantined(s);
        clear(q, s);
        cleared = true;
    }
    pthread_mutex_unlock(&q->mutex);
    if (cleared && waits)
        sync_file(q);
    else if (cleared)
        settle(q);
    return lifted;
}
