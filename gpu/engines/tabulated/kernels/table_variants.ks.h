/* SPDX-License-Identifier: Apache-2.0 */
/* table_variants: the kernels of the engine tabulated for rows of other formats and widths (rows_out.h). Each is a
 * kernel of its own, because one for all of them would need more registers than a GPU has.
 * Shapes  as the kernel that each is a variant of. Rows of table_points_unorm16 are u16[4], those of table_points_uv
 *         are f32[2] or f16[2] without gaps, those of table_points_n have `width` floats a stride apart, and those
 *         of table_normals_oct16, with by_pieces set, are i16[2]. table_points_normals_16 makes both kinds of 16-bit
 *         rows.
 * Launch  as the kernel that each is a variant of
 * Cost    as that kernel, but a row written takes 8 B, 8 or 4 B, 4 B a float, and 4 B
 * Result  as that kernel, component by component, and quantised if rows have 16 bits a number
 * Threads any queue */
#ifndef SDD_K_TABLE_VARIANTS_H
#define SDD_K_TABLE_VARIANTS_H
#include "gpu/engines/tabulated/kernels/table_points_normals.k.h"

/* ROW(the kernel, the one that it is a variant of, what makes item i of arguments a on a CPU, what makes it in the
 * reference). */
#define SDD_TABLE_VARIANTS(ROW)                                                                                        \
    ROW(table_points_unorm16, table_points, sdd_table_item(i, a, sdd_xyz()), sdd_table_row_by_row(i, a, sdd_xyz()))    \
    ROW(table_points_uv, table_points, sdd_table_item(i, a, sdd_uv()), sdd_table_row_by_row(i, a, sdd_uv()))           \
    ROW(table_points_n, table_points, sdd_table_item(i, a, a->width), sdd_table_row_by_row(i, a, a->width))            \
    ROW(table_normals_oct16, table_normals, k_table_normals(i, a), r_table_normals(i, a))                              \
    ROW(table_points_normals_16, table_points_normals, k_table_points_normals(i, a), r_table_points_normals(i, a))

#define SDD_TABLE_VARIANT(name, of, item, reference)                                                                   \
    struct name##_args {                                                                                               \
        struct of##_args base;                                                                                         \
    };                                                                                                                 \
    SDD_FN void r_##name(int64_t i, const struct name##_args *args)                                                    \
    {                                                                                                                  \
        const struct of##_args *a = &args->base;                                                                       \
        reference;                                                                                                     \
    }
SDD_TABLE_VARIANTS(SDD_TABLE_VARIANT)

#ifndef __CUDACC__
#define SDD_TABLE_VARIANT_ITEM(name, of, item, reference)                                                              \
    SDD_FN void k_##name(int64_t i, const struct name##_args *args)                                                    \
    {                                                                                                                  \
        const struct of##_args *a = &args->base;                                                                       \
        item;                                                                                                          \
    }
SDD_TABLE_VARIANTS(SDD_TABLE_VARIANT_ITEM)
#endif
#endif
