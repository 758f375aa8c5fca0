/* SPDX-License-Identifier: Apache-2.0 */
/* room_launches.cuh: the end of the translation unit that list-kernels makes for nvcc and each room. It turns every
 * kernel of the room into a __global__ function with a record for the module's table. A thread makes an item or what
 * a query asks for an element of flat rows, a block a tile. A tuned form has its own function, g_NAME, and the number
 * of threads of its blocks, NAME_threads; each of its blocks makes one item or tile. SDD_ROOM_KERNELS names the
 * room's list of kernels. */
#include "gpu/device/cuda/body_launches.cuh"

#define SDD_ITEM(name) ITEM_LAUNCH(name, k_##name, g_##name, sdd_launch_##name)
#define SDD_QUERY(name) /* The three forms of gpu/tiles/query.h, which the kernel itself includes. */                  \
    SDD_QUERY_BODY(name)                                                                                               \
    ITEM_LAUNCH(name, q_##name, g_##name, sdd_launch_##name)                                                           \
    TILE_LAUNCH(name, q_##name##_kept, query_kept_threads, g_##name##_kept, sdd_launch_##name##_kept)                  \
    TILE_LAUNCH(name, q_##name##_staged, query_threads, g_##name##_staged, sdd_launch_##name##_staged)
#define SDD_TILE(name) TILE_LAUNCH(name, k_##name, name##_threads, g_##name, sdd_launch_##name)
#define SDD_TUNED_ITEM(name)                                                                                           \
    const struct sdd_kernel_launch sdd_launch_##name = {(const void *)g_##name, sizeof(struct name##_args),            \
                                                        name##_threads, 1};
#define SDD_TUNED_TILE(name) SDD_TUNED_ITEM(name)
#include SDD_ROOM_KERNELS
