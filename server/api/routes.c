/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c: the table of endpoints for net/: which handler answers a method and path, and what is checked before it. */
#include "server/api/routes.h"
#include "server/api/api.h"

#define BODY_MESH (MEDIA_PROTOBUF | MEDIA_JSON | MEDIA_OBJ | MEDIA_USDA)
#define INFO (MEDIA_JSON | MEDIA_PROTOBUF)
#define SURFACE (MEDIA_FRAME | MEDIA_FILES)

static const char *const q_create[] = {"name", "reorder", "strict", "prim", "time", NULL};
static const char *const q_list[] = {"name", "after", "limit", NULL};
static const char *const q_positions[] = {"first", "prim", "time", NULL};
static const char *const q_version[] = {"version", NULL};
static const char *const q_versions[] = {"before", "limit", NULL};
static const char *const q_refined[] = {"level",    "surface", "include", "normals", "compact",
                                        "primvars", "method",  "version", NULL};
static const char *const q_watch[] = {"level",    "surface", "include", "normals", "compact",
                                      "primvars", "method",  "since",   "deltas",  NULL};
static const char *const q_events[] = {"since", NULL};
static const char *const q_pose[] = {"level",  "surface", "include", "normals", "compact", "primvars",
                                     "method", "prim",    "time",    "version", NULL};
static const char *const q_matrix[] = {"level", "surface", "what", "version", NULL};
static const char *const q_neighbors[] = {"relation", "level", "ring", "oriented", "first", "count", "version", NULL};
static const char *const q_neighbors_of[] = {"relation", "level", "ring", "oriented", "version", NULL};
static const char *const q_fields[] = {"what", "sources", "level", "version", NULL};
static const char *const q_smooth[] = {"store", "level", NULL};
static const char *const q_presence[] = {"client", "seconds", "connection", NULL};
static const char *const q_presence_end[] = {"client", NULL};
static const char *const q_job[] = {"after", NULL};
static const char *const q_patches[] = {"level", "surface", "version", NULL};

