/* view_film.c - pictures and films of a page, by a browser without a window (chromium) and ffmpeg.
 *
 *   chromium --dump-dom page.html#film  ->  lines of base64, one PNG each  ->  a file, or ffmpeg  ->  .mp4 or .gif
 *
 * The page draws the pictures by itself (viewer/src/film.ts) and writes them into its document, which the browser prints when
 * all are there. */
#include "view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define START "data:image/png;base64," /* of a picture in the document */

/* ---- programs ------------------------------------------------------------------------------------ */

/* A program that runs beside this one, with a pipe to or from it. */
typedef struct helper {
    pid_t process;
    FILE *pipe;
} helper;

/* in the child: the pipe becomes its input or its output; what else it says is not shown */
static void become(char *const argv[], const int ends[2], int which)
{
    if (dup2(ends[which], which) >= 0 && (which == STDIN_FILENO || freopen("/dev/null", "w", stderr))) {
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
    }
    _exit(127);
}

/* `which`: STDIN_FILENO to write to the program, STDOUT_FILENO to read from it */
static bool start(char *const argv[], int which, helper *out)
{
    int ends[2];
    *out = (helper){ .process = -1 };
    if (pipe(ends) != 0) {
        return false;
    }
    out->process = fork();
    if (out->process == 0) {
        become(argv, ends, which);
    }
    close(ends[which]);
    out->pipe = out->process > 0 ? fdopen(ends[1 - which], which == STDIN_FILENO ? "wb" : "rb") : NULL;
    if (!out->pipe) {
        close(ends[1 - which]);
    }
    return out->pipe != NULL;
}

/* wait for its end; true: it has done its work */
static bool end(helper *h)
{
    int status = 1;
    if (h->pipe) {
        fclose(h->pipe);
    }
    return h->process > 0 && waitpid(h->process, &status, 0) == h->process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* is there such a program in one of the folders of PATH? */
static bool is_installed(const char *name)
{
    const char *folder = getenv("PATH");
    char path[PATH_MAX];
    while (folder && *folder) {
        size_t n = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, name);
        if (access(path, X_OK) == 0) {
            return true;
        }
        folder += n + (folder[n] == ':');
    }
    return false;
}

static char *find_browser(void)
{
    static char *const names[] = { "chromium", "chromium-browser", "google-chrome" };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (is_installed(names[k])) {
            return names[k];
        }
    }
    return NULL;
}

/* ---- pictures out of what the browser prints ------------------------------------------------------- */

/* the value of a letter of base64; -1: it is none */
static int sextet(int letter)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter > 0 ? strchr(alphabet, letter) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

/* letters up to one that is no base64, as bytes */
static void decode_picture(FILE *from, FILE *to)
{
    unsigned bits = 0;
    int held = 0, value = 0;
    while ((value = sextet(getc(from))) >= 0) {
        bits = bits << 6 | (unsigned)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            putc((int)(bits >> held & 255), to);
        }
    }
}

/* read on until the start of a picture; false: there is none any more */
static bool find_picture(FILE *from)
{
    size_t at = 0;
    int letter;
    while (START[at] && (letter = getc(from)) != EOF) {
        at = letter == START[at] ? at + 1 : letter == START[0]; /* its first letter does not come again */
    }
    return !START[at];
}

/* all pictures, one behind the other; how many */
static int copy_pictures(FILE *from, FILE *to)
{
    int n = 0;
    while (find_picture(from)) {
        decode_picture(from, to);
        n++;
    }
    return n;
}

/* ---- the browser --------------------------------------------------------------------------------- */

/* one letter of a path in an address: as it is, or as %XX if it has a meaning there */
static char *put_letter(char *to, char letter)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-~";
    return to + (strchr(plain, letter) ? sprintf(to, "%c", letter) : sprintf(to, "%%%02X", (unsigned char)letter));
}

/* "file:///folder/page.html#what"; to be freed */
static char *address_of(const char *page, const char *what)
{
    char folder[PATH_MAX] = "";
    if (page[0] != '/' && !getcwd(folder, sizeof folder)) {
        return NULL;
    }
    char *out = malloc(3 * (strlen(folder) + strlen(page)) + strlen(what) + sizeof "file:///#"), *to = out;
    if (out) {
        to += sprintf(to, "file://");
        for (const char *c = folder; *c; c++) {
            to = put_letter(to, *c);
        }
        to = folder[0] ? put_letter(to, '/') : to;
        for (const char *c = page; *c; c++) {
            to = put_letter(to, *c);
        }
        sprintf(to, "#%s", what);
    }
    return out;
}

/* As root chromium runs only without its sandbox. */
static int take_pictures(const char *page, const char *what, FILE *to)
{
    char *browser = find_browser(), *address = address_of(page, what);
    char *argv[] = { browser,
                     "--headless",
                     "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader",
                     address,
                     "--dump-dom",
                     geteuid() == 0 ? "--no-sandbox" : NULL,
                     NULL };
    helper h = { .process = -1 };
    int n = 0;
    if (!browser) {
        cli_say("pictures and films need a browser: install chromium");
    } else if (address && start(argv, STDOUT_FILENO, &h)) {
        n = copy_pictures(h.pipe, to);
    }
    bool done = end(&h) && n > 0;
    if (browser && !done) {
        cli_say("%s: %s did not draw its pictures", page, browser);
    }
    free(address);
    return done ? CLI_DONE : CLI_FAILED;
}

/* ---- files ----------------------------------------------------------------------------------------- */

int view_take_picture(const char *page, double at, const char *path)
{
    char what[64];
    FILE *file = fopen(path, "wb");
    if (!file) {
        return view_cannot_write(path);
    }
    snprintf(what, sizeof what, "picture&light&t=%.17g", at);
    int code = take_pictures(page, what, file);
    bool failed = fclose(file) != 0;
    if (code != CLI_DONE || failed) {
        remove(path);
    }
    return code == CLI_DONE && failed ? view_cannot_write(path) : code;
}

static int make_film(const char *page, const char *path, char *filter)
{
    char *argv[] = { "ffmpeg", "-y", "-loglevel", "error", "-f",   "image2pipe", "-framerate",
                     "30",     "-i", "-",         "-vf",   filter, NULL,         NULL };
    char *file = malloc(strlen(path) + sizeof "file:"); /* so that no name is taken for an option or a protocol */
    helper h = { .process = -1 };
    if (!file) {
        return view_no_memory();
    }
    sprintf(file, "file:%s", path);
    argv[12] = file;
    int code = start(argv, STDIN_FILENO, &h) ? take_pictures(page, "film&light", h.pipe) : view_no_memory();
    if (!end(&h) && code == CLI_DONE) {
        code = view_cannot_write(path);
    }
    free(file);
    return code;
}

int view_take_film(const char *page, const char *path)
{
    if (!is_installed("ffmpeg")) {
        cli_say("%s: films need ffmpeg: install it, or take pictures with --png", path);
        return CLI_FAILED;
    }
    char *filter = cli_ends_with(path, ".gif") ? "split[a][b];[a]palettegen[p];[b][p]paletteuse" : "format=yuv420p";
    return cli_can_write(path) ? make_film(page, path, filter) : CLI_USAGE;
}
