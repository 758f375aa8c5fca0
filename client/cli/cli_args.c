/* SPDX-License-Identifier: Apache-2.0 */
/* cli_args.c: the table of verbs and the table of options of the command line, and what options store. */
#include "cli_args.h"
#include <stdlib.h>
#include <string.h>

const struct cli_verb cli_verbs[] = {
    {PUSH,
     "push",
     "FILE",
     1,
     1,
     cli_push,
     "sends a mesh, prints its id",
     "FILE is OBJ with OpenSubdiv's tags (t crease, t corner, ...), .usda, or .json or .pb (a Mesh of subdd.proto); - "
     "reads stdin, as OBJ or what its first bytes say. What of a file is not kept is named on stderr.\n"
     "It reads .ply too, through libassimp .stl, .off, .glb, .gltf, .fbx, .3ds, .dae and others, through usdcat .usdc, "
     ".usdz and binary .usd. What these split along seams is welded by position.",
     {"subd push cube.obj --name cube", "subd push cube.obj --weld 0.001 --json"}},
    {REFINE,
     "refine",
     "MESH|FILE...",
     0,
     CLI_MOST_FILES,
     cli_refine,
     "refines a mesh into .obj, .ply, .usda, .glb, .stl or .frame",
     "A FILE is pushed, refined and removed again. -o - writes OBJ to stdout; without -o the frame is fetched, checked "
     "and counted. OUT.frame is what the daemon sent.\n"
     "UVs come along, under sqrt3 where the mesh's face-varying interpolation is `all`, and so do colours, face sets "
     "and further UV sets where the format has a place for them (docs/meshes.md); .usda has all primvars, .ply vertex, "
     "varying and uniform ones, .glb vertex and varying ones of up to four numbers. No file but .frame has tangents; "
     ".stl has no UVs and no normals of vertices; .glb and .stl have triangles alone; .glb is Y up and in metres.\n"
     "Several files need --out-dir; one that fails does not stop the rest, and the exit code is then that of the first "
     "failure. With --frames, --pose and -o have one %0Nd each, which stands for the number of the frame: the topology "
     "is that of MESH|FILE or, without one, of the first frame, and each frame gives its positions.",
     {"subd refine cube.obj --level 4 --normals -o cube4.obj",
      "subd refine --pose shot.%04d.obj --frames 1-3 --level 2 -o out.%04d.obj"}},
    {PATCHES,
     "patches",
     "MESH|FILE",
     1,
     1,
     cli_patches,
     "the surface as B-spline patches and the faces that are none",
     "Splits around irregular vertices and semi-sharp creases down to --level (1 to 10); what is regular stays whole. "
     "OUT.obj has B-spline surfaces and faces, OUT.frame what the daemon sent. A FILE is pushed, asked for and removed "
     "again. -o - writes OBJ to stdout. UVs do not come along.",
     {"subd patches cube.obj --level 6", "subd patches cube.obj --level 6 -o patches.obj"}},
    {MATRIX,
     "matrix",
     "MESH|FILE",
     1,
     1,
     cli_matrix,
     "what the control points are multiplied with, as Matrix Market text",
     "A row for each refined vertex in grid order, a column for each control vertex. A FILE is pushed, asked for and "
     "removed again. Goes to stdout, or to -o FILE.",
     {"subd matrix cube.obj --level 2 -o cube2.mtx", "subd matrix cube.obj --surface limit --what tangent1"}},
    {NEIGHBORS,
     "neighbors",
     "MESH|FILE RELATION",
     2,
     2,
     cli_neighbors,
     "which vertices, edges and faces are neighbours, as rows of text",
     "RELATION is VV, VE, VF, EV, EF, FV, FE or FF: XY has a row for each vertex, edge or face X, with ids of Y: "
     "\"12: 3 7 9\". Edges are numbered by (lower vertex, higher vertex). Rows ascend, but those of FV and FE, which "
     "are "
     "in the order of the face; an edge of FE that the face runs along from its higher end has a minus behind it. Ids "
     "are rows of the cage, or of the refined level. A FILE is pushed, asked for and removed again. Goes to stdout, or "
     "to -o FILE; FILE.frame is what the daemon sent.",
     {"subd neighbors cube.obj VV", "subd neighbors cube.obj VF --oriented --ids 0,7"}},
    {FIELDS,
     "fields",
     "MESH|FILE",
     1,
     1,
     cli_fields,
     "normals, curvatures and distances at the vertices",
     "A line for each vertex on stdout, or in -o FILE. OUT.ply and the other mesh formats have the mesh with each "
     "field as "
     "a property, where the format has a place for it, and the first as colours from blue over white to red; OUT.frame "
     "is what the daemon sent. A FILE is pushed, asked for and removed again.",
     {"subd fields cube.obj --what gaussian -o cube_gaussian.ply", "subd fields cube.obj --what geodesic --sources 0"}},
    {SMOOTH,
     "smooth",
     "MESH|FILE",
     1,
     1,
     cli_smooth,
     "smooths a mesh or a level of it, into a file or a new version",
     "-o FILE has the polygons with the smoothed positions; with --store they become a new version of the mesh, and "
     "its id "
     "and version are printed.",
     {"subd smooth cube.obj --iterations 3 -o smooth.obj", "subd smooth " CLI_SAMPLE_ID " --method cotangent --store"}},
    {FAIR,
     "fair",
     "MESH",
     1,
     1,
     cli_fair,
     "makes a surface fair by conformal flow, which keeps its texture",
     "Each of --steps steps lowers the bending energy; the bar shows it, and how much faces were sheared (1 is not at "
     "all). With --level the refined mesh flows instead, and -o FILE gets it. Ctrl-C cancels the flow, and nothing has "
     "changed.",
     {"subd fair " CLI_SAMPLE_ID " --steps 8 --tau 0.25 --boundary fixed",
      "subd fair " CLI_SAMPLE_ID " --steps 8 --level 3 -o fair.obj"}},
    {POSITIONS,
     "positions",
     "MESH FILE",
     2,
     2,
     cli_positions,
     "replaces all positions by those of an .obj or .usda",
     NULL,
     {"subd positions " CLI_SAMPLE_ID " cube_moved.obj", "subd positions " CLI_SAMPLE_ID " cube.obj --version 1"}},
    {EDIT,
     "edit",
     "MESH FILE.json",
     2,
     2,
     cli_edit,
     "applies a batch of edits, all or nothing",
     "FILE.json is {\"edits\": [...]} as the daemon's OpenAPI page has it: elements that are added, set and removed, "
     "and "
     "modelling edits such as extrudeFaces. Without --version the current version is taken.",
     {"subd edit " CLI_SAMPLE_ID " edits.json", "subd edit " CLI_SAMPLE_ID " edits.json --idempotency-key again-1"}},
    {RENAME,
     "rename",
     "MESH NAME",
     2,
     2,
     cli_rename,
     "gives a mesh another name, as a new version",
     NULL,
     {"subd rename " CLI_SAMPLE_ID " hero", "subd rename " CLI_SAMPLE_ID " hero --version 1"}},
    {LOG,
     "log",
     "MESH",
     1,
     1,
     cli_log,
     "lists the versions of a mesh that can be read, who made them and how",
     "The latest comes first. `subd refine MESH --at VERSION` refines an earlier one.",
     {"subd log " CLI_SAMPLE_ID, "subd log " CLI_SAMPLE_ID " --json"}},
    {BACK,
     "undo",
     "MESH",
     1,
     1,
     cli_undo,
     "undoes your last change of a mesh, as a new version",
     "Changes are yours when they were made with your token; without tokens all are everybody's. What others have "
     "changed since stays; where they changed the same elements it is refused.",
     {"subd undo " CLI_SAMPLE_ID, "subd undo " CLI_SAMPLE_ID " --version 2"}},
    {BACK,
     "redo",
     "MESH",
     1,
     1,
     cli_redo,
     "redoes what you have undone last, as a new version",
     NULL,
     {"subd redo " CLI_SAMPLE_ID, "subd redo " CLI_SAMPLE_ID " --json"}},
    {BACK,
     "revert",
     "MESH VERSION",
     2,
     2,
     cli_revert,
     "makes an earlier version the next one",
     NULL,
     {"subd revert " CLI_SAMPLE_ID " 1", "subd revert " CLI_SAMPLE_ID " 1 --version 2"}},
    {LEASE,
     "lease",
     "MESH",
     1,
     1,
     cli_lease,
     "keeps a mesh or faces of it to oneself for a while; prints the lease",
     "Others are refused (423) who change it meanwhile. Without a token name the lease with --lease when you edit.",
     {"subd lease " CLI_SAMPLE_ID " --ids 3,4,5 --for 300", "subd lease " CLI_SAMPLE_ID " --list"}},
    {WATCH,
     "watch",
     "MESH",
     1,
     1,
     cli_watch,
     "refines a mesh, and again whenever it gets another version",
     "Takes what refine takes. It prints a line for each version that comes, with what it cost, and writes -o OUT "
     "again each time; the file is always whole. It goes on until Ctrl-C, --count, or the mesh is deleted; when the "
     "server ends it exits with 3, so that a script can begin again.",
     {"subd watch " CLI_SAMPLE_ID " --level 3 --count 1", "subd watch " CLI_SAMPLE_ID " --count 1 -o live.obj"}},
    {EVENTS,
     "events",
     "MESH",
     1,
     1,
     cli_events,
     "prints the news of a mesh as they come: versions, who made them, leases",
     "Begins with the present version, or with those after --since. With --json each line is an object. When the "
     "server ends it exits with 3: begin again with --since.",
     {"subd events " CLI_SAMPLE_ID " --count 1", "subd events " CLI_SAMPLE_ID " --count 1 --json"}},
    {LS, "ls", "", 0, 0, cli_ls, "lists the meshes", NULL, {"subd ls", "subd ls --name cube --json"}},
    {SHOW,
     "show",
     "MESH",
     1,
     1,
     cli_show,
     "tells what is known of a mesh",
     NULL,
     {"subd show " CLI_SAMPLE_ID, "subd show " CLI_SAMPLE_ID " --json"}},
    {RM,
     "rm",
     "MESH",
     1,
     1,
     cli_rm,
     "removes a mesh",
     NULL,
     {"subd rm " CLI_SAMPLE_ID, "subd rm " CLI_SAMPLE_ID " --version 1"}},
    {ADMIN,
     "pin",
     "MESH",
     1,
     1,
     cli_pin,
     "keeps a mesh on the device, over restarts too",
     "Pinned meshes have a part of the device's memory (subdd --pinned-percent). It needs a token with scope admin.",
     {"subd pin " CLI_SAMPLE_ID, "subd pin bunny"}},
    {ADMIN,
     "unpin",
     "MESH",
     1,
     1,
     cli_unpin,
     "lets a mesh leave the device again",
     NULL,
     {"subd unpin " CLI_SAMPLE_ID, "subd unpin bunny"}},
    {ADMIN,
     "unquarantine",
     "MESH",
     1,
     1,
     cli_unquarantine,
     "has a mesh evaluated again that has ended the daemon",
     "When evaluating a mesh has ended the daemon twice, its version of then is refused. This gives all versions of "
     "the mesh two more tries. It needs a token with scope admin.",
     {"subd unquarantine " CLI_SAMPLE_ID, "subd unquarantine bunny"}},
    {PULL,
     "pull",
     "MESH",
     1,
     1,
     cli_pull,
     "fetches the control mesh as OBJ with tags, USDA, JSON or protobuf",
     "Goes to stdout as OBJ, or to -o FILE: .usda, .json and .pb (with the ids that edits need), else OBJ. What the "
     "format cannot carry is named on stderr.",
     {"subd pull " CLI_SAMPLE_ID, "subd pull " CLI_SAMPLE_ID " -o cage.usda"}},
    {PLAN,
     "plan",
     "MESH",
     1,
     1,
     cli_plan,
     "tells what a refine would cost, without doing it",
     "Counts and bytes are exact. The time is what frames of about this size took this daemon on this machine; until "
     "it "
     "has made one there is none.",
     {"subd plan " CLI_SAMPLE_ID " --level 8", "subd plan " CLI_SAMPLE_ID " --level 5 --normals --json"}},
    {STAT,
     "stat",
     "",
     0,
     0,
     cli_stat,
     "tells the daemon's version, device, limits, engines and what they do",
     NULL,
     {"subd stat", "subd stat --json"}},
    {HEALTH,
     "health",
     "",
     0,
     0,
     cli_health,
     "asks whether the daemon is alive and ready",
     "Exits with 0 only when it is ready.",
     {"subd health", "subd health --timeout 2"}},
    {BENCH,
     "bench",
     "MESH|FILE",
     1,
     1,
     cli_bench,
     "repeats a refine over one connection, prints latencies and GB/s",
     NULL,
     {"subd bench cube.obj --level 5", "subd bench cube.obj --level 3 --repeat 20 --compact"}},
    {LOCAL,
     "help",
     "[VERB]",
     0,
     1,
     cli_help,
     "tells how subd, or one verb of it, is used",
     NULL,
     {"subd help", "subd help refine"}},
    {LOCAL,
     "completion",
     "SHELL",
     1,
     1,
     cli_completion,
     "prints the script that completes subd in bash, zsh or fish",
     NULL,
     {"subd completion bash", "subd completion fish"}},
    {LOCAL, "man", "", 0, 0, cli_man, NULL, NULL, {NULL, NULL}},
    {0}};

