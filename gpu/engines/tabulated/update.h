/* SPDX-License-Identifier: Apache-2.0 */
/* update.h: the pieces and tables of a mesh after an edit, from those of the mesh before it. The bits are those of a
 * mesh that is classified anew, array by array.
 *   update_seed.c       what an edit leaves behind: the older mesh's pieces, held, and where its rows are now
 *   update.c            which pieces are classified again, and of which classes they and all others are
 *   update_lists.c      Catmull-Clark: where each piece is in the new lists
 *   update_run.c        Catmull-Clark: the arrays; what stays is copied under its new numbers, the rest is made
 *   update_ranges.c     where ranges are that have a length of their own each: the columns of triangles, rows of terms
 *   update_triangles.c  Loop: the arrays of pieces, and the first pass, likewise
 * Under Catmull-Clark the tables of classes that the older mesh has for the same level of a surface are copied on the
 * device (tables.c). Under Loop, where classes are few, they come from the cache.
 * Whatever a piece is made of - its kind, its class, its columns, what it owns - is told by the faces, the edges and
 * the sharpness around its own vertex and, of a regular quad, around the four vertices of its face; in a channel by the
 * rows of those faces too. So just the pieces of faces with a dirty vertex (sdd_update.h) are classified again. Between
 * rows that stay nothing changes but the numbers, and these keep their order.
 * Under Loop a piece at a corner is told by the faces around that corner's vertex, and its columns by these and the two
 * across the edges at it, which are among them; the middle piece is told by the face, its edges and the faces across
 * them, which are around its vertices. A row of level 1 is made by what is around its vertex, or on both sides of its
 * edge, so around either end of it. So the pieces of faces with a dirty vertex, and the rows of their vertices and
 * edges, are all that can have changed, and vertices that have lost their last face.
 * Threads  the one that uses the device */
#ifndef SDD_TABULATED_UPDATE_H
#define SDD_TABULATED_UPDATE_H
#include "gpu/device/sizes.h"
#include "gpu/engines/tabulated/internal.h"
#include "gpu/engines/tabulated/update_ranges.h"
#include "gpu/mesh/topology_edit.h"

/* What the mesh before an edit, or before several in a row, leaves for the one after it. It holds what it is made of,
 * so the old topology may go. */
struct table_seed {
    struct tabulated *old, *owner; /* The owner uses it up. */
    struct topology_edit edit;     /* The arrays lie behind the record. */
    uint32_t *old_class;           /* Shape [owner->n_classes], once this is ready: its classes among the old ones, or
                                    * SDD_NONE; NULL before, and under Loop. */
    int is_used; /* 1 while the owner is made from it: other work on the device must not spare it meanwhile. */
    struct table_seed *next, **at; /* The seeds of the device. */
};

/* table_seed_create: what `old` leaves to `owner`, whose seed it becomes. Where `old` is not ready it is what its own
 * seed leaves. NULL, and no seed, where there is nothing to begin with, the edits have touched too much, or there is no
 * memory. table_seed_free: frees the owner's seed, if it has one. */
struct table_seed *table_seed_create(sdd_device *d, struct tabulated *old, struct tabulated *owner,
                                     const struct topology_edit *edit);
void table_seed_free(sdd_device *d, struct tabulated *owner);
/* table_seeds_hold: is told that the mesh of `old` goes. Returns 1 if seeds hold `old` on; the last one frees it. */
int table_seeds_hold(sdd_device *d, struct tabulated *old);

/* table_update: does what table_classify does, from t->seed.
 * Cost    Each array of t is written once, and as much read; scratch of 12 B a face and 8 B a row of level 1, and about
 *         150 B a corner of the faces that are looked at
 * Errors  TABLE_ANEW, where much is touched, or where classifying anew has to tell why there can be no tables;
 *         SDD_ENO_MEMORY, SDD_EDEVICE. On failure the caller frees what t has by then, and classifies anew unless the
 *         device failed. */
int table_update(const sdd_topology *topology, struct tabulated *t, int smooth_triangles,
                 struct sdd_error *err) SDD_MUST_CHECK;

