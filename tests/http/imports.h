/* SPDX-License-Identifier: Apache-2.0 */
/* imports.h: for the tests of what subd reads itself: its own daemon, the cube as STL, and control meshes as JSON, of
 * which the getters fail the test when something is not there. */
#ifndef TESTS_HTTP_IMPORTS_H
#define TESTS_HTTP_IMPORTS_H
#include "tests/http/cli_run.h"
#include <stdio.h>

extern struct daemon served;
extern const float import_points[8][3]; /* A cube, in quads. */
extern const int import_quads[6][4];

/* import_start: starts the daemon, and writes text.stl and binary.stl. */
int import_start(void **state);
int import_stop(void **state);
/* import_skips: 1 when subd has no libassimp here; it says so. */
int import_skips(void);
/* import_run: runs subd; a name with an ending is that of a file in the daemon's folder. */
struct ran import_run(const char *const *arguments);
#define RUN(...) import_run((const char *const[]){__VA_ARGS__, NULL})
/* import_create: opens a new file in the daemon's folder. */
FILE *import_create(const char *name);
/* import_put: writes a number of so many bytes. */
void import_put(FILE *f, const void *value, size_t bytes, int big_endian);
/* import_corner: corner k of triangle i, of 12; each quad is two. */
const float *import_corner(int i, int k);
/* import_write_stl: these triangles, with their coordinates shaken, each corner otherwise. */
void import_write_stl(const char *name, int binary, float shake);
/* import_push: pushes with the arguments, and brings the control mesh back. *told, unless NULL, gets stderr. */
cJSON *import_push(const char *const *arguments, char **told);
#define PUSH(told, ...) import_push((const char *const[]){"push", __VA_ARGS__, NULL}, told)
void import_tells(char *told, const char *says); /* Frees `told`. */
int import_meshes(void);                         /* How many the daemon has. */

const cJSON *member(const cJSON *o, const char *key);
const char *word(const cJSON *o, const char *key);
int length(const cJSON *o, const char *key);
double number(const cJSON *o, const char *key, int i);
const cJSON *primvar(const cJSON *cage, const char *name); /* NULL without it. */

#endif
