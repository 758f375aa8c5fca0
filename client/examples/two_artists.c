/* SPDX-License-Identifier: Apache-2.0 */
/* two_artists.c: two clients in one mesh. Ann and Bob both edit version 1. Bob's edits come late: those that touch
 * nothing of Ann's are applied all the same, the others are refused. Then Ann undoes her change, and Bob's stays.
 *
 *   cc two_artists.c $(pkg-config --cflags --libs subd) -o two_artists
 *   ./two_artists http://127.0.0.1:7373 TOKEN_OF_ANN TOKEN_OF_BOB
 *
 * The tokens are those of lines of the daemon's --tokens-file, with the scopes read,edit. Without tokens everybody is
 * one person to the daemon, and undo takes back the last change of all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <subd.h>
#include <subd_history.h>
#include <subd_people.h>

#define SIDE 5 /* Vertices along a side of a grid of quads. */

static int failed(const char *what, const struct subd_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    return 1;
}

static int push_grid(subd_client *c, struct subd_mesh_info *info)
{
    float points[3 * SIDE * SIDE];
    int32_t counts[(SIDE - 1) * (SIDE - 1)], corners[4 * (SIDE - 1) * (SIDE - 1)];
    struct subd_error err;
    int n = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        points[3 * i] = (float)(i % SIDE);
        points[3 * i + 1] = (float)(i / SIDE);
        points[3 * i + 2] = 0;
    }
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++, n++) {
            const int32_t at = y * SIDE + x, quad[] = {at, at + 1, at + SIDE + 1, at + SIDE};
            counts[n] = 4;
            memcpy(corners + 4 * n, quad, sizeof quad);
        }
    struct subd_mesh mesh = SUBD_INIT(subd_mesh, .points = points, .face_counts = counts, .face_vertices = corners,
                                      .n_vertices = SIDE * SIDE, .n_faces = n, .n_corners = 4 * (int64_t)n);
    struct subd_push named = SUBD_INIT(subd_push, .name = "two artists");
    return subd_push_mesh(c, &mesh, &named, info, &err) == SUBD_OK ? 0 : failed("push", &err);
}

/* Lifts one vertex of a version of the mesh. Returns what the call returned. */
static int lift(subd_client *c, const char *id, int64_t version, int32_t vertex, float z,
                struct subd_edit_result *result, struct subd_error *err)
{
    const float point[] = {(float)(vertex % SIDE), (float)(vertex / SIDE), z};
    const struct subd_edit edit = {
        .op = SUBD_SET_POSITIONS, .ids = &vertex, .n_ids = 1, .values = point, .n_values = 3};
    return subd_edits(c, id, version, &edit, 1, NULL, result, err);
}

static int show(subd_client *c, const char *id)
{
    struct subd_cage cage;
    struct subd_error err;
    if (subd_cage_arrays(c, id, &cage, &err) != SUBD_OK)
        return failed("cage", &err);
    printf("vertex 6 is at height %g, vertex 18 at %g\n", (double)cage.mesh->points[3 * 6 + 2],
           (double)cage.mesh->points[3 * 18 + 2]);
    subd_cage_free(&cage);
    return 0;
}

static int work_together(subd_client *ann, subd_client *bob, const char *id)
{
    struct subd_edit_result result;
    struct subd_mesh_info info;
    struct subd_error err;
    if (lift(ann, id, 1, 6, 1, &result, &err) != SUBD_OK)
        return failed("ann's edit", &err);
    printf("ann made version %" PRId64 "\n", result.mesh.version);
    subd_edit_result_free(&result);
    if (lift(bob, id, 1, 18, 2, &result, &err) != SUBD_EHTTP)
        return failed("an edit of an old version was taken, or", &err);
    printf("bob is late: %s\n", err.text);
    subd_rebase(bob, 1);
    if (lift(bob, id, 1, 18, 2, &result, &err) != SUBD_OK)
        return failed("bob's edit", &err);
    printf("bob made version %" PRId64 ", past %" PRId64 " of others\n", result.mesh.version, result.passed_over);
    subd_edit_result_free(&result);
    if (lift(bob, id, 1, 6, 3, &result, &err) != SUBD_EHTTP)
        return failed("an edit of what ann has changed was taken, or", &err);
    printf("bob is in ann's way: %s\n", err.text);
    if (show(ann, id))
        return 1;
    if (subd_undo(ann, id, 0, NULL, &info, &err) != SUBD_OK)
        return failed("undo", &err);
    printf("ann has undone her change in version %" PRId64 "\n", info.version);
    return show(bob, id);
}

int main(int argc, char **argv)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = argc > 1 ? argv[1] : NULL);
    subd_client *people[2] = {0};
    struct subd_mesh_info info;
    struct subd_error err;
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) {
        config.token = argc > 2 + i ? argv[2 + i] : NULL;
        code = subd_open(&config, &people[i], &err) == SUBD_OK ? 0 : failed("open", &err);
    }
    if (!code && !(code = push_grid(people[0], &info))) {
        code = work_together(people[0], people[1], info.id);
        if (subd_delete(people[0], info.id, 0, &err) != SUBD_OK)
            code = failed("delete", &err);
    }
    subd_close(people[0]);
    subd_close(people[1]);
    return code;
}