/* ---- what the files share ------------------------------------------------------------------------------------ */
/* A piece that is classified again. */
struct touched {
    uint32_t corner;
    uint32_t key;      /* Where it would be among the old corners: a doubled old number (topology_edit.h). */
    uint32_t list;     /* A value of enum sdd_table_list. */
    uint32_t place;    /* The old piece of that list and class which it stands before. */
    uint32_t at;       /* Where it is in its new list. */
    uint32_t class_of; /* Its class, if it is not bicubic. */
    uint64_t hash;     /* The key of that class. */
};

struct table_update {
    sdd_device *d;
    const sdd_topology *topology;
    struct tabulated *t;
    const struct tabulated *old;
    const struct topology_edit *edit;
    /* Under Loop a `corner` is a piece, and all pieces are in the list of others. */
    int is_loop;
    struct {
        int64_t n_classes, n_others;
        int32_t n_words; /* The floats of the words of a class. */
        const float *words;
        const struct sdd_table_table *classes; /* On the device. */
    } was;                                     /* The classes of the older mesh. */
    int64_t n_classes, n_others;               /* Those of the new one. */
    uint32_t *face; /* Shape [n_faces]: the faces whose pieces are classified again, ascending. */
    int64_t n_faces;
    struct touched *touched; /* Shape [n_touched], ascending by corner; then by list, class and corner. */
    uint32_t *lost; /* Shape [n_lost]: old corners that go or are looked at again; then their pieces, sorted. Under Loop
                     * any piece of the same class stands for one. */
    int64_t n_touched, n_lost;
    struct sdd_table_table *old_classes; /* Shape [was.n_classes + 1]; the last one begins where the pieces end. */
    uint32_t *class_of;                  /* Shape [was.n_classes]: what each class became; SDD_NONE if it has gone. */
    uint32_t *old_class;                 /* Shape [n_classes]: what each class was, or SDD_NONE. */
    uint32_t *heads;                     /* Shape [n_classes]: where its pieces begin. */
    struct sdd_table_table *classes;     /* Shape [n_classes]. */
    struct table_runs regular, others, columns; /* Of the lists of pieces, and of the columns of the latter. */
    struct device_block scratch, isolated;
    struct table_block *memory; /* Host memory, which lasts as long as the update. */
};

/* Vertices without faces: flags and their inclusive scan, shape [V] each, in u->isolated; not taken where there are
 * none. */
struct table_isolated {
    int32_t *flag, *rank;
    void *scan;
    int64_t n;
};

/* table_update_memory: table_memory, for as long as the update lasts.
 * table_update_finish: waits, and gives u->scratch back.
 * table_update_isolated: finds the vertices without faces; waits.
 * table_update_gather: fetches rows of an array of the device; waits. It uses u->scratch.
 * table_update_words: the words of the new classes; waits if some of these are not old ones. It uses u->scratch. */
static inline void *table_update_memory(struct table_update *u, int64_t n, size_t item, struct sdd_error *err)
{
    return table_memory(&u->memory, n, item, err);
}
int table_update_finish(struct table_update *u, struct sdd_error *err) SDD_MUST_CHECK;
int table_update_isolated(struct table_update *u, struct table_isolated *s, struct sdd_error *err) SDD_MUST_CHECK;
int table_update_gather(struct table_update *u, const uint32_t *in, const uint32_t *row, int64_t n, uint32_t *out,
                        struct sdd_error *err) SDD_MUST_CHECK;
int table_update_words(struct table_update *u, float *words, struct sdd_error *err) SDD_MUST_CHECK;
/* table_update_lists: says where each piece is in the new lists, once the classes are known. It asks the device.
 * table_update_run: makes the arrays. Both are for Catmull-Clark.
 * table_update_triangles: does all that is left, under Loop.
 * Errors  TABLE_ANEW, SDD_ENO_MEMORY, SDD_EDEVICE */
int table_update_lists(struct table_update *u, struct sdd_error *err) SDD_MUST_CHECK;
int table_update_run(struct table_update *u, int smooth_triangles, struct sdd_error *err) SDD_MUST_CHECK;
int table_update_triangles(struct table_update *u, struct sdd_error *err) SDD_MUST_CHECK;

#endif
