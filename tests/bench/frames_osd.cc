/* SPDX-License-Identifier: Apache-2.0 */
/* frames_osd.cc: OpenSubdiv's time for a frame whose topology stays: its stencil table, made once, evaluated. */
#include "tests/bench/frames_osd.h"
#include "tests/bench/thesis.h"
#include "tests/oracle/osd_refiner.h"
#include <algorithm>
#include <cstdio>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/osd/cpuEvaluator.h>
#include <opensubdiv/osd/ompEvaluator.h>

using namespace OpenSubdiv;

namespace frames
{

constexpr int warm_ups = 5;
constexpr int64_t most_stencils = 4000000; /* some 130 bytes each, more while they are made */

double median_of(const std::vector<float> points[2], const std::function<double(const float *)> &run)
{
    double ms[runs];
    for (int k = 1 - warm_ups; k <= runs; k++) {
        const double t = run(points[(runs - k) % 2].data());
        ms[std::max(k, 1) - 1] = t;
    }
    return median(ms, runs);
}

/* Stencils [begin, end). Handed over as a table of their own: not every kernel of OpenSubdiv's starts elsewhere. */
template <class evaluator>
static void evaluate(const Far::StencilTable &s, int width, const float *from, float *to, int begin, int end)
{
    const Osd::BufferDescriptor d(0, width, width);
    const int first = s.GetOffsets()[(size_t)begin];
    evaluator::EvalStencils(from, d, to + (size_t)width * (size_t)begin, d, &s.GetSizes()[(size_t)begin],
                            &s.GetOffsets()[(size_t)begin], &s.GetControlIndices()[(size_t)first],
                            &s.GetWeights()[(size_t)first], 0, end - begin);
}

/* Its TBB evaluator is not in Debian's library; the CPU evaluator on a part of the stencils a thread does the same. */
static void evaluate_parts(const Far::StencilTable &s, int width, const float *from, float *to)
{
    const int n = s.GetNumStencils();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int k = 0; k < threads; k++)
        evaluate<Osd::CpuEvaluator>(s, width, from, to, (int)((int64_t)n * k / threads),
                                    (int)((int64_t)n * (k + 1) / threads));
}

/* All evaluators, a line each; images: the control vertices, of which each level has one child. */
static void peer_evaluators(const Far::StencilTable &s, const std::vector<float> poses[2],
                            const std::vector<int> &children, peer *p)
{
    static const char *const names[] = {"CPU evaluator, 1 thread", "OpenMP evaluator, 2 threads",
                                        "CPU evaluator, half each, 2 threads"};
    const int n = s.GetNumStencils();
    for (int width : {3, 4}) {
        std::vector<float> from[2], to((size_t)width * (size_t)n);
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < poses[k].size(); i += 3) {
                from[k].insert(from[k].end(), &poses[k][i], &poses[k][i] + 3);
                from[k].resize(from[k].size() + (size_t)width - 3);
            }
        for (int kind = 0; kind < 3; kind++) {
            const double ms = median_of(from, [&](const float *points) {
                const double start = now_ms();
                if (kind == 0)
                    evaluate<Osd::CpuEvaluator>(s, width, points, to.data(), 0, n);
                else if (kind == 1)
                    evaluate<Osd::OmpEvaluator>(s, width, points, to.data(), 0, n);
                else
                    evaluate_parts(s, width, points, to.data());
                return now_ms() - start;
            });
            printf("  OpenSubdiv, %d floats, %-36s %9.3f ms %7.3f G vertices/s\n", width, names[kind], ms,
                   n / ms * 1e-6);
            p->ms = p->ms > 0 ? std::min(p->ms, ms) : ms;
        }
        p->images.clear();
        for (int child : children)
            p->images.insert(p->images.end(), &to[(size_t)width * (size_t)child],
                             &to[(size_t)width * (size_t)child] + 3);
    }
}

peer peer_time(const sdd_mesh_desc &d, const std::vector<float> poses[2], int level, int64_t n_vertices)
{
    peer p;
    if (thesis::without_peer())
        return p;
    if (n_vertices > most_stencils) {
        printf("  OpenSubdiv: skip: %lld stencils would take %.1f GB and long to make\n", (long long)n_vertices,
               130e-9 * (double)n_vertices);
        return p;
    }
    const double start = now_ms();
    osd_refiner_ptr r = osd_refiner(&d, false);
    r->RefineUniform(Far::TopologyRefiner::UniformOptions(level));
    Far::StencilTableFactory::Options o;
    o.generateIntermediateLevels = false;
    o.generateOffsets = true;
    std::unique_ptr<const Far::StencilTable> s(Far::StencilTableFactory::Create(*r, o));
    printf("  OpenSubdiv, refine and stencils, once %31.0f ms\n", now_ms() - start);
    std::vector<int> children;
    for (int v = 0; v < (int)d.n_vertices; v++) {
        children.push_back(v);
        for (int k = 0; k < level; k++)
            children.back() = r->GetLevel(k).GetVertexChildVertex(children.back());
    }
    Osd::OmpEvaluator::SetNumThreads(threads);
    peer_evaluators(*s, poses, children, &p);
    return p;
}

} // namespace frames
