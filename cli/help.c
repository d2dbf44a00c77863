/* help.c - what the commands are, from their tables. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_option(const cli_option *o)
{
    char left[64];
    int n = snprintf(left, sizeof left, "  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    if (o->letter && n > 0 && (size_t)n < sizeof left) {
        snprintf(left, sizeof left, "  -%c, --%s %s", o->letter, o->name, o->argument ? o->argument : "");
    }
    printf("%-30s %s\n", left, o->doc);
}

/* " [--name ARGUMENT]", on a new line if this one is full; the column after it */
static int print_short(const cli_option *o, int column)
{
    enum { INDENT = 11, WIDTH = 110 };
    char word[80];
    bool again = o->kind == CLI_LIST || o->kind == CLI_SET;
    char letter[8] = "";
    if (o->letter) {
        snprintf(letter, sizeof letter, "-%c|", o->letter);
    }
    int n = snprintf(word, sizeof word, " [%s--%s%s%s]%s", letter, o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "", again ? "..." : "");
    if (column + n > WIDTH) {
        column = printf("\n%*s", INDENT, "") - 1;
    }
    printf("%s", word);
    return column + n;
}

/* one command with all its options */
static void print_usage(const cli_command *command)
{
    int column = printf("  slipstick %s", command->usage);
    for (const cli_option *o = command->options; o && o->name; o++) {
        column = print_short(o, column);
    }
    printf("\n      %s\n", command->doc);
}

static void print_commands(void)
{
    printf("slipstick %s - rigid bodies with hard contact, joints, friction and impact\n\n", ss_version());
    for (int k = 0; cli_commands[k]; k++) {
        print_usage(cli_commands[k]);
    }
    printf("  slipstick -V|--version\n\n");
    printf("slipstick help COMMAND or slipstick COMMAND --help explains the options of a command.\n"
           "A SCENE of - is read from standard input. Numbers may be expressions: 2^-5, 5/27, pi/3. Exit status: 0 done; 1 the "
           "simulation could not continue, or a step was\n"
           "not certified with --strict; 2 wrong usage or invalid input; 130 interrupted by a signal, with the results so far "
           "kept.\n");
}

void cli_print_help(const cli_command *command)
{
    if (!command) {
        print_commands();
        return;
    }
    printf("slipstick %s%s\n%s\n", command->usage, command->options ? " [options]" : "", command->doc);
    for (const cli_option *o = command->options; o && o->name; o++) {
        print_option(o);
    }
}

typedef struct help_options {
    const char *folder;
} help_options;

static const cli_option options_table[] = {
    { .name = "write",
      .kind = CLI_TEXT,
      .offset = offsetof(help_options, folder),
      .argument = "DIR",
      .doc = "write manual pages (DIR/man1) and the completion for bash (DIR/completions) instead" },
    { .name = NULL },
};

static int run(ss_context *ctx, int argc, char **argv)
{
    help_options options = { .folder = NULL };
    const char *word[1] = { NULL };
    const char *names[16];
    int n = 0;
    if (!cli_parse(ctx, &cli_help, argc, argv, &options, 1, word)) {
        return CLI_USAGE;
    }
    if (options.folder) {
        return cli_write_manual(options.folder);
    }
    for (int k = 0; word[0] && cli_commands[k]; k++) {
        names[n++] = cli_commands[k]->name;
        if (strcmp(word[0], cli_commands[k]->name) == 0) {
            cli_print_help(cli_commands[k]);
            return CLI_DONE;
        }
    }
    names[n] = NULL;
    if (word[0]) {
        cli_unknown("slipstick help", "command", word[0], names);
        return CLI_USAGE;
    }
    cli_print_help(NULL);
    return CLI_DONE;
}

const cli_command cli_help = {
    .name = "help",
    .usage = "help [COMMAND]",
    .doc = "list the commands, or explain the options of one",
    .options = options_table,
    .run = run,
};
