/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/cube.h"

struct daemon d;
char cube[32];

int cube_start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
    return 0;
}

int cube_stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

void cube_points(int which, float points[3 * CUBE_VERTICES])
{
    for (int i = 0; i < 3 * CUBE_VERTICES; i++)
        points[i] = (float)((i * 7 + which * 5) % 23) + (float)which;
}
