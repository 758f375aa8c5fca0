/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between a socket and the HTTP library, and the small languages in headers. The first byte picks one. */
#include "server/net/mhd/guard.h"
#include "server/net/query.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_head(const char *bytes, size_t n)
{
    struct guard_head head, again;
    struct sdd_error err = {0};
    int rc = guard_head(bytes, n, 8192, &head, &err);
    if (rc == 1 &&
        (head.bytes > n || head.target + head.target_bytes > head.bytes || head.path_bytes > head.target_bytes))
        abort();
    if (rc == 1 && guard_head(bytes, head.bytes, 8192, &again, &err) != 1)
        abort(); /* what is good needs nothing behind it */
    if (rc == 1 && head.bytes && guard_head(bytes, head.bytes - 1, 8192, &again, &err) != 0)
        abort(); /* and every prefix of it waits */
}

static void fuzz_chunks(const char *bytes, size_t n)
{
    struct guard_chunks whole = {0}, parts = {0};
    int64_t all = guard_chunks(&whole, bytes, n), sum = 0;
    for (size_t at = 0; at < n && sum >= 0 && !parts.done; at++) {
        int64_t one = guard_chunks(&parts, bytes + at, 1);
        sum = one < 0 ? -1 : sum + one;
    }
    if (sum != all || (all >= 0 && memcmp(&whole, &parts, sizeof whole)))
        abort(); /* how it was cut must not matter */
}

static void fuzz_words(const char *text, size_t n)
{
    static const char *const names[] = {"level", "include", NULL};
    struct query q;
    struct sdd_error err = {0};
    int64_t first, length;
    if (guard_target(text, n, &err) == 1) {
        const char *mark = strchr(text, '?');
        if (query_parse(&q, mark ? mark + 1 : NULL, names, true, &err) == SDD_OK)
            (void)query_get(&q, "level");
        query_free(&q);
    }
    media_accepted(text, MEDIA_JSON | MEDIA_PROTOBUF, MEDIA_JSON);
    media_of(text);
    etag_matches(text, "\"1\"", true);
    if (range_parse(text, 1000, &first, &length) == 1 && (first < 0 || length < 1 || first + length > 1000))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    char *text = malloc(size); /* the rest and a NUL */
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    switch (data[0]) {
    case 'h': fuzz_head(text, size - 1); break;
    case 'c': fuzz_chunks(text, size - 1); break;
    default: fuzz_words(text, strlen(text)); break;
    }
    free(text);
    return 0;
}
