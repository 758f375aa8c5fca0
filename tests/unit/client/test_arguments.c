/* SPDX-License-Identifier: Apache-2.0 */
/* What the public functions of libsubd make of arguments that are NULL, and of structs of another size than theirs.
 * tests/tools/abi checks that every function is here. */
#include "client/lib/subd.h"
#include "client/lib/subd_fair.h"
#include "client/lib/subd_fields.h"
#include "client/lib/subd_history.h"
#include "client/lib/subd_admin.h"
#include "client/lib/subd_people.h"
#include "client/lib/subd_matrix.h"
#include "client/lib/subd_neighbors.h"
#include "client/lib/subd_patches.h"
#include "client/lib/subd_watch.h"
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static subd_client *client;
static struct subd_error error, *err = &error;

static int open_client(void **state)
{
    const struct subd_config config = SUBD_INIT(subd_config, .server = "http://127.0.0.1:1");
    (void)state;
    return subd_open(&config, &client, NULL);
}

static int close_client(void **state)
{
    (void)state;
    subd_close(client);
    return 0;
}

/* ---- NULL: each call below is made with one of its arguments NULL ------------------------------------------------ */

static int null_at;
#define AT(i, argument) (null_at == (i) ? NULL : (argument))

static const struct subd_body body = {"model/obj", "v 0 0 0\n", 8};
static const struct subd_refine request = SUBD_INIT(subd_refine, .level = 1);
static const float points[3];
static struct subd_frame frame;
static struct subd_mesh_info info;

static int take_text(void *arg, const void *p, size_t n)
{
    (void)arg;
    (void)p;
    (void)n;
    return 0;
}

static int call_open(void)
{
    subd_client *c;
    (void)c;
    return subd_open(NULL, AT(0, &c), err);
}

static int call_push(void)
{
    return subd_push(AT(0, client), AT(1, &body), NULL, NULL, err);
}

static int call_push_mesh(void)
{
    static const struct subd_mesh mesh = SUBD_INIT(subd_mesh, .points = points, .n_vertices = 1);
    return subd_push_mesh(AT(0, client), AT(1, &mesh), NULL, NULL, err);
}

static int call_list(void)
{
    static struct subd_mesh_list list;
    return subd_list(AT(0, client), NULL, 0, AT(1, &list), err);
}

static int call_list_named(void)
{
    static struct subd_mesh_list list;
    return subd_list_named(AT(0, client), NULL, NULL, 0, AT(1, &list), err);
}

static int call_find(void)
{
    return subd_find(AT(0, client), AT(1, "m"), AT(2, &info), err);
}

static int call_rename(void)
{
    return subd_rename(AT(0, client), AT(1, "m"), 0, NULL, NULL, err);
}

static int call_versions(void)
{
    static struct subd_version_list versions;
    return subd_versions(AT(0, client), AT(1, "m"), 0, 0, AT(2, &versions), err);
}

static int call_lease_take(void)
{
    static struct subd_lease lease;
    return subd_lease_take(AT(0, client), AT(1, "m"), 0, NULL, 0, NULL, AT(2, &lease), err);
}

static int call_lease_renew(void)
{
    return subd_lease_renew(AT(0, client), AT(1, "m"), AT(2, "l_1"), 0, NULL, err);
}

static int call_pin(void)
{
    return subd_pin(AT(0, client), AT(1, "m"), NULL, err);
}

static int call_unpin(void)
{
    return subd_unpin(AT(0, client), AT(1, "m"), err);
}

static int call_quarantine_end(void)
{
    return subd_quarantine_end(AT(0, client), AT(1, "m"), err);
}

static int call_lease_end(void)
{
    return subd_lease_end(AT(0, client), AT(1, "m"), AT(2, "l_1"), err);
}

static int call_leases(void)
{
    static struct subd_lease_list list;
    return subd_leases(AT(0, client), AT(1, "m"), AT(2, &list), err);
}

static int call_use_lease(void)
{
    return subd_use_lease(AT(0, client), NULL, err);
}

static int call_presence_set(void)
{
    return subd_presence_set(AT(0, client), AT(1, "m"), AT(2, "me"), 0, AT(3, "{}"), err);
}

static int call_revert(void)
{
    return subd_revert(AT(0, client), AT(1, "m"), 0, 1, NULL, NULL, err);
}

static int call_undo(void)
{
    return subd_undo(AT(0, client), AT(1, "m"), 0, NULL, NULL, err);
}

static int call_redo(void)
{
    return subd_redo(AT(0, client), AT(1, "m"), 0, NULL, NULL, err);
}

