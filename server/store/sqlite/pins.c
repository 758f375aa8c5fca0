/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c: which meshes are pinned, in a table of their own. A pin is no part of a mesh and makes no version of it, and
 * it goes with its mesh. */
#include "server/store/sqlite/db.h"
#include <stdio.h>
#include <stdlib.h>

int store_pin(struct store *s, const char *id, bool pinned, bool *changed, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    rc = store_statement(s, pinned ? STORE_PIN_WRITE : STORE_PIN_DELETE, &st, err);
    if (!rc)
        rc = store_step(s, st, sqlite3_bind_text(st, 1, id, -1, SQLITE_TRANSIENT), "pin a mesh", err);
    const bool any = !rc && sqlite3_changes(s->db) > 0;
    rc = store_end(s, rc, err);
    *changed = !rc && any;
    return rc;
}

int store_pins(struct store *s, struct store_pinned **out, int *n, struct sdd_error *err)
{
    sqlite3_stmt *st;
    int room = 0;
    *out = NULL;
    *n = 0;
    int rc = store_statement(s, STORE_PIN_ALL, &st, err);
    while (!rc && (rc = store_step(s, st, 0, "list pins", err)) == 1) {
        rc = SDD_OK;
        if (*n == room) {
            struct store_pinned *more = realloc(*out, (size_t)(room = room ? 2 * room : 16) * sizeof *more);
            if (!more) {
                rc = sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the list of pins");
                break;
            }
            *out = more;
        }
        const char *id = (const char *)sqlite3_column_text(st, 0);
        const char *workspace = (const char *)sqlite3_column_text(st, 1);
        if (!id || !workspace) {
            rc = sdd_fail(err, SDD_ENO_MEMORY, "store", "no memory for the row of a pin");
            break;
        }
        struct store_pinned *p = *out + (*n)++;
        (void)snprintf(p->id, sizeof p->id, "%s", id);
        (void)snprintf(p->workspace, sizeof p->workspace, "%s", workspace);
    }
    (void)sqlite3_reset(st);
    if (rc) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return rc;
}
