/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: a hash table keyed by strings, and a list, for the daemon's registries. Both are intrusive: the nodes are
 * members of the structs that they hold, so neither allocates nodes or frees them. */
#ifndef SUBDD_TABLE_H
#define SUBDD_TABLE_H
#include "server/base/base.h"
#include <stdbool.h>

struct table_node {
    struct table_node *next;
    const char *key; /* Borrowed; it must live as long as the node is in the table. */
};
/* A zeroed table is empty. */
struct table {
    struct table_node **buckets;
    size_t n_buckets; /* 0 or a power of two. */
    size_t n;
};
/* table_add: adds a node under a key that must be new. Returns false when memory is out. */
bool table_add(struct table *t, struct table_node *node, const char *key);
/* table_find: the node with this key, or NULL. */
struct table_node *table_find(const struct table *t, const char *key);
/* table_remove: takes a node out; a node that is not in the table is ignored. */
void table_remove(struct table *t, struct table_node *node);
/* table_fini: frees the table's own memory, not the nodes. */
void table_fini(struct table *t);

/* A circular list, of which the head is one node as well. A zeroed node is in no list. */
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
/* list_remove: takes a node out of its list; a node that is in none is ignored. */
static inline void list_remove(struct list *node)
{
    if (!node->next)
        return;
    node->next->previous = node->previous;
    node->previous->next = node->next;
    node->next = node->previous = NULL;
}
/* list_append: moves a node to the end of a list, from another list if it is in one. */
static inline void list_append(struct list *head, struct list *node)
{
    list_remove(node);
    node->previous = head->previous;
    node->next = head;
    head->previous->next = node;
    head->previous = node;
}

#endif