static int call_show(void)
{
    return subd_show(AT(0, client), AT(1, "m"), AT(2, &info), err);
}

static int call_delete(void)
{
    return subd_delete(AT(0, client), AT(1, "m"), 0, err);
}

static int call_cage(void)
{
    char *data;
    size_t bytes;
    return subd_cage(AT(0, client), AT(1, "m"), AT(2, "model/obj"), AT(3, &data), AT(4, &bytes), err);
}

static int call_cage_at(void)
{
    char *data;
    size_t bytes;
    return subd_cage_at(AT(0, client), AT(1, "m"), 1, AT(2, "model/obj"), AT(3, &data), AT(4, &bytes), err);
}

static int call_cage_arrays(void)
{
    static struct subd_cage cage;
    return subd_cage_arrays(AT(0, client), AT(1, "m"), AT(2, &cage), err);
}

static int call_positions(void)
{
    return subd_positions(AT(0, client), AT(1, "m"), 0, AT(2, points), 1, NULL, err);
}

static int call_positions_ranges(void)
{
    static const struct subd_range range = {0, 1, points};
    return subd_positions_ranges(AT(0, client), AT(1, "m"), 0, AT(2, &range), 1, NULL, err);
}

static int call_positions_body(void)
{
    return subd_positions_body(AT(0, client), AT(1, "m"), 0, AT(2, &body), NULL, err);
}

static int call_refine(void)
{
    return subd_refine(AT(0, client), AT(1, "m"), AT(2, &request), AT(3, &frame), err);
}

static int call_refine_pose(void)
{
    return subd_refine_pose(AT(0, client), AT(1, "m"), 0, AT(2, points), 1, AT(3, &request), AT(4, &frame), err);
}

static int call_refine_pose_body(void)
{
    return subd_refine_pose_body(AT(0, client), AT(1, "m"), 0, AT(2, &body), AT(3, &request), AT(4, &frame), err);
}

static int call_get_plan(void)
{
    static struct subd_plan plan;
    return subd_get_plan(AT(0, client), AT(1, "m"), AT(2, &request), AT(3, &plan), err);
}

static int call_matrix(void)
{
    static const struct subd_matrix matrix = SUBD_INIT(subd_matrix, .level = 1, .sink = take_text);
    return subd_matrix(AT(0, client), AT(1, "m"), AT(2, &matrix), err);
}

static int call_patches(void)
{
    static const struct subd_patches patches = SUBD_INIT(subd_patches, .level = 1);
    return subd_patches(AT(0, client), AT(1, "m"), AT(2, &patches), AT(3, &frame), err);
}

static int call_neighbors(void)
{
    static const struct subd_neighbors neighbors = SUBD_INIT(subd_neighbors, .relation = "VV");
    return subd_neighbors(AT(0, client), AT(1, "m"), AT(2, &neighbors), AT(3, &frame), err);
}

static int call_fields(void)
{
    static const struct subd_fields fields = SUBD_INIT(subd_fields, .what = SUBD_MEAN);
    return subd_fields(AT(0, client), AT(1, "m"), AT(2, &fields), AT(3, &frame), err);
}

static const struct subd_smooth smoothing = SUBD_INIT(subd_smooth, .method = "uniform");

static int call_smooth(void)
{
    return subd_smooth(AT(0, client), AT(1, "m"), 0, AT(2, &smoothing), AT(3, &frame), err);
}

static int call_smooth_store(void)
{
    return subd_smooth_store(AT(0, client), AT(1, "m"), 1, AT(2, &smoothing), NULL, err);
}

static const struct subd_fair fairing = SUBD_INIT(subd_fair, .steps = 1);
static struct subd_job job;

static int call_fair(void)
{
    return subd_fair(AT(0, client), AT(1, "m"), 1, AT(2, &fairing), &job, NULL, err);
}

static int call_job_state(void)
{
    return subd_job_state(AT(0, client), AT(1, "j"), AT(2, &job), err);
}

static int call_job_cancel(void)
{
    return subd_job_cancel(AT(0, client), AT(1, "j"), err);
}

static int call_edits(void)
{
    static const struct subd_edit edit = {.op = SUBD_REMOVE_FACES};
    return subd_edits(AT(0, client), AT(1, "m"), 1, AT(2, &edit), 1, NULL, NULL, err);
}

static int call_edits_body(void)
{
    return subd_edits_body(AT(0, client), AT(1, "m"), 1, AT(2, &body), NULL, NULL, err);
}

