/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c: arrays over a memory file (shared.h). In front of the data is a header, and in large arrays a bitmap before
 * it, in pages of their own:
 *
 *   malloc'ed   header, data
 *   first       pages of bitmap and header | the range, mapped shared: it is written through to the file
 *   copy        the same                   | the range, mapped privately: pages that are written become the copy's own
 *
 * A range has one first array at most, which goes on with the range when its last owner leaves it. */
#include "server/base/shared.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE = 4096, HEADER = 128, DEAR_PART = 16, OPENED_SINGLY = 64 };

/* Bytes of the memory file, which are mapped by one first array and any number of copies. */
struct range {
    atomic_int users;
    off_t at;
    size_t room; /* A multiple of PAGE. */
    struct array *first;
    struct range *next; /* Among those that nobody uses. */
};

struct array {
    atomic_int owners;
    bool is_first, is_sealed, is_open; /* is_open: all pages are writable. */
    int opened;                        /* How many times single pages were made writable since the array was sealed. */
    struct range *range;               /* NULL when it is malloc'ed. */
    size_t bytes, room;
    size_t n_own;  /* Pages of a copy that are its own. */
    uint64_t *own; /* A bit for each page. */
};
_Static_assert(sizeof(struct array) <= HEADER, "the data behind the header stays aligned");

static struct {
    pthread_mutex_t lock;
    bool is_opened, is_refused;
    int file;
    off_t end;
    struct range *idle; /* The last one freed comes first. */
} files = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};
static atomic_llong made, ranges, pages, used_bytes, idle_bytes;

static struct array *array_of(const void *data)
{
    return (struct array *)((uintptr_t)data - HEADER);
}

