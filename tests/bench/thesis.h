/* SPDX-License-Identifier: Apache-2.0 */
/* thesis.h: what the tables of bench_thesis.cc share: meshes of a size, in order or shuffled, our time, OpenSubdiv's
 * time, and which rows are asked for. */
#ifndef TESTS_BENCH_THESIS_H
#define TESTS_BENCH_THESIS_H
#include "tests/bench/timing.h"
#include <string>
#include <vector>

namespace thesis
{

struct model {
    std::vector<int32_t> counts, vertices;
    std::vector<float> points;
    sdd_mesh_desc desc(int scheme) const; /* points into the model */
};
model model_torus(int64_t faces, bool triangles); /* about as many faces */
model model_reordered(const model &m, const int32_t *vertex_of_row, const int32_t *face_of_row);
model model_shuffled(const model &m); /* always the same way */

/* A peer's time, in ms, and where it put the control vertices: nothing is measured that differs from that. */
struct peer {
    double refine, stencils, eval, total; /* total 0: there is no peer */
    std::vector<float> images;
};
peer peer_osd(const model &m, int scheme, int level);
bool without_peer(); /* PEER=0 */

/* Ours, in ms: topology build with its upload and points; the engine's device time. Medians of 7 after a warm-up. */
struct ours {
    double topology, engine;
    int64_t device_bytes, n_vertices; /* at the worst moment, of building or of refining */
    std::string refused;              /* why there are no figures */
};
ours our_time(sdd_device *device, const model &m, int scheme, const char *method, int level, const peer &p);

std::string times(double theirs, double ours);           /* "  12x", "   -" where one is missing */
bool is_chosen(size_t number, const std::string &label); /* ROWS */

} // namespace thesis
#endif
