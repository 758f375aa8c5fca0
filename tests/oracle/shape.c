/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: shapes through server/mesh_codec.h. */
#include "tests/oracle/shape.h"
#include "server/mesh/mesh.h"
#include "server/mesh/formats/codec.h"
#include "tests/oracle/refined.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *bytes)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        oracle_die("cannot read %s", path);
    long n = ftell(in);
    char *text = xalloc(n + 1, 1);
    rewind(in);
    if (n < 0 || fread(text, 1, (size_t)n, in) != (size_t)n)
        oracle_die("cannot read %s", path);
    fclose(in);
    *bytes = (size_t)n;
    return text;
}

int shape_load(const char *dir, const char *name, struct shape *out, struct sdd_error *err)
{
    char path[4096];
    size_t bytes;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s.obj", dir, name);
    char *text = read_file(path, &bytes);
    if (text[0] == '#')
        snprintf(out->head, sizeof out->head, "%.*s", (int)strcspn(text + 2, "\n"), text + 2);
    int rc = mesh_from_obj(text, bytes, &out->mesh, NULL, err);
    free(text);
    if (rc != SDD_OK)
        return rc;
    mesh_desc(out->mesh, &out->desc);
    out->points = out->mesh->points;
    out->uvs = out->mesh->n_uvs > 0 ? out->mesh->uvs : NULL;
    double *points = xalloc(3 * out->mesh->n_vertices, sizeof *points);
    for (int64_t i = 0; i < 3 * out->mesh->n_vertices; i++)
        points[i] = (double)out->points[i];
    out->diagonal = refined_diagonal(points, out->mesh->n_vertices);
    free(points);
    return SDD_OK;
}

void shape_free(struct shape *s)
{
    mesh_free(s->mesh);
    s->mesh = NULL;
}

static int is_obj(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 4 && strcmp(d->d_name + n - 4, ".obj") == 0;
}

char **shape_list(const char *dir, size_t *n)
{
    struct dirent **entries;
    int count = scandir(dir, &entries, is_obj, alphasort);
    *n = 0;
    if (count < 0)
        return NULL;
    char **names = xalloc(count + 1, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = strdup(entries[i]->d_name);
        if (!names[i])
            oracle_die("no memory");
        *strrchr(names[i], '.') = '\0';
        free(entries[i]);
    }
    free(entries);
    *n = (size_t)count;
    return names;
}

void shape_list_free(char **names)
{
    for (char **p = names; p && *p; p++)
        free(*p);
    free(names);
}
