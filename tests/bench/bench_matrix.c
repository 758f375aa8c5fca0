/* SPDX-License-Identifier: Apache-2.0 */
/* bench_matrix.c: the forms of a subdivision matrix side by side: compressed rows, and ELL of k terms with COO for the
 * rest, for every k around the one that the model says: bytes, time of a product with the points, and against what a
 * copy moves in the same run; which k the model says and which the search takes. Then wider right-hand sides: one pass
 * over the matrix for up to eight floats a row, against passes of three. And what building takes.
 *
 * SUBDD_TEST_BACKEND=cuda leaves the CPU out. Real meshes come from $SUBDD_SHARED/data. Medians of 9. Checked: every
 * form and width gives the bits of the frame. */
#include "gpu/engines/subdivision_matrix/internal.h"
#include "gpu/mesh/mesh.h"
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 9, BESIDE = 3, MOST_WIDTH = 16 };

static const struct row {
    const char *file;
    int nx, ny, level, scheme;
} rows[] = {{"spot_quadrangulated", 61, 48, 5, SDD_SCHEME_CATMULL_CLARK},
            {"spot_quadrangulated", 61, 48, 6, SDD_SCHEME_CATMULL_CLARK},
            {"beast", 186, 174, 4, SDD_SCHEME_CATMULL_CLARK},
            {NULL, 60, 50, 3, SDD_SCHEME_CATMULL_CLARK},
            {"spot_quadrangulated", 61, 48, 5, SDD_SCHEME_LOOP}};

struct bench {
    sdd_device *d;
    struct sdd_device_info info;
    double copy; /* GB/s */
    char label[96];
    struct device_block x, y; /* for rows of MOST_WIDTH floats */
    float *got, *want;        /* [n_rows * MOST_WIDTH] */
    int64_t n_columns;
};

static void must(int rc, const struct sdd_error *err)
{
    if (rc)
        oracle_die("%s", err->text);
}

/* Compressed rows of what the engine keeps, on the device. */
static struct csr unpack(struct bench *b, const struct matrix *m)
{
    const struct sdd_matrix *at = &m->m;
    struct csr out = {.n_rows = at->n_rows, .n_entries = m->n_entries};
    struct sdd_error err = {0};
    char *host = xalloc(m->memory.bytes, 1), *base = m->memory.memory;
    int32_t *end = xalloc(at->n_rows, sizeof *end);
    uint32_t *column = xalloc(m->n_entries, sizeof *column);
    double *weight = xalloc(m->n_entries, sizeof *weight);
    dev_download(b->d, host, base, m->memory.bytes);
    must(dev_finish(b->d, &err), &err);
#define HOST(array) ((void *)(host + ((const char *)(array)-base)))
    const int by_row = at->row != NULL;
    const uint32_t *ell = HOST(at->ell_column), *row = by_row ? HOST(at->row) : NULL, *rest = HOST(at->column);
    const float *ell_weight = HOST(at->ell_weight), *rest_weight = HOST(at->weight);
    const int32_t *rest_end = by_row ? NULL : HOST(at->end);
#undef HOST
    int64_t n = 0, k = 0;
    for (int64_t i = 0; i < at->n_rows; end[i++] = (int32_t)n) {
        for (int64_t j = i; j < at->k * at->n_rows && ell[j] != SDD_NONE; j += at->n_rows, n++)
            column[n] = ell[j] & ~SDD_ELL_MORE, weight[n] = (double)ell_weight[j];
        for (; k < at->n_rest && (by_row ? row[k] == i : k < rest_end[i]); k++, n++)
            column[n] = rest[k], weight[n] = (double)rest_weight[k];
    }
    must(block_take(b->d, out.n_rows * (int64_t)sizeof *end, &out.ends, &err), &err);
    must(block_take(b->d, n * (int64_t)(sizeof *column + sizeof *weight), &out.entries, &err), &err);
    out.end = out.ends.memory;
    out.weight = out.entries.memory;
    out.column = (uint32_t *)(out.weight + n);
    dev_upload(b->d, out.end, end, out.n_rows * (int64_t)sizeof *end);
    dev_upload(b->d, out.weight, weight, n * (int64_t)sizeof *weight);
    dev_upload(b->d, out.column, column, n * (int64_t)sizeof *column);
    must(dev_finish(b->d, &err), &err);
    free(host), free(end), free(column), free(weight);
    return out;
}

