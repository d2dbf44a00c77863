/* view.c - results as one web page that shows them: the built viewer with their data in it.
 *
 * The page needs no network and no other file. For every result it holds what the result is and its scene (JSON), the times and
 * plotted numbers of the frames, events, poses and contacts (arrays). */
#include "view.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PLACE "<!-- slipstick data -->" /* in the template: where the data go */

typedef struct view_options {
    const char *output, *png, *film;
    double at;
    bool serve, quiet;
} view_options;

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(view_options, member), .argument = argument_,    \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("output", 'o', CLI_TEXT, output, "FILE.html", "page to write (the first result's name, with .html)"),
    OPTION("png", 0, CLI_TEXT, png, "FILE.png", "a picture (by chromium), and no page unless -o is given"),
    OPTION("at", 0, CLI_AMOUNT, at, "T", "time of the picture, s (0)"),
    OPTION("film", 0, CLI_TEXT, film, "FILE.mp4|.gif", "a film (by chromium and ffmpeg), and no page unless -o is given"),
    OPTION("serve", 0, CLI_FLAG, serve, NULL, "show the page at an address of this machine, until Ctrl-C"),
    { .name = NULL },
};

/* ---- the page ------------------------------------------------------------------------------------ */

static int put_page(const view_source *source, int n, view_page *page)
{
    const char *place = strstr(view_template, PLACE);
    int code = CLI_DONE;
    fwrite(view_template, 1, (size_t)(place - view_template), page->file);
    for (page->result = 0; page->result < n && code == CLI_DONE; page->result++) {
        code = view_put_result(&source[page->result], page);
    }
    fputs(place + strlen(PLACE), page->file);
    return code;
}

int view_cannot_write(const char *path)
{
    cli_say("%s: cannot be written: %s", path, strerror(errno));
    return CLI_USAGE;
}

/* A page that is not complete is not left behind. */
static int write_page(const view_source *source, int n, const char *path)
{
    view_page page = { .file = fopen(path, "wb") };
    if (!page.file) {
        return view_cannot_write(path);
    }
    int code = put_page(source, n, &page);
    bool failed = ferror(page.file) != 0;
    failed = fclose(page.file) != 0 || failed;
    if (failed && code == CLI_DONE) {
        code = view_cannot_write(path);
    }
    if (code != CLI_DONE) {
        remove(path);
    }
    return code;
}

/* ---- what is made --------------------------------------------------------------------------------- */

static int say_made(int code, const char *path, const char *what)
{
    if (code == CLI_DONE) {
        printf("%s: %s\n", path, what);
    }
    return code;
}

/* the page of results that are open, and what else is asked for; `page` is kept if it has a name of the user's */
static int make_all(const view_source *source, int n, const view_options *o, const char *page)
{
    int code = write_page(source, n, page);
    code = !o->quiet && (o->output || !(o->png || o->film)) ? say_made(code, page, "open it in a browser") : code;
    if (code == CLI_DONE && o->png) {
        code = say_made(view_take_picture(page, o->at, o->png), o->png, "a picture");
    }
    if (code == CLI_DONE && o->film) {
        code = say_made(view_take_film(page, o->film), o->film, "a film");
    }
    return code;
}

/* pictures need a page, which is thrown away */
static int make_pictures(const view_source *source, int n, const view_options *o)
{
    char folder[] = "/tmp/slipstick-XXXXXX", page[sizeof folder + sizeof "/page.html"];
    if (!mkdtemp(folder)) {
        return view_cannot_write(folder);
    }
    snprintf(page, sizeof page, "%s/page.html", folder);
    int code = make_all(source, n, o, page);
    remove(page);
    remove(folder);
    return code;
}

/* no file is made: the page is kept in memory */
static int serve_page(const view_source *source, int n)
{
    view_text page = { 0 };
    view_page out = { .file = open_memstream(&page.text, &page.length) };
    if (!out.file) {
        return view_no_memory();
    }
    int code = put_page(source, n, &out);
    bool failed = ferror(out.file) != 0;
    failed = fclose(out.file) != 0 || failed;
    code = code == CLI_DONE && failed ? view_no_memory() : code;
    code = code == CLI_DONE ? view_serve(&page) : code;
    free(page.text);
    return code;
}

/* "folder/run.h5" -> "folder/run.html", to be freed */
static char *name_page(const char *result)
{
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - result) : strlen(result);
    char *name = malloc(stem + sizeof ".html");
    if (name) {
        memcpy(name, result, stem);
        memcpy(name + stem, ".html", sizeof ".html");
    }
    return name;
}

static int make_page(const view_source *source, int n, const view_options *o)
{
    char *named = name_page(source[0].path);
    int code = named ? make_all(source, n, o, o->output ? o->output : named) : view_no_memory();
    free(named);
    return code;
}

/* ---- the command --------------------------------------------------------------------------------- */

static int view_results(ss_context *ctx, const char *const *word, const view_options *options)
{
    view_source source[VIEW_RESULTS] = { { 0 } };
    int n = 0, code = CLI_DONE;
    while (n < VIEW_RESULTS && word[n]) {
        n++;
    }
    for (int k = 0; k < n && code == CLI_DONE; k++) {
        source[k] = (view_source){ .ctx = ctx, .path = word[k], .share = n };
        code = view_open(&source[k]);
    }
    bool pictures = options->png || options->film;
    if (code == CLI_DONE && (options->output || !(pictures || options->serve))) {
        code = make_page(source, n, options);
    } else if (code == CLI_DONE && pictures) {
        code = make_pictures(source, n, options);
    }
    code = code == CLI_DONE && options->serve ? serve_page(source, n) : code;
    for (int k = 0; k < n; k++) {
        view_close(&source[k]);
    }
    return code;
}

/* has the file, if there is one, one of these two extensions? else say `rule` */
static bool fits(const char *path, const char *extension, const char *other, const char *rule)
{
    bool right = !path || cli_ends_with(path, extension) || cli_ends_with(path, other);
    if (!right) {
        cli_say("%s: %s", path, rule);
    }
    return right;
}

int cli_view_result(ss_context *ctx, const char *result, bool quiet)
{
    const view_options options = { .quiet = quiet };
    const char *const word[VIEW_RESULTS] = { result };
    return view_results(ctx, word, &options);
}

static int run(ss_context *ctx, int argc, char **argv)
{
    view_options o = { .at = 0 };
    const char *word[VIEW_RESULTS] = { NULL };
    if (!cli_parse(ctx, &cli_view, argc, argv, &o, VIEW_RESULTS, word) || !cli_given(&cli_view, "result", word[0]) ||
        !fits(o.output, ".html", ".htm", "pages are written to .html files") ||
        !fits(o.png, ".png", ".png", "pictures are written to .png files") ||
        !fits(o.film, ".mp4", ".gif", "films are written to .mp4 or .gif files")) {
        return CLI_USAGE;
    }
    signal(SIGPIPE, SIG_IGN); /* a program that stops reading is an error of the write, not the end of this process */
    return view_results(ctx, word, &o);
}

const cli_command cli_view = {
    .name = "view",
    .usage = "view RESULT...",
    .doc = "show results in motion, on a web page of their own",
    .options = options_table,
    .run = run,
};
