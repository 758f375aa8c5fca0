/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what the files of the command line `subd` share. A struct cli is the parsed command line; each verb is a
 * function that takes it and returns the exit code. */
#ifndef CLI_H
#define CLI_H
#include "client/lib/subd_fair.h"
#include "client/lib/subd_fields.h"
#include "client/lib/subd_matrix.h"
#include "client/lib/subd_neighbors.h"
#include "client/lib/subd_patches.h"
#include "proto/files/file_names.h"
#include "proto/files/files.h"
#include <cjson/cJSON.h>
#include <stdio.h>

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_LOCAL = 1, /* Memory ran out on this machine. */
    EXIT_USAGE = 2,
    EXIT_NETWORK = 3,   /* There is no server, or it is too slow. */
    EXIT_REFUSED = 4,   /* The server answered with a 4xx status. */
    EXIT_SERVER = 5,    /* The server answered with a 5xx status. */
    EXIT_FILE = 6,      /* A file on this machine cannot be read or written. */
    EXIT_ANSWER = 7,    /* The server's answer breaks the protocol. */
    EXIT_STOPPED = 130, /* Ctrl-C, as shells report it. */
    EXIT_UNREAD = 141   /* Whoever read the output has left, as shells report SIGPIPE. */
};

#define CLI_MOST_FILES 100000                                  /* In one command. */
#define CLI_QUICK_MS 10000                                     /* Stall timeout of verbs that need no computation. */
#define CLI_COMPACT (SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS) /* The blocks that have a compact form. */
struct cli {
    const char *program, *verb;
    const char **args;
    int quick;      /* 1 when the server needs no time to compute, so that CLI_QUICK_MS is long enough. */
    int takes_mesh; /* 1 when args[0] says which mesh; main finds it before the verb runs. */
    int n_args, json, skip_digests, level, repeat;
    unsigned include; /* The blocks asked for besides positions, indices and UVs. */
    int compact;      /* 1 asks for compact blocks wherever there are any. */
    int strict;       /* 1 refuses a file of which something would be left out. */
    int only_positions;
    int ring, oriented;    /* Of neighbors. */
    int iterations, store; /* Of smooth; the steps of fair. */
    double strength;       /* The tau of fair. */
    int solves, no_exactness;
    const char *boundary;
    int64_t first, count; /* Its rows; count 0 is all from first on. */
    const char *ids;      /* A list of ids or sources, or the file that has it. */
    struct subd_body pose_body;
    char file_primvars[64 * SUBD_MAX_PRIMVARS]; /* Those that a file takes when none are asked for; "" for none. */
    struct cli_writer *writer;                  /* The output file while a frame is fetched; NULL without one. */
    int64_t version, at;   /* at: an earlier version, which is refined, or that events come since. */
    int rebase, list, end; /* Of edit, and of lease. */
    int bulk;              /* Of --priority. */
    int64_t seconds;       /* Of a lease; 0 is the server's default. */
    const char *lease;
    const char *ca_file;
    const char *server, *token_file, *name, *method, *surface, *output, *key, *reorder, *primvars, *pose, *what;
    const char *frames, *out_dir, *format; /* Of many results; frames is NULL or has these ends: */
    int64_t first_frame, last_frame;
    int many;       /* 1 while they are made. */
    int has_mesh;   /* 1 while c->mesh is the mesh of many results; 0 where each has one of its own. */
    cJSON *results; /* Gets what would be printed as JSON; NULL prints it. */
    const char *options[SUBD_N_OPTIONS];
    double timeout_s;
    double weld;                /* The distance of --weld; below 0 without it. */
    int no_weld, all;           /* all: every mesh of a file. */
    const char *prim;           /* The mesh of a file that has several. */
    const char *time;           /* The time code of a USDA file. */
    struct subd_mesh_info mesh; /* The mesh that args[0] says, or that cli_mesh_begin has pushed. */
    subd_client *client;
};

