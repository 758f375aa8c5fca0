/* SPDX-License-Identifier: Apache-2.0 */
/* auth.h: bearer tokens. Only SHA-256 of a token is kept; 256 random bits need no salt and no slow hash. */
#ifndef SUBDD_AUTH_H
#define SUBDD_AUTH_H
#include "gpu/sdd/err.h"
#include "server/base/text.h"
#include <stdint.h>

enum scope { /* each includes the ones before it */
             SCOPE_NONE,
             SCOPE_READ,
             SCOPE_EDIT,
             SCOPE_ADMIN
};
#define TOKEN_NAME_SIZE 65

struct auth;

/* auth_create: reads the tokens file. NULL: *error says which line is wrong. */
struct auth *auth_create(const char *path, struct text *error);
void auth_free(struct auth *a);
/* auth_reload: reads the file again; on error the old tokens stay. */
int auth_reload(struct auth *a, struct text *error);
int auth_count(const struct auth *a);
/* auth_check: does the token of an Authorization value (may be NULL) have `scope`? principal gets its name. a
 * NULL: always.
 * Errors  SDD_EUNAUTHORIZED, SDD_EFORBIDDEN, SDD_ETOO_MANY (10 wrong tokens a minute from this address) */
int auth_check(struct auth *a, const char *authorization, const char *address, enum scope scope, uint64_t now_ns,
               char principal[TOKEN_NAME_SIZE], struct sdd_error *err);
/* auth_new_token: appends "NAME:SCOPES" with a fresh token to the file (mode 0600); `token` gets it, 43 characters. */
int auth_new_token(const char *path, const char *spec, char token[64], struct text *error);

#endif
