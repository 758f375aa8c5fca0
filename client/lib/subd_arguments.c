/* SPDX-License-Identifier: Apache-2.0 */
/* subd_arguments.c: checks what the caller of a public function hands over, before anything is sent. */
#include "subd_internal.h"
#include <string.h>

#define MAX_GROWTH 4096 /* No later version of a struct is larger by more; beyond it `size` was never set. */

int subd_need(struct subd_error *err, const char *function, const char *names, ...)
{
    int rc = SUBD_OK;
    va_list args;
    va_start(args, names);
    for (const char *name = names; *name && rc == SUBD_OK;) {
        int length = (int)strcspn(name, ",");
        if (!va_arg(args, const void *))
            rc = subd_fail(err, SUBD_EUSAGE, "%s: the argument `%.*s` is NULL", function, length, name);
        name += length;
        name += strspn(name, ", ");
    }
    va_end(args);
    return rc;
}

int subd_take(void *to, size_t known, const void *from, const char *name, struct subd_error *err)
{
    const unsigned char *bytes = from;
    size_t size = known;
    memset(to, 0, known);
    if (from)
        memcpy(&size, from, sizeof size);
    if (size <= sizeof size || size > known + MAX_GROWTH)
        return subd_fail(err, SUBD_EUSAGE, "`size` of struct %s is %zu: initialise the struct with SUBD_INIT(%s, ...)",
                         name, size, name);
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return subd_fail(err, SUBD_EUSAGE,
                             "a member of struct %s is set that libsubd %s does not know: leave it out, or use the "
                             "libsubd that the program was built with",
                             name, subd_version());
    if (from)
        memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known);
    return SUBD_OK;
}

int subd_take_body(struct subd_body *to, const struct subd_body *from, const char *function, struct subd_error *err)
{
    int rc = subd_need(err, function, "body", from);
    if (rc != SUBD_OK)
        return rc;
    if (!from->media_type || (!from->data && from->bytes))
        return subd_fail(err, SUBD_EUSAGE, "%s: the body's %s is NULL", function,
                         from->media_type ? "data" : "media_type");
    *to = *from;
    if (!to->data)
        to->data = "";
    return SUBD_OK;
}
