/* SPDX-License-Identifier: Apache-2.0 */
/* bench_fair_cpu.cc: a step of conformal flow on two threads against the method of the program that it comes from, in
 * this process: two sparse Cholesky factorisations a step by Eigen, of the quaternions' and of the positions' matrix,
 * each of 4 rows a vertex. The peer's time has both matrices, but neither curvature nor constraints; that of Cholesky
 * alone stands beside it. Where libeigen3-dev was absent when this
 * was built it only says so. MOST=n leaves out meshes of more vertices. */
#if __has_include(<Eigen/SparseCholesky>)
#include "tests/bench/fair_mesh.h"
#include "tests/bench/timing.h"
#include "tests/oracle/refined.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>

namespace
{

using quaternion = Eigen::Quaterniond;
using matrix = Eigen::SparseMatrix<double>;
using vector = Eigen::VectorXd;
constexpr double tau = 0.25;

struct problem {
    matrix dirac, laplacian; /* 4 V x 4 V, with so little added that they are positive. */
    vector mass;             /* 4 V */
    double ms;               /* For the two matrices. */
};

Eigen::Vector3d point(const flowing &m, int32_t v)
{
    return Eigen::Map<const Eigen::Vector3f>(m.points + 3 * static_cast<size_t>(v)).cast<double>();
}

/* Adds the block by which a quaternion is multiplied from the left. */
void add_block(std::vector<Eigen::Triplet<double>> &to, int i, int j, const quaternion &q)
{
    const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
    const double block[4][4] = {{w, -x, -y, -z}, {x, w, -z, y}, {y, z, w, -x}, {z, -y, x, w}};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            if (block[a][b] != 0)
                to.emplace_back(4 * i + a, 4 * j + b, block[a][b]);
}

matrix make(const flowing &m, const vector &rho, const vector &mass)
{
    std::vector<Eigen::Triplet<double>> entries;
    double trace = 0;
    for (int32_t t = 0; t < m.n_triangles; t++) {
        const int32_t *v = m.triangles + 3 * static_cast<size_t>(t);
        quaternion e[3];
        for (int j = 0; j < 3; j++) {
            const Eigen::Vector3d d = point(m, v[(j + 2) % 3]) - point(m, v[(j + 1) % 3]);
            e[j] = quaternion(0, d.x(), d.y(), d.z());
        }
        const double area = e[0].vec().cross(e[1].vec()).norm() / 2;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double ri = rho[v[i]], rj = rho[v[j]];
                const quaternion ee = e[i] * e[j];
                quaternion q(-ee.w() / (4 * area) + ri * rj * area / 9, 0, 0, 0);
                q.vec() = -ee.vec() / (4 * area) + (ri * e[j].vec() - rj * e[i].vec()) / 6;
                add_block(entries, v[i], v[j], q);
                trace += i == j ? q.w() : 0;
            }
    }
    for (int k = 0; k < mass.size(); k++)
        entries.emplace_back(k, k, 4e-9 * trace / mass.sum() * mass[k]);
    matrix out(mass.size(), mass.size());
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
}

problem make_problem(const flowing &m)
{
    problem p;
    p.mass = vector::Zero(4 * m.n_vertices);
    for (int32_t c = 0; c < 3 * m.n_triangles; c++) {
        const int32_t *v = m.triangles + c / 3 * 3;
        const double area = (point(m, v[1]) - point(m, v[0])).cross(point(m, v[2]) - point(m, v[0])).norm() / 2;
        p.mass.segment<4>(4 * m.triangles[c]).array() += area / 3;
    }
    p.mass = p.mass.cwiseMax(1e-6 * p.mass.maxCoeff()); /* Vertices that no face uses. */
    const double start = now_ms();
    p.laplacian = make(m, vector::Zero(m.n_vertices), p.mass);
    p.ms = now_ms() - start;
    vector f = vector::Zero(4 * m.n_vertices), rho(m.n_vertices);
    for (int32_t v = 0; v < m.n_vertices; v++)
        f.segment<3>(4 * v + 1) = point(m, v);
    f = (p.laplacian * f).eval();
    for (int32_t v = 0; v < m.n_vertices; v++) /* The size of the curvature will do. */
        rho[v] = -tau * f.segment<3>(4 * v + 1).norm() / (2 * p.mass[4 * v]);
    const double then = now_ms();
    p.dirac = make(m, rho, p.mass);
    p.ms += now_ms() - then;
    return p;
}

