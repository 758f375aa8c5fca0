/* SPDX-License-Identifier: Apache-2.0 */
/* auth.c: reads and extends the tokens file, and checks the token of a request for http.c. */
#include "server/net/auth.h"
#include "server/net/mhd/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define MAX_TOKENS 10000
#define FAILURES_A_MINUTE 10
#define N_ADDRESSES 1024

struct token {
    char name[TOKEN_NAME_SIZE];
    enum scope scope;
    unsigned char hash[32];
    time_t expires;                  /* From this time on it is no token any more; 0 for never. */
    char workspace[TOKEN_NAME_SIZE]; /* Its meshes alone can be seen; "" is one, too. */
};
/* How often one address has sent a wrong token in a minute. Addresses with the same hash share a struct and displace
 * each other. */
struct failures {
    char address[46];
    uint64_t since;
    int n;
};
struct auth {
    char *path;
    struct token *tokens;
    int n;
    struct failures addresses[N_ADDRESSES];
};

static const char *const scope_names[] = {"none", "read", "edit", "admin"};

/* The strongest scope of a list like "read,edit", since it includes the weaker ones. SCOPE_NONE when s is not such a
 * list. */
static enum scope parse_scopes(const char *s)
{
    enum scope best = SCOPE_NONE;
    for (; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        enum scope one = SCOPE_READ;
        while (one <= SCOPE_ADMIN && (strlen(scope_names[one]) != n || strncmp(s, scope_names[one], n)))
            one++;
        if (one > SCOPE_ADMIN)
            return SCOPE_NONE;
        if (one > best)
            best = one;
        s += n;
    }
    return best;
}

static bool good_name(const char *s)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return n > 0 && n < TOKEN_NAME_SIZE && s[n] == 0;
}

static bool parse_hash(const char *s, unsigned char hash[32])
{
    if (strlen(s) != 64)
        return false;
    for (int i = 0; i < 32; i++) {
        int high = guard_hex(s[2 * i]), low = guard_hex(s[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* Reads "expires=2026-12-31" or "expires=2026-12-31T18:00:00Z", in UTC. */
static bool parse_expiry(const char *s, time_t *out)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"};
    if (strncmp(s, "expires=", 8) != 0)
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm tm = {0};
        const char *end = strptime(s + 8, forms[i], &tm);
        const int day = tm.tm_mday;
        if (end && !*end) /* timegm makes March 3 of February 31. */
            return (*out = timegm(&tm)) > 0 && tm.tm_mday == day;
    }
    return false;
}

static bool parse_workspace(const char *s, char workspace[TOKEN_NAME_SIZE])
{
    if (strncmp(s, "workspace=", 10) != 0 || !good_name(s + 10))
        return false;
    snprintf(workspace, TOKEN_NAME_SIZE, "%s", s + 10);
    return true;
}

static bool has_expired(const struct token *t)
{
    return t->expires && time(NULL) >= t->expires;
}

static bool parse_line(char *line, struct token *out)
{
    char *rest = NULL, *name = strtok_r(line, " \t\r\n", &rest), *scopes = strtok_r(NULL, " \t\r\n", &rest);
    char *hash = strtok_r(NULL, " \t\r\n", &rest), *more;
    *out = (struct token){0};
    if (!name || !scopes || !hash || !good_name(name))
        return false;
    while ((more = strtok_r(NULL, " \t\r\n", &rest)))
        if ((*out->workspace || !parse_workspace(more, out->workspace)) &&
            (out->expires || !parse_expiry(more, &out->expires)))
            return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    out->scope = parse_scopes(scopes);
    return out->scope != SCOPE_NONE && parse_hash(hash, out->hash);
}

static struct token *read_tokens(const char *path, int *n, struct text *error)
{
    char line[512];
    FILE *f = fopen(path, "re");
    struct token *tokens = f ? calloc(MAX_TOKENS, sizeof *tokens) : NULL;
    int at = 0, number = 0;
    if (!f)
        text_printf(error, "the tokens file %s cannot be read: %s", path, strerror(errno));
    while (tokens && fgets(line, sizeof line, f)) {
        number++;
        if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#')
            continue;
        if (at == MAX_TOKENS || !parse_line(line, &tokens[at++])) {
            text_printf(error,
                        "%s line %d is not: name scopes sha256 [workspace=NAME] [expires=DATE] (at most %d tokens)",
                        path, number, MAX_TOKENS);
            free(tokens);
            tokens = NULL;
        }
    }
    if (f)
        fclose(f);
    *n = at;
    return tokens;
}

struct auth *auth_create(const char *path, struct text *error)
{
    struct auth *a = calloc(1, sizeof *a);
    if (a && (a->path = strdup(path)) && (a->tokens = read_tokens(path, &a->n, error)))
        return a;
    auth_free(a);
    return NULL;
}

void auth_free(struct auth *a)
{
    if (!a)
        return;
    free(a->path);
    free(a->tokens);
    free(a);
}

int auth_reload(struct auth *a, struct text *error)
{
    int n;
    struct token *tokens = read_tokens(a->path, &n, error);
    if (!tokens)
        return SDD_EINVALID;
    free(a->tokens);
    a->tokens = tokens;
    a->n = n;
    return SDD_OK;
}

int auth_count(const struct auth *a)
{
    return a->n;
}

static struct failures *failures_of(struct auth *a, const char *address, uint64_t now)
{
    unsigned h = 5381;
    for (const char *s = address; *s; s++)
        h = h * 33 + (unsigned char)*s;
    struct failures *f = &a->addresses[h % N_ADDRESSES];
    if (strcmp(f->address, address) || now - f->since > 60 * 1000000000ull) {
        *f = (struct failures){.since = now};
        snprintf(f->address, sizeof f->address, "%s", address);
    }
    return f;
}

static const struct token *find(const struct auth *a, const char *secret)
{
    unsigned char hash[32];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, secret, strlen(secret), hash))
        return NULL;
    for (int i = 0; i < a->n;
         i++) /* How long comparing the first bytes of a hash takes tells nothing about the token. */
        if (memcmp(a->tokens[i].hash, hash, 8) == 0 && gnutls_memcmp(a->tokens[i].hash, hash, sizeof hash) == 0)
            return &a->tokens[i];
    return NULL;
}

