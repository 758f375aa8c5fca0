/* SPDX-License-Identifier: Apache-2.0 */
/* shared.h: arrays that share with the array they are a copy of what has not changed since: the rows of a mesh version
 * and of the one that an edit makes of it. Whoever uses an array sees a plain pointer.
 *
 *   shared_alloc, fill it, shared_seal -> readers; shared_ref, shared_own, shared_touch, write, shared_seal -> readers
 *
 * An array has owners. The only owner of one writes it in place; a copy is made when one of several wants to write.
 * A large array lies in a range of one memory file of the process. Its copy maps the same range, privately, so that the
 * kernel copies a page when it is first written. Sealed pages cannot be written: a write without shared_touch ends the
 * process, where it would else show up in another version. When many pages differ from the range, a copy gets a range
 * of its own. Ranges that nobody uses any more are kept for the next arrays, as memory that the kernel has to clear
 * first is several times slower: as many bytes as are in use, and SHARED_IDLE_BYTES at most. An array is malloc'ed when
 * it is small, and where there is no memory file (no memfd, a limit on the size of files, no more mappings, a kernel
 * that promises no more memory than it has).
 * Threads  an array is written by one thread; all else, shared_ref and shared_free of one array too, is for any */
#ifndef SUBDD_SHARED_H
#define SUBDD_SHARED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED_SMALL_BYTES ((size_t)256 << 10) /* Below it, copying is as fast as mapping. */
#define SHARED_IDLE_BYTES ((size_t)64 << 20)

/* shared_alloc: an array of its own, writable, with room to grow; what is in it is undefined. Returns NULL when memory
 * is out. Of 0 bytes it is not NULL. */
void *shared_alloc(size_t bytes);
/* shared_ref: one more owner of an array, which nobody writes from then on. Returns the array; NULL is fine. */
void *shared_ref(const void *array);
void shared_free(void *array); /* Gives up one owner; NULL is fine. */
/* shared_own: makes the array one that the caller alone owns, of `bytes` bytes: the array itself, or a copy, and then
 * the caller is an owner of the old one no more. `written` says about how many bytes are to be written, on which the
 * way of copying depends. What is behind the old bytes is undefined. Returns NULL when memory is out; then nothing has
 * changed. */
void *shared_own(void *array, size_t bytes, size_t written);
/* shared_touch: makes bytes [at, at + n) of an array that the caller alone owns writable. Returns false when memory is
 * out. Cost  few system calls an array, and one page copied for each that is written for the first time */
bool shared_touch(void *array, size_t at, size_t n);
/* shared_seal: makes the array one to be read only. NULL is fine. */
void shared_seal(void *array);

/* shared_read: where bytes of an array are read fastest, from `at` on: the pages of a copy are mapped one by one when
 * they are first read, while those that it shares are mapped elsewhere already. *n is how many bytes are wanted, and
 * becomes how many there are at the place that is returned. */
const void *shared_read(const void *array, size_t at, size_t *n);

/* shared_dear: true when it is cheaper to make a new array than to touch n bytes of this one or of its copy. */
bool shared_dear(const void *array, size_t n);

/* What was done since the process began, and what there is now. */
struct shared_stats {
    int64_t made;          /* Bytes of new arrays, and of pages that copies have made their own. */
    int64_t ranges, pages; /* In use: ranges, and pages that arrays have of their own beside them. */
    int64_t idle;          /* Bytes of ranges that are kept for later. */
};
struct shared_stats shared_stats(void);
/* shared_use_files: for tests; false has all new arrays malloc'ed. */
void shared_use_files(bool use);

#endif
