/* main.c - slipstick: which command.
 *
 * The BLAS library reads its number of threads when it is loaded, before main. Its results depend on that number
 * in the last bits, so unless the user has chosen one the program starts itself again with one thread. Our own threads
 * sleep while they wait: spinning is many times slower as soon as another program wants the machine.
 *
 * Large arrays are mapped one by one, whatever has been freed before: they grow without being copied, what they do not use yet
 * takes no memory, and nothing is left behind where they were. A pile of 1e4 spheres takes a quarter less memory so. */
#include "cli.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_command *const cli_commands[] = { &cli_run,      &cli_check,    &cli_list_command, &cli_solve,
                                            &cli_generate, &cli_converge, &cli_compare,      &cli_reproduce,
                                            &cli_sweep,    &cli_plot,     &cli_view,         &cli_help,
                                            NULL };

static const cli_command *find_command(const char *word)
{
    const char *names[16];
    int n = 0;
    for (int k = 0; cli_commands[k]; k++) {
        if (strcmp(cli_commands[k]->name, word) == 0) {
            return cli_commands[k];
        }
        names[n++] = cli_commands[k]->name;
    }
    names[n] = NULL;
    cli_unknown("slipstick", "command", word, names);
    return NULL;
}

/* -h or --help among the words of a command */
static bool asks_for_help(int argc, char **argv)
{
    for (int k = 2; k < argc && strcmp(argv[k], "--") != 0; k++) {
        if (strcmp(argv[k], "-h") == 0 || strcmp(argv[k], "--help") == 0) {
            return true;
        }
    }
    return false;
}

/* returns only if nothing has to be done, or if the program cannot be started again */
static void use_one_blas_thread(char **argv)
{
    char path[4096];
    ssize_t length = getenv("OPENBLAS_NUM_THREADS") ? -1 : readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0 && setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) {
        path[length] = '\0';
        execv(path, argv);
    }
}

static void map_large_arrays(void)
{
    enum { LARGE = 1 << 18 }; /* bytes */
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 2 * LARGE);
}

int main(int argc, char **argv)
{
    use_one_blas_thread(argv);
    map_large_arrays();
    const char *word = argc > 1 ? argv[1] : "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "-v") == 0) {
        printf("slipstick %s\n", ss_version());
        return cli_finish(CLI_DONE);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        word = "help";
    }
    const cli_command *command = find_command(word);
    if (!command) {
        cli_print_error(argc, argv, CLI_USAGE);
        return CLI_USAGE;
    }
    if (asks_for_help(argc, argv)) {
        cli_print_help(command);
        return cli_finish(CLI_DONE);
    }
    ss_context *ctx = NULL;
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then an error of the write, not the end of the process */
    if (!cli_make_context(&ctx)) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int status = command->run(ctx, argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv);
    cli_print_error(argc, argv, status);
    ss_context_destroy(ctx);
    return cli_finish(status);
}