static int take_rows(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p,
                     size_t n)
{
    (void)arg, (void)f, (void)b, (void)at, (void)p, (void)n;
    return 0;
}

static int ignore_news(void *arg, const struct subd_frame *f, const struct subd_news *news)
{
    (void)arg, (void)f, (void)news;
    return 0;
}

static int ignore_event(void *arg, const struct subd_mesh_event *e)
{
    (void)arg, (void)e;
    return 0;
}

static int call_watch(void)
{
    static const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = ignore_news);
    return subd_watch(AT(0, client), AT(1, "m"), AT(2, &request), AT(3, &watch), AT(4, &frame), err);
}

static int call_events(void)
{
    static const struct subd_events events = SUBD_INIT(subd_events, .heard = ignore_event);
    return subd_events(AT(0, client), AT(1, "m"), AT(2, &events), err);
}

static int call_stat(void)
{
    char *json;
    return subd_stat(AT(0, client), AT(1, &json), err);
}

static int call_health(void)
{
    return subd_health(AT(0, client), 0, err);
}

static int call_attach(void)
{
    return subd_attach(AT(0, client), NULL, err);
}

static const struct {
    const char *name;
    int (*call)(void);
    int n_pointers;
} calls[] = {
    {"subd_open", call_open, 1},
    {"subd_push", call_push, 2},
    {"subd_push_mesh", call_push_mesh, 2},
    {"subd_list", call_list, 2},
    {"subd_list_named", call_list_named, 2},
    {"subd_find", call_find, 3},
    {"subd_rename", call_rename, 2},
    {"subd_versions", call_versions, 3},
    {"subd_revert", call_revert, 2},
    {"subd_lease_take", call_lease_take, 3},
    {"subd_lease_renew", call_lease_renew, 3},
    {"subd_lease_end", call_lease_end, 3},
    {"subd_leases", call_leases, 3},
    {"subd_use_lease", call_use_lease, 1},
    {"subd_presence_set", call_presence_set, 4},
    {"subd_undo", call_undo, 2},
    {"subd_redo", call_redo, 2},
    {"subd_show", call_show, 3},
    {"subd_delete", call_delete, 2},
    {"subd_pin", call_pin, 2},
    {"subd_unpin", call_unpin, 2},
    {"subd_quarantine_end", call_quarantine_end, 2},
    {"subd_cage", call_cage, 5},
    {"subd_cage_at", call_cage_at, 5},
    {"subd_cage_arrays", call_cage_arrays, 3},
    {"subd_positions", call_positions, 3},
    {"subd_positions_ranges", call_positions_ranges, 3},
    {"subd_positions_body", call_positions_body, 3},
    {"subd_refine", call_refine, 4},
    {"subd_refine_pose", call_refine_pose, 5},
    {"subd_refine_pose_body", call_refine_pose_body, 5},
    {"subd_get_plan", call_get_plan, 4},
    {"subd_matrix", call_matrix, 3},
    {"subd_patches", call_patches, 4},
    {"subd_neighbors", call_neighbors, 4},
    {"subd_fields", call_fields, 4},
    {"subd_smooth", call_smooth, 4},
    {"subd_smooth_store", call_smooth_store, 3},
    {"subd_fair", call_fair, 3},
    {"subd_job_state", call_job_state, 3},
    {"subd_job_cancel", call_job_cancel, 2},
    {"subd_edits", call_edits, 3},
    {"subd_edits_body", call_edits_body, 3},
    {"subd_watch", call_watch, 5},
    {"subd_events", call_events, 3},
    {"subd_stat", call_stat, 2},
    {"subd_health", call_health, 1},
    {"subd_attach", call_attach, 1},
};

static void test_null_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (null_at = 0; null_at < calls[i].n_pointers; null_at++) {
            char start[64];
            size_t n = strlen(calls[i].name);
            memcpy(start, calls[i].name, n);
            memcpy(start + n, ": the argument `", sizeof ": the argument `");
            memset(&error, 0, sizeof error);
            if (calls[i].call() != SUBD_EUSAGE || error.code != SUBD_EUSAGE || strstr(error.text, start) != error.text)
                fail_msg("%s, argument %d: \"%s\"", calls[i].name, null_at, error.text);
            assert_non_null(strstr(error.text, "` is NULL"));
            err = NULL;
            assert_int_equal(calls[i].call(), SUBD_EUSAGE);
            err = &error;
        }
}

