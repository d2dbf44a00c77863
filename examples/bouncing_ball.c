/* bouncing_ball.c - the library in one page: a ball falls, bounces, and comes to rest.
 *
 *     cc bouncing_ball.c -lslipstick ... && ./a.out */
#include <math.h>
#include <slipstick/slipstick.h>
#include <stdio.h>

static ss_status print_event(void *user, const ss_sim *sim, const ss_event *event)
{
    (void)user;
    (void)sim;
    printf("%-7s at t = %.6f s: kinetic energy %.6f -> %.6f J\n", ss_event_kind_name(event->kind), event->t, event->kinetic[0],
           event->kinetic[2]);
    return SS_OK;
}

static ss_status describe(ss_context *ctx, ss_scene **scene)
{
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = 2;
    settings.gravity[1] = -9.81;
    settings.step = 1e-3;
    ss_status status = ss_scene_create(ctx, &settings, scene);
    ss_material_desc rubber = ss_material_desc_default();
    rubber.name = "rubber";
    rubber.e = 0.8;
    ss_body_desc ball = ss_body_desc_default(), floor = ss_body_desc_default();
    ball.name = "ball";
    ball.type = SS_BODY_PARTICLE;
    ball.mass = 1;
    ball.position[1] = 1.1;
    floor.name = "floor";
    floor.type = SS_BODY_FIXED;
    ss_shape_desc disk = ss_shape_desc_default(), ground = ss_shape_desc_default();
    disk.type = "disk";
    disk.radius = 0.1;
    disk.material = ground.material = "rubber";
    ground.type = "half_space";
    ground.normal[0] = 0;
    ground.normal[1] = 1;
    int index = 0;
    status = status != SS_OK ? status : ss_scene_add_material(*scene, &rubber);
    status = status != SS_OK ? status : ss_scene_add_body(*scene, &ball, &index);
    status = status != SS_OK ? status : ss_scene_add_shape(*scene, index, &disk);
    status = status != SS_OK ? status : ss_scene_add_body(*scene, &floor, &index);
    return status != SS_OK ? status : ss_scene_add_shape(*scene, index, &ground);
}

int main(void)
{
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    if (ss_context_create(NULL, &ctx) != SS_OK) {
        return 1;
    }
    ss_observer observer = ss_observer_default();
    observer.on_event = print_event;
    ss_status status = describe(ctx, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : ss_sim_create(ctx, model, NULL, &sim);
    status = status != SS_OK ? status : ss_sim_observe(sim, &observer);
    status = status != SS_OK ? status : ss_sim_advance(sim, 5);
    if (status == SS_OK) {
        const ss_summary *s = ss_sim_summary(sim);
        printf("height of the centre %.9f m, largest residual %.2g, deepest overlap %.2g m\n", ss_sim_q(sim)[1], s->max_residual,
               s->max_penetration);
    } else {
        fprintf(stderr, "%s: %s\n", ss_status_text(status), ss_last_error(ctx));
    }
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status != SS_OK;
}
