/* SPDX-License-Identifier: Apache-2.0 */
/* errors_page.c: answers GET /docs/errors, the page that the `type` of a problem document points to: what each error of
 * err.def means and what to do, with its code as the anchor. It looks like the pages of server/web/. */
#include "server/api/api.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>subdd: errors</title>\n"
    "<link rel=\"icon\" href=\"/web/icon.svg\" type=\"image/svg+xml\">\n"
    "<link rel=\"stylesheet\" href=\"/web/page.css\">\n</head>\n<body class=\"errors\">\n"
    "<header>\n<a class=\"brand\" href=\"/\"><img src=\"/web/icon.svg\" alt=\"\" width=\"28\" height=\"28\">subdd</a>\n"
    "<nav><a href=\"/\">Meshes</a> <a href=\"/docs\">Interface</a></nav>\n</header>\n<main>\n<h1>Errors</h1>\n"
    "<p>An error is a problem document (RFC 9457). Its <code>type</code> points to an entry of this page, its "
    "<code>detail</code> says what was wrong this time, and its <code>instance</code> is the request id, by which the "
    "daemon's log has it.</p>\n";

static void put_error(struct text *t, int code)
{
    text_printf(t, "<section id=\"%s\">\n<h2>%s</h2>\n<p>Status %d: %s.</p>\n<p>What to do: %s.%s</p>\n</section>\n",
                sdd_err_code(code), sdd_err_code(code), sdd_err_http(code), sdd_err_title(code), sdd_err_advice(code),
                sdd_err_retryable(code) ? " The same request may succeed later." : "");
}

void api_errors_page(struct request *r)
{
    struct text t = {0};
    text_puts(&t, head);
    for (int code = SDD_ERR_FIRST_ + 1; code < SDD_ERR_LAST_; code++)
        put_error(&t, code);
    text_puts(&t, "</main>\n</body>\n</html>\n");
    answer_text(r, 200, MEDIA_HTML, &t);
    page_headers(r);
}
