/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c: main of `subd`, the command line of subdd. It parses the arguments, opens a client and runs the verb. */
#include "cli.h"
#include "client/lib/subd_people.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The token comes from the environment or from a file. Everybody on the machine could read it in the arguments. */
static int read_token(struct cli *c, char **token)
{
    const char *given = getenv("SUBD_TOKEN");
    size_t n;
    *token = NULL;
    if (c->token_file) {
        if (cli_read(c->token_file, token, &n) != 0)
            return cli_fail(c, EXIT_FILE, "the token file %s cannot be read: %s", c->token_file, strerror(errno));
        *token = realloc(*token, n + 1);
        if (!*token)
            return cli_fail(c, EXIT_LOCAL, "no memory");
        (*token)[n] = 0;
        n = strcspn(*token, " \t\r\n");
        (*token)[n] = 0;
        if (n == 0)
            return cli_fail(c, EXIT_FILE, "the token file %s is empty", c->token_file);
    } else if (given && *given && !(*token = strdup(given))) {
        return cli_fail(c, EXIT_LOCAL, "no memory");
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct subd_config config = SUBD_INIT(subd_config, .progress = cli_progress);
    int (*run)(struct cli *) = NULL;
    struct subd_error err;
    struct cli c;
    char *token = NULL;
    int code = cli_parse(&c, argc, argv, &run);
    if (code >= 0)
        return cli_flush(code);
    if ((code = read_token(&c, &token)) >= 0)
        goto out;
    if (!c.server)
        c.server = getenv("SUBD_SERVER");
    if (c.server && !*c.server)
        c.server = NULL;
    config.server = c.server;
    config.token = token;
    config.ca_file = c.ca_file;
    config.request_timeout_ms = (int64_t)(c.timeout_s * 1000 + 0.5);
    if (c.timeout_s > 0 && config.request_timeout_ms == 0)
        config.request_timeout_ms = 1;
    if (c.quick && c.timeout_s <= 0)
        config.stall_timeout_ms = CLI_QUICK_MS;
    cli_catch_signals();
    int rc = subd_open(&config, &c.client, &err);
    subd_bulk(c.client, c.bulk);
    if (rc != SUBD_OK || subd_use_lease(c.client, c.lease, &err) != SUBD_OK ||
        (c.takes_mesh && subd_find(c.client, c.args[0], &c.mesh, &err) != SUBD_OK))
        code = cli_report(&c, &err);
    else
        code = run(&c);
    cli_progress_clear();
    subd_close(c.client);
    code = cli_flush(code);
out:
    if (token)
        explicit_bzero(token, strlen(token));
    free(token);
    return code;
}
