/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that leave from where they lie (server/net/mhd/conn_send.c): what a socket gets, whatever pieces it goes in;
 * that a library which sends by another way gets true copies, or is stopped; and whose turn it is to give. */
#include "server/net/mhd/conn.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define BLOCK 1000

struct pair {
    struct conns all;
    struct conn *c;
    int peer;
    char out[BLOCK], source[4][BLOCK];
};

static void open_pair(struct pair *p)
{
    const struct conns_config config = {.max_head_bytes = 1024, .max_connections = 4};
    int fd[2];
    assert_true(conns_init(&p->all, &config));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    p->c = conn_open(&p->all, fd[0], NULL);
    p->peer = fd[1];
    assert_non_null(p->c);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < BLOCK; i++)
            p->source[k][i] = (char)(i * 7 + k * 31 + i / 251);
    memset(p->out, 0x55, BLOCK);
}

static void close_pair(struct pair *p)
{
    const int fd = p->c->fd;
    conns_fini(&p->all);
    close(fd);
    close(p->peer);
}

/* In a turn of its own. */
static ssize_t give(struct pair *p, const void *from, size_t n)
{
    conns_begin_turn(&p->all);
    return conn_give(p->c, p->out, from, n);
}

static void expect(const struct pair *p, const char *want, size_t n)
{
    char got[2 * BLOCK];
    size_t have = 0;
    while (have < n) {
        const ssize_t some = recvfrom(p->peer, got + have, n - have, 0, NULL, NULL);
        assert_true(some > 0);
        have += (size_t)some;
    }
    assert_memory_equal(got, want, n);
}

/* [first, end) of the buffer, as the library sends. */
static void send_part(struct pair *p, size_t first, size_t end)
{
    assert_int_equal(send(p->c->fd, p->out + first, end - first, MSG_NOSIGNAL), end - first);
}

static void send_all(struct pair *p, int k)
{
    send_part(p, 0, BLOCK);
    expect(p, p->source[k], BLOCK);
}

static void test_from_where_it_lies(void **state)
{
    struct pair p;
    (void)state;
    open_pair(&p);
    assert_int_equal(give(&p, p.source[0], BLOCK), BLOCK);
    assert_memory_equal(p.out, p.source[0], BLOCK); /* nothing has been seen to leave yet */
    send_all(&p, 0);
    assert_int_equal(give(&p, p.source[1], BLOCK), BLOCK);
    assert_memory_equal(p.out, p.source[0], BLOCK); /* it was left alone */
    const size_t cuts[] = {0, 1, 400, 401, 999, BLOCK};
    for (int i = 0; i < 5; i++)
        send_part(&p, cuts[i], cuts[i + 1]);
    expect(&p, p.source[1], BLOCK);
    memcpy(p.out, p.source[2], BLOCK); /* who fills the buffer says so */
    assert_int_equal(give(&p, p.out, BLOCK), BLOCK);
    send_all(&p, 2);
    assert_int_equal(give(&p, p.source[3], 10), 10); /* fewer: the rest of the buffer is what it was */
    send_part(&p, 0, 10);
    send_part(&p, 10, 30);
    expect(&p, p.source[3], 10);
    expect(&p, p.source[2] + 10, 20);
    close_pair(&p);
}

/* Only as many bytes as the buffer has had of this answer are left where they lie. */
static void test_growing(void **state)
{
    struct pair p;
    (void)state;
    open_pair(&p);
    assert_int_equal(give(&p, p.source[0], 10), 10);
    send_part(&p, 0, 10);
    expect(&p, p.source[0], 10);
    assert_int_equal(give(&p, p.source[1], BLOCK), BLOCK);
    assert_memory_equal(p.out, p.source[1], BLOCK);
    send_all(&p, 1);
    assert_int_equal(give(&p, p.source[2], 10), 10);
    assert_memory_equal(p.out, p.source[1], BLOCK);
    send_part(&p, 0, 10);
    expect(&p, p.source[2], 10);
    assert_int_equal(give(&p, p.source[3], BLOCK), BLOCK);
    assert_memory_equal(p.out, p.source[1], BLOCK);
    send_all(&p, 3);
    close_pair(&p);
}

