/* SPDX-License-Identifier: Apache-2.0 */
/* auth.h: bearer tokens and what they allow. Only the SHA-256 of a token is stored; its 256 random bits need no salt
 * and no slow hash. */
#ifndef SUBDD_AUTH_H
#define SUBDD_AUTH_H
#include "gpu/sdd/err.h"
#include "server/base/text.h"
#include <stdint.h>

/* Each scope includes the ones before it. */
enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_EDIT, SCOPE_ADMIN };
#define TOKEN_NAME_SIZE 65 /* Room for a name of 64 characters. */
#define OWNER_SIZE (2 * TOKEN_NAME_SIZE)

struct auth;

/* auth_create: reads the tokens file. Returns NULL with the file's error in *error, which stays empty when memory is
 * out. */
struct auth *auth_create(const char *path, struct text *error);
void auth_free(struct auth *a);
/* auth_reload: reads the file again. On error the old tokens stay, and it returns SDD_EINVALID. */
int auth_reload(struct auth *a, struct text *error);
/* auth_count: the number of tokens. */
int auth_count(const struct auth *a);
/* auth_check: checks that an Authorization value (which may be NULL) has a token with `scope`, and copies the token's
 * name to principal and that of its workspace. When a is NULL everything is allowed, and both are "".
 * Errors  SDD_EUNAUTHORIZED, SDD_EFORBIDDEN, SDD_ETOO_MANY (more than 10 wrong tokens in a minute from this address) */
int auth_check(struct auth *a, const char *authorization, const char *address, enum scope scope, uint64_t now_ns,
               char principal[TOKEN_NAME_SIZE], char workspace[TOKEN_NAME_SIZE], struct sdd_error *err);
/* auth_knows: whether a check would go well now, and give this workspace. It counts no wrong token; for requests that
 * were let in before. */
bool auth_knows(const struct auth *a, const char *authorization, const char *workspace, enum scope scope);
/* auth_new_token: makes a token for "NAME:SCOPES" or "NAME@WORKSPACE:SCOPES", each with ":DAYS" behind it if it is to
 * expire; appends its hash to the file, which is created with mode 0600, and copies the token, 43 characters, to
 * `token`.
 * Errors  SDD_EINVALID, SDD_ESTORE (the file cannot be written); *error says why */
int auth_new_token(const char *path, const char *spec, char token[64], struct text *error);

#endif
