/* SPDX-License-Identifier: Apache-2.0 */
/* config.h: the table of options. One row makes a flag, a variable SUBDD_*, a key of the config file and a line of
 * --help. */
#ifndef SUBDD_CONFIG_H
#define SUBDD_CONFIG_H
#include "server/base/settings.h"
#include "server/base/text.h"

/* config_load: reads the defaults, then the file of --config (or SUBDD_CONFIG), then variables SUBDD_*, then flags; a
 * later source overrides an earlier one. Returns false when an option is wrong, and `error` names it and its source. */
bool config_load(struct config *c, int argc, char **argv, struct text *error);
void config_free(struct config *c);
/* config_help: writes the text of --help. */
void config_help(struct text *out);
/* config_man: writes the manual page subdd(8), for --man. */
void config_man(struct text *out);
/* config_print: writes the options, each below what it is for, as a file that --config accepts, for --print-config and
 * the sample that `make install` makes of it. */
void config_print(const struct config *c, struct text *out);

#endif
