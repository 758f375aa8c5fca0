/* SPDX-License-Identifier: Apache-2.0 */
/* push_cube.c: a program of a user of libsubd, built by tests/install against what was installed: it pushes a cube to
 * the daemon at URL, refines it once, and prints the library's version and the number of vertices. */
#include <stdio.h>
#include <string.h>
#include <subd.h>
#include <subd_matrix.h>
#include <subd_patches.h>

int main(int argc, char **argv)
{
    static const char cube[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
                               "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n";
    const struct subd_body body = {"model/obj", cube, sizeof cube - 1};
    const struct subd_config config = SUBD_INIT(subd_config, .server = argc > 1 ? argv[1] : NULL);
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = 1);
    struct subd_error err = {0};
    char header[32];
    snprintf(header, sizeof header, "%d.%d.%d", SUBD_VERSION_MAJOR, SUBD_VERSION_MINOR, SUBD_VERSION_PATCH);
    if (strcmp(header, subd_version()) != 0) {
        fprintf(stderr, "push_cube: the header is of version %s, the library of %s\n", header, subd_version());
        return 1;
    }
    struct subd_mesh_info mesh = {0};
    struct subd_frame frame = {0};
    subd_client *client = NULL;
    int rc = subd_open(&config, &client, &err);
    if (!rc)
        rc = subd_push(client, &body, NULL, &mesh, &err);
    if (!rc)
        rc = subd_refine(client, mesh.id, &request, &frame, &err);
    if (rc)
        fprintf(stderr, "push_cube: %s\n", err.text);
    else {
        printf("%s: %lld vertices\n", subd_version(), (long long)frame.vertices);
        subd_frame_free(&frame);
    }
    subd_close(client);
    return rc != 0;
}
