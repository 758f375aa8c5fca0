/* SPDX-License-Identifier: Apache-2.0 */
/* spla.dev.h: sparse matrices in compressed columns, and the action maps that stand for their values in a product
 * (Mlakar 2018, chapter 3). The mesh matrix has a column for each face and a row for each vertex; its value is the
 * vertex's position in the face's cyclic order. Positions are counted from 0 here, from 1 in the thesis. */
#ifndef SDD_SPLA_H
#define SDD_SPLA_H
#include "gpu/kernel/kernel.h"

/* Column k has the entries [ptr[k], ptr[k + 1]). A matrix whose columns are stored in cyclic order needs no values, and
 * one whose columns are all of one size needs no pointers; that is the reduced form of section 5.1. */
struct sdd_spla {
    int32_t *ptr;  /* Shape [n_cols + 1]; NULL where every column has `size` entries. */
    uint32_t *rid; /* Shape [n_entries]: the row of each entry; NULL where it is the entry's number. */
    int32_t *val;  /* Shape [n_entries]; NULL where it is the entry's position in the column. */
    uint32_t n_rows, n_cols, n_entries;
    int32_t size;
};

SDD_FN uint32_t sdd_spla_first(const struct sdd_spla *m, uint32_t k)
{
    return m->ptr ? (uint32_t)m->ptr[k] : k * (uint32_t)m->size;
}

SDD_FN int32_t sdd_spla_size(const struct sdd_spla *m, uint32_t k)
{
    return m->ptr ? m->ptr[k + 1] - m->ptr[k] : m->size;
}

SDD_FN uint32_t sdd_spla_row(const struct sdd_spla *m, uint32_t z)
{
    return m->rid ? m->rid[z] : z;
}

/* The value of entry z, whose column begins at entry `first`. */
SDD_FN int32_t sdd_spla_value(const struct sdd_spla *m, uint32_t first, uint32_t z)
{
    return m->val ? m->val[z] : (int32_t)(z - first);
}

/* The column of entry z: the last column that begins at or before z and is not empty. */
SDD_FN uint32_t sdd_spla_column(const struct sdd_spla *m, uint32_t z)
{
    uint32_t low = 0, high = m->n_cols;
    if (!m->ptr)
        return z / (uint32_t)m->size;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((uint32_t)m->ptr[middle] <= z)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The entry (row, k) of a matrix whose columns hold ascending rows, or SDD_NONE if it is zero. */
SDD_FN uint32_t sdd_spla_find(const struct sdd_spla *m, uint32_t row, uint32_t k)
{
    uint32_t low = sdd_spla_first(m, k), end = low + (uint32_t)sdd_spla_size(m, k), high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sdd_spla_row(m, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && sdd_spla_row(m, low) == row ? low : SDD_NONE;
}

/* The maps of a product with a vector: what weight stands for a value. */
enum sdd_weigh {
    SDD_WEIGH_ALL,    /* Every value is mapped to w[0]. */
    SDD_WEIGH_MEAN,   /* Every value is mapped to 1 / (entries of the column). */
    SDD_WEIGH_VALUES, /* Value v is mapped to w[v], 0 <= v < 4. */
    /* Every value in column k is mapped to by_column[k], as val_i -> 1 / n_i where columns are vertices. */
    SDD_WEIGH_COLUMNS
};

struct sdd_weights {
    int32_t kind;
    double w[4];
    const double *by_column;
};

/* The weight of a value in column k of n entries. */
SDD_FN double sdd_weight(const struct sdd_weights *m, int32_t value, uint32_t k, int32_t n)
{
    return m->kind == SDD_WEIGH_VALUES    ? m->w[value]
           : m->kind == SDD_WEIGH_MEAN    ? 1.0 / (double)n
           : m->kind == SDD_WEIGH_COLUMNS ? m->by_column[k]
                                          : m->w[0];
}

/* The maps of a product of matrices: a small matrix Q over pairs of values. */
enum sdd_action {
    /* The sum of circulant powers Q_n^p (3.5), where n is the face's size, so Q^-1 = Q_n^(n-1). */
    SDD_ACTION_POWERS,
    SDD_ACTION_DIAGONAL, /* Q_d (3.8) is 1 across a face of four corners. */
    SDD_ACTION_TABLE     /* Q(i, j) is table[i * size + j]. */
};

struct sdd_map {
    int32_t kind, n_powers, powers[2];
    const int32_t *table; /* Shape [size][size]. */
    int32_t size;
};

/* Position i of a cycle of n, rotated by p. */
SDD_FN int32_t sdd_rotated(int32_t i, int32_t p, int32_t n)
{
    return ((i + p) % n + n) % n;
}

/* Q(i, j) for two values of a face of n corners. */
SDD_FN int32_t sdd_map_at(const struct sdd_map *q, int32_t i, int32_t j, int32_t n)
{
    int32_t sum = 0;
    if (q->kind == SDD_ACTION_TABLE)
        return i < q->size && j < q->size ? q->table[i * q->size + j] : 0;
    if (q->kind == SDD_ACTION_DIAGONAL)
        return n == 4 && sdd_rotated(i, 2, 4) == j;
    for (int32_t k = 0; k < q->n_powers; k++)
        sum += sdd_rotated(i, q->powers[k], n) == j;
    return sum;
}

/* What an entry of a product becomes where values collide: gamma of section 4.1.2. */
enum sdd_gamma {
    /* The sum of the map's values, for E, where 1 is a boundary edge and 2 an inner one. */
    SDD_GAMMA_SUM,
    SDD_GAMMA_OR,  /* The bitwise or of the map's values. */
    SDD_GAMMA_FACE /* The column k of the first collision, for F (4.7). */
};

/* C = A [Q, gamma] B^T. Entry (i, j) of C gathers all pairs A(i, k), B(j, k) with Q(A(i, k), B(j, k)) != 0. A and B
 * have the same columns. The candidates of an entry of B are the entries of A's column that it may meet: all of them
 * or, where A is in cyclic order and Q is a sum of circulants, those of the map's evaluation pattern (section 5.2). */
struct sdd_product {
    struct sdd_spla a, b;
    struct sdd_map q;
    int32_t gamma;
};

SDD_FN int32_t sdd_product_pattern(const struct sdd_product *p)
{
    return !p->a.val && p->q.kind == SDD_ACTION_POWERS;
}

SDD_FN int32_t sdd_product_width(const struct sdd_product *p, uint32_t k)
{
    int32_t n = sdd_spla_size(&p->a, k);
    return n > 0 && sdd_product_pattern(p) ? p->q.n_powers : n;
}

/* Candidate t of entry z in B's column k: returns Q's value if it is not 0, and the entry of A in *w; else returns
 * 0. */
SDD_FN int32_t sdd_product_meet(const struct sdd_product *p, uint32_t k, uint32_t z, int32_t t, uint32_t *w)
{
    uint32_t first = sdd_spla_first(&p->a, k);
    int32_t n = sdd_spla_size(&p->a, k), value = sdd_spla_value(&p->b, sdd_spla_first(&p->b, k), z);
    if (!sdd_product_pattern(p)) {
        *w = first + (uint32_t)t;
        return sdd_map_at(&p->q, sdd_spla_value(&p->a, first, *w), value, n);
    }
    int32_t i = sdd_rotated(value, -p->q.powers[t], n);
    *w = first + (uint32_t)i;
    for (int32_t s = 0; s < t; s++) /* In a face of n corners two powers may be the same one, which is met once. */
        if (sdd_rotated(value, -p->q.powers[s], n) == i)
            return 0;
    return sdd_map_at(&p->q, i, value, n);
}
#endif
