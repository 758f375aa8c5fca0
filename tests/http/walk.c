/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/walk.h"
#include "tests/http/frames.h"
#include <stdlib.h>
#include <string.h>

static void *take(int64_t n, size_t bytes)
{
    void *p = calloc((size_t)n + 1, bytes);
    assert_non_null(p);
    return p;
}

static int by_value(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Sorts the values and leaves each once. */
static int64_t clean(uint64_t *v, int64_t n)
{
    int64_t left = 0;
    qsort(v, (size_t)n, sizeof *v, by_value);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || v[i] != v[left - 1])
            v[left++] = v[i];
    return left;
}

static uint64_t pair(uint64_t a, uint64_t b)
{
    return a << 32 | b;
}

/* The corner that follows corner c of face f. */
static uint32_t next(const struct walk_mesh *m, int64_t f, int64_t c)
{
    return m->corner[c + 1 < m->begin[f + 1] ? c + 1 : m->begin[f]];
}

static uint64_t edge_at(const struct walk_mesh *m, int64_t f, int64_t c)
{
    const uint32_t a = m->corner[c], b = next(m, f, c);
    return a < b ? pair(a, b) : pair(b, a);
}

static uint32_t edge_row(const struct walk_mesh *m, uint64_t key)
{
    const uint64_t *at = bsearch(&key, m->edge, (size_t)m->n_edges, sizeof key, by_value);
    assert_non_null(at);
    return (uint32_t)(at - m->edge);
}

static void find_edges(struct walk_mesh *m)
{
    m->edge = take(m->begin[m->n_faces], sizeof *m->edge);
    for (int64_t f = 0; f < m->n_faces; f++)
        for (int64_t c = m->begin[f]; c < m->begin[f + 1]; c++)
            m->edge[m->n_edges++] = edge_at(m, f, c);
    m->n_edges = clean(m->edge, m->n_edges);
}

void walk_obj(const char *obj, struct walk_mesh *out)
{
    int64_t n_corners = 0;
    *out = (struct walk_mesh){.begin = take((int64_t)strlen(obj), sizeof *out->begin),
                              .corner = take((int64_t)strlen(obj), sizeof *out->corner)};
    for (const char *line = obj; *line; line += strcspn(line, "\n") + 1) {
        out->n_vertices += strncmp(line, "v ", 2) == 0;
        if (strncmp(line, "f ", 2) != 0)
            continue;
        char *at = (char *)(uintptr_t)line + 1;
        while (*at == ' ')
            out->corner[n_corners++] = (uint32_t)strtol(at, &at, 10) - 1;
        out->begin[++out->n_faces] = n_corners;
    }
    find_edges(out);
}

void walk_faces(int64_t n_vertices, const uint32_t *corner, int64_t n_faces, int size, struct walk_mesh *out)
{
    *out = (struct walk_mesh){.n_vertices = n_vertices,
                              .n_faces = n_faces,
                              .begin = take(n_faces, sizeof *out->begin),
                              .corner = take(n_faces * size, sizeof *out->corner)};
    for (int64_t f = 0; f <= n_faces; f++)
        out->begin[f] = f * size;
    memcpy(out->corner, corner, (size_t)(n_faces * size) * sizeof *corner);
    find_edges(out);
}

void walk_mesh_free(struct walk_mesh *m)
{
    free(m->begin);
    free(m->corner);
    free(m->edge);
}

static int64_t count_rows(const struct walk_mesh *m, char kind)
{
    return kind == 'V' ? m->n_vertices : kind == 'E' ? m->n_edges : m->n_faces;
}

/* Rows of pairs row << 32 | id, which are sorted here. */
static void from_pairs(uint64_t *pairs, int64_t n, struct walk_rows *out)
{
    n = clean(pairs, n);
    out->offset = take(out->n, sizeof *out->offset);
    out->id = take(n, sizeof *out->id);
    for (int64_t i = 0; i < n; i++) {
        out->id[i] = (uint32_t)pairs[i];
        out->offset[(pairs[i] >> 32) + 1]++;
    }
    for (int64_t row = 0; row < out->n; row++)
        out->offset[row + 1] += out->offset[row];
}

