/* extend_parts.c - a joint, a force and a shape from outside the library, by its public headers alone; docs/extending.md explains
 * it.
 *
 *   joint    on_ellipse: a point of the second body stays on an ellipse of the first
 *                g = s (x^2/a^2 + y^2/b^2 - 1),  s = min(a, b)/2,  (x, y) = R' d,  d from the first point to the second
 *                n = dg/dd = 2 s R (x/a^2, y/b^2),   a turn w of the first body changes g by w . (n x d)
 *   force    magnet: draws its two points together by c/|d|^2; its energy is -c/|d|
 *   shape    cross: two boxes across each other
 *
 * A bead runs round a wire past a magnet: its energy stays. A cross falls on a floor, and stands there on the end of an arm.
 * With a name it writes a result: extend_parts wire.h5; slipstick view wire.h5. */
#include <math.h>
#include <slipstick/slipstick.h>
#include <stdio.h>
#include <string.h>

#define NUMBER(key, text)                                                                                                        \
    {                                                                                                                            \
        .name = (key), .type = SS_FIELD_NUMBER, .min = 0, .max = INFINITY, .flags = SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN,       \
        .doc = (text)                                                                                                            \
    }

/* ---- the joint ------------------------------------------------------------------------------------------ */

static const ss_field ELLIPSE_KEYS[] = { NUMBER("a", "half axis along x, m"), NUMBER("b", "half axis along y, m"), SS_FIELD_END };

static ss_status on_ellipse(void *user, const ss_force_points *at, double *g, double *J)
{
    const double a = at->number[0], b = at->number[1], s = fmin(a, b) / 2, *R = at->rotation[0];
    const double d[2] = { at->position[1][0] - at->position[0][0], at->position[1][1] - at->position[0][1] };
    const double x = R[0] * d[0] + R[3] * d[1], y = R[1] * d[0] + R[4] * d[1];
    const double n[2] = { 2 * s * (R[0] * x / (a * a) + R[1] * y / (b * b)), 2 * s * (R[3] * x / (a * a) + R[4] * y / (b * b)) };
    (void)user;
    g[0] = s * (x * x / (a * a) + y * y / (b * b) - 1);
    for (int i = 0; i < 2; i++) {
        J[i] = -n[i];
        J[6 + i] = n[i];
    }
    J[5] = n[0] * d[1] - n[1] * d[0];
    return SS_OK;
}

static const ss_own_joint ELLIPSE = {
    .info = { .name = "on_ellipse", .title = "a point stays on an ellipse", .dimensions = 4, .fields = ELLIPSE_KEYS },
    .rows = { 1, 0 },
    .row_name = { { "force" } },
    .eval = on_ellipse, /* without `stiffness`: differences */
};

/* ---- the force ------------------------------------------------------------------------------------------ */

static const ss_field MAGNET_KEYS[] = { NUMBER("strength", "N m^2"), SS_FIELD_END };

