/* SPDX-License-Identifier: Apache-2.0 */
/* Two changes of one mesh, put together: random edits by two people on a mesh with creases, UVs with a seam and
 * primvars of every class. The witness writes a mesh as a set of lines, a fact in each, and puts sets together. */
#include "server/mesh/merge.h"
#include "server/mesh/edits/edits.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SIDE = 9, ROUNDS = 3000 };

static unsigned seed = 1;
static int below(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (unsigned)n);
}

/* ---- the mesh ---- */
static void numbers(struct text *t, const char *name, int n, int of)
{
    text_printf(t, ",\"%s\":[", name);
    for (int i = 0; i < n; i++)
        text_printf(t, "%s%d", i ? "," : "", i % of);
    text_puts(t, "]");
}

/* A grid of quads. Its UVs have a seam along the middle, and the faceVarying primvar has one value for each face. */
static struct mesh *grid(void)
{
    struct text t = {0};
    const int n = SIDE, v = (n + 1) * (n + 1), f = n * n;
    text_puts(&t, "{\"options\":{},\"points\":[");
    for (int i = 0; i < v; i++)
        text_printf(&t, "%s%d,%d,0", i ? "," : "", i % (n + 1), i / (n + 1));
    text_puts(&t, "],\"faceVertexCounts\":[");
    for (int i = 0; i < f; i++)
        text_puts(&t, i ? ",4" : "4");
    text_puts(&t, "],\"faceVertexIndices\":[");
    for (int i = 0; i < f; i++) {
        const int a = i / n * (n + 1) + i % n;
        text_printf(&t, "%s%d,%d,%d,%d", i ? "," : "", a, a + 1, a + n + 2, a + n + 1);
    }
    text_puts(&t, "],\"creaseIndices\":[11,12,23,34],\"creaseLengths\":[2,2],\"creaseSharpnesses\":[2,3],"
                  "\"cornerIndices\":[0,45],"
                  "\"cornerSharpnesses\":[1,10],\"holeIndices\":[7,40]");
    numbers(&t, "st", 4 * v, 97);
    text_puts(&t, ",\"stIndices\":[");
    for (int i = 0; i < f; i++) {
        const int a = i / n * (n + 1) + i % n, more = i % n > n / 2 ? v : 0;
        text_printf(&t, "%s%d,%d,%d,%d", i ? "," : "", a + more, a + 1 + more, a + n + 2 + more, a + n + 1 + more);
    }
    text_puts(&t, "],\"primvars\":[{\"name\":\"whole\",\"interpolation\":\"constant\",\"width\":2,\"values\":[1,2]},"
                  "{\"name\":\"mat\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"width\":1");
    numbers(&t, "values", f, 5);
    text_puts(&t, "},{\"name\":\"heat\",\"interpolation\":\"vertex\",\"width\":1");
    numbers(&t, "values", v, 31);
    text_puts(&t, "},{\"name\":\"col\",\"interpolation\":\"faceVarying\",\"width\":1");
    numbers(&t, "values", f, 1000);
    text_puts(&t, ",\"indices\":[");
    for (int i = 0; i < 4 * f; i++)
        text_printf(&t, "%s%d", i ? "," : "", i / 4);
    text_puts(&t, "]}]}");
    struct mesh *m = sample_json(t.data);
    text_free(&t);
    return m;
}

/* ---- random edits ---- */
static void edit_faces(struct text *t, const struct mesh *m)
{
    const int f = below((int)m->n_faces), id = m->face_ids[f];
    int first = 0;
    for (int i = 0; i < f; i++)
        first += m->face_counts[i];
    const int32_t *corner = m->face_vertices + first, a = m->vertex_ids[corner[0]], b = m->vertex_ids[corner[1]];
    switch (below(6)) {
    case 0: text_printf(t, "{\"removeFaces\":{\"ids\":[%d]}}", id); break;
    case 1: text_printf(t, "{\"setHoles\":{\"ids\":[%d],\"hole\":%s}}", id, below(2) ? "true" : "false"); break;
    case 2: text_printf(t, "{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[%d]}}", a, b, below(4)); break;
    case 3: text_printf(t, "{\"setPrimvar\":{\"name\":\"mat\",\"ids\":[%d],\"values\":[%d]}}", id, below(9)); break;
    case 4:
        text_printf(t, "{\"setUvs\":{\"ids\":[%d],\"st\":[", id);
        for (int k = 0; k < m->face_counts[f]; k++)
            text_printf(t, "%s%d,%d", k ? "," : "", below(3), below(3));
        text_puts(t, "]}}");
        break;
    default:
        text_printf(t,
                    "{\"addVertices\":{\"points\":[%d,9,9]}},{\"addFaces\":{\"faceVertexCounts\":[3],"
                    "\"faceVertexIndices\":[%d,%d,-1],\"st\":[1,1,2,2,3,3]}}",
                    below(50), b, a);
    }
}

