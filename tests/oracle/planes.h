/* SPDX-License-Identifier: Apache-2.0 */
/* planes.h: limit tangents held against the normal beside them. */
#ifndef TESTS_ORACLE_PLANES_H
#define TESTS_ORACLE_PLANES_H

/* plane_fault: what is wrong with tangents[6] beside a served normal[3], NULL when nothing is: both are zero where the
 * normal is; else each has length 1 and t1 x t2 points along the normal within 1e-5, or as far as rounding turns it
 * where they are nearly one line. */
const char *plane_fault(const float tangents[6], const float normal[3]);

#endif
