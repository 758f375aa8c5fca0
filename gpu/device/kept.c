/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c: the lists of kept.h, for devices and topologies. They have a few elements, with the address of the
 * operations as the key. */
#include "gpu/device/kept.h"
#include <stdlib.h>

struct kept {
    struct kept *next;
    const struct kept_ops *ops;
    void *what;
};

void *kept_find(const struct kept_list *list, const struct kept_ops *ops)
{
    const struct kept *k = list->first;
    while (k && k->ops != ops)
        k = k->next;
    return k ? k->what : NULL;
}

void *kept_get(struct kept_list *list, const struct kept_ops *ops, struct sdd_error *err)
{
    void *what = kept_find(list, ops);
    if (what)
        return what;
    struct kept *k = malloc(sizeof *k);
    what = k ? ops->create() : NULL;
    if (!what) {
        free(k);
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a record of what is kept");
        return NULL;
    }
    *k = (struct kept){list->first, ops, what};
    list->first = k;
    return what;
}

void kept_update(sdd_device *d, struct kept_list *to, const struct kept_list *from, const struct topology_edit *edit)
{
    for (const struct kept *old = from->first; old; old = old->next) {
        void *what = old->ops->update ? old->ops->update(d, old->what, edit) : NULL;
        struct kept *k = what ? malloc(sizeof *k) : NULL;
        if (k)
            *k = (struct kept){to->first, old->ops, what};
        else if (what)
            old->ops->free(d, what);
        to->first = k ? k : to->first;
    }
}

int kept_spare(sdd_device *d, const struct kept_list *list)
{
    int some = 0;
    for (const struct kept *k = list->first; k; k = k->next)
        some |= k->ops->spare ? k->ops->spare(d, k->what) : 0;
    return some;
}

int64_t kept_bytes(const struct kept_list *list)
{
    int64_t bytes = 0;
    for (const struct kept *k = list->first; k; k = k->next)
        bytes += k->ops->bytes ? k->ops->bytes(k->what) : 0;
    return bytes;
}

void kept_free(sdd_device *d, struct kept_list *list)
{
    for (struct kept *k = list->first, *next; k; k = next) {
        next = k->next;
        k->ops->free(d, k->what);
        free(k);
    }
    list->first = NULL;
}
