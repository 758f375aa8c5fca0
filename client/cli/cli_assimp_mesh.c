/* SPDX-License-Identifier: Apache-2.0 */
/* cli_assimp_mesh.c: makes a control mesh of a node of a scene. What libassimp says of a file is checked before it is
 * used: counts and indices come from outside. */
#include "cli_assimp.h"
#include <string.h>

#ifdef HAVE_ASSIMP
/* A mesh under way. */
struct work {
    struct cli_cage *cage;
    const char *file;
    const struct aiMesh **parts; /* Those of the node that have polygons. */
    unsigned n_parts;
    int32_t *rows; /* Of each vertex of the parts, its row in the mesh; -1 where no polygon has it. */
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
                return cli_fail(c, EXIT_FILE, "%s: face %u of the mesh \"%.80s\" uses vertex %u, and there are %u",
                                w->file, f, part->mName.data, face->mIndices[k], part->mNumVertices);
    }
    if (m->n_vertices <= INT32_MAX && m->n_corners <= INT32_MAX)
        return -1;
    return cli_fail(c, EXIT_FILE, "%s: the mesh \"%.80s\" has %s vertices and %s face corners; the most are %s of each",
                    w->file, part->mName.data, cli_count(m->n_vertices), cli_count(m->n_corners), cli_count(INT32_MAX));
}

static int list_parts(const struct cli *c, const struct cli_scene *s, const struct aiNode *node, struct work *w)
{
    int code = -1;
    if (!(w->parts = cli_cage_rows(w->cage, node->mNumMeshes, sizeof(void *))))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    for (unsigned i = 0; i < node->mNumMeshes && code < 0; i++) {
        const struct aiMesh *part = assimp_part(s, node, i);
        count_others(w, part);
        if (part && assimp_count_faces(part) > 0) {
            code = count_part(c, w, part);
            w->bones += part->mNumBones;
            w->shapes += part->mNumAnimMeshes;
            w->parts[w->n_parts++] = part;
        }
    }
    return code;
}

