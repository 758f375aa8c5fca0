/* SPDX-License-Identifier: Apache-2.0 */
/* request.c: reads the query of refined, pose, patches, plan and matrix. */
#include "server/refine/refine.h"
#include <stdio.h>
#include <string.h>

#define COMPACT_BLOCKS (SDD_POSITIONS | SDD_NORMALS | SDD_UVS)

static const int semantics[] = {SDD_POSITIONS, SDD_NORMALS,    SDD_TANGENTS,   SDD_INDICES,
                                SDD_UVS,       SDD_UV_INDICES, SDD_FACE_PARAMS};
enum { N_SEMANTICS = sizeof semantics / sizeof *semantics };

/* Writes the names of blocks: "positions,normals". */
static void put_names(int blocks, char *out, size_t size)
{
    *out = '\0';
    for (int i = 0; i < N_SEMANTICS; i++)
        if (blocks & semantics[i])
            (void)snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? "," : "", semantic_name(semantics[i]));
}

/* Reads a list of blocks, each of which must be in `allowed`. `name` is the name of the parameter. */
static int read_list(const char *name, const char *list, int allowed, int *out, struct sdd_error *err)
{
    char names[96];
    *out = 0;
    for (const char *s = list; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        int bit = 0;
        for (int i = 0; i < N_SEMANTICS; i++)
            if (strlen(semantic_name(semantics[i])) == n && memcmp(semantic_name(semantics[i]), s, n) == 0)
                bit = semantics[i] & allowed;
        put_names(allowed, names, sizeof names);
        if (!bit)
            return sdd_fail(err, SDD_EINVALID, name, "%s takes %s, not \"%.*s\"", name, names, (int)(n < 40 ? n : 40),
                            s);
        *out |= bit;
        s += n;
    }
    return *out ? SDD_OK : sdd_fail(err, SDD_EINVALID, name, "%s names nothing", name);
}

static int read_query(struct ask_job *a, int64_t max_level, int blocks, struct sdd_error *err)
{
    const struct query *q = &a->base.query;
    const char *surface = query_get(q, "surface"), *include = query_get(q, "include"), *method = query_get(q, "method"),
               *compact = query_get(q, "compact"), *normals = query_get(q, "normals");
    int64_t level = 1;
    int rc = query_int(q, "level", 1, max_level, &level, err);
    if (rc)
        return rc;
    if (surface && surface_find(surface) < 0)
        return sdd_fail(err, SDD_EINVALID, "surface", "surface is refined, limit or limitAtLevel, not \"%.40s\"",
                        surface);
    if (method && strlen(method) >= sizeof a->method)
        return sdd_fail(err, SDD_EINVALID, "method", "there is no method \"%.40s\"", method);
    snprintf(a->method, sizeof a->method, "%s", method ? method : "auto");
    a->request = (struct sdd_refine_request){.level = (int)level,
                                             .surface = surface ? surface_find(surface) : SDD_SURFACE_REFINED,
                                             .include = blocks,
                                             .method = a->method};
    a->primvars = query_get(q, "primvars");
    if (a->primvars && !*a->primvars)
        return sdd_fail(err, SDD_EINVALID, "primvars", "primvars names nothing");
    if (compact && file_format(a))
        return sdd_fail(err, SDD_EINVALID, "compact",
                        "compact goes with a frame: accept application/vnd.subdd.frame, or leave compact out");
    if (normals && strcmp(normals, "vertex") != 0 && strcmp(normals, "split") != 0)
        return sdd_fail(err, SDD_EINVALID, "normals", "normals is vertex or split, not \"%.40s\"", normals);
    if (include)
        rc = read_list("include", include, ~0, &a->request.include, err);
    if (normals && *normals == 's')
        a->request.include = (a->request.include & ~SDD_NORMALS) | SDD_NORMAL_INDICES;
    return !rc && compact ? read_list("compact", compact, COMPACT_BLOCKS, &a->request.compact, err) : rc;
}

int64_t ask_max_level(const struct config *c)
{
    return c->max_level;
}

int64_t ask_max_patch_level(const struct config *c)
{
    return c->max_level > SDD_MAX_PATCH_LEVEL ? SDD_MAX_PATCH_LEVEL : c->max_level;
}

void *ask_job_create(struct request *r, size_t bytes, int64_t max_level, int blocks)
{
    struct sdd_error err = {0};
    struct ask_job *a = mesh_job_create(r, bytes, false);
    if (!a)
        return NULL;
    if (!read_query(a, max_level, blocks, &err))
        return a;
    answer_error(r, &err);
    mesh_job_free(&a->base.job);
    return NULL;
}
