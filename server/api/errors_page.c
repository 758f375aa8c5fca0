/* SPDX-License-Identifier: Apache-2.0 */
/* errors_page.c: answers GET /docs/errors, the page that the `type` of a problem document points to: what each error of
 * err.def means and what to do, with its code as the anchor. */
#include "server/api/api.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>subdd: errors</title>\n<style>\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }\n"
    "h2 { font: bold 1em monospace; margin: 1.5em 0 0 } p { margin: 0 } :target { background: #fe8 }\n"
    "</style>\n</head>\n<body>\n<h1>Errors</h1>\n"
    "<p>An error is a problem document (RFC 9457). Its <code>type</code> points to an entry of this page, its "
    "<code>detail</code> says what was wrong this time, and its <code>instance</code> is the request id, by which the "
    "daemon's log has it.</p>\n";

static void put_error(struct text *t, int code)
{
    text_printf(t, "<h2 id=\"%s\">%s</h2>\n<p>Status %d: %s.</p>\n<p>What to do: %s.%s</p>\n", sdd_err_code(code),
                sdd_err_code(code), sdd_err_http(code), sdd_err_title(code), sdd_err_advice(code),
                sdd_err_retryable(code) ? " The same request may succeed later." : "");
}

void api_errors_page(struct request *r)
{
    struct text t = {0};
    text_puts(&t, head);
    for (int code = SDD_ERR_FIRST_ + 1; code < SDD_ERR_LAST_; code++)
        put_error(&t, code);
    text_puts(&t, "</body>\n</html>\n");
    answer_text(r, 200, MEDIA_HTML, &t);
    answer_header(r, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
}
