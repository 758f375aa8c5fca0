/* SPDX-License-Identifier: Apache-2.0 */
/* refine_request.h: what refined and plan share: their query, and the budgets that admit a frame. */
#ifndef SUBDD_REFINE_REQUEST_H
#define SUBDD_REFINE_REQUEST_H
#include "server/api.h"
#include "server/frame.h"

struct refine_job {
    struct mesh_job base;
    struct sdd_refine_request request;
    char method[32];
    char key[CACHE_KEY_SIZE]; /* of the frame: mesh, version, request        */
    char etag[40];
    struct cached *frame; /* referenced while the job lives, once kept   */
    bool computed;
    /* plan only */
    struct sdd_plan plan;
    int64_t frame_bytes, available_device_bytes;
    double estimated_ms;
};
/* refine_job_create: reads level, surface, include, method. NULL: answered. */
struct refine_job *refine_job_create(struct request *r, size_t bytes);
/* refine_name: key and entity tag, once the mesh's version is known. */
void refine_name(struct refine_job *j);
struct frame_about refine_about(const struct refine_job *j);
/* refine_measure: plan and frame size, from any thread; JOB_AGAIN when the mesh is not resident. */
int refine_measure(struct refine_job *j);
/* refine_plan: compute thread, mesh resident: plan and frame size, checked against --max-output-bytes. */
int refine_plan(struct refine_job *j);
/* refine_admit: compute thread: evicts until the planned work fits the device; SDD_ENO_MEMORY when host or device
 * cannot hold it. */
int refine_admit(struct refine_job *j);
/* Seconds that `bytes` of output take, learned (on the compute thread) from what was measured. */
double refine_estimate(int64_t bytes);
void refine_learn(int64_t bytes, double seconds);

#endif
