/* SPDX-License-Identifier: Apache-2.0 */
/* env.h: where a test finds what it needs. Strings live as long as the process.
 *
 * The environment wins (SUBDD_BIN, SUBDD_SHAPES, SUBDD_SHARED, SUBDD_TEST_BACKEND); without it, places relative to the
 * test's own executable, so that tests run from the build folder and from the bundle alike.
 * SUBDD_TEST_FILTER (a glob) picks test cases by name; it acts on every cmocka group without a line in the test. */
#ifndef TESTS_ENV_H
#define TESTS_ENV_H
#ifdef __cplusplus
extern "C" {
#endif

const char *test_bin_dir(void);     /* folder of subdd and subd                                   */
const char *test_shapes_dir(void);  /* folder of the small nasty meshes                           */
const char *test_shared_dir(void);  /* folder with data/ of bigger meshes; NULL where it is absent */
const char *test_backend(void);     /* "cpu" or "cuda"                                            */
const char *test_module_path(void); /* the CUDA module of this build or bundle, absolute; NULL where it is absent */

/* TELLS_MEMORY: whether the system says what a process of this build needs. Sanitizers keep what was freed, and have
 * memory of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { TELLS_MEMORY = 0 };
#else
enum { TELLS_MEMORY = 1 };
#endif

#ifdef __cplusplus
}
#endif

#endif
