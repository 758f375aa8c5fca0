/* SPDX-License-Identifier: Apache-2.0 */
/* cli_ply.c: reads PLY. libassimp does too, but has one UV a vertex where PLY has one a corner, misreads some binary
 * files by a byte, and fills up a file that is cut off with rows that came before. */
#include "cli_import.h"
#include "proto/files/file_names.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PROPERTIES 64
#define MOST_ELEMENTS 16
#define MOST_SETS 8

/* What a property is for a mesh: a coordinate, a colour or a UV of a vertex; a list of a face; a strip of triangles. */
enum role { NOTHING, X, Y, Z, RED, GREEN, BLUE, ALPHA, S, T, N_ROLES, INDICES, TEXCOORD, STRIP };
struct type {
    char kind; /* 'i' signed, 'u' unsigned, 'f' floating; 0 is none. */
    int bytes;
};
struct property {
    struct type is, count; /* count.kind is 0 where it is no list. */
    enum role role;
    int set; /* Of faces: which of the face sets it is, counted from 1; 0 is none. */
};
/* Face sets, as proto/files writes them: a line "comment NAME k TEXT" for each set, then an integer NAME of faces. */
struct face_sets {
    char *name;
    int64_t n;
    const char **names; /* [n] */
    int32_t *values;    /* [n_faces + 1] */
};
struct element {
    char name[32];
    int64_t rows;
    int n_properties;
    struct property properties[MOST_PROPERTIES];
};
struct ply {
    const char *begin, *at, *end, *rows; /* Where it begins, is and ends, and where its rows begin. */
    int line, ended, binary, big_endian, n_elements, has[N_ROLES], texcoords;
    double most[N_ROLES]; /* What a colour counts as 1. */
    struct element elements[MOST_ELEMENTS];
    int32_t strip[2];                                          /* The last two vertices of a strip. */
    int64_t in_strip;                                          /* How many vertices it has. */
    int64_t n_vertices, n_faces, n_corners, n_texcoords, lost; /* lost: faces of less than three corners. */
    int64_t room_corners;      /* What is behind it belongs to faces that are left out. */
    int32_t *counts, *corners; /* NULL while only the numbers are found out. */
    float *points, *colours, *opacities, *uvs, *corner_uvs;
    struct face_sets sets[MOST_SETS];
    int n_sets;
    struct cli_cage *cage;
    char why[200];      /* What is wrong; "" while nothing is. */
    char left_out[200]; /* Names of properties and elements. */
};

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static struct type type_of(const char *name)
{
    static const struct {
        const char *names[2];
        struct type is;
    } rows[] = {{{"char", "int8"}, {'i', 1}},     {{"uchar", "uint8"}, {'u', 1}},   {{"short", "int16"}, {'i', 2}},
                {{"ushort", "uint16"}, {'u', 2}}, {{"int", "int32"}, {'i', 4}},     {{"uint", "uint32"}, {'u', 4}},
                {{"float", "float32"}, {'f', 4}}, {{"double", "float64"}, {'f', 8}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].names[0]) == 0 || strcmp(name, rows[i].names[1]) == 0)
            return rows[i].is;
    return (struct type){0};
}

static enum role role_of(const char *element, const char *name, int list)
{
    static const struct {
        const char *name;
        enum role role;
    } rows[] = {{"x", X},
                {"y", Y},
                {"z", Z},
                {"red", RED},
                {"green", GREEN},
                {"blue", BLUE},
                {"alpha", ALPHA},
                {"s", S},
                {"t", T},
                {"u", S},
                {"v", T},
                {"texture_u", S},
                {"texture_v", T},
                {"diffuse_red", RED},
                {"diffuse_green", GREEN},
                {"diffuse_blue", BLUE},
                {"vertex_indices", INDICES},
                {"vertex_index", INDICES},
                {"texcoord", TEXCOORD}};
    if (list && strcmp(element, "tristrips") == 0)
        return strncmp(name, "vertex_ind", 10) == 0 ? STRIP : NOTHING;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0 && list == (rows[i].role > N_ROLES))
            return strcmp(element, list ? "face" : "vertex") == 0 ? rows[i].role : NOTHING;
    return NOTHING;
}

