/* SPDX-License-Identifier: Apache-2.0 */
/* cli_many.c: refines several files, or the frames of a sequence, into a file each. All that can be found wrong with
 * their names is found before anything is sent; after that one that fails does not stop the rest. */
#include "cli.h"
#include "proto/files/names.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One result: the mesh of a file, or the mesh of all in the pose of a file. */
struct part {
    char *file, *output;
};
struct parts {
    struct part *rows;
    int64_t n;
};

static void parts_free(struct parts *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        free(p->rows[i].file);
        free(p->rows[i].output);
    }
    free(p->rows);
}

/* ---- sequences -------------------------------------------------------------------------------------------------- */

/* Reads a number of at most nine digits. Returns what follows it, or NULL. */
static const char *digits(const char *text, int64_t *n)
{
    const size_t length = strspn(text, "0123456789");
    *n = 0;
    for (size_t i = 0; i < length && i < 10; i++)
        *n = *n * 10 + (text[i] - '0');
    return length >= 1 && length <= 9 ? text + length : NULL;
}

int cli_frame_range(const char *text, int64_t *first, int64_t *last)
{
    const char *end = digits(text, first);
    *last = *first;
    if (end && *end == '-')
        end = digits(end + 1, last);
    return end && !*end && *first <= *last && *last - *first < CLI_MOST_FILES;
}

/* Finds the one %0Nd of a pattern. It is read here and never goes to printf, because it comes from outside. Returns 0
 * when the pattern has none, another %, or several. */
static int find_number(const char *pattern, size_t *at, int *width)
{
    const char *p = strchr(pattern, '%');
    if (!p || p[1] != '0' || p[2] < '1' || p[2] > '9' || p[3] != 'd' || strchr(p + 1, '%'))
        return 0;
    *at = (size_t)(p - pattern);
    *width = p[2] - '0';
    return 1;
}

static int check_pattern(const struct cli *c, const char *option, const char *pattern)
{
    size_t at;
    int width;
    return find_number(pattern, &at, &width)
               ? -1
               : cli_fail(c, EXIT_USAGE,
                          "with --frames, %s has exactly one %%0Nd for the number of the frame, as in shot.%%04d.obj, "
                          "which \"%.100s\" has not",
                          option, pattern);
}

static char *frame_name(const char *pattern, int64_t frame)
{
    char *name = NULL;
    size_t at;
    int width;
    if (!find_number(pattern, &at, &width) ||
        asprintf(&name, "%.*s%0*lld%s", (int)at, pattern, width, (long long)frame, pattern + at + 4) < 0)
        return NULL;
    return name;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* DIR/STEM.SUFFIX of a file, or of an id. */
static char *name_in(const char *folder, const char *file, const char *suffix)
{
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file, *dot = strrchr(base, '.');
    char *name = NULL;
    const int stem = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return asprintf(&name, "%s/%.*s.%s", folder, stem, base, suffix) < 0 ? NULL : name;
}

static int make_parts(struct cli *c, struct parts *p)
{
    const char *suffix = c->format ? c->format : "obj";
    const int64_t n = c->frames ? c->last_frame - c->first_frame + 1 : c->n_args;
    if (!(p->rows = calloc((size_t)n, sizeof *p->rows)))
        return cli_fail(c, EXIT_LOCAL, "no memory");
    for (p->n = 0; p->n < n; p->n++) {
        struct part *row = &p->rows[p->n];
        const int64_t frame = c->first_frame + p->n;
        row->file = c->frames ? frame_name(c->pose, frame) : strdup(c->args[p->n]);
        if (row->file)
            row->output = c->out_dir ? name_in(c->out_dir, row->file, suffix) : frame_name(c->output, frame);
        if (!row->output) {
            p->n++;
            return cli_fail(c, EXIT_LOCAL, "no memory");
        }
    }
    return -1;
}

/* Is the output one of the files that are read? Both may be reached by several names. */
static int is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* No result may be lost below another, and no file below a result. */
static int check_names(const struct cli *c, const struct parts *p)
{
    struct surface_names taken = {0};
    int code = -1;
    for (int64_t i = 0; i < p->n && code < 0; i++) {
        const struct part *row = &p->rows[i];
        if (!surface_name_is_free(&taken, row->output))
            code = cli_fail(c, EXIT_USAGE, "two files would both become %s; refine them into folders of their own",
                            row->output);
        else if (is_same_file(row->file, row->output))
            code = cli_fail(c, EXIT_USAGE,
                            "%s would be written over what it is made from; take another --out-dir or -o", row->file);
        surface_name_take(&taken, row->output);
    }
    surface_names_free(&taken);
    return code;
}

static int check_gaps(const struct cli *c, const struct parts *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        const char *why;
        long long frame;
        if (access(p->rows[i].file, R_OK) == 0)
            continue;
        why = strerror(errno);
        frame = c->first_frame + i;
        return cli_fail(
            c, EXIT_FILE,
            "frame %lld of %s is missing: %s: %s. Nothing was sent; make that file, or ask with --frames for "
            "frames that are there",
            frame, c->frames, p->rows[i].file, why);
    }
    return -1;
}

