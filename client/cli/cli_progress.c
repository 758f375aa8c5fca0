/* SPDX-License-Identifier: Apache-2.0 */
/* cli_progress.c: the progress bar on a terminal, and Ctrl-C, for all verbs. */
#include "cli.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 30
#define PERIOD 0.1 /* Seconds between two drawings; work that is shorter draws nothing. */

static volatile sig_atomic_t stops;
static int held, drawn, terminal = -1;
static double started, last;
static int stepping;                         /* 1 while steps are shown, not the requests that tell of them. */
static char current[32], part[96], note[96]; /* The label, and which of many parts is under way; "" without parts. */

static void on_signal(int number)
{
    (void)number;
    stops = stops + 1;
}

void cli_catch_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal}; /* Without SA_RESTART poll wakes up at once. */
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    signal(SIGPIPE, SIG_IGN); /* A failed write is reported, a signal would just end the program. */
}

int cli_stopped(void)
{
    return held ? stops > 1 : stops > 0;
}

void cli_hold(int on)
{
    held = on;
}

void cli_progress_clear(void)
{
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = stepping = 0;
    *current = *note = 0;
}

static int on_terminal(void)
{
    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    return terminal;
}

void cli_progress_part(int64_t i, int64_t n, const char *name)
{
    static double shown;
    const double now = cli_now();
    snprintf(part, sizeof part, n ? "%s of %s %.40s  " : "", cli_count(i), cli_count(n), name);
    if (!n || !on_terminal() || now - shown < PERIOD)
        return;
    shown = now;
    drawn = 1;
    fprintf(stderr, "\r\033[K%s", part);
}

static void draw(const char *label, int64_t done, int64_t total, int bytes)
{
    char bar[WIDTH + 1];
    double now = cli_now();
    int full;
    if (!on_terminal())
        return;
    if (strncmp(current, label, sizeof current - 1) != 0) {
        snprintf(current, sizeof current, "%s", label);
        started = last = now;
    }
    if (now - last < PERIOD)
        return;
    last = now;
    drawn = 1;
    if (total <= 0) {
        fprintf(stderr, "\r\033[K%s%-10s %.1f s", part, label, now - started);
        return;
    }
    full = (int)((double)done / (double)total * WIDTH);
    full = full < 0 ? 0 : full > WIDTH ? WIDTH : full;
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = 0;
    fprintf(stderr, "\r\033[K%s%-10s [%s] %3d %%%s", part, label, bar, (int)((double)done / (double)total * 100), note);
    if (bytes)
        fprintf(stderr, "  %s of %s, %s/s", cli_bytes((double)done), cli_bytes((double)total),
                cli_bytes((double)done / (now - started)));
}

int cli_progress(void *arg, enum subd_phase phase, int64_t done, int64_t total)
{
    static const char *const labels[] = {"sending", "computing", "receiving"};
    (void)arg;
    if (!stepping)
        draw(labels[phase], done, total, 1);
    return phase == SUBD_SENDING ? stops > 0 : cli_stopped();
}

void cli_progress_local(const char *label, int64_t done, int64_t total)
{
    draw(label, done, total, 0);
}

void cli_progress_step(int64_t done, int64_t total, const char *what)
{
    stepping = done < total; /* Then the result may come. */
    snprintf(note, sizeof note, "  %s", what);
    draw("fairing", done, total, 0);
}
