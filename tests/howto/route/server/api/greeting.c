/* SPDX-License-Identifier: Apache-2.0 */
/* greeting.c: the handler of a sample route, which answers at once, on the loop. */
#include "server/api/api.h"

void api_greeting(struct request *r)
{
    struct text t = {0};
    text_puts(&t, "hello\n");
    answer_text(r, 200, MEDIA_TEXT, &t);
}
