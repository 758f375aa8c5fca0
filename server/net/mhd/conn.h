/* SPDX-License-Identifier: Apache-2.0 */
/* conn.h: the door of mhd/, between libmicrohttpd and its sockets: the connections, their deadlines, their limits, and
 * the bytes that may pass to the HTTP library and from it (guard.h judges them). net/ makes connections and is asked
 * through conns_config what to answer; those who write bodies use conn_give and conn_enter. mhd/ uses no other room.
 *
 * libmicrohttpd reads sockets by recv(), a dynamic symbol. conn.c defines recv(): the bytes of a known connection pass
 * the guard first, everything else goes straight to the kernel. This sees what was really sent, which no callback
 * of the library shows, costs one more system call a request and needs no copy and no proxy. It sends by send() and
 * sendmsg(): conn_send.c defines those, so that bodies leave without a copy.
 *
 * Threads  loop thread only. Times are uv_hrtime nanoseconds. */
#ifndef SUBDD_CONN_H
#define SUBDD_CONN_H
#include "server/net/mhd/guard.h"
#include <stdint.h>
#include <sys/socket.h>

#define CONN_RESERVE 32 /* connections past the limit, kept so that health can be asked */
#define CONN_ADDRESS_SIZE 46
#define CONN_DRAIN_NS 2000000000ull /* how long refused input is read and dropped */

struct conn;
struct request;

enum conn_phase {
    CONN_IDLE,  /* no byte of a request yet             */
    CONN_HEAD,  /* part of a head                       */
    CONN_BODY,  /* a body is coming in                  */
    CONN_WORK,  /* the request is here, the answer not  */
    CONN_SEND,  /* the answer goes out                  */
    CONN_DRAIN, /* refused; what still comes is dropped */
};

struct conns_config {
    size_t max_head_bytes;
    int64_t max_connections, max_per_address, min_rate;
    double header_deadline, idle_timeout; /* seconds */
    void *user;
    /* Writes the problem document that answers a refused head into answer[size]; returns its length. */
    size_t (*refused)(void *user, struct conn *c, const struct sdd_error *err, char *answer, size_t size);
    void (*slow)(void *user, struct conn *c);       /* was closed for missing a deadline  */
    void (*work_check)(void *user, struct conn *c); /* a request is being worked on: is the client there? */
};

/* What libmicrohttpd was last given of a body: n bytes in its buffer `out`, which lie at `from`; left: not sent yet;
 * filled: so many of the buffer have been the answer's since it began. */
struct conn_body {
    const char *out, *from;
    size_t n, left, filled;
};

struct conn {
    struct conns *all;
    struct conn *next, *previous;
    int fd, phase, refusal; /* refusal: SDD_ETOO_MANY or SDD_EBUSY for every request but health */
    char address[CONN_ADDRESS_SIZE], arrived_at[CONN_ADDRESS_SIZE]; /* of the peer, and ours */
    uint64_t since;   /* of this phase                                      */
    uint64_t head_at; /* when the head was complete                         */
    double credit;    /* seconds until a transfer counts as stalled         */
    int64_t progress; /* bytes moved when the credit was last looked at     */
    int64_t received; /* body bytes of this message                         */
    bool used;        /* a request was answered on it                       */
    bool linger;      /* closed with unread input: drop it for a while      */
    struct guard_head head;
    struct guard_chunks chunks;
    int64_t head_left, body_left;
    int64_t drained;
    char *target; /* of the current request, NUL-terminated             */
    size_t target_capacity;
    struct request *request;
    struct conn_body body;
};

#define CONN_LINGERS 64
struct conns {
    struct conns_config config;
    struct conn *first; /* newest first */
    struct conn **by_fd;
    int n, n_fds;
    char *scratch;
    struct {
        int fd;
        uint64_t until;
    } lingers[CONN_LINGERS];
    int n_lingers;
    uint64_t ticked;
};

bool conns_init(struct conns *all, const struct conns_config *config);
void conns_fini(struct conns *all);
struct conn *conn_open(struct conns *all, int fd, const struct sockaddr *address); /* NULL: out of memory; close it */
void conn_close(struct conn *c);                                                   /* NULL is fine */
void conn_enter(struct conn *c, enum conn_phase phase);
void conn_done(struct conn *c);       /* the request is over; wakes the connection when the next one is already there */
bool conn_gone(const struct conn *c); /* the peer closed or reset it */
/* conn_refuse: answers with err's problem document and closes; what still comes in is dropped. */
void conn_refuse(struct conn *c, const struct sdd_error *err);
/* conn_give: for a content reader: `out` is libmicrohttpd's buffer with n bytes from `from`, or will be sent as if it
 * were: once all of what was given before has been seen to leave by send(), it stays as it is, and `from` must stay
 * until the next call or the end of the answer. from may be `out`.
 * Result  false: what was given before was sent by another way than that: the answer cannot go on */
bool conn_give(struct conn *c, char *out, const void *from, size_t n);
bool conn_is_sent(const struct conn *c); /* false: something that was left where it lies was not seen to leave */
struct conn *conn_watched(int fd);       /* on the loop thread; NULL: none of its connections */
uint64_t conn_now(void);
void conns_tick(struct conns *all, uint64_t now); /* every 250 ms: closes what missed its deadline */
void conns_close_idle(struct conns *all);         /* for draining */

#endif
