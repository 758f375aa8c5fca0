/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: what fields and smoothing share, for this room alone. Its door is sdd_fields.h. */
#ifndef SDD_FIELDS_INTERNAL_H
#define SDD_FIELDS_INTERNAL_H
#include "gpu/mesh/mesh.h"
#include "gpu/sdd/sdd_fields.h"
#include "gpu/queries/queries.h"

struct sdd_values {
    sdd_device *device;
    struct sdd_values_info info;
    void *memory;
    int64_t memory_bytes;
};

enum { MARK_BEGUN, MARK_ENDED };

/* values_within: whether values of that size stay within a limit, 0 for none.
 * Errors  SDD_ETOO_LARGE */
int values_within(const struct sdd_values_info *info, int64_t limit, struct sdd_error *err) SDD_MUST_CHECK;
/* values_create: makes values without contents. sdd_values_free frees them, with whatever they have by then. */
int values_create(const sdd_mesh *m, const struct sdd_values_info *info, const struct sdd_run *run, sdd_values **out,
                  struct sdd_error *err) SDD_MUST_CHECK;
int fields_cancelled(const struct sdd_run *run, struct sdd_error *err) SDD_MUST_CHECK;
/* fields_check_areas: whether all triangles of a mesh have an area; `word` is scratch on the device.
 * Errors  SDD_EQUERY naming the first face that has one without; SDD_ENO_MEMORY, SDD_EDEVICE */
int fields_check_areas(const sdd_mesh *m, const struct sdd_neighbors *q, uint64_t *word,
                       struct sdd_error *err) SDD_MUST_CHECK;
/* fields_level: whether there is such a level, and how many points a mesh has there.
 * Errors  SDD_EQUERY */
int fields_level(const sdd_mesh *m, int level, int64_t *n_points, struct sdd_error *err) SDD_MUST_CHECK;
/* fields_level_mesh: makes a mesh of a refined level, over the topology that queries_level keeps.
 * Errors  those of queries_level and sdd_refine */
int fields_level_mesh(sdd_mesh *m, int level, const struct sdd_run *run, sdd_mesh **out,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* smooth_by: sdd_smooth over rows of a way that the caller has chosen (enum query_way). */
int smooth_by(sdd_mesh *m, const struct sdd_smooth_request *r, int way, const struct sdd_run *run, sdd_values **out,
              struct sdd_error *err) SDD_MUST_CHECK;

#endif
