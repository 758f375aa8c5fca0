/* SPDX-License-Identifier: Apache-2.0 */
/* door.c: checks Host, Origin and Sec-Fetch-Site of each request for http.c, and the two options that allow more of
 * them. */
#include "server/net/door.h"
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define MAX_NAME 253

/* A host in a form that can be compared: an address in the form of IPv6, or a name without its final dot. */
struct host {
    bool is_address;
    unsigned char address[16]; /* An IPv4 address is stored as ::ffff:a.b.c.d. */
    const char *name;
    size_t n;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a host without a port; an IPv6 address may have its brackets. Returns false when it is not a host. */
static bool read_host(struct host *h, const char *s, size_t n)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    char text[MAX_NAME + 1];
    bool bracketed = n >= 2 && s[0] == '[' && s[n - 1] == ']';
    *h = (struct host){0};
    if (bracketed)
        s++, n -= 2;
    else if (n && s[n - 1] == '.')
        n--;
    if (n == 0 || n > MAX_NAME)
        return false;
    memcpy(text, s, n);
    text[n] = 0;
    memcpy(h->address, mapped, sizeof mapped);
    h->is_address =
        (!bracketed && inet_pton(AF_INET, text, h->address + 12) == 1) || inet_pton(AF_INET6, text, h->address) == 1;
    h->name = s;
    h->n = n;
    if (h->is_address)
        return true;
    for (size_t i = 0; i < n; i++)
        if (!is_letter(s[i]) && !is_digit(s[i]) && !strchr("-_.", s[i]))
            return false;
    return !bracketed && s[0] != '.';
}

static bool same_host(const struct host *a, const struct host *b)
{
    if (a->is_address || b->is_address)
        return a->is_address && b->is_address && memcmp(a->address, b->address, sizeof a->address) == 0;
    return a->n == b->n && strncasecmp(a->name, b->name, a->n) == 0;
}

