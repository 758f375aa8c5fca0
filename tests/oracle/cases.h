/* SPDX-License-Identifier: Apache-2.0 */
/* cases.h: the library against a witness, shape by shape; one cmocka test a file. */
#ifndef TESTS_ORACLE_CASES_H
#define TESTS_ORACLE_CASES_H
#include "tests/oracle/refined.h"
#include "tests/oracle/shape.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef void witness_fn(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                        struct refined *out);

/* cases_run: a test for every shape with the witness, at levels 1 to 5 while a level has fewer than max_vertices,
 * once left-handed, and all levels again with the other crease method where it has creases; method names the
 * engine, and scheme (enum sdd_scheme) stands for the shape's own; loop and sqrt3 must refuse other faces than
 * triangles, then get them cut into triangles. Returns the number of failed tests.
 * cases_run_odd: the same for the shapes that are not manifold, which method `auto` must take and edge-friend refuse.
 * cases_run_spla: as cases_run, by mesh-matrix-spla: what it does not do, it must refuse by name.
 * cases_run_shared: the same for the bigger meshes, at the highest level that fits.
 * cases_run_pair: one witness against another, without the library. */
int cases_run(const char *group, const char *method, int scheme, witness_fn *witness, int64_t max_vertices);
int cases_run_odd(const char *group, int scheme, witness_fn *witness, int64_t max_vertices);
int cases_run_spla(const char *group, int scheme, witness_fn *witness, int64_t max_vertices);
int cases_run_shared(const char *group, const char *method, witness_fn *witness, int64_t max_vertices);
int cases_run_pair(const char *group, witness_fn *witness, witness_fn *other, int64_t max_vertices);

/* compare_refined: prints each kind of difference once with shape, level, vertex and both values; 0 when none is there.
 * Without a label nothing is printed. with_limits: also limits and normals. Tolerances: positions, limits, UVs relative
 * to their box, normals absolute. */
struct tolerances {
    double position, uv, normal;
};
int compare_refined(const char *label, const struct refined *got, const struct refined *want, double diagonal,
                    int with_limits, struct tolerances tolerance);
/* library_refine: both surfaces by the library, as a witness would say it. Returns 0 or the library's error code.
 * library_mesh and library_surfaces are its halves: one mesh for many engines. Limits are those of limitAtLevel, as
 * witnesses have them, where no limit_surface is named. */
int library_mesh(sdd_device *device, const struct sdd_mesh_desc *desc, const float *points, const float *uvs,
                 sdd_mesh **out, struct sdd_error *err);
int library_surfaces(sdd_mesh *mesh, const char *method, int with_uvs, int level, int limit_surface,
                     struct refined *out, struct sdd_error *err);
int library_refine(sdd_device *device, const char *method, const struct sdd_mesh_desc *desc, const float *points,
                   const float *uvs, int level, struct refined *out, struct sdd_error *err);
/* quads_fit: the largest level <= highest whose refined mesh has fewer than max_vertices, 0 if none. */
int level_that_fits(const struct sdd_mesh_desc *desc, int highest, int64_t max_vertices);
/* for_each_shape: `check` on every shape of a folder of tests/shapes ("" is that itself), at least so many. */
void for_each_shape(const char *folder, size_t at_least, void (*check)(const struct shape *s));
/* for_each_scheme: `check` with the mesh of `s` under each scheme, cut into triangles where that wants them, and under
 * sqrt3 with linear UVs. The desc is the call's own. */
void for_each_scheme(const struct shape *s, void (*check)(const struct shape *s, struct sdd_mesh_desc *d));
/* open_device: the backend that the environment asks for. */
sdd_device *open_device(int threads);

#ifdef __cplusplus
}
#endif
#endif