static int check_usage(struct cli *c)
{
    int code = -1;
    if (!c->frames && c->n_args == 0)
        return cli_fail(c, EXIT_USAGE, "`subd refine` takes MESH|FILE...; see `subd help refine`");
    if (!c->frames && !c->out_dir)
        return cli_fail(c, EXIT_USAGE, "several files need --out-dir DIR, where each result goes");
    if (c->out_dir && c->output)
        return cli_fail(c, EXIT_USAGE, "-o and --out-dir both say where results go; take one of them");
    if (!c->frames && c->pose)
        return cli_fail(c, EXIT_USAGE, "--pose goes with one mesh and -o, or with --frames");
    if (c->frames && (!c->pose || c->n_args > 1))
        return cli_fail(c, EXIT_USAGE, "--frames goes with --pose PATTERN and at most one MESH|FILE");
    if (c->frames && !c->out_dir && !c->output)
        return cli_fail(c, EXIT_USAGE, "--frames needs -o PATTERN or --out-dir DIR, where each frame goes");
    if (c->frames)
        code = check_pattern(c, "--pose", c->pose);
    if (code < 0 && c->frames && !c->out_dir)
        code = check_pattern(c, "-o", c->output);
    for (int i = 0; i < c->n_args && code < 0; i++)
        if (!c->frames && strcmp(c->args[i], "-") == 0)
            code = cli_fail(c, EXIT_USAGE, "stdin has no name that --out-dir could use; take -o");
    return code;
}

/* ---- work ------------------------------------------------------------------------------------------------------- */

static int one(struct cli *c, const struct cli_product *p, const struct part *part)
{
    const char *file = part->file;
    char *data = NULL;
    int code = -1;
    cli_about(file);
    c->output = part->output;
    if (c->frames) {
        c->pose = file;
        code = cli_read_body(c, file, &c->pose_body, &data);
    } else
        c->args = &file;
    if (code < 0)
        code = cli_fetch(c, p);
    free(data);
    cli_about(NULL);
    return code;
}

/* Returns the exit code of the first failure. Once the server is gone, or somebody wants to stop, nothing else would
 * come of the rest. */
static int all(struct cli *c, const struct cli_product *p, const struct parts *parts, int64_t *failed)
{
    int first = EXIT_DONE, code = EXIT_DONE;
    for (int64_t i = 0; i < parts->n; i++) {
        cli_progress_part(i + 1, parts->n, parts->rows[i].file);
        if (code != EXIT_NETWORK && code != EXIT_STOPPED)
            code = cli_stopped() ? EXIT_STOPPED : one(c, p, &parts->rows[i]);
        *failed += code != EXIT_DONE;
        first = first == EXIT_DONE ? code : first;
    }
    cli_progress_part(0, 0, NULL);
    return code == EXIT_STOPPED ? EXIT_STOPPED : first;
}

static int report(struct cli *c, const struct parts *parts, int64_t failed, double seconds, int code)
{
    cJSON *o;
    if (!c->json) {
        printf("%s of %s refined to level %d in %s\n", cli_count(parts->n - failed), cli_count(parts->n), c->level,
               cli_seconds(seconds));
        return code;
    }
    o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "results", c->results);
    c->results = NULL;
    cJSON_AddNumberToObject(o, "refined", (double)(parts->n - failed));
    cJSON_AddNumberToObject(o, "failed", (double)failed);
    cJSON_AddNumberToObject(o, "seconds", seconds);
    failed = cli_print_json(c, o);
    return code == EXIT_DONE ? (int)failed : code;
}

static int work(struct cli *c, const struct cli_product *p, const struct parts *parts)
{
    const double start = cli_now();
    int64_t failed = 0;
    int code, temporary = 0;
    c->has_mesh = c->frames != NULL;
    if (c->has_mesh && (code = cli_mesh_begin(c, c->n_args ? c->args[0] : parts->rows[0].file, &temporary)) >= 0)
        return code;
    c->many = 1;
    c->results = c->json ? cJSON_CreateArray() : NULL;
    code = all(c, p, parts, &failed);
    cli_progress_clear();
    if (c->has_mesh)
        code = cli_mesh_end(c, temporary, code);
    return report(c, parts, failed, cli_now() - start, code);
}

static int make_folder(const struct cli *c)
{
    struct stat st;
    if (mkdir(c->out_dir, 0777) == 0)
        return -1;
    if (errno != EEXIST)
        return cli_fail(c, EXIT_FILE, "the folder %s cannot be made: %s", c->out_dir, strerror(errno));
    return stat(c->out_dir, &st) == 0 && S_ISDIR(st.st_mode) ? -1
                                                             : cli_fail(c, EXIT_FILE, "%s is no folder", c->out_dir);
}

int cli_fetch_many(struct cli *c, const struct cli_product *p)
{
    struct parts parts = {0};
    int format, code = check_usage(c);
    if (code < 0)
        code = make_parts(c, &parts);
    if (code < 0)
        code = check_names(c, &parts);
    if (code < 0 && c->frames)
        code = check_gaps(c, &parts);
    if (code < 0) {
        c->output = parts.rows[0].output;
        code = cli_choose_format(c, p, &format);
    }
    if (code < 0 && c->out_dir)
        code = make_folder(c);
    if (code < 0)
        code = work(c, p, &parts);
    parts_free(&parts);
    return code;
}
