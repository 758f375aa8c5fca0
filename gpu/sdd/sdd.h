/* SPDX-License-Identifier: Apache-2.0 */
/* sdd.h: the compute library. A control mesh goes in, its refined surface comes out.
 *
 *   sdd_device_open -> sdd_topology_create -> sdd_mesh_create -> sdd_plan_create -> sdd_refine -> sdd_result_free
 *
 * Letters in shapes: V control vertices, F faces, C face corners (the sum of the face sizes), E edges, U UV values.
 * Threads: a device and everything made on it belong to one thread at a time, unless a call says otherwise.
 * Errors:  every int is SDD_OK or a negative SDD_E* of err.def; *err (may be NULL) names the element and the limit.
 * Owner:   const T * is borrowed for the call. What a T **out receives is the caller's, and is NULL after an error. */
#ifndef SDD_H
#define SDD_H
#include "err.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SDD_MUST_CHECK __attribute__((warn_unused_result))
#define SDD_MAX_LEVEL 15             /* OpenSubdiv stores a level in 4 bits as well. */
#define SDD_MAX_FACE_SIZE 65535      /* This limits valence too, and is OpenSubdiv's limit. */
#define SDD_SHARPNESS_INFINITE 10.0f /* A crease or corner of this sharpness or more never becomes smooth. */
#define SDD_MAX_COORDINATE 1e30f     /* Larger magnitudes could overflow when they are averaged. */

/* ---- options: USD's vocabulary, token for token; 0 is USD's default --------------------------------- */
enum sdd_scheme { SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_LOOP, SDD_SCHEME_BILINEAR, SDD_SCHEME_SQRT3 };
enum sdd_boundary { SDD_BOUNDARY_EDGE_AND_CORNER, SDD_BOUNDARY_EDGE_ONLY, SDD_BOUNDARY_NONE };
enum sdd_fvar {
    SDD_FVAR_CORNERS_PLUS1,
    SDD_FVAR_NONE,
    SDD_FVAR_CORNERS_ONLY,
    SDD_FVAR_CORNERS_PLUS2,
    SDD_FVAR_BOUNDARIES,
    SDD_FVAR_ALL
};
enum sdd_triangle_rule { SDD_TRIANGLE_CATMULL_CLARK, SDD_TRIANGLE_SMOOTH };
enum sdd_crease_method { SDD_CREASE_UNIFORM, SDD_CREASE_CHAIKIN };
enum sdd_orientation { SDD_RIGHT_HANDED, SDD_LEFT_HANDED };

/* Zeroed options are USD's defaults. There is no padding, so two sets of options can be compared with memcmp. */
struct sdd_options {
    int32_t scheme, boundary, fvar, triangle_rule, crease_method, orientation;
};

/* The option table has a row for each member of struct sdd_options. Parsers, --help, OpenAPI and the texts of errors
 * are all made from it. */
struct sdd_option_info {
    const char *name;      /* USD's attribute: "interpolateBoundary". */
    const char *flag;      /* The command line's spelling, "interpolate-boundary"; a query has '_' in place of '-'. */
    const char *tokens[8]; /* The tokens in enum order, ended by NULL; the first one is the default. */
    size_t offset;         /* Where the int32 of this option lies in struct sdd_options. */
};
extern const struct sdd_option_info sdd_option_table[];
extern const int sdd_n_options;
/* sdd_option_set: sets the option that has this name or flag to the value of `token`.
 * Errors  SDD_EINVALID naming the option and listing its tokens */
int sdd_option_set(struct sdd_options *o, const char *name_or_flag, const char *token,
                   struct sdd_error *err) SDD_MUST_CHECK;
const char *sdd_option_token(const struct sdd_options *o, int row); /* Of a row of the table; "" when it has none. */

/* ---- primvars: USD's interpolation classes ------------------------------------------------------------ */
#define SDD_MAX_PRIMVARS 32 /* Limits the primvars of a mesh and its face-varying channels; the UVs do not count. */
#define SDD_MAX_PRIMVAR_WIDTH 256
enum sdd_interpolation { SDD_CONSTANT, SDD_UNIFORM, SDD_VARYING, SDD_VERTEX, SDD_FACE_VARYING };