enum { /* These are the values that getopt_long returns. A mesh option is OPTION + its value of enum subd_option. */
       OPTION = 256,
       SERVER = OPTION + SUBD_N_OPTIONS,
       TOKEN_FILE,
       CA_FILE,
       JSON,
       TIMEOUT,
       NAME,
       KEY,
       LEVEL,
       METHOD,
       SURFACE,
       NORMALS,
       SPLIT_NORMALS,
       TANGENTS,
       COMPACT,
       PRIMVARS,
       POSE,
       FRAMES,
       OUT_DIR,
       FORMAT,
       ONLY_POSITIONS,
       NO_VERIFY,
       VERSION,
       REPEAT,
       REORDER,
       STRICT,
       WHAT,
       SOURCES,
       ITERATIONS,
       STRENGTH,
       BOUNDARY,
       STORE,
       STEPS,
       TAU,
       SOLVES,
       NO_EXACTNESS,
       RING,
       ORIENTED,
       FIRST,
       COUNT,
       IDS,
       WELD,
       NO_WELD,
       PRIM,
       EVERY,
       TIME,
       AT_VERSION,
       REBASE,
       LEASE_NAMED,
       SECONDS,
       LEASES,
       END,
       SINCE,
       PRIORITY
};

const struct cli_option cli_options[] = {
    {"output", "FILE", 'o', FRAME | WATCH | PULL | MATRIX | NEIGHBORS | FIELDS | SMOOTH | FAIR,
     "where the result goes; appears only when it is complete", NULL},
    {"out", "FILE", 'o', FRAME | WATCH | PULL | MATRIX | NEIGHBORS | FIELDS | SMOOTH | FAIR, NULL,
     NULL}, /* Else it would be short for --out-dir, too. */
    {"out-dir", "DIR", OUT_DIR, REFINE, "a folder for several results, which have the names of their files", NULL},
    {"format", "SUFFIX", FORMAT, REFINE, "of the files in --out-dir (default obj)", "obj ply usda glb stl frame"},
    {"level", "N", LEVEL, FRAME | WATCH | PLAN | BENCH | MATRIX | NEIGHBORS | FIELDS | SMOOTH | FAIR,
     "subdivision level, 1 to 15 (default 1); neighbors, fields, smooth, fair: 0 too, the control mesh (its default)",
     NULL},
    {"method", "NAME", METHOD, REFINE | WATCH | PLAN | BENCH | SMOOTH,
     "engine: auto, edge-friend, ... (`subd stat` lists them); smooth: uniform (default), cotangent, bilateral, "
     "curvatureFlow, implicitFlow",
     NULL},
    {"surface", "KIND", SURFACE, FRAME | WATCH | PLAN | BENCH | MATRIX,
     "points of the refined mesh, or of the limit; limitAtLevel is OpenSubdiv's", "refined limit limitAtLevel"},
    {"what", "ROWS", WHAT, MATRIX | FIELDS,
     "the matrix of these; tangents are of --surface limit (default points). Fields: one or more, commas between",
     "points tangent1 tangent2 normals gaussian mean geodesic"},
    {"sources", "FILE|LIST", SOURCES, FIELDS, "of geodesic: vertices, such as 3,8; or a file of them, - is stdin",
     NULL},
    {"iterations", "N", ITERATIONS, SMOOTH, "how many steps, 1 to 1,000 (default 1)", NULL},
    {"strength", "S", STRENGTH, SMOOTH, "of a step, above 0 and at most 1 (default 0.5)", NULL},
    {"boundary", "TOKEN", BOUNDARY, SMOOTH | FAIR,
     "smooth: boundaries stay (kept), or are smoothed along themselves; fair: what the rim does (default free)",
     "kept along free direction fixed"},
    {"store", NULL, STORE, SMOOTH, "the result becomes a new version of the mesh", NULL},
    {"steps", "N", STEPS, FAIR, "how many steps, 1 to 1,000 (default 1)", NULL},
    {"tau", "T", TAU, FAIR, "of a step, above 0 and at most 1 (default 0.25): how far it goes", NULL},
    {"solves", "N", SOLVES, FAIR, "inverse iterations in a step of a closed surface, 1 to 20 (default 3)", NULL},
    {"no-exactness", NULL, NO_EXACTNESS, FAIR, "closed surfaces with handles may shear around these", NULL},
    {"ring", "N", RING, NEIGHBORS, "of VV and FF, all that is 1 to N steps away, N up to 64 (default 1)", NULL},
    {"oriented", NULL, ORIENTED, NEIGHBORS, "rows of VV, VE and VF go round the vertex against the clock", NULL},
    {"first", "N", FIRST, NEIGHBORS, "the first row (default 0)", NULL},
    {"count", "N", COUNT, NEIGHBORS | WATCH | EVENTS,
     "neighbors: how many rows (default: all from --first on); watch, events: end after so many", NULL},
    {"since", "VERSION", SINCE, EVENTS, "the version that is known; what came after it is told first", NULL},
    {"ids", "FILE|LIST", IDS, NEIGHBORS | LEASE,
     "neighbors: the rows of these, such as 3,3,8; lease: these faces (default all); or a file of ids, - is stdin",
     NULL},
    {"normals", NULL, NORMALS, REFINE | WATCH | PLAN | BENCH, "with normals", NULL},
    {"split-normals", NULL, SPLIT_NORMALS, REFINE | WATCH | PLAN | BENCH,
     "with normals of their own on each side of an infinitely sharp edge, as --normals has them in .obj, .usda and "
     ".glb",
     NULL},
    {"tangents", NULL, TANGENTS, REFINE | WATCH | PLAN | BENCH, "with tangents; needs --surface limit or limitAtLevel",
     NULL},
    {"compact", NULL, COMPACT, REFINE | WATCH | PLAN | BENCH,
     "positions, normals and UVs come in 16 bits (proto/README.md, \"Compact blocks\"); files have floats", NULL},
    {"primvars", "NAMES", PRIMVARS, REFINE | WATCH | PLAN | BENCH,
     "with these primvars, commas between, or \"*\": all (`subd show` lists them)", NULL},
    {"only-positions", NULL, ONLY_POSITIONS, REFINE | PLAN,
     "no faces, no UVs: the frame, whatever its size, goes to OUT.frame, - or a device as it comes", NULL},
    {"pose", "FILE", POSE, REFINE,
     "of the positions in this .obj or .usda, which the daemon does not keep; with --frames a pattern, shot.%04d.obj",
     NULL},
    {"frames", "A-B", FRAMES, REFINE, "the frames of --pose, both ends among them", NULL},
    {"at", "VERSION", AT_VERSION, REFINE | PLAN | PULL, "of an earlier version of the mesh (`subd log` lists them)",
     NULL},
    {"no-verify", NULL, NO_VERIFY, FRAME | WATCH | BENCH, "do not check the digests", NULL},
    {"repeat", "N", REPEAT, BENCH, "how many times (default 100)", NULL},
    {"name", "NAME", NAME, MESH | LS,
     "the mesh's name; default: that of FILE without folder and ending. ls: lists only this name", NULL},
    {"version", "N", VERSION, POSITIONS | EDIT | RENAME | RM | SMOOTH | FAIR | BACK,
     "only if the mesh still has this version", NULL},
    {"rebase", NULL, REBASE, EDIT, "also to a later version, when nobody has touched what the edits need", NULL},
    {"lease", "LEASE", LEASE_NAMED, POSITIONS | EDIT | RENAME | RM | SMOOTH | FAIR | BACK | LEASE,
     "the lease that is yours, where there are no tokens; lease: make it last from now on", NULL},
    {"for", "SECONDS", SECONDS, LEASE, "how long, 1 to 3,600 (default 60)", NULL},
    {"list", NULL, LEASES, LEASE, "tells who holds which leases, and takes none", NULL},
    {"end", NULL, END, LEASE, "ends the one of --lease", NULL},
    {"idempotency-key", "KEY", KEY, PUSH | EDIT | FAIR | BACK, "a repeat with the same key is not done twice", NULL},
    {"scheme", "TOKEN", OPTION + SUBD_SCHEME, MESH, "the subdivision scheme", "catmullClark loop bilinear sqrt3"},
    {"interpolate-boundary", "TOKEN", OPTION + SUBD_INTERPOLATE_BOUNDARY, MESH, "what boundaries are",
     "edgeAndCorner edgeOnly none"},
    {"face-varying-linear-interpolation", "TOKEN", OPTION + SUBD_FACE_VARYING, MESH, "where UVs are linear",
     "cornersPlus1 none cornersOnly cornersPlus2 boundaries all"},
    {"triangle-subdivision-rule", "TOKEN", OPTION + SUBD_TRIANGLE_RULE, MESH, "how catmullClark does triangles",
     "catmullClark smooth"},
    {"crease-method", "TOKEN", OPTION + SUBD_CREASE_METHOD, MESH, "how sharpness decreases", "uniform chaikin"},
    {"orientation", "TOKEN", OPTION + SUBD_ORIENTATION, MESH, "the winding of faces", "rightHanded leftHanded"},
    {"reorder", "TOKEN", REORDER, MESH, "rcm puts neighbours close in memory; ids stay those of the file", "none rcm"},
    {"strict", NULL, STRICT, MESH, "refuse a FILE of which something would be left out with a warning", NULL},
    {"weld", "DISTANCE", WELD, MESH,
     "vertices within it become one; 0: those of one position. Other formats than OBJ, USDA, JSON and protobuf have 0",
     NULL},
    {"no-weld", NULL, NO_WELD, MESH, "leaves vertices of one position apart", NULL},
    {"prim", "PATH", PRIM, MESH, "the mesh of this path or name, of a file with several", NULL},
    {"time", "N", TIME, MESH, "the time code at which a .usda with timeSamples is read (default: the first)", NULL},
    {"all", NULL, EVERY, PUSH, "each mesh of a file becomes one, named by its path", NULL},
    {"server", "URL", SERVER, ALL, "the daemon, or unix:/PATH; default $SUBD_SERVER, else http://127.0.0.1:7373", NULL},
    {"ca-file", "FILE", CA_FILE, ALL, "certificates (PEM) that alone vouch for an https server; default: the system's",
     NULL},
    {"token-file", "FILE", TOKEN_FILE, ALL, "file with the bearer token; default: the token in $SUBD_TOKEN", NULL},
    {"timeout", "SECONDS", TIMEOUT, ALL,
     "for each request; the daemon gives up by then as well. Default: none, but 5 s to connect, and without a byte 10 "
     "s "
     "(ls, show, stat, health) or 150 s (the others)",
     NULL},
    {"priority", "TOKEN", PRIORITY, MESH | POSITIONS | EDIT | FAIR | PULL | PLAN,
     "bulk: the daemon does it once nobody waits for anything else", "interactive bulk"},
    {"json", NULL, JSON, ALL, "answers, warnings and errors as JSON on stdout", NULL},
    {"help", NULL, 'h', ALL | LOCAL, "this text", NULL},
    {0}};
