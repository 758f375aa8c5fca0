/* SPDX-License-Identifier: Apache-2.0 */
/* cli_cage.c: the memory of a control mesh that subd reads or welds itself, and how much of a file was lost. */
#include "cli_import.h"
#include <stdlib.h>

void *cli_cage_rows(struct cli_cage *cage, int64_t n, size_t bytes)
{
    void **blocks = realloc(cage->blocks, (cage->n_blocks + 1) * sizeof *blocks), *block;
    if (!blocks)
        return NULL;
    cage->blocks = blocks;
    if ((block = calloc(n > 0 ? (size_t)n : 1, bytes)))
        blocks[cage->n_blocks++] = block;
    return block;
}

void cli_cage_free(struct cli_cage *cage)
{
    for (size_t i = 0; i < cage->n_blocks; i++)
        free(cage->blocks[i]);
    free(cage->blocks);
    *cage = (struct cli_cage){0};
}

static int64_t lost;

void cli_note_loss(void)
{
    lost++;
}

int64_t cli_lost(void)
{
    return lost;
}
