/* SPDX-License-Identifier: Apache-2.0 */
/* compact.h: compact rows back to numbers, in double, from the words of proto/README.md, "Compact blocks",
 * and how far off they may be. Shares nothing with what makes them, nor with libsubd. */
#ifndef TESTS_ORACLE_COMPACT_H
#define TESTS_ORACLE_COMPACT_H
#include <stdint.h>

#define COMPACT_STEPS (1 / 126000.0) /* of the box's extent      */
#define COMPACT_FLAT 1e-33           /* or that                  */
#define COMPACT_DEGREES 0.0038       /* of a normal's direction  */

void compact_position(const uint16_t q[4], const float low[3], const float high[3], double out[3]);
void compact_normal(const uint16_t q[2], double out[3]); /* of length 1, or zero */
double compact_half(uint16_t h);
/* compact_degrees: the angle between two directions. */
double compact_degrees(const double a[3], const double b[3]);
/* compact_half_error: how far a half float may be from v. */
double compact_half_error(double v);

#endif
