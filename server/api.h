/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the handlers that routes.c names, and what they share. One file a resource: api_*.c. */
#ifndef SUBDD_API_H
#define SUBDD_API_H
#include "server/http.h"
#include "server/jobs.h"
#include "server/server.h"
#include "server/store.h"

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
void api_plan(struct request *r);

#endif
