/* SPDX-License-Identifier: Apache-2.0 */
/* subd.h: the client library of subdd. Meshes go to a daemon over HTTP, refined surfaces come back into memory.
 *
 *   subd_open -> subd_push -> subd_refine (subd_patches.h: subd_patches) -> subd_frame_free -> subd_close
 *                          -> subd_edits (subd_edits.h)
 *
 * Letters in shapes: V control vertices, F faces, C face corners (sum of the face sizes), U UV values. All arrays are
 * little-endian, as the host must be.
 * Threads: a client is one connection, of one thread at a time; subd_cancel may be called from anywhere, signals too.
 * Errors:  every int is SUBD_OK, a negative SUBD_E*, or one of the two positive states that a call says it has.
 *          *err (may be NULL) is filled on failure and left alone otherwise.
 * Owner:   const T * is borrowed for the call, until it completes in the event-loop form. Every struct here is plain
 *          data but struct subd_frame, subd_mesh_list and subd_edit_result, which have a free function each.
 * Trust:   the server is not trusted: sizes, counts, offsets and indices in its answers are checked before use. */
#ifndef SUBD_H
#define SUBD_H
#include "subd_primvars.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define SUBD_API __attribute__((visibility("default")))
#define SUBD_MUST_CHECK __attribute__((warn_unused_result))

enum subd_code {
    SUBD_OK = 0,
    SUBD_PENDING = 1,     /* event-loop form: started, call subd_step            */
    SUBD_UNCHANGED = 2,   /* subd_refine: the frame named by if_none_match holds */
    SUBD_EUSAGE = -1,     /* the caller's arguments                              */
    SUBD_ENETWORK = -2,   /* no connection, or it broke                          */
    SUBD_ETIMEOUT = -3,   /* a timeout of subd_config passed                     */
    SUBD_EHTTP = -4,      /* the server refused: http_status, problem, field     */
    SUBD_EPROTOCOL = -5,  /* the answer breaks the protocol or a limit           */
    SUBD_EDIGEST = -6,    /* a block does not match its digest                   */
    SUBD_ECANCELLED = -7, /* subd_cancel, or a progress callback                 */
    SUBD_ENO_MEMORY = -8
};

/* subd_error: why a call failed. Filled by the library, owned by the caller, plain data. Text from the server has its
 * control characters replaced, so it may go to a terminal. 0 and "" mean: not said. */
struct subd_error {
    int code;                         /* enum subd_code                                   */
    int http_status;                  /* 422                                              */
    char problem[64];                 /* the server's stable code, "invalid_mesh"         */
    char field[64];                   /* what is to blame, "faceVertexIndices"            */
    char request_id[72];              /* names the request in the server's log            */
    char text[400];                   /* one sentence                                     */
    int64_t current_version;          /* of the mesh, with 412 and 428                    */
    int64_t limit, needed, available; /* with 413 and 507                                 */
    int64_t retry_after_ms;
};

/* ---- connection --------------------------------------------------------------------------------------------- */
typedef struct subd_client subd_client;
enum subd_phase { SUBD_SENDING, SUBD_WAITING, SUBD_RECEIVING };
/* Called from inside calls, on the caller's thread, some times a second or more; total is -1 while unknown.
 * Anything but 0 cancels the call. */
typedef int (*subd_progress_fn)(void *arg, enum subd_phase phase, int64_t done_bytes, int64_t total_bytes);

struct subd_config {            /* all zero: the defaults */
    const char *server;         /* "http://127.0.0.1:7373"; https is spoken too; proxies are never used    */
    const char *token;          /* bearer token; NULL: none                                                */
    int64_t connect_timeout_ms; /* 5,000                                                                   */
    int64_t stall_timeout_ms;   /* 150,000 without a byte; above the daemon's own deadline                 */
    int64_t request_timeout_ms; /* 0: none. The daemon is told, and gives up by then as well               */
    int64_t max_frame_bytes;    /* 16 GiB; larger refined frames are refused unread                        */
    int64_t max_answer_bytes;   /* 1 GiB; all other answers                                                */
    subd_progress_fn progress;  /* NULL: none                                                              */
    void *progress_arg;
};

