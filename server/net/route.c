/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: finds the row of the endpoint table for a request, for http.c. */
#include "server/net/route.h"
#include <stdio.h>
#include <string.h>

/* True for an id that a mesh could have. Ids are keys and never file paths, though they may have dots. */
static bool good_id(const char *s, size_t n)
{
    if (n == 0 || n >= REQUEST_NAME_SIZE || s[0] == '.')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", s[i]))
            return false;
    return true;
}

static bool matches(const char *pattern, const char *path, size_t n, const char **id, size_t *id_bytes)
{
    const char *end = path + n;
    *id_bytes = 0;
    bool named = false; /* The {id} was met; a segment behind it is for the handler to judge. */
    for (; *pattern; pattern++) {
        if (*pattern != '{') {
            if (path == end || *path++ != *pattern)
                return false;
            continue;
        }
        const char *segment = path;
        while (path < end && *path != '/')
            path++;
        if (path == segment)
            return false;
        if (!named) {
            *id = segment;
            *id_bytes = (size_t)(path - segment);
        }
        named = true;
        pattern = strchr(pattern, '}');
    }
    return path == end;
}

const struct route *routes_find(const struct routes *routes, const char *method, const char *path, size_t n,
                                char mesh[REQUEST_NAME_SIZE], char allowed[64], struct sdd_error *err)
{
    const char *id = NULL;
    size_t id_bytes, at = 0;
    bool head = strcmp(method, "HEAD") == 0;
    mesh[0] = allowed[0] = 0;
    for (const struct route *row = routes->rows; row < routes->rows + routes->n; row++) {
        if (!matches(row->path, path, n, &id, &id_bytes) &&
            !(row->always && matches(row->path + strlen("/v1"), path, n, &id, &id_bytes)))
            continue; /* Health is answered without /v1 too, where probes look for it. */
        if (!strstr(row->path, "{id}"))
            id_bytes = 0; /* Any other segment is for its handler to judge. */
        if (id_bytes && !good_id(id, id_bytes)) {
            sdd_fail(err, SDD_EINVALID, "id",
                     "a mesh id has up to 128 characters of [A-Za-z0-9._-] and does not start with a dot");
            return NULL;
        }
        if (strcmp(row->method, head ? "GET" : method) == 0) {
            if (id_bytes)
                memcpy(mesh, id, id_bytes);
            mesh[id_bytes] = 0;
            return row;
        }
        at += (size_t)snprintf(allowed + at, 64 - at, "%s%s%s", at ? ", " : "", row->method,
                               strcmp(row->method, "GET") ? "" : ", HEAD");
    }
    return NULL;
}
