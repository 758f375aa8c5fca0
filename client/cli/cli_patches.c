/* SPDX-License-Identifier: Apache-2.0 */
/* cli_patches.c: the verb patches, which fetches the surface as B-spline patches and counts them by level; and the file
 * format .frame, which is the frame as it came. */
#include "cli.h"
#include <string.h>

#define PIECE ((int64_t)4 << 20) /* Progress is shown after so many bytes. */

static int fetch(struct cli *c, const struct subd_mesh_info *m, struct subd_frame *f, struct subd_error *err)
{
    struct subd_patches request =
        SUBD_INIT(subd_patches, .level = c->level, .surface = c->surface, .skip_digests = c->skip_digests);
    return subd_patches(c->client, m->id, &request, f, err);
}

/* Counts the rows of patch_params or face_params by their level. */
static void count_levels(const struct subd_frame *f, int semantic, int64_t counts[SUBD_PATCH_LEVEL_MASK + 1])
{
    const struct subd_block *b = subd_frame_find(f, semantic);
    const uint32_t(*rows)[4] = b->data;
    memset(counts, 0, (SUBD_PATCH_LEVEL_MASK + 1) * sizeof *counts);
    for (int64_t i = 0; i < b->count; i++)
        counts[rows[i][3] & SUBD_PATCH_LEVEL_MASK]++;
}

static void print(FILE *to, const struct subd_frame *f)
{
    int64_t patches[SUBD_PATCH_LEVEL_MASK + 1], faces[SUBD_PATCH_LEVEL_MASK + 1];
    count_levels(f, SUBD_PATCH_PARAMS, patches);
    count_levels(f, SUBD_FACE_PARAMS, faces);
    fprintf(to, "level %d: %s vertices, %s patches and faces by %s on %s\n", f->level, cli_amount(f->vertices),
            cli_amount(f->faces), f->method, f->backend);
    fprintf(to, "  %-5s %14s %14s\n", "level", "patches", "faces");
    for (int i = 0; i <= f->level; i++)
        fprintf(to, "  %5d %14s %14s\n", i, cli_count(patches[i]), cli_count(faces[i]));
    fprintf(to, "  %5s %14s %14s\n", "all", cli_count(subd_frame_find(f, SUBD_PATCHES)->count),
            cli_count(subd_frame_find(f, SUBD_INDICES)->count));
}

static void add_json(cJSON *o, const struct subd_frame *f)
{
    int64_t patches[SUBD_PATCH_LEVEL_MASK + 1], faces[SUBD_PATCH_LEVEL_MASK + 1];
    cJSON *rows = cJSON_AddArrayToObject(o, "levels"), *row;
    count_levels(f, SUBD_PATCH_PARAMS, patches);
    count_levels(f, SUBD_FACE_PARAMS, faces);
    for (int i = 0; i <= f->level; i++) {
        cJSON_AddItemToArray(rows, row = cJSON_CreateObject());
        cJSON_AddNumberToObject(row, "level", i);
        cJSON_AddNumberToObject(row, "patches", (double)patches[i]);
        cJSON_AddNumberToObject(row, "faces", (double)faces[i]);
    }
}

/* ---- OUT.frame ------------------------------------------------------------------------------------------------- */

/* Writes `bytes` of the data, or zeros when data is NULL. */
static void put_bytes(struct cli_writer *w, const char *data, int64_t bytes, int64_t total)
{
    static const char zeros[4096];
    for (int64_t at = 0, n; at < bytes && !w->failed; at += n) {
        n = bytes - at < PIECE ? bytes - at : PIECE;
        if (!data && n > (int64_t)sizeof zeros)
            n = (int64_t)sizeof zeros;
        cli_put(w, data ? data + at : zeros, (size_t)n);
        cli_progress_local("writing", w->total, total);
    }
}

void cli_write_frame(struct cli_writer *w, const struct subd_frame *f)
{
    int64_t at = f->head_bytes;
    put_bytes(w, f->head, at, f->frame_bytes);
    for (int written = 0; written < f->n_blocks; written++) {
        const struct subd_block *next = NULL; /* libsubd has checked that blocks do not overlap. */
        for (int i = 0; i < f->n_blocks; i++) {
            const struct subd_block *b = &f->blocks[i];
            if (b->bytes && b->offset >= at && (!next || b->offset < next->offset))
                next = b;
        }
        if (!next)
            break; /* The blocks that remain are empty. */
        put_bytes(w, NULL, next->offset - at, f->frame_bytes);
        put_bytes(w, next->data, next->bytes, f->frame_bytes);
        at = next->offset + next->bytes;
    }
    put_bytes(w, NULL, f->frame_bytes - at, f->frame_bytes);
}

int cli_patches(struct cli *c)
{
    static const struct cli_product product = {
        {{".obj", cli_write_surfaces}, {".frame", cli_write_frame}}, fetch, print, add_json};
    return cli_fetch(c, &product);
}
