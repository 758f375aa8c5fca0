/* SPDX-License-Identifier: Apache-2.0 */
/* thesis_mesh.cc: generated meshes of the thesis's sizes. */
#include "tests/bench/thesis.h"
#include <cmath>
#include <numeric>
#include <utility>

namespace thesis
{

sdd_mesh_desc model::desc(int scheme) const
{
    sdd_mesh_desc d = {};
    d.n_vertices = (int64_t)points.size() / 3;
    d.n_faces = (int64_t)counts.size();
    d.n_corners = (int64_t)vertices.size();
    d.face_counts = counts.data();
    d.face_vertices = vertices.data();
    d.options.scheme = scheme;
    return d;
}

model model_torus(int64_t faces, bool triangles)
{
    const int64_t quads = triangles ? faces / 2 : faces;
    const int nx = (int)std::sqrt((double)quads), ny = (int)(quads / nx);
    torus t;
    torus_make(nx, ny, &t);
    const int32_t *q = t.desc.face_vertices;
    model m;
    m.points.assign(t.points, t.points + 3 * t.desc.n_vertices);
    if (!triangles)
        m.vertices.assign(q, q + t.desc.n_corners);
    for (int64_t f = 0; triangles && f < t.desc.n_faces; f++, q += 4)
        m.vertices.insert(m.vertices.end(), {q[0], q[1], q[2], q[0], q[2], q[3]});
    m.counts.assign(m.vertices.size() / (triangles ? 3 : 4), triangles ? 3 : 4);
    torus_free(&t);
    return m;
}

model model_reordered(const model &m, const int32_t *vertex_of_row, const int32_t *face_of_row)
{
    model out;
    const size_t n = m.points.size() / 3, size = (size_t)m.counts[0]; /* all faces have as many corners */
    std::vector<int32_t> row_of(n);
    for (size_t row = 0; row < n; row++) {
        const size_t v = (size_t)vertex_of_row[row];
        row_of[v] = (int32_t)row;
        out.points.insert(out.points.end(), &m.points[3 * v], &m.points[3 * v] + 3);
    }
    out.counts = m.counts;
    out.vertices.reserve(m.vertices.size());
    for (size_t row = 0; row < m.counts.size(); row++)
        for (size_t c = 0; c < size; c++)
            out.vertices.push_back(row_of[(size_t)m.vertices[size * (size_t)face_of_row[row] + c]]);
    return out;
}

static std::vector<int32_t> permutation(size_t n, uint64_t seed)
{
    std::vector<int32_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    for (size_t i = n - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        std::swap(p[i], p[(seed >> 33) % (i + 1)]);
    }
    return p;
}

model model_shuffled(const model &m)
{
    return model_reordered(m, permutation(m.points.size() / 3, 1).data(), permutation(m.counts.size(), 2).data());
}

} // namespace thesis
