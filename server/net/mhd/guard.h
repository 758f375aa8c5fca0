/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: checks the raw bytes of a request before the HTTP library sees one of them.
 *
 * libmicrohttpd 0.9.75 lets through what two readers of one stream can read differently (a bare LF, folded headers, two
 * lengths, NUL), and most of that cannot be seen any more through its interface. So the receive path (conn.c) looks at
 * the bytes first. It hands a head on only when it is complete and good, and never a byte past the end of its message.
 * The functions depend on their bytes alone: they use no sockets, and only state that the caller keeps. */
#ifndef SUBDD_GUARD_H
#define SUBDD_GUARD_H
#include "gpu/sdd/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most header lines, query parameters and cookies in sum. libmicrohttpd keeps a note of each in the connection's
 * memory, even if nobody reads it, and when that memory is used up it answers in its own words or just closes. */
#define GUARD_MAX_PARTS 64

struct guard_head {
    size_t bytes;                /* The length of the head with its empty line. */
    size_t target, target_bytes; /* Where the request target starts, and its length. */
    size_t path_bytes;           /* The length of the target before '?'. */
    int64_t content_length;      /* -1 when there is none. */
    bool chunked;
    bool http10; /* It is HTTP/1.0, which knows no interim responses. */
};
/* guard_head: parses the head at the start of bytes[0, n).
 * Result  1 when it is complete and good, 0 when it is good so far and more bytes are needed, else an error
 * Errors  SDD_EMALFORMED, SDD_EHEADERS (longer than max_bytes, too many parts), SDD_EMEDIA_TYPE (Content-Encoding) */
int guard_head(const char *bytes, size_t n, size_t max_bytes, struct guard_head *out, struct sdd_error *err);

/* The state of reading a chunked body; zeroed at its start. */
struct guard_chunks {
    int state, digits;
    uint64_t left; /* The bytes of the current chunk that have not come yet. */
    bool done;     /* The body has ended. */
};
/* guard_chunks: reads on in a chunked body. Extensions of chunks and trailers are refused, because no client needs them
 * here.
 * Result  how many of bytes[0, n) belong to this body, or -1 when the framing is broken */
int64_t guard_chunks(struct guard_chunks *c, const char *bytes, size_t n);

/* guard_target: checks a target path[?query]: it must begin with a slash and have whole percent escapes, and its path
 * must decode to UTF-8 without NUL, '.' or '..' segments, or escaped slashes.
 * Result  1, or an error
 * Errors  SDD_EMALFORMED */
int guard_target(const char *target, size_t n, struct sdd_error *err);
/* guard_hex: the value of a hex digit, or -1. */
int guard_hex(char c);

#endif
