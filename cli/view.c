/* view.c - results as one web page that shows them: the built viewer with their data in it.
 *
 * The page needs no network and no other file. For every result it holds what the result is and its scene (JSON), the times and
 * plotted numbers of the frames, events, poses and contacts (arrays). */
#include "view.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PLACE "<!-- slipstick data -->" /* in the template: where the data go */

typedef struct view_options {
    const char *output, *png, *film;
    double at;
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
    { .name = NULL },
};

/* ---- what a result is ---------------------------------------------------------------------------- */

static json_t *describe_movers(const view_source *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->movers; k++) {
        const view_body *b = &s->moving[k];
        json_array_append_new(list, json_pack("{s:i,s:b,s:i}", "body", b->body, "turns", (int)b->turns, "velocity",
                                              s->compact ? -1 : ss_model_body_v(s->model, b->body)));
    }
    return list;
}

static json_t *describe_kinds(void)
{
    json_t *list = json_array();
    for (int kind = 0; kind <= SS_EVENT_LIMIT; kind++) {
        json_array_append_new(list, json_string(ss_event_kind_name((ss_event_kind)kind)));
    }
    return list;
}

static json_t *describe(const view_source *s)
{
    const view_box *b = &s->box;
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:b, s:[fff], s:[fff], s:o, s:o, s:O}", "file", s->path, "scheme",
                     ss_result_scheme(s->result), "solver", ss_result_solver(s->result), "dimension", s->dimension, "states",
                     (json_int_t)s->states, "frames", (json_int_t)s->frames, "compact", (int)s->compact, "low", b->low[0],
                     b->low[1], b->low[2], "high", b->high[0], b->high[1], b->high[2], "moving", describe_movers(s), "kinds",
                     describe_kinds(), "scene", s->scene);
}

static int put_description(const view_source *s, view_page *page)
{
    json_t *value = describe(s);
    if (!value) {
        cli_say("%s: its name or its scene is not text in UTF-8", s->path);
        return CLI_USAGE;
    }
    view_put_json(page, value);
    json_decref(value);
    return CLI_DONE;
}

/* ---- numbers over time --------------------------------------------------------------------------- */

static int put_column(const view_source *s, view_page *page, const char *column, const char *name)
{
    double *number = malloc((size_t)s->states * sizeof *number);
    if (!number) {
        return view_no_memory();
    }
    int k = ss_result_find_column(s->result, column);
    ss_status status = ss_result_read_column(s->result, k, 0, s->states, number);
    for (int64_t f = 0; f < s->frames && status == SS_OK; f++) {
        number[f] = number[view_state_of(s, f)];
    }
    if (status == SS_OK) {
        view_put_array(page, name, VIEW_F64, number, (size_t)s->frames * sizeof *number);
    }
    free(number);
    return status == SS_OK ? CLI_DONE : view_bad_result(s, status);
}

static int put_columns(const view_source *s, view_page *page)
{
    static const char *const table[][2] = {
        { "t", "time" },
        { "kinetic", "kinetic" },
        { "potential", "potential" },
        { "residual", "residual" },
        { "penetration", "penetration" },
        { "joint_error", "joint_error" },
    };
    int code = CLI_DONE;
    for (size_t k = 0; k < sizeof table / sizeof table[0] && code == CLI_DONE; k++) {
        code = put_column(s, page, table[k][0], table[k][1]);
    }
    return code;
}

/* Events of one kind that follow each other within 1/MARKS of the time are one mark on the timeline; how many are kept. */
static size_t thin_events(int64_t n, double *t, ss_event_kind *kind, unsigned char *code)
{
    enum { MARKS = 4096 };
    double last[SS_EVENT_LIMIT + 1], width = n > 0 ? (t[n - 1] - t[0]) / MARKS : 0;
    size_t kept = 0;
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        last[k] = -HUGE_VAL;
    }
    for (int64_t k = 0; k < n; k++) {
        if (t[k] - last[kind[k]] >= width) {
            last[kind[k]] = t[k];
            t[kept] = t[k];
            code[kept++] = (unsigned char)kind[k];
        }
    }
    return kept;
}

static int put_events(const view_source *s, view_page *page)
{
    int64_t n = ss_result_events(s->result);
    double *t = calloc((size_t)n + 1, sizeof *t);
    ss_event_kind *kind = calloc((size_t)n + 1, sizeof *kind);
    unsigned char *number = calloc((size_t)n + 1, sizeof *number);
    int code = t && kind && number ? CLI_DONE : view_no_memory();
    ss_status status = code == CLI_DONE ? ss_result_read_events(s->result, 0, n, t, kind) : SS_OK;
    if (status != SS_OK) {
        code = view_bad_result(s, status);
    } else if (code == CLI_DONE) {
        size_t kept = thin_events(n, t, kind, number);
        view_put_array(page, "event_time", VIEW_F64, t, kept * sizeof *t);
        view_put_array(page, "event_kind", VIEW_U8, number, kept);
    }
    free(t);
    free(kind);
    free(number);
    return code;
}

/* ---- the page ------------------------------------------------------------------------------------ */

static int put_result(const view_source *s, view_page *page)
{
    int code = put_description(s, page);
    code = code == CLI_DONE ? put_columns(s, page) : code;
    code = code == CLI_DONE ? put_events(s, page) : code;
    code = code == CLI_DONE ? view_put_poses(s, page) : code;
    return code == CLI_DONE ? view_put_contacts(s, page) : code;
}

static int put_page(const view_source *source, int n, view_page *page)
{
    const char *place = strstr(view_template, PLACE);
    int code = CLI_DONE;
    fwrite(view_template, 1, (size_t)(place - view_template), page->file);
    for (page->result = 0; page->result < n && code == CLI_DONE; page->result++) {
        code = put_result(&source[page->result], page);
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
    code = o->output || !(o->png || o->film) ? say_made(code, page, "open it in a browser") : code;
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
    if (code == CLI_DONE) {
        bool page = options->output || !(options->png || options->film);
        code = page ? make_page(source, n, options) : make_pictures(source, n, options);
    }
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
