/* ball_scene.h - a ball over a floor as a scene file: falls from 1 m with 2 m/s^2, bounces with e = 1/2 at t = 1, 2, 2.5, ...
 * Semi-implicit Euler has y_n = 1 - t (t + h) before the first impact, and v_n = -2 t without an error. */
#ifndef SS_TEST_BALL_SCENE_H
#define SS_TEST_BALL_SCENE_H

#include "test.h"
#include <unistd.h>

static const char ball_scene_text[] =
    "{ \"slipstick\": 1, \"name\": \"ball\", \"dimension\": 2, \"gravity\": [0, -2], \"time\": { \"until\": 5, \"step\": 0.125 },"
    "  \"scheme\": { \"name\": \"anitescu_potra\" }, \"materials\": [ { \"name\": \"m\", \"mu\": 0, \"e\": 0.5 } ],"
    "  \"bodies\": ["
    "    { \"name\": \"ball\", \"type\": \"particle\", \"mass\": 1, \"position\": [0, 1],"
    "      \"shapes\": [ { \"type\": \"point\", \"material\": \"m\" } ] },"
    "    { \"name\": \"floor\", \"type\": \"fixed\","
    "      \"shapes\": [ { \"type\": \"half_space\", \"normal\": [0, 1], \"material\": \"m\" } ] } ],"
    "  \"exact\": { \"name\": \"bouncing_ball\" } }";

/* the scene as a file of this process; removed by ball_scene_remove */
static inline const char *ball_scene(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/slipstick-ball-%ld.json", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(ball_scene_text, file) >= 0 && fclose(file) == 0);
    return path;
}

static inline void ball_scene_remove(void) { CHECK(unlink(ball_scene()) == 0); }

#endif
