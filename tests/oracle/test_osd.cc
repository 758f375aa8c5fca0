/* SPDX-License-Identifier: Apache-2.0 */
/* test_osd.cc: every refined and limit vertex, face, UV and normal against OpenSubdiv, engine by engine. */
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
#include "tests/oracle/osd.h"

int main()
{
    int failed = cases_run_pair("OpenSubdiv against the naive witness", osd_refine, naive_refine, 20000);
    failed += cases_run("edge-friend against OpenSubdiv", "edge-friend", osd_refine, 300000);
    failed += cases_run("mesh-matrix against OpenSubdiv", "mesh-matrix", osd_refine, 300000);
    failed += cases_run_odd("shapes that are not manifold", osd_refine, 300000);
    failed += cases_run_shared("bigger meshes", "auto", osd_refine, 1100000);
    return failed + cases_run_shared("bigger meshes, mesh-matrix", "mesh-matrix", osd_refine, 1100000);
}
