/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte says what the rest is sent as: m a mesh, p positions, anything else edits of a cube. What the scan
 * lets pass protobuf-c must take within its memory. */
#include "server/mesh/formats/wire_scan.h"
#include "subdd.pb-c.h"
#include "tests/fuzz/bodies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdd_error err = {0};
    struct positions *p;
    struct edit_batch *b;
    int rc;
    if (!size)
        return 0;
    switch (data[0]) {
    case 'm': body_read(mesh_from_proto, data + 1, size - 1); break;
    case 'p':
        rc = positions_from_proto(data + 1, size - 1, &p, &err);
        body_positions(rc, p, &err);
        break;
    case 'f': (void)wire_scan(&subdd__v1__frame_header__descriptor, data + 1, size - 1, &err); break;
    default: rc = edits_from_proto(data + 1, size - 1, &b, &err); body_edits(rc, b, &err);
    }
    return 0;
}
