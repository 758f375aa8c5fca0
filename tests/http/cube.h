/* SPDX-License-Identifier: Apache-2.0 */
/* cube.h: a daemon with a cube on it, for a group of tests. */
#ifndef TESTS_HTTP_CUBE_H
#define TESTS_HTTP_CUBE_H
#include "tests/http/daemon.h"

enum { CUBE_VERTICES = 8 };
extern struct daemon d;
extern char cube[32]; /* its id */
int cube_start(void **state);
int cube_stop(void **state);
/* cube_points: other positions for each number. */
void cube_points(int which, float points[3 * CUBE_VERTICES]);

#endif
