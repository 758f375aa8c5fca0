/* SPDX-License-Identifier: Apache-2.0 */
/* topology_id.c: cuts a topology into chunks and hashes them (topology_id.h has the rule). After an edit it takes over
 * the chunks of the mesh before: where the new mesh has a chunk that begins with the same row, holds what it held and
 * ends there too, it is the same chunk. */
#include "server/mesh/topology_id.h"
#include "server/base/stop.h"
#include "server/mesh/encode.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_ROWS = 64, MAX_ROWS = 8192, MAX_WORDS = 65536, CUT_MASK = 1023, CUT_WORDS = 2 };
enum { PIECE = 1 << 20 }; /* Words between two looks whether anybody waits. */
enum { FACES, CREASES, CORNERS, N_PARTS };

struct chunk {
    int32_t n_rows, n_words;
    unsigned char digest[32];
    int32_t highest; /* Of its words, which are rows of vertices. */
};
_Static_assert(offsetof(struct chunk, highest) == 40, "the id hashes what is before it");

/* The lowest and highest row of values that the corners of a chunk name. */
struct span {
    int32_t low, high;
};

struct mesh_topology {
    char id[MESH_TOPOLOGY_ID_SIZE];
    int n_channels; /* It counts the UVs. */
    int64_t n[N_PARTS];
    struct chunk *chunks[N_PARTS];
    struct span *spans; /* [n[FACES]][n_channels] */
};

/* The rows of a part. */
struct rows {
    int64_t n, n_words;
    const int32_t *words, *counts; /* counts is NULL when each row has `width` words. */
    int width;
    const float *sharpness; /* [n] NULL for faces. */
};

/* The mesh before the edit, and a place among its chunks. */
struct reuse {
    const struct mesh *from;
    const struct mesh_delta *d;
    int32_t n_unmoved;     /* Vertices that are the same rows in both meshes, up to the first that is not. */
    int64_t at, row, word; /* A chunk of the present part, and where it begins. */
};

struct work {
    const struct mesh *m;
    struct mesh_topology *out;
    struct reuse *reuse; /* NULL when nothing is known. */
    gnutls_hash_hd_t sha;
};

static struct rows rows_of(const struct mesh *m, int part)
{
    switch (part) {
    case FACES: return (struct rows){m->n_faces, m->n_corners, m->face_vertices, m->face_counts, 0, NULL};
    case CREASES: return (struct rows){m->n_creases, 2 * m->n_creases, m->crease_edges, NULL, 2, m->crease_sharpness};
    default: return (struct rows){m->n_corner_tags, m->n_corner_tags, m->corner_vertices, NULL, 1, m->corner_sharpness};
    }
}

static const int32_t *channel(const struct mesh *m, int k)
{
    const int uvs = m->n_uvs > 0;
    return k < uvs ? m->uv_indices : m->channels[k - uvs].indices;
}

/* ---- cutting ---- */
static int32_t width_of(const struct rows *r, int64_t row)
{
    return r->counts ? r->counts[row] : r->width;
}

