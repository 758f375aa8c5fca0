/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the door of api/: the handlers that routes.c names, one file a resource, and what these files share. A handler
 * checks its request and answers, or starts a job whose steps are in the same file. Only serve.c, by the endpoint table
 * (routes.h), knows of api/; api/ may use every room below. */
#ifndef SUBDD_API_H
#define SUBDD_API_H
#include "server/operation/operation.h"

/* Each handler answers, or starts a job that will. */
void api_live(struct request *r);
void api_ready(struct request *r);
void api_service(struct request *r);
void api_openapi(struct request *r);
void api_metrics(struct request *r);
void api_create(struct request *r);
void api_list(struct request *r);
void api_show(struct request *r);
void api_delete(struct request *r);
void api_cage(struct request *r);
void api_positions(struct request *r);
void api_edits(struct request *r);
void api_refined(struct request *r);
void api_pose(struct request *r);
void api_patches(struct request *r);
void api_matrix(struct request *r);
void api_plan(struct request *r);

/* MeshInfo (info.c), as JSON object or message. residency and bytes are the caller's to say. */
struct info_state {
    const char *residency;
    int64_t device_bytes, host_bytes;
    const int64_t *bandwidth; /* [2] before and after a reorder; NULL: none was asked for */
};
void info_json(struct text *out, const struct store_info *info, const struct info_state *state);
void info_proto(struct text *out, const struct store_info *info, const struct info_state *state);
/* EditResult: newVertexIds and newFaceIds beside the mesh. */
struct edit_result;
void edit_result_json(struct text *out, const struct store_info *info, const struct info_state *state,
                      const struct edit_result *e);
void edit_result_proto(struct text *out, const struct store_info *info, const struct info_state *state,
                       const struct edit_result *e);
struct info_state info_state_of(const struct slot *slot);
void answer_info(struct request *r, int status, const struct store_info *info, const struct info_state *state);
void info_list(struct request *r, const struct store_info *infos, int n, bool more);

/* positions_read: the body as positions (positions.c), with `whole` all of them; *out that is there already stays.
 * Host thread. */
struct positions;
int positions_read(struct mesh_job *j, bool whole, struct positions **out);

#endif
