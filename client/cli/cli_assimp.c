/* SPDX-License-Identifier: Apache-2.0 */
/* cli_assimp.c: opens STL, OFF, glTF, FBX and what else libassimp knows. The library is opened when a file needs
 * it, so subd runs without. It is asked for polygons and makes nothing of its own: no triangles, normals or joined
 * vertices. */
#include "cli_assimp.h"
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ASSIMP
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

/* What is used of the headers' structs is the same from 5.1 to 6.0, so one build opens either library. */
static const char *const library_names[] = {"libassimp.so.5", "libassimp.so.6"};
struct assimp assimp;

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

const struct aiMesh *assimp_part(const struct cli_scene *s, const struct aiNode *node, unsigned i)
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

/* The bytes of the character of UTF-8 at s; 0 when there is none. */
static size_t character(const unsigned char *s)
{
    const size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
        (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void assimp_copy_name(char *to, size_t room, const char *name)
{
    while (*name) {
        const size_t n = character((const unsigned char *)name), bytes = n ? n : 1;
        if (bytes >= room)
            break;
        if (n)
            memcpy(to, name, n);
        if (!n || (unsigned char)*name < ' ' || *name == 127)
            *to = '_';
        to += bytes;
        name += bytes;
        room -= bytes;
    }
    *to = 0;
}

/* The path of a node; what would be too long begins anew. */
static void name_entry(struct entry *e, const struct entry *parent, const char *name)
{
    size_t above = parent ? strlen(parent->path) : 0;
    if (above + 1 + strnlen(name, PATH_SIZE) >= PATH_SIZE)
        above = 0;
    if (above)
        memcpy(e->path, parent->path, above);
    e->path[above] = '/';
    assimp_copy_name(e->path + above + 1, sizeof e->path - above - 1, name);
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
    /* Newer versions turn the root of an FBX file into their own axes and units; the file has no such matrix. */
    if (!parent && strcasecmp(s->format, "fbx") == 0)
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

int64_t assimp_count_faces(const struct aiMesh *part)
{
    int64_t n = 0;
    for (unsigned f = 0; f < part->mNumFaces; f++)
        n += part->mFaces[f].mNumIndices >= 3;
    return n;
}

static int list_rows(struct cli_scene *s)
{
    if (!(s->rows = calloc(s->n_entries + 1, sizeof *s->rows))) /* There may be none. */
        return -1;
    for (size_t i = 0; i < s->n_entries; i++) {
        struct entry *e = &s->entries[i];
        struct cli_scene_row row = {e->path, 0, 0};
        for (unsigned k = 0; k < e->node->mNumMeshes; k++) {
            const struct aiMesh *part = assimp_part(s, e->node, k);
            row.vertices += part ? part->mNumVertices : 0;
            row.faces += part ? assimp_count_faces(part) : 0;
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

static char crash[400];

/* Says which file it was, and ends. */
static void on_crash(int number)
{
    (void)number;
    if (write(STDERR_FILENO, crash, strlen(crash)) < 0)
        _exit(EXIT_LOCAL);
    _exit(EXIT_FILE);
}

/* libassimp crashes at some files, by stack overflow too. From on=1 to on=0 that ends with a sentence. */
static void watch_crashes(const char *path, int on)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    static struct sigaction before[sizeof numbers / sizeof *numbers];
    static stack_t stack_before;
    static char room[1 << 16];
    const struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    snprintf(crash, sizeof crash,
             "subd: libassimp crashes at %.250s, which it reads for subd: export it as .obj or .usda\n", path);
    if (on)
        sigaltstack(&stack, &stack_before);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], on ? &action : &before[i], on ? &before[i] : NULL);
    if (!on)
        sigaltstack(&stack_before, NULL);
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
    watch_crashes(path, 1);
    if (!data)
        scene = assimp.read_file(path, 0, NULL, options);
    else if (n <= UINT32_MAX)
        scene = assimp.read_memory(data, (unsigned)n, 0, format, options);
    watch_crashes(path, 0);
    assimp.options_free(options);
    return scene;
}

static void tell_left_out(const struct aiScene *scene)
{
    if (scene->mNumAnimations || scene->mNumCameras || scene->mNumLights)
        cli_lose("only meshes are read: animations (%u), cameras (%u) and lights (%u) are left out",
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
    s->file = path;
    snprintf(s->format, sizeof s->format, "%s", format);
    if (!(s->scene = read_scene(path, data, n, format))) {
        char why[300];
        snprintf(why, sizeof why, "%s", assimp.error());
        why[strcspn(why, "\r\n")] = 0;
        cli_scene_close(s);
        return cli_fail(c, EXIT_FILE,
                        "%s cannot be read as .%s: %.120s; copy or export it again, or export it as .obj or .usda",
                        path, format, n > UINT32_MAX ? "stdin has more than 4 GiB; give the file by its name" : why);
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

void cli_scene_close(struct cli_scene *s)
{
    (void)s;
}
#endif