_Static_assert(sizeof cli_options / sizeof *cli_options - 1 == CLI_N_OPTIONS, "cli_args.h has the number of options");

/* Reads a whole number. Anything else is -1, which no option allows. */
static int64_t number(const char *text)
{
    char *end;
    long long v = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end ? v : -1;
}

/* Reads a distance. What a float cannot tell apart, or is no number, is -1. */
static double distance(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *text && !*end && (v == 0 || (v >= 1e-30 && v <= 1e30)) ? v : -1;
}

/* The options that take a number. */
static int take_number(struct cli *c, int value, char *text)
{
    char *end;
    switch (value) {
    case WELD: return (c->weld = distance(text)) >= 0;
    case LEVEL: return (c->level = number(text) > SUBD_MAX_LEVEL ? -1 : (int)number(text)) >= 0;
    case RING: return (c->ring = number(text) > SUBD_MAX_RING ? -1 : (int)number(text)) >= 1;
    case FIRST: return (c->first = number(text)) >= 0;
    case COUNT: return (c->count = number(text)) >= 1;
    case STEPS:
    case ITERATIONS: return (c->iterations = number(text) > 1000 ? -1 : (int)number(text)) >= 1;
    case SOLVES: return (c->solves = number(text) > 20 ? -1 : (int)number(text)) >= 1;
    case TAU:
    case STRENGTH: c->strength = strtod(text, &end); return end != text && !*end && c->strength > 0 && c->strength <= 1;
    case REPEAT: return (c->repeat = number(text) > 10000000 ? -1 : (int)number(text)) >= 1;
    case SECONDS: return (c->seconds = number(text)) >= 1 && c->seconds <= 3600;
    case SINCE:
    case AT_VERSION: return (c->at = number(text)) >= 1;
    case VERSION: return (c->version = number(text)) >= 1;
    case TIMEOUT:
        c->timeout_s = strtod(text, &end);
        return end != text && !*end && c->timeout_s > 0 && c->timeout_s < 1e6;
    default: return 0;
    }
}

