/* SPDX-License-Identifier: Apache-2.0 */
/* info.c: writes MeshInfo, MeshList and EditResult as JSON and as protobuf messages, for the handlers of api/. */
#include "server/api/api.h"
#include "server/base/chars.h"
#include "server/mesh/edits/edits.h"
#include "subdd.pb-c.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void write_date(char out[40], int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 40 - n, ".%03dZ", (int)(ms % 1000));
}

static void edit_kinds_json(struct text *out, uint32_t kinds)
{
    const char *before = "[";
    text_key(out, "kinds");
    for (int op = 0; op <= EDIT_MERGE_VERTICES; op++)
        if (kinds >> op & 1) {
            text_printf(out, "%s\"%s\"", before, edit_name(op));
            before = ",";
        }
    text_puts(out, "]");
}

void version_json(struct text *out, const struct store_version *v, const struct text *touched)
{
    char updated[40];
    write_date(updated, v->updated_ms);
    text_puts(out, "{");
    text_member_int(out, "version", v->version);
    text_member(out, "change", v->kind);
    text_member(out, "principal", v->principal);
    text_member(out, "updated", updated);
    if (v->n_edits)
        text_member_int(out, "edits", v->n_edits);
    if (v->edit_kinds)
        edit_kinds_json(out, v->edit_kinds);
    if (v->of)
        text_member_int(out, "of", v->of);
    text_member_int(out, "vertices", v->n_vertices);
    text_member_int(out, "faces", v->n_faces);
    if (touched && touched->bytes && !touched->failed)
        text_printf(out, ",%s", touched->data);
    text_puts(out, "}");
}

