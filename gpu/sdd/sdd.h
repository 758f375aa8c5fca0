/* SPDX-License-Identifier: Apache-2.0 */
/* sdd.h: the compute library. A control mesh goes in, its refined surface comes out.
 *
 *   sdd_device_open -> sdd_topology_create -> sdd_mesh_create -> sdd_plan, sdd_refine -> sdd_result_free
 *
 * Letters in shapes: V control vertices, F faces, C face corners (the sum of the face sizes), E edges, U UV values.
 * Threads: a device and all that was made on it belong to one thread at a time; nothing here locks.
 * Errors:  every int is SDD_OK or a negative SDD_E* of err.def; *err (may be NULL) says which element and limit. */
#ifndef SDD_H
#define SDD_H
#include "err.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SDD_MUST_CHECK __attribute__((warn_unused_result))
#define SDD_MAX_LEVEL 15        /* as OpenSubdiv's 4-bit level                                  */
#define SDD_MAX_FACE_SIZE 65535 /* and valence; as OpenSubdiv                                   */
#define SDD_SHARPNESS_INFINITE 10.0f
#define SDD_MAX_COORDINATE 1e30f /* larger magnitudes could overflow when averaged               */

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

struct sdd_options { /* plain data, compared with memcmp after sdd_options_default */
    int32_t scheme, boundary, fvar, triangle_rule, crease_method, orientation;
};

/* THE option table: USD attribute name, its tokens in enum order. Serves parsers, --help, OpenAPI and errors.
 * sdd_option_set: SDD_EINVALID names the option and lists its tokens. */
struct sdd_option_info {
    const char *name;      /* "interpolateBoundary"                                    */
    const char *flag;      /* "interpolate-boundary", the command line's and the query's with '_' for '-' */
    const char *tokens[8]; /* NULL-terminated, in enum order; [0] is the default       */
    size_t offset;         /* of the int32 in struct sdd_options                       */
};
extern const struct sdd_option_info sdd_option_table[];
extern const int sdd_n_options;
int sdd_option_set(struct sdd_options *o, const char *name_or_flag, const char *token,
                   struct sdd_error *err) SDD_MUST_CHECK;
const char *sdd_option_token(const struct sdd_options *o, int row);

/* ---- primvars: USD's interpolation classes ------------------------------------------------------------ */
#define SDD_MAX_PRIMVARS 32 /* of a mesh, beside the UVs; and face-varying channels */
#define SDD_MAX_PRIMVAR_WIDTH 256
enum sdd_interpolation { SDD_CONSTANT, SDD_UNIFORM, SDD_VARYING, SDD_VERTEX, SDD_FACE_VARYING };

struct sdd_channel { /* which value each face corner has: topology of its own, with seams */
    int64_t n_values;
    const int32_t *indices; /* [C] in [0, n_values) */
};

/* Values of `width` 32-bit words, floats where something is computed of them (vertex, varying, faceVarying); constant
 * and uniform ones may be anything, they are only copied. Refined: constant stays; uniform, each face has its control
 * face's; varying, linear over the control faces; vertex, as positions; faceVarying, as UVs. */
struct sdd_primvar {
    int32_t interpolation; /* enum sdd_interpolation                                          */
    int32_t width;         /* 1 .. SDD_MAX_PRIMVAR_WIDTH                                      */
    int32_t channel;       /* faceVarying: row of sdd_mesh_desc.channels                      */
    const void *values;    /* [n][width]: n is 1, F, V, V, the channel's n_values             */
};

