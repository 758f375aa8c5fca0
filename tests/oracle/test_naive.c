/* SPDX-License-Identifier: Apache-2.0 */
/* test_naive.c: the library against the naive witness; needs no OpenSubdiv. */
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"

int main(void)
{
    return cases_run("shapes against the naive witness", naive_refine, 60000);
}
