/* SPDX-License-Identifier: Apache-2.0 */
/* wire_scan.h: checks protobuf bytes in one linear pass before protobuf-c may read them.
 *
 * protobuf-c merges a singular submessage that comes again in quadratic time, keeps unknown fields at 45 times their
 * size and accepts text that is not UTF-8. So this scan accepts only known fields of the right wire type, each singular
 * field once, one member of a oneof, at most WIRE_MAX_ITEMS repeated messages and as many repeated strings, at most
 * WIRE_MAX_DEPTH messages inside each other, UTF-8 without NUL, and varints in range. Protobuf itself is less strict
 * and lets the last of several singular fields win, but normal encoders never write several. */
#ifndef SUBDD_WIRE_SCAN_H
#define SUBDD_WIRE_SCAN_H
#include "gpu/sdd/err.h"
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#define WIRE_MAX_DEPTH 4
#define WIRE_MAX_ITEMS 65536

/* wire_scan: checks that `data` is a message of this type.
 * Errors  SDD_EMALFORMED, SDD_EINVALID (unknown field), SDD_ETOO_LARGE (items) */
int wire_scan(const ProtobufCMessageDescriptor *type, const void *data, size_t bytes, struct sdd_error *err)
    __attribute__((warn_unused_result));

#endif
