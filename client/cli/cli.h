/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what the files of the command line share. One struct cli is the parsed command line; verbs return exit codes.
 * */
#ifndef CLI_H
#define CLI_H
#include "client/lib/subd_matrix.h"
#include "client/lib/subd_patches.h"
#include <cjson/cJSON.h>
#include <stdio.h>

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_LOCAL = 1, /* this machine: memory                            */
    EXIT_USAGE = 2,
    EXIT_NETWORK = 3,  /* no server, or it is too slow                    */
    EXIT_REFUSED = 4,  /* 4xx                                             */
    EXIT_SERVER = 5,   /* 5xx                                             */
    EXIT_FILE = 6,     /* a file here cannot be read or written           */
    EXIT_ANSWER = 7,   /* the server's answer is not sound                */
    EXIT_STOPPED = 130 /* Ctrl-C                                          */
};

#define CLI_QUICK_MS 10000
#define CLI_COMPACT (SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS)
struct cli {
    const char *verb, *args[2];
    int quick; /* the verb needs no work there: an answer that takes CLI_QUICK_MS will not come */
    int n_args, json, skip_digests, level, repeat;
    unsigned include; /* what was asked for beside positions and indices */
    int compact;      /* in 16 bits what can be */
    int only_positions;
    struct subd_body pose_body;
    struct cli_writer *writer; /* of the frame's file, while it is fetched; NULL: none */
    int64_t version;
    const char *server, *token_file, *name, *method, *surface, *output, *key, *reorder, *primvars, *pose, *what;
    const char *options[SUBD_N_OPTIONS];
    double timeout_s;
    subd_client *client;
};

/* ---- verbs (cli_verbs.c, cli_refine.c, cli_patches.c, cli_stat.c, cli_bench.c) ----------------------------------- */
int cli_push(struct cli *c);
int cli_refine(struct cli *c);
int cli_patches(struct cli *c);
int cli_matrix(struct cli *c);
int cli_positions(struct cli *c);
int cli_edit(struct cli *c);
int cli_ls(struct cli *c);
int cli_show(struct cli *c);
int cli_rm(struct cli *c);
int cli_pull(struct cli *c);
int cli_plan(struct cli *c);
int cli_stat(struct cli *c);
int cli_health(struct cli *c);
int cli_bench(struct cli *c);

/* Shared by verbs; -1 means go on, else the exit code. cli_read_body: *data is the caller's to free. */
int cli_read_body(struct cli *c, const char *path, struct subd_body *body, char **data);
int cli_ends_with(const char *s, const char *tail); /* and is longer; letters of either case */
int cli_push_file(struct cli *c, const char *path, struct subd_mesh_info *info);

/* ---- command line (cli_args.c) --------------------------------------------------------------------------------- */
/* cli_parse: fills *c. Returns -1 to go on, or the exit code when all is said (help, version, usage error). */
int cli_parse(struct cli *c, int argc, char **argv, int (**run)(struct cli *));
int cli_is_id(const char *s); /* has the form of a mesh id */
/* cli_mesh_options: how many mesh options (--scheme, ...) were given. */
int cli_mesh_options(const struct cli *c);

