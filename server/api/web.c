/* SPDX-License-Identifier: Apache-2.0 */
/* web.c: answers with the pages for people, whose files are in server/web/. They are in the daemon's binary, hold
 * nothing of the store and need no token: their scripts ask the rest of the interface, as any client does. */
#include "server/api/api.h"
#include <string.h>

struct web_file {
    const char *name;
    const unsigned char *bytes;
    size_t n;
    const char *tag; /* The entity tag, made of the content. */
};
#include "web.h"

/* A page may load only the daemon's own files and ask only the daemon, and runs no script that stands in its HTML. */
#define POLICY                                                                                                         \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "   \
    "form-action 'none'; frame-ancestors 'none'"

static const char *media_of_file(const char *name)
{
    const char *ending = strrchr(name, '.');
    return strcmp(ending, ".html") == 0  ? "text/html; charset=utf-8"
           : strcmp(ending, ".css") == 0 ? "text/css; charset=utf-8"
           : strcmp(ending, ".svg") == 0 ? "image/svg+xml"
                                         : "text/javascript; charset=utf-8";
}

void page_headers(struct request *r)
{
    answer_header(r, "Cache-Control", "no-cache"); /* A newer daemon has newer files under the same names. */
    answer_header(r, "Content-Security-Policy", POLICY);
}

static void answer_file(struct request *r, const char *name, size_t n)
{
    const char *known = request_header(r, "If-None-Match");
    const struct web_file *file = web_files, *const end = web_files + sizeof web_files / sizeof web_files[0];
    while (file < end && !(strlen(file->name) == n && memcmp(file->name, name, n) == 0))
        file++;
    if (file == end) {
        answer_fail(r, SDD_ENOT_FOUND, "path", "the pages have no such file; GET / is the first of them");
        return;
    }
    if (known && etag_matches(known, file->tag, true))
        answer_empty(r, 304);
    else
        answer_copy(r, 200, media_of_file(file->name), file->bytes, file->n);
    answer_header(r, "ETag", file->tag);
    page_headers(r);
}

void api_home(struct request *r)
{
    answer_file(r, "index.html", strlen("index.html"));
}

void api_docs(struct request *r)
{
    answer_file(r, "docs.html", strlen("docs.html"));
}

void api_web(struct request *r)
{
    const size_t folder = strlen("/web/");
    size_t n;
    const char *path = request_path(r, &n);
    answer_file(r, path + folder, n - folder);
}
