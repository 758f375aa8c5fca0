/* SPDX-License-Identifier: Apache-2.0 */
/* json_lease.c: reads the body of a request for a lease, for api/people.c. */
#include "server/mesh/formats/json_text.h"
#include <stdlib.h>
#include <string.h>

int lease_from_json(const void *body, size_t bytes, int64_t max_seconds, struct lease_ask *out, struct sdd_error *err)
{
    static const char *const names[] = {"seconds", "faces", "client"};
    const cJSON *member[3];
    const char *client = "";
    struct i64s faces = {0};
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (!rc)
        rc = json_fields(json, "", names, 3, member, err);
    if (!rc)
        rc = json_int(member[0], "seconds", 1, max_seconds, &out->seconds, err);
    if (!rc)
        rc = json_string(member[2], "client", &client, err);
    if (!rc && strlen(client) >= sizeof out->client) {
        rc = sdd_fail(err, SDD_EINVALID, "client", "client has at most %zu bytes", sizeof out->client - 1);
        err->available = sizeof out->client - 1;
    }
    if (!rc && member[1])
        rc = json_i64s(member[1], "faces", &faces, err);
    if (!rc && member[1] && !faces.n)
        rc = sdd_fail(err, SDD_EINVALID, "faces",
                      "faces is empty: name faces by their ids, or leave it out for the mesh");
    if (!rc && faces.n && !(out->faces = mesh_alloc(faces.n, sizeof *out->faces, err)))
        rc = SDD_ENO_MEMORY;
    for (int64_t i = 0; i < faces.n && !rc; i++) {
        out->faces[i] = (int32_t)faces.v[i];
        if (faces.v[i] < 0 || faces.v[i] > INT32_MAX)
            rc = sdd_fail(err, SDD_EINVALID, "faces", "faces[%lld] is %lld, which is no id", (long long)i,
                          (long long)faces.v[i]);
    }
    out->n_faces = faces.n;
    memcpy(out->client, client, rc ? 0 : strlen(client) + 1);
    free((void *)faces.v);
    if (rc) {
        free(out->faces);
        out->faces = NULL;
    }
    cJSON_Delete(json);
    return rc;
}

int json_line(const void *body, size_t bytes, char *out, struct sdd_error *err)
{
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (rc)
        return rc;
    cJSON_Delete(json);
    memcpy(out, body, bytes);
    out[bytes] = 0;
    cJSON_Minify(out);
    return SDD_OK;
}
