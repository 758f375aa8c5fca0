/* SPDX-License-Identifier: Apache-2.0 */
/* entry.h: what is counted of a commit (commits.c), and what is known of one that takes several changes. */
#ifndef SUBDD_STORE_ENTRY_H
#define SUBDD_STORE_ENTRY_H
#include "server/store/store.h"

/* A commit, as it is in the table `commits` (the last one) and in the file of commits. These are in files, so their
 * layouts must never change. */
struct store_changed {
    int64_t version;        /* Of the mesh; 0: it was deleted. */
    char id[STORE_ID_SIZE]; /* Of the mesh; "" when damage was accepted. */
    unsigned char row[16];  /* The checksum of the mesh's row. */
};
struct store_commit {
    int64_t n; /* Its number; 0: none yet. */
    struct store_changed first;
    unsigned char chain[16];    /* A digest of all above, of the chain of the commit before, and of `more`. */
    unsigned char checksum[16]; /* Of all above and the store. */
};
struct store_entry {
    struct store_commit commit;
    int64_t n_more; /* Changes that were made together with the first one, in their order; with none all here is 0. */
    struct store_changed more[STORE_TOGETHER - 1];
    unsigned char more_checksum[16]; /* Of n_more, all of more, the number of the commit, and the store. */
};

/* What together.c knows. */
struct store_group {
    bool open;
    int lost; /* The error that ended the transaction before its time, with all parts; or SDD_OK. */
    struct sdd_error why;
    int64_t n_meshes, bytes_before; /* As it was before; and before the current change, which a savepoint takes back. */
    int n_before;
};

#endif
