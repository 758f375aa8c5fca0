/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_market.c: writes a subdivision matrix as text in the Matrix Market format, for sdd_matrix.h, from the form
 * in which the matrix is applied. Every line has the same length, so that the size of the text is known before any
 * of it is made, and it is never held as a whole. The room stands on the matrices and on plans; nothing stands on
 * it. */
#include "gpu/engines/subdivision_matrix/subdivision_matrix.h"
#include "gpu/sdd/sdd_matrix.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_CHARS 15 /* The length of "-1.23456789e-01". */
#define LINE 128

struct sdd_matrix_text {
    struct sdd_matrix_info info;
    struct sdd_matrix m; /* Its arrays lie in `memory`. */
    char *memory;
    int row_chars, column_chars;
    int64_t row, term, rest; /* The next entry: its row, its term in ELL, and its place among the rest. */
    int64_t left;            /* Bytes of the text that are still to come. */
    char line[LINE];
    size_t line_bytes, taken; /* The bytes of the line, and how many of them the reader has. */
};

/* ---- text ------------------------------------------------------------------------------------------------------ */
static int digits_of(int64_t n)
{
    int digits = 1;
    while (n /= 10)
        digits++;
    return digits;
}

/* Writes `chars` characters: the number, and blanks behind it. */
static char *put_number(char *to, int64_t n, int chars)
{
    memset(to, ' ', (size_t)chars);
    for (char *at = to + digits_of(n); n; n /= 10)
        *--at = (char)('0' + n % 10);
    return to + chars;
}