static const struct token *find_bearer(const struct auth *a, const char *authorization)
{
    const bool bearer = authorization && strncasecmp(authorization, "Bearer ", 7) == 0;
    return bearer ? find(a, authorization + 7) : NULL;
}

bool auth_knows(const struct auth *a, const char *authorization, const char *workspace, enum scope scope)
{
    const struct token *token = a ? find_bearer(a, authorization) : NULL;
    return !a || scope == SCOPE_NONE ||
           (token && token->scope >= scope && !has_expired(token) && strcmp(token->workspace, workspace) == 0);
}

int auth_check(struct auth *a, const char *authorization, const char *address, enum scope scope, uint64_t now_ns,
               char principal[TOKEN_NAME_SIZE], char workspace[TOKEN_NAME_SIZE], struct sdd_error *err)
{
    principal[0] = workspace[0] = 0;
    if (!a || scope == SCOPE_NONE)
        return SDD_OK;
    const struct token *token = find_bearer(a, authorization);
    if (!token) {
        struct failures *f = failures_of(a, address, now_ns);
        if (authorization && ++f->n > FAILURES_A_MINUTE)
            return sdd_fail(err, SDD_ETOO_MANY, "authorization", "more than %d wrong tokens in a minute",
                            FAILURES_A_MINUTE);
        return sdd_fail(err, SDD_EUNAUTHORIZED, "authorization", "send a valid token as Authorization: Bearer TOKEN");
    }
    if (has_expired(token))
        return sdd_fail(err, SDD_EUNAUTHORIZED, "authorization", "the token of %s has expired; ask for another",
                        token->name);
    if (token->scope < scope)
        return sdd_fail(err, SDD_EFORBIDDEN, "authorization", "this needs the scope %s", scope_names[scope]);
    snprintf(principal, TOKEN_NAME_SIZE, "%s", token->name);
    snprintf(workspace, TOKEN_NAME_SIZE, "%s", token->workspace);
    return SDD_OK;
}

