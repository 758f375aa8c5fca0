/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: the door of store/: durable meshes in one SQLite file, <dir>/subdd.db, and a count of its commits beside it,
 * <dir>/subdd.commits. Their form is known to sqlite/ alone.
 * Rooms that serve requests use it through struct storage (operation/storage.h); it uses base/, and mesh/ with its
 * rooms.
 *
 * When a call that changes something returns SDD_OK, the change has been written and synced, and survives kill -9 and
 * power loss; but in store_together, later. A call that fails has changed nothing. A topology is stored once, however
 * many meshes share it.
 * Threads  a store belongs to one thread at a time; one process at a time can have a directory open
 * Errors   any call may return SDD_ESTORE (reading or writing failed, or stored bytes do not match their checksum; the
 *          text says which), SDD_ESTORE_FULL (the disk is full; later writes may succeed, and store_delete has a
 *          reserve of 4 MiB) or SDD_ENO_MEMORY; the comments below name only the others. After a failed read, write or
 *          sync the store refuses writes (store_failed), and the process should exit. */
#ifndef SUBDD_STORE_H
#define SUBDD_STORE_H
#include "server/mesh/mesh.h"
#include "server/mesh/positions.h"

#define STORE_ID_SIZE 24                          /* Room for an id, which is "m_" and 16 hex digits. */
#define STORE_WORKSPACE_SIZE 65                   /* Room for the name of a workspace of 64 characters. */
#define STORE_ANY_VERSION 0                       /* As the expected version, it matches every version. */
#define STORE_IDEMPOTENCY_MS (24 * 3600 * 1000LL) /* Answers are kept for a day. */

struct store;

/* What is known of a mesh without its arrays. */
struct store_info {
    char id[STORE_ID_SIZE], name[MESH_NAME_SIZE], topology_id[MESH_TOPOLOGY_ID_SIZE];
    int64_t version;
    struct sdd_options options;
    int64_t n_vertices, n_faces, n_corners, n_edges, n_uvs;
    int manifold;
    int64_t created_ms, updated_ms;       /* Unix time in milliseconds. */
    char workspace[STORE_WORKSPACE_SIZE]; /* Whose tokens alone see the mesh; "" is one, too. */
    struct mesh_stage stage;
    int n_primvars;
    struct primvar_info primvars[SDD_MAX_PRIMVARS]; /* Sorted by name. */
    /* The names of face sets of each primvar: how many, and their bytes. It is in files, so its layout must never
     * change. */
    struct store_sets {
        int32_t n, bytes;
    } sets[SDD_MAX_PRIMVARS];
};

/* The first answer to a request with an Idempotency-Key. It is stored in the same transaction as the change that it
 * answers. All pointers are borrowed. */
struct store_answer {
    const char *principal, *key;
    unsigned char digest[32]; /* SHA-256 of method, path, query and body, to tell one request from another. */
    int status;
    const char *media_type, *location, *etag; /* "" where there is none. */
    const void *body;
    int64_t bytes;
};

/* What store_open found to be lost: changes that were acknowledged, and that the database has no longer, because
 * its log or a page of it was damaged, or an older one put in its place. */
#define STORE_LOST_LISTED 64
struct store_loss {
    bool waits;     /* Nothing may be written until store_accept_loss. */
    char text[256]; /* What is wrong and what to do, or a warning; "" when all is well. */
    int64_t n;      /* How many changes were lost. 0 with `waits` means that it cannot be told. */
    int n_listed;   /* The meshes that they changed, or the first of them. */
    struct store_lost {
        char id[STORE_ID_SIZE];
        int64_t version, found; /* What was acknowledged, and what is there. 0: no mesh; -1: it is damaged. */
    } listed[STORE_LOST_LISTED];
    int64_t accepted, accepted_ms; /* Changes lost and accepted before, and when the last were. */
};

/* store_info_measure: i's options, sizes, stage and primvars become those of m. */
static inline void store_info_measure(struct store_info *i, const struct mesh *m)
{
    i->options = m->options;
    i->n_vertices = m->n_vertices;
    i->n_faces = m->n_faces;
    i->n_corners = m->n_corners;
    i->n_edges = m->n_edges;
    i->n_uvs = m->n_uvs;
    i->manifold = m->manifold;
    i->stage = m->stage;
    i->n_primvars = primvars_list(m, i->primvars);
    memset(i->sets, 0, sizeof i->sets);
    for (int p = 0; p < i->n_primvars; p++)
        i->sets[p] = (struct store_sets){(int32_t)m->primvars[p].sets.n, (int32_t)m->primvars[p].sets.bytes};
}