/* ---- verbs: in cli_verbs.c, or in a file of the verb's name ----------------------------------------------------- */
int cli_push(struct cli *c);
int cli_refine(struct cli *c);
int cli_patches(struct cli *c);
int cli_matrix(struct cli *c);
int cli_neighbors(struct cli *c);
int cli_fields(struct cli *c);
int cli_smooth(struct cli *c);
int cli_fair(struct cli *c);
int cli_positions(struct cli *c);
int cli_edit(struct cli *c);
int cli_rename(struct cli *c);
int cli_log(struct cli *c);
int cli_undo(struct cli *c);
int cli_redo(struct cli *c);
int cli_revert(struct cli *c);
int cli_lease(struct cli *c);
int cli_watch(struct cli *c);
int cli_events(struct cli *c);
int cli_ls(struct cli *c);
int cli_show(struct cli *c);
int cli_rm(struct cli *c);
int cli_pin(struct cli *c);
int cli_unpin(struct cli *c);
int cli_unquarantine(struct cli *c);
int cli_pull(struct cli *c);
int cli_plan(struct cli *c);
int cli_stat(struct cli *c);
int cli_health(struct cli *c);
int cli_bench(struct cli *c);
int cli_help(struct cli *c);
int cli_completion(struct cli *c);
int cli_man(struct cli *c);

/* cli_take_ids: reads c->ids, a list with commas or a file; nothing where it is NULL. Returns -1 to go on, or the exit
 * code. The caller frees out->v. */
struct cli_ids {
    uint32_t *v;
    int64_t n;
};
int cli_take_ids(const struct cli *c, struct cli_ids *out);
/* cli_read_body: reads a file as a request body, with the media type that its name tells. Returns -1 to go on, or the
 * exit code. The caller frees *data. */
int cli_read_body(struct cli *c, const char *path, struct subd_body *body, char **data);
/* cli_print_warnings: prints those of the last answer. */
void cli_print_warnings(const struct cli *c);
/* cli_media_of: the media type of a file that subd reads, which the end of its name tells; NULL for other ends. */
const char *cli_media_of(const char *path);
/* cli_ends_with: 1 when s is longer than `tail` and ends with it, in letters of either case. */
int cli_ends_with(const char *s, const char *tail);
/* cli_push_file: pushes a file with the options of the command line. Returns -1 to go on, or the exit code. */
int cli_push_file(struct cli *c, const char *path, struct subd_mesh_info *info);

/* ---- command line (cli_args.c) --------------------------------------------------------------------------------- */
/* cli_parse: fills *c and sets *run to the function of the verb. Returns -1 to go on, or the exit code when there is
 * nothing left to do (help, version, usage error). */
int cli_parse(struct cli *c, int argc, char **argv, int (**run)(struct cli *));
/* cli_frame_range: reads "A-B" or "A". Returns 0 when it is no range of frames. */
int cli_frame_range(const char *text, int64_t *first, int64_t *last);

