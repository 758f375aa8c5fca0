/* SPDX-License-Identifier: Apache-2.0 */
/* cli_bench.c: the verb bench, which repeats a refine on one connection, into the same memory, and prints latencies. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int print(const struct cli *c, const struct subd_frame *f, double *seconds, int n)
{
    double median, p99, sum = 0, bytes = (double)f->frame_bytes;
    cJSON *o;
    for (int i = 0; i < n; i++)
        sum += seconds[i];
    qsort(seconds, (size_t)n, sizeof *seconds, by_size);
    median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
    p99 = seconds[(int)((double)(n - 1) * 0.99 + 0.999999)];
    cli_progress_clear();
    if (!c->json) {
        printf("%d times level %d: %s vertices, %s a frame, by %s on %s\n", n, f->level, cli_amount(f->vertices),
               cli_bytes(bytes), f->method, f->backend);
        printf("  median %.3f ms, p99 %.3f ms, best %.3f ms, worst %.3f ms, %.3f GB/s at the median\n", median * 1e3,
               p99 * 1e3, seconds[0] * 1e3, seconds[n - 1] * 1e3, bytes / median / 1e9);
        return EXIT_DONE;
    }
    o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "repeats", n);
    cJSON_AddNumberToObject(o, "level", f->level);
    cJSON_AddStringToObject(o, "method", f->method);
    cJSON_AddStringToObject(o, "backend", f->backend);
    cJSON_AddNumberToObject(o, "vertices", (double)f->vertices);
    cJSON_AddNumberToObject(o, "bytes", bytes);
    cJSON_AddNumberToObject(o, "medianMs", median * 1e3);
    cJSON_AddNumberToObject(o, "p99Ms", p99 * 1e3);
    cJSON_AddNumberToObject(o, "bestMs", seconds[0] * 1e3);
    cJSON_AddNumberToObject(o, "worstMs", seconds[n - 1] * 1e3);
    cJSON_AddNumberToObject(o, "meanMs", sum / n * 1e3);
    cJSON_AddNumberToObject(o, "gigabytesPerSecond", bytes / median / 1e9);
    cli_add_warnings(o);
    return cli_print_json(c, o);
}

int cli_bench(struct cli *c)
{
    struct subd_refine request = SUBD_INIT(
        subd_refine, .level = c->level, .surface = c->surface, .method = c->method, .skip_digests = c->skip_digests,
        .include = SUBD_POSITIONS | SUBD_INDICES | c->include, .primvars = c->primvars);
    double *seconds = calloc((size_t)c->repeat, sizeof *seconds), start;
    struct subd_frame frame = {0};
    struct subd_error err;
    int temporary, code = EXIT_DONE;
    if (!seconds)
        return cli_fail(c, EXIT_LOCAL, "no memory");
    request.compact = c->compact ? request.include & CLI_COMPACT : 0;
    if ((code = cli_mesh_begin(c, c->args[0], &temporary)) >= 0)
        goto out;
    code = EXIT_DONE;
    for (int i = -1; i < c->repeat && code == EXIT_DONE; i++) { /* The first one warms up and does not count. */
        start = cli_now();
        if (subd_refine(c->client, c->mesh.id, &request, &frame, &err) != SUBD_OK)
            code = cli_report(c, &err);
        if (i >= 0)
            seconds[i] = cli_now() - start;
    }
    code = cli_mesh_end(c, temporary, code);
    if (code == EXIT_DONE)
        code = print(c, &frame, seconds, c->repeat);
out:
    subd_frame_free(&frame);
    free(seconds);
    return code;
}
