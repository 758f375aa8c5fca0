/* SPDX-License-Identifier: Apache-2.0 */
/* usda_write.c: writes a mesh as USDA with one Mesh prim, for downloads (mesh_to_usda). usda_reader.c reads the same
 * mesh back, except for ids.
 *
 * Two of the options have values that USD does not know. They become custom attributes, which other readers skip:
 *   subdd:creaseMethod  chaikin; other readers crease uniformly
 *   subdd:scheme        sqrt3. subdivisionScheme then says loop, the scheme of USD that comes closest: it is smooth,
 *                       takes triangles alone, and has the same boundaries and tags ("none" would show the control
 *                       mesh)
 * A primvar with named face sets becomes a family of GeomSubsets. Where USD cannot have a prim of a set's name, that
 * is the displayName. Sets of materialBind are bound to Materials, which have nothing but a name. */
#include "server/mesh/formats/codec.h"
#include "server/base/stop.h"
#include "server/mesh/formats/writer_text.h"
#include "server/mesh/formats/usda_parts.h"
#include "server/mesh/formats/usda_primvars.h"
#include "proto/files/file_names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SCHEME, CREASE_METHOD and ORIENTATION are rows of sdd_option_table. PER_LINE is how many numbers a line has. */
enum { SCHEME = 0, CREASE_METHOD = 4, ORIENTATION = 5, PER_LINE = 16 };

/* A prim that cannot have a name shows it to people. */
static void write_display_name(FILE *f, const char *name)
{
    fputs("displayName = \"", f);
    for (; *name; name++)
        fprintf(f, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fputs("\"\n", f);
}

/* Writes TYPE NAME = [...]. A row of 2 to 4 numbers becomes a tuple. */
static void write_rows(FILE *f, const char *type, const char *name, const void *v, int64_t n_rows, int width)
{
    const float *floats = v;
    const int32_t *ints = v;
    bool whole = strcmp(type, "int") == 0;
    int64_t n = n_rows * width;
    int tuple = width <= 4 ? width : 1;
    const char *role = tuple == 1 || strlen(type) > 5 ? "" : tuple == 2 ? "2" : tuple == 3 ? "3" : "4";
    fprintf(f, "    %s%s[] %s = [", type, role, name);
    for (int64_t i = 0; i < n && !stop_due(i); i++) {
        if (i % tuple == 0)
            fputs(!i ? "" : i % (PER_LINE / tuple * tuple) ? ", " : ",\n        ", f);
        fputs(tuple == 1 ? "" : i % tuple ? ", " : "(", f);
        if (whole)
            fprintf(f, "%d", ints[i]);
        else
            fprintf(f, "%.9g", (double)floats[i]);
        fputs(tuple > 1 && i % tuple == tuple - 1 ? ")" : "", f);
    }
    fputs("]", f);
}

static void write_ints(FILE *f, const char *name, const int32_t *v, int64_t n)
{
    write_rows(f, "int", name, v, n, 1);
    fputs("\n", f);
}

static void write_primvar(FILE *f, const char *type, const struct primvar *p, int64_t n_corners)
{
    char name[PRIMVAR_NAME_SIZE + 24];
    (void)snprintf(name, sizeof name, "primvars:%s", p->info.name);
    write_rows(f, type, name, p->values, p->info.n_values, p->info.width);
    fprintf(f, " (\n        interpolation = \"%s\"\n", primvar_interpolation(p->info.interpolation));
    if (p->info.width > 4)
        fprintf(f, "        elementSize = %d\n", p->info.width);
    fputs("    )\n", f);
    (void)snprintf(name, sizeof name, "primvars:%s:indices", p->info.name);
    if (p->indices)
        write_ints(f, name, p->indices, n_corners);
}

static void write_primvars(FILE *f, const struct mesh *m)
{
    struct primvar st = {.info = {.name = "st", .interpolation = SDD_FACE_VARYING, .width = 2}};
    st.info.n_values = (int32_t)m->n_uvs;
    st.values = m->uvs;
    st.indices = m->uv_indices;
    if (m->n_uvs)
        write_primvar(f, "texCoord2f", &st, m->n_corners);
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        const bool whole = p->info.type == PRIMVAR_I32,
                   colour = !whole && p->info.width == 3 && strcmp(p->info.name, "displayColor") == 0;
        if (!p->sets.n && usda_primvar_name(p->info.name))
            write_primvar(f, whole ? "int" : colour ? "color3f" : "float", p, m->n_corners);
    }
}

/* Writes the box of the points as the extent, as USD computes it. It holds the surface as well, except where chaikin
 * creases overshoot. */
static void write_extent(FILE *f, const struct mesh *m)
{
    float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * m->n_vertices; i++) {
        box[i % 3] = fminf(box[i % 3], m->points[i]);
        box[i % 3 + 3] = fmaxf(box[i % 3 + 3], m->points[i]);
    }
    if (m->n_vertices) {
        write_rows(f, "float", "extent", box, 2, 3);
        fputs("\n", f);
    }
}