/* ---- control mesh: borrowed host arrays -------------------------------------------------------------- */
struct sdd_mesh_desc {
    int64_t n_vertices, n_faces, n_corners;
    const int32_t *face_counts;     /* [F]                                                   */
    const int32_t *face_vertices;   /* [C] in [0, V)                                         */
    int64_t n_creases;              /* one row an edge; a later row wins over an earlier one */
    const int32_t *crease_edges;    /* [n_creases][2] vertex pairs, any order                */
    const float *crease_sharpness;  /* [n_creases] >= 0; >= 10 is infinite                   */
    int64_t n_corner_tags;          /* sharp vertices                                        */
    const int32_t *corner_vertices; /* [n_corner_tags]                                       */
    const float *corner_sharpness;  /* [n_corner_tags]                                       */
    int64_t n_holes;
    const int32_t *hole_faces; /* [n_holes]                                             */
    int64_t n_uvs;             /* 0: no UVs                                             */
    const int32_t *uv_indices; /* [C] in [0, U)                                         */
    int64_t n_channels;        /* indices of face-varying primvars other than the UVs   */
    const struct sdd_channel *channels;
    struct sdd_options options;
};

/* ---- order of rows ------------------------------------------------------------------------------------ */
struct sdd_order { /* both are permutations: vertex_of_row[new row] is the row that a vertex has in the mesh now */
    int32_t *vertex_of_row, *face_of_row;
    int64_t bandwidth_before, bandwidth_after; /* of the V x F mesh matrix: max of row and column bandwidth */
};
/* sdd_order_rcm: an order in which neighbours are close in memory: reverse Cuthill-McKee on the vertices that face
 * edges join, isolated ones last; faces by their least vertex. Host memory and host time alone.
 * Cost    linear; about 20 B a corner and 35 B a vertex of host memory while it runs
 * Result  a function of faces alone, the same everywhere; on error *out is empty
 * Errors  SDD_EMESH (an index or a face size that cannot be), SDD_ENO_MEMORY */
