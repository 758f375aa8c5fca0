/* SPDX-License-Identifier: Apache-2.0 */
/* subd_sigpipe.c: keeps SIGPIPE from programs that use libsubd. TLS libraries write to sockets without MSG_NOSIGNAL, so
 * a peer that is gone would end the program. */
#include "subd_internal.h"
#include <errno.h>
#include <time.h>

static void only_sigpipe(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGPIPE);
}

static int is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
}

void subd_sigpipe_block(struct subd_sigpipe *s)
{
    sigset_t set;
    only_sigpipe(&set);
    pthread_sigmask(SIG_BLOCK, &set, &s->before);
    s->was_pending = is_pending();
}

void subd_sigpipe_restore(const struct subd_sigpipe *s)
{
    static const struct timespec at_once;
    const int error = errno;
    sigset_t set;
    only_sigpipe(&set);
    if (!s->was_pending && is_pending())
        while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &s->before, NULL);
    errno = error;
}
