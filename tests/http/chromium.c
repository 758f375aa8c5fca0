/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/chromium.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t chromium_run(const char *const *argv, const char *dir, const char *log, int in, int out)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    setpgid(pid, 0); /* a browser is many processes, which end together; by both, as nobody knows who is first */
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int said = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (in >= 0) { /* first out of the way of 3 and 4, which they may be themselves */
        const int from = fcntl(in, F_DUPFD_CLOEXEC, 10), to = fcntl(out, F_DUPFD_CLOEXEC, 10);
        dup2(from, 3);
        dup2(to, 4);
    }
    if (chdir(dir) == 0 && setenv("TMPDIR", dir, 1) == 0) /* Killed, it leaves what it has there. */
        execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

void chromium_end(pid_t group)
{
    kill(-group, SIGKILL);
    waitpid(group, NULL, 0);
}

pid_t chromium_start(const char *dir, const char *log, const char *url, const char *flag, int in, int out)
{
    static int n;
    char profile[96];
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
                                flag,
                                NULL};
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile%d", dir, n++);
    return chromium_run(argv, dir, log, in, out);
}

/* ---- the protocol of its developer tools: JSON texts over two pipes, each ending with a NUL ---------------------- */
struct tools {
    int to, from, last; /* `last` numbers the commands. */
    const char *session, *log;
    char *text; /* what came and is not used up yet */
    size_t n;
};

static cJSON *receive(struct tools *t)
{
    const double until = seconds_now() + BROWSER_S;
    while (!t->n || !memchr(t->text, 0, t->n)) {
        struct pollfd p = {t->from, POLLIN, 0};
        t->text = realloc(t->text, t->n + 65536);
        assert_non_null(t->text);
        const ssize_t n =
            poll(&p, 1, (int)((until - seconds_now()) * 1e3)) == 1 ? read(t->from, t->text + t->n, 65536) : 0;
        if (n <= 0)
            fail_msg("the browser does not answer: %s", slurp(t->log, NULL));
        t->n += (size_t)n;
    }
    const size_t used = strlen(t->text) + 1;
    cJSON *message = cJSON_ParseWithLength(t->text, used - 1);
    memmove(t->text, t->text + used, t->n -= used);
    assert_non_null(message);
    return message;
}

/* Sends a command, takes over its parameters, and returns its result. Events that come in between are dropped. */
static cJSON *command(struct tools *t, const char *method, cJSON *parameters)
{
    cJSON *message = cJSON_CreateObject(), *result = NULL;
    cJSON_AddNumberToObject(message, "id", ++t->last);
    cJSON_AddStringToObject(message, "method", method);
    cJSON_AddItemToObject(message, "params", parameters);
    if (t->session)
        cJSON_AddStringToObject(message, "sessionId", t->session);
    char *text = cJSON_PrintUnformatted(message);
    for (size_t n = strlen(text) + 1, at = 0; at < n;) {
        const ssize_t put = write(t->to, text + at, n - at);
        assert_true(put > 0);
        at += (size_t)put;
    }
    free(text);
    for (cJSON_Delete(message); !result; cJSON_Delete(message)) {
        message = receive(t);
        const cJSON *id = cJSON_GetObjectItem(message, "id");
        if (!cJSON_IsNumber(id) || id->valueint != t->last)
            continue;
        result = cJSON_DetachItemFromObject(message, "result");
        if (!result)
            fail_msg("%s: %s", method, cJSON_PrintUnformatted(message));
    }
    return result;
}

static char *member(cJSON *of, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(of, name);
    char *copy = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;
    cJSON_Delete(of);
    return copy;
}

/* The text that an expression, or the promise that it is, comes to; NULL when it is none. */
static char *evaluate(struct tools *t, const char *expression)
{
    cJSON *parameters = cJSON_CreateObject();
    cJSON_AddStringToObject(parameters, "expression", expression);
    cJSON_AddBoolToObject(parameters, "awaitPromise", true);
    cJSON_AddBoolToObject(parameters, "returnByValue", true);
    cJSON *result = command(t, "Runtime.evaluate", parameters);
    if (cJSON_GetObjectItem(result, "exceptionDetails"))
        fail_msg("the script failed: %s", cJSON_PrintUnformatted(result));
    char *text = member(cJSON_DetachItemFromObject(result, "result"), "value");
    cJSON_Delete(result);
    return text;
}

char *chromium_ask(const char *dir, const char *url, const char *script)
{
    char log[96], *loaded = NULL, *target;
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    cJSON *parameters = cJSON_CreateObject();
    signal(SIGPIPE, SIG_IGN); /* A browser that ended is told by its log. */
    snprintf(log, sizeof log, "%s/browser", dir);
    assert_true(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    pid_t pid = chromium_start(dir, log, "about:blank", "--remote-debugging-pipe", to[0], from[1]);
    close(to[0]);
    close(from[1]);
    struct tools t = {.to = to[1], .from = from[0], .log = log};
    cJSON_AddStringToObject(parameters, "url", url);
    target = member(command(&t, "Target.createTarget", parameters), "targetId");
    parameters = cJSON_CreateObject();
    cJSON_AddStringToObject(parameters, "targetId", target);
    cJSON_AddBoolToObject(parameters, "flatten", true);
    char *session = member(command(&t, "Target.attachToTarget", parameters), "sessionId");
    t.session = session;
    for (double until = seconds_now() + BROWSER_S; !loaded && seconds_now() < until; usleep(20000))
        loaded = evaluate(&t, "location.href != 'about:blank' && document.readyState == 'complete' ? 'yes' : 0");
    assert_non_null(loaded);
    char *expression = NULL;
    assert_true(asprintf(&expression, "(async () => {%s})()", script) > 0);
    char *said = evaluate(&t, expression);
    chromium_end(pid);
    close(t.to);
    close(t.from);
    free(expression);
    free(loaded);
    free(session);
    free(target);
    free(t.text);
    assert_non_null(said);
    return said;
}