/* As matrix_rows before it was wide. */
static void passes_of_three(sdd_device *d, const struct matrix *m, int width, const float *x, int64_t n, float *y)
{
    for (int k = 0; k < width; k += 3) {
        struct matrix_apply_args a = {m->m, x + k, y + k, {width - k < 3 ? width - k : 3, width}, 0};
        DEV_LAUNCH(d, matrix_apply, &a, n);
    }
}

/* ms; component c of a row has what component c % 3 of the point makes. */
static double product(struct bench *b, const struct matrix *m, int width, int wide)
{
    const int64_t n = m->m.n_rows;
    struct sdd_error err = {0};
    double ms[RUNS];
    for (int i = 0; i < RUNS; i++) {
        dev_mark(b->d, 0);
        if (wide)
            matrix_rows(b->d, m, width, b->x.memory, 0, n, b->y.memory);
        else
            passes_of_three(b->d, m, width, b->x.memory, n, b->y.memory);
        dev_mark(b->d, 1);
        ms[i] = dev_elapsed(b->d, 0, 1) * 1e3;
    }
    dev_download(b->d, b->got, b->y.memory, n * width * (int64_t)sizeof *b->got);
    must(dev_finish(b->d, &err), &err);
    for (int64_t i = 0; i < n * width; i++)
        if (memcmp(b->got + i, b->want + 3 * (i / width) + i % width % 3, sizeof *b->got) != 0)
            oracle_die("%s: another value in row %lld, width %d, k %d", b->label, (long long)(i / width), width,
                       m->m.k);
    return median(ms, RUNS);
}

static void set_width(struct bench *b, const float *points, int width)
{
    float *x = xalloc(b->n_columns * width, sizeof *x);
    struct sdd_error err = {0};
    for (int64_t i = 0; i < b->n_columns * width; i++)
        x[i] = points[3 * (i / width) + i % width % 3];
    dev_upload(b->d, b->x.memory, x, b->n_columns * width * (int64_t)sizeof *x);
    must(dev_finish(b->d, &err), &err);
    free(x);
}

static void form(struct bench *b, const struct csr *from, int k, const char *note)
{
    struct matrix m = {.n_entries = from->n_entries};
    struct sdd_error err = {0};
    must(matrix_pack_as(b->d, from, k, &m, &err), &err);
    const double ms = product(b, &m, 3, 1);
    const double rate = (double)(m.memory.bytes + 12 * (b->n_columns + from->n_rows)) / ms * 1e-6;
    char name[16] = "CSR";
    if (k >= 0)
        snprintf(name, sizeof name, "k = %d", k);
    printf("    %-8s %9.1f MB %6.1f %% in ELL %9.4f ms %8.1f GB/s %6.1f %%  %s\n", name, (double)m.memory.bytes * 1e-6,
           100 - 100 * (double)m.m.n_rest / (double)from->n_entries, ms, rate, 100 * rate / b->copy, note);
    printf("{\"bench\":\"matrix\",\"device\":\"%s\",\"mesh\":\"%s\",\"k\":%d,\"bytes\":%lld,\"ms\":%.5f,"
           "\"gb_per_s\":%.1f,\"copy_gb_per_s\":%.1f,\"note\":\"%s\"}\n",
           b->info.name, b->label, k, (long long)m.memory.bytes, ms, rate, b->copy, note);
    block_give(b->d, &m.memory);
}

static void forms(struct bench *b, const struct csr *from, const struct matrix *taken)
{
    const int chosen = taken->m.row ? taken->m.k : MATRIX_COMPRESSED;
    struct sdd_error err = {0};
    int model = 0;
    must(matrix_model(b->d, from, &model, &err), &err);
    const int low = model > BESIDE ? model - BESIDE : 1;
    form(b, from, MATRIX_COMPRESSED, chosen == MATRIX_COMPRESSED ? "taken" : "");
    for (int k = low; k <= model + BESIDE; k++)
        form(b, from, k,
             k == model && k == chosen ? "the model's, and taken"
             : k == model              ? "the model's"
             : k == chosen             ? "taken"
                                       : "");
}

