/* SPDX-License-Identifier: Apache-2.0 */
/* random_polygons.c: vertices and faces of random_mesh.h: components, then what is done to them. */
#include "tests/oracle/random_mesh.h"
#include <math.h>
#include <string.h>

enum { ENOUGH_FACES = 48, MOST_CORNERS = 12 }; /* a component is begun below; of a face that is made of two */

static int32_t add_vertex(struct dice *d, struct tagged_mesh *m, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        m->points[m->n_vertices][k] = (float)(at[k] + 0.2 * dice_real(d));
    return m->n_vertices++;
}

static void add_face(struct tagged_mesh *m, int n, const int32_t *vertices)
{
    memcpy(&m->vertices[m->n_corners], vertices, (size_t)n * sizeof *vertices);
    m->n_corners += n;
    m->counts[m->n_faces++] = n;
}

/* A quad, two triangles, or nothing. */
static void add_cell(struct dice *d, struct tagged_mesh *m, const int32_t q[4])
{
    const int32_t other[6] = {q[0], q[1], q[3], q[1], q[2], q[3]}, one[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
    int kind = dice_from(d, 0, 39);
    if (kind < 27)
        add_face(m, 4, q);
    for (int k = 0; k < 2 && kind >= 27 && kind < 39; k++)
        add_face(m, 3, kind % 2 ? &other[3 * k] : &one[3 * k]);
}

static void add_grid(struct dice *d, struct tagged_mesh *m, double x0)
{
    int w = dice_from(d, 1, 5), h = dice_from(d, 1, 4);
    int32_t first = m->n_vertices;
    for (int j = 0; j <= h; j++)
        for (int i = 0; i <= w; i++)
            add_vertex(d, m, x0 + i, j, 0.3 * dice_real(d));
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++) {
            int32_t v = first + j * (w + 1) + i;
            add_cell(d, m, (const int32_t[4]){v, v + 1, v + w + 2, v + w + 1});
        }
}

/* Faces around a vertex, in triangles or in quads; a closed one of two faces needs quads. */
static void add_fan(struct dice *d, struct tagged_mesh *m, double x0)
{
    int closed = dice_one_in(d, 2), n = dice_from(d, 2, dice_one_in(d, 4) ? 20 : 7), first = m->n_vertices;
    int quads = (closed && n == 2) || dice_one_in(d, 2), rim = closed ? n : n + 1;
    add_vertex(d, m, x0, 0, 0.8);
    for (int i = 0; i < rim; i++)
        add_vertex(d, m, x0 + cos(6.2 * i / n), sin(6.2 * i / n), 0);
    for (int i = 0; i < n; i++) {
        int32_t a = first + 1 + i, b = first + 1 + (i + 1) % rim;
        double angle = 6.2 * (i + 0.5) / n;
        int32_t outer = quads ? add_vertex(d, m, x0 + 1.5 * cos(angle), 1.5 * sin(angle), 0) : 0;
        add_face(m, quads ? 4 : 3, quads ? (const int32_t[4]){first, a, outer, b} : (const int32_t[3]){first, a, b});
    }
}

static void add_cap(struct dice *d, struct tagged_mesh *m, double x0, double z, int32_t first, int n, int turned)
{
    int32_t loop[32];
    int kind = dice_from(d, 0, 4);
    for (int i = 0; i < n; i++)
        loop[i] = first + (turned ? n - 1 - i : i);
    if (kind < 2)
        add_face(m, n, loop);
    int32_t apex = kind >= 2 && kind < 4 ? add_vertex(d, m, x0, 0, z) : -1; /* kind 4: open */
    for (int i = 0; i < n && apex >= 0; i++)
        add_face(m, 3, (const int32_t[3]){apex, loop[i], loop[(i + 1) % n]});
}

/* A tube of cells with a polygon, a fan or nothing at either end. */
static void add_prism(struct dice *d, struct tagged_mesh *m, double x0)
{
    int n = dice_from(d, 3, dice_one_in(d, 6) ? 16 : 7), rows = dice_from(d, 1, n > 7 ? 1 : 3);
    int32_t first = m->n_vertices;
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i < n; i++)
            add_vertex(d, m, x0 + cos(6.28 * i / n), sin(6.28 * i / n), j);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < n; i++) {
            int32_t a = first + j * n, b = a + n, k = (i + 1) % n;
            add_cell(d, m, (const int32_t[4]){a + i, a + k, b + k, b + i});
        }
    add_cap(d, m, x0, -0.7, first, n, 1);
    add_cap(d, m, x0, rows + 0.7, first + rows * n, n, 0);
}