/* Gives rows to the vertices that polygons have. Parts of glTF often share one array, of which each needs a piece. */
static int number_rows(struct work *w)
{
    struct subd_mesh *m = &w->cage->mesh;
    const int64_t all = m->n_vertices;
    int64_t base = 0;
    if (!(w->rows = cli_cage_rows(w->cage, all, sizeof *w->rows)))
        return 0;
    for (unsigned i = 0; i < w->n_parts; base += w->parts[i++]->mNumVertices)
        for (unsigned f = 0; f < w->parts[i]->mNumFaces; f++) {
            const struct aiFace *face = &w->parts[i]->mFaces[f];
            for (unsigned k = 0; k < face->mNumIndices && face->mNumIndices >= 3; k++)
                w->rows[base + face->mIndices[k]] = 1;
        }
    m->n_vertices = 0;
    for (int64_t v = 0; v < all; v++)
        w->rows[v] = w->rows[v] ? (int32_t)m->n_vertices++ : -1;
    return 1;
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
        for (unsigned v = 0; v < part->mNumVertices; v++)
            if (w->rows[base + v] >= 0) {
                float *to = &points[3 * (int64_t)w->rows[base + v]];
                to[0] = part->mVertices[v].x;
                to[1] = part->mVertices[v].y;
                to[2] = part->mVertices[v].z;
            }
        for (unsigned f = 0; f < part->mNumFaces; f++) {
            const struct aiFace *face = &part->mFaces[f];
            if (face->mNumIndices < 3)
                continue;
            counts[faces++] = (int32_t)face->mNumIndices;
            for (unsigned k = 0; k < face->mNumIndices; k++)
                vertices[corners++] = w->rows[base + face->mIndices[k]];
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
        cli_lose("%s %d are left out: %u of the %u parts of the mesh have none",
                 of == uvs_of ? "the UVs of set" : "the colours of set", k + 1, w->n_parts - with, w->n_parts);
    if (with < w->n_parts)
        return 1;
    if (!(*out = cli_cage_rows(w->cage, w->cage->mesh.n_vertices, (size_t)width * sizeof **out)))
        return 0;
    for (unsigned i = 0; i < w->n_parts; i++) {
        const struct values values = of(w->parts[i], k);
        for (unsigned v = 0; v < w->parts[i]->mNumVertices; v++, row++)
            if (w->rows[row] >= 0)
                memcpy(&(*out)[(int64_t)w->rows[row] * width], &values.v[(int64_t)v * values.stride + at],
                       (size_t)width * sizeof(float));
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
        int64_t solid = 0, clear = 0;
        if (!take_values(w, colours_of, k, 0, 3, &colours))
            return 0;
        if (!colours)
            continue;
        add_primvar(w, "vertex", colours, 3, n)->name = names[k][0];
        if (!take_values(w, colours_of, k, 3, 1, &opacities))
            return 0;
        while (solid < n && opacities[solid] == 1.0f)
            solid++;
        while (clear < n && opacities[clear] == 0.0f) /* So libassimp says that glTF has colours without alpha. */
            clear++;
        if (solid < n && clear < n)
            add_primvar(w, "vertex", opacities, 1, n)->name = names[k][1];
    }
    return 1;
}

/* Sets w->sets and writes the set of each face. Returns how many there are, -1 without memory. */
static int64_t name_sets(struct work *w, const struct aiScene *scene, int32_t *values, const char **names)
{
    int32_t *set_of = cli_cage_rows(w->cage, scene->mNumMaterials, sizeof *set_of), n = 0;
    if (!set_of)
        return -1;
    for (unsigned i = 0; i < w->n_parts; i++) {
        const unsigned k = w->parts[i]->mMaterialIndex;
        struct aiString given;
        char *name;
        if (k < scene->mNumMaterials && !set_of[k] &&
            assimp.text(scene->mMaterials[k], AI_MATKEY_NAME, &given) == AI_SUCCESS && *given.data &&
            strcmp(given.data, AI_DEFAULT_MATERIAL_NAME) != 0) {
            if (!(name = cli_cage_rows(w->cage, 1, PATH_SIZE)))
                return -1;
            assimp_copy_name(name, PATH_SIZE, given.data);
            names[n++] = name;
            set_of[k] = n;
        }
        for (int64_t faces = assimp_count_faces(w->parts[i]); faces > 0; faces--)
            *values++ = k < scene->mNumMaterials ? set_of[k] : 0;
    }
    return n;
}

/* Materials are face sets by their names. assimp's own default material is none. */
static int take_sets(struct work *w, const struct aiScene *scene)
{
    struct subd_mesh *m = &w->cage->mesh;
    int32_t *values = cli_cage_rows(w->cage, m->n_faces, sizeof *values);
    const char **names = cli_cage_rows(w->cage, w->n_parts, sizeof *names);
    int64_t n;
    if (!values || !names || (n = name_sets(w, scene, values, names)) < 0)
        return 0;
    if (n > 0) {
        struct subd_primvar *p = add_primvar(w, "uniform", values, 1, m->n_faces);
        p->name = "materialBind";
        p->type = "i32";
        w->cage->sets[m->n_primvars - 1] = (struct subd_set_names){names, n};
    }
    return 1;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

/* A number that a scene says of itself; `missing` when it does not. */
static double metadata(const struct aiScene *scene, const char *key, double missing)
{
    const struct aiMetadata *all = scene->mMetaData;
    for (unsigned i = 0; all && i < all->mNumProperties; i++) {
        const void *data = all->mValues[i].mData;
        if (strcmp(all->mKeys[i].data, key) != 0 || !data)
            continue;
        switch (all->mValues[i].mType) {
        case AI_INT32: return *(const int32_t *)data;
        case AI_FLOAT: return *(const float *)data;
        case AI_DOUBLE: return *(const double *)data;
        default: return missing;
        }
    }
    return missing;
}

/* glTF is Y-up and in metres, and assimp turns COLLADA so, and 3DS upright; FBX says it, in centimetres; other formats
 * have no such words. */
static int take_stage(struct work *w, const struct cli_scene *s, const struct entry *e)
{
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    struct subd_mesh *m = &w->cage->mesh;
    double *transform = cli_cage_rows(w->cage, 16, sizeof *transform);
    if (!transform)
        return 0;
    memcpy(transform, e->world, sizeof e->world);
    if (memcmp(transform, identity, sizeof identity) != 0)
        m->transform = transform;
    if (strcasecmp(s->format, "fbx") == 0) {
        const double axis = metadata(s->scene, "UpAxis", 1), sign = metadata(s->scene, "UpAxisSign", 1);
        m->up_axis = sign < 0 ? NULL : axis == 1 ? "Y" : axis == 2 ? "Z" : NULL;
        m->meters_per_unit = metadata(s->scene, "UnitScaleFactor", 1) / 100;
        if (!m->up_axis)
            cli_lose("the up axis of the file, %s%c, is not kept: a mesh has Y or Z", sign < 0 ? "-" : "",
                     axis == 0   ? 'X'
                     : axis == 1 ? 'Y'
                                 : 'Z');
    } else if (strcasecmp(s->format, "glb") == 0 || strcasecmp(s->format, "gltf") == 0 ||
               strcasecmp(s->format, "dae") == 0) {
        m->up_axis = "Y";
        m->meters_per_unit = 1;
    } else if (strcasecmp(s->format, "3ds") == 0)
        m->up_axis = "Y";
    return 1;
}

static void tell_losses(const struct work *w)
{
    if (w->points || w->lines)
        cli_lose("%s lines and %s points are left out: a control mesh has faces of three corners or more",
                 cli_count(w->lines), cli_count(w->points));
    if (w->bones)
        cli_lose("skin weights are left out: the points are as the file has them, without its skeleton's pose");
    if (w->shapes)
        cli_lose("%s morph targets are left out", cli_count(w->shapes));
}

int cli_scene_cage(const struct cli *c, const struct cli_scene *s, int64_t k, struct cli_cage *out)
{
    struct work w = {.cage = out, .file = s->file};
    int code;
    *out = (struct cli_cage){.mesh = SUBD_INIT(subd_mesh)};
    code = list_parts(c, s, s->entries[k].node, &w);
    if (code < 0 && (!number_rows(&w) || !take_shape(&w) || !take_uvs(&w) || !take_colours(&w) ||
                     !take_sets(&w, s->scene) || !take_stage(&w, s, &s->entries[k])))
        code = cli_fail(c, EXIT_LOCAL, "no memory");
    out->mesh.primvars = out->primvars;
    out->mesh.sets = out->sets;
    if (code < 0)
        tell_losses(&w);
    else
        cli_cage_free(out);
    return code;
}

#else

int cli_scene_cage(const struct cli *c, const struct cli_scene *s, int64_t k, struct cli_cage *out)
{
    (void)s, (void)k, (void)out;
    return cli_fail(c, EXIT_LOCAL, "there is no scene");
}
#endif