static void leave_out(struct ply *p, const char *name, const char *of)
{
    const size_t n = strlen(p->left_out);
    if (strcmp(name, "nx") != 0 && strcmp(name, "ny") != 0 && strcmp(name, "nz") != 0) /* A surface has its own. */
        snprintf(p->left_out + n, sizeof p->left_out - n, "%s%s%s", n ? ", " : "", of, name);
}

/* The names that comments of the head so far give to the values of a property of faces. Returns how many there are, -1
 * without memory; puts them into `names` where that is not NULL. */
static int64_t find_names(struct ply *p, const char *property, const char **names)
{
    const size_t length = strlen(property);
    int64_t n = 0;
    for (const char *at = p->begin, *next; at < p->at; at = next) {
        const char *line = at, *end = memchr(at, '\n', (size_t)(p->at - at));
        char *text;
        end = end ? end : p->at;
        next = end + 1;
        if (end - line < (ptrdiff_t)length + 12 || memcmp(line, "comment ", 8) != 0 ||
            memcmp(line + 8, property, length) != 0 || line[8 + length] != ' ' ||
            strtoll(line + 8 + length, &text, 10) != n + 1 || *text != ' ' || text + 1 >= end)
            continue;
        const size_t bytes = (size_t)(end - text) - 1 - (end[-1] == '\r');
        char *copy = names ? cli_cage_rows(p->cage, (int64_t)bytes + 1, 1) : NULL;
        if (names && !copy)
            return -1;
        if (names)
            names[n] = memcpy(copy, text + 1, bytes);
        n++;
    }
    return n;
}

/* Adds face sets if the head has names for the values of this property. Returns their number, counted from 1, or 0. */
static int add_sets(struct ply *p, const char *property)
{
    struct face_sets *s = &p->sets[p->n_sets];
    char valid[FILE_NAME_SIZE];
    if (p->n_sets == MOST_SETS || strlen(property) > 30 ||
        strcmp(file_name_valid(FILE_NAME_USD, property, valid), property) != 0)
        return 0;
    const int64_t n = find_names(p, property, NULL);
    if (!n || !(s->name = cli_cage_rows(p->cage, 32, 1)) || !(s->names = cli_cage_rows(p->cage, n, sizeof *s->names)) ||
        find_names(p, property, s->names) < 0)
        return 0;
    snprintf(s->name, 32, "%s", property);
    s->n = n;
    return ++p->n_sets;
}

static void add_property(struct ply *p, char words[5][32])
{
    struct element *e = p->n_elements ? &p->elements[p->n_elements - 1] : NULL;
    const int list = strcmp(words[1], "list") == 0;
    const char *name = words[list ? 4 : 2];
    struct property is = {type_of(words[list ? 3 : 1]), list ? type_of(words[2]) : (struct type){0}, NOTHING, 0};
    if (!e || !is.is.kind || (list && !is.count.kind)) {
        snprintf(p->why, sizeof p->why, "line %d of its head lacks the type or the name of a property: %.20s %.20s",
                 p->line, words[0], words[1]);
        return;
    }
    if (e->n_properties == MOST_PROPERTIES) {
        snprintf(p->why, sizeof p->why, "element %s has more than %d properties", e->name, MOST_PROPERTIES);
        return;
    }
    is.role = role_of(e->name, name, list);
    if (is.role == NOTHING && !list && is.is.kind != 'f' && strcmp(e->name, "face") == 0)
        is.set = add_sets(p, name);
    if (is.role == NOTHING && !is.set && (strcmp(e->name, "vertex") == 0 || strcmp(e->name, "face") == 0))
        leave_out(p, name, "");
    if (is.role < N_ROLES) {
        p->has[is.role] = 1;
        p->most[is.role] = is.is.kind == 'f' ? 1 : is.is.bytes == 1 ? 255 : 65535;
    }
    p->texcoords |= is.role == TEXCOORD;
    e->properties[e->n_properties++] = is;
}

