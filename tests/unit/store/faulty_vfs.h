/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_vfs.h: SQLite's file layer with a fault to order: the k-th call fails, or the power goes. */
#ifndef TESTS_FAULTY_VFS_H
#define TESTS_FAULTY_VFS_H
#include <stdint.h>

enum faulty_kind { FAULTY_NONE, FAULTY_FULL, FAULTY_WRITE, FAULTY_SYNC, FAULTY_READ, FAULTY_POWER };

struct faulty_vfs {
    enum faulty_kind kind;
    int64_t after;    /* calls of that kind that still work                    */
    int forever;      /* 0: one call fails, then all is well again             */
    int64_t n_faults; /* so far                                                */
};
extern struct faulty_vfs faulty; /* set it, then use the store; calls count from there */

void faulty_vfs_register(void);   /* becomes the default */
void faulty_vfs_unregister(void); /* for a look into the file by SQLite's own layer */
/* faulty_power_cut: after a FAULTY_POWER fault and the store's close: of what no sync has covered, a random part of the
 * 512-byte sectors never was. Also forgets the fault. */
void faulty_power_cut(uint64_t seed);

#endif
