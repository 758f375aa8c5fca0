/* SPDX-License-Identifier: Apache-2.0 */
/* subd.h: the client library of subdd. It sends meshes to a daemon over HTTP and brings refined surfaces into memory.
 *
 *   subd_open -> subd_push -> subd_refine (or subd_patches, subd_patches.h) -> subd_frame_free -> subd_close
 *                          -> subd_edits (subd_edits.h), subd_find and subd_rename (subd_names.h)
 *                          -> subd_cage_arrays (subd_cage.h)
 * docs/c-client.md is the introduction, with two programs.
 *
 * Letters in shapes: V control vertices, F faces, C face corners (sum of the face sizes), U UV values. All arrays are
 * little-endian, and the host must be, too. Positions are in the units of the mesh, normals have length 1; names say
 * where times are _ms and sizes _bytes.
 * Threads: a client is one connection and belongs to one thread at a time. Only subd_cancel and subd_uncancel may be
 *          called from anywhere, even from a signal handler.
 * Errors:  every int is SUBD_OK, a negative SUBD_E*, or one of the two positive states where a call says so.
 *          *err (may be NULL) is filled on failure and left alone otherwise. Any call that talks to the server may
 *          return SUBD_ENETWORK, SUBD_ETIMEOUT, SUBD_EHTTP, SUBD_EPROTOCOL, SUBD_ECANCELLED or SUBD_ENO_MEMORY; the
 *          comments below name only the other codes and what is special about these. An argument that is NULL where
 *          nothing says that it may be is SUBD_EUSAGE; a function that returns no code then does nothing.
 * Owner:   const T * is borrowed for the call; in the event-loop form, until the call completes. All structs are plain
 *          data except struct subd_frame, subd_mesh_list, subd_edit_result and subd_cage, which have free functions.
 * Trust:   the server is not trusted: sizes, counts, offsets and indices in its answers are checked before use.
 * ABI:     a program that was built with this header runs with every later libsubd.so.0. Functions and values of enums
 *          stay. Structs that the caller fills begin with `size`, which SUBD_INIT sets, and may grow at their end; a
 *          member that an older program lacks has its default, and one that is set and not known to an older library is
 *          SUBD_EUSAGE. Structs that the library fills stay as large as they are: members that come take their place
 *          from `reserved`. All other structs stay as they are. Anything else needs libsubd.so.1. tests/tools/abi holds
 *          the library to this. */
#ifndef SUBD_H
#define SUBD_H
#include "subd_primvars.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The version of this header. subd_version tells that of the library, by semantic versioning. */
#define SUBD_VERSION_MAJOR 0
#define SUBD_VERSION_MINOR 1
#define SUBD_VERSION_PATCH 0
/* Initialises a struct that begins with its size; members that are not named have their defaults:
 *   struct subd_refine r = SUBD_INIT(subd_refine, .level = 3, .include = SUBD_POSITIONS); */
#define SUBD_INIT(...) SUBD_INIT_(__VA_ARGS__, )
#define SUBD_INIT_(type, ...)                                                                                          \
    {                                                                                                                  \
        .size = sizeof(struct type), __VA_ARGS__                                                                       \
    }
#define SUBD_API __attribute__((visibility("default")))
#define SUBD_MUST_CHECK __attribute__((warn_unused_result))

enum subd_code {
    SUBD_OK = 0,
    SUBD_PENDING = 1,     /* Event-loop form: the call has started; subd_loop.h says how it goes on. */
    SUBD_UNCHANGED = 2,   /* The frame that if_none_match names is still current. */
    SUBD_EUSAGE = -1,     /* An argument of the caller is wrong. */
    SUBD_ENETWORK = -2,   /* There is no connection, or it broke. */
    SUBD_ETIMEOUT = -3,   /* A timeout of subd_config has passed. */
    SUBD_EHTTP = -4,      /* The server refused; see http_status, problem and field. */
    SUBD_EPROTOCOL = -5,  /* The answer breaks the protocol or passes a limit. */
    SUBD_EDIGEST = -6,    /* A block does not match its digest. */
    SUBD_ECANCELLED = -7, /* subd_cancel or a callback ended the call. */
    SUBD_ENO_MEMORY = -8
};

