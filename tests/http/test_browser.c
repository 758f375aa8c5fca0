/* SPDX-License-Identifier: Apache-2.0 */
/* A real browser, where one is installed: pages of another origin and of a rebound host name cannot reach the daemon,
 * pages of an origin that --allow-origin names can, and the daemon's own pages show what it has. */
#include "server/api/routes.h"
#include "server/store/store.h"
#include "tests/http/chromium.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include "tests/unit/sample.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tries everything in turn, then tells what came of it by asking its own server for that. */
static const char PAGE[] =
    "<!DOCTYPE html><title>a page elsewhere</title><script>\n"
    "const [, daemon, mesh] = location.hash.split(','), url = daemon + '/v1/meshes';\n"
    "const triangle = 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n';\n"
    "const send = async (where, options) => {\n"
    "  try {\n"
    "    const a = await fetch(where, options), body = await a.text();\n"
    "    return a.type == 'opaque' ? a.type : [a.status, a.headers.get('ETag'), body && "
    "JSON.parse(body).vertices].join();\n"
    "  } catch (e) { return 'failed'; }\n"
    "};\n"
    "(async () => {\n"
    "  const said = [\n"
    "    await send(url, {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body: triangle}),\n"
    "    await send(url, {method: 'POST', mode: 'no-cors', body: new URLSearchParams({v: triangle})}),\n"
    "    await send(url, {method: 'POST', headers: {'Content-Type': 'model/obj'}, body: triangle}),\n"
    "    await send(url + '/' + mesh, {method: 'DELETE'})];\n"
    "  await fetch('/said;' + mesh + ';' + said.join(';').replaceAll('\"', ''));\n"
    "})();\n"
    "</script>\n";

static char dir[64];

/* Waits until the log has a line with `text` and copies what follows it, up to a blank. */
static bool wait_for(const char *log, const char *text, double seconds, char out[256])
{
    for (double until = seconds_now() + seconds; seconds_now() < until; usleep(20000)) {
        char *all = slurp(log, NULL), *at = all ? strstr(all, text) : NULL;
        if (at)
            snprintf(out, 256, "%.*s", (int)strcspn(at + strlen(text), " \n<"), at + strlen(text));
        bool whole = at && at[strlen(text) + strlen(out)];
        free(all);
        if (whole)
            return true;
    }
    return false;
}

/* Opens url in a new browser, until its log, or that of the page's server, has `text`. */
static void browse(const char *url, const char *watched, const char *text, char out[256])
{
    char log[96];
    snprintf(log, sizeof log, "%s/browser", dir);
    /* --dump-dom would end it before a page that is watched has done all. */
    pid_t pid = chromium_start(dir, log, url, watched ? NULL : "--dump-dom", -1, -1);
    bool found = wait_for(watched ? watched : log, text, BROWSER_S, out);
    chromium_end(pid);
    if (!found)
        fail_msg("the browser did not say %s%s", text, slurp(log, NULL));
}

static bool installed(const char *program)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static void skip_without_browser(void)
{
    if (installed("chromium") && installed("python3"))
        return;
    printf("skip: Chromium or python3 is not installed (deploy/install-deps chromium)\n");
    skip();
}

