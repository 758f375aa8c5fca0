/* SPDX-License-Identifier: Apache-2.0 */
/* subd_neighbors.c: fetches rows of neighbours and checks their frames, for users of libsubd. */
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

/* ---- frames ------------------------------------------------------------------------------------------------------ */

int64_t subd_ids_limit(const struct subd_frame *f, const char *relation)
{
    return relation[1] == 'V' ? f->vertices : relation[1] == 'E' ? f->edges : f->faces;
}

int subd_check_offsets(struct subd_frame_parser *p, const struct subd_block *b, const void *at, size_t bytes)
{
    const int64_t n_ids = subd_frame_find(p->frame, SUBD_IDS)->count;
    const size_t width = strcmp(b->type, "u64") == 0 ? sizeof(uint64_t) : sizeof(uint32_t);
    int fine = 1;
    for (size_t i = 0; i < bytes; i += width) {
        uint64_t offset = 0; /* The low half comes first. */
        memcpy(&offset, (const char *)at + i, width);
        fine &= (p->checked > 0 || i > 0 || offset == 0) && offset >= p->last_offset && offset <= (uint64_t)n_ids;
        p->last_offset = offset;
    }
    if (p->checked + (int64_t)bytes == b->bytes)
        fine &= p->last_offset == (uint64_t)n_ids;
    return fine ? SUBD_OK
                : subd_fail(p->err, SUBD_EPROTOCOL, "the frame's offsets do not ascend from 0 to its %lld ids",
                            (long long)n_ids);
}

int subd_check_rows(const struct subd_frame *f, struct subd_error *err)
{
    const struct subd_block *signs = subd_frame_find(f, SUBD_SIGNS);
    if (subd_frame_find(f, SUBD_OFFSETS)->count < 1 || (signs && signs->count != subd_frame_find(f, SUBD_IDS)->count))
        return subd_fail(err, SUBD_EPROTOCOL, "the frame has no offsets, or not a sign for each of its ids");
    return SUBD_OK;
}
