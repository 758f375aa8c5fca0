/* SPDX-License-Identifier: Apache-2.0 */
/* watcher.h: what watch.c and events.c have in common: an answer without an end, of which a part is sent when there is
 * news of a mesh. One that waits is a sleeping connection and nothing else.
 * Threads  the loop's */
#ifndef SUBDD_API_WATCHER_H
#define SUBDD_API_WATCHER_H
#include "server/api/api.h"
#include "server/api/watch.h"

struct event {
    struct event *next;
    uint64_t number;
    int64_t version; /* 0 unless it tells a version. */
    bool last;       /* The mesh is gone. */
    size_t bytes;
    char text[];
};

/* A mesh that somebody watches. */
struct watched {
    struct table_node node;
    char id[REQUEST_NAME_SIZE];
    struct list watchers;
    struct event *events; /* The last ones (events.c), the oldest first. */
    uint64_t told;        /* How many there were. */
};

struct watcher_ops {
    enum media media;
    /* Gives up to `max` bytes of what is to be sent; 0 when that is nothing now. */
    ssize_t (*read)(struct watcher *w, char *out, size_t max);
    /* A tick has passed. Returns whether there is something to send. */
    bool (*tick)(struct watcher *w);
    /* The mesh has another version, or is gone. NULL for a kind that is told in another way. */
    void (*changed)(struct watcher *w);
    void (*beat)(struct watcher *w); /* Begins a heartbeat. */
    /* Ends the stream with an error, which may be cut off where something else is being sent. */
    void (*fail)(struct watcher *w, const struct sdd_error *err);
    void (*free)(struct watcher *w);
};

/* The struct of a kind of watcher has it as its first member. */
struct watcher {
    struct list all, of_mesh;
    struct watched *mesh; /* NULL when the request is over. */
    const struct watcher_ops *ops;
    struct request *request; /* NULL when it is over. */
    struct service *service;
    struct MHD_Response *response; /* NULL until the answer has begun. */
    uint64_t sent_at;              /* When something was sent last. */
    bool asked;                    /* A heartbeat asks a peer that has ended its side whether it is there. */
    bool gone;                     /* The peer has left, or must get no more. */
    bool last;                     /* The answer ends after what is being sent. */
};

/* watcher_create: makes a watcher of `bytes` for a request. Returns NULL when the request has an error for an answer.
 * From here on it is freed with its request and answer. */
void *watcher_create(struct request *r, size_t bytes, const struct watcher_ops *ops);
/* watcher_begin: begins the answer. Returns false when that became an error. */
bool watcher_begin(struct watcher *w);
/* watcher_sends: must be called when something new begins to be sent: the client now has to read. */
void watcher_sends(struct watcher *w);
/* watcher_wake: has the reader called soon, when it sleeps. */
void watcher_wake(struct watcher *w);
/* watched_find: the mesh if somebody watches it, or NULL. */
struct watched *watched_find(const struct watchers *all, const char *mesh);

#endif