static double span(const ss_force_points *at, double d[3])
{
    for (int i = 0; i < 3; i++) {
        d[i] = at->position[1][i] - at->position[0][i];
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static ss_status draw(void *user, const ss_force_points *at, double w[12])
{
    double d[3];
    const double r = span(at, d);
    (void)user;
    for (int i = 0; i < 3; i++) {
        w[i] = at->number[0] * d[i] / (r * r * r);
        w[6 + i] = -w[i];
    }
    return SS_OK;
}

static ss_status energy_of(void *user, const ss_force_points *at, double *energy)
{
    double d[3];
    (void)user;
    *energy = -at->number[0] / span(at, d);
    return SS_OK;
}

static const ss_own_force MAGNET = {
    .info = { .name = "magnet", .title = "draws two points together", .dimensions = 4 | 8, .fields = MAGNET_KEYS },
    .functions = { .wrench = draw, .potential = energy_of },
};

/* ---- the shape ------------------------------------------------------------------------------------------ */

static const ss_field CROSS_KEYS[] = { NUMBER("span", "from end to end, m"), NUMBER("arm", "width of an arm, m"), SS_FIELD_END };

static ss_status cross(void *user, int dimension, const double *number, int part, ss_shape_desc *out)
{
    (void)user;
    out->type = part < 2 ? "box" : NULL;
    for (int i = 0; i < dimension; i++) {
        out->size[i] = i == part ? number[0] : number[1];
    }
    return SS_OK;
}

static const ss_own_shape CROSS = {
    .info = { .name = "cross", .title = "two boxes across each other", .dimensions = 4 | 8, .fields = CROSS_KEYS },
    .describe = cross,
};

/* ---- the program ---------------------------------------------------------------------------------------- */

static const char SCENE[] =
    "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"until\": 2, \"step\": 0.002},"
    " \"bodies\": ["
    "  {\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 1], \"offset\": -2}]},"
    "  {\"name\": \"bead\", \"type\": \"particle\", \"mass\": 0.1, \"position\": [1, 0], \"velocity\": [0, 5]},"
    "  {\"name\": \"crate\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.02, \"position\": [4, -1.7],"
    "   \"shapes\": [{\"type\": \"cross\", \"span\": 0.4, \"arm\": 0.1}]}],"
    " \"joints\": [{\"name\": \"wire\", \"type\": \"on_ellipse\", \"a\": 1, \"b\": 0.5, \"bodies\": [\"world\", \"bead\"]}],"
    " \"forces\": [{\"name\": \"pull\", \"type\": \"magnet\", \"strength\": 0.3, \"bodies\": [\"world\", \"bead\"],"
    "   \"anchors\": [[0.5, -0.8], [0, 0]]}]}";

/* kinetic energy, weight, magnet */
static double energy_at(const double *q, const double *v)
{
    return 0.05 * (v[0] * v[0] + v[1] * v[1]) + 0.981 * q[1] - 0.3 / hypot(q[0] - 0.5, q[1] + 0.8);
}

static ss_status keep(void *writer, const ss_sim *sim, const ss_step_info *info) { return ss_writer_step(writer, sim, info); }

/* 2 s, with a result file if it has a name */
static ss_status advance(ss_context *ctx, const ss_scene *scene, ss_sim *sim, const char *path)
{
    ss_writer *writer = NULL;
    ss_status status = path ? ss_writer_create(ctx, path, scene, sim, 0.02, &writer) : SS_OK;
    if (writer) {
        const ss_observer observer = { .user = writer, .on_step = keep };
        ss_sim_observe(sim, &observer);
    }
    status = status != SS_OK ? status : ss_sim_advance(sim, 2);
    const ss_status closed = ss_writer_close(writer);
    return status != SS_OK ? status : closed;
}

static ss_status run(ss_context *ctx, const ss_scene *scene, const ss_model *model, const char *path, double *lost,
                     double *height)
{
    ss_sim_options options = ss_sim_options_default();
    ss_sim *sim = NULL;
    options.scheme = "event_capturing_rk";
    ss_status status = ss_sim_create(ctx, model, &options, &sim);
    status = status != SS_OK ? status : advance(ctx, scene, sim, path);
    if (status == SS_OK) {
        const double *q0 = ss_model_initial_q(model), *v0 = ss_model_initial_v(model);
        *lost = energy_at(ss_sim_q(sim), ss_sim_v(sim)) - energy_at(q0, v0);
        *height = ss_sim_q(sim)[3] + 2;
        printf("the bead is %.1g J off after 2 s; the cross stands %.9g m high; %lld steps not certified\n", *lost, *height,
               (long long)ss_sim_summary(sim)->unconverged_steps);
        status = ss_sim_summary(sim)->unconverged_steps == 0 ? SS_OK : SS_ERR_NUMERIC;
    }
    ss_sim_destroy(sim);
    return status;
}

int main(int count, char **word)
{
    double lost = NAN, height = NAN;
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_status status = ss_context_create(NULL, &ctx);
    status = status != SS_OK ? status : ss_context_add_joint(ctx, &ELLIPSE);
    status = status != SS_OK ? status : ss_context_add_force(ctx, &MAGNET);
    status = status != SS_OK ? status : ss_context_add_shape(ctx, &CROSS);
    status = status != SS_OK ? status : ss_scene_parse(ctx, SCENE, strlen(SCENE), "wire", 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : run(ctx, scene, model, count > 1 ? word[1] : NULL, &lost, &height);
    printf("%s\n", status != SS_OK ? ss_last_error(ctx) : "");
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status != SS_OK || !(fabs(lost) < 1e-6 && fabs(height - 0.2) < 1e-6);
}