int cli_take_option(struct cli *c, int value, char *text)
{
    if (value >= OPTION && value < OPTION + SUBD_N_OPTIONS) {
        c->options[value - OPTION] = text;
        return 1;
    }
    switch (value) {
    case 'o': c->output = text; return 1;
    case SERVER: c->server = text; return 1;
    case TOKEN_FILE: c->token_file = text; return 1;
    case CA_FILE: c->ca_file = text; return 1;
    case JSON: c->json = 1; return 1;
    case NAME: c->name = text; return 1;
    case KEY: c->key = text; return 1;
    case REORDER: c->reorder = text; return 1;
    case STRICT: c->strict = 1; return 1;
    case NO_WELD: c->no_weld = 1; return 1;
    case PRIM: return *(c->prim = text) != 0;
    case EVERY: c->all = 1; return 1;
    case TIME: return *(c->time = text) != 0;
    case METHOD: c->method = text; return 1;
    case SURFACE: c->surface = text; return 1;
    case NORMALS: c->include |= SUBD_NORMALS; return 1;
    case SPLIT_NORMALS: c->include |= SUBD_NORMALS | SUBD_NORMAL_INDICES; return 1;
    case TANGENTS: c->include |= SUBD_TANGENTS; return 1;
    case COMPACT: c->compact = 1; return 1;
    case PRIMVARS: return *(c->primvars = text) != 0;
    case WHAT: c->what = text; return 1;
    case POSE: c->pose = text; return 1;
    case FRAMES: return cli_frame_range(c->frames = text, &c->first_frame, &c->last_frame);
    case OUT_DIR: return *(c->out_dir = text) != 0;
    case FORMAT: c->format = text; return 1;
    case ONLY_POSITIONS: c->only_positions = 1; return 1;
    case NO_VERIFY: c->skip_digests = 1; return 1;
    case ORIENTED: c->oriented = 1; return 1;
    case SOURCES:
    case IDS: return *(c->ids = text) != 0;
    case NO_EXACTNESS: c->no_exactness = 1; return 1;
    case BOUNDARY: c->boundary = text; return 1;
    case STORE: c->store = 1; return 1;
    case REBASE: c->rebase = 1; return 1;
    case LEASE_NAMED: c->lease = text; return 1;
    case LEASES: c->list = 1; return 1;
    case END: c->end = 1; return 1;
    case PRIORITY: return (c->bulk = strcmp(text, "bulk") == 0) || strcmp(text, "interactive") == 0;
    default: return take_number(c, value, text);
    }
}

const char *cli_option_takes(int value)
{
    switch (value) {
    case LEVEL: return "a whole number from 1 to 15";
    case RING: return "a whole number from 1 to 64";
    case FIRST: return "a whole number from 0";
    case SOURCES:
    case IDS: return "a list such as 3,3,8, or a file";
    case STEPS:
    case ITERATIONS: return "a whole number from 1 to 1,000";
    case SOLVES: return "a whole number from 1 to 20";
    case TAU:
    case STRENGTH: return "a number above 0 and at most 1";
    case REPEAT: return "a whole number from 1 to 10,000,000";
    case SECONDS: return "a whole number of seconds from 1 to 3,600";
    case TIMEOUT: return "seconds, more than 0 and less than 1,000,000";
    case PRIMVARS: return "names";
    case PRIORITY: return "interactive or bulk";
    case OUT_DIR: return "a folder";
    case PRIM: return "a path or name";
    case TIME: return "a number";
    case WELD: return "a distance in the mesh's units: 0, or from 1e-30 to 1e30";
    case FRAMES: return "A-B, such as 1-240: at most 100,000 frames, the first not after the last";
    default: return "a whole number from 1";
    }
}
