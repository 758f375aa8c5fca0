/* SPDX-License-Identifier: Apache-2.0 */
/* delta.c: finds what two frames have in common, for watchers (delta.h). */
#include "server/refine/delta.h"
#include "gpu/sdd/sdd_carry.h"
#include "proto/grid_rows.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define LEAST_RUN 4    /* A shorter run is not worth its copy. */
#define NEAR (1 << 17) /* Rows are looked for as far as this from where they were expected, and then everywhere. */
#define PROBES 8       /* How many windows of the same hash are kept, and looked at. */

struct run {
    uint32_t from, to, n;
};
struct part {
    enum delta_mode mode;
    const struct sdd_block *block;
    const unsigned char *changed;       /* What sdd_result_changed says of the block. */
    int64_t stride, n_runs, room, rows; /* rows: those that no run has. */
    struct run *runs;
    struct grid_rows grid;
    struct grid_quad *quads;
};

/* ---- rows that a block shares with that of the base -------------------------------------------------------------- */
struct rows {
    const unsigned char *at;
    int64_t n, stride;
    const unsigned char *changed; /* What sdd_result_changed says of them; or NULL. */
};

enum { CHANGED_PIECE = 1024 }; /* The bytes for each byte of `changed`. */

/* Whether it is known that `bytes` at `at` are those of the base. */
static bool is_kept(struct rows b, int64_t at, int64_t bytes)
{
    for (int64_t piece = at / CHANGED_PIECE; b.changed && piece <= (at + bytes - 1) / CHANGED_PIECE; piece++)
        if (b.changed[piece])
            return false;
    return b.changed;
}

static int64_t equal_rows(struct rows a, int64_t from, struct rows b, int64_t to)
{
    const int64_t stride = a.stride, most = a.n - from < b.n - to ? a.n - from : b.n - to, step = 64;
    const unsigned char *x = a.at + from * stride, *y = b.at + to * stride;
    int64_t n = 0;
    while (n + step <= most && ((from == to && is_kept(b, (to + n) * stride, step * stride)) ||
                                memcmp(x + n * stride, y + n * stride, (size_t)(step * stride)) == 0))
        n += step;
    while (n < most && memcmp(x + n * stride, y + n * stride, (size_t)stride) == 0)
        n++;
    return n;
}

/* Where in the base a window of rows lies: every `window` rows from the first on go into the table by their hash, once
 * they may be looked for. Edits shift rows by little, so most of a large base is never looked for. */
struct index {
    uint32_t *window_of; /* 1 + the number of the window; 0 where there is none. */
    size_t mask;
    int64_t window; /* Rows. */
    int64_t next;   /* The first window that is not in the table yet. */
    struct rows rows;
};

static bool index_make(struct index *x, struct rows base)
{
    size_t size = 16;
    *x = (struct index){.window = base.n > 65536 ? 16 : LEAST_RUN, .rows = base};
    while (size < 2 * (size_t)(base.n / x->window))
        size *= 2;
    x->mask = size - 1;
    x->window_of = calloc(size, sizeof *x->window_of);
    return x->window_of;
}

/* Rows before `least` are not looked for any more. */
static void index_reach(struct index *x, int64_t least, int64_t end)
{
    const int64_t bytes = x->window * x->rows.stride, first = least / x->window;
    x->next = x->next > first ? x->next : first;
    for (; x->next < (end < x->rows.n ? end : x->rows.n) / x->window; x->next++) {
        size_t at = XXH3_64bits(x->rows.at + x->next * bytes, (size_t)bytes) & x->mask;
        for (int p = 0; p < PROBES; p++, at = (at + 1) & x->mask)
            if (!x->window_of[at]) {
                x->window_of[at] = (uint32_t)x->next + 1;
                break;
            }
    }
}

