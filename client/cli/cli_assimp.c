/* SPDX-License-Identifier: Apache-2.0 */
/* cli_assimp.c: reads PLY, STL, OFF, glTF, FBX and what else libassimp knows. The library is opened when a file needs
 * it, so subd runs without. It is asked for polygons and makes nothing of its own: no triangles, normals or joined
 * vertices. What it says of a file is checked before it is used: counts and indices come from outside. */
#include "cli_import.h"
#include <stdlib.h>
#include <string.h>

#if __has_include(<assimp/cimport.h>)
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <dlfcn.h>

#define PATH_SIZE 256 /* As the name of a mesh. */
_Static_assert(sizeof(ai_real) == sizeof(float), "coordinates, UVs and colours are taken as floats");

/* What is used of the headers' structs is the same from 5.1 to 6.0, so one build opens either library. */
static const char *const library_names[] = {"libassimp.so.5", "libassimp.so.6"};
static struct {
    __typeof__(aiGetVersionMajor) *major;
    __typeof__(aiGetVersionMinor) *minor;
    __typeof__(aiIsExtensionSupported) *reads;
    __typeof__(aiCreatePropertyStore) *options;
    __typeof__(aiReleasePropertyStore) *options_free;
    __typeof__(aiSetImportPropertyInteger) *set;
    __typeof__(aiImportFileExWithProperties) *read_file;
    __typeof__(aiImportFileFromMemoryWithProperties) *read_memory;
    __typeof__(aiGetErrorString) *error;
    __typeof__(aiGetMaterialString) *text;
    __typeof__(aiReleaseImport) *release;
} assimp;

static int open_library(void)
{
    static const char *const names[] = {"aiGetVersionMajor",
                                        "aiGetVersionMinor",
                                        "aiIsExtensionSupported",
                                        "aiCreatePropertyStore",
                                        "aiReleasePropertyStore",
                                        "aiSetImportPropertyInteger",
                                        "aiImportFileExWithProperties",
                                        "aiImportFileFromMemoryWithProperties",
                                        "aiGetErrorString",
                                        "aiGetMaterialString",
                                        "aiReleaseImport"};
    static int state; /* 1 when the library is open, -1 when it is not there. */
    void *symbols[sizeof names / sizeof *names], *library = NULL;
    _Static_assert(sizeof symbols == sizeof assimp, "a name for each function");
    for (size_t i = 0; i < sizeof library_names / sizeof *library_names && !state && !library; i++)
        library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    if (state || !library)
        return (state = state ? state : -1) > 0;
    state = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(symbols[i] = dlsym(library, names[i])))
            state = -1;
    if (state > 0)
        memcpy(&assimp, symbols, sizeof assimp);
    if (state > 0 && assimp.major() == 5 && assimp.minor() < 1)
        state = -1;
    return state > 0;
}

/* A node, after its parents. */
struct entry {
    const struct aiNode *node;
    double world[4][4]; /* As USD has it: points are rows on its left. */
    char path[PATH_SIZE];
};
struct cli_scene {
    const struct aiScene *scene;
    char format[16];
    struct entry *entries;
    struct cli_scene_row *rows; /* Shape [n_rows]; a row's path is that of its entry. */
    size_t n_entries, n_rows;
};

/* A part is what a node has of one material. */
static const struct aiMesh *part_of(const struct cli_scene *s, const struct aiNode *node, unsigned i)
{
    const unsigned k = node->mMeshes[i];
    return k < s->scene->mNumMeshes ? s->scene->mMeshes[k] : NULL;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void multiply(const double a[4][4], const struct aiMatrix4x4 *m, double out[4][4])
{
    const double b[4][4] = {{m->a1, m->b1, m->c1, m->d1},
                            {m->a2, m->b2, m->c2, m->d2},
                            {m->a3, m->b3, m->c3, m->d3},
                            {m->a4, m->b4, m->c4, m->d4}}; /* Transposed: assimp has points on the right. */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            out[i][k] = 0;
            for (int j = 0; j < 4; j++)
                out[i][k] += b[i][j] * a[j][k];
        }
}

