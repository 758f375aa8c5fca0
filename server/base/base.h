/* SPDX-License-Identifier: Apache-2.0 */
/* base.h: the door of base/, the lowest room of the daemon: what has nothing to do with meshes, HTTP or devices.
 *
 *   memory and containers   arena, table and list, words, size
 *   text                    text (growing, with JSON members), chars (numbers out of bytes), address
 *   the daemon's own        settings (what the options say), log, metrics, process, clock
 *
 * Every other room may include any header here; base includes none of theirs, and of the library only gpu/sdd/err.h.
 * Log and metrics are values that their users are handed: no file here keeps state of its own. */
#ifndef SUBDD_BASE_H
#define SUBDD_BASE_H
#include <stddef.h>

/* The struct that holds `member` at `pointer`. */
#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#endif