/* The row of the base, from `least` on and nearest to `near`, at which the window at row `to` lies; -1 for none. */
static int64_t index_find(const struct index *x, struct rows b, int64_t to, int64_t least, int64_t near)
{
    const size_t bytes = (size_t)(x->window * b.stride);
    int64_t found = -1;
    if (to + x->window > b.n)
        return -1;
    size_t at = XXH3_64bits(b.at + to * b.stride, bytes) & x->mask;
    for (int p = 0; p < PROBES && x->window_of[at]; p++, at = (at + 1) & x->mask) {
        const int64_t from = ((int64_t)x->window_of[at] - 1) * x->window;
        if (from < least || (found >= 0 && llabs(from - near) >= llabs(found - near)))
            continue;
        if (memcmp(x->rows.at + from * b.stride, b.at + to * b.stride, bytes) == 0)
            found = from;
    }
    return found;
}

static bool add_run(struct part *p, int64_t from, int64_t to, int64_t n)
{
    if (p->n_runs == p->room) {
        const int64_t room = p->room ? 2 * p->room : 64;
        struct run *grown = realloc(p->runs, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        p->runs = grown;
        p->room = room;
    }
    p->runs[p->n_runs++] = (struct run){(uint32_t)from, (uint32_t)to, (uint32_t)n};
    p->rows -= n;
    return true;
}

/* Both ends of runs ascend, so that they can be moved within one buffer. Where the counts are equal, rows stay where
 * they are; else rows that were added or removed shift those behind them, and the index finds by how much. */
static int find_runs(struct part *p, struct rows a, struct rows b, struct sdd_error *err)
{
    struct index x = {0};
    int64_t to = 0, shift = 0, least = 0, free_from = 0;
    const bool moved = a.n != b.n && a.n;
    bool ok = !moved || index_make(&x, a);
    p->rows = b.n;
    while (ok && to < b.n) {
        if (to - (b.n - p->rows) >
            b.n / 2) { /* Most of it is new, so that looking for the rest costs more than it saves. */
            p->n_runs = 0;
            p->rows = b.n;
            break;
        }
        int64_t from = to + shift;
        int64_t n = from >= least && from < a.n ? equal_rows(a, from, b, to) : 0;
        if (n < LEAST_RUN && moved)
            index_reach(&x, least, to - free_from < NEAR ? to + shift + NEAR : a.n);
        if (n < LEAST_RUN && moved && (from = index_find(&x, b, to, least, to + shift)) >= 0) {
            while (from > least && to > free_from && equal_rows(a, from - 1, b, to - 1))
                from--, to--;
            n = equal_rows(a, from, b, to);
        }
        if (n < LEAST_RUN) {
            to++;
            continue;
        }
        ok = add_run(p, from, to, n);
        shift = from - to;
        to += n;
        least = from + n;
        free_from = to;
    }
    free(x.window_of);
    return ok ? SDD_OK : sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
}

/* ---- faces in grid order ----------------------------------------------------------------------------------------- */
/* The control mesh of other indices than those of the points: it has no holes that can be told, and its counts follow
 * from the first rows. Returns false when they do not. */
static bool count_grid(struct grid_rows *g, int64_t points)
{
    const int64_t m = (int64_t)1 << (g->level - 1), along = m - 1;
    const struct grid_quad *last = &g->quads[g->n_quads - 1];
    g->n_corners = (uint32_t)g->n_quads;
    g->n_vertices = g->quads[0].face;
    if (last->face < g->n_vertices)
        return false;
    g->n_faces = last->face - g->n_vertices + 1;
    const int64_t edges = points - g->n_vertices - g->n_faces - g->n_quads * along * m;
    g->n_edges = (uint32_t)(edges / (2 * m - 1));
    return edges >= 0 && edges % (2 * m - 1) == 0;
}

/* Whether the formulas give some points of each quad: those on its sides and inside that lie next to its corners. */
static bool check_grid(const struct grid_rows *g, const uint32_t (*faces)[4])
{
    const uint32_t m = (uint32_t)1 << (g->level - 1);
    for (int64_t first = 0, end; first < g->n_quads; first = end) {
        end = grid_face_end(g, first);
        for (int64_t k = first; k < end; k++) {
            const uint32_t(*at)[4] = faces + k * m * m, along = m - 1;
            const struct grid_sides s = grid_quad_sides(g, first, end, k);
            if (at[0][1] != s.bottom || at[0][3] != s.left || at[0][2] != s.inside ||
                at[m * along][2] != s.top + along - 1 || at[m * m - 1][1] != s.right)
                return false;
        }
    }
    return true;
}

/* Reads level 1 out of the faces of the level: the four cells at the corners of each quad have its corners. Indices
 * that are not in grid order, or that holes have left gaps in, are compared as rows like all else. */
static bool find_grid(struct part *p, int level, const uint32_t counts[4], int64_t points)
{
    const int64_t m = (int64_t)1 << (level - 1), n = p->block->count / (m * m);
    const uint32_t(*faces)[4] = p->block->data;
    struct grid_rows *g = &p->grid;
    if (level < 2 || p->block->components != 4 || !n || p->block->count % (m * m))
        return false;
    if (!(p->quads = malloc((size_t)n * sizeof *p->quads)))
        return false;
    *g = (struct grid_rows){counts[0], counts[1], counts[2], counts[3], level, n, p->quads};
    for (int64_t k = 0; k < n; k++, faces += m * m)
        p->quads[k] =
            (struct grid_quad){faces[0][0], faces[m - 1][1], faces[m * m - 1][2], faces[m * (m - 1)][3], (uint32_t)k};
    const bool of_points = p->block->semantic == SDD_INDICES;
    if (!of_points && !count_grid(g, points))
        return false;
    const int64_t along = m - 1;
    const int64_t inside =
        (int64_t)g->n_vertices + g->n_faces + g->n_edges + (2 * (int64_t)g->n_edges + g->n_corners) * along;
    faces = p->block->data;
    for (int64_t k = 0; k < n && of_points && n != g->n_corners; k++, faces += m * m)
        p->quads[k].corner = (uint32_t)((faces[0][2] - inside) / (along * along)); /* Holes leave numbers out. */
    return (int64_t)grid_rows_points(g) == points && grid_rows_fit(g) && check_grid(g, p->block->data);
}

/* ---- the delta --------------------------------------------------------------------------------------------------- */
static bool is_of_indices(const struct sdd_block *b)
{
    return b->semantic & (SDD_INDICES | SDD_UV_INDICES | SDD_NORMAL_INDICES | SDD_PRIMVAR_INDICES);
}

/* How many rows the indices of a block can name; 0 when their block is not in the frame. */
static int64_t points_of(const struct sdd_plan_info *plan, const struct sdd_block *b)
{
    const int of = b->semantic == SDD_INDICES          ? SDD_POSITIONS
                   : b->semantic == SDD_UV_INDICES     ? SDD_UVS
                   : b->semantic == SDD_NORMAL_INDICES ? SDD_NORMALS
                                                       : SDD_PRIMVARS;
    if (b->semantic == SDD_INDICES)
        return plan->n_vertices;
    for (int i = 0; i < plan->n_blocks; i++)
        if (plan->blocks[i].semantic == of && (of != SDD_PRIMVARS || plan->blocks[i].primvar == b->primvar))
            return plan->blocks[i].count;
    return 0;
}

static int make_part(struct part *p, const struct sdd_block *base, const struct sdd_plan_info *plan,
                     const struct sdd_block *b, int level, const uint32_t counts[4], struct sdd_error *err)
{
    p->block = b;
    p->mode = DELTA_SAME;
    if (base->bytes == b->bytes && base->digest == b->digest)
        return SDD_OK;
    p->mode = DELTA_GRID;
    if (base->count != b->count && is_of_indices(b) && find_grid(p, level, counts, points_of(plan, b)))
        return SDD_OK;
    p->mode = DELTA_ROWS;
    p->stride = b->count ? b->bytes / b->count : base->bytes / base->count;
    return find_runs(p, (struct rows){base->data, base->count, p->stride, NULL},
                     (struct rows){b->data, b->count, p->stride, p->changed}, err);
}

static int64_t part_bytes(const struct part *p)
{
    if (p->mode == DELTA_GRID)
        return DELTA_BLOCK_BYTES + DELTA_GRID_BYTES + p->grid.n_quads * (int64_t)sizeof *p->quads;
    return DELTA_BLOCK_BYTES + p->n_runs * DELTA_COPY_BYTES + (p->mode == DELTA_ROWS ? p->rows * p->stride : 0);
}

static unsigned char *put(unsigned char *to, const void *from, int64_t bytes)
{
    if (bytes)
        memcpy(to, from, (size_t)bytes);
    return to + bytes;
}

static unsigned char *put_part(unsigned char *to, const struct part *p)
{
    const int64_t rows = p->mode == DELTA_GRID ? p->grid.n_quads : p->mode == DELTA_ROWS ? p->rows : 0;
    const uint32_t head[2] = {p->mode, (uint32_t)p->n_runs};
    const unsigned char *data = p->block->data;
    int64_t at = 0;
    to = put(to, head, sizeof head);
    to = put(to, &rows, sizeof rows);
    if (p->mode == DELTA_GRID) {
        to = put(to, &p->grid, DELTA_GRID_BYTES);
        return put(to, p->quads, rows * (int64_t)sizeof *p->quads);
    }
    to = put(to, p->runs, p->n_runs * DELTA_COPY_BYTES);
    for (int64_t i = 0; i <= p->n_runs && p->mode == DELTA_ROWS; i++) {
        const int64_t end = i < p->n_runs ? p->runs[i].to : p->block->count;
        to = put(to, data + at * p->stride, (end - at) * p->stride);
        at = i < p->n_runs ? end + p->runs[i].n : end;
    }
    return to;
}

static bool are_alike(const struct sdd_plan_info *a, const struct sdd_plan_info *b)
{
    bool alike = a->n_blocks == b->n_blocks;
    for (int i = 0; i < a->n_blocks && alike; i++) {
        const struct sdd_block *x = &a->blocks[i], *y = &b->blocks[i];
        alike = x->semantic == y->semantic && x->format == y->format && x->components == y->components &&
                x->primvar == y->primvar && x->count <= UINT32_MAX && y->count <= UINT32_MAX && x->digest &&
                y->digest && memcmp(x->low, y->low, sizeof x->low) == 0 &&
                memcmp(x->high, y->high, sizeof x->high) == 0;
    }
    return alike;
}

static unsigned char *write_delta(const struct part *parts, int n, int64_t base_version, const struct payload *frame,
                                  int64_t bytes)
{
    const uint32_t head[2] = {(uint32_t)frame->head_bytes, 0};
    unsigned char *body = malloc((size_t)bytes), *to = body;
    if (!body)
        return NULL;
    to = put(to, &base_version, 8);
    to = put(to, &frame->bytes, 8);
    to = put(to, head, sizeof head);
    to = put(to, frame->head, (int64_t)frame->head_bytes);
    for (int i = 0; i < n; i++)
        to = put_part(to, &parts[i]);
    return body;
}

int delta_make(const struct cached *base, int64_t base_version, const struct cached *frame, int level,
               const uint32_t counts[4], unsigned char **body, int64_t *bytes, struct sdd_error *err)
{
    struct part parts[SDD_MAX_BLOCKS];
    int n = 0, rc = SDD_OK;
    *body = NULL;
    if (!base->result || !frame->result)
        return SDD_OK;
    const struct sdd_plan_info *a = &sdd_result_info(base->result)->plan, *b = &sdd_result_info(frame->result)->plan;
    if (!are_alike(a, b))
        return SDD_OK;
    *bytes = DELTA_HEAD_BYTES + (int64_t)frame->payload.head_bytes;
    for (; n < b->n_blocks && !rc; n++) {
        parts[n] = (struct part){.changed = sdd_result_changed(frame->result, base->result, n)};
        rc = make_part(&parts[n], &a->blocks[n], b, &b->blocks[n], level, counts, err);
        *bytes += part_bytes(&parts[n]);
    }
    if (!rc && *bytes < frame->payload.bytes && !(*body = write_delta(parts, n, base_version, &frame->payload, *bytes)))
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    while (n--) {
        free(parts[n].runs);
        free(parts[n].quads);
    }
    return rc;
}
