/* SPDX-License-Identifier: Apache-2.0 */
/* test_sqrt3.c: scheme sqrt3 against the witness of Kobbelt's rules. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/kobbelt.h"

int main(void)
{
    int failed = cases_run_odd("sqrt3, not manifold", SDD_SCHEME_SQRT3, kobbelt_refine, 300000);
    failed += cases_run_spla("sqrt3 in sparse linear algebra", SDD_SCHEME_SQRT3, kobbelt_refine, 300000);
    return failed + cases_run("sqrt3 against Kobbelt's rules", "auto", SDD_SCHEME_SQRT3, kobbelt_refine, 300000);
}