/* A page's server on another port of this machine; its origin in out. */
static pid_t serve_page(char log[96], char origin[64])
{
    static const char *const argv[] = {"python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", NULL};
    char path[96], port[256];
    snprintf(path, sizeof path, "%s/page.html", dir);
    snprintf(log, 96, "%s/server", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(PAGE, f);
    fclose(f);
    pid_t pid = chromium_run(argv, dir, log, -1, -1);
    assert_true(wait_for(log, " port ", 20, port));
    snprintf(origin, 64, "http://localhost:%.5s", port);
    return pid;
}

static long long meshes(const struct daemon *d)
{
    return daemon_metric(d, "subdd_meshes{state=\"disk\"}");
}

/* What the page's four requests came to, as it tells. */
static void visit(const struct daemon *d, const char *origin, const char *log, const char *mesh, char said[256])
{
    char url[256], text[64];
    snprintf(text, sizeof text, "/said;%s;", mesh);
    snprintf(url, sizeof url, "%s/page.html#,http://127.0.0.1:%d,%s", origin, d->port, mesh);
    browse(url, log, text, said);
}

static void test_other_origin(void **state)
{
    struct daemon d = {0};
    char log[96], origin[64], id[32], said[256];
    (void)state;
    skip_without_browser();
    pid_t server = serve_page(log, origin);
    daemon_start(&d, NULL);
    create_cube(&d, id);
    visit(&d, origin, log, id, said);
    assert_string_equal(said, "failed;failed;failed;failed");
    assert_int_equal(meshes(&d), 1);
    assert_true(daemon_metric(&d, "subdd_rejected_total{reason=\"origin\"}") >= 4);
    daemon_stop(&d);
    const char *const options[] = {"--allow-origin", origin, NULL};
    daemon_start(&d, options);
    create_cube(&d, id);
    visit(&d, origin, log, id, said);
    assert_string_equal(said, "opaque;opaque;201,1,3;204,,");
    daemon_stop(&d);
    chromium_end(server);
}

/* The page's host name resolves to the daemon's address by now, so the browser takes the two for one. */
static void test_rebinding(void **state)
{
    struct daemon d = {0};
    char url[64], id[32], shown[256];
    (void)state;
    skip_without_browser();
    daemon_start(&d, NULL);
    create_cube(&d, id);
    snprintf(url, sizeof url, "http://evil.example:%d/v1/meshes", d.port);
    browse(url, NULL, "{\"", shown);
    assert_non_null(strstr(shown, "#misdirected_request"));
    daemon_stop(&d);
}

/* ---- the daemon's own pages ------------------------------------------------------------------------------------- */
/* What the scripts share: a wait of 20 seconds at most, and what the first row of the list says. */
static const char SHARED[] =
    "const by = (id) => document.getElementById(id), find = (what) => document.querySelector(what);\n"
    "const until = async (done) => {\n"
    "  for (let i = 0; i < 400 && !done(); i++) await new Promise((r) => setTimeout(r, 50));\n"
    "};\n"
    "const row = () => [...document.querySelectorAll('#meshes tbody td')].slice(0, 5).map((td) => td.textContent);\n";

static void ask_page(const struct daemon *d, const char *path, const char *script, const char *want)
{
    char url[64], all[4096];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", d->port, path);
    assert_true(snprintf(all, sizeof all, "%s%s", SHARED, script) < (int)sizeof all);
    char *said = chromium_ask(dir, url, all);
    assert_string_equal(said, want);
    free(said);
}

/* Starts a daemon whose store has a cube of this name, which the interface may not take. */
static void start_with(struct daemon *d, const char *name, const char *const *options)
{
    char data[96];
    struct store *store;
    struct store_info info;
    struct sdd_error err = {0};
    struct mesh *m = sample_cube();
    memcpy(d->dir, "/tmp/subdd-test-XXXXXX", sizeof "/tmp/subdd-test-XXXXXX");
    assert_non_null(mkdtemp(d->dir));
    snprintf(data, sizeof data, "%s/data", d->dir);
    assert_int_equal(mkdir(data, 0700), 0);
    assert_int_equal(store_open(data, &store, &err), SDD_OK);
    snprintf(m->name, sizeof m->name, "%s", name);
    assert_int_equal(store_create(store, "m_1", m, 1000, NULL, &info, &err), SDD_OK);
    store_close(store);
    mesh_free(m);
    daemon_start(d, options);
}

static void test_home(void **state)
{
    struct daemon d = {0};
    (void)state;
    skip_without_browser();
    start_with(&d, "<img src=x onerror=document.title=1>&amp;", NULL);
    ask_page(&d, "/",
             "await until(() => row().length);\n"
             "return JSON.stringify([...row(), document.title, document.querySelectorAll('#meshes img').length,\n"
             "  by('state').textContent, by('version').textContent, by('token').hidden, by('error').hidden])",
             "[\"<img src=x onerror=document.title=1>&amp;\",\"catmullClark\",\"8\",\"6\",\"1\",\"subdd\",0,"
             "\"ready\",\"0.1.0\",true,true]");
    daemon_stop(&d);
}

/* Without a mesh the page says so; with more than a page of them it can show them all. */
static void test_home_pages(void **state)
{
    struct daemon d = {0};
    char id[32];
    (void)state;
    skip_without_browser();
    daemon_start(&d, NULL);
    ask_page(&d, "/",
             "await until(() => !by('none').hidden);\n"
             "return JSON.stringify([by('none').hidden, by('meshes').hidden])",
             "[false,true]");
    for (int i = 0; i < 101; i++)
        create_cube(&d, id);
    ask_page(&d, "/",
             "const rows = find('#meshes tbody').rows, more = by('more'), said = [];\n"
             "await until(() => rows.length == 100);\n"
             "said.push(rows.length, more.hidden);\n"
             "more.click();\n"
             "await until(() => rows.length == 101);\n"
             "return JSON.stringify([...said, rows.length, more.hidden])",
             "[100,false,101,true]");
    daemon_stop(&d);
}

/* A daemon with tokens: the page asks for one, says when it is wrong, and keeps it nowhere. Then links and downloads
 * work too. */
static void test_home_token(void **state)
{
    static const char before[] = "const form = by('token'), output = form.querySelector('output'), said = [];\n"
                                 "const enter = (text) => { by('secret').value = text; form.requestSubmit(); };\n"
                                 "await until(() => !form.hidden);\n"
                                 "said.push(row().length);\n"
                                 "enter('wrong');\n"
                                 "await until(() => !form.hidden && output.value);\n"
                                 "said.push(output.value.length > 20);\n";
    static const char after[] =
        "await until(() => row().length);\n"
        "said.push(form.hidden, row()[0]);\n"
        "find('#meshes td a').click();\n"
        "await until(() => find('dialog[open]'));\n"
        "said.push(JSON.parse(find('dialog pre').textContent).id);\n"
        "const url = URL.createObjectURL;\n"
        "let saved, blob;\n"
        "URL.createObjectURL = (b) => url.call(URL, blob = b);\n"
        "HTMLAnchorElement.prototype.click = function () { saved = this.download; };\n"
        "find('#meshes button').click();\n"
        "await until(() => saved);\n"
        "said.push(saved, (await blob.text()).split('\\nv ').length);\n"
        "said.push(localStorage.length, sessionStorage.length, document.cookie, location.search);\n"
        "return JSON.stringify(said)";
    struct daemon d = {0};
    char tokens[96], token[256], script[3072];
    (void)state;
    skip_without_browser();
    snprintf(tokens, sizeof tokens, "%s/tokens", dir);
    const char *const make[] = {"--tokens-file", tokens, "--new-token", "visitor:read", NULL};
    const char *const options[] = {"--tokens-file", tokens, NULL};
    assert_int_equal(daemon_run(make, token, sizeof token), 0);
    token[strcspn(token, "\n")] = 0;
    start_with(&d, "cube", options);
    snprintf(script, sizeof script, "%senter('%s');\n%s", before, token, after);
    ask_page(&d, "/", script, "[0,true,true,\"cube\",\"m_1\",\"cube.obj\",9,0,0,\"\",\"\"]");
    daemon_stop(&d);
}

/* The interface has a section for each request and for each schema, with what the document says of it, and no link
 * inside the page leads nowhere. */
static void test_docs(void **state)
{
    struct daemon d = {0};
    char want[64];
    (void)state;
    skip_without_browser();
    daemon_start(&d, NULL);
    snprintf(want, sizeof want, "[%d,%d,0,true]", n_routes, n_routes);
    ask_page(&d, "/docs",
             "await until(() => by('Problem'));\n"
             "const api = await (await fetch('/v1/openapi.json')).json();\n"
             "const count = (what) => document.querySelectorAll(what).length;\n"
             "const links = [...document.querySelectorAll('a[href^=\"#\"]')];\n"
             "return JSON.stringify([count('section h3 .method'),\n"
             "  count('section') - Object.keys(api.components.schemas).length,\n"
             "  links.filter((a) => !by(a.hash.slice(1))).length, by('create').textContent.includes('crease_method')])",
             want);
    daemon_stop(&d);
}

static int make_dir(void **state)
{
    (void)state;
    memcpy(dir, "/tmp/subdd-browser-XXXXXX", sizeof "/tmp/subdd-browser-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    struct daemon d = {0};
    (void)state;
    memcpy(d.dir, dir, sizeof d.dir);
    daemon_clean(&d);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_origin), cmocka_unit_test(test_rebinding),
                                       cmocka_unit_test(test_home),         cmocka_unit_test(test_home_pages),
                                       cmocka_unit_test(test_home_token),   cmocka_unit_test(test_docs)};
    return cmocka_run_group_tests_name("http/browser", tests, make_dir, remove_dir);
}
