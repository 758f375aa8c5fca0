/* SPDX-License-Identifier: Apache-2.0 */
/* Heads that arrive while the receive path looks at them (server/net/mhd/conn.c): it peeks at the bytes, and then asks
 * poll() for the end. poll() is replaced here, so that what arrives in between can be chosen. */
#include "server/net/mhd/conn.h"
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

static const char HEAD[] = "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
static int peer, ours;
static const char *rest; /* What the peer sends before the next poll(), with its end; NULL sends nothing. */

int poll(struct pollfd *fds, nfds_t n, int ms)
{
    const struct timespec none = {0};
    if (rest) {
        assert_int_equal(write(peer, rest, strlen(rest)), strlen(rest));
        shutdown(peer, SHUT_WR);
        rest = NULL;
    }
    (void)ms;
    return (int)syscall(SYS_ppoll, fds, n, &none, NULL, 0);
}

static size_t refused(void *user, struct conn *c, const struct sdd_error *err, char *answer, size_t size)
{
    (void)user, (void)c, (void)err, (void)answer, (void)size;
    return 0;
}

/* Receives once when `first` has come and `then` arrives, with the end, behind the peek. */
static ssize_t receive(const char *first, const char *then, char got[256])
{
    const struct conns_config config = {.max_head_bytes = 1024, .max_connections = 4, .refused = refused};
    struct conns all;
    int fd[2];
    assert_true(conns_init(&all, &config));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
    ours = fd[0];
    peer = fd[1];
    assert_non_null(conn_open(&all, ours, NULL));
    assert_int_equal(write(peer, first, strlen(first)), strlen(first));
    rest = then;
    errno = 0;
    const ssize_t n = recv(ours, got, 256, 0);
    const int code = errno;
    conns_fini(&all);
    close(ours);
    close(peer);
    errno = code;
    return n;
}

static void test_rest_and_end_at_once(void **state)
{
    char got[256], first[sizeof HEAD];
    (void)state;
    for (size_t cut = 1; cut < sizeof HEAD - 1; cut++) {
        memcpy(first, HEAD, cut);
        first[cut] = 0;
        assert_int_equal(receive(first, HEAD + cut, got), sizeof HEAD - 1);
        assert_memory_equal(got, HEAD, sizeof HEAD - 1);
    }
}

static void test_end_without_the_rest(void **state)
{
    char got[256];
    (void)state;
    assert_int_equal(receive("GET /v1 HT", "TP/1.1\r\n", got), 0);
    assert_int_equal(receive("GET /v1 HT", "", got), 0);
}

static void test_more_may_come(void **state)
{
    char got[256];
    (void)state;
    assert_int_equal(receive("GET /v1 HT", NULL, got), -1);
    assert_int_equal(errno, EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest_and_end_at_once),
                                       cmocka_unit_test(test_end_without_the_rest),
                                       cmocka_unit_test(test_more_may_come)};
    return cmocka_run_group_tests_name("net/conn_head", tests, NULL, NULL);
}
