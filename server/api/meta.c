/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c: answers the requests about the service itself: GET /v1, the OpenAPI document and the metrics. */
#include "server/api/api.h"
#include "server/refine/refine.h"
#include "openapi.h"
#include <stdio.h>

/* Writes which features an engine has, and for which schemes. */
static void write_features(struct text *t, const struct sdd_engine_info *e)
{
    const char *const *scheme = sdd_option_table[0].tokens;
    text_key(t, "features");
    for (int k = 0; sdd_feature_table[k].option; k++) {
        text_puts(t, k ? ",{" : "[{");
        text_member(t, "option", sdd_feature_table[k].option);
        text_member(t, "what", sdd_feature_table[k].what);
        text_key(t, "schemes");
        const char *before = "[";
        for (int s = 0; scheme[s]; s++)
            if (e->schemes[k] >> s & 1) {
                text_puts(t, before);
                text_json_string(t, scheme[s]);
                before = ",";
            }
        text_puts(t, *before == '[' ? "[]}" : "]}");
    }
    text_puts(t, "]");
}

static void write_engines(struct text *t)
{
    text_key(t, "engines");
    text_puts(t, "[");
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        text_puts(t, row == 0 ? "{" : ",{");
        text_member(t, "name", e->name);
        text_member(t, "summary", e->summary);
        write_features(t, e);
        text_puts(t, "}");
    }
    text_puts(t, "]");
}

static void write_options(struct text *t)
{
    text_key(t, "options");
    text_puts(t, "[");
    for (int i = 0; i < sdd_n_options; i++) {
        const struct sdd_option_info *o = &sdd_option_table[i];
        text_puts(t, i ? ",{" : "{");
        text_member(t, "name", o->name);
        text_member(t, "flag", o->flag);
        text_key(t, "tokens");
        text_puts(t, "[");
        for (int k = 0; o->tokens[k]; k++) {
            if (k)
                text_puts(t, ",");
            text_json_string(t, o->tokens[k]);
        }
        text_puts(t, "]}");
    }
    text_puts(t, "]");
}

static void write_limits(struct text *t, const struct config *c)
{
    text_key(t, "limits");
    text_puts(t, "{");
    text_member_int(t, "maxLevel", ask_max_level(c));
    text_member_int(t, "maxPatchLevel", ask_max_patch_level(c));
    text_member_int(t, "maxPrimvars", SDD_MAX_PRIMVARS);
    text_member_int(t, "maxPrimvarWidth", SDD_MAX_PRIMVAR_WIDTH);
    text_member_int(t, "maxOutputBytes", c->max_output_bytes);
    text_member_int(t, "streamBytes", c->stream_bytes);
    text_member_int(t, "maxHeaderBytes", c->max_header_bytes);
    text_member_int(t, "maxBodyBytes", c->max_body_bytes);
    text_member_int(t, "maxJsonBytes", c->max_json_bytes);
    text_member_int(t, "maxConnections", c->max_connections);
    text_member_int(t, "queueSize", c->queue_size);
    text_member_real(t, "requestDeadlineSeconds", c->request_deadline, 3);
    text_puts(t, "}");
}

/* What each part of --memory-limit may take, and what it has taken where that is counted. */
static void write_memory(struct text *t, const struct service *s)
{
    const struct memory *m = s->memory;
    const atomic_llong *values = s->metrics->values;
    text_key(t, "memory");
    text_puts(t, "{");
    text_member_int(t, "limit", m->budgets.limit);
    text_member_int(t, "waiting", atomic_load(&s->jobs->n_parked));
    text_key(t, "parts");
    for (int i = 0; i < BUDGET_PARTS; i++) {
        text_puts(t, i ? ",{" : "[{");
        text_member(t, "name", budget_names[i]);
        text_member_int(t, "limit", m->budgets.part[i]);
        if (i == BUDGET_CACHE)
            text_member_int(t, "used", m->cache.bytes);
        if (i == BUDGET_DEVICE && m->budgets.part[i])
            text_member_int(t, "used",
                            atomic_load(&values[M_DEVICE_TOPOLOGY]) + atomic_load(&values[M_DEVICE_POSITIONS]) +
                                atomic_load(&values[M_DEVICE_SCRATCH]));
        if (i == BUDGET_HOST)
            text_member_int(t, "used", atomic_load(&m->pool.used));
        text_puts(t, "}");
    }
    text_puts(t, "]}");
}

void api_service(struct request *r)
{
    struct service *s = service_of(r);
    const struct sdd_device_info *d = &s->memory->device_info;
    struct text t = {0};
    text_puts(&t, "{");
    text_member(&t, "name", "subdd");
    text_member(&t, "version", sdd_version());
    text_member(&t, "backend", d->backend);
    text_member(&t, "device", d->name);
    text_member(&t, "backendDetail", d->detail);
    text_member_int(&t, "threads", d->threads);
    text_member_int(&t, "deviceMemoryLimit", d->memory_limit);
    text_member_int(&t, "hostMemoryLimit", s->memory->budgets.part[BUDGET_HOST]);
    text_member_int(&t, "watchers", atomic_load(&s->metrics->values[M_WATCHERS]));
    write_engines(&t);
    write_options(&t);
    write_limits(&t, s->config);
    write_memory(&t, s);
    text_puts(&t, "}\n");
    answer_text(r, 200, MEDIA_JSON, &t);
}

void api_openapi(struct request *r)
{
    answer_copy(r, 200, "application/yaml", openapi_yaml, sizeof openapi_yaml);
}

void api_openapi_json(struct request *r)
{
    answer_copy(r, 200, "application/json", openapi_json, sizeof openapi_json);
}

void api_metrics(struct request *r)
{
    struct service *s = service_of(r);
    struct metrics *m = s->metrics;
    struct text t = {0};
    int waiting[FAIR_CLASSES];
    metrics_set(m, M_QUEUE_HOST, executor_depth(s->jobs->host));
    metrics_set(m, M_QUEUE_STORE, executor_depth(s->jobs->disk));
    metrics_set(m, M_QUEUE_DEVICE, executor_depth(s->jobs->compute));
    for (int i = 0; i < POOL_USES; i++)
        metrics_set(m, (enum metric)(M_POOL_BODIES + i), atomic_load(&s->memory->pool.by[i]));
    metrics_set(m, M_WAIT_LONGEST_MS, executor_waits(s->jobs->compute, waiting) / 1000000);
    metrics_set(m, M_WAITING_SHORT, waiting[FAIR_SHORT]);
    metrics_set(m, M_WAITING_LONG, waiting[FAIR_LONG]);
    metrics_set(m, M_WAITING_BULK, waiting[FAIR_BULK_SHORT] + waiting[FAIR_BULK_LONG]);
    metrics_set(m, M_INFLIGHT_BYTES, s->net->inflight_bytes);
    metrics_set(m, M_SESSIONS, s->net->conns.n);
    text_puts(&t, "# HELP subdd_build_info Version and backend.\n# TYPE subdd_build_info gauge\n");
    text_printf(&t, "subdd_build_info{version=\"%s\",backend=\"%s\"} 1\n", sdd_version(),
                s->memory->device_info.backend);
    metrics_write(m, &t);
    if (t.failed)
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
    else
        answer_copy(r, 200, "text/plain; version=0.0.4; charset=utf-8", t.data, t.bytes);
    text_free(&t);
}
