/* SPDX-License-Identifier: Apache-2.0 */
/* together.c: several changes in one transaction, so that the syncs of one commit make all of them durable. Each is a
 * savepoint, which takes it back alone. Some errors make SQLite end the transaction itself, as a full disk may: then
 * all its parts are gone, those to come are refused, and the end says why. */
#include "server/store/sqlite/db.h"

int store_together(struct store *s, struct sdd_error *err)
{
    int rc = store_begin(s, err);
    if (rc)
        return rc;
    s->group = (struct store_group){.open = true, .n_meshes = s->n_meshes};
    return SDD_OK;
}

bool store_is_together(const struct store *s)
{
    return s->group.open;
}

static int lost(const struct store *s, struct sdd_error *err)
{
    if (err)
        *err = s->group.why;
    return s->group.lost;
}

/* The text of the error may be about what others must not see. */
static void lose(struct store *s, int rc)
{
    s->group.lost = sdd_fail(&s->group.why, rc, "store", "another change ended the commit that this was a part of: %s",
                             sdd_err_title(rc));
}

int store_part_begin(struct store *s, struct sdd_error *err)
{
    if (s->group.lost)
        return lost(s, err);
    s->group.n_before = s->n_noted;
    s->group.bytes_before = s->history.bytes_after;
    int rc = store_run(s, STORE_PART_BEGIN, 0, 0, err);
    if (rc && sqlite3_get_autocommit(s->db)) /* The next savepoint would be a transaction of its own. */
        lose(s, rc);
    return rc;
}

int store_part_end(struct store *s, int rc, struct sdd_error *err)
{
    struct sdd_error why = {0};
    if (!rc && !(rc = store_run(s, STORE_PART_END, 0, 0, &why)))
        return SDD_OK;
    if (err && why.code)
        *err = why;
    s->n_noted = s->group.n_before;
    s->history.bytes_after = s->group.bytes_before;
    int undone = sqlite3_get_autocommit(s->db) ? rc : store_run(s, STORE_PART_UNDO, 0, 0, NULL);
    if (!undone)
        undone = store_run(s, STORE_PART_END, 0, 0, NULL);
    if (undone)
        lose(s, undone);
    return rc;
}

int store_together_end(struct store *s, struct sdd_error *err)
{
    int rc = s->group.lost ? lost(s, err) : SDD_OK;
    s->group.open = false;
    if (!rc && s->failed) /* A part could not be read, and nothing is written after that. */
        rc = sdd_fail(err, SDD_ESTORE, "store", "the store has failed before the commit");
    rc = store_transaction_end(s, rc, err);
    if (rc)
        s->n_meshes = s->group.n_meshes;
    return rc;
}
