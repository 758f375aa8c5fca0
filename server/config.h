/* SPDX-License-Identifier: Apache-2.0 */
/* config.h: THE option table. One row makes a flag, a SUBDD_* variable, a key of the config file and a line of
 * --help. */
#ifndef SUBDD_CONFIG_H
#define SUBDD_CONFIG_H
#include "server/base/settings.h"
#include "server/base/text.h"

/* config_load: defaults, then the file of --config (or SUBDD_CONFIG), then SUBDD_* variables, then flags; later wins.
 * false: `error` says which option of which source is wrong. */
bool config_load(struct config *c, int argc, char **argv, struct text *error);
void config_free(struct config *c);
void config_help(struct text *out);                          /* --help                                  */
void config_print(const struct config *c, struct text *out); /* --print-config: a file that --config takes */

#endif
