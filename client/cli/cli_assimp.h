/* SPDX-License-Identifier: Apache-2.0 */
/* cli_assimp.h: what the two files that work with libassimp share. Its headers are needed to build them; without, subd
 * is built without what is here. */
#ifndef CLI_ASSIMP_H
#define CLI_ASSIMP_H
#include "cli_import.h"
#if __has_include(<assimp/cimport.h>)
#define HAVE_ASSIMP 1
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <assimp/version.h>

#define PATH_SIZE 256 /* As the name of a mesh. */
_Static_assert(sizeof(ai_real) == sizeof(float), "coordinates, UVs and colours are taken as floats");

/* The functions of the library, once it is open. */
struct assimp {
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
};
extern struct assimp assimp;

/* A node, after its parents. */
struct entry {
    const struct aiNode *node;
    double world[4][4]; /* As USD has it: points are rows on its left. */
    char path[PATH_SIZE];
};
struct cli_scene {
    const struct aiScene *scene;
    const char *file; /* Borrowed. */
    char format[16];
    struct entry *entries;
    struct cli_scene_row *rows; /* Shape [n_rows]; a row's path is that of its entry. */
    size_t n_entries, n_rows;
};

/* assimp_copy_name: copies a name from a file, as a terminal may show it, and as much of it as there is room for. */
void assimp_copy_name(char *to, size_t room, const char *name);
/* assimp_part: the i-th part of a node, which is what it has of one material; NULL when it is not there. */
const struct aiMesh *assimp_part(const struct cli_scene *s, const struct aiNode *node, unsigned i);
int64_t assimp_count_faces(const struct aiMesh *part); /* Those of three corners or more. */
#endif

#endif
