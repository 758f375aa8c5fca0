/* SPDX-License-Identifier: Apache-2.0 */
/* subd_loop.h: calls that do not wait, in two forms: one for programs that poll, and one for event loops that call back
 * (libuv, GLib, Qt). Part of libsubd; subd.h includes it and says what holds for every call.
 *
 * In both forms a call returns SUBD_PENDING once it has started, or an error at once. A client has one call at a time;
 * programs that want more open more clients. The call's arguments, *out and *err stay in use until it has ended. */
#ifndef SUBD_LOOP_H
#define SUBD_LOOP_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* ---- for programs that poll --------------------------------------------------------------------------------------
 *
 *   subd_nonblocking(c, 1);
 *   rc = subd_refine(...);
 *   while (rc == SUBD_PENDING) {
 *       n = subd_poll_set(c, fds, &timeout_ms);      -- poll(fds, n, timeout_ms), together with other descriptors
 *       rc = subd_step(c);                           -- never blocks; cheap when nothing is ready
 *   } */
#define SUBD_MAX_FDS 8
struct pollfd;
SUBD_API void subd_nonblocking(subd_client *c, int on);
/* subd_poll_set: fills fds[SUBD_MAX_FDS] and returns how many to poll; the set may change with every subd_step.
 * *timeout_ms is never negative, and subd_step is due when it has passed. */
SUBD_API int subd_poll_set(const subd_client *c, struct pollfd *fds, int *timeout_ms);
/* subd_step: does what can be done without waiting. It returns SUBD_PENDING, or the result of the call.
 * Errors  SUBD_EUSAGE when no call is under way, or the client reports to a struct subd_loop */
SUBD_API int subd_step(subd_client *c) SUBD_MUST_CHECK;

/* ---- for event loops that call back ------------------------------------------------------------------------------
 * The library says what it waits for by `watch` and `timer`, the program answers by subd_socket_ready and subd_timeout
 * when that happens, and `done` tells the result of the call. All of this is on the thread of the client. */
enum subd_event { SUBD_READABLE = 1, SUBD_WRITABLE = 2, SUBD_BROKEN = 4 };
struct subd_loop {
    size_t size;
    /* Watch `fd` for these bits of SUBD_READABLE and SUBD_WRITABLE from now on; 0 ends the watch, before the descriptor
     * is closed. *state is NULL at first and the program's: it stays with the descriptor until the watch ends. */
    void (*watch)(void *arg, int fd, unsigned events, void **state);
    /* Call subd_timeout once when this time has passed. It replaces the time before; -1 ends it. */
    void (*timer)(void *arg, int timeout_ms);
    /* The call has ended with this result. It comes once for each call that returned SUBD_PENDING, when no watch and no
     * timer of the call is left. It may start the next call, or close the client; watch and timer may do neither. */
    void (*done)(void *arg, int code);
    void *arg;
};
/* subd_attach: from now on the calls of the client report to *loop, which is copied. NULL makes them wait again, or
 * be polled if subd_nonblocking says so.
 * Errors  SUBD_EUSAGE (size, a callback is NULL), or a call is under way */
SUBD_API int subd_attach(subd_client *c, const struct subd_loop *loop, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_socket_ready: a watched descriptor has these events of enum subd_event. One that is watched no more does no
 * harm, so that loops may deliver late.
 * Errors  SUBD_EUSAGE when the client reports to no loop. After SUBD_OK the client may be gone, if `done` closed it */
SUBD_API int subd_socket_ready(subd_client *c, int fd, unsigned events);
/* subd_timeout: the time that `timer` told has passed. Errors as subd_socket_ready. */
SUBD_API int subd_timeout(subd_client *c);

#ifdef __cplusplus
}
#endif
#endif
