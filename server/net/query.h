/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: parses the parts of a request that have a syntax of their own: query strings, media types, Accept, Range and
 * entity tags. */
#ifndef SUBDD_QUERY_H
#define SUBDD_QUERY_H
#include "gpu/sdd/sdd.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_MAX 24

/* The parameters of a query string. */
struct query {
    char *block; /* malloc'ed; it holds the decoded names and values. */
    int n;
    struct {
        const char *name, *value;
    } items[QUERY_MAX];
};
/* query_parse: parses what follows '?', whose escapes guard_target has checked, or NULL. Every name must be one of
 * `allowed`, which ends with NULL (and may be NULL itself), or, with `options`, a flag of sdd_option_table with '_' for
 * '-'.
 * Owner   the caller frees *q with query_free, also on error
 * Errors  SDD_EINVALID naming a parameter that is unknown, there twice or not UTF-8, or for too many; SDD_ENO_MEMORY */
int query_parse(struct query *q, const char *text, const char *const *allowed, bool options,
                struct sdd_error *err) SDD_MUST_CHECK;
void query_free(struct query *q);
/* query_get: the value of a parameter, or NULL. */
const char *query_get(const struct query *q, const char *name);
/* query_int: reads an integer. *out stays as it is when the parameter is absent. Errors  SDD_EINVALID */
int query_int(const struct query *q, const char *name, int64_t min, int64_t max, int64_t *out,
              struct sdd_error *err) SDD_MUST_CHECK;
/* query_bool: reads true or false. *out stays as it is when the parameter is absent. Errors  SDD_EINVALID */
int query_bool(const struct query *q, const char *name, bool *out, struct sdd_error *err) SDD_MUST_CHECK;
/* query_options: sets the subdivision options that the query has. Errors  SDD_EINVALID */
int query_options(const struct query *q, struct sdd_options *options, struct sdd_error *err) SDD_MUST_CHECK;
/* query_options_given: bit k is set when the query has row k of sdd_option_table. */
unsigned query_options_given(const struct query *q);

/* Bits, so that a set of media types is an int. */
enum media {
    MEDIA_JSON = 1,
    MEDIA_PROTOBUF = 2,
    MEDIA_OBJ = 4,
    MEDIA_OCTETS = 8,
    MEDIA_FRAME = 16,
    MEDIA_TEXT = 32,
    MEDIA_YAML = 64,
    MEDIA_USDA = 128,
    MEDIA_HTML = 256,
    MEDIA_PLY = 512,
    MEDIA_GLB = 1024,
    MEDIA_STL = 2048,
    MEDIA_WATCH = 4096,
    MEDIA_EVENTS = 8192,
    MEDIA_FILES = MEDIA_OBJ | MEDIA_PLY | MEDIA_USDA | MEDIA_GLB | MEDIA_STL /* The formats of proto/files. */
};
const char *media_name(enum media one);
/* media_suffix: what the entity tag of this representation ends with, like "-obj", or "" when it has no ending. */
const char *media_suffix(int one);
/* media_list: writes the names of all bits, like "application/json, model/obj". */
void media_list(int bits, char *out, size_t size);
/* media_of: the bits of the media type in a Content-Type value, whose parameters are ignored; 0 when it is unknown. */
int media_of(const char *content_type);
/* media_accepted: the bit of `offered` that an Accept value prefers. Among types of the same q one that is named wins
 * over one that a wildcard matches, and then `first`, which is also the answer when accept is NULL. Returns 0 when the
 * client accepts none of them. */
int media_accepted(const char *accept, int offered, enum media first);

/* range_parse: parses "bytes=a-b", "bytes=a-" or "bytes=-n" for a body of `size` bytes.
 * Result  1 for one range, in *first and *length; 0 when the header must be ignored (another unit, several ranges,
 *         malformed); -1 when the range cannot be satisfied */
int range_parse(const char *value, int64_t size, int64_t *first, int64_t *length);
/* etag_matches: true when the list names `etag`, which has its quotes, or is "*". Weak tags match only with `weak`. */
bool etag_matches(const char *list, const char *etag, bool weak);

#endif
