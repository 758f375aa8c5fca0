/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: what rooms above keep with a device, a topology or a mesh. It is made when it is first asked for, and goes
 * when its owner goes. The owner knows only how many bytes of device memory it has and how it is freed, so an
 * engine, or whatever else keeps something, needs no line in the owner's code. */
#ifndef SDD_KEPT_H
#define SDD_KEPT_H
#include "gpu/sdd/sdd.h"

struct topology_edit; /* gpu/mesh/topology_edit.h */

/* What the owner knows of a kept thing. The address of the operations says which thing it is. */
struct kept_ops {
    void *(*create)(void); /* Makes it empty, or returns NULL if there is no memory. */
    /* Its bytes of device memory; of what is kept with a device, those that it can spare. It may be NULL if there are
     * never any. */
    int64_t (*bytes)(const void *what);
    void (*free)(sdd_device *d, void *what);
    /* Makes, for a topology that an edit made of an older one, the thing that is kept with it, from that of the older
     * one and what the edit did. It only notes what it needs to make the rest later, and launches nothing. It returns
     * NULL where nothing is gained, or if there is no memory. It may be NULL itself: then the thing is made anew. */
    void *(*update)(sdd_device *d, void *old, const struct topology_edit *edit);
    /* Gives back device memory of what is kept with a device and can be done without. Returns 1 if there was any. It
     * may be NULL. */
    int (*spare)(sdd_device *d, void *what);
};
struct kept;
struct kept_list {
    struct kept *first;
};

/* kept_find: what has been made with these operations, or NULL. */
void *kept_find(const struct kept_list *list, const struct kept_ops *ops);
/* kept_get: returns what kept_find would, and makes it first if need be. NULL and SDD_ENO_MEMORY if there is no memory.
 */
void *kept_get(struct kept_list *list, const struct kept_ops *ops, struct sdd_error *err) SDD_MUST_CHECK;
/* kept_update: adds to an empty list what things of an older topology's list become (kept_ops.update). */
void kept_update(sdd_device *d, struct kept_list *to, const struct kept_list *from, const struct topology_edit *edit);
/* kept_spare: asks all that can be done without for its memory (kept_ops.spare). Returns 1 if there was any. */
int kept_spare(sdd_device *d, const struct kept_list *list);
int64_t kept_bytes(const struct kept_list *list);      /* The device bytes of all that is in the list. */
void kept_free(sdd_device *d, struct kept_list *list); /* Frees all that is in the list. */

#endif
