/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/relay.h"
#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct relay {
    int fd, port, to;
    int is_tls;
    atomic_int stop;
    pthread_t thread;
    gnutls_certificate_credentials_t credentials;
};

/* Everything here is a test's own, so a step that fails ends it. */
static void must(int ok)
{
    if (!ok)
        abort();
}

static void write_file(const char *path, const gnutls_datum_t *data)
{
    FILE *f = fopen(path, "wb");
    must(f && fwrite(data->data, 1, data->size, f) == data->size && fclose(f) == 0);
}

static void make_certificate(relay *r, const char *path)
{
    const unsigned char address[4] = {127, 0, 0, 1}, serial = 1;
    gnutls_datum_t pem;
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t crt;
    must(gnutls_x509_privkey_init(&key) == 0 && gnutls_x509_crt_init(&crt) == 0);
    must(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0) == 0);
    must(gnutls_x509_crt_set_version(crt, 3) == 0 && gnutls_x509_crt_set_serial(crt, &serial, 1) == 0);
    must(gnutls_x509_crt_set_dn(crt, "CN=relay", NULL) == 0 && gnutls_x509_crt_set_key(crt, key) == 0);
    must(gnutls_x509_crt_set_activation_time(crt, time(NULL) - 3600) == 0);
    must(gnutls_x509_crt_set_expiration_time(crt, time(NULL) + 3600) == 0);
    must(gnutls_x509_crt_set_basic_constraints(crt, 1, -1) == 0);
    must(gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, address, sizeof address, 0) == 0);
    must(gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0) == 0);
    must(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &pem) == 0);
    write_file(path, &pem);
    gnutls_free(pem.data);
    must(gnutls_certificate_allocate_credentials(&r->credentials) == 0);
    must(gnutls_certificate_set_x509_key(r->credentials, &crt, 1, key) == 0);
    gnutls_x509_crt_deinit(crt);
    gnutls_x509_privkey_deinit(key);
}

/* One side of a connection, which is plain where there is no session. */
struct side {
    int fd;
    gnutls_session_t session;
};

static ssize_t take(const struct side *s, void *bytes, size_t n)
{
    return s->session ? gnutls_record_recv(s->session, bytes, n) : recv(s->fd, bytes, n, 0);
}

static int give(const struct side *s, const char *bytes, ssize_t n)
{
    for (ssize_t put; n > 0; bytes += put, n -= put) {
        put =
            s->session ? gnutls_record_send(s->session, bytes, (size_t)n) : send(s->fd, bytes, (size_t)n, MSG_NOSIGNAL);
        if (put <= 0)
            return 0;
    }
    return 1;
}

static int readable(const struct side *s, const struct pollfd *p)
{
    return p->revents || (s->session && gnutls_record_check_pending(s->session) > 0);
}

static void pump(relay *r, const struct side sides[2])
{
    char bytes[16384];
    while (!r->stop) {
        struct pollfd p[2] = {{.fd = sides[0].fd, .events = POLLIN}, {.fd = sides[1].fd, .events = POLLIN}};
        poll(p, 2, sides[0].session && gnutls_record_check_pending(sides[0].session) ? 0 : 20);
        for (int i = 0; i < 2; i++) {
            ssize_t n = readable(&sides[i], &p[i]) ? take(&sides[i], bytes, sizeof bytes) : 0;
            if (n < 0 && sides[i].session && !gnutls_error_is_fatal((int)n))
                continue;
            if (n > 0 ? !give(&sides[!i], bytes, n) : readable(&sides[i], &p[i]))
                return;
        }
    }
}

static void pass_on(relay *r, int fd)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)r->to), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct side sides[2] = {{.fd = fd}, {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}};
    int ready = connect(sides[1].fd, (struct sockaddr *)&at, sizeof at) == 0;
    if (r->is_tls) {
        must(gnutls_init(&sides[0].session, GNUTLS_SERVER | GNUTLS_NO_SIGNAL) == 0 &&
             gnutls_set_default_priority(sides[0].session) == 0);
        must(gnutls_credentials_set(sides[0].session, GNUTLS_CRD_CERTIFICATE, r->credentials) == 0);
        gnutls_transport_set_int(sides[0].session, fd);
        gnutls_handshake_set_timeout(sides[0].session, 5000);
        ready = ready && gnutls_handshake(sides[0].session) == 0;
    }
    if (ready)
        pump(r, sides);
    if (sides[0].session)
        gnutls_deinit(sides[0].session);
    close(sides[0].fd);
    close(sides[1].fd);
}

static void *serve(void *arg)
{
    relay *r = arg;
    while (!r->stop) {
        struct pollfd p = {.fd = r->fd, .events = POLLIN};
        int fd = poll(&p, 1, 20) > 0 ? accept(r->fd, NULL, NULL) : -1;
        if (fd >= 0)
            pass_on(r, fd);
    }
    return NULL;
}

relay *relay_start(int port, const char *path, const char *certificate)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_un in = {.sun_family = AF_UNIX};
    socklen_t length = sizeof at;
    relay *r = calloc(1, sizeof *r);
    must(r != NULL);
    r->to = port;
    r->is_tls = !path;
    r->fd = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (path) {
        must(snprintf(in.sun_path, sizeof in.sun_path, "%s", path) < (int)sizeof in.sun_path);
        must(bind(r->fd, (struct sockaddr *)&in, sizeof in) == 0);
    } else {
        make_certificate(r, certificate);
        must(bind(r->fd, (struct sockaddr *)&at, sizeof at) == 0);
        must(getsockname(r->fd, (struct sockaddr *)&at, &length) == 0);
        r->port = ntohs(at.sin_port);
    }
    must(listen(r->fd, 8) == 0 && pthread_create(&r->thread, NULL, serve, r) == 0);
    return r;
}

int relay_port(const relay *r)
{
    return r->port;
}

void relay_stop(relay *r)
{
    r->stop = 1;
    pthread_join(r->thread, NULL);
    close(r->fd);
    if (r->credentials)
        gnutls_certificate_free_credentials(r->credentials);
    free(r);
}
