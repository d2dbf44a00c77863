/* cli.h - the command line: commands, their options as tables, messages. */
#ifndef CLI_H
#define CLI_H

#include <slipstick/slipstick.h>

/* exit status */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

enum { CLI_PATH = 4096 }; /* longest name of a file */

typedef enum cli_kind {
    CLI_FLAG,     /* bool                                    */
    CLI_TEXT,     /* const char *                            */
    CLI_LIST,     /* cli_list, may be given again            */
    CLI_SET,      /* cli_list, kept as "KEY=TEXT"            */
    CLI_POSITIVE, /* double > 0                              */
    CLI_AMOUNT,   /* double >= 0                             */
    CLI_COUNT,    /* int >= 1                                */
    CLI_SEED,     /* int >= 0                                */
    CLI_DUMP,     /* cli_dump: a number and a file           */
} cli_kind;

typedef struct cli_list {
    const char **item;
    int n;
} cli_list;

typedef struct cli_dump {
    int step; /* 0: none */
    const char *file;
} cli_dump;

/* One option; the table of a command is ended by name NULL and also makes its help. */
typedef struct cli_option {
    const char *name; /* without the dashes                */
    char letter;      /* 0: none                           */
    cli_kind kind;
    size_t offset;        /* in the command's options          */
    const char *argument; /* how the help calls it; NULL: none */
    const char *doc;
} cli_option;

typedef struct cli_command {
    const char *name, *usage, *doc; /* usage: the command and its words, without the options */
    const char *words;              /* that its first word may be, "a, b, c"; NULL: a file, or none */
    const cli_option *options;
    int (*run)(ss_context *ctx, int argc, char **argv); /* argv[0] is the command's name */
} cli_command;

extern const cli_command cli_run, cli_check, cli_list_command, cli_solve, cli_generate, cli_converge, cli_compare, cli_reproduce,
    cli_plot, cli_view, cli_sweep, cli_help;
extern const cli_command *const cli_commands[]; /* NULL-terminated */

/* Read argv[1..] into `options` and at most `places` words; false: said why, exit with CLI_USAGE. */
bool cli_parse(ss_context *ctx, const cli_command *command, int argc, char **argv, void *options, int places, const char **word);
/* Is the word there? Else "slipstick run: no scene given" (`what`), with the usage. */
bool cli_given(const cli_command *command, const char *what, const char *word);
void cli_list_add(cli_list *list, const char *item);
void cli_list_free(cli_list *list);
bool cli_ends_with(const char *path, const char *extension); /* ".csv", in letters of either case */
/* "S,S,.." (may be NULL) as a list of schemes; false: said which is none. `letters` holds the list's texts: free both. */
bool cli_take_schemes(const cli_command *command, const char *text, char **letters, cli_list *list);

/* One line on stderr, control characters removed. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* `unknown WHAT "word"; did you mean ...`, or the list of valid names */
void cli_unknown(const char *before, const char *what, const char *word, const char *const *names);
/* Say the context's error, after "FILE: " unless it opens with the file already; the exit status for it. */
int cli_report(const ss_context *ctx, ss_status status, const char *file);
/* After a failure, under --json, when no JSON value was printed: {"error", "status"}. */
void cli_print_error(int argc, char **argv, int status);
/* Print JSON (takes the reference over) or text to stdout; the exit status. */
struct json_t;
int cli_print_json(struct json_t *value);
void cli_print_json_text(const char *text); /* the same of a value that is text already */
int cli_finish(int status);                 /* flush stdout; CLI_FAILED if that fails */

/* From now on SIGINT, SIGTERM and SIGHUP set this flag; the second one ends the process. */
const volatile int *cli_catch_signals(void);

/* A context whose warnings go to stderr; false: out of memory. */
bool cli_make_context(ss_context **out);

/* A scene or a paper: PATH itself, or among those that came with the program, whose name is put into `found`. */
const char *cli_find_data(const char *path, char found[CLI_PATH]);

/* Can a file be written there? Asked before anything is computed; else says why not. Leaves nothing behind; NULL: yes. */
bool cli_can_write(const char *path);
/* The same for files in a folder, which may have to be made. */
bool cli_can_write_into(const char *folder);

/* "standard input" for the path "-", else the path */
const char *cli_scene_name(const char *path);

/* Where a scene comes from: a file, found as above, or for the path "-" standard input. The exit status, if not CLI_DONE said
 * why; free it in any case. */
typedef struct cli_source {
    const char *name; /* the file, or "standard input"    */
    char *text;       /* of standard input, or loaded; NULL: a file */
    size_t size;
    char found[CLI_PATH];
} cli_source;
int cli_source_open(const char *path, cli_source *out);
int cli_source_load(const char *path, cli_source *out);               /* the same, with the text of a file too */
void cli_source_give(const cli_source *source, ss_study_case *study); /* as the scene of a study, as long as it is open */
void cli_source_close(cli_source *source);

/* A scene read with settings, compiled; `path` as above. The exit status, if not CLI_DONE said why. */
typedef struct cli_scene {
    ss_scene *scene;
    ss_model *model;
} cli_scene;
int cli_scene_open(ss_context *ctx, const char *path, const cli_list *sets, cli_scene *out);
/* The same of a scene whose joints need not fit: they are closed, and what has moved is said on stderr unless quiet. */
int cli_scene_assemble(ss_context *ctx, const char *path, const cli_list *sets, bool quiet, cli_scene *out);
/* The scene is not needed any more; the model stays. */
void cli_scene_forget(cli_scene *scene);
void cli_scene_close(cli_scene *scene);

/* What `view RESULT` does; quiet: without saying so. */
int cli_view_result(ss_context *ctx, const char *result, bool quiet);

void cli_print_help(const cli_command *command); /* NULL: all commands */

/* manual.c: the manual pages DIR/man1/slipstick.1, slipstick-COMMAND.1 and the completion DIR/completions/slipstick */
int cli_write_manual(const char *folder);

#endif
