/* say.c - messages, the nearest name, exit status, JSON on stdout, and opening a context and a scene.
 *
 * Under --json the last message is also the JSON value of a command that fails before it has one, so it is kept. */
#include "cli.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char message[2048]; /* the last one that is no warning     */
    bool printed;       /* a JSON value is on standard output  */
} said;

void cli_say(const char *format, ...)
{
    char text[sizeof said.message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127) {
            *c = ' ';
        }
    }
    fprintf(stderr, "%s\n", text);
    if (strncmp(text, "warning: ", 9) != 0) {
        memcpy(said.message, text, sizeof text);
    }
}

/* ---- nearest name ------------------------------------------------------------------------------ */

/* "a, b, c", with dashes before each if they are options */
static void join_names(const char *const *names, const char *dashes, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; names[k] && used < size; k++) {
        int n = snprintf(text + used, size - used, "%s%s%s", k > 0 ? ", " : "", dashes, names[k]);
        used += n > 0 ? (size_t)n : 0;
    }
}

void cli_unknown(const char *before, const char *what, const char *word, const char *const *names)
{
    const char *best = ss_nearest_name(word, names);
    bool option = strstr(what, "--") != NULL;
    const char *dashes = option ? "--" : "", *open = option ? "" : " \"", *close = option ? "" : "\"";
    char list[512];
    if (best) {
        cli_say("%s: unknown %s%s%.60s%s; did you mean %s%s?", before, what, open, word, close, dashes, best);
        return;
    }
    join_names(names, dashes, list, sizeof list);
    cli_say("%s: unknown %s%s%.60s%s; valid: %s", before, what, open, word, close, *list ? list : "none");
}

/* ---- status ------------------------------------------------------------------------------------ */

int cli_report(const ss_context *ctx, ss_status status, const char *file)
{
    const char *text = ss_last_error(ctx);
    bool opened = file && strncmp(text, file, strlen(file)) == 0;
    if (file && !opened) {
        cli_say("%s: %s", file, *text ? text : ss_status_text(status));
    } else {
        cli_say("%s", *text ? text : ss_status_text(status));
    }
    return status == SS_ERR_INTERRUPTED                             ? CLI_INTERRUPTED
           : status == SS_ERR_INPUT || status == SS_ERR_UNSUPPORTED ? CLI_USAGE
                                                                    : CLI_FAILED;
}

int cli_finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_say("standard output: cannot be written");
        return CLI_FAILED;
    }
    return status;
}

void cli_print_json_text(const char *text)
{
    puts(text);
    said.printed = true;
}

int cli_print_json(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (!text) {
        cli_say("out of memory while writing JSON");
        return CLI_FAILED;
    }
    cli_print_json_text(text);
    free(text);
    return cli_finish(CLI_DONE);
}

/* is --json among the words? */
static bool asks_for_json(int argc, char **argv)
{
    int k = 1;
    while (k < argc && strcmp(argv[k], "--json") != 0 && strcmp(argv[k], "--") != 0) {
        k++;
    }
    return k < argc && strcmp(argv[k], "--json") == 0;
}

void cli_print_error(int argc, char **argv, int status)
{
    if (status != CLI_DONE && !said.printed && asks_for_json(argc, argv)) {
        cli_print_json(json_pack("{s:s?, s:i}", "error", *said.message ? said.message : NULL, "status", status));
    }
}

/* ---- context ----------------------------------------------------------------------------------- */

static void log_to_stderr(void *user, ss_log_level level, const char *message)
{
    (void)user;
    if (level >= SS_LOG_WARNING) {
        cli_say("warning: %s", message);
    }
}

bool cli_make_context(ss_context **out)
{
    ss_context_options options = ss_context_options_default();
    options.log = log_to_stderr;
    return ss_context_create(&options, out) == SS_OK;
}

/* ---- scene ------------------------------------------------------------------------------------- */

/* all that comes, ended by a zero and freed by the caller; NULL: no memory, or it cannot be read (errno) */
static char *read_stdin(size_t *size)
{
    size_t room = 1 << 16;
    char *text = malloc(room);
    *size = 0;
    while (text && !feof(stdin) && !ferror(stdin)) {
        if (*size + 1 == room) {
            char *grown = realloc(text, room *= 2);
            if (!grown) {
                free(text);
            }
            text = grown;
        }
        *size += text ? fread(text + *size, 1, room - *size - 1, stdin) : 0;
    }
    if (text && ferror(stdin)) {
        free(text);
        text = NULL;
    }
    return text;
}

static ss_status read_scene(ss_context *ctx, const char *path, const cli_list *sets, ss_scene **out)
{
    if (strcmp(path, "-") != 0) {
        return ss_scene_read(ctx, path, sets->n, sets->item, out);
    }
    size_t size;
    char *text = read_stdin(&size);
    if (!text) {
        return ss_context_fail(ctx, SS_ERR_INPUT, strerror(errno));
    }
    ss_status status = ss_scene_parse(ctx, text, size, "standard input", sets->n, sets->item, out);
    free(text);
    return status;
}

int cli_scene_open(ss_context *ctx, const char *path, const cli_list *sets, cli_scene *out)
{
    char found[CLI_PATH];
    *out = (cli_scene){ 0 };
    path = cli_find_data(path, found);
    ss_status status = read_scene(ctx, path, sets, &out->scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, out->scene, &out->model);
    }
    if (status == SS_OK) {
        return CLI_DONE;
    }
    int code = cli_report(ctx, status, strcmp(path, "-") == 0 ? "standard input" : path);
    cli_scene_close(out);
    return status == SS_ERR_IO ? CLI_USAGE : code;
}

void cli_scene_close(cli_scene *scene)
{
    ss_model_destroy(scene->model);
    ss_scene_destroy(scene->scene);
    *scene = (cli_scene){ 0 };
}