/* Rows of FV and FE, in the order of the face, and of EV. */
static void in_order(const struct walk_mesh *m, const char *relation, struct walk_rows *out)
{
    const bool of_edges = relation[0] == 'E', edges = relation[1] == 'E';
    const int64_t n = of_edges ? 2 * m->n_edges : m->begin[m->n_faces];
    out->offset = take(out->n, sizeof *out->offset);
    out->id = take(n, sizeof *out->id);
    out->sign = edges ? take(n, 1) : NULL;
    for (int64_t e = 0; of_edges && e < m->n_edges; e++) {
        out->id[2 * e] = (uint32_t)(m->edge[e] >> 32);
        out->id[2 * e + 1] = (uint32_t)m->edge[e];
        out->offset[e + 1] = 2 * e + 2;
    }
    for (int64_t f = 0; !of_edges && f < m->n_faces; f++) {
        out->offset[f + 1] = m->begin[f + 1];
        for (int64_t c = m->begin[f]; c < m->begin[f + 1]; c++) {
            out->id[c] = edges ? edge_row(m, edge_at(m, f, c)) : m->corner[c];
            if (edges)
                out->sign[c] = m->corner[c] > next(m, f, c);
        }
    }
}

/* Adds the pairs of one corner to those of a relation that sorts its rows. */
static void add_corner(const struct walk_mesh *m, const char *relation, int64_t f, int64_t c, uint64_t *pairs,
                       int64_t *n)
{
    const uint32_t a = m->corner[c], b = next(m, f, c), e = edge_row(m, edge_at(m, f, c));
    if (strcmp(relation, "VV") == 0) {
        pairs[(*n)++] = pair(a, b);
        pairs[(*n)++] = pair(b, a);
    } else if (strcmp(relation, "VE") == 0) {
        pairs[(*n)++] = pair(a, e);
        pairs[(*n)++] = pair(b, e);
    } else
        pairs[(*n)++] = pair(*relation == 'V' ? a : e, (uint64_t)f);
}

static void add_faces(const struct walk_rows *of_edges, uint64_t **pairs, int64_t *n)
{
    for (int pass = 0; pass < 2; pass++) {
        *n = 0;
        for (int64_t e = 0; e < of_edges->n; e++)
            for (int64_t i = of_edges->offset[e]; i < of_edges->offset[e + 1]; i++)
                for (int64_t k = of_edges->offset[e]; k < of_edges->offset[e + 1]; k++)
                    if (i != k && pass)
                        (*pairs)[(*n)++] = pair(of_edges->id[i], of_edges->id[k]);
                    else
                        *n += i != k;
        if (!pass)
            *pairs = take(*n, sizeof **pairs);
    }
}

/* All that is 1 to `ring` steps away, by steps over the rows of one step. */
static void widen(struct walk_rows *rows, int ring)
{
    int64_t n = 0, room = 1024;
    uint64_t *pairs = take(room, sizeof *pairs);
    int *seen = take(rows->n, sizeof *seen); /* The row + 1 by which an element was seen last. */
    uint32_t *front = take(rows->n, sizeof *front);
    for (int64_t row = 0; row < rows->n; row++) {
        int64_t begin = 0, end = 1;
        front[0] = (uint32_t)row;
        seen[row] = (int)row + 1;
        for (int step = 0; step < ring; step++) {
            const int64_t last = end;
            for (; begin < last; begin++)
                for (int64_t i = rows->offset[front[begin]]; i < rows->offset[front[begin] + 1]; i++)
                    if (seen[rows->id[i]] != (int)row + 1) {
                        seen[rows->id[i]] = (int)row + 1;
                        front[end++] = rows->id[i];
                    }
        }
        if (n + end > room)
            pairs = realloc(pairs, (size_t)(room = 2 * room + end) * sizeof *pairs);
        assert_non_null(pairs);
        for (int64_t i = 1; i < end; i++)
            pairs[n++] = pair((uint64_t)row, front[i]);
    }
    const int64_t n_rows = rows->n;
    walk_rows_free(rows);
    rows->n = n_rows;
    from_pairs(pairs, n, rows);
    free(pairs);
    free(seen);
    free(front);
}

