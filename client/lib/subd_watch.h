/* SPDX-License-Identifier: Apache-2.0 */
/* subd_watch.h: calls that go on: the refined surface of each version of a mesh as it comes, and news without geometry.
 * Part of libsubd; subd.h says what holds for every call. In all forms a call ends when its callback says so, when the
 * mesh is deleted, or when the connection breaks; request_timeout_ms does not end it. */
#ifndef SUBD_WATCH_H
#define SUBD_WATCH_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* How a version came. */
struct subd_news {
    int64_t version;
    int64_t base;  /* The version of which the frame was made, by a delta; 0 when it came as a whole. */
    int64_t bytes; /* What came for it. */
    int64_t reserved[5];
};
struct subd_watch {
    size_t size;
    int no_deltas; /* 1: every frame comes as a whole. */
    /* The frame holds another version now. It may be read until this returns, and after the call; to change it ends in
     * a frame that comes as a whole. 0 goes on, anything else ends the call with SUBD_OK. */
    int (*changed)(void *arg, const struct subd_frame *frame, const struct subd_news *news);
    void *arg;
};
/* subd_watch: GET watch: makes *frame that of the present version, and of each one that comes. A slow program passes
 * over versions. When *frame holds one from an earlier call on this mesh with the same request, that is where it goes
 * on, so a call that ended with SUBD_ENETWORK can be made again.
 *   Deltas are applied in place: blocks stay where they are unless they grow. `place` is then called for a block as
 * realloc would be: what it returns must hold what was there before. Without memory of the program the frame's own
 * moves. The digest of each block that changed is verified afterwards; if it does not match, the frame is asked for as
 * a whole.
 * Errors  SUBD_EUSAGE (those of subd_refine; a sink, if_none_match, at; changed is NULL); SUBD_EHTTP 404 once the mesh
 *         is deleted, 422 when the request has no frame any more, 401 when the token is not valid any more;
 *         SUBD_ENETWORK when the daemon ended the stream. *frame is as the last version made it, unless it was being
 *         written; then it has no blocks */
SUBD_API int subd_watch(subd_client *c, const char *id, const struct subd_refine *r, const struct subd_watch *w,
                        struct subd_frame *frame, struct subd_error *err) SUBD_MUST_CHECK;

struct subd_mesh_event {
    char kind[32];    /* version, deleted, missed, problem, lease, presence, or what later daemons tell. */
    int64_t version;  /* Of kind version; else 0. */
    const char *json; /* Its data, on one line; docs/meshes.md has the members. Valid until the callback returns. */
    int64_t reserved[4];
};
struct subd_events {
    size_t size;
    int64_t since; /* The version that is known; 0: the first event tells the present one. */
    int (*heard)(void *arg,
                 const struct subd_mesh_event *event); /* 0 goes on, anything else ends the call with SUBD_OK. */
    void *arg;
};
/* subd_events: GET events.
 * Errors  SUBD_EUSAGE (since, heard is NULL); SUBD_EHTTP 404; SUBD_ENETWORK when the daemon ended the stream */
SUBD_API int subd_events(subd_client *c, const char *id, const struct subd_events *e,
                         struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
