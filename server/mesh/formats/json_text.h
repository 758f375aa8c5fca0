/* SPDX-License-Identifier: Apache-2.0 */
/* json_text.h: strict JSON on top of cJSON. It refuses what RFC 8259 forbids, and members that the caller does not
 * know. */
#ifndef SUBDD_JSON_H
#define SUBDD_JSON_H
#include "gpu/sdd/sdd.h"
#include "server/base/arena.h"
#include "server/base/size.h"
#include "server/mesh/formats/codec.h"
#include <cjson/cJSON.h>

#define JSON_MAX_DEPTH 16

/* json_parse: parses one JSON value with nothing after it. json_scan first refuses what cJSON lets through: bad UTF-8,
 * bad numbers, control characters, \u0000, more than 16 levels of nesting, and text behind the value. An array that has
 * numbers alone has no children, but its text, in valuestring; so `data` has to stay as long as *out.
 * Owner   the caller frees *out with cJSON_Delete
 * Errors  SDD_EMALFORMED naming the byte, SDD_ENO_MEMORY */
int json_parse(const void *data, size_t bytes, cJSON **out, struct sdd_error *err) SDD_MUST_CHECK;

/* json_fields: finds the members of `object`: out[i] is the one called names[i], or NULL. `where` is what errors call
 * the object, "" for the body.
 * Errors  SDD_EINVALID when a member is unknown or there twice, or when `object` is not an object */
int json_fields(const cJSON *object, const char *where, const char *const *names, int n, const cJSON **out,
                struct sdd_error *err) SDD_MUST_CHECK;

/* These read one member. When it is absent (item is NULL), *out stays as it is, but an array becomes empty.
 * Errors  SDD_EINVALID naming `field`: the wrong type, not an integer, 2^53 or more, out of range, or not finite;
 *         the readers of arrays also SDD_ETOO_LARGE and SDD_ENO_MEMORY of the arena */
int json_string(const cJSON *item, const char *field, const char **out, struct sdd_error *err) SDD_MUST_CHECK;
int json_bool(const cJSON *item, const char *field, int *out, struct sdd_error *err) SDD_MUST_CHECK;
int json_int(const cJSON *item, const char *field, int64_t min, int64_t max, int64_t *out,
             struct sdd_error *err) SDD_MUST_CHECK;
int json_i32s(struct arena *a, const cJSON *item, const char *field, struct i32s *out,
              struct sdd_error *err) SDD_MUST_CHECK;
int json_f32s(struct arena *a, const cJSON *item, const char *field, struct f32s *out,
              struct sdd_error *err) SDD_MUST_CHECK;
/* json_i64s: the same in 64 bits. The caller frees out->v, also after an error. */
int json_i64s(const cJSON *item, const char *field, struct i64s *out, struct sdd_error *err) SDD_MUST_CHECK;
int json_number(const cJSON *item, const char *field, double *out, struct sdd_error *err) SDD_MUST_CHECK;
/* json_doubles: reads an array of n numbers. Errors  SDD_EMESH when it has another number of them */
int json_doubles(const cJSON *item, const char *field, double *out, int n, struct sdd_error *err) SDD_MUST_CHECK;
/* json_list: counts the items of an array of objects or strings (`what`, with its article), which are its children.
 * Errors  SDD_EINVALID when it is no array, or one of numbers */
int json_list(const cJSON *item, const char *field, const char *what, int64_t *n, struct sdd_error *err) SDD_MUST_CHECK;

#endif
