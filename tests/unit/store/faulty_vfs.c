/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store/faulty_vfs.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

struct faulty_vfs faulty;

struct undo { /* a write that no sync has covered */
    struct undo *older;
    char *path;
    int64_t offset, n_old, n; /* n_old bytes were there before, n were written */
    unsigned char old[];
};
static struct undo *undos;

struct file {
    sqlite3_file base;
    char path[512];
    sqlite3_file *real; /* just behind */
};
static sqlite3_vfs vfs;

/* One call of this kind: does it fail? */
static int hit(enum faulty_kind kind)
{
    if (faulty.kind != kind || faulty.after-- > 0)
        return 0;
    if (!faulty.forever && faulty.n_faults)
        return 0;
    faulty.n_faults++;
    return 1;
}

static struct file *of(sqlite3_file *f)
{
    return (struct file *)(void *)f;
}

static void note_write(struct file *f, int n, int64_t offset)
{
    sqlite3_int64 size = 0;
    struct undo *u = calloc(1, sizeof *u + (size_t)n);
    (void)f->real->pMethods->xFileSize(f->real, &size);
    *u = (struct undo){.older = undos, .path = strdup(f->path), .offset = offset, .n = n};
    u->n_old = size <= offset ? 0 : size - offset < n ? size - offset : n;
    if (u->n_old)
        (void)f->real->pMethods->xRead(f->real, u->old, (int)u->n_old, offset);
    undos = u;
}

static void forget(const char *path)
{
    for (struct undo **at = &undos; *at;) {
        struct undo *u = *at;
        if (path && strcmp(u->path, path) != 0) {
            at = &u->older;
            continue;
        }
        *at = u->older;
        free(u->path);
        free(u);
    }
}

static int x_close(sqlite3_file *f)
{
    return of(f)->real->pMethods->xClose(of(f)->real);
}
static int x_read(sqlite3_file *f, void *data, int n, sqlite3_int64 at)
{
    return hit(FAULTY_READ) ? SQLITE_IOERR_READ : of(f)->real->pMethods->xRead(of(f)->real, data, n, at);
}
static int x_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
    if (hit(FAULTY_FULL))
        return SQLITE_FULL;
    if (hit(FAULTY_WRITE) || hit(FAULTY_POWER))
        return SQLITE_IOERR_WRITE;
    if (faulty.kind == FAULTY_POWER)
        note_write(of(f), n, at);
    return of(f)->real->pMethods->xWrite(of(f)->real, data, n, at);
}
static int x_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    if (hit(FAULTY_WRITE) || hit(FAULTY_POWER))
        return SQLITE_IOERR_TRUNCATE;
    return of(f)->real->pMethods->xTruncate(of(f)->real, size);
}
static int x_sync(sqlite3_file *f, int flags)
{
    if (hit(FAULTY_SYNC) || hit(FAULTY_POWER))
        return SQLITE_IOERR_FSYNC;
    forget(of(f)->path);
    return of(f)->real->pMethods->xSync(of(f)->real, flags);
}
static int x_size(sqlite3_file *f, sqlite3_int64 *out)
{
    return of(f)->real->pMethods->xFileSize(of(f)->real, out);
}
static int x_lock(sqlite3_file *f, int lock)
{
    return of(f)->real->pMethods->xLock(of(f)->real, lock);
}
static int x_unlock(sqlite3_file *f, int lock)
{
    return of(f)->real->pMethods->xUnlock(of(f)->real, lock);
}
static int x_check(sqlite3_file *f, int *out)
{
    return of(f)->real->pMethods->xCheckReservedLock(of(f)->real, out);
}
static int x_control(sqlite3_file *f, int op, void *arg)
{
    return of(f)->real->pMethods->xFileControl(of(f)->real, op, arg);
}
static int x_sector(sqlite3_file *f)
{
    return of(f)->real->pMethods->xSectorSize(of(f)->real);
}
static int x_traits(sqlite3_file *f)
{
    (void)f;
    return 0; /* promise nothing about what a power cut leaves */
}

static const sqlite3_io_methods methods = {1,      x_close,  x_read,  x_write,   x_truncate, x_sync,   x_size,
                                           x_lock, x_unlock, x_check, x_control, x_sector,   x_traits, 0,
                                           0,      0,        0,       0,         0};

static int x_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *real = v->pAppData;
    struct file *mine = of(f);
    memset(mine, 0, sizeof *mine);
    mine->real = (sqlite3_file *)(void *)(mine + 1);
    (void)snprintf(mine->path, sizeof mine->path, "%s", path ? path : "");
    int rc = real->xOpen(real, path, mine->real, flags, out);
    if (mine->real->pMethods)
        mine->base.pMethods = &methods;
    return rc;
}

static int x_delete(sqlite3_vfs *v, const char *path, int sync_dir)
{
    sqlite3_vfs *real = v->pAppData;
    if (hit(FAULTY_POWER))
        return SQLITE_IOERR_DELETE;
    forget(path);
    return real->xDelete(real, path, sync_dir);
}

void faulty_vfs_register(void)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real == &vfs)
        return;
    vfs = *real;
    vfs.zName = "faulty";
    vfs.pAppData = real;
    vfs.szOsFile += (int)sizeof(struct file);
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    (void)sqlite3_vfs_register(&vfs, 1);
}

void faulty_vfs_unregister(void)
{
    (void)sqlite3_vfs_unregister(&vfs);
}

void faulty_power_cut(uint64_t seed)
{
    uint64_t x = seed * 2654435761u + 88172645463325252u;
    faulty = (struct faulty_vfs){0};
    for (struct undo *u = undos; u; u = u->older) {
        int fd = open(u->path, O_RDWR | O_CLOEXEC);
        for (int64_t at = 0; fd >= 0 && at < u->n; at += SECTOR) {
            unsigned char old[SECTOR] = {0};
            int64_t n = u->n - at < SECTOR ? u->n - at : SECTOR, there = u->n_old - at < n ? u->n_old - at : n;
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            if (x & 1)
                continue;
            if (there > 0)
                memcpy(old, u->old + at, (size_t)there);
            if (pwrite(fd, old, (size_t)n, u->offset + at) != n)
                abort();
        }
        if (fd >= 0)
            (void)close(fd);
    }
    forget(NULL);
}
