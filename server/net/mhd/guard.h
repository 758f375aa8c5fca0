/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: judges the raw bytes of a request before the HTTP library sees one of them.
 *
 * libmicrohttpd 0.9.75 lets pass what two readers of one stream can read differently (bare LF, folded headers, two
 * lengths, NUL), and most of that can no longer be seen through its interface. So the receive path (conn.c) looks
 * at the bytes first: a head is handed on only when it is complete and good, and never a byte past the end of its
 * message. Pure functions of bytes: no sockets, no state but the caller's. */
#ifndef SUBDD_GUARD_H
#define SUBDD_GUARD_H
#include "gpu/sdd/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Header lines, query parameters and cookies together: libmicrohttpd keeps a note of each in the connection's memory,
 * read here or not, and when that is used up it answers in its own words or just closes. */
#define GUARD_MAX_PARTS 64

struct guard_head {
    size_t bytes;                /* of the head, with its empty line                */
    size_t target, target_bytes; /* the request target: where it starts, how long   */
    size_t path_bytes;           /* of the target before '?'                        */
    int64_t content_length;      /* -1: none                                        */
    bool chunked;
};
/* guard_head: the head at the start of bytes[0, n).
 * Returns 1: complete and good; 0: good so far, more bytes are needed; else the error that answers it.
 * Errors  SDD_EMALFORMED, SDD_EHEADERS (longer than max_bytes, too many parts), SDD_EMEDIA_TYPE (Content-Encoding) */
int guard_head(const char *bytes, size_t n, size_t max_bytes, struct guard_head *out, struct sdd_error *err);

/* guard_chunks: follows a chunked body. Zeroed is its start. Returns how many of bytes[0, n) are good and belong
 * to this body; `done` is set at its end. -1: broken framing. Extensions and trailers are refused: nobody sends
 * them here. */
struct guard_chunks {
    int state, digits;
    uint64_t left; /* of the chunk that is being read */
    bool done;
};
int64_t guard_chunks(struct guard_chunks *c, const char *bytes, size_t n);

/* guard_target: path[?query] as it stood in the request line: origin form, sound percent escapes, and a path that
 * decodes to UTF-8 without NUL, '.' or '..' segments, or encoded slashes. Errors  SDD_EMALFORMED */
int guard_target(const char *target, size_t n, struct sdd_error *err);
bool guard_utf8(const char *s, size_t n);
int guard_hex(char c); /* 0..15, or -1 */

#endif
