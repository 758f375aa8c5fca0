/* SPDX-License-Identifier: Apache-2.0 */
/* people.h: who is at which mesh: leases, by which somebody has a mesh or some of its faces to himself for a while, and
 * presence, what clients tell each other about themselves. Both are in memory alone, and gone after a restart.
 * Threads  the loop's, except where a call says so */
#ifndef SUBDD_PEOPLE_H
#define SUBDD_PEOPLE_H
#include "server/mesh/changes.h"
#include "server/operation/operation.h"

#define LEASE_ID_SIZE 20
#define PEOPLE_CLIENT_SIZE 65 /* Room for a client's name for itself of 64 bytes. */
#define LEASE_MAX_SECONDS 3600
#define LEASES_MAX_OF_MESH 256
#define LEASES_MAX 4096
#define LEASES_MAX_FACES (1 << 20) /* Of all leases of one holder together: 4 MiB of ids. */
#define LEASES_MAX_OF_ONE 1024     /* Leases of one holder. */
#define PRESENCE_MAX_BYTES 4096
#define PRESENCE_MAX_SECONDS 300
#define PRESENCE_MAX_OF_MESH 256
#define PRESENCE_MAX 4096

struct lease {
    struct list all;
    int refs; /* The list has one while the lease is held, and each job that looks at it one. */
    char id[LEASE_ID_SIZE], mesh[STORE_ID_SIZE], principal[TOKEN_NAME_SIZE], client[PEOPLE_CLIENT_SIZE];
    char workspace[TOKEN_NAME_SIZE]; /* That of the mesh. */
    uint64_t until;                  /* A time of uv_hrtime. */
    /* NULL for the whole mesh; else [n_faces + n_gone] ids: of faces that the mesh has, and behind them of those that
     * it has no longer, which are leased again when they come back. Both ascend. */
    int32_t *faces;
    int64_t n_faces, n_gone;
    int64_t next_face_id; /* That of the mesh when it began, if it is on faces. */
};
/* A lease that a job keeps in mind. */
struct job_lease {
    struct lease *lease;
    bool his;                /* The caller's own. */
    int64_t seconds;         /* How long it lasted still; renewals do not wait for the job. */
    int32_t *faces;          /* What it will be on once the job has changed the mesh, as in the lease; NULL before */
    int64_t n_faces, n_gone; /* leases_follow. */
};
struct present {
    struct list all;
    char mesh[STORE_ID_SIZE], principal[TOKEN_NAME_SIZE], client[PEOPLE_CLIENT_SIZE];
    uint64_t until;
    const struct conn *conn;            /* It is gone with this connection, or NULL. */
    char state[PRESENCE_MAX_BYTES + 1]; /* JSON on one line. */
};
struct people {
    struct list leases, present;
    int n_leases, n_present;
    uint64_t next_end; /* Nothing of all that ends before this time. */
    /* Called when a lease begins, is renewed or ends ("lease"), and when somebody comes, says something else of himself
     * or goes ("presence"), with JSON that tells it; or NULL. */
    void (*news)(void *user, const char *mesh, const char *kind, const char *json);
    void *user;
};
void people_init(struct people *p);
void people_fini(struct people *p);
/* people_tick: ends what has passed its time; the loop calls it every 250 ms. */
void people_tick(struct people *p, uint64_t now);
void people_forget_mesh(struct people *p, const char *mesh);
/* people_conn_closed: of a connection that a presence has been tied to. */
void people_conn_closed(struct people *p, const struct conn *c);

/* leases_of: how many leases a principal of a workspace holds, and how many faces they have, with those that are gone.
 * Cost  a look at all leases */
