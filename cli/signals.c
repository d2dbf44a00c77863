/* signals.c - the flag that an interrupt sets: a global, since nothing can be passed to a signal handler. */
#include "cli.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;
_Static_assert(_Generic((sig_atomic_t)0, int : true, default : false), "those who are interrupted look at an int");

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* a second signal ends the process the usual way; nohup has SIGHUP ignored, and that stays */
const volatile int *cli_catch_signals(void)
{
    struct sigaction before;
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
    return &interrupted;
}
