/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the hash table of the daemon's registries (meshes, topologies, cached frames), keyed by strings. */
#include "server/base/table.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static struct table_node **bucket(const struct table *t, const char *key)
{
    return &t->buckets[XXH3_64bits(key, strlen(key)) & (t->n_buckets - 1)];
}

static bool grow(struct table *t)
{
    struct table old = *t;
    size_t n = old.n_buckets ? old.n_buckets * 2 : 64;
    struct table_node **buckets = calloc(n, sizeof(struct table_node *));
    if (!buckets)
        return old.n_buckets > 0;
    t->buckets = buckets;
    t->n_buckets = n;
    for (size_t i = 0; i < old.n_buckets; i++)
        for (struct table_node *node = old.buckets[i], *next; node; node = next) {
            struct table_node **b = bucket(t, node->key);
            next = node->next;
            node->next = *b;
            *b = node;
        }
    free(old.buckets);
    return true;
}

bool table_add(struct table *t, struct table_node *node, const char *key)
{
    if (t->n >= t->n_buckets && !grow(t))
        return false;
    struct table_node **b = bucket(t, key);
    node->key = key;
    node->next = *b;
    *b = node;
    t->n++;
    return true;
}

struct table_node *table_find(const struct table *t, const char *key)
{
    if (!t->n_buckets)
        return NULL;
    for (struct table_node *node = *bucket(t, key); node; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

void table_remove(struct table *t, struct table_node *node)
{
    if (!node->key)
        return;
    struct table_node **at = bucket(t, node->key);
    while (*at && *at != node)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = node->next;
    node->key = NULL;
    t->n--;
}

void table_fini(struct table *t)
{
    free(t->buckets);
    *t = (struct table){0};
}
