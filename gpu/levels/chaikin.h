/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin.h: crease method chaikin, level by level, for the code that refines positions or primvars. The sharpness of
 * the parts of semi-sharp position edges is refined along with them. Nothing happens where no edge is semi-sharp. */
#ifndef SDD_CHAIKIN_H
#define SDD_CHAIKIN_H
#include "gpu/mesh/topology.h"

/* chaikin_lay_out: lays out memory for the parts on the levels up to `last`: parts[0] for even levels, parts[1] for odd
 * ones. */
void chaikin_lay_out(const sdd_topology *t, int last, struct arena *a, float *parts[2]);
/* chaikin_reach: gives m the parts on `level` and, unless that is `last`, queues those of the next level. Before the
 * call m is on level - 1; for level 0 it comes from topology_control or topology_channel_control. */
void chaikin_reach(const sdd_topology *t, float *const parts[2], int level, int last, struct sdd_control *m);

#endif
