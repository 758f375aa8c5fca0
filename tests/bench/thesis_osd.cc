/* SPDX-License-Identifier: Apache-2.0 */
/* thesis_osd.cc: OpenSubdiv's time for a topology that has just changed: refine, stencils, evaluation. */
#include "tests/bench/thesis.h"
#include <memory>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>
#include <opensubdiv/osd/cpuEvaluator.h>
#include <opensubdiv/osd/cpuVertexBuffer.h>

using namespace OpenSubdiv;

namespace thesis
{

static std::unique_ptr<Far::TopologyRefiner> refiner(const model &m, int scheme)
{
    const sdd_mesh_desc d = m.desc(scheme);
    Far::TopologyDescriptor t;
    t.numVertices = (int)d.n_vertices;
    t.numFaces = (int)d.n_faces;
    t.numVertsPerFace = d.face_counts;
    t.vertIndicesPerFace = d.face_vertices;
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    using factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    auto type = scheme == SDD_SCHEME_LOOP ? Sdc::SCHEME_LOOP : Sdc::SCHEME_CATMARK;
    return std::unique_ptr<Far::TopologyRefiner>(factory::Create(t, factory::Options(type, options)));
}

peer peer_osd(const model &m, int scheme, int level)
{
    const int n_vertices = (int)m.points.size() / 3;
    std::unique_ptr<Far::TopologyRefiner> r = refiner(m, scheme);
    peer p = {};
    double start = now_ms();
    r->RefineUniform(Far::TopologyRefiner::UniformOptions(level));
    p.refine = now_ms() - start;
    start = now_ms();
    Far::StencilTableFactory::Options o;
    o.generateIntermediateLevels = false;
    o.generateOffsets = true;
    std::unique_ptr<const Far::StencilTable> s(Far::StencilTableFactory::Create(*r, o));
    p.stencils = now_ms() - start;
    std::unique_ptr<Osd::CpuVertexBuffer> from(Osd::CpuVertexBuffer::Create(3, n_vertices)),
        to(Osd::CpuVertexBuffer::Create(3, s->GetNumStencils()));
    from->UpdateData(m.points.data(), 0, n_vertices);
    const Osd::BufferDescriptor three(0, 3, 3);
    Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get()); /* its pages are fresh */
    start = now_ms();
    Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get());
    p.eval = now_ms() - start;
    p.total = p.refine + p.stencils + p.eval;
    for (int v = 0; v < n_vertices; v++) {
        int image = v;
        for (int k = 0; k < level; k++)
            image = r->GetLevel(k).GetVertexChildVertex(image);
        const float *at = to->BindCpuBuffer() + 3 * (size_t)image;
        p.images.insert(p.images.end(), at, at + 3);
    }
    return p;
}

} // namespace thesis
