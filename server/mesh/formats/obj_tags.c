/* SPDX-License-Identifier: Apache-2.0 */
/* obj_tags.c: reads OpenSubdiv's tag lines in an OBJ file, for obj.c. A line is "t NAME ints/floats/strings" and then
 * as many of each; vertices and faces are counted from 0.
 *
 *   crease  2/1/0 a b s        also n/1/0 with even n for n/2 edges, as OpenSubdiv reads it, and n/(n-1)/0 for a chain
 *   corner  n/1/0 or n/n/0     hole n/0/0
 *   interpolateboundary 1/0/0  0 none, 1 edge and corner, 2 edge only
 *   facevaryinginterpolateboundary 1/0/0  0 none, 1 corners only, 2 plus1, 3 plus2, 4 boundaries, 5 all
 *   creasemethod 0/0/1 normal|chaikin     smoothtriangles 0/0/1 catmark|smooth     facevaryingpropagatecorners 1/0/0 0
 * n/1/0 with an odd n above 1 is refused, because some programs read it as a chain, while OpenSubdiv reads pairs and
 * drops the last vertex. */
#include "server/mesh/formats/obj_tags.h"
#include "server/base/chars.h"
#include <math.h>
#include <string.h>

struct tag {
    const char *name;
    int (*read)(struct obj_reader *r, const struct tag *tag);
    int option;            /* The row of sdd_option_table that the tag sets. */
    const char *values[7]; /* The words that the file may have, when `words` is set. */
    const char *tokens[7]; /* The token of the option for each word, or for each of the numbers 0, 1, 2 and so on. */
    bool words;            /* The file names the value by a word, not by a number. */
};

static int append(struct obj_reader *r, struct words *to, const struct words *from, int64_t first, int64_t n)
{
    int rc = obj_room(r, to, n);
    if (rc)
        return rc;
    if (n)
        memcpy(to->i + to->n, from->i + first, (size_t)n * 4);
    to->n += n;
    return SDD_OK;
}

/* Appends the floats of the line, which are n, or n copies when there is only one. */
static int append_sharpness(struct obj_reader *r, struct words *to, int64_t n)
{
    int rc = SDD_OK;
    for (int64_t i = 0; i < n && !rc; i++)
        rc = append(r, to, &r->floats, r->floats.n == 1 ? 0 : i, 1);
    return rc;
}

static int bad_counts(struct obj_reader *r, const struct tag *tag)
{
    return obj_fail(r, r->line, SDD_EMALFORMED, "%s with %lld integers and %lld floats cannot be read", tag->name,
                    (long long)r->ints.n, (long long)r->floats.n);
}

static int read_crease(struct obj_reader *r, const struct tag *tag)
{
    int64_t n = r->ints.n, floats = r->floats.n;
    bool chain = n > 2 && floats == n - 1;
    int rc = SDD_OK;
    if (!chain && (n < 2 || n % 2 || floats != 1))
        return bad_counts(r, tag);
    int64_t edges = chain ? n - 1 : n / 2;
    for (int64_t i = 0; i < edges && !rc; i++)
        rc = append(r, &r->crease_edges, &r->ints, chain ? i : 2 * i, 2);
    return rc ? rc : append_sharpness(r, &r->crease_sharpness, edges);
}

static int read_corner(struct obj_reader *r, const struct tag *tag)
{
    if (r->floats.n != 1 && r->floats.n != r->ints.n)
        return bad_counts(r, tag);
    int rc = append(r, &r->corner_vertices, &r->ints, 0, r->ints.n);
    return rc ? rc : append_sharpness(r, &r->corner_sharpness, r->ints.n);
}

static int read_hole(struct obj_reader *r, const struct tag *tag)
{
    return r->floats.n ? bad_counts(r, tag) : append(r, &r->holes, &r->ints, 0, r->ints.n);
}

/* Sets an option that the line names by a number or by a word. */
static int read_option(struct obj_reader *r, const struct tag *tag)
{
    char shown[CHARS_SHOW_SIZE];
    size_t n = 0;
    const char *word = "";
    if (tag->words)
        word = obj_word(r, &n);
    if (r->ints.n != !tag->words || r->floats.n)
        return bad_counts(r, tag);
    for (int i = 0; tag->tokens[i]; i++) {
        bool same =
            tag->words ? strlen(tag->values[i]) == n && memcmp(tag->values[i], word, n) == 0 : r->ints.i[0] == i;
        if (same)
            return sdd_option_set(&r->options, sdd_option_table[tag->option].name, tag->tokens[i], r->err);
    }
    if (!tag->words)
        return obj_fail(r, r->line, SDD_EINVALID, "%s has no value %d", tag->name, r->ints.i[0]);
    return obj_fail(r, r->line, SDD_EINVALID, "%s has no value \"%s\"", tag->name, chars_show(word, n, shown));
}

