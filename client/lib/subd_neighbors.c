/* SPDX-License-Identifier: Apache-2.0 */
/* subd_neighbors.c: fetches rows of neighbours, for users of libsubd. */
#include "subd_internal.h"
#include <string.h>

static int check(const struct subd_neighbors *r, struct subd_error *err)
{
    if (r->level < 0 || r->level > SUBD_MAX_LEVEL || r->ring < 0 || r->ring > SUBD_MAX_RING)
        return subd_fail(err, SUBD_EUSAGE, "level %d or ring %d is out of range: levels are 0 to %d, rings 1 to %d",
                         r->level, r->ring, SUBD_MAX_LEVEL, SUBD_MAX_RING);
    if (r->first < 0 || r->count < 0 || r->n_ids < 0 || r->n_ids > UINT32_MAX || (!r->ids && r->n_ids))
        return subd_fail(err, SUBD_EUSAGE, "first %lld, count %lld or n_ids %lld is out of range", (long long)r->first,
                         (long long)r->count, (long long)r->n_ids);
    if (r->relation && strlen(r->relation) != 2)
        return subd_fail(err, SUBD_EUSAGE, "\"%.40s\" is not one of VV, VE, VF, EV, EF, FV, FE, FF", r->relation);
    if (r->ids && (r->first || r->count || r->if_none_match))
        return subd_fail(err, SUBD_EUSAGE, "ids go without first, count and if_none_match");
    return SUBD_OK;
}

int subd_neighbors(subd_client *c, const char *id, const struct subd_neighbors *r, struct subd_frame *frame,
                   struct subd_error *err)
{
    struct subd_neighbors own;
    struct subd_refine refine;
    struct subd_request q = {.method = "GET", .accept = SUBD_FRAME_MEDIA_TYPE, .frame = frame, .refine = &refine};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, frame)) || (rc = SUBD_TAKE(&own, r, subd_neighbors, err)) ||
        (rc = check(&own, err)))
        return rc;
    q.relation = own.relation ? own.relation : "VV";
    refine = (struct subd_refine)SUBD_INIT(subd_refine, .level = own.level, .include = SUBD_OFFSETS | SUBD_IDS,
                                           .place = own.place, .place_arg = own.place_arg);
    if (strcmp(q.relation, "FE") == 0)
        refine.include |= SUBD_SIGNS;
    subd_text_mesh_path(&q.path, id, "/neighbors");
    subd_text_add(&q.path, "?level=%d&ring=%d&oriented=%s", own.level, own.ring ? own.ring : 1,
                  own.oriented ? "true" : "false");
    subd_text_query(&q.path, "relation", q.relation);
    if (own.first)
        subd_text_add(&q.path, "&first=%lld", (long long)own.first);
    if (own.count)
        subd_text_add(&q.path, "&count=%lld", (long long)own.count);
    if (own.ids) {
        q.method = "POST";
        q.body = (struct subd_body){"application/octet-stream", own.ids, (size_t)own.n_ids * sizeof *own.ids};
    }
    q.if_none_match = own.if_none_match;
    return subd_request_start(c, &q, err);
}
