/* SPDX-License-Identifier: Apache-2.0 */
/* The ways from libsubd to a daemon besides plain TCP: a Unix socket and TLS; and each cause of a failure on the way
 * has a sentence of its own. */
#include "client/lib/subd.h"
#include "tests/http/canned.h"
#include "tests/http/daemon.h"
#include "tests/http/relay.h"
#include "tests/http/spawn.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct daemon served;
static char certificate[96], socket_path[96];

static int start(void **state)
{
    (void)state;
    daemon_start(&served, NULL);
    snprintf(certificate, sizeof certificate, "%s/relay.pem", served.dir);
    snprintf(socket_path, sizeof socket_path, "%s/s o c k", served.dir);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&served);
    return 0;
}

/* Sends something and gets something large back. */
static int exchange(const struct subd_config *config, struct subd_error *err)
{
    static const struct subd_refine r = SUBD_INIT(subd_refine, .level = 6);
    const struct subd_body body = {"model/obj", CUBE, strlen(CUBE)};
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    subd_client *c;
    int rc = subd_open(config, &c, err);
    if (rc != SUBD_OK)
        return rc;
    rc = subd_push(c, &body, NULL, &info, err);
    if (rc == SUBD_OK)
        rc = subd_refine(c, info.id, &r, &frame, err);
    if (rc == SUBD_OK)
        assert_int_equal(frame.vertices, 24578);
    subd_frame_free(&frame);
    subd_close(c);
    return rc;
}

static void fails(const struct subd_config *config, int code, const char *sentence)
{
    struct subd_error err = {0};
    int rc = exchange(config, &err);
    if (rc != code || !strstr(err.text, sentence))
        fail_msg("%s and not %s with \"%s\": %s", subd_code_name(rc), subd_code_name(code), sentence, err.text);
}

/* What the command line makes of the same server. */
static int health(const char *server, const char *ca_file)
{
    const char *const arguments[] = {"health", "--server", server, ca_file ? "--ca-file" : NULL, ca_file, NULL};
    struct ran r = spawn_subd(served.dir, arguments, NULL);
    int code = r.code;
    ran_free(&r);
    return code;
}