struct info_state info_state_of(const struct service *s, const struct store_info *info, const struct slot *slot)
{
    return (struct info_state){.residency = slot ? slot_residency(slot) : "disk",
                               .device_bytes = slot && slot->resident ? resident_bytes(slot->resident) : 0,
                               .host_bytes = slot ? slot->host_bytes : 0,
                               .pinned = slot && slot->pinned,
                               .quarantined = quarantine_has(s->quarantine, info->id, info->version)};
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */
static void primvars_json(struct text *out, const struct store_info *info)
{
    text_key(out, "primvars");
    text_puts(out, "[");
    for (int i = 0; i < info->n_primvars; i++) {
        const struct primvar_info *p = &info->primvars[i];
        text_puts(out, i ? ",{" : "{");
        text_member(out, "name", p->name);
        text_member(out, "interpolation", primvar_interpolation(p->interpolation));
        text_member(out, "type", primvar_type(p->type));
        text_member_int(out, "width", p->width);
        text_member_int(out, "values", p->n_values);
        if (info->sets[i].n)
            text_member_int(out, "sets", info->sets[i].n);
        text_puts(out, "}");
    }
    text_puts(out, "]");
}

static void stage_json(struct text *out, const struct mesh_stage *stage)
{
    if (stage->up_axis)
        text_member(out, "upAxis", mesh_up_axis_name(stage->up_axis));
    if (stage->meters_per_unit > 0) {
        text_key(out, "metersPerUnit");
        text_printf(out, "%.15g", stage->meters_per_unit);
    }
}

/* The most warnings of an answer: those of each kind of loss, and one that counts others. */
#define MAX_WARNINGS (LOSSES_MAX + 1)

/* Copies the next line of *at, and moves *at behind it. Returns false at the end. */
static bool next_line(const char **at, char line[WARNING_SIZE])
{
    size_t n = *at ? strcspn(*at, "\n") : 0;
    if (!n)
        return false;
    snprintf(line, WARNING_SIZE, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == '\n');
    return true;
}

static void warnings_json(struct text *out, const struct text *warnings)
{
    const char *at = warnings->data;
    char line[WARNING_SIZE];
    text_key(out, "warnings");
    text_puts(out, "[");
    for (int i = 0; i < MAX_WARNINGS && next_line(&at, line); i++) {
        text_puts(out, i ? "," : "");
        text_json_string(out, line);
    }
    text_puts(out, "]");
}

void info_json(struct text *out, const struct store_info *info, const struct info_state *state)
{
    char created[40], updated[40];
    write_date(created, info->created_ms);
    write_date(updated, info->updated_ms);
    text_puts(out, "{");
    text_member(out, "id", info->id);
    text_member(out, "name", info->name);
    text_member_int(out, "version", info->version);
    text_member(out, "topologyId", info->topology_id);
    text_key(out, "options");
    text_puts(out, "{");
    for (int i = 0; i < sdd_n_options; i++)
        text_member(out, sdd_option_table[i].name, sdd_option_token(&info->options, i));
    text_puts(out, "}");
    text_member_int(out, "vertices", info->n_vertices);
    text_member_int(out, "faces", info->n_faces);
    text_member_int(out, "corners", info->n_corners);
    text_member_int(out, "edges", info->n_edges);
    text_member_int(out, "uvs", info->n_uvs);
    text_key(out, "manifold");
    text_puts(out, info->manifold ? "true" : "false");
    stage_json(out, &info->stage);
    primvars_json(out, info);
    text_member(out, "residency", state->residency);
    text_member_int(out, "deviceBytes", state->device_bytes);
    text_member_int(out, "hostBytes", state->host_bytes);
    if (state->pinned) {
        text_key(out, "pinned");
        text_puts(out, "true");
    }
    if (state->quarantined) {
        text_key(out, "quarantined");
        text_puts(out, "true");
    }
    text_member(out, "created", created);
    text_member(out, "updated", updated);
    if (state->bandwidth) {
        text_member_int(out, "bandwidthBefore", state->bandwidth[0]);
        text_member_int(out, "bandwidthAfter", state->bandwidth[1]);
    }
    if (state->warnings && state->warnings->bytes)
        warnings_json(out, state->warnings);
    text_puts(out, "}");
}

static void ids_json(struct text *out, const char *key, const int32_t *ids, int64_t n)
{
    text_key(out, key);
    text_puts(out, "[");
    for (int64_t i = 0; i < n; i++)
        text_printf(out, i ? ",%d" : "%d", ids[i]);
    text_puts(out, "]");
}

void edit_result_json(struct text *out, const struct store_info *info, const struct info_state *state,
                      const struct edit_result *e, int64_t passed_over)
{
    text_puts(out, "{\"mesh\":");
    info_json(out, info, state);
    ids_json(out, "newVertexIds", e->new_vertex_ids, e->n_new_vertices);
    ids_json(out, "newFaceIds", e->new_face_ids, e->n_new_faces);
    if (passed_over)
        text_puts(out, ",\"passedOver\":[");
    for (int64_t i = passed_over; i > 0; i--)
        text_printf(out, "%lld%s", (long long)(info->version - i), i > 1 ? "," : "]");
    text_puts(out, "}\n");
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */
struct info_message {
    Subdd__V1__MeshInfo info;
    Subdd__V1__Options options;
    Subdd__V1__PrimvarInfo primvars[SDD_MAX_PRIMVARS], *pointers[SDD_MAX_PRIMVARS];
    char created[40], updated[40];
};

static void fill(struct info_message *m, const struct store_info *info, const struct info_state *state)
{
    subdd__v1__mesh_info__init(&m->info);
    subdd__v1__options__init(&m->options);
    m->options.subdivision_scheme = chars_proto(sdd_option_token(&info->options, 0));
    m->options.interpolate_boundary = chars_proto(sdd_option_token(&info->options, 1));
    m->options.face_varying_linear_interpolation = chars_proto(sdd_option_token(&info->options, 2));
    m->options.triangle_subdivision_rule = chars_proto(sdd_option_token(&info->options, 3));
    m->options.crease_method = chars_proto(sdd_option_token(&info->options, 4));
    m->options.orientation = chars_proto(sdd_option_token(&info->options, 5));
    write_date(m->created, info->created_ms);
    write_date(m->updated, info->updated_ms);
    m->info.id = chars_proto(info->id);
    m->info.name = chars_proto(info->name);
    m->info.version = (uint64_t)info->version;
    m->info.topology_id = chars_proto(info->topology_id);
    m->info.options = &m->options;
    m->info.vertices = (uint64_t)info->n_vertices;
    m->info.faces = (uint64_t)info->n_faces;
    m->info.corners = (uint64_t)info->n_corners;
    m->info.edges = (uint64_t)info->n_edges;
    m->info.uvs = (uint64_t)info->n_uvs;
    m->info.manifold = info->manifold;
    m->info.up_axis = chars_proto(mesh_up_axis_name(info->stage.up_axis));
    m->info.meters_per_unit = info->stage.meters_per_unit;
    m->info.residency = chars_proto(state->residency);
    m->info.device_bytes = (uint64_t)state->device_bytes;
    m->info.host_bytes = (uint64_t)state->host_bytes;
    m->info.quarantined = state->quarantined;
    m->info.pinned = state->pinned;
    m->info.created = m->created;
    m->info.updated = m->updated;
    for (int i = 0; i < info->n_primvars; i++) {
        const struct primvar_info *p = &info->primvars[i];
        subdd__v1__primvar_info__init(m->pointers[i] = &m->primvars[i]);
        m->primvars[i].name = chars_proto(p->name);
        m->primvars[i].interpolation = chars_proto(primvar_interpolation(p->interpolation));
        m->primvars[i].type = chars_proto(primvar_type(p->type));
        m->primvars[i].width = (uint32_t)p->width;
        m->primvars[i].values = (uint64_t)p->n_values;
        m->primvars[i].sets = (uint64_t)info->sets[i].n;
    }
    m->info.n_primvars = (size_t)info->n_primvars;
    m->info.primvars = m->pointers;
    if (state->bandwidth) {
        m->info.bandwidth_before = (uint64_t)state->bandwidth[0];
        m->info.bandwidth_after = (uint64_t)state->bandwidth[1];
    }
}

static void pack(struct text *out, const ProtobufCMessage *message)
{
    size_t bytes = protobuf_c_message_get_packed_size(message);
    unsigned char *packed = malloc(bytes + 1);
    if (packed) {
        protobuf_c_message_pack(message, packed);
        text_add(out, (char *)packed, bytes);
    } else
        out->failed = true;
    free(packed);
}

void info_proto(struct text *out, const struct store_info *info, const struct info_state *state)
{
    struct info_message m;
    char lines[MAX_WARNINGS][WARNING_SIZE], *pointers[MAX_WARNINGS];
    const char *at = state->warnings ? state->warnings->data : NULL;
    fill(&m, info, state);
    for (m.info.n_warnings = 0; m.info.n_warnings < MAX_WARNINGS && next_line(&at, lines[m.info.n_warnings]);)
        m.info.n_warnings++;
    for (size_t i = 0; i < m.info.n_warnings; i++)
        pointers[i] = lines[i];
    m.info.warnings = pointers;
    pack(out, &m.info.base);
}

void edit_result_proto(struct text *out, const struct store_info *info, const struct info_state *state,
                       const struct edit_result *e, int64_t passed_over)
{
    Subdd__V1__EditResult result = SUBDD__V1__EDIT_RESULT__INIT;
    struct info_message m;
    fill(&m, info, state);
    result.mesh = &m.info;
    result.new_vertex_ids = (ProtobufCBinaryData){(size_t)e->n_new_vertices * 4, (uint8_t *)e->new_vertex_ids};
    result.new_face_ids = (ProtobufCBinaryData){(size_t)e->n_new_faces * 4, (uint8_t *)e->new_face_ids};
    uint64_t *versions = calloc((size_t)passed_over + 1, sizeof *versions);
    for (int64_t i = 0; versions && i < passed_over; i++)
        versions[i] = (uint64_t)(info->version - passed_over + i);
    result.passed_over = versions;
    result.n_passed_over = versions ? (size_t)passed_over : 0;
    if (versions)
        pack(out, &result.base);
    else
        out->failed = true;
    free(versions);
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */
void answer_info(struct request *r, int status, const struct store_info *info, const struct info_state *state)
{
    struct text body = {0};
    if (r->media_out == MEDIA_PROTOBUF)
        info_proto(&body, info, state);
    else {
        info_json(&body, info, state);
        text_puts(&body, "\n");
    }
    r->mesh_version = info->version;
    answer_text(r, status, (enum media)r->media_out, &body);
    answer_etag(r, info->version);
}

static struct info_state state_in_list(const struct service *s, const struct store_info *info)
{
    return info_state_of(s, info, slot_find(&s->memory->slots, info->id));
}

static void list_proto(struct request *r, struct text *body, const struct store_info *infos, int n, const char *next)
{
    Subdd__V1__MeshList list = SUBDD__V1__MESH_LIST__INIT;
    struct info_message *messages = calloc((size_t)n + 1, sizeof *messages);
    Subdd__V1__MeshInfo **pointers = calloc((size_t)n + 1, sizeof *pointers);
    for (int i = 0; messages && pointers && i < n; i++) {
        struct info_state state = state_in_list(service_of(r), &infos[i]);
        fill(&messages[i], &infos[i], &state);
        pointers[i] = &messages[i].info;
    }
    list.n_meshes = (size_t)n;
    list.meshes = pointers;
    list.next = chars_proto(next);
    if (messages && pointers)
        pack(body, &list.base);
    else
        body->failed = true;
    free(messages);
    free(pointers);
}

void info_list(struct request *r, const struct store_info *infos, int n, bool more)
{
    struct text body = {0};
    const char *next = more && n ? infos[n - 1].id : "";
    if (r->media_out == MEDIA_PROTOBUF)
        list_proto(r, &body, infos, n, next);
    else {
        text_puts(&body, "{\"meshes\":[");
        for (int i = 0; i < n; i++) {
            struct info_state state = state_in_list(service_of(r), &infos[i]);
            if (i)
                text_puts(&body, ",");
            info_json(&body, &infos[i], &state);
        }
        text_puts(&body, "]");
        text_member(&body, "next", next);
        text_puts(&body, "}\n");
    }
    answer_text(r, 200, (enum media)r->media_out, &body);
}