static int read_propagate(struct obj_reader *r, const struct tag *tag)
{
    if (r->ints.n != 1 || r->floats.n)
        return bad_counts(r, tag);
    if (r->ints.i[0] == 0)
        return SDD_OK;
    return obj_fail(r, r->line, SDD_EUNSUPPORTED, "facevaryingpropagatecorners is not built");
}

enum { BOUNDARY = 1, FVAR, TRIANGLES, CREASES };
static const struct tag tags[] = {
    {.name = "crease", .read = read_crease},
    {.name = "corner", .read = read_corner},
    {.name = "hole", .read = read_hole},
    {.name = "interpolateboundary",
     .read = read_option,
     .option = BOUNDARY,
     .tokens = {"none", "edgeAndCorner", "edgeOnly"}},
    {.name = "facevaryinginterpolateboundary",
     .read = read_option,
     .option = FVAR,
     .tokens = {"none", "cornersOnly", "cornersPlus1", "cornersPlus2", "boundaries", "all"}},
    {.name = "creasemethod",
     .read = read_option,
     .option = CREASES,
     .words = true,
     .values = {"normal", "chaikin"},
     .tokens = {"uniform", "chaikin"}},
    {.name = "smoothtriangles",
     .read = read_option,
     .option = TRIANGLES,
     .words = true,
     .values = {"catmark", "smooth"},
     .tokens = {"catmullClark", "smooth"}},
    {.name = "facevaryingpropagatecorners", .read = read_propagate},
};
/* OpenSubdiv's hierarchical edits, which subdd does not have. */
static const char *const edits[] = {"vertexedit", "edgeedit", "faceedit"};

static bool is_edit(const char *word, size_t bytes)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (strlen(edits[i]) == bytes && memcmp(edits[i], word, bytes) == 0)
            return true;
    return false;
}

/* Reads the three counts of a tag line, for example 2/1/0. */
static int read_counts(struct obj_reader *r, int64_t n[3])
{
    char shown[CHARS_SHOW_SIZE];
    size_t bytes;
    const char *word = obj_word(r, &bytes), *p = word, *end = word + bytes;
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++) {
        ok = chars_i64(&p, end, &n[i]) == 1 && n[i] >= 0 && n[i] <= r->bytes;
        if (ok && i < 2)
            ok = p < end && *p++ == '/';
    }
    if (ok && p == end)
        return SDD_OK;
    return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" where a tag's counts (ints/floats/strings) are wanted",
                    chars_show(word, bytes, shown));
}

/* Reads a number of the line. One that is not finite is left to mesh_build, which knows what becomes of the tag. */
static int read_number(struct obj_reader *r)
{
    size_t bytes;
    int rc = obj_room(r, &r->floats, 1);
    if (rc)
        return rc;
    float *out = &r->floats.f[r->floats.n++];
    if (!obj_space(r) || !obj_not_finite(r))
        return obj_float(r, "a tag's number", "obj", out);
    *out = NAN;
    (void)obj_word(r, &bytes);
    return SDD_OK;
}

int obj_tag(struct obj_reader *r)
{
    char shown[CHARS_SHOW_SIZE];
    size_t bytes;
    int64_t n[3], line = r->line;
    const struct tag *tag = NULL;
    const char *word = obj_word(r, &bytes);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strlen(tags[i].name) == bytes && memcmp(tags[i].name, word, bytes) == 0)
            tag = &tags[i];
    if (!tag && is_edit(word, bytes))
        return obj_fail(r, line, SDD_EUNSUPPORTED, "the tag \"%s\" is not built", chars_show(word, bytes, shown));
    if (!tag) {
        obj_lose(&r->lost, OBJ_LOSS_TAGS, "line %lld: the tag \"%s\" is not known and skipped", (long long)line,
                 chars_show(word, bytes, shown));
        obj_skip_line(r);
        return SDD_OK;
    }
    int rc = read_counts(r, n);
    if (rc)
        return rc;
    if (n[2] != tag->words)
        return obj_fail(r, line, SDD_EMALFORMED, "%s wants %d strings", tag->name, tag->words);
    r->ints.n = r->floats.n = 0;
    for (int64_t i = 0; i < n[0] && !rc; i++) {
        rc = obj_room(r, &r->ints, 1);
        if (!rc)
            rc = obj_int(r, "a tag's integer", &r->ints.i[r->ints.n]);
        r->ints.n++;
    }
    for (int64_t i = 0; i < n[1] && !rc; i++)
        rc = read_number(r);
    return rc ? rc : tag->read(r, tag);
}
