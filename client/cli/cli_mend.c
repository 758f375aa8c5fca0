/* SPDX-License-Identifier: Apache-2.0 */
/* cli_mend.c: writes OFF, GLB and COLLADA files anew as libassimp reads them. It reads OFF by lines where the format
 * only parts by blanks, so that it falls on a face over two lines; it believes counts that no file could hold, moves
 * an index that is out of range to the last vertex, and knows no binary OFF. The parts of a GLB it looks for where
 * they should be, and takes no blanks before the first number of some elements of COLLADA. */
#include "cli_import.h"
#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct off {
    const char *at, *end;
    int64_t line, vertices, faces;
    FILE *out;
    char why[160]; /* What is wrong; "" while nothing is. */
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Goes to the next word, over comments; where `in_line` is set only to the end of the line. Returns 1 at a word. */
static int next(struct off *o, int in_line)
{
    for (int comment = 0; o->at < o->end; o->at++)
        if (*o->at == '\n') {
            if (in_line)
                return 0;
            comment = 0;
            o->line++;
        } else if (*o->at == '#')
            comment = 1;
        else if (!comment && !strchr(" \t\r", *o->at))
            return 1;
    return 0;
}

static size_t word_size(const struct off *o)
{
    size_t n = 0;
    while (o->at + n < o->end && !strchr(" \t\r\n#", o->at[n]))
        n++;
    return n;
}

/* Copies a word, with a blank behind it. Returns 0 when there is none. */
static int copy_word(struct off *o, int in_line)
{
    size_t n;
    if (!next(o, in_line))
        return 0;
    n = word_size(o);
    fwrite(o->at, 1, n, o->out);
    fputc(' ', o->out);
    o->at += n;
    return 1;
}

/* Reads a whole number of 0 to `most`. Returns 0 with a sentence when there is none. */
static int read_count(struct off *o, int64_t most, const char *what, int64_t *value)
{
    const int there = next(o, 0);
    const size_t n = word_size(o);
    char word[24] = "", *end;
    if (there)
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), o->at);
    *value = strtoll(word, &end, 10);
    if (there && !*end && n < sizeof word && *value >= 0 && *value <= most) {
        o->at += n;
        return 1;
    }
    if (there)
        snprintf(o->why, sizeof o->why, "line %s: \"%s\" where %s from 0 to %s is wanted", cli_count(o->line), word,
                 what, cli_count(most));
    else
        snprintf(o->why, sizeof o->why, "it ends where %s is wanted", what);
    return 0;
}

static void skip_line(struct off *o)
{
    while (next(o, 1))
        o->at += word_size(o);
}

/* A vertex has its other values, of whatever a keyword says, in the line in which its third coordinate is. */
static int copy_vertex(struct off *o, int64_t row)
{
    for (int k = 0; k < 3; k++)
        if (!copy_word(o, 0)) {
            snprintf(o->why, sizeof o->why, "it ends within vertex %s of the %s that its head promises",
                     cli_count(row + 1), cli_count(o->vertices));
            return 0;
        }
    while (copy_word(o, 1))
        ;
    fputc('\n', o->out);
    return 1;
}

/* What follows the vertices of a face in its line is its colour. */
static int copy_face(struct off *o)
{
    int64_t corners, vertex;
    if (!read_count(o, o->end - o->at, "the number of a face's vertices", &corners))
        return 0;
    fprintf(o->out, "%lld", (long long)corners);
    for (int64_t k = 0; k < corners; k++) {
        if (!read_count(o, o->vertices - 1, "a face's vertex", &vertex))
            return 0;
        fprintf(o->out, " %lld", (long long)vertex);
    }
    fputc('\n', o->out);
    skip_line(o);
    return 1;
}

/* No file has more rows than bytes. */
static void copy_text(struct off *o)
{
    const char *keyword = "OFF"; /* It may be left out. */
    size_t n = next(o, 0) ? word_size(o) : 0;
    if (n >= 3 && n < 12 && memcmp(o->at + n - 3, "OFF", 3) == 0) {
        keyword = o->at;
        o->at += n;
    } else
        n = 3;
    if (!read_count(o, INT64_MAX, "the number of vertices", &o->vertices) ||
        !read_count(o, INT64_MAX, "the number of faces", &o->faces))
        return;
    if (o->vertices > o->end - o->at || o->faces > o->end - o->at) {
        snprintf(o->why, sizeof o->why, "its head promises %s vertices and %s faces, and it has %s bytes behind",
                 cli_count(o->vertices), cli_count(o->faces), cli_count(o->end - o->at));
        return;
    }
    skip_line(o);
    fprintf(o->out, "%.*s\n%lld %lld 0\n", (int)n, keyword, (long long)o->vertices, (long long)o->faces);
    for (int64_t v = 0; v < o->vertices; v++)
        if (!copy_vertex(o, v))
            return;
    for (int64_t f = 0; f < o->faces; f++)
        if (!copy_face(o))
            return;
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

static uint32_t number(const char *at, int big_endian)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return big_endian ? be32toh(v) : le32toh(v);
}