/* A name from a file, as a terminal may show it. What would be too long begins anew. */
static void name_entry(struct entry *e, const struct entry *parent, const char *name)
{
    const size_t above = parent ? strlen(parent->path) : 0, n = strnlen(name, PATH_SIZE);
    const int fits = above + 1 + n < PATH_SIZE;
    snprintf(e->path, sizeof e->path, "%s/%.*s", parent && fits ? parent->path : "", PATH_SIZE - 2, name);
    for (char *p = e->path; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '_';
}

static int add_entry(struct cli_scene *s, size_t *room, const struct aiNode *node, const struct entry *parent)
{
    static const double identity[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const ptrdiff_t at = parent ? parent - s->entries : -1;
    struct entry *e;
    if (s->n_entries == *room) {
        *room = *room ? *room * 2 : 64;
        if (!(e = realloc(s->entries, *room * sizeof *e)))
            return -1;
        s->entries = e;
    }
    e = &s->entries[s->n_entries++];
    parent = at >= 0 ? &s->entries[at] : NULL;
    e->node = node;
    /* Some versions turn the root of an FBX file into their own axes and units, and others do not; the file has none. */
    if (!parent && strcmp(s->format, "fbx") == 0)
        memcpy(e->world, identity, sizeof identity);
    else
        multiply(parent ? parent->world : identity, &node->mTransformation, e->world);
    if (parent)
        name_entry(e, at ? parent : NULL, node->mName.data);
    else
        name_entry(e, NULL, node->mName.data);
    return 0;
}

/* Lists the nodes, each before its children. */
static int list_entries(struct cli_scene *s)
{
    size_t room = 0;
    if (!s->scene->mRootNode || add_entry(s, &room, s->scene->mRootNode, NULL) != 0)
        return -1;
    for (size_t i = 0; i < s->n_entries; i++)
        for (unsigned k = 0; k < s->entries[i].node->mNumChildren; k++)
            if (add_entry(s, &room, s->entries[i].node->mChildren[k], &s->entries[i]) != 0)
                return -1;
    return 0;
}

static int64_t count_faces(const struct aiMesh *part)
{
    int64_t n = 0;
    for (unsigned f = 0; f < part->mNumFaces; f++)
        n += part->mFaces[f].mNumIndices >= 3;
    return n;
}

static int list_rows(struct cli_scene *s)
{
    if (!(s->rows = calloc(s->n_entries, sizeof *s->rows)))
        return -1;
    for (size_t i = 0; i < s->n_entries; i++) {
        struct entry *e = &s->entries[i];
        struct cli_scene_row row = {e->path, 0, 0};
        for (unsigned k = 0; k < e->node->mNumMeshes; k++) {
            const struct aiMesh *part = part_of(s, e->node, k);
            row.vertices += part ? part->mNumVertices : 0;
            row.faces += part ? count_faces(part) : 0;
        }
        if (row.faces == 0)
            continue;
        s->entries[s->n_rows] = *e; /* From here on only those with faces are needed. */
        row.path = s->entries[s->n_rows].path;
        s->rows[s->n_rows++] = row;
    }
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int cli_scene_reads(const char *ending)
{
    return open_library() && assimp.reads(ending) == AI_TRUE;
}

static const struct aiScene *read_scene(const char *path, const char *data, size_t n, const char *format)
{
    const struct aiScene *scene = NULL;
    struct aiPropertyStore *options = assimp.options();
    if (!options)
        return NULL;
    assimp.set(options, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    assimp.set(options, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0); /* Else each pivot is a node. */
    assimp.set(options, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    if (!data)
        scene = assimp.read_file(path, 0, NULL, options);
    else if (n <= UINT32_MAX)
        scene = assimp.read_memory(data, (unsigned)n, 0, format, options);
    assimp.options_free(options);
    return scene;
}

static void tell_left_out(const struct aiScene *scene)
{
    if (scene->mNumAnimations || scene->mNumCameras || scene->mNumLights)
        cli_warn("only meshes are read: animations (%u), cameras (%u) and lights (%u) are left out",
                 scene->mNumAnimations, scene->mNumCameras, scene->mNumLights);
}

int cli_scene_open(const struct cli *c, const char *path, const char *data, size_t n, const char *format,
                   struct cli_scene **out)
{
    struct cli_scene *s;
    if (!open_library())
        return cli_fail(c, EXIT_FILE, "reading .%s needs libassimp: apt install libassimp5", format);
    if (!(*out = s = calloc(1, sizeof *s)))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    snprintf(s->format, sizeof s->format, "%s", format);
    if (!(s->scene = read_scene(path, data, n, format))) {
        char why[300];
        snprintf(why, sizeof why, "%s", assimp.error());
        why[strcspn(why, "\r\n")] = 0;
        cli_scene_close(s);
        return cli_fail(c, EXIT_FILE, "%s cannot be read as .%s: %s", path, format,
                        n > UINT32_MAX ? "stdin has more than 4 GiB; give the file by its name" : why);
    }
    if (list_entries(s) != 0 || list_rows(s) != 0) {
        cli_scene_close(s);
        return cli_fail(c, EXIT_LOCAL, "no memory");
    }
    if (s->n_rows == 0) {
        cli_scene_close(s);
        return cli_fail(c, EXIT_FILE, "%s has no polygons: a control mesh needs faces of three corners or more", path);
    }
    tell_left_out(s->scene);
    return -1;
}

const struct cli_scene_row *cli_scene_rows(const struct cli_scene *s, int64_t *n)
{
    *n = (int64_t)s->n_rows;
    return s->rows;
}

void cli_scene_close(struct cli_scene *s)
{
    if (!s)
        return;
    if (s->scene)
        assimp.release(s->scene);
    free(s->entries);
    free(s->rows);
    free(s);
}

/* ---- one mesh ---------------------------------------------------------------------------------------------------- */

/* A mesh under way. */
struct work {
    struct cli_cage *cage;
    const struct aiMesh **parts; /* Those of the node that have polygons. */
    unsigned n_parts;
    int64_t points, lines, bones, shapes; /* Things of kinds that are left out. */
};

static void count_others(struct work *w, const struct aiMesh *part)
{
    for (unsigned f = 0; part && f < part->mNumFaces; f++) {
        w->points += part->mFaces[f].mNumIndices == 1;
        w->lines += part->mFaces[f].mNumIndices == 2;
    }
}

/* Checks the indices and counts what is there. */
static int count_part(const struct cli *c, struct work *w, const struct aiMesh *part)
{
    struct subd_mesh *m = &w->cage->mesh;
    m->n_vertices += part->mNumVertices;
    for (unsigned f = 0; f < part->mNumFaces; f++) {
        const struct aiFace *face = &part->mFaces[f];
        if (face->mNumIndices < 3)
            continue;
        m->n_faces++;
        m->n_corners += face->mNumIndices;
        for (unsigned k = 0; k < face->mNumIndices; k++)
            if (face->mIndices[k] >= part->mNumVertices || !part->mVertices)
                return cli_fail(c, EXIT_FILE, "face %u of the mesh \"%.80s\" uses vertex %u, and there are %u", f,
                                part->mName.data, face->mIndices[k], part->mNumVertices);
    }
    if (m->n_vertices <= INT32_MAX && m->n_corners <= INT32_MAX)
        return -1;
    return cli_fail(c, EXIT_FILE, "the mesh \"%.80s\" has %s vertices and %s face corners; %s of each are the most",
                    part->mName.data, cli_count(m->n_vertices), cli_count(m->n_corners), cli_count(INT32_MAX));
}

static int list_parts(const struct cli *c, const struct cli_scene *s, const struct aiNode *node, struct work *w)
{
    int code = -1;
    if (!(w->parts = cli_cage_rows(w->cage, node->mNumMeshes, sizeof(void *))))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    for (unsigned i = 0; i < node->mNumMeshes && code < 0; i++) {
        const struct aiMesh *part = part_of(s, node, i);
        count_others(w, part);
        if (part && count_faces(part) > 0) {
            code = count_part(c, w, part);
            w->bones += part->mNumBones;
            w->shapes += part->mNumAnimMeshes;
            w->parts[w->n_parts++] = part;
        }
    }
    return code;
}

static int take_shape(struct work *w)
{
    struct subd_mesh *m = &w->cage->mesh;
    float *points = cli_cage_rows(w->cage, m->n_vertices, 3 * sizeof *points);
    int32_t *counts = cli_cage_rows(w->cage, m->n_faces, sizeof *counts),
            *vertices = cli_cage_rows(w->cage, m->n_corners, sizeof *vertices);
    int64_t base = 0, faces = 0, corners = 0;
    if (!points || !counts || !vertices)
        return 0;
    for (unsigned i = 0; i < w->n_parts; i++) {
        const struct aiMesh *part = w->parts[i];
        for (unsigned v = 0; v < part->mNumVertices; v++) {
            points[3 * (base + v)] = part->mVertices[v].x;
            points[3 * (base + v) + 1] = part->mVertices[v].y;
            points[3 * (base + v) + 2] = part->mVertices[v].z;
        }
        for (unsigned f = 0; f < part->mNumFaces; f++) {
            const struct aiFace *face = &part->mFaces[f];
            if (face->mNumIndices < 3)
                continue;
            counts[faces++] = (int32_t)face->mNumIndices;
            for (unsigned k = 0; k < face->mNumIndices; k++)
                vertices[corners++] = (int32_t)(base + face->mIndices[k]);
        }
        base += part->mNumVertices;
    }
    m->points = points;
    m->face_counts = counts;
    m->face_vertices = vertices;
    return 1;
}

/* Where a part keeps values for its vertices: in floats, so many from one vertex to the next; NULL when it has none. */
struct values {
    const float *v;
    int stride;
};

static struct values uvs_of(const struct aiMesh *part, int k)
{
    return (struct values){(const float *)part->mTextureCoords[k], 3};
}

static struct values colours_of(const struct aiMesh *part, int k)
{
    return (struct values){(const float *)part->mColors[k], 4};
}

/* Copies `width` numbers from number `at` on of each vertex's values. Only values that all parts have are a primvar.
 * *out is NULL when there are none. Returns 0 when there is no memory. */
static int take_values(struct work *w, struct values (*of)(const struct aiMesh *, int), int k, int at, int width,
                       float **out)
{
    unsigned with = 0;
    int64_t row = 0;
    *out = NULL;
    for (unsigned i = 0; i < w->n_parts; i++)
        with += of(w->parts[i], k).v != NULL;
    if (with > 0 && with < w->n_parts)
        cli_warn("%s %d are left out: %u of the %u parts of the mesh have none",
                 of == uvs_of ? "the UVs of set" : "the colours of set", k + 1, w->n_parts - with, w->n_parts);
    if (with < w->n_parts)
        return 1;
    if (!(*out = cli_cage_rows(w->cage, w->cage->mesh.n_vertices, (size_t)width * sizeof **out)))
        return 0;
    for (unsigned i = 0; i < w->n_parts; i++) {
        const struct values values = of(w->parts[i], k);
        for (unsigned v = 0; v < w->parts[i]->mNumVertices; v++, row++)
            memcpy(&(*out)[row * width], &values.v[(int64_t)v * values.stride + at], (size_t)width * sizeof(float));
    }
    return 1;
}

static struct subd_primvar *add_primvar(struct work *w, const char *interpolation, const void *values, int width,
                                        int64_t n)
{
    struct subd_mesh *m = &w->cage->mesh;
    struct subd_primvar *p = &w->cage->primvars[m->n_primvars++];
    *p = (struct subd_primvar){
        .interpolation = interpolation, .type = "f32", .width = width, .values = values, .n_values = n * width};
    return p;
}

/* The name that the file has for UV set k, if it can name a primvar and none has it yet; else st1, st2... */
static int name_uvs(struct work *w, struct subd_primvar *p, int k)
{
    struct aiString *const *given = w->parts[0]->mTextureCoordsNames;
    char valid[FILE_NAME_SIZE] = "", *name = cli_cage_rows(w->cage, 1, FILE_NAME_SIZE);
    int taken = 0;
    if (!name)
        return 0;
    if (given && given[k])
        file_name_valid(FILE_NAME_USD, given[k]->data, valid);
    for (const struct subd_primvar *other = w->cage->primvars; other < p; other++)
        taken |= strcmp(other->name, valid) == 0;
    if (!*valid || strlen(valid) > 63 || strcmp(valid, "st") == 0 || taken)
        snprintf(valid, sizeof valid, "st%d", k);
    memcpy(name, valid, sizeof valid);
    p->name = name;
    return 1;
}

static int take_uvs(struct work *w)
{
    struct subd_mesh *m = &w->cage->mesh;
    for (int k = 0; k < AI_MAX_NUMBER_OF_TEXTURECOORDS; k++) {
        const int width = k > 0 && w->parts[0]->mNumUVComponents[k] == 3 ? 3 : 2;
        float *uvs;
        if (!take_values(w, uvs_of, k, 0, width, &uvs))
            return 0;
        if (!uvs)
            continue;
        if (k == 0) {
            m->uvs = uvs;
            m->n_uvs = m->n_vertices;
            m->uv_indices = m->face_vertices;
            continue;
        }
        struct subd_primvar *p = add_primvar(w, "faceVarying", uvs, width, m->n_vertices);
        p->indices = m->face_vertices;
        p->n_indices = m->n_corners;
        if (!name_uvs(w, p, k))
            return 0;
    }
    return 1;
}

/* Colours are numbers as the file has them, in whatever space; where a file has bytes, 255 is 1. */
static int take_colours(struct work *w)
{
    static const char *const names[AI_MAX_NUMBER_OF_COLOR_SETS][2] = {
        {"displayColor", "displayOpacity"},   {"displayColor1", "displayOpacity1"},
        {"displayColor2", "displayOpacity2"}, {"displayColor3", "displayOpacity3"},
        {"displayColor4", "displayOpacity4"}, {"displayColor5", "displayOpacity5"},
        {"displayColor6", "displayOpacity6"}, {"displayColor7", "displayOpacity7"}};
    const int64_t n = w->cage->mesh.n_vertices;
    for (int k = 0; k < AI_MAX_NUMBER_OF_COLOR_SETS; k++) {
        float *colours, *opacities;
        int64_t solid = 0;
        if (!take_values(w, colours_of, k, 0, 3, &colours))
            return 0;
        if (!colours)
            continue;
        add_primvar(w, "vertex", colours, 3, n)->name = names[k][0];
        if (!take_values(w, colours_of, k, 3, 1, &opacities))
            return 0;
        while (solid < n && opacities[solid] == 1.0f)
            solid++;
        if (solid < n)
            add_primvar(w, "vertex", opacities, 1, n)->name = names[k][1];
    }
    return 1;
}

static void tell_losses(const struct work *w)
{
    if (w->points || w->lines)
        cli_warn("%s lines and %s points are left out: a control mesh has faces of three corners or more",
                 cli_count(w->lines), cli_count(w->points));
    if (w->bones)
        cli_warn("skin weights are left out: the points are as the file has them, without its skeleton's pose");
    if (w->shapes)
        cli_warn("%s morph targets are left out", cli_count(w->shapes));
}

int cli_scene_cage(const struct cli *c, const struct cli_scene *s, int64_t k, struct cli_cage *out)
{
    struct work w = {.cage = out};
    int code;
    *out = (struct cli_cage){.mesh = SUBD_INIT(subd_mesh)};
    code = list_parts(c, s, s->entries[k].node, &w);
    if (code < 0 && (!take_shape(&w) || !take_uvs(&w) || !take_colours(&w)))
        code = cli_fail(c, EXIT_LOCAL, "no memory");
    out->mesh.primvars = out->primvars;
    if (code < 0)
        tell_losses(&w);
    else
        cli_cage_free(out);
    return code;
}

#else

int cli_scene_reads(const char *ending)
{
    (void)ending;
    return 0;
}

int cli_scene_open(const struct cli *c, const char *path, const char *data, size_t n, const char *format,
                   struct cli_scene **out)
{
    (void)path, (void)data, (void)n;
    *out = NULL;
    return cli_fail(c, EXIT_FILE,
                    "reading .%s needs libassimp, which this subd was built without: apt install "
                    "libassimp-dev and build it again",
                    format);
}

const struct cli_scene_row *cli_scene_rows(const struct cli_scene *s, int64_t *n)
{
    (void)s;
    *n = 0;
    return NULL;
}

int cli_scene_cage(const struct cli *c, const struct cli_scene *s, int64_t k, struct cli_cage *out)
{
    (void)s, (void)k, (void)out;
    return cli_fail(c, EXIT_LOCAL, "there is no scene");
}

void cli_scene_close(struct cli_scene *s)
{
    (void)s;
}
#endif
