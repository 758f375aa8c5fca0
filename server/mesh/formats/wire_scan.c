/* SPDX-License-Identifier: Apache-2.0 */
/* wire_scan.c: checks untrusted protobuf bytes for proto.c before they are unpacked (wire_scan.h). */
#include "server/mesh/formats/wire_scan.h"
#include "server/base/stop.h"
#include "server/base/chars.h"
#include <assert.h>
#include <stdbool.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* A message that is being read; the messages inside each other are a stack. */
struct open_message {
    const ProtobufCMessageDescriptor *type;
    const unsigned char *end;
    uint64_t seen; /* A bit for each singular field, by its index. */
};

struct scan {
    const unsigned char *at, *start;
    struct open_message stack[WIRE_MAX_DEPTH];
    int depth;
    int64_t messages, strings; /* Repeated ones. */
    struct sdd_error *err;
};

static int bad(struct scan *s, const ProtobufCFieldDescriptor *field, const char *what)
{
    const char *name = field ? field->name : "body";
    return sdd_fail(s->err, SDD_EMALFORMED, name, "%s%s%s at byte %lld", field ? name : "", field ? " " : "", what,
                    (long long)(s->at - s->start));
}

/* Reads a varint of at most max_bytes: 10 for values, and 5 for tags and lengths, as in protobuf-c. A tenth byte may
 * only carry bit 63. */
static bool varint(struct scan *s, const unsigned char *end, int max_bytes, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 7 * max_bytes && s->at < end; shift += 7) {
        unsigned char c = *s->at++;
        if (shift == 63 && c > 1)
            return false;
        *out |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return true;
    }
    return false;
}

static enum wire wire_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return WIRE_64;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return WIRE_32;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
    default: return WIRE_VARINT;
    }
}

static bool varint_fits(ProtobufCType type, uint64_t v)
{
    switch (type) {
    case PROTOBUF_C_TYPE_BOOL: return v <= 1;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_SINT32: return v <= UINT32_MAX;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_ENUM: return v <= INT32_MAX || v >= (uint64_t)INT32_MIN;
    default: return true;
    }
}

/* Counts a repeated field, or marks a singular one as seen. A member of a oneof also marks the other members, so that a
 * second one is refused. */
static int count_field(struct scan *s, struct open_message *f, const ProtobufCFieldDescriptor *field)
{
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        bool strings = field->type == PROTOBUF_C_TYPE_STRING;
        int64_t n = strings ? ++s->strings : ++s->messages;
        if (n <= WIRE_MAX_ITEMS)
            return SDD_OK;
        int rc = sdd_fail(s->err, SDD_ETOO_LARGE, field->name, "more than %d %s in one body; %s", WIRE_MAX_ITEMS,
                          strings ? "names" : "messages", strings ? "use fewer" : "put more rows into each");
        if (s->err)
            s->err->needed = n, s->err->available = WIRE_MAX_ITEMS;
        return rc;
    }
    assert(f->type->n_fields <= 64);
    if (f->seen >> (field - f->type->fields) & 1)
        return bad(s, field, "is there more than once");
    for (unsigned i = 0; i < f->type->n_fields; i++) {
        const ProtobufCFieldDescriptor *other = &f->type->fields[i];
        bool sibling = (field->flags & other->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
                       other->quantifier_offset == field->quantifier_offset;
        if (other == field || sibling)
            f->seen |= UINT64_C(1) << i;
    }
    return SDD_OK;
}

static int enter(struct scan *s, const ProtobufCFieldDescriptor *field, const unsigned char *end)
{
    if (s->depth == WIRE_MAX_DEPTH)
        return bad(s, field, "is nested too deeply");
    s->stack[s->depth++] = (struct open_message){field->descriptor, end, 0};
    return SDD_OK;
}

static int scan_value(struct scan *s, struct open_message *f, const ProtobufCFieldDescriptor *field, enum wire wire)
{
    uint64_t value = 0;
    if (wire_of(field->type) != wire)
        return bad(s, field, "has the wrong wire type");
    int64_t fixed = wire == WIRE_64 ? 8 : wire == WIRE_32 ? 4 : 0;
    if (!fixed && !varint(s, f->end, wire == WIRE_VARINT ? 10 : 5, &value))
        return bad(s, field, "has a bad varint");
    if (wire == WIRE_VARINT)
        return varint_fits(field->type, value) ? SDD_OK : bad(s, field, "is out of range");
    if (fixed)
        value = (uint64_t)fixed;
    if (value > (uint64_t)(f->end - s->at))
        return bad(s, field, "is cut short");
    if (field->type == PROTOBUF_C_TYPE_STRING && !chars_utf8(s->at, value))
        return bad(s, field, "is not UTF-8 without NUL");
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return enter(s, field, s->at + value);
    s->at += value;
    return SDD_OK;
}

static int scan_field(struct scan *s, struct open_message *f)
{
    uint64_t tag;
    if (!varint(s, f->end, 5, &tag) || tag >> 3 > UINT32_MAX >> 3)
        return bad(s, NULL, "bad field tag");
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(f->type, (unsigned)(tag >> 3));
    if (!field)
        return sdd_fail(s->err, SDD_EINVALID, "body", "message %s has no field %u", f->type->short_name,
                        (unsigned)(tag >> 3));
    int rc = count_field(s, f, field);
    return rc ? rc : scan_value(s, f, field, (enum wire)(tag & 7));
}

int wire_scan(const ProtobufCMessageDescriptor *type, const void *data, size_t bytes, struct sdd_error *err)
{
    struct scan s = {.at = data, .start = data, .depth = 1, .err = err};
    s.stack[0] = (struct open_message){type, s.at + bytes, 0};
    for (int64_t n = 0; s.depth; n++) {
        if (stop_due(n))
            return stop_fail(err);
        struct open_message *f = &s.stack[s.depth - 1];
        if (s.at == f->end) {
            s.depth--;
            continue;
        }
        int rc = scan_field(&s, f);
        if (rc)
            return rc;
    }
    return SDD_OK;
}
