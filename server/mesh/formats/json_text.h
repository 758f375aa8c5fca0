/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: strict JSON over cJSON: what the grammar forbids is refused, and so is every field that nobody asked for. */
#ifndef SUBDD_JSON_H
#define SUBDD_JSON_H
#include "gpu/sdd/sdd.h"
#include "server/base/arena.h"
#include "server/base/size.h"
#include <cjson/cJSON.h>

#define JSON_MAX_DEPTH 16
#define JSON_MAX_FIELDS 64

/* json_parse: one value and nothing after it, by RFC 8259. Beyond cJSON: UTF-8 is checked, and number grammar, control
 * characters, \u0000, nesting (16) and trailing text are refused. Caller frees with cJSON_Delete.
 * Errors  SDD_EMALFORMED naming the byte, SDD_ENO_MEMORY */
int json_parse(const void *data, size_t bytes, cJSON **out, struct sdd_error *err) SDD_MUST_CHECK;

/* json_fields: item i of out is the member of `object` called names[i], or NULL. n <= JSON_MAX_FIELDS.
 * `where` is the object's own name for errors ("" at the top).
 * Errors  SDD_EINVALID naming a member that is unknown or there twice, or when object is not an object */
int json_fields(const cJSON *object, const char *where, const char *const *names, int n, const cJSON **out,
                struct sdd_error *err) SDD_MUST_CHECK;

/* Readers of one member; item NULL (absent) leaves *out as it is (arrays: empty).
 * Errors  SDD_EINVALID naming `field`: wrong type, not an integer, beyond 2^53 or the type's range, not finite */
int json_string(const cJSON *item, const char *field, const char **out, struct sdd_error *err) SDD_MUST_CHECK;
int json_bool(const cJSON *item, const char *field, int *out, struct sdd_error *err) SDD_MUST_CHECK;
int json_int(const cJSON *item, const char *field, int64_t min, int64_t max, int64_t *out,
             struct sdd_error *err) SDD_MUST_CHECK;
int json_i32s(struct arena *a, const cJSON *item, const char *field, struct i32s *out,
              struct sdd_error *err) SDD_MUST_CHECK;
int json_f32s(struct arena *a, const cJSON *item, const char *field, struct f32s *out,
              struct sdd_error *err) SDD_MUST_CHECK;

#endif