/* ---- answers (cli_print.c) -------------------------------------------------------------------------------------- */
/* cli_report: prints an error of libsubd on stderr and, with --json, its record on stdout. Returns the exit code. */
int cli_report(const struct cli *c, const struct subd_error *err);
/* cli_fail: does the same with a sentence of the command line's own. */
int cli_fail(const struct cli *c, int exit_code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* cli_fail_write: does the same where a file cannot be written; where its reader has left (EPIPE) it says nothing. */
int cli_fail_write(const struct cli *c, const char *path, int error);
/* cli_say_start: goes on with how to start a daemon, when nobody listens at the server's address on this machine
 * (cli_start.c). */
void cli_say_start(const struct cli *c);
/* cli_flush: writes what stdio holds of stdout. Returns `code`, or its own exit code if `code` is EXIT_DONE and that
 * fails. */
int cli_flush(int code);
/* cli_warn: prints a warning on stderr, once, and remembers it for cli_add_warnings. Only what is lost, and what the
 * user has not been told or can change, is worth one. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* cli_about: says which file among many all of the above is about; NULL ends that. */
void cli_about(const char *file);
/* cli_add_warnings: adds the warnings so far to o as the array `warnings`, and forgets them. */
void cli_add_warnings(cJSON *o);
cJSON *cli_info_json(const struct subd_mesh_info *m);
/* cli_block_name: the semantic's name on the wire, such as "uv_indices". */
const char *cli_block_name(int semantic);
/* cli_block_json: adds a description of the block to the array `blocks`, and returns it. */
cJSON *cli_block_json(cJSON *blocks, const struct subd_block *b);
/* cli_print_json: prints and deletes o, or adds it to c->results. Returns EXIT_DONE, or the exit code when stdout
 * cannot be written. */
int cli_print_json(const struct cli *c, cJSON *o);
void cli_print_info(const struct subd_mesh_info *m);

/* ---- numbers and tables (cli_people.c): each text is overwritten after eight more ------------------------------- */
/* cli_count: 12345678 as "12,345,678". */
const char *cli_count(int64_t n);
/* cli_amount: the same, but on a terminal "12.3 M". */
const char *cli_amount(int64_t n);
/* cli_bytes: 1234567 as "1.2 MB". */
const char *cli_bytes(double n);
/* cli_seconds: 22.5 as "22.5 s". */
const char *cli_seconds(double s);
/* cli_when: a time by RFC 3339; on a terminal "3 minutes ago". */
const char *cli_when(const char *rfc3339);
/* A table whose columns are as wide as their cells. A zeroed one with its columns is empty. */
#define CLI_COLUMNS 7
struct cli_table {
    int columns;
    unsigned right;     /* Bit k puts column k to the right. */
    const char *indent; /* Goes before each row. */
    char *(*rows)[CLI_COLUMNS];
    size_t n, room;
    int failed; /* 1 when there was no memory. */
};
/* cli_table_row: adds a row of t->columns texts, which are copied. */
void cli_table_row(struct cli_table *t, ...);
/* cli_table_print: prints and empties the table. Returns 0 when there was no memory for it, and prints nothing. */
int cli_table_print(struct cli_table *t);
/* cli_now: seconds on a clock that never goes back. */
double cli_now(void);

/* ---- progress (cli_progress.c) --------------------------------------------------------------------------------- */
/* cli_catch_signals: makes Ctrl-C, SIGTERM and SIGHUP stop the call under way. */
void cli_catch_signals(void);
/* cli_stopped: 1 once such a signal has come; while cli_hold is on, once a second one has come. */
int cli_stopped(void);
/* cli_hold: while on, the first Ctrl-C does not end the wait for an answer, because its result must be known. */
void cli_hold(int on);
/* cli_progress: the progress callback of the client (subd_progress_fn). */
int cli_progress(void *arg, enum subd_phase phase, int64_t done, int64_t total);
/* cli_progress_part: says which of how many parts, and of what name, is under way; n 0 ends that. */
void cli_progress_part(int64_t i, int64_t n, const char *name);
/* cli_progress_step: shows how many steps of a job are done, and a note behind them. */
void cli_progress_step(int64_t done, int64_t total, const char *note);
/* cli_progress_local: shows the progress of work on this machine. */
void cli_progress_local(const char *label, int64_t done, int64_t total);
/* cli_progress_clear: removes the progress line, before something else is printed. */
void cli_progress_clear(void);

/* ---- files (cli_file.c) ---------------------------------------------------------------------------------------- */
/* cli_read: reads all of a file, or of stdin for "-", and puts a NUL behind it. The caller frees *data. Returns 0, or
 * -1 with errno. */
int cli_read(const char *path, char **data, size_t *bytes);
int cli_read_fd(int fd, char **data, size_t *bytes); /* The same of an open file, to its end. */

/* Writes a file that appears whole or not at all. */
struct cli_writer {
    int fd;
    int failed;      /* 0, an errno, or ECANCELED after Ctrl-C; later writes do nothing. */
    const char *why; /* Replaces the text of errno; NULL does not. */
    char *target, *temporary;
    const char *mesh_name; /* The name of the mesh, for the formats that have a place for it; "" without one. */
    char *buffer;
    size_t used;
    int64_t total; /* Bytes that have left the buffer. */
};
/* cli_writer_open: opens a file for writing; "-" is stdout. Returns 0, or -1 with errno. */
int cli_writer_open(struct cli_writer *w, const char *path);
#define CLI_BUFFER ((size_t)1 << 20)
#define CLI_ROW SURFACE_ROW_BYTES
/* cli_room: a place for CLI_ROW bytes. The caller writes there and then tells cli_took where it ended. */
char *cli_room(struct cli_writer *w);
void cli_took(struct cli_writer *w, const char *end);
void cli_put(struct cli_writer *w, const void *data, size_t bytes);
/* cli_writer_close: with keep 1, moves the file into place; with 0, or after a failure, leaves no file. Returns 0, or
 * -1 with errno. */
int cli_writer_close(struct cli_writer *w, int keep);

/* ---- mesh files (cli_surface.c, cli_obj.c) ----------------------------------------------------------------------- */
/* cli_write_surface: the surface in the format of proto/files with this suffix. */
void cli_write_surface(struct cli_writer *w, const struct subd_frame *f, const char *suffix);
/* cli_put_surface: any surface, in the same way. */
void cli_put_surface(struct cli_writer *w, const struct surface *s, const char *suffix);
/* cli_write_surfaces: patches as B-spline surfaces in OBJ. */
void cli_write_surfaces(struct cli_writer *w, const struct subd_frame *f);
/* cli_write_frame: the frame byte by byte as the server sent it. */
void cli_write_frame(struct cli_writer *w, const struct subd_frame *f);
/* cli_step: shows the progress of writing. It looks at the clock only once in many rows. */
void cli_step(int64_t done, int64_t rows);

/* ---- frames (cli_frame.c) ------------------------------------------------------------------------------------- */
#define CLI_FORMATS 6
/* A file format that a frame can be written in. */
struct cli_format {
    const char *suffix;
    void (*write)(struct cli_writer *w, const struct subd_frame *f); /* NULL takes cli_write_surface. */
};
/* What a verb fetches and where it can go. */
struct cli_product {
    struct cli_format formats[CLI_FORMATS]; /* The first one goes to stdout, too. A NULL suffix ends the list. */
    int (*fetch)(struct cli *c, const struct subd_mesh_info *m, struct subd_frame *f, struct subd_error *err);
    void (*print)(FILE *to, const struct subd_frame *f);
    void (*add_json)(cJSON *o, const struct subd_frame *f); /* Adds members to the answer of --json; may be NULL. */
};
/* cli_fetch: does all that a verb for a frame does. It pushes or looks up the mesh, fetches the frame, removes the mesh
 * if it pushed it, writes the file and reports. */
int cli_fetch(struct cli *c, const struct cli_product *p);
/* cli_choose_format: finds the format of the output; *format is -1 without an output. Returns -1 to go on, or the exit
 * code. */
int cli_choose_format(const struct cli *c, const struct cli_product *p, int *format);
/* cli_store: writes a frame, and closes the file. `format` is NULL when a sink has written everything already. *seconds
 * is how long it took, *written how many bytes it wrote. Returns the exit code. */
int cli_store(struct cli *c, struct cli_writer *w, const struct cli_format *format, const struct subd_frame *f,
              double *seconds, int64_t *written);
/* cli_refine_product: that of the verb refine. cli_refine_request: what the command line asks for of a mesh. */
const struct cli_product *cli_refine_product(void);
void cli_refine_request(struct cli *c, const struct subd_mesh_info *m, struct subd_refine *r);
/* cli_fetch_many: cli_fetch of several files, or of the frames of a sequence (cli_many.c). */
int cli_fetch_many(struct cli *c, const struct cli_product *p);

/* cli_sink: a sink for subd_refine that writes a frame of one block to c->writer as it comes; `arg` is the struct
 * cli. */
int cli_sink(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *data, size_t n);

/* cli_mesh_begin: fills in c->mesh, which an argument MESH|FILE means; it pushes a file and then sets *temporary.
 * Returns -1 to go on, or the exit code. */
int cli_mesh_begin(struct cli *c, const char *text, int *temporary);
/* cli_mesh_end: removes a temporary mesh. Returns `code`, or the exit code of its own failure if `code` is
 * EXIT_DONE. */
int cli_mesh_end(struct cli *c, int temporary, int code);

#endif
