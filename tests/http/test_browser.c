/* SPDX-License-Identifier: Apache-2.0 */
/* A real browser, where one is installed: pages of another origin and of a rebound host name cannot reach the daemon,
 * and pages of an origin that --allow-origin names can. */
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BROWSER_S 90 /* a cold start on a busy machine */

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

static pid_t run(const char *const *argv, const char *log)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    setpgid(pid, 0); /* a browser is many processes, which end together; by both, as nobody knows who is first */
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (chdir(dir) == 0)
        execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void end(pid_t pid)
{
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

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
    char profile[96], log[96];
    const char *const argv[] = {"chromium",
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--disable-breakpad",
                                "--host-resolver-rules=MAP evil.example 127.0.0.1",
                                profile,
                                url,
                                watched ? NULL : "--dump-dom", /* which would end it before the page has done all */
                                NULL};
    static int n;
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile%d", dir, n++);
    snprintf(log, sizeof log, "%s/browser", dir);
    pid_t pid = run(argv, log);
    bool found = wait_for(watched ? watched : log, text, BROWSER_S, out);
    end(pid);
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
    pid_t pid = run(argv, log);
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
    assert_string_equal(said, "opaque;opaque;failed;failed");
    assert_int_equal(meshes(&d), 1);
    assert_true(daemon_metric(&d, "subdd_rejected_total{reason=\"origin\"}") >= 4);
    daemon_stop(&d);
    const char *const options[] = {"--allow-origin", origin, NULL};
    daemon_start(&d, options);
    create_cube(&d, id);
    visit(&d, origin, log, id, said);
    assert_string_equal(said, "opaque;opaque;201,1,3;204,,");
    daemon_stop(&d);
    end(server);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_origin), cmocka_unit_test(test_rebinding)};
    return cmocka_run_group_tests_name("http/browser", tests, make_dir, remove_dir);
}
