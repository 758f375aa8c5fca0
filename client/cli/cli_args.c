/* SPDX-License-Identifier: Apache-2.0 */
/* cli_args.c: the table of verbs and the table of options of the command line; parsing and --help follow from them. */
#include "cli.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { /* Each verb is a bit, so that an option can say which verbs take it. */
       PUSH = 1,
       REFINE = 2,
       POSITIONS = 4,
       EDIT = 8,
       LS = 16,
       SHOW = 32,
       RM = 64,
       PULL = 128,
       PLAN = 256,
       STAT = 512,
       HEALTH = 1024,
       BENCH = 2048,
       PATCHES = 4096,
       MATRIX = 8192,
       ALL = 16383,
       FRAME = REFINE | PATCHES,
       MESH = PUSH | FRAME | BENCH | MATRIX
};

static const struct verb {
    int bit;
    const char *name, *arguments;
    int n_arguments;
    int (*run)(struct cli *);
    const char *summary, *more;
} verbs[] = {
    {PUSH, "push", "FILE", 1, cli_push, "sends a mesh, prints its id",
     "FILE is OBJ with OpenSubdiv's tags (t crease, t corner, ...), .usda with one Mesh, or .json or .pb (a Mesh of\n"
     "subdd.proto); - reads OBJ from stdin. What of a .usda is not kept is named on stderr."},
    {REFINE, "refine", "ID|FILE", 1, cli_refine, "refines a mesh into .obj, .ply, .usda, .glb, .stl or .frame",
     "A FILE is pushed, refined and removed again. -o - writes OBJ to stdout; without -o the frame is fetched, checked "
     "and counted.\n"
     "OUT.frame is what the daemon sent. What the format cannot carry (all: tangents; .stl: normals of vertices and "
     "UVs; .glb and .stl: quads) is "
     "named on stderr.\n"
     "UVs come along, under sqrt3 where the mesh's face-varying interpolation is `all`; .usda has all primvars, .ply "
     "vertex,\nvarying and uniform ones, .glb vertex and varying ones of up to four numbers."},
    {PATCHES, "patches", "ID|FILE", 1, cli_patches, "the surface as B-spline patches and the faces that are none",
     "Splits around irregular vertices and semi-sharp creases down to --level (1 to 10); what is regular stays whole. "
     "OUT.obj has\n"
     "B-spline surfaces and faces, OUT.frame what the daemon sent. A FILE is pushed, asked for and removed again. "
     "-o - writes OBJ\nto stdout. UVs do not come along."},
    {MATRIX, "matrix", "ID|FILE", 1, cli_matrix, "what the control points are multiplied with, as Matrix Market text",
     "A row for each refined vertex in grid order, a column for each control vertex. A FILE is pushed, asked for and "
     "removed again.\nGoes to stdout, or to -o FILE."},
    {POSITIONS, "positions", "ID FILE", 2, cli_positions, "replaces all positions by those of an .obj or .usda", NULL},
    {EDIT, "edit", "ID FILE.json", 2, cli_edit, "applies a batch of edits, all or nothing",
     "FILE.json is {\"edits\": [...]} as the daemon's OpenAPI page has it. Without --version the current version is "
     "taken."},
    {LS, "ls", "", 0, cli_ls, "lists the meshes", NULL},
    {SHOW, "show", "ID", 1, cli_show, "tells what is known of a mesh", NULL},
    {RM, "rm", "ID", 1, cli_rm, "removes a mesh", NULL},
    {PULL, "pull", "ID", 1, cli_pull, "fetches the control mesh as OBJ with tags, USDA or protobuf",
     "Goes to stdout as OBJ, or to -o FILE: .usda, .pb (a Mesh of subdd.proto, with ids), else OBJ. What the format "
     "cannot\n"
     "carry is named on stderr."},
    {PLAN, "plan", "ID", 1, cli_plan, "tells what a refine would cost, without doing it", NULL},
    {STAT, "stat", "", 0, cli_stat, "tells the daemon's version, backend, device, limits, engines and what they do",
     NULL},
    {HEALTH, "health", "", 0, cli_health, "asks whether the daemon is alive and ready",
     "Exits with 0 only when it is ready."},
    {BENCH, "bench", "ID|FILE", 1, cli_bench, "repeats a refine over one connection, prints latencies and GB/s", NULL},
};
enum { N_VERBS = sizeof verbs / sizeof *verbs };

