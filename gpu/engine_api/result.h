/* SPDX-License-Identifier: Apache-2.0 */
/* result.h: a result on its way: its blocks, where the kernels write them, their digests, and how they come to host
 * memory. On a unified backend the kernels write the blocks where they stay. Shared inside gpu/. */
#ifndef SDD_RESULT_H
#define SDD_RESULT_H
#include "gpu/device/device.h"
#include "gpu/kernel/rows_out.h"
#include "gpu/sdd/sdd.h"

struct sdd_result {
    sdd_device *device;
    struct sdd_result_info info;
    /* of one whose blocks are still to come: */
    void *memory; /* of the run; NULL: they have, or it is none */
    int64_t memory_bytes, brought;
    const void *block[SDD_MAX_BLOCKS]; /* in it */
};

/* rows_f32: what is not in 16 bits. */
static const struct sdd_rows_as rows_f32 = {SDD_ROWS_F32, NULL};

enum result_mark { MARK_START, MARK_REFINED, MARK_DIGESTED, MARK_DOWNLOADED };

struct result_layout { /* of device memory */
    uint64_t *digests; /* result_words: one a block, then the facts */
    void *tree[SDD_MAX_BLOCKS];
    void *block[SDD_MAX_BLOCKS];      /* after result_place: what becomes the block            */
    float *source[SDD_MAX_BLOCKS];    /* of a compact block: the f32 rows that it is made of,  */
    int direct;                       /* unless it is one of these (enum sdd_include), which a */
                                      /* plan cannot know: the room is there all the same      */
    struct sdd_quantise_facts *facts; /* NULL: no block is compact                             */
};

/* result_create: without blocks. Given back by sdd_result_free, whatever it has by then. */
int result_create(sdd_device *d, sdd_result **out, struct sdd_error *err) SDD_MUST_CHECK;
struct sdd_block *result_add_block(struct sdd_plan_info *p, int semantic, int format, int components, int64_t count);
/* result_words: of a result, or of several one after another: what comes over beside the blocks. */
int64_t result_words(const struct sdd_plan_info *p);
void result_lay_out(const sdd_device *d, const struct sdd_plan_info *p, uint64_t *words, struct arena *a,
                    struct result_layout *out);
/* result_place: host memory for the blocks of the plan, for whom gives it back soon or not. */
int result_place(sdd_result *r, int soon, struct result_layout *lay, struct sdd_error *err) SDD_MUST_CHECK;
/* result_block: where engines write the rows of the block, of f32 or u32 unless it is direct. NULL: there is none. */
void *result_block(const struct sdd_plan_info *p, const struct result_layout *lay, int semantic);

int result_cancelled(const atomic_int *cancel, const char *before, struct sdd_error *err) SDD_MUST_CHECK;
/* result_bring: after MARK_START and all kernels of n results, whose words follow each other, have been queued:
 * digests, the way to host memory (blocks 0: not of the blocks), times, of which each result has its share. Waits. */
int result_bring(sdd_result *const *r, const struct result_layout *lay, int n, int blocks, const atomic_int *cancel,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* result_hold: takes the memory of the run, from which sdd_result_bring brings the blocks. */
void result_hold(sdd_result *r, const struct result_layout *lay, void *memory, int64_t bytes);

#endif