void check(const matrix &a, const vector &x, const vector &b)
{
    const double off = (a * x - b).norm() / b.norm();
    if (!(off < 1e-5))
        oracle_die("Eigen's solution is off by %g", off);
}

double factor_and_solve(const problem &p)
{
    const double start = now_ms();
    Eigen::SimplicialLLT<matrix> llt(p.dirac);
    vector x = vector::Zero(p.mass.size()), b = x;
    for (int k = 0; k < x.size(); k += 4)
        x[k] = 1;
    for (int i = 0; i < 3; i++) {
        b = p.mass.cwiseProduct(x);
        x = llt.solve(b);
        if (i < 2)
            x.normalize();
    }
    double spent = now_ms() - start;
    check(p.dirac, x, b);
    b = p.laplacian * x;
    const double then = now_ms();
    llt.compute(p.laplacian);
    const vector f = llt.solve(b);
    spent += now_ms() - then;
    check(p.laplacian, f, b);
    return spent;
}

void must(int rc, const sdd_error &err)
{
    if (rc)
        oracle_die("%s", err.text);
}

/* The first step makes what later ones keep. */
void our_steps(sdd_device *d, const flowing &m, double *first, double *later)
{
    const sdd_mesh_desc desc = flowing_desc(&m);
    sdd_fair_request ask = {};
    sdd_error err = {};
    sdd_topology *t;
    sdd_mesh *mesh;
    sdd_fair *f;
    ask.tau = tau, ask.solves = 3, ask.exactness = 1;
    must(sdd_topology_create(d, &desc, &t, &err), err);
    must(sdd_mesh_create(t, m.points, nullptr, &mesh, &err), err);
    must(sdd_fair_begin(mesh, &ask, &f, &err), err);
    double ms[4];
    for (double &step : ms) {
        sdd_fair_report report;
        const double start = now_ms();
        must(sdd_fair_step(f, &report, &err), err);
        step = now_ms() - start;
        if (!(report.energy < report.energy_before))
            oracle_die("the step does not lower the energy");
    }
    *first = ms[0];
    *later = median(ms + 1, 3);
    sdd_fair_free(f);
    sdd_mesh_free(mesh);
    sdd_topology_unref(t);
}

} // namespace

int main()
{
    const struct {
        const char *file;
        int cuts, side;
    } meshes[] = {{"spot_quadrangulated", 0, 27}, {"spot_quadrangulated", 1, 54}, {"stanford-bunny", 0, 93}};
    const char *most = getenv("MOST");
    sdd_device_config config = {};
    sdd_error err = {};
    sdd_device *d;
    config.backend = "cpu";
    config.threads = 2;
    must(sdd_device_open(&config, &d, &err), err);
    printf("2 threads; ms a step               vertices      Eigen   Cholesky      first      later\n");
    for (const auto &which : meshes) {
        flowing m;
        double first, later;
        flowing_open(&m, which.file, which.cuts, which.side);
        if (!most || m.n_vertices <= strtol(most, nullptr, 10)) {
            our_steps(d, m, &first, &later);
            const problem p = make_problem(m);
            const double cholesky = factor_and_solve(p), peer = p.ms + cholesky;
            printf("%-32s %10d %10.1f %10.1f %10.1f %10.1f  %5.1fx %5.1fx\n", m.name, m.n_vertices, peer, cholesky,
                   first, later, peer / first, peer / later);
        }
        flowing_close(&m);
    }
    sdd_device_close(d);
    return 0;
}
#else
#include <cstdio>

int main()
{
    printf("skip: no peer was there when this was built: deploy/install-deps eigen\n");
    return 0;
}
#endif
