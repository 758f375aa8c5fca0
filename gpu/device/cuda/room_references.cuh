/* SPDX-License-Identifier: Apache-2.0 */
/* room_references.cuh: the end of the second translation unit that list-kernels makes for a room with tuned forms. It
 * turns the references, with which tests and benches compare the tuned forms (SDD_REFERENCE), into __global__
 * functions. It includes none of the tuned forms. SDD_ROOM_KERNELS names the room's list of kernels. */
#include "gpu/device/cuda/body_launches.cuh"

enum { reference_threads = 256 };

#define SDD_ITEM(name)
#define SDD_QUERY(name)
#define SDD_TILE(name)
#define SDD_TUNED_ITEM(name) TILE_LAUNCH(name, r_##name, reference_threads, reference_of_##name, sdd_reference_##name)
#define SDD_TUNED_TILE(name) TILE_LAUNCH(name, k_##name, name##_threads, reference_of_##name, sdd_reference_##name)
#include SDD_ROOM_KERNELS