static void edit_vertices(struct text *t, const struct mesh *m)
{
    const int id = m->vertex_ids[below((int)m->n_vertices)];
    switch (below(3)) {
    case 0: text_printf(t, "{\"setPositions\":{\"ids\":[%d],\"points\":[%d,%d,5]}}", id, below(9), below(9)); break;
    case 1: text_printf(t, "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[%d]}}", id, below(5)); break;
    default: text_printf(t, "{\"setPrimvar\":{\"name\":\"heat\",\"ids\":[%d],\"values\":[%d]}}", id, below(99));
    }
}

static void edit_whole(struct text *t, int who)
{
    switch (below(4)) {
    case 0: text_puts(t, "{\"removePrimvar\":{\"name\":\"heat\"}}"); break;
    case 1: text_printf(t, "{\"setPrimvar\":{\"name\":\"whole\",\"values\":[%d,%d]}}", below(9), below(9)); break;
    case 2: text_puts(t, "{\"removePrimvar\":{\"name\":\"col\"}}"); break;
    default:
        text_printf(
            t, "{\"putPrimvar\":{\"name\":\"new%d\",\"interpolation\":\"constant\",\"width\":1,\"values\":[3]}}", who);
    }
}

/* What one person makes of the mesh, or NULL when the edits do not go together. */
static struct mesh *edited(const struct mesh *m, int who, struct edit_batch **batch)
{
    struct text t = {0};
    struct edit_result r;
    struct sdd_error err = {0};
    const int n = 1 + below(4);
    text_puts(&t, "{\"edits\":[");
    for (int i = 0; i < n; i++) {
        text_puts(&t, i ? "," : "");
        if (below(12) == 0)
            edit_whole(&t, who);
        else
            (below(2) ? edit_faces : edit_vertices)(&t, m);
    }
    text_puts(&t, "]}");
    *batch = sample_edits(t.data);
    text_free(&t);
    if (edits_apply(m, *batch, &r, &err))
        return NULL;
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

/* ---- the witness ---- */
struct facts {
    int n;
    char *line[20000];
};
static struct facts sets[4]; /* Of the base, mine, theirs, and the merged mesh. */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void __attribute__((format(printf, 2, 3))) fact(struct facts *f, const char *format, ...)
{
    char line[600];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    assert_true(f->n < (int)(sizeof f->line / sizeof *f->line));
    f->line[f->n++] = strdup(line);
}

static void write_row(char *out, size_t room, const struct mesh_layer *l, int64_t row)
{
    size_t at = 0;
    for (int k = 0; k < l->info.width; k++) {
        const char *word = l->values + 4 * (row * l->info.width + k);
        float x;
        int32_t i;
        memcpy(&x, word, 4);
        memcpy(&i, word, 4);
        at += (size_t)(l->info.type == PRIMVAR_I32 ? snprintf(out + at, room - at, " %d", i)
                                                   : snprintf(out + at, room - at, " %a", (double)x));
    }
}

/* The corners that share a value at a vertex are a fact: a line for each pair of faces that do. */
static void corner_facts(struct facts *f, const struct mesh *m, const struct mesh_layer *l)
{
    char row[400];
    int64_t c = 0;
    int32_t *face_of = malloc((size_t)m->n_corners * sizeof *face_of);
    for (int64_t i = 0; i < m->n_faces; i++)
        for (int32_t k = 0; k < m->face_counts[i]; k++, c++) {
            face_of[c] = m->face_ids[i];
            write_row(row, sizeof row, l, l->indices[c]);
            fact(f, "value %s f%d.%d%s", l->info.name, m->face_ids[i], k, row);
        }
    for (int64_t a = 0; a < m->n_corners; a++)
        for (int64_t b = 0; b < a; b++)
            if (l->indices[a] == l->indices[b] && m->face_vertices[a] == m->face_vertices[b])
                fact(f, "shared %s v%d f%d f%d", l->info.name, m->vertex_ids[m->face_vertices[a]],
                     face_of[a] < face_of[b] ? face_of[a] : face_of[b],
                     face_of[a] < face_of[b] ? face_of[b] : face_of[a]);
    free(face_of);
}

static void layer_facts(struct facts *f, const struct mesh *m, const struct mesh_layer *l)
{
    char row[400];
    const bool faces = l->info.interpolation == SDD_UNIFORM;
    fact(f, "layer %s %d %d %d", l->info.name, l->info.interpolation, l->info.type, l->info.width);
    if (l->indices) {
        corner_facts(f, m, l);
        return;
    }
    for (int64_t i = 0; i < l->info.n_values; i++) {
        write_row(row, sizeof row, l, i);
        const int id = l->info.interpolation == SDD_CONSTANT ? 0 : faces ? m->face_ids[i] : m->vertex_ids[i];
        fact(f, "value %s %d%s", l->info.name, id, row);
    }
}

static void facts_of(struct facts *f, const struct mesh *m)
{
    struct mesh_layer layers[MESH_LAYERS];
    const int n = mesh_layers(m, layers);
    int64_t corner = 0;
    for (int64_t i = 0; i < m->n_vertices; i++)
        fact(f, "v%d %a %a %a", m->vertex_ids[i], (double)m->points[3 * i], (double)m->points[3 * i + 1],
             (double)m->points[3 * i + 2]);
    for (int64_t i = 0; i < m->n_faces; i++) {
        char list[200];
        size_t at = 0;
        for (int32_t k = 0; k < m->face_counts[i]; k++)
            at += (size_t)snprintf(list + at, sizeof list - at, " %d", m->vertex_ids[m->face_vertices[corner++]]);
        fact(f, "f%d%s", m->face_ids[i], list);
    }
    for (int64_t i = 0; i < m->n_creases; i++) {
        const int a = m->vertex_ids[m->crease_edges[2 * i]], b = m->vertex_ids[m->crease_edges[2 * i + 1]];
        fact(f, "crease %d %d %a", a < b ? a : b, a < b ? b : a, (double)m->crease_sharpness[i]);
    }
    for (int64_t i = 0; i < m->n_corner_tags; i++)
        fact(f, "corner %d %a", m->vertex_ids[m->corner_vertices[i]], (double)m->corner_sharpness[i]);
    for (int64_t i = 0; i < m->n_holes; i++)
        fact(f, "hole %d", m->face_ids[m->hole_faces[i]]);
    for (int i = 0; i < n; i++)
        layer_facts(f, m, &layers[i]);
    qsort(f->line, (size_t)f->n, sizeof *f->line, compare_lines);
}

static bool has(const struct facts *f, char *line)
{
    return bsearch(&line, f->line, (size_t)f->n, sizeof *f->line, compare_lines);
}

/* Values that elements get without anybody setting them: zeros of a primvar that only the other one knows. */
static bool is_zeros(const char *line)
{
    const char *value = strchr(line + 6, ' ');
    if (strncmp(line, "shared ", 7) == 0)
        return false;
    return strncmp(line, "value ", 6) == 0 && value && (value = strchr(value + 1, ' ')) &&
           strspn(value, " 0x.p+") == strlen(value);
}

/* A fact of a primvar that one of the two removed, or put anew. */
static bool is_of_gone_layer(const struct facts *f, const char *line)
{
    char want[120];
    const char *name = strncmp(line, "value ", 6) == 0 ? line + 6 : strncmp(line, "shared ", 7) == 0 ? line + 7 : NULL;
    if (!name)
        return false;
    const int n = snprintf(want, sizeof want, "layer %.*s ", (int)strcspn(name, " "), name);
    for (int i = 0; i < f->n; i++)
        if (strncmp(f->line[i], want, (size_t)n) == 0)
            return false;
    return true;
}

/* Is the merged mesh theirs without what mine took away, and with what mine added? */
static void check_facts(int round)
{
    const struct facts *base = &sets[0], *mine = &sets[1], *theirs = &sets[2], *merged = &sets[3];
    for (int i = 0; i < merged->n; i++) {
        char *line = merged->line[i];
        const bool right =
            has(mine, line) ? !has(base, line) || has(theirs, line) : has(theirs, line) && !has(base, line);
        if (!right && !is_zeros(line))
            fail_msg("round %d: %s should not be there", round, line);
    }
    for (int i = 0; i < theirs->n; i++)
        if (!(has(base, theirs->line[i]) && !has(mine, theirs->line[i])) && !has(merged, theirs->line[i]) &&
            !is_of_gone_layer(merged, theirs->line[i]))
            fail_msg("round %d: %s of theirs is missing", round, theirs->line[i]);
    for (int i = 0; i < mine->n; i++)
        if (!has(base, mine->line[i]) && !has(merged, mine->line[i]) && !is_of_gone_layer(merged, mine->line[i]))
            fail_msg("round %d: %s of mine is missing", round, mine->line[i]);
}

static void clear_facts(void)
{
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < sets[k].n; i++)
            free(sets[k].line[i]);
        sets[k].n = 0;
    }
}