static bool is_cut(const struct rows *r, int64_t row, int64_t word)
{
    const int32_t n = width_of(r, row);
    uint64_t h = (uint64_t)n;
    for (int i = 0; i < n && i < CUT_WORDS; i++) {
        h = (h ^ (uint32_t)r->words[word + i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (h & CUT_MASK) == 0;
}

/* Does a chunk of so many rows and words end before this row? */
static bool ends(const struct rows *r, int64_t n_rows, int64_t n_words, int64_t row, int64_t word)
{
    return row == r->n || n_rows >= MAX_ROWS || n_words >= MAX_WORDS || (n_rows >= MIN_ROWS && is_cut(r, row, word));
}

static void cut(const struct rows *r, int64_t row, int64_t word, struct chunk *out)
{
    int64_t n_rows = 0, n_words = 0;
    do
        n_words += width_of(r, row + n_rows++);
    while (!ends(r, n_rows, n_words, row + n_rows, word + n_words));
    *out = (struct chunk){.n_rows = (int32_t)n_rows, .n_words = (int32_t)n_words};
}

/* ---- hashing ---- */
/* Hashes words, and raises *highest to theirs. Returns 0, SDD_ECANCELLED or SDD_EINTERNAL. */
static int hash_words(gnutls_hash_hd_t sha, const int32_t *words, int64_t n, int32_t *highest)
{
    for (int64_t at = 0, piece; at < n; at += piece) {
        piece = n - at < PIECE ? n - at : PIECE;
        if (stop_asked())
            return SDD_ECANCELLED;
        int32_t high = *highest;
        for (int64_t i = at; i < at + piece; i++)
            high = words[i] > high ? words[i] : high;
        *highest = high;
        if (gnutls_hash(sha, words + at, (size_t)piece * 4) < 0)
            return SDD_EINTERNAL;
    }
    return SDD_OK;
}

static int hash_bytes(gnutls_hash_hd_t sha, const void *data, int64_t bytes)
{
    return gnutls_hash(sha, data, (size_t)bytes) < 0 ? SDD_EINTERNAL : SDD_OK;
}

/* Hashes rows of values, less the lowest of them. */
static int hash_values(gnutls_hash_hd_t sha, const int32_t *rows, int64_t n, struct span *out)
{
    struct span s = {rows[0], rows[0]};
    int32_t less[1024];
    int rc = SDD_OK;
    for (int64_t i = 0; i < n; i++) {
        s.low = rows[i] < s.low ? rows[i] : s.low;
        s.high = rows[i] > s.high ? rows[i] : s.high;
    }
    for (int64_t at = 0, piece; at < n && !rc; at += piece) {
        piece = n - at < 1024 ? n - at : 1024;
        for (int64_t i = 0; i < piece; i++)
            less[i] = (int32_t)((uint32_t)rows[at + i] - (uint32_t)s.low); /* The rows may not be checked yet. */
        rc = stop_due(at / 1024) ? SDD_ECANCELLED : hash_bytes(sha, less, piece * 4);
    }
    *out = s;
    return rc;
}

/* How many numbers of an ascending list are below the limit. */
static int64_t below(const int32_t *list, int64_t n, int64_t limit)
{
    int64_t low = 0;
    while (low < n) {
        const int64_t middle = low + (n - low) / 2;
        if (list[middle] < limit)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static int hash_holes(const struct work *w, int64_t row, const struct chunk *c)
{
    const struct mesh *m = w->m;
    int rc = SDD_OK;
    for (int64_t i = below(m->hole_faces, m->n_holes, row); i < m->n_holes && m->hole_faces[i] < row + c->n_rows; i++) {
        const int32_t hole = (int32_t)(m->hole_faces[i] - row);
        rc = rc ? rc : hash_bytes(w->sha, &hole, sizeof hole);
    }
    return rc;
}

static int hash_chunk(const struct work *w, int part, const struct rows *r, int64_t row, int64_t word, struct chunk *c)
{
    struct span *spans = w->out->spans + w->out->n[FACES] * w->out->n_channels;
    int rc = r->counts ? hash_bytes(w->sha, r->counts + row, 4 * (int64_t)c->n_rows) : SDD_OK;
    c->highest = -1;
    if (!rc)
        rc = hash_words(w->sha, r->words + word, c->n_words, &c->highest);
    if (!rc && r->sharpness)
        rc = hash_bytes(w->sha, r->sharpness + row, 4 * (int64_t)c->n_rows);
    for (int k = 0; part == FACES && k < w->out->n_channels && !rc; k++)
        rc = hash_values(w->sha, channel(w->m, k) + word, c->n_words, &spans[k]);
    if (!rc && part == FACES)
        rc = hash_holes(w, row, c);
    if (!rc)
        gnutls_hash_output(w->sha, c->digest); /* It begins anew. */
    return rc;
}

/* ---- taking over what was hashed before ---- */
/* The new row of an old row that stays. Of one that is gone, that of the next one which stays. */
static int64_t moved(const struct mesh_rows_delta *d, int64_t row)
{
    const int64_t kept = row - below(d->removed, d->n_removed, row);
    int64_t low = 0, n = d->n_added; /* Before added[i] are added[i] - i rows that stayed. */
    while (low < n) {
        const int64_t middle = low + (n - low) / 2;
        if (d->added[middle] - middle <= kept)
            low = middle + 1;
        else
            n = middle;
    }
    return kept + low;
}

/* Do the old rows from low to high all stay, with none between them? Then *to is where they are now. */
static bool stay(const struct mesh_rows_delta *d, int64_t low, int64_t high, int64_t *to)
{
    *to = moved(d, low);
    return below(d->removed, d->n_removed, low) == below(d->removed, d->n_removed, high + 1) &&
           moved(d, high) - *to == high - low;
}

/* Has the new mesh the faces of an old chunk as they were? Then their rows of values are `spans`. */
static bool faces_stay(const struct reuse *u, const struct chunk *c, const struct span *old, int n_channels,
                       struct span *spans)
{
    const struct mesh_delta *d = u->d;
    int64_t to;
    if (!stay(&d->faces, u->row, u->row + c->n_rows - 1, &to) ||
        below(d->dirty_faces, d->n_dirty_faces, to) != below(d->dirty_faces, d->n_dirty_faces, to + c->n_rows))
        return false;
    for (int k = 0; k < n_channels; k++) {
        if (!stay(&d->values[k], old[k].low, old[k].high, &to))
            return false;
        spans[k] = (struct span){(int32_t)to, (int32_t)(to + old[k].high - old[k].low)};
    }
    return true;
}

/* Has the new mesh the tags of an old chunk as they were? A tag that changed has left its vertices dirty. */
static bool tags_stay(const struct reuse *u, const struct chunk *c, const struct rows *old)
{
    const struct mesh_delta *d = u->d;
    const int32_t first = old->words[u->word], last = old->words[u->word + c->n_words - old->width];
    return below(d->dirty_vertices, d->n_dirty_vertices, first) ==
           below(d->dirty_vertices, d->n_dirty_vertices, (int64_t)last + 1);
}

/* Compares where the present old chunk begins in the new mesh with a row of that. */
static int compare_begin(const struct reuse *u, const struct rows *old, const struct rows *r, int64_t row, int64_t word)
{
    if (old->counts) {
        const int64_t begin = moved(&u->d->faces, u->row);
        return (begin > row) - (begin < row);
    }
    const int32_t *a = old->words + u->word, *b = r->words + word;
    const int i = old->width == 2 && a[0] == b[0];
    return (a[i] > b[i]) - (a[i] < b[i]);
}

/* Takes over the old chunk that is the one from this row on, if there is one. */
static bool take_over(const struct work *w, int part, const struct rows *r, int64_t row, int64_t word,
                      struct chunk *out)
{
    struct reuse *u = w->reuse;
    const int n_channels = w->out->n_channels;
    if (!u)
        return false;
    const struct mesh_topology *known = u->from->topology;
    const struct rows old = rows_of(u->from, part);
    for (; u->at < known->n[part]; u->at++) {
        const struct chunk *c = &known->chunks[part][u->at];
        const int order = compare_begin(u, &old, r, row, word);
        if (order > 0)
            return false;
        if (order == 0 && c->highest < u->n_unmoved &&
            (part == FACES ? faces_stay(u, c, known->spans + u->at * n_channels, n_channels,
                                        w->out->spans + w->out->n[FACES] * n_channels)
                           : tags_stay(u, c, &old))) {
            *out = *c;
            return ends(r, c->n_rows, c->n_words, row + c->n_rows, word + c->n_words);
        }
        u->row += c->n_rows;
        u->word += c->n_words;
    }
    return false;
}

/* ---- the id ---- */
static int hash_part_of(const struct work *w, int part)
{
    struct mesh_topology *t = w->out;
    const struct rows r = rows_of(w->m, part);
    int rc = SDD_OK;
    if (w->reuse)
        w->reuse->at = w->reuse->row = w->reuse->word = 0;
    for (int64_t row = 0, word = 0; row < r.n && !rc; t->n[part]++) {
        struct chunk *c = &t->chunks[part][t->n[part]];
        if (!take_over(w, part, &r, row, word, c)) {
            cut(&r, row, word, c);
            rc = hash_chunk(w, part, &r, row, word, c);
        }
        row += c->n_rows;
        word += c->n_words;
    }
    return rc;
}

static int hash_all(const struct work *w, unsigned char digest[32])
{
    const struct mesh_topology *t = w->out;
    struct mesh_encoding e;
    mesh_encode(w->m, &e);
    int rc = hash_bytes(w->sha, e.header, sizeof e.header);
    if (!rc && e.channels[0])
        rc = hash_bytes(w->sha, e.channels, 8 * (1 + e.channels[0]));
    for (int part = 0; part < N_PARTS; part++) {
        rc = rc ? rc : hash_bytes(w->sha, &t->n[part], sizeof t->n[part]);
        for (int64_t i = 0; i < t->n[part] && !rc; i++) {
            int32_t low[1 + SDD_MAX_PRIMVARS];
            const int n = part == FACES ? t->n_channels : 0;
            for (int k = 0; k < n; k++)
                low[k] = t->spans[i * n + k].low;
            rc = hash_bytes(w->sha, &t->chunks[part][i], offsetof(struct chunk, highest));
            rc = rc ? rc : hash_bytes(w->sha, low, 4 * n);
        }
    }
    if (!rc)
        gnutls_hash_output(w->sha, digest);
    return rc;
}

/* Every chunk but the last of its part has MIN_ROWS rows or MAX_WORDS words. */
static int64_t most_chunks(const struct rows *r)
{
    return r->n / MIN_ROWS + r->n_words / MAX_WORDS + 1;
}

static struct mesh_topology *topology_alloc(const struct mesh *m, struct sdd_error *err)
{
    struct mesh_topology *t = mesh_alloc(1, sizeof *t, err);
    const struct rows faces = rows_of(m, FACES);
    if (!t)
        return NULL;
    *t = (struct mesh_topology){.n_channels = m->n_channels + (m->n_uvs > 0)};
    t->spans = mesh_alloc(most_chunks(&faces) * t->n_channels, sizeof *t->spans, err);
    bool all = t->spans != NULL;
    for (int part = 0; part < N_PARTS && all; part++) {
        const struct rows r = rows_of(m, part);
        t->chunks[part] = mesh_alloc(most_chunks(&r), sizeof *t->chunks[part], err);
        all = t->chunks[part] != NULL;
    }
    if (all)
        return t;
    mesh_topology_free(t);
    return NULL;
}

/* Gives back the memory behind the rows. */
static void *trim(void *rows, int64_t bytes)
{
    void *less = realloc(rows, bytes ? (size_t)bytes : 1);
    return less ? less : rows;
}

static int topology_make(const struct mesh *m, struct reuse *reuse, struct mesh_topology **out, struct sdd_error *err)
{
    struct work w = {.m = m, .reuse = reuse};
    unsigned char digest[32];
    int rc = SDD_OK;
    *out = NULL;
    if (gnutls_hash_init(&w.sha, GNUTLS_DIG_SHA256) < 0) /* SHA-256 is always available, so the cause is memory. */
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for SHA-256");
    w.out = topology_alloc(m, err);
    if (!w.out)
        rc = SDD_ENO_MEMORY;
    for (int part = 0; part < N_PARTS && !rc; part++)
        rc = hash_part_of(&w, part);
    if (!rc)
        rc = hash_all(&w, digest);
    gnutls_hash_deinit(w.sha, NULL);
    if (rc) {
        mesh_topology_free(w.out);
        return rc == SDD_ECANCELLED  ? stop_fail(err)
               : rc == SDD_EINTERNAL ? sdd_fail(err, SDD_EINTERNAL, "", "SHA-256 failed")
                                     : rc;
    }
    for (int i = 0; i < 16; i++)
        (void)snprintf(w.out->id + 2 * i, 3, "%02x", digest[i]);
    for (int part = 0; part < N_PARTS; part++)
        w.out->chunks[part] = trim(w.out->chunks[part], w.out->n[part] * (int64_t)sizeof(struct chunk));
    w.out->spans = trim(w.out->spans, w.out->n[FACES] * w.out->n_channels * (int64_t)sizeof(struct span));
    *out = w.out;
    return SDD_OK;
}

int mesh_topology_id(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err)
{
    struct mesh_topology *made = NULL;
    out[0] = 0;
    int rc = m->topology ? SDD_OK : topology_make(m, NULL, &made, err);
    const struct mesh_topology *t = made ? made : m->topology;
    if (!rc && t)
        memcpy(out, t->id, MESH_TOPOLOGY_ID_SIZE);
    mesh_topology_free(made);
    return rc;
}

int mesh_topology_id_keep(struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err)
{
    out[0] = 0;
    int rc = m->topology ? SDD_OK : topology_make(m, NULL, &m->topology, err);
    return rc ? rc : mesh_topology_id(m, out, err);
}

/* Is every channel what it was, and in its place? */
static bool same_channels(const struct mesh *from, const struct mesh_delta *d)
{
    bool same = from->topology && d->n_channels == from->topology->n_channels;
    for (int k = 0; k < d->n_channels; k++)
        same &= d->channels[k].from == k;
    return same;
}

int mesh_topology_id_update(const struct mesh *from, struct mesh *m, const struct mesh_delta *d,
                            char out[MESH_TOPOLOGY_ID_SIZE], struct sdd_error *err)
{
    const struct mesh_rows_delta *v = &d->vertices;
    struct reuse reuse = {.from = from, .d = d, .n_unmoved = INT32_MAX};
    if (v->n_removed)
        reuse.n_unmoved = v->removed[0];
    if (v->n_added && v->added[0] < reuse.n_unmoved)
        reuse.n_unmoved = v->added[0];
    out[0] = 0;
    int rc = m->topology || !same_channels(from, d) ? SDD_OK : topology_make(m, &reuse, &m->topology, err);
    return rc ? rc : mesh_topology_id_keep(m, out, err);
}

void mesh_topology_free(struct mesh_topology *t)
{
    if (!t)
        return;
    for (int part = 0; part < N_PARTS; part++)
        free(t->chunks[part]);
    free(t->spans);
    free(t);
}

int64_t mesh_topology_bytes(const struct mesh_topology *t)
{
    if (!t)
        return 0;
    int64_t n = t->n[FACES] * t->n_channels * (int64_t)sizeof *t->spans;
    for (int part = 0; part < N_PARTS; part++)
        n += t->n[part] * (int64_t)sizeof *t->chunks[part];
    return (int64_t)sizeof *t + n;
}