/* subd_error: why a call failed. The library fills it, the caller owns it; it is plain data. Control characters in text
 * from the server are replaced, so it can be printed on a terminal. What the server did not say is 0 or "". */
struct subd_error {
    int code;                /* A value of enum subd_code. */
    int http_status;         /* For example 422. */
    char problem[64];        /* The server's stable code, such as "invalid_mesh". */
    char field[64];          /* What is to blame, such as "faceVertexIndices". */
    char request_id[72];     /* Names the request in the server's log. */
    char text[400];          /* One sentence. */
    int64_t current_version; /* The version of the mesh, with status 412 and 428. */
    int64_t limit;           /* With status 413 and 507: the limit that was passed. */
    int64_t needed;          /* With status 413 and 507: how much the request needs. */
    int64_t available;       /* With status 413 and 507: how much there is. */
    int64_t retry_after_ms;  /* How long to wait before trying again. */
    int64_t reserved[8];
};

/* ---- connection --------------------------------------------------------------------------------------------- */
typedef struct subd_client subd_client;
enum subd_phase { SUBD_SENDING, SUBD_WAITING, SUBD_RECEIVING };
/* A progress callback is called from inside calls, on the caller's thread, at least a few times a second. total_bytes
 * is -1 while it is unknown. A return value other than 0 cancels the call. */
typedef int (*subd_progress_fn)(void *arg, enum subd_phase phase, int64_t done_bytes, int64_t total_bytes);

struct subd_config {
    size_t size;
    /* "http://HOST:PORT", "https://HOST:PORT" or "unix:/PATH" of a socket that leads to the daemon. NULL is
     * "http://127.0.0.1:7373". Proxies are never used. */
    const char *server;
    const char *token;          /* Bearer token; NULL sends none. */
    int64_t connect_timeout_ms; /* Default 5,000. */
    int64_t stall_timeout_ms;   /* Without a byte. Default 150,000, which is above the daemon's own deadline. */
    int64_t request_timeout_ms; /* 0 is no timeout. The daemon is told of it and gives up by then as well. */
    int64_t max_frame_bytes;    /* Default 16 GiB. Larger refined frames are refused unread. */
    int64_t max_answer_bytes;   /* Default 1 GiB, for control meshes and results of edits; 16 MiB limit the others. */
    subd_progress_fn progress;  /* NULL is none. */
    void *progress_arg;
    /* A file of certificates (PEM) that alone are trusted as the server's authorities; NULL is those of the system. */
    const char *ca_file;
};

/* subd_open: makes a client. Nothing is sent yet. The strings in *config, which may be NULL, are copied.
 * Errors  SUBD_EUSAGE (size, server, token or ca_file), SUBD_ENO_MEMORY */
