/* SPDX-License-Identifier: Apache-2.0 */
/* loop_rule.h: the weights of Loop's scheme. Those of irregular vertices need a cosine. They come in a table by valence
 * that the host makes in double: s[0] = beta for a step, s[1] = w = 1 / (n + 3 / (8 beta)) for the limit.
 * Source  Loop 1987; OpenSubdiv sdc/loopScheme.h */
#ifndef SDD_LOOP_RULE_H
#define SDD_LOOP_RULE_H
#include "gpu/rules/crease_rule.h"

/* The vertex rule (1 - n beta) v + beta edges, from the sum of the n edge neighbours. */
SDD_FN struct sdd_vec3 sdd_loop_vertex(struct sdd_vec3 v, int32_t n, struct sdd_vec3 edges,
                                       const struct sdd_float2 *weights)
{
    float beta = n == 6 ? 0.0625f : weights[n].s[0];
    return sdd_fma((float)(1.0 - (double)n * (double)beta), v, sdd_scale(beta, edges));
}

/* The edge rule: 3/8 of the sum of the ends and 1/8 of the sum of the points across. */
SDD_FN struct sdd_vec3 sdd_loop_edge(struct sdd_vec3 ends, struct sdd_vec3 across)
{
    return sdd_fma(0.375f, ends, sdd_scale(0.125f, across));
}

SDD_FN struct sdd_vec3 sdd_loop_limit(struct sdd_vec3 v, int32_t rule, int32_t n, struct sdd_vec3 edges,
                                      struct sdd_vec3 ends, const struct sdd_float2 *weights)
{
    if (rule == SDD_RULE_CORNER)
        return v;
    if (rule == SDD_RULE_CREASE)
        return sdd_fma((float)(1.0 / 6.0), ends, sdd_scale((float)(2.0 / 3.0), v));
    float w = n == 6 ? (float)(1.0 / 12.0) : weights[n].s[1];
    return sdd_fma((float)(1.0 - (double)n * (double)w), v, sdd_scale(w, edges));
}
#endif
