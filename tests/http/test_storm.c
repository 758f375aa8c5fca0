/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients at once who ask, change, delete and vanish in the middle: every answer is one that can be, and
 * afterwards nothing is held: no body, no session, no mesh, no device memory. */
#include "tests/http/daemon.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 8
#define MESHES 4
#define SECONDS 3.0

static struct daemon d;
static const char *const options[] = {
    "--gpu-memory", "8MiB", "--host-memory", "32MiB", "--cache-bytes", "1MiB", "--queue-size", "12", NULL};

struct client {
    uint64_t random;
    int n, refused;
    char wrong[256]; /* the last answer that cannot be */
    char (*ids)[32]; /* shared; meshes that were there at the start */
};

static unsigned draw(struct client *c, unsigned n)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(c->random >> 33) % n;
}

/* A request with its body, and which statuses it may get besides 429 and 503. */
static size_t compose(struct client *c, char *out, size_t size)
{
    static const char *const media[] = {"application/vnd.subdd.frame", "*/*", "model/ply", "model/gltf-binary",
                                        "model/vnd.usda"};
    const char *id = c->ids[draw(c, MESHES)];
    char body[256], head[512];
    float points[3] = {(float)draw(c, 100), 1, 2};
    size_t n = 0;
    switch (draw(c, 9)) {
    case 0:
        if (draw(c, 2))
            snprintf(head, sizeof head, "GET /v1/meshes/%s/refined?level=%u HTTP/1.1\r\nAccept: %s\r\n", id,
                     1 + draw(c, 5), media[draw(c, 5)]);
        else
            snprintf(head, sizeof head, "GET /v1/meshes/%s/patches?level=%u HTTP/1.1\r\n", id, 1 + draw(c, 5));
        break;
    case 1: snprintf(head, sizeof head, "GET /v1/meshes/%s/plan?level=%u HTTP/1.1\r\n", id, 1 + draw(c, 5)); break;
    case 2: snprintf(head, sizeof head, "GET /v1/meshes/%s HTTP/1.1\r\n", id); break;
    case 3: snprintf(head, sizeof head, "GET /v1/meshes?limit=10 HTTP/1.1\r\n"); break;
    case 4: snprintf(head, sizeof head, "GET /v1/meshes/%s/cage HTTP/1.1\r\n", id); break;
    case 5: snprintf(head, sizeof head, "GET /v1/health/ready HTTP/1.1\r\n"); break;
    case 6:
        snprintf(head, sizeof head,
                 "PUT /v1/meshes/%s/positions?first=%u HTTP/1.1\r\nContent-Type: application/octet-stream\r\n", id,
                 draw(c, 9));
        memcpy(body, points, n = sizeof points);
        break;
    case 7:
        snprintf(head, sizeof head,
                 "POST /v1/meshes/%s/edits HTTP/1.1\r\nContent-Type: application/json\r\nIf-Match: *\r\n", id);
        n = (size_t)snprintf(body, sizeof body, "{\"edits\":[{\"setCorners\":{\"ids\":[%u],\"sharpnesses\":[%u]}}]}",
                             draw(c, 9), draw(c, 4));
        break;
    default: /* a mesh of its own, made and left to the end */
        snprintf(head, sizeof head, "POST /v1/meshes?name=extra HTTP/1.1\r\nContent-Type: model/obj\r\n");
        n = (size_t)snprintf(body, sizeof body, "v 0 0 0\nv 1 0 0\nv 0 1 %u\nf 1 2 3\n", draw(c, 9));
    }
    int bytes = snprintf(out, size, "%sHost: localhost\r\nContent-Length: %zu\r\n\r\n", head, n);
    memcpy(out + bytes, body, n);
    return (size_t)bytes + n;
}

static void *storm(void *arg)
{
    struct client *c = arg;
    char bytes[1024];
    int fd = http_connect(&d);
    for (double end = seconds_now() + SECONDS; seconds_now() < end; c->n++) {
        struct answer a;
        size_t n = compose(c, bytes, sizeof bytes);
        bool cut = draw(c, 12) == 0;
        http_send(fd, bytes, cut ? 1 + draw(c, (unsigned)n) : n);
        if (cut || draw(c, 12) == 0) { /* goes away: in the middle of a request, or without waiting for the answer */
            if (draw(c, 2))
                usleep(draw(c, 3000));
            close(fd);
            fd = http_connect(&d);
            continue;
        }
        http_read(fd, &a, strncmp(bytes, "HEAD", 4) == 0);
        static const int fine[] = {200, 201, 422, 429, 503, 507};
        bool known = false;
        for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
            known |= a.status == fine[i];
        if (!known)
            snprintf(c->wrong, sizeof c->wrong, "%.60s: %d %.120s", bytes, a.status, a.body ? a.body : "");
        c->refused += a.status == 503 || a.status == 429;
        answer_free(&a);
    }
    close(fd);
    return NULL;
}

static long long metric(const struct answer *a, const char *name)
{
    char key[96];
    snprintf(key, sizeof key, "\n%s ", name);
    const char *s = strstr(a->body, key);
    assert_non_null(s);
    return strtoll(s + strlen(key), NULL, 10);
}

static void delete_all(void)
{
    for (bool more = true; more;) {
        struct answer list, a;
        char target[64];
        http_get(&d, "/v1/meshes?limit=1000", &list);
        const char *s = list.body;
        for (more = false; (s = strstr(s, "\"id\":\"")); s += 24, more = true) {
            snprintf(target, sizeof target, "/v1/meshes/%.18s", s + 6);
            http_ask(&d, "DELETE", target, "", NULL, 0, &a);
            assert_int_equal(a.status, 204);
            answer_free(&a);
        }
        answer_free(&list);
    }
}

static void test_storm(void **state)
{
    char ids[MESHES][32], *grid = grid_obj(24);
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    struct answer a;
    int n = 0, refused = 0;
    (void)state;
    daemon_start(&d, options);
    for (int i = 0; i < MESHES; i++)
        create_obj(&d, i % 2 ? grid : CUBE, ids[i]);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.random = (uint64_t)i + 1, .ids = ids};
        assert_int_equal(pthread_create(&threads[i], NULL, storm, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_string_equal(clients[i].wrong, "");
        n += clients[i].n;
        refused += clients[i].refused;
    }
    print_message("%d requests, %d refused\n", n, refused);
    delete_all();
    for (int i = 0; i < 3; i++) { /* behind the last releases on the compute thread */
        http_get(&d, "/v1/health/ready", &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
        usleep(100000);
    }
    http_get(&d, "/metrics", &a);
    assert_int_equal(metric(&a, "subdd_inflight_body_bytes"), 0);
    assert_int_equal(metric(&a, "subdd_sessions"), 1);
    assert_int_equal(metric(&a, "subdd_host_memory_bytes"), 0);
    assert_int_equal(metric(&a, "subdd_cache_bytes"), 0);
    assert_int_equal(metric(&a, "subdd_meshes{state=\"device\"}"), 0);
    assert_int_equal(metric(&a, "subdd_meshes{state=\"disk\"}"), 0);
    assert_int_equal(metric(&a, "subdd_device_memory_bytes{kind=\"topology\"}"), 0);
    assert_int_equal(metric(&a, "subdd_device_memory_bytes{kind=\"positions\"}"), 0);
    assert_int_equal(metric(&a, "subdd_device_memory_bytes{kind=\"scratch\"}"), 0);
    answer_free(&a);
    free(grid);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_storm)};
    return cmocka_run_group_tests_name("http/storm", tests, NULL, NULL);
}
