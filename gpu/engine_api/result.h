/* SPDX-License-Identifier: Apache-2.0 */
/* result.h: a result while it is made, for refine/ and patches/: its blocks, where kernels write them, their
 * digests, and how they come to host memory. On a unified backend kernels write the blocks where they stay. */
#ifndef SDD_RESULT_H
#define SDD_RESULT_H
#include "gpu/device/device.h"
#include "gpu/kernel/rows_out.h"
#include "gpu/sdd/sdd.h"

/* Memory of a block that several results have. */
struct result_share {
    atomic_int users;
};
/* What sdd_carry has to know of a block in pieces of DIGEST_PIECE bytes. */
struct result_pieces {
    uint64_t *digest;       /* The digest of each piece; or NULL. */
    unsigned char *changed; /* Whether it has changed since the base; or NULL. */
};

struct sdd_result {
    sdd_device *device;
    uint64_t serial, from; /* The numbers of this result, and of the one that it was carried from, or 0. */
    int keeps_pieces;
    struct sdd_result_info info;
    /* The memory of the run, of a result whose blocks are still to come; else NULL. The result owns it. */
    void *memory;
    int64_t memory_bytes;
    int64_t brought;                            /* How many bytes of the blocks have come. */
    const void *block[SDD_MAX_BLOCKS];          /* The blocks in that memory. */
    struct result_share *share[SDD_MAX_BLOCKS]; /* NULL for memory that is this result's alone. */
    struct result_pieces pieces[SDD_MAX_BLOCKS];
};

/* rows_f32: the format of rows that are not in 16 bits. */
static const struct sdd_rows_as rows_f32 = {SDD_ROWS_F32, NULL};

enum result_mark { MARK_START, MARK_REFINED, MARK_DIGESTED, MARK_DOWNLOADED };

/* Where the blocks of a result lie in device memory. */
struct result_layout {
    uint64_t *digests;           /* Shape [result_words]: a digest for each block, and then the facts. */
    void *tree[SDD_MAX_BLOCKS];  /* Scratch for the digest of each block. */
    void *block[SDD_MAX_BLOCKS]; /* After result_allocate, the memory that becomes the block. */
    /* The f32 rows that a compact block is made of. There is room for them even where the block is direct, which a plan
     * cannot know. */
    float *source[SDD_MAX_BLOCKS];
    int direct;                       /* The compact blocks that the engine writes as such (enum sdd_include). */
    struct sdd_quantise_facts *facts; /* NULL where no block is compact. */
};

/* result_create: makes a result without blocks. sdd_result_free frees it with whatever it has by then. */
int result_create(sdd_device *d, sdd_result **out, struct sdd_error *err) SDD_MUST_CHECK;
/* result_add_block: adds a block to the plan. Its memory comes later. */
struct sdd_block *result_add_block(struct sdd_plan_info *p, int semantic, int format, int components, int64_t count);
/* result_words: the number of words that are downloaded beside the blocks. Those of several results follow each
 * other. */
int64_t result_words(const struct sdd_plan_info *p);
/* result_lay_out: lays out the blocks and their scratch; `words` has room for result_words. */
void result_lay_out(const sdd_device *d, const struct sdd_plan_info *p, uint64_t *words, struct arena *a,
                    struct result_layout *out);
/* result_allocate: takes host memory for the blocks of the plan. `soon` says that it is given back soon.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int result_allocate(sdd_result *r, int soon, struct result_layout *lay, struct sdd_error *err) SDD_MUST_CHECK;
/* result_pieces_of: how many pieces a block has. */
int64_t result_pieces_of(const struct sdd_block *b);
/* result_take_over: makes block k that of `base`, whose memory both have from then on. The thread is the device's.
 * Errors  SDD_ENO_MEMORY */
int result_take_over(sdd_result *r, sdd_result *base, int k, struct sdd_error *err) SDD_MUST_CHECK;
/* result_block: where engines write the rows of the block, which are f32 or u32 unless it is direct. NULL where
 * there is no such block. */
void *result_block(const struct sdd_plan_info *p, const struct result_layout *lay, int semantic);

/* result_cancelled: fails with SDD_ECANCELLED if the flag, which may be NULL, is set; `before` names what was to
 * come. */
int result_cancelled(const atomic_int *cancel, const char *before, struct sdd_error *err) SDD_MUST_CHECK;
/* result_bring: is called after MARK_START and all kernels of n results, whose words follow each other, have been
 * queued. It queues the digests and the downloads, waits and fills in the times, of which each result has its share.
 * With `blocks` 0 the blocks themselves are not downloaded.
 * Errors  SDD_ECANCELLED, SDD_EUNSUPPORTED (a half float overflowed), SDD_ENO_MEMORY, SDD_EDEVICE */
int result_bring(sdd_result *const *r, const struct result_layout *lay, int n, int blocks, const atomic_int *cancel,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* result_hold: gives the memory of the run to the result. sdd_result_bring brings the blocks from there. */
void result_hold(sdd_result *r, const struct result_layout *lay, void *memory, int64_t bytes);

#endif
