/* falling_ball.c - a program outside the project: a ball falls 1 m onto a plane and lies there. */
#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scene_text[] = "{ \"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
                                 "  \"time\": { \"until\": 1, \"step\": \"1/100\" }, \"bodies\": ["
                                 "  { \"name\": \"ball\", \"type\": \"rigid\", \"density\": 1, \"position\": [0, 1.1],"
                                 "    \"shapes\": [ { \"type\": \"sphere\", \"radius\": 0.1 } ] },"
                                 "  { \"name\": \"floor\", \"type\": \"fixed\","
                                 "    \"shapes\": [ { \"type\": \"half_space\", \"normal\": [0, 1] } ] } ] }";

int main(void)
{
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    bool good = ss_context_create(NULL, &ctx) == SS_OK &&
                ss_scene_parse(ctx, scene_text, strlen(scene_text), "ball", 0, NULL, &scene) == SS_OK &&
                ss_model_compile(ctx, scene, &model) == SS_OK && ss_sim_create(ctx, model, NULL, &sim) == SS_OK &&
                ss_sim_advance(sim, 1) == SS_OK && fabs(ss_sim_q(sim)[1] - 0.1) < 1e-9;
    printf("slipstick %s: the ball lies at %.12g %s\n", ss_version(), sim ? ss_sim_q(sim)[1] : NAN,
           ctx ? ss_last_error(ctx) : "");
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return good ? 0 : 1;
}
