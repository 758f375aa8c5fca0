/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: the command subdd: reads the options, does what they ask, and returns the exit code. */
#include "server/net/auth.h"
#include "server/config.h"
#include "server/serve.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int say(int code, const char *what)
{
    fprintf(code ? stderr : stdout, code ? "subdd: %s\n" : "%s", what ? what : "");
    return code;
}

static int new_token(const struct config *c)
{
    struct text error = {0};
    char token[64];
    if (auth_new_token(c->tokens_file, c->new_token, token, &error))
        say(EXIT_USAGE, error.data);
    else
        printf("%s\n", token);
    int code = error.bytes ? EXIT_USAGE : 0;
    text_free(&error);
    return code;
}

/* Makes idle threads of OpenMP sleep soon, unless the environment says how they wait. They would otherwise look for
 * work for milliseconds after each kernel, on cores that the threads need which send and receive its answer. The
 * library reads the setting when it is loaded, so the daemon starts itself once more with the variable set. */
static void wait_briefly(char **argv)
{
    char path[PATH_MAX];
    /* The process gets the name of the file at this path. */
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    path[n] = 0;
    const char *slash = strrchr(path, '/');
    const bool by_loader =
        slash && strncmp(slash, "/ld-", 4) == 0; /* Then it is the path of the loader, not of the daemon. */
    if (!by_loader && setenv("GOMP_SPINCOUNT", "20000", 1) == 0)
        (void)execv(path, argv); /* If this fails, the daemon is only slower. */
}

int main(int argc, char **argv)
{
    struct config config;
    struct text text = {0};
    int code = 0;
    wait_briefly(argv);
    if (!config_load(&config, argc, argv, &text))
        code = say(EXIT_USAGE, text.data);
    else if (config.help)
        config_help(&text);
    else if (config.man)
        config_man(&text);
    else if (config.version)
        text_printf(&text, "subdd %s\n", sdd_version());
    else if (config.print_config)
        config_print(&config, &text);
    else if (*config.new_token)
        code = new_token(&config);
    else
        code = serve(&config, sdd_device_open);
    if (!code && text.bytes)
        say(0, text.data);
    text_free(&text);
    config_free(&config);
    return code;
}
