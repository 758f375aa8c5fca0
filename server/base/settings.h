/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h: the value of each option. Every room reads those that concern it; server/config.c, which has the table of
 * options, fills them in. */
#ifndef SUBDD_SETTINGS_H
#define SUBDD_SETTINGS_H
#include <stdbool.h>
#include <stdint.h>

#define CONFIG_AUTO (-1)

struct config {
    char *listen, *data_dir, *backend, *cuda_module, *tokens_file, *log_file, *log_level, *log_format, *allow_host,
        *allow_origin;
    bool allow_unauthenticated, accept_data_loss;
    int64_t threads, host_workers, queue_size;
    int64_t history_versions, history_bytes;
    int64_t memory_limit, gpu_memory, host_memory; /* 0: chosen at start */
    int64_t pinned_percent;
    int64_t cache_bytes; /* CONFIG_AUTO: chosen at start; 0: none */
    int64_t max_connections, max_connections_per_address, max_header_bytes, max_body_bytes, max_json_bytes;
    int64_t max_inflight_bytes, max_level, max_output_bytes, stream_bytes, min_rate;
    double header_deadline, idle_timeout, request_deadline, drain_delay, drain_timeout; /* seconds */
    /* Not settings but things to do; flags only. */
    char *config_file, *new_token;
    bool print_config, man, help, version;
};

#endif