static void add_torus(struct dice *d, struct tagged_mesh *m, double x0)
{
    int w = dice_from(d, 3, 6), h = dice_from(d, 3, 4);
    int32_t first = m->n_vertices;
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++) {
            double a = 6.28 * i / w, b = 6.28 * j / h, r = 1 + 0.5 * cos(b);
            add_vertex(d, m, x0 + r * cos(a), r * sin(a), sin(b));
        }
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++) {
            int32_t a = first + j * w, b = first + (j + 1) % h * w, k = (i + 1) % w;
            add_cell(d, m, (const int32_t[4]){a + i, a + k, b + k, b + i});
        }
}

/* Faces that take their vertices at random. */
static void add_soup(struct dice *d, struct tagged_mesh *m, double x0)
{
    int n_vertices = dice_from(d, 4, 9), n = dice_from(d, 2, 8);
    int32_t first = m->n_vertices, face[5];
    for (int i = 0; i < n_vertices; i++)
        add_vertex(d, m, x0 + dice_real(d), dice_real(d), dice_real(d));
    for (int i = 0; i < n; i++) {
        int size = dice_from(d, 3, 5);
        for (int k = 0; k < size; k++)
            face[k] = first + dice_from(d, 0, n_vertices - 1);
        add_face(m, size, face);
    }
}

/* ---- what is done to them ------------------------------------------------------------------------------------ */
static int32_t first_corner(const struct tagged_mesh *m, int32_t face)
{
    int32_t first = 0;
    for (int32_t f = 0; f < face; f++)
        first += m->counts[f];
    return first;
}

static int32_t face_of(const struct tagged_mesh *m, int32_t corner)
{
    int32_t f = 0;
    for (int32_t end = m->counts[0]; corner >= end; end += m->counts[++f])
        continue;
    return f;
}

static int has(const int32_t *face, int n, int32_t v)
{
    int there = 0;
    for (int k = 0; k < n; k++)
        there |= face[k] == v;
    return there;
}

/* The faces on both sides of an edge become one, if they share nothing else. */
static void dissolve(struct tagged_mesh *m, const struct tagged_edge *e, const int32_t *uses)
{
    unsigned char keep[TAGGED_FACES];
    int32_t face[2 * MOST_CORNERS], f[2], at[2], n = 0, shared = 0;
    for (int k = 0; k < 2 && e->n_uses == 2; k++) {
        f[k] = face_of(m, uses[e->first + k]);
        at[k] = uses[e->first + k] - first_corner(m, f[k]);
    }
    if (e->n_uses != 2 || f[0] == f[1] || m->counts[f[0]] + m->counts[f[1]] - 2 > MOST_CORNERS)
        return;
    const int32_t *a = &m->vertices[first_corner(m, f[0])], *b = &m->vertices[first_corner(m, f[1])];
    int na = m->counts[f[0]], nb = m->counts[f[1]];
    for (int k = 0; k < nb; k++)
        shared += has(a, na, b[k]);
    if (shared != 2 || a[at[0]] == b[at[1]])
        return;
    for (int k = 1; k <= na; k++)
        face[n++] = a[(at[0] + k) % na];
    for (int k = 2; k < nb; k++)
        face[n++] = b[(at[1] + k) % nb];
    for (int32_t i = 0; i < m->n_faces; i++)
        keep[i] = i != f[0] && i != f[1];
    tagged_keep_faces(m, keep);
    add_face(m, n, face);
}

static void drop_faces(struct dice *d, struct tagged_mesh *m, uint32_t rate)
{
    unsigned char keep[TAGGED_FACES];
    for (int32_t f = 0; f < m->n_faces; f++)
        keep[f] = f == 0 || !dice_one_in(d, rate);
    tagged_keep_faces(m, keep);
}

/* Fans of two faces more at two edges that meet in a corner of a face: from one to the other, or back to the same. */
static void add_fans(struct dice *d, struct tagged_mesh *m, int32_t first, int32_t n)
{
    const int32_t k = dice_from(d, 0, n - 1), v = m->vertices[first + k];
    const int32_t ends[2] = {m->vertices[first + (k + 1) % n], m->vertices[first + (k + n - 1) % n]};
    const double x = (double)m->points[v][0], y = (double)m->points[v][1];
    for (int i = dice_from(d, 2, 4); i > 0; i--) {
        int32_t from = ends[dice_from(d, 0, 1)], to = ends[dice_from(d, 0, 1)], middle = add_vertex(d, m, x, y, i);
        add_face(m, 4, (const int32_t[4]){v, from, add_vertex(d, m, x + 1, y, i), middle});
        add_face(m, 4, (const int32_t[4]){v, middle, add_vertex(d, m, x - 1, y, i), to});
    }
}

