/* SPDX-License-Identifier: Apache-2.0 */
/* looks_like.c: tells formats by their first bytes, for the readers of OBJ and USDA. */
#include "server/mesh/formats/looks_like.h"
#include "server/base/chars.h"
#include <stdint.h>
#include <string.h>

#define LOOK 4096 /* How far into a file the words are sought that tell two formats of the same first byte apart. */

static const char push[] = "give the file its own ending, and subd push reads it and sends the mesh";
static const char export[] = "export the mesh as OBJ or USDA";
static const char unpack[] = "unpack it and send what is inside";
static const char usdcat[] = "only its text form is read: usdcat FILE -o NEW.usda writes it";
static const char page[] = "has a download given a page in place of the file?";
static const char fbx_text[] = "export it as OBJ, USDA or binary FBX";

/* A file that begins with `magic`. A magic that ends with a NUL must be a whole word; then blanks may stand before it.
 */
#define BYTES(magic) magic, sizeof(magic) - 1
static const struct form {
    const char *magic;
    size_t n;
    const char *inside; /* A word that must stand near the beginning, or NULL. */
    const char *name, *advice;
} forms[] = {
    {BYTES("PXR-USDC"), NULL, "binary USD (usdc)", usdcat},
    {BYTES("PK\003\004"), ".usd", "a zip archive (usdz)", usdcat},
    {BYTES("PK\003\004"), NULL, "a zip archive", unpack},
    {BYTES("\x1f\x8b"), NULL, "compressed by gzip", unpack},
    {BYTES("\xfd"
           "7zXZ"),
     NULL, "compressed by xz", unpack},
    {BYTES("BZh"), NULL, "compressed by bzip2", unpack},
    {BYTES("\x28\xb5\x2f\xfd"), NULL, "compressed by zstd", unpack},
    {BYTES("7z\xbc\xaf"), NULL, "a 7z archive", unpack},
    {BYTES("Rar!"), NULL, "a rar archive", unpack},
    {BYTES("ply\0"), NULL, "PLY", push},
    {BYTES("solid\0"), NULL, "STL", push},
    {BYTES("OFF\0"), NULL, "OFF", push},
    {BYTES("COFF\0"), NULL, "OFF", push},
    {BYTES("NOFF\0"), NULL, "OFF", push},
    {BYTES("CNOFF\0"), NULL, "OFF", push},
    {BYTES("STOFF\0"), NULL, "OFF", push},
    {BYTES("glTF"), NULL, "binary glTF (GLB)", push},
    {BYTES("Kaydara FBX Binary"), NULL, "FBX", push},
    {BYTES("; FBX"), NULL, "FBX as text", fbx_text},
    {BYTES("Ogawa"), NULL, "Alembic", export},
    {BYTES("\x89HDF"), NULL, "HDF5 (an old Alembic?)", export},
    {BYTES("BLENDER"), NULL, "a file of Blender", export},
    {BYTES("#VRML"), NULL, "VRML", export},
    {BYTES("xof 0"), NULL, "DirectX's X", export},
    {BYTES("ISO-10303-21"), NULL, "STEP", export},
    {BYTES("DRACO"), NULL, "Draco", export},
    {BYTES("\x89PNG"), NULL, "a picture (PNG)", export},
    {BYTES("\xff\xd8\xff"), NULL, "a picture (JPEG)", export},
    {BYTES("%PDF"), NULL, "PDF", export},
    {BYTES("\x7f"
           "ELF"),
     NULL, "a program", export},
    {BYTES("newmtl\0"), NULL, "a library of materials (MTL)", "send the OBJ file that names it"},
    {BYTES("<"), "COLLADA", "COLLADA (DAE)", push},
    {BYTES("<"), "<X3D", "X3D", export},
    {BYTES("<"), NULL, "HTML or XML", page},
    {BYTES("{"), "\"asset\"", "glTF", push},
    {BYTES("{"), NULL, "JSON", "send it as application/json (subd push: a file that ends in .json)"},
    {BYTES("["), NULL, "JSON", "send one mesh as application/json (subd push: a file that ends in .json)"},
    {BYTES("#usda\0"), NULL, "USDA", "send it as model/vnd.usda (subd push: a file that ends in .usda)"},
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool has(const char *p, size_t bytes, const char *word)
{
    return !word || memmem(p, bytes < LOOK ? bytes : LOOK, word, strlen(word));
}

/* True for the forms that are text, which blanks may precede. */
static bool begins(const struct form *f, const char *p, size_t bytes)
{
    bool word = f->n && !f->magic[f->n - 1];
    size_t n = f->n - word;
    for (size_t i = 0; (word || f->n == 1) && bytes && i < LOOK && is_space(*p); i++)
        p++, bytes--;
    return bytes > n && memcmp(p, f->magic, n) == 0 && (!word || is_space(p[n])) && has(p, bytes, f->inside);
}

/* UTF-16 and UTF-32 have a mark, or else zeros beside the first letters, which are ASCII in both formats. */
static const char *wide(const unsigned char *p, size_t bytes)
{
    if (bytes < 4)
        return NULL;
    bool little = p[0] == 0xff && p[1] == 0xfe, big = p[0] == 0xfe && p[1] == 0xff;
    if ((little && !p[2] && !p[3]) || (!p[0] && !p[1] && p[2] == 0xfe && p[3] == 0xff))
        return "UTF-32";
    if (little || (!big && p[0] && !p[1] && p[2] && !p[3]))
        return "UTF-16LE";
    return big || (!p[0] && p[1] && !p[2] && p[3]) ? "UTF-16BE" : NULL;
}

/* Binary STL and 3DS have no word at their beginning, but their length in their head. */
static const char *by_length(const unsigned char *p, size_t bytes)
{
    uint32_t triangles, chunk;
    if (bytes > 84) {
        memcpy(&triangles, p + 80, sizeof triangles);
        if (triangles && bytes == 84 + 50 * (size_t)triangles)
            return "STL";
    }
    if (bytes > 6 && p[0] == 'M' && p[1] == 'M') {
        memcpy(&chunk, p + 2, sizeof chunk);
        if (chunk == bytes)
            return "3DS";
    }
    return NULL;
}

int looks_like_check(const void *body, size_t bytes, const char *wanted, const char *field, struct sdd_error *err)
{
    const char *p = body, *encoding = wide(body, bytes), *name = by_length(body, bytes), *advice = push;
    if (encoding)
        return sdd_fail(err, SDD_EMALFORMED, field,
                        "this is text in %.6s, and %s is read in UTF-8: iconv -f %s -t UTF-8 FILE > NEW writes it",
                        encoding, wanted, encoding);
    if (bytes >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3, bytes -= 3;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !name; i++)
        if (begins(&forms[i], p, bytes)) {
            name = forms[i].name;
            advice = forms[i].advice;
        }
    if (!name || strcmp(name, wanted) == 0)
        return SDD_OK;
    return sdd_fail(err, SDD_EMALFORMED, field, "this is %s, not %s: %s", name, wanted, advice);
}
