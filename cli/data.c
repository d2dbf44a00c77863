/* data.c - where scenes and papers are: in this folder, else among those that came with the program.
 *
 * A name that begins with scenes/ or papers/ and is not there is looked for, in this order,
 *   below the folder of the environment variable SLIPSTICK_DATA,
 *   in ../share/slipstick beside the folder of the program, where `make install` puts them,
 *   in the folder above that of the program, which is the source folder of a program that was built there.
 * Any other name is taken as it is. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
