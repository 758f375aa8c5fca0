/* SPDX-License-Identifier: Apache-2.0 */
/* A body of another format is named for what it is, with what to do, by the readers of meshes and of positions. */
#include "server/mesh/formats/looks_like.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The rest of a file behind its first bytes. */
#define REST "\0\1\2\3 some more bytes of a file \n and more of them\n"
#define ROW(bytes, name)                                                                                               \
    {                                                                                                                  \
        bytes, sizeof(bytes) - 1, name                                                                                 \
    }
static const struct row {
    const char *bytes;
    size_t n;
    const char *says;
} rows[] = {
    ROW("PXR-USDC" REST, "this is binary USD (usdc), not OBJ: only its text form is read: usdcat"),
    ROW("PK\3\4\0\0\0\0\0\0\0\0scene.usdc" REST, "a zip archive (usdz), not OBJ: only its text form is read"),
    ROW("PK\3\4\0\0\0\0\0\0\0\0cube.obj" REST, "this is a zip archive, not OBJ: unpack it"),
    ROW("\x1f\x8b\x08" REST, "compressed by gzip"),
    ROW("\xfd"
        "7zXZ" REST,
        "compressed by xz"),
    ROW("BZh9" REST, "bzip2"),
    ROW("\x28\xb5\x2f\xfd" REST, "zstd"),
    ROW("7z\xbc\xaf" REST, "7z"),
    ROW("Rar!" REST, "rar"),
    ROW("ply\nformat ascii 1.0\nelement vertex 1\n", "this is PLY, not OBJ: give the file its own ending"),
    ROW("ply\r\nformat binary_little_endian 1.0\r\n" REST, "this is PLY"),
    ROW("solid cube\nfacet normal 0 0 1\n", "this is STL"),
    ROW("solid\n facet normal 0 0 1\n", "this is STL"),
    ROW("OFF\n8 6 0\n", "this is OFF"),
    ROW("\n  COFF 8 6 0\n", "this is OFF"),
    ROW("glTF\2\0\0\0" REST, "this is binary glTF (GLB)"),
    ROW("{\n \"asset\": {\"version\": \"2.0\"}}", "this is glTF"),
    ROW("{\"points\": [0, 0, 0]}", "this is JSON, not OBJ: send it as application/json"),
    ROW("\xef\xbb\xbf {\"points\": [0, 0, 0]}", "this is JSON"),
    ROW("[1, 2]", "this is JSON"),
    ROW("Kaydara FBX Binary  \0" REST, "this is FBX, not OBJ: give"),
    ROW("; FBX 7.4.0 project file\n", "this is FBX as text"),
    ROW("<!DOCTYPE html>\n<html>", "this is HTML or XML, not OBJ: has a download"),
    ROW("\n<?xml version=\"1.0\"?>\n<COLLADA>", "this is COLLADA (DAE)"),
    ROW("<?xml version=\"1.0\"?>\n<X3D>", "this is X3D"),
    ROW("#usda 1.0\n(\n)\n", "this is USDA, not OBJ: send it as model/vnd.usda"),
    ROW("#VRML V2.0 utf8\n", "this is VRML"),
    ROW("Ogawa\xff\0\1" REST, "this is Alembic"),
    ROW("\x89HDF\r\n\x1a\n" REST, "HDF5"),
    ROW("BLENDER-v300" REST, "this is a file of Blender"),
    ROW("xof 0303txt 0032\n", "DirectX"),
    ROW("ISO-10303-21;\n", "STEP"),
    ROW("DRACO\2\2" REST, "Draco"),
    ROW("\x89PNG\r\n\x1a\n" REST, "PNG"),
    ROW("\xff\xd8\xff\xe0" REST, "JPEG"),
    ROW("%PDF-1.7\n" REST, "PDF"),
    ROW("\x7f"
        "ELF\2" REST,
        "a program"),
    ROW("newmtl red\nKd 1 0 0\n", "this is a library of materials (MTL), not OBJ: send the OBJ file"),
    ROW("MM\x0c\0\0\0"
        "\2\0\12\0\0\0",
        "this is 3DS"),
    ROW("\xff\xfev\0 \0"
        "0\0",
        "text in UTF-16, and OBJ is read in UTF-8: iconv -f UTF-16LE -t UTF-8"),
    ROW("\xfe\xff\0v\0 \0"
        "0",
        "iconv -f UTF-16BE -t"),
    ROW("v\0 \0"
        "0\0",
        "iconv -f UTF-16LE -t"),
    ROW("\0v\0 \0"
        "0",
        "iconv -f UTF-16BE -t"),
    ROW("#\0 \0\x42\x04", "iconv -f UTF-16LE -t"),
    ROW("\xff\xfe\0\0v\0\0\0", "text in UTF-32, and OBJ is read in UTF-8: iconv -f UTF-32"),
    ROW("\0\0\xfe\xff\0\0\0v", "iconv -f UTF-32"),
};

static void refused(const struct row *row, int positions)
{
    struct sdd_error err = {0};
    struct losses l = {0};
    struct mesh *m = NULL;
    struct positions *p = NULL;
    char *copy = malloc(row->n);
    memcpy(copy, row->bytes, row->n);
    int rc = positions ? positions_from_obj(copy, row->n, &p, &err) : mesh_from_obj(copy, row->n, &m, &l, &err);
    free(copy);
    if (rc != SDD_EMALFORMED || m || p || !strstr(err.text, row->says))
        fail_msg("%s\ngave %d %s", row->says, rc, err.text);
}

static void test_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refused(&rows[i], 0);
        refused(&rows[i], 1);
    }
}

static void test_binary_stl(void **state)
{
    struct row row = {NULL, 84 + 50 * 3, "this is STL, not OBJ"};
    char *stl = calloc(1, row.n);
    (void)state;
    memcpy(stl, "solid names lie", 15);
    stl[80] = 3;
    row.bytes = stl;
    refused(&row, 0);
    memset(stl, ' ', 80);
    refused(&row, 0);
    free(stl);
}

/* What is a reader's own format, or only begins like another one, is left to the reader. Every prefix is safe. */
static void test_own(void **state)
{
    static const char *const own[][2] = {{"#usda 1.0\n", "USDA"},
                                         {"v 0 0 0\n", "OBJ"},
                                         {"plyers 1\n", "OBJ"},
                                         {"solidity\n", "OBJ"},
                                         {"OFFICE 1\n", "OBJ"},
                                         {"# <html>\n", "OBJ"},
                                         {"", "OBJ"},
                                         {"ply", "OBJ"},
                                         {"MM", "OBJ"},
                                         {"v", "OBJ"},
                                         {"#!usda\nv 0 0 0\n", "OBJ"},
                                         {"#usdafied\nv 0 0 0\n", "OBJ"}};
    struct sdd_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (looks_like_check(own[i][0], strlen(own[i][0]), own[i][1], "obj", &err))
            fail_msg("%s: %s", own[i][0], err.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = 0; n < rows[i].n; n++) {
            char *copy = malloc(n + 1);
            memcpy(copy, rows[i].bytes, n);
            int rc = looks_like_check(copy, n, "OBJ", "obj", &err);
            assert_true(rc == SDD_OK || rc == SDD_EMALFORMED);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats), cmocka_unit_test(test_binary_stl),
                                       cmocka_unit_test(test_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
