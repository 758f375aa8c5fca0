/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.h: decides whether bytes are JSON by RFC 8259. It reads them once, in linear time, before cJSON may. */
#ifndef SUBDD_JSON_SCAN_H
#define SUBDD_JSON_SCAN_H
#include <stddef.h>

extern const char json_too_deep[];
/* json_scan: checks that `data` is one JSON value and nothing but white space after it, in UTF-8, with at most
 * max_depth (<= 64) arrays and objects inside each other, without \u0000 and without numbers over 63 characters.
 * Result  NULL when it is; else json_too_deep or another sentence that says what is wrong at byte *where */
const char *json_scan(const char *data, size_t bytes, int max_depth, size_t *where);

#endif
