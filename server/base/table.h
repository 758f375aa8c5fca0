/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: an intrusive hash table by string key, and an intrusive list, for the daemon's few registries. */
#ifndef SUBDD_TABLE_H
#define SUBDD_TABLE_H
#include "server/base/base.h"
#include <stdbool.h>

struct table_node {
    struct table_node *next;
    const char *key; /* borrowed; lives as long as the node is in the table */
};
struct table {
    struct table_node **buckets;
    size_t n_buckets, n; /* n_buckets is 0 or a power of two */
};
bool table_add(struct table *t, struct table_node *node,
               const char *key);                                       /* false: out of memory. The key must be new. */
struct table_node *table_find(const struct table *t, const char *key); /* or NULL */
void table_remove(struct table *t, struct table_node *node);
void table_fini(struct table *t);

/* list: circular with a head; a zeroed node is in no list. */
struct list {
    struct list *next, *previous;
};
static inline void list_init(struct list *head)
{
    head->next = head->previous = head;
}
static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}
static inline void list_remove(struct list *node)
{
    if (!node->next)
        return;
    node->next->previous = node->previous;
    node->previous->next = node->next;
    node->next = node->previous = NULL;
}
static inline void list_append(struct list *head, struct list *node)
{
    list_remove(node);
    node->previous = head->previous;
    node->next = head;
    head->previous->next = node;
    head->previous = node;
}

#endif
