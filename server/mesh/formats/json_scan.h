/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.h: is it JSON by RFC 8259? A look at the bytes, in linear time, before cJSON may touch them. */
#ifndef SUBDD_JSON_SCAN_H
#define SUBDD_JSON_SCAN_H
#include <stddef.h>

extern const char json_too_deep[];
/* json_scan: NULL when `data` is one JSON value, at most max_depth (<= 64) arrays and objects deep, in UTF-8, with no
 * \u0000, no number over 63 characters and nothing but white space after it; else what is wrong, at byte *where:
 * json_too_deep, or another sentence. */
const char *json_scan(const char *data, size_t bytes, int max_depth, size_t *where);

#endif
