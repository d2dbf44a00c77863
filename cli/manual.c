/* manual.c - manual pages and the completion of bash, from the tables that also make the help.
 *
 *   DIR/man1/slipstick.1            all commands
 *   DIR/man1/slipstick-COMMAND.1    one command with its options
 *   DIR/completions/slipstick       for bash: commands, options, names of schemes and solvers, and files
 *
 * In a manual page a backslash, and a dot or an apostrophe at the start of a line, mean something to the program that prints it:
 * they are escaped, and dashes too, so that options can be copied from the page. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- manual pages -------------------------------------------------------------------------------- */

static void put_text(FILE *f, const char *text)
{
    fputs(*text == '.' || *text == '\'' ? "\\&" : "", f);
    for (; *text; text++) {
        fputs(*text == '\\' ? "\\e" : *text == '-' ? "\\-" : (char[]){ *text, '\0' }, f);
    }
}

static void put_title(FILE *f, const char *page, const char *doc)
{
    fputs(".TH ", f);
    put_text(f, page);
    fprintf(f, " 1 \"\" \"slipstick %s\" \"slipstick\"\n.SH NAME\n", ss_version());
    put_text(f, page);
    fputs(" \\- ", f);
    put_text(f, doc);
    fputs("\n.SH SYNOPSIS\n", f);
}

/* "slipstick run SCENE [options]" */
static void put_usage(FILE *f, const cli_command *c)
{
    fputs(".B slipstick ", f);
    put_text(f, c->usage);
    fputs(c->options ? " [options]\n" : "\n", f);
}

static void put_option(FILE *f, const cli_option *o)
{
    fputs(".TP\n", f);
    if (o->letter) {
        fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
    }
    fputs("\\fB", f);
    put_text(f, "--");
    put_text(f, o->name);
    fputs("\\fR", f);
    if (o->argument) {
        fputs(" ", f);
        put_text(f, o->argument);
    }
    fputs("\n", f);
    put_text(f, o->doc);
    fputs("\n", f);
}

static void put_status(FILE *f)
{
    fputs(".SH EXIT STATUS\n", f);
    static const char *const table[][2] = {
        { "0", "done" },
        { "1", "the simulation could not continue, or a step was not certified with --strict" },
        { "2", "wrong usage or invalid input" },
        { "130", "interrupted by a signal; results so far are kept" },
    };
    for (int k = 0; k < 4; k++) {
        fprintf(f, ".TP\n.B %s\n", table[k][0]);
        put_text(f, table[k][1]);
        fputs("\n", f);
    }
}

static void put_command(FILE *f, const cli_command *c)
{
    char page[64];
    snprintf(page, sizeof page, "slipstick-%s", c->name);
    put_title(f, page, c->doc);
    put_usage(f, c);
    fputs(c->options ? ".SH OPTIONS\nNumbers may be expressions: 2^\\-5, 5/27, pi/3.\n" : "", f);
    for (const cli_option *o = c->options; o && o->name; o++) {
        put_option(f, o);
    }
    put_status(f);
    fputs(".SH SEE ALSO\n.BR slipstick (1)\n", f);
}

static void put_overview(FILE *f)
{
    put_title(f, "slipstick", "rigid bodies with hard contact, joints, friction and impact");
    fputs(".B slipstick\nCOMMAND [words] [options]\n.SH COMMANDS\n", f);
    for (int k = 0; cli_commands[k]; k++) {
        fputs(".TP\n", f);
        put_usage(f, cli_commands[k]);
        put_text(f, cli_commands[k]->doc);
        fprintf(f, "; see\n.BR slipstick\\-%s (1)\n", cli_commands[k]->name);
    }
    put_status(f);
    fputs(".SH ENVIRONMENT\n.TP\n.B SLIPSTICK_DATA\na folder with scenes/ and papers/, looked into before those that were "
          "installed\n",
          f);
}

/* ---- completion ---------------------------------------------------------------------------------- */

