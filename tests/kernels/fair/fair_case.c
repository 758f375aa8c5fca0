/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double unit(uint64_t *random)
{
    return 2.0 * (double)random_unit(random) - 1.0;
}

double *fair_random(int64_t n, uint64_t seed)
{
    double *p = malloc((size_t)n * sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++)
        p[i] = unit(&seed);
    return p;
}

static void make_sheet(struct fair_case *c, uint64_t *random)
{
    uint32_t *t = c->triangle;
    for (uint32_t i = 0; i < CASE_ROWS; i++) {
        const uint32_t row = i / CASE_SIDE;
        double *p = c->points + 4 * i;
        p[0] = 0;
        p[1] = (double)(i % CASE_SIDE) + 0.2 * unit(random);
        p[2] = (double)row + 0.2 * unit(random);
        p[3] = 3.0 * sin(0.3 * p[1]) * cos(0.2 * p[2]) + 0.2 * unit(random);
        c->rho[i] = unit(random);
        c->mass[i] = 1.5 + unit(random);
        for (uint32_t k = 0; k < 4; k++)
            c->lambda[4 * i + k] = unit(random);
    }
    for (uint32_t y = 0; y + 1 < CASE_SIDE; y++)
        for (uint32_t x = 0; x + 1 < CASE_SIDE; x++, t += 6) {
            const uint32_t v = y * CASE_SIDE + x, up = v + CASE_SIDE;
            const uint32_t two[6] = {v, v + 1, up + 1, v, up + 1, up};
            memcpy(t, two, sizeof two);
        }
}

/* Looks at all triangles for each entry. */
static void make_pattern(struct fair_case *c)
{
    uint32_t n_terms = 0;
    c->n_entries = 0;
    for (uint32_t i = 0; i < CASE_ROWS; i++) {
        c->row[i] = c->n_entries;
        c->rim[i] = i % CASE_SIDE == 0 || i % CASE_SIDE == CASE_SIDE - 1 || i < CASE_SIDE || i >= CASE_ROWS - CASE_SIDE;
        for (uint32_t j = 0; j < CASE_ROWS; j++) {
            const uint32_t before = n_terms;
            for (uint32_t k = 0; k < CASE_TERMS; k++)
                if (c->triangle[k / 9 * 3 + k % 9 / 3] == i && c->triangle[k / 9 * 3 + k % 3] == j)
                    c->term[n_terms++] = k;
            if (n_terms == before)
                continue;
            if (i == j)
                c->diagonal[i] = c->n_entries;
            c->begin[c->n_entries] = before;
            c->column[c->n_entries++] = j;
        }
    }
    c->row[CASE_ROWS] = c->n_entries;
    c->begin[c->n_entries] = n_terms;
}

void fair_case_make(struct fair_case *c, uint64_t seed)
{
    make_sheet(c, &seed);
    make_pattern(c);
}

struct fair_mesh fair_case_mesh(const struct fair_case *c)
{
    return (struct fair_mesh){launch_in(c->triangle, CASE_TRIANGLES, 3 * sizeof *c->triangle),
                              launch_in(c->row, CASE_ROWS + 1, sizeof *c->row),
                              launch_in(c->column, c->n_entries, sizeof *c->column),
                              launch_in(c->begin, c->n_entries + 1, sizeof *c->begin),
                              launch_in(c->term, CASE_TERMS, sizeof *c->term),
                              launch_in(c->diagonal, CASE_ROWS, sizeof *c->diagonal),
                              launch_in(c->rim, CASE_ROWS, sizeof *c->rim)};
}

void fair_near(const double *device, const double *want, int64_t n, double scale, const char *what)
{
    const double *got = launch_got(device);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-12 * scale))
            fail_msg("%s: number %lld is %.17g and not %.17g", what, (long long)i, got[i], want[i]);
}

struct oracle_triangle oracle_triangle_of(const uint32_t *v, const double *points)
{
    struct oracle_triangle t;
    double length[3];
    for (int j = 0; j < 3; j++) {
        length[j] = 0;
        for (uint32_t c = 0; c < 3; c++) {
            t.edge[j][c] = points[4 * v[(j + 2) % 3] + 1 + c] - points[4 * v[(j + 1) % 3] + 1 + c];
            length[j] += t.edge[j][c] * t.edge[j][c];
        }
        length[j] = sqrt(length[j]);
    }
    for (int j = 0; j < 3; j++) { /* The law of cosines. */
        const double a = length[j], b = length[(j + 1) % 3], c = length[(j + 2) % 3];
        t.angle[j] = acos((b * b + c * c - a * a) / (2 * b * c));
        t.cotangent[j] = 1 / tan(t.angle[j]);
    }
    t.area = length[0] * length[1] * sin(t.angle[2]) / 2;
    for (int c = 0; c < 3; c++)
        t.normal[c] =
            (t.edge[0][(c + 1) % 3] * t.edge[1][(c + 2) % 3] - t.edge[0][(c + 2) % 3] * t.edge[1][(c + 1) % 3]) /
            (2 * t.area);
    return t;
}

void oracle_left(const double q[4], double out[4][4])
{
    const double m[4][4] = {
        {q[0], -q[1], -q[2], -q[3]}, {q[1], q[0], -q[3], q[2]}, {q[2], q[3], q[0], -q[1]}, {q[3], -q[2], q[1], q[0]}};
    memcpy(out, m, sizeof m);
}
