/* SPDX-License-Identifier: Apache-2.0 */
/* range.c: finds the bytes of a frame that the client asks for (Range, If-Range), for routes that answer with a
 * frame. */
#include "server/refine/refine.h"
#include <stdio.h>
#include <string.h>

/* A header that does not fit is ignored. Only lists of several ranges are so long, and those are not served. */
void range_keep(struct frame_job *j)
{
    const struct request *r = j->base.base.job.request;
    const char *range = r ? request_header(r, "Range") : NULL, *unless = r ? request_header(r, "If-Range") : NULL;
    if (range && strlen(range) < sizeof j->range)
        memcpy(j->range, range, strlen(range) + 1);
    if (unless)
        snprintf(j->unless, sizeof j->unless, "%s", *unless ? unless : "none");
}

int range_asked(struct frame_job *j, int64_t bytes)
{
    struct job *job = &j->base.base.job;
    j->first = 0;
    j->length = bytes;
    j->ranged = 0;
    if (*j->range && (!*j->unless || strcmp(j->unless, j->base.etag) == 0))
        j->ranged = range_parse(j->range, bytes, &j->first, &j->length);
    if (j->ranged >= 0)
        return SDD_OK;
    job_fail(job, SDD_ERANGE, "range", "the answer has %lld bytes", (long long)bytes);
    job->err.available = bytes;
    return SDD_ERANGE;
}
