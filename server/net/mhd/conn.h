/* SPDX-License-Identifier: Apache-2.0 */
/* conn.h: the door of mhd/, which stands between libmicrohttpd and its sockets. It keeps the connections, their
 * deadlines and limits, and the bytes that pass to the library and from it (guard.h decides about requests). net/ opens
 * connections and answers what conns_config asks; rooms that write bodies use conn_give and conn_enter. mhd/ uses
 * gpu/sdd/ for its errors, and no other room.
 *
 * libmicrohttpd reads sockets by recv(), which is a dynamic symbol, and conn.c defines recv(): the bytes of a known
 * connection pass the guard first, and everything else goes straight to the kernel. In this way the guard sees what was
 * really sent, which no callback of the library shows. It costs one more system call per request and needs no copy and
 * no proxy. The library sends by send() and sendmsg(), and conn_send.c defines these, so that bodies leave without a
 * copy.
 *
 * Threads  the loop's
 * Units    times are nanoseconds of uv_hrtime */
#ifndef SUBDD_CONN_H
#define SUBDD_CONN_H
#include "server/net/mhd/guard.h"
#include <stdint.h>
#include <sys/socket.h>

#define CONN_RESERVE 32 /* How many connections past the limit are accepted, so that health can be asked. */
#define CONN_ADDRESS_SIZE 46
#define CONN_DRAIN_NS 2000000000ull /* How long refused input is read and dropped. */
/* The bytes of bodies that all connections together give in one turn of the loop, which takes about a millisecond. */
#define CONNS_TURN_BYTES (3 << 20)
#define CONNS_TURN_NS 3000000ull

/* The bytes that the kernel takes of an answer before it can send them, where conn_hold_little has been called. */
#define CONN_UNSENT_BYTES (64 << 10)

struct conn;
struct request;

enum conn_phase {
    CONN_IDLE,  /* No byte of a request has come yet. */
    CONN_HEAD,  /* A part of a head has come. */
    CONN_BODY,  /* The head is complete and the body is coming in. */
    CONN_WORK,  /* The request is complete and has no answer yet. */
    CONN_SEND,  /* The answer is being sent. */
    CONN_DRAIN, /* The request was refused; what still comes in is dropped. */
};

struct conns_config {
    size_t max_head_bytes;
    int64_t max_connections, max_per_address, min_rate;
    double header_deadline, idle_timeout; /* Seconds. */
    void *user;                           /* Passed to the functions below. */
    /* Writes the whole answer to a refused request, with its problem document, into answer[size]. Returns its length.
     * */
    size_t (*refused)(void *user, struct conn *c, const struct sdd_error *err, char *answer, size_t size);
    /* The connection is being closed because it missed a deadline. */
    void (*slow)(void *user, struct conn *c);
    /* A connection that is `tied` is about to be freed. */
    void (*closed)(void *user, const struct conn *c);
    /* Called four times a second while a request is worked on, to see whether its client is still there. */
    void (*work_check)(void *user, struct conn *c);
};

/* The part of a body that conn_give gave last. */
struct conn_body {
    const char *out;  /* The buffer of libmicrohttpd that stands for it. */
    const char *from; /* Where the bytes really lie. */
    size_t n;         /* How many bytes it has. */
    size_t left;      /* How many of them were not sent yet. */
    size_t filled;    /* How much of the buffer has held bytes of this answer since it began. */
};

struct conn {
    struct conns *all;
    struct conn *next, *previous;
    int fd;
    int phase;   /* An enum conn_phase. */
    int refusal; /* SDD_ETOO_MANY or SDD_EBUSY for every request but health; 0 when they are served. */
    char address[CONN_ADDRESS_SIZE];    /* The peer's address. */
    char arrived_at[CONN_ADDRESS_SIZE]; /* Our own address. */
    uint64_t since;                     /* When this phase began. */
    uint64_t head_at;                   /* When the head was complete. */
    double credit;                      /* After how many seconds without bytes the transfer counts as stalled. */
    int64_t progress;                   /* The bytes moved when the credit was last computed, or -1. */
    int64_t received;                   /* The body bytes of this message. */
    bool used;                          /* A request was answered on it. */
    bool tied;                          /* Something ends with it, so conns_config.closed has to be told. */
    bool linger;                        /* It is closed with unread input, which must be read for a while. */
    uint64_t gave;                      /* The round in which it gave a block last. */
    bool asked;                         /* The peer was asked whether it is still there (conn_gone). */
    struct guard_head head;
    struct guard_chunks chunks;
    int64_t head_left, body_left; /* The bytes of this message that libmicrohttpd has not got yet. */
    int64_t drained;              /* The bytes dropped after a refusal. */
    char *target;                 /* The target of the current request, with a NUL behind it. */
    size_t target_capacity;
    struct request *request;
    struct conn_body body;
};

