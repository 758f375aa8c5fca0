/* SPDX-License-Identifier: Apache-2.0 */
/* tempdir.h: a fresh folder below TMPDIR for one test. */
#ifndef TESTS_TEMPDIR_H
#define TESTS_TEMPDIR_H

char *tempdir(void);             /* aborts the test when there is none */
void tempdir_remove(char *path); /* with what is in it; frees path     */

#endif
