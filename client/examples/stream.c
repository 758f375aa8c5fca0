/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c: libsubd in a libuv loop. It pushes a grid and streams refined frames of a wave over it: each pose is an
 * array of floats, and no call waits.
 *
 *   cc stream.c $(pkg-config --cflags --libs subd libuv) -lm -o stream && ./stream [http://127.0.0.1:7373 [FRAMES]] */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <subd.h>
#include <uv.h>

enum { SIDE = 16, ROW = SIDE + 1, N_VERTICES = ROW * ROW, N_FACES = SIDE * SIDE };

struct app {
    uv_loop_t loop;
    uv_timer_t timer;
    subd_client *client;
    float points[3 * N_VERTICES];
    int32_t counts[N_FACES], corners[4 * N_FACES];
    struct subd_mesh_info info;
    struct subd_refine request;
    struct subd_frame frame; /* All frames use it, so that only the first allocates. */
    struct subd_error err;
    int n_frames, shown, failed;
    enum { PUSHING, POSING, DELETING } step;
};

/* ---- libuv for libsubd: a poll handle for each descriptor, and one timer ----------------------------------------- */

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct app *app = poll->loop->data;
    uv_os_fd_t fd;
    if (uv_fileno((uv_handle_t *)poll, &fd) == 0)
        subd_socket_ready(app->client, fd,
                          (status < 0 ? SUBD_BROKEN : 0u) | (events & UV_READABLE ? SUBD_READABLE : 0u) |
                              (events & UV_WRITABLE ? SUBD_WRITABLE : 0u));
}

static void free_poll(uv_handle_t *poll)
{
    free(poll);
}

static void watch(void *arg, int fd, unsigned events, void **state)
{
    struct app *app = arg;
    uv_poll_t *poll = *state;
    if (!poll) {
        *state = poll = malloc(sizeof *poll);
        if (!poll || uv_poll_init(&app->loop, poll, fd) != 0)
            abort(); /* There is no memory or no descriptor left. */
    }
    if (events)
        uv_poll_start(poll, (events & SUBD_READABLE ? UV_READABLE : 0) | (events & SUBD_WRITABLE ? UV_WRITABLE : 0),
                      on_event);
    else
        uv_close((uv_handle_t *)poll, free_poll);
}

static void on_time(uv_timer_t *timer)
{
    struct app *app = timer->data;
    subd_timeout(app->client);
}

static void set_timer(void *arg, int timeout_ms)
{
    struct app *app = arg;
    if (timeout_ms < 0)
        uv_timer_stop(&app->timer);
    else
        uv_timer_start(&app->timer, on_time, (uint64_t)timeout_ms, 0);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void make_grid(struct app *app)
{
    for (int i = 0; i < N_VERTICES; i++) {
        int column = i % ROW, row = i / ROW;
        app->points[3 * i] = (float)column;
        app->points[3 * i + 1] = (float)row; /* The other coordinate is 0. */
    }
    for (int f = 0; f < N_FACES; f++) {
        int32_t at = f / SIDE * ROW + f % SIDE, *c = &app->corners[4 * f];
        app->counts[f] = 4;
        c[0] = at, c[1] = at + 1, c[2] = at + ROW + 1, c[3] = at + ROW;
    }
}

static int pose(struct app *app)
{
    for (int i = 0; i < N_VERTICES; i++)
        app->points[3 * i + 2] = sinf(0.5f * (float)(i % ROW) + 0.25f * (float)app->shown);
    return subd_refine_pose(app->client, app->info.id, 0, app->points, N_VERTICES, &app->request, &app->frame,
                            &app->err);
}

static void show(struct app *app)
{
    const struct subd_block *b = subd_frame_find(&app->frame, SUBD_POSITIONS);
    const float *p = b->data;
    float low = p[2], high = p[2];
    for (int64_t i = 1; i < b->count; i++) {
        low = p[3 * i + 2] < low ? p[3 * i + 2] : low;
        high = p[3 * i + 2] > high ? p[3 * i + 2] : high;
    }
    printf("frame %d: %" PRId64 " vertices, z from %.3f to %.3f\n", ++app->shown, b->count, (double)low, (double)high);
}

/* The end of each call starts the next. */
static void on_done(void *arg, int code)
{
    struct app *app = arg;
    int rc = code;
    if (code == SUBD_OK && app->step == DELETING) {
        uv_close((uv_handle_t *)&app->timer, NULL);
        return;
    }
    if (code == SUBD_OK && app->step == POSING)
        show(app);
    if (code == SUBD_OK) {
        app->step = app->shown < app->n_frames ? POSING : DELETING;
        rc = app->step == POSING ? pose(app) : subd_delete(app->client, app->info.id, 0, &app->err);
    }
    if (rc == SUBD_PENDING)
        return;
    fprintf(stderr, "%s: %s\n", subd_code_name(rc), app->err.text);
    app->failed = 1;
    uv_close((uv_handle_t *)&app->timer, NULL); /* Nothing is left in the loop, so it ends. */
}

static void run(struct app *app)
{
    struct subd_mesh mesh =
        SUBD_INIT(subd_mesh, .points = app->points, .face_counts = app->counts, .face_vertices = app->corners,
                  .n_vertices = N_VERTICES, .n_faces = N_FACES, .n_corners = 4 * N_FACES);
    struct subd_loop loop = SUBD_INIT(subd_loop, .watch = watch, .timer = set_timer, .done = on_done, .arg = app);
    int rc = subd_attach(app->client, &loop, &app->err);
    if (rc == SUBD_OK)
        rc = subd_push_mesh(app->client, &mesh, NULL, &app->info, &app->err);
    if (rc != SUBD_PENDING)
        on_done(app, rc);
    uv_run(&app->loop, UV_RUN_DEFAULT);
}

int main(int argc, char **argv)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = argc > 1 ? argv[1] : NULL);
    struct app app = {.request = SUBD_INIT(subd_refine, .level = 3, .include = SUBD_POSITIONS),
                      .n_frames = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10};
    if (subd_open(&config, &app.client, &app.err) != SUBD_OK) {
        fprintf(stderr, "open: %s\n", app.err.text);
        return 1;
    }
    make_grid(&app);
    uv_loop_init(&app.loop);
    app.loop.data = &app;
    uv_timer_init(&app.loop, &app.timer);
    app.timer.data = &app;
    run(&app);
    subd_close(app.client);
    subd_frame_free(&app.frame);
    uv_run(&app.loop, UV_RUN_DEFAULT); /* It frees what closing the client has left. */
    uv_loop_close(&app.loop);
    return app.failed;
}
