/* SPDX-License-Identifier: Apache-2.0 */
/* torus.h: meshes with handles, which conformal flow has much to do with. */
#ifndef TESTS_HTTP_TORUS_H
#define TESTS_HTTP_TORUS_H

/* torus_obj: a bumpy torus of `around` times `around` quads as OBJ, whose x is `stretch` times as wide and z as flat; 1
 * leaves it. The caller frees it. */
char *torus_obj(int around, double stretch);
/* slab_obj: a slab of cells with a hole at every second cell of every second row, each of which is a handle: genus 65.
 * The caller frees it. */
char *slab_obj(void);

#endif
