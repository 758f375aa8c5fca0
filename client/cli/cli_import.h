/* SPDX-License-Identifier: Apache-2.0 */
/* cli_import.h: meshes of formats that the daemon does not read, which subd turns into arrays and sends as protobuf.
 * Nothing of this runs in the daemon.
 *
 *   PLY -> cli_ply_cage -> cli_weld -> subd_push_mesh
 *   other formats -> cli_scene_open (libassimp) -> cli_scene_cage -> cli_weld -> subd_push_mesh
 *   binary USD -> cli_usdcat -> USDA, which the daemon reads */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H
#include "cli.h"

/* A control mesh in this program's memory (cli_cage.c). */
struct cli_cage {
    struct subd_mesh mesh; /* Its arrays lie in the blocks, or are borrowed from the mesh that it was made from. */
    struct subd_primvar primvars[SUBD_MAX_PRIMVARS];
    struct subd_set_names sets[SUBD_MAX_PRIMVARS];
    void **blocks;
    size_t n_blocks;
};
/* cli_cage_rows: zeroed memory for n rows, which cli_cage_free frees. Returns NULL when there is none. */
void *cli_cage_rows(struct cli_cage *cage, int64_t n, size_t bytes);
/* cli_cage_free: frees the blocks and clears *cage. */
void cli_cage_free(struct cli_cage *cage);

/* cli_lose: warns of what is left out of a file. cli_lost: how often it did so far. With --strict nothing is pushed of
 * which something was lost. */
#define cli_lose(...) (cli_note_loss(), cli_warn(__VA_ARGS__))
void cli_note_loss(void);
int64_t cli_lost(void);

/* ---- PLY (cli_ply.c) --------------------------------------------------------------------------------------------- */
/* cli_ply_cage: reads a PLY file: polygons, colours, and UVs of vertices or corners. `data` has its n bytes, and a NUL
 * behind them. Returns -1 to go on, or the exit code after a sentence; *out is then empty. */
int cli_ply_cage(const struct cli *c, const char *path, const char *data, size_t n, struct cli_cage *out);

/* ---- files that libassimp misreads (cli_mend.c) ------------------------------------------------------------------ */
/* They refuse a file that is cut off, and make of the n bytes of one that libassimp would misread those that it reads;
 * *made is NULL where the file can stay as it is. Return -1 to go on, or the exit code after a sentence. The caller
 * frees *made. */
typedef int cli_mend_fn(const struct cli *c, const char *path, const char *data, size_t n, char **made,
                        size_t *made_bytes);
cli_mend_fn cli_mend_off, cli_mend_glb, cli_mend_dae;

/* ---- scenes (cli_assimp.c) --------------------------------------------------------------------------------------- */
struct cli_scene;
/* A node of a scene that has polygons, which are one mesh, whatever their materials. */
struct cli_scene_row {
    const char *path; /* The names of the nodes from below the root, each behind a '/'. */
    int64_t vertices, faces;
};
/* cli_scene_reads: 1 when libassimp is there and reads files of this ending, which has its dot. */
int cli_scene_reads(const char *ending);
/* cli_scene_open: reads a file by its path, or n bytes of `data` where that is not NULL. `format` is the ending of the
 * format, without a dot. The path must stay while the scene is there. Returns -1 to go on, or the exit code after a
 * sentence. */
int cli_scene_open(const struct cli *c, const char *path, const char *data, size_t n, const char *format,
                   struct cli_scene **out);
/* cli_scene_rows: the meshes of the scene; *n is at least 1. */
const struct cli_scene_row *cli_scene_rows(const struct cli_scene *s, int64_t *n);
/* cli_scene_cage: makes a mesh of the k-th row: its vertices are those of the file, and UVs are named as they are. It
 * prints what is left out. Returns -1 to go on, or the exit code after a sentence; *out is then empty. */
int cli_scene_cage(const struct cli *c, const struct cli_scene *s, int64_t k, struct cli_cage *out);
void cli_scene_close(struct cli_scene *s); /* NULL is fine. */

/* ---- welding (cli_weld.c) ---------------------------------------------------------------------------------------- */
struct cli_welded {
    int64_t before, after;         /* Vertices. */
    int64_t faces_lost, faces_cut; /* Faces left with fewer than three corners, and with fewer than they had. */
    int spread;                    /* Primvars of vertices that differ where vertices became one: now faceVarying. */
};
#define CLI_SEAMS (-1.0)
#define CLI_APART (-2.0)
/* cli_weld: makes vertices of one position one vertex: those of the same coordinates (0 and -0 are the same), or with a
 * distance above 0 those within it of the first of them in the file. A vertex takes the lowest row's position. With
 * CLI_SEAMS for a distance, vertices of the same coordinates are one where open edges of theirs lie on each other: what
 * a format has split, but no surfaces that only touch. CLI_APART leaves all vertices apart.
 * Values of corners stay; where two corners of a vertex have equal ones they share a row, as smooth UVs need it. Faces
 * lose corners that became one with their neighbour, and those with fewer than three left go.
 * Result  the same on every machine; *to borrows from *from what does not change
 * Cost    linear: rows that are kept lie farther apart than the distance, so that few share a cell of the grid
 * Errors  -1 when there is no memory; *to is then empty */
int cli_weld(const struct subd_mesh *from, double distance, struct cli_cage *to, struct cli_welded *told);

/* ---- binary USD (cli_usdcat.c) ----------------------------------------------------------------------------------- */
/* cli_usdcat: the text of a binary USD file, by the program usdcat. Returns -1 to go on, or the exit code after a
 * sentence. The caller frees *data. */
int cli_usdcat(const struct cli *c, const char *path, char **data, size_t *bytes);

/* ---- the door (cli_import.c) ------------------------------------------------------------------------------------- */
/* cli_is_import: 1 when the end of a name is that of a format which is read here. */
int cli_is_import(const char *path);
/* The meshes of a file that is read here: those of a scene, or one. */
struct cli_meshes {
    struct cli_scene *scene;
    struct cli_cage one;
    int64_t lost; /* How often something was left out when it was opened. */
};
/* cli_import_open: finds out by its ending and first bytes how a file is read. *meshes gets those of a file that is
 * read here; of others it stays empty, and *body and *data are as cli_read_body makes them. Returns -1 to go on, or the
 * exit code. */
int cli_import_open(struct cli *c, const char *path, struct cli_meshes *meshes, struct subd_body *body, char **data);
int cli_has_meshes(const struct cli_meshes *meshes); /* 0 when it is empty. */
void cli_meshes_close(struct cli_meshes *meshes);
/* cli_push_one: pushes the one mesh, or that of --prim. Returns -1 to go on, or the exit code. */
int cli_push_one(struct cli *c, const char *path, const struct cli_meshes *meshes, const struct subd_push *p,
                 struct subd_mesh_info *info);
/* cli_push_all: pushes each mesh, those of a scene named by their paths, and calls `each` for those that went well.
 * Returns the exit code of the first failure, or EXIT_DONE. */
int cli_push_all(struct cli *c, const struct cli_meshes *meshes, const struct subd_push *p,
                 void (*each)(struct cli *c, const struct subd_mesh_info *info));
/* cli_push_again: welds the mesh *info, which was pushed for that as the daemon alone reads its format: fetches its
 * arrays, pushes them welded, and removes the first. Returns -1 to go on, or the exit code. */
int cli_push_again(struct cli *c, const struct subd_push *p, struct subd_mesh_info *info);

#endif