static bool make_secret(char token[64], unsigned char hash[32])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char random[32];
    if (gnutls_rnd(GNUTLS_RND_KEY, random, sizeof random))
        return false;
    unsigned bits = 0, n_bits = 0;
    int at = 0;
    /* 32 bytes are 43 digits of base64url without padding. The 33rd byte only fills up the last digit. */
    for (int i = 0; i < 33; i++) {
        bits = bits << 8 | (i < 32 ? random[i] : 0);
        for (n_bits += 8; n_bits >= 6 && at < 43; n_bits -= 6)
            token[at++] = digits[bits >> (n_bits - 6) & 63];
    }
    token[at] = 0;
    gnutls_memset(random, 0, sizeof random);
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, token, (size_t)at, hash) == 0;
}

/* True when the file may get a token of this name. A file that does not exist yet has no names, and a broken file gets
 * no more lines. */
static bool may_add(const char *path, const char *name, struct text *error)
{
    int n = 0;
    if (access(path, F_OK))
        return true;
    struct token *tokens = read_tokens(path, &n, error);
    for (int i = 0; tokens && i < n; i++)
        if (strcmp(tokens[i].name, name) == 0 && !error->bytes)
            text_printf(error, "%s has a token named %s already: remove its line first", path, name);
    free(tokens);
    return tokens && !error->bytes;
}

/* Reads NAME[@WORKSPACE]:SCOPES[:DAYS]. */
static bool parse_spec(const char *spec, char name[TOKEN_NAME_SIZE], char workspace[TOKEN_NAME_SIZE], char scopes[32],
                       int *days)
{
    const char *colon = strchr(spec, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    const size_t n = colon ? (size_t)(colon - spec) : 0,
                 n_scopes = colon ? (second ? (size_t)(second - colon - 1) : strlen(colon + 1)) : 0;
    char *end = NULL;
    *days = 0;
    const char *at = colon ? memchr(spec, '@', n) : NULL;
    const size_t n_name = at ? (size_t)(at - spec) : n, n_workspace = at ? n - n_name - 1 : 0;
    *workspace = 0;
    if (!colon || n_name >= TOKEN_NAME_SIZE || n_workspace >= TOKEN_NAME_SIZE || n_scopes >= 32)
        return false;
    snprintf(name, TOKEN_NAME_SIZE, "%.*s", (int)n_name, spec);
    if (at)
        snprintf(workspace, TOKEN_NAME_SIZE, "%.*s", (int)n_workspace, at + 1);
    if (at && !good_name(workspace))
        return false;
    snprintf(scopes, 32, "%.*s", (int)n_scopes, colon + 1);
    if (second)
        *days = (int)strtol(second + 1, &end, 10);
    return good_name(name) && parse_scopes(scopes) != SCOPE_NONE &&
           (!second || (end != second + 1 && !*end && *days >= 1 && *days <= 3650));
}

int auth_new_token(const char *path, const char *spec, char token[64], struct text *error)
{
    char name[TOKEN_NAME_SIZE], workspace[TOKEN_NAME_SIZE], scopes[32], hex[65], expires[40] = "";
    unsigned char hash[32];
    int days;
    if (!parse_spec(spec, name, workspace, scopes, &days)) {
        text_puts(
            error,
            "--new-token takes NAME:SCOPES, NAME@WORKSPACE:SCOPES or either with :DAYS behind it: names of letters, "
            "digits, . _ -, scopes of read,edit,admin, and 1 to 3650 days until it expires");
        return SDD_EINVALID;
    }
    if (days) {
        const time_t end = time(NULL) + (time_t)days * 86400;
        struct tm tm;
        gmtime_r(&end, &tm);
        strftime(expires, sizeof expires, " expires=%Y-%m-%dT%H:%M:%SZ", &tm);
    }
    if (!*path || !make_secret(token, hash)) {
        text_puts(error, *path ? "no random bytes" : "--new-token needs --tokens-file");
        return SDD_EINVALID;
    }
    if (!may_add(path, name, error))
        return SDD_EINVALID;
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char last =
        '\n'; /* An editor may have left the last line without its end: the new line must not become part of it. */
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    bool written = fd >= 0 && (size <= 0 || pread(fd, &last, 1, size - 1) == 1) &&
                   dprintf(fd, "%s%s %s %s%s%s%s\n", last == '\n' ? "" : "\n", name, scopes, hex,
                           *workspace ? " workspace=" : "", workspace, expires) > 0 &&
                   fsync(fd) == 0;
    if (!written)
        text_printf(error, "%s cannot be written: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return written ? SDD_OK : SDD_ESTORE;
}
