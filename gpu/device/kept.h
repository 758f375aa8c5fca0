/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: what rooms above keep with a device, a topology or a mesh. It is made when it is first asked for, and goes
 * when its owner goes. The owner knows no more of it than how many bytes of device memory it has and how it is given
 * back, so an engine, or whatever else wants to keep something, needs no line in the owner's code. */
#ifndef SDD_KEPT_H
#define SDD_KEPT_H
#include "gpu/sdd/sdd.h"

struct kept_ops {
    void *(*create)(void);              /* with nothing in it yet; NULL: no memory      */
    int64_t (*bytes)(const void *what); /* of device memory; NULL: it never has any */
    void (*free)(sdd_device *d, void *what);
};
struct kept;
struct kept_list {
    struct kept *first;
};

/* kept_find: what has been made with these ops (the pointer says which); NULL: nothing has.
 * kept_get: the same, or makes it; NULL and SDD_ENO_MEMORY. */
void *kept_find(const struct kept_list *list, const struct kept_ops *ops);
void *kept_get(struct kept_list *list, const struct kept_ops *ops, struct sdd_error *err) SDD_MUST_CHECK;
int64_t kept_bytes(const struct kept_list *list);
void kept_free(sdd_device *d, struct kept_list *list);

#endif
