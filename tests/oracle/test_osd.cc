/* SPDX-License-Identifier: Apache-2.0 */
/* test_osd.cc: every refined and limit vertex, face, UV and normal against OpenSubdiv. */
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
#include "tests/oracle/osd.h"

int main()
{
    int failed = cases_run_pair("OpenSubdiv against the naive witness", osd_refine, naive_refine, 20000);
    failed += cases_run("shapes against OpenSubdiv", osd_refine, 300000);
    return failed + cases_run_shared("bigger meshes against OpenSubdiv", osd_refine, osd_is_manifold, 1100000);
}