static void write_options(FILE *f, const struct mesh *m)
{
    bool sqrt3 = m->options.scheme == SDD_SCHEME_SQRT3;
    for (int i = 0; i < sdd_n_options; i++)
        if (i != CREASE_METHOD) /* The scheme and the orientation are uniform in USD: they cannot change with time. */
            fprintf(f, "    %stoken %s = \"%s\"\n", i == SCHEME || i == ORIENTATION ? "uniform " : "",
                    sdd_option_table[i].name, i == SCHEME && sqrt3 ? "loop" : sdd_option_token(&m->options, i));
    if (sqrt3)
        fputs("    custom uniform token subdd:scheme = \"sqrt3\"\n", f);
    if (m->options.crease_method != SDD_CREASE_UNIFORM)
        fprintf(f, "    custom uniform token subdd:creaseMethod = \"%s\"\n",
                sdd_option_token(&m->options, CREASE_METHOD));
}

static void write_tags(FILE *f, const struct mesh *m)
{
    if (m->n_creases) {
        write_ints(f, "creaseIndices", m->crease_edges, 2 * m->n_creases);
        fputs("    int[] creaseLengths = [", f);
        for (int64_t i = 0; i < m->n_creases; i++)
            fputs(i ? ", 2" : "2", f);
        fputs("]\n", f);
        write_rows(f, "float", "creaseSharpnesses", m->crease_sharpness, m->n_creases, 1);
        fputs("\n", f);
    }
    if (m->n_corner_tags) {
        write_ints(f, "cornerIndices", m->corner_vertices, m->n_corner_tags);
        write_rows(f, "float", "cornerSharpnesses", m->corner_sharpness, m->n_corner_tags, 1);
        fputs("\n", f);
    }
    if (m->n_holes)
        write_ints(f, "holeIndices", m->hole_faces, m->n_holes);
}

/* ---- face sets --------------------------------------------------------------------------------------------------- */

/* The faces of a uniform primvar by their sets: those of set k begin at faces[first[k - 1]] and end before
 * faces[first[k]]. Returns NULL when there is no memory. */
static int32_t *sort_faces(const int32_t *sets, int64_t n_faces, int64_t n_sets, int64_t *first)
{
    int32_t *faces = first ? malloc(n_faces ? (size_t)n_faces * sizeof *faces : 1) : NULL;
    if (!faces)
        return NULL;
    memset(first, 0, (size_t)(n_sets + 2) * sizeof *first);
    for (int64_t i = 0; i < n_faces; i++)
        first[sets[i] + 1]++;
    for (int64_t k = 0; k <= n_sets; k++)
        first[k + 1] += first[k];
    for (int64_t i = 0; i < n_faces; i++)
        faces[first[sets[i]]++] = (int32_t)i;
    return faces;
}

/* The name of the prim of set k, which no other prim below the Mesh has: the set's own, when it can be the name of a
 * prim and no earlier set has it; only few sets are asked, so that this takes no time. */
#define FEW_SETS 1024
static void set_prim(const struct set_names *sets, int family, int64_t k, const char *name, char out[FILE_NAME_SIZE])
{
    const char *other = sets->text;
    bool own = sets->n <= FEW_SETS && family == 0 && strncmp(name, "set_", 4) != 0 &&
               strcmp(file_name_valid(FILE_NAME_USD, name, out), name) == 0;
    for (int64_t i = 0; i < k && own; i++, other = set_names_next(other))
        own = strcmp(other, name) != 0;
    if (!own)
        (void)snprintf(out, FILE_NAME_SIZE, "set_%d_%lld", family, (long long)k + 1);
}

/* Writes the faces of a set one by one, for want of memory. */
static void write_slowly(FILE *f, const int32_t *sets, int64_t n_faces, int32_t set)
{
    const char *between = "";
    fputs("    int[] indices = [", f);
    for (int64_t i = 0; i < n_faces; i++)
        if (sets[i] == set) {
            fprintf(f, "%s%lld", between, (long long)i);
            between = ", ";
        }
    fputs("]\n", f);
}

/* Writes the beginning of the GeomSubset of a set, up to its faces. */
static void begin_set(FILE *f, const struct primvar *p, const char *prim, const char *name)
{
    const bool materials = strcmp(p->info.name, USDA_MATERIALS) == 0, shown = strcmp(name, prim) != 0;
    fprintf(f, "\n    def GeomSubset \"%s\"%s", prim, materials || shown ? " (\n" : "\n");
    if (materials)
        fputs("        prepend apiSchemas = [\"MaterialBindingAPI\"]\n", f);
    if (shown) {
        fputs("        ", f);
        write_display_name(f, name);
    }
    fprintf(f, "%s    {\n    uniform token elementType = \"face\"\n    uniform token familyName = \"%s\"\n",
            materials || shown ? "    )\n" : "", p->info.name);
}