/* A face-varying channel says which value each face corner has. It is a topology of its own, with seams. */
struct sdd_channel {
    int64_t n_values;
    const int32_t *indices; /* Shape [C], each in [0, n_values). */
};

/* A primvar has values of `width` 32-bit words. The library computes with vertex, varying and faceVarying values, which
 * must be floats; it only copies constant and uniform ones, which may be anything.
 * Refinement keeps the value of a constant primvar and gives each face the value of its control face (uniform). It
 * interpolates linearly over the control faces (varying), refines values like positions (vertex) or like UVs
 * (faceVarying). */
struct sdd_primvar {
    int32_t interpolation; /* A value of enum sdd_interpolation. */
    int32_t width;         /* Words in a value, 1 to SDD_MAX_PRIMVAR_WIDTH. */
    int32_t channel;       /* Row of sdd_mesh_desc.channels; only a faceVarying primvar has one. */
    const void *values;    /* Shape [n][width], where n is 1, F, V, V or the channel's n_values, by class. */
};

/* ---- control mesh: borrowed host arrays -------------------------------------------------------------- */
struct sdd_mesh_desc {
    int64_t n_vertices, n_faces, n_corners;
    const int32_t *face_counts;     /* Shape [F]: the size of each face. */
    const int32_t *face_vertices;   /* Shape [C], each in [0, V). */
    int64_t n_creases;              /* Each row creases one edge; a later row wins over an earlier one. */
    const int32_t *crease_edges;    /* Shape [n_creases][2]: the two vertices of the edge, in either order. */
    const float *crease_sharpness;  /* Shape [n_creases], at least 0; SDD_SHARPNESS_INFINITE or more is infinite. */
    int64_t n_corner_tags;          /* Each row makes one vertex sharp. */
    const int32_t *corner_vertices; /* Shape [n_corner_tags], each in [0, V). */
    const float *corner_sharpness;  /* Shape [n_corner_tags], with the values that crease_sharpness may have. */
    int64_t n_holes;
    const int32_t *hole_faces;          /* Shape [n_holes], each in [0, F). */
    int64_t n_uvs;                      /* This is U; a mesh without UVs has 0. */
    const int32_t *uv_indices;          /* Shape [C], each in [0, U). */
    int64_t n_channels;                 /* The UVs are not counted here. */
    const struct sdd_channel *channels; /* Shape [n_channels]: the indices of the face-varying primvars. */
    struct sdd_options options;
};

/* ---- order of rows ------------------------------------------------------------------------------------ */
/* Both arrays are permutations: vertex_of_row[i] is the present row of the vertex that the new order puts in row i. */
struct sdd_order {
    int32_t *vertex_of_row, *face_of_row;
    /* The bandwidth of the V x F mesh matrix is the larger of its row and its column bandwidth. */
    int64_t bandwidth_before, bandwidth_after;
};
/* sdd_order_rcm: finds an order in which neighbours are close in memory. It is the reverse Cuthill-McKee order of the
 * vertices along the face edges, with isolated vertices last; faces are ordered by their lowest vertex.
 * Cost    linear time on the host; about 20 B a corner and 35 B a vertex of host memory while it runs; no device
 * Result  a function of the faces alone, the same on every machine; on error *out is empty
 * Errors  SDD_EMESH (an index or a face size is out of range), SDD_ENO_MEMORY */