/* store_open: opens or creates <dir>/subdd.db, and dir with mode 0700. After it store_loss has to be looked at.
 * Errors  SDD_ESTORE when the file is in use by another process, belongs to another program, comes from a newer version
 *         or is damaged, or when subdd.commits cannot be read or belongs to another store */
int store_open(const char *dir, struct store **out, struct sdd_error *err) SDD_MUST_CHECK;
/* store_loss: what was lost. It belongs to the store and stays until store_close. */
const struct store_loss *store_loss(const struct store *s);
/* store_accept_loss: goes on with what is there, in a store that waits; and remembers that somebody said so. */
int store_accept_loss(struct store *s, int64_t now_ms, struct sdd_error *err) SDD_MUST_CHECK;
void store_close(struct store *s); /* NULL is fine. */
/* store_failed: 1 after a read, write or sync failed, so that the daemon is not ready any more. */
int store_failed(const struct store *s);
/* store_bytes: the sizes of the database and of its log on disk. */
void store_bytes(const struct store *s, int64_t *database, int64_t *log);
/* store_applied: how many edits were done again to load meshes, which shows that a long load goes on. Any thread may
 * ask. */
int64_t store_applied(const struct store *s);
/* store_meshes: the number of meshes. */
int64_t store_meshes(const struct store *s);
/* store_check: reads and checks everything, which is slow.
 * Errors  SDD_ESTORE naming the first damage */
int store_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_new_id: writes a new random mesh id.
 * Errors  SDD_EINTERNAL when the system has no random numbers */
