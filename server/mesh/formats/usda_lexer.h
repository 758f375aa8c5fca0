/* SPDX-License-Identifier: Apache-2.0 */
/* usda_lexer.h: USD's text format as tokens, over bytes that need not end in NUL. Line ends are blanks, as is '#' up to
 * one: no statement that is read here needs them to be told from the next. */
#ifndef SUBDD_USDA_LEXER_H
#define SUBDD_USDA_LEXER_H
#include "server/base/words.h"
#include <stdbool.h>
#include <stddef.h>

enum usda_kind { /* punctuation is its own character */
                 USDA_END = 0,
                 USDA_NAME = 256, /* letters, digits, _ : . and what is not ASCII; begins with no digit */
                 USDA_NUMBER,     /* a digit, sign or point, and what follows without a blank          */
                 USDA_STRING,     /* between ", ', three " or three '; text is what is between         */
                 USDA_ASSET,      /* @...@ or three @                                                  */
                 USDA_PATH        /* <...>                                                             */
};

struct usda_lexer {
    const char *at, *end; /* at: behind the token */
    int64_t line;         /* of the token's start */
    struct sdd_error *err;
    int kind; /* of the token, enum usda_kind or a character of ()[]{}=,;: */
    const char *text;
    size_t bytes;
    int64_t lines_in; /* line ends inside the token */
};

struct usda_span { /* a name; borrowed from the body */
    const char *text;
    size_t bytes;
};
struct usda_type { /* how the numbers of a value are read */
    int width;     /* of a tuple; 1: no tuples            */
    bool whole;
    bool lone; /* one value, not an array */
    bool any;  /* inf and nan are numbers */
};

void usda_begin(struct usda_lexer *lx, const void *body, size_t bytes, struct sdd_error *err);
/* usda_next: the next token. Errors  SDD_EMALFORMED: a string or such without its end, a byte that begins no token */
int usda_next(struct usda_lexer *lx) __attribute__((warn_unused_result));
bool usda_is(const struct usda_lexer *lx, const char *name); /* is the token this NAME? */
/* usda_fail: records "line N: " and the sentence; the field is "usda". */
int usda_fail(struct usda_lexer *lx, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* usda_expect: the token must be of this kind, then goes on to the next.
 * Errors  SDD_EMALFORMED: '"x" where WANTED is wanted' */
int usda_expect(struct usda_lexer *lx, int kind, const char *wanted) __attribute__((warn_unused_result));
int usda_wanted(struct usda_lexer *lx, const char *wanted);
/* usda_skip: over a value, which begins with this token, whatever is in it; brackets must match, 64 deep at most. */
int usda_skip(struct usda_lexer *lx) __attribute__((warn_unused_result));
/* usda_numbers: a value of this type, which begins with this token, into *to; then the next token.
 * Errors  SDD_EMALFORMED, SDD_EMESH (no number that the type can hold); all name `name` and line */
int usda_numbers(struct usda_lexer *lx, const char *name, struct usda_type type, int64_t body_bytes, struct words *to)
    __attribute__((warn_unused_result));

#endif
