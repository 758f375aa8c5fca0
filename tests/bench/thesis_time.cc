/* SPDX-License-Identifier: Apache-2.0 */
/* thesis_time.cc: our time, and which rows are asked for. */
#include "tests/bench/thesis.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace thesis
{

static constexpr int runs = 7;

/* A mesh on the device, and how long its topology and points took to get there. */
struct held {
    sdd_topology *topology;
    sdd_mesh *mesh;
    double ms;
};

static int hold(sdd_device *device, const model &m, int scheme, held *h, sdd_error *err)
{
    const sdd_mesh_desc d = m.desc(scheme);
    *h = {};
    double start = now_ms();
    int rc = sdd_topology_create(device, &d, &h->topology, err);
    if (!rc)
        rc = sdd_mesh_create(h->topology, m.points.data(), nullptr, &h->mesh, err);
    h->ms = now_ms() - start;
    return rc;
}

static void drop(held *h)
{
    sdd_mesh_free(h->mesh);
    sdd_topology_unref(h->topology);
    *h = {};
}

/* One refinement, and its device time; the control vertices must be where the peer has put them. */
static int refine(const held &h, const char *method, int level, const std::vector<float> &want, double *ms, ours *o,
                  sdd_error *err)
{
    sdd_result *result = nullptr;
    sdd_refine_request r = {};
    r.level = level;
    r.include = SDD_POSITIONS;
    r.method = method;
    int rc = refine_once(h.mesh, &r, &result, err);
    if (rc)
        return rc;
    const struct sdd_result_info *info = sdd_result_info(result);
    struct sdd_topology_info t;
    sdd_topology_info(h.topology, &t);
    o->device_bytes = std::max(t.build_bytes, t.device_bytes + sdd_mesh_bytes(h.mesh) + info->plan.device_bytes);
    o->n_vertices = info->plan.n_vertices;
    *ms = info->refine_seconds * 1e3;
    const float *got = (const float *)info->plan.blocks[0].data;
    for (size_t i = 0; i < want.size(); i++)
        if (!(std::fabs(got[i] - want[i]) < 1e-4f))
            oracle_die("%s: vertex %zu differs from the peer's; nothing is measured", method, i / 3);
    sdd_result_free(result);
    return SDD_OK;
}

ours our_time(sdd_device *device, const model &m, int scheme, const char *method, int level, const peer &p)
{
    double topology[runs], engine[runs];
    ours o = {};
    sdd_error err = {};
    held h;
    int rc = hold(device, m, scheme, &h, &err);
    if (!rc)
        rc = refine(h, method, level, p.images, &engine[0], &o, &err); /* and warms both up */
    for (int i = 0; i < runs && !rc; i++)
        rc = refine(h, method, level, {}, &engine[i], &o, &err);
    for (int i = 0; i < runs && !rc; i++) {
        drop(&h);
        rc = hold(device, m, scheme, &h, &err);
        topology[i] = h.ms;
    }
    drop(&h);
    if (rc) {
        o.refused = err.text;
        return o;
    }
    o.topology = median(topology, runs);
    o.engine = median(engine, runs);
    return o;
}

std::string times(double theirs, double ours)
{
    char text[32] = "      -";
    if (theirs > 0 && ours > 0)
        snprintf(text, sizeof text, theirs / ours < 100 ? "%6.2fx" : "%6.0fx", theirs / ours);
    return text;
}

bool without_peer()
{
    const char *peer = getenv("PEER");
    return peer && strcmp(peer, "0") == 0;
}

static std::string lower(std::string text)
{
    for (char &c : text)
        c = (char)tolower(c);
    return text;
}

bool is_chosen(size_t number, const std::string &label)
{
    const char *rows = getenv("ROWS");
    if (!rows || !*rows)
        return true;
    for (const char *at = rows; *at; at += strspn(at, ",")) {
        const std::string item = lower(std::string(at, strcspn(at, ",")));
        at += item.size();
        const bool is_number = item.find_first_not_of("0123456789") == std::string::npos;
        if (is_number ? item == std::to_string(number) : lower(label).find(item) != std::string::npos)
            return true;
    }
    return false;
}

} // namespace thesis
