/* SPDX-License-Identifier: Apache-2.0 */
/* cli_neighbors.c: the verb neighbors, which prints rows of neighbours as text, or keeps their frame as it came. */
#include "cli.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads whole numbers with commas or white space between them. Returns 0 when the text has anything else, or there is
 * no memory. */
static int read_numbers(const char *text, struct cli_ids *out)
{
    static const char between[] = ", \t\r\n";
    int64_t room = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        const size_t digits = strspn(text, "0123456789");
        const unsigned long long id = strtoull(text, NULL, 10);
        if (digits == 0 || digits > 10 || id > UINT32_MAX || !(text[digits] == 0 || strchr(between, text[digits])))
            return 0;
        if (out->n == room) {
            uint32_t *more = realloc(out->v, (size_t)(room = 2 * room + 64) * sizeof *more);
            if (!more)
                return 0;
            out->v = more;
        }
        out->v[out->n++] = (uint32_t)id;
        text += digits;
    }
    return out->n > 0;
}

/* A LIST has digits and commas alone; everything else is a file. */
int cli_take_ids(const struct cli *c, struct cli_ids *out)
{
    char *data;
    size_t bytes;
    if (!c->ids)
        return -1;
    if (c->ids[strspn(c->ids, "0123456789,")] == 0)
        return read_numbers(c->ids, out) ? -1 : cli_fail(c, EXIT_USAGE, "%.60s is no list of ids", c->ids);
    if (cli_read(c->ids, &data, &bytes) != 0)
        return cli_fail(c, EXIT_FILE, "%s cannot be read: %s", c->ids, strerror(errno));
    const int fine = strlen(data) == bytes && read_numbers(data, out);
    free(data);
    return fine ? -1
                : cli_fail(c, EXIT_USAGE,
                           "%s is no list of ids: whole numbers with blanks, commas or new lines "
                           "between them",
                           c->ids);
}

static uint64_t offset_at(const struct subd_block *b, int64_t row)
{
    return strcmp(b->type, "u64") == 0 ? ((const uint64_t *)b->data)[row] : ((const uint32_t *)b->data)[row];
}

/* A line for each row: "12: 3 7 9". Of FE an edge that the face runs along backwards has a minus behind it. */
static void put_rows(struct cli_writer *w, const struct subd_frame *f, int64_t first, const struct cli_ids *ids)
{
    const struct subd_block *offsets = subd_frame_find(f, SUBD_OFFSETS), *signs = subd_frame_find(f, SUBD_SIGNS);
    const uint32_t *of_rows = subd_frame_find(f, SUBD_IDS)->data;
    for (int64_t row = 0; row + 1 < offsets->count && !w->failed; row++) {
        char *to = cli_room(w);
        to += snprintf(to, CLI_ROW, "%" PRId64 ":", ids->v ? (int64_t)ids->v[row] : first + row);
        for (uint64_t i = offset_at(offsets, row); i < offset_at(offsets, row + 1); i++) {
            cli_took(w, to);
            to = cli_room(w);
            to += snprintf(to, CLI_ROW, " %" PRIu32 "%s", of_rows[i],
                           signs && ((const uint8_t *)signs->data)[i] ? "-" : "");
        }
        *to++ = '\n';
        cli_took(w, to);
        cli_step(row, offsets->count);
    }
}

static int fetch(struct cli *c, struct cli_writer *w, const struct cli_ids *ids, struct subd_frame *f)
{
    const struct subd_neighbors request =
        SUBD_INIT(subd_neighbors, .relation = c->args[1], .level = c->level, .ring = c->ring, .oriented = c->oriented,
                  .first = c->first, .count = c->count, .ids = ids->v, .n_ids = ids->n);
    struct subd_error err;
    int temporary, code = cli_mesh_begin(c, c->args[0], &temporary);
    if (code >= 0)
        return code;
    if (subd_neighbors(c->client, c->mesh.id, &request, f, &err) != SUBD_OK)
        return cli_mesh_end(c, temporary, cli_report(c, &err));
    if (c->output && cli_ends_with(c->output, ".frame"))
        cli_write_frame(w, f);
    else
        put_rows(w, f, c->first, ids);
    return cli_mesh_end(c, temporary, EXIT_DONE);
}

static int tell(struct cli *c, const char *path, const struct cli_writer *w, const struct subd_frame *f)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", f->mesh_id);
    cJSON_AddNumberToObject(o, "version", (double)f->version);
    cJSON_AddNumberToObject(o, "rows", (double)subd_frame_find(f, SUBD_OFFSETS)->count - 1);
    cJSON_AddNumberToObject(o, "ids", (double)subd_frame_find(f, SUBD_IDS)->count);
    cJSON_AddStringToObject(o, "output", path);
    cJSON_AddNumberToObject(o, "bytes", (double)w->total);
    cli_add_warnings(o);
    return cli_print_json(c, o);
}

int cli_neighbors(struct cli *c)
{
    const char *path = c->output ? c->output : "-";
    struct cli_writer w;
    struct subd_frame frame = {0};
    struct cli_ids ids = {0};
    int code = cli_take_ids(c, &ids);
    if (code < 0 && ids.v && (c->first || c->count))
        code = cli_fail(c, EXIT_USAGE, "--ids goes without --first and --count");
    if (code < 0 && c->json && strcmp(path, "-") == 0)
        code = cli_fail(c, EXIT_USAGE, "--json and the rows cannot both go to stdout; use -o FILE");
    if (code < 0 && cli_writer_open(&w, path) != 0) /* A path that cannot be written is found before any work. */
        code = cli_fail_write(c, path, errno);
    if (code < 0) {
        code = fetch(c, &w, &ids, &frame);
        cli_progress_clear();
        if (cli_writer_close(&w, code == EXIT_DONE) != 0 && code == EXIT_DONE)
            code = cli_fail_write(c, path, errno);
        if (c->json && code == EXIT_DONE)
            code = tell(c, path, &w, &frame);
    }
    subd_frame_free(&frame);
    free(ids.v);
    return code;
}
