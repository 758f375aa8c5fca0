/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/random_edits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ADD_VERTEX "{\"addVertices\":{\"points\":[9,9,9]}}"

int32_t random_pick(struct random_edits *w, int64_t n)
{
    w->x ^= w->x << 13, w->x ^= w->x >> 7, w->x ^= w->x << 17;
    return n > 0 ? (int32_t)(w->x % (uint64_t)n) : 0;
}

static int32_t vertex(struct random_edits *w)
{
    return w->m->n_vertices && random_pick(w, 8) ? w->m->vertex_ids[random_pick(w, w->m->n_vertices)] : -1;
}

static void add(struct random_edits *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct random_edits *w, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, ap);
    va_end(ap);
    assert_true(w->used < sizeof w->text);
}

/* n numbers of which many are equal, so that values weld, and a bracket. */
static void add_numbers(struct random_edits *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        add(w, "%s%d", i ? "," : "", random_pick(w, 3));
    add(w, "]");
}

static void add_values(struct random_edits *w, int64_t face)
{
    bool uvs = w->m->n_uvs > 0 && random_pick(w, 2);
    add(w, uvs ? "{\"setUvs\":{\"ids\":[%d],\"st\":[" : "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[%d],\"values\":[",
        w->m->face_ids[face]);
    add_numbers(w, 2 * (int64_t)w->m->face_counts[face]);
    add(w, "}}");
}

static void pick_edge(struct random_edits *w, int64_t face, int32_t edge[2])
{
    int64_t first = 0, n = w->m->face_counts[face], k = random_pick(w, n);
    for (int64_t f = 0; f < face; f++)
        first += w->m->face_counts[f];
    edge[0] = w->m->vertex_ids[w->m->face_vertices[first + k]];
    edge[1] = w->m->vertex_ids[w->m->face_vertices[first + (k + 1) % n]];
}

static void add_edge(struct random_edits *w, int64_t face)
{
    int32_t edge[2];
    pick_edge(w, face, edge);
    add(w, "{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[%d]}}", edge[0], edge[1], random_pick(w, 3));
}

/* Cuts a face between a corner and the one after the next. */
static void add_split(struct random_edits *w, int64_t face)
{
    int64_t first = 0, n = w->m->face_counts[face], k = random_pick(w, n);
    for (int64_t f = 0; f < face; f++)
        first += w->m->face_counts[f];
    add(w, "{\"splitFaces\":{\"ids\":[%d],\"edges\":[%d,%d]}}", w->m->face_ids[face],
        w->m->vertex_ids[w->m->face_vertices[first + k]], w->m->vertex_ids[w->m->face_vertices[first + (k + 2) % n]]);
}

/* Modelling edits, which make primitives. */
static void add_modelling(struct random_edits *w, int64_t face)
{
    static const char *const of_edges[] = {"flipEdges", "splitEdges", "loopCut", "dissolveEdges", "collapseEdges"};
    static const char *const of_faces[] = {"pokeFaces",  "triangulateFaces", "extrudeFaces",
                                           "insetFaces", "reverseFaces",     "dissolveFaces"};
    int32_t edge[2];
    pick_edge(w, face, edge);
    switch (random_pick(w, 6)) {
    case 0:
        add(w, "{\"%s\":{\"edges\":[%d,%d]}}", of_edges[random_pick(w, w->collapses ? 5 : 4)], edge[0], edge[1]);
        break;
    case 1: add(w, "{\"%s\":{\"ids\":[%d]}}", of_faces[random_pick(w, 6)], w->m->face_ids[face]); break;
    case 2: add(w, "{\"extrudeFaces\":{\"ids\":[%d],\"by\":[0.1]}}", w->m->face_ids[face]); break;
    case 3: add_split(w, face); break;
    case 4: add(w, "{\"mergeVertices\":{\"ids\":[%d,%d]}}", edge[0], edge[1]); break;
    default: add(w, "{\"dissolveVertices\":{\"ids\":[%d]}}", edge[0]); break;
    }
}

