/* say.c - messages, the nearest name, exit status, JSON on stdout, and a context whose warnings are messages.
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
