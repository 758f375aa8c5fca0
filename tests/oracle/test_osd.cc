/* SPDX-License-Identifier: Apache-2.0 */
/* test_osd.cc: every refined and limit vertex, face, UV and normal against OpenSubdiv, engine by engine. */
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
#include "tests/oracle/osd.h"

int main()
{
    constexpr int catmark = SDD_SCHEME_CATMULL_CLARK, loop = SDD_SCHEME_LOOP, bilinear = SDD_SCHEME_BILINEAR;
    int failed = cases_run_pair("OpenSubdiv against the naive witness", osd_refine, naive_refine, 20000);
    failed += cases_run("edge-friend", "edge-friend", catmark, osd_refine, 300000);
    failed += cases_run("mesh-matrix", "mesh-matrix", catmark, osd_refine, 300000);
    failed += cases_run("mesh-matrix, loop", "auto", loop, osd_refine, 300000);
    failed += cases_run_spla("mesh-matrix-spla", catmark, osd_refine, 100000);
    failed += cases_run_spla("mesh-matrix-spla, loop", loop, osd_refine, 100000);
    failed += cases_run("mesh-matrix, bilinear", "auto", bilinear, osd_refine, 100000);
    failed += cases_run_odd("not manifold", catmark, osd_refine, 300000);
    failed += cases_run_odd("not manifold, loop", loop, osd_refine, 300000);
    failed += cases_run_odd("not manifold, bilinear", bilinear, osd_refine, 100000);
    failed += cases_run_shared("bigger meshes", "auto", osd_refine, 1100000);
    return failed + cases_run_shared("bigger meshes, mesh-matrix", "mesh-matrix", osd_refine, 1100000);
}