int sdd_order_rcm(const struct sdd_mesh_desc *desc, struct sdd_order *out, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_order_free(struct sdd_order *o); /* Frees the arrays of *o, not *o itself. */

/* ---- device ------------------------------------------------------------------------------------------ */
typedef struct sdd_device sdd_device;
struct sdd_device_config {
    const char *backend;     /* "auto", "cpu" or "cuda"; NULL is "auto". */
    const char *module_path; /* The absolute path of the CUDA module; NULL is $ORIGIN/../lib/libsdd_cuda.so. */
    int threads;             /* Threads of the CPU backend; 0 is all that the process may use. */
    int64_t memory_limit;    /* Device bytes that the library may hold; 0 is 80 % of what is free at the start. */
    int64_t cpu_limit;       /* The same where the device is the CPU; 0 is memory_limit. */
    int64_t spare_bytes;     /* Freed host memory that is kept for the next results; 0 is 1 GiB. */
};
struct sdd_device_info {
    char backend[16];     /* "cuda" */
    char name[96];        /* "NVIDIA H100 80GB HBM3" */
    char detail[160];     /* Why "auto" fell back to the CPU, or "". */
    int64_t memory_limit; /* In bytes. */
    int64_t memory_used;  /* Bytes that this library holds on the device. */
    int64_t n_launches;   /* Kernels launched since the device was opened. */
    int threads;          /* Threads of the CPU backend. */
};
/* sdd_device_open: opens a device. "auto" takes the CUDA device when there is one, else the CPU.
 * Errors  SDD_EINVALID (backend, memory_limit), SDD_EDEVICE ("cuda" was asked for and there is none), SDD_ENO_MEMORY */
int sdd_device_open(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_device_close(sdd_device *device); /* All that was made on it must be freed before; NULL is fine. */
void sdd_device_info(const sdd_device *device, struct sdd_device_info *out);
int64_t sdd_device_launches(const sdd_device *device); /* The n_launches of sdd_device_info; for any thread. */
/* sdd_device_probe: launches a kernel, waits for it and checks what it computed.
 * Errors  SDD_EDEVICE when the device no longer works, SDD_ENO_MEMORY */
int sdd_device_probe(sdd_device *device, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_device_trim(sdd_device *device); /* Gives free memory that the backend caches back to the system. */

/* ---- topology: validated, immutable, resident, reference-counted ------------------------------------- */
typedef struct sdd_topology sdd_topology;
struct sdd_topology_info {
    int64_t n_vertices, n_faces, n_corners, n_edges;
    int64_t n_boundary_edges;
    int64_t n_boundaries; /* Loops of boundary edges; 0 for a non-manifold mesh. */
    int64_t n_isolated;   /* Vertices that no face uses. */
    int64_t n_holes;      /* Authored holes and the faces that interpolateBoundary `none` drops. */
    int64_t n_uvs, n_uv_edges;
    int32_t max_valence, max_face_size, min_face_size;
    int has_creases;      /* 1 when any crease or corner is authored, of whatever sharpness. */
    int n_channels;       /* Face-varying channels; the UVs do not count. */
    int manifold;         /* 1 when an edge has at most two faces, in opposite directions, and a vertex one fan. */
    int64_t device_bytes; /* Held while resident; it grows when tabulated or subdivision-matrix have run. */
    int64_t build_bytes;  /* Device bytes needed at the worst moment of building. */
    struct sdd_options options;
};
/* sdd_topology_create: checks the mesh and builds its connectivity on the device, by sort and scan. The caller holds
 * the first reference.
 * Cost    about 400 B of traffic a corner and, at the worst moment, device memory for each corner of: 40 B in a closed
 *         mesh of triangles or quads, 80 B with few boundaries and mixed faces, 160 B where every edge is a boundary,
 *         more with UVs, holes and non-manifold meshes. info.build_bytes says how much it was, info.device_bytes how
 *         much stays. Each allocation is admitted at its size or refused with SDD_ENO_MEMORY.
 * Errors  SDD_EMESH naming the first bad element; SDD_EUNSUPPORTED naming the option and the engines that have it;
 *         SDD_EINVALID (options, channels), SDD_ETOO_LARGE, SDD_ENO_MEMORY, SDD_EDEVICE */
int sdd_topology_create(sdd_device *device, const struct sdd_mesh_desc *desc, sdd_topology **out,
                        struct sdd_error *err) SDD_MUST_CHECK;
sdd_topology *sdd_topology_ref(sdd_topology *t); /* Takes one more reference and returns t. */
void sdd_topology_unref(sdd_topology *t);        /* The last one frees the topology; NULL is fine. */
void sdd_topology_info(const sdd_topology *t, struct sdd_topology_info *out);

/* ---- mesh: a topology with positions, UVs and primvar values on the device ------------------------------ */
typedef struct sdd_mesh sdd_mesh;
/* sdd_mesh_create: makes a mesh, which takes a reference on t and copies the arrays.
 * Shapes  points[V][3] f32, uvs[U][2] f32 (NULL when U is 0)
 * Errors  SDD_EMESH naming the first vertex or UV value that is NaN, infinite or beyond SDD_MAX_COORDINATE;
 *         SDD_ENO_MEMORY, SDD_EDEVICE */
int sdd_mesh_create(sdd_topology *t, const float *points, const float *uvs, sdd_mesh **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_mesh_set_points: replaces the positions of vertices [first, first + n). On error the mesh keeps its old points.
 * Shapes  points[n][3] f32
 * Errors  SDD_EINVALID (the range), and as sdd_mesh_create */
int sdd_mesh_set_points(sdd_mesh *m, int64_t first, int64_t n, const float *points,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_mesh_set_primvars: replaces all primvars by copies of these. On error the mesh keeps those it had.
 * Errors  SDD_EINVALID (interpolation, width, channel; more than SDD_MAX_PRIMVARS); SDD_EMESH naming primvar and value
 *         when a vertex, varying or faceVarying value is NaN, infinite or beyond SDD_MAX_COORDINATE; SDD_ENO_MEMORY */
int sdd_mesh_set_primvars(sdd_mesh *m, int n, const struct sdd_primvar *primvars, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_primvar *sdd_mesh_primvars(const sdd_mesh *m, int *n); /* *n shapes, without values; the mesh's own. */
void sdd_mesh_free(sdd_mesh *m);                                        /* NULL is fine. */
int64_t sdd_mesh_bytes(const sdd_mesh *m); /* On the device, without those of its topology. */

/* ---- refine ------------------------------------------------------------------------------------------- */
enum sdd_surface { SDD_SURFACE_REFINED, SDD_SURFACE_LIMIT, SDD_SURFACE_LIMIT_AT_LEVEL, SDD_N_SURFACES };
enum sdd_include {
    SDD_POSITIONS = 1,
    SDD_NORMALS = 2,
    SDD_INDICES = 4,
    SDD_UVS = 8,
    SDD_UV_INDICES = 16,
    SDD_FACE_PARAMS = 128,
    SDD_TANGENTS = 256, /* Only the limit surface has tangents. */
    SDD_PRIMVARS = 512,
    SDD_PRIMVAR_INDICES = 1024, /* Only faceVarying primvars have indices. */
    SDD_NORMAL_INDICES = 2048   /* Asks for split normals: for the normals, and for the row of each corner. */
};
struct sdd_refine_request {
    int level;          /* 1 to SDD_MAX_LEVEL. */
    int surface;        /* A value of enum sdd_surface; docs/meshes.md, "Refined or limit", says what each is. */
    int include;        /* Bits of enum sdd_include: the blocks that the result is to have. */
    int compact;        /* Those of positions, normals and uvs in `include` that are to come in 16 bits. */
    const char *method; /* An engine's name, or "auto"; NULL is "auto". */
    uint32_t primvars;  /* Bit k asks for the mesh's primvar k, when `include` asks for primvars at all. */
    int n_primvars;     /* How many primvar_shapes there are; only sdd_plan_create_for_topology reads these two. */
    const struct sdd_primvar *primvar_shapes; /* As sdd_mesh_primvars gives them. */
};

/* The last three are 16-bit forms: u16[n][4] in a box, i16[n][2] on the octahedron, half floats [n][2]. */
enum sdd_format { SDD_F32, SDD_U32, SDD_UNORM16_BOX, SDD_OCT16, SDD_F16 };
/* A block of the result. Rows are in grid order (proto/README.md, "Grid order"); n counts the refined vertices, nu the
 * refined UV values. Blocks that are not compact have these shapes:
 *   positions        [n][3] f32
 *   normals          [n][3] f32, of length 1; with normal_indices a row for each side of an infinitely sharp edge
 *   tangents         [n][6] f32: t1 and t2, each of length 1 and not at right angles; t1 x t2 points along the normal.
 *                    Both are zero where the normal is zero.
 *   indices          [faces][4] u32, or [faces][3] under a scheme of triangles
 *   uvs              [nu][2] f32; under sqrt3, nu is 3 for each face: a value for each corner
 *   uv_indices, normal_indices   as indices
 *   primvars         [rows][width], one block for each primvar; rows is 1, faces, n, n or a count of its own, by class
 *   primvar_indices  as indices, one block for each faceVarying primvar
 *   face_params      [faces][4] u32, with the columns of patch_params (sdd_patches). When the parent is a quad, corner
 *                    0 of the face is corner params[1] of its cell. Under loop, u and v count cells in a grid of
 *                    2^level a side from corner 0, with u towards corner 1 and v towards corner 2; SDD_FACE_TURNED
 *                    marks the upper triangle of a cell. Under sqrt3, u and v are 0. */
struct sdd_block {
    int semantic;          /* A bit of enum sdd_include or of enum sdd_patch_semantic. */
    int primvar;           /* Row of the primvar that a block of primvars or primvar_indices is of. */
    int format;            /* A value of enum sdd_format; every primvar has SDD_F32, whatever its words hold. */
    int components;        /* Numbers in a row. */
    int64_t count;         /* Rows. */
    int64_t bytes;         /* Size of the data. */
    const void *data;      /* Host memory, aligned to 64 bytes; NULL in a plan. */
    uint64_t digest;       /* sdd_digest of the data; 0 in a plan. */
    float low[3], high[3]; /* The box of a SDD_UNORM16_BOX block; 0 in a plan. */
};
#define SDD_MAX_BLOCKS (10 + 2 * SDD_MAX_PRIMVARS)
struct sdd_plan_info {
    const char *method;                          /* The engine that will run. */
    int64_t n_vertices, n_faces, n_edges, n_uvs; /* Of the refined mesh. Only n_faces leaves holes out. */
    int n_blocks;
    int ranges; /* 1 when a range of rows takes little more memory and time than its own rows need. */
    struct sdd_block blocks[SDD_MAX_BLOCKS];
    int64_t device_bytes; /* Needed while it runs, besides the mesh and what engines keep with the topology. */
    int64_t host_bytes;   /* Size of the result. */
};
/* A plan says how a request is answered on one topology: by which engine, with which blocks, in how much memory. It
 * serves any number of refines of any meshes of that topology, and changed positions leave it valid. It never changes
 * and holds no device memory, so any thread may read and free it, also when the topology is gone.
 * By "auto" the first engine that can do it is taken. Once positions have changed between two frames of a mesh, a new
 * plan of that mesh takes `tabulated` where that pays, and the next refine builds its tables (sdd_history.h). */
typedef struct sdd_plan sdd_plan;
/* sdd_plan_create: plans a request on a mesh; counts and sizes are exact. The plan keeps a copy of the request.
 * Errors  SDD_EINVALID naming the part of the request, SDD_EUNSUPPORTED, SDD_ENO_MEMORY, SDD_ETOO_LARGE when ids would
 *         pass 32 bits */
int sdd_plan_create(sdd_mesh *m, const struct sdd_refine_request *r, sdd_plan **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_plan_create_for_topology: plans a request on a topology, for all meshes with primvars of r->primvar_shapes.
 * Threads any, also while the thread of the device works with the topology, as long as nobody frees it */
int sdd_plan_create_for_topology(const sdd_topology *t, const struct sdd_refine_request *r, sdd_plan **out,
                                 struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_plan_create_for_rows: a plan for rows [first_row, first_row + n_rows) of the positions that `whole` makes, by the
 * same engine. The rows are bit for bit those of the whole block. `whole` must ask for positions alone, not compact.
 * An engine whose plan has `ranges` 0 makes all rows on the way.
 * Errors  SDD_EINVALID (include, n_rows), SDD_ENO_MEMORY */
int sdd_plan_create_for_rows(const sdd_plan *whole, int64_t first_row, int64_t n_rows, sdd_plan **out,
                             struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_plan_info *sdd_plan_info(const sdd_plan *plan); /* Valid until sdd_plan_free. */
int sdd_plan_is_of(const sdd_plan *plan, const sdd_topology *t); /* 1 when it was made for this topology. */
void sdd_plan_free(sdd_plan *plan);                              /* NULL is fine. */

typedef struct sdd_result sdd_result;
struct sdd_result_info {
    struct sdd_plan_info plan; /* That of the plan, now with data and digests. */
    double refine_seconds;     /* Time of the kernels that make the blocks, on the device. */
    double digest_seconds;     /* Time of the digests, on the device. */
    double download_seconds;   /* Time to bring the blocks to host memory. */
    int64_t n_launches;        /* Kernels that the call launched. */
    const char *by;            /* "tables" or "patches": what `tabulated` made the points of. Else NULL. */
};
/* How one call runs; NULL stands for zeros. */
struct sdd_run {
    const atomic_int *cancel; /* Once it is not 0 the work stops at the next step; may be NULL. */
    int soon_freed;  /* 1 promises that the result is freed soon, so that it may lie in scarce pinned memory. */
    int keep_pieces; /* 1 keeps the digests of pieces with the result, for sdd_carry: 8 bytes for each 1,024. */
};
/* sdd_refine: runs the engine of the plan, digests the blocks and brings them to host memory.
 * Result  the same bits on every backend and for any number of threads
 * Errors  SDD_EINVALID when the mesh has another topology or other primvars than the plan; SDD_EUNSUPPORTED when the
 *         engine finds that it cannot do the mesh, or a compact UV value is beyond half floats; SDD_ENO_MEMORY with
 *         needed and available; SDD_ETOO_LARGE, SDD_ECANCELLED, SDD_EDEVICE */
int sdd_refine(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, sdd_result **out,
               struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_prepare: makes now what the first refine by the plan would make and keep with the topology. Errors as there. */
int sdd_prepare(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_result_info *sdd_result_info(const sdd_result *r); /* Valid until sdd_result_free. */
void sdd_result_free(sdd_result *r); /* On any thread once all bytes are there, else on its device's; NULL is fine. */

/* ---- refine a batch: several meshes of one topology, for example poses of one character ------------------------ */
#define SDD_MAX_BATCH 4096 /* Meshes in one batch. */
/* sdd_refine_batch: refines n meshes of one topology by one plan, all of them or none. results[k] is bit for bit what
 * sdd_refine gives for meshes[k]; a mesh may occur more than once. Positions that `tabulated` makes from tables of
 * quads are made for up to 64 meshes in one launch, everything else mesh by mesh; the host waits for the device once.
 * Each result reports an equal share of the times and the launches of the whole call.
 * Cost    device memory for all results at once; SDD_ENO_MEMORY comes before any work
 * Errors  SDD_EINVALID (n is out of range), and as sdd_refine. After an error all results are NULL, except that a
 *         wrong n leaves them as they were. */
int sdd_refine_batch(sdd_mesh *const *meshes, int n, const sdd_plan *plan, const struct sdd_run *run,
                     sdd_result **results, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- refine and download piece by piece, so that a caller can send blocks while later ones arrive --------------- */
/* sdd_refine_begin: sdd_refine without the download. The result has its digests, but its blocks hold nothing until
 * sdd_result_bring has brought them; until then it keeps the device memory of the run.
 * Errors  as sdd_refine */
int sdd_refine_begin(sdd_mesh *m, const sdd_plan *plan, const struct sdd_run *run, sdd_result **out,
                     struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_result_bring: downloads the next `bytes` of the blocks, in block order, and waits for them. *left gets the bytes
 * that are still to come. It is 0 at once when kernels write to host memory, and for any result of another call.
 * Errors  SDD_EDEVICE, SDD_ENO_MEMORY; the bytes of earlier calls stay valid, those of this call do not count */
int sdd_result_bring(sdd_result *r, int64_t bytes, int64_t *left, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- patches: feature-adaptive Catmull-Clark ---------------------------------------------------------------- */
#define SDD_MAX_PATCH_LEVEL 10                                       /* OpenSubdiv's isolation level ends here too. */
enum sdd_patch_semantic { SDD_PATCHES = 32, SDD_PATCH_PARAMS = 64 }; /* Further values of sdd_block.semantic. */
struct sdd_patches_request {
    int level;                /* 1 to SDD_MAX_PATCH_LEVEL. */
    int surface;              /* A value of enum sdd_surface, for the faces that the last level leaves. */
    int64_t max_bytes;        /* Limit of the result; 0 is no limit. */
    const atomic_int *cancel; /* Once it is not 0 the work stops at the next step; may be NULL. */
};
/* The last column of patch_params and face_params holds the level and these flags. Flags of edge i, which runs from
 * corner i to i + 1, are shifted left by i.
 * BOUNDARY    the surface ends at the edge or has an infinitely sharp crease there. The control points beyond the edge
 *             do not exist, and their entries repeat the points of the edge.
 * TRANSITION  the neighbour across the edge is split once more. A non-manifold edge never has this flag.
 * OF_POLYGON  the parent face is not a quad.
 * FACE_TURNED the face is the upper triangle of its cell (struct sdd_block, face_params). */
#define SDD_PATCH_LEVEL_MASK 0xfu
#define SDD_PATCH_BOUNDARY 0x10u
#define SDD_PATCH_TRANSITION 0x100u
#define SDD_PATCH_OF_POLYGON 0x1000u
#define SDD_FACE_TURNED 0x2000u
/* sdd_patches: cuts the surface into bicubic B-spline patches wherever it is B-spline. Around irregular vertices and
 * semi-sharp creases it is not, and quads of level L cover what is left; that area shrinks as L grows. The result
 * always has these five blocks, in this order:
 *  positions    [n][3] f32: the control points; then the points of each level's sub-mesh, bit for bit those of
 *               sdd_refine; then, when the surface is the limit, the limit points that `indices` uses
 *  patches      [p][16] u32 rows of positions, 4j + i with i along u and j along v
 *  patch_params [p][4] u32: parent face; its corner whose quadrant this is (0 when the parent is a quad);
 *               u | v << 16; level and flags. A quad is a grid of 2^level x 2^level that starts at its corner 0, with
 *               u towards corner 1. Each corner of another face has a grid of 2^(level-1), with u towards the middle of
 *               the edge after the corner. The corners of a patch are (u, v) (u+1, v) (u+1, v+1) (u, v+1).
 *  indices      [k][4] u32 rows of positions: the remaining faces of level L, with their corners in the same order
 *  face_params  [k][4] u32: as patch_params
 * Patches and faces together tile the surface once, without its holes. Both are ordered by level, parent and corner,
 * then in Z order (the bits of v and u interleaved). Where a patch lies on a boundary, 2 P(edge) - P(inner) stands for
 * each point beyond the edge.
 * Result  as sdd_refine; in the plan, method is "mesh-matrix", n_faces counts patches and faces, n_edges is 0
 * Errors  SDD_EINVALID (level, surface), SDD_EUNSUPPORTED (a scheme other than catmullClark, semi-sharp creases under
 *         chaikin), SDD_ETOO_LARGE with `needed` as soon as max_bytes or 32-bit rows are passed, SDD_ENO_MEMORY,
 *         SDD_ECANCELLED, SDD_EDEVICE
 * Source  Mlakar 2018, section 4.3.3; Niessner et al. 2012 */
int sdd_patches(sdd_mesh *m, const struct sdd_patches_request *r, sdd_result **out,
                struct sdd_error *err) SDD_MUST_CHECK;

/* ---- engines ------------------------------------------------------------------------------------------- */
/* A feature is something that an engine can do. */
struct sdd_feature_info {
    const char *option; /* The USD attribute or query parameter that it belongs to: "interpolateBoundary". */
    const char *what;   /* The feature in words: "interpolateBoundary edgeOnly". */
};
struct sdd_engine_info {
    const char *name, *summary;
    const uint8_t *schemes; /* For each row of the feature table, those that have it: bits 1 << enum sdd_scheme. */
};
extern const struct sdd_feature_info sdd_feature_table[]; /* A row with a NULL option ends the table. */
const struct sdd_engine_info *sdd_engine(int row); /* In the order in which `auto` prefers them; NULL is the end. */

/* sdd_digest: the digest "xxh64-tree-1k" of bytes in host memory. Each piece of 1,024 bytes (the last may be shorter)
 * is hashed by XXH64 with seed 0. The hashes, written one after another as little-endian values, are digested in the
 * same way until one value is left. No bytes at all have the XXH64 of nothing.
 * Threads any */
uint64_t sdd_digest(const void *data, int64_t bytes);
const char *sdd_version(void);
#endif
