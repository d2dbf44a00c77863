/* data.c - files: where scenes and papers are, reading scenes, and whether a file can be written.
 *
 * A name that begins with scenes/ or papers/ and is not in this folder is looked for, in this order,
 *   below the folder of the environment variable SLIPSTICK_DATA,
 *   in ../share/slipstick beside the folder of the program, where `make install` puts them,
 *   in the folder above that of the program, which is the source folder of a program that was built there.
 * Any other name is taken as it is. The name "-" of a scene stands for standard input. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 29 }; /* of a scene's text that is held in memory */

static bool is_data(const char *path)
{
    static const char *const folders[] = { "scenes", "papers" };
    for (int k = 0; k < 2; k++) {
        const size_t n = strlen(folders[k]);
        if (strncmp(path, folders[k], n) == 0 && (path[n] == '/' || path[n] == '\0')) {
            return true;
        }
    }
    return false;
}

/* the folder of the program; "": not known */
static void find_program(char folder[CLI_PATH])
{
    ssize_t n = readlink("/proc/self/exe", folder, CLI_PATH - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
    }
}

/* "FOLDER/between/PATH"; is it there? */
static bool is_there(const char *folder, const char *between, const char *path, char found[CLI_PATH])
{
    int n = snprintf(found, CLI_PATH, "%s/%s%s", folder, between, path);
    return n > 0 && n < CLI_PATH && access(found, R_OK) == 0;
}

const char *cli_find_data(const char *path, char found[CLI_PATH])
{
    const char *own = getenv("SLIPSTICK_DATA");
    char program[CLI_PATH];
    if (!is_data(path) || access(path, F_OK) == 0) {
        return path;
    }
    find_program(program);
    bool there = (own && *own && is_there(own, "", path, found)) ||
                 (*program && (is_there(program, "../share/slipstick/", path, found) || is_there(program, "../", path, found)));
    return there ? found : path;
}

/* ---- files that are to be written --------------------------------------------------------------- */

