/* SPDX-License-Identifier: Apache-2.0 */
/* pose.c: libsubd in calls that wait. It pushes a cube, moves it by an array of floats, refines it, looks at a pose
 * that is not kept, and reads the control mesh back with the ids that edits use.
 *
 *   cc pose.c $(pkg-config --cflags --libs subd) -o pose && ./pose [http://127.0.0.1:7373] */
#include <inttypes.h>
#include <stdio.h>
#include <subd.h>

#define N_VERTICES 8

/* A cube of edge 2 whose upper rim is a semi-sharp crease. */
static const float points[3 * N_VERTICES] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                             -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int32_t face_counts[] = {4, 4, 4, 4, 4, 4};
static const int32_t face_vertices[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const int32_t rim[] = {4, 5, 7, 6, 4}, rim_length[] = {5};
static const float rim_sharpness[] = {2.5f};

static int failed(const char *what, const struct subd_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    return 1;
}

/* The greatest z of the refined points. */
static float top_of(const struct subd_frame *frame)
{
    const struct subd_block *b = subd_frame_find(frame, SUBD_POSITIONS);
    const float *p = b->data;
    float top = p[2];
    for (int64_t i = 1; i < b->count; i++)
        top = p[3 * i + 2] > top ? p[3 * i + 2] : top;
    return top;
}

static int refine(subd_client *client, const char *id, int64_t version)
{
    struct subd_refine request = SUBD_INIT(subd_refine, .level = 3, .include = SUBD_POSITIONS | SUBD_INDICES);
    struct subd_frame frame = {0}; /* Both calls use it, so that the second allocates nothing. */
    struct subd_error err;
    float raised[3 * N_VERTICES];
    int code = 0;
    if (subd_refine(client, id, &request, &frame, &err) != SUBD_OK)
        return failed("refine", &err);
    printf("version %" PRId64 ": %" PRId64 " vertices, %" PRId64 " faces, top at %.3f\n", frame.version, frame.vertices,
           frame.faces, (double)top_of(&frame));
    for (int i = 0; i < 3 * N_VERTICES; i++)
        raised[i] = points[i] + (i % 3 == 2 ? 1.0f : 0.0f);
    request.include = SUBD_POSITIONS;
    if (subd_refine_pose(client, id, version, raised, N_VERTICES, &request, &frame, &err) != SUBD_OK)
        code = failed("pose", &err);
    else
        printf("a pose: top at %.3f, and the mesh keeps version %" PRId64 "\n", (double)top_of(&frame), frame.version);
    subd_frame_free(&frame);
    return code;
}

static int read_back(subd_client *client, const char *id)
{
    struct subd_cage cage;
    struct subd_error err;
    if (subd_cage_arrays(client, id, &cage, &err) != SUBD_OK)
        return failed("cage", &err);
    printf("the cage: %" PRId64 " vertices, %" PRId64 " faces, %" PRId64 " creases of sharpness %.1f\n",
           cage.mesh->n_vertices, cage.mesh->n_faces, cage.mesh->n_creases, (double)cage.mesh->crease_sharpnesses[0]);
    for (int64_t i = 0; i < cage.mesh->n_vertices; i++)
        printf("  vertex %" PRId32 ": %g %g %g\n", cage.vertex_ids[i], (double)cage.mesh->points[3 * i],
               (double)cage.mesh->points[3 * i + 1], (double)cage.mesh->points[3 * i + 2]);
    subd_cage_free(&cage);
    return 0;
}

int main(int argc, char **argv)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = argc > 1 ? argv[1] : NULL);
    struct subd_push named = SUBD_INIT(subd_push, .name = "cube");
    struct subd_mesh mesh = SUBD_INIT(
        subd_mesh, .points = points, .face_counts = face_counts, .face_vertices = face_vertices, .crease_indices = rim,
        .crease_lengths = rim_length, .crease_sharpnesses = rim_sharpness, .n_vertices = N_VERTICES, .n_faces = 6,
        .n_corners = 24, .n_crease_indices = 5, .n_creases = 1, .n_crease_sharpnesses = 1);
    float wider[3 * N_VERTICES];
    struct subd_mesh_info info;
    struct subd_error err;
    subd_client *client;
    int code;
    for (int i = 0; i < 3 * N_VERTICES; i++)
        wider[i] = points[i] * (i % 3 == 0 ? 2.0f : 1.0f);
    if (subd_open(&config, &client, &err) != SUBD_OK)
        return failed("open", &err);
    if (subd_push_mesh(client, &mesh, &named, &info, &err) != SUBD_OK) {
        subd_close(client);
        return failed("push", &err);
    }
    /* If-Match: only version 1, so that a change by somebody else in between is not overwritten. */
    if (subd_positions(client, info.id, 1, wider, N_VERTICES, &info, &err) != SUBD_OK)
        code = failed("positions", &err);
    else
        code = refine(client, info.id, info.version) || read_back(client, info.id);
    if (subd_delete(client, info.id, 0, &err) != SUBD_OK)
        code = failed("delete", &err);
    subd_close(client);
    return code;
}