int store_new_id(char id[STORE_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;

/* store_list: up to `limit` meshes of a workspace in the order of their ids, after the id `after` ("" starts at the
 * beginning): those that are called `name`, or with NULL all. *more is 1 when another page follows, which starts after
 * the last id of this one.
 * Owner   *out is an array that the caller frees
 * Errors  SDD_EINVALID (limit) */
int store_list(struct store *s, const char *workspace, const char *name, const char *after, int limit,
               struct store_info **out, int *n, int *more, struct sdd_error *err) SDD_MUST_CHECK;
/* store_find: what is known of a version of a mesh, STORE_ANY_VERSION being the present one.
 * Errors  SDD_ENOT_FOUND (no such mesh; field version: it has not got so far), SDD_EGONE (a version that is not kept
 *         any more, with the oldest that is in err->available) */
int store_find(struct store *s, const char *id, int64_t version, struct store_info *info,
               struct sdd_error *err) SDD_MUST_CHECK;
/* store_load: a version of a mesh with its arrays, which the caller frees with mesh_free. info may be NULL.
 * Cost    linear in the mesh, for the last snapshot and for each edit since
 * Errors  those of store_find, SDD_ECANCELLED (stop_asked) */
int store_load(struct store *s, const char *id, int64_t version, struct mesh **out, struct store_info *info,
               struct sdd_error *err) SDD_MUST_CHECK;

/* Who made a version, and how. The strings are borrowed. */
struct store_change {
    const char *principal, *kind; /* "" where it is not known. */
    int64_t n_edits;              /* Of a batch. */
    int64_t of;                   /* For undo, redo and revert, the version that is undone, redone, or came back. */
    const char *workspace;        /* That a new mesh is to be in; NULL reads as "". */
    uint32_t edit_kinds;          /* Of a batch, as edit_kinds says (edits.h). */
};
struct store_version {
    int64_t version, n_edits, of, updated_ms, n_vertices, n_faces;
    uint32_t edit_kinds; /* 0 also for batches of versions that are older than this number. */
    char principal[65], kind[16];
    unsigned char content[16]; /* Equal for versions of a mesh that differ in nothing but their numbers and times. */
};
/* store_keep: from the next change on each mesh keeps its last `versions` versions, the present one among them, and all
 * versions but the present ones take at most `bytes`: those that ended first go first. 1, and 0 bytes, keep none.
 * Until this is called none are. */
void store_keep(struct store *s, int64_t versions, int64_t bytes);
int64_t store_history_bytes(const struct store *s); /* What the versions before the present ones take. */
/* store_author: says who makes the next change, until that has been made or has failed. */
void store_author(struct store *s, const struct store_change *change);
/* store_history: up to `limit` versions of a mesh, the latest first, of those before `before` (INT64_MAX: all). *more
 * is 1 when there are earlier ones.
 * Owner   *out is an array that the caller frees
 * Errors  SDD_ENOT_FOUND, SDD_EINVALID (limit) */
int store_history(struct store *s, const char *id, int64_t before, int limit, struct store_version **out, int *n,
                  int *more, struct sdd_error *err) SDD_MUST_CHECK;

/* store_pin: remembers that a mesh is pinned, or no longer. That is no version of it, and goes with it. *changed says
 * whether it was otherwise before.
 * store_pins: those that are, by id. Owner  *out is an array that the caller frees */
struct store_pinned {
    char id[STORE_ID_SIZE], workspace[STORE_WORKSPACE_SIZE];
};
int store_pin(struct store *s, const char *id, bool pinned, bool *changed, struct sdd_error *err) SDD_MUST_CHECK;
int store_pins(struct store *s, struct store_pinned **out, int *n, struct sdd_error *err) SDD_MUST_CHECK;

/* store_together: from here to store_together_end store_pin and the calls below, but store_delete, are parts of one
 * commit, with the syncs of one. Up to STORE_TOGETHER of them may change a mesh. A part that fails has changed nothing,
 * and the others stand. Until store_together_end has returned SDD_OK nothing of them is durable, so nobody may be told;
 * where it fails none has happened, and what they gave is void.
 * Errors  of store_together: nothing has begun; of parts, also those for which store_together_end is going to fail */
#define STORE_TOGETHER 9
int store_together(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
int store_together_end(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
bool store_is_together(const struct store *s);

/* The calls below change a mesh, and share these arguments. now_ms is the time to record. answer (may be NULL) is
 * stored with the change. info (may be NULL) gets the mesh as it is afterwards. expected is the version that the change
 * was made for, or STORE_ANY_VERSION.
 * Errors  SDD_ENOT_FOUND; SDD_ESTALE, with the current version in err->available; SDD_ECONFLICT when the key of the
 *         answer, or the id of a new mesh, is taken (call store_idempotent_find first) */

/* store_create: stores a new mesh as version 1. */
int store_create(struct store *s, const char *id, const struct mesh *m, int64_t now_ms,
                 const struct store_answer *answer, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
/* store_put_points: replaces the positions of some or all vertices. `before` is the mesh as it is; it may be NULL, and
 * is then read where all of it has to be written.
 * Errors  also those of positions_check */
int store_put_points(struct store *s, const char *id, int64_t expected, const struct positions *p,
                     const struct mesh *before, int64_t now_ms, const struct store_answer *answer,
                     struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
/* store_edit: stores what a batch of edits has made of the mesh, or an undo: the batch alone, or where that is not
 * worth it the whole mesh. */
struct store_edit {
    const struct mesh *mesh; /* As it is afterwards. */
    const char *topology_id; /* Of that mesh; NULL to have it found. */
    /* The primitives that were applied to the version before (edits_to_proto), or NULL to store the mesh. */
    const void *batch;
    int64_t bytes;
    int64_t as; /* An earlier version that it is the same as, apart from ids to come; else 0. */
};
int store_edit(struct store *s, const char *id, int64_t expected, const struct store_edit *e, int64_t now_ms,
               const struct store_answer *answer, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
/* store_replace: replaces the whole mesh. */
int store_replace(struct store *s, const char *id, int64_t expected, const struct mesh *m, int64_t now_ms,
                  const struct store_answer *answer, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
/* store_rename: gives a mesh another name as a new version; "" is the name that a mesh has by default, its id. A mesh
 * that has the name already stays at its version. */
int store_rename(struct store *s, const char *id, int64_t expected, const char *name, int64_t now_ms,
                 struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
/* store_delete: a mesh whose row is damaged is deleted with STORE_ANY_VERSION alone. */
int store_delete(struct store *s, const char *id, int64_t expected, const struct store_answer *answer, int64_t now_ms,
                 struct sdd_error *err) SDD_MUST_CHECK;

/* store_idempotent_find: finds the stored answer to (principal, key); *found is 0 when there is none. The strings and
 * the body of *out lie in one allocation, *block, which the caller frees.
 * Errors  SDD_EKEY_REUSED when the digest differs */
int store_idempotent_find(struct store *s, const char *principal, const char *key, const unsigned char digest[32],
                          int64_t now_ms, struct store_answer *out, void **block, int *found,
                          struct sdd_error *err) SDD_MUST_CHECK;

#endif