int sdd_order_rcm(const struct sdd_mesh_desc *desc, struct sdd_order *out, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_order_free(struct sdd_order *o); /* what it points to */

/* ---- device ------------------------------------------------------------------------------------------ */
typedef struct sdd_device sdd_device;
struct sdd_device_config {
    const char *backend;     /* "auto", "cpu" or "cuda"                                                     */
    const char *module_path; /* absolute path of the CUDA module; NULL: $ORIGIN/../lib/libsdd_cuda.so       */
    int threads;             /* CPU backend; 0: all that the process may use                                */
    int64_t memory_limit;    /* device bytes the library may hold; 0: 80 % of what the device has free      */
};
struct sdd_device_info {
    char backend[16], name[96], detail[160]; /* "cuda", "NVIDIA H100 80GB HBM3", why auto fell back (or "")  */
    int64_t memory_limit, memory_used;       /* bytes, used: by this library                                 */
    int64_t n_launches;                      /* kernels launched since open                                  */
    int threads;
};
int sdd_device_open(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_device_close(sdd_device *device); /* all topologies, meshes and results must be gone */
void sdd_device_info(const sdd_device *device, struct sdd_device_info *out);
/* Launches a kernel and waits for it: SDD_EDEVICE when the device no longer works. */
int sdd_device_probe(sdd_device *device, struct sdd_error *err) SDD_MUST_CHECK;
void sdd_device_trim(sdd_device *device); /* gives cached free memory back to the system */

/* ---- topology: validated, immutable, resident, reference-counted ------------------------------------- */
typedef struct sdd_topology sdd_topology;
struct sdd_topology_info {
    int64_t n_vertices, n_faces, n_corners, n_edges, n_boundary_edges, n_boundaries, n_isolated, n_holes, n_uvs,
        n_uv_edges;
    /* n_holes counts authored holes and the faces that interpolateBoundary `none` takes away */
    int32_t max_valence, max_face_size, min_face_size;
    int has_creases, n_channels; /* any semi-sharp or infinite tag that was authored; faceVarying ones beside UVs */
    int manifold;                /* at most two faces an edge, in opposite directions; one fan a vertex */
    int64_t device_bytes;        /* held while resident; more once tabulated, subdivision-matrix ran */
    int64_t build_bytes;         /* device bytes needed at the worst moment of building            */
    struct sdd_options options;
};
/* sdd_topology_create: checks the mesh and builds its connectivity on the device, by sort and scan.
 * Cost    about 400 B of traffic and, at the worst moment, 40 B of device memory a corner of a closed mesh of triangles
 *         or quads, 80 B with few boundaries and mixed faces, 160 B where every edge is a boundary, more with UVs,
 *         holes and odd meshes: info.build_bytes; what stays is info.device_bytes. Each allocation is admitted at its
 *         size or refused with SDD_ENO_MEMORY
 * Errors  SDD_EMESH naming the first bad element; SDD_EUNSUPPORTED naming option and engines; SDD_ENO_MEMORY */
int sdd_topology_create(sdd_device *device, const struct sdd_mesh_desc *desc, sdd_topology **out,
                        struct sdd_error *err) SDD_MUST_CHECK;
sdd_topology *sdd_topology_ref(sdd_topology *t);
void sdd_topology_unref(sdd_topology *t); /* NULL is fine */
void sdd_topology_info(const sdd_topology *t, struct sdd_topology_info *out);

/* ---- mesh: a topology with positions and UV values on the device -------------------------------------- */
typedef struct sdd_mesh sdd_mesh;
/* sdd_mesh_create: points[V][3] f32 and uvs[U][2] f32 (NULL when U is 0) are copied. Takes a reference on t.
 * Errors  SDD_EMESH naming the first vertex that is NaN, infinite or beyond SDD_MAX_COORDINATE */
int sdd_mesh_create(sdd_topology *t, const float *points, const float *uvs, sdd_mesh **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_mesh_set_points: replaces vertices [first, first + n). On error the mesh keeps its old points. */
int sdd_mesh_set_points(sdd_mesh *m, int64_t first, int64_t n, const float *points,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_mesh_set_primvars: replaces all primvars; values are copied. On error the mesh keeps those it had.
 * Errors  SDD_EINVALID (interpolation, width, channel; more than SDD_MAX_PRIMVARS), SDD_EMESH naming primvar and value
 *         when a float of which something is computed is NaN, infinite or beyond SDD_MAX_COORDINATE */
int sdd_mesh_set_primvars(sdd_mesh *m, int n, const struct sdd_primvar *primvars, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_primvar *sdd_mesh_primvars(const sdd_mesh *m, int *n); /* shapes, for sdd_plan; values are NULL */
void sdd_mesh_free(sdd_mesh *m);                                        /* NULL is fine */
int64_t sdd_mesh_bytes(const sdd_mesh *m);                              /* device bytes without the topology */

/* ---- refine ------------------------------------------------------------------------------------------- */
enum sdd_surface { SDD_SURFACE_REFINED, SDD_SURFACE_LIMIT };
enum sdd_include {
    SDD_POSITIONS = 1,
    SDD_NORMALS = 2,
    SDD_INDICES = 4,
    SDD_UVS = 8,
    SDD_UV_INDICES = 16,
    SDD_FACE_PARAMS = 128,
    SDD_TANGENTS = 256, /* of the limit surface alone */
    SDD_PRIMVARS = 512,
    SDD_PRIMVAR_INDICES = 1024 /* of those that are faceVarying */
};
struct sdd_refine_request {
    int level, surface;   /* 1 .. SDD_MAX_LEVEL; enum sdd_surface */
    int include, compact; /* enum sdd_include, or-ed; positions, normals, uvs of it that are to be compact */
    /* Rows [first_row, first_row + n_rows) of the positions, which are then all of include and not compact; n_rows 0:
     * all. Bit for bit what the whole block has there; without plan.ranges the engine makes all rows for these. */
    int64_t first_row, n_rows;
    const char *method;                       /* "auto" or an engine's name                               */
    uint32_t primvars;                        /* bit k: the mesh's primvar k, when `include` asks for any */
    int soon_freed, n_primvars;               /* may the result lie in scarce memory? the mesh's, ..      */
    const struct sdd_primvar *primvar_shapes; /* .. and these, for sdd_plan: sdd_refine has the mesh      */
    const atomic_int *cancel;                 /* non-zero: stop at the next step; may be NULL            */
};

/* 16 bits: u16[n][4] in a box, i16[n][2] of the octahedron, half floats[n][2] (proto/README.md, "Compact blocks"). */
enum sdd_format { SDD_F32, SDD_U32, SDD_UNORM16_BOX, SDD_OCT16, SDD_F16 };
/* A block of the result. Shapes, in grid order (proto/README.md, "Grid order"), where it is not compact:
 * positions [n][3] f32, normals [n][3] f32 unit, indices [faces][4] u32, uvs [nu][2] f32, uv_indices [faces][4] u32;
 * a scheme of triangles has [faces][3] u32, and under sqrt3 nu = 3 faces, a value for each corner;
 * tangents [n][6] f32, t1 and t2, unit, t1 x t2 along the normal, not at right angles; zero where that is;
 * primvars [1, faces, n, n or its own count][width], primvar_indices as uv_indices, a block each for each primvar;
 * face_params [faces][4] u32 as for patches; of a quad, the face's corner 0 is corner params[1] of its cell; under loop
 * u and v count in a grid of 2^level cells from corner 0, u towards corner 1, v towards corner 2, and SDD_FACE_TURNED
 * marks the cell's upper triangle; under sqrt3 u and v are 0 */
struct sdd_block {
    int semantic;           /* a bit of enum sdd_include, or of sdd_patch_semantic       */
    int primvar;            /* of primvars and primvar_indices: its row                  */
    int format, components; /* enum sdd_format; F32 of all primvars, whatever they hold */
    int64_t count, bytes;   /* count: rows                                               */
    const void *data;       /* host memory, 64-byte aligned; NULL in a plan              */
    uint64_t digest;        /* xxh64 tree of digest.h; 0 in a plan                       */
    float low[3], high[3];  /* UNORM16_BOX: of the control points; 0 in a plan           */
};
#define SDD_MAX_BLOCKS (9 + 2 * SDD_MAX_PRIMVARS)
struct sdd_plan {
    const char *method;                          /* engine that will run                                      */
    int64_t n_vertices, n_faces, n_edges, n_uvs; /* of the refined mesh; faces without holes */
    int n_blocks, ranges; /* ranges: 1 when a range of rows takes memory and time for little more than them */
    struct sdd_block blocks[SDD_MAX_BLOCKS];
    int64_t device_bytes, host_bytes; /* while it runs, beyond the mesh and what engines keep; of the result */
};
/* sdd_plan: exact counts and bytes, nothing allocated.
 * Errors  SDD_EINVALID (what of the request it is), SDD_EUNSUPPORTED, SDD_ETOO_LARGE when ids would pass 32 bits */
int sdd_plan(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_plan *out,
             struct sdd_error *err) SDD_MUST_CHECK;

typedef struct sdd_result sdd_result;
struct sdd_result_info {
    struct sdd_plan plan;                                    /* with data and digests     */
    double refine_seconds, digest_seconds, download_seconds; /* refine: device time of the engine */
    int64_t n_launches;
    const char *by; /* what the engine made points of, where it has several ways: "tables", "patches"; or NULL */
};
/* sdd_refine: runs the engine, digests and brings the blocks to host memory.
 * Result  the same bits on every backend, for any number of threads
 * Errors  as sdd_plan (and UVs no half float holds), SDD_ENO_MEMORY (needed, available), SDD_ECANCELLED, SDD_EDEVICE */
int sdd_refine(sdd_mesh *m, const struct sdd_refine_request *r, sdd_result **out, struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_prepare: makes now what sdd_refine would make first for r->method and keep with the topology. Errors as there. */
int sdd_prepare(sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_result_info *sdd_result_info(const sdd_result *r);
void sdd_result_free(sdd_result *r); /* same thread as the device; NULL is fine */

/* ---- patches: feature-adaptive Catmull-Clark ---------------------------------------------------------------- */
#define SDD_MAX_PATCH_LEVEL 10                                       /* as OpenSubdiv's isolation level */
enum sdd_patch_semantic { SDD_PATCHES = 32, SDD_PATCH_PARAMS = 64 }; /* of blocks */
struct sdd_patches_request {
    int level, surface;       /* 1 .. SDD_MAX_PATCH_LEVEL; enum sdd_surface, of the faces that the last level leaves */
    int64_t max_bytes;        /* of the result; 0: no limit                               */
    const atomic_int *cancel; /* non-zero: stop at the next step; may be NULL             */
};
/* Flags of a patch or face; of its edge i, from corner i to i + 1, the bit shifted left by i.
 * BOUNDARY: the surface ends or has an infinitely sharp crease there; the points beyond repeat the edge's own.
 * TRANSITION: what lies across the edge has been split once more; an edge that is not manifold never says so.
 * OF_POLYGON: the parent is no quad. */
#define SDD_PATCH_LEVEL_MASK 0xfu
#define SDD_PATCH_BOUNDARY 0x10u
#define SDD_PATCH_TRANSITION 0x100u
#define SDD_PATCH_OF_POLYGON 0x1000u
#define SDD_FACE_TURNED 0x2000u
/* sdd_patches: the surface cut into bicubic B-spline patches where it is one, and the quads of level L around what is
 * not (irregular vertices, semi-sharp creases), which shrink with the level. Blocks, all five always, in this order:
 *  positions    [n][3] f32: the control points, then the points of each level's sub-mesh, bit for bit those that
 *               sdd_refine makes, then, with surface = limit, limit points for `indices`
 *  patches      [p][16] u32 rows of positions, 4j + i with i along u and j along v
 *  patch_params [p][4] u32: parent face; its corner whose quadrant this is (0 when it is a quad); u | v << 16; flags.
 *               A quad is a grid of 2^level x 2^level from its corner 0, u towards corner 1; else a quadrant is one of
 *               2^(level-1), u towards the middle of the edge after the corner. Corners of a patch: (u, v) (u+1, v)
 *               (u+1, v+1) (u, v+1)
 *  indices      [k][4] u32 rows of positions: the faces of level L that are left, corners in the same order
 *  face_params  [k][4] u32: as patch_params
 * Patches and faces tile the surface without its holes once. Both are ordered by level, parent and corner, then in Z
 * order (the bits of v and u interleaved). Where a patch lies on a boundary, 2 P(edge) - P(inner) stands for the points
 * beyond.
 * Result  as sdd_refine; plan.method "mesh-matrix", n_faces patches and faces together, n_edges 0
 * Errors  SDD_EINVALID (level, surface), SDD_EUNSUPPORTED (a scheme other than catmullClark, semi-sharp creases under
 *         chaikin), SDD_ETOO_LARGE with `needed` as soon as max_bytes or 32-bit rows are passed, SDD_ENO_MEMORY,
 *         SDD_ECANCELLED, SDD_EDEVICE
 * Source  Mlakar 2018, section 4.3.3; Niessner et al. 2012 */
int sdd_patches(sdd_mesh *m, const struct sdd_patches_request *r, sdd_result **out,
                struct sdd_error *err) SDD_MUST_CHECK;

/* ---- engines ------------------------------------------------------------------------------------------- */
struct sdd_feature_info { /* what an engine can do: the option and its token, or the option and what it is about */
    const char *option, *what;
};
struct sdd_engine_info {
    const char *name, *summary;
    const uint8_t *schemes; /* for each feature, bits 1 << enum sdd_scheme: under which it is there, on every backend */
};
extern const struct sdd_feature_info sdd_feature_table[]; /* ends with a NULL option */
const struct sdd_engine_info *sdd_engine(int row);        /* in order of preference; NULL: there are no more */

/* sdd_digest: the digest of a block in host memory: XXH64 (seed 0) of each 1,024-byte piece, little-endian values
 * concatenated, again, until one value is left; the last piece may be short; no bytes digest as XXH64 of nothing. */
uint64_t sdd_digest(const void *data, int64_t bytes);
const char *sdd_version(void);

#endif
