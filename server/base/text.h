/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: text that grows up to a limit. Answers, log lines and metrics are written into one. */
#ifndef SUBDD_TEXT_H
#define SUBDD_TEXT_H
#include <stdbool.h>
#include <stddef.h>

#define TEXT_MAX_BYTES ((size_t)64 << 20)

/* A zeroed text is empty. When memory is out or the limit is reached, `failed` is set and later writes do nothing. */
struct text {
    char *data; /* NULL until something is written; then a NUL follows the text. */
    size_t bytes, capacity;
    bool failed;
};
void text_free(struct text *t);
/* text_clear: empties the text and clears `failed`, but keeps the memory. */
void text_clear(struct text *t);
void text_add(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* text_json_string: adds s as a JSON string, in quotes and escaped. */
void text_json_string(struct text *t, const char *s);
/* text_key: adds a comma, unless the member is the first one, and "key":. The caller writes the braces. */
void text_key(struct text *t, const char *key);
/* These add a member of a JSON object, with its key. `digits` counts those behind the point. */
void text_member(struct text *t, const char *key, const char *value);
void text_member_int(struct text *t, const char *key, long long value);
void text_member_real(struct text *t, const char *key, double value, int digits);

#endif
