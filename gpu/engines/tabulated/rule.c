/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c: the decay of sharpness and the blending of rules, for class.c and tri_class.c, which make tables. */
#include "gpu/engines/tabulated/rule.h"
#include "gpu/rules/crease_rule.h"
#include <math.h>

int table_rule_ends(const struct table_class *c)
{
    return c->n + c->open;
}

double table_rule_share(float s)
{
    return sdd_decay(s) > 0.0f ? 1.0 : (double)s;
}

struct table_class table_rule_next(const struct table_class *c)
{
    struct table_class d = *c;
    d.vertex = sdd_decay(c->vertex);
    for (int i = 0; i < table_rule_ends(c); i++)
        d.edge[i] = sdd_decay(c->edge[i]);
    return d;
}

static int n_sharp(const struct table_class *c, int *semisharp)
{
    int n = 0;
    *semisharp = 0;
    for (int i = 0; i < table_rule_ends(c); i++) {
        n += c->edge[i] > 0.0f;
        *semisharp += sdd_is_semisharp(c->edge[i]);
    }
    return n;
}

int table_rule_goes_on(const struct table_class *c, int *left)
{
    int semisharp, n = n_sharp(c, &semisharp);
    if (c->vertex >= 10.0f)
        return 0;
    return c->vertex > 0.0f || semisharp || (n == 1 && (*left)-- > 0);
}

struct table_class table_rule_last(const struct table_class *c)
{
    struct table_class last = *c;
    int none = 0;
    while (table_rule_goes_on(&last, &none))
        last = table_rule_next(&last);
    return last;
}

int32_t table_rule_of(const struct table_class *c)
{
    int semisharp;
    return sdd_rule_of(c->vertex, n_sharp(c, &semisharp));
}

double table_rule_parent(const struct table_class *c, const struct table_class *child)
{
    if (table_rule_of(c) == table_rule_of(child))
        return 1.0;
    int fades = c->vertex > 0.0f && !(child->vertex > 0.0f), n = fades;
    double sum = fades ? (double)c->vertex : 0.0;
    for (int i = 0; i < table_rule_ends(c); i++)
        if (c->edge[i] > 0.0f && !(child->edge[i] > 0.0f)) {
            sum += (double)c->edge[i];
            n++;
        }
    return n ? fmin(sum / n, 1.0) : 0.0;
}
