/* SPDX-License-Identifier: Apache-2.0 */
/* looks.c: finds what of a mesh is probably not meant. At a vertex inside a surface each neighbour is once the end of a
 * half-edge that leaves and once the start of one that arrives. So the sum of hashes of the ones minus that of the
 * others is 0, and vertices where it is not are few: those at open edges, at flipped faces and at faces that are there
 * twice. Only these are looked at more closely, and where they are many, a sample of them: what is equal has one key,
 * and is in the sample together or not at all. */
#include "server/mesh/looks.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SAMPLE 65536   /* About so many keys are looked at. */
#define MOST_PROBES 64 /* Where more keys share a place than chance would have it, they are not counted. */

struct cell {
    uint64_t key;               /* 0 in a free cell. */
    uint32_t forward, backward; /* How often the key came, for edges by the way that a face runs along it. */
    uint64_t faces;             /* For edges: the keys of their faces, each XOR the others. */
};
struct table {
    struct cell *cells;
    int shift; /* One key in 2^shift is in the sample. */
};
#define BITS 18 /* A table that is full to a quarter. */

struct look {
    const struct mesh *m;
    uint64_t seed;     /* Nobody can make a mesh whose keys meet. */
    uint64_t *balance; /* Shape [V]: 0 at vertices inside a surface. */
    struct table points, edges, faces, inner_faces;
};

static uint64_t mix(uint64_t seed, uint64_t x)
{
    x = (x ^ seed) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static bool table_init(struct table *t, int64_t keys)
{
    while (keys >> t->shift > SAMPLE)
        t->shift++;
    t->cells = calloc(INT64_C(1) << BITS, sizeof *t->cells);
    return t->cells != NULL;
}

/* Finds the cell of a key. Returns NULL when the key is not in the sample. */
static struct cell *cell_of(const struct table *t, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << BITS) - 1;
    uint64_t at = key >> (64 - BITS);
    key = key ? key : 1;
    if (key & ((UINT64_C(1) << t->shift) - 1))
        return NULL;
    for (int probes = 0; probes < MOST_PROBES; probes++, at = (at + 1) & mask) {
        struct cell *c = &t->cells[at];
        if (!c->key)
            c->key = key;
        if (c->key == key)
            return c;
    }
    return NULL;
}

static void sum_balance(struct look *l)
{
    const int32_t *v = l->m->face_vertices;
    for (int64_t f = 0; f < l->m->n_faces; v += l->m->face_counts[f++]) {
        const int32_t n = l->m->face_counts[f];
        int32_t from = v[n - 1];
        uint64_t hash = mix(l->seed, (uint32_t)from);
        for (int32_t k = 0; k < n; k++) {
            const uint64_t next = mix(l->seed, (uint32_t)v[k]);
            l->balance[from] += next;
            l->balance[v[k]] -= hash;
            from = v[k];
            hash = next;
        }
    }
}

/* ---- vertices at open edges -------------------------------------------------------------------------------------- */

static void look_at_points(struct look *l, struct mesh_looks *out)
{
    for (int64_t v = 0; v < l->m->n_vertices; v++)
        out->open += l->balance[v] != 0;
    if (!table_init(&l->points, out->open))
        return;
    for (int64_t v = 0; v < l->m->n_vertices; v++) {
        uint64_t key = l->seed;
        struct cell *c;
        if (!l->balance[v])
            continue;
        for (int k = 0; k < 3; k++) {
            const float plain = l->m->points[3 * v + k] + 0.0f; /* -0 is 0. */
            uint32_t bits;
            memcpy(&bits, &plain, sizeof bits);
            key = mix(key, bits);
        }
        if ((c = cell_of(&l->points, key)) && ++c->forward > 1)
            out->coincident += c->forward == 2 ? 2 : 1;
    }
}

/* ---- edges and faces of a mesh that is not manifold -------------------------------------------------------------- */

/* Is the half-edge from corner k on between vertices that are both not inside a surface? */
static bool is_outer(const struct look *l, const int32_t *v, int32_t size, int32_t k)
{
    return l->balance[v[k]] && l->balance[v[k + 1 < size ? k + 1 : 0]];
}