/* subd_open: makes a client; nothing is sent yet. Strings in config are copied. */
SUBD_API int subd_open(const struct subd_config *config, subd_client **out, struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_close(subd_client *c); /* NULL is fine; a call in flight is dropped */
/* subd_cancel: the running call, and any later one, ends with SUBD_ECANCELLED within 0.1 s, until subd_uncancel. */
SUBD_API void subd_cancel(subd_client *c);
SUBD_API void subd_uncancel(subd_client *c);
SUBD_API const char *subd_version(void);
SUBD_API const char *subd_code_name(int code);                  /* "network" */
SUBD_API const char *subd_warning(const subd_client *c, int i); /* i-th loss that the last call met; NULL: no more */

/* ---- meshes -------------------------------------------------------------------------------------------------- */
/* Subdivision options, in USD's words; tokens are strings that the server knows and checks. */
enum subd_option {
    SUBD_SCHEME,
    SUBD_INTERPOLATE_BOUNDARY,
    SUBD_FACE_VARYING,
    SUBD_TRIANGLE_RULE,
    SUBD_CREASE_METHOD,
    SUBD_ORIENTATION,
    SUBD_N_OPTIONS
};
SUBD_API extern const char *const subd_option_names[SUBD_N_OPTIONS]; /* "scheme", "interpolate_boundary", ... */

struct subd_mesh_info {
    char id[64], name[132], topology_id[36], residency[16], created[40], updated[40];
    char options[SUBD_N_OPTIONS][24];
    int64_t version, vertices, faces, corners, edges, uvs, device_bytes, host_bytes;
    int manifold;                              /* at most two faces an edge, in opposite directions; one fan a vertex */
    int64_t bandwidth_before, bandwidth_after; /* of the mesh matrix; from a push with reorder, else 0 */
    int n_primvars;
    struct subd_primvar_info primvars[SUBD_MAX_PRIMVARS]; /* by name */
};
struct subd_body {          /* a request body, sent as it stands */
    const char *media_type; /* "model/obj", "model/vnd.usda", "application/json", "application/protobuf" */
    const void *data;
    size_t bytes;
};
struct subd_push {
    const char *name;                    /* NULL: the server's choice                                   */
    const char *options[SUBD_N_OPTIONS]; /* override what the body says; NULL: leave it                 */
    const char *idempotency_key;         /* NULL: none. A repeat with the same key makes no second mesh */
    const char *reorder; /* NULL: "none". "rcm": rows in an order that keeps neighbours close; ids stay (README)  */
};
/* subd_push: POST /v1/meshes. p may be NULL. */
SUBD_API int subd_push(subd_client *c, const struct subd_body *body, const struct subd_push *p,
                       struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

/* A control mesh in arrays; the layout is that of USD's Mesh. Absent arrays have length 0. */
struct subd_mesh {
    const float *points;             /* [n_vertices][3]                                          */
    const int32_t *face_counts;      /* [n_faces]                                                */
    const int32_t *face_vertices;    /* [n_corners], rows of points                              */
    const int32_t *crease_indices;   /* [n_crease_indices], chains of vertices                   */
    const int32_t *crease_lengths;   /* [n_creases], each >= 2                                   */
    const float *crease_sharpnesses; /* [n_crease_sharpnesses]: one a chain or one an edge       */
    const int32_t *corner_vertices;  /* [n_corner_tags]                                          */
    const float *corner_sharpnesses; /* [n_corner_tags]                                          */
    const int32_t *hole_faces;       /* [n_holes]                                                */
    const float *uvs;                /* [n_uvs][2]                                               */
    const int32_t *uv_indices;       /* [n_corners] when n_uvs > 0                               */
    int64_t n_vertices, n_faces, n_corners, n_crease_indices, n_creases, n_crease_sharpnesses;
    int64_t n_corner_tags, n_holes, n_uvs;
    const struct subd_primvar *primvars; /* [n_primvars], SUBD_MAX_PRIMVARS at most              */
    int n_primvars;
};
/* subd_push_mesh: the same from arrays, as protobuf; the arrays are copied before it returns.
 * Errors  SUBD_EUSAGE when an array passes protobuf's 2 GiB */
SUBD_API int subd_push_mesh(subd_client *c, const struct subd_mesh *m, const struct subd_push *p,
                            struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

struct subd_mesh_list {
    struct subd_mesh_info *meshes; /* [n] */
    int64_t n;
    char next[72]; /* `after` of the next page; "" at the end */
};
/* subd_list: GET /v1/meshes. after NULL: from the start; limit 0: the server's page size. */
SUBD_API int subd_list(subd_client *c, const char *after, int limit, struct subd_mesh_list *out,
                       struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_mesh_list_free(struct subd_mesh_list *l);
SUBD_API int subd_show(subd_client *c, const char *id, struct subd_mesh_info *out,
                       struct subd_error *err) SUBD_MUST_CHECK;
/* subd_delete: version 0: whatever is there; else only that version. */
SUBD_API int subd_delete(subd_client *c, const char *id, int64_t version, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_cage: the control mesh, as OBJ, USDA or protobuf (a Mesh of subdd.proto), by its media type. *data ends with a
 * NUL that *bytes does not count, and is released with free(). */
SUBD_API int subd_cage(subd_client *c, const char *id, const char *media_type, char **data, size_t *bytes,
                       struct subd_error *err) SUBD_MUST_CHECK;

/* ---- updates: each makes a new version, durable when the call returns; subd_edits.h has the others ------------ */
struct subd_range { /* points[n][3] for vertices [first, first + n) */
    int64_t first, n;
    const float *points;
};
/* subd_positions: PUT positions. version 0: no check; else 412 unless the mesh still has it. n_vertices must be V. */
SUBD_API int subd_positions(subd_client *c, const char *id, int64_t version, const float *points, int64_t n_vertices,
                            struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_positions_ranges(subd_client *c, const char *id, int64_t version, const struct subd_range *ranges,
                                   int n_ranges, struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_positions_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                                 struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

/* ---- refine -------------------------------------------------------------------------------------------------- */
enum subd_include {
    SUBD_POSITIONS = 1,
    SUBD_NORMALS = 2,
    SUBD_INDICES = 4,
    SUBD_UVS = 8,
    SUBD_UV_INDICES = 16,
    SUBD_FACE_PARAMS = 128, /* where each refined face lies on its control face */
    SUBD_PRIMVAR = 256,     /* this and the next are asked for by name          */
    SUBD_PRIMVAR_INDICES = 512,
    SUBD_TANGENTS = 1024 /* with surface "limit" alone */
};
#define SUBD_MAX_BLOCKS (9 + 2 * SUBD_MAX_PRIMVARS)

/* Shapes: positions[n][3] f32, normals[n][3] f32, indices[faces][4] u32, uvs[nu][2] f32, uv_indices[faces][4] u32.
 * tangents[n][6] f32: t1, t2, each of length 1, t1 x t2 along the normal but not at right angles; zero where that is.
 * face_params[faces][4] u32: as those of subd_patches.h, but a quad's row has a corner too: corner k of the refined
 * face is corner (k + that) % 4 of its cell; under loop u and v count in a grid of 2^level cells a side from corner 0,
 * and SUBD_FACE_TURNED marks the upper triangle of a cell. primvar[n][width] f32 or i32, n by its class: 1, faces,
 * vertices, vertices, what its primvar_indices[faces][4] u32 name: those come with each faceVarying one.
 * Indices from a refined frame are below the count of what they index; a triangle scheme has 3 components. */
#define SUBD_FACE_TURNED 0x2000u
/* Compact blocks: positions[n][4] unorm16, fractions of [low, high], the fourth 0; normals[n][2] oct16, a point of the
 * unfolded octahedron; uvs[n][2] f16. proto/README.md, "Compact blocks", says how far off they are. */
struct subd_block {
    int semantic; /* a bit of enum subd_include, or of subd_patches.h */
    int components;
    int64_t count, offset, bytes;     /* rows; place in the frame     */
    uint64_t digest;                  /* xxh64-tree-1k; 0: none, it was sent while it was made */
    void *data;                       /* NULL in a plan, and with a sink */
    char name[64], interpolation[16]; /* of primvars */
    char type[8];                     /* "f32", "i32", "u32", "unorm16", "oct16" or "f16" */
    float low[3], high[3];            /* of unorm16; 0 in a plan                          */
};
struct subd_timing {
    char phase[24];
    double seconds;
};
struct subd_frame { /* start it all zero; free it once. A call reuses its memory, so playback does not allocate */
    char mesh_id[64], topology_id[36], surface[16], method[32], backend[16], etag[136];
    int64_t version, vertices, faces, edges, frame_bytes, head_bytes;
    int level, n_blocks, n_timings, n_warnings;
    struct subd_block blocks[SUBD_MAX_BLOCKS];
    struct subd_timing timings[16];
    char warnings[8][200];
    const void *head; /* the body up to the end of its header; with the blocks at their offsets it is whole again */
    void *memory;     /* library's: holds head and the blocks that were not placed */
    size_t memory_bytes;
};
struct subd_refine {
    int level;                 /* 1 .. what the server allows                           */
    unsigned include;          /* enum subd_include, or-ed; 0: positions and indices    */
    unsigned compact;          /* of those, in 16 bits: positions, normals, UVs         */
    const char *primvars;      /* names with commas between, or "*"; NULL: none         */
    const char *surface;       /* "refined" or "limit"; NULL: refined                   */
    const char *method;        /* engine; NULL: auto                                    */
    const char *if_none_match; /* an earlier frame's etag; NULL: none                   */
    int skip_digests;          /* 1: do not verify; saves a pass over the data in cache */
    /* Memory for block `b` of *frame, whose counts are known by then: at least b->bytes, 4-aligned, the caller's.
     * NULL: the library's own, 64-aligned. Called once a block before its first byte; place itself may be NULL. */
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
    /* NULL, or gets the bytes [at, at + n) of each block in order, and nothing is held of them: max_frame_bytes does
     * not count then, nor place. A block's digest is known at its end. Not 0 cancels. */
    int (*sink)(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p, size_t n);
    void *sink_arg;
};
/* subd_refine: GET refined. Blocks go from the socket's buffer straight to their place and are verified on the way.
 * Result  SUBD_OK, or SUBD_UNCHANGED with *frame as it was
 * Errors  SUBD_EHTTP, SUBD_EPROTOCOL, SUBD_EDIGEST; after an error placed memory holds anything and *frame no blocks */
SUBD_API int subd_refine(subd_client *c, const char *id, const struct subd_refine *r, struct subd_frame *frame,
                         struct subd_error *err) SUBD_MUST_CHECK;
/* subd_refine_pose: POST refined: the surface of these positions (body as for subd_positions_body), which must be all
 * and are not kept. version 0: no check; else 412 unless the mesh still has it. if_none_match has no meaning. */
SUBD_API int subd_refine_pose(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                              const struct subd_refine *r, struct subd_frame *frame,
                              struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API const struct subd_block *subd_frame_find(const struct subd_frame *f, int semantic); /* NULL: not there */
/* subd_frame_primvar: values (SUBD_PRIMVAR) or indices (SUBD_PRIMVAR_INDICES) of one. NULL: not there */
SUBD_API const struct subd_block *subd_frame_primvar(const struct subd_frame *f, const char *name, int semantic);
/* subd_block_decode: rows [first, first + n) of positions, normals or UVs as f32: out[n][3], of UVs out[n][2].
 * Errors  SUBD_EUSAGE: another block, or rows that it has not */
SUBD_API int subd_block_decode(const struct subd_block *b, int64_t first, int64_t n, float *out) SUBD_MUST_CHECK;
SUBD_API void subd_frame_free(struct subd_frame *f);

struct subd_plan {
    char method[32];
    int level, n_blocks, fits; /* fits 1: subd_refine would be served now */
    int64_t needed, limit;     /* when it would not: the bytes that are too many, and how many there are of that */
    int64_t vertices, faces, edges, frame_bytes, device_bytes, host_bytes, available_device_bytes;
    double estimated_ms;
    struct subd_block blocks[SUBD_MAX_BLOCKS];
};
/* subd_get_plan: GET plan: exact counts and bytes of a refine, before asking for it. */
SUBD_API int subd_get_plan(subd_client *c, const char *id, const struct subd_refine *r, struct subd_plan *out,
                           struct subd_error *err) SUBD_MUST_CHECK;

/* ---- daemon -------------------------------------------------------------------------------------------------- */
/* subd_stat: GET /v1 (version, backend, device, engines and what they do, limits) as JSON text, NUL-terminated,
 * released with free(). */
SUBD_API int subd_stat(subd_client *c, char **json, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_health: SUBD_OK when live (ready = 0) or ready to work (ready = 1). */
SUBD_API int subd_health(subd_client *c, int ready, struct subd_error *err) SUBD_MUST_CHECK;

/* ---- event-loop form: the same calls, not waiting ------------------------------------------------------------ */
/* After subd_nonblocking(c, 1) a call returns SUBD_PENDING once started, one at a time a client; its arguments, *out
 * and *err stay in use until subd_step returns something else, which is the call's result. Loop, with any poller:
 *
 *   rc = subd_refine(...);
 *   while (rc == SUBD_PENDING) {
 *       n = subd_poll_set(c, fds, &timeout_ms);      -- poll(fds, n, timeout_ms), together with what else there is
 *       rc = subd_step(c);                           -- never blocks; cheap when nothing is ready
 *   }
 *
 * The set may change with every subd_step. timeout_ms is never negative; step when it has passed. */
#define SUBD_MAX_FDS 8
struct pollfd;
SUBD_API void subd_nonblocking(subd_client *c, int on);
SUBD_API int subd_poll_set(const subd_client *c, struct pollfd *fds, int *timeout_ms); /* n of fds[SUBD_MAX_FDS] */
SUBD_API int subd_step(subd_client *c) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#include "subd_edits.h"
#endif