const struct route routes[] = {
    {"GET", "/v1/health/live", "live", SCOPE_NONE, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, true, api_live,
     "the loop turns"},
    {"GET", "/v1/health/ready", "ready", SCOPE_NONE, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, true, api_ready,
     "work is taken"},
    {"GET", "/v1", "service", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, false, api_service,
     "version, device, engines, options, limits"},
    {"GET", "/v1/openapi.yaml", "openapi", SCOPE_READ, 0, MEDIA_YAML, MEDIA_YAML, NULL, false, false, api_openapi,
     "this interface"},
    {"GET", "/v1/openapi.json", "openapi_json", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, false,
     api_openapi_json, "this interface as JSON"},
    {"GET", "/docs/errors", "errors", SCOPE_NONE, 0, MEDIA_HTML, MEDIA_HTML, NULL, false, false, api_errors_page,
     "every error, for people"},
    {"GET", "/metrics", "metrics", SCOPE_READ, 0, 0, MEDIA_TEXT, NULL, false, false, api_metrics, "Prometheus metrics"},
    {"GET", "/", "home", SCOPE_NONE, 0, 0, MEDIA_TEXT, NULL, false, false, api_home, "the page for people"},
    {"GET", "/docs", "docs", SCOPE_NONE, 0, 0, MEDIA_TEXT, NULL, false, false, api_docs, "this interface, for people"},
    {"GET", "/web/{file}", "web", SCOPE_NONE, 0, 0, MEDIA_TEXT, NULL, false, false, api_web, "what the pages load"},
    {"GET", "/viewer", "viewer", SCOPE_NONE, 0, 0, MEDIA_TEXT, NULL, false, false, api_viewer, "surfaces in a browser"},
    {"GET", "/viewer/{file}", "viewer_file", SCOPE_NONE, 0, 0, MEDIA_TEXT, NULL, false, false, api_viewer_file,
     "what the viewer loads"},
    {"POST", "/v1/meshes", "create", SCOPE_EDIT, BODY_MESH, INFO, MEDIA_JSON, q_create, true, false, api_create,
     "store a control mesh"},
    {"GET", "/v1/meshes", "list", SCOPE_READ, 0, INFO, MEDIA_JSON, q_list, false, false, api_list,
     "meshes, by id, in pages"},
    {"GET", "/v1/meshes/{id}", "show", SCOPE_READ, 0, INFO, MEDIA_JSON, q_version, false, false, api_show,
     "a mesh without its geometry"},
    {"PATCH", "/v1/meshes/{id}", "rename", SCOPE_EDIT, MEDIA_JSON, INFO, MEDIA_JSON, NULL, false, false, api_rename,
     "give a mesh another name"},
    {"DELETE", "/v1/meshes/{id}", "delete", SCOPE_EDIT, 0, 0, MEDIA_JSON, NULL, false, false, api_delete,
     "forget a mesh"},
    {"GET", "/v1/meshes/{id}/cage", "cage", SCOPE_READ, 0, BODY_MESH | MEDIA_FILES, MEDIA_JSON, q_version, false, false,
     api_cage, "the control mesh"},
    {"PUT", "/v1/meshes/{id}/positions", "positions", SCOPE_EDIT, BODY_MESH | MEDIA_OCTETS, INFO, MEDIA_JSON,
     q_positions, false, false, api_positions, "move vertices"},
    {"POST", "/v1/meshes/{id}/edits", "edits", SCOPE_EDIT, MEDIA_PROTOBUF | MEDIA_JSON, INFO, MEDIA_JSON, NULL, false,
     false, api_edits, "change the topology"},
    {"GET", "/v1/meshes/{id}/refined", "refined", SCOPE_READ, 0, SURFACE, MEDIA_OBJ, q_refined, false, false,
     api_refined, "the refined surface"},
    {"POST", "/v1/meshes/{id}/refined", "pose", SCOPE_READ, BODY_MESH | MEDIA_OCTETS, SURFACE, MEDIA_OBJ, q_pose, false,
     false, api_pose, "the refined surface of positions that are not kept"},
    {"GET", "/v1/meshes/{id}/patches", "patches", SCOPE_READ, 0, MEDIA_FRAME, MEDIA_FRAME, q_patches, false, false,
     api_patches, "the surface as B-spline patches, and faces where it is none"},
    {"GET", "/v1/meshes/{id}/matrix", "matrix", SCOPE_READ, 0, MEDIA_TEXT, MEDIA_TEXT, q_matrix, false, false,
     api_matrix, "what the control points are multiplied with, as Matrix Market text"},
    {"GET", "/v1/meshes/{id}/neighbors", "neighbors", SCOPE_READ, 0, MEDIA_FRAME, MEDIA_FRAME, q_neighbors, false,
     false, api_neighbors, "which vertices, edges and faces are neighbours"},
    {"POST", "/v1/meshes/{id}/neighbors", "neighbors_of", SCOPE_READ, MEDIA_PROTOBUF | MEDIA_JSON | MEDIA_OCTETS,
     MEDIA_FRAME, MEDIA_FRAME, q_neighbors_of, false, false, api_neighbors_of, "the neighbours of those in a list"},
    {"GET", "/v1/meshes/{id}/fields", "fields", SCOPE_READ, 0, MEDIA_FRAME, MEDIA_FRAME, q_fields, false, false,
     api_fields, "normals, curvatures and distances at the vertices"},
    {"POST", "/v1/meshes/{id}/smooth", "smooth", SCOPE_READ, MEDIA_JSON, MEDIA_FRAME | INFO, MEDIA_FRAME, q_smooth,
     false, false, api_smooth, "smoothed positions, not kept or as a new version"},
    {"GET", "/v1/meshes/{id}/versions", "versions", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, q_versions, false, false,
     api_versions, "the versions that can be read, who made them and how"},
    {"POST", "/v1/meshes/{id}/revert", "revert", SCOPE_EDIT, MEDIA_JSON, INFO, MEDIA_JSON, NULL, false, false,
     api_revert, "make an earlier version the next one"},
    {"POST", "/v1/meshes/{id}/undo", "undo", SCOPE_EDIT, 0, INFO, MEDIA_JSON, NULL, false, false, api_undo,
     "undo the caller's last change"},
    {"POST", "/v1/meshes/{id}/redo", "redo", SCOPE_EDIT, 0, INFO, MEDIA_JSON, NULL, false, false, api_redo,
     "redo what the caller has undone last"},
    {"GET", "/v1/meshes/{id}/leases", "leases", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, false, api_leases,
     "who has which faces to himself"},
    {"POST", "/v1/meshes/{id}/leases", "lease", SCOPE_EDIT, MEDIA_JSON, MEDIA_JSON, MEDIA_JSON, NULL, false, false,
     api_lease, "have a mesh or faces of it to oneself for a while"},
    {"PUT", "/v1/meshes/{id}/leases/{lease}", "lease_renew", SCOPE_EDIT, MEDIA_JSON, MEDIA_JSON, MEDIA_JSON, NULL,
     false, false, api_lease_renew, "make a lease last from now on"},
    {"DELETE", "/v1/meshes/{id}/leases/{lease}", "lease_end", SCOPE_EDIT, 0, 0, MEDIA_JSON, NULL, false, false,
     api_lease_end, "end a lease"},
    {"DELETE", "/v1/meshes/{id}/quarantine", "quarantine_end", SCOPE_ADMIN, 0, 0, MEDIA_JSON, NULL, false, false,
     api_quarantine_end, "evaluate a mesh again that has ended the daemon"},
    {"PUT", "/v1/meshes/{id}/pin", "pin", SCOPE_ADMIN, 0, INFO, MEDIA_JSON, NULL, false, false, api_pin,
     "keep a mesh on the device"},
    {"DELETE", "/v1/meshes/{id}/pin", "unpin", SCOPE_ADMIN, 0, 0, MEDIA_JSON, NULL, false, false, api_unpin,
     "let a mesh leave the device again"},
    {"GET", "/v1/meshes/{id}/presence", "presence", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, false,
     api_presence, "who is at the mesh"},
    {"PUT", "/v1/meshes/{id}/presence", "presence_set", SCOPE_READ, MEDIA_JSON, MEDIA_JSON, MEDIA_JSON, q_presence,
     false, false, api_presence_set, "say that one is at the mesh"},
    {"DELETE", "/v1/meshes/{id}/presence", "presence_end", SCOPE_READ, 0, 0, MEDIA_JSON, q_presence_end, false, false,
     api_presence_end, "say that one is not any more"},
    {"POST", "/v1/meshes/{id}/fair", "fair", SCOPE_EDIT, MEDIA_JSON, INFO, MEDIA_JSON, NULL, false, false, api_fair,
     "conformal flow, as a new version"},
    {"GET", "/v1/jobs/{job}", "job", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, q_job, false, false, api_job,
     "how far a job is"},
    {"GET", "/v1/jobs/{job}/frame", "job_frame", SCOPE_READ, 0, MEDIA_FRAME, MEDIA_FRAME, NULL, false, false,
     api_job_frame, "the points that a job made"},
    {"DELETE", "/v1/jobs/{job}", "job_cancel", SCOPE_EDIT, 0, MEDIA_JSON, MEDIA_JSON, NULL, false, false,
     api_job_cancel, "cancel a job, or forget one that is over"},
    {"GET", "/v1/meshes/{id}/plan", "plan", SCOPE_READ, 0, MEDIA_JSON, MEDIA_JSON, q_refined, false, false, api_plan,
     "what refined would cost"},
    {"GET", "/v1/meshes/{id}/watch", "watch", SCOPE_READ, 0, MEDIA_WATCH, MEDIA_WATCH, q_watch, false, false, api_watch,
     "the refined surface of each version, as it comes"},
    {"GET", "/v1/meshes/{id}/events", "events", SCOPE_READ, 0, MEDIA_EVENTS, MEDIA_EVENTS, q_events, false, false,
     api_events, "news of a mesh: versions, leases, presence"},
};
const int n_routes = sizeof routes / sizeof routes[0];
_Static_assert(sizeof routes / sizeof routes[0] < METRICS_OPS, "metrics need a place for each route, and one more");
