/* SPDX-License-Identifier: Apache-2.0 */
/* cli_whole.c: finds out whether PLY and GLB files have all that their heads promise. libassimp reads a PLY that is cut
 * off as if its last rows came again, and may read past its end. */
#include "cli_import.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PROPERTIES 64
#define MOST_ELEMENTS 16

struct property {
    int bytes, list; /* Of a number; of the number that says how many follow, 0 where it is no list. */
};
struct element {
    char name[32];
    int64_t rows;
    int n_properties, lists;
    int64_t stride; /* Bytes of a row without lists. */
    struct property properties[MOST_PROPERTIES];
};
struct ply {
    const char *at, *end;
    int line, ended, binary, big_endian, n_elements;
    struct element elements[MOST_ELEMENTS];
    char why[200]; /* What is wrong; "" while nothing is. */
};

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* The bytes of a number of this type; 0 when there is none. */
static int size_of(const char *type)
{
    static const char *const names[] = {"char", "uchar", "int8",  "uint8",  "short", "ushort",  "int16",  "uint16",
                                        "int",  "uint",  "int32", "uint32", "float", "float32", "double", "float64"};
    static const int sizes[] = {1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(type, names[i]) == 0)
            return sizes[i];
    return 0;
}

static void add_property(struct ply *p, char words[5][32])
{
    struct element *e = p->n_elements ? &p->elements[p->n_elements - 1] : NULL;
    const int list = strcmp(words[1], "list") == 0;
    const struct property is = {size_of(words[list ? 3 : 1]), list ? size_of(words[2]) : 0};
    if (!e || !is.bytes || (list && !is.list))
        snprintf(p->why, sizeof p->why, "line %d of its head is no property: %s %s", p->line, words[0], words[1]);
    else if (e->n_properties == MOST_PROPERTIES)
        snprintf(p->why, sizeof p->why, "an element has more than %d properties", MOST_PROPERTIES);
    else {
        e->properties[e->n_properties++] = is;
        e->lists += list;
        e->stride += is.bytes;
    }
}

static void add_element(struct ply *p, char words[5][32])
{
    struct element *e = &p->elements[p->n_elements];
    if (p->n_elements == MOST_ELEMENTS) {
        snprintf(p->why, sizeof p->why, "it has more than %d kinds of elements", MOST_ELEMENTS);
        return;
    }
    p->n_elements++;
    memcpy(e->name, words[1], sizeof e->name);
    errno = 0;
    e->rows = strtoll(words[2], NULL, 10);
    if (errno || e->rows < 0 || !*words[2])
        snprintf(p->why, sizeof p->why, "line %d of its head has no count: element %s %s", p->line, words[1], words[2]);
}

static void read_format(struct ply *p, char words[5][32])
{
    p->binary = strncmp(words[1], "binary_", 7) == 0;
    p->big_endian = strcmp(words[1], "binary_big_endian") == 0;
}

/* Cuts a line into its first words. Returns how many there are. */
static int split(const char *line, char words[5][32])
{
    int n = 0;
    for (; n < 5 && *(line += strspn(line, " \t")); n++) {
        const size_t length = strcspn(line, " \t");
        snprintf(words[n], 32, "%.*s", (int)(length < 31 ? length : 31), line);
        line += length;
    }
    return n;
}

