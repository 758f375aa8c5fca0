/* SPDX-License-Identifier: Apache-2.0 */
/* wire_scan.h: one linear look at protobuf bytes before protobuf-c may touch them.
 *
 * protobuf-c merges a singular submessage that comes again in quadratic time, keeps unknown fields at 45 times their
 * size and lets bad text through. So only known fields with the right wire type, singular ones once, one member of a
 * oneof, at most WIRE_MAX_ITEMS repeated elements, WIRE_MAX_DEPTH messages deep, UTF-8 without NUL, and varints in
 * range get past here. That is stricter than protobuf, which lets the last of several win; a normal encoder never
 * writes several. */
#ifndef SUBDD_WIRE_SCAN_H
#define SUBDD_WIRE_SCAN_H
#include "gpu/sdd/err.h"
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#define WIRE_MAX_DEPTH 4
#define WIRE_MAX_ITEMS 65536

/* wire_scan: is `data` a message of this type?
 * Errors  SDD_EMALFORMED, SDD_EINVALID (unknown field), SDD_ETOO_LARGE (items) */
int wire_scan(const ProtobufCMessageDescriptor *type, const void *data, size_t bytes, struct sdd_error *err)
    __attribute__((warn_unused_result));

#endif
