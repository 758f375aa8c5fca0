/* SPDX-License-Identifier: Apache-2.0 */
/* looks_like.h: what a body is when its first bytes are clearly those of another format, so that the readers of text
 * (OBJ and USDA) can name it instead of a strange word in its first line. */
#ifndef SUBDD_LOOKS_LIKE_H
#define SUBDD_LOOKS_LIKE_H
#include "gpu/sdd/sdd.h"
#include <stddef.h>

/* looks_like_check: refuses a body that is no text in UTF-8, or is a file of another format than `wanted` ("OBJ" or
 * "USDA"). The sentence names what it is and what to do.
 * Errors  SDD_EMALFORMED naming `field` */
int looks_like_check(const void *body, size_t bytes, const char *wanted, const char *field,
                     struct sdd_error *err) SDD_MUST_CHECK;

#endif
