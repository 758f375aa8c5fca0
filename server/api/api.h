/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the door of api/: the handlers that routes.c names, with one file per resource, and what these files share. A
 * handler checks its request and then answers it or starts a job, whose steps are in the same file. Only serve.c, by
 * the table of endpoints (routes.h), knows api/; api/ may use every room below. */
#ifndef SUBDD_API_H
#define SUBDD_API_H
#include "server/operation/operation.h"

/* Each handler answers its request, or starts a job that will. */
void api_live(struct request *r);
void api_ready(struct request *r);
void api_service(struct request *r);
void api_openapi(struct request *r);
void api_openapi_json(struct request *r);
void api_errors_page(struct request *r);
void api_metrics(struct request *r);
void api_home(struct request *r);
void api_docs(struct request *r);
void api_web(struct request *r);
void api_viewer(struct request *r);
void api_viewer_file(struct request *r);
/* page_headers: what each page says of itself to browsers (web.c). */
void page_headers(struct request *r);
void api_create(struct request *r);
void api_list(struct request *r);
void api_show(struct request *r);
void api_rename(struct request *r);
void api_delete(struct request *r);
void api_cage(struct request *r);
void api_positions(struct request *r);
void api_edits(struct request *r);
void api_refined(struct request *r);
void api_pose(struct request *r);
void api_patches(struct request *r);
void api_matrix(struct request *r);
void api_neighbors(struct request *r);
void api_neighbors_of(struct request *r);
void api_plan(struct request *r);
void api_watch(struct request *r);
void api_events(struct request *r);
void api_fields(struct request *r);
void api_smooth(struct request *r);
void api_versions(struct request *r);
void api_revert(struct request *r);
void api_undo(struct request *r);
void api_lease(struct request *r);
void api_leases(struct request *r);
void api_lease_renew(struct request *r);
void api_lease_end(struct request *r);
void api_quarantine_end(struct request *r);
void api_pin(struct request *r);
void api_unpin(struct request *r);
void api_presence(struct request *r);
void api_presence_set(struct request *r);
void api_presence_end(struct request *r);
void api_redo(struct request *r);
void api_fair(struct request *r);
void api_job(struct request *r);
void api_job_cancel(struct request *r);
void api_job_frame(struct request *r);

/* refined_for_watcher: starts the job of refined for a request of watch, whose client has the version `seen` (0: none),
 * and takes deltas or not; base_key is that of its frame in the cache, or "".
 * watcher_answer: its end. Without a frame the client has the present version. */
struct job;
void refined_for_watcher(struct request *r, int64_t seen, bool deltas, const char *base_key);
void watcher_answer(struct job *job);

/* version_json: what is known of a version of a mesh, with further members for what was `touched` (NULL: none). */
void version_json(struct text *out, const struct store_version *v, const struct text *touched);

/* What a MeshInfo says about the memory that a mesh holds, and how its upload went. */
struct info_state {
    const char *residency;
    int64_t device_bytes, host_bytes;
    const int64_t *bandwidth;    /* [2] The bandwidth before and after a reorder; NULL when none was asked for. */
    const struct text *warnings; /* Lines about what the mesh lost on its way in; NULL says nothing of them. */
    bool pinned;                 /* The mesh stays on the device. */
    bool quarantined;            /* The version is (operation/quarantine.h). */
};
/* write_date: a time as RFC 3339 has it. */
void write_date(char out[40], int64_t ms);
/* info_json, info_proto: write a MeshInfo as a JSON object or as a message. */
void info_json(struct text *out, const struct store_info *info, const struct info_state *state);
void info_proto(struct text *out, const struct store_info *info, const struct info_state *state);
/* edit_result_json, edit_result_proto: write an EditResult, which has the new ids besides the mesh, and how many
 * versions the edits have passed over. */
struct edit_result;
void edit_result_json(struct text *out, const struct store_info *info, const struct info_state *state,
                      const struct edit_result *e, int64_t passed_over);
void edit_result_proto(struct text *out, const struct store_info *info, const struct info_state *state,
                       const struct edit_result *e, int64_t passed_over);
/* info_state_of: what is known of a version of a mesh besides its record; the slot is NULL when nothing of it is in
 * memory. On the loop. */
struct info_state info_state_of(const struct service *s, const struct store_info *info, const struct slot *slot);
/* answer_info: answers with a MeshInfo and its entity tag. */
void answer_info(struct request *r, int status, const struct store_info *info, const struct info_state *state);
/* info_list: answers with a MeshList; `more` says that another page follows. */
void info_list(struct request *r, const struct store_info *infos, int n, bool more);

/* answer_job: answers with what is known of a job that outlives its request, and with 202 says where to ask on. */
void answer_job(struct request *r, int status, const struct lasting *l);

/* positions_read: reads and checks a job's body as positions; with `whole` they must be those of all vertices. When
 * *out is set already, as in a second round of the job, it stays.
 * Threads  a host thread
 * Owner    *out is the caller's, even on error
 * Errors   SDD_EINVALID, and those of the readers and of positions_check, in the job's err */
struct positions;
int positions_read(struct mesh_job *j, bool whole, struct positions **out);
/* positions_move: moves the vertices on the device, which checks the coordinates; so this comes before the commit. On
 * the compute thread. Returns JOB_AGAIN as ensure_resident does.
 * positions_commit: makes them a new version, on the storage thread, and with it the answer to the request's key, if it
 * has one; `kind` says how (struct store_change).
 * positions_adopt: a step on the loop that takes the new version over.
 * positions_answer: gives the answer that the commit made, or the first one to the request's key. */
int positions_move(struct job *job, const struct positions *p);
int positions_commit(struct job *job, const struct positions *p, const char *kind);
int positions_adopt(struct job *job);
void positions_answer(struct job *job);
/* usda_ask_of: what of a USDA file a query asks for. Errors  SDD_EINVALID (no time, or a body of another media type) */
struct usda_ask;
int usda_ask_of(const struct query *q, int media, struct usda_ask *ask, struct sdd_error *err) SDD_MUST_CHECK;

#endif