static void add_new_face(struct random_edits *w)
{
    int32_t a = vertex(w), b = vertex(w), c = vertex(w);
    add(w, ADD_VERTEX ",{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[%d,%d,%d]", a, b, c);
    if (w->m->n_uvs || random_pick(w, 9) == 0) {
        add(w, ",\"st\":[");
        add_numbers(w, 6);
    }
    add(w, "}}");
}

static void add_primvar(struct random_edits *w, int64_t face)
{
    switch (random_pick(w, 12)) {
    case 0: add(w, "{\"removePrimvar\":{\"name\":\"%s\"}}", random_pick(w, 2) ? "map" : "material"); break;
    case 1:
    case 2:
    case 3:
        add(w, "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[%d],\"values\":[%d]}}", w->m->face_ids[face],
            16777217 + random_pick(w, 3));
        break;
    case 4:
    case 5: add(w, "{\"setPrimvar\":{\"name\":\"asset:id\",\"values\":[%d,-3]}}", random_pick(w, 9)); break;
    case 6:
    case 7:
        add(w, "{\"setPrimvar\":{\"name\":\"displayColor\",\"ids\":[%d],\"values\":[0.5,%d,0]}}", vertex(w),
            random_pick(w, 3));
        break;
    default: add(w, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[%d],\"values\":[3]}}", vertex(w));
    }
}

static void add_edit(struct random_edits *w)
{
    int64_t face = random_pick(w, w->m->n_faces);
    switch (random_pick(w, w->m->n_faces ? 15 : 1)) {
    case 0:
    case 1: add_new_face(w); break;
    case 2: add(w, "{\"removeFaces\":{\"ids\":[%d]}}", w->m->face_ids[face]); break;
    case 3: add(w, "{\"removeVertices\":{\"ids\":[%d]}}", vertex(w)); break;
    case 4: add(w, "{\"setPositions\":{\"ids\":[%d],\"points\":[1,2,3]}}", vertex(w)); break;
    case 5: add_edge(w, face); break;
    case 6: add(w, "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[%d]}}", vertex(w), random_pick(w, 3)); break;
    case 7:
        add(w, "{\"setHoles\":{\"ids\":[%d],\"hole\":%s}}", w->m->face_ids[face], random_pick(w, 2) ? "true" : "false");
        break;
    case 8: add_primvar(w, face); break;
    case 9:
    case 10: add_values(w, face); break;
    default: add_modelling(w, face); break;
    }
}

/* As `map` of the sample: a value a corner, for as many corners as the mesh has before the batch. */
static void put_map(struct random_edits *w)
{
    if (random_pick(w, 2))
        add(w, "{\"removePrimvar\":{\"name\":\"map\"}},");
    add(w, "{\"putPrimvar\":{\"name\":\"map\",\"width\":2,\"interpolation\":\"faceVarying\",\"values\":[0,0,1,1,0,1],"
           "\"indices\":[");
    add_numbers(w, w->m->n_corners);
    add(w, "}}");
}

/* Face sets: a number for each face, and names, which change. */
static void put_sets(struct random_edits *w)
{
    add(w,
        "{\"putPrimvar\":{\"name\":\"material\",\"type\":\"i32\",\"interpolation\":\"uniform\",\"setNames\":[\"a%d\","
        "\"b\"],"
        "\"values\":[",
        random_pick(w, 5));
    add_numbers(w, w->m->n_faces);
    add(w, "}}");
}

void random_batch(struct random_edits *w, const struct mesh *m)
{
    w->m = m;
    w->used = 0;
    w->text[0] = 0;
    for (int e = random_pick(w, 4); e >= 0; e--) {
        add_edit(w);
        if (e)
            add(w, ",");
    }
    if (random_pick(w, 20) || m->n_corners >= 1000)
        return;
    w->used = 0;
    if (random_pick(w, 2) && m->n_faces)
        put_sets(w);
    else
        put_map(w);
}
