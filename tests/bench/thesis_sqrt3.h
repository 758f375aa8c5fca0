/* SPDX-License-Identifier: Apache-2.0 */
/* thesis_sqrt3.h: sqrt3 by a peer, whichever was installed when this was built: OpenMesh (libopenmesh-dev), as in the
 * thesis, else CGAL (libcgal-dev), else nobody. One warm-up. For one source file, bench_thesis.cc. */
#ifndef TESTS_BENCH_THESIS_SQRT3_H
#define TESTS_BENCH_THESIS_SQRT3_H
#include "tests/bench/thesis.h"

#if __has_include(<OpenMesh/Tools/Subdivider/Uniform/Sqrt3T.hh>)
#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>
#include <OpenMesh/Tools/Subdivider/Uniform/Sqrt3T.hh>

namespace thesis
{
static const char *const sqrt3_peer_name = "OpenMesh";
using sqrt3_mesh = OpenMesh::TriMesh_ArrayKernelT<>;

static sqrt3_mesh sqrt3_mesh_of(const model &m)
{
    sqrt3_mesh to;
    for (size_t i = 0; i < m.points.size(); i += 3)
        to.add_vertex(sqrt3_mesh::Point(m.points[i], m.points[i + 1], m.points[i + 2]));
    for (size_t c = 0; c < m.vertices.size(); c += 3)
        to.add_face(sqrt3_mesh::VertexHandle(m.vertices[c]), sqrt3_mesh::VertexHandle(m.vertices[c + 1]),
                    sqrt3_mesh::VertexHandle(m.vertices[c + 2]));
    return to;
}

static void sqrt3_refine(sqrt3_mesh *m, int level)
{
    OpenMesh::Subdivider::Uniform::Sqrt3T<sqrt3_mesh, float> scheme;
    scheme.attach(*m);
    scheme(*m, (size_t)level, true);
    scheme.detach();
}

static void sqrt3_place(const sqrt3_mesh &m, size_t v, std::vector<float> *to)
{
    const sqrt3_mesh::Point p = m.point(sqrt3_mesh::VertexHandle((int)v));
    to->insert(to->end(), {p[0], p[1], p[2]});
}
} // namespace thesis

#elif __has_include(<CGAL/subdivision_method_3.h>)
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/subdivision_method_3.h>

namespace thesis
{
static const char *const sqrt3_peer_name = "CGAL";
using sqrt3_point = CGAL::Simple_cartesian<double>::Point_3;
using sqrt3_mesh = CGAL::Surface_mesh<sqrt3_point>;

static sqrt3_mesh sqrt3_mesh_of(const model &m)
{
    sqrt3_mesh to;
    using index = sqrt3_mesh::Vertex_index;
    for (size_t i = 0; i < m.points.size(); i += 3)
        to.add_vertex(sqrt3_point((double)m.points[i], (double)m.points[i + 1], (double)m.points[i + 2]));
    for (size_t c = 0; c < m.vertices.size(); c += 3)
        to.add_face(index((uint32_t)m.vertices[c]), index((uint32_t)m.vertices[c + 1]),
                    index((uint32_t)m.vertices[c + 2]));
    return to;
}

static void sqrt3_refine(sqrt3_mesh *m, int level)
{
    CGAL::Subdivision_method_3::Sqrt3_subdivision(*m, CGAL::parameters::number_of_iterations((unsigned)level));
}

static void sqrt3_place(const sqrt3_mesh &m, size_t v, std::vector<float> *to)
{
    const sqrt3_point p = m.point(sqrt3_mesh::Vertex_index((uint32_t)v));
    to->insert(to->end(), {(float)p.x(), (float)p.y(), (float)p.z()});
}
} // namespace thesis

#else
namespace thesis
{
static const char *const sqrt3_peer_name = "";
struct sqrt3_mesh {
};

static sqrt3_mesh sqrt3_mesh_of(const model &)
{
    return {};
}

static void sqrt3_refine(sqrt3_mesh *, int) {}

static void sqrt3_place(const sqrt3_mesh &, size_t, std::vector<float> *) {}
} // namespace thesis
#endif

namespace thesis
{
static peer peer_sqrt3(const model &m, int level)
{
    peer p = {};
    if (!*sqrt3_peer_name)
        return p;
    for (int run = 0; run < 2; run++) {
        sqrt3_mesh fine = sqrt3_mesh_of(m);
        double start = now_ms();
        sqrt3_refine(&fine, level);
        p.total = now_ms() - start;
        for (size_t v = 0; v < m.points.size() / 3 && run == 1; v++)
            sqrt3_place(fine, v, &p.images);
    }
    return p;
}
} // namespace thesis
#endif
