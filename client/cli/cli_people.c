/* SPDX-License-Identifier: Apache-2.0 */
/* cli_people.c: numbers, times and tables as people read them, for all that is printed as text. On a terminal large
 * counts are short and times are ages; elsewhere both are exact, as something else may read them. */
#include "cli.h"
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

double cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_terminal(void)
{
    static int known = -1;
    if (known < 0)
        known = isatty(STDOUT_FILENO);
    return known;
}

static char *slot(void)
{
    static char slots[8][48];
    static unsigned next;
    return slots[next++ % 8];
}

const char *cli_count(int64_t n)
{
    char digits[24], *to = slot(), *p = to;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    for (int i = 0; i < length; i++) {
        *p++ = digits[i];
        if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-')
            *p++ = ',';
    }
    *p = 0;
    return to;
}

/* Three or four digits and a unit of thousands: 1234567 as "1.2 M". */
static const char *with_unit(double n, const char *const *units, int n_units)
{
    char *to = slot();
    int u = 0;
    for (; n >= 999.5 && u < n_units - 1; u++)
        n /= 1000;
    snprintf(to, 48, u == 0 || n >= 99.95 ? "%.0f %s" : "%.1f %s", n, units[u]);
    return to;
}

const char *cli_bytes(double n)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    return with_unit(n, units, 5);
}

const char *cli_amount(int64_t n)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    return on_terminal() && n >= 1000000 ? with_unit((double)n, units, 5) : cli_count(n);
}

const char *cli_seconds(double s)
{
    char *to = slot();
    if (s < 0.9995e-3)
        snprintf(to, 48, "%.0f us", s * 1e6);
    else if (s < 0.9995)
        snprintf(to, 48, s < 9.95e-3 ? "%.2f ms" : s < 99.5e-3 ? "%.1f ms" : "%.0f ms", s * 1e3);
    else if (s < 99.95)
        snprintf(to, 48, s < 9.995 ? "%.2f s" : "%.1f s", s);
    else if ((long long)(s + 0.5) % 60 == 0)
        snprintf(to, 48, "%lld min", (long long)(s + 0.5) / 60);
    else
        snprintf(to, 48, "%lld min %lld s", (long long)(s + 0.5) / 60, (long long)(s + 0.5) % 60);
    return to;
}

/* Reads the seconds of a time by RFC 3339 in UTC, as the daemon writes them; -1 when it is none. */
static int64_t seconds_of(const char *time)
{
    struct tm t = {0};
    const char *end = strptime(time, "%Y-%m-%dT%H:%M:%S", &t);
    if (end && *end == '.')
        end += 1 + strspn(end + 1, "0123456789");
    return end && strcmp(end, "Z") == 0 ? (int64_t)timegm(&t) : -1;
}

const char *cli_when(const char *rfc3339)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{365 * 86400, "year"}, {30 * 86400, "month"}, {86400, "day"},
                 {3600, "hour"},        {60, "minute"},        {1, "second"}};
    const int64_t then = seconds_of(rfc3339), age = (int64_t)time(NULL) - then;
    char *to;
    if (!on_terminal() || then < 0 || age < 0) /* The daemon's clock may go ahead of ours. */
        return rfc3339;
    to = slot();
    snprintf(to, 48, "just now");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (age >= units[i].seconds) {
            const int64_t n = age / units[i].seconds;
            snprintf(to, 48, "%lld %s%s ago", (long long)n, units[i].name, n == 1 ? "" : "s");
            break;
        }
    return to;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* How many columns of a terminal the text takes: names may be in any script. */
static int width_of(const char *text)
{
    mbstate_t state = {0};
    int width = 0;
    while (*text) {
        wchar_t c;
        const size_t n = mbrtowc(&c, text, strlen(text), &state);
        if (n == 0 || n > strlen(text))
            return width + (int)strlen(text);
        width += wcwidth(c) > 0 ? wcwidth(c) : 0;
        text += n;
    }
    return width;
}

void cli_table_row(struct cli_table *t, ...)
{
    va_list cells;
    va_start(cells, t);
    if (t->n == t->room) {
        size_t room = t->room ? t->room * 2 : 64;
        char *(*rows)[CLI_COLUMNS] = t->failed ? NULL : realloc(t->rows, room * sizeof *rows);
        t->failed |= !rows;
        t->rows = rows ? rows : t->rows;
        t->room = rows ? room : t->room;
    }
    if (!t->failed) {
        for (int k = 0; k < t->columns; k++) {
            const char *cell = va_arg(cells, const char *);
            t->rows[t->n][k] = t->failed ? NULL : strdup(cell);
            t->failed |= !t->rows[t->n][k];
        }
        t->n++;
    }
    va_end(cells);
}

/* Prints a cell so that control characters cannot reach the terminal. */
static void put_cell(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < 32 || *text == 127 ? '?' : *text);
}

int cli_table_print(struct cli_table *t)
{
    int widths[CLI_COLUMNS] = {0};
    setlocale(LC_CTYPE, "C.UTF-8");
    for (size_t i = 0; i < t->n && !t->failed; i++)
        for (int k = 0; k < t->columns; k++) {
            const int w = width_of(t->rows[i][k]);
            widths[k] = w > widths[k] ? w : widths[k];
        }
    for (size_t i = 0; i < t->n; i++) {
        int before = 0; /* Blanks, which a row does not end with. */
        fputs(t->failed ? "" : t->indent, stdout);
        for (int k = 0; k < t->columns; k++) {
            char *cell = t->rows[i][k];
            const int blanks = t->failed ? 0 : widths[k] - width_of(cell), right = t->right >> k & 1;
            before += right ? blanks : 0;
            if (!t->failed && *cell) {
                printf("%*s", before, "");
                put_cell(cell);
                before = 0;
            }
            before += (right ? 0 : blanks) + 2;
            free(cell);
        }
        fputs(t->failed ? "" : "\n", stdout);
    }
    free(t->rows);
    t->rows = NULL;
    t->n = t->room = 0;
    return !t->failed;
}