int leases_of(const struct people *p, const char *principal, const char *workspace, int64_t *n_faces);
/* lease_begin: takes the lease over; its id and time are set here. Errors  SDD_ETOO_LARGE (too many) */
int lease_begin(struct people *p, struct lease *l, int64_t seconds, struct sdd_error *err);
void lease_end(struct people *p, struct lease *l);
void lease_renew(struct people *p, struct lease *l, int64_t seconds);
/* lease_json: writes a lease as a JSON object, with up to `listed` ids of its faces. */
void lease_json(struct text *out, const struct lease *l, int64_t listed);
void lease_unref(struct lease *l); /* NULL is fine. */
/* lease_find: the lease of this mesh with this id[n], or NULL. */
struct lease *lease_find(const struct people *p, const char *mesh, const char *id, size_t n);
int64_t lease_seconds_left(const struct lease *l);
/* leases_are_ids: whether a text is a list of such ids, with commas between and blanks around them. Whether there are
 * such leases is another question. */
bool leases_are_ids(const char *text);
/* lease_is_his: whether the caller holds it: the token is the same; without tokens, it names the lease in Subdd-Lease,
 * whose value is `named`. */
bool lease_is_his(const struct lease *l, const char *principal, const char *named);
/* present_set: adds or replaces what the client of this name has told of itself. Errors  SDD_ETOO_LARGE (too many) */
int present_set(struct people *p, const struct present *told, struct sdd_error *err);
void present_end(struct people *p, struct present *x);

/* leases_check: fails when somebody else has leased the mesh, or `whole` and any of its faces. Else the job keeps all
 * leases on faces in mind, those of others for leases_allow and all for leases_follow.
 * Errors  SDD_ELEASED naming the holder; SDD_ENO_MEMORY */
int leases_check(struct mesh_job *j, bool whole) SDD_MUST_CHECK;
/* step_change: step_match, and then leases_check of a job that changes the mesh in part; step_change_all: of one that
 * changes all of it. */
int step_change(struct job *job);
int step_change_all(struct job *job);
/* leases_none: true when the job keeps no leases in mind; leases_none_of_others: none of others. They also tell that a
 * step for them is to be skipped. Any thread. */
bool leases_none(const struct job *job);
bool leases_none_of_others(const struct job *job);
/* leases_allow: fails when the change touches a face that others have leased, or a vertex of one, or removes or
 * replaces a layer with values there. `changes` is from the mesh m on, and may lack faces, for positions. Any thread.
 * Errors  SDD_ELEASED listing the faces or the layer in job->conflict */
int leases_allow(struct mesh_job *j, const struct mesh *m, const struct mesh_changes *changes) SDD_MUST_CHECK;

/* What a change has put in the place of what; all are NULL where it does not tell (struct edit_result). */
struct face_origins { /* Ids; n_new and n_joined are numbers of faces and of pairs. */
    int64_t n_new, n_joined;
    const int32_t *new_ids, *origins, *joined;
};
/* leases_follow: finds what leases will be on after a change of `from` into `to`: the faces that stay, those put in the
 * place of leased ones, those that come back, and else, where a leased face has gone, those that came by themselves,
 * have no vertices but new ones and such of leased faces, and hang together with the latter. Of the leases of others,
 * which leases_allow spares, faces can only come back: without tokens anybody may undo what removed them.
 * leases_adopt, on the loop, makes it so once the change is durable.
 * Cost     linear in the meshes where faces came or went, and for each lease of which one did
 * Threads  any
 * Errors   SDD_ETOO_LARGE (LEASES_MAX_FACES), SDD_ENO_MEMORY */
int leases_follow(struct mesh_job *j, const struct mesh *from, const struct mesh *to,
                  struct face_origins made) SDD_MUST_CHECK;
void leases_adopt(struct mesh_job *j);
/* lease_put: the lease is on other faces from now on, of which it takes over the list; who listens is told. One that
 * has ended only frees it. */
void lease_put(struct people *p, struct lease *l, int32_t *faces, int64_t n_faces, int64_t n_gone);
/* leases_forget: what mesh_job_free does with the leases that a job keeps in mind. */
void leases_forget(struct mesh_job *j);

#endif