static bool meets(const struct mesh *base, struct mesh_change mine, struct mesh_change theirs)
{
    struct mesh_meeting meeting;
    struct sdd_error err = {0};
    assert_int_equal(mesh_changes_meet(base, mine, NULL, false, theirs, &meeting, &err), SDD_OK);
    return mesh_meeting_is(&meeting);
}

/* One round: two people change the mesh. Returns whether their changes could be put together. */
static bool round_of(struct mesh *base, int round)
{
    struct edit_batch *batch[2];
    struct mesh_changes changes[2];
    struct sdd_error err = {0};
    struct mesh *merged = NULL, *mine = edited(base, 0, &batch[0]);
    const int64_t next[2] = {base->next_vertex_id, base->next_face_id};
    base->next_vertex_id += 50; /* Two people's new elements have different ids. */
    base->next_face_id += 50;
    struct mesh *theirs = edited(base, 1, &batch[1]);
    base->next_vertex_id = next[0];
    base->next_face_id = next[1];
    bool apart = false;
    if (mine && theirs) {
        assert_int_equal(mesh_changes_find(base, mine, &changes[0], &err), SDD_OK);
        assert_int_equal(mesh_changes_find(base, theirs, &changes[1], &err), SDD_OK);
        apart = !meets(base, (struct mesh_change){mine, &changes[0]}, (struct mesh_change){theirs, &changes[1]});
        if (apart) {
            if (mesh_merge((struct mesh_change){mine, &changes[0]}, theirs, &merged, &err))
                fail_msg("round %d: %s", round, err.text);
            facts_of(&sets[0], base);
            facts_of(&sets[1], mine);
            facts_of(&sets[2], theirs);
            facts_of(&sets[3], merged);
            check_facts(round);
            clear_facts();
            mesh_free(merged);
        }
        mesh_changes_fini(&changes[0]);
        mesh_changes_fini(&changes[1]);
    }
    mesh_free(mine);
    mesh_free(theirs);
    edit_batch_free(batch[0]);
    edit_batch_free(batch[1]);
    return apart;
}

