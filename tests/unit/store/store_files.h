/* SPDX-License-Identifier: Apache-2.0 */
/* store_files.h: the files of a store, for tests that damage them. Everything here fails the test when it cannot be. */
#ifndef TESTS_STORE_FILES_H
#define TESTS_STORE_FILES_H
#include "server/store/store.h"

struct file_image {
    char *bytes; /* NULL: there is no such file */
    size_t n;
};

struct store *store_reopen(const char *dir); /* nothing may be wrong with it, and nothing lost */
void store_sql(const char *dir, const char *sql);
int64_t store_count(const char *dir, const char *sql); /* the first value of a query */
/* file_read: the caller frees bytes. */
struct file_image file_read(const char *dir, const char *name);
void file_write(const char *dir, const char *name, struct file_image f); /* without bytes: removes it */
/* file_flip: flips one bit of a byte. */
void file_flip(const char *dir, const char *name, size_t at);

#endif
