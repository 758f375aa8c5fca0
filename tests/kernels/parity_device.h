/* SPDX-License-Identifier: Apache-2.0 */
/* parity_device.h: one device over two. Every call goes to both; after each launch, scan and sort all live memory
 * of the two is compared bit for bit. The first difference is printed and kept, with kernel, allocation, offset
 * and both words, and the call fails with SDD_EDEVICE, so that whatever runs on it stops there.
 *
 * Fresh memory holds the same poison byte on both sides, so what no kernel has written compares equal; two runs
 * with two poisons and different results show a read (or a result) that nobody wrote. A guard zone behind each
 * allocation shows writes past its end. Scratch memory is poisoned again after use: what is in there is each
 * backend's own affair. Addresses handed out are the first backend's; in kernel arguments every aligned word that
 * is such an address is translated for the second.
 * Threads  one at a time for all parity devices: the two backends and the report are the process's */
#ifndef TESTS_PARITY_DEVICE_H
#define TESTS_PARITY_DEVICE_H
#include "gpu/backend/backend.h"

struct parity_report {
    int64_t n_compared, n_differences; /* launches, scans and sorts; those that differed        */
    int64_t n_launched[SDD_N_KERNELS]; /* of each kernel, with n > 0                            */
    char first[512];                   /* the first difference, or ""                           */
};

/* parity_backend: a backend that runs on both; starts a new report. */
const struct sdd_backend *parity_backend(const struct sdd_backend *first, const struct sdd_backend *second, int poison);
/* parity_reference: from now on the second one runs references in the place of tuned forms, until parity_backend. */
void parity_reference(void);
const struct parity_report *parity_report(void);
const char *parity_kernel_name(int kernel);

/* parity_other: the backend under test: $SUBDD_TEST_BACKEND cuda is the module beside the binaries, cpu the fake one.
 * NULL and a sentence when the module cannot be used. */
const struct sdd_backend *parity_other(char *reason, size_t size);
/* parity_levels: how deep tests should refine: $SUBDD_TEST_LEVELS, else 4. Below 4, big cases are left out. */
int parity_levels(void);
#endif
