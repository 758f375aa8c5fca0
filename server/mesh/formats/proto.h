/* SPDX-License-Identifier: Apache-2.0 */
/* proto.h: what the writers of protobuf bodies have in common, for the files of formats/ alone. */
#ifndef SUBDD_FORMATS_PROTO_H
#define SUBDD_FORMATS_PROTO_H
#include "gpu/sdd/err.h"
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

/* proto_field: fills in a `bytes` field with a borrowed array of n words. protobuf-c 1.4 keeps the length of a field in
 * an int, so 2 GiB is too much.
 * Errors  SDD_ETOO_LARGE */
int proto_field(const void *v, int64_t n, ProtobufCBinaryData *out, struct sdd_error *err) SDD_MUST_CHECK;
/* proto_pack: Owner  *out is malloc'ed, and the caller frees it. Errors  SDD_ENO_MEMORY */
int proto_pack(const ProtobufCMessage *message, void **out, size_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;

#endif
