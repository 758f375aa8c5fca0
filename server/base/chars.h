/* SPDX-License-Identifier: Apache-2.0 */
/* chars.h: reads numbers and text in bytes that need not end with a NUL. The locale has no effect. */
#ifndef SUBDD_CHARS_H
#define SUBDD_CHARS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* chars_f32: reads the number at *at ([+-] digits [. digits] [e [+-] digits]), rounds it to the nearest float and moves
 * *at behind it.
 * Result  1, or -1 when it does not fit a float; 0, with *at unchanged, when there is no number. Most numbers of more
 *         than 127 characters count as none */
int chars_f32(const char **at, const char *end, float *out);
/* chars_i64: reads the integer at *at and moves *at behind it.
 * Result  1, or -1 when it has more than 18 digits; 0, with *at unchanged, when there is no integer */
int chars_i64(const char **at, const char *end, int64_t *out);
/* parse_integer: reads all of s[0, n) as 1 to 18 decimal digits, without a sign. Returns false when it is not one. */
bool parse_integer(const char *s, size_t n, int64_t *out);
/* chars_utf8: true for valid UTF-8 (shortest forms, no surrogates) without a NUL. */
bool chars_utf8(const void *text, size_t bytes);
/* chars_control: true when there is a control character (C0, DEL or C1) in UTF-8 text. */
bool chars_control(const char *text);
/* chars_proto: the same text for a struct of protobuf-c, whose members are not const although it only reads them. */
static inline char *chars_proto(const char *s)
{
    return (char *)(uintptr_t)s;
}

#define CHARS_SHOW_SIZE 40
/* chars_show: makes text from a client fit for an error message. It cuts the text short and writes '?' for everything
 * but printable ASCII. Returns out. */
const char *chars_show(const char *text, size_t bytes, char out[CHARS_SHOW_SIZE]);

#endif
