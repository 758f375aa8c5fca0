/* SPDX-License-Identifier: Apache-2.0 */
/* rule.h: how the sharpness of a class decays from level to level, and how the rules of its vertex and edges are
 * blended while it does. class.c and tri_class.c share it, as it holds under any scheme.
 * Source  OpenSubdiv's semi-sharp rules (gpu/rules/crease_rule.h) */
#ifndef SDD_TABULATED_RULE_H
#define SDD_TABULATED_RULE_H
#include "gpu/engines/tabulated/class.h"

int table_rule_ends(const struct table_class *c); /* The number of edges in the fan. */
/* table_rule_share: the share of the crease rule, 0 to 1, in the new point of an edge with sharpness s. The same share
 * holds for a smooth vertex where exactly two edges of that sharpness meet. */
double table_rule_share(float s);
struct table_class table_rule_next(const struct table_class *c); /* The class on the next level. */
int32_t table_rule_of(const struct table_class *c);              /* The rule of the vertex, a value of enum sdd_rule. */
/* table_rule_parent: the share of this level's rule in the new point of the vertex; the next level's rule has the rest.
 * If the rules differ, it is the mean of the sharpness that vanishes in this step, at most 1. */
double table_rule_parent(const struct table_class *c, const struct table_class *child);
/* table_rule_goes_on: whether limits follow the fan over another step, of which *left more are to be taken where only
 * an infinite crease ends (gpu/rules/limit_ring.h); callers begin with SDD_DART_STEPS.
 * table_rule_last: the class where they stop. */
int table_rule_goes_on(const struct table_class *c, int *left);
struct table_class table_rule_last(const struct table_class *c);

#endif
