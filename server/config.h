/* SPDX-License-Identifier: Apache-2.0 */
/* config.h: THE option table. One row makes a flag, a SUBDD_* variable, a key of the config file and a line of
 * --help. */
#ifndef SUBDD_CONFIG_H
#define SUBDD_CONFIG_H
#include "server/base/text.h"
#include <stdbool.h>
#include <stdint.h>

struct config {
    char *listen, *data_dir, *backend, *cuda_module, *tokens_file, *log_file, *allow_host, *allow_origin;
    bool allow_unauthenticated;
    int64_t threads, host_workers, queue_size;
    int64_t gpu_memory, host_memory, cache_bytes; /* 0: chosen at start */
    int64_t max_connections, max_connections_per_address, max_header_bytes, max_body_bytes, max_json_bytes;
    int64_t max_inflight_bytes, max_level, max_output_bytes, stream_bytes, min_rate;
    double header_deadline, idle_timeout, request_deadline, drain_delay, drain_timeout; /* seconds */
    /* Not settings but things to do; flags only. */
    char *config_file, *new_token;
    bool print_config, help, version;
};

/* config_load: defaults, then the file of --config (or SUBDD_CONFIG), then SUBDD_* variables, then flags; later wins.
 * false: `error` says which option of which source is wrong. */
bool config_load(struct config *c, int argc, char **argv, struct text *error);
void config_free(struct config *c);
void config_help(struct text *out);                          /* --help                                  */
void config_print(const struct config *c, struct text *out); /* --print-config: a file that --config takes */

#endif
