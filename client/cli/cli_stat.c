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

/* A value as people read it; what a number counts is told by its name. */
static const char *value_of(const cJSON *v)
{
    const char *key = v->string ? v->string : "";
    if (cJSON_IsString(v))
        return v->valuestring;
    if (!cJSON_IsNumber(v))
        return cJSON_IsTrue(v) ? "yes" : cJSON_IsFalse(v) ? "no" : "-";
    if (strstr(key, "Seconds"))
        return cli_seconds(v->valuedouble);
    return strstr(key, "Bytes") || strstr(key, "Memory") ? cli_bytes(v->valuedouble)
                                                         : cli_amount((int64_t)v->valuedouble);
}

/* A plain value, or an array of them with commas between. Returns 0 for anything else. */
static int cell_of(const cJSON *v, char *to, size_t room)
{
    const cJSON *first = cJSON_IsArray(v) ? v->child : v;
    size_t n = 0;
    *to = 0;
    for (const cJSON *m = first; m && n < room; m = cJSON_IsArray(v) ? m->next : NULL) {
        if (cJSON_IsObject(m) || cJSON_IsArray(m))
            return 0;
        n += (size_t)snprintf(to + n, room - n, "%s%s", m == first ? "" : ", ", value_of(m));
    }
    return 1;
}

/* Prints the plain members of an object, a row each. */
static void print_members(const cJSON *o, const char *indent)
{
    struct cli_table t = {.columns = 2, .indent = indent};
    const cJSON *m;
    char cell[400];
    cJSON_ArrayForEach(m, o)
    {
        if (m->string && cell_of(m, cell, sizeof cell))
            cli_table_row(&t, m->string, cell);
    }
    cli_table_print(&t);
}

/* Prints an array of objects, a row each: their name, and their other plain members in one cell. */
static void print_rows(const cJSON *rows)
{
    struct cli_table t = {.columns = 2, .indent = "  "};
    const cJSON *row, *m;
    cJSON_ArrayForEach(row, rows)
    {
        char line[600] = "", cell[400];
        size_t n = 0;
        cJSON_ArrayForEach(m, row)
        {
            if (m->string && strcmp(m->string, "name") != 0 && cell_of(m, cell, sizeof cell) && n < sizeof line)
                n += (size_t)snprintf(line + n, sizeof line - n, "%s%s%s", n ? ": " : "",
                                      strcmp(m->string, "flag") == 0 ? "--" : "", cell);
        }
        cli_table_row(&t, text_of(row, "name"), line);
    }
    cli_table_print(&t);
}

static void print_service(const cJSON *service)
{
    const cJSON *m;
    print_members(service, "");
    cJSON_ArrayForEach(m, service)
    {
        const int rows = cJSON_IsArray(m) && cJSON_IsObject(m->child);
        if (!m->string || (!rows && !cJSON_IsObject(m)))
            continue;
        putchar('\n');
        print_safe(m->string);
        putchar('\n');
        if (rows)
            print_rows(m);
        else
            print_members(m, "  ");
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
    print_service(o);
    print_features(o);
    cJSON_Delete(o);
    return EXIT_DONE;
}