/* ---- answers (cli_print.c) -------------------------------------------------------------------------------------- */
/* Both return the exit code: the sentence goes to stderr, with --json the record also to stdout. */
int cli_report(const struct cli *c, const struct subd_error *err);
int cli_fail(const struct cli *c, int exit_code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_add_warnings(cJSON *o); /* what cli_warn said so far, which it forgets, as `warnings` */
cJSON *cli_info_json(const struct subd_mesh_info *m);
const char *cli_block_name(int semantic);                         /* "uv_indices" */
cJSON *cli_block_json(cJSON *blocks, const struct subd_block *b); /* adds a row, returns it */
/* Prints and deletes o. Returns EXIT_DONE, or EXIT_FILE when stdout does not take it. */
int cli_print_json(const struct cli *c, cJSON *o);
void cli_print_info(const struct subd_mesh_info *m);
/* 12345678 as "12,345,678", bytes as "1.2 MB"; the text lives in one of eight slots. */
const char *cli_count(int64_t n);
const char *cli_bytes(double n);
double cli_now(void); /* seconds, monotonic */

/* ---- progress (cli_progress.c) ------------------------------------------------------------------------------------
 * */
/* Ctrl-C and SIGTERM stop the call under way. */
void cli_catch_signals(void);
int cli_stopped(void);
/* While held, a request that was sent waits for its answer in spite of one Ctrl-C: its result must be known. */
void cli_hold(int on);
int cli_progress(void *arg, enum subd_phase phase, int64_t done, int64_t total); /* subd_progress_fn */
void cli_progress_local(const char *label, int64_t done, int64_t total);
void cli_progress_clear(void);

/* ---- files (cli_file.c) --------------------------------------------------------------------------------------------
 * */
/* cli_read: all of a file, or of stdin for "-"; *data is released with free(). -1 with errno. */
int cli_read(const char *path, char **data, size_t *bytes);

struct cli_writer {  /* a file that appears whole or not at all */
    int fd, failed;  /* failed: errno, or ECANCELED */
    const char *why; /* EFBIG in words; NULL: as errno has it */
    char *target, *temporary;
    char *buffer;
    size_t used;
    int64_t total;
};
#define CLI_ROW 512                                          /* bytes that cli_room promises */
int cli_writer_open(struct cli_writer *w, const char *path); /* "-" is stdout; -1 with errno */
char *cli_room(struct cli_writer *w);                        /* write at most CLI_ROW bytes there, then cli_took */
void cli_took(struct cli_writer *w, const char *end);
void cli_put(struct cli_writer *w, const void *data, size_t bytes);
/* cli_writer_close: keep = 1 renames into place; 0, or a failure, leaves nothing. -1 with errno. */
int cli_writer_close(struct cli_writer *w, int keep);

/* Names that are taken, each once (cli_names.c); {NULL} has none. */
struct cli_names {
    void *tree;
};
int cli_name_is_free(const struct cli_names *names, const char *name);
void cli_name_take(struct cli_names *names, const char *name);
void cli_names_free(struct cli_names *names);

/* ---- mesh files (cli_obj.c, cli_ply.c, cli_usda.c, cli_glb.c, cli_stl.c, cli_surface.c, cli_number.c) ----------- */
void cli_write_obj(struct cli_writer *w, const struct subd_frame *f);
void cli_write_ply(struct cli_writer *w, const struct subd_frame *f);
void cli_write_usda(struct cli_writer *w, const struct subd_frame *f);
void cli_write_glb(struct cli_writer *w, const struct subd_frame *f);
void cli_write_stl(struct cli_writer *w, const struct subd_frame *f);
void cli_write_surfaces(struct cli_writer *w, const struct subd_frame *f); /* patches as OBJ */
void cli_write_frame(struct cli_writer *w, const struct subd_frame *f);    /* as the server sent it */
struct cli_surface {                                                       /* the blocks of a refined frame */
    const struct subd_block *positions, *normals, *faces, *uvs, *uv_faces; /* normals, both UVs: NULL without */
    int64_t triangles; /* that the faces make, each from its first corner */
};
struct cli_surface cli_surface_of(const struct subd_frame *f);
void cli_surface_box(const struct cli_surface *s, float box[6]); /* least, then greatest coordinates */
/* cli_surface_triangle: the face of triangle i (its row of indices), and which three of its corners are the triangle's.
 * */
const uint32_t *cli_surface_triangle(const struct cli_surface *s, int64_t i, uint32_t corners[3]);
void cli_step(int64_t done, int64_t rows); /* shows progress, now and then */
/* cli_refuse: the format cannot hold it, for a reason that is a literal. Nothing is left of the file. */
void cli_refuse(struct cli_writer *w, const char *why);
/* The shortest of 7, 8 or 9 digits that reads back as the same float; trailing zeros cut. Returns the end, no NUL.
 * At most 24 bytes. */
char *cli_put_float(char *to, float v);
char *cli_put_count(char *to, uint64_t v);

/* ---- frames (cli_frame.c) ------------------------------------------------------------------------------------- */
#define CLI_FORMATS 6
struct cli_product { /* what a verb fetches and where it can go */
    struct cli_format {
        const char *suffix;
        void (*write)(struct cli_writer *w, const struct subd_frame *f);
        int carries;         /* blocks, or-ed; what else a frame has is named in a warning */
        int triangles;       /* 1: all faces become triangles                              */
        const char *classes; /* of primvars that it carries, with spaces; NULL: none       */
        int width;           /* of primvars, at most; 0: any                                 */
    } formats[CLI_FORMATS];  /* the first goes to stdout as well; suffix NULL: no more */
    int (*ask)(struct cli *c, const struct subd_mesh_info *m, struct subd_frame *f, struct subd_error *err);
    void (*tell)(FILE *to, const struct subd_frame *f);
    void (*add)(cJSON *o, const struct subd_frame *f); /* what --json has besides; NULL: nothing */
};
/* cli_fetch: pushes or looks up the mesh, asks, removes what it pushed, stores, reports. */
int cli_fetch(struct cli *c, const struct cli_product *p);

/* cli_sink: subd_refine's sink: the frame as it comes, into c->writer. */
int cli_sink(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *data, size_t n);

/* cli_mesh_begin: ID|FILE to a mesh on the server; *temporary says that a file was pushed and cli_mesh_end must remove
 * it. cli_mesh_end returns `code`, or that of its own failure when `code` was EXIT_DONE. */
int cli_mesh_begin(struct cli *c, const char *id_or_file, struct subd_mesh_info *info, int *temporary);
int cli_mesh_end(struct cli *c, const struct subd_mesh_info *info, int temporary, int code);

#endif
