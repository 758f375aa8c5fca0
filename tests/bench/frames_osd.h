/* SPDX-License-Identifier: Apache-2.0 */
/* frames_osd.h: how bench_frames.cc times a frame, and OpenSubdiv's time for one. */
#ifndef TESTS_BENCH_FRAMES_OSD_H
#define TESTS_BENCH_FRAMES_OSD_H
#include "tests/bench/timing.h"
#include <functional>
#include <vector>

namespace frames
{

constexpr int runs = 15, threads = 2; /* threads: of the CPU, ours and theirs */

/* median_of: of `runs` times that `run` gives, after some that warm up; the two poses take turns, poses[0] is last. */
double median_of(const std::vector<float> poses[2], const std::function<double(const float *)> &run);

struct peer {
    double ms = 0;             /* of the best evaluator; 0: there is no peer             */
    std::vector<float> images; /* [V][3], where it puts the mesh's own vertices of poses[0] */
};
/* peer_time: prints a line for each of OpenSubdiv's CPU evaluators, or why there is none (PEER=0 needs no word).
 * n_vertices: of the level. */
peer peer_time(const sdd_mesh_desc &d, const std::vector<float> poses[2], int level, int64_t n_vertices);

} // namespace frames
#endif
