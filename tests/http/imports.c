/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/imports.h"
#include "tests/env.h"
#include <stdlib.h>
#include <string.h>

struct daemon served;
const float import_points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
const int import_quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

FILE *import_create(const char *name)
{
    char path[200];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", served.dir, name);
    assert_non_null(f = fopen(path, "w"));
    return f;
}

struct ran import_run(const char *const *arguments)
{
    static char paths[8][200];
    const char *full[9] = {0};
    for (int i = 0; arguments[i]; i++) {
        assert_true(i < 8);
        snprintf(paths[i], sizeof paths[i], "%s/%s", served.dir, arguments[i]);
        full[i] = strchr(arguments[i], '.') && !strchr(arguments[i], '/') && !strchr("0123456789", *arguments[i])
                      ? paths[i]
                      : arguments[i];
    }
    return spawn_subd(served.dir, full, NULL);
}

void import_put(FILE *f, const void *value, size_t bytes, int big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        fputc(((const unsigned char *)value)[big_endian ? bytes - 1 - i : i], f);
}

const float *import_corner(int i, int k)
{
    static const int of[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return import_points[import_quads[i / 2][of[i % 2][k]]];
}

void import_write_stl(const char *name, int binary, float shake)
{
    FILE *f = import_create(name);
    const float zero[3] = {0};
    const int n = 12;
    fprintf(f, binary ? "%-80s" : "solid cube\n", "");
    if (binary)
        import_put(f, &n, 4, 0);
    for (int i = 0; i < n; i++) {
        binary ? import_put(f, zero, 12, 0) : (void)fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const float x = import_corner(i, k)[j] + shake * (float)((i * 7 + k * 3 + j) % 5);
                binary ? import_put(f, &x, 4, 0)
                       : (void)fprintf(f, "%s%.9g%s", j ? " " : "vertex ", (double)x, j == 2 ? "\n" : "");
            }
        binary ? import_put(f, zero, 2, 0) : (void)fprintf(f, "endloop\nendfacet\n");
    }
    if (!binary)
        fprintf(f, "endsolid cube\n");
    assert_int_equal(fclose(f), 0);
}

int import_start(void **state)
{
    (void)state;
    cli_daemon_start(&served);
    import_write_stl("text.stl", 0, 0);
    import_write_stl("binary.stl", 1, 0);
    return 0;
}

int import_stop(void **state)
{
    (void)state;
    daemon_stop(&served);
    return 0;
}

int import_skips(void)
{
    struct ran r = RUN("refine", "text.stl");
    const int skips = strstr(r.err, "needs libassimp") != NULL;
    if (skips)
        print_message("skipped: %s", r.err);
    ran_free(&r);
    return skips;
}

cJSON *import_push(const char *const *arguments, char **told)
{
    struct ran r = import_run(arguments);
    char id[64];
    cJSON *cage;
    snprintf(id, sizeof id, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    if (told)
        assert_non_null(*told = strdup(r.err));
    ran_expect(r, 0);
    r = RUN("pull", id, "-o", "cage.json");
    ran_expect(r, 0);
    char path[200], *text;
    snprintf(path, sizeof path, "%s/cage.json", served.dir);
    assert_non_null(text = slurp(path, NULL));
    assert_non_null(cage = cJSON_ParseWithOpts(text, NULL, 1));
    free(text);
    return cage;
}
const cJSON *member(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (!v)
        fail_msg("no %s", key);
    return v;
}

const char *word(const cJSON *o, const char *key)
{
    const char *s = cJSON_GetStringValue(member(o, key));
    assert_non_null(s);
    return s;
}

int length(const cJSON *o, const char *key)
{
    return cJSON_GetArraySize(member(o, key));
}

double number(const cJSON *o, const char *key, int i)
{
    const cJSON *v = cJSON_GetArrayItem(member(o, key), i);
    assert_true(cJSON_IsNumber(v));
    return v->valuedouble;
}

const cJSON *primvar(const cJSON *cage, const char *name)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, member(cage, "primvars"))
    {
        if (strcmp(word(p, "name"), name) == 0)
            return p;
    }
    return NULL;
}

void import_tells(char *told, const char *says)
{
    if (!strstr(told, says))
        fail_msg("\"%s\" does not say \"%s\"", told, says);
    free(told);
}

int import_meshes(void)
{
    cJSON *o = ran_json(RUN("ls", "--json"), 0);
    int n = length(o, "meshes");
    cJSON_Delete(o);
    return n;
}
