/* SPDX-License-Identifier: Apache-2.0 */
/* cli_matrix.c: the verb matrix, which writes a subdivision matrix as it arrives. A file appears only once it is
 * complete. */
#include "cli.h"
#include <errno.h>
#include <string.h>

static int put(void *arg, const void *p, size_t n)
{
    struct cli_writer *w = arg;
    cli_put(w, p, n);
    return w->failed;
}

static int fetch(struct cli *c, const char *path, struct cli_writer *w)
{
    const struct subd_matrix request =
        SUBD_INIT(subd_matrix, .level = c->level, .surface = c->surface, .what = c->what, .sink = put, .sink_arg = w);
    struct subd_error err;
    int temporary, code = cli_mesh_begin(c, c->args[0], &temporary);
    if (code >= 0)
        return code;
    if (subd_matrix(c->client, c->mesh.id, &request, &err) == SUBD_OK)
        code = EXIT_DONE;
    else if (w->failed && w->failed != ECANCELED)
        code = cli_fail_write(c, path, w->failed);
    else
        code = cli_report(c, &err);
    return cli_mesh_end(c, temporary, code);
}

int cli_matrix(struct cli *c)
{
    const char *path = c->output ? c->output : "-";
    struct cli_writer w;
    if (c->json && strcmp(path, "-") == 0)
        return cli_fail(c, EXIT_USAGE, "--json and the matrix cannot both go to stdout; use -o FILE");
    if (cli_writer_open(&w, path) != 0) /* A path that cannot be written is found before any work. */
        return cli_fail_write(c, path, errno);
    int code = fetch(c, path, &w);
    cli_progress_clear();
    if (cli_writer_close(&w, code == EXIT_DONE) != 0 && code == EXIT_DONE)
        return cli_fail_write(c, path, errno);
    if (!c->json || code != EXIT_DONE)
        return code;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "output", path);
    cJSON_AddNumberToObject(o, "bytes", (double)w.total);
    cli_add_warnings(o);
    return cli_print_json(c, o);
}
