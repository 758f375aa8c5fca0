/* SPDX-License-Identifier: Apache-2.0 */
/* file_names.h: makes the name of a mesh valid for a file format, for the daemon and for subd, which both write files.
 * It needs no object file. glTF, protobuf, and the comments of PLY take every name as it is. */
#ifndef FILE_NAMES_H
#define FILE_NAMES_H
#include <stdbool.h>
#include <string.h>

enum file_name_form {
    FILE_NAME_USD, /* A prim: ASCII letters, digits and '_', no digit at the start, as every version of USD takes. */
    FILE_NAME_OBJ, /* An `o` line: one word, and nothing that readers take for a comment or a continued line. */
    FILE_NAME_STL  /* A header: ASCII, without the '=' by which some readers find colours there. */
};
#define FILE_NAME_SIZE 257 /* Room for what becomes of a name of 255 bytes. */

static inline bool file_name_allows(enum file_name_form form, unsigned char c)
{
    switch (form) {
    case FILE_NAME_USD: return (c | 32u) - 'a' < 26u || c - 48u < 10u;
    case FILE_NAME_OBJ: return !strchr(" #\\", c);
    case FILE_NAME_STL: return c < 128 && c != '=';
    }
    return false;
}

/* file_name_valid: each character that the format does not allow becomes one '_'. A name that is too long is cut off.
 * An empty name stays empty. Returns out. */
static inline const char *file_name_valid(enum file_name_form form, const char *name, char out[FILE_NAME_SIZE])
{
    char *to = out;
    if (form == FILE_NAME_USD && *name >= '0' && *name <= '9')
        *to++ = '_';
    for (; *name && to < out + FILE_NAME_SIZE - 1; name++)
        if (file_name_allows(form, (unsigned char)*name))
            *to++ = *name;
        else if ((*name & 0xc0) != 0x80) /* The first byte of a character in UTF-8 stands for all of it. */
            *to++ = '_';
    *to = 0;
    return out;
}

/* file_line_name: a name as the rest of a line of OBJ, where words may have one blank between them. Returns `name` if
 * it can stand so, else `out`, in which what is in the way has become '_'. */
static inline const char *file_line_name(const char *name, char out[FILE_NAME_SIZE])
{
    const size_t n = strlen(name);
    bool plain = !strpbrk(name, "#\\") && !strstr(name, "  ") && (!n || (*name != ' ' && name[n - 1] != ' '));
    for (const char *c = name; *c; c++)
        plain &= (unsigned char)*c >= ' ' && *c != 127;
    if (plain)
        return name;
    (void)file_name_valid(FILE_NAME_OBJ, name, out);
    for (char *c = out; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '_' : *c;
    return out;
}

#endif