static void *data_of(struct array *a)
{
    return (char *)a + HEADER;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* The bytes in front of the data of a mapped array. */
static size_t front_of(size_t room)
{
    return whole_pages(HEADER + (room / PAGE + 63) / 64 * 8);
}

static size_t room_for(size_t bytes)
{
    return bytes + bytes / 8 + 64;
}

/* ---- ranges ---- */
/* Whether the kernel promises more memory than it has. Where it does not, malloc fails when there is no more, but a
 * page that the file has not got ends the process. */
static bool overcommits(void)
{
    char mode = '0';
    int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    bool strict = file >= 0 && read(file, &mode, 1) == 1 && mode == '2';
    if (file >= 0)
        close(file);
    return !strict;
}

/* Takes the next bytes of the file, whose length is limited where files are. They are never given out twice, so that
 * nothing can be left of what was there. */
static bool extend(size_t room, off_t *at)
{
    struct rlimit limit;
    if (!files.is_opened) {
        files.is_opened = true;
        files.file = overcommits() ? memfd_create("subdd-meshes", MFD_CLOEXEC) : -1;
    }
    if (files.file < 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        (limit.rlim_cur != RLIM_INFINITY && (rlim_t)files.end + room > limit.rlim_cur) ||
        ftruncate(files.file, files.end + (off_t)room) != 0)
        return false;
    *at = files.end;
    files.end += (off_t)room;
    return true;
}

/* Maps a range behind pages for bitmap and header. */
static struct array *map_range(struct range *r, bool is_first)
{
    const size_t front = front_of(r->room);
    char *p = mmap(NULL, front + r->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (mmap(p + front, r->room, PROT_READ | PROT_WRITE, MAP_FIXED | (is_first ? MAP_SHARED : MAP_PRIVATE), files.file,
             r->at) == MAP_FAILED) {
        munmap(p, front + r->room);
        return NULL;
    }
    struct array *a = array_of(p + front);
    a->owners = 1;
    a->is_first = is_first;
    a->is_open = true;
    a->range = r;
    a->room = r->room;
    a->own = (uint64_t *)(void *)p;
    return a;
}

static void unmap(struct array *a)
{
    const size_t front = front_of(a->room);
    munmap((char *)data_of(a) - front, front + a->room);
}

/* Gives the memory of a range back. */
static void end_range(struct range *r)
{
    unmap(r->first);
    /* Should this fail, the bytes stay with the file; nobody maps them again. */
    (void)fallocate(files.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, r->at, (off_t)r->room);
    free(r);
}

/* Ends ranges that nobody uses, the oldest first, until they have no more bytes than those in use, and than the limit.
 * When the last mesh goes, so does all memory. */
static void trim(void)
{
    const long long used = atomic_load(&used_bytes),
                    most = used < (long long)SHARED_IDLE_BYTES ? used : (long long)SHARED_IDLE_BYTES;
    while (atomic_load(&idle_bytes) > most) {
        pthread_mutex_lock(&files.lock);
        struct range **link = &files.idle;
        while (*link && (*link)->next)
            link = &(*link)->next;
        struct range *last = *link;
        *link = NULL;
        if (last)
            atomic_fetch_sub(&idle_bytes, (long long)last->room);
        pthread_mutex_unlock(&files.lock);
        if (!last)
            return;
        end_range(last);
    }
}

/* The range has been left by a user. */
static void leave(struct range *r)
{
    if (atomic_fetch_sub(&r->users, 1) != 1)
        return;
    atomic_fetch_sub(&ranges, 1);
    atomic_fetch_sub(&used_bytes, (long long)r->room);
    if (r->room > SHARED_IDLE_BYTES / 2) {
        end_range(r);
        trim();
        return;
    }
    pthread_mutex_lock(&files.lock);
    r->next = files.idle;
    files.idle = r;
    atomic_fetch_add(&idle_bytes, (long long)r->room);
    pthread_mutex_unlock(&files.lock);
    trim();
}

/* An idle range that is large enough, but not by far. */
static struct range *reuse(size_t bytes)
{
    pthread_mutex_lock(&files.lock);
    struct range **link = &files.idle, *r;
    while (*link && ((*link)->room < bytes || (*link)->room > 2 * room_for(bytes)))
        link = &(*link)->next;
    r = *link;
    if (r) {
        *link = r->next;
        atomic_fetch_sub(&idle_bytes, (long long)r->room);
    }
    pthread_mutex_unlock(&files.lock);
    return r;
}

static struct array *first_array(size_t bytes)
{
    struct range *r = reuse(bytes);
    if (!r) {
        r = calloc(1, sizeof *r);
        if (!r)
            return NULL;
        r->room = whole_pages(room_for(bytes));
        pthread_mutex_lock(&files.lock);
        bool fits = !files.is_refused && extend(r->room, &r->at);
        pthread_mutex_unlock(&files.lock);
        r->first = fits ? map_range(r, true) : NULL;
        if (!r->first) { /* What extend has taken is a hole. */
            free(r);
            return NULL;
        }
    }
    r->first->owners = 1;
    r->first->bytes = bytes;
    r->users = 1;
    atomic_fetch_add(&ranges, 1);
    atomic_fetch_add(&used_bytes, (long long)r->room);
    return r->first;
}

/* ---- arrays ---- */
void *shared_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    struct array *a = bytes >= SHARED_SMALL_BYTES ? first_array(bytes) : NULL;
    if (!a) {
        a = malloc(HEADER + bytes);
        if (!a)
            return NULL;
        *a = (struct array){.owners = 1, .bytes = bytes, .room = bytes};
    }
    if (a->range && !a->is_open && mprotect(data_of(a), a->room, PROT_READ | PROT_WRITE) != 0) {
        shared_free(data_of(a));
        return NULL;
    }
    a->is_open = true;
    a->is_sealed = false;
    atomic_fetch_add(&made, (long long)bytes);
    return data_of(a);
}

void *shared_ref(const void *array)
{
    if (array)
        atomic_fetch_add(&array_of(array)->owners, 1);
    return (void *)(uintptr_t)array;
}

void shared_free(void *array)
{
    if (!array || atomic_fetch_sub(&array_of(array)->owners, 1) != 1)
        return;
    struct array *a = array_of(array);
    struct range *r = a->range;
    if (!r) {
        free(a);
        return;
    }
    if (!a->is_first) {
        atomic_fetch_sub(&pages, (long long)a->n_own);
        unmap(a);
    }
    leave(r);
}

static bool is_own(const struct array *a, size_t page)
{
    return a->own[page / 64] >> page % 64 & 1;
}

static void set_own(struct array *a, size_t page)
{
    a->own[page / 64] |= UINT64_C(1) << page % 64;
    a->n_own++;
    atomic_fetch_add(&pages, 1);
    atomic_fetch_add(&made, PAGE);
}

/* Maps the range of an array once more, and copies the pages that the array has of its own. */
static struct array *map_copy(struct array *from, size_t bytes)
{
    struct array *a = map_range(from->range, false);
    if (!a)
        return NULL;
    atomic_fetch_add(&a->range->users, 1);
    for (size_t page = 0; page < a->room / PAGE && a->n_own < from->n_own; page++)
        if (is_own(from, page)) {
            memcpy((char *)data_of(a) + page * PAGE, (char *)data_of(from) + page * PAGE, PAGE);
            set_own(a, page);
        }
    a->bytes = bytes;
    shared_seal(data_of(a));
    return a;
}

const void *shared_read(const void *array, size_t at, size_t *n)
{
    const struct array *a = array_of(array);
    if (!a->range || a->is_first || !*n)
        return (const char *)array + at;
    const size_t end = (at + *n - 1) / PAGE + 1;
    const bool own = is_own(a, at / PAGE);
    size_t page = at / PAGE + 1;
    while (page < end && (page % 64 == 0 && a->own[page / 64] == (own ? UINT64_MAX : 0) ? (page += 63, true)
                                                                                        : is_own(a, page) == own))
        page++;
    if (page < end && page * PAGE - at < *n)
        *n = page * PAGE - at;
    return (const char *)(own ? array : data_of(a->range->first)) + at;
}

bool shared_dear(const void *array, size_t n)
{
    const struct array *a = array_of(array);
    return a->range && n + a->n_own * PAGE > a->bytes / DEAR_PART;
}

void *shared_own(void *array, size_t bytes, size_t written)
{
    struct array *a = array_of(array);
    const bool is_alone = atomic_load(&a->owners) == 1 && bytes <= a->room, is_dear = shared_dear(array, written);
    if (is_alone && (a->is_first ? atomic_load(&a->range->users) == 1 : !is_dear)) {
        a->bytes = bytes;
        return array;
    }
    if (a->range && bytes <= a->room && !is_dear) {
        struct array *copy = map_copy(a, bytes);
        if (copy) {
            shared_free(array);
            return data_of(copy);
        }
    }
    /* An array that has grown once may grow again. */
    char *to = shared_alloc(bytes > a->room ? room_for(bytes) : bytes);
    if (!to)
        return NULL;
    array_of(to)->bytes = bytes;
    memcpy(to, array, bytes < a->bytes ? bytes : a->bytes);
    shared_free(array);
    return to;
}

/* Makes pages of a sealed array writable: these alone, so that a write elsewhere is found, but all of them after many
 * calls, as each may cost a mapping. */
static bool open_pages(struct array *a, size_t from, size_t to)
{
    char *data = data_of(a);
    a->is_sealed = false;
    if (!a->is_first && a->opened++ < OPENED_SINGLY &&
        mprotect(data + from * PAGE, (to - from) * PAGE, PROT_READ | PROT_WRITE) == 0)
        return true;
    a->is_open = mprotect(data, a->room, PROT_READ | PROT_WRITE) == 0;
    return a->is_open;
}

bool shared_touch(void *array, size_t at, size_t n)
{
    struct array *a = array_of(array);
    if (!a->range || !n || (a->is_first && a->is_open))
        return true;
    const size_t from = at / PAGE, to = (at + n - 1) / PAGE + 1;
    if (!a->is_open && !open_pages(a, from, to))
        return false;
    for (size_t page = from; page < to && !a->is_first; page++)
        if (!is_own(a, page))
            set_own(a, page);
    return true;
}

void shared_seal(void *array)
{
    struct array *a = array ? array_of(array) : NULL;
    if (!a || !a->range || a->is_sealed)
        return;
    /* When this fails, only the guard against stray writes is gone. */
    (void)mprotect(array, a->room, PROT_READ);
    a->is_sealed = true;
    a->is_open = false;
    a->opened = 0;
}

struct shared_stats shared_stats(void)
{
    return (struct shared_stats){atomic_load(&made), atomic_load(&ranges), atomic_load(&pages),
                                 atomic_load(&idle_bytes)};
}

void shared_use_files(bool use)
{
    pthread_mutex_lock(&files.lock);
    files.is_refused = !use;
    pthread_mutex_unlock(&files.lock);
}
