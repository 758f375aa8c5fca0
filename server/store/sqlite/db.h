/* SPDX-License-Identifier: Apache-2.0 */
/* db.h: the door of sqlite/, which is store.h in SQLite: for the files of this room alone.
 *
 *   db.c       the connection: schema, statements, transactions, errors     store.c   the calls of store.h
 *   record.c   the row of a mesh                                            chunks.c  arrays, in rows of at most 1 MiB
 *   points.c   new positions in the chunks that they touch                  answers.c first answers, by their key
 *
 * It uses mesh/ and the types of store.h; nobody but the linker knows of it. */
#ifndef SUBDD_STORE_DB_H
#define SUBDD_STORE_DB_H
#include "server/store/store.h"
#include <sqlite3.h>

enum store_sql {
#define STORE_SQL(name, text) STORE_##name,
#include "server/store/sqlite/sql.def"
#undef STORE_SQL
    STORE_N_SQL
};

/* What a chunk is a part of; owner is a topology's key or a mesh's. Never renumber. */
enum store_kind {
    STORE_TOPOLOGY = 0,
    STORE_POINTS = 1,
    STORE_UVS = 2,
    STORE_VERTEX_IDS = 3,
    STORE_FACE_IDS = 4,
    STORE_PRIMVARS = 5 /* the values of all, one after the other, by name */
};
#define STORE_CHUNK_BYTES (1 << 20)
#define STORE_POINT_ROWS 4096 /* vertices in a chunk of points: what a small position update rewrites */

struct store {
    sqlite3 *db;
    char *path;    /* of subdd.db */
    char *reserve; /* a file that holds room on the disk for a delete */
    int failed;    /* a write or sync failed: no more writes */
    int64_t n_meshes;
    sqlite3_stmt *statements[STORE_N_SQL];
};

/* The row's flags, in its column sparse_ids: ids that are not just 0, 1, 2 ... are stored; the mesh is not manifold.
 * Never renumber. */
enum store_flag { STORE_SPARSE_VERTICES = 1, STORE_SPARSE_FACES = 2, STORE_NOT_MANIFOLD = 4 };

struct store_record { /* a mesh's row */
    struct store_info info;
    int64_t key; /* 0: not written yet */
    int64_t topology, topology_bytes, next_vertex_id, next_face_id, flags;
};

/* store_error: maps SQLite's error; marks the store failed after an I/O error. */
int store_error(struct store *s, int rc, const char *what, struct sdd_error *err);
/* store_statement: the statement, reset and with no values bound. */
int store_statement(struct store *s, enum store_sql sql, sqlite3_stmt **out, struct sdd_error *err) SDD_MUST_CHECK;
/* store_step: one step; bound is what sqlite3_bind_* gave, or-ed together.
 * Result  1 a row, 0 done (then the statement is reset), negative an error */
int store_step(struct store *s, sqlite3_stmt *st, int bound, const char *what, struct sdd_error *err) SDD_MUST_CHECK;
/* store_reserve_use: gives the room that is kept to the disk; 1 when there was some. store_reserve_keep: gets it back,
 * after what the log holds has gone into the database; where the disk is too full the next delete tries again. */
int store_reserve_use(struct store *s);
void store_reserve_keep(struct store *s);
/* store_run: one statement with up to two integers, no rows. */
int store_run(struct store *s, enum store_sql sql, int64_t a, int64_t b, struct sdd_error *err) SDD_MUST_CHECK;
/* store_begin, store_end: a transaction; store_end commits when rc is SDD_OK, else rolls back. Returns the outcome. */
int store_begin(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
int store_end(struct store *s, int rc, struct sdd_error *err) SDD_MUST_CHECK;

/* A stream of bytes being cut into chunks; those that are there already with the same hash are left alone. */
struct store_writer {
    struct store *s;
    int64_t owner;
    enum store_kind kind;
    int64_t chunk_bytes, seq, used;
    char *buffer;
};
int store_writer_init(struct store_writer *w, struct store *s, enum store_kind kind, int64_t owner,
                      struct sdd_error *err) SDD_MUST_CHECK;
int store_writer_add(struct store_writer *w, const void *data, int64_t bytes, struct sdd_error *err) SDD_MUST_CHECK;
/* store_writer_fini: writes the rest, drops chunks beyond, frees; with an error in rc only frees, and returns rc. */
int store_writer_fini(struct store_writer *w, int rc, struct sdd_error *err) SDD_MUST_CHECK;
int store_chunk_write(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, const void *data,
                      int64_t bytes, struct sdd_error *err) SDD_MUST_CHECK;
/* store_chunks_read: `bytes` bytes from chunk `seq` on; all chunks but the last are whole.
 * Errors  SDD_ESTORE naming a chunk that is missing, of another size or with another checksum */
int store_chunks_read(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, void *out, int64_t bytes,
                      struct sdd_error *err) SDD_MUST_CHECK;
int64_t store_chunk_bytes(enum store_kind kind);
/* store_chunks_check: every checksum of the store. */
int store_chunks_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;

/* store_record_find, store_record_version: the row of a mesh, of the expected version.
 * Errors  SDD_ENOT_FOUND, SDD_ESTALE with the current version in err->available, SDD_ESTORE for a bad checksum */
int store_record_find(struct store *s, const char *id, struct store_record *out, struct sdd_error *err) SDD_MUST_CHECK;
int store_record_version(struct store *s, const char *id, int64_t expected, struct store_record *r,
                         struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_write: inserts a row without a key (which it gets), updates one with.
 * Errors  SDD_ECONFLICT: the id is taken */
int store_record_write(struct store *s, struct store_record *r, struct sdd_error *err) SDD_MUST_CHECK;
/* store_finish: the last steps of every change: the answer, the commit, what the mesh is now. */
int store_finish(struct store *s, int rc, const struct store_record *r, const struct store_answer *answer,
                 struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;

/* store_answer_insert: within the transaction of what it answers; also drops answers that are too old. */
int store_answer_insert(struct store *s, const struct store_answer *a, int64_t now_ms,
                        struct sdd_error *err) SDD_MUST_CHECK;

#endif