/* A turn of the loop. Turns make up rounds, in each of which every connection that can send gives one block. */
struct conns_turn {
    uint64_t began, round;
    int64_t given; /* Bytes. */
    bool waiting;  /* The turn is used up, and a connection has not given in this round yet. */
};

#define CONN_LINGERS 64
struct conns {
    struct conns_config config;
    struct conn *first;  /* The newest one; the others follow by age. */
    struct conn **by_fd; /* [n_fds] */
    int n, n_fds;
    char *scratch; /* A buffer for a head. */
    /* Sockets of closed connections whose input is still read and dropped. */
    struct {
        int fd;
        uint64_t until;
    } lingers[CONN_LINGERS];
    int n_lingers;
    uint64_t ticked; /* When conns_tick was last called. */
    struct conns_turn turn;
};

bool conns_init(struct conns *all, const struct conns_config *config);
void conns_fini(struct conns *all);
/* conn_open: a connection for an accepted socket. Returns NULL when memory is out, and then the caller closes the
 * socket. */
struct conn *conn_open(struct conns *all, int fd, const struct sockaddr *address);
/* conn_close: frees the connection; libmicrohttpd then closes the socket. NULL is fine. */
void conn_close(struct conn *c);
void conn_enter(struct conn *c, enum conn_phase phase);
/* conn_done: the request is over. It wakes the connection when the next request has already come in. */
void conn_done(struct conn *c);
/* conn_gone: true when the peer of a request that is worked on has left. A peer that has only ended its own side still
 * waits for its answer, and TCP tells both in the same way; so a peer that has ended it is sent "100 Continue" once,
 * which every client of HTTP/1.1 skips, and which one that has left answers with a reset. HTTP/1.0 has no such thing,
 * and there the end of a side means that the client has left. */
bool conn_gone(struct conn *c);
/* conn_ended: true when the peer has ended its own side, and asks nothing. *gone says whether it is known to have left.
 */
bool conn_ended(const struct conn *c, bool *gone);
/* conn_refuse: answers with err's problem document and closes the connection for sending; what still comes in is
 * dropped. */
void conn_refuse(struct conn *c, const struct sdd_error *err);
/* conn_give: hands n bytes of a body to libmicrohttpd; for its content readers. `out` is the library's buffer, and
 * `from` may be the same. The first bytes of an answer are copied into the buffer. Later ones are sent from where they
 * lie, once all earlier ones were seen to leave by send(); so `from` must stay until the next call or the end of the
 * answer.
 * Result  n; 0 when it is the turn of others, and libmicrohttpd asks again; or -1 when bytes of an earlier call were
 *         sent in some other way, so that the answer cannot go on */
ssize_t conn_give(struct conn *c, char *out, const void *from, size_t n);
/* conn_is_sent: false when bytes that were to be sent from where they lie were not seen to leave. */
bool conn_is_sent(const struct conn *c);
/* conn_hold_little: has the kernel take no more bytes of a peer that does not read than it needs to keep sending to one
 * that does. Else they are up to 4 MiB, which a thousand such peers take from all others, in memory and in copying. */
void conn_hold_little(struct conn *c);
/* conn_watched: the connection of a socket, or NULL when it is none of this thread's. */
struct conn *conn_watched(int fd);
uint64_t conn_now(void);
/* conns_begin_turn: begins a turn of the loop, with a new budget of bytes and time. */
void conns_begin_turn(struct conns *all);
/* conns_tick: closes connections that missed their deadlines; the loop calls it every 250 ms. */
void conns_tick(struct conns *all, uint64_t now);
/* conns_close_idle: closes the connections without a request, when the daemon drains. */
void conns_close_idle(struct conns *all);

#endif
