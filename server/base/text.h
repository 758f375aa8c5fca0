/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: a growing text with a ceiling: answers, log lines and metrics are written into one. */
#ifndef SUBDD_TEXT_H
#define SUBDD_TEXT_H
#include <stdbool.h>
#include <stddef.h>

#define TEXT_MAX_BYTES ((size_t)64 << 20)

/* Zeroed is empty. After a failed allocation (or past the ceiling) `failed` is set and later writes do nothing. */
struct text {
    char *data; /* always ends in NUL once something was written */
    size_t bytes, capacity;
    bool failed;
};
void text_free(struct text *t);
void text_clear(struct text *t);
void text_add(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* JSON: text_json_string writes s quoted and escaped; text_key writes a comma where one is due and "key":.
 * The members below add key and value; the caller writes the braces. */
void text_json_string(struct text *t, const char *s);
void text_key(struct text *t, const char *key);
void text_member(struct text *t, const char *key, const char *value);
void text_member_int(struct text *t, const char *key, long long value);
void text_member_real(struct text *t, const char *key, double value, int digits);

#endif
