/* SPDX-License-Identifier: Apache-2.0 */
/* room_references.cuh: ends the second unit that list-kernels makes for a room with tuned forms: the portable bodies that
 * these replace, for tests and benches (SDD_REFERENCE). It includes none of the tuned forms. SDD_ROOM_KERNELS names the
 * room's list of kernels. */
#include "gpu/device/cuda/body_launches.cuh"

#define SDD_ITEM(name)
#define SDD_TILE(name)
#define SDD_TUNED_ITEM(name) ITEM_LAUNCH(name, r_##name, sdd_reference_##name)
#define SDD_TUNED_TILE(name) TILE_LAUNCH(name, r_##name, sdd_reference_##name)
#include SDD_ROOM_KERNELS