static void count_outer(const struct look *l, int64_t *edges, int64_t *faces)
{
    const int32_t *v = l->m->face_vertices;
    *edges = *faces = 0;
    for (int64_t f = 0; f < l->m->n_faces; v += l->m->face_counts[f++]) {
        int64_t before = *edges;
        for (int32_t k = 0; k < l->m->face_counts[f]; k++)
            *edges += is_outer(l, v, l->m->face_counts[f], k);
        *faces += *edges > before;
    }
}

static void look_at_edge(const struct look *l, int32_t from, int32_t to, uint64_t face)
{
    struct cell *c = from == to ? NULL : cell_of(&l->edges, mix(l->seed, (uint32_t)from) + mix(l->seed, (uint32_t)to));
    if (!c)
        return;
    *(from < to ? &c->forward : &c->backward) += 1;
    c->faces ^= face;
}

/* A face that is there twice, among others that are not, has outer edges; where a whole mesh is there twice, no face
 * has any. */
static void look_at_faces(const struct look *l, struct mesh_looks *out)
{
    const int32_t *v = l->m->face_vertices;
    int64_t outer = 0, inner = 0;
    for (int64_t f = 0; f < l->m->n_faces; v += l->m->face_counts[f++]) {
        const int32_t size = l->m->face_counts[f];
        uint64_t key = 0;
        bool is_inner = true;
        struct cell *c;
        for (int32_t k = 0; k < size; k++)
            key += mix(l->seed + 1, (uint32_t)v[k]);
        key = mix(l->seed, key);
        for (int32_t k = 0; k < size; k++)
            if (is_outer(l, v, size, k)) {
                is_inner = false;
                look_at_edge(l, v[k], v[k + 1 < size ? k + 1 : 0], key);
            }
        if ((c = cell_of(is_inner ? &l->inner_faces : &l->faces, key)) && ++c->forward > 1)
            *(is_inner ? &inner : &outer) += 1;
    }
    out->twice = (outer << l->faces.shift) + (inner << l->inner_faces.shift);
}

static void look_at_topology(struct look *l, struct mesh_looks *out)
{
    int64_t edges, faces;
    count_outer(l, &edges, &faces);
    if (!table_init(&l->edges, edges) || !table_init(&l->faces, faces) ||
        !table_init(&l->inner_faces, l->m->n_faces - faces))
        return;
    look_at_faces(l, out);
    for (int64_t i = 0; i < INT64_C(1) << BITS; i++) {
        const struct cell *c = &l->edges.cells[i];
        out->flipped += c->forward + c->backward == 2 && c->forward != 1 && c->faces;
    }
}

void mesh_look(const struct mesh *m, struct mesh_looks *out)
{
    struct look l = {.m = m, .seed = (uintptr_t)m};
    *out = (struct mesh_looks){0};
    if (m->manifold && 2 * m->n_edges == m->n_corners)
        return; /* It is closed. */
    (void)!getrandom(&l.seed, sizeof l.seed, GRND_NONBLOCK);
    if (!(l.balance = calloc((size_t)m->n_vertices, sizeof *l.balance)))
        return;
    sum_balance(&l);
    look_at_points(&l, out);
    if (!m->manifold)
        look_at_topology(&l, out);
    out->estimated = (l.points.shift | l.edges.shift | l.faces.shift | (out->twice ? l.inner_faces.shift : 0)) > 0;
    out->coincident <<= l.points.shift;
    out->coincident = out->coincident < out->open ? out->coincident : out->open;
    out->flipped <<= l.edges.shift;
    free(l.balance);
    free(l.points.cells);
    free(l.edges.cells);
    free(l.faces.cells);
    free(l.inner_faces.cells);
}

void mesh_looks_print(const struct mesh_looks *l, struct text *lines)
{
    const char *about = l->estimated ? "about " : "";
    if (l->coincident)
        text_printf(lines,
                    "the mesh looks unwelded: %s%lld of its %lld vertices at open edges lie exactly where others do, "
                    "and the surface comes apart there; if that is not meant, push it with --weld 0\n",
                    about, (long long)l->coincident, (long long)l->open);
    if (l->flipped)
        text_printf(lines,
                    "edges look flipped (%s%lld): both their faces run along them in one direction, which makes them "
                    "infinitely sharp; if that is not meant, turn the faces of one side round\n",
                    about, (long long)l->flipped);
    if (l->twice)
        text_printf(lines,
                    "faces are there twice (%s%lld): they have the vertices of another face, which makes their edges "
                    "infinitely sharp; if that is not meant, remove them\n",
                    about, (long long)l->twice);
}
