/* SPDX-License-Identifier: Apache-2.0 */
/* db.h: the door of sqlite/, which is store.h in SQLite: for the files of this room alone.
 *
 *   open.c     opens, brings the schema up to date, checks                  store.c   the calls of store.h
 *   db.c       statements, transactions, errors
 *   record.c   the row of a mesh                                            chunks.c  arrays, in rows of at most 1 MiB
 *   points.c   new positions in the chunks that they touch                  answers.c first answers, by their key
 *   commits.c  counts commits in a file beside the database                 loss.c    what damage has taken back
 *   history.c  keeps earlier versions, and lets go of the oldest
 *   new_ids.c  brings a store of before schema 8 to the present rule of topology ids
 *   edits.c    keeps a version as what was done to the one before
 *   together.c makes several changes in one commit
 *
 * It uses mesh/ and the types of store.h; nobody but the linker knows of it. */
#ifndef SUBDD_STORE_DB_H
#define SUBDD_STORE_DB_H
#include "server/store/sqlite/entry.h"
#include <sqlite3.h>
#include <stdatomic.h>

enum store_sql {
#define STORE_SQL(name, text) STORE_##name,
#include "server/store/sqlite/sql.def"
#undef STORE_SQL
    STORE_N_SQL
};

/* The array that a chunk is a part of. Its owner is the key of a topology or of a mesh. The numbers are in files, so
 * they must never change. */
enum store_kind {
    STORE_TOPOLOGY = 0,
    STORE_POINTS = 1,
    STORE_UVS = 2,
    STORE_VERTEX_IDS = 3,
    STORE_FACE_IDS = 4,
    STORE_PRIMVARS = 5, /* The values of all primvars, one after another, sorted by name. */
    STORE_SETS = 6      /* The names of their face sets, in the same order. */
};
#define STORE_CHUNK_BYTES (1 << 20)
#define STORE_POINT_ROWS 4096 /* Vertices in a chunk of points; a small update of positions rewrites one. */

/* What history.c knows. */
struct store_past {
    int64_t versions, most_bytes; /* The limits of store_keep. */
    int64_t bytes;                /* What the versions before the present ones take, by the table `history`. */
    struct store_change change;   /* What store_author said of the next change. */
    /* Of the current transaction. The version that it ends, 0 for a new mesh; and what `bytes` becomes. */
    int64_t version, topology, topology_bytes;
    bool keeps;   /* Whether that version is kept. */
    int64_t kept; /* The bytes of its chunks that were kept so far. */
    int64_t bytes_after;
};

struct store {
    sqlite3 *db;
    char *dir;
    char *path;    /* Of subdd.db. */
    char *reserve; /* Path of a file that keeps room on the disk for a delete. */
    int failed;    /* 1 after an I/O error, when no more writes are allowed. */
    int64_t n_meshes;
    char *commits_path;
    int commits_fd; /* The file of commits; -1 while it is not open. */
    int64_t number; /* Of this store; random, to know the file of another one. */
    struct store_entry last, next;
    int n_noted; /* Changes of meshes in the transaction, which next has. */
    struct store_group group;
    struct store_loss loss;
    struct store_past history;
    atomic_llong n_applied; /* Edits that loads have done again. */
    sqlite3_stmt *statements[STORE_N_SQL];
};

/* The flags in the column sparse_ids of a mesh. The first two say that the ids of vertices or faces are not just 0, 1,
 * 2 and so on, and are stored. The numbers are in files, so they must never change. */
enum store_flag { STORE_SPARSE_VERTICES = 1, STORE_SPARSE_FACES = 2, STORE_NOT_MANIFOLD = 4 };

/* The sum (by xor) of the checksums of some chunks of a mesh, each of which covers the chunk's place. */
struct store_sum {
    unsigned char bytes[16];
};
/* Which chunks a version consists of, apart from its topology, which has a digest in its id. It is in files, so its
 * layout must never change. */
struct store_digest {
    struct store_sum points, others;
};

/* How a version is made when its own arrays are not stored: from a snapshot, which is the arrays and the topology of an
 * earlier version, and some of the edits since, each of which names the one before it. It is in files, as far as it has
 * layers, so its layout must never change. */
