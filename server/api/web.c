/* SPDX-License-Identifier: Apache-2.0 */
/* web.c: answers with the pages for people, whose files are in server/web/. They are in the daemon's binary, hold
 * nothing of the store and need no token: their scripts ask the rest of the interface, as any client does. The viewer's
 * files are made of client/web by `make viewer`, where Node is, and lie beside the daemon's program. */
#include "server/api/api.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

#define VIEWER_BYTES (4 << 20) /* The most that a file of the viewer may have. */

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

/* Opens a file of the viewer: share/subdd/viewer/NAME.gz, beside the folder of the daemon's program. Returns -1 when it
 * is not there. It is looked for at each request, so that `make viewer` needs no new start of the daemon. */
static int open_viewer(const char *name)
{
    char path[PATH_MAX + 64];
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;
    if (n <= 0)
        return -1;
    path[n] = 0;
    if (!(slash = strrchr(path, '/')))
        return -1;
    (void)snprintf(slash, 64, "/../share/subdd/viewer/%s.gz", name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads the file, whose status is `info`, as a whole. The caller frees it. Returns NULL when that fails. */
static unsigned char *read_viewer(int fd, const struct stat *info)
{
    const size_t n = (size_t)info->st_size;
    unsigned char *bytes = malloc(n + 1);
    size_t got = 0;
    for (ssize_t more = 1; bytes && got < n && more > 0; got += more > 0 ? (size_t)more : 0)
        more = read(fd, bytes + got, n - got);
    if (bytes && got == n)
        return bytes;
    free(bytes);
    return NULL;
}

/* Every browser takes gzip, so there is no other form. */
static void answer_viewer(struct request *r, const char *name)
{
    const char *known = request_header(r, "If-None-Match");
    unsigned char *bytes = NULL;
    struct stat info;
    char tag[64];
    const int fd = open_viewer(name);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size <= VIEWER_BYTES)
        bytes = read_viewer(fd, &info);
    if (fd >= 0)
        (void)close(fd);
    if (!bytes) {
        answer_fail(
            r, SDD_ENOT_FOUND, "path",
            "this daemon has no viewer: where Node.js is installed, run `make viewer`, then load the page again");
        return;
    }
    (void)snprintf(tag, sizeof tag, "\"%llx-%llx.%lx\"", (unsigned long long)info.st_size,
                   (unsigned long long)info.st_mtim.tv_sec, (unsigned long)info.st_mtim.tv_nsec);
    if (known && etag_matches(known, tag, true))
        answer_empty(r, 304);
    else {
        answer_copy(r, 200, media_of_file(name), bytes, (size_t)info.st_size);
        answer_header(r, "Content-Encoding", "gzip");
    }
    free(bytes);
    answer_header(r, "ETag", tag);
    page_headers(r);
}

void api_viewer(struct request *r)
{
    answer_viewer(r, "viewer.html");
}

void api_viewer_file(struct request *r)
{
    static const char *const names[] = {"viewer.js", "viewer.css"};
    const size_t folder = strlen("/viewer/");
    size_t n;
    const char *path = request_path(r, &n);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == n - folder && memcmp(path + folder, names[i], n - folder) == 0) {
            answer_viewer(r, names[i]);
            return;
        }
    answer_fail(r, SDD_ENOT_FOUND, "path", "the viewer has no such file; GET /viewer is the page");
}
