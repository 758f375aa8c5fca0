/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store/store_files.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct store *store_reopen(const char *dir)
{
    struct store *s;
    struct sdd_error err = {0};
    if (store_open(dir, &s, &err))
        fail_msg("%s", err.text);
    if (store_loss(s)->waits || store_loss(s)->text[0])
        fail_msg("a false alarm: %s", store_loss(s)->text);
    return s;
}

int64_t store_count(const char *dir, const char *sql)
{
    char path[300];
    sqlite3 *db;
    sqlite3_stmt *st;
    (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    (void)sqlite3_close(db);
    return n;
}

void store_sql(const char *dir, const char *sql)
{
    char path[300], *why = NULL;
    sqlite3 *db;
    (void)snprintf(path, sizeof path, "%s/subdd.db", dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why))
        fail_msg("%s", why);
    (void)sqlite3_close(db);
}

static FILE *open_file(const char *dir, const char *name, const char *mode)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return fopen(path, mode);
}

struct file_image file_read(const char *dir, const char *name)
{
    struct file_image f = {0};
    struct stat st;
    FILE *file = open_file(dir, name, "rb");
    if (!file)
        return f;
    assert_int_equal(fstat(fileno(file), &st), 0);
    f = (struct file_image){malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    assert_int_equal(fread(f.bytes, 1, f.n, file), f.n);
    (void)fclose(file);
    return f;
}

void file_write(const char *dir, const char *name, struct file_image f)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    (void)unlink(path);
    if (!f.bytes)
        return;
    FILE *file = open_file(dir, name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(f.bytes, 1, f.n, file), f.n);
    assert_int_equal(fclose(file), 0);
}

void file_flip(const char *dir, const char *name, size_t at)
{
    FILE *file = open_file(dir, name, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    int c = fgetc(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_true(fputc(c ^ 16, file) != EOF);
    assert_int_equal(fclose(file), 0);
}
