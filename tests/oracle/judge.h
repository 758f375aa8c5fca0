/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h: one mesh by every engine that takes it, against a witness. What may be refused is in a table of judge.c:
 * what an engine does not do. */
#ifndef TESTS_ORACLE_JUDGE_H
#define TESTS_ORACLE_JUDGE_H
#include "tests/oracle/cases.h"

enum { JUDGE_ENGINES = 8 };
struct judge {
    sdd_device *device;
    witness_fn *witness;
    int64_t ran[JUDGE_ENGINES], refused[JUDGE_ENGINES]; /* by row of the engine table */
};
/* judge_differs: prints each difference after the label (NULL: prints and counts nothing) and returns how many engines
 * differ or refuse without reason. */
int judge_differs(struct judge *j, const char *label, const struct sdd_mesh_desc *desc, const float *points,
                  const float *uvs, int level);
/* judge_may_refuse: does the error say what an engine does not do? */
int judge_may_refuse(const struct sdd_error *err);
/* judge_tell: how many engines took and refused. */
void judge_tell(const struct judge *j);

/* uv_bow_tie: does a UV value come back to a vertex after another one? What OpenSubdiv makes of that depends on the
 * face that it looks at first: no witness. */
int uv_bow_tie(const struct sdd_mesh_desc *desc);
#endif
