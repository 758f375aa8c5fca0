/* SPDX-License-Identifier: Apache-2.0 */
/* events.h: the news of meshes, which GET /v1/meshes/{id}/events sends on as server-sent events: new versions and what
 * was touched, and whatever else a handler tells. The last events of a mesh that somebody listens to are kept once for
 * all, and each client has a copy of the ones that it is being sent; one that falls behind is told that it missed some.
 * Threads  the loop's, except for touched_by_* */
#ifndef SUBDD_API_EVENTS_H
#define SUBDD_API_EVENTS_H
#include "server/api/watch.h"

#define EVENT_MAX_BYTES (8 << 10) /* The most that the data of one event may have. */

struct job;
struct text;
struct positions;
struct edit_batch;
struct mesh;
struct edit_result;
struct mesh_changes;

/* events_tell: tells those who listen to the mesh. This is the door for whoever has news of another kind, such as
 * "lease" or "presence": call it on the loop once the news is true. Without listeners it does nothing.
 * kind  the name of the event: letters alone
 * json  its data, as JSON on one line, of up to EVENT_MAX_BYTES; a longer one is told as missed */
void events_tell(struct watchers *all, const char *mesh, const char *kind, const char *json);
/* events_version: tells both kinds of watchers that the slot of a job on a mesh has become a new version. It says of it
 * what the commit noted in the job's `change` and `touched`.
 * events_deleted: tells both that the mesh is gone, which ends their streams. */
void events_version(struct job *job);
void events_deleted(struct job *job);

/* touched_by_*: write which elements a change touches, as members for events_version. At most TOUCHED_MAX of each kind
 * are listed, and "more" says that there are others. On any thread.
 * edits      what a batch has named, added, and by its primitives removed or changed to make the mesh m; ids
 * changes    what differs between two versions; ids
 * positions  rows */
#define TOUCHED_MAX 64
void touched_by_edits(struct text *out, const struct edit_batch *b, const struct edit_result *r, const struct mesh *m);
void touched_by_changes(struct text *out, const struct mesh_changes *c);
void touched_by_positions(struct text *out, const struct positions *p);

#endif