/* One thing that no manifold has. */
static void spoil(struct dice *d, struct tagged_mesh *m, const struct tagged_edge *edges, int32_t n_edges)
{
    int32_t f = dice_from(d, 0, m->n_faces - 1), first = first_corner(m, f), n = m->counts[f], face[64];
    const struct tagged_edge *e = &edges[dice_from(d, 0, n_edges - 1)];
    int turned = dice_one_in(d, 2), kind = dice_from(d, 0, 11);
    for (int k = 0; k < n; k++)
        face[k] = m->vertices[first + (turned ? n - 1 - k : k)];
    if (kind < 2) { /* in the other direction than its neighbours */
        for (int k = 0; k < n; k++)
            face[k] = m->vertices[first + n - 1 - k];
        memcpy(&m->vertices[first], face, (size_t)n * sizeof *face);
    } else if (kind == 2) { /* a second time */
        add_face(m, n, face);
    } else if (kind < 6) { /* one face more at an edge */
        double x = (double)m->points[e->a][0], y = (double)m->points[e->a][1], z = (double)m->points[e->a][2] + 1;
        int size = dice_from(d, 3, 4);
        face[0] = turned ? e->a : e->b;
        face[1] = turned ? e->b : e->a;
        for (int k = 2; k < size; k++)
            face[k] = add_vertex(d, m, x, y, z);
        add_face(m, size, face);
    } else if (kind < 9) { /* two vertices become one */
        int32_t v = m->vertices[dice_from(d, 0, m->n_corners - 1)], w = m->vertices[dice_from(d, 0, m->n_corners - 1)];
        for (int32_t c = 0; c < m->n_corners; c++)
            m->vertices[c] = m->vertices[c] == v ? w : m->vertices[c];
    } else if (kind < 11) {
        add_fans(d, m, first, n);
    } else { /* a vertex twice in a face */
        face[n] = face[dice_from(d, 0, n - 1)];
        add_face(m, n + 1, face);
    }
}

/* Faces in any order, from any corner; vertices with any number. */
static void shuffle(struct dice *d, struct tagged_mesh *m)
{
    struct tagged_mesh to = *m;
    int32_t face[TAGGED_FACES] = {0}, row[TAGGED_VERTICES] = {0};
    dice_shuffle(d, face, m->n_faces);
    dice_shuffle(d, row, m->n_vertices);
    to.n_faces = to.n_corners = 0;
    for (int32_t v = 0; v < m->n_vertices; v++)
        memcpy(to.points[row[v]], m->points[v], sizeof m->points[v]);
    for (int32_t i = 0; i < m->n_faces; i++) {
        int32_t first = first_corner(m, face[i]), n = m->counts[face[i]], turn = dice_from(d, 0, n - 1), loop[64];
        for (int32_t k = 0; k < n; k++)
            loop[k] = row[m->vertices[first + (k + turn) % n]];
        add_face(&to, n, loop);
    }
    *m = to;
}

static void cut_triangles(struct tagged_mesh *m)
{
    struct tagged_mesh from = *m;
    m->n_faces = m->n_corners = 0;
    for (int32_t f = 0, first = 0; f < from.n_faces; first += from.counts[f++]) {
        const int32_t *v = &from.vertices[first];
        for (int32_t k = 1; k + 1 < from.counts[f]; k++)
            add_face(m, 3, (const int32_t[3]){v[0], v[k], v[k + 1]});
    }
}

void random_polygons(struct dice *d, struct tagged_mesh *m)
{
    static void (*const add[])(struct dice *, struct tagged_mesh *, double) = {add_grid,  add_grid,  add_fan,
                                                                               add_prism, add_prism, add_torus};
    struct tagged_edge edges[TAGGED_CORNERS];
    int32_t uses[TAGGED_CORNERS];
    int components = dice_from(d, 1, dice_one_in(d, 3) ? 4 : 2), odd = dice_one_in(d, 3),
        dissolved = dice_from(d, 0, 4);
    for (int i = 0; i < components && m->n_faces < ENOUGH_FACES; i++)
        add[dice_from(d, 0, 5)](d, m, 3.0 * i);
    if (m->n_faces == 0 || (odd && dice_one_in(d, 3)))
        add_soup(d, m, -3);
    for (int i = 0; i < dissolved; i++) {
        int32_t n = tagged_edges(m, edges, uses);
        if (n > 0)
            dissolve(m, &edges[dice_from(d, 0, n - 1)], uses);
    }
    if (dice_one_in(d, 6))
        drop_faces(d, m, 8);
    for (int i = dice_from(d, 1, 5); i > 0 && odd; i--) {
        int32_t n = tagged_edges(m, edges, uses);
        if (n > 0)
            spoil(d, m, edges, n);
    }
    if (m->options.scheme == SDD_SCHEME_LOOP)
        cut_triangles(m);
    if (!dice_one_in(d, 4)) /* else what has lost its faces stays, and is isolated */
        tagged_compact(m);
    for (int i = dice_from(d, 0, 3); i > 0 && dice_one_in(d, 3); i--)
        add_vertex(d, m, 0, 0, -1);
    shuffle(d, m);
}
