/* say.c - messages, the nearest name, exit status, JSON on stdout, and opening a context and a scene. */
#include "cli.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_say(const char *format, ...)
{
    char text[2048];
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

int cli_print_json(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (!text) {
        cli_say("out of memory while writing JSON");
        return CLI_FAILED;
    }
    puts(text);
    free(text);
    return cli_finish(CLI_DONE);
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

int cli_scene_open(ss_context *ctx, const char *path, const cli_list *sets, cli_scene *out)
{
    *out = (cli_scene){ 0 };
    ss_status status = ss_scene_read(ctx, path, sets->n, sets->item, &out->scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, out->scene, &out->model);
    }
    if (status == SS_OK) {
        return CLI_DONE;
    }
    int code = cli_report(ctx, status, path);
    cli_scene_close(out);
    return status == SS_ERR_IO ? CLI_USAGE : code;
}

void cli_scene_close(cli_scene *scene)
{
    ss_model_destroy(scene->model);
    ss_scene_destroy(scene->scene);
    *scene = (cli_scene){ 0 };
}