static void widths(struct bench *b, const struct matrix *m, const float *points)
{
    static const int each[] = {2, 3, 4, 5, 6, 8, 12, 16};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        set_width(b, points, each[i]);
        const double wide = product(b, m, each[i], 1), narrow = product(b, m, each[i], 0);
        printf("    %2d floats %9.4f ms, in passes of three %9.4f ms: %.2fx\n", each[i], wide, narrow, narrow / wide);
        printf("{\"bench\":\"matrix\",\"device\":\"%s\",\"mesh\":\"%s\",\"width\":%d,\"ms\":%.5f,\"threes_ms\":%.5f}\n",
               b->info.name, b->label, each[i], wide, narrow);
    }
}

/* The frame itself is what all products must be. */
static void take_frame(struct bench *b, sdd_mesh *mesh, const struct sdd_refine_request *r)
{
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    must(refine_once(mesh, r, &result, &err), &err);
    const struct sdd_block *block = sdd_result_info(result)->plan.blocks;
    b->want = xalloc(3 * block->count, sizeof *b->want);
    b->got = xalloc(MOST_WIDTH * block->count, sizeof *b->got);
    memcpy(b->want, block->data, (size_t)block->bytes);
    must(block_take(b->d, b->n_columns * MOST_WIDTH * (int64_t)sizeof(float), &b->x, &err), &err);
    must(block_take(b->d, block->count * MOST_WIDTH * (int64_t)sizeof(float), &b->y, &err), &err);
    sdd_result_free(result);
}

static void measure(struct bench *b, const struct row *row)
{
    struct bench_mesh m;
    struct triangles cut = {0};
    struct sdd_error err = {0};
    const struct sdd_refine_request r = {.level = row->level, .include = SDD_POSITIONS, .method = "subdivision-matrix"};
    sdd_topology *t = NULL;
    sdd_mesh *mesh = NULL;
    bench_mesh_open(&m, row->file, row->nx, row->ny);
    m.desc.options.scheme = row->scheme;
    if (row->scheme == SDD_SCHEME_LOOP)
        cut = triangles_cut(&m.desc);
    snprintf(b->label, sizeof b->label, "%s%s to level %d", m.name, row->scheme == SDD_SCHEME_LOOP ? ", loop" : "",
             row->level);
    must(sdd_topology_create(b->d, &m.desc, &t, &err), &err);
    must(sdd_mesh_create(t, m.points, NULL, &mesh, &err), &err);
    b->n_columns = m.desc.n_vertices;
    const double start = now_ms();
    must(prepare_once(mesh, &r, NULL, &err), &err);
    const double built = now_ms() - start;
    take_frame(b, mesh, &r);
    const struct matrix *taken = matrices_of(t, NULL)->of + MATRIX_POINTS;
    printf("  %s: %lld rows, %lld entries, built and tried in %.1f ms\n", b->label, (long long)taken->m.n_rows,
           (long long)taken->n_entries, built);
    printf("{\"bench\":\"matrix\",\"device\":\"%s\",\"mesh\":\"%s\",\"rows\":%lld,\"entries\":%lld,"
           "\"build_ms\":%.3f}\n",
           b->info.name, b->label, (long long)taken->m.n_rows, (long long)taken->n_entries, built);
    struct csr from = unpack(b, taken);
    set_width(b, m.points, 3);
    forms(b, &from, taken);
    widths(b, taken, m.points);
    block_give(b->d, &from.ends), block_give(b->d, &from.entries);
    block_give(b->d, &b->x), block_give(b->d, &b->y);
    free(b->got), free(b->want);
    sdd_mesh_free(mesh);
    sdd_topology_unref(t);
    triangles_free(&cut);
    bench_mesh_close(&m);
}

static void device_rows(const char *backend)
{
    const struct sdd_device_config config = {.backend = backend, .module_path = test_module_path(), .threads = 0};
    const char *only = getenv("SUBDD_TEST_BACKEND");
    struct sdd_error err = {0};
    struct bench b = {0};
    if (only && *only && strcmp(only, backend) != 0)
        return;
    if (sdd_device_open(&config, &b.d, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    sdd_device_info(b.d, &b.info);
    b.copy = device_bandwidth(b.d, (int64_t)1 << 30).copy;
    printf("%s: copy %.1f GB/s\n", b.info.name, b.copy);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&b, rows + i);
    sdd_device_close(b.d);
}

int main(void)
{
    device_rows("cpu");
    device_rows("cuda");
    return 0;
}