SUBD_API int subd_open(const struct subd_config *config, subd_client **out, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_close: frees a client and drops a call under way. NULL is fine. */
SUBD_API void subd_close(subd_client *c);
/* subd_cancel: ends the running call with SUBD_ECANCELLED within 0.1 s, and every later call until subd_uncancel.
 * Threads any, and signal handlers */
SUBD_API void subd_cancel(subd_client *c);
SUBD_API void subd_uncancel(subd_client *c);
/* subd_version: the version of the library, such as "0.1.0". */
SUBD_API const char *subd_version(void);
/* subd_code_name: the name of a value of enum subd_code, such as "network". */
SUBD_API const char *subd_code_name(int code);
/* subd_warning: the i-th warning in the answer to the last call: what a mesh or an answer lost on the way, in words.
 * NULL when there are no more. It stays valid until the next call. */
SUBD_API const char *subd_warning(const subd_client *c, int i);

/* ---- meshes -------------------------------------------------------------------------------------------------- */
/* Subdivision options, in USD's words. Their tokens are strings, which the server knows and checks. */
enum subd_option {
    SUBD_SCHEME,
    SUBD_INTERPOLATE_BOUNDARY,
    SUBD_FACE_VARYING,
    SUBD_TRIANGLE_RULE,
    SUBD_CREASE_METHOD,
    SUBD_ORIENTATION,
    SUBD_N_OPTIONS
};
#define SUBD_MAX_OPTIONS 16 /* Limits the options of all times. */
/* subd_option_name: for example "interpolate_boundary", or NULL when there is no such option. */
SUBD_API const char *subd_option_name(enum subd_option option);

struct subd_mesh_info {
    char id[64], name[256], topology_id[36];
    char residency[16];                 /* Where the mesh is now: "device", "host" or "disk". */
    char created[40], updated[40];      /* Times by RFC 3339. */
    char options[SUBD_MAX_OPTIONS][24]; /* The token of each option. */
    int64_t version, vertices, faces, corners, edges, uvs, device_bytes, host_bytes;
    int manifold; /* 1 when an edge has at most two faces, in opposite directions, and a vertex one fan. */
    /* The bandwidth of the mesh matrix, in the answer to a push with `reorder`; else 0. */
    int64_t bandwidth_before, bandwidth_after;
    int n_primvars;
    struct subd_primvar_info primvars[SUBD_MAX_PRIMVARS]; /* Sorted by name. */
    char up_axis[8];                                      /* "Y", "Z", or "" when it is not known. */
    double meters_per_unit;                               /* 0 when it is not known. */
    int64_t quarantined, pinned, reserved[12];            /* 1 when this version is refused with 423; see subd_pin. */
};
/* A request body, which is sent as it is. */
struct subd_body {
    const char *media_type; /* "model/obj", "model/vnd.usda", "application/json" or "application/protobuf". */
    const void *data;
    size_t bytes;
};
struct subd_push {
    size_t size;
    const char *name;                      /* NULL lets the server choose one. */
    const char *options[SUBD_MAX_OPTIONS]; /* Each overrides what the body says; NULL leaves it. */
    const char *idempotency_key;           /* A repeated push with the same key makes no second mesh; NULL is no key. */
    const char *reorder;                   /* "rcm" stores neighbours close together, ids stay; NULL is "none". */
    int strict;                            /* 1 refuses a body of which something would be left out with a warning. */
    const char *prim; /* The path of the Mesh that is meant of a USDA file; NULL when it has one alone. */
    const char *time; /* The time code, a number, at which a USDA file is read; NULL is the first. */
};
/* subd_push: POST /v1/meshes. p and out may be NULL. */
SUBD_API int subd_push(subd_client *c, const struct subd_body *body, const struct subd_push *p,
                       struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

/* A control mesh in arrays, with the layout of USD's Mesh. An array that is absent has length 0. */
struct subd_mesh {
    size_t size;
    const float *points;             /* Shape [n_vertices][3]. */
    const int32_t *face_counts;      /* Shape [n_faces]: the size of each face. */
    const int32_t *face_vertices;    /* Shape [n_corners]: rows of points. */
    const int32_t *crease_indices;   /* Shape [n_crease_indices]: chains of vertices, one after another. */
    const int32_t *crease_lengths;   /* Shape [n_creases]: vertices in each chain, at least 2. */
    const float *crease_sharpnesses; /* Shape [n_crease_sharpnesses]: one for each chain, or one for each edge. */
    const int32_t *corner_vertices;  /* Shape [n_corner_tags]. */
    const float *corner_sharpnesses; /* Shape [n_corner_tags]. */
    const int32_t *hole_faces;       /* Shape [n_holes]. */
    const float *uvs;                /* Shape [n_uvs][2]. */
    const int32_t *uv_indices;       /* Shape [n_corners] when n_uvs > 0: rows of uvs. */
    int64_t n_vertices, n_faces, n_corners, n_crease_indices, n_creases, n_crease_sharpnesses;
    int64_t n_corner_tags, n_holes, n_uvs;
    const struct subd_primvar *primvars; /* Shape [n_primvars], at most SUBD_MAX_PRIMVARS. */
    int n_primvars;
    const struct subd_set_names *sets; /* Shape [n_primvars], or NULL when no primvar has names of face sets. */
    const char *up_axis;               /* "Y" or "Z"; NULL is not known. */
    double meters_per_unit;            /* 0 is not known. */
    const double *transform;           /* Shape [16], as USD's matrix4d for row vectors; NULL is none. */
};
/* subd_push_mesh: subd_push of arrays, as protobuf. The arrays are copied before it returns.
 * Errors  SUBD_EUSAGE when an array is missing, or the mesh passes the 2 GiB of a protobuf message */
SUBD_API int subd_push_mesh(subd_client *c, const struct subd_mesh *m, const struct subd_push *p,
                            struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

struct subd_mesh_list {
    struct subd_mesh_info *meshes; /* Shape [n]. */
    int64_t n;
    char next[72]; /* The `after` that asks for the next page; "" at the end. */
    int64_t reserved[4];
};
/* subd_list: GET /v1/meshes. after NULL starts at the beginning; limit 0 takes the server's page size.
 * Owner  *out is the caller's to release with subd_mesh_list_free; it is empty after an error */
SUBD_API int subd_list(subd_client *c, const char *after, int limit, struct subd_mesh_list *out,
                       struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_mesh_list_free(struct subd_mesh_list *l);
/* subd_show: GET /v1/meshes/{id}. */
SUBD_API int subd_show(subd_client *c, const char *id, struct subd_mesh_info *out,
                       struct subd_error *err) SUBD_MUST_CHECK;
/* subd_delete: DELETE /v1/meshes/{id}. With version 0 it deletes any version, else only this one.
 * Errors  SUBD_EHTTP 412 when the mesh has another version */
SUBD_API int subd_delete(subd_client *c, const char *id, int64_t version, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_cage: GET cage: the control mesh as OBJ, USDA, JSON or protobuf (a Mesh of subdd.proto), by media type.
 * Owner  *data is released with free(); a NUL follows it, which *bytes does not count */
SUBD_API int subd_cage(subd_client *c, const char *id, const char *media_type, char **data, size_t *bytes,
                       struct subd_error *err) SUBD_MUST_CHECK;

/* ---- updates: each makes a new version, which is durable when the call returns. subd_edits.h has the others. -- */
/* New positions for the vertices in rows [first, first + n) of the cage. */
struct subd_range {
    int64_t first, n;
    const float *points; /* Shape [n][3]. */
};
/* subd_positions: PUT positions, for all vertices. version 0 replaces any version, else only this one. out may be NULL
 * in all three forms.
 * Shapes  points[n_vertices][3] f32, where n_vertices must be V
 * Errors  SUBD_EHTTP 412 with current_version when the mesh has another version; SUBD_EUSAGE (n_vertices, version) */
SUBD_API int subd_positions(subd_client *c, const char *id, int64_t version, const float *points, int64_t n_vertices,
                            struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_positions_ranges: subd_positions for some vertices. Either all ranges are taken or none. */
SUBD_API int subd_positions_ranges(subd_client *c, const char *id, int64_t version, const struct subd_range *ranges,
                                   int n_ranges, struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_positions_body: subd_positions with a body that the caller has packed. Its media type may be
 * "application/octet-stream" (f32[V][3]), "application/protobuf" or "application/json" (a Positions of subdd.proto), or
 * that of an OBJ or USDA file, of which only the points are read. */
SUBD_API int subd_positions_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                                 struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

/* ---- refine -------------------------------------------------------------------------------------------------- */
enum subd_include {
    SUBD_POSITIONS = 1,
    SUBD_NORMALS = 2,
    SUBD_INDICES = 4,
    SUBD_UVS = 8,
    SUBD_UV_INDICES = 16,
    SUBD_FACE_PARAMS = 128,     /* Where each refined face lies on its control face. */
    SUBD_PRIMVAR = 256,         /* Asked for by name (subd_refine.primvars), never in `include`. */
    SUBD_PRIMVAR_INDICES = 512, /* Comes with each faceVarying primvar, never in `include`. */
    SUBD_TANGENTS = 1024,       /* Surface "refined" has no tangents. */
    SUBD_NORMAL_INDICES = 2048  /* Makes the normals split: each side of an infinitely sharp edge has its own. */
};
#define SUBD_MAX_BLOCKS (16 + 2 * SUBD_MAX_PRIMVARS)

/* A block of a frame. n counts the refined vertices, nu the refined UV values; a scheme of triangles has 3 components
 * where 4 is written for a face. Indices in a refined frame are below the count of what they index. The shapes are:
 *   positions        [n][3] f32
 *   normals          [n][3] f32; with normal_indices as many rows as there are split normals
 *   tangents         [n][6] f32: t1 and t2, each of length 1 and not at right angles; t1 x t2 points along the normal.
 *                    Both are zero where the normal is zero.
 *   indices, uv_indices, normal_indices   [faces][4] u32
 *   uvs              [nu][2] f32
 *   primvar          [rows][width] f32 or i32; rows is 1, faces, n, n or a count of its own, by class
 *   primvar_indices  [faces][4] u32, for each faceVarying primvar
 *   face_params      [faces][4] u32, with the columns of patch_params in subd_patches.h. When the parent is a quad the
 *                    row has a corner as well: corner k of the face is corner (k + that) % 4 of its cell. Under loop,
 *                    u and v count cells in a grid of 2^level a side from corner 0, and SUBD_FACE_TURNED marks the
 *                    upper triangle of a cell.
 * Compact positions are [n][4] unorm16, fractions of [low, high] with a fourth column of zeros. Compact normals are
 * [n][2] oct16, a point of the unfolded octahedron. Compact UVs are [nu][2] f16. proto/README.md, "Compact blocks",
 * bounds their errors. */
#define SUBD_FACE_TURNED 0x2000u
struct subd_block {
    int semantic; /* A bit of enum subd_include or of enum subd_patch_semantic. */
    int components;
    int64_t count;          /* Rows. */
    int64_t offset;         /* Where the block starts in the frame, in bytes. */
    int64_t bytes;          /* Size of the data. */
    uint64_t digest;        /* xxh64-tree-1k; 0 when there is none, as the frame was sent while it was made. */
    void *data;             /* NULL in a plan, and with a sink. */
    char name[64];          /* Name of the primvar, of primvar and primvar_indices blocks. */
    char interpolation[16]; /* Class of the primvar, of primvar blocks. */
    char type[8];           /* "f32", "i32", "u32", "unorm16", "oct16" or "f16". */
    float low[3], high[3];  /* The box of a unorm16 block; 0 in a plan. */
    /* The names of the face sets of a uniform primvar, of whose values k is the k-th name and 0 no set: n_set_names
     * strings in UTF-8, one after the other, each with a NUL at its end. NULL without any, and in a plan. */
    const char *set_names;
    int64_t n_set_names;
    int64_t reserved[2];
};
struct subd_timing {
    char phase[24];
    double seconds;
};
/* A refined frame. Zero it before the first call and free it once. Later calls reuse its memory, so that playback
 * does not allocate. */
struct subd_frame {
    char mesh_id[64], topology_id[36], surface[16], method[32], backend[16];
    char etag[136]; /* Names this frame in a later if_none_match. */
    int64_t version, vertices, faces, edges, frame_bytes, head_bytes;
    int level, n_blocks, n_timings, n_warnings;
    struct subd_block blocks[SUBD_MAX_BLOCKS];
    struct subd_timing timings[16];
    char warnings[8][200];
    const void *head; /* The head_bytes of the body before its blocks; with the blocks they make the body again. */
    void *memory;     /* The library's; it holds the head, names, and the blocks that were not placed. */
    size_t memory_bytes;
    char up_axis[8];         /* "Y", "Z", or "" when it is not known. */
    double meters_per_unit;  /* 0 when it is not known. */
    const double *transform; /* Shape [16], as USD's matrix4d for row vectors; NULL is none. */
    int64_t reserved[13];
};
#define SUBD_MAX_LEVEL 15
struct subd_refine {
    size_t size;
    int level;                 /* 1 to SUBD_MAX_LEVEL, or less where the server has a lower limit. */
    unsigned include;          /* Bits of enum subd_include; 0 is positions and indices. */
    unsigned compact;          /* Those of positions, normals and UVs in `include` that are to come in 16 bits. */
    const char *primvars;      /* Names with commas between them, or "*" for all; NULL is none. */
    const char *surface;       /* "refined", "limit" or "limitAtLevel"; NULL is "refined". */
    const char *method;        /* An engine's name; NULL is "auto". */
    const char *if_none_match; /* The etag of an earlier frame; NULL is none. */
    int skip_digests;          /* 1 leaves the digests unverified and saves a pass over data in cache. */
    /* Returns the caller's memory for block `b` of *frame: at least b->bytes, aligned to 4 bytes. If it returns NULL,
     * the library takes its own, aligned to 64. It is called once for each block, before the block's first byte, when
     * all counts of *frame are known. `place` itself may be NULL. */
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
    /* If it is not NULL, it gets bytes [at, at + n) of each block in order, and the library keeps none of them;
     * max_frame_bytes and `place` have no effect then. The digest of a block is verified only at its end. A return
     * value other than 0 cancels the call. */
    int (*sink)(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p, size_t n);
    void *sink_arg;
    int64_t at; /* An earlier version of the mesh (subd_history.h); 0 is the present one. */
};
/* subd_refine: GET refined. Blocks go from the socket's buffer straight to their place and are verified on the way.
 * Result  SUBD_OK, or SUBD_UNCHANGED with *frame as it was
 * Errors  SUBD_EUSAGE (level, include, compact), SUBD_EDIGEST. After an error before any of the frame has arrived,
 *         *frame is as it was; after a later one it has no blocks, and placed memory holds anything */
SUBD_API int subd_refine(subd_client *c, const char *id, const struct subd_refine *r, struct subd_frame *frame,
                         struct subd_error *err) SUBD_MUST_CHECK;
/* subd_refine_pose: POST refined: refines the mesh with these positions, which are not kept. With version 0 it takes
 * any version of the mesh, else only this one. r->if_none_match has no effect. The points are sent from the caller's
 * memory, without a copy.
 * Shapes  points[n_vertices][3] f32, where n_vertices must be V
 * Errors  as subd_refine; SUBD_EUSAGE (n_vertices, version); SUBD_EHTTP 412 when the mesh has another version */
SUBD_API int subd_refine_pose(subd_client *c, const char *id, int64_t version, const float *points, int64_t n_vertices,
                              const struct subd_refine *r, struct subd_frame *frame,
                              struct subd_error *err) SUBD_MUST_CHECK;
/* subd_refine_pose_body: subd_refine_pose with a body that the caller has packed, as for subd_positions_body. */
SUBD_API int subd_refine_pose_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                                   const struct subd_refine *r, struct subd_frame *frame,
                                   struct subd_error *err) SUBD_MUST_CHECK;
/* subd_frame_find: the first block of a frame with this semantic, or NULL. */
SUBD_API const struct subd_block *subd_frame_find(const struct subd_frame *f, int semantic);
/* subd_frame_primvar: the values (SUBD_PRIMVAR) or the indices (SUBD_PRIMVAR_INDICES) of a primvar, or NULL. */
SUBD_API const struct subd_block *subd_frame_primvar(const struct subd_frame *f, const char *name, int semantic);
/* subd_block_decode: writes rows [first, first + n) of positions, normals or UVs as floats, compact or not.
 * Shapes  out[n][3] f32, or [n][2] for UVs
 * Errors  SUBD_EUSAGE when the block is of another kind, holds no data or does not have these rows */
SUBD_API int subd_block_decode(const struct subd_block *b, int64_t first, int64_t n, float *out) SUBD_MUST_CHECK;
/* subd_frame_free: frees the library's memory and clears *f. NULL is fine. */
SUBD_API void subd_frame_free(struct subd_frame *f);

struct subd_plan {
    char method[32]; /* The engine that would run. */
    int level, n_blocks;
    int fits;       /* 1 when subd_refine would be served now. */
    int64_t needed; /* Bytes needed of what there is too little of, when it does not fit. */
    int64_t limit;  /* How many bytes there are of that. */
    int64_t vertices, faces, edges, frame_bytes, device_bytes, host_bytes, available_device_bytes;
    double estimated_ms; /* Until the frame is ready to be sent; 0 while the server has measured nothing like it. */
    struct subd_block blocks[SUBD_MAX_BLOCKS];
    int64_t reserved[8];
};
/* subd_get_plan: GET plan: the exact counts and bytes of a refine, before asking for it.
 * Errors  SUBD_EUSAGE (level, include, compact) */
SUBD_API int subd_get_plan(subd_client *c, const char *id, const struct subd_refine *r, struct subd_plan *out,
                           struct subd_error *err) SUBD_MUST_CHECK;

/* ---- daemon -------------------------------------------------------------------------------------------------- */
/* subd_stat: GET /v1 as JSON text that ends with a NUL: version, backend, device, limits, engines and what they do.
 * Owner  *json is released with free() */
SUBD_API int subd_stat(subd_client *c, char **json, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_health: SUBD_OK when the daemon is live (ready 0) or ready to work (ready 1). */
SUBD_API int subd_health(subd_client *c, int ready, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#include "subd_cage.h"
#include "subd_edits.h"
#include "subd_loop.h"
#include "subd_names.h"
#include "subd_prims.h"
#endif
