/* SPDX-License-Identifier: Apache-2.0 */
/* cli_stat.c: the verb stat, which prints the daemon's description of itself and a table of what its engines can do. */
#include "cli.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 48

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) ? v->valuestring : "";
}

static void print_safe(const char *s)
{
    for (; *s; s++)
        putchar((unsigned char)*s < 32 || *s == 127 ? '?' : *s);
}

/* Prints JSON, except for `features`, as lines of "a.b.c  value". An array of plain values takes one line. */
static void print_tree(const char *prefix, const cJSON *o, int depth)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, o)
    {
        char name[160];
        if (m->string && strcmp(m->string, "features") == 0)
            continue;
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix && m->string ? "." : "", m->string ? m->string : "");
        if ((cJSON_IsObject(m) || (cJSON_IsArray(m) && m->child && (m->child->type & (cJSON_Object | cJSON_Array)))) &&
            depth < 8) {
            print_tree(name, m, depth + 1);
            continue;
        }
        print_safe(name);
        printf("%*s", (int)(strlen(name) < 36 ? 36 - strlen(name) : 1), "");
        for (const cJSON *v = cJSON_IsArray(m) ? m->child : m; v; v = cJSON_IsArray(m) ? v->next : NULL) {
            char *text = cJSON_IsString(v) ? NULL : cJSON_PrintUnformatted(v);
            print_safe(cJSON_IsString(v) ? v->valuestring : text ? text : "");
            cJSON_free(text);
            fputs(cJSON_IsArray(m) && v->next ? ", " : "", stdout);
        }
        putchar('\n');
    }
}

/* Prints the first letter of each scheme under which the engine has feature k. */
static void print_schemes(const cJSON *engine, int k, int width)
{
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(engine, "features"), k), *s;
    int n = 0;
    cJSON_ArrayForEach(s, cJSON_GetObjectItemCaseSensitive(row, "schemes"))
    {
        char letter[] = {cJSON_IsString(s) ? (char)toupper((unsigned char)*s->valuestring) : '?', ' ', 0};
        print_safe(letter);
        n += 2;
    }
    if (n == 0)
        n = printf("-");
    printf("%*s", n < width ? width - n : 0, "");
}

/* Prints the names of the schemes, which explain the letters. The scheme is the first option. */
static void print_legend(const cJSON *service)
{
    const cJSON *option = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(service, "options"), 0), *s;
    printf("\n%s:", text_of(option, "name"));
    cJSON_ArrayForEach(s, cJSON_GetObjectItemCaseSensitive(option, "tokens"))
    {
        putchar(' ');
        print_safe(cJSON_IsString(s) ? s->valuestring : "?");
    }
    putchar('\n');
}

/* Prints a table with the features as rows and the engines as columns; every engine lists all features. */
static void print_features(const cJSON *service)
{
    const cJSON *engines = cJSON_GetObjectItemCaseSensitive(service, "engines"), *e, *f;
    int k = 0;
    printf("\n%-*s", LABEL_WIDTH, "what engines do, by first letters of schemes");
    cJSON_ArrayForEach(e, engines)
    {
        print_safe(text_of(e, "name"));
        fputs("  ", stdout);
    }
    cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(engines ? engines->child : NULL, "features"))
    {
        const char *what = text_of(f, "what");
        int used = (int)strlen(what);
        putchar('\n');
        print_safe(what);
        printf("%*s", used < LABEL_WIDTH ? LABEL_WIDTH - used : 1, "");
        cJSON_ArrayForEach(e, engines) print_schemes(e, k, (int)strlen(text_of(e, "name")) + 2);
        k++;
    }
    print_legend(service);
}

int cli_stat(struct cli *c)
{
    struct subd_error err;
    char *text;
    cJSON *o;
    if (subd_stat(c->client, &text, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    o = cJSON_ParseWithLength(text, strlen(text));
    free(text);
    if (!o)
        return cli_fail(c, EXIT_ANSWER, "the server's answer is not JSON");
    if (c->json)
        return cli_print_json(c, o);
    print_tree("", o, 0);
    print_features(o);
    cJSON_Delete(o);
    return EXIT_DONE;
}