/* Writes the face sets of a primvar, the family of this number. */
static void write_family(FILE *f, const struct mesh *m, const struct primvar *p, int family, const char *mesh)
{
    char prim[FILE_NAME_SIZE];
    const bool materials = strcmp(p->info.name, USDA_MATERIALS) == 0;
    const char *name = p->sets.text;
    int64_t *first = malloc((size_t)(p->sets.n + 2) * sizeof *first);
    int32_t *faces = sort_faces(p->values, m->n_faces, p->sets.n, first);
    for (int64_t k = 0; k < p->sets.n; k++, name = set_names_next(name)) {
        set_prim(&p->sets, family, k, name, prim);
        begin_set(f, p, prim, name);
        if (faces)
            write_ints(f, "indices", faces + first[k], first[k + 1] - first[k]);
        else
            write_slowly(f, p->values, m->n_faces, (int32_t)k + 1);
        if (materials)
            fprintf(f, "    rel material:binding = </%s/set_materials/%s>\n", mesh, prim);
        fputs("    }\n", f);
    }
    fputs(materials ? "\n    def Scope \"set_materials\"\n    {\n" : "", f);
    name = p->sets.text;
    for (int64_t k = 0; k < p->sets.n && materials; k++, name = set_names_next(name)) {
        set_prim(&p->sets, family, k, name, prim);
        fprintf(f, "        def Material \"%s\"\n        {\n        }\n", prim);
    }
    fputs(materials ? "    }\n" : "", f);
    free(first);
    free(faces);
}

/* Writes the face sets of all primvars. Those of materials come first, so that theirs are the plain names. */
static void write_sets(FILE *f, const struct mesh *m, const char *mesh)
{
    int family = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->n_primvars; i++) {
            const struct primvar *p = &m->primvars[i];
            const bool materials = strcmp(p->info.name, USDA_MATERIALS) == 0;
            if (p->sets.n && materials == !pass && usda_primvar_name(p->info.name))
                write_family(f, m, p, family++, mesh);
        }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Writes the families' types and the transform. */
static void write_stage(FILE *f, const struct mesh *m)
{
    for (int i = 0; i < m->n_primvars; i++)
        if (m->primvars[i].sets.n && usda_primvar_name(m->primvars[i].info.name))
            fprintf(f, "    uniform token subsetFamily:%s:familyType = \"nonOverlapping\"\n", m->primvars[i].info.name);
    if (!m->stage.has_transform)
        return;
    fputs("    matrix4d xformOp:transform = (", f);
    for (int i = 0; i < 16; i++)
        fprintf(f, "%s%.17g%s", i % 4 ? ", " : i ? ", (" : "(", m->stage.transform[i], i % 4 == 3 ? ")" : "");
    fputs(")\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n", f);
}

/* Writes the metadata of the file. */
static void write_head(FILE *f, const struct mesh *m, const char *prim)
{
    fprintf(f, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"subdd control mesh\"\n", prim);
    if (m->stage.up_axis != MESH_UP_UNKNOWN)
        fprintf(f, "    upAxis = \"%s\"\n", mesh_up_axis_name(m->stage.up_axis));
    if (m->stage.meters_per_unit > 0)
        fprintf(f, "    metersPerUnit = %.17g\n", m->stage.meters_per_unit);
    fputs(")\n\n", f);
}

static void write_all(FILE *f, const struct mesh *m)
{
    char name[FILE_NAME_SIZE];
    file_name_valid(FILE_NAME_USD, *m->name ? m->name : "mesh", name);
    write_head(f, m, name);
    fprintf(f, "def Mesh \"%s\"", name);
    if (*m->name && strcmp(m->name, name) != 0) {
        fputs(" (\n    ", f);
        write_display_name(f, m->name);
        fputs(")", f);
    }
    fputs("\n{\n", f);
    write_extent(f, m);
    write_ints(f, "faceVertexCounts", m->face_counts, m->n_faces);
    write_ints(f, "faceVertexIndices", m->face_vertices, m->n_corners);
    write_rows(f, "point3f", "points", m->points, m->n_vertices, 3);
    fputs("\n", f);
    write_primvars(f, m);
    write_options(f, m);
    write_tags(f, m);
    write_stage(f, m);
    write_sets(f, m, name);
    fputs("}\n", f);
}

int mesh_to_usda(const struct mesh *m, void **out, size_t *bytes, struct text *lost, struct sdd_error *err)
{
    if (lost && m->options.scheme == SDD_SCHEME_SQRT3)
        text_puts(lost, "subdivisionScheme = sqrt3 is not USD's: other readers than subdd refine by loop\n");
    if (lost && m->options.crease_method == SDD_CREASE_CHAIKIN)
        text_puts(lost, "creaseMethod = chaikin is not USD's: other readers than subdd crease uniformly\n");
    for (int i = 0; i < m->n_primvars && lost; i++)
        if (!usda_primvar_name(m->primvars[i].info.name))
            text_printf(lost, "the primvar %s is not carried: USD cannot have one of that name\n",
                        m->primvars[i].info.name);
    mesh_ids_lost(m, lost);
    return mesh_to_text(m, write_all, out, bytes, err);
}