/* Reads how many numbers follow; -1 when so many do not. */
static int64_t read_size(const char **at, const char *end, int big_endian)
{
    const int64_t n = end - *at >= 4 ? (int64_t)number(*at, big_endian) : -1;
    *at += 4;
    return n <= (end - *at) / 4 ? n : -1;
}

/* Goes over the faces of a binary file, and writes them where `out` is set. Returns 1 when they end where the file
 * does: programs differ in the order of bytes, and in whether a number of colours follows a face. */
static int binary_faces(const char *at, const char *end, int big_endian, int colours, const int64_t counts[2],
                        FILE *out)
{
    for (int64_t f = 0; f < counts[1]; f++) {
        const int64_t n = read_size(&at, end, big_endian);
        int64_t tail = 0;
        if (out)
            fprintf(out, "%lld", (long long)n);
        for (int64_t k = 0; k < n; k++, at += 4)
            if (number(at, big_endian) >= counts[0])
                return 0;
            else if (out)
                fprintf(out, " %u", number(at, big_endian));
        if (out)
            fputc('\n', out);
        if (n < 0 || (colours && (tail = read_size(&at, end, big_endian)) < 0))
            return 0;
        at += 4 * tail;
    }
    return at == end;
}

static void copy_binary(struct off *o)
{
    for (int way = 0; way < 4 && o->end - o->at >= 12; way++) {
        const int big_endian = way & 1, colours = way >> 1;
        const int64_t counts[2] = {number(o->at, big_endian), number(o->at + 4, big_endian)};
        const char *faces = o->at + 12 + 12 * counts[0];
        if (counts[0] > (o->end - o->at - 12) / 12 || !binary_faces(faces, o->end, big_endian, colours, counts, NULL))
            continue;
        fprintf(o->out, "OFF\n%lld %lld 0\n", (long long)counts[0], (long long)counts[1]);
        for (const char *at = o->at + 12; at < faces; at += 4) {
            const uint32_t bits = number(at, big_endian);
            float value;
            memcpy(&value, &bits, sizeof value);
            fprintf(o->out, "%.9g%c", (double)value, (at - o->at - 12) % 12 == 8 ? '\n' : ' ');
        }
        binary_faces(faces, o->end, big_endian, colours, counts, o->out);
        return;
    }
    snprintf(o->why, sizeof o->why, "its bytes are not the vertices and faces that the head of binary OFF promises");
}

int cli_mend_off(const struct cli *c, const char *path, const char *data, size_t n, char **made, size_t *made_bytes)
{
    static const char binary[] = "OFF BINARY\n";
    const size_t head = sizeof binary - 1;
    struct off o = {.at = data, .end = data + n, .line = 1};
    *made = NULL;
    if (!(o.out = open_memstream(made, made_bytes)))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    if (n > head && memcmp(data, binary, head) == 0) {
        o.at += head;
        copy_binary(&o);
    } else
        copy_text(&o);
    if (fclose(o.out) != 0)
        return cli_fail(c, EXIT_LOCAL, "no memory");
    return *o.why ? cli_fail(c, EXIT_FILE, "%s is damaged: %s", path, o.why) : -1;
}

/* ---- GLB --------------------------------------------------------------------------------------------------------- */

int cli_mend_glb(const struct cli *c, const char *path, const char *data, size_t n, char **made, size_t *made_bytes)
{
    uint32_t length, json;
    *made = NULL;
    if (n < 20 || memcmp(data, "glTF", 4) != 0)
        return -1;
    memcpy(&length, data + 8, sizeof length);
    memcpy(&json, data + 12, sizeof json);
    if (length > n)
        return cli_fail(c, EXIT_FILE, "%s is damaged: its head says that it has %s bytes, and it ends after %s", path,
                        cli_count(length), cli_count((int64_t)n));
    if (memcmp(data + 16, "JSON", 4) != 0 || json % 4 == 0 || json > n - 20)
        return -1;
    const uint32_t padding = 4 - json % 4, padded = json + padding, all = (uint32_t)n + padding;
    *made_bytes = n + padding;
    if (!(*made = malloc(*made_bytes)))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    memcpy(*made, data, 20 + json);
    memset(*made + 20 + json, ' ', padding);
    memcpy(*made + 20 + padded, data + 20 + json, n - 20 - json);
    memcpy(*made + 8, &all, sizeof all);
    memcpy(*made + 12, &padded, sizeof padded);
    return -1;
}

/* ---- COLLADA ----------------------------------------------------------------------------------------------------- */

int cli_mend_dae(const struct cli *c, const char *path, const char *data, size_t n, char **made, size_t *made_bytes)
{
    const char *end = data + n, *at = data;
    char *to;
    (void)path;
    if (!(*made = to = malloc(n ? n : 1)))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    while (at < end) {
        const char *after = at + 1;
        *to++ = *at;
        while (*at == '>' && after < end && strchr(" \t\r\n", *after))
            after++;
        at = after < end && strchr("+-.0123456789", *after) ? after : at + 1;
    }
    *made_bytes = (size_t)(to - *made);
    return -1;
}