struct store_base {
    int64_t version;        /* That the snapshot is of; 0: the version is its own snapshot, and all here is 0. */
    int64_t n, last;        /* How many edits make the version, and which version the last of them made. */
    int64_t all, all_bytes; /* With those that were undone since. */
    int64_t n_vertices, n_faces, n_uvs; /* Of the snapshot, and so are the layers. */
    unsigned char chain[16];            /* A digest of the checksums of these edits. */
    int64_t n_layers;
    struct store_layer {
        struct primvar_info primvar;
        struct store_sets sets;
    } layers[SDD_MAX_PRIMVARS];
};
/* How the data of an edit is to be read. The numbers are in files, so they must never change. */
enum store_edit_kind {
    STORE_BATCH = 1,    /* Message EditBatch, of primitives alone. */
    STORE_POSITIONS = 2 /* Message Positions. */
};

/* The row of a mesh. */
struct store_record {
    struct store_info info;
    unsigned char hash[16]; /* The checksum of the row as it was read, or of store_record_hash. */
    bool has_digest;        /* False for a mesh that was not changed since schema 3. */
    struct store_digest digest;
    int64_t key; /* 0 while the row is not written yet. */
    /* With edits since a snapshot, the topology is that of the snapshot, though info.topology_id is the version's
     * own. The same goes for those flags that say what is stored. */
    int64_t topology, topology_bytes, next_vertex_id, next_face_id, flags;
    struct store_base base;
    bool has_content;          /* What store_content says cannot be told from all else, */
    unsigned char content[16]; /* and is this. */
    int64_t at;                /* For a row of `history`, its version, to read chunks by; 0: what is there now. */
};

/* store_error: turns an error of SQLite into *err and returns its code. After an I/O error the store has failed. */
int store_error(struct store *s, int rc, const char *what, struct sdd_error *err);
/* store_statement: a statement that is reset and has no values bound. */
int store_statement(struct store *s, enum store_sql sql, sqlite3_stmt **out, struct sdd_error *err) SDD_MUST_CHECK;
/* store_step: makes one step. `bound` is all results of sqlite3_bind_*, or-ed together.
 * Result  1 for a row; 0 at the end, when the statement is reset; or a negative error */
int store_step(struct store *s, sqlite3_stmt *st, int bound, const char *what, struct sdd_error *err) SDD_MUST_CHECK;
/* store_reserve_use: gives the reserved room back to the disk. Returns 1 when there was some. */
int store_reserve_use(struct store *s);
/* store_reserve_keep: reserves the room again, after moving the log into the database. If the disk is too full, the
 * next delete tries again. */
