/* SPDX-License-Identifier: Apache-2.0 */
/* chars.h: reading numbers and text out of bytes that need not end in NUL, without a locale. */
#ifndef SUBDD_CHARS_H
#define SUBDD_CHARS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* chars_f32: the number at *at ([+-] digits [. digits] [e [+-] digits]) rounded to nearest; moves *at behind it.
 * Result  1; 0 when there is no number or it is over 127 characters (*at stays); -1 when it does not fit a float */
int chars_f32(const char **at, const char *end, float *out);
/* chars_i64: the integer at *at; same results. */
int chars_i64(const char **at, const char *end, int64_t *out);
/* parse_whole: all of s[n] as a number of decimal digits alone, at most 18; false: it is none. */
bool parse_whole(const char *s, size_t n, int64_t *out);
/* chars_utf8: is it valid UTF-8 (shortest forms, no surrogates) without NUL? */
bool chars_utf8(const void *text, size_t bytes);

#define CHARS_SHOW_SIZE 40
/* chars_show: client text made fit for an error message: cut short, all but printable ASCII as '?'. Returns out. */
const char *chars_show(const char *text, size_t bytes, char out[CHARS_SHOW_SIZE]);

#endif
