/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: the parts of a request that are small languages of their own: query strings, Accept, Range, entity tags. */
#ifndef SUBDD_QUERY_H
#define SUBDD_QUERY_H
#include "gpu/sdd/sdd.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_MAX 24

struct query { /* decoded names and values, in one malloc'ed block */
    char *block;
    int n;
    struct {
        const char *name, *value;
    } items[QUERY_MAX];
};
/* query_parse: text is what follows '?' (the guard has checked its escapes) or NULL. Every name must be one of
 * `allowed` (NULL-terminated; NULL allows none) or, with `options`, a flag of sdd_option_table with '_' for '-'.
 * Errors  SDD_EINVALID naming a parameter that is unknown, twice there, or not text */
int query_parse(struct query *q, const char *text, const char *const *allowed, bool options,
                struct sdd_error *err) SDD_MUST_CHECK;
void query_free(struct query *q);
const char *query_get(const struct query *q, const char *name); /* or NULL */
/* query_int: *out stays as it is when the parameter is absent. Errors  SDD_EINVALID */
int query_int(const struct query *q, const char *name, int64_t min, int64_t max, int64_t *out,
              struct sdd_error *err) SDD_MUST_CHECK;
int query_options(const struct query *q, struct sdd_options *options, struct sdd_error *err) SDD_MUST_CHECK;

enum media { /* bits */
             MEDIA_JSON = 1,
             MEDIA_PROTOBUF = 2,
             MEDIA_OBJ = 4,
             MEDIA_OCTETS = 8,
             MEDIA_FRAME = 16,
             MEDIA_TEXT = 32,
             MEDIA_YAML = 64,
             MEDIA_USDA = 128
};
const char *media_name(enum media one);
const char *media_suffix(int one);                 /* of entity tags: "-obj"; "" for those that have none */
void media_list(int bits, char *out, size_t size); /* "application/json, model/obj" */
/* media_of: the media type of a Content-Type value, parameters ignored; 0 when it is none of ours. */
int media_of(const char *content_type);
/* media_accepted: which of `offered` an Accept value (NULL: anything) likes best; `first` wins ties. 0: none. */
int media_accepted(const char *accept, int offered, enum media first);

/* range_parse: "bytes=a-b", "bytes=a-" or "bytes=-n" against a body of `size` bytes.
 * Returns 1: one range, in *first and *length; 0: to be ignored (other unit, several ranges, broken); -1: cannot
 * be satisfied. */
int range_parse(const char *value, int64_t size, int64_t *first, int64_t *length);
/* etag_matches: is `etag` (with its quotes) in the list, or the list "*"? Weak tags match only with `weak`. */
bool etag_matches(const char *list, const char *etag, bool weak);

#endif
