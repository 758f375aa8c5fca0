// SPDX-License-Identifier: Apache-2.0
// test_sqrt3.cc: CGAL's Sqrt3_subdivision as a second opinion on scheme sqrt3, closed and with boundaries: the same
// points and the same faces, whatever their order. CGAL knows no creases, corners or holes, moves a boundary vertex of
// one face like all others (interpolateBoundary edgeOnly), and takes manifold meshes without isolated vertices.
// `make test-cgal`.
#include "tests/oracle/cases.h"
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/subdivision_method_3.h>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <vector>
extern "C" {
#include "tests/env.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
}

using Point = CGAL::Simple_cartesian<double>::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Face = std::array<long, 3>;

// From a shape: its polygons as fans of triangles, without tags.
struct Triangles {
    std::vector<int32_t> counts, vertices;
    sdd_mesh_desc desc{};
    explicit Triangles(const shape &s)
    {
        for (int64_t f = 0, c = 0; f < s.desc.n_faces; c += s.desc.face_counts[f++])
            for (int k = 1; k + 1 < s.desc.face_counts[f]; k++)
                for (int64_t at : {c, c + k, c + k + 1})
                    vertices.push_back(s.desc.face_vertices[at]);
        counts.assign(vertices.size() / 3, 3);
        desc.n_vertices = s.desc.n_vertices;
        desc.n_faces = static_cast<int64_t>(counts.size());
        desc.n_corners = 3 * desc.n_faces;
        desc.face_counts = counts.data();
        desc.face_vertices = vertices.data();
        desc.options.scheme = SDD_SCHEME_SQRT3;
        desc.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
    }
};

static bool to_cgal(const Triangles &t, const shape &s, Mesh &mesh)
{
    std::vector<Mesh::Vertex_index> v;
    for (int64_t i = 0; i < t.desc.n_vertices; i++)
        v.push_back(
            mesh.add_vertex(Point(static_cast<double>(s.points[3 * i]), static_cast<double>(s.points[3 * i + 1]),
                                  static_cast<double>(s.points[3 * i + 2]))));
    for (size_t c = 0; c < t.vertices.size(); c += 3)
        if (mesh.add_face(v[static_cast<size_t>(t.vertices[c])], v[static_cast<size_t>(t.vertices[c + 1])],
                          v[static_cast<size_t>(t.vertices[c + 2])]) == Mesh::null_face())
            return false;
    return true;
}

static Face turned(long a, long b, long c)
{
    return b < a && b < c ? Face{b, c, a} : c < a && c < b ? Face{c, a, b} : Face{a, b, c};
}

// Points are paired by place; -1: no partner; ambiguous where two of CGAL's points lie in one place.
static std::vector<long> pair_up(const refined &r, const Mesh &mesh, double close, bool &ambiguous)
{
    std::multimap<double, Mesh::Vertex_index> by_x;
    std::vector<long> partner;
    for (auto v : mesh.vertices())
        by_x.emplace(mesh.point(v).x(), v);
    for (int64_t i = 0; i < r.n_vertices; i++) {
        const double *p = &r.points[3 * i];
        long found = -1;
        for (auto it = by_x.lower_bound(p[0] - close); it != by_x.end() && it->first <= p[0] + close; ++it) {
            const Point &q = mesh.point(it->second);
            if (std::fabs(q.y() - p[1]) > close || std::fabs(q.z() - p[2]) > close)
                continue;
            ambiguous |= found >= 0;
            found = static_cast<long>(static_cast<size_t>(it->second));
        }
        partner.push_back(found);
    }
    return partner;
}

static int compare(const char *name, int level, const refined &r, const Mesh &mesh, double diagonal, bool &ambiguous)
{
    if (r.n_vertices != static_cast<int64_t>(mesh.number_of_vertices()) ||
        r.n_faces != static_cast<int64_t>(mesh.number_of_faces())) {
        std::printf("%s level %d: %lld vertices, %lld faces, CGAL has %zu and %zu\n", name, level,
                    static_cast<long long>(r.n_vertices), static_cast<long long>(r.n_faces),
                    static_cast<size_t>(mesh.number_of_vertices()), static_cast<size_t>(mesh.number_of_faces()));
        return 1;
    }
    std::vector<long> partner = pair_up(r, mesh, 2e-6 * diagonal, ambiguous);
    std::multiset<Face> faces;
    int64_t lonely = 0, strange = 0;
    for (long p : partner)
        lonely += p < 0;
    for (auto f : mesh.faces()) {
        std::vector<long> v;
        for (auto c : vertices_around_face(mesh.halfedge(f), mesh))
            v.push_back(static_cast<long>(static_cast<size_t>(c)));
        faces.insert(turned(v[0], v[1], v[2]));
    }
    for (int64_t f = 0; f < r.n_faces && !ambiguous; f++) {
        const uint32_t *v = &r.faces[3 * f];
        auto it = faces.find(turned(partner[v[0]], partner[v[1]], partner[v[2]]));
        strange += it == faces.end();
        if (it != faces.end())
            faces.erase(it);
    }
    if (lonely || strange)
        std::printf("%s level %d: %lld of %lld vertices and %lld of %lld faces are not CGAL's\n", name, level,
                    static_cast<long long>(lonely), static_cast<long long>(r.n_vertices),
                    static_cast<long long>(strange), static_cast<long long>(r.n_faces));
    return lonely || strange;
}

// Isolated vertices end in an assertion.
static bool by_cgal(Mesh &mesh, unsigned level)
{
    try {
        CGAL::Subdivision_method_3::Sqrt3_subdivision(mesh, CGAL::parameters::number_of_iterations(level));
    } catch (const CGAL::Failure_exception &) {
        return false;
    }
    return true;
}

static void test_shapes(void **)
{
    sdd_device *device = open_device(0);
    size_t n = 0;
    char **names = shape_list(test_shapes_dir(), &n);
    int bad = 0, compared = 0, with_faces = 0;
    for (size_t i = 0; i < n; i++) {
        shape s;
        sdd_error err{};
        assert_int_equal(shape_load(test_shapes_dir(), names[i], &s, &err), SDD_OK);
        Triangles t(s);
        Mesh control;
        if (to_cgal(t, s, control) && s.diagonal > 0 && t.desc.n_faces < 400)
            for (int level = 1; level <= 4; level++) {
                Mesh mesh = control;
                refined r{};
                bool ambiguous = false;
                if (!by_cgal(mesh, static_cast<unsigned>(level))) {
                    print_message("CGAL cannot do %s to level %d\n", names[i], level);
                    break;
                }
                if (library_refine(device, "auto", &t.desc, s.points, nullptr, level, &r, &err) != SDD_OK)
                    fail_msg("%s: %s", names[i], err.text);
                bad += compare(names[i], level, r, mesh, s.diagonal, ambiguous);
                compared++;
                with_faces += !ambiguous;
                refined_free(&r);
            }
        shape_free(&s);
    }
    shape_list_free(names);
    sdd_device_close(device);
    print_message("%d levels compared, %d with their faces\n", compared, with_faces);
    assert_int_equal(bad, 0);
    assert_true(compared > 300 && with_faces > 200);
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests_name("sqrt3 against CGAL", tests, nullptr, nullptr);
}