bool cli_can_write(const char *path)
{
    bool existed = !path || access(path, F_OK) == 0;
    FILE *file = path ? fopen(path, "ab") : NULL;
    if (path && !file) {
        cli_say("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    if (file) {
        fclose(file);
    }
    if (!existed) {
        remove(path);
    }
    return true;
}

bool cli_can_write_into(const char *folder)
{
    struct stat there;
    const bool made = folder && mkdir(folder, 0777) == 0, exists = !folder || made || errno == EEXIST;
    if (made) {
        rmdir(folder);
    } else if (folder && exists && stat(folder, &there) == 0 && !S_ISDIR(there.st_mode)) {
        cli_say("%s: cannot be written: not a folder", folder);
        return false;
    } else if (!exists) {
        cli_say("%s: cannot be written: %s", folder, strerror(errno));
    }
    return exists;
}

/* ---- scenes ------------------------------------------------------------------------------------ */

/* twice the room; NULL: there is none (errno), and the text is freed */
static char *grow(char *text, size_t *room)
{
    char *grown = *room < MOST_BYTES ? realloc(text, *room *= 2) : NULL;
    if (!grown) {
        errno = *room < MOST_BYTES ? ENOMEM : EFBIG;
        free(text);
    }
    return grown;
}

/* all that comes, ended by a zero and freed by the caller; NULL: no memory, too much, or it cannot be read (errno) */
static char *read_all(FILE *file, size_t *size)
{
    size_t room = 1 << 16;
    char *text = malloc(room);
    *size = 0;
    while (text && !feof(file) && !ferror(file)) {
        if (*size + 1 == room) {
            text = grow(text, &room);
        }
        *size += text ? fread(text + *size, 1, room - *size - 1, file) : 0;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

const char *cli_scene_name(const char *path) { return is_stdin(path) ? "standard input" : path; }

int cli_source_open(const char *path, cli_source *out)
{
    *out = (cli_source){ 0 };
    if (!is_stdin(path)) {
        out->name = cli_find_data(path, out->found);
        return CLI_DONE;
    }
    out->name = cli_scene_name(path);
    out->text = read_all(stdin, &out->size);
    if (!out->text) {
        cli_say("%s: %s", out->name, strerror(errno));
    }
    return out->text ? CLI_DONE : CLI_USAGE;
}

int cli_source_load(const char *path, cli_source *out)
{
    const int code = cli_source_open(path, out);
    if (code != CLI_DONE || out->text) {
        return code;
    }
    FILE *file = fopen(out->name, "rb");
    if (file) {
        out->text = read_all(file, &out->size);
    }
    if (!out->text) {
        cli_say("%s: cannot be %s: %s", out->name, file ? "read" : "opened", strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return out->text ? CLI_DONE : CLI_USAGE;
}

void cli_source_give(const cli_source *source, ss_study_case *study)
{
    study->scene = source->name;
    study->text = source->text;
    study->size = source->size;
}

void cli_source_close(cli_source *source)
{
    free(source->text);
    source->text = NULL;
}

static ss_status read_scene(ss_context *ctx, const cli_source *source, const cli_list *sets, ss_scene **out)
{
    return source->text ? ss_scene_parse(ctx, source->text, source->size, source->name, sets->n, sets->item, out)
                        : ss_scene_read(ctx, source->name, sets->n, sets->item, out);
}

/* ---- assembling -------------------------------------------------------------------------------- */

enum { SHOWN_MOVES = 20 };

static void say_move(const ss_model *m, const ss_moved *x)
{
    char turn[64] = "", speed[96] = "";
    if (x->angle > 0) {
        snprintf(turn, sizeof turn, ", turned by %.6g rad", x->angle);
    }
    if (x->speed > 0 || x->spin > 0) {
        snprintf(speed, sizeof speed, ", velocity changed by %.6g m/s and %.6g rad/s", x->speed, x->spin);
    }
    cli_say("assembled: %s moved by %.6g m%s%s", ss_model_body_name(m, x->body), x->distance, turn, speed);
}

static void say_moves(const ss_model *m, int count, const ss_moved *moved)
{
    for (int k = 0; k < count && k < SHOWN_MOVES; k++) {
        say_move(m, &moved[k]);
    }
    if (count > SHOWN_MOVES) {
        cli_say("assembled: and %d more bodies", count - SHOWN_MOVES);
    } else if (count == 0) {
        cli_say("assembled: all joints fit, nothing was moved");
    }
}

static ss_status assemble(ss_context *ctx, bool quiet, cli_scene *out)
{
    ss_moved moved[SHOWN_MOVES];
    int count;
    ss_status status = ss_scene_assemble(ctx, out->scene, SHOWN_MOVES, moved, &count);
    status = status == SS_OK ? ss_model_compile(ctx, out->scene, &out->model) : status;
    if (status == SS_OK && !quiet) {
        say_moves(out->model, count, moved);
    }
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static ss_status compile(ss_context *ctx, bool quiet, cli_scene *out)
{
    (void)quiet;
    return ss_model_compile(ctx, out->scene, &out->model);
}

static int open_scene(ss_context *ctx, const char *path, const cli_list *sets, bool quiet,
                      ss_status (*finish)(ss_context *, bool, cli_scene *), cli_scene *out)
{
    cli_source source;
    *out = (cli_scene){ 0 };
    int code = cli_source_open(path, &source);
    if (code == CLI_DONE) {
        ss_status status = read_scene(ctx, &source, sets, &out->scene);
        status = status == SS_OK ? finish(ctx, quiet, out) : status;
        code = status == SS_OK ? CLI_DONE : cli_report(ctx, status, source.name);
        code = status == SS_ERR_IO ? CLI_USAGE : code;
    }
    if (code != CLI_DONE) {
        cli_scene_close(out);
    }
    cli_source_close(&source);
    return code;
}

int cli_scene_open(ss_context *ctx, const char *path, const cli_list *sets, cli_scene *out)
{
    return open_scene(ctx, path, sets, true, compile, out);
}

int cli_scene_assemble(ss_context *ctx, const char *path, const cli_list *sets, bool quiet, cli_scene *out)
{
    return open_scene(ctx, path, sets, quiet, assemble, out);
}

void cli_scene_forget(cli_scene *scene)
{
    ss_scene_destroy(scene->scene);
    scene->scene = NULL;
}

void cli_scene_close(cli_scene *scene)
{
    ss_model_destroy(scene->model);
    cli_scene_forget(scene);
    *scene = (cli_scene){ 0 };
}
