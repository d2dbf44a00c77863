/* cart_pole.c - a controller in the loop: it balances a pole on a cart, between two stops; docs/control.md explains it. */
#include <slipstick/slipstick.h>
#include <stdio.h>
#include <string.h>

enum { CART, HINGE, PARTS };

/* force = K . (position, angle, speed, rate), held for 10 ms */
static ss_status balance(void *user, ss_sim *sim)
{
    const int *part = user;
    const double x = ss_sim_q(sim)[0], speed = ss_sim_v(sim)[0];
    double angle = 0, rate = 0;
    ss_status status = ss_sim_joint_motion(sim, part[HINGE], &angle, &rate);
    const double force[3] = { 7.3 * x - 56 * angle + 8.4 * speed - 14 * rate, 0, 0 };
    return status != SS_OK ? status : ss_sim_set_wrench(sim, part[CART], force, NULL);
}

static ss_status start(ss_context *ctx, const ss_model *model, int part[PARTS], ss_sim **sim)
{
    const ss_controller controller = { .user = part, .period = 0.01, .update = balance };
    ss_status status = ss_model_find_body(ctx, model, "cart", &part[CART]);
    status = status != SS_OK ? status : ss_model_find_joint(ctx, model, "hinge", &part[HINGE]);
    status = status != SS_OK ? status : ss_sim_create(ctx, model, NULL, sim);
    return status != SS_OK ? status : ss_sim_set_controller(*sim, &controller);
}

int main(void)
{
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL, *other = NULL;
    int part[PARTS];
    void *blob = NULL;
    size_t size = 0;
    ss_status status = ss_context_create(NULL, &ctx);
    status = status != SS_OK ? status : ss_scene_read(ctx, "scenes/howto/cart_pole.json", 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : start(ctx, model, part, &sim);
    status = status != SS_OK ? status : start(ctx, model, part, &other);
    for (int k = 1; status == SS_OK && k <= 12; k++) {
        status = ss_sim_advance(sim, 0.5 * k);
        printf("t = %.1f s: position %.17g, angle %.17g\n", ss_sim_time(sim), ss_sim_q(sim)[0], ss_sim_q(sim)[5]);
        status = status == SS_OK && k == 5 ? ss_sim_save(sim, &blob, &size) : status;
    }
    status = status != SS_OK ? status : ss_sim_restore(other, blob, size); /* from the checkpoint at 2.5 s to the end */
    status = status != SS_OK ? status : ss_sim_advance(other, 6);
    const size_t bytes = status == SS_OK ? (size_t)ss_model_nq(model) * sizeof(double) : 0;
    const int same = bytes > 0 && memcmp(ss_sim_q(sim), ss_sim_q(other), bytes) == 0;
    printf("%s\n", status != SS_OK ? ss_last_error(ctx) : same ? "restarted: the same bits" : "restarted: differs");
    ss_blob_free(ctx, blob);
    ss_sim_destroy(other);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return !same;
}