static void add_element(struct ply *p, char words[5][32])
{
    struct element *e = &p->elements[p->n_elements];
    if (p->n_elements == MOST_ELEMENTS) {
        snprintf(p->why, sizeof p->why, "it has more than %d kinds of elements", MOST_ELEMENTS);
        return;
    }
    for (int i = 0; i < p->n_elements; i++)
        if (strcmp(p->elements[i].name, words[1]) == 0)
            snprintf(p->why, sizeof p->why, "its head has element %s twice", words[1]);
    p->n_elements++;
    memcpy(e->name, words[1], sizeof e->name);
    errno = 0;
    e->rows = strtoll(words[2], NULL, 10);
    if (strcmp(words[1], "vertex") == 0)
        p->n_vertices = e->rows;
    else if (strcmp(words[1], "face") != 0 && strcmp(words[1], "tristrips") != 0 && e->rows > 0)
        leave_out(p, words[1], "element ");
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
    else if (strcmp(words[0], "comment") != 0 && strcmp(words[0], "obj_info") != 0 && strcmp(words[0], "ply") != 0 &&
             p->n_elements) /* Else it shapes no element, and may be a comment that lacks its word. */
        snprintf(p->why, sizeof p->why, "line %d of its head begins with \"%s\", which PLY does not have", p->line,
                 words[0]);
    return p->at < p->end && !*p->why;
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static int take_word(struct ply *p, double *value)
{
    char *after;
    while (p->at < p->end && strchr(" \t\r\n", *p->at))
        p->at++;
    if (p->at == p->end)
        return 0;
    *value = strtod(p->at, &after); /* A NUL follows the file. */
    if (after == p->at)
        snprintf(p->why, sizeof p->why, "\"%.20s\" is no number", p->at);
    p->at = after;
    return !*p->why;
}

/* Reads a number. Returns 0 at the end of the file, or where there is none. */
static int take(struct ply *p, struct type is, double *value)
{
    uint64_t bits = 0;
    uint32_t low;
    float single;
    if (!p->binary)
        return take_word(p, value);
    if (p->end - p->at < is.bytes)
        return 0;
    for (int i = 0; i < is.bytes; i++)
        bits |= (uint64_t)(unsigned char)p->at[p->big_endian ? is.bytes - 1 - i : i] << 8 * i;
    p->at += is.bytes;
    low = (uint32_t)bits;
    if (is.kind == 'f' && is.bytes == 8)
        memcpy(value, &bits, sizeof *value);
    else if (is.kind == 'f') {
        memcpy(&single, &low, sizeof single);
        *value = (double)single;
    } else
        *value = is.kind == 'u'  ? (double)bits
                 : is.bytes == 1 ? (double)(int8_t)low
                 : is.bytes == 2 ? (double)(int16_t)low
                                 : (double)(int32_t)low;
    return 1;
}

static int take_corner(struct ply *p, double value)
{
    if (!(value >= 0 && value < (double)p->n_vertices) || p->n_corners >= INT32_MAX) {
        snprintf(p->why, sizeof p->why, "face %lld uses vertex %g, and there are %lld",
                 (long long)p->n_faces + (long long)p->lost, value, (long long)p->n_vertices);
        return 0;
    }
    if (p->corners && p->n_corners < p->room_corners)
        p->corners[p->n_corners] = (int32_t)value;
    p->n_corners++;
    return 1;
}

/* Each vertex of a strip makes a triangle with the two before it, each the other way round as the one before; -1 begins
 * anew. Triangles of less than three vertices only lead to the next place. */
static int take_strip(struct ply *p, double value)
{
    const int32_t a = p->strip[0], b = p->strip[1];
    if (value == -1.0) {
        p->in_strip = 0;
        return 1;
    }
    if (p->in_strip >= 2 && a != b && value != (double)a && value != (double)b) {
        if (!take_corner(p, a) || !take_corner(p, b) || !take_corner(p, value))
            return 0;
        if (p->counts)
            p->counts[p->n_faces] = 3;
        p->n_faces++;
        p->texcoords = 0;
    } else if (!(value >= 0 && value < (double)p->n_vertices))
        return take_corner(p, value);
    p->strip[p->in_strip++ & 1] = (int32_t)value;
    return 1;
}

static int take_list(struct ply *p, const struct property *is, int64_t *corners)
{
    double n, value;
    if (!take(p, is->count, &n))
        return 0;
    if (!(n >= 0 && n <= (double)(p->end - p->at)))
        return 0;
    p->in_strip = 0;
    for (int64_t i = 0; i < (int64_t)n; i++) {
        if (!take(p, is->is, &value))
            return 0;
        if ((is->role == INDICES && !take_corner(p, value)) || (is->role == STRIP && !take_strip(p, value)))
            return 0;
        if (is->role == TEXCOORD) {
            if (p->corner_uvs && p->n_texcoords < 2 * p->room_corners)
                p->corner_uvs[p->n_texcoords] = (float)value;
            p->n_texcoords++;
        }
    }
    if (is->role == INDICES)
        *corners = (int64_t)n;
    return 1;
}

static void put_vertex(struct ply *p, int64_t row, const double v[N_ROLES])
{
    for (int k = 0; k < 3; k++) {
        p->points[3 * row + k] = (float)v[X + k];
        if (p->colours)
            p->colours[3 * row + k] = (float)(v[RED + k] / p->most[RED + k]);
    }
    if (p->opacities)
        p->opacities[row] = (float)(v[ALPHA] / p->most[ALPHA]);
    if (p->uvs) {
        p->uvs[2 * row] = (float)v[S];
        p->uvs[2 * row + 1] = (float)v[T];
    }
}

static int take_row(struct ply *p, const struct element *e, int64_t row)
{
    const int64_t corners = p->n_corners, texcoords = p->n_texcoords;
    double v[N_ROLES] = {0};
    int64_t n = -1;
    for (int k = 0; k < e->n_properties; k++) {
        const struct property *is = &e->properties[k];
        if (is->count.kind ? !take_list(p, is, &n) : !take(p, is->is, &v[is->role]))
            return 0;
        if (is->set && p->counts) { /* What the file has for a set that has no name is none. */
            const struct face_sets *s = &p->sets[is->set - 1];
            s->values[p->n_faces] = v[NOTHING] > 0 && v[NOTHING] <= (double)s->n ? (int32_t)v[NOTHING] : 0;
        }
    }
    while (!p->binary && p->at < p->end && *p->at != '\n') /* A text has a row a line; more words are no other row. */
        p->at++;
    if (strcmp(e->name, "vertex") == 0 && p->points)
        put_vertex(p, row, v);
    if (strcmp(e->name, "face") != 0)
        return 1;
    if (p->n_corners - corners != (n < 0 ? 0 : n)) {
        snprintf(p->why, sizeof p->why, "its faces have two lists of vertices");
        return 0;
    }
    if (n < 3) { /* What it had is not taken. */
        p->n_corners = corners;
        p->n_texcoords = texcoords;
        p->lost++;
        return 1;
    }
    if (p->n_texcoords - texcoords != 2 * n)
        p->texcoords = 0;
    if (p->counts)
        p->counts[p->n_faces] = (int32_t)n;
    p->n_faces++;
    return 1;
}

static void take_rows(struct ply *p)
{
    p->at = p->rows;
    p->n_faces = p->n_corners = p->n_texcoords = p->lost = 0;
    for (int i = 0; i < p->n_elements && !*p->why; i++) {
        const struct element *e = &p->elements[i];
        int64_t row = 0;
        while (e->n_properties && row < e->rows && take_row(p, e, row))
            row++;
        if (e->n_properties && row < e->rows && !*p->why)
            snprintf(p->why, sizeof p->why, "it ends within row %s of the %s that its head promises of element %s",
                     cli_count(row + 1), cli_count(e->rows), e->name);
    }
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

static int make_room(struct ply *p, struct cli_cage *cage)
{
    const int colours = p->has[RED] && p->has[GREEN] && p->has[BLUE];
    p->points = cli_cage_rows(cage, p->n_vertices, 3 * sizeof *p->points);
    p->counts = cli_cage_rows(cage, p->n_faces, sizeof *p->counts);
    p->corners = cli_cage_rows(cage, p->n_corners, sizeof *p->corners);
    p->room_corners = p->n_corners;
    for (int i = 0; i < p->n_sets; i++) /* The last face may be one that is left out. */
        if (!(p->sets[i].values = cli_cage_rows(cage, p->n_faces + 1, sizeof *p->sets[i].values)))
            return 0;
    p->colours = colours ? cli_cage_rows(cage, p->n_vertices, 3 * sizeof *p->colours) : NULL;
    p->opacities = colours && p->has[ALPHA] ? cli_cage_rows(cage, p->n_vertices, sizeof *p->opacities) : NULL;
    if (p->texcoords)
        p->corner_uvs = cli_cage_rows(cage, p->n_corners, 2 * sizeof *p->corner_uvs);
    else if (p->has[S] && p->has[T])
        p->uvs = cli_cage_rows(cage, p->n_vertices, 2 * sizeof *p->uvs);
    return p->points && p->counts && p->corners && (!colours || p->colours) && (!p->texcoords || p->corner_uvs);
}

static int set_uvs(const struct ply *p, struct cli_cage *cage)
{
    struct subd_mesh *m = &cage->mesh;
    int32_t *own;
    m->uvs = p->texcoords ? p->corner_uvs : p->uvs;
    m->n_uvs = p->texcoords ? p->n_corners : p->uvs ? p->n_vertices : 0;
    m->uv_indices = p->corners;
    if (!p->texcoords)
        return 1;
    if (!(own = cli_cage_rows(cage, p->n_corners, sizeof *own)))
        return 0;
    for (int32_t i = 0; i < p->n_corners; i++)
        own[i] = i; /* Welding shares what is equal. */
    m->uv_indices = own;
    return 1;
}

static void set_colours(const struct ply *p, struct cli_cage *cage)
{
    struct subd_mesh *m = &cage->mesh;
    int64_t solid = 0;
    if (p->colours)
        cage->primvars[m->n_primvars++] =
            (struct subd_primvar){"displayColor", "vertex", "f32", 3, p->colours, NULL, 3 * p->n_vertices, 0};
    while (p->opacities && solid < p->n_vertices && p->opacities[solid] == 1.0f)
        solid++;
    if (p->opacities && solid < p->n_vertices)
        cage->primvars[m->n_primvars++] =
            (struct subd_primvar){"displayOpacity", "vertex", "f32", 1, p->opacities, NULL, p->n_vertices, 0};
    m->primvars = cage->primvars;
}

static void set_sets(const struct ply *p, struct cli_cage *cage)
{
    struct subd_mesh *m = &cage->mesh;
    for (int i = 0; i < p->n_sets; i++) {
        const struct face_sets *s = &p->sets[i];
        cage->sets[m->n_primvars] = (struct subd_set_names){s->names, s->n};
        cage->primvars[m->n_primvars++] =
            (struct subd_primvar){s->name, "uniform", "i32", 1, s->values, NULL, p->n_faces, 0};
    }
    m->sets = cage->sets;
}

/* Reads the head, and counts. Returns -1 to go on, or the exit code. */
static int begin(const struct cli *c, const char *path, struct ply *p)
{
    while (read_line(p))
        ;
    p->rows = p->at;
    if (!*p->why && !p->ended)
        snprintf(p->why, sizeof p->why, "it ends within its head, without end_header");
    if (!*p->why)
        take_rows(p);
    if (*p->why)
        return cli_fail(c, EXIT_FILE, "%s is damaged: %s", path, p->why);
    if (p->n_faces == 0 || !p->has[X] || !p->has[Y] || !p->has[Z])
        return cli_fail(c, EXIT_FILE,
                        "%s has no polygons: a control mesh needs faces of three corners or more, and "
                        "vertices with x, y and z",
                        path);
    return p->n_vertices <= INT32_MAX ? -1
                                      : cli_fail(c, EXIT_FILE, "%s has %s vertices; a mesh has at most %s", path,
                                                 cli_count(p->n_vertices), cli_count(INT32_MAX));
}

int cli_ply_cage(const struct cli *c, const char *path, const char *data, size_t n, struct cli_cage *out)
{
    struct ply *p = calloc(1, sizeof *p);
    int code;
    *out = (struct cli_cage){.mesh = SUBD_INIT(subd_mesh)};
    if (!p)
        return cli_fail(c, EXIT_LOCAL, "no memory");
    p->cage = out;
    p->begin = p->at = data;
    p->end = data + n;
    code = begin(c, path, p);
    if (code < 0 && !make_room(p, out))
        code = cli_fail(c, EXIT_LOCAL, "no memory");
    if (code < 0) {
        take_rows(p);
        out->mesh.points = p->points;
        out->mesh.face_counts = p->counts;
        out->mesh.face_vertices = p->corners;
        out->mesh.n_vertices = p->n_vertices;
        out->mesh.n_faces = p->n_faces;
        out->mesh.n_corners = p->n_corners;
        set_colours(p, out);
        set_sets(p, out);
        if (!set_uvs(p, out))
            code = cli_fail(c, EXIT_LOCAL, "no memory");
    }
    if (code < 0 && *p->left_out)
        cli_lose("left out: %s", p->left_out);
    if (code < 0 && p->lost)
        cli_lose("%s faces of less than three corners are left out", cli_count(p->lost));
    if (code >= 0)
        cli_cage_free(out);
    free(p);
    return code;
}