static void put_names(FILE *f, ss_registry registry)
{
    for (int k = 0; k < ss_registry_count(registry); k++) {
        fprintf(f, "%s%s", k > 0 ? " " : "", ss_registry_entry(registry, k)->name);
    }
}

static void put_commands(FILE *f)
{
    for (int k = 0; cli_commands[k]; k++) {
        fprintf(f, "%s%s", k > 0 ? " " : "", cli_commands[k]->name);
    }
}

/* "a, b" without commas */
static void put_words(FILE *f, const char *words)
{
    for (; *words; words++) {
        fputs(*words == ',' ? "" : (char[]){ *words, '\0' }, f);
    }
}

/* what the command's first word and its options may be */
static void put_case(FILE *f, const cli_command *c)
{
    fprintf(f, "    %s) words=\"", c->name);
    if (c == &cli_help) {
        put_commands(f);
    } else if (c->words) {
        put_words(f, c->words);
    }
    fputs("\" options=\"", f);
    for (const cli_option *o = c->options; o && o->name; o++) {
        fprintf(f, "--%s ", o->name);
    }
    fputs("--help\" ;;\n", f);
}

static void put_completion(FILE *f)
{
    fputs("# completion of slipstick for bash, made by: slipstick help --write DIR\n"
          "_slipstick()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\"\" options=\"\"\n"
          "    case ${COMP_WORDS[1]} in\n",
          f);
    for (int k = 0; cli_commands[k]; k++) {
        put_case(f, cli_commands[k]);
    }
    fputs("    esac\n    [ \"$COMP_CWORD\" -gt 2 ] && words=\"\"\n    case $before in\n    --scheme) words=\"", f);
    put_names(f, SS_SCHEMES);
    fputs("\" options=\"\" ;;\n    --solver) words=\"", f);
    put_names(f, SS_SOLVERS);
    fputs("\" options=\"\" ;;\n    esac\n    [ \"$COMP_CWORD\" -eq 1 ] && words=\"", f);
    put_commands(f);
    fputs("\" options=\"--version --help\"\n"
          "    if [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    elif [ -n \"$words\" ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    fi\n}\n"
          "complete -o filenames -F _slipstick slipstick\n",
          f);
}

/* ---- files --------------------------------------------------------------------------------------- */

static int cannot_write(const char *path)
{
    cli_say("%s: cannot be written: %s", path, strerror(errno));
    return CLI_USAGE;
}

static int make_folder(const char *folder, const char *inner)
{
    char path[CLI_PATH];
    snprintf(path, sizeof path, "%s%s%s", folder, inner ? "/" : "", inner ? inner : "");
    return mkdir(path, 0777) == 0 || errno == EEXIST ? CLI_DONE : cannot_write(path);
}

/* one file; `command` NULL: the one of all commands, made by `overview` */
static int write_file(const char *folder, const char *name, void (*overview)(FILE *), const cli_command *command)
{
    char path[CLI_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        return cannot_write(path);
    }
    if (command) {
        put_command(f, command);
    } else {
        overview(f);
    }
    bool failed = ferror(f) != 0;
    failed = fclose(f) != 0 || failed;
    return failed ? cannot_write(path) : CLI_DONE;
}

int cli_write_manual(const char *folder)
{
    int code = make_folder(folder, NULL);
    code = code == CLI_DONE ? make_folder(folder, "man1") : code;
    code = code == CLI_DONE ? make_folder(folder, "completions") : code;
    code = code == CLI_DONE ? write_file(folder, "man1/slipstick.1", put_overview, NULL) : code;
    code = code == CLI_DONE ? write_file(folder, "completions/slipstick", put_completion, NULL) : code;
    for (int k = 0; cli_commands[k] && code == CLI_DONE; k++) {
        char name[80];
        snprintf(name, sizeof name, "man1/slipstick-%s.1", cli_commands[k]->name);
        code = write_file(folder, name, NULL, cli_commands[k]);
    }
    return code;
}