enum { /* These are the values that getopt_long returns. A mesh option is OPTION + its value of enum subd_option. */
       OPTION = 256,
       SERVER = OPTION + SUBD_N_OPTIONS,
       TOKEN_FILE,
       JSON,
       TIMEOUT,
       NAME,
       KEY,
       LEVEL,
       METHOD,
       SURFACE,
       NORMALS,
       TANGENTS,
       COMPACT,
       PRIMVARS,
       POSE,
       ONLY_POSITIONS,
       NO_VERIFY,
       VERSION,
       REPEAT,
       REORDER,
       WHAT
};

static const struct row {
    const char *name, *argument;
    int value, verbs;
    const char *help;
} rows[] = {
    {"output", "FILE", 'o', FRAME | PULL | MATRIX, "where the result goes; appears only when it is complete"},
    {"level", "N", LEVEL, FRAME | PLAN | BENCH | MATRIX, "subdivision level, from 1 (default 1)"},
    {"method", "NAME", METHOD, REFINE | PLAN | BENCH, "engine: auto, edge-friend, ... (`subd stat` lists them)"},
    {"surface", "KIND", SURFACE, FRAME | PLAN | BENCH | MATRIX,
     "refined, limit, or limitAtLevel, which is OpenSubdiv's (default refined)"},
    {"what", "ROWS", WHAT, MATRIX, "points, or of the limit surface tangent1 or tangent2 (default points)"},
    {"normals", NULL, NORMALS, REFINE | PLAN | BENCH, "with normals"},
    {"tangents", NULL, TANGENTS, REFINE | PLAN | BENCH, "with tangents; needs --surface limit or limitAtLevel"},
    {"compact", NULL, COMPACT, REFINE | PLAN | BENCH,
     "positions, normals and UVs come in 16 bits (proto/README.md, \"Compact blocks\"); files have floats"},
    {"primvars", "NAMES", PRIMVARS, REFINE | PLAN | BENCH,
     "with these primvars, commas between, or \"*\": all (`subd show` lists them)"},
    {"only-positions", NULL, ONLY_POSITIONS, REFINE | PLAN,
     "no faces, no UVs: the frame, whatever its size, goes to OUT.frame, - or a device as it comes"},
    {"pose", "FILE", POSE, REFINE, "of the positions in this .obj or .usda, which the daemon does not keep"},
    {"no-verify", NULL, NO_VERIFY, FRAME | BENCH, "do not check the digests"},
    {"repeat", "N", REPEAT, BENCH, "how many times (default 100)"},
    {"name", "NAME", NAME, PUSH, "a name for people; default: the id"},
    {"version", "N", VERSION, POSITIONS | EDIT | RM, "only if the mesh still has this version"},
    {"idempotency-key", "KEY", KEY, PUSH | EDIT, "a repeat with the same key is not done twice"},
    {"scheme", "TOKEN", OPTION + SUBD_SCHEME, MESH, "catmullClark, loop, bilinear, sqrt3"},
    {"interpolate-boundary", "TOKEN", OPTION + SUBD_INTERPOLATE_BOUNDARY, MESH, "edgeAndCorner, edgeOnly, none"},
    {"face-varying-linear-interpolation", "TOKEN", OPTION + SUBD_FACE_VARYING, MESH,
     "cornersPlus1, none, cornersOnly, cornersPlus2, boundaries, all"},
    {"triangle-subdivision-rule", "TOKEN", OPTION + SUBD_TRIANGLE_RULE, MESH, "catmullClark, smooth"},
    {"crease-method", "TOKEN", OPTION + SUBD_CREASE_METHOD, MESH, "uniform, chaikin"},
    {"orientation", "TOKEN", OPTION + SUBD_ORIENTATION, MESH, "rightHanded, leftHanded"},
    {"reorder", "TOKEN", REORDER, MESH, "none, rcm: puts neighbours close in memory; ids stay those of the file"},
    {"server", "URL", SERVER, ALL, "the daemon; default $SUBD_SERVER, else http://127.0.0.1:7373"},
    {"token-file", "FILE", TOKEN_FILE, ALL, "file with the bearer token; default: the token in $SUBD_TOKEN"},
    {"timeout", "SECONDS", TIMEOUT, ALL,
     "for each request; the daemon gives up by then as well. Default: none, but 5 s to connect, and\n"
     "                               without a byte 10 s (ls, show, stat, health) or 150 s (the others)"},
    {"json", NULL, JSON, ALL, "answers, warnings and errors as JSON on stdout"},
    {"help", NULL, 'h', ALL, "this text"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void help_options(int bits)
{
    for (int i = 0; i < N_ROWS; i++) {
        const char *sign = rows[i].value == 'o' ? "-o, " : rows[i].value == 'h' ? "-h, " : "";
        char left[64];
        int n = snprintf(left, sizeof left, "%s--%s%s%s", sign, rows[i].name, rows[i].argument ? " " : "",
                         rows[i].argument ? rows[i].argument : "");
        if (rows[i].verbs & bits)
            printf(n > 26 ? "  %s\n%31s%s\n" : "  %-27s%s%s\n", left, "", rows[i].help);
    }
}

static int help(const struct verb *v)
{
    if (v) {
        printf("subd %s %s%s[options]: %s\n", v->name, v->arguments, *v->arguments ? " " : "", v->summary);
        if (v->more)
            printf("%s\n", v->more);
        puts("");
        help_options(v->bit);
        return EXIT_DONE;
    }
    puts("subd talks to a subdd daemon: control meshes go in, refined surfaces come out.\n\n  subd VERB ... "
         "[options]\n");
    for (int i = 0; i < N_VERBS; i++)
        printf("  %-10s %-14s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].summary);
    puts("\nOptions of every verb (`subd VERB --help` has the rest):");
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].verbs == ALL)
            printf("  --%-10s %-8s %s\n", rows[i].name, rows[i].argument ? rows[i].argument : "", rows[i].help);
    puts("\nExit codes: 0 done, 2 usage, 3 no server, 4 refused (4xx), 5 the server failed (5xx), 6 a file here, 7 an "
         "unsound answer,\n"
         "130 stopped, 1 anything else.");
    return EXIT_DONE;
}

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* Reads a whole number. Anything else is -1, which no option allows. */
static int64_t number(const char *text)
{
    char *end;
    long long v = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end ? v : -1;
}

/* Stores the value of an option. Returns 0 when the option cannot have it. */
static int take(struct cli *c, int value, char *text)
{
    char *end;
    if (value >= OPTION && value < OPTION + SUBD_N_OPTIONS) {
        c->options[value - OPTION] = text;
        return 1;
    }
    switch (value) {
    case 'o': c->output = text; return 1;
    case SERVER: c->server = text; return 1;
    case TOKEN_FILE: c->token_file = text; return 1;
    case JSON: c->json = 1; return 1;
    case NAME: c->name = text; return 1;
    case KEY: c->key = text; return 1;
    case REORDER: c->reorder = text; return 1;
    case METHOD: c->method = text; return 1;
    case SURFACE: c->surface = text; return 1;
    case NORMALS: c->include |= SUBD_NORMALS; return 1;
    case TANGENTS: c->include |= SUBD_TANGENTS; return 1;
    case COMPACT: c->compact = 1; return 1;
    case PRIMVARS: return *(c->primvars = text) != 0;
    case WHAT: c->what = text; return 1;
    case POSE: c->pose = text; return 1;
    case ONLY_POSITIONS: c->only_positions = 1; return 1;
    case NO_VERIFY: c->skip_digests = 1; return 1;
    case LEVEL: return (c->level = number(text) > 31 ? -1 : (int)number(text)) >= 1;
    case REPEAT: return (c->repeat = number(text) > 10000000 ? -1 : (int)number(text)) >= 1;
    case VERSION: return (c->version = number(text)) >= 1;
    case TIMEOUT:
        c->timeout_s = strtod(text, &end);
        return end != text && !*end && c->timeout_s > 0 && c->timeout_s < 1e6;
    default: return 0;
    }
}

/* What `take` accepts, in words, for the options that do not accept everything. */
static const char *takes(int value)
{
    switch (value) {
    case LEVEL: return "a whole number from 1 to 31";
    case REPEAT: return "a whole number from 1 to 10,000,000";
    case TIMEOUT: return "seconds, more than 0 and less than 1,000,000";
    case PRIMVARS: return "names";
    default: return "a whole number from 1";
    }
}

static int take_arguments(struct cli *c, const struct verb *v, int n, char **arguments)
{
    if (n != v->n_arguments)
        return cli_fail(c, EXIT_USAGE, "`subd %s` takes %s; see `subd %s --help`", v->name,
                        *v->arguments ? v->arguments : "no arguments", v->name);
    for (int i = 0; i < n; i++) {
        if (!*arguments[i])
            return cli_fail(c, EXIT_USAGE, "an argument of `subd %s` is empty", v->name);
        if (i == 0 && strncmp(v->arguments, "ID", 2) == 0 && v->arguments[2] != '|' && !cli_is_id(arguments[i]))
            return cli_fail(c, EXIT_USAGE,
                            "\"%.80s\" is no mesh id (m_ and 16 letters or digits; `subd ls` lists them)",
                            arguments[i]);
        c->args[i] = arguments[i];
    }
    return -1;
}

int cli_parse(struct cli *c, int argc, char **argv, int (**run)(struct cli *))
{
    struct option options[N_ROWS + 1] = {0};
    const struct verb *v = NULL;
    int value, index, wants_help = argc < 2, used = 0, rc = -1;
    for (int i = 0; i < N_ROWS; i++)
        options[i] =
            (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, rows[i].value};
    *c = (struct cli){.level = 1, .repeat = 100, .verb = ""};
    for (int i = 1; i < argc; i++)
        c->json |= strcmp(argv[i], "--json") == 0; /* A usage error must be JSON, too. */
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("subd %s\n", subd_version());
        return EXIT_DONE;
    }
    opterr = 0;
    while ((value = getopt_long(argc, argv, "ho:", options, &index)) != -1) {
        if (value == '?')
            return cli_fail(c, EXIT_USAGE, "%s is not an option here, or lacks its value; see `subd --help`",
                            argv[optind - 1]);
        for (index = 0; rows[index].value != value; index++)
            ;
        used |= 1 << index;
        if (value == 'h')
            wants_help = 1;
        else if (!take(c, value, optarg))
            return cli_fail(c, EXIT_USAGE, "--%s cannot be \"%.60s\"; it takes %s", rows[index].name, optarg,
                            takes(value));
    }
    if (optind < argc && !(v = find_verb(argv[optind])))
        return cli_fail(c, EXIT_USAGE, "there is no verb \"%.40s\"; see `subd --help`", argv[optind]);
    if (wants_help)
        return help(v) == EXIT_DONE && argc < 2 ? EXIT_USAGE : EXIT_DONE;
    if (!v)
        return cli_fail(c, EXIT_USAGE, "which verb? See `subd --help`");
    for (index = 0; index < N_ROWS; index++)
        if (used & 1 << index && !(rows[index].verbs & v->bit))
            return cli_fail(c, EXIT_USAGE, "`subd %s` has no option --%s", v->name, rows[index].name);
    if (c->only_positions && (c->include || c->primvars))
        return cli_fail(c, EXIT_USAGE, "--only-positions goes without --normals, --tangents and --primvars");
    c->verb = v->name;
    c->quick = (v->bit & (LS | SHOW | STAT | HEALTH)) != 0;
    c->n_args = argc - optind - 1;
    *run = v->run;
    rc = take_arguments(c, v, c->n_args, argv + optind + 1);
    return rc;
}