void walk_relation(const struct walk_mesh *m, const char *relation, int ring, struct walk_rows *out)
{
    uint64_t *pairs = NULL;
    int64_t n = 0;
    *out = (struct walk_rows){.n = count_rows(m, relation[0])};
    if (relation[0] == 'F' && relation[1] != 'F')
        in_order(m, relation, out);
    else if (strcmp(relation, "EV") == 0)
        in_order(m, relation, out);
    else {
        const char *of_corners = strcmp(relation, "FF") == 0 ? "EF" : relation;
        pairs = take(2 * m->begin[m->n_faces], sizeof *pairs);
        for (int64_t f = 0; f < m->n_faces; f++)
            for (int64_t c = m->begin[f]; c < m->begin[f + 1]; c++)
                add_corner(m, of_corners, f, c, pairs, &n);
        if (of_corners != relation) {
            struct walk_rows of_edges = {.n = m->n_edges};
            from_pairs(pairs, n, &of_edges);
            free(pairs);
            add_faces(&of_edges, &pairs, &n);
            walk_rows_free(&of_edges);
        }
        from_pairs(pairs, n, out);
        free(pairs);
    }
    if (ring > 1)
        widen(out, ring);
}

static const Subdd__V1__Block *block_named(const Subdd__V1__FrameHeader *h, const char *name)
{
    for (size_t i = 0; i < h->n_blocks; i++)
        if (strcmp(h->blocks[i]->semantic, name) == 0)
            return h->blocks[i];
    return NULL;
}

void walk_frame(const struct answer *a, struct walk_rows *out)
{
    size_t at;
    Subdd__V1__FrameHeader *h = frame_header(a, &at);
    const Subdd__V1__Block *offsets = block_named(h, "offsets"), *ids = block_named(h, "ids"),
                           *signs = block_named(h, "signs");
    assert_true(offsets && ids);
    assert_string_equal(offsets->type, "u32");
    assert_int_equal(h->n_blocks, strcmp(h->relation, "FE") == 0 ? 3 : 2);
    for (size_t i = 0; i < h->n_blocks; i++) {
        const Subdd__V1__Block *b = h->blocks[i];
        assert_int_equal(b->offset, (at + 63) / 64 * 64);
        for (; at < b->offset; at++)
            assert_int_equal(a->body[at], 0);
        assert_int_equal(b->components, 1);
        assert_int_equal(b->stride, b == signs ? 1 : 4);
        assert_int_equal(b->bytes, b->count * b->stride);
        at += b->bytes;
    }
    assert_int_equal(at, a->bytes);
    *out = (struct walk_rows){.n = (int64_t)offsets->count - 1};
    out->offset = take(out->n, sizeof *out->offset);
    for (int64_t i = 0; i <= out->n; i++) {
        uint32_t offset;
        memcpy(&offset, a->body + offsets->offset + 4 * (size_t)i, 4);
        out->offset[i] = offset;
        assert_true(i == 0 ? offset == 0 : out->offset[i] >= out->offset[i - 1]);
    }
    assert_int_equal(out->offset[out->n], ids->count);
    out->id = take((int64_t)ids->count, sizeof *out->id);
    memcpy(out->id, a->body + ids->offset, ids->bytes);
    out->sign = signs ? take((int64_t)signs->count, 1) : NULL;
    if (signs)
        memcpy(out->sign, a->body + signs->offset, signs->bytes);
    subdd__v1__frame_header__free_unpacked(h, NULL);
}

void walk_rows_free(struct walk_rows *r)
{
    free(r->offset);
    free(r->id);
    free(r->sign);
    *r = (struct walk_rows){0};
}

void walk_same_row(const struct walk_rows *got, int64_t i, const struct walk_rows *due, int64_t k, const char *what)
{
    const int64_t n = due->offset[k + 1] - due->offset[k], at = got->offset[i], from = due->offset[k];
    if (got->offset[i + 1] - at != n ||
        (n && (!got->id || memcmp(got->id + at, due->id + from, (size_t)n * sizeof *due->id) != 0)) ||
        (n && due->sign && got->sign && memcmp(got->sign + at, due->sign + from, (size_t)n) != 0))
        fail_msg("%s: row %lld has %lld ids, beginning with %u; %lld are due, beginning with %u", what, (long long)i,
                 (long long)(got->offset[i + 1] - at), n && got->id ? got->id[at] : 0, (long long)n,
                 n ? due->id[from] : 0);
}

void walk_same(const struct walk_rows *got, const struct walk_rows *due, const char *what)
{
    if (got->n != due->n || !got->sign != !due->sign)
        fail_msg("%s: %lld rows, not %lld", what, (long long)got->n, (long long)due->n);
    for (int64_t i = 0; i < due->n; i++)
        walk_same_row(got, i, due, i, what);
}
