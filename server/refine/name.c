/* SPDX-License-Identifier: Apache-2.0 */
/* name.c: names the answers of all routes in refine/: the key in the cache and the entity tag, which cover everything
 * that the bytes depend on. */
#include "server/refine/refine.h"
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static int no_primvar(struct ask_job *a, const char *name, size_t n)
{
    const struct store_info *info = &a->base.slot->info;
    char all[160] = "";
    for (int i = 0; i < info->n_primvars; i++)
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", info->primvars[i].name);
    return job_fail(&a->base.job, SDD_EINVALID, "primvars", "the mesh has no primvar \"%.*s\"; it has %s",
                    (int)(n < 40 ? n : 40), name, *all ? all : "none");
}

/* Turns the primvar names of the query into bits, one for each primvar of the mesh. Without any a file takes what it
 * has a place for. */
static int read_primvars(struct ask_job *a)
{
    const struct store_info *info = &a->base.slot->info;
    const int both = SDD_PRIMVARS | SDD_PRIMVAR_INDICES;
    primvars_shapes(info->primvars, info->n_primvars, a->shapes);
    a->request.primvar_shapes = a->shapes;
    a->request.n_primvars = info->n_primvars;
    a->request.primvars = 0;
    for (const char *s = a->primvars; s && *s; s += *s == ',') {
        char name[PRIMVAR_NAME_SIZE] = "";
        size_t n = strcspn(s, ",");
        if (n < sizeof name)
            memcpy(name, s, n);
        int row = primvar_find(info->primvars, info->n_primvars, name);
        if (row < 0 && strcmp(a->primvars, "*") != 0)
            return no_primvar(a, s, n);
        a->request.primvars |= row < 0 ? (uint32_t)((UINT64_C(1) << info->n_primvars) - 1) : UINT32_C(1) << row;
        s += n;
    }
    for (int i = 0; i < info->n_primvars && !a->primvars; i++)
        a->request.primvars |= file_takes(a, i) ? UINT32_C(1) << i : 0;
    a->request.include = a->request.primvars ? a->request.include | both : a->request.include & ~both;
    return SDD_OK;
}

void name_past(const struct ask_job *a, int64_t version, const char *method, char key[CACHE_KEY_SIZE])
{
    (void)snprintf(key, CACHE_KEY_SIZE, "%s %lld %d %d %d %d %x %s", a->base.slot->id, (long long)version,
                   a->request.level, a->request.surface, a->request.include, a->request.compact, a->request.primvars,
                   method);
}

void name_delta(const struct ask_job *a, char key[CACHE_KEY_SIZE])
{
    const XXH64_hash_t of = XXH3_64bits(a->base_key, strlen(a->base_key));
    if (snprintf(key, CACHE_KEY_SIZE, "%s ~%016llx", a->key, (unsigned long long)of) >= CACHE_KEY_SIZE)
        *key = 0;
}

static void set_name(struct ask_job *a)
{
    const struct store_info *info = &a->base.slot->info;
    char full[CACHE_KEY_SIZE + 160];
    name_past(a, info->version, a->method, a->key);
    /* This is all that the bytes of an answer depend on. */
    snprintf(full, sizeof full, "%s %s %s %s", a->key, info->topology_id, memory_of(&a->base.job)->device_info.backend,
             sdd_version());
    XXH128_hash_t h = XXH3_128bits(full, strlen(full));
    snprintf(a->etag, sizeof a->etag, "\"%016llx%016llx%s\"", (unsigned long long)h.high64, (unsigned long long)h.low64,
             media_suffix(a->base.media_out));
}

static bool names(const struct ask_job *a, const char *header)
{
    const struct request *r = a->base.job.request;
    const char *tags = r && !a->watched ? request_header(r, header) : NULL;
    return tags && etag_matches(tags, a->etag, true);
}

bool name_is_known(const struct ask_job *a)
{
    return names(a, "If-None-Match");
}

/* Does the client have a frame of this name, or a part of one? */
static bool is_known(const struct ask_job *a)
{
    return name_is_known(a) || names(a, "If-Range");
}

int name_answer(struct ask_job *a)
{
    file_blocks(a);
    int rc = read_primvars(a);
    if (!rc)
        set_name(a);
    return rc;
}

int name_by_history(struct ask_job *a)
{
    const struct resident *resident = a->base.slot->resident;
    int rc = name_answer(a);
    if (rc || !resident)
        return rc;
    const char *method = sdd_history_method(resident->history, &a->request);
    if (strcmp(method, a->method) == 0 || is_known(a))
        return SDD_OK;
    snprintf(a->method, sizeof a->method, "%s", method);
    set_name(a);
    return SDD_OK;
}

void name_stream(struct ask_job *a)
{
    const size_t n = strlen(a->etag) - 1;
    snprintf(a->etag + n, sizeof a->etag - n, "-s\"");
}