static void test_unix_socket(void **state)
{
    char server[128], far[160] = "unix:/";
    struct subd_config config = SUBD_INIT(subd_config, .server = server);
    struct subd_error err = {0};
    relay *r;
    (void)state;
    snprintf(server, sizeof server, "unix:%s", socket_path);
    fails(&config, SUBD_ENETWORK, "cannot reach a subdd at unix:/");
    r = relay_start(served.port, socket_path, NULL);
    if (exchange(&config, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(health(server, NULL), 0);
    relay_stop(r);
    config.server = "unix:relative";
    fails(&config, SUBD_EUSAGE, "a path from /");
    memset(far + 6, 'x', sizeof far - 7);
    config.server = far;
    fails(&config, SUBD_EUSAGE, "at most 107 bytes");
}

static void test_tls(void **state)
{
    relay *r = relay_start(served.port, NULL, certificate);
    char https[64], http[64], nowhere[128], plain[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = https, .ca_file = certificate);
    struct subd_error err = {0};
    (void)state;
    snprintf(https, sizeof https, "https://127.0.0.1:%d", relay_port(r));
    snprintf(http, sizeof http, "http://127.0.0.1:%d", relay_port(r));
    snprintf(plain, sizeof plain, "https://127.0.0.1:%d", served.port);
    snprintf(nowhere, sizeof nowhere, "%s/nowhere.pem", served.dir);
    if (exchange(&config, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(health(https, certificate), 0);
    assert_int_equal(health(https, NULL), 3);
    config.ca_file = NULL; /* nobody whom the system trusts has signed it */
    fails(&config, SUBD_ENETWORK, "is not trusted: ca_file names");
    config.ca_file = nowhere;
    fails(&config, SUBD_EUSAGE, "the ca_file for https://127.0.0.1");
    config.ca_file = certificate;
    config.server = plain;
    fails(&config, SUBD_ENETWORK, "there is no TLS connection");
    config.server = http;
    fails(&config, SUBD_EUSAGE, "a ca_file needs a server that starts with https://");
    relay_stop(r);
}

/* The other side of TLS goes away between two requests and before the end: that is an error, and no signal
 * (unit/client/test_sigpipe) ends the program. */
static void test_tls_breaks(void **state)
{
    char https[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = https, .ca_file = certificate);
    struct subd_error err = {0};
    (void)state;
    for (int i = 0; i < 10; i++) {
        relay *r = relay_start(served.port, NULL, certificate);
        subd_client *c;
        snprintf(https, sizeof https, "https://127.0.0.1:%d", relay_port(r));
        assert_int_equal(subd_open(&config, &c, &err), SUBD_OK);
        assert_int_equal(subd_health(c, 0, &err), SUBD_OK);
        relay_stop(r);
        if (i % 2)
            assert_int_equal(subd_health(c, 0, &err), SUBD_ENETWORK);
        subd_close(c);
    }
}

/* A port where connections are not taken any more: its queue is full. */
static int fill(int fds[8], char url[64])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    for (int i = 0; i < 8; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)!connect(fds[i], (struct sockaddr *)&at, sizeof at);
    }
    snprintf(url, 64, "http://127.0.0.1:%d", ntohs(at.sin_port));
    return fd;
}

static void test_nobody_takes_the_connection(void **state)
{
    char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url, .connect_timeout_ms = 300);
    int fds[8], fd = fill(fds, url);
    (void)state;
    fails(&config, SUBD_ETIMEOUT, "within the 300 ms of connect_timeout_ms");
    for (int i = 0; i < 8; i++)
        close(fds[i]);
    close(fd);
}

static int stop_it(void *arg, enum subd_phase phase, int64_t done, int64_t total)
{
    (void)arg;
    (void)phase;
    (void)done;
    (void)total;
    return 1;
}

static void test_each_cause_has_its_sentence(void **state)
{
    static const char short_body[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: application/protobuf\r\n\r\nshort";
    static const char large_body[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\nContent-Type: application/protobuf\r\n\r\n";
    static char large[sizeof large_body + 17000000];
    const struct {
        struct canned answer;
        struct subd_config config;
        int code;
        const char *sentence;
    } causes[] = {
        {{.bytes = NULL}, SUBD_INIT(subd_config), SUBD_ENETWORK, "closed the connection without an answer"},
        {{.bytes = "SSH-2.0-OpenSSH_9.2\r\n"}, SUBD_INIT(subd_config), SUBD_EPROTOCOL, "does not speak HTTP"},
        {{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde"},
         SUBD_INIT(subd_config),
         SUBD_EPROTOCOL,
         "is no sound HTTP"},
        {{.bytes = short_body}, SUBD_INIT(subd_config), SUBD_ENETWORK, "broke off in the middle of its answer"},
        {{.bytes = large, .n = sizeof large},
         SUBD_INIT(subd_config),
         SUBD_EPROTOCOL,
         "more than the 16777216 bytes that this client takes"},
        {{.bytes = short_body, .delay_ms = 3000},
         SUBD_INIT(subd_config, .request_timeout_ms = 200),
         SUBD_ETIMEOUT,
         "within the 200 ms of request_timeout_ms"},
        {{.bytes = short_body, .delay_ms = 20000},
         SUBD_INIT(subd_config, .stall_timeout_ms = 1000),
         SUBD_ETIMEOUT,
         "for the 1000 ms of stall_timeout_ms"},
        {{.bytes = short_body},
         SUBD_INIT(subd_config, .progress = stop_it),
         SUBD_ECANCELLED,
         "the progress callback cancelled"},
    };
    (void)state;
    memcpy(large, large_body, sizeof large_body - 1);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        canned_server *s = canned_start(&causes[i].answer, 1);
        struct subd_config config = causes[i].config;
        config.server = canned_url(s);
        fails(&config, causes[i].code, causes[i].sentence);
        free(canned_stop(s));
    }
}

static void test_names_and_urls(void **state)
{
    char url[96] = "http://";
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    (void)state;
    memset(url + 7, 'x', 70); /* no part of a name is that long, so nobody has to be asked */
    fails(&config, SUBD_ENETWORK, "no address is known for the host of http://xxx");
    config.server = "http://127.0.0.1:99999";
    fails(&config, SUBD_EUSAGE, "is no URL");
}

static void test_cancelled(void **state)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = "http://127.0.0.1:1");
    struct subd_error err;
    subd_client *c;
    (void)state;
    assert_int_equal(subd_open(&config, &c, &err), SUBD_OK);
    subd_cancel(c);
    assert_int_equal(subd_health(c, 0, &err), SUBD_ECANCELLED);
    assert_string_equal(err.text, "cancelled by subd_cancel");
    subd_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unix_socket),
        cmocka_unit_test(test_tls),
        cmocka_unit_test(test_tls_breaks),
        cmocka_unit_test(test_nobody_takes_the_connection),
        cmocka_unit_test(test_each_cause_has_its_sentence),
        cmocka_unit_test(test_names_and_urls),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