/* The functions without a sentence. */
static void test_null_without_a_sentence(void **state)
{
    struct pollfd fds[SUBD_MAX_FDS];
    float point[16][3];
    int timeout;
    (void)state;
    assert_int_equal(subd_poll_set(NULL, fds, &timeout), SUBD_EUSAGE);
    assert_int_equal(subd_poll_set(client, NULL, &timeout), SUBD_EUSAGE);
    assert_int_equal(subd_poll_set(client, fds, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_step(NULL), SUBD_EUSAGE);
    assert_int_equal(subd_socket_ready(NULL, 0, SUBD_READABLE), SUBD_EUSAGE);
    assert_int_equal(subd_timeout(NULL), SUBD_EUSAGE);
    assert_int_equal(subd_block_decode(NULL, 0, 1, point[0]), SUBD_EUSAGE);
    assert_int_equal(subd_patch_points(NULL, 0, point), SUBD_EUSAGE);
    assert_int_equal(subd_patch_points(&frame, 0, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_patch_evaluate(NULL, 0, 0, 0, point[0], NULL, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_patch_evaluate(&frame, 0, 0, 0, NULL, NULL, NULL), SUBD_EUSAGE);
    assert_null(subd_frame_find(NULL, SUBD_POSITIONS));
    assert_null(subd_frame_primvar(NULL, "uv", SUBD_PRIMVAR));
    assert_null(subd_frame_primvar(&frame, NULL, SUBD_PRIMVAR));
    assert_null(subd_warning(NULL, 0));
    assert_int_equal(subd_prim(NULL, 0, &(struct subd_prim){0}), 0);
    subd_close(NULL);
    subd_cancel(NULL);
    subd_uncancel(NULL);
    subd_nonblocking(NULL, 1);
    subd_frame_free(NULL);
    subd_mesh_list_free(NULL);
    subd_lease_list_free(NULL);
    subd_rebase(NULL, 1);
    subd_bulk(NULL, 1);
    subd_version_list_free(NULL);
    subd_edit_result_free(NULL);
    subd_cage_free(NULL);
    assert_string_equal(subd_version_kinds(NULL, 0), "");
    assert_string_equal(subd_version(), "0.1.0");
    assert_string_equal(subd_code_name(77), "unknown");
    assert_string_equal(subd_option_name(SUBD_SCHEME), "scheme");
    assert_null(subd_option_name((enum subd_option) - 1));
    assert_null(subd_option_name(SUBD_N_OPTIONS));
}

static void test_decode_to_null(void **state)
{
    static float data[3];
    const struct subd_block b = {
        .semantic = SUBD_POSITIONS, .components = 3, .count = 1, .bytes = 12, .type = "f32", .data = data};
    (void)state;
    assert_int_equal(subd_block_decode(&b, 0, 1, NULL), SUBD_EUSAGE);
}

/* NULL inside structs, with a length that says otherwise. */
static void test_null_inside(void **state)
{
    const struct subd_body no_type = {NULL, "", 0}, no_data = {"model/obj", NULL, 5};
    const struct subd_mesh no_points = SUBD_INIT(subd_mesh, .n_vertices = 3),
                           no_primvars = SUBD_INIT(subd_mesh, .n_primvars = 1);
    const struct subd_range no_range = {0, 1, NULL};
    const struct subd_edit edits[] = {{.op = SUBD_REMOVE_FACES, .n_ids = 1},
                                      {.op = SUBD_ADD_VERTICES, .n_values = 3},
                                      {.op = SUBD_ADD_FACES, .n_counts = 1},
                                      {.op = SUBD_PUT_PRIMVAR}};
    const struct subd_matrix no_sink = SUBD_INIT(subd_matrix, .level = 1);
    const struct subd_watch no_changed = SUBD_INIT(subd_watch, .arg = NULL),
                            watch = SUBD_INIT(subd_watch, .changed = ignore_news);
    const struct subd_refine with_sink = SUBD_INIT(subd_refine, .level = 1, .sink = take_rows),
                             earlier = SUBD_INIT(subd_refine, .level = 1, .at = 2),
                             conditional = SUBD_INIT(subd_refine, .level = 1, .if_none_match = "\"x\"");
    const struct subd_events no_heard = SUBD_INIT(subd_events, .arg = NULL),
                             before_all = SUBD_INIT(subd_events, .since = -1, .heard = ignore_event);
    const struct subd_loop no_watch = SUBD_INIT(subd_loop, .arg = NULL);
    (void)state;
    assert_int_equal(subd_push(client, &no_type, NULL, NULL, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "media_type"));
    assert_int_equal(subd_push(client, &no_data, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_positions_body(client, "m", 0, &no_data, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_edits_body(client, "m", 1, &no_data, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_refine_pose_body(client, "m", 1, &no_data, &request, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_push_mesh(client, &no_points, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_push_mesh(client, &no_primvars, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_positions_ranges(client, "m", 0, &no_range, 1, NULL, err), SUBD_EUSAGE);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        assert_int_equal(subd_edits(client, "m", 1, &edits[i], 1, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_matrix(client, "m", &no_sink, err), SUBD_EUSAGE);
    assert_int_equal(subd_watch(client, "m", &request, &no_changed, &frame, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "changed"));
    assert_int_equal(subd_watch(client, "m", &with_sink, &watch, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_watch(client, "m", &earlier, &watch, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_watch(client, "m", &conditional, &watch, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_events(client, "m", &no_heard, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "heard"));
    assert_int_equal(subd_events(client, "m", &before_all, err), SUBD_EUSAGE);
    assert_int_equal(subd_attach(client, &no_watch, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "callback"));
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void test_structs_without_a_size(void **state)
{
    const struct subd_config config = {.server = "http://127.0.0.1:1"};
    const struct subd_push push = {.name = "n"};
    const struct subd_mesh mesh = {.points = points, .n_vertices = 1};
    const struct subd_refine refine = {.level = 1};
    const struct subd_patches patches = {.level = 1};
    const struct subd_matrix matrix = {.level = 1, .sink = take_text};
    const struct subd_neighbors neighbors = {.relation = "VV"};
    const struct subd_fields fields = {.what = SUBD_MEAN};
    const struct subd_smooth smooth = {.method = "uniform"};
    const struct subd_fair fair = {.steps = 1};
    const struct subd_loop loop = {.arg = NULL};
    const struct subd_watch watch = {.changed = ignore_news};
    const struct subd_events events = {.heard = ignore_event};
    struct subd_plan plan;
    subd_client *c;
    (void)state;
    assert_int_equal(subd_open(&config, &c, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "SUBD_INIT(subd_config, ...)"));
    assert_null(c);
    assert_int_equal(subd_watch(client, "m", &request, &watch, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_events(client, "m", &events, err), SUBD_EUSAGE);
    assert_int_equal(subd_push(client, &body, &push, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_push_mesh(client, &mesh, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_refine(client, "m", &refine, &frame, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "SUBD_INIT(subd_refine, ...)"));
    assert_int_equal(subd_refine_pose(client, "m", 0, points, 1, &refine, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_get_plan(client, "m", &refine, &plan, err), SUBD_EUSAGE);
    assert_int_equal(subd_patches(client, "m", &patches, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_matrix(client, "m", &matrix, err), SUBD_EUSAGE);
    assert_int_equal(subd_neighbors(client, "m", &neighbors, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_fields(client, "m", &fields, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_smooth(client, "m", 0, &smooth, &frame, err), SUBD_EUSAGE);
    assert_int_equal(subd_smooth_store(client, "m", 1, &smooth, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_fair(client, "m", 1, &fair, NULL, NULL, err), SUBD_EUSAGE);
    assert_int_equal(subd_attach(client, &loop, err), SUBD_EUSAGE);
}

/* A program that was built before `ca_file` came, and one built after a member came that this library does not know. */
static void test_older_and_newer_programs(void **state)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = "http://127.0.0.1:1", .ca_file = "not read");
    struct {
        struct subd_config known;
        void *later;
    } newer = {.known = config};
    subd_client *c;
    (void)state;
    assert_int_equal(subd_open(&config, &c, err), SUBD_EUSAGE); /* a ca_file is for https */
    config.size = offsetof(struct subd_config, ca_file);
    assert_int_equal(subd_open(&config, &c, err), SUBD_OK);
    subd_close(c);
    newer.known.ca_file = NULL;
    newer.known.size = sizeof newer;
    assert_int_equal(subd_open(&newer.known, &c, err), SUBD_OK);
    subd_close(c);
    newer.later = &newer;
    assert_int_equal(subd_open(&newer.known, &c, err), SUBD_EUSAGE);
    assert_non_null(strstr(error.text, "does not know"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_named),          cmocka_unit_test(test_null_without_a_sentence),
        cmocka_unit_test(test_decode_to_null),         cmocka_unit_test(test_null_inside),
        cmocka_unit_test(test_structs_without_a_size), cmocka_unit_test(test_older_and_newer_programs),
    };
    return cmocka_run_group_tests(tests, open_client, close_client);
}
