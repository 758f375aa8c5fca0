/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h: the time of day, for what is written down. Durations are measured with uv_hrtime. */
#ifndef SUBDD_CLOCK_H
#define SUBDD_CLOCK_H
#include <stdint.h>

int64_t now_ms(void); /* Unix time in milliseconds */

#endif
