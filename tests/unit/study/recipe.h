/* recipe.h - a recipe and its scene in a folder of their own, and what comes out of it.
 *
 * The scene is a particle that flies with x = t; by the Euler step with g = 2 it falls with y = -(t^2 + h t), so every
 * measure has a closed form. Binary steps keep the numbers exact up to a few roundings: 1e-14. */
#ifndef SS_TEST_RECIPE_H
#define SS_TEST_RECIPE_H

#include "ball_scene.h"
#include <sys/stat.h>

static const char scene_text[] =
    "{ \"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -2], \"time\": { \"until\": 1, \"step\": 0.125 },"
    "  \"bodies\": [ { \"name\": \"p\", \"type\": \"particle\", \"mass\": 1, \"position\": [0, 0], \"velocity\": [1, 0] } ] }";

static char folder[64]; /* of the paper: folder/experiments/e.json, folder/flight.json */

static inline void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static inline int set_up(void **state)
{
    char experiments[128];
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/slipstick-paper-%ld", (long)getpid());
    snprintf(experiments, sizeof experiments, "%s/experiments", folder);
    CHECK(mkdir(folder, 0700) == 0 && mkdir(experiments, 0700) == 0);
    write_file("flight.json", scene_text);
    write_file("ball.json", ball_scene_text);
    return 0;
}

static inline int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* path of the recipe with this text after its head */
static inline const char *recipe_file(const char *text)
{
    static char path[128];
    char whole[8192];
    CHECK(snprintf(whole, sizeof whole, "{ \"experiment\": 1, \"title\": \"flight\", %s }", text) < (int)sizeof whole);
    write_file("experiments/e.json", whole);
    snprintf(path, sizeof path, "%s/experiments/e.json", folder);
    return path;
}

#define FLIGHT "\"runs\": [ { \"name\": \"a\", \"scene\": \"flight.json\" } ]"

#endif
