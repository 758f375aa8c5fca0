/* SPDX-License-Identifier: Apache-2.0 */
/* subd_text.c: builds URLs and header lines as growing text, for the other files of libsubd. */
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 65536 /* Servers refuse URLs that are much shorter. */

static char *reserve(struct subd_text *t, size_t n)
{
    size_t room = t->room ? t->room : 128;
    char *data;
    if (t->failed || n > MAX_TEXT - t->bytes) {
        t->failed = 1;
        return NULL;
    }
    while (room < t->bytes + n)
        room *= 2;
    data = room == t->room ? t->data : realloc(t->data, room);
    if (!data) {
        t->failed = 1;
        return NULL;
    }
    t->data = data;
    t->room = room;
    return data + t->bytes;
}

void subd_text_add(struct subd_text *t, const char *format, ...)
{
    va_list args, again;
    int n;
    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    if (n < 0 || !reserve(t, (size_t)n + 1)) {
        t->failed = 1;
    } else {
        vsnprintf(t->data + t->bytes, (size_t)n + 1, format, again);
        t->bytes += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void subd_text_escape(struct subd_text *t, const char *s)
{
    static const char hex[] = "0123456789ABCDEF", plain[] = "-._~";
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        char *to = reserve(t, 4);
        if (!to)
            return;
        if ((c | 32u) - 'a' < 26u || c - 48u < 10u || strchr(plain, c)) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        }
        *to = 0;
        t->bytes = (size_t)(to - t->data);
    }
}

void subd_text_mesh_path(struct subd_text *t, const char *id, const char *leaf)
{
    subd_text_add(t, "/v1/meshes/");
    subd_text_escape(t, id);
    subd_text_add(t, "%s", leaf);
}

void subd_text_query(struct subd_text *t, const char *key, const char *value)
{
    if (!value)
        return;
    subd_text_add(t, "%c%s=", t->data && strchr(t->data, '?') ? '&' : '?', key);
    subd_text_escape(t, value);
}

void subd_text_list_path(struct subd_text *t, const char *name, const char *after, int limit)
{
    char number[24];
    snprintf(number, sizeof number, "%d", limit);
    subd_text_add(t, "/v1/meshes");
    subd_text_query(t, "name", name);
    subd_text_query(t, "after", after && *after ? after : NULL);
    subd_text_query(t, "limit", limit ? number : NULL);
}

double subd_json_number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= 9e15 ? v->valuedouble : 0;
}

int64_t subd_json_count(const cJSON *o, const char *key)
{
    return (int64_t)subd_json_number(o, key);
}

void subd_json_copy(char *to, size_t room, const cJSON *o, const char *key)
{
    subd_copy_text(to, room, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key)));
}
