/* SPDX-License-Identifier: Apache-2.0 */
/* subd_names.h: the calls of libsubd about the names of meshes. subd.h includes it and has the rules.
 *
 * A name has 1 to 255 bytes of UTF-8, without control characters and without a space at either end. Any number of
 * meshes may have the same name; names are compared byte by byte. */
#ifndef SUBD_NAMES_H
#define SUBD_NAMES_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* subd_list_named: subd_list of the meshes that are called `name`; NULL lists all.
 * Errors  SUBD_EUSAGE (limit); SUBD_EHTTP 400 when no mesh can have that name */
SUBD_API int subd_list_named(subd_client *c, const char *name, const char *after, int limit, struct subd_mesh_list *out,
                             struct subd_error *err) SUBD_MUST_CHECK;
/* subd_find: the mesh that a person means by `text`. An id comes first, then a name that one mesh alone has, then the
 * beginning of an id that one mesh alone has: "m_" and at least one character more. It makes up to three requests, each
 * with the timeouts of subd_config.
 * Errors  SUBD_EHTTP 404 (problem "not_found") when there is no such mesh, SUBD_EHTTP 400 when no mesh can have that
 *         name; SUBD_EUSAGE with problem "ambiguous" when several meshes have the name or that beginning of an id (the
 *         sentence has their ids), and for a text that is empty or longer than a name */
SUBD_API int subd_find(subd_client *c, const char *text, struct subd_mesh_info *out,
                       struct subd_error *err) SUBD_MUST_CHECK;
/* subd_rename: PATCH /v1/meshes/{id}: gives a mesh another name, as a new version of the same geometry; NULL gives it
 * its id as its name. The name that it has already makes no new version. With version 0 it renames any version, else
 * only this one. out may be NULL.
 * Errors  SUBD_EUSAGE (version); SUBD_EHTTP 400 when no mesh can have that name, 412 when the mesh has another
 *         version */
SUBD_API int subd_rename(subd_client *c, const char *id, int64_t version, const char *name, struct subd_mesh_info *out,
                         struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
