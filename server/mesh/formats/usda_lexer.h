/* SPDX-License-Identifier: Apache-2.0 */
/* usda_lexer.h: USD's text format as tokens, over bytes that need not end with a NUL. Line ends count as blanks, and so
 * do comments ('#' and '//' to the line's end, and between slash-star and star-slash), because no statement that is
 * read here needs line ends to be told apart. */
#ifndef SUBDD_USDA_LEXER_H
#define SUBDD_USDA_LEXER_H
#include "server/base/words.h"
#include <stdbool.h>
#include <stddef.h>

/* The kinds of tokens. A punctuation mark has its own character as its kind. */
enum usda_kind {
    USDA_END = 0,
    USDA_NAME = 256, /* Letters, digits, '_', ':', '.' and bytes above ASCII; the first is not a digit. */
    USDA_NUMBER,     /* A digit, a sign or a point, and what follows it without a blank. */
    USDA_STRING,     /* The text between single or double quotes, one or three on either side. */
    USDA_ASSET,      /* A name between @, one or three on either side. */
    USDA_PATH        /* A path in angle brackets, <...>. */
};

struct usda_lexer {
    const char *at, *end; /* `at` is behind the current token. */
    int64_t line;         /* The line on which the current token begins. */
    struct sdd_error *err;
    int kind;         /* An enum usda_kind, or one of the characters ()[]{}=,;:. */
    const char *text; /* The current token, in the body; without its quotes, @ or brackets <>. */
    size_t bytes;
    int64_t lines_in; /* Line ends inside the current token. */
};
/* A place in a body where a token begins. */
struct usda_place {
    int64_t at, line;
};

/* A name, borrowed from the body. */
struct usda_span {
    const char *text;
    size_t bytes;
};
/* How the numbers of a value are read. */
struct usda_type {
    int width;    /* The numbers in a tuple; 1 when the values are not tuples. */
    bool integer; /* They are 32-bit integers, not floats. */
    bool lone;    /* The value is one tuple or number, not an array. */
    bool any;     /* inf and nan are allowed, and a number that is too large for a float is inf. */
};

/* usda_begin: begins before the first token of `body`, which must outlive the lexer and all text that it points to.
 * Failures go to err. */
void usda_begin(struct usda_lexer *lx, const void *body, size_t bytes, struct sdd_error *err);
/* usda_begin_at: begins with the token at a place of the body, and reads it. Errors  those of usda_next */
int usda_begin_at(struct usda_lexer *lx, const void *body, size_t bytes, struct usda_place place, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* usda_place: where the current token begins. */
struct usda_place usda_place(const struct usda_lexer *lx, const void *body);
/* usda_next: reads the next token. Errors  SDD_EMALFORMED (a string or the like without its end, or a byte that begins
 * no token) */
int usda_next(struct usda_lexer *lx) __attribute__((warn_unused_result));
/* usda_is: true when the current token is this name. */
bool usda_is(const struct usda_lexer *lx, const char *name);
/* usda_span_is: true for this text. */
bool usda_span_is(struct usda_span s, const char *text);
/* usda_token: the text of the current token. */
struct usda_span usda_token(const struct usda_lexer *lx);
/* usda_fail: fails with "line N: " before the sentence, and the field "usda". Returns code. */
int usda_fail(struct usda_lexer *lx, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* usda_expect: goes on to the next token if the current one is of this kind, else fails by usda_wanted. */
int usda_expect(struct usda_lexer *lx, int kind, const char *wanted) __attribute__((warn_unused_result));
/* usda_wanted: fails with SDD_EMALFORMED, naming what was wanted and the token that stands there instead. */
int usda_wanted(struct usda_lexer *lx, const char *wanted);
/* usda_skip: skips the value that the current token begins. `items`, which may be NULL, gets how many items it has if
 * it is an array, else 0; of an array of tuples, it counts the tuples.
 * Errors  SDD_EMALFORMED (brackets that do not match), SDD_EINVALID (more than 64 inside each other) */
int usda_skip(struct usda_lexer *lx, int64_t *items) __attribute__((warn_unused_result));
/* usda_double: reads the number that is the current token, in double. Errors  SDD_EMALFORMED */
int usda_double(struct usda_lexer *lx, double *out) __attribute__((warn_unused_result));
/* usda_numbers: appends to *to the value of this type that the current token begins, and goes on to the next token.
 * `name` is the attribute's, for messages; body_bytes is the length of the body (words_room).
 * Errors  SDD_EMALFORMED, SDD_EMESH (a number that the type cannot hold), SDD_ENO_MEMORY; they name `name` and the
 *         line */
int usda_numbers(struct usda_lexer *lx, const char *name, struct usda_type type, int64_t body_bytes, struct words *to)
    __attribute__((warn_unused_result));

#endif