/* Writes a weight like "% .8e", except that it may round a tie in the ninth digit the other way. */
static char *put_weight(char *to, float weight)
{
    static const double tens[] = {1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; /* All of these are exact. */
    const double w = fabs((double)weight);
    int down = 0;
    if (!(w >= 1e-14 && w < 10)) {
        (void)snprintf(to, WEIGHT_CHARS + 1, "% .8e", (double)weight);
        return to + WEIGHT_CHARS;
    }
    while (w * tens[down] < 1e8 - 0.5)
        down++;
    int64_t digits = llrint(w * tens[down]);
    memcpy(to, " 0.00000000e-00", WEIGHT_CHARS);
    for (int at = 10; at > 2; at--, digits /= 10)
        to[at] = (char)('0' + digits % 10);
    to[0] = weight < 0 ? '-' : ' ';
    to[1] = (char)('0' + digits);
    to[12] = down ? '-' : '+';
    to[13] = (char)('0' + down / 10);
    to[14] = (char)('0' + down % 10);
    return to + WEIGHT_CHARS;
}

/* Takes the next entry, which the caller knows to exist. */
static void next_entry(struct sdd_matrix_text *t, uint32_t *column, float *weight)
{
    const struct sdd_matrix *m = &t->m;
    for (;; t->row++, t->term = 0) {
        const int64_t at = t->term * m->n_rows + t->row;
        if (t->term < m->k && m->ell_column[at] != SDD_NONE) {
            t->term++;
            *column = m->ell_column[at] & ~SDD_ELL_MORE;
            *weight = m->ell_weight[at];
            return;
        }
        if (t->rest < m->n_rest && (m->row ? m->row[t->rest] == t->row : t->rest < m->end[t->row])) {
            *column = m->column[t->rest];
            *weight = m->weight[t->rest++];
            return;
        }
    }
}

static void put_entry(struct sdd_matrix_text *t)
{
    uint32_t column;
    float weight;
    next_entry(t, &column, &weight);
    char *at = put_number(t->line, t->row + 1, t->row_chars + 1);
    at = put_weight(put_number(at, (int64_t)column + 1, t->column_chars + 1), weight);
    *at++ = '\n';
    t->line_bytes = (size_t)(at - t->line);
}

static size_t put_head(char line[LINE], const struct sdd_matrix_info *i)
{
    return (size_t)snprintf(line, LINE, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
                            (long long)i->n_rows, (long long)i->n_columns, (long long)i->n_entries);
}

static int64_t text_bytes(const struct sdd_matrix_info *i)
{
    char head[LINE];
    return (int64_t)put_head(head, i) +
           i->n_entries * (digits_of(i->n_rows) + digits_of(i->n_columns) + WEIGHT_CHARS + 3);
}

size_t sdd_matrix_read(sdd_matrix_text *t, void *out, size_t max)
{
    char *to = out;
    size_t room = max;
    while (room && t->left) {
        if (t->taken == t->line_bytes) {
            put_entry(t);
            t->taken = 0;
        }
        size_t n = t->line_bytes - t->taken < room ? t->line_bytes - t->taken : room;
        memcpy(to, t->line + t->taken, n);
        to += n;
        room -= n;
        t->taken += n;
        t->left -= (int64_t)n;
    }
    return max - room;
}

/* ---- from the device ------------------------------------------------------------------------------------------- */
/* Downloads the matrix to host memory. Its arrays keep their offsets in the allocation. */
static int bring(sdd_device *d, const struct matrix *m, sdd_matrix_text *t, struct sdd_error *err)
{
    t->memory = malloc((size_t)m->memory.bytes + 1);
    if (!t->memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a matrix of %lld bytes", (long long)m->memory.bytes);
    dev_download(d, t->memory, m->memory.memory, m->memory.bytes);
    t->m = m->m;
#define MOVE(array)                                                                                                    \
    (t->m.array = t->m.array ? (void *)(t->memory + ((char *)(uintptr_t)t->m.array - (char *)m->memory.memory)) : NULL)
    MOVE(ell_column);
    MOVE(ell_weight);
    MOVE(row);
    MOVE(end);
    MOVE(column);
    MOVE(weight);
#undef MOVE
    t->info.host_bytes = m->memory.bytes;
    return dev_finish(d, err);
}

static int within(const struct sdd_matrix_info *i, const char *least, const struct sdd_matrix_request *r,
                  struct sdd_error *err)
{
    const int64_t bytes = text_bytes(i);
    if (!r->max_bytes || bytes <= r->max_bytes)
        return SDD_OK;
    (void)sdd_fail(err, SDD_ETOO_LARGE, "max_bytes", "the text of the matrix has %s%lld bytes; %lld are allowed", least,
                   (long long)bytes, (long long)r->max_bytes);
    err->needed = bytes;
    err->available = r->max_bytes;
    return SDD_ETOO_LARGE;
}

static int check(const sdd_topology *t, const struct sdd_matrix_request *r, const struct sdd_refine_request *refine,
                 struct sdd_matrix_info *out, struct sdd_error *err)
{
    const int tangents = r->what != SDD_MATRIX_OF_POINTS;
    sdd_plan *plan;
    if (r->what < SDD_MATRIX_OF_POINTS || r->what > SDD_MATRIX_OF_TANGENT_2)
        return sdd_fail(err, SDD_EINVALID, "what", "there is no matrix %d", r->what);
    if (tangents && r->surface == SDD_SURFACE_REFINED)
        return sdd_fail(err, SDD_EINVALID, "surface", "tangents are the limit surface's; ask for surface=limit");
    int rc = sdd_plan_create_for_topology(t, refine, &plan, err);
    if (rc)
        return rc;
    *out = (struct sdd_matrix_info){.n_rows = sdd_plan_info(plan)->n_vertices, .n_columns = t->info.n_vertices};
    sdd_plan_free(plan);
    if (tangents && t->scheme->is_linear)
        return sdd_fail(err, SDD_EUNSUPPORTED, "what", "scheme bilinear has no tangent masks");
    out->n_entries = tangents ? 0 : out->n_rows; /* A point has at least one entry. */
    return within(out, "at least ", r, err);
}

int sdd_matrix_open(sdd_topology *t, const struct sdd_matrix_request *r, sdd_matrix_text **out, struct sdd_error *err)
{
    const int tangents = r->what != SDD_MATRIX_OF_POINTS;
    const struct sdd_refine_request refine = {.level = r->level,
                                              .surface = r->surface,
                                              .include = tangents ? SDD_TANGENTS : SDD_POSITIONS,
                                              .method = MATRIX_METHOD};
    struct sdd_error own = {0};
    sdd_matrix_text *text = calloc(1, sizeof *text);
    *out = NULL;
    err = err ? err : &own;
    int rc = text ? check(t, r, &refine, &text->info, err) : sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    if (!rc)
        rc = matrices_prepare(t, NULL, &refine,
                              tangents ? 1u << MATRIX_TANGENTS_1 | 1u << MATRIX_TANGENTS_2 : 1u << r->surface,
                              r->cancel, err);
    const struct matrix *m = NULL;
    if (!rc) {
        m = matrices_of(t, NULL)->of + (tangents ? MATRIX_TANGENTS_1 + r->what - SDD_MATRIX_OF_TANGENT_1 : r->surface);
        text->info.n_entries = m->n_entries; /* NOLINT: without a text, rc is set. */
        rc = within(&text->info, "", r, err);
    }
    if (!rc)
        rc = bring(t->device, m, text, err);
    if (rc) {
        sdd_matrix_close(text);
        return rc;
    }
    text->info.text_bytes = text->left = text_bytes(&text->info);
    text->line_bytes = put_head(text->line, &text->info);
    text->row_chars = digits_of(text->info.n_rows);
    text->column_chars = digits_of(text->info.n_columns);
    *out = text;
    return SDD_OK;
}

const struct sdd_matrix_info *sdd_matrix_info(const sdd_matrix_text *t)
{
    return &t->info;
}

void sdd_matrix_close(sdd_matrix_text *t)
{
    if (t)
        free(t->memory);
    free(t);
}
