/* SPDX-License-Identifier: Apache-2.0 */
/* subd_client.c: makes, configures, cancels and frees a client, for users of libsubd. */
#include "subd_internal.h"
#include "version.h"
#include <stdlib.h>
#include <string.h>

#define TEXT(number) #number
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
#define MAX_SOCKET_PATH 107 /* What the address of a Unix socket holds. */

_Static_assert(__builtin_strcmp(DOTTED(SUBD_VERSION_MAJOR, SUBD_VERSION_MINOR, SUBD_VERSION_PATCH), SUBDD_VERSION) == 0,
               "subd.h has the version of the file VERSION");

const char *subd_version(void)
{
    return SUBDD_VERSION;
}

const char *subd_option_name(enum subd_option option)
{
    static const char *const names[SUBD_N_OPTIONS] = {
        "scheme",        "interpolate_boundary", "face_varying_linear_interpolation", "triangle_subdivision_rule",
        "crease_method", "orientation",
    };
    return option >= 0 && option < SUBD_N_OPTIONS ? names[option] : NULL;
}

static void set_defaults(struct subd_config *c)
{
    if (!c->connect_timeout_ms)
        c->connect_timeout_ms = 5000;
    if (!c->stall_timeout_ms)
        c->stall_timeout_ms = 150000;
    if (!c->max_frame_bytes)
        c->max_frame_bytes = (int64_t)16 << 30;
    if (!c->max_answer_bytes)
        c->max_answer_bytes = (int64_t)1 << 30;
}

static int check_text(const char *what, const char *s, struct subd_error *err)
{
    for (const char *p = s; p && *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127)
            return subd_fail(err, SUBD_EUSAGE, "the %s holds a space or a control character", what);
    return SUBD_OK;
}

static int check_server(const char *server, const char *ca_file, struct subd_error *err)
{
    int rc, is_socket = strncmp(server, "unix:", 5) == 0, is_tls = strncmp(server, "https://", 8) == 0;
    if (!is_socket && (rc = check_text("server's URL", server, err)) != SUBD_OK)
        return rc;
    if (is_socket && (server[5] != '/' || strlen(server + 5) > MAX_SOCKET_PATH))
        return subd_fail(err, SUBD_EUSAGE, "unix: is followed by a path from / on, of at most %d bytes",
                         MAX_SOCKET_PATH);
    if (!is_socket && !is_tls && strncmp(server, "http://", 7) != 0)
        return subd_fail(err, SUBD_EUSAGE, "the server's URL must start with http://, https:// or unix:/");
    if (ca_file && !is_tls)
        return subd_fail(err, SUBD_EUSAGE, "a ca_file needs a server that starts with https://, not %.160s", server);
    return SUBD_OK;
}

static int copy_config(subd_client *c, struct subd_error *err)
{
    const char *server = c->config.server ? c->config.server : "http://127.0.0.1:7373", *ca_file = c->config.ca_file;
    struct subd_text bearer = {0};
    size_t n = strlen(server);
    int rc;
    if ((rc = check_server(server, ca_file, err)) || (rc = check_text("token", c->config.token, err)))
        return rc;
    while (n && server[n - 1] == '/')
        n--;
    c->server = strndup(server, n);
    if (c->server && strncmp(server, "unix:", 5) == 0)
        c->socket = c->server + 5;
    if (ca_file)
        c->ca_file = strdup(ca_file);
    if (c->config.token) {
        subd_text_add(&bearer, "Bearer %s", c->config.token);
        c->bearer = bearer.data;
    }
    if (!c->server || (ca_file && !c->ca_file) || bearer.failed)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a client");
    c->config.server = c->server;
    c->config.token = NULL;
    c->config.ca_file = c->ca_file;
    return SUBD_OK;
}

int subd_open(const struct subd_config *config, subd_client **out, struct subd_error *err)
{
    struct subd_config own;
    subd_client *c;
    int rc = SUBD_NEED(err, out);
    if (rc != SUBD_OK)
        return rc;
    *out = NULL;
    if ((rc = SUBD_TAKE(&own, config, subd_config, err)) != SUBD_OK)
        return rc;
    if (!(c = calloc(1, sizeof *c)))
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a client");
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(c);
        return subd_fail(err, SUBD_ENO_MEMORY, "libcurl does not start");
    }
    c->config = own;
    set_defaults(&c->config);
    if ((rc = copy_config(c, err)) != SUBD_OK) {
        subd_close(c);
        return rc;
    }
    c->easy = curl_easy_init();
    c->multi = curl_multi_init();
    if (!c->easy || !c->multi) {
        subd_close(c);
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a client");
    }
    subd_loop_attach(c);
    *out = c;
    return SUBD_OK;
}

void subd_close(subd_client *c)
{
    if (!c)
        return;
    subd_request_drop(c);
    if (c->watching.drop)
        c->watching.drop(c);
    subd_loop_detach(c);
    struct subd_sigpipe s;
    subd_sigpipe_block(&s);
    curl_easy_cleanup(c->easy);
    curl_multi_cleanup(c->multi);
    subd_sigpipe_restore(&s);
    curl_global_cleanup();
    subd_prims_free(c->prims, c->n_prims);
    free(c->server);
    free(c->ca_file);
    if (c->bearer)
        explicit_bzero(c->bearer, strlen(c->bearer));
    free(c->bearer);
    free(c);
}

const char *subd_warning(const subd_client *c, int i)
{
    return c && i >= 0 && i < c->n_warnings ? c->warnings[i] : NULL;
}

int subd_prim(const subd_client *c, int i, struct subd_prim *out)
{
    if (!c || i < 0 || i >= c->n_prims)
        return 0;
    *out = c->prims[i];
    return 1;
}

void subd_cancel(subd_client *c)
{
    if (c)
        atomic_store(&c->cancel, 1);
}

void subd_uncancel(subd_client *c)
{
    if (c)
        atomic_store(&c->cancel, 0);
}

void subd_nonblocking(subd_client *c, int on)
{
    if (c)
        c->nonblocking = on;
}