void store_reserve_keep(struct store *s);
/* store_sync_dir: syncs the names in a folder. Returns 0, or -1 with errno. */
int store_sync_dir(const char *dir);
/* store_checkpoint: moves the log into the database, where damage to the log does not reach it. */
int store_checkpoint(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_run: runs a statement that takes up to two integers and gives no rows. */
int store_run(struct store *s, enum store_sql sql, int64_t a, int64_t b, struct sdd_error *err) SDD_MUST_CHECK;
/* store_begin: begins a change, which is a transaction, or a part of one (store_together).
 * Errors  SDD_ESTORE when the store has failed; why the transaction has ended */
int store_begin(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_end: ends the change when rc is SDD_OK, else rolls it back. Returns rc or the error of the commit. */
int store_end(struct store *s, int rc, struct sdd_error *err) SDD_MUST_CHECK;

/* store_begin_recovery: the same in a store that waits for its loss to be accepted. */
int store_begin_recovery(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_transaction_end: commits when rc is SDD_OK, else rolls back. Returns rc or the error of the commit. */
int store_transaction_end(struct store *s, int rc, struct sdd_error *err) SDD_MUST_CHECK;
/* store_part_begin, store_part_end: store_begin and store_end of a part of store_together. */
int store_part_begin(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
int store_part_end(struct store *s, int rc, struct sdd_error *err) SDD_MUST_CHECK;
/* store_name: puts the id of the mesh that was asked for before the text of an error of the store. Returns rc. */
int store_name(const char *id, int rc, struct sdd_error *err);

/* commits.c says what these are for and in which order they happen.
 * store_commits_open: reads both counts, and finds out whether commits were lost (s->loss). Makes the file if there is
 *                     none. */
int store_commits_open(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
void store_commits_close(struct store *s);
/* store_commits_accept: goes on from what the database has, in a store that waits. */
int store_commits_accept(struct store *s, int64_t now_ms, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commits_first: the row of a store that has no commits yet, in the transaction that makes the table. */
int store_commits_first(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commit_note: the current change is of this mesh; row is the checksum of its row, NULL with version 0.
 * Errors  SDD_EINTERNAL when the commit has STORE_TOGETHER of them already */
int store_commit_note(struct store *s, const char *id, int64_t version, const void *row,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* store_commit_record: counts the current transaction in the database, if it changes a mesh. */
int store_commit_record(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_commit_seal: counts it in the file, after it was committed. When that fails, the store has failed. */
int store_commit_seal(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;

/* Cuts a stream of bytes into chunks. A chunk that is stored already with the same hash is not written again. sum gets
 * the checksums of all. */
struct store_writer {
    struct store *s;
    int64_t owner;
    enum store_kind kind;
    struct store_sum *sum;
    int64_t chunk_bytes, seq, used;
    char *buffer;
};
int store_writer_init(struct store_writer *w, struct store *s, enum store_kind kind, int64_t owner,
                      struct store_digest *digest, struct sdd_error *err) SDD_MUST_CHECK;
int store_writer_add(struct store_writer *w, const void *data, int64_t bytes, struct sdd_error *err) SDD_MUST_CHECK;
/* store_writer_fini: writes the rest, drops older chunks behind it and frees the buffer. When rc is an error it only
 * frees the buffer and returns rc. */
int store_writer_fini(struct store_writer *w, int rc, struct sdd_error *err) SDD_MUST_CHECK;
/* store_chunk_write: writes one chunk, unless it is stored already with the same hash. Its checksum is added to *sum
 * (which may be NULL), and that of the chunk which it replaces to *old. */
int store_chunk_write(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, const void *data,
                      int64_t bytes, struct store_sum *sum, struct store_sum *old,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* store_digest_sum: the sum in *d (which may be NULL) that chunks of this kind belong to; NULL for a topology. */
struct store_sum *store_digest_sum(struct store_digest *d, enum store_kind kind);
/* store_digest_find: the digest of what is stored, for a mesh that has none in its row. */
int store_digest_find(struct store *s, int64_t owner, struct store_digest *d, struct sdd_error *err) SDD_MUST_CHECK;
/* store_chunks_read: reads `bytes` bytes, starting at chunk `seq`; all chunks but the last one are full. With `at` they
 * are those that version `at` had. Their checksums are added to *digest, which may be NULL.
 * Errors  SDD_ESTORE naming a chunk that is missing or has another size or checksum */
int store_chunks_read(struct store *s, enum store_kind kind, int64_t owner, int64_t at, int64_t seq, void *out,
                      int64_t bytes, struct store_digest *digest, struct sdd_error *err) SDD_MUST_CHECK;
/* store_chunk_bytes: the size of a full chunk. */
int64_t store_chunk_bytes(enum store_kind kind);
/* store_chunks_check: checks the checksums of all chunks. */
int store_chunks_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;

/* store_record_find: the row of a mesh.
 * Errors  SDD_ENOT_FOUND, SDD_ESTORE for a bad checksum or another version than the table `versions` has */
int store_record_find(struct store *s, const char *id, struct store_record *out, struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_version: the row of a mesh that must have the expected version.
 * Errors  as store_record_find; SDD_ESTALE, with the current version in err->available */
int store_record_version(struct store *s, const char *id, int64_t expected, struct store_record *r,
                         struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_digest: makes sure that the record has its digest, before chunks are changed one by one. */
int store_record_digest(struct store *s, struct store_record *r, struct sdd_error *err) SDD_MUST_CHECK;
/* store_records_check: checks the rows of all meshes, and what they say of their chunks and edits against these. */
int store_records_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_write: inserts a row that has no key, and gives it one; or updates the row that has its key. Writes its
 * row in `versions`, too.
 * Errors  SDD_ECONFLICT when the id is taken */
int store_record_write(struct store *s, struct store_record *r, struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_hash: fills r->hash for the row as it stands. */
void store_record_hash(struct store_record *r);
/* store_new_ids: the step to schema 8, in the transaction that brings the schema up to date.
 * Errors  SDD_ESTORE, SDD_ESTORE_FULL, SDD_ENO_MEMORY; but none for what is damaged */
int store_new_ids(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_had_row: had the mesh the row that this change says, before store_new_ids?
 * Result  1 or 0, or an error */
int store_had_row(struct store *s, const struct store_changed *c, struct sdd_error *err) SDD_MUST_CHECK;
/* store_finish: the last steps of every change. It stores the answer, ends the transaction with rc and fills *info. */
int store_finish(struct store *s, int rc, const struct store_record *r, const struct store_answer *answer,
                 struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;

/* store_record_at: the row of a version: with STORE_ANY_VERSION the present one.
 * Errors  SDD_ENOT_FOUND, SDD_EGONE with the oldest version in err->available, SDD_ESTORE */
int store_record_at(struct store *s, const char *id, int64_t version, struct store_record *out,
                    struct sdd_error *err) SDD_MUST_CHECK;
/* store_record_read: reads and checks the current row of a statement with the columns of a mesh. */
int store_record_read(sqlite3_stmt *st, struct store_record *r, struct sdd_error *err) SDD_MUST_CHECK;
enum { STORE_RECORD_COLUMNS = 30 }; /* Columns of the author follow in statements about history. */

/* edits.c
 * store_base_bytes:  the bytes of b that are stored.
 * store_base_info:   what is known of the snapshot that the version is made from.
 * store_edits_fit:   whether an edit of so many bytes can be stored after those that there are, or a snapshot is due.
 * store_edits_add:   stores what makes the next version of that which r describes; the caller then writes the row.
 * store_edits_reuse: makes r from what makes an earlier version of the mesh, and returns true, when both are made from
 *                    one snapshot.
 * store_edits_apply: makes of the snapshot *m the version that r describes. With m NULL it only checks that all edits
 *                    are there.
 *                    Errors  SDD_ESTORE, SDD_ECANCELLED (stop_asked), SDD_ENO_MEMORY; *m may be any version by then
 * store_edits_check: checks the checksums of all edits. */
size_t store_base_bytes(const struct store_base *b);
void store_base_info(const struct store_record *r, struct store_info *out);
bool store_edits_fit(const struct store_record *r, int64_t bytes);
int store_edits_add(struct store *s, struct store_record *r, enum store_edit_kind kind, const void *data, int64_t bytes,
                    struct sdd_error *err) SDD_MUST_CHECK;
bool store_edits_reuse(struct store_record *r, const struct store_record *old);
int store_edits_apply(struct store *s, const struct store_record *r, struct mesh **m,
                      struct sdd_error *err) SDD_MUST_CHECK;
int store_edits_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;

/* store.c, for points.c too.
 * store_mesh_read: the mesh of a version, with its name; NULL on error.
 * store_snapshot:  stores all of m as the next version of r. topology_id may be NULL, and is then found. */
int store_mesh_read(struct store *s, const struct store_record *r, struct mesh **out,
                    struct sdd_error *err) SDD_MUST_CHECK;
int store_snapshot(struct store *s, struct store_record *r, const struct mesh *m, const char *topology_id,
                   int64_t now_ms, struct sdd_error *err) SDD_MUST_CHECK;

/* history.c. A change of a mesh calls these in one transaction, in this order.
 * store_past_begin:  the version of r is going to end. From now on store_past_chunks keeps its chunks.
 * store_past_chunks: the chunks [seq, end) are going to be replaced or deleted.
 * store_past_end:    the row of r, of the new version, is written. Notes its author, counts what the version before it
 *                    takes, and lets go of versions beyond the limits.
 * store_past_drop:   lets go of all versions of a mesh up to `last`, with topologies that nobody has any more. */
void store_past_begin(struct store *s, const struct store_record *r);
int store_past_chunks(struct store *s, enum store_kind kind, int64_t owner, int64_t seq, int64_t end,
                      struct sdd_error *err) SDD_MUST_CHECK;
int store_past_end(struct store *s, const struct store_record *r, struct sdd_error *err) SDD_MUST_CHECK;
int store_past_drop(struct store *s, const char *id, int64_t key, int64_t last, struct sdd_error *err) SDD_MUST_CHECK;
/* store_content: what tells the contents of two versions of a mesh apart. */
void store_content(const struct store_record *r, unsigned char out[16]);
/* store_past_check: checks the rows of all versions, and that all edits are there that make them. */
int store_past_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_topology_drop: deletes a topology if no version of a mesh has it any more. */
int store_topology_drop(struct store *s, int64_t key, struct sdd_error *err) SDD_MUST_CHECK;

/* store_answer_insert: stores an answer in the current transaction, and drops answers that are too old.
 * Errors  SDD_ECONFLICT when the key has an answer already */
int store_answer_insert(struct store *s, const struct store_answer *a, int64_t now_ms,
                        struct sdd_error *err) SDD_MUST_CHECK;

#endif
