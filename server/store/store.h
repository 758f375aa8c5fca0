/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: the door of store/: durable meshes in one SQLite file, <dir>/subdd.db. Its form is known to sqlite/ alone.
 * Rooms that serve requests use it through the daemon's struct storage (storage.h); it uses base/ and mesh/.
 *
 * A call that returns SDD_OK after a change has been written and synced: it survives kill -9 and power loss. A call
 * that fails has changed nothing. Topologies are stored once each, however many meshes share one.
 * Threads  a store belongs to one thread at a time. One process at a time can have a directory open.
 * Errors of all calls  SDD_ESTORE: read or write failed, or stored bytes do not match their checksum (the text says
 *                      which); after a failed read, write or sync the store refuses writes (store_failed) and the
 *                      process should leave.
 *                      SDD_ESTORE_FULL: the disk is full; later writes may succeed, and store_delete has a
 *                      reserve of 4 MiB.
 *                      SDD_ENO_MEMORY: memory is out. */
#ifndef SUBDD_STORE_H
#define SUBDD_STORE_H
#include "server/mesh/mesh.h"
#include "server/mesh/positions.h"

#define STORE_ID_SIZE 24                          /* "m_" + 16 hex digits + NUL fits          */
#define STORE_ANY_VERSION 0                       /* expected version: whatever it is now     */
#define STORE_IDEMPOTENCY_MS (24 * 3600 * 1000LL) /* answers are kept for a day */

struct store;

struct store_info { /* one mesh, without geometry */
    char id[STORE_ID_SIZE], name[MESH_NAME_SIZE], topology_id[MESH_TOPOLOGY_ID_SIZE];
    int64_t version;
    struct sdd_options options;
    int64_t n_vertices, n_faces, n_corners, n_edges, n_uvs;
    int manifold;
    int64_t created_ms, updated_ms; /* Unix time */
    int n_primvars;
    struct primvar_info primvars[SDD_MAX_PRIMVARS]; /* by name */
};

/* The first answer to a request with an Idempotency-Key; kept in the transaction that did what it answers. */
struct store_answer {
    const char *principal, *key; /* borrowed                                                            */
    unsigned char digest[32];    /* SHA-256 of method, path, query and body: another one is another request */
    int status;
    const char *media_type, *location, *etag; /* "" when there is none                                   */
    const void *body;
    int64_t bytes;
};

/* store_info_measure: i's options, sizes and primvars become those of m. */
static inline void store_info_measure(struct store_info *i, const struct mesh *m)
{
    i->options = m->options;
    i->n_vertices = m->n_vertices;
    i->n_faces = m->n_faces;
    i->n_corners = m->n_corners;
    i->n_edges = m->n_edges;
    i->n_uvs = m->n_uvs;
    i->manifold = m->manifold;
    i->n_primvars = primvars_list(m, i->primvars);
}

/* store_open: opens or creates <dir>/subdd.db (and dir, mode 0700).
 * Errors  SDD_ESTORE: in use by another process, not ours, from a newer version, damaged */
int store_open(const char *dir, struct store **out, struct sdd_error *err) SDD_MUST_CHECK;
void store_close(struct store *s);           /* NULL is fine */
int store_failed(const struct store *s);     /* 1: a write or sync failed; readiness should say so */
int64_t store_bytes(const struct store *s);  /* database and log on disk */
int64_t store_meshes(const struct store *s); /* how many there are */
/* store_check: reads everything; slow. Errors  SDD_ESTORE naming the first damage */
int store_check(struct store *s, struct sdd_error *err) SDD_MUST_CHECK;
/* store_new_id: a fresh random mesh id. */
int store_new_id(char id[STORE_ID_SIZE], struct sdd_error *err) SDD_MUST_CHECK;

/* store_list: up to `limit` meshes in the order of their ids, after id `after` ("" from the start).
 * *out is an array that the caller frees; *more is 1 when a further page exists (its after is the last id here). */
int store_list(struct store *s, const char *after, int limit, struct store_info **out, int *n, int *more,
               struct sdd_error *err) SDD_MUST_CHECK;
/* store_find, store_load: one mesh. Errors  SDD_ENOT_FOUND. info may be NULL in store_load. */
int store_find(struct store *s, const char *id, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
int store_load(struct store *s, const char *id, struct mesh **out, struct store_info *info,
               struct sdd_error *err) SDD_MUST_CHECK;

/* Changes. now_ms is the time to write down; answer (may be NULL) is recorded with the change; info (may be NULL) gets
 * the mesh as it then is. expected is the version that the change was made for, or STORE_ANY_VERSION.
 * Errors  SDD_ENOT_FOUND; SDD_ESTALE, with the current version in err->available; SDD_ECONFLICT when answer's key is
 *         already there (store_idempotent_find first) */
int store_create(struct store *s, const char *id, const struct mesh *m, int64_t now_ms,
                 const struct store_answer *answer, struct store_info *info,
                 struct sdd_error *err) SDD_MUST_CHECK; /* version 1 */
int store_put_points(struct store *s, const char *id, int64_t expected, const struct positions *p, int64_t now_ms,
                     const struct store_answer *answer, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
int store_replace(struct store *s, const char *id, int64_t expected, const struct mesh *m, int64_t now_ms,
                  const struct store_answer *answer, struct store_info *info, struct sdd_error *err) SDD_MUST_CHECK;
int store_delete(struct store *s, const char *id, int64_t expected, struct sdd_error *err) SDD_MUST_CHECK;

/* store_idempotent_find: the recorded answer to (principal, key). *found 0: none. Strings and body of *out live in the
 * one malloc'ed block *block, which the caller frees.
 * Errors  SDD_EKEY_REUSED when the digest differs */
int store_idempotent_find(struct store *s, const char *principal, const char *key, const unsigned char digest[32],
                          int64_t now_ms, struct store_answer *out, void **block, int *found,
                          struct sdd_error *err) SDD_MUST_CHECK;

#endif
