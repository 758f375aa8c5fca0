/* SPDX-License-Identifier: Apache-2.0 */
/* touched.c: which elements a change touches, in few words, for the news of it (events.h). */
#include "server/api/events.h"
#include "server/base/text.h"
#include "server/mesh/edits/edits.h"
#include "server/mesh/positions.h"

#define LOOKED_AT 4096 /* How many ids are looked at for those that are not listed yet. */

/* The first different ids. */
struct ids {
    int32_t id[TOUCHED_MAX];
    int n, looked_at;
    bool more;
};

/* Adds ids of elements. A negative one stands for an element that the batch adds, whose id is told anyway. */
static void add(struct ids *s, const int32_t *ids, int64_t n)
{
    for (int64_t i = 0; i < n && !s->more; i++) {
        int k = 0;
        while (k < s->n && s->id[k] != ids[i])
            k++;
        if (ids[i] < 0 || k < s->n)
            s->more = ++s->looked_at >= LOOKED_AT;
        else if (s->n < TOUCHED_MAX)
            s->id[s->n++] = ids[i];
        else
            s->more = true;
    }
}

static void write_ids(struct text *out, const char *key, const struct ids *s)
{
    if (!s->n)
        return;
    text_key(out, key);
    for (int i = 0; i < s->n; i++)
        text_printf(out, "%s%d", i ? "," : "[", s->id[i]);
    text_puts(out, "]");
}

/* Adds what the edits of a batch name. */
static void add_named(struct ids *vertices, struct ids *faces, const struct edit_batch *b, const struct mesh *m)
{
    for (int64_t i = 0; b && i < b->n_edits; i++) {
        const struct edit *e = &b->edits[i];
        if (e->ids)
            add(edits_names_faces(e, m) ? faces : vertices, e->ids, edits_ids_each(e->op) * e->n);
    }
}

static void write_touched(struct text *out, const struct ids *vertices, const struct ids *faces)
{
    text_clear(out); /* The step may run again. */
    write_ids(out, "vertexIds", vertices);
    write_ids(out, "faceIds", faces);
    if (vertices->more || faces->more)
        text_puts(out, ",\"more\":true");
}

void touched_by_edits(struct text *out, const struct edit_batch *b, const struct edit_result *r, const struct mesh *m)
{
    struct ids vertices = {0}, faces = {0};
    add_named(&vertices, &faces, b, m);
    add(&vertices, r->new_vertex_ids, r->n_new_vertices);
    add(&faces, r->new_face_ids, r->n_new_faces);
    add_named(&vertices, &faces, r->primitives, m);
    for (int64_t i = 0; i < b->n_edits; i++)
        if (b->edits[i].op == EDIT_ADD_FACES)
            add(&vertices, b->edits[i].corners, b->edits[i].n_corners);
    write_touched(out, &vertices, &faces);
}

void touched_by_changes(struct text *out, const struct mesh_changes *c)
{
    struct ids vertices = {0}, faces = {0};
    add(&vertices, c->vertices, c->n_vertices);
    add(&faces, c->faces, c->n_faces);
    write_touched(out, &vertices, &faces);
}

void touched_by_positions(struct text *out, const struct positions *p)
{
    text_clear(out);
    text_key(out, "rows");
    for (int64_t i = 0; i < p->n_ranges && i < TOUCHED_MAX; i++)
        text_printf(out, "%s[%lld,%lld]", i ? "," : "[", (long long)p->ranges[i].first, (long long)p->ranges[i].n);
    text_puts(out, "]");
    if (p->n_ranges > TOUCHED_MAX)
        text_puts(out, ",\"more\":true");
}