/* Reads a line of the head. Returns 0 behind the last. */
static int read_line(struct ply *p)
{
    char words[5][32] = {{0}}, line[256];
    size_t n = 0;
    while (p->at < p->end && *p->at != '\n' && *p->at != '\r' && n + 1 < sizeof line)
        line[n++] = *p->at++;
    line[n] = 0;
    p->line++;
    if (p->at < p->end && *p->at == '\r')
        p->at++;
    if (p->at < p->end && *p->at == '\n')
        p->at++;
    else if (n + 1 == sizeof line) /* A comment may be long. */
        while (p->at < p->end && *p->at++ != '\n')
            ;
    if (split(line, words) == 0)
        return p->at < p->end;
    if ((p->ended = strcmp(words[0], "end_header") == 0))
        return 0;
    if (strcmp(words[0], "format") == 0)
        read_format(p, words);
    else if (strcmp(words[0], "element") == 0)
        add_element(p, words);
    else if (strcmp(words[0], "property") == 0)
        add_property(p, words);
    else if (strcmp(words[0], "comment") != 0 && strcmp(words[0], "obj_info") != 0 && strcmp(words[0], "ply") != 0)
        snprintf(p->why, sizeof p->why, "line %d of its head begins with \"%s\", which PLY does not have", p->line,
                 words[0]);
    return p->at < p->end && !*p->why;
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

/* Skips a number of a text. */
static int skip_word(struct ply *p, int64_t *value)
{
    const char *from;
    while (p->at < p->end && strchr(" \t\r\n", *p->at))
        p->at++;
    from = p->at;
    for (*value = 0; p->at < p->end && !strchr(" \t\r\n", *p->at); p->at++)
        if (*p->at >= '0' && *p->at <= '9' && *value < INT32_MAX)
            *value = *value * 10 + (*p->at - '0');
    return p->at > from;
}

/* Skips a number of so many bytes, or a word of a text, and sets *value to the whole number that it is. Returns 0 at the
 * end of the file. */
static int skip(struct ply *p, int bytes, int64_t *value)
{
    uint64_t bits = 0;
    if (!p->binary)
        return skip_word(p, value);
    if (p->end - p->at < bytes)
        return 0;
    for (int i = 0; i < bytes; i++)
        bits |= (uint64_t)(unsigned char)p->at[p->big_endian ? bytes - 1 - i : i] << 8 * i;
    *value = (int64_t)bits;
    p->at += bytes;
    return 1;
}

static int skip_row(struct ply *p, const struct element *e)
{
    for (int k = 0; k < e->n_properties; k++) {
        const struct property *is = &e->properties[k];
        int64_t n = 1, value;
        if ((is->list && !skip(p, is->list, &n)) || n < 0 || n > (p->end - p->at) / (p->binary ? is->bytes : 1))
            return 0;
        if (p->binary)
            p->at += n * is->bytes;
        for (; !p->binary && n > 0; n--)
            if (!skip(p, is->bytes, &value))
                return 0;
    }
    return 1;
}

static void check_rows(struct ply *p, const struct element *e)
{
    int64_t row = 0;
    if (p->binary && !e->lists && e->stride && e->rows <= (p->end - p->at) / e->stride) {
        p->at += e->rows * e->stride;
        return;
    }
    while (e->n_properties && row < e->rows && skip_row(p, e))
        row++;
    if (e->n_properties && row < e->rows)
        snprintf(p->why, sizeof p->why, "it ends within row %s of the %s that its head promises of element %s",
                 cli_count(row + 1), cli_count(e->rows), e->name);
}

static int check_ply(const struct cli *c, const char *path, const char *data, size_t n)
{
    struct ply *p = calloc(1, sizeof *p);
    int code = -1;
    if (!p)
        return cli_fail(c, EXIT_LOCAL, "no memory");
    p->at = data;
    p->end = data + n;
    while (read_line(p))
        ;
    if (!*p->why && !p->ended)
        snprintf(p->why, sizeof p->why, "it ends within its head, without end_header");
    for (int i = 0; i < p->n_elements && !*p->why; i++)
        check_rows(p, &p->elements[i]);
    if (*p->why)
        code = cli_fail(c, EXIT_FILE, "%s is damaged: %s", path, p->why);
    free(p);
    return code;
}

static int check_glb(const struct cli *c, const char *path, const char *data, size_t n)
{
    uint32_t length;
    if (n < 12 || memcmp(data, "glTF", 4) != 0)
        return -1;
    memcpy(&length, data + 8, sizeof length);
    return length <= n
               ? -1
               : cli_fail(c, EXIT_FILE, "%s is damaged: its head says that it has %s bytes, and it ends after %s", path,
                          cli_count(length), cli_count((int64_t)n));
}

int cli_check_whole(const struct cli *c, const char *path, const char *data, size_t n, const char *format)
{
    const int is_ply = strcasecmp(format, "ply") == 0;
    char *file = NULL;
    int code;
    if (!is_ply && strcasecmp(format, "glb") != 0)
        return -1;
    if (!data && cli_read(path, &file, &n) != 0)
        return cli_stopped() ? EXIT_STOPPED : cli_fail(c, EXIT_FILE, "%s cannot be read: %s", path, strerror(errno));
    code = (is_ply ? check_ply : check_glb)(c, path, data ? data : file, n);
    free(file);
    return code;
}