static bool is_loopback(const struct host *h)
{
    static const char name[] = "localhost";
    static const unsigned char six[16] = {[15] = 1}, four[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
    const size_t n = sizeof name - 1;
    if (h->is_address)
        return memcmp(h->address, six, sizeof six) == 0 || memcmp(h->address, four, sizeof four) == 0;
    return h->n >= n && strncasecmp(h->name + h->n - n, name, n) == 0 && (h->n == n || h->name[h->n - n - 1] == '.');
}

/* The length of the host in HOST or HOST:PORT, or 0 when it is neither. */
static size_t host_bytes(const char *s, size_t n)
{
    const char *bracket = n && s[0] == '[' ? memchr(s, ']', n) : NULL;
    const char *from = bracket ? bracket : s, *colon = memchr(from, ':', n - (size_t)(from - s));
    size_t host = colon ? (size_t)(colon - s) : n, digits = host;
    while (colon && ++digits < n)
        if (!is_digit(s[digits]) || digits > host + 5)
            return 0;
    return host;
}

/* Finds the next item of a list, without the blanks around it, and returns its length. *list moves on, and is NULL
 * after the last item. */
static size_t next_item(const char **list, const char **item)
{
    size_t n = strcspn(*list, ",");
    *item = *list;
    *list = (*list)[n] ? *list + n + 1 : NULL;
    while (n && (**item == ' ' || **item == '\t'))
        (*item)++, n--;
    while (n && ((*item)[n - 1] == ' ' || (*item)[n - 1] == '\t'))
        n--;
    return n;
}

static bool is_all(const char *list)
{
    return strcmp(list, "*") == 0;
}

static bool host_is_ours(const struct door *d, const struct door_visitor *v)
{
    struct host wanted, own;
    const char *port = strrchr(d->listen, ':'), *item;
    if (is_all(d->allow_host))
        return true;
    if (!read_host(&wanted, v->host, host_bytes(v->host, strlen(v->host))))
        return false;
    if (is_loopback(&wanted))
        return true;
    if (port && read_host(&own, d->listen, (size_t)(port - d->listen)) && same_host(&wanted, &own))
        return true;
    if (read_host(&own, v->arrived_at, strlen(v->arrived_at)) && same_host(&wanted, &own))
        return true;
    for (const char *list = *d->allow_host ? d->allow_host : NULL; list;) {
        size_t n = next_item(&list, &item);
        if (read_host(&own, item, n) && same_host(&wanted, &own))
            return true;
    }
    return false;
}

bool door_names_origin(const struct door *d, const char *origin)
{
    const char *item;
    const size_t n = strlen(origin);
    if (n >= DOOR_ORIGIN_SIZE)
        return false;
    if (is_all(d->allow_origin))
        return true;
    for (const char *list = *d->allow_origin ? d->allow_origin : NULL; list;)
        if (next_item(&list, &item) == n && strncasecmp(item, origin, n) == 0)
            return true;
    return false;
}

/* True for a page that the daemon serves itself: its origin is the request's own Host. Either scheme is accepted,
 * because a proxy in front of the daemon may speak TLS. */
static bool is_own_origin(const char *origin, const char *host)
{
    size_t scheme = strncasecmp(origin, "http://", 7) == 0 ? 7 : strncasecmp(origin, "https://", 8) == 0 ? 8 : 0;
    return scheme && host && strcasecmp(origin + scheme, host) == 0;
}

/* Makes text from a client fit for an error message: cuts it short and writes '?' for everything but printable ASCII.
 * */
static const char *quoted(const char *s, char out[80])
{
    size_t n = 0;
    for (; s[n] && n < 79; n++)
        out[n] = s[n] > 0x20 && s[n] < 0x7f ? s[n] : '?';
    out[n] = 0;
    return out;
}

int door_check(const struct door *d, const struct door_visitor *v, struct sdd_error *err)
{
    char shown[80];
    if (v->host && !host_is_ours(d, v))
        return sdd_fail(err, SDD_EMISDIRECTED, "host",
                        "the request is for \"%s\", which is no name of this daemon; if it should be one, add the name "
                        "without its port to the daemon's --allow-host",
                        quoted(v->host, shown));
    if (v->origin && door_names_origin(d, v->origin))
        return SDD_OK;
    if (v->origin && !is_own_origin(v->origin, v->host))
        return sdd_fail(err, SDD_EORIGIN, "origin",
                        "web pages of \"%s\" may not use this daemon; if they should, add that origin to the daemon's "
                        "--allow-origin (null cannot be added: serve the page over HTTP)",
                        quoted(v->origin, shown));
    if (v->fetch_site && strcasecmp(v->fetch_site, "cross-site") == 0 && !is_all(d->allow_origin))
        return sdd_fail(err, SDD_EORIGIN, "origin",
                        "another site's web page sent this; open the address by hand, or ask by a CORS request from an "
                        "origin that the daemon's --allow-origin names");
    return SDD_OK;
}

/* ---- the options ------------------------------------------------------------------------------------------------- */
/* True for a host in --allow-host. IPv6 needs its brackets, as in a URL, so that a host with a port is not taken for an
 * address. */
static bool good_host(const char *s, size_t n)
{
    struct host h;
    return read_host(&h, s, n) && (s[0] == '[' || !memchr(s, ':', n));
}

/* True for scheme://host or scheme://host:port as browsers write it, which is without the port that the scheme implies.
 * */
static bool good_origin(const char *s, size_t n)
{
    size_t at = 0;
    while (at < n && (is_letter(s[at]) || (at && (is_digit(s[at]) || strchr("+-.", s[at])))))
        at++;
    if (at == 0 || n >= DOOR_ORIGIN_SIZE || n - at < 3 || memcmp(s + at, "://", 3))
        return false;
    const char *rest = s + at + 3;
    size_t left = n - at - 3, host = host_bytes(rest, left);
    const char *usual = at == 4 && strncasecmp(s, "http", 4) == 0    ? ":80"
                        : at == 5 && strncasecmp(s, "https", 5) == 0 ? ":443"
                                                                     : ":";
    const size_t port = left - host;
    return good_host(rest, host) && port != 1 && (port != strlen(usual) || memcmp(rest + host, usual, port));
}

static bool good_list(const char *list, bool good(const char *, size_t), const char *what, struct text *error)
{
    const char *item;
    for (const char *at = *list && !is_all(list) ? list : NULL; at;) {
        size_t n = next_item(&at, &item);
        if (!good(item, n)) {
            text_printf(error, "%s, not \"%.*s\"", what, (int)n, item);
            return false;
        }
    }
    return true;
}

bool door_options_good(const struct door *d, struct text *error)
{
    return good_list(d->allow_host, good_host,
                     "--allow-host takes host names without scheme and port, with commas between (IPv6 in [brackets]), "
                     "or * alone",
                     error) &&
           good_list(
               d->allow_origin, good_origin,
               "--allow-origin takes origins as browsers send them, scheme://host or scheme://host:port without a "
               "path, a final slash or the scheme's usual port, with commas between, or * alone",
               error);
}
