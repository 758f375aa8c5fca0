/* SPDX-License-Identifier: Apache-2.0 */
/* table_rule.h: the rules of a fan's vertex and edges as shares of masks, under any scheme: how the sharpness of a class
 * decays, and how much of a new point is the crease rule's. Source: OpenSubdiv's semi-sharp rules
 * (kernels/crease_rule.h) */
#ifndef SDD_TABLE_RULE_H
#define SDD_TABLE_RULE_H
#include "gpu/engines/tabulated/class.h"

int table_rule_ends(const struct table_class *c); /* edges of the fan */
/* table_rule_share: how much of an edge's point is the crease rule's; so too of a vertex where two edges of that
 * sharpness meet, and no others. */
double table_rule_share(float s);
struct table_class table_rule_next(const struct table_class *c); /* on the next level */
int32_t table_rule_of(const struct table_class *c);              /* enum sdd_rule, of the vertex */
/* table_rule_parent: how much of the vertex' new point is the rule of this level's, not of the next one's: the mean of
 * the sharpness that vanishes now. */
double table_rule_parent(const struct table_class *c, const struct table_class *child);

#endif
