/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: options in, exit code out. */
#include "server/auth.h"
#include "server/config.h"
#include "server/serve.h"
#include <stdio.h>

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

int main(int argc, char **argv)
{
    struct config config;
    struct text text = {0};
    int code = 0;
    if (!config_load(&config, argc, argv, &text))
        code = say(EXIT_USAGE, text.data);
    else if (config.help)
        config_help(&text);
    else if (config.version)
        text_printf(&text, "subdd %s\n", sdd_version());
    else if (config.print_config)
        config_print(&config, &text);
    else
        code = *config.new_token ? new_token(&config) : serve(&config, sdd_device_open);
    if (!code && text.bytes)
        say(0, text.data);
    text_free(&text);
    config_free(&config);
    return code;
}