static void test_random(void **state)
{
    struct mesh *base = grid();
    int apart = 0;
    (void)state;
    for (int i = 0; i < ROUNDS; i++)
        apart += round_of(base, i);
    print_message("%d of %d pairs of changes were apart\n", apart, ROUNDS);
    assert_true(apart > ROUNDS / 8 && apart < ROUNDS);
    mesh_free(base);
}

/* The way back of each change, put onto what it made, gives the mesh before it, to the byte. */
static void test_back(void **state)
{
    struct mesh *base = grid();
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct edit_batch *batch;
        struct mesh_changes back;
        struct sdd_error err = {0};
        struct mesh *to = edited(base, 0, &batch), *again;
        edit_batch_free(batch);
        if (!to)
            continue;
        assert_int_equal(mesh_changes_find(to, base, &back, &err), SDD_OK);
        assert_int_equal(mesh_merge((struct mesh_change){base, &back}, to, &again, &err), SDD_OK);
        facts_of(&sets[0], base);
        facts_of(&sets[1], again);
        for (int k = 0; k < sets[0].n && k < sets[1].n; k++)
            assert_string_equal(sets[0].line[k], sets[1].line[k]);
        assert_int_equal(sets[0].n, sets[1].n);
        clear_facts();
        assert_memory_equal(base->vertex_ids, again->vertex_ids, (size_t)base->n_vertices * 4);
        assert_memory_equal(base->face_vertices, again->face_vertices, (size_t)base->n_corners * 4);
        mesh_changes_fini(&back);
        mesh_free(again);
        mesh_free(to);
    }
    mesh_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