static void test_messages(void **state)
{
    char head[] = "head", want[BLOCK + 4];
    struct pair p;
    (void)state;
    open_pair(&p);
    assert_int_equal(give(&p, p.source[0], BLOCK), BLOCK);
    for (int k = 0; k < 3; k++) { /* a head and a body; the second time from where it lies, and no head */
        struct iovec parts[2] = {{head, 4}, {p.out, BLOCK}};
        const struct msghdr message = {.msg_iov = parts + (k == 1), .msg_iovlen = k == 1 ? 1 : 2};
        const size_t n = k == 1 ? 0 : 4;
        memcpy(want, head, 4);
        memcpy(want + n, p.source[k], BLOCK);
        assert_int_equal(sendmsg(p.c->fd, &message, MSG_NOSIGNAL), BLOCK + n);
        expect(&p, want, BLOCK + n);
        assert_int_equal(p.c->body.left, 0);
        assert_int_equal(give(&p, p.source[k + 1], BLOCK), BLOCK);
        assert_ptr_equal(p.c->body.from, p.source[k + 1]);
    }
    struct iovec last[2] = {{p.out, BLOCK / 2}, {head, 4}}; /* what follows is not of the body */
    const struct msghdr message = {.msg_iov = last, .msg_iovlen = 2};
    assert_int_equal(sendmsg(p.c->fd, &message, MSG_NOSIGNAL), BLOCK / 2 + 4);
    assert_int_equal(p.c->body.left, BLOCK / 2);
    close_pair(&p);
}

static void test_another_way(void **state)
{
    struct pair p;
    (void)state;
    open_pair(&p);
    for (int k = 0; k < 3; k++) { /* a library that writes: always a copy */
        assert_int_equal(give(&p, p.source[k], BLOCK), BLOCK);
        assert_int_equal(write(p.c->fd, p.out, BLOCK), BLOCK);
        expect(&p, p.source[k], BLOCK);
    }
    assert_int_equal(give(&p, p.source[0], BLOCK), BLOCK);
    send_all(&p, 0);
    assert_int_equal(give(&p, p.source[1], BLOCK), BLOCK);
    send_part(&p, 0, 999); /* and then writes, or drops, a byte */
    assert_false(conn_is_sent(p.c));
    assert_int_equal(give(&p, p.source[2], BLOCK), -1);
    conn_done(p.c); /* the next answer begins anew */
    assert_int_equal(give(&p, p.source[2], BLOCK), BLOCK);
    assert_memory_equal(p.out, p.source[2], BLOCK);
    close_pair(&p);
}

static struct conn *open_another(struct pair *p, int *peer)
{
    int fd[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    *peer = fd[1];
    struct conn *c = conn_open(&p->all, fd[0], NULL);
    assert_non_null(c);
    return c;
}

/* Of many connections that are asked in the same order turn after turn, each gives once in a round. */
static void test_turns(void **state)
{
    enum { GIVERS = 10, A_TURN = 4, ROUNDS = 3 };
    const size_t block = CONNS_TURN_BYTES / A_TURN;
    char *out = calloc(1, block);
    int peers[GIVERS], gave[GIVERS] = {0};
    struct conn *givers[GIVERS];
    struct pair p;
    (void)state;
    open_pair(&p);
    p.all.config.max_connections = GIVERS + 1;
    for (int i = 0; i < GIVERS; i++)
        givers[i] = open_another(&p, peers + i);
    for (int turn = 0; turn < ROUNDS * 3; turn++) { /* 4, 4 and 2 of them */
        int n = 0;
        conns_begin_turn(&p.all);
        for (int i = 0; i < GIVERS; i++) {
            conn_done(givers[i]);
            const ssize_t given = conn_give(givers[i], out, out, block);
            assert_true(given == 0 || given == (ssize_t)block);
            gave[i] += given > 0;
            n += given > 0;
        }
        assert_int_equal(n, turn % 3 < 2 ? A_TURN : GIVERS - 2 * A_TURN);
    }
    for (int i = 0; i < GIVERS; i++)
        assert_int_equal(gave[i], ROUNDS);
    conns_begin_turn(&p.all);
    p.all.turn.began -= CONNS_TURN_NS + 1; /* Its time is over before its bytes are. */
    assert_int_equal(conn_give(p.c, p.out, p.source[0], 10), 0);
    conns_begin_turn(&p.all);
    assert_int_equal(conn_give(p.c, p.out, p.source[0], 10), 10);
    for (int i = 0; i < GIVERS; i++) {
        close(givers[i]->fd);
        close(peers[i]);
    }
    close_pair(&p);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_from_where_it_lies), cmocka_unit_test(test_growing),
                                       cmocka_unit_test(test_turns), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_another_way)};
    return cmocka_run_group_tests_name("net/conn_send", tests, NULL, NULL);
}
