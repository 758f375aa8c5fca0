/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin.h: crease method chaikin, level by level: the sharpness of the parts of semi-sharp position edges goes along
 * with what is refined, positions or primvars. Nothing happens where no edge is semi-sharp. */
#ifndef SDD_CHAIKIN_H
#define SDD_CHAIKIN_H
#include "gpu/mesh/topology.h"

/* chaikin_lay_out: memory for the parts on the levels up to `last`: parts[0] of even levels, parts[1] of odd ones. */
void chaikin_lay_out(const sdd_topology *t, int last, struct arena *a, float *parts[2]);
/* chaikin_reach: m, which was on level - 1 or comes from topology_control or topology_channel_control (level 0), gets
 * the parts on `level` and, but on the last, those of the next, which it queues. */
void chaikin_reach(const sdd_topology *t, float *const parts[2], int level, int last, struct sdd_control *m);

#endif
